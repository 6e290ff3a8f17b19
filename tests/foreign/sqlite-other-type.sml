(* A value of another type than the column's raises Error: 'abc' was read as 0, and 1e300 as the largest int. *)

infix & **
open Sqlite
fun show (sql, f) =
  TextIO.print (String.concat [sql, ": ", f () handle Error {message, ...} => "Error: " ^ message, "\n"])
val db = inMemory ()
fun get (ty, sql, f) = show (sql, fn () => f (valOf (first (prepare db (none, ty) sql) ())))
val () = get (int, "SELECT 'abc'", Int.toString)
val () = get (int, "SELECT 0.9", Int.toString)
val () = get (int, "SELECT 1e300", Int.toString)
val () = get (int, "SELECT x'414243'", Int.toString)
val () = get (bool, "SELECT 'true'", Bool.toString)
val () = get (bool, "SELECT 7", Bool.toString)
val () = get (real, "SELECT 'abc'", Real.toString)
val () = get (int, "SELECT NULL", Int.toString)   (* this one raises *)
(* A NaN would be NULL, which `real` does not read. *)
val () = execute db "CREATE TABLE t (x REAL)"
fun put x = (run (prepare db (real, none) "INSERT INTO t VALUES (?)") x; "stored")
val () = show ("put a NaN", fn () => put (0.0 / (0.0 : Real.real)))
val () = show ("put inf", fn () => put Real.posInf)
val () = show ("rows", fn () => String.concatWith " " (List.map Real.toString (rows (prepare db (none, real) "SELECT x FROM t") ())))
