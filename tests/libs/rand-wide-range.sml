(* Rand.range is documented to give the numbers lo to hi. There are 2^31 - 2 states, and a range of more numbers had
   only its first; one of more than an int counts gave a function that raised Overflow at each call. *)
val least = valOf Int.minInt
val most = valOf Int.maxInt
val draws = 4000
fun line words = print (String.concatWith " " words ^ "\n")

(* How many of the draws fall into each of eight parts of the range: about an eighth of them. *)
fun spread (lo, hi) =
  let
    val next = Rand.mkRandom 0w42
    val f = Rand.range (lo, hi)
    val first = IntInf.fromInt lo
    val n = IntInf.fromInt hi - first + 1
    val counts = Array.array (8, 0)
    fun draw () =
      let
        val x = f (next ())
        val part = IntInf.toInt (8 * (IntInf.fromInt x - first) div n)
      in
        if x < lo orelse x > hi then line ["outside:", Int.toString x] else ();
        Array.update (counts, part, Array.sub (counts, part) + 1)
      end
    fun isEven n = n > draws div 10 andalso n < draws div 6
  in
    ignore (List.tabulate (draws, fn _ => draw ()));
    line [Int.toString lo, Int.toString hi, if Array.all isEven counts then "even" else "uneven"]
  end
val () =
  app spread
    [(0, 7), (~1000, 1000), (0, 0x7FFFFFFD), (0, 0x7FFFFFFE), (0, 0x7FFFFFFF), (0, 0xFFFFFFFF), (~5, 0x17FFFFFFFF),
     (least, most), (least, 0), (0, most), (least, most div 2)]

(* The narrow ranges are SML/NJ's. *)
val () = line (map (fn r => Int.toString (Rand.range (10, 19) r)) [0w1, 0w2, 0w12345, Rand.randMax])
val () = line (map (fn r => Int.toString (Rand.range (3, 3) r)) [0w1, 0w2])
(* A state of the program's own making. *)
val () = line (map (fn r => Int.toString (Rand.range (0, 9) r)) [0w0, Word.notb 0w0])
val () = (Rand.range (1, 0) 0w1; ()) handle Fail s => line [s]
