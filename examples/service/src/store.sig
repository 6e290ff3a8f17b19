(* Where notes are kept. The service knows nothing else of it, so a test takes one in memory, and a program one in a file. *)

signature STORE =
sig
  type store
  type note = {id : string, title : string, text : string}

  (* A new note, which gets an id. *)
  val add : store * {title : string, text : string} -> note
  (* The note with that id. *)
  val find : store * string -> note option
  (* The newest ones, so many at most. *)
  val latest : store * int -> note list
  (* Another title and text for a note that is there; whether it is. *)
  val change : store * note -> bool
  (* Whether it was there. *)
  val remove : store * string -> bool
  (* How many notes there are. *)
  val count : store -> int
end
