(* Option: a value that may be absent. *)

signature OPTION =
sig
  datatype 'a option = NONE | SOME of 'a
  exception Option

  (* The value, or the default of NONE. *)
  val getOpt : 'a option * 'a -> 'a
  (* Whether there is a value. *)
  val isSome : 'a option -> bool
  (* The value. Raises Option when there is none. *)
  val valOf : 'a option -> 'a
  (* `filter p x` is SOME x when x satisfies p, else NONE. *)
  val filter : ('a -> bool) -> 'a -> 'a option
  (* The inner option; NONE of NONE. *)
  val join : 'a option option -> 'a option
  (* Calls the function on the value, if there is one. *)
  val app : ('a -> unit) -> 'a option -> unit
  (* SOME of what the function gives for the value; NONE of NONE. *)
  val map : ('a -> 'b) -> 'a option -> 'b option
  (* What the function gives for the value, which is an option itself; NONE of NONE. *)
  val mapPartial : ('a -> 'b option) -> 'a option -> 'b option
  (* `compose (f, g) x` is SOME of f of the value that g gives for x, or NONE where g gives none. *)
  val compose : ('a -> 'b) * ('c -> 'a option) -> 'c -> 'b option
  (* `composePartial (f, g) x` is what f gives for the value that g gives for x, or NONE where g gives none. *)
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
