(* Sqlite: databases in a file, by the system's SQLite.

   A statement is a value that knows the types of its parameters and of its rows; so what a program puts into one is
   never part of its text. *)

signature SQLITE =
sig
  exception Error of {code : int, message : string}
  (* What SQLite answers: its extended result code, and its text. Code 5 (with what is added above 255) is a database
     that another connection has locked, 19 a constraint that does not hold. Code 21 is also a use that this structure
     refuses: of a connection that is closed, of a statement with other parameters or columns than its types say. *)

  (* -- connections *)

  type db
  (* A connection. One thread at a time uses it; threads that work beside each other have a connection each. *)

  datatype mode = DIRECT | POOLED
  (* POOLED: what may wait for the disk or a lock runs beside the other threads, see `blocking` in the reference of
     foreign functions; and when the scope of the thread is cancelled, SQLite is interrupted. DIRECT: they wait. That is
     faster for databases that are small, or in memory. *)

  val openFile : string * {mode : mode, readOnly : bool, busy : Time.time} -> db
  (* Opens a file, which is made if it is not there and may be written. `busy` is how long to wait for a lock that
     another connection has. A file that may be written has a log beside it from then on (WAL): who reads does not wait
     for who writes. *)
  val inMemory : unit -> db
  (* A database that is gone when it is closed; DIRECT. *)
  val close : db -> unit
  (* Ends the connection and all of its statements; nothing more can be asked of them. Raises Error while one of them
     runs. Closing it again does nothing. *)
  val interrupt : db -> unit
  (* Another thread calls this: the statement that runs ends with Error, code 9. *)

  (* -- types of parameters and columns *)

  type 'a ty
  datatype ('a, 'b) product = & of 'a * 'b

  val none : unit ty
  (* No parameters, or no columns. *)
  val int : int ty
  (* A whole number of 64 bits. In SQLite a column may hold values of any type: where one is read that is no whole
     number, Error is raised, and nothing is converted. Likewise of the next two. *)
  val real : real ty
  (* A number with a point; a whole one is converted. A NaN, for which SQLite has NULL alone, raises Error, code 20. *)
  val bool : bool ty
  (* 0 and 1 *)
  val text : string ty
  (* UTF-8. A zero byte may stand in it. A number is read as its text. *)
  val blob : Word8Vector.vector ty
  (* Bytes as they are, or those of a text. *)
  val nullable : 'a ty -> 'a option ty
  (* NULL is NONE; elsewhere NULL raises Error. *)
  val ** : 'a ty * 'b ty -> ('a, 'b) product ty
  (* One behind the other: with `infix & **`, `1 & "one" & NONE` is a value of `int ** text ** nullable real`. *)
  val map : ('a -> 'b) * ('b -> 'a) -> 'a ty -> 'b ty
  (* Another type for the same columns: what is read goes by the first function, what is written by the second. *)

  (* -- statements *)

  type ('p, 'r) statement

  val prepare : db -> 'p ty * 'r ty -> string -> ('p, 'r) statement
  (* A statement of the types of its parameters and rows; it may be run any number of times. The text has one statement:
     several of them, or a zero byte, raise Error, code 21. *)
  val finish : ('p, 'r) statement -> unit
  (* Gives its memory back. Raises Error while it runs. *)
  val fold : ('p, 'r) statement -> ('r * 'a -> 'a) -> 'a -> 'p -> 'a
  (* From the first row to the last. SQLite computes some rows ahead, at most 64 KiB of them: so the function may see a
     row as it was before what it has changed itself. It must not run the same statement. *)
  val rows : ('p, 'r) statement -> 'p -> 'r list
  (* All rows, in order. *)
  val first : ('p, 'r) statement -> 'p -> 'r option
  (* The first row, if there is one; others are not computed. *)
  val run : ('p, unit) statement -> 'p -> unit
  (* For a statement without rows. *)
  val runAll : ('p, unit) statement -> 'p list -> unit
  (* The same for each element of a list, in order, until one raises Error; those before it are done. Faster than `run`
     for each: many of them are one call of C. *)
  val execute : db -> string -> unit
  (* Runs the statements of a text, which have no parameters; rows are dropped. *)

  val changes : db -> int
  (* How many rows the last INSERT, UPDATE or DELETE has changed. *)
  val lastRow : db -> int
  (* The number of the row that was inserted last. *)

  val transaction : db -> (unit -> 'a) -> 'a
  (* What the function does is done wholly, or, when it raises an exception, not at all. The lock for writing is taken
     at the beginning. In another transaction it is a part that is undone alone. Some errors make SQLite undo the
     outermost transaction at once: a statement that writes and is interrupted, a disk that is full. Then the function
     can do no more in it: each further statement raises Error, code 4. *)
  val migrate : db -> string list -> unit
  (* Brings a database to the newest form: runs those of the texts that it has not seen yet, each in a transaction. How
     many it has seen is kept in it (`PRAGMA user_version`); so texts are only added at the end. A database that has seen
     more than there are is of a newer program, and raises Error, code 20. *)
  val backup : db -> string -> unit
  (* A copy of the database as it is now, in a new file, while others go on to use it. *)

  (* -- blobs in pieces *)

  val readBlob : db -> {table : string, column : string, row : int} -> BinPrimIO.reader
  (* Reads the blob (or text) of a row, whose number is its rowid, without all of it in memory. When the row is changed
     meanwhile, reading raises Error, code 4. *)
  val writeBlob : db -> {table : string, column : string, row : int} -> BinPrimIO.writer
  (* Writes over the bytes of a blob, from its first one on. Its length stays as it is: a row that is inserted with
     `zeroblob(n)` has room for n bytes. Writing behind the last byte raises Error, code 18. *)
end

structure Sqlite :> SQLITE =
struct
  structure P = MLton.Pointer

  exception Error of {code : int, message : string}

  datatype mode = DIRECT | POOLED

  (* -- functions of C *)

  val toString = _import "memcpy" leaf : string * P.t * Word64.word -> P.t;
  val toVector = _import "memcpy" leaf : Word8Vector.vector * P.t * Word64.word -> P.t;
  val ofString = _import "memcpy" leaf : P.t * string * Word64.word -> P.t;
  val ofVector = _import "memcpy" leaf : P.t * Word8Vector.vector * Word64.word -> P.t;
  val length = _import "strlen" leaf : P.t -> Word64.word;

  val openV2 = _import "sqlite3_open_v2" : string * P.t ref * int * P.t -> int;
  val openPooled = _import "sqlite3_open_v2" blocking : string * P.t ref * int * P.t -> int;
  val closeV2 = _import "sqlite3_close_v2" : P.t -> int;
  val closePooled = _import "sqlite3_close_v2" blocking : P.t -> int;
  val interruptC = _import "sqlite3_interrupt" : P.t -> unit;
  val timeoutC = _import "sqlite3_busy_timeout" : P.t * int -> int;
  val busyHandler = _import "sqlite3_busy_handler" : P.t * P.t * P.t -> int;
  val extended = _import "sqlite3_extended_result_codes" : P.t * int -> int;
  val message = _import "sqlite3_errmsg" : P.t -> P.t;
  val codeText = _import "sqlite3_errstr" : int -> P.t;
  val changesC = _import "sqlite3_changes" : P.t -> int;
  val lastRowC = _import "sqlite3_last_insert_rowid" : P.t -> Int64.int;
  val isOutside = _import "sqlite3_get_autocommit" : P.t -> bool;

  val prepareAt = _import "sqlite3_prepare_v2" : P.t * P.t * int * P.t ref * P.t ref -> int;
  val finalize = _import "sqlite3_finalize" : P.t -> int;
  val reset = _import "sqlite3_reset" : P.t -> int;
  val step = _import "sqlite3_step" : P.t -> int;
  val stepPooled = _import "sqlite3_step" blocking : P.t -> int;
  val parameters = _import "sqlite3_bind_parameter_count" : P.t -> int;
  val columns = _import "sqlite3_column_count" : P.t -> int;

  val rowsC = _import "leat_rows" : P.t -> Word64.word;
  val rowsPooled = _import "leat_rows" blocking : P.t -> Word64.word;
  val runC = _import "leat_rows_run" : P.t -> Word64.word;
  val runPooled = _import "leat_rows_run" blocking : P.t -> Word64.word;

  val blobOpen =
    _import "sqlite3_blob_open" : P.t * string * string * string * Int64.int * int * P.t ref -> int;
  val blobOpenPooled =
    _import "sqlite3_blob_open" blocking :
      P.t * string * string * string * Int64.int * int * P.t ref -> int;
  val blobSize = _import "sqlite3_blob_bytes" : P.t -> int;
  val blobRead = _import "sqlite3_blob_read" : P.t * P.t * int * int -> int;
  val blobReadPooled = _import "sqlite3_blob_read" blocking : P.t * P.t * int * int -> int;
  val blobWrite = _import "sqlite3_blob_write" : P.t * P.t * int * int -> int;
  val blobWritePooled = _import "sqlite3_blob_write" blocking : P.t * P.t * int * int -> int;
  val blobClose = _import "sqlite3_blob_close" : P.t -> int;

  val calloc = _import "calloc" leaf : Word64.word * Word64.word -> P.t;
  val realloc = _import "realloc" leaf : P.t * Word64.word -> P.t;
  val free = _import "free" leaf : P.t -> unit;

  val (ok, aborted, noMemory, tooBig, mismatch, misuse, row, done) =
    (0, 4, 7, 18, 20, 21, 100, 101)

  fun chars (at, count) =
    let
      val s = Unsafe.CharVector.create count
    in
      if count > 0 then ignore (toString (s, at, Word64.fromInt count)) else ();
      s
    end

  fun bytes (at, count) =
    let
      val v = Unsafe.Word8Vector.create count
    in
      if count > 0 then ignore (toVector (v, at, Word64.fromInt count)) else ();
      v
    end

  fun cText at = if at = P.null then "" else chars (at, Word64.toInt (length at))

  fun refuse (code, message) = raise Error {code = code, message = message}

  fun there p = if p = P.null then refuse (noMemory, "there is no memory") else p
  fun memory words = there (calloc (0w8, Word64.fromInt words))

  (* -- connections *)

  (* its address; the first of its statements; how many of them run; how many calls of `transaction` are under way; two words
     for who waits for a lock (null where it is DIRECT) *)
  datatype db =
    DB of
        {at : P.t ref, mode : mode, first : P.t ref, running : int ref, depth : int ref, busy : P.t}

  (* The words that C reads while it waits for a lock: runtime/entry/src/prim/rows.rs *)
  structure Busy =
  struct
    val (limit, isCancelled, words) = (0, 1, 2)
    fun tell (at, yes) =
      if at = P.null then () else P.setInt64 (at, isCancelled, if yes then 1 else 0)
  end

  fun address (DB {at, ...}) =
    if !at = P.null then refuse (misuse, "the connection is closed") else !at

  fun check db code = if code = ok then () else refuse (code, cText (message (address db)))

  (* SQLite ends a transaction by itself where it cannot go on: when a statement that writes was interrupted, when the disk is
     full, for ON CONFLICT ROLLBACK. What the function does after that would be done at once, and for good. *)
  fun checkTransaction (db as DB {depth, ...}) =
    if !depth > 0 andalso isOutside (address db) then
      refuse (aborted, "the transaction was undone: a statement in it has failed")
    else ()

  fun connect (path, mode, flags, busy) =
    let
      val at = ref P.null
      val path = path ^ "\000"
      val code =
        case mode of
          DIRECT => openV2 (path, at, flags, P.null)
        | POOLED => openPooled (path, at, flags, P.null)
      val () =
        if code = ok then ()
        else
          let
            val text = if !at = P.null then cText (codeText code) else cText (message (!at))
          in
            ignore (closeV2 (!at));
            refuse (code, text)
          end
      val milliseconds = Int.fromLarge (Time.toMilliseconds busy) handle Overflow => 0x7fffffff
      val milliseconds = Int.max (0, Int.min (milliseconds, 0x7fffffff))
      val busy = case mode of DIRECT => P.null | POOLED => memory Busy.words
    in
      ignore (extended (!at, 1));
      (* SQLite's own wait for a lock cannot be interrupted. *)
      case mode of
        DIRECT => ignore (timeoutC (!at, milliseconds))
      | POOLED =>
          (P.setInt64 (busy, Busy.limit, milliseconds);
           ignore (busyHandler (!at, _address "leat_rows_busy" : P.t;, busy)));
      DB {at = at, mode = mode, first = ref P.null, running = ref 0, depth = ref 0, busy = busy}
    end

  fun openPlain (path, {mode, readOnly, busy}) =
    if CharVector.exists (fn c => c = #"\000") path then
      refuse (misuse, "a file's name has no zero byte")
    (* SQLITE_OPEN_READONLY, or _READWRITE and _CREATE *)
    else connect (path, mode, if readOnly then 1 else 6, busy)

  fun inMemory () = connect (":memory:", DIRECT, 6, Time.zeroTime)

  (* -- the words of a statement that C reads, by their numbers: runtime/entry/src/prim/rows.rs; and some of ours *)

  structure Rows =
  struct
    val (functions, statement, params, paramCount, given, columns) = (0, 1, 2, 3, 4, 5)
    val (columnCount, room, roomSize, most, state, code) = (6, 7, 8, 9, 10, 11)
    (* how long the parameters may be; the statements ahead and behind it in its connection's list *)
    val (givenSize, ahead, behind, words) = (12, 13, 14, 15)
    (* bits of the state *)
    val (begins, waits, ends) = (0w1 : Word64.word, 0w2 : Word64.word, 0w4 : Word64.word)

    fun drop r =
      (ignore (finalize (P.getPointer (r, statement)));
       List.app (fn i => free (P.getPointer (r, i))) [params, given, room];
       free r)

    fun link (r, first) =
      (P.setPointer (r, behind, !first);
       if !first = P.null then () else P.setPointer (!first, ahead, r);
       first := r)

    fun unlink (r, first) =
      let
        val (b, n) = (P.getPointer (r, ahead), P.getPointer (r, behind))
      in
        if b = P.null then first := n else P.setPointer (b, behind, n);
        if n = P.null then () else P.setPointer (n, ahead, b)
      end

    (* What stood there is lost. *)
    fun enlarge (r, place, sizePlace, size) =
      (P.setPointer
         (r, place, there (realloc (P.getPointer (r, place), Word64.fromInt (8 * size))));
       P.setInt64 (r, sizePlace, size))
  end

  fun close (DB {at, mode, first, running, busy, ...}) =
    if !at = P.null then ()
    else if !running > 0 then refuse (misuse, "a statement of the connection runs")
    else
      let
        val db = !at
        fun all r =
          if r = P.null then ()
          else let val behind = P.getPointer (r, Rows.behind) in Rows.drop r; all behind end
      in
        at := P.null;
        all (!first);
        ignore (case mode of DIRECT => closeV2 db | POOLED => closePooled db);
        free busy
      end

  fun interrupt db = interruptC (address db)
  fun changes db = changesC (address db)
  fun lastRow db = lastRowC (address db)

  (* -- types *)

  (* Where parameters go: the words of a statement, and how many of them are written. *)
  type out = {rows : P.t, at : int ref}

  (* Room for so many words more. *)
  fun more ({rows, at} : out, words) =
    let
      val from = !at
      val size = P.getInt64 (rows, Rows.givenSize)
    in
      if from + words <= size then ()
      else Rows.enlarge (rows, Rows.given, Rows.givenSize, Int.max (2 * size, from + words));
      at := from + words;
      P.add (P.getPointer (rows, Rows.given), Word.fromInt (8 * from))
    end

  (* A letter for each column; writes a value; reads one of a column, whose number is for messages, and says where
     the next one stands. *)
  type 'a ty = {letters : string, put : out * 'a -> unit, get : P.t * int -> 'a * P.t}
  datatype ('a, 'b) product = & of 'a * 'b
  infix &

  fun null i =
    refuse (mismatch, "column " ^ Int.toString (i + 1) ^ " is NULL, and its type is not nullable")
  (* What is there is of another type, of which SQLite's number is told. *)
  fun other (i, kind, wanted) =
    refuse (mismatch,
            concat ["column ",
                    Int.toString (i + 1),
                    " has ",
                    case kind of
                      0w1 => "a whole number"
                    | 0w2 => "a real"
                    | 0w3 => "a text"
                    | _ => "a blob",
                    ", and its type is ",
                    wanted])
  fun words bytes = (bytes + 7) div 8

  (* One word behind the first, or some bytes. *)
  fun number (letter, name, put, get) : 'a ty =
    {letters = letter,
     put = fn (out, x) => let val p = more (out, 2) in P.setWord64 (p, 0, 0w1); put (p, 1, x) end,
     get = fn (p, i) =>
       case P.getWord64 (p, 0) of
         0w0 => null i
       | 0w1 => (get (p, 1), P.add (p, 0w16))
       | head => other (i, Word64.>> (head, 0w2), name)}
  fun several (letter, length, put, get) : 'a ty =
    {letters = letter,
     put = fn (out, x) =>
       let
         val count = length x
         val p = more (out, 1 + words count)
       in
         P.setWord64 (p, 0, Word64.fromInt (2 + 4 * count));
         if count > 0 then ignore (put (P.add (p, 0w8), x, Word64.fromInt count)) else ()
       end,
     get = fn (p, i) =>
       case P.getWord64 (p, 0) of
         0w0 => null i
       | head =>
           let
             val count = Word64.toInt (Word64.>> (head, 0w2))
           in
             (get (P.add (p, 0w8), count), P.add (p, Word.fromInt (8 * (1 + words count))))
           end}

  val none : unit ty = {letters = "", put = fn _ => (), get = fn (p, _) => ((), p)}
  val int = number ("i", "int", P.setInt64, P.getInt64)
  val real =
    number ("r",
            "real",
            fn (p, i, x) =>
              if Real.isNan x then
                refuse (mismatch, "NaN has no place in a database: it would be read as NULL")
              else P.setReal64 (p, i, x),
            P.getReal64)
  val bool =
    number ("i",
            "bool",
            fn (p, i, b) => P.setInt64 (p, i, if b then 1 else 0),
            fn at =>
              case P.getInt64 at of
                0 => false
              | 1 => true
              | n =>
                  refuse
                    (mismatch, "a value of type bool is " ^ Int.toString n ^ ", neither 0 nor 1"))
  val text = several ("t", size, ofString, chars)
  val blob = several ("b", Word8Vector.length, ofVector, bytes)

  fun nullable ({letters, put, get} : 'a ty) : 'a option ty =
    let
      val width = size letters
      fun nulls (p, i) = if i = width then () else (P.setWord64 (p, i, 0w0); nulls (p, i + 1))
      fun allNull (p, i) = i = width orelse P.getWord64 (p, i) = 0w0 andalso allNull (p, i + 1)
    in
      {letters = letters,
       put = fn (out, SOME x) => put (out, x) | (out, NONE) => nulls (more (out, width), 0),
       get = fn at as (p, _) =>
         if allNull (p, 0) then (NONE, P.add (p, Word.fromInt (8 * width)))
         else let val (x, next) = get at in (SOME x, next) end}
    end

  fun map (read, write) ({letters, put, get} : 'a ty) : 'b ty =
    {letters = letters,
     put = fn (out, x) => put (out, write x),
     get = fn at => let val (x, next) = get at in (read x, next) end}

  fun ** (a : 'a ty, b : 'b ty) : ('a, 'b) product ty =
    let
      val width = size (#letters a)
    in
      {letters = #letters a ^ #letters b,
       put = fn (out, x & y) => (#put a (out, x); #put b (out, y)),
       get = fn at as (_, i) =>
         let
           val (x, p) = #get a at
           val (y, p) = #get b (p, i + width)
         in
           (x & y, p)
         end}
    end

  (* -- statements *)

  datatype ('p, 'r) statement =
    STATEMENT of {db : db, rows : P.t ref, params : 'p ty, row : 'r ty, runs : bool ref}

  (* What C is told of all statements. *)
  val functions =
    let
      val table =
        [_address "sqlite3_step" : P.t;,
         _address "sqlite3_reset" : P.t;,
         _address "sqlite3_column_value" : P.t;,
         _address "sqlite3_value_type" : P.t;,
         _address "sqlite3_value_int64" : P.t;,
         _address "sqlite3_value_double" : P.t;,
         _address "sqlite3_value_text" : P.t;,
         _address "sqlite3_value_blob" : P.t;,
         _address "sqlite3_value_bytes" : P.t;,
         _address "sqlite3_bind_null" : P.t;,
         _address "sqlite3_bind_int64" : P.t;,
         _address "sqlite3_bind_double" : P.t;,
         _address "sqlite3_bind_text" : P.t;,
         _address "sqlite3_bind_blob" : P.t;,
         _address "sqlite3_bind_zeroblob" : P.t;,
         _address "sqlite3_db_handle" : P.t;,
         _address "sqlite3_db_mutex" : P.t;,
         _address "sqlite3_mutex_enter" : P.t;,
         _address "sqlite3_mutex_leave" : P.t;]
      val at = memory (List.length table)
      fun fill (_, []) = ()
        | fill (i, f :: fs) = (P.setPointer (at, i, f); fill (i + 1, fs))
    in
      fill (0, table);
      at
    end

  (* SQL in memory of C's, with a zero byte behind it. One within would hide what follows. *)
  fun textOf sql =
    let
      val () =
        if Char.contains sql #"\000" then refuse (misuse, "a zero byte in: " ^ String.toString sql)
        else ()
      val text = memory (words (size sql) + 1)
      val _ = ofString (text, sql, Word64.fromInt (size sql))
    in
      text
    end

  fun prepare (db as DB {first, ...}) (params : 'p ty, row : 'r ty) sql =
    let
      val at = ref P.null
      val c = address db
      val text = textOf sql
      (* One statement, and nothing behind it but blanks and comments. *)
      fun only () =
        let
          val (rest, second) = (ref P.null, ref P.null)
        in
          check db (prepareAt (c, text, ~1, at, rest));
          if !at = P.null then refuse (misuse, "there is no statement in: " ^ sql) else ();
          check db (prepareAt (c, !rest, ~1, second, ref P.null));
          if !second = P.null then ()
          else
            (ignore (finalize (!second));
             refuse (misuse, "there are several statements in: " ^ sql))
        end
      val () = only () handle e => (ignore (finalize (!at)); free text; raise e)
      val () = free text
      fun same (what, n, wanted) =
        if n = wanted then ()
        else
          (ignore (finalize (!at));
           refuse (misuse,
                   concat ["the statement has ",
                           Int.toString n,
                           " ",
                           what,
                           ", and its type ",
                           Int.toString wanted,
                           ": ",
                           sql]))
      val (paramCount, columnCount) = (size (#letters params), size (#letters row))
      val () =
        (same ("parameters", parameters (!at), paramCount);
         same ("columns", columns (!at), columnCount))
      val rows = memory Rows.words
      val letters = #letters params ^ #letters row
      val letter = memory (words (size letters) + 1)
      val _ = ofString (letter, letters, Word64.fromInt (size letters))
    in
      List.app (fn (i, p) => P.setPointer (rows, i, p)) [(Rows.functions, functions),
                                                         (Rows.statement, !at),
                                                         (Rows.params, letter),
                                                         (Rows.columns,
                                                          P.add (letter, Word.fromInt paramCount))];
      List.app
        (fn (i, n) => P.setInt64 (rows, i, n))
        [(Rows.paramCount, paramCount), (Rows.columnCount, columnCount)];
      Rows.enlarge (rows, Rows.given, Rows.givenSize, 16);
      Rows.enlarge (rows, Rows.room, Rows.roomSize, 64);
      Rows.link (rows, first);
      STATEMENT {db = db, rows = ref rows, params = params, row = row, runs = ref false}
    end

  fun finish (STATEMENT {db = DB {at, first, ...}, rows, runs, ...}) =
    let
      val r = !rows
    in
      if r = P.null then ()
      else if !runs then refuse (misuse, "the statement runs")
      (* It has ended with its connection. *)
      else if !at = P.null
      then rows := P.null
      else (rows := P.null; Rows.unlink (r, first); Rows.drop r)
    end

  fun stepOf (DB {mode = DIRECT, ...}) = step
    | stepOf (DB {mode = POOLED, ...}) = stepPooled

  val again = Time.fromMilliseconds 2

  (* Calls f, and interrupts SQLite when the scope is cancelled meanwhile: until f ends, since a statement that begins just
     then forgets that it was interrupted. The thread that does this has ended when this comes back: it has the address of
     the connection. *)
  fun interruptible (DB {mode = DIRECT, ...}) f = f ()
    | interruptible (DB {mode = POOLED, at, busy, ...}) f =
        case if Scope.isShielded () then NONE else Scope.current () of
          NONE => f ()
        | SOME scope =>
            let
              val () = Scope.check ()
              val c = !at
              val done = SyncVar.iVar ()
              fun interrupts () =
                (Busy.tell (busy, true);
                 interruptC c;
                 CML.select [SyncVar.iGetEvt done, CML.wrap (CML.timeOutEvt again, interrupts)])
              val watcher =
                CML.spawn (fn () =>
                  CML.select [SyncVar.iGetEvt done,
                              CML.wrap (Scope.cancelled scope, fn _ => interrupts ())])
              fun over () =
                (SyncVar.iPut (done, ());
                 Scope.shield (fn () => CML.sync (CML.joinEvt watcher));
                 Busy.tell (busy, false))
            in
              Scope.finally (f, over) handle e => (Scope.check (); raise e)
            end

  (* Does something with the words of a statement, which nobody else uses meanwhile. *)
  fun using (STATEMENT {db as DB {running, ...}, rows, runs, ...}) f =
    let
      val _ = address db
      val r = if !rows = P.null then refuse (misuse, "the statement is finished") else !rows
      val () = if !runs then refuse (misuse, "the statement runs already") else ()
      val () = checkTransaction db
      val () = (runs := true; running := !running + 1)
      val isDone = ref false
      fun all () = interruptible db (fn () => f r) before isDone := true
      (* A function of the program may say CML.exit. Of a statement that is over already this reset does nothing. *)
      fun over () =
        (if !isDone then () else ignore (reset (P.getPointer (r, Rows.statement)));
         runs := false;
         running := !running - 1)
    in
      Scope.finally (all, over)
    end

  (* The text of an error, which the next call may change. *)
  fun failed db code =
    if code = row orelse code = done then NONE
    else SOME (Error {code = code, message = cText (message (address db))})

  (* The next rows may be more; the room for them grows up to 64 KiB, or to what one row needs. *)
  fun enlarge (r, count) =
    let
      val (size, most) = (P.getInt64 (r, Rows.roomSize), P.getInt64 (r, Rows.most))
    in
      if Word64.andb (P.getWord64 (r, Rows.state), Rows.waits) <> 0w0
         andalso (size < 8192 orelse count = 0)
      then
        Rows.enlarge
          (r, Rows.room, Rows.roomSize, if count = 0 then 2 * size else Int.min (8 * size, 8192))
      else ();
      (* Where one row is wanted no others are computed, though it had no room at first. *)
      if Word64.andb (P.getWord64 (r, Rows.state), Rows.ends) <> 0w0 then ()
      else P.setInt64 (r, Rows.most, Int.min (8 * most, 8192))
    end

  (* Runs it with f for each row, until f gives false; `only`: there is one row at most. *)
  fun each
    (statement as STATEMENT {db as DB {mode, ...}, params = {put, ...}, row = {get, ...}, ...}) only
    f state params =
    using statement (fn r =>
      let
        val call = case mode of DIRECT => rowsC | POOLED => rowsPooled
        fun batch state =
          let
            val count = Word64.toInt (call r)
            val code = P.getInt64 (r, Rows.code)
          in
            read (P.getPointer (r, Rows.room), 0, count, code, failed db code, state)
          end
        and read (p, i, count, code, error, state) =
          if i < count then
            let
              val (x, next) = get (p, 0)
            in
              case f (x, state) of
                (state, true) => read (next, i + 1, count, code, error, state)
              | (state, false) =>
                  (* A statement that ends here may have an error at its end. *)
                  (case error of SOME e => raise e | NONE => (stop code; state))
            end
          else
            case error of
              SOME e => raise e
            | NONE => if code = row then (enlarge (r, count); batch state) else state
        and stop code = if code = row then ignore (reset (P.getPointer (r, Rows.statement))) else ()
      in
        put ({rows = r, at = ref 0}, params);
        P.setWord64
          (r, Rows.state, if only then Word64.orb (Rows.begins, Rows.ends) else Rows.begins);
        P.setInt64 (r, Rows.most, if only then 1 else 16);
        batch state
      end)

  fun fold statement f = each statement false (fn (row, state) => (f (row, state), true))
  fun rows statement params = rev (fold statement (op ::) [] params)
  fun first statement = each statement true (fn (row, _) => (SOME row, false)) NONE
  fun run statement = each statement false (fn ((), ()) => ((), true)) ()

  fun runAll (statement as STATEMENT {db as DB {mode, ...}, params = {put, ...}, ...}) list =
    using statement (fn r =>
      let
        val call = case mode of DIRECT => runC | POOLED => runPooled
        val at = ref 0
        val out = {rows = r, at = at}
        fun send count =
          (P.setInt64 (r, Rows.most, count);
           ignore (call r);
           case failed db (P.getInt64 (r, Rows.code)) of
             SOME e => raise e
           | NONE => at := 0)
        fun fill ([], 0) = ()
          | fill ([], count) = send count
          | fill (params, 1000) = (send 1000; fill (params, 0))
          | fill (params :: rest, count) =
              (let
                 val before' = !at
               in
                 (* Those before it are done. *)
                 put
                   (out, params)
                 handle e => (at := before'; if count > 0 then send count else (); raise e)
               end;
               if !at > 8192 then (send (count + 1); fill (rest, 0)) else fill (rest, count + 1))
      in
        fill (list, 0)
      end)

  (* Each statement is prepared where the one before it has ended. *)
  fun executeAnyway db sql =
    let
      val c = address db
      val text = textOf sql
      val step = stepOf db
      fun drain s =
        case step s of
          100 => drain s
        | 101 => ()
        | code => refuse (code, cText (message c))
      fun from at =
        let
          val (s, rest) = (ref P.null, ref P.null)
        in
          check db (prepareAt (c, at, ~1, s, rest));
          if !s = P.null then ()
          else ((drain (!s) handle e => (ignore (finalize (!s)); raise e)); ignore (finalize (!s)));
          if P.getWord8 (!rest, 0) = 0w0 then () else from (!rest)
        end
    in
      (interruptible db (fn () => from text) handle e => (free text; raise e));
      free text
    end
  fun execute db sql = (checkTransaction db; executeAnyway db sql)

  fun transaction (db as DB {depth, ...}) f =
    let
      val (start, finish, undo) =
        if isOutside (address db) then ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
        else ("SAVEPOINT leat", "RELEASE leat", "ROLLBACK TO leat; RELEASE leat")
      val () = execute db start
      val () = depth := !depth + 1
      val isDone = ref false
      fun all () = let val result = f () in execute db finish; isDone := true; result end
      fun over () =
        (depth := !depth - 1;
         if !isDone then () else executeAnyway db undo handle Error _ => ())
    in
      Scope.finally (all, over)
    end

  fun number db sql =
    let
      val statement = prepare db (none, int) sql
      val n = first statement () handle e => (finish statement; raise e)
    in
      finish statement;
      valOf n
    end

  fun migrate db texts =
    let
      val count = List.length texts
      fun step () =
        let
          val seen = number db "PRAGMA user_version"
        in
          if seen > count then
            refuse (mismatch,
                    concat ["the database is of a newer program: it has seen ",
                            Int.toString seen,
                            " texts, and there are ",
                            Int.toString count])
          else if seen = count then false
          else
            (execute db (List.nth (texts, seen));
             execute db ("PRAGMA user_version = " ^ Int.toString (seen + 1));
             true)
        end
      (* Another program may do the same: what it has seen is asked where nobody else writes. *)
      fun loop () = if transaction db step then loop () else ()
    in
      loop ()
    end

  fun backup db path =
    let
      val statement = prepare db (text, none) "VACUUM INTO ?"
    in
      run statement path handle e => (finish statement; raise e);
      finish statement
    end

  (* -- blobs *)

  (* An open blob: its address, until it is closed; its length; how far it was read or written; memory of C for a
     piece. *)
  val chunk = 32768

  fun openBlob (db as DB {mode, ...}) ({table, column, row}, write) =
    let
      val at = ref P.null
      val (table, column) = (table ^ "\000", column ^ "\000")
      val call = case mode of DIRECT => blobOpen | POOLED => blobOpenPooled
      val () =
        check db (call (address db, "main\000", table, column, row, if write then 1 else 0, at))
    in
      {db = db, at = at, length = blobSize (!at), pos = ref 0, piece = memory (words chunk)}
    end

  fun blob' {db, at, length, pos, piece} =
    let
      fun opened () =
        if !at = P.null then refuse (misuse, "the blob is closed") else (ignore (address db); !at)
      (* What was written is committed here, which may fail. *)
      fun closeBlob () =
        if !at = P.null then ()
        else
          let
            val c = !at
            val () = at := P.null
            val () = free piece
            val code = blobClose c
          in
            if code = ok then () else refuse (code, cText (codeText code))
          end
      fun seek p = (ignore (opened ()); pos := Int.min (Int.max (0, Position.toInt p), length))
    in
      {opened = opened,
       close = closeBlob,
       getPos = SOME (fn () => (ignore (opened ()); Position.fromInt (!pos))),
       setPos = SOME seek,
       endPos = SOME (fn () => (ignore (opened ()); Position.fromInt length))}
    end

  fun readBlob db place =
    let
      val blob as {db, length, pos, piece, ...} = openBlob db (place, false)
      val {opened, close, getPos, setPos, endPos} = blob' blob
      val call =
        case db of DB {mode = DIRECT, ...} => blobRead | DB {mode = POOLED, ...} => blobReadPooled
      (* Brings the next bytes into the memory for a piece: how many. *)
      fun next most =
        let
          val c = opened ()
          val count = Int.min (Int.min (most, chunk), length - !pos)
        in
          if count > 0 then check db (call (c, piece, count, !pos)) else ();
          pos := !pos + count;
          count
        end
      fun readArr slice =
        let
          val (array, from, most) = Word8ArraySlice.base slice
          val count = next most
        in
          Word8ArraySlice.copyVec
            {src = Word8VectorSlice.full (bytes (piece, count)), dst = array, di = from};
          count
        end
    in
      BinPrimIO.RD {name = #table place,
                    chunkSize = chunk,
                    readVec =
                      SOME (fn most => let val count = next most in bytes (piece, count) end),
                    readArr = SOME readArr,
                    readVecNB = NONE,
                    readArrNB = NONE,
                    block = NONE,
                    canInput = NONE,
                    avail = fn () => SOME (length - !pos),
                    getPos = getPos,
                    setPos = setPos,
                    endPos = endPos,
                    verifyPos = getPos,
                    close = close,
                    ioDesc = NONE}
    end

  fun writeBlob db place =
    let
      val blob as {db, length, pos, piece, ...} = openBlob db (place, true)
      val {opened, close, getPos, setPos, endPos} = blob' blob
      val call =
        case db of DB {mode = DIRECT, ...} => blobWrite | DB {mode = POOLED, ...} => blobWritePooled
      fun write bytes =
        let
          val c = opened ()
          val count = Int.min (Word8Vector.length bytes, length - !pos)
        in
          if count = 0 andalso Word8Vector.length bytes > 0 then
            refuse (tooBig, "the blob has " ^ Int.toString length ^ " bytes, and no more")
          else ();
          ignore (ofVector (piece, bytes, Word64.fromInt count));
          check db (call (c, piece, count, !pos));
          pos := !pos + count;
          count
        end
      fun first (slice, length, sub) = sub (slice, 0, SOME (Int.min (length slice, chunk)))
    in
      BinPrimIO.WR {name = #table place,
                    chunkSize = chunk,
                    writeVec =
                      SOME (fn slice =>
                        write (Word8VectorSlice.vector (first (slice,
                                                               Word8VectorSlice.length,
                                                               Word8VectorSlice.subslice)))),
                    writeArr =
                      SOME (fn slice =>
                        write (Word8ArraySlice.vector (first (slice,
                                                              Word8ArraySlice.length,
                                                              Word8ArraySlice.subslice)))),
                    writeVecNB = NONE,
                    writeArrNB = NONE,
                    block = NONE,
                    canOutput = NONE,
                    getPos = getPos,
                    setPos = setPos,
                    endPos = endPos,
                    verifyPos = getPos,
                    close = close,
                    ioDesc = NONE}
    end

  fun openFile (how as (_, {readOnly, ...})) =
    let
      val db = openPlain how
    in
      (if readOnly then () else execute db "PRAGMA journal_mode = WAL")
      handle e => (close db; raise e);
      db
    end
end
