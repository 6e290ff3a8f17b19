(* The child of a fork has one OS thread, the one that called fork. Bound threads get new ones there when their turns come; and
   the child goes on, runs other threads and ends, whether a bound thread or another one has forked. *)
fun say s = print (s ^ "\n")

val (questions, answers) = (CML.channel () : int CML.chan, CML.channel () : int CML.chan)
fun echo same =
  let
    val n = CML.recv questions
    val os = Thread.osThread ()
  in
    (* it stays where it is once it is there *)
    Thread.yield ();
    CML.send (answers, if Thread.osThread () = os then n + 1 else ~1);
    echo same
  end
fun ask n = (CML.send (questions, n); CML.recv answers)
val () = OS.Process.atExit (fn () => say "exit function")
val () = Thread.ready (Thread.bound (fn () => echo ()))
val () = say ("parent " ^ Int.toString (ask 1))

fun fork child =
  case Posix.Process.fork () of
    NONE => child ()
  | SOME pid =>
      case Posix.Process.waitpid (Posix.Process.W_CHILD pid, []) of
        (_, Posix.Process.W_EXITSTATUS s) => say ("child ended with " ^ Word8.fmt StringCvt.DEC s)
      | (_, Posix.Process.W_EXITED) => say "child ended"
      | _ => say "child died"

(* what both kinds of children do *)
fun life () =
  let
    val os = Thread.osThread ()
    val others = List.tabulate (3, fn n =>
      let
        val done = CML.channel ()
        fun work () = CML.send (done, (n, Thread.osThread ()))
      in
        Thread.ready (if n = 1 then Thread.new work else Thread.bound work);
        done
      end)
    val answers = map CML.recv others
    val bound = List.filter (fn (n, _) => n <> 1) answers
  in
    say ("child " ^ Int.toString (ask 10));
    CML.sync (CML.timeOutEvt (Time.fromMilliseconds 1));
    say (if Thread.osThread () = os then "the same" else "another");
    say (if List.exists (fn (_, other) => other = os) bound then "shared" else "its own")
  end

val () = fork (fn () => (life (); OS.Process.exit OS.Process.success))
val () = say ("parent " ^ Int.toString (ask 2))

(* forked by a bound thread; the child's main thread goes on there too, and ends the program *)
val (forked, ready) = (CML.channel () : string CML.chan, CML.channel () : unit CML.chan)
val () = Thread.ready (Thread.bound (fn () =>
  (CML.recv ready;
   fork (fn () => (life (); CML.send (forked, "child")));
   CML.send (forked, "parent"))))
val () = CML.send (ready, ())
val who = CML.recv forked
val () = say (who ^ "'s main thread goes on")
val () = say (Int.toString (ask 20))
val () = OS.Process.exit (if who = "child" then OS.Process.failure else OS.Process.success)
