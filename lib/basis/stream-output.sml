(* StreamOutput': output streams, over writers; and the list of those that are flushed when the program ends. For the
   library.

   A stream has a buffer. It goes to the writer when it is full, behind each line, or behind each call, as the buffer
   mode says. Most calls find room in the buffer: for these, `output` and `output1` begin with a quick way of a few
   instructions. All else is done with the stream's lock taken (stream-lock.sml), by `add` and what it calls.

   The buffer of standard output is the runtime's, and standard error has none: these streams are Direct. *)

(* Streams that are to be flushed when the program ends: a list, the youngest first, from which each can be taken out at
   once. *)
structure OpenStreams' =
struct
  datatype entry =
      END
    | ENTRY of
        {name : string,
         flush : unit -> unit,
         (* whether it goes to a peer, who may never read *)
         isToPeer : unit -> bool,
         ahead : entry ref,
         behind : entry ref}
  val live = ref END
  (* whether there has been one *)
  val isUsed = ref false
  val lock = Lock'.new ()
  (* set when the program ends: nothing is buffered any more *)
  val ending = ref false

  (* Nobody else hears of it; but who has read the other end of a pipe, and ended, does not miss it. *)
  fun isLost (IO.Io {cause = OS.SysErr (_, SOME e), ...}) = OS.errorName e <> "pipe"
    | isLost _ = true
  fun complain e =
    PrimOutput'.print_err
      (case e of
         IO.Io {name, cause = OS.SysErr (why, _), ...} =>
           concat ["cannot write to \"", name, "\" at the end of the program: ", why, "\n"]
       | IO.Io {name, ...} =>
           concat ["cannot write to \"", name, "\" at the end of the program\n"]
       | _ => "cannot write all output at the end of the program\n")
  fun complainOfPeers [] = ()
    | complainOfPeers (name :: others) =
        PrimOutput'.print_err (concat ["cannot write to \"",
                                       name,
                                       "\"",
                                       case length others of
                                         0 => ""
                                       | n => concat [" and ", Int.toString n, " more"],
                                       " at the end of the program: the other side does not read\n"])

  (* how long the end of the program waits for all peers together *)
  val patience = Time.fromSeconds 2

  (* Something done in a thread of its own, and what is set then. *)
  fun beside f =
    let
      val done = Event'.condition ()
    in
      ignore (Thread.spawn (fn () => (f (); Event'.set done)));
      done
    end
  (* Those that are not done in time. *)
  fun late [] = []
    | late threads =
        let
          val over = Event'.condition ()
          fun isLate (_, done) =
            (Event'.select [Event'.conditionEvt (done, ParkReason'.join),
                            Event'.conditionEvt (over, ParkReason'.sleep)];
             not (Event'.isSet done))
        in
          ignore (Thread.spawn (fn () => (Thread.sleep patience; Event'.set over)));
          List.filter isLate threads
        end

  (* The streams to peers are flushed by a thread each, which may wait for the peer, or for a call of another thread that
     does, and is left when the time is over. All others are waited for. *)
  fun flushAll () =
    let
      val isComplete = ref true
      fun one flush =
        flush ()
        handle e => if isLost e then (complain e; isComplete := false) else ()
      fun go (END, peers) = peers
        | go (ENTRY {name, flush, isToPeer, behind, ...}, peers) =
            let
              val next = !behind
            in
              if isToPeer () then go (next, (name, beside (fn () => one flush)) :: peers)
              else (one flush; go (next, peers))
            end
      (* Behind the lock: who adds a stream afterwards sees that the end has begun. *)
      fun first () =
        let
          val () = Lock'.take lock
          val entry = !live
        in
          Lock'.release lock;
          entry
        end
      fun isUnderWay (_, done) = not (Event'.isSet done)
    in
      ending := true;
      complainOfPeers (map #1 (late (List.filter isUnderWay (go (first (), [])))));
      if !isComplete then () else OS.Process.exit OS.Process.failure
    end

  fun add {name, flush, isToPeer} =
    let
      val () = Lock'.take lock
      val entry =
        ENTRY {name = name,
               flush = flush,
               isToPeer = isToPeer,
               ahead = ref END,
               behind = ref (!live)}
      val isFirst = not (!isUsed)
    in
      case !live of
        ENTRY {ahead, ...} => ahead := entry
      | END => ();
      live := entry;
      isUsed := true;
      Lock'.release lock;
      if isFirst then OS.Process.atExit flushAll else ();
      entry
    end
  (* Once. *)
  fun remove END = ()
    | remove (ENTRY {ahead, behind, ...}) =
        (Lock'.take lock;
         (case !behind of
            ENTRY {ahead = other, ...} => other := !ahead
          | END => ());
         (case !ahead of
            ENTRY {behind = other, ...} => other := !behind
          | END => live := !behind);
         Lock'.release lock)
end

functor StreamOutput' (include STREAM_ELEMENTS') =
struct
  open StreamState'
  type writer = PrimIO.writer
  type vector = PrimIO.vector
  type pos = PrimIO.pos

  (* first in a function's body: it stays a function of its own *)
  val noinline = PrimFunctions'.noinline

  (* `quick` and `guard` are the lock's. The quick way fills the buffer up to `quick`: to its end, or not at all
     (`shut`), when there is more to do than that. *)
  datatype outstream =
      Out of
          {name : string,
           writer : writer,
           writeVec : PrimIO.vector_slice -> int,
           writeArr : PrimIO.array_slice -> int,
           buffer : PrimIO.array,
           size : int,
           (* of a long vector: what was not written when the call was cancelled, from here on; it comes before the buffer *)
           rest : (vector * int) option ref,
           used : int ref,
           quick : int ref,
           guard : Lock'.lock,
           lock : StreamLock'.lock,
           mode : IO.buffer_mode ref,
           state : state ref,
           id : OpenStreams'.entry ref}
    (* the runtime has the buffer *)
    | Direct of
        {name : string,
         fd : int,
         write : vector -> unit,
         flush : unit -> unit,
         close : unit -> unit,
         (* NONE: as the runtime does it, which writes at a line's end on a terminal *)
         mode : IO.buffer_mode option ref,
         state : state ref}
  datatype out_pos = At of outstream * pos

  fun descriptorOut (Direct {fd, ...}) = SOME fd
    | descriptorOut (Out {writer = PrimIO.WR {ioDesc = SOME d, ...}, ...}) =
        SOME (OSPrim'.ofIodesc d)
    | descriptorOut _ = NONE

  fun direct {name, fd, write, flush, close, mode} =
    Direct {name = name,
            fd = fd,
            write = write,
            flush = flush,
            close = close,
            mode = ref mode,
            state = ref Open}

  fun isCancelled Member'.Cancelled = true
    | isCancelled _ = false

  (* How many of n elements a writer has taken. A writer of the program's own may say anything. *)
  fun taken (k, n) = if k < 0 orelse k > n then raise Subscript else k

  (* A vector from there on. If it is cancelled when part of it was written, the rest stays: half a line would be glued to
     the next one. What stands in `rest` stays there whatever the cause, as what is in the buffer. *)
  fun writeFrom (Out {writeVec, rest, ...}, v, from) =
        let
          val n = length v
          fun go i =
            if i < n then
              let
                val k =
                  taken (writeVec (part (v, i, n - i)), n - i)
                  handle cause =>
                      (if i > 0 andalso (from > 0 orelse isCancelled cause) then rest := SOME (v, i)
                       else ();
                       raise cause)
              in
                go (i + k)
              end
            else ()
        in
          go from
        end
    | writeFrom _ = ()

  (* Writes the buffer out. What a failed write has left stays for the next. *)
  fun drain (stream as Out {writeArr = write, buffer, rest, used, ...}) =
        let
          val () =
            case !rest of
              SOME (v, from) => (rest := NONE; writeFrom (stream, v, from))
            | NONE => ()
          val n = !used
          fun go i =
            if i < n then
              let
                val k =
                  taken (write (partOfArray (buffer, i, n - i)), n - i)
                  handle cause => (shift (buffer, i, n - i); used := n - i; raise cause)
              in
                go (i + k)
              end
            else used := 0
        in
          if n = 0 then () else go 0
        end
    | drain (Direct _) = ()
  fun flushAs function stream =
    case stream of
      Out {name, ...} =>
        (drain stream
         handle cause => failed (name, function, cause))
    | Direct {name, flush, ...} => flush () handle cause => failed (name, function, cause)

  fun stateOf (Out {state, ...}) = !state
    | stateOf (Direct {state, ...}) = !state
  fun isOpen stream = stateOf stream = Open
  fun nameOf (Out {name, ...}) = name
    | nameOf (Direct {name, ...}) = name
  fun check (stream, function) =
    if isOpen stream then () else failed (nameOf stream, function, IO.ClosedStream)

  val shut = ~1
  fun reach (size, mode, state) =
    if isPlain andalso state = Open andalso mode = IO.BLOCK_BUF andalso not (!OpenStreams'.ending)
    then size
    else shut

  (* f alone in the stream; afterwards the stream may be another one *)
  fun alone (Out {lock as {kept, ...}, size, mode, state, ...}) f =
        StreamLock'.alone lock (fn () =>
          let
            fun settle () = kept := reach (size, !mode, !state)
            val x = f () handle e => (settle (); raise e)
          in
            settle ();
            x
          end)
    | alone (Direct _) f = f ()

  fun flushOut stream =
    alone stream (fn () => if isOpen stream then flushAs "flushOut" stream else ())

  (* At the end of the program. A call that is under way and has given nothing to the buffer is not waited for. *)
  fun flushAtEnd (stream as Out {lock, rest, used, ...}) =
        (case StreamLock'.attempt lock of
           NONE => if !used = 0 andalso not (isSome (!rest)) then () else flushOut stream
         | SOME turn => StreamLock'.within (lock, turn, fn () => flushOut stream))
    | flushAtEnd stream = flushOut stream
  (* A socket's peer. A descriptor that was closed has none. *)
  fun isToPeer (PrimIO.WR {ioDesc, ...}) () =
    case ioDesc of
      SOME desc => (OS.IO.kind desc = OS.IO.Kind.socket handle OS.SysErr _ => false)
    | NONE => false

  fun make (writer as PrimIO.WR {name, chunkSize, ...}, writeVec, writeArr, mode) =
    let
      val size = Int.max (1, chunkSize)
      val id = ref OpenStreams'.END
      val lock as {quick, guard, ...} = StreamLock'.new (reach (size, mode, Open), shut, name)
      val stream =
        Out {name = name,
             writer = writer,
             writeVec = writeVec,
             writeArr = writeArr,
             buffer = newArray size,
             size = size,
             rest = ref NONE,
             used = ref 0,
             quick = quick,
             guard = guard,
             lock = lock,
             mode = ref mode,
             state = ref Open,
             id = id}
    in
      id :=
        OpenStreams'.add
          {name = name, flush = fn () => flushAtEnd stream, isToPeer = isToPeer writer};
      (* from here on nothing is buffered *)
      if !OpenStreams'.ending then alone stream (fn () => ()) else ();
      stream
    end
  (* a writer that has all its operations *)
  fun openWriter (writer as PrimIO.WR {name, writeVec, writeArr, ...}, mode) =
    case (writeVec, writeArr) of
      (SOME writeVec, SOME writeArr) => make (writer, writeVec, writeArr, mode)
    | _ => failed (name, "mkOutstream", IO.BlockingNotSupported)
  fun mkOutstream (writer, mode) =
    let
      val PrimIO.WR {name, writeVec, writeArr, ...} = PrimIO.augmentWriter writer
    in
      case (writeVec, writeArr) of
        (SOME writeVec, SOME writeArr) => make (writer, writeVec, writeArr, mode)
      | _ => failed (name, "mkOutstream", IO.BlockingNotSupported)
    end

  (* The names of the functions that take the lock are those that a program calls, for reports. *)
  fun add (_, Direct _, _) = ()
    | add (function, stream as Out {name, buffer, size, used, mode, ...}, v) =
        (check (stream, function);
         let
           val n = length v
           val at = !used
         in
           (if n <= size - at then (copy (v, 0, buffer, at, n); used := at + n)
            else
              (drain stream;
               if n < size then (copy (v, 0, buffer, 0, n); used := n)
               else writeFrom (stream, v, 0));
            case !mode of
              IO.BLOCK_BUF => if !OpenStreams'.ending then drain stream else ()
            | IO.NO_BUF => drain stream
            | IO.LINE_BUF => if lineEnd (v, 0, length v) >= 0 then drain stream else ())
           handle cause => failed (name, function, cause)
         end)
  fun output' (stream, v) = (noinline (); alone stream (fn () => add ("output", stream, v)))
  fun output1' (stream, v) = (noinline (); alone stream (fn () => add ("output1", stream, v)))

  (* Of the stream whose buffer the runtime has. *)
  fun give (function, stream as Direct {name, write, flush, mode, ...}, v) =
        (check (stream, function);
         (write v;
          case !mode of
            SOME IO.NO_BUF => flush ()
          | SOME IO.LINE_BUF => if lineEnd (v, 0, length v) >= 0 then flush () else ()
          | _ => ())
         handle cause => failed (name, function, cause))
    | give _ = ()

  fun output (stream as Out {buffer, used, quick, guard, ...}, v) =
        let
          val n = length v
          val () = Thread.atomicBegin ()
          val at = !used
        in
          if n <= Bits'.minus (!quick, at) andalso Lock'.isOwn guard then
            (copy (v, 0, buffer, at, n); used := Bits'.plus (at, n); Thread.atomicEnd ())
          else (Thread.atomicEnd (); output' (stream, v))
        end
    | output (stream, v) = give ("output", stream, v)

  (* one : makes a vector of an element *)
  fun output1 (stream as Out {buffer, used, quick, guard, ...}, x) =
        let
          val () = Thread.atomicBegin ()
          val at = !used
        in
          if at < !quick andalso Lock'.isOwn guard then
            (set (buffer, at, x); used := Bits'.plus (at, 1); Thread.atomicEnd ())
          else (Thread.atomicEnd (); output1' (stream, one x))
        end
    | output1 (stream, x) = give ("output1", stream, one x)

  fun closeOut stream = alone stream (fn () => close stream)
  and close stream =
    if stateOf stream = Closed then ()
    else
      (* What cannot be written stays, and the stream open: the program may try again. A truncated stream has nothing to
         be written, and is a handle of the writer that getWriter gave. *)
      (if isOpen stream then flushAs "closeOut" stream else ();
       case stream of
         Out {name, writer = PrimIO.WR {close, ...}, state, id, ...} =>
           (if isOpen stream then OpenStreams'.remove (!id) else ();
            state := Closed;
            close () handle cause => failed (name, "closeOut", cause))
       | Direct {name, close, state, ...} =>
           (state := Closed;
            close () handle cause => failed (name, "closeOut", cause)))

  fun setBufferMode (stream, mode) =
    alone stream (fn () =>
      (if mode = IO.NO_BUF andalso isOpen stream then flushAs "flushOut" stream else ();
       case stream of
         Out {mode = cell, ...} => cell := mode
       | Direct {mode = cell, ...} => cell := SOME mode))
  fun getBufferMode (Out {mode, ...}) = !mode
    | getBufferMode (Direct {mode = ref (SOME mode), ...}) = mode
    | getBufferMode (Direct {fd, ...}) =
        if PrimFiles'.fd_isatty fd = 1 then IO.LINE_BUF else IO.BLOCK_BUF

  fun writerOf (Out {writer, ...}) = writer
    | writerOf (Direct {name, fd, ...}) = descriptor (name, fd)

  (* of a truncated stream once more *)
  fun getWriter stream =
    alone stream (fn () =>
      (case stateOf stream of
         Open => (flushAs "getWriter" stream; truncate stream)
       | Truncated => ()
       | Closed => failed (nameOf stream, "getWriter", IO.ClosedStream);
       (writerOf stream, getBufferMode stream)))
  and truncate (Out {state, id, ...}) = (state := Truncated; OpenStreams'.remove (!id))
    | truncate (Direct {state, ...}) = state := Truncated

  fun getPosOut stream =
    alone stream (fn () =>
      (check (stream, "getPosOut");
       flushAs "getPosOut" stream;
       case writerOf stream of
         PrimIO.WR {getPos = SOME f, ...} =>
           (At (stream, f ()) handle cause => failed (nameOf stream, "getPosOut", cause))
       | _ => failed (nameOf stream, "getPosOut", IO.RandomAccessNotSupported)))
  fun setPosOut (At (stream, pos)) =
    alone stream (fn () =>
      (check (stream, "setPosOut");
       flushAs "setPosOut" stream;
       case writerOf stream of
         PrimIO.WR {setPos = SOME f, ...} =>
           ((f pos; stream) handle cause => failed (nameOf stream, "setPosOut", cause))
       | _ => failed (nameOf stream, "setPosOut", IO.RandomAccessNotSupported)))
  fun filePosOut (At (_, pos)) = pos
end
