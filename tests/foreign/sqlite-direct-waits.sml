(* DIRECT connections in several threads. Who found a lock waited in C, so on the worker, and the thread that had the
   lock could not go on there: after `busy` the one had Error, and both had stood still until then. Now the thread
   waits. What it had begun is not done twice; its wait ends when its scope is cancelled or the connection is
   interrupted, or when the time is over; and where a wait could not help there is none. *)
open Sqlite
infix & **
val path = OS.FileSys.tmpName ()
fun connect ms =
  openFile (path, {mode = DIRECT, readOnly = false, busy = Time.fromMilliseconds ms})
fun say (what, f) =
  (print (what ^ ": ");
   print
     ((f (); "done\n") handle Error {code, message} => Int.toString code ^ ", " ^ message ^ "\n"))
fun sleep ms = OS.Process.sleep (Time.fromMilliseconds ms)

val (a, b) = (connect 20000, connect 20000)
val () = execute a "CREATE TABLE t (n INTEGER)"
val add = prepare b (int, none) "INSERT INTO t VALUES (?)"
(* a thread that has the lock, and needs some time to give it back *)
fun holding (db, sql) f =
  Scope.run (fn scope =>
    (execute db sql;
     ignore (Scope.fork scope (fn () => (sleep 30; execute db "COMMIT")));
     f ()))

val () = holding (a, "BEGIN IMMEDIATE") (fn () => say ("an insert", fn () => run add 1))
val () =
  holding (a, "BEGIN IMMEDIATE") (fn () =>
    say ("a transaction", fn () => transaction b (fn () => run add 2)))
val first' = prepare b (int, int) "INSERT INTO t VALUES (?) RETURNING n"
val () =
  holding (a, "BEGIN IMMEDIATE") (fn () =>
    say ("with a result", fn () => print (Int.toString (valOf (first first' 3)) ^ ", ")))

(* Many runs in one call of C, which meets the lock in the middle: those before it are committed. *)
val many = prepare b (text ** nullable int ** int, none) "INSERT INTO t SELECT ?3 WHERE length(?1) < 5"
val sum = prepare a (none, int) "SELECT sum(n) FROM t"
val () =
  Scope.run (fn scope =>
    let
      val isOver = ref false
      fun others () =
        if !isOver then ()
        else
          (transaction a (fn () => (execute a "UPDATE t SET n = n WHERE n = 0"; sleep 2));
           sleep 1;
           others ())
      val rival = Scope.fork scope others
      fun params i =
        CharVector.tabulate (i mod 7, fn _ => #"x") & (if i mod 2 = 0 then NONE else SOME i) & i
    in
      sleep 1;
      say ("many", fn () => runAll many (List.tabulate (100, params)));
      isOver := true;
      CML.sync rival
    end)
val right =
  List.foldl
    (fn (i, n) => if i mod 7 < 5 then n + i else n)
    (1 + 2 + 3)
    (List.tabulate (100, fn i => i))
val () = print (if first sum () = SOME right then "each once\n" else "not each once\n")

(* The wait ends. *)
val c = connect 50
val () = execute a "BEGIN IMMEDIATE"
val () = say ("too long", fn () => execute c "DELETE FROM t")
val () =
  print
    (if isSome (Scope.within (Time.fromMilliseconds 20) (fn _ => execute b "DELETE FROM t")) then
       "not cancelled\n"
     else "cancelled\n")
(* An interrupt that comes before the statement is forgotten. *)
val () =
  Scope.run (fn scope =>
    let
      val isOver = ref false
      fun stop () = if !isOver then () else (sleep 2; interrupt b; stop ())
    in
      ignore (Scope.fork scope stop);
      say ("interrupted", fn () => execute b "DELETE FROM t");
      isOver := true
    end)
val () = execute a "COMMIT"

(* Both have read, and want to write: the second one is told at once, and so is the first when the other has written. *)
val () = (execute a "BEGIN"; execute b "BEGIN")
val readA = prepare a (none, int) "SELECT count(*) FROM t"
val readB = prepare b (none, int) "SELECT count(*) FROM t"
val _ = (first readA (), first readB ())
val () = execute a "INSERT INTO t VALUES (4)"
val start = Time.now ()
val () = say ("both", fn () => run add 5)
val () = execute a "COMMIT"
val () = say ("too late", fn () => run add 5)
val () =
  print
    (if Time.< (Time.- (Time.now (), start), Time.fromSeconds 10) then "at once\n" else "late\n")
val () = execute b "ROLLBACK"

(* A file without a log, where a reader is in the way of the commit: all of the statement is done again. *)
val () = (close b; close c; execute a "PRAGMA journal_mode = DELETE")
val reader =
  openFile (path, {mode = DIRECT, readOnly = true, busy = Time.fromSeconds 20})
val () = execute a "DELETE FROM t"
val add = prepare a (int, int) "INSERT INTO t VALUES (?) RETURNING n"
val look = prepare reader (none, int) "SELECT count(*) FROM t"
fun reads f =
  Scope.run (fn scope =>
    (execute reader "BEGIN";
     ignore (first look ());
     ignore (Scope.fork scope (fn () => (sleep 30; execute reader "COMMIT")));
     f ()))
val () = reads (fn () => say ("a commit", fn () => transaction a (fn () => ignore (first add 1))))
val () = reads (fn () => say ("a commit of itself", fn () => ignore (rows add 2)))
val () =
  holding (a, "BEGIN EXCLUSIVE") (fn () =>
    say ("a prepare", fn () => finish (prepare reader (none, int) "SELECT n FROM t")))
val () = print (Int.toString (valOf (first look ())) ^ "\n")
val () = (close a; close reader)
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
