(* An insertion looked at both sides of each node on its way, which one could be too heavy; it looks at the side that has
   grown now. If a tree leaned, nothing would show it but the time: so comparisons are counted. With the balance that the
   trees have, the way to a key is shorter than 2.41 times the logarithm of their number. *)

val compared = ref 0
structure Key = struct type ord_key = int fun compare (a, b) = (compared := !compared + 1; Int.compare (a, b)) end
structure Map = RedBlackMapFn (Key)
structure Set = RedBlackSetFn (Key)

val n = 4096
val most = 29

fun longest member keys =
  List.foldl
    (fn (k, m) =>
       let
         val () = compared := 0
       in
         if member k then Int.max (m, !compared) else (print "missing\n"; m)
       end)
    0
    keys

fun judge (name, keys) =
  let
    val all = List.tabulate (n, fn i => i)
    val m = List.foldl (fn (k, m) => Map.insert (m, k, k)) Map.empty keys
    val w = List.foldl (fn (k, m) => Map.insertWith op + (m, k, 1)) Map.empty keys
    val s = List.foldl (fn (k, s) => Set.add (s, k)) Set.empty keys
    (* Every second key goes, and comes again. *)
    val odd = List.filter (fn k => k mod 2 = 1) keys
    val less = List.foldl (fn (k, m) => #1 (Map.remove (m, k))) m odd
    val again = List.foldl (fn (k, m) => Map.insert (m, k, k)) less odd
    fun one (what, isIn, keys', size) =
      let
        val d = longest isIn all
      in
        if d <= most andalso keys' = all andalso size = n then ()
        else print (concat [name, ", ", what, ": ", Int.toString d, "\n"])
      end
  in
    one ("insert", fn k => Map.inDomain (m, k), Map.listKeys m, Map.numItems m);
    one ("insertWith", fn k => Map.inDomain (w, k), Map.listKeys w, Map.numItems w);
    one ("add", fn k => Set.member (s, k), Set.toList s, Set.numItems s);
    one ("again", fn k => Map.inDomain (again, k), Map.listKeys again, Map.numItems again)
  end

val () = judge ("up", List.tabulate (n, fn i => i))
val () = judge ("down", List.tabulate (n, fn i => n - 1 - i))
val () = judge ("from both ends", List.tabulate (n, fn i => if i mod 2 = 0 then i div 2 else n - 1 - i div 2))
val () = judge ("outwards", List.tabulate (n, fn i => n div 2 + (if i mod 2 = 0 then i div 2 else ~1 - i div 2)))
val () = judge ("scattered", List.tabulate (n, fn i => i * 2731 mod n))
val () = print "done\n"
