(* VectorSlice, ArraySlice: parts of vectors and arrays, without a copy. A slice is (sequence, start, length), with the range
   checked when it was made. *)

(* Parts of arrays as (array, start, length), and of vectors. Not for users. *)
structure SlicePrim' =
struct
  open ArrayPrim'
  structure Parts =
    Parts' (type 'a seq = 'a array val length = ArrayPrim'.length val sub = unsafeSub)
  open Parts

  fun update ((a, i, n), j, x) =
    if j < 0 orelse j >= n then raise Subscript else unsafeUpdate (a, i + j, x)
  (* its elements as an array of their own *)
  fun array (a, i, n) = ArrayPrim'.slice (a, i, n)
  fun copy ((a, i, n), dst, di) =
    if di < 0 orelse di > ArrayPrim'.length dst - n then raise Subscript
    else unsafeCopy (a, i, dst, di, n)
  fun copyVec ((v, i, n), dst, di) =
    if di < 0 orelse di > ArrayPrim'.length dst - n then raise Subscript
    else unsafeCopyVec (v, i, dst, di, n)

  fun modifyi f (a, i, n) =
    let
      fun go j =
        if j = n then () else (unsafeUpdate (a, i + j, f (j, unsafeSub (a, i + j))); go (j + 1))
    in
      go 0
    end
  fun modify f part = modifyi (fn (_, x) => f x) part
end

structure VectorSlicePrim' =
struct
  structure Parts =
    Parts' (type 'a seq = 'a vector
            val length = Vector.length
            val sub = PrimArrays'.vector_sub_unsafe)
  open Parts
  val slice = make
  fun vector (v, i, n) = ArrayPrim'.freeze (ArrayPrim'.sliceVec (v, i, n))
  fun concat parts = ArrayPrim'.freeze (ArrayPrim'.concat parts)
  fun mapi f (v, i, n) =
    Vector.tabulate (n, fn j => f (j, PrimArrays'.vector_sub_unsafe (v, i + j)))
  fun map f (v, i, n) = Vector.tabulate (n, fn j => f (PrimArrays'.vector_sub_unsafe (v, i + j)))
end

signature VECTOR_SLICE =
sig
  type 'a slice

  (* How many elements the part has. *)
  val length : 'a slice -> int
  (* Element i of the part, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : 'a slice * int -> 'a
  (* All of the vector, as a part of it. Nothing is copied. *)
  val full : 'a vector -> 'a slice
  (* The part from element i to the end with NONE, or n elements from i with SOME n; nothing is copied. Raises
     Subscript when it does not lie within the vector. *)
  val slice : 'a vector * int * int option -> 'a slice
  (* The part of a part: from i to its end with NONE, or n elements from i. Raises Subscript when it does not lie
     within. *)
  val subslice : 'a slice * int * int option -> 'a slice
  (* The vector that it is part of, where it starts there, and its length. *)
  val base : 'a slice -> 'a vector * int * int
  (* The part as a vector of its own: a copy. *)
  val vector : 'a slice -> 'a vector
  (* All elements of all parts, in order, as a vector. Raises Size when there are too many. *)
  val concat : 'a slice list -> 'a vector
  (* Whether the part has no elements. *)
  val isEmpty : 'a slice -> bool
  (* SOME of the first element and the rest of the part, or NONE of an empty one. *)
  val getItem : 'a slice -> ('a * 'a slice) option
  (* Calls the function on each element and its index in the part, from left to right. *)
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a slice -> unit
  (* The vector of what the function gives for each index in the part and its element. *)
  val mapi : (int * 'a -> 'b) -> 'a slice -> 'b vector
  (* The vector of what the function gives for each element. *)
  val map : ('a -> 'b) -> 'a slice -> 'b vector
  (* Goes from left to right: calls the function with the index in the part, element and the result so far. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from right to left: calls the function with the index in the part, element and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* SOME of the first element, with its index in the part, for which the predicate holds, or NONE. *)
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a slice -> 'a option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a slice -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a slice -> bool
  (* The order of two parts by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order
end

structure VectorSlice :> VECTOR_SLICE = VectorSlicePrim'

signature ARRAY_SLICE =
sig
  type 'a slice

  (* How many elements the part has. *)
  val length : 'a slice -> int
  (* Element i of the part, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : 'a slice * int -> 'a
  (* Puts a value at index i of the part, so in the array. Raises Subscript when there is no element of that
     number. *)
  val update : 'a slice * int * 'a -> unit
  (* All of the array, as a part of it. Nothing is copied: both see what is changed. *)
  val full : 'a array -> 'a slice
  (* The part from element i to the end with NONE, or n elements from i with SOME n; nothing is copied. Raises
     Subscript when it does not lie within the array. *)
  val slice : 'a array * int * int option -> 'a slice
  (* The part of a part: from i to its end with NONE, or n elements from i. Raises Subscript when it does not lie
     within. *)
  val subslice : 'a slice * int * int option -> 'a slice
  (* The array that it is part of, where it starts there, and its length. *)
  val base : 'a slice -> 'a array * int * int
  (* The elements as they are now, as a vector: a copy. *)
  val vector : 'a slice -> 'a vector
  (* Copies the part to dst, from index di on; right also when both are of one array and overlap. Raises Subscript
     when it does not fit. *)
  val copy : {src : 'a slice, dst : 'a array, di : int} -> unit
  (* Copies a part of a vector to dst, from index di on. Raises Subscript when it does not fit. *)
  val copyVec : {src : 'a VectorSlice.slice, dst : 'a array, di : int} -> unit
  (* Whether the part has no elements. *)
  val isEmpty : 'a slice -> bool
  (* SOME of the first element and the rest of the part, or NONE of an empty one. *)
  val getItem : 'a slice -> ('a * 'a slice) option
  (* Calls the function on each element and its index in the part, from left to right. *)
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a slice -> unit
  (* Replaces each element by what the function gives for its index in the part and it, from left to right. *)
  val modifyi : (int * 'a -> 'a) -> 'a slice -> unit
  (* Replaces each element by what the function gives for it, from left to right. *)
  val modify : ('a -> 'a) -> 'a slice -> unit
  (* Goes from left to right: calls the function with the index in the part, element and the result so far. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from right to left: calls the function with the index in the part, element and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  (* SOME of the first element, with its index in the part, for which the predicate holds, or NONE. *)
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a slice -> 'a option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a slice -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a slice -> bool
  (* The order of two parts by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order
end

structure ArraySlice :> ARRAY_SLICE =
struct
  open SlicePrim'
  val slice = make
  fun vector part = freeze (array part)
  fun copy {src, dst, di} = SlicePrim'.copy (src, dst, di)
  fun copyVec {src, dst, di} =
    let val (v, i, n) = VectorSlice.base src in SlicePrim'.copyVec ((v, i, n), dst, di) end
end
