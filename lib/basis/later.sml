(* Fn, Ref, Either: structures proposed after the specification of 2004. *)

signature FN =
sig
  (* Its argument. *)
  val id : 'a -> 'a
  (* `const x` is a function that always gives x. *)
  val const : 'a -> 'b -> 'a
  (* The function of the argument. *)
  val apply : ('a -> 'b) * 'a -> 'b
  (* `(f o g) x` is `f (g x)`. *)
  val o : ('b -> 'c) * ('a -> 'b) -> ('a -> 'c)
  (* The function, with one argument after the other instead of a pair. *)
  val curry : ('a * 'b -> 'c) -> ('a -> 'b -> 'c)
  (* The function, with a pair instead of one argument after the other. *)
  val uncurry : ('a -> 'b -> 'c) -> ('a * 'b -> 'c)
  (* The function, with its two arguments the other way round. *)
  val flip : ('a * 'b -> 'c) -> ('b * 'a -> 'c)
  (* The function, applied so many times. Raises Domain when that is negative. *)
  val repeat : int -> ('a -> 'a) -> ('a -> 'a)
  (* Whether both are equal. *)
  val equal : ''a -> ''a -> bool
  (* Whether they are not equal. *)
  val notEqual : ''a -> ''a -> bool
end

structure Fn : FN =
struct
  fun id x = x
  fun const x _ = x
  fun apply (f, x) = f x
  val op o = General.o
  fun curry f x y = f (x, y)
  fun uncurry f (x, y) = f x y
  fun flip f (x, y) = f (y, x)
  fun repeat n f x =
    let
      fun go (0, x) = x
        | go (n, x) = go (n - 1, f x)
    in
      if n < 0 then raise Domain else go (n, x)
    end
  fun equal x y = x = y
  fun notEqual x y = x <> y
end

signature REF =
sig
  datatype ref = datatype ref
  (* What the cell has. *)
  val ! : 'a ref -> 'a
  (* Puts the value in the cell. *)
  val := : 'a ref * 'a -> unit
  (* Each cell gets what the other has. *)
  val swap : 'a ref * 'a ref -> unit
  (* Puts the value in the cell, and gives what it had. *)
  val exchange : 'a ref * 'a -> 'a
  (* Calls the function with what the cell has. *)
  val app : ('a -> unit) -> 'a ref -> unit
  (* A new cell, with what the function gives for what this one has. *)
  val map : ('a -> 'b) -> 'a ref -> 'b ref
  (* Puts what the function gives for what the cell has. *)
  val modify : ('a -> 'a) -> 'a ref -> unit
end

structure Ref : REF =
struct
  datatype ref = datatype ref
  val op ! = General.!
  val op := = General.:=
  fun swap (a, b) = let val x = !a in a := !b; b := x end
  fun exchange (a, y) = let val x = !a in a := y; x end
  fun app f a = f (!a)
  fun map f a = ref (f (!a))
  fun modify f a = a := f (!a)
end

signature EITHER =
sig
  datatype ('a, 'b) either = INL of 'a | INR of 'b
  (* Whether it is an INL. *)
  val isLeft : ('a, 'b) either -> bool
  (* Whether it is an INR. *)
  val isRight : ('a, 'b) either -> bool
  (* SOME of an INL's value, or NONE. *)
  val asLeft : ('a, 'b) either -> 'a option
  (* SOME of an INR's value, or NONE. *)
  val asRight : ('a, 'b) either -> 'b option
  (* The first function on an INL's value, the second on an INR's. *)
  val map : ('a -> 'c) * ('b -> 'd) -> ('a, 'b) either -> ('c, 'd) either
  (* Calls the first function with an INL's value, the second with an INR's. *)
  val app : ('a -> unit) * ('b -> unit) -> ('a, 'b) either -> unit
  (* Calls the first function with an INL's value and the last argument, the second with an INR's. *)
  val fold : ('a * 'c -> 'c) * ('b * 'c -> 'c) -> 'c -> ('a, 'b) either -> 'c
  (* The value, on whichever side it is. *)
  val proj : ('a, 'a) either -> 'a
  (* The values of all INL, and those of all INR, both in order. *)
  val partition : ('a, 'b) either list -> 'a list * 'b list
  (* The function on an INL's value; an INR stays as it is. *)
  val mapLeft : ('a -> 'c) -> ('a, 'b) either -> ('c, 'b) either
  (* The function on an INR's value; an INL stays as it is. *)
  val mapRight : ('b -> 'c) -> ('a, 'b) either -> ('a, 'c) either
  (* Calls the function with an INL's value; nothing for an INR. *)
  val appLeft : ('a -> unit) -> ('a, 'b) either -> unit
  (* Calls the function with an INR's value; nothing for an INL. *)
  val appRight : ('b -> unit) -> ('a, 'b) either -> unit
end

structure Either : EITHER =
struct
  datatype ('a, 'b) either = INL of 'a | INR of 'b
  fun isLeft (INL _) = true
    | isLeft (INR _) = false
  fun isRight e = not (isLeft e)
  fun asLeft (INL x) = SOME x
    | asLeft (INR _) = NONE
  fun asRight (INR x) = SOME x
    | asRight (INL _) = NONE
  fun map (f, _) (INL x) = INL (f x)
    | map (_, g) (INR x) = INR (g x)
  fun app (f, _) (INL x) = f x
    | app (_, g) (INR x) = g x
  fun fold (f, _) init (INL x) = f (x, init)
    | fold (_, g) init (INR x) = g (x, init)
  fun proj (INL x) = x
    | proj (INR x) = x
  fun partition l =
    let
      fun go ([], ls, rs) = (rev ls, rev rs)
        | go (INL x :: rest, ls, rs) = go (rest, x :: ls, rs)
        | go (INR x :: rest, ls, rs) = go (rest, ls, x :: rs)
    in
      go (l, [], [])
    end
  fun mapLeft f (INL x) = INL (f x)
    | mapLeft _ (INR x) = INR x
  fun mapRight _ (INL x) = INL x
    | mapRight f (INR x) = INR (f x)
  fun appLeft f (INL x) = f x
    | appLeft _ (INR _) = ()
  fun appRight _ (INL _) = ()
    | appRight f (INR x) = f x
end
