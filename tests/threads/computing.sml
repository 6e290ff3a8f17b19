(* Four threads compute and never stop; the main thread sleeps, and must get on. The one that was started last and one of the
   others took turns for ever, a tick each, with the main thread behind them. *)
open CML
fun compute k = compute ((k * 3 + 1) mod 1000003)
val () = List.app (fn k => ignore (spawn (fn () => compute k))) [1, 2, 3, 4]
val () = sync (timeOutEvt (Time.fromMilliseconds 20))
val () = print "slept\n"
val () = OS.Process.exit OS.Process.success
