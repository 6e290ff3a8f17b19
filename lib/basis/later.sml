(* Fn, Ref, Either: structures proposed after the specification of 2004. *)

signature FN =
sig
  (* its argument; always the first; a function and its argument *)
  val id : 'a -> 'a
  val const : 'a -> 'b -> 'a
  val apply : ('a -> 'b) * 'a -> 'b
  val o : ('b -> 'c) * ('a -> 'b) -> ('a -> 'c)
  (* one argument after the other, and both at once; arguments the other way round *)
  val curry : ('a * 'b -> 'c) -> ('a -> 'b -> 'c)
  val uncurry : ('a -> 'b -> 'c) -> ('a * 'b -> 'c)
  val flip : ('a * 'b -> 'c) -> ('b * 'a -> 'c)
  (* so many times *)
  val repeat : int -> ('a -> 'a) -> ('a -> 'a)
  val equal : ''a -> ''a -> bool
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
    let fun go (0, x) = x
          | go (n, x) = go (n - 1, f x)
    in if n < 0 then raise Domain else go (n, x) end
  fun equal x y = x = y
  fun notEqual x y = x <> y
end

signature REF =
sig
  datatype ref = datatype ref
  val ! : 'a ref -> 'a
  val := : 'a ref * 'a -> unit
  val swap : 'a ref * 'a ref -> unit
  val exchange : 'a ref * 'a -> 'a
  val app : ('a -> unit) -> 'a ref -> unit
  val map : ('a -> 'b) -> 'a ref -> 'b ref
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
  val isLeft : ('a, 'b) either -> bool
  val isRight : ('a, 'b) either -> bool
  val asLeft : ('a, 'b) either -> 'a option
  val asRight : ('a, 'b) either -> 'b option
  val map : ('a -> 'c) * ('b -> 'd) -> ('a, 'b) either -> ('c, 'd) either
  val app : ('a -> unit) * ('b -> unit) -> ('a, 'b) either -> unit
  val fold : ('a * 'c -> 'c) * ('b * 'c -> 'c) -> 'c -> ('a, 'b) either -> 'c
  val proj : ('a, 'a) either -> 'a
  val partition : ('a, 'b) either list -> 'a list * 'b list
  val mapLeft : ('a -> 'c) -> ('a, 'b) either -> ('c, 'b) either
  val mapRight : ('b -> 'c) -> ('a, 'b) either -> ('a, 'c) either
  val appLeft : ('a -> unit) -> ('a, 'b) either -> unit
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
