(* Two datatypes that share and have other constructors: no structure fits, so the functor is never applied, but its body
   is as the signature says. `Q.K` was `P.M`, by its number. *)
functor G (structure P : sig datatype t = M | N end
           structure Q : sig datatype t = K of int | L | R end
           sharing type P.t = Q.t) =
struct
  val w = Q.K 3
  fun f (Q.K n) = n | f Q.L = 0 | f Q.R = 1
  fun g P.M = 0 | g P.N = 1
end
functor H (structure P : sig datatype t = M | N of int end
           structure Q : sig datatype t = N of int | M end
           sharing type P.t = Q.t) =
struct
  fun f Q.M = 0 | f (P.N n) = n
  val all = [f P.M, f (Q.N 3)]
end
structure A = struct datatype t = N of int | M end
structure B = H (structure P = A structure Q = A)
val () = app (fn n => print (Int.toString n ^ "\n")) B.all
