(* VectorSlice, ArraySlice: parts of vectors and arrays, without a copy. A slice is (sequence, start, length), with the range
   checked when it was made. *)

(* Parts of arrays as (array, start, length). Vectors are taken for arrays that nobody updates. Not for users. *)
structure SlicePrim' =
struct
  open ArrayPrim'
  type 'a slice = 'a array * int * int

  fun check (n, i, NONE) = if i < 0 orelse i > n then raise Subscript else n - i
    | check (n, i, SOME m) = if i < 0 orelse m < 0 orelse i > n - m then raise Subscript else m

  fun make (a, i, size) = (a, i, check (ArrayPrim'.length a, i, size))
  fun subslice ((a, i, n), j, size) = let val m = check (n, j, size) in (a, i + j, m) end
  fun full a = (a, 0, ArrayPrim'.length a)
  fun sub ((a, i, n), j) = if j < 0 orelse j >= n then raise Subscript else unsafeSub (a, i + j)
  fun update ((a, i, n), j, x) =
    if j < 0 orelse j >= n then raise Subscript else unsafeUpdate (a, i + j, x)
  fun length (_, _, n) = n
  fun base part = part
  fun isEmpty (_, _, n) = n = 0
  fun getItem (a, i, n) = if n = 0 then NONE else SOME (unsafeSub (a, i), (a, i + 1, n - 1))
  (* its elements as an array of their own *)
  fun array (a, i, n) = ArrayPrim'.slice (a, i, n)
  fun copy ((a, i, n), dst, di) =
    if di < 0 orelse di > ArrayPrim'.length dst - n then raise Subscript
    else unsafeCopy (a, i, dst, di, n)

  fun concat parts =
    let
      fun total ([], n) = n
        | total ((_, _, k) :: rest, n) = total (rest, n + k)
      val b = unsafeNew (total (parts, 0) handle Overflow => raise Size)
      fun fill (_, []) = ()
        | fill (at, (a, i, n) :: rest) = (unsafeCopy (a, i, b, at, n); fill (at + n, rest))
    in
      fill (0, parts);
      b
    end

  fun appi f (a, i, n) =
    let
      fun go j = if j = n then () else (f (j, unsafeSub (a, i + j)); go (j + 1))
    in
      go 0
    end
  fun app f (a, i, n) =
    let
      val stop = i + n
      fun go j = if j = stop then () else (f (unsafeSub (a, j)); go (j + 1))
    in
      go i
    end
  fun mapi f (a, i, n) = ArrayPrim'.tabulate (n, fn j => f (j, unsafeSub (a, i + j)))
  fun map f (a, i, n) = ArrayPrim'.tabulate (n, fn j => f (unsafeSub (a, i + j)))
  fun modifyi f (a, i, n) =
    let
      fun go j =
        if j = n then () else (unsafeUpdate (a, i + j, f (j, unsafeSub (a, i + j))); go (j + 1))
    in
      go 0
    end
  fun modify f part = modifyi (fn (_, x) => f x) part
  fun foldli f init (a, i, n) =
    let
      fun go (j, acc) = if j = n then acc else go (j + 1, f (j, unsafeSub (a, i + j), acc))
    in
      go (0, init)
    end
  fun foldl f init (a, i, n) =
    let
      val stop = i + n
      fun go (j, acc) = if j = stop then acc else go (j + 1, f (unsafeSub (a, j), acc))
    in
      go (i, init)
    end
  fun foldri f init (a, i, n) =
    let
      fun go (j, acc) = if j < 0 then acc else go (j - 1, f (j, unsafeSub (a, i + j), acc))
    in
      go (n - 1, init)
    end
  fun foldr f init (a, i, n) =
    let
      fun go (j, acc) = if j < i then acc else go (j - 1, f (unsafeSub (a, j), acc))
    in
      go (i + n - 1, init)
    end
  fun findi p (a, i, n) =
    let
      fun go j =
        if j = n then NONE
        else
          let
            val x = unsafeSub (a, i + j)
          in
            if p (j, x) then SOME (j, x) else go (j + 1)
          end
    in
      go 0
    end
  fun find p part =
    case findi (fn (_, x) => p x) part of
      SOME (_, x) => SOME x
    | NONE => NONE
  fun exists p (a, i, n) =
    let
      val stop = i + n
      fun go j = j < stop andalso (p (unsafeSub (a, j)) orelse go (j + 1))
    in
      go i
    end
  fun all p part = not (exists (fn x => not (p x)) part)
  fun collate order ((a, i, m), (b, j, n)) =
    let
      fun go k =
        if k = m then (if k = n then EQUAL else LESS)
        else if k = n then GREATER
        else
          case order (unsafeSub (a, i + k), unsafeSub (b, j + k)) of
            EQUAL => go (k + 1)
          | unequal => unequal
    in
      go 0
    end
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

structure VectorSlice :> VECTOR_SLICE =
struct
  open SlicePrim'
  fun full v = SlicePrim'.full (thaw v)
  fun slice (v, i, size) = make (thaw v, i, size)
  fun base (a, i, n) = (freeze a, i, n)
  fun vector part = freeze (array part)
  fun concat parts = freeze (SlicePrim'.concat parts)
  fun mapi f part = freeze (SlicePrim'.mapi f part)
  fun map f part = freeze (SlicePrim'.map f part)
end

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
    let val (v, i, n) = VectorSlice.base src in SlicePrim'.copy ((thaw v, i, n), dst, di) end
end
