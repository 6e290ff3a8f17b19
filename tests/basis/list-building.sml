(* Functions that build lists do so by recursion, or by a reversed list, `take` by its number of elements. At each
   length, around the one at which the way changes and far beyond, they must give what arrays say, call their function
   from left to right and once for each element, and stop where it raises; and a continuation that is entered again
   gives another list, and leaves the first as it was. *)

fun check (what, n, ok) = if ok then () else print ("wrong: " ^ what ^ " at " ^ Int.toString n ^ "\n")

fun range n = let fun down (0, l) = l | down (i, l) = down (i - 1, i - 1 :: l) in down (n, []) end
val array = Array.fromList
(* the list of elements i, from an array of them *)
fun list (n, f) = Array.foldr op :: [] (Array.tabulate (n, f))

(* The arguments of f's calls, in order. *)
fun noted f =
  let
    val calls = ref []
  in
    (fn x => (calls := x :: !calls; f x), fn () => rev (!calls))
  end

exception Stop
fun stopping (n, f) = fn x => if x = n then raise Stop else f x

fun one n =
  let
    val l = range n
    (* what a function gives, and in which order it calls *)
    fun whole (what, run, f, expected) =
      let
        val (f, calls) = noted f
      in
        check (what, n, run f = expected);
        check (what ^ ", calls", n, calls () = l)
      end
    fun stopped (what, run, f) =
      List.app
        (fn k =>
           if k < 0 orelse k >= n then ()
           else
             let
               val (f, calls) = noted (stopping (k, f))
             in
               check (what ^ ", raises", n, (ignore (run f); false) handle Stop => true);
               check (what ^ ", calls before", n, calls () = range (k + 1))
             end)
        [0, 1, 2, 11, 12, 13, 23, 24, 25, 26, 27, n - 1]
    fun both (what, run, f, expected) = (whole (what, run, f, expected); stopped (what, fn f => ignore (run f), f))
    fun some i = if i mod 3 = 1 then NONE else SOME (i * 2)
    fun kept i = i mod 3 <> 1
    val left = Array.foldr (fn (i, l) => if kept i then i :: l else l) [] (array l)
    fun zipped lists = SOME (ListPair.zipEq lists) handle ListPair.UnequalLengths => NONE
    val pairs = list (n, fn i => (i, i * i))
    val squares = list (n, fn i => i * i)
  in
    both ("map", fn f => map f l, fn i => i * i, squares);
    both ("mapPartial", fn f => List.mapPartial f l, some,
          map (fn i => i * 2) left);
    both ("mapPartial, all", fn f => List.mapPartial f l, fn i => SOME (i * i), squares);
    both ("filter", fn p => List.filter p l, kept, left);
    both ("filter, all", fn p => List.filter p l, fn _ => true, l);
    both ("filter, none", fn p => List.filter p l, fn _ => false, []);
    both ("partition", fn p => #1 (List.partition p l), kept, List.filter kept l);
    both ("tabulate", fn f => List.tabulate (n, f), fn i => i * i, squares);
    both ("ListPair.map", fn f => ListPair.map (fn (i, _) => f i) (l, squares), fn i => i * i, squares);
    both ("ListPair.mapEq", fn f => ListPair.mapEq (fn (i, _) => f i) (l, squares), fn i => i * i, squares);
    both ("ListPair.map, longer", fn f => ListPair.map (fn (i, _) => f i) (l, squares @ [1, 2]), fn i => i, l);
    (let
       val (f, calls) = noted (fn i => i)
     in
       check ("foldr", n, foldr (fn (i, s) => (2 * s + f i) mod 1009) 7 l
                          = Array.foldr (fn (i, s) => (2 * s + i) mod 1009) 7 (array l));
       check ("foldr, calls", n, calls () = rev l)
     end);
    check ("@", n, l @ [~1] = Array.foldr op :: [~1] (array l));
    check ("@ []", n, l @ [] = l andalso [] @ l = l andalso length (l @ l) = 2 * n);
    check ("concat", n, List.concat [l, [], squares, [5], []] = l @ (squares @ [5])
                        andalso List.concat (map (fn i => [i]) l) = l andalso List.concat [l] = l);
    check ("ListPair.zip", n, ListPair.zip (l, squares) = pairs);
    check ("ListPair.zip, longer", n, ListPair.zip (l @ [0], squares) = pairs);
    check ("ListPair.zipEq", n, ListPair.zipEq (l, squares) = pairs);
    check ("ListPair.zipEq, longer", n, not (isSome (zipped (l, 0 :: squares))));
    check ("ListPair.zipEq, shorter", n, not (isSome (zipped (0 :: l, squares))));
    check ("ListPair.unzip", n, ListPair.unzip pairs = (l, squares));
    List.app
      (fn k =>
         if k > n then check ("take too many", n, (List.take (l, k); false) handle Subscript => true)
         else check ("take", n, List.take (l, k) = range k andalso List.take (l, k) @ List.drop (l, k) = l))
      [0, 1, 2, 12, 13, 23, 24, 25, 26, n, n + 1]
  end
val () = List.app one (range 32)
val () = List.app one [63, 200, 1000]
val () = check ("tabulate ~1", 0, (List.tabulate (~1, fn i => i); false) handle Size => true)
val () = check ("take ~1", 0, (List.take ([], ~1); false) handle Subscript => true)

(* The function's call for element k returns three times. *)
fun again (what, n, k, run) =
  let
    val kept : int SMLofNJ.Cont.cont option ref = ref NONE
    val results = ref []
    fun f i = if i = k then SMLofNJ.Cont.callcc (fn c => (kept := SOME c; 0)) else i * i
    val result = run f
    val () = results := result :: !results
    val count = length (!results)
  in
    if count < 3 then SMLofNJ.Cont.throw (valOf (!kept)) count else ();
    check (what ^ ", again", n,
           rev (!results) = list (3, fn value => list (n, fn i => if i = k then value else i * i)))
  end
val () =
  List.app
    (fn (n, k) =>
       let
         val l = range n
       in
         again ("map", n, k, fn f => map f l);
         again ("mapPartial", n, k, fn f => List.mapPartial (SOME o f) l);
         again ("tabulate", n, k, fn f => List.tabulate (n, f));
         again ("ListPair.map", n, k, fn f => ListPair.map (fn (i, _) => f i) (l, l))
       end)
    [(5, 2), (40, 0), (40, 13), (40, 26), (40, 30), (40, 39)]
val () = print "done\n"
