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
       ("a)", "a"), ("", "a"), ("(", "a"), ("*", "a"), ("a{", "a"), ("[a", "a"), ("a{3,2}", "aaa"),
       ("\\d+", "a12b"), ("\\w+\\s+", "-a_1 \t\n\vb"), ("\\D\\W\\S", "1a-b"), ("(?:ab)+(c)", "xababc"), ("(?:a|(b))+", "ab"), ("[\\d.]+", "v1.2x"),
       ("[^\\s]+", " ab c"), ("[a\\-\\w]+", " a-b c"), ("[\\d-]+", "x1-2"), ("[a-\\d]", "a"), ("(?ab)", "ab"), ("(?:ab", "ab"), ("\\", "a")]
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

(* Groups against all ways of matching, in the order in which they are preferred: later alternatives first, as many turns as
   possible, and no turn that comes to where one began. The first way that ends where the match does has the groups. *)
datatype shape = Shape of int * shape list
datatype numbered
  = Leaf of R.syntax
  | Grouped of int * int * numbered
  | Choice of numbered list
  | Sequence of numbered list
  | Repeat of numbered * int * int option

fun number (re, n) =
  case re of
    R.Group re =>
      let val (inner, last, shapes) = number (re, n + 1)
      in (Grouped (n, last - 1, inner), last, [Shape (n, shapes)]) end
  | R.Alt l => numberAll (Choice, l, n)
  | R.Concat l => numberAll (Sequence, l, n)
  | R.Interval (re, least, most) =>
      let val (inner, n, shapes) = number (re, n)
      in (Repeat (inner, least, most), n, shapes) end
  | _ => (Leaf re, n, [])
and numberAll (make, l, n) =
  let
    fun each (re, (done, n, shapes)) = let val (re, n, more) = number (re, n) in (re :: done, n, shapes @ more) end
    val (done, n, shapes) = foldl each ([], n, []) l
  in
    (make (rev done), n, shapes)
  end

(* Where each group began and ended; k goes on, and gives SOME if the match is as long as it has to be. *)
fun way s (re, at, groups, k) =
  case re of
    Leaf re => if Ends.isEmpty (ends false (s, re, at)) then NONE else k (Ends.maxItem (ends false (s, re, at)), groups)
  | Grouped (n, last, re) =>
      let
        val outer = List.filter (fn (m, _, _) => m < n orelse m > last) groups
        val inside = (n, at, ~1) :: outer
        fun closed stop (m, a, b) = if m = n then (m, a, stop) else (m, a, b)
      in
        way s (re, at, inside, fn (stop, groups) => k (stop, map (closed stop) groups))
      end
  | Choice l => first (map (fn re => fn () => way s (re, at, groups, k)) (rev l))
  | Sequence [] => k (at, groups)
  | Sequence (re :: rest) => way s (re, at, groups, fn (at, groups) => way s (Sequence rest, at, groups, k))
  | Repeat (re, 0, NONE) =>
      first
        [fn () =>
           way s (re, at, groups, fn (stop, groups) => if stop = at then NONE else way s (Repeat (re, 0, NONE), stop, groups, k)),
         fn () => k (at, groups)]
  | Repeat (_, 0, SOME 0) => k (at, groups)
  | Repeat (re, 0, SOME m) =>
      first
        [fn () => way s (re, at, groups, fn (at, groups) => way s (Repeat (re, 0, SOME (m - 1)), at, groups, k)),
         fn () => k (at, groups)]
  | Repeat (re, n, m) =>
      way s
        (re, at, groups, fn (at, groups) => way s (Repeat (re, n - 1, Option.map (fn m => m - 1) m), at, groups, k))
and first [] = NONE
  | first (f :: rest) = case f () of NONE => first rest | found => found

fun treeOf (s, re) =
  Option.map
    (fn (start, stop) =>
       let
         val (re, _, shapes) = number (re, 0)
         val groups =
           valOf (way s (re, start, [], fn (at, groups) => if at = stop then SOME groups else NONE))
         fun tree (Shape (n, inner)) =
           case List.find (fn (m, _, b) => m = n andalso b >= 0) groups of
             SOME (_, a, b) => SOME (MatchTree.Match ({pos = a, len = b - a}, List.mapPartial tree inner))
           | NONE => NONE
       in
         MatchTree.Match ({pos = start, len = stop - start}, List.mapPartial tree shapes)
       end)
    (leftmostLongest false (s, re))

fun groups 0 = print "groups\n"
  | groups n =
      let
        val re = exp 5
        val s = CharVector.tabulate (below 8, fn _ => chr (97 + below 2))
      in
        if Option.map #1 (BackTrackEngine.find (BackTrackEngine.compile re) (getc s) 0) = treeOf (s, re) then groups (n - 1)
        else print (concat ["wrong groups for ", s, " after ", Int.toString n, "\n"])
      end
val () = groups 400

(* A search is one walk: an automaton that began anew at each of these letters would read 20,000,000,000 of them. *)
val longer = CharVector.tabulate (200000, fn _ => #"a")
val () = print (S2.result (fn () => S2.RE.find (S2.RE.compileString "a*b") (getc longer) 0) ^ "\n")
val () = print (S1.result (fn () => RE.find (RE.compileString "(a*)(b)") (getc longer) 0) ^ "\n")
val () = print (S1.result (fn () => RE.find (RE.compileString "(a)(a*bb|c)") (getc (longer ^ "bacb")) 0) ^ "\n")
