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
val null = prepare db (nullable text, int) "SELECT CAST(? AS INTEGER)"
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

(* `prepare` and `execute` read the schema, which another connection has locked: all other threads stood still
   meanwhile, that one's too, and a scope that was cancelled waited; likewise a blob that is opened, and one that is
   closed, whose bytes are committed then. *)
val () =
  let
    fun openIt (readOnly, seconds) =
      openFile (path, {mode = POOLED, readOnly = readOnly, busy = Time.fromSeconds seconds})
    val db = openIt (false, 60)
    val () =
      execute
        db
        "PRAGMA journal_mode = DELETE; CREATE TABLE t (a BLOB); INSERT INTO t VALUES ('text')"
    val () = execute db "BEGIN EXCLUSIVE"
    val place = {table = "t", column = "a", row = 1}
    fun new () = openIt (true, 60)
    fun isSoon f =
      let
        val start = Time.now ()
      in
        print
          (case Scope.within (Time.fromMilliseconds 50) f of
             NONE =>
               if Time.< (Time.- (Time.now (), start), Time.fromSeconds 30) then "soon\n" else "late\n"
           | SOME () => "ended\n")
        handle Error {message, ...} => print (message ^ "\n")
      end
    val select = "SELECT count(*) FROM t"
    fun later (db, sql) =
      ignore (CML.spawn (fn () =>
                (OS.Process.sleep (Time.fromMilliseconds 50); execute db sql)))
    val () = isSoon (fn _ => ignore (prepare (new ()) (none, int) select))
    val () = isSoon (fn _ => execute (new ()) select)
    val () = isSoon (fn _ => ignore (readBlob (new ()) place))
    val () = later (db, "COMMIT")
    val count = prepare (new ()) (none, int) select
    val () = print (Int.toString (valOf (first count ())) ^ "\n")
    val reader = new ()
    val () = execute reader "BEGIN; SELECT * FROM t"
    val BinPrimIO.WR {writeVec, close = over, ...} = writeBlob db place
    val _ = valOf writeVec (Word8VectorSlice.full (Byte.stringToBytes "TEXT"))
    val () = later (reader, "COMMIT")
    val () = over ()
    val () = print (valOf (first (prepare db (none, text) "SELECT a FROM t") ()) ^ "\n")
  in
    close db;
    OS.FileSys.remove path
  end

(* Many rows, which come in batches; a row that is larger than a batch; an error behind some rows; a function that ends early,
   runs other statements, or raises. Many parameters in one call, and an error among them. *)
fun many mode =
  let
    fun gone () = List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm"]
    val db = openFile (path, {mode = mode, readOnly = false, busy = Time.fromSeconds 1})
    val () = execute db "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT, c REAL)"
    val insert = prepare db (int ** nullable text ** real, none) "INSERT INTO t VALUES (?, ?, ?)"
    fun row i = i & (if i mod 3 = 0 then NONE else SOME (CharVector.tabulate (i mod 40, fn _ => #"x"))) & Real.fromInt i / 2.0
    val () = transaction db (fn () => runAll insert (List.tabulate (3000, row)))
    val all = prepare db (int, int ** nullable text ** real) "SELECT * FROM t WHERE a < ? ORDER BY a"
    fun add (i & b & c, (n, size, sum)) = (n + i, size + (case b of NONE => 0 | SOME s => String.size s), sum + c)
    val (n, length, sum) = fold all add (0, 0, 0.0) 5000
    val () = print (String.concatWith " " [Int.toString n, Int.toString length, Real.toString sum] ^ "\n")
    val () = said (fn () => runAll insert (List.map row [4000, 4001, 7, 4002]))
    val count = prepare db (none, int) "SELECT count(*) FROM t"
    fun counted () = print (Int.toString (valOf (first count ())) ^ "\n")
    val () = counted ()
    val () = runAll insert []
    val () = run insert (5000 & SOME (CharVector.tabulate (300000, fn _ => #"y")) & 0.0)
    val long = prepare db (none, text ** int) "SELECT b, a FROM t WHERE b IS NOT NULL AND a >= 4001 ORDER BY a"
    val () = print (String.concatWith " " (List.map (fn s & i => Int.toString i ^ " " ^ Int.toString (size s)) (rows long ())) ^ "\n")
    val bad = prepare db (none, int) "SELECT CASE WHEN a = 2500 THEN abs(-9223372036854775807 - 1) ELSE a END FROM t"
    val seen = ref 0
    val () = said (fn () => fold bad (fn (_, ()) => seen := !seen + 1) () ())
    val () = print (Int.toString (!seen) ^ "\n")
    val () = print (Int.toString (fold all (fn (a & _ & _, n) => (if a = 100 then counted () else (); n + 1)) 0 200) ^ "\n")
    val () = (fold all (fn (a & _ & _, ()) => if a = 1000 then raise Fail "in the middle" else ()) () 3000) handle Fail s => print (s ^ "\n")
    val () = print (Int.toString (List.length (rows all 10)) ^ "\n")
    (* What runs cannot be ended; what is left ends with its connection. *)
    val () = said (fn () => fold all (fn (_, ()) => finish all) () 1)
    val () = said (fn () => fold all (fn (_, ()) => close db) () 1)
    val () = said (fn () => fold all (fn (_, ()) => ignore (rows all 1)) () 1)
  in
    finish count;
    close db;
    finish all;
    finish all;
    said (fn () => rows all 1);
    gone ()
  end
val () = many DIRECT
val () = many POOLED

(* Blobs in pieces. *)
fun pieces mode =
  let
    val db = openFile (path, {mode = mode, readOnly = false, busy = Time.fromSeconds 1})
    val () = execute db "CREATE TABLE t (a INTEGER PRIMARY KEY, b BLOB); INSERT INTO t VALUES (7, zeroblob(100000))"
    val place = {table = "t", column = "b", row = 7}
    fun stream () = BinIO.mkInstream (BinIO.StreamIO.mkInstream (readBlob db place, Word8Vector.fromList []))
    val out = BinIO.mkOutstream (BinIO.StreamIO.mkOutstream (writeBlob db place, IO.BLOCK_BUF))
    val bytes = Word8Vector.tabulate (100000, fn i => Word8.fromInt (i mod 251))
    val () = BinIO.output (out, bytes)
    val () = BinIO.closeOut out
    val file = stream ()
    val all = BinIO.inputAll file
    val () = BinIO.closeIn file
    val () = print (Bool.toString (all = bytes) ^ "\n")
    val BinPrimIO.RD {readVec, setPos, getPos, endPos, close = over, ...} = readBlob db place
    val () = valOf setPos 99990
    val piece = valOf readVec 50
    val () = print (String.concatWith " " [Int.toString (Word8Vector.length piece), Word8.toString (Word8Vector.sub (piece, 0)),
      Position.toString (valOf getPos ()), Position.toString (valOf endPos ()), Int.toString (Word8Vector.length (valOf readVec 5))] ^ "\n")
    val () = execute db "UPDATE t SET a = 7, b = b || 'x'"
    val () = valOf setPos 0
    val () = said (fn () => valOf readVec 10)
    val () = (over (); over ())
    val () = said (fn () => valOf readVec 10)
    val BinPrimIO.WR {writeVec, setPos, close = over, ...} = writeBlob db place
    val () = valOf setPos 100001
    val () = said (fn () => valOf writeVec (Word8VectorSlice.full (Word8Vector.fromList [0w1])))
    val () = over ()
    val () = said (fn () => readBlob db {table = "t", column = "b", row = 8})
  in
    close db;
    List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm"]
  end
val () = pieces DIRECT
val () = pieces POOLED

(* A connection was closed while another thread had `execute` run in it: the first of its statements is over. *)
val () =
  let
    fun openIt () = openFile (path, {mode = POOLED, readOnly = false, busy = Time.fromSeconds 60})
    val (db, other) = (openIt (), openIt ())
    val () = execute db "CREATE TABLE t (a INTEGER)"
    val count = prepare other (none, int) "SELECT count(*) FROM t"
    val endless = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c"
    val over = SyncVar.iVar ()
    val _ =
      CML.spawn (fn () =>
        (said (fn () => execute db ("INSERT INTO t VALUES (1); " ^ endless)); SyncVar.iPut (over, ())))
    fun pause () = OS.Process.sleep (Time.fromMilliseconds 2)
    fun begun () = if first count () = SOME 1 then () else (pause (); begun ())
    val () = begun ()
    val () = said (fn () => close db)
    (* An interrupt between the two statements is forgotten. *)
    fun stop () = case SyncVar.iGetPoll over of SOME () => () | NONE => (interrupt db; pause (); stop ())
  in
    stop ();
    close db;
    close other;
    List.app (fn s => OS.FileSys.remove (path ^ s) handle _ => ()) ["", "-wal", "-shm"]
  end

(* A prepared `select *` went on with other columns when its table had changed: the one that was dropped was read as
   NULL. *)
val () =
  let
    val db = inMemory ()
    val () = execute db "CREATE TABLE t (a, b, c); INSERT INTO t VALUES (1, 2, 3)"
    val all = prepare db (none, nullable int ** nullable int ** nullable int) "SELECT * FROM t"
    fun show NONE = "NULL"
      | show (SOME n) = Int.toString n
    fun shown () =
      said (fn () =>
        List.app (fn a & b & c => print (String.concatWith " " (List.map show [a, b, c]) ^ "\n")) (rows all ()))
  in
    shown ();
    execute db "ALTER TABLE t ADD COLUMN d";
    shown ();
    execute db "ALTER TABLE t DROP COLUMN d";
    shown ();
    execute db "ALTER TABLE t DROP COLUMN b";
    shown ();
    execute db "DELETE FROM t";
    shown ();
    execute db "ALTER TABLE t ADD COLUMN b; INSERT INTO t VALUES (1, 3, 2)";
    shown ();
    close db
  end

(* A version below 0 raised Subscript; a name with a zero byte was cut off there; a transaction that the function has
   ended itself was said to be undone, and a blob could be written behind it, for good; the text was lost of an
   exception that is only caught as such. *)
val () =
  let
    val db = inMemory ()
    val () = execute db "PRAGMA user_version = -3; CREATE TABLE t (a); INSERT INTO t VALUES ('text')"
  in
    said (fn () => migrate db ["CREATE TABLE u (a)"]);
    said (fn () => readBlob db {table = "t\000junk", column = "a", row = 1});
    said (fn () => readBlob db {table = "t", column = "a\000junk", row = 1});
    said (fn () => transaction db (fn () => execute db "INSERT INTO t VALUES ('more'); COMMIT"));
    said (fn () => transaction db (fn () => (execute db "COMMIT"; execute db "BEGIN")));
    said (fn () => transaction db (fn () => (execute db "ROLLBACK"; ignore (writeBlob db {table = "t", column = "a", row = 1}))));
    print (exnMessage (Error {code = 5, message = "database is locked"}) ^ "\n");
    close db
  end
