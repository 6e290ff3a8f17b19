(* `open` hides a name of the Basis, or of the program, and who uses it means that one. The help was that `map` takes its
   arguments together, as a tuple; and who followed it got two more errors. *)
structure Types =
struct
  fun map (f : 'a -> 'b, g : 'b -> 'a) = (f, g)
  fun size n = n + 1
  fun twice (x : string) = x ^ x
  fun app f = f ()
  val op - = String.^
end
fun twice (x : int) = 2 * x
open Types
val a = map Int.toString [1, 2]
val b = size "abc"
val c = twice 3
val d = 3 - 2
(* These mean what they say. *)
val e = Types.map Int.toString
val f = map 3
val g = let open List in map (fn x => x + 1, [1]) end
