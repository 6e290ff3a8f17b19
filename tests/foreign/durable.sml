(* `write FILE`: transactions of two rows each, for ever; the number of each is printed when it is committed.
   `check FILE N`: whether all up to N are there, and none by half. *)
infix & **
open Sqlite
fun new path = openFile (path, {mode = DIRECT, readOnly = false, busy = Time.fromSeconds 5})

fun write path =
  let
    val db = new path
    val () = migrate db ["CREATE TABLE t (a INTEGER PRIMARY KEY)"]
    val last = prepare db (none, nullable int) "SELECT max(a) FROM t"
    val insert = prepare db (int, none) "INSERT INTO t VALUES (?)"
    fun loop i =
      (transaction db (fn () => (run insert i; run insert (~i)));
       print (Int.toString i ^ "\n");
       loop (i + 1))
  in
    loop (getOpt (valOf (first last ()), 0) + 1)
  end

fun check (path, n) =
  let
    val db = new path
    val counts = prepare db (none, int ** int ** int) "SELECT count(*), coalesce(max(a), 0), coalesce(-min(a), 0) FROM t"
    val count & most & least = valOf (first counts ())
    val whole = prepare db (none, text) "PRAGMA integrity_check"
  in
    if most >= n andalso most = least andalso count = 2 * most then print (valOf (first whole ()) ^ "\n")
    else print (String.concatWith " " (List.map Int.toString [n, count, most, least]) ^ "\n")
  end

val () =
  case CommandLine.arguments () of
    ["write", path] => write path
  | ["check", path, n] => check (path, valOf (Int.fromString n))
  | _ => print "write or check?\n"
