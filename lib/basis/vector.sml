(* Vector: immutable arrays. Built through an array that nobody else sees. *)

signature VECTOR =
sig
  datatype vector = datatype vector

  (* How many elements a vector can have. *)
  val maxLen : int
  (* The vector of the list's elements. Raises Size when there are too many. *)
  val fromList : 'a list -> 'a vector
  (* The vector of f 0, f 1, ..., f (n - 1). Raises Size when n is negative or too large. *)
  val tabulate : int * (int -> 'a) -> 'a vector
  (* How many elements it has. *)
  val length : 'a vector -> int
  (* Element i, counted from 0. Raises Subscript when there is none of that number. *)
  val sub : 'a vector * int -> 'a
  (* A copy, with element i changed; the vector stays as it is. Raises Subscript when there is none of that number. *)
  val update : 'a vector * int * 'a -> 'a vector
  (* All elements of all vectors, in order. Raises Size when there are too many. *)
  val concat : 'a vector list -> 'a vector
  (* Calls the function on each element and its index, from left to right. *)
  val appi : (int * 'a -> unit) -> 'a vector -> unit
  (* Calls the function on each element, from left to right. *)
  val app : ('a -> unit) -> 'a vector -> unit
  (* The vector of what the function gives for each index and element. *)
  val mapi : (int * 'a -> 'b) -> 'a vector -> 'b vector
  (* The vector of what the function gives for each element. *)
  val map : ('a -> 'b) -> 'a vector -> 'b vector
  (* Goes from left to right: calls the function with index, element and the result so far. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from right to left: calls the function with index, element and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from left to right: calls the function with an element and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* Goes from right to left: calls the function with an element and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  (* SOME of the first element, with its index, for which the predicate holds, or NONE. *)
  val findi : (int * 'a -> bool) -> 'a vector -> (int * 'a) option
  (* SOME of the first element for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a vector -> 'a option
  (* Whether an element satisfies the predicate. Stops at the first that does. *)
  val exists : ('a -> bool) -> 'a vector -> bool
  (* Whether all elements satisfy the predicate. Stops at the first that does not. *)
  val all : ('a -> bool) -> 'a vector -> bool
  (* The order of two vectors by their first elements that differ, in the order that is given; one that ends first is
     less. *)
  val collate : ('a * 'a -> order) -> 'a vector * 'a vector -> order
end

(* Unchecked access, and what Array and Vector share: an array's elements as a vector's. Not for users. *)
structure ArrayPrim' =
struct
  val new = PrimArrays'.array_new : int * 'a -> 'a array
  val unsafeNew = PrimArrays'.array_new_uninit : int -> 'a array
  val length = PrimArrays'.array_length : 'a array -> int
  val unsafeSub = PrimArrays'.array_sub_unsafe : 'a array * int -> 'a
  val unsafeUpdate = PrimArrays'.array_update_unsafe : 'a array * int * 'a -> unit
  val copyPiece = PrimArrays'.array_copy_unsafe : 'a array * int * 'a array * int * int -> unit
  val freeze = PrimArrays'.cast : 'a array -> 'a vector
  val thaw = PrimArrays'.cast : 'a vector -> 'a array

  (* So many elements are copied at a time, 10 to 30 microseconds: in between a collection that another worker waits
     for, and other threads, have their turn. *)
  val piece = 16384

  (* From the end that is not overwritten by the copy. *)
  fun copyLong (a, i, b, j, n) =
    let
      fun up at =
        if n - at <= piece then copyPiece (a, i + at, b, j + at, n - at)
        else (copyPiece (a, i + at, b, j + at, piece); up (at + piece))
      fun down left =
        if left <= piece then copyPiece (a, i, b, j, left)
        else
          let
            val at = left - piece
          in
            copyPiece (a, i + at, b, j + at, piece);
            down at
          end
    in
      if i >= j then up 0 else down n
    end
  fun unsafeCopy (a, i, b, j, n) =
    if n <= piece then copyPiece (a, i, b, j, n) else copyLong (a, i, b, j, n)

  (* Elements are computed in order before there is an array for them: a function that is called may capture its
     continuation or raise, and no half-filled array is ever seen. *)
  fun fromList l =
    let
      val a = unsafeNew (List.length l)
      fun fill (_, []) = ()
        | fill (i, x :: rest) = (unsafeUpdate (a, i, x); fill (i + 1, rest))
    in
      fill (0, l);
      a
    end

  (* Nobody else has the array before it is filled. *)
  fun tabulate (n, f) =
    if n < 0 then raise Size
    else
      let
        val a = unsafeNew n
        fun fill i =
          if i >= n then a
          else
            let
              val x = f i
            in
              if !Reentry'.isPossible then again (a, i, x)
              else (unsafeUpdate (a, i, x); fill (i + 1))
            end
        (* `filled` counts the elements that are there; a place is filled once. *)
        and once (a, filled, i) =
          if i >= n then a
          else
            let
              val x = f i
            in
              if !filled = i then
                (unsafeUpdate (a, i, x);
                 filled := i + 1;
                 once (a, filled, i + 1))
              else again (a, i, x)
            end
        (* What is before the place is right; what is there may be somebody's. *)
        and again (a, i, x) =
          let
            val b = new (n, x)
          in
            unsafeCopy (a, 0, b, 0, i);
            once (b, ref (i + 1), i + 1)
          end
      in
        if !Reentry'.isPossible then once (a, ref 0, 0) else fill 0
      end

  fun slice (a, i, n) =
    let val b = unsafeNew n in unsafeCopy (a, i, b, 0, n); b end

  fun foldli f init a =
    let
      val n = length a
      fun go (i, acc) = if i = n then acc else go (i + 1, f (i, unsafeSub (a, i), acc))
    in
      go (0, init)
    end
  fun foldl f init a =
    let
      val n = length a
      fun go (i, acc) = if i = n then acc else go (i + 1, f (unsafeSub (a, i), acc))
    in
      go (0, init)
    end
  fun foldri f init a =
    let
      fun go (i, acc) = if i < 0 then acc else go (i - 1, f (i, unsafeSub (a, i), acc))
    in
      go (length a - 1, init)
    end
  fun foldr f init a =
    let
      fun go (i, acc) = if i < 0 then acc else go (i - 1, f (unsafeSub (a, i), acc))
    in
      go (length a - 1, init)
    end
  fun appi f a =
    let
      val n = length a
      fun go i = if i = n then () else (f (i, unsafeSub (a, i)); go (i + 1))
    in
      go 0
    end
  fun app f a =
    let
      val n = length a
      fun go i = if i = n then () else (f (unsafeSub (a, i)); go (i + 1))
    in
      go 0
    end
  fun findi p a =
    let
      val n = length a
      fun go i =
        if i = n then NONE
        else
          let
            val x = unsafeSub (a, i)
          in
            if p (i, x) then SOME (i, x) else go (i + 1)
          end
    in
      go 0
    end
  fun find p a =
    case findi (fn (_, x) => p x) a of
      SOME (_, x) => SOME x
    | NONE => NONE
  fun exists p a =
    let
      val n = length a
      fun go i = i < n andalso (p (unsafeSub (a, i)) orelse go (i + 1))
    in
      go 0
    end
  fun all p a = not (exists (fn x => not (p x)) a)
  fun collate order (a, b) =
    let
      val m = length a
      val n = length b
      fun go i =
        if i = m then (if i = n then EQUAL else LESS)
        else if i = n then GREATER
        else
          case order (unsafeSub (a, i), unsafeSub (b, i)) of
            EQUAL => go (i + 1)
          | unequal => unequal
    in
      go 0
    end

  (* parts one after the other *)
  fun concat arrays =
    let
      fun total ([], n) = n
        | total (a :: rest, n) = total (rest, n + length a)
      val b = unsafeNew (total (arrays, 0) handle Overflow => raise Size)
      fun fill (_, []) = ()
        | fill (at, a :: rest) = (unsafeCopy (a, 0, b, at, length a); fill (at + length a, rest))
    in
      fill (0, arrays);
      b
    end
end

structure Vector : VECTOR =
struct
  datatype vector = datatype vector

  val maxLen = 70368744177663
  val length = PrimArrays'.array_length_of_vector : 'a vector -> int
  val sub = PrimArrays'.vector_sub : 'a vector * int -> 'a
  val unsafeSub = PrimArrays'.vector_sub_unsafe : 'a vector * int -> 'a

  local
    open ArrayPrim'
  in
    fun fromList l = freeze (ArrayPrim'.fromList l)
    fun tabulate (n, f) = freeze (ArrayPrim'.tabulate (n, f))
    fun update (v, i, x) =
      let
        val n = ArrayPrim'.length (thaw v)
      in
        if i < 0 orelse i >= n then raise Subscript
        else let val a = slice (thaw v, 0, n) in unsafeUpdate (a, i, x); freeze a end
      end
    fun concat vectors = freeze (ArrayPrim'.concat (List.map thaw vectors))
    fun appi f v = ArrayPrim'.appi f (thaw v)
    fun app f v = ArrayPrim'.app f (thaw v)
    fun foldli f init v = ArrayPrim'.foldli f init (thaw v)
    fun foldri f init v = ArrayPrim'.foldri f init (thaw v)
    fun foldl f init v = ArrayPrim'.foldl f init (thaw v)
    fun foldr f init v = ArrayPrim'.foldr f init (thaw v)
    fun findi p v = ArrayPrim'.findi p (thaw v)
    fun find p v = ArrayPrim'.find p (thaw v)
    fun exists p v = ArrayPrim'.exists p (thaw v)
    fun all p v = ArrayPrim'.all p (thaw v)
    fun collate order (v, w) = ArrayPrim'.collate order (thaw v, thaw w)
  end

  fun mapi f v = tabulate (length v, fn i => f (i, unsafeSub (v, i)))
  fun map f v = tabulate (length v, fn i => f (unsafeSub (v, i)))
end

val vector = Vector.fromList
