(* Vectors, arrays and their slices for one element type each. They are those of the polymorphic structures at that type
   (`IntVector.vector = int vector`, flat); CharVector.vector is string. *)

signature MONO_VECTOR =
sig
  type vector
  type elem

  (* most elements *)
  val maxLen : int
  (* raise Size *)
  val fromList : elem list -> vector
  val tabulate : int * (int -> elem) -> vector
  val length : vector -> int
  (* raise Subscript *)
  val sub : vector * int -> elem
  val update : vector * int * elem -> vector
  val concat : vector list -> vector
  val appi : (int * elem -> unit) -> vector -> unit
  val app : (elem -> unit) -> vector -> unit
  val mapi : (int * elem -> elem) -> vector -> vector
  val map : (elem -> elem) -> vector -> vector
  val foldli : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  val findi : (int * elem -> bool) -> vector -> (int * elem) option
  val find : (elem -> bool) -> vector -> elem option
  val exists : (elem -> bool) -> vector -> bool
  val all : (elem -> bool) -> vector -> bool
  val collate : (elem * elem -> order) -> vector * vector -> order
end

signature MONO_ARRAY =
sig
  eqtype array
  type elem
  type vector

  (* most elements *)
  val maxLen : int
  (* raise Size *)
  val array : int * elem -> array
  val fromList : elem list -> array
  val tabulate : int * (int -> elem) -> array
  val length : array -> int
  (* raise Subscript *)
  val sub : array * int -> elem
  val update : array * int * elem -> unit
  val vector : array -> vector
  val copy : {src : array, dst : array, di : int} -> unit
  val copyVec : {src : vector, dst : array, di : int} -> unit
  val appi : (int * elem -> unit) -> array -> unit
  val app : (elem -> unit) -> array -> unit
  val modifyi : (int * elem -> elem) -> array -> unit
  val modify : (elem -> elem) -> array -> unit
  val foldli : (int * elem * 'a -> 'a) -> 'a -> array -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> array -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> array -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> array -> 'a
  val findi : (int * elem -> bool) -> array -> (int * elem) option
  val find : (elem -> bool) -> array -> elem option
  val exists : (elem -> bool) -> array -> bool
  val all : (elem -> bool) -> array -> bool
  val collate : (elem * elem -> order) -> array * array -> order
end

signature MONO_VECTOR_SLICE =
sig
  type elem
  type vector
  type slice

  (* As VECTOR_SLICE, of one type of elements. *)
  val length : slice -> int
  val sub : slice * int -> elem
  val full : vector -> slice
  val slice : vector * int * int option -> slice
  val subslice : slice * int * int option -> slice
  val base : slice -> vector * int * int
  val vector : slice -> vector
  val concat : slice list -> vector
  val isEmpty : slice -> bool
  val getItem : slice -> (elem * slice) option
  val appi : (int * elem -> unit) -> slice -> unit
  val app : (elem -> unit) -> slice -> unit
  val mapi : (int * elem -> elem) -> slice -> vector
  val map : (elem -> elem) -> slice -> vector
  val foldli : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  val find : (elem -> bool) -> slice -> elem option
  val exists : (elem -> bool) -> slice -> bool
  val all : (elem -> bool) -> slice -> bool
  val collate : (elem * elem -> order) -> slice * slice -> order
end

signature MONO_ARRAY_SLICE =
sig
  type elem
  type array
  type slice
  type vector
  type vector_slice

  (* As ARRAY_SLICE, of one type of elements. *)
  val length : slice -> int
  val sub : slice * int -> elem
  val update : slice * int * elem -> unit
  val full : array -> slice
  val slice : array * int * int option -> slice
  val subslice : slice * int * int option -> slice
  val base : slice -> array * int * int
  val vector : slice -> vector
  val copy : {src : slice, dst : array, di : int} -> unit
  val copyVec : {src : vector_slice, dst : array, di : int} -> unit
  val isEmpty : slice -> bool
  val getItem : slice -> (elem * slice) option
  val appi : (int * elem -> unit) -> slice -> unit
  val app : (elem -> unit) -> slice -> unit
  val modifyi : (int * elem -> elem) -> slice -> unit
  val modify : (elem -> elem) -> slice -> unit
  val foldli : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  val find : (elem -> bool) -> slice -> elem option
  val exists : (elem -> bool) -> slice -> bool
  val all : (elem -> bool) -> slice -> bool
  val collate : (elem * elem -> order) -> slice * slice -> order
end

(* the four structures of an element type *)
functor MonoVector' (type elem) :
  MONO_VECTOR where type elem = elem where type vector = elem vector =
struct
  open Vector
  type elem = elem
  type vector = elem vector
end

functor MonoVectorSlice' (type elem) :
  MONO_VECTOR_SLICE where type elem = elem where type vector = elem vector where type slice = elem VectorSlice.slice =
struct
  open VectorSlice
  type elem = elem
  type vector = elem vector
  type slice = elem VectorSlice.slice
end

functor MonoArray' (type elem) :
  MONO_ARRAY where type elem = elem where type vector = elem vector where type array = elem array =
struct
  open Array
  type elem = elem
  type vector = elem vector
  type array = elem array
end

functor MonoArraySlice' (type elem) :
  MONO_ARRAY_SLICE where type elem = elem where type vector = elem vector where type array = elem array
    where type slice = elem ArraySlice.slice where type vector_slice = elem VectorSlice.slice =
struct
  open ArraySlice
  type elem = elem
  type vector = elem vector
  type array = elem array
  type slice = elem ArraySlice.slice
  type vector_slice = elem VectorSlice.slice
end

structure Word8Vector = MonoVector' (type elem = Word8.word)
structure Word8VectorSlice = MonoVectorSlice' (type elem = Word8.word)
structure Word8Array = MonoArray' (type elem = Word8.word)
structure Word8ArraySlice = MonoArraySlice' (type elem = Word8.word)
