(* SQLite: typed parameters and rows, text with quotes and a zero byte in it, NULL, blobs, a transaction that is undone and one in
   another, constraints, what is no statement, a database that another connection has locked, and a damaged file. *)
infix & **
open Sqlite
val path = OS.FileSys.tmpName ()
fun test mode =
  let
    val db = openFile (path, {mode = mode, readOnly = false, busy = Time.fromSeconds 1})
    val () = execute db "DROP TABLE IF EXISTS t; CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT NOT NULL, c REAL, d BLOB);"
    val insert = prepare db (int ** text ** nullable real ** blob, none) "INSERT INTO t VALUES (?, ?, ?, ?)"
    val () = transaction db (fn () =>
      List.app (fn i => run insert (i & Int.toString i ^ "'\000x" & (if i mod 2 = 0 then NONE else SOME 1.5)
        & Word8Vector.tabulate (i, Word8.fromInt))) (List.tabulate (5, fn i => i)))
    val all = prepare db (int, int ** text ** nullable real ** blob) "SELECT a, b, c, d FROM t WHERE a >= ? ORDER BY a"
    fun show (a & b & c & d, ()) =
      print (Int.toString a ^ " " ^ String.toString b ^ " " ^ (case c of NONE => "-" | SOME r => Real.toString r)
        ^ " " ^ Int.toString (Word8Vector.length d) ^ "\n")
    val () = fold all show () 2
    val () = (transaction db (fn () => (run insert (9 & "x" & NONE & Word8Vector.fromList []); raise Fail "no"))) handle Fail _ => ()
    val () = (run insert (1 & "x" & NONE & Word8Vector.fromList []) before print "twice\n") handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
    val () =
      transaction db (fn () =>
        (run insert (7 & "x" & NONE & Word8Vector.fromList []);
         transaction db (fn () => (run insert (8 & "x" & NONE & Word8Vector.fromList []); raise Fail "inner")) handle Fail _ => ()))
    val other = openFile (path, {mode = mode, readOnly = false, busy = Time.fromMilliseconds 5})
    val () =
      transaction db (fn () => transaction other (fn () => print "locked by two\n"))
      handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
    val () = close other
    val count = prepare db (none, int) "SELECT count(*) FROM t"
    val () = print (Int.toString (valOf (first count ())) ^ " " ^ Int.toString (changes db) ^ "\n")
    val () = (ignore (prepare db (none, int) "SELEC 1")) handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
    val () = (ignore (prepare db (none, int) "SELECT 1, ?")) handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
  in
    finish insert; finish all; finish count; close db; close db;
    (execute db "SELECT 1") handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
  end
val () = test DIRECT
val () = test POOLED

(* A column that is NULL, and a type that is not nullable; a value that is no statement's any more. *)
val db = inMemory ()
val () = execute db ""
val null = prepare db (nullable text, int) "SELECT ?"
fun said f = ignore (f ()) handle Error {code, message} => print (Int.toString code ^ " " ^ message ^ "\n")
val () = said (fn () => rows null NONE)
val () = print (String.concatWith " " (List.map Int.toString (rows null (SOME "42"))) ^ "\n")
val () = finish null
val () = said (fn () => rows null NONE)
val () = close db

val () =
  let
    val file = TextIO.openOut path
  in
    TextIO.output (file, String.concat (List.tabulate (1000, fn _ => "no database ")));
    TextIO.closeOut file
  end
val () = said (fn () =>
  execute (openFile (path, {mode = POOLED, readOnly = true, busy = Time.zeroTime})) "SELECT * FROM sqlite_master")
val () = said (fn () => openFile ("/no/such/folder/x", {mode = DIRECT, readOnly = false, busy = Time.zeroTime}))
val () = OS.FileSys.remove path

(* Forms of a database, each once; a copy; a limit of its size, behind which what was there is there. *)
val () =
  let
    val _ = List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm", ".copy"]
    fun new file = openFile (file, {mode = DIRECT, readOnly = false, busy = Time.fromSeconds 1})
    val db = new path
    val mode = prepare db (none, text) "PRAGMA journal_mode"
    val () = print (valOf (first mode ()) ^ "\n")
    val () = finish mode
    val forms = ["CREATE TABLE t (a INTEGER)", "ALTER TABLE t ADD COLUMN b TEXT; INSERT INTO t VALUES (1, 'x')"]
    val () = migrate db (List.take (forms, 1))
    val () = migrate db forms
    val () = migrate db forms
    val () = said (fn () => migrate db (forms @ ["CREATE TABLE t (a INTEGER)"]))
    val () = said (fn () => migrate db [])
    val () = backup db (path ^ ".copy")
    val () = said (fn () => backup db (path ^ ".copy"))
    fun count db =
      let
        val s = prepare db (none, int) "SELECT count(*) FROM t"
      in
        print (Int.toString (valOf (first s ())) ^ "\n");
        finish s
      end
    val copy = new (path ^ ".copy")
    val () = count copy
    val () = close copy
    val insert = prepare db (text, none) "INSERT INTO t VALUES (2, ?)"
    val () = execute db "PRAGMA max_page_count = 20"
    val () = transaction db (fn () => run insert "short")
    val long = CharVector.tabulate (3000, fn _ => #"x")
    val () = said (fn () => transaction db (fn () => List.app (fn _ => run insert long) (List.tabulate (100, fn i => i))))
    val () = count db
  in
    finish insert;
    close db;
    List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm", ".copy"]
  end

(* A scope that is cancelled interrupts SQLite; the connection is good for the next statement. *)
val () =
  let
    val db = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 1})
    val endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    val forever = prepare db (none, int) endless
    val one = prepare db (none, int) "SELECT 42"
    fun within f = print (case Scope.within (Time.fromMilliseconds 20) f of NONE => "interrupted\n" | SOME _ => "ended\n")
  in
    within (fn _ => ignore (first forever ()));
    within (fn _ => execute db endless);
    print (Int.toString (Scope.run (fn _ => valOf (first one ()))) ^ "\n");
    List.app finish [forever, one];
    close db;
    List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm"]
  end
