(* What all of these programs need: the time in nanoseconds (a real: the int of SML/NJ may have 31 bits), the argument,
   figures, and running under RunCML, so that the same sources run with SML/NJ (see the .cm files). *)

structure Bench =
struct
  val start = Time.now ()
  fun now () = Time.toReal (Time.- (Time.now (), start)) * 1E9
  fun span ns = Time.fromReal (ns / 1E9)
  (* at a time that `now` will give *)
  fun moment ns = Time.+ (start, span ns)

  (* the last word of the command line, if it is a number *)
  fun argument default =
    case rev (CommandLine.arguments ()) of
      word :: _ => Option.getOpt (Int.fromString word, default)
    | [] => default

  fun figure (name, x) = TextIO.print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 1)) x ^ "\n")
  fun count (name, n) = TextIO.print (name ^ " " ^ Int.toString n ^ "\n")

  val least = Array.foldl Real.min Real.posInf
  val most = Array.foldl Real.max 0.0
  fun mean a = Array.foldl op + 0.0 a / real (Array.length a)

  (* the value that p per cent of the array's do not exceed, to 1/1000 *)
  fun percentile (p, a) =
    let
      val keep = Array.length a * (100 - p) div 100
      fun above limit = Array.foldl (fn (x : real, k) => if x > limit then k + 1 else k) 0 a
      fun search (low, high) =
        if high - low <= Real.max (1.0, high / 1000.0) then high
        else
          let val middle = (low + high) / 2.0
          in if above middle > keep then search (middle, high) else search (low, middle) end
    in
      if above 0.0 <= keep then 0.0 else search (0.0, most a)
    end

  (* the best of five *)
  fun best f = List.foldl Real.min Real.posInf (List.tabulate (5, fn _ => f ()))

  fun run main =
    if OS.Process.isSuccess (RunCML.doit (fn () => (main (); RunCML.shutdown OS.Process.success), NONE)) then ()
    else raise Fail "the program did not end as it should"
end
