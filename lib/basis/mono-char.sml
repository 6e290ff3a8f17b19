(* CharVector, CharVectorSlice, CharArray, CharArraySlice: their vectors are strings. *)

structure CharVector : MONO_VECTOR where type elem = char where type vector = string =
struct
  type elem = char
  type vector = string

  val thaw = PrimArrays'.cast : string -> char array
  val freeze = PrimArrays'.cast : char array -> string

  val maxLen = String.maxSize
  val fromList = String.implode
  fun tabulate (n, f) = freeze (ArrayPrim'.tabulate (n, f))
  val length = String.size
  val sub = String.sub
  fun update (s, i, c) =
    if i < 0 orelse i >= String.size s then raise Subscript
    else
      let
        val a = ArrayPrim'.slice (thaw s, 0, String.size s)
      in
        ArrayPrim'.unsafeUpdate (a, i, c);
        freeze a
      end
  val concat = String.concat
  fun appi f s = ArrayPrim'.appi f (thaw s)
  fun app f s = ArrayPrim'.app f (thaw s)
  fun mapi f s = freeze (SlicePrim'.mapi f (SlicePrim'.full (thaw s)))
  val map = String.map
  fun foldli f init s = ArrayPrim'.foldli f init (thaw s)
  fun foldri f init s = ArrayPrim'.foldri f init (thaw s)
  fun foldl f init s = ArrayPrim'.foldl f init (thaw s)
  fun foldr f init s = ArrayPrim'.foldr f init (thaw s)
  fun findi p s = ArrayPrim'.findi p (thaw s)
  fun find p s = ArrayPrim'.find p (thaw s)
  fun exists p s = ArrayPrim'.exists p (thaw s)
  fun all p s = ArrayPrim'.all p (thaw s)
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

  val thaw = PrimArrays'.cast : string -> char array
  val freeze = PrimArrays'.cast : char array -> string
  (* as a part of an array *)
  fun part s = let val (s, i, n) = Substring.base s in (thaw s, i, n) end

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
  fun appi f s = SlicePrim'.appi f (part s)
  val app = Substring.app
  fun mapi f s = freeze (SlicePrim'.mapi f (part s))
  fun map f s = freeze (SlicePrim'.map f (part s))
  fun foldli f init s = SlicePrim'.foldli f init (part s)
  fun foldri f init s = SlicePrim'.foldri f init (part s)
  val foldl = Substring.foldl
  val foldr = Substring.foldr
  fun findi p s = SlicePrim'.findi p (part s)
  fun find p s = SlicePrim'.find p (part s)
  fun exists p s = SlicePrim'.exists p (part s)
  fun all p s = SlicePrim'.all p (part s)
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

  val thaw = PrimArrays'.cast : string -> array
  val freeze = PrimArrays'.cast : array -> string

  fun vector a = freeze (ArrayPrim'.slice (a, 0, length a))
  fun copyVec {src, dst, di} = copy {src = thaw src, dst = dst, di = di}
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

  val thaw = PrimArrays'.cast : string -> array
  val freeze = PrimArrays'.cast : array -> string

  fun vector s = freeze (SlicePrim'.array (base s))
  fun copyVec {src, dst, di} =
    let val (s, i, n) = Substring.base src in SlicePrim'.copy ((thaw s, i, n), dst, di) end
end
