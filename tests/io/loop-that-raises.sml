(* A loop that calls a function which raises before it allocates can be interrupted: the heap check behind the guard was taken for
   a safepoint that every call comes to, so the program went on for ever, and no other thread ran. *)

val numbers = Array.tabulate (8, fn i => i)
val log: (int * int) list ref = ref []
val stop = ref false

(* Large enough not to be inlined. *)
fun step (i, k) =
  let
    val x = Array.sub (numbers, i)
    val () = log := [(x, k)]
    val a = if x > 3 then x * 17 + k else x - k * 3
    val b = if a > 30 then a * 19 - k else a + k * 5
    val c = if b > 300 then b * 23 + x else b - x * 7
    val d = if c > 3000 then c * 29 - a else c + a * 11
    val e = if d > 30000 then d mod 1009 + b else d - b * 13
    val f = if e > 300 then e * 31 + c else e - c * 17
    val g = if f > 300 then f * 37 - d else f + d * 19
    val h = if g > 300 then g mod 2003 + e else g - e * 23
  in
    if h > 300 then h * 41 + f else h - f * 29
  end

fun main () =
  let
    val _ = CML.spawn (fn () => (CML.sync (CML.timeOutEvt (Time.fromMilliseconds 50)); stop := true))
    fun wait n = if !stop then n else (ignore (step (8, n)) handle Subscript => (); wait (n + 1))
    val () = print (Int.toString (step (2, 1)) ^ "\n")
  in
    ignore (wait 0);
    print "stopped\n"
  end

val _ = RunCML.doit (main, NONE)
