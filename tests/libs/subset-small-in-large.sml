(* Whether a small set is in a large one, and whether a large map extends a small one, was found by a walk over the large
   one from its first key on: n such questions took n * n steps. Comparisons are counted, and the answers are those of
   the definition: every item of the one is a member of the other. *)

val compared = ref 0
structure Key = struct type ord_key = int fun compare (a, b) = (compared := !compared + 1; Int.compare (a, b)) end
structure Map = RedBlackMapFn (Key)
structure Set = RedBlackSetFn (Key)

fun counted what most f =
  let
    val () = compared := 0
    val x = f ()
  in
    if !compared <= most then () else print (concat [what, ": ", Int.toString (!compared), " comparisons\n"]);
    x
  end
fun check (what, ok) = if ok then () else print ("wrong: " ^ what ^ "\n")

val n = 4096
val all = Set.fromList (List.tabulate (n, fn i => 2 * i))
val squares = List.foldl (fn (i, m) => Map.insert (m, 2 * i, i * i)) Map.empty (List.tabulate (n, fn i => i))

(* One key: at most the way up the left side and down again. *)
val () =
  List.app
    (fn i =>
       let
         val is = counted "one" 50 (fn () => Set.isSubset (Set.singleton i, all))
         val extends = counted "one of a map" 50 (fn () => Map.extends op = (squares, Map.singleton (i, i * i div 4)))
         val even = i >= 0 andalso i < 2 * n andalso i mod 2 = 0
       in
         check (Int.toString i, is = even andalso extends = even)
       end)
    (List.tabulate (2 * n + 20, fn i => i - 10))

(* Several keys, near to one another and far away; all; and all but one. *)
fun inAll what most keys = check (what, counted what most (fn () => Set.isSubset (Set.fromList keys, all)))
val near = List.tabulate (16, fn i => 5000 + 2 * i)
val () = inAll "near" (50 + 80 + 16 * 8) near
val () = inAll "far" (50 + 80 + 16 * 25) (List.tabulate (16, fn i => 512 * i))
val () = check ("all", counted "all" n (fn () => Set.isSubset (all, all)))
val () = check ("more", not (Set.isSubset (Set.add (all, 1), all)))
val () = check ("not all", not (Set.isSubset (Set.add (Set.delete (all, 4000), 4001), all)))
val () = check ("none", Set.isSubset (Set.empty, all) andalso Set.isSubset (Set.empty, Set.empty))

(* Related values are compared in the order of their keys, up to the first two that are not related. *)
val () =
  let
    val seen = ref []
    fun related limit (a, b) = (seen := b :: !seen; a = b andalso b < limit)
    val some = List.foldl (fn (i, m) => Map.insert (m, 2 * i, i * i)) Map.empty [900, 3, 77, 4000, 5, 78]
  in
    check ("related", Map.extends (related (4000 * 4000 + 1)) (squares, some));
    check ("the first that is not", not (Map.extends (related (77 * 77)) (squares, some)));
    print (String.concatWith " " (rev (map Int.toString (!seen))) ^ "\n")
  end

(* Against the definition. *)
val seed = ref 0w4711
fun random n = (seed := Rand.random (!seed); Rand.range (0, n - 1) (!seed))
fun some (0, s) = s
  | some (k, s) = some (k - 1, Set.add (s, random 30))
val () =
  List.app
    (fn _ =>
       let
         val s = some (random 12, Set.empty)
         val t = some (random 60, s)
         val t = if random 2 = 0 then t else Set.subtract (t, random 30)
         fun same (a, b) =
           check ("random", Set.isSubset (a, b) = List.all (fn x => Set.member (b, x)) (Set.toList a)
                            andalso Set.equal (a, b) = (Set.toList a = Set.toList b))
       in
         same (s, t);
         same (t, s)
       end)
    (List.tabulate (2000, fn i => i))
val () = print "done\n"
