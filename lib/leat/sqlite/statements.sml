(* SqliteStatements': SQL and the types of its parameters and rows -> statements, and these run. *)

structure SqliteStatements' =
struct
  open SqliteC'
  open SqliteConnection'
  open SqliteTypes'

  datatype ('p, 'r) statement =
    STATEMENT of {db : db, rows : P.t ref, params : 'p ty, row : 'r ty, runs : bool ref}

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

  fun same (what, n, wanted, why) =
    if n = wanted then ()
    else
      refuse (misuse,
              concat ["the statement has ",
                      Int.toString n,
                      " ",
                      what,
                      ", and its type ",
                      Int.toString wanted,
                      why])

  (* The first statement at an address, and the address behind it. SQLite reads the schema, which may be locked. *)
  fun prepareAt (db as DB {mode, ...}, text, at, rest) =
    let
      val call = case mode of DIRECT => prepareC | POOLED => preparePooled
    in
      check db (patiently db (fn () => call (address db, text, ~1, at, rest)))
    end

  fun isEnd text = P.getWord8 (text, 0) = 0w0

  fun prepare (db as DB {first, ...}) (params : 'p ty, row : 'r ty) sql =
    let
      val at = ref P.null
      val _ = address db
      val text = textOf sql
      (* One statement, and nothing behind it but blanks and comments. *)
      fun only () =
        let
          val (rest, second) = (ref P.null, ref P.null)
        in
          prepareAt (db, text, at, rest);
          if !at = P.null then refuse (misuse, "there is no statement in: " ^ sql) else ();
          if isEnd (!rest) then () else prepareAt (db, !rest, second, ref P.null);
          if !second = P.null then ()
          else
            (ignore (finalize (!second));
             refuse (misuse, "there are several statements in: " ^ sql))
        end
      fun drop () = (ignore (finalize (!at)); touch db)
      val () =
        interruptible db (fn _ => only (), fn () => free text) handle e => (drop (); raise e)
      val (paramCount, columnCount) = (size (#letters params), size (#letters row))
      val () =
        (same ("parameters", parameters (!at), paramCount, ": " ^ sql);
         same ("columns", columns (!at), columnCount, ": " ^ sql))
        handle e => (drop (); raise e)
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
      touch db;
      STATEMENT {db = db, rows = ref rows, params = params, row = row, runs = ref false}
    end

  (* Who uses a statement has it for himself: no other thread comes between this look and what is set by it. *)
  fun claim (runs, message) =
    if Unsafe.Wait.swap (runs, false, true) then () else refuse (misuse, message)
  fun yield runs = ignore (Unsafe.Wait.swap (runs, true, false))

  fun finish (STATEMENT {db as DB {at, first, ...}, rows, runs, ...}) =
    let
      val () = claim (runs, "the statement runs")
      val r = !rows
    in
      rows := P.null;
      (* It may have ended with its connection. *)
      if r = P.null orelse !at = P.null then () else (Rows.unlink (r, first); Rows.drop r);
      touch db;
      yield runs
    end

  fun paramCount r = P.getInt64 (r, Rows.paramCount)

  fun stepOf (DB {mode = DIRECT, ...}) = step
    | stepOf (DB {mode = POOLED, ...}) = stepPooled

  (* A statement that is given up in the midst; what it has changed is committed. *)
  fun giveUp (db as DB {mode, ...}, r) =
    let
      val call = case mode of DIRECT => reset | POOLED => resetPooled
    in
      ignore (onceOnly db (fn () => call (P.getPointer (r, Rows.statement))))
    end

  (* Does something with the words of a statement, which nobody else uses meanwhile. *)
  fun using (STATEMENT {db, rows, runs, ...}) f =
    let
      val () = begin db
      val () = claim (runs, "the statement runs already")
      val r = !rows
      val () =
        (if r = P.null then refuse (misuse, "the statement is finished") else ();
         checkTransaction db)
        handle e => (yield runs; raise e)
      val isDone = ref false
      fun all call = f (call, r) before isDone := true
      (* A function of the program may say CML.exit. Of a statement that is over already this reset does nothing. *)
      fun over () = (if !isDone then () else giveUp (db, r); yield runs)
    in
      keeping db (all, over)
    end

  (* SQLite prepares a statement once more when a table has changed; `select *` has other columns then. *)
  fun sameColumns r =
    same ("columns",
          columns (P.getPointer (r, Rows.statement)),
          P.getInt64 (r, Rows.columnCount),
          "; a table has changed since it was prepared")

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
    using statement (fn (call, r) =>
      let
        val next = case mode of DIRECT => rowsC | POOLED => rowsPooled
        fun step () = Word64.toInt (alone (db, call) (fn () => next r))
        fun code () = P.getInt64 (r, Rows.code)
        fun first state =
          let
            val count = ref 0
            fun attempt () =
              (P.setWord64
                 (r, Rows.state, if only then Word64.orb (Rows.begins, Rows.ends) else Rows.begins);
               count := step ();
               code ())
          in
            rows (patiently db attempt, !count, state)
          end
        and batch state = let val count = onceOnly db step in rows (code (), count, state) end
        and rows (code, count, state) =
          let
            val error = failed db code
          in
            if code = row then goOn db else ();
            if count > 0 orelse not (isSome error) then sameColumns r else ();
            read (P.getPointer (r, Rows.room), 0, count, code, error, state)
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
        and stop code = if code = row then giveUp (db, r) else ()
      in
        put ({rows = r, at = ref 0}, params);
        P.setInt64 (r, Rows.most, if only then 1 else 16);
        first state
      end)

  fun fold statement f = each statement false (fn (row, state) => (f (row, state), true))
  fun rows statement params = rev (fold statement (op ::) [] params)
  fun first statement = each statement true (fn (row, _) => (SOME row, false)) NONE
  fun run statement = each statement false (fn ((), ()) => ((), true)) ()

  fun runAll (statement as STATEMENT {db as DB {mode, ...}, params = {put, ...}, ...}) list =
    using statement (fn (call, r) =>
      let
        val runs = case mode of DIRECT => runC | POOLED => runPooled
        val at = ref 0
        val out = {rows = r, at = at}
        (* Those that are done are not done again. *)
        fun send count =
          let
            val done = ref 0
            fun attempt () =
              let
                val () = P.setInt64 (r, Rows.most, count)
                val () = done := Word64.toInt (alone (db, call) (fn () => runs r))
                val code = P.getInt64 (r, Rows.code)
              in
                if mode = DIRECT andalso isLocked code andalso !done > 0 then ok else code
              end
            val code = patiently db attempt
          in
            if code = ok then (drop (out, !done * paramCount r); send (count - !done))
            else
              case failed db code of
                SOME e => raise e
              | NONE => at := 0
          end
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
      val _ = address db
      val text = textOf sql
      val step = stepOf db
      fun ends 101 = ()
        | ends code = refuse (code, cText (message (address db)))
      fun next (call, s) = alone (db, call) (fn () => step s)
      fun drain (call, s) =
        let
          fun rest 100 = rest (onceOnly db (fn () => next (call, s)))
            | rest code = ends code
          fun begin () =
            let
              val code = next (call, s)
            in
              if isLocked code then reset s else code
            end
        in
          rest (patiently db begin)
        end
      fun from call at =
        let
          val () = goOn db
          val (s, rest) = (ref P.null, ref P.null)
        in
          prepareAt (db, at, s, rest);
          if !s = P.null then ()
          else
            ((drain (call, !s) handle e => (ignore (finalize (!s)); raise e));
             ignore (finalize (!s)));
          if isEnd (!rest) then () else from call (!rest)
        end
    in
      interruptible db (fn call => from call text, fn () => free text)
    end
  fun execute db sql = (checkTransaction db; executeAnyway db sql)
end
