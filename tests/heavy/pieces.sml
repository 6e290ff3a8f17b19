(* What the runtime does in pieces, so that others may collect in between: long arrays, strings, numbers. Two threads make
   garbage meanwhile, and with several workers they collect while an array is being filled. *)

fun check (name, true) = print (name ^ "\n")
  | check (name, false) = print (name ^ ": WRONG\n")

val over = ref false
fun churn (n, l) =
  if !over then List.length l
  else churn (n + 1, if n mod 3000 = 0 then [] else Int.toString n :: l)
val others = List.tabulate (2, fn i => CML.spawn (fn () => ignore (churn (i, []))))

(* every element is the one cell, wherever that has moved to *)
fun shared n =
  let
    val cell = ref n
    val a = Array.array (n, cell)
    val () = cell := n + 1
    val last = Array.sub (a, n - 1)
  in
    last := !last + 1;
    !cell = n + 2 andalso Array.all (fn r => r = cell) a
  end
val sizes = [0, 1, 16384, 131072, 131073, 300001]
val () = check ("references", List.all (fn n => n = 0 orelse shared n) sizes)
val () = check ("none", Array.all (not o isSome) (Array.array (300001, NONE : int ref option)))
val () = check ("immediates", Vector.all null (Vector.tabulate (300001, fn _ => [] : int list)))

(* what is young goes into a long array, and stays *)
val table = Array.array (200000, [0])
val () = Array.modifyi (fn (i, _) => if i mod 1000 = 0 then [i, i + 1] else [i]) table
val () =
  check ("table",
         Array.foldli (fn (i, l, ok) => ok andalso hd l = i) true table)

(* raw elements of one byte and of eight *)
fun bytes n = Word8Array.all (fn b => b = 0w77) (Word8Array.array (n, 0w77))
val () = check ("bytes", List.all bytes [0, 1, 1048576, 1048577, 3000001])
fun ints n = Array.all (fn i => i = ~5) (Array.array (n, ~5))
val () = check ("ints", List.all ints [131072, 131073, 400003])

(* strings *)
fun text n = CharVector.tabulate (n, fn i => chr (65 + i mod 53))
val (s, t) = (text 1200001, text 700003)
val st = s ^ t
val () =
  check ("^", size st = size s + size t andalso String.isPrefix s st andalso String.isSuffix t st)
val () = check ("substring", String.extract (st, size s, NONE) = t)
val () = check ("concat", String.concat [s, "", t, s] = st ^ s)

(* a copy in one array, in both directions, with references *)
fun moved (n, from, to, count) =
  let
    val a = Array.tabulate (n, fn i => [i])
    val slice = ArraySlice.slice (a, from, SOME count)
    fun expected i = if i >= to andalso i < to + count then i - to + from else i
  in
    ArraySlice.copy {src = slice, dst = a, di = to};
    Array.foldli (fn (i, l, ok) => ok andalso hd l = expected i) true a
  end
val () = check ("up", moved (300000, 100, 50000, 200000))
val () = check ("down", moved (300000, 50000, 100, 200000))

(* numbers: carries go from piece to piece *)
val one : IntInf.int = 1
fun two k = IntInf.<< (one, Word.fromInt k)
val bits = 64 * 40000
val ones = two bits - 1
val () = check ("carry", ones + 1 = two bits andalso two bits - 1 = ones)
val () = check ("borrow", two bits - two 70 = IntInf.<< (two (bits - 70) - 1, 0w70))
val big = two bits div 7 + two (bits div 2) div 11
val other = two (bits - 100) div 13
val () = check ("sum", (big + other) - other = big andalso (big - other) + other = big)
val () = check ("order", big > other andalso big + 1 > big andalso big = big + 1 - 1)
fun shifts k = IntInf.~>> (IntInf.<< (big, k), k) = big
val () = check ("shifts", List.all shifts [0w1, 0w63, 0w64, 0w100])
fun divides d =
  let
    val (q, r) = IntInf.divMod (big, d)
  in
    r >= 0 andalso r < d andalso q * d + r = big
  end
val () = check ("quotients", List.all divides [3, 10000000000000000000, two 200 + 17])

val () = over := true
val () = List.app (CML.sync o CML.joinEvt) others
val () = print "done\n"
