(* Array: mutable sequences of fixed length. Two arrays are equal when they are the same array. *)

signature ARRAY =
sig
  datatype array = datatype array
  datatype vector = datatype vector

  (* How many elements an array can have. *)
  val maxLen : int
  (* An array of n elements, all of them that value. Raises Size when n is negative or too large. *)
  val array : int * 'a -> 'a array
  (* A new array of the list's elements. Raises Size when there are too many. *)
  val fromList : 'a list -> 'a array
  (* A new array of f 0, f 1, ..., f (n - 1). Raises Size when n is negative or too large. *)
  val tabulate : int * (int -> 'a) -> 'a array
  (* How many elements it has. *)
  val length : 'a array -> int
  (* Element i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : 'a array * int -> 'a
  (* Puts a value at index i. Raises Subscript when there is no element of that number. *)
  val update : 'a array * int * 'a -> unit
  (* The elements as they are now, as a vector: a copy. *)
  val vector : 'a array -> 'a vector
  (* Copies all of src to dst, from index di on. Raises Subscript, and copies nothing, when they do not fit. *)
  val copy : {src : 'a array, dst : 'a array, di : int} -> unit
  (* Copies all of the vector src to dst, from index di on. Raises Subscript, and copies nothing, when they do not
     fit. *)
  val copyVec : {src : 'a vector, dst : 'a array, di : int} -> unit
  (* Calls the function on each element and its index, from left to right. *)
  val appi : (int * 'a -> unit) -> 'a array -> unit
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a array -> unit
  (* Replaces each element by what the function gives for its index and it, from left to right. *)
  val modifyi : (int * 'a -> 'a) -> 'a array -> unit
  (* Replaces each element by what the function gives for it, from left to right. *)
  val modify : ('a -> 'a) -> 'a array -> unit
  (* Goes from left to right: calls the function with index, element and the result so far. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* Goes from right to left: calls the function with index, element and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* SOME of the first element, with its index, for which the predicate holds, or NONE. *)
  val findi : (int * 'a -> bool) -> 'a array -> (int * 'a) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a array -> 'a option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a array -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a array -> bool
  (* The order of two arrays by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a array * 'a array -> order
end

structure Array : ARRAY =
struct
  datatype array = datatype array
  datatype vector = datatype vector

  open ArrayPrim'
  local
    structure Loops =
      Elements' (type 'a seq = 'a array val length = length val sub = unsafeSub)
  in
    open Loops
  end
  val maxLen = 70368744177663
  val array = new
  val sub = PrimArrays'.array_sub : 'a array * int -> 'a
  val update = PrimArrays'.array_update : 'a array * int * 'a -> unit

  fun vector a = freeze (slice (a, 0, length a))

  fun copy {src, dst, di} =
    if di < 0 orelse di > length dst - length src then raise Subscript
    else unsafeCopy (src, 0, dst, di, length src)
  fun copyVec {src, dst, di} =
    let
      val n = PrimArrays'.array_length_of_vector src
    in
      if di < 0 orelse di > length dst - n then raise Subscript
      else unsafeCopyVec (src, 0, dst, di, n)
    end

  fun modifyi f a =
    let
      val n = length a
      fun go i = if i = n then () else (unsafeUpdate (a, i, f (i, unsafeSub (a, i))); go (i + 1))
    in
      go 0
    end
  fun modify f a = modifyi (fn (_, x) => f x) a
end
