(* General again, with messages for the exceptions of the later structures, and of those that the program has functions for. *)

structure ExnMessage' =
struct
  (* MLton.Exn.addExnMessager, the last one first *)
  val messagers : (exn -> string option) list ref = ref []
  fun add f =
    let
      val now = !messagers
    in
      if PrimRefs'.ref_cas (messagers, now, f :: now) then () else add f
    end
end

structure General : GENERAL =
struct
  open General
  fun exnMessage e =
    let
      fun ask [] = builtIn e
        | ask (f :: rest) = (case f e handle _ => NONE of SOME text => text | NONE => ask rest)
    in
      ask (! ExnMessage'.messagers)
    end
  and builtIn e =
    case e of
      IO.Io {name, function, cause} =>
        concat ["Io: ",
                function,
                " failed on \"",
                name,
                "\", ",
                case cause of
                  OS.SysErr (text, _) => text
                | IO.BlockingNotSupported => "blocking is not supported"
                | IO.NonblockingNotSupported => "non-blocking is not supported"
                | IO.RandomAccessNotSupported => "random access is not supported"
                | IO.ClosedStream => "the stream is closed"
                | cause => exnMessage cause]
    | OS.SysErr (text, _) => concat ["SysErr: ", text]
    | e => General.exnMessage e
end

val exnMessage = General.exnMessage
