(* A selector bound by `val` or `fun` below the top level was used at records with the same labels but fields of other types:
   rejected, because a flexible record was never generalised. *)
val () =
  let
    val g = #foo
    fun both r = (g r, #bar r)
    fun pick {x, ...} = fn {y, ...} => (x, y)
    val twice = fn r => (both r, both r)
    val (i, s) = (g {foo = 13, bar = "a"}, g {foo = "yes", bar = 2.0})
    val ((a, b), (c, d)) = twice {foo = true, bar = #"c"}
    fun even (0, r) = #foo r
      | even (n, r) = odd (n - 1, r)
    and odd (n, r) = even (n - 1, r)
    val (p, q) = pick {x = 1, z = "z"} {y = 2, z = 3.0}
    val (p', q') = pick {x = "one", z = 4} {y = "two", z = #"z"}
  in
    print (Int.toString i ^ s ^ Bool.toString a ^ str b ^ Bool.toString c ^ str d ^ "\n");
    print (Int.toString (even (10, {foo = 7, bar = ()})) ^ even (10, {foo = "seven", bar = 1}) ^ "\n");
    print (Int.toString (p + q) ^ p' ^ q' ^ "\n");
    print (Bool.toString (g {foo = [1], bar = fn x => x} = [1]) ^ "\n")
  end
(* So it was at the top level, where no signature could be polymorphic in the fields, either. *)
structure S :> sig val first : {a: 'a, b: 'b} -> 'a val pair : {x: 'a, y: 'b, z: int} -> 'a * 'b end =
struct
  val first = #a
  fun pair {x, y, ...} = (x, y)
end
val () = print (Int.toString (S.first {a = 1, b = "b"}) ^ S.first {a = "a", b = 2} ^ "\n")
val () = print (let val (x, y) = S.pair {x = "x", y = 3, z = 4} in x ^ Int.toString y end ^ "\n")
val name = #name
fun greet (r, more) = "hello " ^ name r ^ more (#from r) ^ "\n"
functor Greeter (type t val from : t val show : t -> string) =
struct val text = greet ({name = "functor", from = from}, show) end
structure G = Greeter (type t = int val from = 7 val show = Int.toString)
val () = print (G.text ^ greet ({name = "you", from = "me"}, fn s => s) ^ name {name = "n\n", from = ()})
