(* General again, with messages for the exceptions of the later structures, and of those that the program has functions for. *)

structure ExnMessage' =
struct
  (* MLton.Exn.addExnMessager, the last one first *)
  val messagers : (exn -> string option) list ref = ref []
  fun asked e =
    let
      fun ask [] = NONE
        | ask (f :: rest) = (case f e handle _ => NONE of NONE => ask rest | text => text)
    in
      ask (!messagers)
    end
end

structure General : GENERAL =
struct
  open General
  fun exnMessage e = case ExnMessage'.asked e of SOME text => text | NONE => builtIn e
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

structure ExnMessager' =
struct
  local
    val hook = PrimExits'.uncaught_hook
    val answer = PrimExits'.uncaught_message
    val wait = PrimExits'.uncaught_wait
    val packet = PrimThreads'.thread_props : thread -> exn
    val victim = PrimThreads'.thread_message : thread -> thread

    (* The runtime runs this in a new thread before it reports an exception that nothing handles; its properties are the
       exception, its message the thread that has raised it. What the program has no function for, the runtime says
       itself. *)
    fun tell () =
      let
        val self = PrimThreads'.thread_self ()
        val (e, who) = (packet self, victim self)
        val () = ThreadProps'.set (self, ThreadProps'.NONE')
        fun message () =
          case ExnMessage'.asked e of
            SOME text => text
          | NONE => (case e of IO.Io _ => General.exnMessage e | _ => "")
      in
        answer (who, message () handle _ => "")
      end
    (* that thread meanwhile; the runtime ends it *)
    fun waiting () = (wait (); waiting ())
  in
    fun add f =
      let
        val now = ! ExnMessage'.messagers
      in
        if PrimRefs'.ref_cas (ExnMessage'.messagers, now, f :: now) then
          (hook (4, waiting); hook (3, tell))
        else add f
      end
  end
end
