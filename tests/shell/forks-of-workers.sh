# A program forks beside running workers. What those had in hand at that moment was lost to the child: a mutex of the runtime's (that of
# standard error, that of the race detector), a lock of the library's, the request for a collection. Then the child never ended; or it gave
# way to the parent's other threads, and ended with the code 125 when one of them collected. All workers rest while one forks.
run () { timeout -s KILL 100 "$LEAT" run "$@" 2>&1 >&3 | cat > /dev/null; }

# The child exits, and needs the locks of both standard streams.
cat > streams.sml <<'SML'
fun log () : unit = (TextIO.output (TextIO.stdErr, "log\n"); log ())
val () = List.app (fn _ => ignore (CML.spawn log)) [1, 2, 3]
fun round 0 = print "streams: done\n"
  | round n =
      case Posix.Process.fork () of
        NONE => OS.Process.exit OS.Process.success
      | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); round (n - 1))
val () = round 300
SML

# Another worker collects all the time, and has asked for it at the fork.
cat > collects.sml <<'SML'
val old = Array.tabulate (100000, fn i => SOME i)
fun burn n : unit = if length (List.tabulate (2000, fn i => [i])) = Array.length old then () else burn (n + 1)
val () = List.app (fn _ => ignore (CML.spawn (fn () => burn 0))) [1, 2, 3]
fun spin 0 = 0 | spin n = (spin (n - 1) + n) mod 7
val _ = List.app (fn _ => ignore (spin 100000)) (List.tabulate (60, fn i => i))
fun round (0, codes) = print ("collects: " ^ Int.toString codes ^ "\n")
  | round (n, codes) =
      case Posix.Process.fork () of
        NONE => (ignore (spin 1000); OS.Process.exit OS.Process.success)
      | SOME pid =>
          let val (_, status) = Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])
          in round (n - 1, if status = Posix.Process.W_EXITED then codes + 1 else codes) end
val () = round (100, 0)
SML

# Another worker has the lock of an open stream.
cat > locks.sml <<'SML'
val out = TextIO.openOut "/dev/null"
fun log () : unit = (TextIO.output (out, "log\n"); TextIO.flushOut out; log ())
val () = ignore (CML.spawn log)
fun burn 0 = 0 | burn n = (burn (n - 1) + n) mod 7
val () = OS.Process.sleep (Time.fromMilliseconds 30)
val _ = List.app (fn _ => ignore (burn 100000)) (List.tabulate (50, fn i => i))
fun round 0 = print "locks: done\n"
  | round n =
      case Posix.Process.fork () of
        NONE => OS.Process.exit OS.Process.success
      | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); round (n - 1))
val () = round 30
SML

# The detector's mutex is had at each access.
cat > races.sml <<'SML'
fun count r : unit = (r := !r + 1; count r)
val () = List.app (fn _ => ignore (CML.spawn (fn () => count (ref 0)))) [1, 2]
fun spin 0 = 0 | spin n = (spin (n - 1) + n) mod 7
val _ = List.app (fn _ => ignore (spin 100000)) (List.tabulate (20, fn i => i))
fun round 0 = print "races: done\n"
  | round n =
      case Posix.Process.fork () of
        NONE => let val r = ref 0 in r := !r + 1; Posix.Process.exit 0w0 end
      | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); round (n - 1))
val () = round 20
SML

# The child goes on with all threads: those that ran on other workers answer it, it sleeps, collects, makes threads, and forks again.
cat > lives.sml <<'SML'
fun sum 0 = 0 | sum n = n + sum (n - 1)
fun server () =
  let
    val (asked, answers) = (CML.channel (), CML.channel ())
    fun loop () = (CML.send (answers, sum (CML.recv asked) + length (List.tabulate (1000, fn i => i))); loop ())
  in
    ignore (CML.spawn loop);
    fn n => (CML.send (asked, n); CML.recv answers)
  end
val servers = List.tabulate (8, fn _ => server ())
fun ask n = List.foldl (fn (server, all) => all + server n) 0 servers
(* Threads that are always busy: some run on another worker at each fork. *)
val counts = List.tabulate (3, fn _ => ref 0)
fun busy count : unit = (count := !count + sum 100; busy count)
val () = List.app (fn count => ignore (CML.spawn (fn () => busy count))) counts
val () = ignore (CML.spawn (fn () => let fun loop () = (ignore (ask 10); loop ()) in loop () end))
fun moves count = let val was = !count fun wait () = if !count = was then (CML.yield (); wait ()) else () in wait () end
fun inChild again =
  let
    val expected = 8 * (sum 50 + 1000)
    val mine = server ()
  in
    OS.Process.sleep (Time.fromMilliseconds 2);
    List.app moves counts;
    if mine 50 * 8 <> expected then OS.Process.exit OS.Process.failure else ();
    ignore (List.tabulate (300000, fn i => SOME i));
    CML.sync (CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 1), fn () => ()));
    if again then
      case Posix.Process.fork () of
        NONE => inChild false
      | SOME pid =>
          OS.Process.exit
            (case Posix.Process.waitpid (Posix.Process.W_CHILD pid, []) of
               (_, Posix.Process.W_EXITED) => OS.Process.success
             | _ => OS.Process.failure)
    else OS.Process.exit OS.Process.success
  end
fun round (0, well) = print ("lives: " ^ Int.toString well ^ "\n")
  | round (n, well) =
      case Posix.Process.fork () of
        NONE => inChild (n mod 3 = 0)
      | SOME pid =>
          let val (_, status) = Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])
          in round (n - 1, if status = Posix.Process.W_EXITED then well + 1 else well) end
val rounds = List.mapPartial Int.fromString (CommandLine.arguments ())
val () = (List.app moves counts; List.app (fn n => round (n, 0)) rounds; OS.Process.exit OS.Process.success)
SML

# A thread that makes large arrays lets others collect in the midst of one; it was dead in the child. So was one that forks just then.
cat > long.sml <<'SML'
val count = ref 0
fun busy () : unit = (count := !count + Array.length (Array.array (1000000, 0)) div 1000000; busy ())
val () = ignore (CML.spawn busy)
fun goesOn r = let val was = !r fun wait () = if !r = was then (CML.yield (); wait ()) else () in wait () end
fun await pid = #2 (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])) = Posix.Process.W_EXITED
val forks = ref 0
(* In a child the one that it waits for is its parent's. *)
fun forker () : unit =
  (case Posix.Process.fork () of
     NONE => Posix.Process.exit 0w0
   | SOME pid => (ignore (await pid handle OS.SysErr _ => false); forks := !forks + 1);
   forker ())
val () = (goesOn count; ignore (CML.spawn forker))
fun round (0, well) = print ("long: " ^ Int.toString well ^ "\n")
  | round (n, well) =
      case Posix.Process.fork () of
        NONE => (goesOn count; goesOn forks; Posix.Process.exit 0w0)
      | SOME pid => round (n - 1, if await pid then well + 1 else well)
val () = (round (10, 0); OS.Process.exit OS.Process.success)
SML

# Many forks beside threads that block, and want each other's locks.
cat > many.sml <<'SML'
val (a, b) = (CML.channel (), CML.channel ())
fun ping () = (CML.send (a, 1); ignore (CML.recv b); ping ())
fun pong () = (ignore (CML.recv a); CML.send (b, 1); pong ())
fun meddle () : unit =
  (CML.select [CML.wrap (CML.recvEvt a, fn _ => CML.send (b, 1)), CML.wrap (CML.timeOutEvt Time.zeroTime, fn () => ())];
   meddle ())
val () = List.app (fn f => ignore (CML.spawn f)) [ping, pong, meddle, meddle, meddle, meddle]
fun round 0 = print "many: done\n"
  | round n =
      case Posix.Process.fork () of
        NONE => Posix.Process.exit 0w0
      | SOME pid => (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])); round (n - 1))
val () = (round 1000; OS.Process.exit OS.Process.success)
SML

# In an atomic section another worker might wait for a lock that this one has.
cat > atomic.sml <<'SML'
val () = ignore (CML.spawn (fn () => let fun burn n : unit = burn (n + 1) in burn 0 end))
fun spin 0 = 0 | spin n = (spin (n - 1) + n) mod 7
val _ = List.app (fn _ => ignore (spin 100000)) (List.tabulate (60, fn i => i))
val () =
  (MLton.Thread.atomicBegin ();
   (case Posix.Process.fork () of
      NONE => Posix.Process.exit 0w0
    | SOME _ => print "atomic: forked\n")
   handle OS.SysErr (_, SOME e) => print ("atomic: " ^ OS.errorName e ^ "\n");
   MLton.Thread.atomicEnd ();
   OS.Process.exit OS.Process.success)
SML

{
  run --workers=4 streams.sml
  run --workers=2 collects.sml
  run --workers=2 locks.sml
  run --workers=2 --race races.sml
  run --workers=3 lives.sml 20
  run --workers=2 --gc-stress=10000 lives.sml 2
  run --workers=2 long.sml
  run --workers=3 many.sml
  run --workers=2 atomic.sml
} 3>&1
