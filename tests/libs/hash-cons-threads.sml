(* The tables of HashConsString and its like are not the program's own, so threads share them: a string has one object
   whichever thread asked first, and a tag is one string's. Threads that share a generator of Random get numbers. *)
open CML
val n = 20000
fun inParallel (f, g) =
  let
    fun start f = let val result = channel () in ignore (spawn (fn () => send (result, f ()))); result end
    val a = start f
    val b = start g
    val x = recv a
  in
    (x, recv b)
  end
fun objects () = Vector.tabulate (n, fn i => HashConsString.mk ("s" ^ Int.toString i))
val (a, b) = inParallel (objects, objects)
fun twice (i, x, k) = if HashCons.same (x, Vector.sub (b, i)) then k else k + 1
val () = print ("strings with two objects: " ^ Int.toString (Vector.foldli twice 0 a) ^ "\n")

val strings = WordHashTable.mkTable (n, Fail "not there")
fun wrong (x, k) =
  case WordHashTable.find strings (HashCons.tag x) of
    SOME s => if s = HashCons.node x then k else k + 1
  | NONE => (WordHashTable.insert strings (HashCons.tag x, HashCons.node x); k)
val () = print ("tags of two strings: " ^ Int.toString (Vector.foldl wrong (Vector.foldl wrong 0 a) b) ^ "\n")

val generator = Random.rand (1, 2)
fun numbers () =
  let fun go 0 = () | go k = (ignore (Random.randWord generator); go (k - 1)) in go 100000 end
val _ = inParallel (numbers, numbers)
val () = print "numbers\n"
