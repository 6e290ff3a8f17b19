(* TimeLimit: a computation that may take so long and no longer.

   It runs in a thread of its own, and the caller waits for its result or for the time.
   Differences: a computation that runs out of time is not stopped, it goes on behind until it ends, and its result is
   dropped. One that says CML.exit ends the caller, too. *)

structure TimeLimit : sig
  exception TimeOut

  val timeLimit : Time.time -> ('a -> 'b) -> 'a -> 'b
  (* f x, or whatever it raises; raises TimeOut when the time is over. *)
end =
struct
  exception TimeOut

  datatype 'a outcome = Value of 'a | Raised of exn

  fun timeLimit limit f x =
    let
      val outcome = SyncVar.iVar ()
      fun run () = SyncVar.iPut (outcome, Value (f x) handle e => Raised e)
      fun result (Value y) = y
        | result (Raised e) = raise e
      val thread = CML.spawn run
      (* It has its result, or has said CML.exit: then so does the caller, in whose thread it would be in SML/NJ. *)
      fun ended () =
        case SyncVar.iGetPoll outcome of SOME found => result found | NONE => CML.exit ()
    in
      case SyncVar.iGetPoll outcome of
        SOME found => result found
      | NONE =>
          CML.select [CML.wrap (SyncVar.iGetEvt outcome, result),
                      CML.wrap (CML.joinEvt thread, ended),
                      CML.wrap (CML.timeOutEvt limit, fn () => raise TimeOut)]
    end
end
