(* Foreign.Buffer: memory of C that the collector gives back.

   C may keep the address of such memory for as long as the program has the buffer, since nothing moves it. *)

signature FOREIGN_BUFFER =
sig
  type buffer
  (* The buffer was given back by `free`. *)
  exception Freed

  (* Memory of so many bytes, all 0, at an address that 16 divides. It is given back when the program cannot reach the
     buffer any more, or by `free`. Raises Size for a negative size, Fail if there is no memory. *)
  val new : int -> buffer
  (* Memory that C has made, of so many bytes; the function gives it back. Raises Size for a negative size. *)
  val adopt : {address : MLton.Pointer.t, size : int, free : MLton.Pointer.t -> unit} -> buffer
  (* how many bytes it has *)
  val size : buffer -> int
  (* Gives the memory back now, or, when calls of `use` are under way, behind the last of them. Whatever comes later, but
     for `size` and `free`, raises Freed. A thread on another worker must not read or write it at the same time. *)
  val free : buffer -> unit

  (* The result of the function, which gets the address of the first byte. The memory stays until it has returned, or has
     raised an exception, even if C keeps the address: this is how a buffer goes to C. When the function says CML.exit,
     the use is over when the program cannot reach the buffer any more. *)
  val use : buffer -> (MLton.Pointer.t -> 'a) -> 'a
  (* The address, for C to keep: good as long as the program can reach the buffer, see `touch`. *)
  val address : buffer -> MLton.Pointer.t
  (* A use: the memory is not given back by itself before this call. *)
  val touch : buffer -> unit

  (* What stands at byte i, and in the bytes behind it; i need not be a multiple of the size. They raise Subscript where
     not all of these bytes are the buffer's. *)
  val getInt8 : buffer * int -> Int8.int
  (* likewise *)
  val getInt16 : buffer * int -> Int16.int
  (* likewise *)
  val getInt32 : buffer * int -> Int32.int
  (* likewise *)
  val getInt64 : buffer * int -> Int64.int
  (* likewise *)
  val getWord8 : buffer * int -> Word8.word
  (* likewise *)
  val getWord16 : buffer * int -> Word16.word
  (* likewise *)
  val getWord32 : buffer * int -> Word32.word
  (* likewise *)
  val getWord64 : buffer * int -> Word64.word
  (* likewise *)
  val getReal32 : buffer * int -> Real32.real
  (* likewise *)
  val getReal64 : buffer * int -> Real64.real
  (* likewise *)
  val getPointer : buffer * int -> MLton.Pointer.t
  (* Makes the number stand at byte i; they raise Subscript likewise. *)
  val setInt8 : buffer * int * Int8.int -> unit
  (* likewise *)
  val setInt16 : buffer * int * Int16.int -> unit
  (* likewise *)
  val setInt32 : buffer * int * Int32.int -> unit
  (* likewise *)
  val setInt64 : buffer * int * Int64.int -> unit
  (* likewise *)
  val setWord8 : buffer * int * Word8.word -> unit
  (* likewise *)
  val setWord16 : buffer * int * Word16.word -> unit
  (* likewise *)
  val setWord32 : buffer * int * Word32.word -> unit
  (* likewise *)
  val setWord64 : buffer * int * Word64.word -> unit
  (* likewise *)
  val setReal32 : buffer * int * Real32.real -> unit
  (* likewise *)
  val setReal64 : buffer * int * Real64.real -> unit
  (* likewise *)
  val setPointer : buffer * int * MLton.Pointer.t -> unit

  (* a buffer with the bytes of a string *)
  val fromString : string -> buffer
  (* the same with a byte 0 behind them, as C wants a text *)
  val fromText : string -> buffer
  (* a buffer with the bytes of a vector *)
  val fromVector : Word8Vector.vector -> buffer
  (* The bytes from i on, so many of them, or all that are left. Raises Subscript where they are not the buffer's. *)
  val string : buffer * int * int option -> string
  (* the same as a vector *)
  val vector : buffer * int * int option -> Word8Vector.vector
  (* The bytes from i on, up to the first 0, or the buffer's end. Raises Subscript likewise. *)
  val text : buffer * int -> string
  (* Copies a string to the bytes from `di` on. Raises Subscript where there is no room. *)
  val copyString : {src : string, dst : buffer, di : int} -> unit
  (* the same of a slice of a vector *)
  val copyVec : {src : Word8VectorSlice.slice, dst : buffer, di : int} -> unit
  (* the same of a slice of an array *)
  val copyArray : {src : Word8ArraySlice.slice, dst : buffer, di : int} -> unit
  (* Fills a slice of an array with the bytes from `si` on. Raises Subscript where there are not so many. *)
  val toArray : {src : buffer, si : int, dst : Word8ArraySlice.slice} -> unit
  (* Copies `len` bytes between two buffers, or within one. Raises Subscript likewise. *)
  val copy : {src : buffer, si : int, dst : buffer, di : int, len : int} -> unit
end

structure ForeignBuffer' :> FOREIGN_BUFFER =
struct
  structure P = MLton.Pointer
  structure Finalizable = MLton.Finalizable

  exception Freed
  val size' = String.size

  local
    val calloc = _import "calloc" leaf : Word64.word * Word64.word -> P.t;
    val free = _import "free" leaf : P.t -> unit;
  in
    fun clear size = calloc (0w1, Word64.fromInt (Int.max (size, 1)))
    val giveBack = free
  end

  val toString = _import "memcpy" leaf : string * P.t * Word64.word -> P.t;
  val toVector = _import "memcpy" leaf : Word8Vector.vector * P.t * Word64.word -> P.t;
  val ofString = _import "memcpy" leaf : P.t * string * Word64.word -> P.t;
  val ofVector = _import "memcpy" leaf : P.t * Word8Vector.vector * Word64.word -> P.t;
  val move = _import "memmove" leaf : P.t * P.t * Word64.word -> P.t;
  val lengthOf = _import "strnlen" leaf : P.t * Word64.word -> Word64.word;

  (* `state`: twice the calls of `use` that are under way, and 1 more when `free` was called; `gone` when the memory is
     given back. *)
  type buffer =
    {address : P.t, size : int, drop : P.t -> unit, state : int ref, life : unit Finalizable.t}
  val gone = ~1

  val change = Outside'.change

  (* memory of buffers: its limit is neither little nor less than half of the heap *)
  val least = 0x4000000
  val memory =
    Outside'.account (least,
                      fn () =>
                        Int.max (least,
                                 IntInf.toInt (MLton.GC.Statistics.lastBytesLive ()) div 2))
  fun hold size = Outside'.hold (memory, size)
  fun release size = Outside'.release (memory, size)

  (* One call alone finds 1, and makes it `gone`. *)
  fun dropAt (state, address, size, drop) =
    if Unsafe.Wait.look state = 1 andalso Unsafe.Wait.swap (state, 1, gone) then
      (release size; drop address)
    else ()

  fun close (state, address, size, drop) =
    (ignore (change (state,
                     fn n => if n = gone then n else Word.toIntX (Word.orb (Word.fromInt n, 0w1))));
     dropAt (state, address, size, drop))

  (* The program cannot reach it any more. What is under way can, so uses that are counted still have ended their
     threads. *)
  fun dead (state, address, size, drop) =
    let
      val now = Unsafe.Wait.look state
    in
      if now = gone then ()
      else if Unsafe.Wait.swap (state, now, gone) then (release size; drop address)
      else dead (state, address, size, drop)
    end

  fun make (address, size, drop) : buffer =
    let
      val state = ref 0
      val life = Finalizable.new ()
      val () = Outside'.awaitEnd ()
      fun over () =
        (if Outside'.isEnding () then close else dead) (state, address, size, drop)
    in
      (* It must not hold the record, in which `life` is. *)
      Finalizable.addFinalizer (life, over);
      {address = address, size = size, drop = drop, state = state, life = life}
    end

  fun adopt {address, size, free} =
    if size < 0 then raise Size else (hold size; make (address, size, free))

  fun new size =
    if size < 0 then raise Size
    else
      let
        val address = clear size
      in
        if address = P.null then raise Fail "Foreign.Buffer: there is no memory"
        else (hold size; make (address, size, giveBack))
      end

  fun size ({size, ...} : buffer) = size
  fun free ({address, size, drop, state, ...} : buffer) = close (state, address, size, drop)
  fun touch ({life, ...} : buffer) = Finalizable.touch life

  fun check ({state, ...} : buffer) =
    if Word.andb (Word.fromInt (Unsafe.Wait.look state), 0w1) = 0w0 then () else raise Freed

  fun address (b : buffer) = (check b; #address b)

  fun use (b as {address, size, drop, state, life} : buffer) f =
    let
      fun enter n = if Word.andb (Word.fromInt n, 0w1) = 0w0 then n + 2 else raise Freed
      fun leave () =
        (ignore (change (state, fn n => n - 2));
         dropAt (state, address, size, drop);
         Finalizable.touch life)
      val _ = change (state, enter)
      val result = f address handle e => (leave (); raise e)
    in
      leave ();
      result
    end

  (* the place of `count` bytes from i on *)
  fun at (b as {address, size, ...} : buffer, i, count) =
    (check b;
     if i < 0 orelse count < 0 orelse i > size - count then raise Subscript
     else P.add (address, Word.fromInt i))

  (* how many bytes there are from i on; `at` refuses an i that is none of the buffer's *)
  fun rest ({size, ...} : buffer, i) = if i < 0 then 0 else size - i

  fun getInt8 (b, i) = P.getInt8 (at (b, i, 1), 0)
  fun getInt16 (b, i) = P.getInt16 (at (b, i, 2), 0)
  fun getInt32 (b, i) = P.getInt32 (at (b, i, 4), 0)
  fun getInt64 (b, i) = P.getInt64 (at (b, i, 8), 0)
  fun getWord8 (b, i) = P.getWord8 (at (b, i, 1), 0)
  fun getWord16 (b, i) = P.getWord16 (at (b, i, 2), 0)
  fun getWord32 (b, i) = P.getWord32 (at (b, i, 4), 0)
  fun getWord64 (b, i) = P.getWord64 (at (b, i, 8), 0)
  fun getReal32 (b, i) = P.getReal32 (at (b, i, 4), 0)
  fun getReal64 (b, i) = P.getReal64 (at (b, i, 8), 0)
  fun getPointer (b, i) = P.getPointer (at (b, i, 8), 0)
  fun setInt8 (b, i, x) = P.setInt8 (at (b, i, 1), 0, x)
  fun setInt16 (b, i, x) = P.setInt16 (at (b, i, 2), 0, x)
  fun setInt32 (b, i, x) = P.setInt32 (at (b, i, 4), 0, x)
  fun setInt64 (b, i, x) = P.setInt64 (at (b, i, 8), 0, x)
  fun setWord8 (b, i, x) = P.setWord8 (at (b, i, 1), 0, x)
  fun setWord16 (b, i, x) = P.setWord16 (at (b, i, 2), 0, x)
  fun setWord32 (b, i, x) = P.setWord32 (at (b, i, 4), 0, x)
  fun setWord64 (b, i, x) = P.setWord64 (at (b, i, 8), 0, x)
  fun setReal32 (b, i, x) = P.setReal32 (at (b, i, 4), 0, x)
  fun setReal64 (b, i, x) = P.setReal64 (at (b, i, 8), 0, x)
  fun setPointer (b, i, x) = P.setPointer (at (b, i, 8), 0, x)

  (* So many bytes at a time: a collection can come between. *)
  val piece = 0x10000

  (* f of each piece: where it begins, how long it is. *)
  fun inPieces (count, f) =
    let
      fun go i =
        if i >= count then () else (f (i, Int.min (piece, count - i)); go (i + piece))
    in
      go 0
    end

  (* Strings and vectors: `create` makes one, `fill` copies into it. *)
  fun bytes (create, fill, concat) (b : buffer, i, count) =
    let
      val count = case count of SOME n => n | NONE => rest (b, i)
      val from = at (b, i, count)
      fun part (start, n) =
        let
          val v = create n
        in
          if n > 0 then ignore (fill (v, P.add (from, Word.fromInt start), Word64.fromInt n))
          else ();
          v
        end
      fun parts start =
        if start >= count then []
        else
          let val v = part (start, Int.min (piece, count - start)) in v :: parts (start + piece) end
      val result = if count <= piece then part (0, count) else concat (parts 0)
    in
      touch b;
      result
    end
  val string = bytes (Unsafe.CharVector.create, toString, String.concat)
  val vector = bytes (Unsafe.Word8Vector.create, toVector, Word8Vector.concat)

  fun text (b : buffer, i) =
    let
      val most = rest (b, i)
      val n = Word64.toInt (lengthOf (at (b, i, most), Word64.fromInt most))
    in
      string (b, i, SOME n)
    end

  fun copyString {src, dst, di} =
    let
      val count = size' src
      val to = at (dst, di, count)
    in
      inPieces (count,
                fn (i, n) =>
                  let
                    val part = if n = count then src else substring (src, i, n)
                  in
                    ignore (ofString (P.add (to, Word.fromInt i), part, Word64.fromInt n))
                  end);
      touch dst
    end

  fun copyVec {src, dst, di} =
    let
      val count = Word8VectorSlice.length src
      val to = at (dst, di, count)
    in
      inPieces (count,
                fn (i, n) =>
                  let
                    val part = Word8VectorSlice.vector (Word8VectorSlice.subslice (src, i, SOME n))
                  in
                    ignore (ofVector (P.add (to, Word.fromInt i), part, Word64.fromInt n))
                  end);
      touch dst
    end

  fun copyArray {src, dst, di} =
    let
      val count = Word8ArraySlice.length src
      val to = at (dst, di, count)
    in
      inPieces (count,
                fn (i, n) =>
                  let
                    val part = Word8ArraySlice.vector (Word8ArraySlice.subslice (src, i, SOME n))
                  in
                    ignore (ofVector (P.add (to, Word.fromInt i), part, Word64.fromInt n))
                  end);
      touch dst
    end

  fun toArray {src, si, dst} =
    let
      val (array, first, count) = Word8ArraySlice.base dst
      val _ = at (src, si, count)
    in
      inPieces (count,
                fn (i, n) =>
                  Word8Array.copyVec
                    {src = vector (src, si + i, SOME n), dst = array, di = first + i})
    end

  fun copy {src, si, dst, di, len} =
    let
      val (from, to) = (at (src, si, len), at (dst, di, len))
      fun part (i, n) =
        let
          val i = Word.fromInt i
        in
          ignore (move (P.add (to, i), P.add (from, i), Word64.fromInt n))
        end
    in
      (* What lies behind goes first where it would be written over. *)
      if P.compare (to, from) = GREATER then
        inPieces (len, fn (i, n) => part (len - i - n, n))
      else inPieces (len, part);
      touch src;
      touch dst
    end

  fun fromString s = let val b = new (size' s) in copyString {src = s, dst = b, di = 0}; b end
  fun fromText s = let val b = new (size' s + 1) in copyString {src = s, dst = b, di = 0}; b end
  fun fromVector v =
    let
      val b = new (Word8Vector.length v)
    in
      copyVec {src = Word8VectorSlice.full v, dst = b, di = 0};
      b
    end
end
