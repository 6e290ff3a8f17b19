(* D3: one thread writes the characters of a CharArray while others run. usage: strings
   Prints nanoseconds an update: alone, beside eight threads that compute and yield, and, by LEAT_RUN=--workers=2, beside
   threads on another worker. *)

val size = 4096
val updates = 20000000

fun fill (array, n) =
  let
    fun go (0, _) = ()
      | go (k, c) =
          (CharArray.update (array, k mod size, Char.chr (32 + c));
           go (k - 1, if c = 90 then 0 else c + 1))
  in
    go (n, 0)
  end

fun timed f =
  let
    val timer = Timer.startRealTimer ()
    val () = f ()
  in
    Time.toReal (Timer.checkRealTimer timer) * 1E9 / real updates
  end

fun best f = List.foldl Real.min Real.posInf (List.tabulate (3, fn _ => timed f))
fun figure (name, x) = print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 3)) x ^ "\n")

val array = CharArray.array (size, #" ")

val () = figure ("alone", best (fn () => fill (array, updates)))

(* others that write strings of their own, and let each other run *)
val stop = ref false
fun other () =
  let
    val own = CharArray.array (size, #" ")
    fun go () = if !stop then () else (fill (own, 1000); CML.yield (); go ())
  in
    go ()
  end

val () = List.app (fn _ => ignore (CML.spawn other)) [1, 2, 3, 4, 5, 6, 7, 8]

(* CPU time of this thread's own work is what is asked for: the writer does not yield, so only a time slice interrupts it *)
val () =
  let
    val start = Timer.startRealTimer ()
    (* in parts shorter than a time slice, of which the quickest counts *)
    val parts = 200
    fun part () =
      let
        val timer = Timer.startRealTimer ()
        val () = fill (array, updates div parts)
      in
        Time.toReal (Timer.checkRealTimer timer) * 1E9 / real (updates div parts)
      end
    fun go (0, all) = all
      | go (k, all) = let val t = part () in CML.yield (); go (k - 1, t :: all) end
    val sorted = ListMergeSort.sort (fn (a : real, b) => a > b) (go (parts, []))
  in
    figure ("beside-threads", List.nth (sorted, parts div 2))
  end

val () = stop := true
