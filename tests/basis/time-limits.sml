(* Texts of times near the limits. `Time.fmt` took the absolute value, and added half of a unit: so the least time, and those
   near both ends, raised Overflow; `Time.fromString` refused the least one. *)
fun line s = print (s ^ "\n")
val greatest = Time.fromNanoseconds (Int.toLarge (valOf Int.maxInt))
val least = Time.fromNanoseconds (Int.toLarge (valOf Int.minInt))
val () = app (fn t => app (fn n => line (Time.fmt n t)) [0, 1, 3, 8, 9, 12]) [greatest, least]
fun read s =
  line (case Time.fromString s of SOME t => LargeInt.toString (Time.toNanoseconds t) | NONE => "NONE")
  handle e => line (exnName e)
val () =
  app read
    ["9223372036.854775807", "9223372036.854775808", "~9223372036.854775808", "~9223372036.854775809", "~9223372036.9",
     "9223372036", "9223372037", "99999999999999999999", "~0.000000001"]
(* what is written is read again *)
val () =
  app (fn t => line (Bool.toString (Time.fromString (Time.fmt 9 t) = SOME t)))
    [greatest, least, Time.zeroTime, Time.fromNanoseconds ~1]

(* Times that reach beyond the last moment of the clock raised Overflow in some of what waits; what waits for a descriptor or
   a sleep then waits as an event does. Nothing of this comes to its end. *)
fun waits name f =
  ignore (CML.spawn (fn () => (f (); line (name ^ " came back")) handle e => line (name ^ ": " ^ exnName e)))
val () = waits "OS.Process.sleep" (fn () => OS.Process.sleep greatest)
val () = waits "Posix.Process.sleep" (fn () => ignore (Posix.Process.sleep greatest))
val () = waits "CML.timeOutEvt" (fn () => CML.sync (CML.timeOutEvt greatest))
val () = waits "CML.atTimeEvt" (fn () => CML.sync (CML.atTimeEvt greatest))
val () = waits "OS.IO.poll" (fn () => ignore (OS.IO.poll ([], SOME greatest)))
val () =
  waits "Socket.select" (fn () => ignore (Socket.select {rds = [], wrs = [], exs = [], timeout = SOME greatest}))
val timeout = EventManager.registerTimeout (greatest, fn () => line "EventManager came back")
val () = OS.Process.sleep (Time.fromMilliseconds 20)
val () = EventManager.unregisterTimeout timeout
(* and none at all is none *)
val () = app OS.Process.sleep [least, Time.zeroTime]
val () = CML.sync (CML.timeOutEvt least)
val () = (ignore (OS.IO.poll ([], SOME least)); line "poll") handle OS.SysErr (text, _) => line text

(* The system's alarm counts 32 bits of seconds: one of -3 s came in 136 years, and one of half a second never. *)
fun alarm t =
  (line (Time.toString (Posix.Process.alarm t)))
  handle OS.SysErr (text, _) => line text
val () = app alarm [Time.fromSeconds 1000, Time.fromMilliseconds 100000, Time.fromSeconds ~3]
val _ = Posix.Process.alarm greatest
val () = line (Bool.toString (Time.> (Posix.Process.alarm Time.zeroTime, Time.fromSeconds 4294967296)))
val came = SyncVar.mVar ()
val _ = Signals.setHandler (Signals.sigALRM, Signals.HANDLER (fn (_, _, k) => (SyncVar.mPut (came, ()); k)))
val () =
  app (fn t => (ignore (Posix.Process.alarm t); SyncVar.mTake came; line "alarm"))
    [Time.fromMilliseconds 30, Time.fromNanoseconds 1]
(* so the interval timers: less than a microsecond switched them off *)
fun timer t = MLton.Itimer.set (MLton.Itimer.Real, {interval = Time.zeroTime, value = t})
val () = (timer (Time.fromNanoseconds 100); SyncVar.mTake came; line "timer")
val () = timer (Time.fromNanoseconds ~100) handle OS.SysErr (text, _) => line text
val () = OS.Process.exit OS.Process.success
