(* CharBuffer, Word8Buffer: arrays that grow at the end (the Basis Library's proposal 2018-001). *)

signature MONO_BUFFER =
sig
  type buf
  type elem
  type vector
  type slice
  type array
  type array_slice

  val maxLen : int
  (* The most items that a buffer can have. *)
  val new : int -> buf
  (* An empty buffer with room for so many items; more room is made when it is needed. Raises Size. *)
  val contents : buf -> vector
  (* The items of now; what is added later is not in it. *)
  val copy : {src : buf, dst : array, di : int} -> unit
  (* Copies all items into the array, from index di on. Raises Subscript, and copies nothing, where they do not fit. *)
  val length : buf -> int
  (* The number of items. *)
  val sub : buf * int -> elem
  (* The item at that index, from 0. Raises Subscript. *)
  val clear : buf -> unit
  (* Empty, with the room that there is. *)
  val reset : buf -> unit
  (* Empty, with the room that there was at first. *)
  val reserve : buf * int -> unit
  (* Makes room for so many items more. Raises Size. *)
  val add1 : buf * elem -> unit
  (* One more item at the end. Raises Size when the buffer would be longer than maxLen. *)
  val addVec : buf * vector -> unit
  (* All items of the vector at the end. Raises Size likewise. *)
  val addSlice : buf * slice -> unit
  (* All items of the slice at the end. Raises Size likewise. *)
  val addArr : buf * array -> unit
  (* The items that the array has now at the end. Raises Size likewise. *)
  val addArrSlice : buf * array_slice -> unit
  (* The items that the slice has now at the end. Raises Size likewise. *)
end

functor MonoBuffer'
  (structure A : MONO_ARRAY
   structure AS : MONO_ARRAY_SLICE
     where type array = A.array
     where type vector = A.vector
     where type elem = A.elem
   structure VS : MONO_VECTOR_SLICE where type slice = AS.vector_slice where type vector = A.vector
   val zero : A.elem) :> MONO_BUFFER
  where type elem = A.elem
  where type vector = A.vector
  where type slice = VS.slice
  where type array = A.array
  where type array_slice = AS.slice =
struct
  datatype buf = B of {items : A.array ref, length : int ref, initial : int}

  type elem = A.elem
  type vector = A.vector
  type slice = VS.slice
  type array = A.array
  type array_slice = AS.slice

  val maxLen = A.maxLen

  fun new n = B {items = ref (A.array (n, zero)), length = ref 0, initial = n}
  fun used (B {items, length, ...}) = AS.slice (!items, 0, SOME (!length))
  fun contents b = AS.vector (used b)
  fun copy {src, dst, di} = AS.copy {src = used src, dst = dst, di = di}
  fun length (B {length, ...}) = !length
  fun sub (B {items, length, ...}, i) = if i >= !length then raise Subscript else A.sub (!items, i)
  fun clear (B {length, ...}) = length := 0
  fun reset (B {items, length, initial}) = (items := A.array (initial, zero); length := 0)

  fun reserve (b as B {items, length, ...}, n) =
    if n < 0 orelse n > maxLen - !length then raise Size
    else if !length + n > A.length (!items) then
      let
        val twice = Int.min (2 * A.length (!items), maxLen)
        val bigger = A.array (Int.max (!length + n, twice), zero)
      in
        AS.copy {src = used b, dst = bigger, di = 0};
        items := bigger
      end
    else ()

  fun add1 (b as B {items, length, ...}, x) =
    (reserve (b, 1); A.update (!items, !length, x); length := !length + 1)

  fun added (B {length, ...}, n) = length := !length + n
  fun addSlice (b as B {items, length, ...}, s) =
    (reserve (b, VS.length s);
     AS.copyVec {src = s, dst = !items, di = !length};
     added (b, VS.length s))
  fun addVec (b, v) = addSlice (b, VS.full v)
  fun addArrSlice (b as B {items, length, ...}, s) =
    (reserve (b, AS.length s);
     AS.copy {src = s, dst = !items, di = !length};
     added (b, AS.length s))
  fun addArr (b, a) = addArrSlice (b, AS.full a)
end

structure CharBuffer =
  MonoBuffer' (structure A = CharArray
               structure AS = CharArraySlice
               structure VS = CharVectorSlice
               val zero = #"\000")
structure Word8Buffer =
  MonoBuffer' (structure A = Word8Array
               structure AS = Word8ArraySlice
               structure VS = Word8VectorSlice
               val zero = 0w0 : Word8.word)
