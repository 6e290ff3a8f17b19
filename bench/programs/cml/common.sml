(* What all of these programs need: the time in nanoseconds, the argument, figures, and running under RunCML, so that the
   same sources run with SML/NJ (see the .cm files). *)

structure Bench =
struct
  fun now () = LargeInt.toInt (Time.toNanoseconds (Time.now ()))
  fun span ns = Time.fromNanoseconds (LargeInt.fromInt ns)

  (* the last word of the command line, if it is a number *)
  fun argument default =
    case rev (CommandLine.arguments ()) of
      word :: _ => Option.getOpt (Int.fromString word, default)
    | [] => default

  fun figure (name, x) = TextIO.print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 1)) x ^ "\n")
  fun count (name, n) = TextIO.print (name ^ " " ^ Int.toString n ^ "\n")

  (* the value that p per cent of the array's do not exceed, to 1/1000 *)
  fun percentile (p, a) =
    let
      val n = Array.length a
      val keep = n - n * p div 100
      fun above limit = Array.foldl (fn (x : int, k) => if x > limit then k + 1 else k) 0 a
      fun search (low, high) =
        if high - low <= Int.max (1, high div 1000) then high
        else
          let val middle = low + (high - low) div 2
          in if above middle > keep then search (middle, high) else search (low, middle) end
      val most = Array.foldl Int.max 0 a
    in
      if above 0 <= keep then 0 else search (0, most)
    end

  fun mean a = real (Array.foldl op + 0 a) / real (Array.length a)

  (* the best of five *)
  fun best f = List.foldl Int.min (valOf Int.maxInt) (List.tabulate (5, fn _ => f ()))

  fun run main =
    OS.Process.exit (RunCML.doit (fn () => (main (); RunCML.shutdown OS.Process.success), NONE))
end
