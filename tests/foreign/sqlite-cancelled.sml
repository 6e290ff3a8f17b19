(* A statement is cancelled just before it begins: SQLite forgets an interrupt that comes then, and the statement ran
   to its end, which is many seconds away here. And one that waits for another connection's lock, for which SQLite
   does not look whether it is interrupted. And a transaction whose thread says CML.exit is undone. And a function
   that says CML.exit while it is given rows: the statement ran for ever, and a thread that may interrupt the
   connection stayed. *)
open Sqlite
val path = OS.FileSys.tmpName ()
fun openIt () = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 20})
val (db, other) = (openIt (), openIt ())
val () = execute db "CREATE TABLE t (i INTEGER)"
val count =
  prepare
    db
    (none, int)
    "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 100000000) SELECT count(*) FROM c"
fun isSoon f =
  let
    val start = Time.now ()
  in
    f ();
    Time.< (Time.- (Time.now (), start), Time.fromSeconds 10)
  end
fun within time f = ignore (Scope.within (Time.fromMicroseconds time) (fn _ => ignore (f ())))
val () =
  print
    (if isSoon (fn () =>
          List.app
            (fn i => within (Int.toLarge i) (fn () => first count ()))
            (List.tabulate (100, fn i => i)))
     then "soon\n"
     else "late\n")
val () = execute db "BEGIN IMMEDIATE"
val () =
  print
    (if isSoon (fn () => within 50000 (fn () => execute other "INSERT INTO t VALUES (1)")) then
       "soon\n"
     else "late\n")
val () = execute db "COMMIT"
val () =
  CML.sync (CML.joinEvt (CML.spawn (fn () =>
                           transaction db (fn () =>
                             (execute db "INSERT INTO t VALUES (2)"; CML.exit ())))))
val () = execute other "INSERT INTO t VALUES (3)"
val q = prepare other (none, int) "SELECT i FROM t"
val () = print (String.concatWith " " (List.map Int.toString (rows q ())) ^ "\n")
val () =
  Scope.run (fn scope =>
    let
      val it = Scope.fork scope (fn () => fold q (fn (_, ()) => CML.exit ()) () ())
    in
      CML.sync it handle Scope.Cancelled => print "it has ended\n"
    end)
val () = CML.sync (CML.joinEvt (CML.spawn (fn () => fold q (fn (_, ()) => CML.exit ()) () ())))
val () = print (String.concatWith " " (List.map Int.toString (rows q ())) ^ "\n")
val () = (finish q; close db; close other)
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
