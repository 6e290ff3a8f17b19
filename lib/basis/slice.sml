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
  fun update ((a, i, n), j, x) = if j < 0 orelse j >= n then raise Subscript else unsafeUpdate (a, i + j, x)
  fun length (_, _, n) = n
  fun base part = part
  fun isEmpty (_, _, n) = n = 0
  fun getItem (a, i, n) = if n = 0 then NONE else SOME (unsafeSub (a, i), (a, i + 1, n - 1))
  (* its elements as an array of their own *)
  fun array (a, i, n) = ArrayPrim'.slice (a, i, n)
  fun copy ((a, i, n), dst, di) =
    if di < 0 orelse di > ArrayPrim'.length dst - n then raise Subscript else unsafeCopy (a, i, dst, di, n)

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
    let fun go j = if j = n then () else (f (j, unsafeSub (a, i + j)); go (j + 1))
    in go 0 end
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
    let fun go j = if j = n then () else (unsafeUpdate (a, i + j, f (j, unsafeSub (a, i + j))); go (j + 1))
    in go 0 end
  fun modify f part = modifyi (fn (_, x) => f x) part
  fun foldli f init (a, i, n) =
    let fun go (j, acc) = if j = n then acc else go (j + 1, f (j, unsafeSub (a, i + j), acc))
    in go (0, init) end
  fun foldl f init (a, i, n) =
    let
      val stop = i + n
      fun go (j, acc) = if j = stop then acc else go (j + 1, f (unsafeSub (a, j), acc))
    in
      go (i, init)
    end
  fun foldri f init (a, i, n) =
    let fun go (j, acc) = if j < 0 then acc else go (j - 1, f (j, unsafeSub (a, i + j), acc))
    in go (n - 1, init) end
  fun foldr f init (a, i, n) =
    let fun go (j, acc) = if j < i then acc else go (j - 1, f (unsafeSub (a, j), acc))
    in go (i + n - 1, init) end
  fun findi p (a, i, n) =
    let
      fun go j =
        if j = n then NONE
        else
          let val x = unsafeSub (a, i + j)
          in if p (j, x) then SOME (j, x) else go (j + 1) end
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

  (* elements of the part *)
  val length : 'a slice -> int
  (* these raise Subscript *)
  val sub : 'a slice * int -> 'a
  val full : 'a vector -> 'a slice
  val slice : 'a vector * int * int option -> 'a slice
  val subslice : 'a slice * int * int option -> 'a slice
  (* the vector that it is part of, the start, the length *)
  val base : 'a slice -> 'a vector * int * int
  val vector : 'a slice -> 'a vector
  val concat : 'a slice list -> 'a vector
  val isEmpty : 'a slice -> bool
  (* the first element and the rest *)
  val getItem : 'a slice -> ('a * 'a slice) option
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  val app : ('a -> unit) -> 'a slice -> unit
  val mapi : (int * 'a -> 'b) -> 'a slice -> 'b vector
  val map : ('a -> 'b) -> 'a slice -> 'b vector
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  val find : ('a -> bool) -> 'a slice -> 'a option
  val exists : ('a -> bool) -> 'a slice -> bool
  val all : ('a -> bool) -> 'a slice -> bool
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

  (* elements of the part *)
  val length : 'a slice -> int
  (* these raise Subscript *)
  val sub : 'a slice * int -> 'a
  val update : 'a slice * int * 'a -> unit
  val full : 'a array -> 'a slice
  val slice : 'a array * int * int option -> 'a slice
  val subslice : 'a slice * int * int option -> 'a slice
  val base : 'a slice -> 'a array * int * int
  val vector : 'a slice -> 'a vector
  (* right also when the source overlaps its place in the target *)
  val copy : {src : 'a slice, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a VectorSlice.slice, dst : 'a array, di : int} -> unit
  val isEmpty : 'a slice -> bool
  val getItem : 'a slice -> ('a * 'a slice) option
  val appi : (int * 'a -> unit) -> 'a slice -> unit
  val app : ('a -> unit) -> 'a slice -> unit
  val modifyi : (int * 'a -> 'a) -> 'a slice -> unit
  val modify : ('a -> 'a) -> 'a slice -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option
  val find : ('a -> bool) -> 'a slice -> 'a option
  val exists : ('a -> bool) -> 'a slice -> bool
  val all : ('a -> bool) -> 'a slice -> bool
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
