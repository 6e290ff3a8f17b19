(* A seed gives the same numbers in every version of the library: those of MT19937-64, and what SML/NJ makes of them.
   The model is the algorithm as it was published, one word at a time; the sums at the end are of the library as it was
   on the day when this test was written. *)

structure W = Word64

fun wrong what = print ("wrong: " ^ what ^ "\n")

structure Model =
struct
  val n = 312
  type model = {mt : W.word array, at : int ref}

  fun mix x = W.xorb (x, W.>> (x, 0w62))

  fun fromList key : model =
    let
      val mt = Array.array (n, 0w19650218)
      fun get i = Array.sub (mt, i)
      fun put (i, w) = Array.update (mt, i, w)
      fun begin i =
        if i = n then () else (put (i, 0w6364136223846793005 * mix (get (i - 1)) + W.fromInt i); begin (i + 1))
      val () = begin 1
      val length = Vector.length key
      fun next i = if i + 1 >= n then (put (0, get (n - 1)); 1) else i + 1
      fun first (0, i, _) = i
        | first (k, i, j) =
            (put (i, W.xorb (get i, mix (get (i - 1)) * 0w3935559000370003845) + Vector.sub (key, j) + W.fromInt j);
             first (k - 1, next i, if j + 1 >= length then 0 else j + 1))
      fun second (0, _) = ()
        | second (k, i) =
            (put (i, W.xorb (get i, mix (get (i - 1)) * 0w2862933555777941757) - W.fromInt i);
             second (k - 1, next i))
    in
      second (n - 1, first (Int.max (n, length), 1, 0));
      put (0, 0wx8000000000000000);
      {mt = mt, at = ref 0}
    end

  fun word ({mt, at} : model) =
    let
      val i = !at
      val x =
        W.orb (W.andb (Array.sub (mt, i), 0wxFFFFFFFF80000000),
               W.andb (Array.sub (mt, (i + 1) mod n), 0wx7FFFFFFF))
      val odd = if W.andb (x, 0w1) = 0w1 then 0wxB5026F5AA96619E9 else 0w0
      val x = W.xorb (Array.sub (mt, (i + 156) mod n), W.xorb (W.>> (x, 0w1), odd))
      val () = Array.update (mt, i, x)
      val () = at := (i + 1) mod n
      val x = W.xorb (x, W.andb (W.>> (x, 0w29), 0wx5555555555555555))
      val x = W.xorb (x, W.andb (W.<< (x, 0w17), 0wx71D67FFFEDA60000))
      val x = W.xorb (x, W.andb (W.<< (x, 0w37), 0wxFFF7EEE000000000))
    in
      W.xorb (x, W.>> (x, 0w43))
    end

  fun large m = W.toLargeInt (word m)
  val two64 = IntInf.pow (2, 64)

  (* 53 bits, of which a double has as many *)
  fun real m = Real.fromInt (IntInf.toInt (large m div 2048)) / 9007199254740992.0

  (* What lies in the last, incomplete part of the range of words is drawn again. *)
  fun range (lo, hi) m =
    let
      val lo = IntInf.fromInt lo
      val size = IntInf.fromInt hi - lo + 1
      val w = large m
    in
      if w < two64 div size * size then IntInf.toInt (lo + w mod size) else range (IntInf.toInt lo, hi) m
    end
end

val most = valOf Int.maxInt
val least = valOf Int.minInt

val seeds =
  [("rand (0, 0)", fn () => Random.rand (0, 0), [0w0, 0w0]),
   ("rand (1, 2)", fn () => Random.rand (1, 2), [0w1, 0w2]),
   ("rand (~1, maxInt)", fn () => Random.rand (~1, most), [W.fromInt ~1, W.fromInt most]),
   ("rand (123, 73256)", fn () => Random.rand (123, 73256), [0w123, 0w73256]),
   ("fromList of one", fn () => Random.fromList [0w5489], [0w5489]),
   ("fromList of the authors",
    fn () => Random.fromList [0wx12345, 0wx23456, 0wx34567, 0wx45678],
    [0wx12345, 0wx23456, 0wx34567, 0wx45678]),
   ("fromList of 400",
    fn () => Random.fromList (List.tabulate (400, fn i => W.fromInt (i * i))),
    List.tabulate (400, fn i => W.fromInt (i * i)))]

val ranges =
  [(0, 1), (0, 9), (1, 6), (~3, 3), (0, 255), (5, 5), (0, most), (least, ~1), (least, most), (~1, most), (least + 1, most),
   (~4000000000000000000, 3000000000000000000), (0, 4294967295), (0, 4294967296)]

(* The first thousand numbers of a function, and of what the model says of it. *)
fun compare (what, make, key, f, g, equal) =
  let
    val r = make ()
    val m = Model.fromList (Vector.fromList key)
    fun go i =
      if i = 1000 then ()
      else if equal (f r, g m) then go (i + 1)
      else wrong (what ^ ", number " ^ Int.toString i)
  in
    go 0
  end

(* One function after the other, of one generator, which is written and read again now and then. *)
fun mixed (what, make, key) =
  let
    val r = ref (make ())
    val m = Model.fromList (Vector.fromList key)
    fun step i =
      case i mod 7 of
        0 => Random.randInt (!r) = W.toIntX (Model.word m)
      | 1 => Random.randNat (!r) = W.toIntX (W.>> (Model.word m, 0w1))
      | 2 => Real.== (Random.randReal (!r), Model.real m)
      | 3 => let val range = List.nth (ranges, i mod length ranges)
             in Random.randRange range (!r) = Model.range range m end
      | 4 => Random.randNativeWord (!r) = Model.word m
      | 5 =>
          (r := Random.fromBytes (Random.toBytes (!r));
           Random.randNativeInt (!r) = Int64.fromLarge (Model.large m div 2))
      | _ => (if i mod 3 = 0 then r := Random.fromString (Random.toString (!r)) else ();
              Word.toLarge (Random.randWord (!r)) = Model.word m)
    fun go i = if i = 1000 then () else if step i then go (i + 1) else wrong (what ^ ", mixed, step " ^ Int.toString i)
  in
    go 0
  end

fun all (what, make, key) =
  (compare (what ^ ", randNativeWord", make, key, Random.randNativeWord, Model.word, op =);
   compare (what ^ ", randWord", make, key, Word.toLarge o Random.randWord, Model.word, op =);
   compare (what ^ ", randInt", make, key, Random.randInt, W.toIntX o Model.word, op =);
   compare (what ^ ", randNat", make, key, Random.randNat, fn m => W.toIntX (W.>> (Model.word m, 0w1)), op =);
   compare (what ^ ", randNativeInt", make, key, Random.randNativeInt, fn m => Int64.fromLarge (Model.large m div 2), op =);
   compare (what ^ ", randReal", make, key, Random.randReal, Model.real, Real.==);
   List.app
     (fn range => compare (what ^ ", randRange", make, key, Random.randRange range, Model.range range, op =))
     ranges;
   mixed (what, make, key))
val () = List.app all seeds

(* What the numbers add up to. *)
fun sum make =
  let
    val r = make ()
    fun go (0, s) = s
      | go (n, s) =
          let
            val s = s * 0w31 + Random.randNativeWord r
            val s = s * 0w31 + W.fromInt (Random.randRange (~7, 1000) r)
            val s = s * 0w31 + W.fromInt (Random.randInt r)
            val s = s * 0w31 + W.fromInt (Real.floor (Random.randReal r * 1E15))
          in
            go (n - 1, s)
          end
  in
    W.toString (go (1000, 0w0))
  end
val () = List.app (fn (what, make, _) => print (what ^ ": " ^ sum make ^ "\n")) seeds
