(* Sqlite: databases in a file, by the system's SQLite.

   A statement is a value that knows the types of its parameters and of its rows; so what a program puts into one is
   never part of its text. *)

signature SQLITE =
sig
  exception Error of {code : int, message : string}
  (* What SQLite answers: its extended result code, and its text. Code 5 (with what is added above 255) is a database
     that another connection has locked, 19 a constraint that does not hold. Code 21 is also a use that this structure
     refuses: of a connection that is closed, of a statement with other parameters or columns than its types say; a
     prepared `select *` has others when its table has changed. *)

  (* -- connections *)

  type db
  (* A connection. One thread at a time uses it; threads that work beside each other have a connection each. When the
     program can reach neither it nor a statement or blob of it any more, it is closed, though not at once. *)

  datatype mode = DIRECT | POOLED
  (* POOLED: what may wait for the disk or a lock runs beside the other threads, see `blocking` in the reference of
     foreign functions; and when the scope of the thread is cancelled, what SQLite does for it ends. Other statements of
     the connection, such as a `fold` around it, go on. DIRECT: they wait for the disk, and each call is cheaper: for
     databases that are small, or in memory. For a lock the thread alone waits, in both modes, and that wait ends when
     its scope is cancelled. *)

  val openFile : string * {mode : mode, readOnly : bool, busy : Time.time} -> db
  (* Opens a file, which is made if it is not there and may be written. `busy` is how long to wait for a lock that
     another connection has; then Error is raised, code 5. It is raised at once where a wait could not help: when a
     transaction that has read is to write, and meanwhile another connection has written or is about to
     (`transaction` takes the lock for writing at its beginning). A file that may be written has a log beside it from
     then on (WAL): who reads does not wait for who writes. *)
  val inMemory : unit -> db
  (* A database that is gone when it is closed; DIRECT. *)
  val close : db -> unit
  (* Ends the connection, and all of its statements and blobs; nothing more can be asked of them. Raises Error while
     another thread uses it, or in a function that is given rows; also when it has ended, but what was written to a blob
     could not be committed. Closing it again does nothing. *)
  val interrupt : db -> unit
  (* Another thread calls this: the statement that runs ends with Error, code 9. So do all others of the connection that
     have begun, such as a `fold` around it, and those that begin before all of these are over and no blob is open. *)

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
  (* One thread at a time runs it, and not in a function that is given its rows: else Error is raised, code 21. *)

  val prepare : db -> 'p ty * 'r ty -> string -> ('p, 'r) statement
  (* A statement of the types of its parameters and rows; it may be run any number of times. The text has one statement:
     several of them, or a zero byte, raise Error, code 21. *)
  val finish : ('p, 'r) statement -> unit
  (* Gives its memory back. Raises Error while it runs. *)
  val fold : ('p, 'r) statement -> ('r * 'a -> 'a) -> 'a -> 'p -> 'a
  (* From the first row to the last. SQLite computes some rows ahead, at most 64 KiB of them: so the function may see a
     row as it was before what it has changed itself. *)
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
     can do no more in it: each further statement raises Error, code 4. So it is when the function itself has ended the
     transaction, by COMMIT or ROLLBACK. *)
  val migrate : db -> string list -> unit
  (* Brings a database to the newest form: runs those of the texts that it has not seen yet, each in a transaction.
     How many it has seen is kept in it (`PRAGMA user_version`); so texts are only added at the end. A database that
     has seen more than there are is of a newer program, and raises Error, code 20; likewise where that number is below
     0. *)
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
  open SqliteC'
  open SqliteConnection'
  open SqliteTypes'
  open SqliteStatements'
  open SqliteBlobs'

  fun openFile (how as (_, {readOnly, ...})) =
    let
      val db = openPlain how
    in
      (if readOnly then () else execute db "PRAGMA journal_mode = WAL")
      handle e => (close db; raise e);
      db
    end

  (* -- transactions *)

  fun transaction (db as DB {depth, ...}) f =
    let
      val (start, finish, undo) =
        if asked isOutside db then ("BEGIN IMMEDIATE", "COMMIT", "ROLLBACK")
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
          if seen < 0 then
            refuse (mismatch,
                    "the database is of another program: its user_version is -"
                    ^ Int.toString (~ seen))
          else if seen > count then
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
end
