(* StdErr': what the library says by itself, where nobody has called it who could be told: on standard error. Also a source
   of libraries outside of the image. *)

structure StdErr' : sig
  (* Writes the text. Where standard error is closed, or full, it is lost: the program goes on. *)
  val say : string -> unit
end =
struct
  fun say text = TextIO.output (TextIO.stdErr, text) handle IO.Io _ => ()
end
