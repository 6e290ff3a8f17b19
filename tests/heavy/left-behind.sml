(* Choices that are over leave nothing behind: no waiters in the queues of the channels that lost, no time-outs, which keep
   their waiters alive. Counted by the live heap. *)
open CML

fun live () = (SMLofNJ.Internals.GC.doGC 10; Leat.GC.liveBytes ())

val quiet : int chan = channel ()
val box : int Mailbox.mbox = Mailbox.mailbox ()
val empty : int SyncVar.mvar = SyncVar.mVar ()
val ended = spawn (fn () => sync (timeOutEvt (Time.fromSeconds 1000)))
val busy : int chan = channel ()
val _ = spawn (fn () => let fun go n = (send (busy, n); go (n + 1)) in go 0 end)
val minutes = timeOutEvt (Time.fromSeconds 600)

fun choice n =
  select [recvEvt quiet, wrap (sendEvt (quiet, n), fn () => n), Mailbox.recvEvt box, SyncVar.mTakeEvt empty,
          wrap (joinEvt ended, fn () => n), wrap (minutes, fn () => n), recvEvt busy]

fun loop 0 = ()
  | loop n = (ignore (choice n); loop (n - 1))

val () = loop 1000
val before' = live ()
val () = loop 300000
val after' = live ()
val () = print (if after' - before' < 100000 then "ok\n" else Int.toString (after' - before') ^ " bytes left\n")

(* with many who wait for the same: the dead never outnumber the living *)
val many = 1000
val _ = List.tabulate (many, fn _ => spawn (fn () => ignore (recv quiet)))
fun rounds 0 = ()
  | rounds n = (ignore (select [recvEvt quiet, recvEvt busy]); rounds (n - 1))
val () = rounds 1000
val before' = live ()
val () = rounds 300000
val after' = live ()
val () = print (if after' - before' < 200000 then "ok\n" else Int.toString (after' - before') ^ " bytes left\n")
(* they are still served, in order *)
val () = List.app (fn n => send (quiet, n)) (List.tabulate (many, fn n => n))
val () = print "served\n"

(* a million time-outs, set and cancelled *)
fun guarded 0 = ()
  | guarded n = (ignore (select [wrap (minutes, fn () => 0), recvEvt busy]); guarded (n - 1))
val () = guarded 1000
val before' = live ()
val () = guarded 1000000
val after' = live ()
val () = print (if after' - before' < 100000 then "ok\n" else Int.toString (after' - before') ^ " bytes left\n")
val () = OS.Process.exit OS.Process.success
