(* A set of many intervals: points are added and looked for in logarithmic time; 80000 points took minutes. And intervals
   that meet become one, whatever the order in which they come. *)
structure Set =
  IntervalSetFn
    (struct
       type point = int
       val compare = Int.compare
       fun succ i = i + 1
       fun pred i = i - 1
       fun isSucc (i, j) = i + 1 = j
       val minPt = ~1000000
       val maxPt = 1000000
     end)
val n = 13000
fun points f =
  let
    fun go (i, s) = if i = n then s else go (i + 1, Set.add (s, f i))
  in
    go (0, Set.empty)
  end
val up = points (fn i => 3 * i)
val mixed = points (fn i => 3 * (i * 7919 mod n))
val () = print (Bool.toString (Set.compare (up, mixed) = EQUAL) ^ "\n")
fun isRight i = Set.member (up, i) = (i >= 0 andalso i < 3 * n andalso i mod 3 = 0)
fun all i = i > 3 * n + 5 orelse isRight i andalso all (i + 1)
val () = print (Bool.toString (all ~5) ^ "\n")
val () = print (Int.toString (List.length (Set.intervals (Set.complement up))) ^ "\n")

fun show s =
  print (String.concatWith " " (List.map (fn (a, b) => Int.toString a ^ "-" ^ Int.toString b) (Set.intervals s)) ^ "\n")
val s = List.foldl Set.addInt' Set.empty [(1, 3), (10, 12), (5, 6), (20, 30)]
val () = show s
val () = List.app (fn i => show (Set.addInt (s, i))) [(4, 4), (0, 0), (7, 9), (2, 25), (13, 19), (~5, 40), (31, 31), (1, 1), (8, 8)]
val () = show (Set.difference (s, Set.interval (2, 21)))
val () = ignore (Set.addInt (s, (2, 1))) handle Domain => print "no interval\n"
