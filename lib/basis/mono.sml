(* Vectors, arrays and their slices for one element type each. They are those of the polymorphic structures at that type
   (`IntVector.vector = int vector`, flat); CharVector.vector is string. *)

signature MONO_VECTOR =
sig
  type vector
  type elem

  (* How many elements a vector can have. *)
  val maxLen : int
  (* The vector of the list's elements. Raises Size when there are too many. *)
  val fromList : elem list -> vector
  (* The vector of f 0, f 1, ..., f (n - 1). Raises Size when n is negative or too large. *)
  val tabulate : int * (int -> elem) -> vector
  (* How many elements it has. *)
  val length : vector -> int
  (* Element i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : vector * int -> elem
  (* A copy, with element i changed; the vector stays as it is. Raises Subscript when there is none of that number. *)
  val update : vector * int * elem -> vector
  (* All elements of all vectors, in order. Raises Size when there are too many. *)
  val concat : vector list -> vector
  (* Calls the function on each element and its index, from left to right. *)
  val appi : (int * elem -> unit) -> vector -> unit
  (* Calls the function on each element, from left to right. *)
  val app : (elem -> unit) -> vector -> unit
  (* The vector of what the function gives for each index and element. *)
  val mapi : (int * elem -> elem) -> vector -> vector
  (* The vector of what the function gives for each element. *)
  val map : (elem -> elem) -> vector -> vector
  (* Goes from left to right: calls the function with index, element and the result so far. *)
  val foldli : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  (* Goes from right to left: calls the function with index, element and the result so far. *)
  val foldri : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  (* SOME of the first element, with its index, for which the predicate holds, or NONE. *)
  val findi : (int * elem -> bool) -> vector -> (int * elem) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : (elem -> bool) -> vector -> elem option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : (elem -> bool) -> vector -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : (elem -> bool) -> vector -> bool
  (* The order of two vectors by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : (elem * elem -> order) -> vector * vector -> order
end

signature MONO_ARRAY =
sig
  eqtype array
  type elem
  type vector

  (* How many elements an array can have. *)
  val maxLen : int
  (* An array of n elements, all of them that value. Raises Size when n is negative or too large. *)
  val array : int * elem -> array
  (* A new array of the list's elements. Raises Size when there are too many. *)
  val fromList : elem list -> array
  (* A new array of f 0, f 1, ..., f (n - 1). Raises Size when n is negative or too large. *)
  val tabulate : int * (int -> elem) -> array
  (* How many elements it has. *)
  val length : array -> int
  (* Element i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : array * int -> elem
  (* Puts a value at index i. Raises Subscript when there is no element of that number. *)
  val update : array * int * elem -> unit
  (* The elements as they are now, as a vector: a copy. *)
  val vector : array -> vector
  (* Copies all of src to dst, from index di on. Raises Subscript, and copies nothing, when they do not fit. *)
  val copy : {src : array, dst : array, di : int} -> unit
  (* Copies all of the vector src to dst, from index di on. Raises Subscript, and copies nothing, when they do not
     fit. *)
  val copyVec : {src : vector, dst : array, di : int} -> unit
  (* Calls the function on each element and its index, from left to right. *)
  val appi : (int * elem -> unit) -> array -> unit
  (* Calls the function on each element, from left to right. *)
  val app : (elem -> unit) -> array -> unit
  (* Replaces each element by what the function gives for its index and it, from left to right. *)
  val modifyi : (int * elem -> elem) -> array -> unit
  (* Replaces each element by what the function gives for it, from left to right. *)
  val modify : (elem -> elem) -> array -> unit
  (* Goes from left to right: calls the function with index, element and the result so far. *)
  val foldli : (int * elem * 'a -> 'a) -> 'a -> array -> 'a
  (* Goes from right to left: calls the function with index, element and the result so far. *)
  val foldri : (int * elem * 'a -> 'a) -> 'a -> array -> 'a
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : (elem * 'a -> 'a) -> 'a -> array -> 'a
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : (elem * 'a -> 'a) -> 'a -> array -> 'a
  (* SOME of the first element, with its index, for which the predicate holds, or NONE. *)
  val findi : (int * elem -> bool) -> array -> (int * elem) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : (elem -> bool) -> array -> elem option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : (elem -> bool) -> array -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : (elem -> bool) -> array -> bool
  (* The order of two arrays by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : (elem * elem -> order) -> array * array -> order
end

signature MONO_VECTOR_SLICE =
sig
  type elem
  type vector
  type slice

  (* How many elements the part has. *)
  val length : slice -> int
  (* Element i of the part, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : slice * int -> elem
  (* All of the vector, as a part of it. Nothing is copied. *)
  val full : vector -> slice
  (* The part from element i to the end with NONE, or n elements from i with SOME n; nothing is copied. Raises
     Subscript when it does not lie within the vector. *)
  val slice : vector * int * int option -> slice
  (* The part of a part: from i to its end with NONE, or n elements from i. Raises Subscript when it does not lie
     within. *)
  val subslice : slice * int * int option -> slice
  (* The vector that it is part of, where it starts there, and its length. *)
  val base : slice -> vector * int * int
  (* The part as a vector of its own: a copy. *)
  val vector : slice -> vector
  (* All elements of all parts, in order, as a vector. Raises Size when there are too many. *)
  val concat : slice list -> vector
  (* Whether the part has no elements. *)
  val isEmpty : slice -> bool
  (* SOME of the first element and the rest of the part, or NONE of an empty one. *)
  val getItem : slice -> (elem * slice) option
  (* Calls the function on each element and its index in the part, from left to right. *)
  val appi : (int * elem -> unit) -> slice -> unit
  (* Calls the function on each element, from left to right. *)
  val app : (elem -> unit) -> slice -> unit
  (* The vector of what the function gives for each index in the part and its element. *)
  val mapi : (int * elem -> elem) -> slice -> vector
  (* The vector of what the function gives for each element. *)
  val map : (elem -> elem) -> slice -> vector
  (* Goes from left to right: calls the function with the index in the part, element and the result so far. *)
  val foldli : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from right to left: calls the function with the index in the part, element and the result so far. *)
  val foldri : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* SOME of the first element, with its index in the part, for which the predicate holds, or NONE. *)
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : (elem -> bool) -> slice -> elem option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : (elem -> bool) -> slice -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : (elem -> bool) -> slice -> bool
  (* The order of two parts by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : (elem * elem -> order) -> slice * slice -> order
end

signature MONO_ARRAY_SLICE =
sig
  type elem
  type array
  type slice
  type vector
  type vector_slice

  (* How many elements the part has. *)
  val length : slice -> int
  (* Element i of the part, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : slice * int -> elem
  (* Puts a value at index i of the part, so in the array. Raises Subscript when there is no element of that
     number. *)
  val update : slice * int * elem -> unit
  (* All of the array, as a part of it. Nothing is copied: both see what is changed. *)
  val full : array -> slice
  (* The part from element i to the end with NONE, or n elements from i with SOME n; nothing is copied. Raises
     Subscript when it does not lie within the array. *)
  val slice : array * int * int option -> slice
  (* The part of a part: from i to its end with NONE, or n elements from i. Raises Subscript when it does not lie
     within. *)
  val subslice : slice * int * int option -> slice
  (* The array that it is part of, where it starts there, and its length. *)
  val base : slice -> array * int * int
  (* The elements as they are now, as a vector: a copy. *)
  val vector : slice -> vector
  (* Copies the part to dst, from index di on; right also when both are of one array and overlap. Raises Subscript
     when it does not fit. *)
  val copy : {src : slice, dst : array, di : int} -> unit
  (* Copies a part of a vector to dst, from index di on. Raises Subscript when it does not fit. *)
  val copyVec : {src : vector_slice, dst : array, di : int} -> unit
  (* Whether the part has no elements. *)
  val isEmpty : slice -> bool
  (* SOME of the first element and the rest of the part, or NONE of an empty one. *)
  val getItem : slice -> (elem * slice) option
  (* Calls the function on each element and its index in the part, from left to right. *)
  val appi : (int * elem -> unit) -> slice -> unit
  (* Calls the function on each element, from left to right. *)
  val app : (elem -> unit) -> slice -> unit
  (* Replaces each element by what the function gives for its index in the part and it, from left to right. *)
  val modifyi : (int * elem -> elem) -> slice -> unit
  (* Replaces each element by what the function gives for it, from left to right. *)
  val modify : (elem -> elem) -> slice -> unit
  (* Goes from left to right: calls the function with the index in the part, element and the result so far. *)
  val foldli : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from right to left: calls the function with the index in the part, element and the result so far. *)
  val foldri : (int * elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : (elem * 'a -> 'a) -> 'a -> slice -> 'a
  (* SOME of the first element, with its index in the part, for which the predicate holds, or NONE. *)
  val findi : (int * elem -> bool) -> slice -> (int * elem) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : (elem -> bool) -> slice -> elem option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : (elem -> bool) -> slice -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : (elem -> bool) -> slice -> bool
  (* The order of two parts by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : (elem * elem -> order) -> slice * slice -> order
end

(* the four structures of an element type *)
functor MonoVector' (type elem) : MONO_VECTOR
  where type elem = elem
  where type vector = elem vector =
struct
  open Vector
  type elem = elem
  type vector = elem vector
end

functor MonoVectorSlice' (type elem) : MONO_VECTOR_SLICE
  where type elem = elem
  where type vector = elem vector
  where type slice = elem VectorSlice.slice =
struct
  open VectorSlice
  type elem = elem
  type vector = elem vector
  type slice = elem VectorSlice.slice
end

functor MonoArray' (type elem) : MONO_ARRAY
  where type elem = elem
  where type vector = elem vector
  where type array = elem array =
struct
  open Array
  type elem = elem
  type vector = elem vector
  type array = elem array
end

functor MonoArraySlice' (type elem) : MONO_ARRAY_SLICE
  where type elem = elem
  where type vector = elem vector
  where type array = elem array
  where type slice = elem ArraySlice.slice
  where type vector_slice = elem VectorSlice.slice =
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
