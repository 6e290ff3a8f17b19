(* General again, with messages for the exceptions of the later structures. *)

structure General : GENERAL =
struct
  open General
  fun exnMessage e =
    case e of
      IO.Io {name, function, cause} =>
        concat ["Io: ", function, " failed on \"", name, "\", ",
                case cause of
                  OS.SysErr (text, _) => text
                | IO.BlockingNotSupported => "blocking is not supported"
                | IO.NonblockingNotSupported => "non-blocking is not supported"
                | IO.RandomAccessNotSupported => "random access is not supported"
                | IO.ClosedStream => "the stream is closed"
                | cause => General.exnMessage cause]
    | OS.SysErr (text, _) => concat ["SysErr: ", text]
    | e => General.exnMessage e
end

val exnMessage = General.exnMessage
