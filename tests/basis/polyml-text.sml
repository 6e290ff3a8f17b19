(* PolyML.makestring gives the text of a value of any type, inside of polymorphic functions too: the test library of
   Exercism is written so. Labels, fixity, depth, values that hold themselves, datatypes that are not regular. *)
datatype tree = Leaf | Node of tree * int * tree
datatype shape = Circle of {radius : real, name : string} | Square of {side : int} | Poly of (int * int) list | :+: of int * int
datatype 'a nested = Nil | Cons of 'a * ('a * 'a) nested
datatype t = R of t ref | E
fun show (x : 'a) = print (PolyML.makestring x ^ "\n")
fun equalTo b a = if a = b then () else print (PolyML.makestring b ^ " <> " ^ PolyML.makestring a ^ "\n")
val () = show 3
val () = show ~3
val () = show "a\nb"
val () = show #"x"
val () = show 2.5
val () = show ()
val () = show (1, "x", [true, false])
val () = show [SOME 1, NONE]
val () = show [SOME ~1, NONE]
val () = show (Node (Node (Leaf, 1, Leaf), 2, Leaf))
val () = show [Circle {radius = 1.0, name = "c"}, Square {side = 2}, Poly [(1, 2)], op :+: (1, 2)]
val () = show (fn x => x + 1)
val () = show (ref 3, SOME (ref 4))
val () = show (Array.fromList [1, 2], #[1, 2], Vector.fromList ["a"])
val () = show (List.tabulate (101, fn i => i))
val () = show (Cons (1, Cons ((2, 3), Nil)))
val r = ref E
val () = r := R r
val () = show (Time.fromSeconds 3)
val () = (PolyML.print_depth 5; show r; PolyML.print_depth 100)
val () = show (IntInf.pow (2, 100), 0wx1F, 0w3 : Word8.word, 1 : Int32.int)
val () = show (Fail "x")
val () = show [[1], [], [2, 3]]
val () = show {name = "a", age = 3}
val () = show (valOf (Int.fromString "3"), LESS)
val () = show (SOME (SOME (1, 2)))
val () = equalTo [1, 2] [1, 3]
val _ = PolyML.print (PolyML.print "x" ^ "y")
val () = print (Int.toString (PolyML.objSize [1, 2, 3]) ^ "\n")
val () = (PolyML.print_depth 3; show [1, 2, 3, 4]; show ((((1, 2), 3), 4), 5))
