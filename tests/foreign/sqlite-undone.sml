(* A transaction in a scope that is cancelled meanwhile is not done at all: the ROLLBACK was not run, since the scope was
   cancelled, and the database stayed locked. And when an element of a list raises, those before it are done. *)
open Sqlite

val path = OS.FileSys.tmpName ()
fun openIt () = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromMilliseconds 100})
val db = openIt ()
val () = execute db "CREATE TABLE t (a)"
val done =
  Scope.within (Time.fromMilliseconds 100) (fn _ =>
    transaction db (fn () =>
      (execute db "INSERT INTO t VALUES (1)"; OS.Process.sleep (Time.fromSeconds 5))))
val () = print (if isSome done then "done\n" else "cancelled\n")
fun count db = valOf (first (prepare db (none, int) "SELECT count(*) FROM t") ())
val () = print (Int.toString (count db) ^ " rows\n")
val other = openIt ()
val () =
  (execute other "INSERT INTO t VALUES (2)"; print "another connection may write\n")
  handle Error {message, ...} => print ("another connection: " ^ message ^ "\n")
val () = (close other; close db)
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]

val db = inMemory ()
val () = execute db "CREATE TABLE t (a)"
val even = map (fn n => n, fn n => if n mod 2 = 0 then n else raise Fail "odd") int
val () =
  runAll (prepare db (even, none) "INSERT INTO t VALUES (?)") [2, 4, 6, 7, 8]
  handle Fail odd => print (odd ^ "\n")
val () = print (Int.toString (count db) ^ " rows\n")
val () = close db
