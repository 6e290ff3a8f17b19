(* StreamIO: input as lazy streams, output by way of a buffer, over readers and writers.

   An input stream is a place in a chain of chunks. Whoever comes to the end of the last chunk first asks the reader and
   hangs the answer on; an empty answer is the end of the stream, behind which more may come (a terminal). *)

signature STREAM_IO =
sig
  type elem
  type vector
  type instream
  type outstream
  type out_pos
  type reader
  type writer
  type pos

  (* What is there, at least one element, and the stream behind it; blocks until there is one. Empty at the end. *)
  val input : instream -> vector * instream
  (* SOME of the next element and the stream behind it, or NONE at the end; blocks until it is known. *)
  val input1 : instream -> (elem * instream) option
  (* The next n elements, fewer only at the end, and the stream behind them. Blocks until they are there. Raises Size
     when n is negative or too large. *)
  val inputN : instream * int -> vector * instream
  (* All up to the end, and the stream there; blocks until the end is there. *)
  val inputAll : instream -> vector * instream
  (* How many elements can be read without blocking, n at most; SOME 0 at the end of the stream, NONE when there are
     none yet. *)
  val canInput : instream * int -> int option
  (* Closes the stream: what was read already stays, then it ends. Twice is once. *)
  val closeIn : instream -> unit
  (* Whether the stream is at its end; blocks until it is known. *)
  val endOfStream : instream -> bool
  (* Writes the elements, into the stream's buffer first. Raises Io when the stream is closed or the system
     refuses. *)
  val output : outstream * vector -> unit
  (* Writes one element, into the stream's buffer first. Raises Io as `output`. *)
  val output1 : outstream * elem -> unit
  (* Gives what is in the buffer to the system. Raises Io when the system refuses. *)
  val flushOut : outstream -> unit
  (* Writes what is in the buffer and closes the stream. Twice is once. Raises Io, and leaves the stream open, when the
     buffer cannot be written. *)
  val closeOut : outstream -> unit
  (* A stream of the vector's elements, then of what the reader gives. *)
  val mkInstream : reader * vector -> instream
  (* The stream ends here for others: gives its reader, and what was read and not yet taken. Raises Io when it is
     closed. *)
  val getReader : instream -> reader * vector
  (* The place in the file that the stream has come to. Raises Io when the reader has no places. *)
  val filePosIn : instream -> pos
  (* Sets when output goes to the system: at once, at ends of lines, or when the buffer is full. NO_BUF flushes. *)
  val setBufferMode : outstream * IO.buffer_mode -> unit
  (* When output goes to the system. *)
  val getBufferMode : outstream -> IO.buffer_mode
  (* A stream that gives its output to the writer. *)
  val mkOutstream : writer * IO.buffer_mode -> outstream
  (* Ends the stream: writes what is in the buffer, and gives the writer and the buffer mode. Raises Io when it is
     closed. *)
  val getWriter : outstream -> writer * IO.buffer_mode
  (* The current place in the output. Raises Io when the writer has no places. *)
  val getPosOut : outstream -> out_pos
  (* Goes to that place: what is written next stands there. Raises Io when the writer has no places. *)
  val setPosOut : out_pos -> outstream
  (* The place in the file that this is. *)
  val filePosOut : out_pos -> pos
end

(* Streams that are to be flushed when the program ends: a list that is linked both ways, the newest first, so that a stream
   is taken out of many as fast as out of few. *)
structure OpenStreams' =
struct
  datatype entry =
      Nobody
    | Entry of {flush : unit -> unit, newer : entry ref, older : entry ref}

  val newest = ref Nobody
  val isAwaited = ref false
  val lock = Lock'.new ()
  (* set when the program ends: nothing is buffered any more *)
  val ending = ref false

  (* Of an entry that was taken out meanwhile, too, those behind it are found. *)
  fun flushAll () =
    let
      fun all Nobody = []
        | all (Entry {flush, older, ...}) = flush :: all (!older)
    in
      ending := true;
      List.app (fn flush => flush () handle _ => ()) (all (!newest))
    end

  fun add flush =
    let
      val () = Lock'.take lock
      val older = !newest
      val newer = ref Nobody
      val entry = Entry {flush = flush, newer = newer, older = ref older}
      val isFirst = not (!isAwaited)
    in
      (case older of Entry {newer, ...} => newer := entry | Nobody => ());
      newest := entry;
      isAwaited := true;
      Lock'.release lock;
      if isFirst then OS.Process.atExit flushAll else ();
      entry
    end

  (* An entry that is there. *)
  fun remove Nobody = ()
    | remove (Entry {newer, older, ...}) =
        (Lock'.take lock;
         (case !newer of Entry {older = link, ...} => link := !older | Nobody => newest := !older);
         (case !older of Entry {newer = link, ...} => link := !newer | Nobody => ());
         Lock'.release lock)
end

(* with what it takes to be quick; ranges given to these functions are right *)
functor StreamIO'
  (structure PrimIO : PRIM_IO
   val length : PrimIO.vector -> int
   val sub : PrimIO.vector * int -> PrimIO.elem
   val extract : PrimIO.vector * int * int -> PrimIO.vector
   val concat : PrimIO.vector list -> PrimIO.vector
   val one : PrimIO.elem -> PrimIO.vector
   val part : PrimIO.vector * int * int -> PrimIO.vector_slice
   val newArray : int -> PrimIO.array
   val set : PrimIO.array * int * PrimIO.elem -> unit
   val copy : PrimIO.vector * int * PrimIO.array * int * int -> unit
   val partOfArray : PrimIO.array * int * int -> PrimIO.array_slice
   (* the index behind the first line end in a range, ~1 when there is none *)
   val lineEnd : PrimIO.vector * int * int -> int
   (* a writer of a descriptor *)
   val descriptor : string * int -> PrimIO.writer
   (* elements of an array to its front *)
   val shift : PrimIO.array * int * int -> unit
   (* length, copy and set do not call anything, nor raise: they may stand in an atomic section *)
   val isPlain : bool) =
struct
  type elem = PrimIO.elem
  type vector = PrimIO.vector
  type reader = PrimIO.reader
  type writer = PrimIO.writer
  type pos = PrimIO.pos

  fun failed (name, function, cause) =
    case cause of
      IO.Io _ => raise cause
    | Member'.Cancelled => raise cause
    | _ => raise IO.Io {name = name, function = function, cause = cause}

  val empty = concat []

  (* first in a function's body: it stays a function of its own *)
  val noinline = PrimFunctions'.noinline

  (* -- input *)

  datatype state = Open | Truncated | Closed
  type source =
    {name : string,
     chunk : int,
     reader : unit -> reader,
     readVec : (int -> vector) option,
     readArr : (PrimIO.array_slice -> int) option,
     readVecNB : (int -> vector option) option,
     avail : unit -> int option,
     getPos : (unit -> pos) option,
     close : unit -> unit,
     state : state ref,
     lock : StreamLock'.lock,
     (* set when the chain grows, if somebody wants to know *)
     grown : Event'.condition option ref}

  (* a chunk, where it began, and what follows *)
  datatype node = Node of {data : vector, base : pos option, next : next ref, source : source}
  and next = Unknown | Next of node | End of node
  datatype instream = In of node * int

  fun descriptorOf ({reader, ...} : source) =
    case reader () of
      PrimIO.RD {ioDesc = SOME d, ...} => SOME (OSPrim'.ofIodesc d)
    | _ => NONE
  fun descriptorIn (In (Node {source, ...}, _)) = descriptorOf source

  (* the reader that is asked has all its operations; the other is the program's *)
  fun sourceOf
    (PrimIO.RD {name, chunkSize, avail, getPos, close, readVec, readArr, readVecNB, ...}, reader) :
    source =
    {name = name,
     chunk = Int.max (1, chunkSize),
     reader = reader,
     readVec = readVec,
     readArr = readArr,
     readVecNB = readVecNB,
     avail = avail,
     getPos = getPos,
     close = close,
     state = ref Open,
     lock = StreamLock'.plain name,
     grown = ref NONE}

  fun position ({getPos, ...} : source) =
    case getPos of
      NONE => NONE
    | SOME f => SOME (f ()) handle _ => NONE

  fun node (source, data, base) =
    Node {data = data, base = base, next = ref Unknown, source = source}

  fun start (source, data) =
    In (node (source, data, if length data = 0 then position source else NONE), 0)
  fun mkInstream (reader, data) =
    start (sourceOf (PrimIO.augmentReader reader, fn () => reader), data)
  (* of a reader that has all its operations *)
  fun readerSource reader = sourceOf (reader, fn () => reader)
  (* of a stream that has its contents already *)
  fun nothing () : source =
    {name = "<vector>",
     chunk = 1,
     reader = PrimIO.nullRd,
     readVec = SOME (fn _ => empty),
     readArr = SOME (fn _ => 0),
     readVecNB = SOME (fn _ => SOME empty),
     avail = fn () => SOME 0,
     getPos = NONE,
     close = fn () => (),
     state = ref Open,
     lock = StreamLock'.plain "<vector>",
     grown = ref NONE}

  (* The chain has grown, or cannot: threads that wait for that go on. *)
  fun tell ({lock = {guard, ...}, grown, ...} : source) =
    let
      val () = Lock'.take guard
      val waiting = !grown
    in
      grown := NONE;
      Lock'.release guard;
      Option.app Event'.set waiting
    end

  (* What is set when something follows this place, and whether it is new; NONE: something does. *)
  fun growing (In (Node {next, source = {lock = {guard, ...}, grown, ...}, ...}, _)) =
    let
      val () = Lock'.take guard
      val found =
        case (!next, !grown) of
          (Unknown, SOME c) => SOME (c, false)
        | (Unknown, NONE) =>
            let
              val c = Event'.condition ()
            in
              grown := SOME c;
              SOME (c, true)
            end
        | _ => NONE
    in
      Lock'.release guard;
      found
    end
  fun tellIn (In (Node {source, ...}, _)) = tell source

  (* hangs on what was read *)
  fun attach (Node {next, source as {grown, ...}, ...}, base, v) =
    let
      val found =
        if length v = 0 then End (node (source, v, base)) else Next (node (source, v, base))
    in
      next := found;
      if isSome (!grown) then tell source else ();
      found
    end

  (* What follows a chunk; n is how much to ask for. The lock is the reader's: a second thread finds what the first
     has read. *)
  fun follow
    (it as Node {next, source = source as {name, readVec, state, lock, ...}, ...}, n, function) =
    case !next of
      Unknown =>
        StreamLock'.alone lock (fn () =>
          case (!next, !state, readVec) of
            (Unknown, Open, SOME read) =>
              let
                val base = position source
                val v = read n handle cause => failed (name, function, cause)
              in
                attach (it, base, v)
              end
          | (Unknown, Open, NONE) => failed (name, function, IO.BlockingNotSupported)
          (* the end is behind the chunk: nobody goes back to its front *)
          | (Unknown, _, _) => End (node (source, empty, NONE))
          | (found, _, _) => found)
    | found => found
  fun after (it as Node {source = {chunk, ...}, ...}, function) = follow (it, chunk, function)

  (* -- for a stream that reads by itself: see imperative-io.sml *)

  type slice = PrimIO.array_slice

  fun sourceName ({name, ...} : source) = name
  fun chunkOf ({chunk, ...} : source) = chunk
  fun available ({avail, ...} : source) = avail () handle _ => NONE

  (* f with the reader, if it may still be asked *)
  fun reading ({lock, state, ...} : source, otherwise) f =
    StreamLock'.alone lock (fn () => if !state = Open then f () else otherwise)
  fun readingAtOnce ({lock, state, ...} : source, otherwise) f =
    StreamLock'.atOnce (lock, otherwise) (fn () => if !state = Open then f () else otherwise)

  fun readInto ({name, readArr, ...} : source, slice, function) =
    case readArr of
      SOME read => (read slice handle cause => failed (name, function, cause))
    | NONE => failed (name, function, IO.BlockingNotSupported)
  fun readSoon ({name, readVecNB, chunk, ...} : source, function) =
    case readVecNB of
      SOME read => (read chunk handle cause => failed (name, function, cause))
    | NONE => failed (name, function, IO.NonblockingNotSupported)

  (* hangs what was read on the end of a chain *)
  fun append (it as Node {next, ...}, base, v) =
    case !next of
      Next it => append (it, base, v)
    | End it => append (it, base, v)
    | Unknown => ignore (attach (it, base, v))

  fun input (In (it as Node {data, ...}, i)) =
    let
      val n = length data
    in
      if i < n then (if i = 0 then data else extract (data, i, n - i), In (it, n))
      else
        case after (it, "input") of
          Next it => input (In (it, 0))
        | End it => (empty, In (it, 0))
        | Unknown => (empty, In (it, i))
    end

  fun input1 (In (it as Node {data, ...}, i)) =
    if i < length data then SOME (sub (data, i), In (it, i + 1))
    else
      case after (it, "input1") of
        Next it => input1 (In (it, 0))
      | _ => NONE

  fun inputN (In (it, i), n) =
    let
      fun go (it as Node {data, ...}, i, n, parts) =
        let
          val here = length data - i
        in
          if n <= here then (parts, extract (data, i, n), In (it, i + n))
          else
            let
              val last = if here = 0 then empty else extract (data, i, here)
            in
              case after (it, "inputN") of
                Next it => go (it, 0, n - here, if here = 0 then parts else last :: parts)
              | End beyond =>
                  (parts,
                   last,
                   if here = 0 andalso List.null parts then In (beyond, 0) else In (it, i + here))
              | Unknown => (parts, last, In (it, i + here))
            end
        end
    in
      if n < 0 then raise Size
      else
        case go (it, i, n, []) of
          ([], last, f) => (last, f)
        | (parts, last, f) => (concat (List.rev (last :: parts)), f)
    end

  fun inputAll (In (it, i)) =
    let
      (* How much to ask for: all that there is, and then a little to see that this was all. *)
      fun wanted (_, true) = (512, false)
        | wanted ({avail, chunk, ...} : source, false) =
            case avail () handle _ => NONE of
              SOME n => if n > 0 then (n, true) else (512, false)
            | NONE => (chunk, false)
      (* hadAll: this chunk was all that there was *)
      fun go (it as Node {data, source, next, ...}, i, parts, hadAll) =
        let
          val here = length data - i
          val parts = if here = 0 then parts else extract (data, i, here) :: parts
          val (n, isAll) = case !next of Unknown => wanted (source, hadAll) | _ => (0, false)
        in
          case follow (it, n, "inputAll") of
            Next (it as Node {data, ...}) => go (it, 0, parts, isAll andalso length data = n)
          | End beyond => (parts, In (beyond, 0))
          | Unknown => (parts, In (it, length data))
        end
    in
      case go (it, i, [], false) of
        ([v], f) => (v, f)
      | (parts, f) => (concat (List.rev parts), f)
    end

  (* While another thread reads, an input would wait. *)
  fun canInput
    (In (it as Node {data, next, source as {name, readVecNB, chunk, state, lock, ...}, ...}, i),
     n) =
    if n < 0 then raise Size
    else if i < length data then SOME (Int.min (n, length data - i))
    else
      case !next of
        Next it => canInput (In (it, 0), n)
      | End _ => SOME 0
      | Unknown =>
          case (!state, readVecNB) of
            (Open, SOME read) =>
              StreamLock'.atOnce (lock, NONE) (fn () =>
                case !next of
                  Next (Node {data, ...}) => SOME (Int.min (n, length data))
                | End _ => SOME 0
                | Unknown =>
                    let
                      val base = position source
                    in
                      case read chunk handle cause => failed (name, "canInput", cause) of
                        NONE => NONE
                      | SOME v => (ignore (attach (it, base, v)); SOME (Int.min (n, length v)))
                    end)
          | (Open, NONE) => failed (name, "canInput", IO.NonblockingNotSupported)
          | _ => SOME 0

  fun endOfStream (In (it as Node {data, ...}, i)) =
    i >= length data
    andalso (case after (it, "endOfStream") of
               Next it => endOfStream (In (it, 0))
             | _ => true)

  fun nameIn (In (Node {source = {name, ...}, ...}, _)) = name

  (* Whether a read may wait for something outside of the program, however long. *)
  fun mayWait source =
    case descriptorOf source of
      SOME fd => (Stat'.kind (Stat'.fstat fd) <> FileKind'.regular handle _ => true)
    | NONE => false

  fun mayWaitIn (In (Node {source, ...}, _)) = mayWait source

  (* Closing ends a read that waits for a descriptor, and one that an event has begun (StreamEvents'); other calls it waits
     for. *)
  fun closeIn
    (In (Node {source as {name, close, state, grown, lock as {guard, ...}, ...}, ...}, _)) =
    let
      fun finish () =
        let
          val () = Lock'.take guard
          val isFirst = !state <> Closed
        in
          state := Closed;
          Lock'.release guard;
          if isFirst then close () handle cause => failed (name, "closeIn", cause) else ()
        end
    in
      if !state = Closed then ()
      else
        case StreamLock'.attempt lock of
          SOME turn => StreamLock'.within (lock, turn, finish)
        | NONE =>
            if mayWait source then finish ()
            else if isSome (!grown) then (finish (); tell source)
            else StreamLock'.alone lock finish
    end

  (* what was read behind this place and is not taken *)
  fun rest (In (Node {data, next, ...}, i)) =
    let
      fun later (Next (Node {data, next, ...})) = data :: later (!next)
        | later _ = []
    in
      concat (extract (data, i, length data - i) :: later (!next))
    end

  fun getReader (f as In (Node {source = {name, reader, state, lock, ...}, ...}, _)) =
    StreamLock'.alone lock (fn () =>
      case !state of
        Open => (state := Truncated; (reader (), rest f))
      | _ => failed (name, "getReader", IO.ClosedStream))

  fun filePosIn (f as In (Node {source = {lock, ...}, ...}, _)) =
    StreamLock'.alone lock (fn () => place f)
  and place (In (Node {base, source = {name, reader, state, ...}, ...}, i)) =
    case (!state, base, PrimIO.augmentReader (reader ())) of
      (Open,
       SOME base,
       PrimIO.RD {getPos = SOME getPos,
                  setPos = SOME setPos,
                  verifyPos,
                  readVec = SOME readVec,
                  ...}) =>
        (let
           (* Reads so many elements again and sees where that ends. The file is left where it is, wherever the reader
              believes that to be: a child of the process may have read, too. *)
           val now = Option.getOpt (verifyPos, getPos) ()
           fun skip 0 = ()
             | skip n =
                 let val k = length (readVec n) in if k = 0 then () else skip (n - k) end
           val _ = setPos base
           val _ = skip i
           val found = getPos ()
         in
           setPos now;
           found
         end
         handle cause => failed (name, "filePosIn", cause))
    | (Open, _, _) => failed (name, "filePosIn", IO.RandomAccessNotSupported)
    | _ => failed (name, "filePosIn", IO.ClosedStream)

  (* a line with its end; the last line of the stream gets one *)
  fun inputLine (In (it as Node {data, ...}, i), newline) =
    let
      fun go (it as Node {data, ...}, i, parts) =
        let
          val stop = lineEnd (data, i, length data)
        in
          if stop >= 0 then
            SOME (concat (List.rev (extract (data, i, stop - i) :: parts)), In (it, stop))
          else
            let
              val n = length data
              val parts = if i < n then extract (data, i, n - i) :: parts else parts
            in
              case after (it, "inputLine") of
                Next it => go (it, 0, parts)
              | _ =>
                  if List.null parts then NONE
                  else SOME (concat (List.rev (newline :: parts)), In (it, n))
            end
        end
      val stop = lineEnd (data, i, length data)
    in
      if stop >= 0 then SOME (extract (data, i, stop - i), In (it, stop)) else go (it, i, [])
    end

  (* -- output *)

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
         mode : IO.buffer_mode ref,
         state : state ref}
  datatype out_pos = At of outstream * pos

  fun descriptorOut (Direct {fd, ...}) = SOME fd
    | descriptorOut (Out {writer = PrimIO.WR {ioDesc = SOME d, ...}, ...}) =
        SOME (OSPrim'.ofIodesc d)
    | descriptorOut _ = NONE

  fun direct (name, fd, write, flush, mode) =
    Direct {name = name, fd = fd, write = write, flush = flush, mode = ref mode, state = ref Open}

  fun writeAll (write, v) =
    let
      val n = length v
      fun go i = if i < n then go (i + write (part (v, i, n - i))) else ()
    in
      go 0
    end

  (* Writes the buffer out. What a failed write has left stays for the next. *)
  fun drain {write, buffer, used} =
    let
      val n = !used
      fun go i =
        if i < n then
          let
            val k =
              write (partOfArray (buffer, i, n - i))
              handle cause => (shift (buffer, i, n - i); used := n - i; raise cause)
          in
            go (i + k)
          end
        else used := 0
    in
      if n = 0 then () else go 0
    end
  fun flushAs function stream =
    case stream of
      Out {name, writeArr, buffer, used, ...} =>
        (drain {write = writeArr, buffer = buffer, used = used}
         handle cause => failed (name, function, cause))
    | Direct {name, flush, ...} => flush () handle cause => failed (name, function, cause)

  fun isOpen (Out {state, ...}) = !state = Open
    | isOpen (Direct {state, ...}) = !state = Open
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
  fun flushAtEnd (stream as Out {lock, used, ...}) =
        (case StreamLock'.attempt lock of
           NONE => if !used = 0 then () else flushOut stream
         | SOME turn => StreamLock'.within (lock, turn, fn () => flushOut stream))
    | flushAtEnd stream = flushOut stream

  fun make (writer as PrimIO.WR {name, chunkSize, ...}, writeVec, writeArr, mode) =
    let
      val size = Int.max (1, chunkSize)
      val id = ref OpenStreams'.Nobody
      val lock as {quick, guard, ...} = StreamLock'.new (reach (size, mode, Open), shut, name)
      val stream =
        Out {name = name,
             writer = writer,
             writeVec = writeVec,
             writeArr = writeArr,
             buffer = newArray size,
             size = size,
             used = ref 0,
             quick = quick,
             guard = guard,
             lock = lock,
             mode = ref mode,
             state = ref Open,
             id = id}
    in
      id := OpenStreams'.add (fn () => flushAtEnd stream);
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
  fun add (Direct _, _) = ()
    | add (stream as Out {name, writeVec, writeArr, buffer, size, used, mode, ...}, v) =
        (check (stream, "output");
         let
           val n = length v
           val at = !used
         in
           (if n <= size - at then (copy (v, 0, buffer, at, n); used := at + n)
            else
              (drain {write = writeArr, buffer = buffer, used = used};
               if n < size then (copy (v, 0, buffer, 0, n); used := n) else writeAll (writeVec, v));
            case !mode of
              IO.BLOCK_BUF =>
                if !OpenStreams'.ending then drain {write = writeArr, buffer = buffer, used = used}
                else ()
            | IO.NO_BUF => drain {write = writeArr, buffer = buffer, used = used}
            | IO.LINE_BUF =>
                if lineEnd (v, 0, length v) >= 0 then
                  drain {write = writeArr, buffer = buffer, used = used}
                else ())
           handle cause => failed (name, "output", cause)
         end)
  fun output' (stream, v) = (noinline (); alone stream (fn () => add (stream, v)))

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
    | output (stream as Direct {name, write, flush, mode, ...}, v) =
        (check (stream, "output");
         (write v;
          case !mode of
            IO.BLOCK_BUF => ()
          | IO.NO_BUF => flush ()
          | IO.LINE_BUF => if lineEnd (v, 0, length v) >= 0 then flush () else ())
         handle cause => failed (name, "output", cause))

  (* one : makes a vector of an element *)
  fun output1 (stream as Out {buffer, used, quick, guard, ...}, x) =
        let
          val () = Thread.atomicBegin ()
          val at = !used
        in
          if at < !quick andalso Lock'.isOwn guard then
            (set (buffer, at, x); used := Bits'.plus (at, 1); Thread.atomicEnd ())
          else (Thread.atomicEnd (); output' (stream, one x))
        end
    | output1 (stream, x) = output (stream, one x)

  fun closeOut stream = alone stream (fn () => close stream)
  and close stream =
    if not (isOpen stream) then ()
    else
      case stream of
        Out {name, writer = PrimIO.WR {close, ...}, state, id, ...} =>
          (* What cannot be written stays, and the stream open: the program may try again. *)
          (flushAs "closeOut" stream;
           state := Closed;
           OpenStreams'.remove (!id);
           close () handle cause => failed (name, "closeOut", cause))
      | Direct {state, ...} => (flushAs "closeOut" stream; state := Closed)

  fun modeOf (Out {mode, ...}) = mode
    | modeOf (Direct {mode, ...}) = mode
  fun setBufferMode (stream, mode) =
    alone stream (fn () =>
      (if mode = IO.NO_BUF andalso isOpen stream then flushAs "flushOut" stream else ();
       modeOf stream := mode))
  fun getBufferMode stream = !(modeOf stream)

  fun getWriter stream =
    alone stream (fn () =>
      (check (stream, "getWriter");
       flushAs "getWriter" stream;
       case stream of
         Out {writer, mode, state, id, ...} =>
           (state := Truncated; OpenStreams'.remove (!id); (writer, !mode))
       | Direct {name, fd, mode, state, ...} =>
           (state := Truncated; (descriptor (name, fd), !mode))))

  fun writerOf (Out {writer, ...}) = writer
    | writerOf (Direct {name, fd, ...}) = descriptor (name, fd)

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

functor StreamIO
  (structure PrimIO : PRIM_IO
   structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
   structure Array : MONO_ARRAY
   structure ArraySlice : MONO_ARRAY_SLICE
   sharing type PrimIO.elem = Vector.elem = VectorSlice.elem = Array.elem = ArraySlice.elem
   sharing type PrimIO.vector = Vector.vector = VectorSlice.vector = Array.vector
     = ArraySlice.vector
   sharing type PrimIO.vector_slice = VectorSlice.slice = ArraySlice.vector_slice
   sharing type PrimIO.array = Array.array = ArraySlice.array
   sharing type PrimIO.array_slice = ArraySlice.slice
   val someElem : PrimIO.elem) : STREAM_IO
  where type elem = PrimIO.elem
  where type vector = PrimIO.vector
  where type reader = PrimIO.reader
  where type writer = PrimIO.writer
  where type pos = PrimIO.pos =
struct
  structure S =
    StreamIO' (structure PrimIO = PrimIO
               val length = Vector.length
               val sub = Vector.sub
               fun part (v, i, n) = VectorSlice.slice (v, i, SOME n)
               fun extract (v, i, n) =
                 if n = length v then v else VectorSlice.vector (part (v, i, n))
               val concat = Vector.concat
               fun one x = Vector.fromList [x]
               fun newArray n = Array.array (n, someElem)
               val set = Array.update
               fun copy (v, i, a, j, n) = ArraySlice.copyVec {src = part (v, i, n), dst = a, di = j}
               fun partOfArray (a, i, n) = ArraySlice.slice (a, i, SOME n)
               fun lineEnd _ = ~1
               fun descriptor _ = PrimIO.nullWr ()
               fun shift (a, i, n) = ArraySlice.copy {src = partOfArray (a, i, n), dst = a, di = 0}
               (* the program's own functions *)
               val isPlain = false)
  open S
end

(* Events of input streams. A stream is a chain of chunks that may be read ahead by anybody, so an event that was not
   taken loses nothing. *)
signature CML_STREAM_IO =
sig
  include STREAM_IO
  (* Happens when there is an element, or at the end; its result is that of `input1`. *)
  val input1Evt : instream -> (elem * instream) option CML.event
  (* Happens when n elements are there, or the end; its result is that of `inputN`. *)
  val inputNEvt : instream * int -> (vector * instream) CML.event
  (* Happens when there is something, or at the end; its result is that of `input`. *)
  val inputEvt : instream -> (vector * instream) CML.event
  (* Happens when the end is there; its result is that of `inputAll`. *)
  val inputAllEvt : instream -> (vector * instream) CML.event
end

(* What StreamIO' makes of one kind of elements, as the functors below use it. *)
signature STREAMS' =
sig
  type elem
  type vector
  type pos
  type source
  type next
  datatype node = Node of {data : vector, base : pos option, next : next ref, source : source}
  datatype instream = In of node * int
  type outstream
  type out_pos
  (* of arrays of elements *)
  type slice
  val empty : vector
  val node : source * vector * pos option -> node
  val sourceName : source -> string
  (* how much its reader likes to give at once *)
  val chunkOf : source -> int
  (* how much there is, if that is known *)
  val available : source -> int option
  val position : source -> pos option
  (* alone with the reader; what there is if it must not be asked any more *)
  val reading : source * 'a -> (unit -> 'a) -> 'a
  (* the same, if no other thread is there *)
  val readingAtOnce : source * 'a -> (unit -> 'a) -> 'a
  (* as readArr and readVecNB; raise Io with the function's name *)
  val readInto : source * slice * string -> int
  val readSoon : source * string -> vector option
  (* hangs what was read, and where, on the end of a chain *)
  val append : node * pos option * vector -> unit
  val input : instream -> vector * instream
  val input1 : instream -> (elem * instream) option
  val inputN : instream * int -> vector * instream
  val inputAll : instream -> vector * instream
  val canInput : instream * int -> int option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val getPosOut : outstream -> out_pos
  val setPosOut : out_pos -> outstream
  (* the descriptor behind the stream, if there is one *)
  val descriptorIn : instream -> int option
  (* what is set when something follows this place, and whether it is new; NONE: something follows *)
  val growing : instream -> (Event'.condition * bool) option
  (* as if something had followed *)
  val tellIn : instream -> unit
  (* whether a read may wait for a descriptor *)
  val mayWaitIn : instream -> bool
  val nameIn : instream -> string
end

functor StreamEvents' (structure S : STREAMS' val length : S.vector -> int) =
struct
  open S
  (* there may be more behind the end of what was read *)
  fun more f =
    Event'.guard (fn () =>
      case growing f of
        NONE => Event'.alwaysEvt ()
      | SOME (grown, isNew) =>
          let
            val grows = Event'.conditionEvt (grown, ParkReason'.read)
          in
            case descriptorIn f of
              (* or another thread reads, and the descriptor has no more *)
              SOME fd => Event'.choose [grows, IoEvent'.readable (ref fd)]
            | NONE =>
                (* only its reader knows when: one thread waits there for all events *)
                (if isNew then
                   ignore (Thread.spawn (fn () => (ignore (input f) handle _ => (); tellIn f)))
                 else ();
                 grows)
          end)

  fun isThere f = isSome (canInput (f, 1))

  fun when get f =
    Event'.guard (fn () =>
      if isThere f then Event'.alwaysEvt (get f) else Event'.wrap (more f, fn () => get f))
  fun inputEvt f = when input f
  fun input1Evt f = when input1 f

  (* Walks over the chunks that are there: the place behind them, or that there is enough. *)
  fun stepping (enough, get) f =
    let
      val at = ref f
      fun probe () =
        case canInput (!at, valOf Int.maxInt) of
          NONE => NONE
        | SOME 0 => SOME (get ())
        | SOME _ =>
            let
              val (v, rest) = input (!at)
            in
              at := rest;
              if enough v then SOME (get ()) else probe ()
            end
    in
      (* the place moves on from step to step *)
      IoEvent'.steps
        (probe, Event'.guard (fn () => more (!at)))
    end

  fun inputNEvt (f, n) =
    Event'.guard (fn () =>
      let
        val found = ref 0
        fun enough v = (found := !found + length v; !found >= n)
      in
        if n <= 0 then Event'.alwaysEvt (inputN (f, n))
        else stepping (enough, fn () => inputN (f, n)) f
      end)
  fun inputAllEvt f = Event'.guard (fn () => stepping (fn _ => false, fn () => inputAll f) f)
end
