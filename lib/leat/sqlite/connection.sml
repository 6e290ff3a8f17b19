(* SqliteConnection': connections; and calls of C that end when the thread's scope is cancelled. *)

structure SqliteConnection' =
struct
  open SqliteC'

  datatype mode = DIRECT | POOLED

  (* A call that uses a connection: whether it is to end; whether C runs for it, and nothing else of the connection is
     active. *)
  type call = {isOver : bool ref, isAlone : bool ref}

  (* its address; the first of its statements; its open blobs, each with memory for a piece; how many calls use it, so
     that it is not closed; how many calls of `transaction` are under way; those calls that use it, the innermost first
     (none where it is DIRECT); words for C about waiting (Busy); what lives as long as somebody has it *)
  datatype db =
    DB of
        {at : P.t ref,
         mode : mode,
         first : P.t ref,
         blobs : (P.t ref * P.t) list ref,
         running : int ref,
         depth : int ref,
         calls : call list SyncVar.mvar,
         busy : P.t,
         life : unit MLton.Finalizable.t}

  fun address (DB {at, ...}) =
    if !at = P.null then refuse (misuse, "the connection is closed") else !at

  (* A use: before it the connection is not closed by itself. *)
  fun touch (DB {life, ...}) = MLton.Finalizable.touch life
  (* What a call of C says of it. *)
  fun asked f db = f (address db) before touch db

  fun check db code = if code = ok then () else refuse (code, asked (cText o message) db)

  (* SQLite ends a transaction by itself where it cannot go on: when a statement that writes was interrupted, when
     the disk is full, for ON CONFLICT ROLLBACK; or the function has said COMMIT. What it does after that would be done
     at once, and for good. *)
  fun checkTransaction (db as DB {depth, ...}) =
    if !depth > 0 andalso asked isOutside db then
      refuse (aborted,
              "the transaction is over: a statement that failed has undone it, \
              \or it was ended by COMMIT or ROLLBACK")
    else ()

  (* -- the end of a connection *)

  (* open connections, each of which has descriptors *)
  val least = 32
  val connections = Outside'.account (least, fn () => least)
  fun oneMore () = Outside'.hold (connections, 1)
  fun oneLess () = Outside'.release (connections, 1)

  (* Ends a connection that nobody uses, with all that it has. What a blob's writer has written is committed here, which
     may fail: the code of that. *)
  fun shut {at, mode, first, blobs, busy} =
    let
      val db = !at
      val () = at := P.null
      val (closeBlob, close) =
        case mode of
          DIRECT => (Busy.waitAlone (db, busy); (blobClose, closeV2))
        | POOLED => (blobClosePooled, closePooled)
      fun ended ((blob, piece), code) =
        let
          val now = closeBlob (!blob)
        in
          blob := P.null;
          free piece;
          if code = ok then now else code
        end
      val code = List.foldl ended ok (!blobs)
      fun all r =
        if r = P.null then ()
        else let val behind = P.getPointer (r, Rows.behind) in Rows.drop r; all behind end
    in
      blobs := [];
      all (!first);
      ignore (close db);
      free busy;
      oneLess ();
      code
    end

  fun connect (path, mode, flags, busy) =
    let
      val () = oneMore ()
      val at = ref P.null
      val path = path ^ "\000"
      val milliseconds = Int.fromLarge (Time.toMilliseconds busy) handle Overflow => 0x7fffffff
      val milliseconds = Int.max (0, Int.min (milliseconds, 0x7fffffff))
      val busy = Busy.new milliseconds
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
            free busy;
            oneLess ();
            refuse (code, text)
          end
      val (first, blobs, life) = (ref P.null, ref [], MLton.Finalizable.new ())
      val () = Outside'.awaitEnd ()
      (* It must not hold the connection, in which `life` is. What the program can reach at its end may be under way in C;
         the system closes that. *)
      fun lost () =
        if Outside'.isEnding () orelse !at = P.null then ()
        else
          ignore (shut {at = at, mode = mode, first = first, blobs = blobs, busy = busy})
    in
      MLton.Finalizable.addFinalizer (life, lost);
      ignore (extended (!at, 1));
      case mode of DIRECT => Busy.never (!at, busy) | POOLED => Busy.wait (!at, busy);
      DB {at = at,
          mode = mode,
          first = first,
          blobs = blobs,
          running = ref 0,
          depth = ref 0,
          calls = SyncVar.mVarInit [],
          busy = busy,
          life = life}
    end

  fun openPlain (path, {mode, readOnly, busy}) =
    if CharVector.exists (fn c => c = #"\000") path then
      refuse (misuse, "a file's name has no zero byte")
    (* SQLITE_OPEN_READONLY, or _READWRITE and _CREATE *)
    else connect (path, mode, if readOnly then 1 else 6, busy)

  fun inMemory () = connect (":memory:", DIRECT, 6, Time.zeroTime)

  fun close (db as DB {at, mode, first, blobs, running, busy, ...}) =
    if !at = P.null then ()
    else if !running > 0 then refuse (misuse, "a statement of the connection runs")
    else
      let
        val code = shut {at = at, mode = mode, first = first, blobs = blobs, busy = busy}
      in
        touch db;
        if code = ok then () else refuse (code, cText (codeText code))
      end

  fun interrupt (db as DB {mode, busy, ...}) =
    (asked interruptC db;
     case mode of DIRECT => Busy.tell (busy, true) | POOLED => ())
  val changes = asked changesC
  val lastRow = asked lastRowC

  (* -- calls that are interrupted

     Calls of one connection are nested: the function of a `fold` asks something else, in a scope of its own or
     shielded. sqlite3_interrupt ends all statements that are active in a connection, and stays in force until none is.
     So it is only for a call beside which nothing is active; it ends also what takes long in one step of a statement,
     such as a check of a whole table. Any call ends by the word that SQLite reads each so many steps, and while it
     waits for a lock: the word is that of the innermost call. *)

  fun change (DB {mode = DIRECT, ...}) _ = ()
    | change (DB {mode = POOLED, calls, busy, ...}) f =
        Scope.shield (fn () =>
          let
            val now = f (SyncVar.mTake calls)
          in
            Busy.tell (busy, case now of {isOver, ...} :: _ => !isOver | [] => false);
            SyncVar.mPut (calls, now)
          end)

  (* Has C run for a call. Behind it a statement may be active for which sqlite3_interrupt is in force: `goOn` comes
     before anything else is done with the connection. *)
  fun alone (DB {mode = POOLED, running = ref 1, blobs = ref [], ...}, {isAlone, ...} : call) f =
        let
          val _ = Unsafe.Wait.swap (isAlone, false, true)
          val result = f ()
          val _ = Unsafe.Wait.swap (isAlone, true, false)
        in
          result
        end
    | alone _ f = f ()

  (* In a scope that is cancelled a call does not go on. *)
  fun goOn (DB {mode = DIRECT, ...}) = ()
    | goOn (DB {mode = POOLED, ...}) = Scope.check ()

  val again = Time.fromMilliseconds 2

  (* Does f for a call, and ends that when the scope is cancelled, or was. sqlite3_interrupt is called until f ends,
     since a statement that begins just then forgets it. The thread that does this has ended when this comes back: it
     has the address of the connection. *)
  fun interrupting (DB {mode = DIRECT, ...}, call) f = f call
    | interrupting (db as DB {mode = POOLED, at, ...}, call as {isOver, isAlone}) f =
        case if Scope.isShielded () then NONE else Scope.current () of
          NONE => f call
        | SOME scope =>
            let
              val c = !at
              val done = SyncVar.iVar ()
              fun set yes = change db (fn calls => (isOver := yes; calls))
              fun interrupts () =
                (if Unsafe.Wait.look isAlone then interruptC c else ();
                 CML.select [SyncVar.iGetEvt done, CML.wrap (CML.timeOutEvt again, interrupts)])
              val watcher =
                CML.spawn (fn () =>
                  CML.select [SyncVar.iGetEvt done,
                              CML.wrap (Scope.cancelled scope, fn _ => (set true; interrupts ()))])
              fun over () =
                (SyncVar.iPut (done, ());
                 Scope.shield (fn () => CML.sync (CML.joinEvt watcher));
                 set false)
            in
              Scope.finally (fn () => f call, over) handle e => (Scope.check (); raise e)
            end

  (* What f does with the connection, and then `clean`; it is not closed meanwhile. *)
  fun keeping (db as DB {running, ...}) (f, clean) =
    let
      val call as {isOver, ...} : call = {isOver = ref false, isAlone = ref false}
      fun others ({isOver = other, ...} : call) = other <> isOver
      fun over () =
        (clean ();
         change db (List.filter others);
         running := !running - 1;
         touch db)
    in
      running := !running + 1;
      change db (fn calls => call :: calls);
      Scope.finally (fn () => interrupting (db, call) f, over)
    end

  (* What comes before a call that does not begin in a scope that is cancelled. *)
  fun begin db = (ignore (address db); goOn db)

  (* What f does, and then `clean`, also when the call does not begin. *)
  fun interruptible db (f, clean) =
    (begin db handle e => (clean (); raise e);
     keeping db (f, clean))

  (* -- locks that another connection has

     POOLED: SQLite waits, on an OS thread on which nothing else runs. DIRECT: it would wait on a worker, and the thread
     that has the lock could not go on there. So it is told not to wait, and answers SQLITE_BUSY; the thread sleeps, as
     long as SQLite would have, and begins anew what it was to do.

     That is so where SQLite has asked whether to wait. It does not ask where that would not help: when a transaction
     that has read is to write, and another one has written or is about to. *)

  (* SQLite's own, in milliseconds; from the last one on all are alike. *)
  val pauses = [1, 2, 5, 10, 15, 20, 25, 25, 25, 50, 50, 100]

  (* What f answers, which begins something of SQLite's; when that is SQLITE_BUSY, nothing of it is done. *)
  fun patiently (DB {mode = POOLED, ...}) f = f ()
    | patiently (DB {mode = DIRECT, busy, ...}) f =
        let
          fun attempt pauses waited =
            let
              val () = Busy.begin busy
              val code = f ()
              val left = Busy.milliseconds busy - waited
            in
              if isLocked code andalso Busy.hasAsked busy andalso left > 0 then
                sleep pauses waited left
              else code
            end
          and sleep pauses waited left =
            let
              val pause = Int.min (hd pauses, left)
            in
              Busy.tell (busy, false);
              CML.sync (CML.timeOutEvt (Time.fromMilliseconds (Int.toLarge pause)));
              if Busy.isTold busy then refuse (interrupted, cText (codeText interrupted)) else ();
              attempt (if List.null (tl pauses) then pauses else tl pauses) (waited + pause)
            end
        in
          attempt pauses 0
        end

  (* What cannot be begun anew, so that SQLite waits by itself. In a file with a log it has the locks that it needs by
     then. *)
  fun onceOnly (DB {mode = POOLED, ...}) f = f ()
    | onceOnly (DB {mode = DIRECT, at, busy, ...}) f =
        let
          val () = Busy.waitAlone (!at, busy)
          fun over () = Busy.never (!at, busy)
          val result = f () handle e => (over (); raise e)
        in
          over ();
          result
        end
end
