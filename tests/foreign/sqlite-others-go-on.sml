(* A query that ran out of its time limit ended other statements of its connection, which nobody had cancelled: a
   `fold` around it, and each query as long as a blob was open; a fold in a transaction undid the transaction. And what
   cleans up in the function of a fold that is cancelled was interrupted with the fold. *)
open Sqlite
val path = OS.FileSys.tmpName ()
val db = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 20})
fun upTo n =
  "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < " ^ Int.toString n
  ^ ") SELECT x FROM c"
val () =
  execute db "CREATE TABLE t (i INTEGER); CREATE TABLE b (b BLOB); INSERT INTO b VALUES (x'010203')"
val all = prepare db (none, int) (upTo 3000)
val long = prepare db (none, int) ("SELECT count(*) FROM (" ^ upTo 1000000000 ^ ")")
val insert = prepare db (int, none) "INSERT INTO t VALUES (?)"
val size = prepare db (none, int) "SELECT count(*) FROM t"
fun count () = Int.toString (valOf (first size ()))
fun limited f = if isSome (Scope.within (Time.fromMilliseconds 20) (fn _ => f ())) then "done" else "limited"
fun query () = limited (fn () => first long ())
fun say (what, f) =
  print (concat [what, ": ", f () handle Error {message, ...} => "Error: " ^ message, "\n"])

fun folded statement f =
  Int.toString (fold statement (fn (i, n) => (if i = 1 then print (f () ^ ", ") else (); n + 1)) 0 ())
val () = say ("a fold", fn () => folded all query)
val () = say ("a query behind it", fn () => folded all (fn () => (ignore (query ()); count ())))
val inner = prepare db (none, int) (upTo 2000)
val () = say ("a fold in a fold", fn () => folded all (fn () => folded inner query))
val () =
  say ("a limited fold in a fold",
       fn () => folded all (fn () => limited (fn () => folded inner (fn () => (ignore (first long ()); "?")))))

val BinPrimIO.RD {readVec, close = closeReader, ...} =
  readBlob db {table = "b", column = "b", row = 1}
val () =
  say ("an open blob",
       fn () =>
         String.concatWith ", " [query (), count (), Int.toString (Word8Vector.length (valOf readVec 9))])
val () = closeReader ()

val () =
  say ("a transaction",
       fn () => transaction db (fn () => (run insert 1; folded all (fn () => (run insert 2; query ())))))
val () = say ("its rows", count)

(* The scope is cancelled in the function of a fold, which cleans up then. *)
val endless = prepare db (none, int) (upTo 1000000000)
fun cancelled f =
  (Scope.run (fn scope =>
     let
       fun wait () = (Scope.cancel (scope, Fail "enough"); OS.Process.sleep (Time.fromSeconds 60))
     in
       fold endless (fn (_, ()) => f wait) () ()
     end);
   "done")
  handle Fail why => why
fun cleanUp () = (run insert 3; ignore (rows inner ()))
val () = say ("cleaning up", fn () => cancelled (fn wait => Scope.finally (wait, cleanUp)))
val () = say ("its row", count)
val () = say ("undone", fn () => cancelled (fn wait => transaction db (fn () => (run insert 4; wait ()))))
val () = say ("no row", count)
val () = run insert 5
val () = say ("a row", count)
val () = close db
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
