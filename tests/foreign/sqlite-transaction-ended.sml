(* Some errors make SQLite end a transaction by itself. What the function did after that was done at once and for good,
   though `transaction` raised Error at the end: a part of the function was done. *)
open Sqlite
fun all db =
  let
    val q = prepare db (none, int) "SELECT i FROM t ORDER BY i"
  in
    String.concatWith " " (List.map Int.toString (rows q ())) before finish q
  end
fun try (what, db, f) =
  (transaction db f
   handle Error {code, message} => print (concat [Int.toString code, ": ", message, "\n"]);
   print (concat [what, ": ", all db, "\n"]);
   execute db "DELETE FROM t")
fun add db i = execute db ("INSERT INTO t VALUES (" ^ Int.toString i ^ ")")
fun conflict db = execute db "INSERT OR ROLLBACK INTO t VALUES (1)"

val db = inMemory ()
val () = execute db "CREATE TABLE t (i INTEGER PRIMARY KEY)"
val () = try ("a conflict", db, fn () => (add db 1; conflict db handle Error _ => (); add db 3))
val () =
  try ("a conflict in a part",
       db,
       fn () =>
         (add db 1; transaction db (fn () => conflict db) handle Error _ => (); add db 3))
val insert = prepare db (int, none) "INSERT INTO t VALUES (?)"
val () =
  try ("a prepared statement",
       db,
       fn () => (add db 1; conflict db handle Error _ => (); run insert 3))
val () =
  try ("nothing wrong", db, fn () => (add db 1; transaction db (fn () => add db 2); run insert 3))
val () = close db

(* A statement that writes is interrupted, when it has written so much that the log grows. *)
val path = OS.FileSys.tmpName ()
val db = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 1})
val () = execute db "CREATE TABLE t (i INTEGER PRIMARY KEY)"
val long =
  "INSERT INTO t WITH RECURSIVE c(x) AS (VALUES(2) UNION ALL SELECT x + 1 FROM c WHERE x < 100000000) SELECT x FROM c"
fun log () = OS.FileSys.fileSize (path ^ "-wal")
val () =
  try ("cancelled",
       db,
       fn () =>
         let
           val () = add db 1
           val before' = log ()
           fun grown () =
             if log () > before' then () else (OS.Process.sleep (Time.fromMilliseconds 2); grown ())
         in
           Scope.run (fn scope =>
             (ignore (Scope.fork scope (fn () => (grown (); Scope.cancel (scope, Fail "enough"))));
              execute db long))
           handle Fail _ => ();
           add db 0
         end)
val () = close db
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
