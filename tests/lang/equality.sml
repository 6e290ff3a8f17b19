(* Polymorphic equality at many types. *)
datatype colour = Red | Green | Blue
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
datatype exp = Num of int | Add of exp * exp | Neg of exp | Var of string

fun b x = print (if x then "t" else "f")
val () = (b (1 = 1); b (1 = 2); b ("ab" = "a" ^ "b"); b ("a" = "b"); b (#"a" = #"a"); b (Red = Red); b (Red = Blue); print "\n")
val () = (b ((1, "x") = (1, "x")); b ((1, "x") = (1, "y")); b ([1, 2, 3] = [1, 2, 3]); b ([1, 2] = [1, 2, 3]); b ([] = ([] : int list)); print "\n")
fun build 0 = Leaf | build n = Node (build (n - 1), n, build (n - 1))
val () = (b (build 5 = build 5); b (build 5 = build 4); b (Add (Num 1, Neg (Var "x")) = Add (Num 1, Neg (Var "x"))); b (Num 1 = Var "x"); print "\n")
val r1 = ref 1 and r2 = ref 1
val () = (b (r1 = r1); b (r1 = r2); b (!r1 = !r2); print "\n")
val a1 = Array.array (2, 0) and a2 = Array.array (2, 0)
val () = (b (a1 = a1); b (a1 = a2); b (Vector.fromList [1, 2] = Vector.fromList [1, 2]); b (Vector.fromList ["a"] = Vector.fromList ["b"]); print "\n")
val () = (b (SOME 1 = SOME 1); b (SOME 1 = NONE); b (SOME [SOME "x"] = SOME [SOME "x"]); b ({a = 1, b = true} = {b = true, a = 1}); b (() = ()); print "\n")
fun member x l = List.exists (fn y => x = y) l
val () = (b (member 3 [1, 2, 3]); b (member "q" ["a"]); b (member (Red, 1) [(Blue, 1), (Red, 1)]); b (1 <> 2); b ("a" <> "a"); print "\n")
val l = List.tabulate (200, fn i => i)
val () = (b (l = List.tabulate (200, fn i => i)); b (l = rev l); print "\n")
val () = (b (0w5 = 0w5); b (SOME (SOME NONE) = SOME (SOME (NONE : int option))); b (SOME NONE = (NONE : int option option)); print "\n")
