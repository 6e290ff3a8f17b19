(* CharVector, CharVectorSlice, CharArray, CharArraySlice: their vectors are strings. *)

structure CharVector : MONO_VECTOR where type elem = char where type vector = string =
struct
  type elem = char
  type vector = string

  val chars = PrimArrays'.cast : string -> char Vector.vector
  val string = PrimArrays'.cast : char Vector.vector -> string

  val maxLen = String.maxSize
  val fromList = String.implode
  fun tabulate (n, f) = string (Vector.tabulate (n, f))
  val length = String.size
  val sub = String.sub
  fun update (s, i, c) = string (Vector.update (chars s, i, c))
  val concat = String.concat
  fun appi f s = Vector.appi f (chars s)
  fun app f s = Vector.app f (chars s)
  fun mapi f s = string (Vector.mapi f (chars s))
  val map = String.map
  fun foldli f init s = Vector.foldli f init (chars s)
  fun foldri f init s = Vector.foldri f init (chars s)
  fun foldl f init s = Vector.foldl f init (chars s)
  fun foldr f init s = Vector.foldr f init (chars s)
  fun findi p s = Vector.findi p (chars s)
  fun find p s = Vector.find p (chars s)
  fun exists p s = Vector.exists p (chars s)
  fun all p s = Vector.all p (chars s)
  val collate = String.collate
end

structure CharVectorSlice : MONO_VECTOR_SLICE
  where type elem = char
  where type vector = string
  where type slice = Substring.substring =
struct
  type elem = char
  type vector = string
  type slice = Substring.substring

  val chars = PrimArrays'.cast : string -> char Vector.vector
  val string = PrimArrays'.cast : char Vector.vector -> string
  (* as a part of a vector *)
  fun part s = let val (s, i, n) = Substring.base s in (chars s, i, n) end

  val length = Substring.size
  val sub = Substring.sub
  val full = Substring.full
  val slice = Substring.extract
  val subslice = Substring.slice
  val base = Substring.base
  val vector = Substring.string
  val concat = Substring.concat
  val isEmpty = Substring.isEmpty
  val getItem = Substring.getc
  fun appi f s = VectorSlicePrim'.appi f (part s)
  val app = Substring.app
  fun mapi f s = string (VectorSlicePrim'.mapi f (part s))
  fun map f s = string (VectorSlicePrim'.map f (part s))
  fun foldli f init s = VectorSlicePrim'.foldli f init (part s)
  fun foldri f init s = VectorSlicePrim'.foldri f init (part s)
  val foldl = Substring.foldl
  val foldr = Substring.foldr
  fun findi p s = VectorSlicePrim'.findi p (part s)
  fun find p s = VectorSlicePrim'.find p (part s)
  fun exists p s = VectorSlicePrim'.exists p (part s)
  fun all p s = VectorSlicePrim'.all p (part s)
  val collate = Substring.collate
end

structure CharArray : MONO_ARRAY
  where type elem = char
  where type vector = string
  where type array = char array =
struct
  open Array
  type elem = char
  type vector = string
  type array = char array

  val chars = PrimArrays'.cast : string -> char Vector.vector
  val freeze = PrimArrays'.cast : array -> string

  fun vector a = freeze (ArrayPrim'.slice (a, 0, length a))
  fun copyVec {src, dst, di} = Array.copyVec {src = chars src, dst = dst, di = di}
end

structure CharArraySlice : MONO_ARRAY_SLICE
  where type elem = char
  where type vector = string
  where type array = char array
  where type slice = char ArraySlice.slice
  where type vector_slice = Substring.substring =
struct
  open ArraySlice
  type elem = char
  type vector = string
  type array = char array
  type slice = char ArraySlice.slice
  type vector_slice = Substring.substring

  val chars = PrimArrays'.cast : string -> char Vector.vector
  val freeze = PrimArrays'.cast : array -> string

  fun vector s = freeze (SlicePrim'.array (base s))
  fun copyVec {src, dst, di} =
    let val (s, i, n) = Substring.base src in SlicePrim'.copyVec ((chars s, i, n), dst, di) end
end
