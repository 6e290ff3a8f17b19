(* StreamInput': input streams, over readers. For the library.

   An input stream is a place in a chain of chunks: a node of the chain, and an index into the node's chunk. Reading
   gives another place and changes none, so the stream that was read can be read again. The chain grows at its end:

       "first chunk" --Next--> "second" --Next--> "third" --End--> "" --Unknown

   Whoever comes to Unknown first asks the reader and hangs the answer on (`follow`, `attach`); whoever comes later
   finds it there. An empty answer is the end of the stream, behind which more may come (a terminal). What no stream can
   come to any more is garbage.

   A source is the reader with what all places of its chain share. Its lock (stream-lock.sml) is held while the reader
   is asked, so two threads do not both ask. *)

functor StreamInput' (include STREAM_ELEMENTS') =
struct
  open StreamState'
  type elem = PrimIO.elem
  type vector = PrimIO.vector
  type reader = PrimIO.reader
  type pos = PrimIO.pos

  val empty = concat []

  (* first in a function's body: it stays a function of its own *)
  val noinline = PrimFunctions'.noinline

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
  type instream = node * int

  fun descriptorOf ({reader, ...} : source) =
    case reader () of
      PrimIO.RD {ioDesc = SOME d, ...} => SOME (OSPrim'.ofIodesc d)
    | _ => NONE
  fun descriptorIn (Node {source, ...}, _) = descriptorOf source
  (* Whether the reader can be asked for what is there. Else it can only wait. *)
  fun isAsked (Node {source = {readVecNB, ...}, ...}, _) = isSome readVecNB

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
    (node (source, data, if length data = 0 then position source else NONE), 0)
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
  fun growing (Node {next, source = {lock = {guard, ...}, grown, ...}, ...}, _) =
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
  fun tellIn (Node {source, ...}, _) = tell source

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

  fun input (it as Node {data, ...}, i) =
    let
      val n = length data
    in
      if i < n then (if i = 0 then data else extract (data, i, n - i), (it, n))
      else
        case after (it, "input") of
          Next it => input (it, 0)
        | End it => (empty, (it, 0))
        | Unknown => (empty, (it, i))
    end

  (* Behind a chunk of which all was taken. What follows has an element, or is an end. *)
  fun next1 it =
    (noinline ();
     case after (it, "input1") of
       Next (it as Node {data, ...}) => SOME (sub (data, 0), (it, 1))
     | _ => NONE)
  fun input1 (it as Node {data, ...}, i) =
    if i < length data then SOME (sub (data, i), (it, i + 1)) else next1 it

  fun inputN ((it, i), n) =
    let
      fun go (it as Node {data, ...}, i, n, parts) =
        let
          val here = length data - i
        in
          if n <= here then (parts, extract (data, i, n), (it, i + n))
          else
            let
              val last = if here = 0 then empty else extract (data, i, here)
            in
              case after (it, "inputN") of
                Next it => go (it, 0, n - here, if here = 0 then parts else last :: parts)
              | End beyond =>
                  (parts,
                   last,
                   if here = 0 andalso List.null parts then (beyond, 0) else (it, i + here))
              | Unknown => (parts, last, (it, i + here))
            end
        end
    in
      if n < 0 then raise Size
      else
        case go (it, i, n, []) of
          ([], last, f) => (last, f)
        | (parts, last, f) => (concat (List.rev (last :: parts)), f)
    end

  fun inputAll (it, i) =
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
          | End beyond => (parts, (beyond, 0))
          | Unknown => (parts, (it, length data))
        end
    in
      case go (it, i, [], false) of
        ([v], f) => (v, f)
      | (parts, f) => (concat (List.rev parts), f)
    end

  (* While another thread reads, an input would wait. The first function is for a reader that can only wait. *)
  fun found unable
    ((it as Node {data, next, source as {name, readVecNB, chunk, state, lock, ...}, ...}, i), n) =
    if n < 0 then raise Size
    else if i < length data then SOME (Int.min (n, length data - i))
    else
      case !next of
        Next it => found unable ((it, 0), n)
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
          | (Open, NONE) => unable name
          | _ => SOME 0
  fun canInput f = found (fn name => failed (name, "canInput", IO.NonblockingNotSupported)) f
  (* the same, but NONE for such a reader *)
  fun thereIn f = found (fn _ => NONE) f

  fun endOfStream (it as Node {data, ...}, i) =
    i >= length data
    andalso (case after (it, "endOfStream") of
               Next it => endOfStream (it, 0)
             | _ => true)

  fun nameIn (Node {source = {name, ...}, ...}, _) = name

  (* Whether a read may wait for something outside of the program, however long. *)
  fun mayWait source =
    case descriptorOf source of
      SOME fd => (Stat'.kind (Stat'.fstat fd) <> FileKind'.regular handle _ => true)
    | NONE => false

  fun mayWaitIn (Node {source, ...}, _) = mayWait source

  (* Closing ends a read that waits for a descriptor, and one that an event has begun (StreamEvents'); other calls it
     waits for. *)
  fun closeIn (Node {source as {name, close, state, grown, lock as {guard, ...}, ...}, ...}, _) =
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
  fun rest (Node {data, next, ...}, i) =
    let
      fun later (Next (Node {data, next, ...})) = data :: later (!next)
        | later _ = []
    in
      concat (extract (data, i, length data - i) :: later (!next))
    end

  fun getReader (f as (Node {source = {name, reader, state, lock, ...}, ...}, _)) =
    StreamLock'.alone lock (fn () =>
      case !state of
        Open => (state := Truncated; (reader (), rest f))
      | _ => failed (name, "getReader", IO.ClosedStream))

  fun filePosIn (f as (Node {source = {lock, ...}, ...}, _)) =
    StreamLock'.alone lock (fn () => place f)
  and place (Node {base, source = {name, reader, state, ...}, ...}, i) =
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
                 let
                   val k = length (readVec n)
                 in
                   (* A reader of the program's own may give more than was asked for. *)
                   if k > n
                   then raise Subscript
                   else if k = 0 then ()
                   else skip (n - k)
                 end
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
  fun inputLine ((it as Node {data, ...}, i), newline) =
    let
      fun go (it as Node {data, ...}, i, parts) =
        let
          val stop = lineEnd (data, i, length data)
        in
          if stop >= 0 then
            SOME (concat (List.rev (extract (data, i, stop - i) :: parts)), (it, stop))
          else
            let
              val n = length data
              val parts = if i < n then extract (data, i, n - i) :: parts else parts
            in
              case after (it, "inputLine") of
                Next it => go (it, 0, parts)
              | _ =>
                  if List.null parts then NONE
                  else SOME (concat (List.rev (newline :: parts)), (it, n))
            end
        end
      val stop = lineEnd (data, i, length data)
    in
      if stop >= 0 then SOME (extract (data, i, stop - i), (it, stop)) else go (it, i, [])
    end
end
