(* Times between steps: how long they are, and the longest. *)

val clock = Timer.startRealTimer ()
fun now () = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer clock))

(* What one thread has noted: gaps by microseconds, where the last element has all that are longer; and the longest. *)
type gaps = {counts : IntArray.array, longest : int ref}
fun newGaps () : gaps = {counts = IntArray.array (100001, 0), longest = ref 0}
fun note ({counts, longest} : gaps) gap =
  let
    val at = Int.min (gap div 1000, 100000)
  in
    IntArray.update (counts, at, IntArray.sub (counts, at) + 1);
    if gap > !longest then longest := gap else ()
  end

(* what several threads have noted *)
fun together all =
  let
    val sum = newGaps ()
    fun add {counts, longest} =
      (IntArray.modifyi (fn (i, n) => n + IntArray.sub (counts, i)) (#counts sum);
       #longest sum := Int.max (!(#longest sum), !longest))
  in
    app add all;
    sum
  end

(* at most this many microseconds for all but so many gaps *)
fun quantile ({counts, ...} : gaps) left =
  let
    fun at (i, left) =
      let
        val left = left - IntArray.sub (counts, i)
      in
        if left < 0 orelse i = 0 then i else at (i - 1, left)
      end
  in
    at (100000, left)
  end
fun above ({counts, ...} : gaps) microseconds =
  let
    fun count (i, n) = if i > 100000 then n else count (i + 1, n + IntArray.sub (counts, i))
  in
    count (microseconds, 0)
  end

fun say (name, value) = print (name ^ " " ^ value ^ "\n")
val milliseconds = Real.fmt (StringCvt.FIX (SOME 3))
fun sayLongest (gaps, steps) =
  (say ("longest", milliseconds (real (!(#longest gaps)) / 1e6));
   say ("p99.99", milliseconds (real (quantile gaps (steps div 10000)) / 1e3)))
