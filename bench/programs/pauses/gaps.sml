(* Times between steps: how long they are, and the longest. *)

val clock = Timer.startRealTimer ()
fun now () = LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer clock))

(* gaps by microseconds; the last element has all that are longer *)
val gaps = IntArray.array (100001, 0)
val longest = ref 0
fun note gap =
  let
    val at = Int.min (gap div 1000, 100000)
  in
    IntArray.update (gaps, at, IntArray.sub (gaps, at) + 1);
    if gap > !longest then longest := gap else ()
  end

(* at most this many microseconds for all but so many gaps *)
fun quantile left =
  let
    fun at (i, left) =
      let
        val left = left - IntArray.sub (gaps, i)
      in
        if left < 0 orelse i = 0 then i else at (i - 1, left)
      end
  in
    at (100000, left)
  end
fun above microseconds =
  let
    fun count (i, n) = if i > 100000 then n else count (i + 1, n + IntArray.sub (gaps, i))
  in
    count (microseconds, 0)
  end

fun say (name, value) = print (name ^ " " ^ value ^ "\n")
val milliseconds = Real.fmt (StringCvt.FIX (SOME 3))
fun sayLongest steps =
  ( say ("longest", milliseconds (real (!longest) / 1e6))
  ; say ("p99.99", milliseconds (real (quantile (steps div 10000)) / 1e3))
  )
