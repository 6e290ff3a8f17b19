(* The streams of TextIO and BinIO: a chunk of elements and an index that moves on.

   As long as nobody else can see what a stream has read, it is ALONE with its reader. It keeps its chunk to itself
   and reads into it again and again, so a program that reads a gigabyte needs one chunk. What is left in a chunk
   moves to the front of the next one, so a line or a block that was asked for always lies in one piece.

   From the first call on that shows a place of the stream to others, the stream is a CHAIN: its place is a node of a
   functional stream, which does not change, and whose successors all see.

       ALONE --getInstream, scanStream, an event, inputAll, the stream's end--> CHAIN
         ^                                                                        ^
         +-- openIn, stdIn, openString                                            +-- mkInstream, setInstream

   The end makes a chain, too, because there an end may be seen and not be taken (endOfStream, input1), and more may
   follow.

   The word `quick` of the stream's lock says how much of the chunk is there: so far the index may move by the quick
   way. *)
functor ImperativeStreams'
  (structure S : STREAMS'
   structure Events :
   sig
     val input1Evt : S.instream -> (S.elem * S.instream) option CML.event
     val inputNEvt : S.instream * int -> (S.vector * S.instream) CML.event
     val inputEvt : S.instream -> (S.vector * S.instream) CML.event
     val inputAllEvt : S.instream -> (S.vector * S.instream) CML.event
   end
   (* the index is right *)
   val sub : S.vector * int -> S.elem
   (* the range is right *)
   val extract : S.vector * int * int -> S.vector
   val length : S.vector -> int
   (* a chunk that nobody else has: made, filled from another one, and a part of it for a reader *)
   val newChunk : int -> S.vector
   val copy : S.vector * int * S.vector * int * int -> unit
   val part : S.vector * int * int -> S.slice
   (* the position so many elements before another one *)
   val back : S.pos * int -> S.pos) =
struct
  type vector = S.vector
  type elem = S.elem
  datatype from = ALONE of S.source | CHAIN of S.node
  (* `quick` and `guard` are the lock's, which lies in a cell, so that it is one word.
     `data`: the chunk, a node's in a chain. `mine`: it may be written into again. `fills`: how often there was
     another one. `base`: where it begins in the file. `spare`: another chunk to read into. `room`: how large the next
     one is *)
  type instream =
    {from : from ref,
     data : S.vector ref,
     at : int ref,
     mine : bool ref,
     fills : int ref,
     quick : int ref,
     guard : Lock'.lock,
     lock : StreamLock'.lock ref,
     base : S.pos option ref,
     spare : S.vector ref,
     room : int ref}
  type outstream = S.outstream ref

  val noinline = PrimFunctions'.noinline
  val shut = ~1
  (* the largest chunk that is made before so much is asked for *)
  val most = 32768

  fun make (from, data, i, base, name, room) : instream =
    let
      val lock as {quick, guard, ...} = StreamLock'.new (length data, shut, name)
    in
      {from = ref from,
       data = ref data,
       at = ref i,
       mine = ref false,
       fills = ref 0,
       quick = quick,
       guard = guard,
       lock = ref lock,
       base = ref base,
       spare = ref S.empty,
       room = ref room}
    end

  fun mkInstream (f as (n as S.Node {data, ...}, i)) =
    make (CHAIN n, data, i, NONE, S.nameIn f, 1)
  fun openSource source =
    make (ALONE source, S.empty, 0, S.position source, S.sourceName source, S.chunkOf source)
  (* nothing but this *)
  fun openFilled (source, data) =
    make (ALONE source, data, 0, NONE, S.sourceName source, S.chunkOf source)

  (* The place as others may see it. The guard is taken. A call that is under way may go on: what it knows of the
     chunk stays true. *)
  fun chained ({from, data, mine, base, spare, lock = ref lock, ...} : instream) =
    case !from of
      CHAIN n => n
    | ALONE source =>
        let
          val d = !data
          val limit = StreamLock'.word lock
          val d = if limit = length d then d else extract (d, 0, limit)
          val n = S.node (source, d, !base)
        in
          data := d;
          mine := false;
          spare := S.empty;
          from := CHAIN n;
          n
        end

  (* Where the stream is, or was when the call that is under way began. Does not wait. *)
  fun peek (s as {at, guard, ...} : instream) =
    let
      val () = Lock'.take guard
      val n = chained s
      val i = !at
    in
      Lock'.release guard;
      (n, i)
    end

  (* -- with the lock *)

  fun look ({data, at, guard, lock = ref lock, ...} : instream) =
    let
      val () = Lock'.take guard
      val found = (!data, !at, StreamLock'.word lock)
    in
      Lock'.release guard;
      found
    end

  fun advance ({at, lock = ref lock, ...} : instream, turn, i) =
    ignore (StreamLock'.ifStill (lock, turn) (fn () => at := i))

  (* The chunk of which so much is there, if the turn is not over and nobody can see the stream. It is another one, or
     the same with more in it. *)
  fun install
    (s as {from, data, at, mine, fills, base, spare, room, lock = ref (lock as {kept, ...}), ...} :
       instream,
     turn,
     {chunk, index, limit, start, isMine, isFull}) =
    let
      val isDone = ref false
      fun go () =
        case !from of
          CHAIN _ => ()
        | ALONE _ =>
            (if !mine andalso length (!data) <= Int.max (most, !room) then spare := !data else ();
             if isFull then room := Int.min (most, 2 * !room) else ();
             data := chunk;
             at := index;
             kept := limit;
             base := start;
             mine := isMine;
             fills := Bits'.plus (!fills, 1);
             isDone := true)
    in
      ignore (StreamLock'.ifStill (lock, turn) go);
      !isDone
    end

  (* what was read is seen by all *)
  fun append (s : instream, start, v) = let val (n, _) = peek s in S.append (n, start, v) end

  (* Reads on. `wanted`: how many elements are to be there in one piece, if so many come. What is there already stays
     valid until the end: a read may fail, or another thread may look.

     What is left and has room behind it stays where it is, and the reader fills that room. Else it moves to the front
     of another chunk, which has room for as much again: a reader may give little at a time, as that of a pipe does, and
     each element of a long line moves only a few times. *)
  fun refill
    (s as {data, mine, spare, room, lock = ref lock, ...} : instream,
     turn,
     source,
     wanted,
     function) =
    let
      fun read () =
        let
          val (old, i, limit) = look s
          val rest = limit - i
          val room = Int.max (!room, 1)
          (* No more room is made than there may be elements for, however much was asked for. *)
          val size =
            if wanted <= room then room
            else
              Int.min (wanted,
                       rest + Int.max (Int.max (room, rest), Option.getOpt (S.available source, 0)))
          (* Nobody else writes into what is taken, not even a call that the reader makes. *)
          val isSame = ref false
          val taken = ref S.empty
          val _ =
            StreamLock'.ifStill (lock, turn) (fn () =>
              if !mine andalso rest > 0 andalso limit < length old then
                (isSame := true; mine := false)
              else if wanted <= room andalso length (!spare) >= size then
                (taken := !spare; spare := S.empty)
              else ())
          val (chunk, index, first) =
            if !isSame then (old, i, limit)
            else
              let
                val chunk = if length (!taken) > 0 then !taken else newChunk size
              in
                copy (old, i, chunk, 0, rest);
                (chunk, 0, rest)
              end
          val size = length chunk
          val start = S.position source
          val n = S.readInto (source, part (chunk, first, size - first), function)
          val isDone =
            n > 0
            andalso install (s,
                             turn,
                             {chunk = chunk,
                              index = index,
                              limit = first + n,
                              start = Option.map (fn pos => back (pos, first)) start,
                              isMine = true,
                              isFull = first + n = size})
        in
          if isDone then ()
          else append (s, start, if n = 0 then S.empty else extract (chunk, first, n));
          true
        end
    in
      (* what is closed has no more; the chain says so *)
      if S.reading (source, false) read
      then ()
      else ignore (peek s)
    end

  (* Whether so many elements are in the chunk; `wanted` as above. If not, the stream is a chain: it was one, or its
     end has come. *)
  fun has (s as {from, ...} : instream, turn, n, wanted, function) =
    case !from of
      CHAIN _ => false
    | ALONE source =>
        let
          val (_, i, limit) = look s
        in
          if n <= limit - i then true
          else (refill (s, turn, source, wanted, function); has (s, turn, n, wanted, function))
        end

  (* what lies there, which the stream goes behind *)
  fun given (s as {at, mine, lock = ref lock, ...} : instream, turn, n) =
    let
      val (d, i, limit) = look s
      val n = if n < 0 then limit - i else n
      val isWhole = n = length d
    in
      ignore (StreamLock'.ifStill (lock, turn) (fn () =>
                (at := i + n; if isWhole then mine := false else ())));
      if isWhole then d else extract (d, i, n)
    end

  (* Whether the turn was not over. *)
  fun moveTo
    ({from, data, at, mine, fills, lock = ref (lock as {kept, ...}), ...} : instream,
     turn,
     (n as S.Node {data = d, ...}, i)) =
    StreamLock'.ifStill (lock, turn) (fn () =>
      (from := CHAIN n;
       data := d;
       at := i;
       mine := false;
       fills := Bits'.plus (!fills, 1);
       kept := length d))

  fun setSlowly (s as {lock = ref lock, ...} : instream, f) =
    let
      val turn = StreamLock'.take lock
    in
      if moveTo (s, turn, f) then StreamLock'.release (lock, turn) else setSlowly (s, f)
    end

  (* The stream moves on. If the turn is over, since a function of the program's has used the stream meanwhile, it moves
     there all the same. *)
  fun move (s, turn, f) = if moveTo (s, turn, f) then () else setSlowly (s, f)

  fun locked ({lock = ref lock, ...} : instream) f =
    let
      val turn = StreamLock'.take lock
    in
      StreamLock'.within (lock, turn, fn () => f turn)
    end

  (* by the functional stream's functions *)
  fun chain (s, turn, f) = let val (v, rest) = f (peek s) in move (s, turn, rest); v end
  fun chainOption (s, turn, f) =
    case f (peek s) of
      SOME (x, rest) => (move (s, turn, rest); SOME x)
    | NONE => NONE
  fun taking s f = locked s (fn turn => chain (s, turn, f))
  fun looking s f = locked s (fn _ => f (peek s))

  (* At the end of the stream it goes behind that, as `input` does: there may be more. *)
  fun one f =
    case S.input1 f of
      SOME (x, rest) => (SOME x, rest)
    | NONE => (NONE, #2 (S.input f))

  (* with the names that a program calls, for reports *)
  fun getInstream' s = (noinline (); looking s (fn f => f))
  fun setInstream' (s, f) = (noinline (); setSlowly (s, f))
  fun input' s =
    (noinline ();
     locked s (fn turn =>
       if has (s, turn, 1, 1, "input") then given (s, turn, ~1) else chain (s, turn, S.input)))
  fun inputN' (s, n) =
    (noinline ();
     locked s (fn turn =>
       if has (s, turn, n, n, "inputN") then given (s, turn, n)
       else chain (s, turn, fn f => S.inputN (f, n))))
  fun input1' s =
    (noinline ();
     locked s (fn turn =>
       if has (s, turn, 1, 1, "input1") then
         let
           val (d, i, _) = look s
         in
           advance (s, turn, i + 1);
           SOME (sub (d, i))
         end
       else chain (s, turn, one)))
  fun lookahead' s =
    (noinline ();
     locked s (fn turn =>
       if has (s, turn, 1, 1, "lookahead") then let val (d, i, _) = look s in SOME (sub (d, i)) end
       else Option.map #1 (S.input1 (peek s))))
  fun endOfStream' s =
    (noinline ();
     locked s (fn turn => not (has (s, turn, 1, 1, "endOfStream")) andalso S.endOfStream (peek s)))
  fun inputAll' s = (noinline (); taking s S.inputAll)

  (* what ends where `find` says, which gives ~1 if the end is not in a range of the chunk *)
  fun inputTo (s, find, function, otherwise) =
    locked s (fn turn =>
      let
        (* so many have been looked at *)
        fun go seen =
          if has (s, turn, seen + 1, 2 * seen, function) then
            let
              val (d, i, limit) = look s
              val stop = find (d, i + seen, limit)
            in
              if stop >= 0 then (advance (s, turn, stop); SOME (extract (d, i, stop - i)))
              else go (limit - i)
            end
          else chainOption (s, turn, otherwise)
      in
        go 0
      end)

  (* -- quickly, or with the lock *)

  fun getInstream (s as {from, at, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val n = !from
      val i = !at
      val isQuick = !quick <> shut andalso Lock'.isOwn guard
    in
      Thread.atomicEnd ();
      case n of
        CHAIN n => if isQuick then (n, i) else getInstream' s
      | ALONE _ => getInstream' s
    end

  fun setInstream
    (s as {from, data, at, mine, fills, quick, guard, ...} : instream,
     f as (n as S.Node {data = d, ...}, i)) =
    let
      val place = CHAIN n
      val () = Thread.atomicBegin ()
    in
      if !quick <> shut andalso Lock'.isOwn guard then
        (from := place;
         data := d;
         at := i;
         mine := false;
         fills := Bits'.plus (!fills, 1);
         quick := length d;
         Thread.atomicEnd ())
      else (Thread.atomicEnd (); setInstream' (s, f))
    end

  (* a chunk that is given as a whole, without a copy *)
  fun input (s as {data, at, mine, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val i = !at
      val n = !quick
      val d = !data
    in
      if i = 0 andalso n > 0 andalso n = length d andalso Lock'.isOwn guard then
        (at := n; mine := false; Thread.atomicEnd (); d)
      else (Thread.atomicEnd (); input' s)
    end

  (* A part of the chunk is copied between two atomic sections. It counts if nothing has happened meanwhile: another
     thread may have read into the chunk again. *)
  fun isThere ({at, quick, guard, ...} : instream, i, n) =
    !at = i andalso n <= Bits'.minus (!quick, i) andalso Lock'.isOwn guard

  fun inputN (s as {data, at, fills, ...} : instream, n) =
    let
      val () = if n < 0 then raise Size else ()
      val () = Thread.atomicBegin ()
      val d = !data
      val i = !at
      val filled = !fills
      val isHere = isThere (s, i, n)
      val () = Thread.atomicEnd ()
    in
      if isHere then
        let
          val v = extract (d, i, n)
          val () = Thread.atomicBegin ()
        in
          if !fills = filled andalso isThere (s, i, n) then
            (at := Bits'.plus (i, n); Thread.atomicEnd (); v)
          else (Thread.atomicEnd (); inputN' (s, n))
        end
      else inputN' (s, n)
    end
  fun inputAll s = inputAll' s
  fun input1 (s as {data, at, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val i = !at
    in
      if i < !quick andalso Lock'.isOwn guard then
        let
          val x = sub (!data, i)
        in
          at := Bits'.plus (i, 1);
          Thread.atomicEnd ();
          SOME x
        end
      else (Thread.atomicEnd (); input1' s)
    end
  fun lookahead (s as {data, at, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val i = !at
    in
      if i < !quick andalso Lock'.isOwn guard then
        let
          val x = sub (!data, i)
        in
          Thread.atomicEnd ();
          SOME x
        end
      else (Thread.atomicEnd (); lookahead' s)
    end
  fun endOfStream (s as {at, quick, guard, ...} : instream) =
    let
      val () = Thread.atomicBegin ()
      val isQuick = !at < !quick andalso Lock'.isOwn guard
    in
      Thread.atomicEnd ();
      if isQuick then false else endOfStream' s
    end

  fun isSame (S.Node {next, ...}, S.Node {next = other, ...}) = next = other

  (* What f gives from the place of the stream on, alone in the stream; it moves on with SOME. Where it is a chain and
     stays in the node, the lock is taken and given back quickly. *)
  fun scanning (s as {from, at, lock = ref lock, ...} : instream) f =
    let
      val turn = StreamLock'.newTurn ()
      val by = StreamLock'.BY turn
      val () = Thread.atomicBegin ()
      val place = !from
      val i = !at
      val isQuick =
        case place of
          CHAIN _ => StreamLock'.takeQuickly (lock, by)
        | ALONE _ => false
      val () = Thread.atomicEnd ()
      fun leave j =
        let
          val () = Thread.atomicBegin ()
          val isDone = StreamLock'.releaseQuickly (lock, turn)
        in
          if isDone then at := j else ();
          Thread.atomicEnd ();
          isDone
        end
      fun quickly n =
        case f (n, i) handle e => (StreamLock'.release (lock, turn); raise e) of
          NONE => (if leave i then () else StreamLock'.release (lock, turn); NONE)
        | SOME (x, rest as (m, j)) =>
            (if isSame (n, m) andalso leave j then ()
             else StreamLock'.within (lock, turn, fn () => move (s, turn, rest));
             SOME x)
    in
      case (place, isQuick) of
        (CHAIN n, true) => quickly n
      | _ => locked s (fn turn => chainOption (s, turn, f))
    end

  (* While another thread's call is under way, an input would wait. *)
  fun canInput (s as {from, lock = ref lock, ...} : instream, n) =
    let
      fun ask turn =
        let
          val (_, i, limit) = look s
        in
          case !from of
            CHAIN _ => S.canInput (peek s, n)
          | ALONE source =>
              if i < limit then SOME (Int.min (n, limit - i))
              else
                case S.readingAtOnce (source, NONE) (fn () => SOME (soon (turn, source))) of
                  SOME found => found
                | NONE => S.canInput (peek s, n)
        end
      and soon (turn, source) =
        let
          val start = S.position source
        in
          Option.map
            (fn v =>
              let
                val k = length v
                val isDone =
                  k > 0
                  andalso install (s,
                                   turn,
                                   {chunk = v,
                                    index = 0,
                                    limit = k,
                                    start = start,
                                    isMine = false,
                                    isFull = false})
              in
                if isDone then () else append (s, start, v);
                Int.min (n, k)
              end)
            (S.readSoon (source, "canInput"))
        end
    in
      if n < 0 then raise Size
      else
        case StreamLock'.attempt lock of
          SOME turn => StreamLock'.within (lock, turn, fn () => ask turn)
        | NONE => NONE
    end

  (* What was read and not taken is dropped, be it that the reader's own function fails: the stream is closed all the
     same. A call that waits for a descriptor is ended, others are waited for. *)
  fun closeIn (s as {lock = ref lock, ...} : instream) =
    let
      fun finish turn =
        StreamLock'.within (lock,
                            turn,
                            fn () =>
                              let
                                val f as (S.Node {source, ...}, _) = peek s
                                fun empty () = move (s, turn, (S.node (source, S.empty, NONE), 0))
                              in
                                S.closeIn f handle e as IO.Io _ => (empty (); raise e);
                                empty ()
                              end)
    in
      case StreamLock'.attempt lock of
        SOME turn => finish turn
      | NONE =>
          (if S.mayWaitIn (peek s) then
             S.closeIn (peek s)
             handle e as IO.Io _ => (finish (StreamLock'.take lock); raise e)
           else ();
           finish (StreamLock'.take lock))
    end

  fun output (s : outstream, v) = S.output (!s, v)
  fun output1 (s : outstream, x) = S.output1 (!s, x)
  fun flushOut (s : outstream) = S.flushOut (!s)
  fun closeOut (s : outstream) = S.closeOut (!s)
  fun mkOutstream f : outstream = ref f
  fun getOutstream (s : outstream) = (flushOut s; !s)
  (* The new stream is there first: the old one may fail. *)
  fun setOutstream (s : outstream, f) = let val old = !s in s := f; S.flushOut old end
  fun getPosOut (s : outstream) = S.getPosOut (!s)
  fun setPosOut (s : outstream, pos) = s := S.setPosOut pos

  (* The event says that there is something; what the stream gives then is taken by a call like any other. *)
  fun evt (f, get) s = Event'.guard (fn () => Event'.wrap (f (peek s), fn _ => get s))
  fun inputEvt s = evt (Events.inputEvt, input) s
  fun inputAllEvt s = evt (Events.inputAllEvt, inputAll) s
  fun inputNEvt (s, n) = evt (fn f => Events.inputNEvt (f, n), fn s => inputN (s, n)) s
  fun input1Evt s = evt (Events.input1Evt, input1) s
end

signature IMPERATIVE_IO =
sig
  structure StreamIO : STREAM_IO
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
end

signature CML_IMPERATIVE_IO =
sig
  structure StreamIO : CML_STREAM_IO
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
end

functor ImperativeIO
  (structure StreamIO : STREAM_IO
   structure Vector : MONO_VECTOR
   structure Array : MONO_ARRAY
   sharing type StreamIO.elem = Vector.elem = Array.elem
   sharing type StreamIO.vector = Vector.vector = Array.vector) : IMPERATIVE_IO
  where type StreamIO.elem = StreamIO.elem
  where type StreamIO.vector = StreamIO.vector
  where type StreamIO.instream = StreamIO.instream
  where type StreamIO.outstream = StreamIO.outstream
  where type StreamIO.out_pos = StreamIO.out_pos
  where type StreamIO.reader = StreamIO.reader
  where type StreamIO.writer = StreamIO.writer
  where type StreamIO.pos = StreamIO.pos =
struct
  structure StreamIO = StreamIO
  structure S = StreamIO
  type vector = S.vector
  type elem = S.elem
  (* a functional stream in a box of its own, by which it is known again *)
  datatype place = At of S.instream
  type instream = {place : place ref, lock : StreamLock'.lock}
  type outstream = S.outstream ref

  val isOpen = 0
  val shut = ~1
  val same = PrimRefs'.ptr_eq : place * place -> bool

  fun mkInstream f : instream =
    {place = ref (At f), lock = StreamLock'.new (isOpen, shut, "<stream>")}

  (* A functional stream does not change. So what follows a place is found without the lock; it counts if the stream
     is still there afterwards. *)
  fun moveFrom ({place, lock = {quick, guard, ...}} : instream, it, rest) =
    let
      val () = Thread.atomicBegin ()
      val isQuick = !quick = isOpen andalso same (!place, it) andalso Lock'.isOwn guard
    in
      if isQuick then place := rest else ();
      Thread.atomicEnd ();
      isQuick
    end

  fun setSlowly ({place, lock} : instream, f) = StreamLock'.alone lock (fn () => place := At f)

  fun now ({place, ...} : instream) = let val At f = !place in f end

  fun take get (s as {place, lock} : instream) =
    let
      val it as At f = !place
      val (v, rest) = get f
    in
      if moveFrom (s, it, At rest) then v
      else
        StreamLock'.alone lock (fn () =>
          let val (v, rest) = get (now s) in place := At rest; v end)
    end
  fun look get (s as {lock = lock as {quick, ...}, ...} : instream) =
    if !quick = isOpen then get (now s) else StreamLock'.alone lock (fn () => get (now s))

  fun input s = take S.input s
  fun inputN (s, n) = take (fn f => S.inputN (f, n)) s
  fun inputAll s = take S.inputAll s
  fun input1 s =
    take
      (fn f =>
        case S.input1 f of
          SOME (x, rest) => (SOME x, rest)
        | NONE => (NONE, #2 (S.input f)))
      s
  fun canInput (s, n) = S.canInput (now s, n)
  fun lookahead s = Option.map #1 (look S.input1 s)
  (* Closes the functional stream, and goes behind all that was read of it. Calls that wait for the lock have their
     turn afterwards. *)
  fun closeIn (s as {place, lock} : instream) =
    let
      fun behind f =
        case S.inputAll f of
          (v, rest) => if Vector.length v = 0 then rest else behind rest
      fun empty () = StreamLock'.alone lock (fn () => place := At (behind (now s)))
    in
      S.closeIn (now s) handle e as IO.Io _ => (empty (); raise e);
      empty ()
    end
  fun endOfStream s = look S.endOfStream s
  fun output (s, v) = S.output (!s, v)
  fun output1 (s, x) = S.output1 (!s, x)
  fun flushOut s = S.flushOut (!s)
  fun closeOut s = S.closeOut (!s)
  fun getInstream s = look (fn f => f) s
  val setInstream = setSlowly
  val mkOutstream = ref
  fun getOutstream s = (flushOut s; !s)
  fun setOutstream (s, f) = let val old = !s in s := f; S.flushOut old end
  fun getPosOut s = S.getPosOut (!s)
  fun setPosOut (s, pos) = s := S.setPosOut pos
end
