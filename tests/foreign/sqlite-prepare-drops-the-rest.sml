(* A text of several statements, or with a zero byte, is refused; all but the first part was dropped. *)
open Sqlite
val db = inMemory ()
fun try f = f () handle Error {message, ...} => print (message ^ "\n")
fun count () =
  print (Int.toString (valOf (first (prepare db (none, int) "SELECT count(*) FROM t") ())) ^ "\n")
val () = execute db "CREATE TABLE t (a)"
val () = try (fn () => run (prepare db (none, none) "INSERT INTO t VALUES (1); INSERT INTO t VALUES (2)") ())
val () = count ()
val () = try (fn () => execute db "INSERT INTO t VALUES (3);\000INSERT INTO t VALUES (4)")
val () = count ()
