(* Bench: how long a function takes.

     val () = Bench.run "sort 1000 ints" (fn () => ListMergeSort.sort op > numbers)

   `leat bench` runs the files `*_bench.sml`, one after the other, and compares with the run before. A sample is as many calls
   in a row as take about two milliseconds, so that the clock's grain does not count; the figure is the median of the samples'
   means, beside the quartiles. *)

signature BENCH =
sig
  (* The function's result is kept until the sample's end, so the work is done. *)
  val run : string -> (unit -> 'a) -> unit
  (* of a function that needs something that is made anew for each call, whose making does not count *)
  val runWith : string -> {setUp : unit -> 'a, call : 'a -> 'b} -> unit
  (* The functions that the call declares are named `group / function`. *)
  val group : string -> (unit -> unit) -> unit
end

structure Bench :> BENCH =
struct
  val groups : string list ref = ref []

  fun group name body =
    let
      val outer = !groups
    in
      groups := name :: outer;
      (body () handle e => (groups := outer; raise e));
      groups := outer
    end

  fun variable name = OS.Process.getEnv ("LEAT_BENCH_" ^ name)
  fun number (name, default) =
    Option.getOpt (Option.mapPartial Int.fromString (variable name), default)

  val filter = Option.getOpt (variable "FILTER", "")
  (* nanoseconds of warm-up, and of all samples together *)
  val warmUp = 1000000 * number ("WARM_UP", 200)
  val patience = 1000000 * number ("TIME", 1000)
  val sample = 2000000
  val fewest = 5
  val most = 1000

  fun nanoseconds t = LargeInt.toInt (Time.toNanoseconds t)
  fun now () = nanoseconds (Timer.checkRealTimer (Timer.totalRealTimer ()))

  (* What the last calls gave: nothing of it may be left out by the compiler, for a thread could look. *)
  val kept : (unit -> unit) ref = ref ignore
  fun keep x = kept := (fn () => ignore x)

  (* n calls in a row -> nanoseconds *)
  fun time (setUp, call) n =
    let
      val inputs = Vector.tabulate (n, fn _ => setUp ())
      fun calls i = if i = n then () else (keep (call (Vector.sub (inputs, i))); calls (i + 1))
      val start = now ()
    in
      calls 0;
      now () - start
    end

  (* As many as take about a sample's time, found while everything warms up. *)
  fun calls measure =
    let
      val start = now ()
      fun go n =
        let
          val took = measure n
          val enough = took >= sample orelse n >= 100000000
        in
          if enough andalso now () - start >= warmUp then
            Int.max (1, n * sample div Int.max (1, took))
          else if enough then go n
          else go (n * 2)
        end
    in
      go 1
    end

  fun samples measure n =
    let
      val start = now ()
      fun go (k, taken) =
        if k >= most orelse (k >= fewest andalso now () - start >= patience) then taken
        else go (k + 1, Real.fromInt (measure n) / Real.fromInt n :: taken)
    in
      go (0, [])
    end

  fun sort xs =
    let
      fun insert (x : real, []) = [x]
        | insert (x, y :: ys) = if x <= y then x :: y :: ys else y :: insert (x, ys)
      fun split ([], a, b) = (a, b)
        | split (x :: xs, a, b) = split (xs, b, x :: a)
      fun merge ([], ys) = ys
        | merge (xs, []) = xs
        | merge (x :: xs, y :: ys) =
            if (x : real) <= y then x :: merge (xs, y :: ys) else y :: merge (x :: xs, ys)
    in
      if length xs < 8 then List.foldl insert [] xs
      else let val (a, b) = split (xs, [], []) in merge (sort a, sort b) end
    end

  fun report (name, sorted, n) =
    let
      fun at part =
        Real.fmt
          (StringCvt.FIX (SOME 3))
          (List.nth (sorted, Real.floor (part * Real.fromInt (length sorted - 1) + 0.5)))
      val (low, median, high, least) = (at 0.25, at 0.5, at 0.75, at 0.0)
    in
      case variable "REPORT" of
        NONE => print (name ^ ": " ^ median ^ " ns (" ^ low ^ " to " ^ high ^ ")\n")
      | SOME file =>
          let
            val clean = String.translate (fn #"\t" => " " | #"\n" => " " | c => String.str c)
            val stream = TextIO.openAppend file
          in
            TextIO.output (stream,
                           String.concatWith "\t" ([clean name,
                                                    low,
                                                    median,
                                                    high,
                                                    least,
                                                    Int.toString (length sorted),
                                                    Int.toString n])
                           ^ "\n");
            TextIO.closeOut stream
          end
    end

  fun runWith name {setUp, call} =
    let
      val name = String.concatWith " / " (rev (name :: !groups))
    in
      if String.isSubstring filter name then
        let
          val measure = time (setUp, call)
          val n = calls measure
        in
          report (name, sort (samples measure n), n)
        end
      else ()
    end

  fun run name call = runWith name {setUp = fn () => (), call = call}
end
