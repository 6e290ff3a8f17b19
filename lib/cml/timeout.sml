(* TimeOut': events of the clock. For the library; programs see it in CML.

   The runtime's timing wheel commits a waiter when its time has come (`timer_expired` in runtime/entry), in order of
   deadline, then of start. Starting and cancelling take constant time. *)

structure TimeOut' :> sig
  (* so long after the synchronisation began; at once when it is not above 0 *)
  val timeOutEvt : Time.time -> unit Event'.event
  (* at that time of the day; at once when it is past *)
  val atTimeEvt : Time.time -> unit Event'.event

  (* whether it is past, and the monotonic time of it *)
  type moment = {isPast : unit -> bool, deadline : unit -> int}
  (* so long after `deadline` is called *)
  val timeOut : Time.time -> moment
  val atTime : Time.time -> moment
end =
struct
  val monotonic = PrimClock'.time_monotonic
  val realTime = PrimClock'.time_now
  (* deadline, thread, waiting, synched *)
  val start = PrimTimers'.timer_start

  val sleeping = ParkReason'.sleep
  val forever = valOf Int.maxInt

  type moment = {isPast : unit -> bool, deadline : unit -> int}

  fun event {isPast, deadline} =
    let
      fun block ({thread, waiting, synched} : Transaction'.waiter) =
        Event'.TIMER (start (deadline (), thread, waiting, synched))
    in
      Event'.base ({poll = fn _ => Event'.fixed (isPast ()),
                    commit = fn () => Event'.WON,
                    block = block,
                    reason = sleeping,
                    place = Event'.nowhere},
                   fn () => ())
    end

  fun timeOut time =
    {isPast = fn () => Time.<= (time, Time.zeroTime),
     deadline = fn () => TimePrim'.deadline time}
  fun timeOutEvt time = event (timeOut time)

  (* What to subtract from the time of the day for the monotonic clock. It is measured again when that was a millisecond
     ago: so the clock may be set, and who waits looks at one clock and not at three. Measured each time, it would differ
     by the time between two looks, and those who wait for the same moment would not wake in order; so a measurement is
     kept while the next ones are as good as equal. *)
  val offset = ref 0
  val measured = ref 0
  val tolerance = 2000
  val often = 1000000

  (* the monotonic clock, and the offset is fresh *)
  fun look () =
    let
      val now = monotonic ()
    in
      if now - !measured < often andalso now > !measured then ()
      else
        let
          val fresh = realTime () - now
        in
          (* first: another worker that finds `measured` takes it *)
          if abs (fresh - !offset) <= tolerance then () else offset := fresh;
          measured := now
        end;
      now
    end

  fun atTime time =
    let
      val moment = TimePrim'.toNanos time
      fun isPast () =
        let
          val since =
            look () - (moment - !offset) handle Overflow => if moment < 0 then forever else ~forever
        in
          (* too close for the offset to tell *)
          if abs since <= tolerance
          then realTime () >= moment
          else since > 0
        end
      fun deadline () = moment - !offset + tolerance handle Overflow => forever
    in
      {isPast = isPast, deadline = deadline}
    end
  fun atTimeEvt time = event (atTime time)
end
