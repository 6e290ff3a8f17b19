(* IO, PrimIO: the lowest layer of input and output. A reader or writer is a record of the operations that a device has;
   those that it lacks are NONE. *)

signature IO =
sig
  exception Io of {name : string, function : string, cause : exn}
  exception BlockingNotSupported
  exception NonblockingNotSupported
  exception RandomAccessNotSupported
  exception ClosedStream
  datatype buffer_mode = NO_BUF | LINE_BUF | BLOCK_BUF
end

structure IO :> IO =
struct
  exception Io of {name : string, function : string, cause : exn}
  exception BlockingNotSupported
  exception NonblockingNotSupported
  exception RandomAccessNotSupported
  exception ClosedStream
  datatype buffer_mode = NO_BUF | LINE_BUF | BLOCK_BUF
end

signature PRIM_IO =
sig
  type elem
  type vector
  type vector_slice
  type array
  type array_slice
  eqtype pos

  (* The order of two places. *)
  val compare : pos * pos -> order

  datatype reader =
    RD of
        {name : string,
         chunkSize : int,
         (* at most so many elements; none at the end *)
         readVec : (int -> vector) option,
         readArr : (array_slice -> int) option,
         (* NONE: it would block *)
         readVecNB : (int -> vector option) option,
         readArrNB : (array_slice -> int option) option,
         block : (unit -> unit) option,
         canInput : (unit -> bool) option,
         (* bytes up to the end, when known *)
         avail : unit -> int option,
         getPos : (unit -> pos) option,
         setPos : (pos -> unit) option,
         endPos : (unit -> pos) option,
         verifyPos : (unit -> pos) option,
         close : unit -> unit,
         ioDesc : OS.IO.iodesc option}

  datatype writer =
    WR of
        {name : string,
         chunkSize : int,
         writeVec : (vector_slice -> int) option,
         writeArr : (array_slice -> int) option,
         writeVecNB : (vector_slice -> int option) option,
         writeArrNB : (array_slice -> int option) option,
         block : (unit -> unit) option,
         canOutput : (unit -> bool) option,
         getPos : (unit -> pos) option,
         setPos : (pos -> unit) option,
         endPos : (unit -> pos) option,
         verifyPos : (unit -> pos) option,
         close : unit -> unit,
         ioDesc : OS.IO.iodesc option}

  (* A reader of the vector's elements. *)
  val openVector : vector -> reader
  (* A reader that is at its end. *)
  val nullRd : unit -> reader
  (* A writer that drops what is written. *)
  val nullWr : unit -> writer
  (* The reader, with the operations added that can be made of those that it has. *)
  val augmentReader : reader -> reader
  (* The writer, with the operations added that can be made of those that it has. *)
  val augmentWriter : writer -> writer
end

functor PrimIO
  (structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
   structure Array : MONO_ARRAY
   structure ArraySlice : MONO_ARRAY_SLICE
   sharing type Vector.elem = VectorSlice.elem = Array.elem = ArraySlice.elem
   sharing type Vector.vector = VectorSlice.vector = Array.vector = ArraySlice.vector
   sharing type VectorSlice.slice = ArraySlice.vector_slice
   sharing type Array.array = ArraySlice.array
   val someElem : Vector.elem
   eqtype pos
   val compare : pos * pos -> order) : PRIM_IO
  where type elem = Vector.elem
  where type vector = Vector.vector
  where type vector_slice = VectorSlice.slice
  where type array = Array.array
  where type array_slice = ArraySlice.slice
  where type pos = pos =
struct
  type elem = Vector.elem
  type vector = Vector.vector
  type vector_slice = VectorSlice.slice
  type array = Array.array
  type array_slice = ArraySlice.slice
  type pos = pos
  val compare = compare

  datatype reader =
    RD of
        {name : string,
         chunkSize : int,
         readVec : (int -> vector) option,
         readArr : (array_slice -> int) option,
         readVecNB : (int -> vector option) option,
         readArrNB : (array_slice -> int option) option,
         block : (unit -> unit) option,
         canInput : (unit -> bool) option,
         avail : unit -> int option,
         getPos : (unit -> pos) option,
         setPos : (pos -> unit) option,
         endPos : (unit -> pos) option,
         verifyPos : (unit -> pos) option,
         close : unit -> unit,
         ioDesc : OS.IO.iodesc option}

  datatype writer =
    WR of
        {name : string,
         chunkSize : int,
         writeVec : (vector_slice -> int) option,
         writeArr : (array_slice -> int) option,
         writeVecNB : (vector_slice -> int option) option,
         writeArrNB : (array_slice -> int option) option,
         block : (unit -> unit) option,
         canOutput : (unit -> bool) option,
         getPos : (unit -> pos) option,
         setPos : (pos -> unit) option,
         endPos : (unit -> pos) option,
         verifyPos : (unit -> pos) option,
         close : unit -> unit,
         ioDesc : OS.IO.iodesc option}

  val nothing = Vector.fromList []

  fun openVector v =
    let
      val at = ref 0
      val all = Vector.length v
      val lock = Lock'.new ()
      val closed = ref false
      fun check () = if !closed then raise IO.ClosedStream else ()
      fun take n =
        let
          val () = Lock'.take lock
          val i = !at
          val k = if n < all - i then n else all - i
        in
          at := i + k;
          Lock'.release lock;
          VectorSlice.slice (v, i, SOME k)
        end
      fun readVec n = (check (); if n < 0 then raise Size else VectorSlice.vector (take n))
      fun readArr slice =
        let
          val (dst, di, n) = (check (); ArraySlice.base slice)
          val part = take n
        in
          ArraySlice.copyVec {src = part, dst = dst, di = di};
          VectorSlice.length part
        end
    in
      RD {name = "<vector>",
          chunkSize = Int.max (1, all),
          readVec = SOME readVec,
          readArr = SOME readArr,
          readVecNB = SOME (SOME o readVec),
          readArrNB = SOME (SOME o readArr),
          block = SOME check,
          canInput = SOME (fn () => (check (); true)),
          avail = fn () => (check (); SOME (all - !at)),
          getPos = NONE,
          setPos = NONE,
          endPos = NONE,
          verifyPos = NONE,
          close = fn () => closed := true,
          ioDesc = NONE}
    end

  fun nullRd () = openVector nothing

  fun nullWr () =
    let
      val closed = ref false
      fun check () = if !closed then raise IO.ClosedStream else ()
      fun writeVec slice = (check (); VectorSlice.length slice)
      fun writeArr slice = (check (); ArraySlice.length slice)
    in
      WR {name = "<null>",
          chunkSize = 1,
          writeVec = SOME writeVec,
          writeArr = SOME writeArr,
          writeVecNB = SOME (SOME o writeVec),
          writeArrNB = SOME (SOME o writeArr),
          block = SOME check,
          canOutput = SOME (fn () => (check (); true)),
          getPos = NONE,
          setPos = NONE,
          endPos = NONE,
          verifyPos = NONE,
          close = fn () => closed := true,
          ioDesc = NONE}
    end

  (* the first of these that there is *)
  fun first [] = NONE
    | first (SOME f :: _) = SOME f
    | first (NONE :: rest) = first rest
  fun map2 f (SOME a, SOME b) = SOME (f (a, b))
    | map2 _ _ = NONE

  (* A read may give less than was asked for: no more room is made than that, however much it was. *)
  val most = 65536
  fun vecOfArr readArr n =
    let
      val a = Array.array (Int.min (n, most), someElem)
      val k = readArr (ArraySlice.full a)
    in
      ArraySlice.vector (ArraySlice.slice (a, 0, SOME k))
    end
  fun arrOfVec readVec slice =
    let
      val (dst, di, n) = ArraySlice.base slice
      val v = readVec n
    in
      Array.copyVec {src = v, dst = dst, di = di};
      Vector.length v
    end
  fun vecOfArrNB readArr n =
    let
      val a = Array.array (Int.min (n, most), someElem)
    in
      Option.map
        (fn k => ArraySlice.vector (ArraySlice.slice (a, 0, SOME k)))
        (readArr (ArraySlice.full a))
    end
  fun arrOfVecNB readVec slice =
    let
      val (dst, di, n) = ArraySlice.base slice
    in
      Option.map
        (fn v => (Array.copyVec {src = v, dst = dst, di = di}; Vector.length v))
        (readVec n)
    end
  (* waits, then does what does not block *)
  fun waiting (block, f) x =
    (block ();
     case f x of
       SOME y => y
     | NONE => waiting (block, f) x)
  (* does it when it would not block *)
  fun asking (can, f) x = if can () then SOME (f x) else NONE

  (* What a device lacks, made of what it has: the four operations of a reader or of a writer, from those that there are and
     the ways to make one from another (`vecOf` from one on arrays, `arrOf` from one on vectors; NB: for those that do not
     block). `canNow` asks whether it would block.

     An operation that asks first is two calls of the device, and no other may come in between: then all that read, or all that
     write, are done one at a time. What must not block does nothing meanwhile. *)
  fun complete {name, block, canNow, vec, arr, vecNB, arrNB, vecOf, arrOf, vecOfNB, arrOfNB} =
    let
      val asks =
        isSome canNow
        andalso not (isSome vecNB orelse isSome arrNB)
        andalso (isSome vec orelse isSome arr)
      val lock = if asks then SOME (StreamLock'.plain name) else NONE
      fun oneAtATime (SOME lock, SOME f) = SOME (fn x => StreamLock'.alone lock (fn () => f x))
        | oneAtATime (_, f) = f
      fun atOnce (SOME lock, SOME f) = SOME (fn x => StreamLock'.atOnce (lock, NONE) (fn () => f x))
        | atOnce (_, f) = f
    in
      {vec =
         oneAtATime (lock,
                     first [vec,
                            Option.map vecOf arr,
                            map2 waiting (block, vecNB),
                            map2 (fn (b, f) => vecOf (waiting (b, f))) (block, arrNB)]),
       arr =
         oneAtATime (lock,
                     first [arr,
                            Option.map arrOf vec,
                            map2 waiting (block, arrNB),
                            map2 (fn (b, f) => arrOf (waiting (b, f))) (block, vecNB)]),
       vecNB =
         atOnce (lock,
                 first [vecNB,
                        Option.map vecOfNB arrNB,
                        map2 asking (canNow, vec),
                        map2 (fn (c, f) => asking (c, vecOf f)) (canNow, arr)]),
       arrNB =
         atOnce (lock,
                 first [arrNB,
                        Option.map arrOfNB vecNB,
                        map2 asking (canNow, arr),
                        map2 (fn (c, f) => asking (c, arrOf f)) (canNow, vec)])}
    end

  fun augmentReader
    (RD {name, chunkSize, readVec, readArr, readVecNB, readArrNB, block, canInput, avail, getPos,
         setPos, endPos, verifyPos, close, ioDesc}) =
    let
      val {vec, arr, vecNB, arrNB} =
        complete {name = name,
                  block = block,
                  canNow = canInput,
                  vec = readVec,
                  arr = readArr,
                  vecNB = readVecNB,
                  arrNB = readArrNB,
                  vecOf = vecOfArr,
                  arrOf = arrOfVec,
                  vecOfNB = vecOfArrNB,
                  arrOfNB = arrOfVecNB}
    in
      RD {name = name,
          chunkSize = chunkSize,
          readVec = vec,
          readArr = arr,
          readVecNB = vecNB,
          readArrNB = arrNB,
          block = block,
          canInput = canInput,
          avail = avail,
          getPos = getPos,
          setPos = setPos,
          endPos = endPos,
          verifyPos = verifyPos,
          close = close,
          ioDesc = ioDesc}
    end

  fun vecByArr writeArr slice =
    let
      val n = VectorSlice.length slice
      val a = Array.array (n, someElem)
    in
      ArraySlice.copyVec {src = slice, dst = a, di = 0};
      writeArr (ArraySlice.full a)
    end
  fun arrByVec writeVec slice = writeVec (VectorSlice.full (ArraySlice.vector slice))

  fun augmentWriter
    (WR {name, chunkSize, writeVec, writeArr, writeVecNB, writeArrNB, block, canOutput, getPos,
         setPos, endPos, verifyPos, close, ioDesc}) =
    let
      val {vec, arr, vecNB, arrNB} =
        complete {name = name,
                  block = block,
                  canNow = canOutput,
                  vec = writeVec,
                  arr = writeArr,
                  vecNB = writeVecNB,
                  arrNB = writeArrNB,
                  vecOf = vecByArr,
                  arrOf = arrByVec,
                  vecOfNB = vecByArr,
                  arrOfNB = arrByVec}
    in
      WR {name = name,
          chunkSize = chunkSize,
          writeVec = vec,
          writeArr = arr,
          writeVecNB = vecNB,
          writeArrNB = arrNB,
          block = block,
          canOutput = canOutput,
          getPos = getPos,
          setPos = setPos,
          endPos = endPos,
          verifyPos = verifyPos,
          close = close,
          ioDesc = ioDesc}
    end
end

structure TextPrimIO : PRIM_IO =
  PrimIO (structure Vector = CharVector
          structure VectorSlice = CharVectorSlice
          structure Array = CharArray
          structure ArraySlice = CharArraySlice
          val someElem = #"\000"
          type pos = Position.int
          val compare = Position.compare)

structure BinPrimIO : PRIM_IO =
  PrimIO (structure Vector = Word8Vector
          structure VectorSlice = Word8VectorSlice
          structure Array = Word8Array
          structure ArraySlice = Word8ArraySlice
          val someElem = 0w0 : Word8.word
          type pos = Position.int
          val compare = Position.compare)
