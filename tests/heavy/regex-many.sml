(* Many groups: each thread of a walk had a vector of all of them, which was copied at each group, so 1000 groups in a
   text of as many letters took 9 s. And sets of Unicode that stand in an expression many times were read from their
   tables, and joined, each time: 15 s for a class of 100 KB. *)
fun line l = print (concat l ^ "\n")
val () =
  let
    fun times (n, s) = concat (List.tabulate (n, fn _ => s))
    val start = Time.now ()
    val m = valOf (Regex.find (Regex.compile (times (1000, "(a)?") ^ "(b)?$")) (times (900, "a") ^ "b"))
    fun at i = case Regex.group m i of SOME s => Substring.string s | NONE => "-"
    val class = Regex.compile ("(?iu)[^" ^ times (20000, "\\pL\\d") ^ "]")
    fun reason text =
      case Regex.tryCompile [Regex.UNICODE] text of
        Regex.REGEX _ => "none"
      | Regex.ERROR {reason, ...} => reason
  in
    line [String.concatWith " " (map at [1, 900, 901, 1000, 1001]), " ", Int.toString (Regex.stop m)];
    line [Int.toString (Regex.count class "a1-\195\169 ")];
    line [reason (times (3000, "\\pL")), ", ", reason ("(?i)" ^ times (20000, "[\\pLx]"))];
    line [reason "\\d\\p{\\d}", ", ", reason "\\p{L}\\P{L}\\p{^L}[\\d\\d\\D]"];
    line [if Time.< (Time.- (Time.now (), start), Time.fromSeconds 15) then "in time" else "late"]
  end
