(* Expected: compiled at once, no output (as with -O0).
   Found: the compiler takes memory until there is none (6 GB in 15 seconds, "memory allocation of 520 bytes failed").
   compiler/mono/src/opt/simplify.rs, wants: a function of at most SMALL instructions is inlined whatever fuel is left, to
   a depth of DEPTH = 24. Here f is its own argument, known at each call, and calls it twice: 2 ^ 24 copies. *)
datatype t = T of t * int -> unit
fun f (T g, 0) = ()
  | f (T g, n) = let val m = n - 1 in g (T g, m); g (T g, m) end
val n = valOf (Int.fromString "4")
val () = f (T f, n)

