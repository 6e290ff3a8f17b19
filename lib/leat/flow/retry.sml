(* Retry: what may fail is tried again, after a wait that becomes longer each time and is partly random, so that those who
   failed together do not come back together. *)

signature RETRY =
sig
  datatype setting =
      (* how often it is tried in all: 5 *)
      Attempts of int
    (* the first wait: 100 ms *)
    | First of Time.time
    (* by how much each wait is longer than the one before: 2.0 *)
    | Factor of real
    (* no wait is longer: 10 s *)
    | Longest of Time.time
    (* the part of each wait that is random, from 0.0 to 1.0: 0.5, so a wait of 100 ms takes 50 to 100 ms *)
    | Jitter of real
    (* So long after the beginning nothing is tried any more; without this there is no such time. A try that has begun
       goes on: Scope.within ends it. *)
    | Within of Time.time
    (* Whether it is tried again after this exception; without this, after all of them. Scope.Cancelled is never one. *)
    | When of exn -> bool
    (* Is told of each failure after which it is tried again: which attempt it was, from 1, why, and how long the wait
       is. *)
    | OnFailure of {attempt : int, cause : exn, wait : Time.time} -> unit

  (* The result of the function, or the exception of its last attempt. Raises Size for settings that are none. *)
  val run : setting list -> (unit -> 'a) -> 'a
  (* The same as an event. It begins when a thread synchronises on it; if another event happens first it is cancelled,
     in the midst of an attempt, too. *)
  val runEvt : setting list -> (unit -> 'a) -> 'a CML.event
end

structure Retry :> RETRY =
struct
  datatype setting =
      Attempts of int
    | First of Time.time
    | Factor of real
    | Longest of Time.time
    | Jitter of real
    | Within of Time.time
    | When of exn -> bool
    | OnFailure of {attempt : int, cause : exn, wait : Time.time} -> unit

  (* from 0.0 to less than 1.0 *)
  fun random () =
    case MLton.Random.seed () of
      SOME w => Real.fromInt (Word.toInt (Word.>> (w, 0w11))) / 9007199254740992.0
    | NONE => 0.5

  fun run settings f =
    let
      fun last setting = Settings'.last settings setting
      val attempts = last (fn Attempts n => SOME n | _ => NONE, 5)
      val first = last (fn First t => SOME t | _ => NONE, Time.fromMilliseconds 100)
      val factor = last (fn Factor x => SOME x | _ => NONE, 2.0)
      val longest = last (fn Longest t => SOME t | _ => NONE, Time.fromSeconds 10)
      val jitter = last (fn Jitter x => SOME x | _ => NONE, 0.5)
      val within = last (fn Within t => SOME (SOME t) | _ => NONE, NONE)
      val isOne = last (fn When f => SOME f | _ => NONE, fn _ => true)
      val told = last (fn OnFailure f => SOME f | _ => NONE, ignore)
      val () =
        if attempts < 1
           orelse not (factor >= 1.0)
           orelse not (jitter >= 0.0 andalso jitter <= 1.0)
           orelse Time.< (first, Time.zeroTime)
        then raise Size
        else ()

      val timer = Timer.startRealTimer ()
      fun isLate wait =
        case within of
          NONE => false
        | SOME t => Time.> (wait, Time.- (t, Timer.checkRealTimer timer))

      fun go (attempt, base) =
        f ()
        handle e as Scope.Cancelled => raise e
             | e =>
                 let
                   val base = if Time.> (base, longest) then longest else base
                   val wait =
                     Time.fromReal (Time.toReal base * (1.0 - jitter * random ()))
                     handle Time.Time => base
                 in
                   if attempt >= attempts orelse not (isOne e) orelse isLate wait then raise e
                   else
                     (told {attempt = attempt, cause = e, wait = wait};
                      OS.Process.sleep wait;
                      go (attempt + 1,
                          Time.fromReal (Real.min (Time.toReal base * factor, Time.toReal longest))
                          handle Time.Time => longest))
                 end
    in
      go (1, first)
    end

  datatype 'a outcome = VALUE of 'a | RAISED of exn
  exception Unwanted

  fun runEvt settings f =
    CML.withNack (fn nack =>
      let
        val result = SyncVar.iVar ()
        fun work () =
          SyncVar.iPut (result,
                        VALUE (Scope.run (fn scope =>
                                 (Scope.daemon scope (fn () =>
                                    (CML.sync nack; Scope.cancel (scope, Unwanted)));
                                  run settings f)))
                        handle e => RAISED e)
      in
        CML.wrap (CML.joinEvt (CML.spawn work),
                  fn () =>
                    case SyncVar.iGetPoll result of
                      SOME (VALUE x) => x
                    | SOME (RAISED e) => raise e
                    (* the function said CML.exit *)
                    | NONE => raise Scope.Cancelled)
      end)
end
