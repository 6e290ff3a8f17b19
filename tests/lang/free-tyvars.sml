(* Datatypes with a type variable of the function around them, as MLton has them: directly, by way of an abbreviation, of
   another such datatype, of `withtype`. The last three lost the variable on the way (C1 was broken). *)
fun say s = print (s ^ "\n")
fun f (x : 'a) = let datatype t = C of 'a in case C x of C y => y end
val () = say (Int.toString (f 3) ^ f " x")
fun g (x : 'a) = let type u = 'a list datatype t = C of u in case C [x] of C l => hd l | _ => x end
val () = say (Int.toString (g 3) ^ g " x")
fun h (x : 'a) = let datatype t = C of 'a datatype s = D of t | E of s list in fn () => case E [D (C x)] of E [D (C l)] => l | _ => x end
val () = say (Int.toString (h 3 ()) ^ h " x" ())
fun k (x : 'a, n : int) =
  let
    type u = 'a * int
    datatype 'b t = C of u * 'b | N
    and v = V of bool t
    withtype w = u list
    val l : w = [(x, n)]
  in case (V (C ((x, n), true)), C (hd l, "s")) of (V (C (_, b)), C ((y, m), s)) => (y, m, b, s) | _ => raise Match end
val () = say (let val (y, m, b, s) = k ("y", 5) in y ^ Int.toString m ^ Bool.toString b ^ s end)
val () = say (let val (y, m, b, s) = k (6, 5) in Int.toString (y + m) ^ Bool.toString b ^ s end)
(* A new type of the same name as an abbreviation with such a variable has none, and equality. *)
fun e (x : 'a) = let type t = 'a list datatype t = A of int | B of t in (B (A 1) = B (A 1), [x] : 'a list) end
val () = say (Bool.toString (#1 (e (fn () => ()))))
fun q (x : ''a) = let datatype t = C of ''a in C x = C x end
val () = say (Bool.toString (q 3) ^ Bool.toString (q "x"))
(* A variable that occurs in a type binding alone is the function's, too: "not bound" was said of it. *)
fun d x = let datatype t = T of 'a | L of t list in case L [T x] of L [T y] => y | _ => x end
val () = say (Int.toString (d 3) ^ d " x")
fun t x = let type u = 'a list in hd ([x] : u) end
val () = say (Int.toString (t 3) ^ t " x")
fun w x = let datatype 'b t = T of 'b * u withtype u = 'a list in case T (true, [x]) of T (b, l) => (b, hd l) end
val () = say (#2 (w "w"))
fun a x = let abstype t = T of 'a with val c = T x fun get (T y) = y end in get c end
val () = say (Int.toString (a 3) ^ a " x")
