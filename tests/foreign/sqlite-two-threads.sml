(* Threads that run one statement at the same time: one has its rows, the others raise Error. The check let two of them
   begin, and each had some of the other's rows: it looked whether the statement runs, then another thread came, and
   only behind that it was said to run. *)
open Sqlite
val path = OS.FileSys.tmpName ()
val db = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 20})
val all =
  prepare
    db
    (none, int)
    "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x + 1 FROM c WHERE x < 5000) SELECT x FROM c"
fun count () =
  (if fold all (fn (i, n) => if i = n + 1 then i else ~1) 0 () = 5000 then "all" else "some of the rows")
  handle Error {message, ...} => message
(* Who comes late enough has all rows, too. *)
fun isRight text = text = "all" orelse text = "the statement runs already"
fun trial () =
  Scope.run (fn scope =>
    let
      val answers = List.map CML.sync (List.tabulate (4, fn _ => Scope.fork scope count))
    in
      if List.all isRight answers andalso List.exists (fn text => text = "all") answers then ()
      else print (String.concatWith ", " answers ^ "\n")
    end)
val () = List.app trial (List.tabulate (5, fn _ => ()))
val () = print (count () ^ "\n")
val () = (finish all; close db)
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
