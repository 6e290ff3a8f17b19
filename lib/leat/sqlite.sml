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
  (* Ends the connection: nothing more can be asked of it. Its file stays open until the last of its statements is
     finished. Closing it again does nothing. *)
  val interrupt : db -> unit
  (* Another thread calls this: the statement that runs ends with Error, code 9. *)

  (* -- types of parameters and columns *)

  type 'a ty
  datatype ('a, 'b) product = & of 'a * 'b

  val none : unit ty
  (* No parameters, or no columns. *)
  val int : int ty
  (* A whole number of 64 bits. *)
  val real : real ty
  (* A number with a point; a whole one is converted. *)
  val bool : bool ty
  (* 0 and 1 *)
  val text : string ty
  (* UTF-8. A zero byte may stand in it. *)
  val blob : Word8Vector.vector ty
  (* Bytes as they are. *)
  val nullable : 'a ty -> 'a option ty
  (* NULL is NONE; elsewhere NULL raises Error. *)
  val ** : 'a ty * 'b ty -> ('a, 'b) product ty
  (* One behind the other: with `infix & **`, `1 & "one" & NONE` is a value of `int ** text ** nullable real`. *)
  val map : ('a -> 'b) * ('b -> 'a) -> 'a ty -> 'b ty
  (* Another type for the same columns: what is read goes by the first function, what is written by the second. *)

  (* -- statements *)

  type ('p, 'r) statement

  val prepare : db -> 'p ty * 'r ty -> string -> ('p, 'r) statement
  (* A statement of the types of its parameters and rows; it may be run any number of times. *)
  val finish : ('p, 'r) statement -> unit
  (* Gives its memory back. *)
  val fold : ('p, 'r) statement -> ('r * 'a -> 'a) -> 'a -> 'p -> 'a
  (* From the first row to the last, as each comes. The function must not run the same statement. *)
  val rows : ('p, 'r) statement -> 'p -> 'r list
  (* All rows, in order. *)
  val first : ('p, 'r) statement -> 'p -> 'r option
  (* The first row, if there is one; others are not computed. *)
  val run : ('p, unit) statement -> 'p -> unit
  (* For a statement without rows. *)
  val execute : db -> string -> unit
  (* Runs the statements of a text, which have no parameters; rows are dropped. *)

  val changes : db -> int
  (* How many rows the last INSERT, UPDATE or DELETE has changed. *)
  val lastRow : db -> int
  (* The number of the row that was inserted last. *)

  val transaction : db -> (unit -> 'a) -> 'a
  (* What the function does is done wholly, or, when it raises an exception, not at all. The lock for writing is taken
     at the beginning. In another transaction it is a part that is undone alone. *)
  val migrate : db -> string list -> unit
  (* Brings a database to the newest form: runs those of the texts that it has not seen yet, each in a transaction. How
     many it has seen is kept in it (`PRAGMA user_version`); so texts are only added at the end. A database that has seen
     more than there are is of a newer program, and raises Error, code 20. *)
  val backup : db -> string -> unit
  (* A copy of the database as it is now, in a new file, while others go on to use it. *)
end

structure Sqlite :> SQLITE =
struct
  structure P = MLton.Pointer

  exception Error of {code : int, message : string}

  datatype mode = DIRECT | POOLED

  (* -- functions of C *)

  val copy = _import "memcpy" leaf : CharArray.array * P.t * Word64.word -> P.t;
  val copyBytes = _import "memcpy" leaf : Word8Array.array * P.t * Word64.word -> P.t;
  val length = _import "strlen" leaf : P.t -> Word64.word;

  val openV2 = _import "sqlite3_open_v2" : string * P.t ref * int * P.t -> int;
  val openPooled = _import "sqlite3_open_v2" blocking : string * P.t ref * int * P.t -> int;
  val closeV2 = _import "sqlite3_close_v2" : P.t -> int;
  val closePooled = _import "sqlite3_close_v2" blocking : P.t -> int;
  val interruptC = _import "sqlite3_interrupt" : P.t -> unit;
  val timeoutC = _import "sqlite3_busy_timeout" : P.t * int -> int;
  val extended = _import "sqlite3_extended_result_codes" : P.t * int -> int;
  val message = _import "sqlite3_errmsg" : P.t -> P.t;
  val codeText = _import "sqlite3_errstr" : int -> P.t;
  val changesC = _import "sqlite3_changes" : P.t -> int;
  val lastRowC = _import "sqlite3_last_insert_rowid" : P.t -> Int64.int;
  val isOutside = _import "sqlite3_get_autocommit" : P.t -> bool;

  val prepareV2 = _import "sqlite3_prepare_v2" : P.t * string * int * P.t ref * P.t ref -> int;
  val prepareAt = _import "sqlite3_prepare_v2" : P.t * P.t * int * P.t ref * P.t ref -> int;
  val finalize = _import "sqlite3_finalize" : P.t -> int;
  val reset = _import "sqlite3_reset" : P.t -> int;
  val clear = _import "sqlite3_clear_bindings" : P.t -> int;
  val step = _import "sqlite3_step" : P.t -> int;
  val stepPooled = _import "sqlite3_step" blocking : P.t -> int;
  val parameters = _import "sqlite3_bind_parameter_count" : P.t -> int;
  val columns = _import "sqlite3_column_count" : P.t -> int;

  val bindNull = _import "sqlite3_bind_null" : P.t * int -> int;
  val bindInt = _import "sqlite3_bind_int64" : P.t * int * Int64.int -> int;
  val bindReal = _import "sqlite3_bind_double" : P.t * int * real -> int;
  val bindText = _import "sqlite3_bind_text" : P.t * int * string * int * P.t -> int;
  val bindBlob = _import "sqlite3_bind_blob" : P.t * int * Word8Vector.vector * int * P.t -> int;
  val bindZeros = _import "sqlite3_bind_zeroblob" : P.t * int * int -> int;

  val kind = _import "sqlite3_column_type" leaf : P.t * int -> int;
  val columnInt = _import "sqlite3_column_int64" leaf : P.t * int -> Int64.int;
  val columnReal = _import "sqlite3_column_double" leaf : P.t * int -> real;
  val columnText = _import "sqlite3_column_text" : P.t * int -> P.t;
  val columnBlob = _import "sqlite3_column_blob" : P.t * int -> P.t;
  val columnBytes = _import "sqlite3_column_bytes" : P.t * int -> int;
  val malloc = _import "malloc" leaf : Word64.word -> P.t;
  val free = _import "free" leaf : P.t -> unit;

  val (ok, misuse, mismatch) = (0, 21, 20)
  (* SQLite makes a copy of what is bound. *)
  val transient = P.sub (P.null, 0w1)

  fun chars (at, count) =
    let
      val a = CharArray.array (count, #"\000")
      val _ = if count > 0 then ignore (copy (a, at, Word64.fromInt count)) else ()
    in
      CharArray.vector a
    end

  fun bytes (at, count) =
    let
      val a = Word8Array.array (count, 0w0)
      val _ = if count > 0 then ignore (copyBytes (a, at, Word64.fromInt count)) else ()
    in
      Word8Array.vector a
    end

  fun cText at = if at = P.null then "" else chars (at, Word64.toInt (length at))

  fun refuse (code, message) = raise Error {code = code, message = message}

  (* -- connections *)

  datatype db = DB of {at : P.t ref, mode : mode}

  fun address (DB {at, ...}) =
    if !at = P.null then refuse (misuse, "the connection is closed") else !at

  fun check db code = if code = ok then () else refuse (code, cText (message (address db)))

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
    in
      ignore (extended (!at, 1));
      ignore (timeoutC (!at, Int.max (0, Int.min (milliseconds, 0x7fffffff))));
      DB {at = at, mode = mode}
    end

  fun openPlain (path, {mode, readOnly, busy}) =
    if CharVector.exists (fn c => c = #"\000") path then
      refuse (misuse, "a file's name has no zero byte")
    (* SQLITE_OPEN_READONLY, or _READWRITE and _CREATE *)
    else connect (path, mode, if readOnly then 1 else 6, busy)

  fun inMemory () = connect (":memory:", DIRECT, 6, Time.zeroTime)

  fun close (DB {at, mode}) =
    if !at = P.null then ()
    else
      let
        val db = !at
      in
        at := P.null;
        ignore (case mode of DIRECT => closeV2 db | POOLED => closePooled db)
      end

  fun interrupt db = interruptC (address db)
  fun changes db = changesC (address db)
  fun lastRow db = lastRowC (address db)

  (* -- types *)

  (* so many columns; writes a value to parameters from a number on; reads one from columns from a number on *)
  type 'a ty = {width : int, put : P.t * int * 'a -> int, get : P.t * int -> 'a}
  datatype ('a, 'b) product = & of 'a * 'b
  infix &

  val null = 5
  fun there (statement, i, f) =
    if kind (statement, i) = null then
      refuse (mismatch, "column " ^ Int.toString (i + 1) ^ " is NULL, and its type is not nullable")
    else f (statement, i)
  fun column (put, get) : 'a ty =
    {width = 1, put = put, get = fn (statement, i) => there (statement, i, get)}

  val none : unit ty = {width = 0, put = fn _ => ok, get = fn _ => ()}
  val int = column (bindInt, columnInt)
  val real = column (bindReal, columnReal)
  val bool =
    column (fn (s, i, b) => bindInt (s, i, if b then 1 else 0), fn (s, i) => columnInt (s, i) <> 0)
  (* The text comes first: it may be made of a number, and then has its length. *)
  val text =
    column (fn (s, i, text) => bindText (s, i, text, size text, transient),
            fn (s, i) => let val at = columnText (s, i) in chars (at, columnBytes (s, i)) end)
  val blob =
    column (fn (s, i, v) =>
              if Word8Vector.length v = 0 then bindZeros (s, i, 0)
              else bindBlob (s, i, v, Word8Vector.length v, transient),
            fn (s, i) => let val at = columnBlob (s, i) in bytes (at, columnBytes (s, i)) end)

  fun nullable ({width, put, get} : 'a ty) : 'a option ty =
    let
      fun nulls (s, i, n) =
        if n = 0 then ok
        else case bindNull (s, i) of 0 => nulls (s, i + 1, n - 1) | code => code
      fun allNull (s, i, n) = n = 0 orelse kind (s, i) = null andalso allNull (s, i + 1, n - 1)
    in
      {width = width,
       put = fn (s, i, SOME x) => put (s, i, x) | (s, i, NONE) => nulls (s, i, width),
       get = fn (s, i) => if allNull (s, i, width) then NONE else SOME (get (s, i))}
    end

  fun map (read, write) ({width, put, get} : 'a ty) : 'b ty =
    {width = width, put = fn (s, i, x) => put (s, i, write x), get = read o get}

  fun ** (a : 'a ty, b : 'b ty) : ('a, 'b) product ty =
    {width = #width a + #width b,
     put = fn (s, i, x & y) =>
       (case #put a (s, i, x) of 0 => #put b (s, i + #width a, y) | code => code),
     get = fn (s, i) => let val x = #get a (s, i) in x & #get b (s, i + #width a) end}

  (* -- statements *)

  datatype ('p, 'r) statement =
    STATEMENT of {db : db, at : P.t ref, params : 'p ty, row : 'r ty, runs : bool ref}

  fun prepare db (params : 'p ty, row : 'r ty) sql =
    let
      val at = ref P.null
      val c = address db
      val () = check db (prepareV2 (c, sql ^ "\000", size sql + 1, at, ref P.null))
      val () = if !at = P.null then refuse (misuse, "there is no statement in: " ^ sql) else ()
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
    in
      same ("parameters", parameters (!at), #width params);
      same ("columns", columns (!at), #width row);
      STATEMENT {db = db, at = at, params = params, row = row, runs = ref false}
    end

  fun finish (STATEMENT {at, ...}) =
    let
      val statement = !at
    in
      at := P.null;
      (* The statements of a connection that is closed live on until they are finished. *)
      if statement = P.null then () else ignore (finalize statement)
    end

  fun stepOf (DB {mode = DIRECT, ...}) = step
    | stepOf (DB {mode = POOLED, ...}) = stepPooled

  (* Calls f, and interrupts SQLite when the scope is cancelled meanwhile. The thread that waits for that has ended when
     this comes back: it has the address of the connection. *)
  fun interruptible (DB {mode = DIRECT, ...}) f = f ()
    | interruptible (DB {mode = POOLED, at}) f =
        case Scope.current () of
          NONE => f ()
        | SOME scope =>
            let
              val () = Scope.check ()
              val c = !at
              val done = SyncVar.iVar ()
              val watcher =
                CML.spawn (fn () =>
                  CML.select [SyncVar.iGetEvt done,
                              CML.wrap (Scope.cancelled scope,
                                        fn _ => (interruptC c; SyncVar.iGet done))])
              fun over () =
                (SyncVar.iPut (done, ()); Scope.shield (fn () => CML.sync (CML.joinEvt watcher)))
              val result = f () handle e => (over (); Scope.check (); raise e)
            in
              over ();
              result
            end

  (* Runs it with f for each row, until f gives NONE. *)
  fun each (STATEMENT {db, at, params, row = ty, runs}) f state params' =
    let
      val _ = address db
      val s = if !at = P.null then refuse (misuse, "the statement is finished") else !at
      val () = if !runs then refuse (misuse, "the statement runs already") else runs := true
      val step = stepOf db
      fun over () = (ignore (reset s); ignore (clear s); runs := false)
      fun loop state =
        case step s of
          100 =>
            (case f (#get ty (s, 0), state) of
               (state, true) => loop state
             | (state, false) => state)
        | 101 => state
        | code => check' code
      and check' code = refuse (code, cText (message (address db)))
    in
      let
        val () = check db (#put params (s, 1, params'))
        val result = interruptible db (fn () => loop state)
      in
        over ();
        result
      end
      handle e => (over (); raise e)
    end

  fun fold statement f = each statement (fn (row, state) => (f (row, state), true))
  fun rows statement params = rev (fold statement (op ::) [] params)
  fun first statement = each statement (fn (row, _) => (SOME row, false)) NONE
  fun run statement = each statement (fn ((), ()) => ((), true)) ()

  (* Each statement is prepared where the one before it has ended. *)
  fun execute db sql =
    let
      val c = address db
      val size = Word64.fromInt (size sql + 1)
      val text = malloc size
      val toC = _import "memcpy" leaf : P.t * string * Word64.word -> P.t;
      val _ = toC (text, sql ^ "\000", size)
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

  fun transaction db f =
    let
      val (start, finish, undo) =
        if isOutside (address db) then ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
        else ("SAVEPOINT leat", "RELEASE leat", "ROLLBACK TO leat; RELEASE leat")
      val () = execute db start
      (* SQLite may have ended it by itself, for a disk that is full. *)
      fun undone e = (execute db undo handle Error _ => (); raise e)
      val result = f () handle e => undone e
    in
      execute db finish handle e => undone e;
      result
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

  fun openFile (how as (_, {readOnly, ...})) =
    let
      val db = openPlain how
    in
      (if readOnly then () else execute db "PRAGMA journal_mode = WAL")
      handle e => (close db; raise e);
      db
    end
end
