(* sqlite DIRECT|POOLED PATH N: inserts in a transaction, point queries, and a scan of all rows. *)
infix & **
open Sqlite
val [how, path, count] = CommandLine.arguments ()
val pooled = how = "POOLED"
val n = valOf (Int.fromString count)
fun timed (name, count, f) =
  let
    val start = Time.now ()
    val result = f ()
    val took = Time.toNanoseconds (Time.- (Time.now (), start))
  in
    print (name ^ " " ^ LargeInt.toString (took div LargeInt.fromInt count) ^ "\n");
    result
  end
fun gone () = List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm"]
val () = gone ()
val db = openFile (path, {mode = if pooled then POOLED else DIRECT, readOnly = false, busy = Time.fromSeconds 5})
val () = execute db "PRAGMA synchronous = OFF; CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT NOT NULL, value REAL)"
val insert = prepare db (int ** text ** real, none) "INSERT INTO t VALUES (?, ?, ?)"
fun row i = i & "name " ^ Int.toString i & Real.fromInt i * 0.5
val () =
  timed ("insert", n, fn () =>
    transaction db (fn () =>
      if pooled then runAll insert (List.tabulate (n, row))
      else let fun from i = if i = n then () else (run insert (row i); from (i + 1)) in from 0 end))
val query = prepare db (int, text ** real) "SELECT name, value FROM t WHERE id = ?"
val queries = n div (if pooled then 100 else 5)
val total =
  timed ("query", queries, fn () =>
    let
      fun from (i, at, sum) =
        if i = queries then sum
        else
          case first query at of
            SOME (name & value) => from (i + 1, (at + 7919) mod n, sum + value + Real.fromInt (size name))
          | NONE => raise Fail "a row is missing"
    in
      from (0, 0, 0.0)
    end)
val scan = prepare db (none, int ** text ** real) "SELECT id, name, value FROM t"
val (ids, sizes, sum) =
  timed ("scan", n, fn () =>
    fold scan (fn (id & name & value, (ids, sizes, sum)) => (ids + id, sizes + size name, sum + value)) (0, 0, 0.0) ())
val () = if ids = n * (n - 1) div 2 andalso total > 0.0 andalso sizes > 0 andalso sum > 0.0 then () else raise Fail "the sums"
val () = (List.app (fn f => f ()) [fn () => finish insert, fn () => finish query, fn () => finish scan]; close db; gone ())
