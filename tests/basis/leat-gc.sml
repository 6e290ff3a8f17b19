(* What Leat.GC sets and tells. MLton.GC.Statistics.maxBytesLive told the peak of the heap, nurseries and garbage
   included, where MLton tells the most that has lived after a collection. *)

fun say (name, ok) = print (name ^ (if ok then " ok\n" else " is wrong\n"))
fun refuses set = (set (); false) handle Domain => true

(* 4 MB that live, then die *)
val kept = ref (Array.array (0, #"a"))
val () = kept := Array.array (4000000, #"a")
val () = MLton.GC.collect ()
val most = Leat.GC.mostLiveBytes ()
val () = say ("most", most >= 4000000)
val () = (Array.update (!kept, 0, #"b"); kept := Array.array (0, #"a"))
val () = MLton.GC.collect ()
val () =
  say ("still", Leat.GC.mostLiveBytes () >= most andalso Leat.GC.liveBytes () <= most - 3900000)
val () =
  say ("MLton's",
       IntInf.toInt (MLton.GC.Statistics.maxBytesLive ()) = Leat.GC.mostLiveBytes ()
       andalso Leat.GC.mostLiveBytes () <= Leat.GC.peakHeapBytes ())

(* What was promoted since the last major collection was counted, too, so this could be more than the most. *)
val list = List.tabulate (200000, fn n => SOME n)
val () = SMLofNJ.Internals.GC.doGC 0
val () =
  say ("found",
       Leat.GC.liveBytes () <= Leat.GC.mostLiveBytes ()
       andalso IntInf.toInt (MLton.GC.Statistics.lastBytesLive ()) = Leat.GC.liveBytes ()
       andalso length list = 200000)

val () =
  say ("pause",
       List.all
         (fn ns => refuses (fn () => Leat.GC.setPause (Time.fromNanoseconds ns)))
         [1, ~1, 2000000000])
val () =
  say ("spend",
       List.all
         (fn factor => refuses (fn () => Leat.GC.setSpend factor))
         [1.0, ~2.0, 1001.0, 0.0 / 0.0])
(* It took what it was not given for the least or the most. *)
val () =
  say ("nursery",
       List.all
         (fn bytes => refuses (fn () => Leat.GC.setNursery bytes))
         [~5, 1000, 1000000000000])
val () = say ("soft", refuses (fn () => Leat.GC.setSoftLimit ~1))

(* settings change while collections are under way *)
datatype tree = Leaf | Node of tree * tree
fun tree 0 = Leaf
  | tree n = Node (tree (n - 1), tree (n - 1))
fun count Leaf = 0
  | count (Node (left, right)) = count left + count right + 1
val table = Array.array (8, Leaf)
fun churn 0 = ()
  | churn n = (Array.update (table, n mod 8, tree 6); churn (n - 1))
val () =
  List.app (fn set => (set (); churn 60)) [fn () => Leat.GC.setPause (Time.fromMicroseconds 100),
                                           fn () => Leat.GC.setSpend 1.5,
                                           fn () => Leat.GC.setNursery 65536,
                                           fn () => Leat.GC.setSoftLimit 1000000,
                                           fn () => Leat.GC.setPause Time.zeroTime,
                                           fn () => Leat.GC.setSpend 0.0,
                                           fn () => Leat.GC.setNursery 0,
                                           fn () => Leat.GC.setSoftLimit 0]
val () = say ("trees", Array.all (fn tree => count tree = 63) table)
