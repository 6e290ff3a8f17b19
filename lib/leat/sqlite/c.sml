(* SqliteC': SQLite's functions, what they say of errors, memory of C's, and the words that `leat_rows` of the runtime
   reads and writes there. *)

structure SqliteC' =
struct
  structure P = MLton.Pointer

  exception Error of {code : int, message : string}

  val () =
    MLton.Exn.addExnMessager (fn Error {code, message} =>
                                   SOME (concat ["SQLite: ",
                                                 message,
                                                 " (code ",
                                                 Int.toString code,
                                                 ")"])
                               | _ => NONE)

  (* -- functions of C *)

  val toString = _import "memcpy" leaf : string * P.t * Word64.word -> P.t;
  val toVector = _import "memcpy" leaf : Word8Vector.vector * P.t * Word64.word -> P.t;
  val ofString = _import "memcpy" leaf : P.t * string * Word64.word -> P.t;
  val ofVector = _import "memcpy" leaf : P.t * Word8Vector.vector * Word64.word -> P.t;
  val move = _import "memmove" leaf : P.t * P.t * Word64.word -> P.t;
  val length = _import "strlen" leaf : P.t -> Word64.word;

  val openV2 = _import "sqlite3_open_v2" : string * P.t ref * int * P.t -> int;
  val openPooled = _import "sqlite3_open_v2" blocking : string * P.t ref * int * P.t -> int;
  val closeV2 = _import "sqlite3_close_v2" : P.t -> int;
  val closePooled = _import "sqlite3_close_v2" blocking : P.t -> int;
  val interruptC = _import "sqlite3_interrupt" : P.t -> unit;
  val timeoutC = _import "sqlite3_busy_timeout" : P.t * int -> int;
  val busyHandler = _import "sqlite3_busy_handler" : P.t * P.t * P.t -> int;
  val busyWait = _address "leat_rows_busy" : P.t;
  (* This one takes an address and a number, as a function does that SQLite asks whether to wait: it makes a
     lock there that is free, which is 0 or 1, and gives 0, which means no. *)
  val busyNever = _address "pthread_spin_init" : P.t;
  (* Each so many steps of a statement SQLite calls a function with an address; another result than 0 ends the
     statement. *)
  val progressHandler = _import "sqlite3_progress_handler" : P.t * int * P.t * P.t -> unit;
  val numberOfText = _address "atoi" : P.t;
  val extended = _import "sqlite3_extended_result_codes" : P.t * int -> int;
  val message = _import "sqlite3_errmsg" : P.t -> P.t;
  val codeText = _import "sqlite3_errstr" : int -> P.t;
  val changesC = _import "sqlite3_changes" : P.t -> int;
  val lastRowC = _import "sqlite3_last_insert_rowid" : P.t -> Int64.int;
  val isOutside = _import "sqlite3_get_autocommit" : P.t -> bool;

  val prepareC = _import "sqlite3_prepare_v2" : P.t * P.t * int * P.t ref * P.t ref -> int;
  val preparePooled =
    _import "sqlite3_prepare_v2" blocking : P.t * P.t * int * P.t ref * P.t ref -> int;
  val finalize = _import "sqlite3_finalize" : P.t -> int;
  val reset = _import "sqlite3_reset" : P.t -> int;
  val resetPooled = _import "sqlite3_reset" blocking : P.t -> int;
  val step = _import "sqlite3_step" : P.t -> int;
  val stepPooled = _import "sqlite3_step" blocking : P.t -> int;
  val parameters = _import "sqlite3_bind_parameter_count" : P.t -> int;
  val columns = _import "sqlite3_column_count" leaf : P.t -> int;

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
  val blobClosePooled = _import "sqlite3_blob_close" blocking : P.t -> int;

  val calloc = _import "calloc" leaf : Word64.word * Word64.word -> P.t;
  val realloc = _import "realloc" leaf : P.t * Word64.word -> P.t;
  val free = _import "free" leaf : P.t -> unit;

  (* -- what they answer, and memory of C's *)

  val (ok, aborted, locked, noMemory, interrupted, tooBig, mismatch, misuse, row, done) =
    (0, 4, 5, 7, 9, 18, 20, 21, 100, 101)
  (* The others are in the low byte of an extended code. *)
  fun isLocked code = code mod 256 = locked

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

  (* So many words have room for so many bytes. *)
  fun words bytes = (bytes + 7) div 8

  (* -- words that C reads, by their numbers: runtime/entry/src/prim/rows.rs *)

  (* The words that it reads while it waits for a lock. The second one is also read while a statement runs, as the text
     of a number: "1" when the call under way is to end, else "". The third one is no more what it was at the
     beginning when SQLite has asked whether to wait, and was told not to. *)
  structure Busy =
  struct
    val (limit, isCancelled, asked, words) = (0, 1, 2, 3)
    val notYet = 2
    val steps = 100
    fun place (at, i) = P.add (at, Word.fromInt (8 * i))
    fun new milliseconds =
      let
        val at = memory words
      in
        P.setInt64 (at, limit, milliseconds);
        at
      end
    fun milliseconds at = P.getInt64 (at, limit)
    fun tell (at, yes) = P.setWord8 (at, 8 * isCancelled, if yes then 0wx31 else 0w0)
    fun isTold at = P.getWord8 (at, 8 * isCancelled) <> 0w0
    (* SQLite waits: by the function of the runtime, or by its own, which looks at none of the words. *)
    fun wait (db, at) =
      (ignore (busyHandler (db, busyWait, at));
       progressHandler (db, steps, numberOfText, place (at, isCancelled)))
    fun waitAlone (db, at) = ignore (timeoutC (db, milliseconds at))
    fun never (db, at) = ignore (busyHandler (db, busyNever, place (at, asked)))
    fun begin at = P.setInt64 (at, asked, notYet)
    fun hasAsked at = P.getInt64 (at, asked) <> notYet
  end

  (* Those of a statement, and some of ours. *)
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
end
