(* Regular expressions: AWK's syntax, groups; and random expressions against the definition: the set of all ends. *)

fun getc s i = if i < size s then SOME (String.sub (s, i), i + 1) else NONE
fun show (MatchTree.Match ({pos, len}, l)) = concat (["(", Int.toString pos, "+", Int.toString len] @ map show l @ [")"])

functor Show (val name : string structure E : REGEXP_ENGINE) =
struct
  structure RE = RegExpFn (structure P = AwkSyntax structure E = E)
  fun result f = (case f () of NONE => "none" | SOME (m, n) => show m ^ " " ^ Int.toString n) handle e => exnName e
  val () =
    List.app
      (fn (re, s) =>
         print (concat [name, " ", String.toString re, " in ", String.toString s, ": ", result (fn () => RE.find (RE.compileString re) (getc s) 0), "\n"]))
      [("a|ab", "xabc"), ("(a|ab)(c|bcd)(d*)", "abcd"), ("(a)(b)?c", "ac"), ("((a)|b)+", "ab"), ("(a*)*", "aab"), ("a{2,3}", "aaaa"),
       ("BA{3,5}B", "BAABAAAAB"), ("x*", "axx"), ("^b", "a\nb"), ("a$", "a\nb"), ("^$", ""), ("[^a]", "a\nb"), (".", "\n"),
       ("[]a-c-]+", "x]b-d"), ("[^]]", "]x"), ("\\x41\\102", "AB"), ("\\.\\*", "a.*"), ("[\\n\\t]", "n\t"), ("()", "a"), ("(a|)b", "b"),
       ("a)", "a"), ("", "a"), ("(", "a"), ("*", "a"), ("a{", "a"), ("[a", "a"), ("a{3,2}", "aaa")]
  val rules = [("[a-z]+", fn m => "word " ^ show m), ("if", fn m => "if " ^ show m), ("[0-9]+", fn m => "number " ^ show m)]
  val () =
    List.app
      (fn s => print (name ^ " match " ^ s ^ ": " ^ (case RE.match rules (getc s) 0 of SOME (x, n) => x | NONE => "none") ^ "\n"))
      ["if", "iffy", "12a", "?"]
end

structure S1 = Show (val name = "backtrack" structure E = BackTrackEngine)
structure S2 = Show (val name = "dfa" structure E = DfaEngine)
structure S3 = Show (val name = "thompson" structure E = ThompsonEngine)

(* Many characters, and an expression that backtracking takes exponential time for. *)
structure RE = RegExpFn (structure P = AwkSyntax structure E = BackTrackEngine)
val many = CharVector.tabulate (3000, fn _ => #"a")
val () = print (S1.result (fn () => RE.find (RE.compileString "(a*)*b") (getc (String.substring (many, 0, 40))) 0) ^ "\n")
val () = print (S1.result (fn () => RE.prefix (RE.compileString "(a|aa)+") (getc many) 0) ^ "\n")

structure R = RegExpSyntax
structure Ends = IntRedBlackSet

(* Whether a line ends counts, too. *)
fun ends lines (s, re, from) =
  case re of
    R.Group re => ends lines (s, re, from)
  | R.Alt l => List.foldl (fn (re, set) => Ends.union (set, ends lines (s, re, from))) Ends.empty l
  | R.Concat l =>
      List.foldl (fn (re, set) => Ends.foldl (fn (i, all) => Ends.union (all, ends lines (s, re, i))) Ends.empty set) (Ends.singleton from) l
  | R.Interval (re, n, most) =>
      let
        fun once set = Ends.foldl (fn (i, all) => Ends.union (all, ends lines (s, re, i))) Ends.empty set
        (* All that n or more turns reach; turns without end stop when nothing is added. *)
        fun turns (0, set) = set
          | turns (n, set) = turns (n - 1, once set)
        fun close (set, 0) = set
          | close (set, n) = let val more = Ends.union (set, once set) in if Ends.equal (set, more) then set else close (more, n - 1) end
      in
        close (turns (n, Ends.singleton from), case most of SOME m => m - n | NONE => 100)
      end
  | R.MatchSet chars => if from < size s andalso R.CharSet.member (chars, String.sub (s, from)) then Ends.singleton (from + 1) else Ends.empty
  | R.NonmatchSet chars =>
      if from < size s andalso not (R.CharSet.member (chars, String.sub (s, from))) then Ends.singleton (from + 1) else Ends.empty
  | R.Char c => if from < size s andalso String.sub (s, from) = c then Ends.singleton (from + 1) else Ends.empty
  | R.Begin =>
      if from = 0 orelse lines andalso String.sub (s, from - 1) = #"\n" then Ends.singleton from else Ends.empty
  | R.End =>
      if from = size s orelse lines andalso String.sub (s, from) = #"\n" then Ends.singleton from else Ends.empty

fun leftmostLongest lines (s, re) =
  let
    fun from i =
      if i > size s then NONE
      else let val set = ends lines (s, re, i) in if Ends.isEmpty set then from (i + 1) else SOME (i, Ends.maxItem set) end
  in
    from 0
  end

val random = Random.rand (7, 11)
fun below n = Random.randRange (0, n - 1) random
fun exp 0 = (case below 8 of 0 => R.Begin | 1 => R.End | 2 => R.NonmatchSet (R.CharSet.singleton #"a") | 3 => R.MatchSet (R.fromRange (#"a", #"b")) | _ => R.Char (chr (97 + below 3)))
  | exp n =
      (case below 7 of
         0 => R.Alt [exp (n - 1), exp (n - 1)]
       | 1 => R.Group (exp (n - 1))
       | 2 => R.closure (exp (n - 1))
       | 3 => R.optional (exp (n - 1))
       | 4 => let val least = below 3 in R.Interval (exp (n - 1), least, SOME (least + below 3)) end
       | _ => R.Concat [exp (n - 1), exp (n - 1)])

functor Law (E : REGEXP_ENGINE) =
struct
  fun found (s, re) =
    case E.find (E.compile re) (getc s) 0 of
      SOME (MatchTree.Match ({pos, len}, _), next) => if next = pos + len then SOME (pos, next) else raise Fail "behind"
    | NONE => NONE
end
structure L1 = Law (BackTrackEngine)
structure L2 = Law (DfaEngine)
fun law 0 = print "laws\n"
  | law n =
      let
        val re = exp 4
        val s = CharVector.tabulate (below 8, fn _ => if below 6 = 0 then #"\n" else chr (97 + below 3))
      in
        if L1.found (s, re) = leftmostLongest false (s, re) andalso L2.found (s, re) = leftmostLongest true (s, re) then
          law (n - 1)
        else print (concat ["wrong for ", s, " after ", Int.toString n, "\n"])
      end
val () = law 1500

(* A search is one walk: an automaton that began anew at each of these letters would read 20,000,000,000 of them. *)
val longer = CharVector.tabulate (200000, fn _ => #"a")
val () = print (S2.result (fn () => S2.RE.find (S2.RE.compileString "a*b") (getc longer) 0) ^ "\n")
val () = print (S1.result (fn () => RE.find (RE.compileString "(a*)(b)") (getc longer) 0) ^ "\n")
val () = print (S1.result (fn () => RE.find (RE.compileString "(a)(a*bb|c)") (getc (longer ^ "bacb")) 0) ^ "\n")
