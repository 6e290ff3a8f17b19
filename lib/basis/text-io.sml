(* TextIO, BinIO: files, standard input and output, strings.

   The imperative streams keep their place in the chain of chunks of StreamIO in two cells, so that reading one
   character makes nothing. Standard output is the runtime's buffer, which `print` fills too; what print has left
   there is written out before anything else that can be seen (`runtime/entry`, `state/output.rs`). Descriptors belong
   to the I/O manager: who would block is parked, and other threads go on. *)

(* What `print` does, which is something else when standard output is bound to another stream. *)
structure Print' =
struct
  local
    val put = PrimOutput'.print_out
  in
    val to =
      ref (fn s =>
        case put s of
          0 => ()
        | r =>
            Wait'.out (1, 0, r)
            handle Member'.Cancelled => raise Member'.Cancelled
                 | cause => raise IO.Io {name = "<stdout>", function = "print", cause = cause})
  end
end

fun print s = ! Print'.to s

(* Readers and writers of descriptors, for one kind of sequence. *)
functor FileIO'
  (structure PrimIO : PRIM_IO where type pos = Position.int
   val newArray : int -> PrimIO.array
   (* the first elements of an array that nobody else has *)
   val freeze : PrimIO.array * int -> PrimIO.vector
   val ofSlice : PrimIO.array_slice -> PrimIO.array * int * int
   val ofPart : PrimIO.vector_slice -> PrimIO.vector * int * int
   val read : int * PrimIO.array * int * int -> int
   val writeArray : int * PrimIO.array * int * int -> int
   val writeVector : int * PrimIO.vector * int * int -> int) =
struct
  local
    val openNow = PrimFiles'.file_open
    fun flagsOf 0 = OpenMode'.read
      | flagsOf 1 = OpenMode'.writeNew
      | flagsOf _ = OpenMode'.append
  in
    (* a FIFO waits for its other end *)
    fun openFile (name, flags) =
      let
        val fd = openNow (name, flags)
      in
        if fd = Wait'.again then
          #1 (Job'.runToTheEnd (Job'.open', name, flagsOf flags, OpenMode'.everybody))
        else
          (* what is written goes to the end; the place that is asked for before is there, too *)
          (if flags = 2 andalso fd >= 0 then ignore (PrimFiles'.file_seek (fd, 0, Whence'.end'))
           else ();
           fd)
      end
  end
  val closeFile = PrimFiles'.file_close
  val fileSize = PrimFiles'.file_size
  val seek = PrimFiles'.file_seek

  val chunk = 16384
  val most = 65536

  (* OS.SysErr, as programs know it *)
  fun check result =
    if result < 0 then
      let val e = ~ result in raise OS.SysErr (Error'.errorMsg e, SOME (OSPrim'.toSyserror e)) end
    else result

  fun ready p = Wait'.ready p = 1
  (* what would block waits *)
  fun readAll (fd, a, i, n) = check (Wait'.reading (fd, fn () => read (fd, a, i, n)))
  (* NONE: it would block *)
  fun now r = if r = Wait'.again then NONE else SOME (check r)

  fun isRegular fd = Stat'.kind (Stat'.fstat fd) = FileKind'.regular handle _ => false

  (* closed at most once, by however many threads; what comes after that fails *)
  fun closer fd =
    let
      val closed = ref false
    in
      (fn () => if Await'.swap (closed, false, true) then ignore (check (closeFile fd)) else (),
       fn () => if !closed then raise IO.ClosedStream else ())
    end

  (* the system's position *)
  fun position fd = check (seek (fd, 0, 1))

  fun positions (fd, guard, regular) =
    if regular then
      {getPos = SOME (fn () => (guard (); position fd)),
       setPos = SOME (fn pos => (guard (); ignore (check (seek (fd, pos, 0))))),
       endPos = SOME (fn () => (guard (); check (fileSize fd)))}
    else {getPos = NONE, setPos = NONE, endPos = NONE}

  (* A file's reader has a position of its own, and fills what was asked for by several reads: one thread at a time.
     Others are one system call each time.

     A reader that has opened its file itself counts the position, as the Basis lets `getPos` do (`verifyPos` asks the
     system). Who else reads a descriptor that came from elsewhere is not known: there the system is always asked. *)
  fun readerOf (name, fd, isOwn) =
    let
      val (close, guard) = closer fd
      val regular = isRegular fd
      val lock = StreamLock'.plain name
      fun alone f =
        if regular then StreamLock'.alone lock (fn () => (guard (); f ())) else (guard (); f ())
      fun atOnce f =
        if regular then StreamLock'.atOnce (lock, NONE) (fn () => (guard (); f ()))
        else (guard (); f ())
      val {getPos = verifyPos, setPos, endPos} = positions (fd, guard, regular)
      val counts = isOwn andalso regular
      val at = ref 0
      (* what `avail` found and has not been read *)
      val found = ref 0
      fun here () = if counts then !at else position fd
      fun moved k = (at := !at + k; found := !found - k; k)
      fun readNow (a, i, n) = Option.map moved (now (read (fd, a, i, n)))
      (* a file gives all that was asked for, other things what is there *)
      fun fill (a, i, n, got) =
        if n = 0 then got
        else
          let
            val k = moved (readAll (fd, a, i, n))
          in
            if k > 0 andalso regular then fill (a, i + k, n - k, got + k) else got + k
          end
      (* No more room is made than there may be bytes for, however much was asked for: a read may give less. *)
      fun room n =
        if n < 0 then raise Size
        else if n <= most orelse n <= !found then n
        else if regular then Int.min (n, Int.max (most, check (fileSize fd) - here ()))
        else most
      fun readVec n =
        if n < 0 then raise Size
        else
          alone (fn () =>
            let
              val n = room n
              val a = newArray n
              val got = fill (a, 0, n, 0)
            in
              freeze (a, got)
            end)
      fun readArr slice =
        alone (fn () => let val (a, i, n) = ofSlice slice in fill (a, i, n, 0) end)
      fun canInput () = (guard (); ready (fd, 0))
    in
      PrimIO.RD {name = name,
                 chunkSize = chunk,
                 readVec = SOME readVec,
                 readArr = SOME readArr,
                 readVecNB =
                   SOME (fn n =>
                     atOnce (fn () =>
                       let
                         val n = room n
                         val a = newArray n
                       in
                         Option.map
                           (fn got => freeze (a, got))
                           (if canInput () then readNow (a, 0, n) else NONE)
                       end)),
                 readArrNB =
                   SOME (fn s =>
                     atOnce (fn () =>
                       let
                         val (a, i, n) = ofSlice s
                       in
                         if canInput () then readNow (a, i, n) else NONE
                       end)),
                 block = SOME (fn () => (guard (); ignore (check (Wait'.block (fd, 0))))),
                 canInput = SOME canInput,
                 avail = fn () =>
                   if regular then
                     alone (fn () => (found := check (fileSize fd) - here (); SOME (!found)))
                   else NONE,
                 (* of a closed reader, too *)
                 getPos = if counts then SOME (fn () => !at) else verifyPos,
                 setPos =
                   Option.map
                     (fn set => fn pos => alone (fn () => (set pos; at := pos; found := 0)))
                     setPos,
                 endPos = endPos,
                 verifyPos = verifyPos,
                 close = close,
                 ioDesc = SOME (OSPrim'.toIodesc fd)}
    end
  fun reader (name, fd) = readerOf (name, fd, false)

  fun writerOf (name, fd, chunk) =
    let
      val (close, guard) = closer fd
      val {getPos, setPos, endPos} = positions (fd, guard, isRegular fd)
      fun writeVec slice =
        let
          val (v, i, n) = (guard (); ofPart slice)
        in
          check (Wait'.writing (fd, fn () => writeVector (fd, v, i, n)))
        end
      fun writeArr slice =
        let
          val (a, i, n) = (guard (); ofSlice slice)
        in
          check (Wait'.writing (fd, fn () => writeArray (fd, a, i, n)))
        end
      fun canOutput () = (guard (); ready (fd, 1))
    in
      PrimIO.WR {name = name,
                 chunkSize = chunk,
                 writeVec = SOME writeVec,
                 writeArr = SOME writeArr,
                 writeVecNB =
                   SOME (fn s =>
                     let
                       val (v, i, n) = (guard (); ofPart s)
                     in
                       if canOutput () then now (writeVector (fd, v, i, n)) else NONE
                     end),
                 writeArrNB =
                   SOME (fn s =>
                     let
                       val (a, i, n) = (guard (); ofSlice s)
                     in
                       if canOutput () then now (writeArray (fd, a, i, n)) else NONE
                     end),
                 block = SOME (fn () => (guard (); ignore (check (Wait'.block (fd, 1))))),
                 canOutput = SOME canOutput,
                 getPos = getPos,
                 setPos = setPos,
                 endPos = endPos,
                 verifyPos = getPos,
                 close = close,
                 ioDesc = SOME (OSPrim'.toIodesc fd)}
    end
  fun writer (name, fd) = writerOf (name, fd, chunk)
  (* The same, which takes all for written once nobody will read it. *)
  fun writerUntil isGone (name, fd) =
    let
      val PrimIO.WR {name,
                     chunkSize,
                     writeVec,
                     writeArr,
                     writeVecNB,
                     writeArrNB,
                     block,
                     canOutput,
                     getPos,
                     setPos,
                     endPos,
                     verifyPos,
                     close,
                     ioDesc} = writer (name, fd)
      fun unless (length, write) =
        Option.map (fn f => fn part => if !isGone then length part else f part) write
    in
      PrimIO.WR {name = name,
                 chunkSize = chunkSize,
                 writeVec = unless (#3 o ofPart, writeVec),
                 writeArr = unless (#3 o ofSlice, writeArr),
                 writeVecNB = writeVecNB,
                 writeArrNB = writeArrNB,
                 block = block,
                 canOutput = canOutput,
                 getPos = getPos,
                 setPos = setPos,
                 endPos = endPos,
                 verifyPos = verifyPos,
                 close = close,
                 ioDesc = ioDesc}
    end

  fun opened (function, name, flags) =
    check (openFile (name, flags))
    handle Member'.Cancelled => raise Member'.Cancelled
         | cause => raise IO.Io {name = name, function = function, cause = cause}
  fun openReader name = readerOf (name, opened ("openIn", name, 0), true)
end

structure TextFile' =
  FileIO' (structure PrimIO = TextPrimIO
           val newArray = PrimArrays'.array_new_uninit : int -> char array
           local
             val cast = PrimArrays'.cast : char array -> string
             val extract = PrimStrings'.string_extract_unsafe
             val size = PrimArrays'.array_length : char array -> int
           in
             (* a file's contents fill the array that was made for them, and nobody else has it *)
             fun freeze (a, n) = if n = size a then cast a else extract (cast a, 0, n)
           end
           val ofSlice = CharArraySlice.base
           val ofPart = Substring.base
           val read = PrimFiles'.file_read_chars
           val writeArray = PrimFiles'.file_write_chars
           val writeVector = PrimFiles'.file_write_string)

(* Strings that a stream has for itself and reads into: as arrays, since what is read of a string may be read at any
   time. *)
structure OwnString' =
struct
  local
    val thaw = PrimArrays'.cast : string -> char array
    val freeze = PrimArrays'.cast : char array -> string
    val make = PrimArrays'.array_new_uninit : int -> char array
    val move = PrimArrays'.array_copy_unsafe : char array * int * char array * int * int -> unit
  in
    fun new n = freeze (make n)
    fun copy (s, i, t, j, n) = move (thaw s, i, thaw t, j, n)
    fun part (s, i, n) = CharArraySlice.slice (thaw s, i, SOME n)
    val sub = PrimArrays'.array_sub_unsafe : char array * int -> char
    fun element (s, i) = sub (thaw s, i)
    (* A copy always. The primitive gives the string itself for the whole of it. *)
    fun extract (s, i, n) =
      if n < String.size s then PrimStrings'.string_extract_unsafe (s, i, n)
      else
        let
          val t = new n
        in
          copy (s, i, t, 0, n);
          t
        end
  end
end

structure LineEnd' =
struct
  val sub = PrimStrings'.string_sub_unsafe
  (* The index behind the first line's end in a range that is right; ~1: there is none. Of a chunk that is read into
     again, too: what the loop has loaded, it has looked at before it goes on. *)
  fun find (s, i, n) =
    let
      fun go i = if i >= n then ~1 else if sub (s, i) = #"\n" then i + 1 else go (i + 1)
    in
      go i
    end
end

structure TextStream' =
struct
  structure S =
    StreamIO' (structure PrimIO = TextPrimIO
               val length = String.size
               val sub = PrimStrings'.string_sub_unsafe
               val extract = PrimStrings'.string_extract_unsafe
               val concat = String.concat
               val one = String.str
               fun part (s, i, n) = Substring.substring (s, i, n)
               val newArray = PrimArrays'.array_new_uninit : int -> char array
               val set = PrimArrays'.array_update_unsafe : char array * int * char -> unit
               local
                 val thaw = PrimArrays'.cast : string -> char array
                 val move =
                   PrimArrays'.array_copy_unsafe : char array * int * char array * int * int -> unit
               in
                 fun copy (s, i, a, j, n) = move (thaw s, i, a, j, n)
                 fun shift (a, i, n) = move (a, i, a, 0, n)
               end
               val isPlain = true
               val descriptor = TextFile'.writer
               fun partOfArray (a, i, n) = CharArraySlice.slice (a, i, SOME n)
               val lineEnd = LineEnd'.find)
  open S

  fun inputLine f = S.inputLine (f, "\n")
  fun outputSubstr (s, part) = S.output (s, Substring.string part)

  structure Events = StreamEvents' (structure S = S val length = String.size)
  open Events
  fun inputLineEvt f =
    Event'.guard (fn () =>
      stepping (fn v => CharVector.exists (fn c => c = #"\n") v, fn () => inputLine f) f)
end

signature TEXT_STREAM_IO =
sig
  include STREAM_IO where type vector = CharVector.vector where type elem = Char.char
  (* SOME of the next line with its end, and the stream behind it; a last line without an end gets one. NONE at the
     end. *)
  val inputLine : instream -> (string * instream) option
  (* Writes a part of a string. *)
  val outputSubstr : outstream * substring -> unit
end

signature CML_TEXT_STREAM_IO =
sig
  include CML_STREAM_IO where type vector = CharVector.vector where type elem = Char.char
  (* SOME of the next line with its end, and the stream behind it; a last line without an end gets one. NONE at the
     end. *)
  val inputLine : instream -> (string * instream) option
  (* Writes a part of a string. *)
  val outputSubstr : outstream * substring -> unit
  (* Happens when a line is there, or the end; its result is that of `inputLine`. *)
  val inputLineEvt : instream -> (string * instream) option CML.event
end

signature TEXT_IO =
sig
  structure StreamIO : TEXT_STREAM_IO
    where type reader = TextPrimIO.reader
    where type writer = TextPrimIO.writer
    where type pos = TextPrimIO.pos
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  type instream
  type outstream

  (* What is there, at least one element; blocks until there is one. Empty at the end of the stream. *)
  val input : instream -> vector
  (* SOME of the next element, or NONE at the end of the stream, which it goes behind; blocks until it is known. *)
  val input1 : instream -> elem option
  (* The next n elements; fewer only at the end of the stream. Blocks until they are there. Raises Size when n is
     negative or too large. *)
  val inputN : instream * int -> vector
  (* All up to the end of the stream; blocks until the end is there. *)
  val inputAll : instream -> vector
  (* How many elements can be read without blocking, n at most; SOME 0 at the end of the stream, NONE when there are
     none yet. *)
  val canInput : instream * int -> int option
  (* As `input1`, but the stream does not move on. *)
  val lookahead : instream -> elem option
  (* Closes the stream: it is at its end from now on. Twice is once. *)
  val closeIn : instream -> unit
  (* Whether the stream is at its end; blocks until it is known. A terminal's stream may go on behind its end. *)
  val endOfStream : instream -> bool
  (* Writes the elements, into the stream's buffer first. Raises Io when the stream is closed or the system
     refuses. *)
  val output : outstream * vector -> unit
  (* Writes one element, into the stream's buffer first. Raises Io as `output`. *)
  val output1 : outstream * elem -> unit
  (* Gives what is in the buffer to the system. Raises Io when the system refuses. *)
  val flushOut : outstream -> unit
  (* Writes what is in the buffer and closes the stream. Twice is once. *)
  val closeOut : outstream -> unit
  (* A stream that moves on, over that functional one. *)
  val mkInstream : StreamIO.instream -> instream
  (* The functional stream from the current place on. *)
  val getInstream : instream -> StreamIO.instream
  (* Goes on with that functional stream instead. *)
  val setInstream : instream * StreamIO.instream -> unit
  (* A stream over that one, which can be replaced. *)
  val mkOutstream : StreamIO.outstream -> outstream
  (* The stream below, to which the buffer was given first. *)
  val getOutstream : outstream -> StreamIO.outstream
  (* Goes on with that stream instead; the old one is flushed then, and stays as it is. Raises Io when the system
     refuses that: the new one is there all the same. *)
  val setOutstream : outstream * StreamIO.outstream -> unit
  (* The current place in the output. Raises Io when the stream has no places. *)
  val getPosOut : outstream -> StreamIO.out_pos
  (* Goes to that place: what is written next stands there. Raises Io when the stream has no places. *)
  val setPosOut : outstream * StreamIO.out_pos -> unit

  (* SOME of the next line with its end; a last line without one gets it. NONE at the end of the stream. Blocks until
     the line is there. *)
  val inputLine : instream -> string option
  (* Writes a part of a string. *)
  val outputSubstr : outstream * substring -> unit
  (* Opens a file to be read. Raises Io when the system refuses. *)
  val openIn : string -> instream
  (* Makes a file, or empties the one that is there, to be written. Raises Io when the system refuses. *)
  val openOut : string -> outstream
  (* Opens a file to be written behind what it has; makes it when there is none. Raises Io when the system refuses. *)
  val openAppend : string -> outstream
  (* A stream whose elements are the string's characters. *)
  val openString : string -> instream
  (* The program's standard input. *)
  val stdIn : instream
  (* The program's standard output. *)
  val stdOut : outstream
  (* The program's standard error. It has no buffer. *)
  val stdErr : outstream
  (* Writes the string to standard output and flushes it. *)
  val print : string -> unit
  (* Reads something with a scanner. The stream moves on behind what was read, or stays where the scanner gives
     NONE. *)
  val scanStream :
    ((Char.char, StreamIO.instream) StringCvt.reader -> ('a, StreamIO.instream) StringCvt.reader)
    -> instream
    -> 'a option
end

(* TEXT_IO, and events: nothing is taken from a stream when another event is chosen. *)
signature CML_TEXT_IO =
sig
  structure StreamIO : CML_TEXT_STREAM_IO
    where type reader = TextPrimIO.reader
    where type writer = TextPrimIO.writer
    where type pos = TextPrimIO.pos
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  type instream
  type outstream

  (* What is there, at least one element; blocks until there is one. Empty at the end of the stream. *)
  val input : instream -> vector
  (* SOME of the next element, or NONE at the end of the stream, which it goes behind; blocks until it is known. *)
  val input1 : instream -> elem option
  (* The next n elements; fewer only at the end of the stream. Blocks until they are there. Raises Size when n is
     negative or too large. *)
  val inputN : instream * int -> vector
  (* All up to the end of the stream; blocks until the end is there. *)
  val inputAll : instream -> vector
  (* How many elements can be read without blocking, n at most; SOME 0 at the end of the stream, NONE when there are
     none yet. *)
  val canInput : instream * int -> int option
  (* As `input1`, but the stream does not move on. *)
  val lookahead : instream -> elem option
  (* Closes the stream: it is at its end from now on. Twice is once. *)
  val closeIn : instream -> unit
  (* Whether the stream is at its end; blocks until it is known. A terminal's stream may go on behind its end. *)
  val endOfStream : instream -> bool
  (* Writes the elements, into the stream's buffer first. Raises Io when the stream is closed or the system
     refuses. *)
  val output : outstream * vector -> unit
  (* Writes one element, into the stream's buffer first. Raises Io as `output`. *)
  val output1 : outstream * elem -> unit
  (* Gives what is in the buffer to the system. Raises Io when the system refuses. *)
  val flushOut : outstream -> unit
  (* Writes what is in the buffer and closes the stream. Twice is once. *)
  val closeOut : outstream -> unit
  (* A stream that moves on, over that functional one. *)
  val mkInstream : StreamIO.instream -> instream
  (* The functional stream from the current place on. *)
  val getInstream : instream -> StreamIO.instream
  (* Goes on with that functional stream instead. *)
  val setInstream : instream * StreamIO.instream -> unit
  (* A stream over that one, which can be replaced. *)
  val mkOutstream : StreamIO.outstream -> outstream
  (* The stream below, to which the buffer was given first. *)
  val getOutstream : outstream -> StreamIO.outstream
  (* Goes on with that stream instead; the old one is flushed then, and stays as it is. Raises Io when the system
     refuses that: the new one is there all the same. *)
  val setOutstream : outstream * StreamIO.outstream -> unit
  (* The current place in the output. Raises Io when the stream has no places. *)
  val getPosOut : outstream -> StreamIO.out_pos
  (* Goes to that place: what is written next stands there. Raises Io when the stream has no places. *)
  val setPosOut : outstream * StreamIO.out_pos -> unit

  (* SOME of the next line with its end; a last line without one gets it. NONE at the end of the stream. Blocks until
     the line is there. *)
  val inputLine : instream -> string option
  (* Writes a part of a string. *)
  val outputSubstr : outstream * substring -> unit
  (* Opens a file to be read. Raises Io when the system refuses. *)
  val openIn : string -> instream
  (* Makes a file, or empties the one that is there, to be written. Raises Io when the system refuses. *)
  val openOut : string -> outstream
  (* Opens a file to be written behind what it has; makes it when there is none. Raises Io when the system refuses. *)
  val openAppend : string -> outstream
  (* A stream whose elements are the string's characters. *)
  val openString : string -> instream
  (* The program's standard input. *)
  val stdIn : instream
  (* The program's standard output. *)
  val stdOut : outstream
  (* The program's standard error. It has no buffer. *)
  val stdErr : outstream
  (* Writes the string to standard output and flushes it. *)
  val print : string -> unit
  (* Reads something with a scanner. The stream moves on behind what was read, or stays where the scanner gives
     NONE. *)
  val scanStream :
    ((Char.char, StreamIO.instream) StringCvt.reader -> ('a, StreamIO.instream) StringCvt.reader)
    -> instream
    -> 'a option

  (* Happens when there is an element, or at the end; its result is that of `input1`. Nothing is taken when another
     event is chosen. *)
  val input1Evt : instream -> elem option CML.event
  (* Happens when n elements are there, or the end; its result is that of `inputN`. Nothing is taken when another
     event is chosen. *)
  val inputNEvt : instream * int -> vector CML.event
  (* Happens when there is something, or at the end; its result is that of `input`. Nothing is taken when another
     event is chosen. *)
  val inputEvt : instream -> vector CML.event
  (* Happens when the end is there; its result is that of `inputAll`. Nothing is taken when another event is
     chosen. *)
  val inputAllEvt : instream -> vector CML.event
  (* Happens when a line is there, or the end; its result is that of `inputLine`. Nothing is taken when another event
     is chosen. *)
  val inputLineEvt : instream -> string option CML.event
  (* A stream whose input is what is sent on the channel; the empty string is its end. *)
  val openChanIn : string CML.chan -> instream
  (* A stream whose output is sent on the channel, without a buffer. *)
  val openChanOut : string CML.chan -> outstream
end

structure TextIO' =
struct
  structure StreamIO = TextStream'
  structure S = TextStream'
  structure I =
    ImperativeStreams' (structure Events = S.Events
                        structure S = S.S
                        val sub = OwnString'.element
                        val extract = OwnString'.extract
                        val length = String.size
                        val newChunk = OwnString'.new
                        val copy = OwnString'.copy
                        val part = OwnString'.part
                        val back = Position.-)
  open I

  fun inputLine' s = (noinline (); inputTo (s, LineEnd'.find, "inputLine", S.inputLine))
  (* As inputN. *)
  fun inputLine (s as {data, at, fills, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val d = !data
      val i = !at
      val filled = !fills
      val limit = if Lock'.isOwn guard then !quick else shut
      val () = Thread.atomicEnd ()
      val stop = LineEnd'.find (d, i, limit)
    in
      if stop >= 0 then
        let
          val n = Bits'.minus (stop, i)
          val line = OwnString'.extract (d, i, n)
          val () = Thread.atomicBegin ()
        in
          if !fills = filled andalso isThere (s, i, n) then
            (at := stop; Thread.atomicEnd (); SOME line)
          else (Thread.atomicEnd (); inputLine' s)
        end
      else inputLine' s
    end
  fun outputSubstr (s, part) = S.outputSubstr (!s, part)

  fun openIn name =
    openSource (S.readerSource (TextFile'.openReader name))
  (* lines go to a terminal when they end *)
  fun openTo (function, flags) name =
    let
      val fd = TextFile'.opened (function, name, flags)
      val mode = if PrimFiles'.fd_isatty fd = 1 then IO.LINE_BUF else IO.BLOCK_BUF
    in
      ref (S.openWriter (TextFile'.writer (name, fd), mode))
    end
  val openOut = openTo ("openOut", 1)
  val openAppend = openTo ("openAppend", 2)
  fun openString s = openFilled (S.nothing (), s)

  fun inputLineEvt s = evt (S.inputLineEvt, inputLine) s

  fun openChanIn ch =
    let
      val closed = ref false
      (* set when it is closed: a read that waits ends *)
      val ended = Event'.condition ()
      val lock = StreamLock'.plain "<channel>"
      (* of the last string *)
      val rest = ref ""
      fun take (s, n) =
        if size s <= n then (rest := ""; s)
        else (rest := String.extract (s, n, NONE); String.substring (s, 0, n))
      fun check () = if !closed then raise IO.ClosedStream else ()
      fun next () =
        CML.select [CML.recvEvt ch,
                    CML.wrap (Event'.conditionEvt (ended, ParkReason'.read),
                              fn () => raise IO.ClosedStream)]
      fun readVec n =
        (check ();
         StreamLock'.alone lock (fn () => take (case !rest of "" => next () | s => s, n)))
      fun readVecNB n =
        (check ();
         StreamLock'.atOnce (lock, NONE) (fn () =>
           case !rest of
             "" => Option.map (fn s => take (s, n)) (CML.recvPoll ch)
           | s => SOME (take (s, n))))
    in
      mkInstream (S.mkInstream (TextPrimIO.RD {name = "<channel>",
                                               chunkSize = 1024,
                                               readVec = SOME readVec,
                                               readArr = NONE,
                                               readVecNB = SOME readVecNB,
                                               readArrNB = NONE,
                                               block = NONE,
                                               canInput = NONE,
                                               avail = fn () => NONE,
                                               getPos = NONE,
                                               setPos = NONE,
                                               endPos = NONE,
                                               verifyPos = NONE,
                                               close = fn () => (closed := true; Event'.set ended),
                                               ioDesc = NONE},
                                ""))
    end

  fun openChanOut ch =
    let
      val closed = ref false
      fun writeVec part =
        if !closed then raise IO.ClosedStream
        else
          let
            val s = Substring.string part
          in
            if s = "" then () else CML.send (ch, s);
            size s
          end
    in
      mkOutstream (S.mkOutstream (TextPrimIO.WR {name = "<channel>",
                                                 chunkSize = 1,
                                                 writeVec = SOME writeVec,
                                                 writeArr = NONE,
                                                 writeVecNB = NONE,
                                                 writeArrNB = NONE,
                                                 block = NONE,
                                                 canOutput = NONE,
                                                 getPos = NONE,
                                                 setPos = NONE,
                                                 endPos = NONE,
                                                 verifyPos = NONE,
                                                 close = fn () => closed := true,
                                                 ioDesc = NONE},
                                  IO.NO_BUF))
    end

  val stdIn = openSource (S.readerSource (TextFile'.reader ("<stdin>", 0)))
  local
    val put = PrimOutput'.write_out
    val putErr = PrimOutput'.print_err_out
    fun writeOut s = Wait'.out (1, 0, put s)
    fun printErr s = Wait'.out (2, 2, putErr s)
    fun closing fd () = Error'.done (PrimOutput'.out_close fd)
  in
    val stdOut =
      ref (S.direct {name = "<stdout>",
                     fd = 1,
                     write = writeOut,
                     flush = Process'.flushOut,
                     close = closing 1,
                     mode = NONE})
    val stdErr =
      ref (S.direct {name = "<stderr>",
                     fd = 2,
                     write = printErr,
                     flush = fn () => (),
                     close = closing 2,
                     mode = SOME IO.NO_BUF})
  end
  local
    (* one stream for both, even if standard output becomes another one in between *)
    fun printTo f v = (S.output (f, v); S.flushOut f)
    fun changed (s : outstream) =
      if s = stdOut then Print'.to := (fn v => printTo (!stdOut) v) else ()
    val close = closeOut
  in
    (* The new stream is there first: the old one may fail. *)
    fun setOutstream (s, f) = let val old = !s in s := f; changed s; S.flushOut old end
    fun closeOut s = (changed s; close s)
  end
  val print = print

  fun scanStream scan s = scanning s (fn f => scan S.input1 f)
end

structure TextIO :> CML_TEXT_IO = TextIO'

structure BinFile' =
  FileIO' (structure PrimIO = BinPrimIO
           val newArray = PrimArrays'.array_new_uninit : int -> Word8.word array
           local
             val cast = PrimArrays'.cast : Word8.word array -> Word8.word vector
           in
             fun freeze (a, n) =
               if n = Array.length a then cast a
               else Word8ArraySlice.vector (Word8ArraySlice.slice (a, 0, SOME n))
           end
           val ofSlice = Word8ArraySlice.base
           val ofPart = Word8VectorSlice.base
           val read = PrimFiles'.file_read
           val writeArray = PrimFiles'.file_write
           val writeVector = PrimFiles'.file_write_vector)

(* as OwnString' *)
structure OwnVector' =
struct
  local
    val thaw = PrimArrays'.cast : Word8.word vector -> Word8.word array
    val freeze = PrimArrays'.cast : Word8.word array -> Word8.word vector
    val make = PrimArrays'.array_new_uninit : int -> Word8.word array
    val move =
      PrimArrays'.array_copy_unsafe : Word8.word array * int * Word8.word array * int * int -> unit
  in
    fun new n = freeze (make n)
    fun copy (v, i, w, j, n) = move (thaw v, i, thaw w, j, n)
    val at = PrimArrays'.array_sub_unsafe : Word8.word array * int -> Word8.word
    fun element (v, i) = at (thaw v, i)
    fun part (v, i, n) = Word8ArraySlice.slice (thaw v, i, SOME n)
    fun extract (v, i, n) =
      let
        val w = new n
      in
        copy (v, i, w, 0, n);
        w
      end
  end
end

structure BinStream' =
struct
  fun extract (v, i, n) =
    if n = Word8Vector.length v then v
    else Word8VectorSlice.vector (Word8VectorSlice.slice (v, i, SOME n))

  structure S =
    StreamIO' (structure PrimIO = BinPrimIO
               val length = Word8Vector.length
               val sub = PrimArrays'.vector_sub_unsafe : Word8.word vector * int -> Word8.word
               fun part (v, i, n) = Word8VectorSlice.slice (v, i, SOME n)
               val extract = extract
               val concat = Word8Vector.concat
               fun one x = Word8Vector.fromList [x]
               val newArray = PrimArrays'.array_new_uninit : int -> Word8.word array
               val set =
                 PrimArrays'.array_update_unsafe : Word8.word array * int * Word8.word -> unit
               local
                 val thaw = PrimArrays'.cast : Word8.word vector -> Word8.word array
                 val move =
                   PrimArrays'.array_copy_unsafe :
                     Word8.word array * int * Word8.word array * int * int -> unit
               in
                 fun copy (v, i, a, j, n) = move (thaw v, i, a, j, n)
                 fun shift (a, i, n) = move (a, i, a, 0, n)
               end
               val isPlain = true
               val descriptor = BinFile'.writer
               fun partOfArray (a, i, n) = Word8ArraySlice.slice (a, i, SOME n)
               fun lineEnd _ = ~1)
  open S

  structure Events = StreamEvents' (structure S = S val length = Word8Vector.length)
  open Events
end

signature BIN_IO =
sig
  include
    IMPERATIVE_IO
      where type StreamIO.vector = Word8Vector.vector
      where type StreamIO.elem = Word8.word
      where type StreamIO.reader = BinPrimIO.reader
      where type StreamIO.writer = BinPrimIO.writer
      where type StreamIO.pos = BinPrimIO.pos
  (* Opens a file to be read. Raises Io when the system refuses. *)
  val openIn : string -> instream
  (* Makes a file, or empties the one that is there, to be written. Raises Io when the system refuses. *)
  val openOut : string -> outstream
  (* Opens a file to be written behind what it has; makes it when there is none. Raises Io when the system refuses. *)
  val openAppend : string -> outstream
end

signature CML_BIN_IO =
sig
  include
    CML_IMPERATIVE_IO
      where type StreamIO.vector = Word8Vector.vector
      where type StreamIO.elem = Word8.word
      where type StreamIO.reader = BinPrimIO.reader
      where type StreamIO.writer = BinPrimIO.writer
      where type StreamIO.pos = BinPrimIO.pos
  (* Opens a file to be read. Raises Io when the system refuses. *)
  val openIn : string -> instream
  (* Makes a file, or empties the one that is there, to be written. Raises Io when the system refuses. *)
  val openOut : string -> outstream
  (* Opens a file to be written behind what it has; makes it when there is none. Raises Io when the system refuses. *)
  val openAppend : string -> outstream
end

structure BinIO' =
struct
  structure StreamIO = BinStream'
  structure S = BinStream'
  structure I =
    ImperativeStreams' (structure Events = S.Events
                        structure S = S.S
                        val sub = OwnVector'.element
                        val extract = OwnVector'.extract
                        val length = Word8Vector.length
                        val newChunk = OwnVector'.new
                        val copy = OwnVector'.copy
                        val part = OwnVector'.part
                        val back = Position.-)
  open I

  fun openIn name =
    openSource (S.readerSource (BinFile'.openReader name))
  fun openTo (function, flags) name =
    ref
      (S.openWriter (BinFile'.writer (name, BinFile'.opened (function, name, flags)), IO.BLOCK_BUF))
  val openOut = openTo ("openOut", 1)
  val openAppend = openTo ("openAppend", 2)
end

structure BinIO :> CML_BIN_IO = BinIO'

signature TEXT =
sig
  structure Char : CHAR
  structure String : STRING
  structure Substring : SUBSTRING
  structure CharVector : MONO_VECTOR
  structure CharArray : MONO_ARRAY
  structure CharVectorSlice : MONO_VECTOR_SLICE
  structure CharArraySlice : MONO_ARRAY_SLICE
  sharing type Char.char = String.char = Substring.char = CharVector.elem = CharArray.elem
    = CharVectorSlice.elem = CharArraySlice.elem
  sharing type Char.string = String.string = Substring.string = CharVector.vector = CharArray.vector
    = CharVectorSlice.vector = CharArraySlice.vector
  sharing type CharArray.array = CharArraySlice.array
  sharing type CharVectorSlice.slice = CharArraySlice.vector_slice
end

structure Text : TEXT =
struct
  structure Char = Char
  structure String = String
  structure Substring = Substring
  structure CharVector = CharVector
  structure CharArray = CharArray
  structure CharVectorSlice = CharVectorSlice
  structure CharArraySlice = CharArraySlice
end
