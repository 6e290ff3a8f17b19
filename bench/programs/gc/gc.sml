(* C2: programs that collect much. Each prints its time in milliseconds, the milliseconds of it in the collector, and
   these as a share of the time, in per cent.

     switch    two of MLton's threads that switch to each other
     ring      20,000 of MLton's threads that switch to the next one in turn: their frames are promoted again and again
     trees     binary trees: many that die young beside one that lives
     graph     a live graph of 200,000 nodes whose edges are moved to new nodes all the time
     rebuild   a live list of 500,000 elements that is mapped into a new one again and again *)

fun best (name, f) =
  let
    val collector = Collector.nanoseconds
    fun once () =
      let
        val collected = collector ()
        val timer = Timer.startRealTimer ()
        val () = f ()
        val time = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))
      in
        (time, collector () - collected)
      end
    fun quicker ((a, b), (c, d)) : int * int = if a < c then (a, b) else (c, d)
    val (time, collected) = quicker (once (), once ())
    fun figure (what, x) = print (name ^ what ^ " " ^ Real.fmt (StringCvt.FIX (SOME 1)) x ^ "\n")
  in
    figure ("-ms", real time / 1E6);
    figure ("-collector-ms", real collected / 1E6);
    figure ("-share", 100.0 * real collected / real time)
  end

(* n threads, each of which passes the turn on `rounds` times *)
fun ring (n, rounds) () =
  let
    open MLton.Thread
    val threads : unit t option array = Array.array (n, NONE)
    val home : unit t option ref = ref NONE
    fun next i = if i + 1 = n then 0 else i + 1
    fun work i 0 = if i + 1 = n then valOf (!home) else valOf (Array.sub (threads, i + 1))
      | work i k =
          (switch (fn me =>
             (Array.update (threads, i, SOME me); prepare (valOf (Array.sub (threads, next i)), ())));
           work i (k - 1))
    (* the last switch of each leads to the end of the next one, that of the last one home *)
    fun body i () = let val follower = work i rounds in switch (fn _ => prepare (follower, ())) end
  in
    Array.modifyi (fn (i, _) => SOME (new (body i))) threads;
    switch (fn me => (home := SOME me; prepare (valOf (Array.sub (threads, 0)), ())))
  end

datatype tree = Leaf | Node of tree * tree

fun full 0 = Leaf
  | full depth = Node (full (depth - 1), full (depth - 1))

fun nodes Leaf = 0
  | nodes (Node (a, b)) = 1 + nodes a + nodes b

fun trees depth () =
  let
    val long = full depth
    fun rounds (d, k, sum) = if k = 0 then sum else rounds (d, k - 1, sum + nodes (full d))
    fun depths d =
      if d > depth then ()
      else
        let val k = Word.toInt (Word.<< (0w1, Word.fromInt (depth - d)))
        in
          if rounds (d, k, 0) = k * (Word.toInt (Word.<< (0w1, Word.fromInt d)) - 1) then depths (d + 4)
          else raise Fail "a node was lost"
        end
  in
    depths 4;
    ignore (nodes long)
  end

datatype node = Vertex of int * node list ref

fun graph (n, moves) () =
  let
    val vertices = Array.tabulate (n, fn i => Vertex (i, ref []))
    val seed = ref 0w12345
    fun random k =
      (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407;
       Word.toInt (Word.mod (Word.>> (!seed, 0w33), Word.fromInt k)))
    fun edges (Vertex (_, out)) = out
    fun some () = Array.sub (vertices, random n)
    (* a new vertex takes an old one's place and two of its edges, which the old one loses; another gets an edge to it *)
    fun move 0 = ()
      | move k =
          let
            val i = random n
            val old = edges (Array.sub (vertices, i))
            val out = !old
            val fresh = Vertex (k, ref (some () :: List.take (out, Int.min (2, length out))))
            val () = old := []
            val from = edges (some ())
          in
            Array.update (vertices, i, fresh);
            from := fresh :: (case !from of a :: b :: _ => [a, b] | few => few);
            move (k - 1)
          end
  in
    move moves
  end

fun rebuild (n, rounds) () =
  let
    fun again (list, 0) = list
      | again (list, k) = again (map (fn x => x + 1) list, k - 1)
    val list = again (List.tabulate (n, fn i => i), rounds)
  in
    if hd list = rounds andalso length list = n then () else raise Fail "an element was lost"
  end

val () = best ("switch", ring (2, 2000000))
val () = best ("ring", ring (20000, 50))
val () = best ("trees", trees 20)
val () = best ("graph", graph (200000, 500000))
val () = best ("rebuild", rebuild (500000, 20))
