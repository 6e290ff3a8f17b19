(* Array: mutable sequences of fixed length. Two arrays are equal when they are the same array. *)

signature ARRAY =
sig
  datatype array = datatype array
  datatype vector = datatype vector

  (* most elements *)
  val maxLen : int
  (* raises Size *)
  val array : int * 'a -> 'a array
  val fromList : 'a list -> 'a array
  val tabulate : int * (int -> 'a) -> 'a array
  val length : 'a array -> int
  (* raise Subscript *)
  val sub : 'a array * int -> 'a
  val update : 'a array * int * 'a -> unit
  val vector : 'a array -> 'a vector
  (* copies all of src to dst from di on *)
  val copy : {src : 'a array, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a vector, dst : 'a array, di : int} -> unit
  val appi : (int * 'a -> unit) -> 'a array -> unit
  val app : ('a -> unit) -> 'a array -> unit
  val modifyi : (int * 'a -> 'a) -> 'a array -> unit
  val modify : ('a -> 'a) -> 'a array -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val findi : (int * 'a -> bool) -> 'a array -> (int * 'a) option
  val find : ('a -> bool) -> 'a array -> 'a option
  val exists : ('a -> bool) -> 'a array -> bool
  val all : ('a -> bool) -> 'a array -> bool
  val collate : ('a * 'a -> order) -> 'a array * 'a array -> order
end

structure Array : ARRAY =
struct
  datatype array = datatype array
  datatype vector = datatype vector

  open ArrayPrim'
  val maxLen = 70368744177663
  val array = new
  val sub = PrimArrays'.array_sub : 'a array * int -> 'a
  val update = PrimArrays'.array_update : 'a array * int * 'a -> unit

  fun vector a = freeze (slice (a, 0, length a))

  fun copy {src, dst, di} =
    if di < 0 orelse di > length dst - length src then raise Subscript
    else unsafeCopy (src, 0, dst, di, length src)
  fun copyVec {src, dst, di} = copy {src = thaw src, dst = dst, di = di}

  fun modifyi f a =
    let
      val n = length a
      fun go i = if i = n then () else (unsafeUpdate (a, i, f (i, unsafeSub (a, i))); go (i + 1))
    in
      go 0
    end
  fun modify f a = modifyi (fn (_, x) => f x) a
end
