(* `where type` on a datatype leaves the signature's constructors as they are specified (the Definition, rule 64): they
   became those of the other type, with its arguments, so `P.A 3` in a functor that no structure fits was refused. The
   constructors of a type that fits, in another order and by another name, are the type's own. *)
datatype u = A of bool
signature S = sig datatype t = A of int end where type t = u
functor F (P : S) = struct val v = P.A 3 fun f (P.A n) = n + 1 end
datatype w = C | B of int * int | A of int
signature T = sig datatype t = A of int | B of int * int | C end where type t = w
functor G (P : T) =
struct
  fun show (P.A n) = "A " ^ Int.toString n
    | show (P.B (m, n)) = "B " ^ Int.toString (m + n)
    | show P.C = "C"
  val all = [P.A 1, P.B (2, 3), P.C]
end
structure X = G (struct datatype t = datatype w end)
val () = app (fn v => print (X.show v ^ "\n")) (B (4, 5) :: X.all)
