(* TimeOut': events of the clock. For the library; programs see it in CML.

   The runtime's timing wheel commits a waiter when its time has come (`timer_expired` in runtime/entry), in order of
   deadline, then of start. Starting and cancelling take constant time. *)

structure TimeOut' :>
sig
  (* so long after the synchronisation began; at once when it is not above 0 *)
  val timeOutEvt : Time.time -> unit Event'.event
  (* at that time of the day; at once when it is past *)
  val atTimeEvt : Time.time -> unit Event'.event
end =
struct
  val monotonic = _prim "time_monotonic" : unit -> int
  val realTime = _prim "time_now" : unit -> int
  val start = _prim "timer_start" : int * Transaction'.waiter -> int
  val cancel = _prim "timer_cancel" : int -> bool

  val sleeping = 3
  val forever = valOf Int.maxInt

  fun startAt (deadline, waiter) =
    let val timer = start (deadline, waiter)
    in Event'.CANCEL (fn () => ignore (cancel timer)) end

  fun event (poll, deadline) =
    Event'.base
      ({poll = poll, commit = fn () => Event'.WON, block = fn w => startAt (deadline (), w), reason = sleeping},
       fn () => ())

  fun timeOutEvt time =
    let
      val span = TimePrim'.toNanos time
      fun deadline () = monotonic () + span handle Overflow => forever
    in
      event (fn () => if span <= 0 then 0 else ~1, deadline)
    end

  (* What to subtract from the time of the day for the monotonic clock. Measured anew each time, it would differ by the
     time between two looks at the clocks, and those who wait for the same moment would not wake in order; so a measurement
     is kept while the next ones are as good as equal. *)
  val offset = ref 0
  val tolerance = 2000

  fun atTimeEvt time =
    let
      val moment = TimePrim'.toNanos time
      fun poll () = if realTime () >= moment then 0 else ~1
      fun deadline () =
        let
          val fresh = realTime () - monotonic ()
          val _ = if abs (fresh - !offset) <= tolerance then () else offset := fresh
        in
          moment - !offset + tolerance handle Overflow => forever
        end
    in
      event (poll, deadline)
    end
end
