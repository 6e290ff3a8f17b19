(* RunCML and TraceCML: status, cleaners, logged servers, deadlock, uncaught exceptions, traces. *)
open CML
fun say s = TextIO.print (s ^ "\n")
fun check name b = say (name ^ (if b then " ok" else " WRONG"))
fun status s = if OS.Process.isSuccess s then "success" else "failure"
fun doit f = RunCML.doit (f, NONE)

(* the program goes on after its first thread has returned, until it is shut down *)
val result =
  doit (fn () =>
    ignore (spawn (fn () => (sync (timeOutEvt (Time.fromMilliseconds 5)); say "later"; RunCML.shutdown OS.Process.success))))
val () = say (status result)
val () = say (status (doit (fn () => RunCML.shutdown OS.Process.failure)))
val () = check "running" (not (RunCML.isRunning ()))
val _ = doit (fn () => (check "running" (RunCML.isRunning ()); RunCML.shutdown OS.Process.success))
val () = check "not re-entrant"
  (OS.Process.isSuccess (doit (fn () =>
     ((ignore (doit (fn () => ())); ()) handle Fail _ => RunCML.shutdown OS.Process.success))))
val () = check "shutdown of nothing" ((RunCML.shutdown OS.Process.success; false) handle Fail _ => true)

(* nothing is left to run *)
val () = say ("ended: " ^ status (doit (fn () => ())))

(* servers and cleaners, in order *)
val ch : int chan = channel ()
val () = RunCML.logChannel ("ch", ch)
val () = RunCML.logServer ("server", fn () => (say "start"; ignore (spawn (fn () => send (ch, 1)))), fn () => say "stop")
val none = RunCML.addCleaner ("a", RunCML.atAll, fn RunCML.AtInit => say "a init" | _ => say "a end")
val _ = RunCML.addCleaner ("b", [RunCML.AtShutdown], fn _ => (say "b end"; raise Fail "b"))
val () = check "new cleaner" (not (Option.isSome none))
fun once () = doit (fn () => (say (Int.toString (recv ch)); RunCML.shutdown OS.Process.success))
val _ = once ()
val _ = once ()
val () = check "removeCleaner" (Option.isSome (RunCML.removeCleaner "a") andalso not (Option.isSome (RunCML.removeCleaner "a")))
val () = check "unlog" ((RunCML.unlogServer "nobody"; false) handle RunCML.Unlog => true)
val () = RunCML.unlogAll ()
val _ = RunCML.removeCleaner "b"

(* modules of traces *)
open TraceCML
val m = traceModule (traceRoot, "m")
val n = traceModule (m, "n")
val () = check "names" (nameOf n = "/m/n/" andalso nameOf (moduleOf "/m/n") = "/m/n/")
val () = check "no such module" ((ignore (moduleOf "/m/x"); false) handle NoSuchModule => true)
val () = trace (n, fn () => (say "not made"; ["not traced\n"]))
val () = traceOn m
val () = trace (n, fn () => ["traced ", "n\n"])
val () = traceOff n
val () = trace (n, fn () => ["not traced\n"])
val () = check "status" (map (fn (m, on) => (nameOf m, on)) (status m) = [("/m/", true), ("/m/n/", false)])
val file = OS.FileSys.tmpName ()
val () = setTraceFile (TraceToFile file)
val stop : unit chan = channel ()
val t = spawn (fn () => recv stop)
val u = spawn (fn () => recv stop)
val () = (watch ("t", t); watch ("u", u); unwatch u)
val () = (send (stop, ()); send (stop, ()); sync (joinEvt t); sync (joinEvt u))
(* the watcher is a thread of its own; it prints piece by piece *)
fun written () =
  let val input = TextIO.openIn file
  in TextIO.inputAll input before TextIO.closeIn input end
fun await () = if not (String.isSuffix "\n" (written ())) then (sync (timeOutEvt (Time.fromMilliseconds 2)); await ()) else ()
val () = await ()
val () = setTraceFile TraceToOut
val () = check "watch" (String.isPrefix "WARNING!  Watched thread t[" (written ()))
val () = OS.FileSys.remove file

(* uncaught exceptions *)
exception Mine
val heard : exn SyncVar.ivar = SyncVar.iVar ()
val () = setUncaughtFn (fn (_, e) => SyncVar.iPut (heard, e))
val t = spawn (fn () => raise Mine)
val () = sync (joinEvt t)
val () = check "setUncaughtFn" (case SyncVar.iGet heard of Mine => true | _ => false)
val first : unit SyncVar.ivar = SyncVar.iVar ()
val () = setHandleFn (fn (_, Mine) => (SyncVar.iPut (first, ()); true) | _ => false)
val _ = spawn (fn () => raise Mine)
val () = (SyncVar.iGet first; say "setHandleFn ok")
val () = resetUncaughtFn ()
