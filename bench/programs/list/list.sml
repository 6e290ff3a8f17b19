(* A3: building a list of n integers, dropping it, and a collection. Prints nanoseconds for each length: the best of nine,
   after two runs for the steady state. *)

(* a function of its own, so that nothing holds the list afterwards *)
fun build n =
  let
    fun loop 0 l = l
      | loop n l = loop (n - 1) (n :: l)
  in
    length (loop n [])
  end

fun run n = (ignore (build n); SMLofNJ.Internals.GC.doGC 0)

fun measure n =
  let
    fun go (0, least) = least
      | go (k, least) =
          let
            val timer = Timer.startRealTimer ()
            val () = run n
          in
            go (k - 1, Int.min (least, LargeInt.toInt (Time.toNanoseconds (Timer.checkRealTimer timer))))
          end
  in
    run n;
    run n;
    SMLofNJ.Internals.GC.doGC 10;
    print ("list" ^ Int.toString n ^ " " ^ Int.toString (go (9, valOf Int.maxInt)) ^ "\n")
  end

val () = List.app measure [50000, 100000, 200000, 500000, 1000000]
