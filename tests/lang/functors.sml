(* Functors: generative types and exceptions, datatypes whose constructors stand in another order in the signature, opaque
   datatypes, exceptions in polymorphic functions, constants settled by a later declaration. *)
functor Counter (val start : int val name : string) :> sig type t val new : unit -> t val next : t -> int exception Bad of t val bad : t -> 'a end = struct
  datatype t = T of int ref
  exception Bad of t
  fun new () = T (ref start)
  fun next (T r) = (r := !r + 1; print (name ^ " " ^ Int.toString (!r) ^ "\n"); !r)
  fun bad t = raise Bad t
end
structure A = Counter (val start = 10 val name = "A")
structure B = Counter (val start = 20 val name = "B")
val a = A.new () val b = B.new ()
val _ = (A.next a; A.next a; B.next b)
val _ = (A.bad a) handle B.Bad t => (print "wrong\n") | A.Bad t => (A.next t; print "right\n")
signature S = sig datatype d = X of int | Y of string | Z val all : d list end
structure M :> S = struct datatype d = Z | Y of string | X of int val all = [Z, Y "y", X 3] end
fun show M.Z = "Z" | show (M.X n) = "X" ^ Int.toString n | show (M.Y s) = "Y" ^ s
val _ = app (fn d => print (show d ^ "\n")) (M.X 9 :: M.all)
functor Show (D : S) = struct fun show D.Z = "z" | show (D.Y s) = s | show (D.X n) = Int.toString n  val all = String.concatWith "," (map show (D.X 1 :: D.all)) end
structure P = Show (M)
structure Q = Show (struct datatype d = Y of string | Z | X of int val all = [Z, Y "q", X 5] end)
val _ = print (P.all ^ " " ^ Q.all ^ "\n")
fun 'a poly (x : 'a, y : 'a) = let exception E of 'a in (raise E x) handle E z => z end
val _ = print (poly ("one", "two") ^ Int.toString (poly (1, 2)) ^ "\n")
val l = [0w1, 0wxFF]
val _ = print (String.concatWith " " (map Word8.toString l) ^ "\n")
