(* Option: a value that may be absent. *)

signature OPTION =
sig
  datatype 'a option = NONE | SOME of 'a
  exception Option

  (* the value, or the default *)
  val getOpt : 'a option * 'a -> 'a
  val isSome : 'a option -> bool
  (* the value; raises Option when there is none *)
  val valOf : 'a option -> 'a
  val filter : ('a -> bool) -> 'a -> 'a option
  val join : 'a option option -> 'a option
  val app : ('a -> unit) -> 'a option -> unit
  val map : ('a -> 'b) -> 'a option -> 'b option
  val mapPartial : ('a -> 'b option) -> 'a option -> 'b option
  val compose : ('a -> 'b) * ('c -> 'a option) -> 'c -> 'b option
  val composePartial : ('a -> 'b option) * ('c -> 'a option) -> 'c -> 'b option
end

structure Option : OPTION =
struct
  datatype 'a option = NONE | SOME of 'a
  exception Option = Option

  fun getOpt (SOME x, _) = x
    | getOpt (NONE, y) = y
  fun isSome (SOME _) = true
    | isSome NONE = false
  fun valOf (SOME x) = x
    | valOf NONE = raise Option
  fun filter p x = if p x then SOME x else NONE
  fun join (SOME x) = x
    | join NONE = NONE
  fun app f (SOME x) = f x
    | app _ NONE = ()
  fun map f (SOME x) = SOME (f x)
    | map _ NONE = NONE
  fun mapPartial f (SOME x) = f x
    | mapPartial _ NONE = NONE
  fun compose (f, g) x = map f (g x)
  fun composePartial (f, g) x = mapPartial f (g x)
end

datatype option = datatype Option.option
val getOpt = Option.getOpt
val isSome = Option.isSome
val valOf = Option.valOf
