(* SMLofNJ, Unsafe and MLton, as programs use them. *)
fun line s = print (s ^ "\n")
val count = ref 0
val s = SMLofNJ.Susp.delay (fn () => (count := !count + 1; !count * 10))
val () = line (Int.toString (SMLofNJ.Susp.force s + SMLofNJ.Susp.force s) ^ " " ^ Int.toString (!count))
val kept = ref [1, 2, 3]
val w = SMLofNJ.Weak.weak kept
val () = SMLofNJ.Internals.GC.doGC 5
val () = line (case SMLofNJ.Weak.strong w of SOME r => Int.toString (length (!r)) | NONE => "gone")
val () = kept := [4]
fun lost n = SMLofNJ.Weak.weak (List.tabulate (n, fn i => i))
val l = lost 10
val () = SMLofNJ.Internals.GC.doGC 5
val () = line (case SMLofNJ.Weak.strong l of SOME r => Int.toString (length r) | NONE => "gone")
(* numbers are no objects: a weak pointer to one is good until a collection *)
val n = SMLofNJ.Weak.weak 6
val () = SMLofNJ.Internals.GC.doGC 5
val () = line (case SMLofNJ.Weak.strong n of SOME 6 => "fine" | SOME _ => "wrong" | NONE => "fine")
val () = line (Int.toString (Unsafe.Vector.sub (Vector.fromList [1, 2, 3], 1)) ^ str (Unsafe.CharVector.sub ("abc", 2)))
val a = Unsafe.Array.create (3, 7)
val () = Unsafe.Array.update (a, 2, 8)
val () = line (Int.toString (Unsafe.Array.sub (a, 2)))
val () = line (Bool.toString (MLton.eq (a, a)) ^ Bool.toString (MLton.size (Array.array (100, 0)) > 800))
val (name, out) = MLton.TextIO.mkstemp "/tmp/leat-test"
val () = TextIO.output (out, "temporary")
val () = TextIO.closeOut out
val () = line (TextIO.inputAll (TextIO.openIn name))
val () = OS.FileSys.remove name
val () = line (IntInf.toString (MLton.IntInf.gcd (12345678901234567890, 9876543210)))
val () = line (Word.toString (MLton.Word.bswap 0wx0102030405060708) ^ " " ^ Word.toString (MLton.Word.rol (0wx8000000000000001, 0w4)))
(* MLton's own sequence: 1664525 x + 1013904223 on 32 bits, from 13 *)
val () = line (String.concatWith " " (List.tabulate (4, fn _ => Word.fmt StringCvt.DEC (MLton.Random.rand ()))))
val () = MLton.Random.srand 0w5
val r1 = MLton.Random.rand ()
val () = MLton.Random.srand 0w5
val () = line (Bool.toString (r1 = MLton.Random.rand ()) ^ Int.toString (size (MLton.Random.alphaNumString 5)))
(* The collector's part is processor time, and no more than all of it. (It was time by the clock.) The children's is real. *)
fun spend 0 = 0 | spend n = length (List.tabulate (1000, fn i => i)) + spend (n - 1)
val _ = spend 200
val timer = Timer.totalCPUTimer ()
val gc = Timer.checkGCTime timer
val {usr, sys} = Timer.checkCPUTimer timer
val {nongc, gc = {usr = gu, sys = gs}} = Timer.checkCPUTimes timer
val () = line (Bool.toString (Time.<= (gc, Time.+ (usr, sys))) ^ Bool.toString (Time.>= (#usr nongc, Time.zeroTime)))
val before' = #children (MLton.Rusage.rusage ())
val _ = OS.Process.system "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done"
val {children, gc = {utime = gu, stime = gs}, self = {utime, stime}} = MLton.Rusage.rusage ()
fun all {utime, stime} = Time.+ (utime, stime)
val () = line (Bool.toString (Time.> (all children, all before')) ^ Bool.toString (Time.<= (Time.+ (gu, gs), Time.+ (utime, stime))))

val f = MLton.Finalizable.new "value"
val () = MLton.Finalizable.addFinalizer (f, fn v => line ("finalized " ^ v))
val () = MLton.Finalizable.withValue (f, line)
val (v, state) = MLton.Vector.unfoldi (4, 1, fn (i, s) => (i + s, s * 2))
val () = line (String.concatWith "," (map Int.toString (Vector.foldr (op ::) [] v)) ^ " " ^ Int.toString state)
