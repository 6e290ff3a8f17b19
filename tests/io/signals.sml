(* Signals: handlers run in threads; masks hold them back; a lost reader is an exception; an ignored one is. *)

fun say s = print (s ^ "\n")
val me = Posix.Process.K_PROC (Posix.ProcEnv.getpid ())
fun send s = Posix.Process.kill (me, s)
val ch = CML.channel ()
fun on (s, name) = MLton.Signal.setHandler (s, MLton.Signal.Handler.simple (fn () => CML.send (ch, name)))

val () = on (Posix.Signal.usr1, "usr1")
val () = on (Posix.Signal.hup, "hup")
val () = send Posix.Signal.usr1
val () = say (CML.recv ch)
val () = send Posix.Signal.hup
val () = say (CML.recv ch)

(* `handled` gave the signals that had come, and not those that have a handler. *)
val () = on (Posix.Signal.quit, "quit")
val () = MLton.Signal.setHandler (Posix.Signal.quit, MLton.Signal.Handler.default)
val () = MLton.Signal.setHandler (Posix.Signal.usr2, MLton.Signal.Handler.ignore)
fun isHandled s = Bool.toString (MLton.Signal.Mask.isMember (MLton.Signal.handled (), s))
val () = say (String.concatWith " " (map isHandled [Posix.Signal.usr1, Posix.Signal.hup, Posix.Signal.quit, Posix.Signal.usr2]))

(* held back, then served *)
val mask = MLton.Signal.Mask.some [Posix.Signal.usr1]
val () = MLton.Signal.Mask.block mask
val () = send Posix.Signal.usr1
val () = say (CML.select [CML.recvEvt ch, CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 10), fn () => "nothing")])
val () = MLton.Signal.Mask.unblock mask
val () = say (CML.recv ch)

(* while the program computes *)
val seen = ref false
val () = MLton.Signal.setHandler (Posix.Signal.usr2, MLton.Signal.Handler.simple (fn () => seen := true))
val () = send Posix.Signal.usr2
fun spin n = if !seen then say "seen" else spin (n + 1)
val () = spin 0

(* the interval timer *)
val () = on (Posix.Signal.alrm, "alarm")
val () = MLton.Itimer.set (MLton.Itimer.Real, {interval = Time.zeroTime, value = Time.fromMilliseconds 5})
val () = say (CML.recv ch)

(* ignored; the default again *)
val () = MLton.Signal.setHandler (Posix.Signal.usr1, MLton.Signal.Handler.ignore)
val () = send Posix.Signal.usr1
val () = say (Bool.toString (MLton.Signal.Handler.isIgnore (MLton.Signal.getHandler Posix.Signal.usr1)))

val {infd, outfd} = Posix.IO.pipe ()
val () = Posix.IO.close infd
val () = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x")))
         handle OS.SysErr (_, SOME e) => say (OS.errorName e)

(* the handlers are given back: an end by SIGTERM runs what is to run at exit *)
val () = OS.Process.atExit (fn () => (say "at exit"; OS.Process.exit OS.Process.success))
val () = send Posix.Signal.term
val () = CML.sync CML.never
