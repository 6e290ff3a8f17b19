(* SqliteConnection': connections; and calls of C that end when the thread's scope is cancelled. *)

structure SqliteConnection' =
struct
  open SqliteC'

  datatype mode = DIRECT | POOLED

  (* its address; the first of its statements; how many calls use it, so that it is not closed; how many calls of
     `transaction` are under way; two words for who waits for a lock (null where it is DIRECT) *)
  datatype db =
    DB of
        {at : P.t ref, mode : mode, first : P.t ref, running : int ref, depth : int ref, busy : P.t}

  fun address (DB {at, ...}) =
    if !at = P.null then refuse (misuse, "the connection is closed") else !at

  fun check db code = if code = ok then () else refuse (code, cText (message (address db)))

  (* SQLite ends a transaction by itself where it cannot go on: when a statement that writes was interrupted, when
     the disk is full, for ON CONFLICT ROLLBACK; or the function has said COMMIT. What it does after that would be done
     at once, and for good. *)
  fun checkTransaction (db as DB {depth, ...}) =
    if !depth > 0 andalso isOutside (address db) then
      refuse (aborted,
              "the transaction is over: a statement that failed has undone it, \
              \or it was ended by COMMIT or ROLLBACK")
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
           ignore (busyHandler (!at, busyWait, busy)));
      DB {at = at, mode = mode, first = ref P.null, running = ref 0, depth = ref 0, busy = busy}
    end

  fun openPlain (path, {mode, readOnly, busy}) =
    if CharVector.exists (fn c => c = #"\000") path then
      refuse (misuse, "a file's name has no zero byte")
    (* SQLITE_OPEN_READONLY, or _READWRITE and _CREATE *)
    else connect (path, mode, if readOnly then 1 else 6, busy)

  fun inMemory () = connect (":memory:", DIRECT, 6, Time.zeroTime)

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
        (* The connection itself lives on while it has blobs: these do not wait for locks any more. *)
        ignore (timeoutC (db, 0));
        ignore (case mode of DIRECT => closeV2 db | POOLED => closePooled db);
        free busy
      end

  fun interrupt db = interruptC (address db)
  fun changes db = changesC (address db)
  fun lastRow db = lastRowC (address db)

  val again = Time.fromMilliseconds 2

  (* Calls f, and interrupts SQLite when the scope is cancelled, or was: until f ends, since a statement that
     begins just then forgets that it was interrupted. The thread that does this has ended when this comes back: it
     has the address of the connection. *)
  fun interrupting (DB {mode = DIRECT, ...}) f = f ()
    | interrupting (DB {mode = POOLED, at, busy, ...}) f =
        case if Scope.isShielded () orelse !at = P.null then NONE else Scope.current () of
          NONE => f ()
        | SOME scope =>
            let
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

  (* What f does with the connection, and then `clean`; it is not closed meanwhile. *)
  fun keeping (db as DB {running, ...}) (f, clean) =
    (running := !running + 1;
     Scope.finally (fn () => interrupting db f, fn () => (clean (); running := !running - 1)))

  (* What comes before a call that does not begin in a scope that is cancelled. *)
  fun begin (db as DB {mode, ...}) =
    (ignore (address db);
     case mode of DIRECT => () | POOLED => Scope.check ())

  fun interruptible db (f, clean) = (begin db; keeping db (f, clean))
end
