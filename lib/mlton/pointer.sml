(* MLton.Pointer: addresses of C's memory. Nothing is checked: whoever reads and writes there must know what stands there. *)
signature MLTON_POINTER =
sig
  eqtype t
  (* so many bytes further on *)
  val add : t * word -> t
  (* so many bytes back *)
  val sub : t * word -> t
  (* by address *)
  val compare : t * t -> order
  (* the bytes from the second to the first *)
  val diff : t * t -> word
  (* the address 0, where nothing stands *)
  val null : t
  (* bytes of an address *)
  val sizeofPointer : word
  (* Element number i of an array that begins at p, of elements of one byte. i may be negative, here and below. *)
  val getInt8 : t * int -> Int8.int
  (* likewise, of elements of two bytes *)
  val getInt16 : t * int -> Int16.int
  (* likewise, of four bytes *)
  val getInt32 : t * int -> Int32.int
  (* likewise, of eight bytes *)
  val getInt64 : t * int -> Int64.int
  (* likewise, of one byte *)
  val getWord8 : t * int -> Word8.word
  (* likewise, of two bytes *)
  val getWord16 : t * int -> Word16.word
  (* likewise, of four bytes *)
  val getWord32 : t * int -> Word32.word
  (* likewise, of eight bytes *)
  val getWord64 : t * int -> Word64.word
  (* likewise, of four bytes *)
  val getReal32 : t * int -> Real32.real
  (* likewise, of eight bytes *)
  val getReal64 : t * int -> Real64.real
  (* likewise, of addresses *)
  val getPointer : t * int -> t
  (* Makes the number the element number i of an array that begins at p, of elements of one byte. *)
  val setInt8 : t * int * Int8.int -> unit
  (* likewise, of elements of two bytes *)
  val setInt16 : t * int * Int16.int -> unit
  (* likewise, of four bytes *)
  val setInt32 : t * int * Int32.int -> unit
  (* likewise, of eight bytes *)
  val setInt64 : t * int * Int64.int -> unit
  (* likewise, of one byte *)
  val setWord8 : t * int * Word8.word -> unit
  (* likewise, of two bytes *)
  val setWord16 : t * int * Word16.word -> unit
  (* likewise, of four bytes *)
  val setWord32 : t * int * Word32.word -> unit
  (* likewise, of eight bytes *)
  val setWord64 : t * int * Word64.word -> unit
  (* likewise, of four bytes *)
  val setReal32 : t * int * Real32.real -> unit
  (* likewise, of eight bytes *)
  val setReal64 : t * int * Real64.real -> unit
  (* likewise, of addresses *)
  val setPointer : t * int * t -> unit
end

structure MLtonPointer' :> MLTON_POINTER where type t = pointer =
struct
  structure P = MLtonMemory'
  type t = pointer

  val null = P.of_word 0w0
  val sizeofPointer = 0w8
  fun add (p, n) = P.of_word (P.to_word p + n)
  fun sub (p, n) = P.of_word (P.to_word p - n)
  fun diff (p, q) = P.to_word p - P.to_word q
  fun compare (p, q) = Word.compare (P.to_word p, P.to_word q)

  (* the element's address: words wrap around, and so an index may be negative *)
  fun at (p, i, size) = P.of_word (P.to_word p + Word.fromInt i * size)

  fun getInt8 (p, i) = P.getInt8 (at (p, i, 0w1))
  fun getInt16 (p, i) = P.getInt16 (at (p, i, 0w2))
  fun getInt32 (p, i) = P.getInt32 (at (p, i, 0w4))
  fun getInt64 (p, i) = P.getInt64 (at (p, i, 0w8))
  fun getWord8 (p, i) = P.getWord8 (at (p, i, 0w1))
  fun getWord16 (p, i) = P.getWord16 (at (p, i, 0w2))
  fun getWord32 (p, i) = P.getWord32 (at (p, i, 0w4))
  fun getWord64 (p, i) = P.getWord64 (at (p, i, 0w8))
  fun getReal32 (p, i) = P.getReal32 (at (p, i, 0w4))
  fun getReal64 (p, i) = P.getReal64 (at (p, i, 0w8))
  fun getPointer (p, i) = P.getPointer (at (p, i, 0w8))
  fun setInt8 (p, i, x) = P.setInt8 (at (p, i, 0w1), x)
  fun setInt16 (p, i, x) = P.setInt16 (at (p, i, 0w2), x)
  fun setInt32 (p, i, x) = P.setInt32 (at (p, i, 0w4), x)
  fun setInt64 (p, i, x) = P.setInt64 (at (p, i, 0w8), x)
  fun setWord8 (p, i, x) = P.setWord8 (at (p, i, 0w1), x)
  fun setWord16 (p, i, x) = P.setWord16 (at (p, i, 0w2), x)
  fun setWord32 (p, i, x) = P.setWord32 (at (p, i, 0w4), x)
  fun setWord64 (p, i, x) = P.setWord64 (at (p, i, 0w8), x)
  fun setReal32 (p, i, x) = P.setReal32 (at (p, i, 0w4), x)
  fun setReal64 (p, i, x) = P.setReal64 (at (p, i, 0w8), x)
  fun setPointer (p, i, x) = P.setPointer (at (p, i, 0w8), x)
end
