(* A connection that the program had lost kept its descriptors and its lock for ever: the scope was cancelled between
   `openFile` and `prepare`, and nobody had the connection. It lives as long as a statement or a blob of it, and is
   ended by the collector then. *)
open Sqlite
val path = OS.FileSys.tmpName ()
fun opened busy = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromMilliseconds busy})
val db = opened 20000
val () = execute db "CREATE TABLE t (i INTEGER); CREATE TABLE b (b BLOB); INSERT INTO b VALUES (x'010203')"
val insert = prepare db (int, none) "INSERT INTO t VALUES (?)"
val impatient = opened 0
val insertNow = prepare impatient (int, none) "INSERT INTO t VALUES (?)"
fun free () = (run insertNow 1; "free") handle Error _ => "locked"
fun say (what, text) = print (concat [what, ": ", text, "\n"])
fun collected () = (MLton.GC.collect (); free ())

(* It has the lock for writing. *)
fun locks () = let val db = opened 0 in execute db "BEGIN IMMEDIATE"; db end
val kept = ref (SOME (prepare (locks ()) (none, int) "SELECT i FROM t"))
val () = say ("a statement", collected ())
val () = Option.app (fn q => ignore (rows q ())) (!kept)
val () = kept := NONE
val () = say ("lost", collected ())

fun writer () = writeBlob (opened 0) {table = "b", column = "b", row = 1}
val blob = ref (SOME (writer ()))
val () = say ("a blob", collected ())
val () =
  Option.app
    (fn BinPrimIO.WR {setPos, ...} => Option.app (fn set => set 1) setPos)
    (!blob)
val () = blob := NONE
val () = say ("lost", collected ())

(* Its blobs end with a connection that is closed. *)
val () =
  let
    val db = opened 0
    val BinPrimIO.WR {close = over, ...} = writeBlob db {table = "b", column = "b", row = 1}
  in
    close db;
    say ("closed", free ());
    over ()
  end

(* Without a call of the collector, there are never many. *)
fun descriptors () =
  let
    val folder = OS.FileSys.openDir "/proc/self/fd"
    fun count n = if isSome (OS.FileSys.readDir folder) then count (n + 1) else n
  in
    count 0 before OS.FileSys.closeDir folder
  end
  handle OS.SysErr _ => 0
val before' = descriptors ()
val settings =
  {size = 2,
   make = fn () => let val db = opened 20000 in (db, prepare db (none, int) "SELECT 1") end,
   close = fn (db, _) => close db,
   check = fn _ => false,
   idle = Time.fromMilliseconds 1}
fun limit i = Time.fromMicroseconds (Int.toLarge (i mod 10 * 20))
val () =
  Pool.run settings (fn pool =>
    List.app
      (fn i => ignore (Scope.within (limit i) (fn _ => Pool.use pool (fn (_, q) => rows q ()))))
      (List.tabulate (100, fn i => i)))
val () = List.app (fn _ => ignore (opened 20000)) (List.tabulate (100, fn i => i))
val () = say ("descriptors", if descriptors () - before' < 150 then "few" else "many")
val () = (close impatient; close db)
val () =
  List.app (fn s => OS.FileSys.remove (path ^ s) handle OS.SysErr _ => ()) ["", "-wal", "-shm"]
