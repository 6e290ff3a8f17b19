(* Regex: matches and their groups, errors with their places, Unicode, replacing, splitting, long texts; and random
   expressions beside a matcher that tries one way after the other. tests/regex.rs compares with Rust's crate regex. *)

fun line l = print (concat l ^ "\n")
fun check (name, true) = ()
  | check (name, false) = line ["wrong: ", name]

fun span NONE = "-"
  | span (SOME part) =
      let
        val (_, start, n) = Substring.base part
      in
        Int.toString start ^ "-" ^ Int.toString (start + n)
      end
fun spans regex match =
  String.concatWith "," (List.tabulate (Regex.groupCount regex + 1, fn n => span (Regex.group match n)))
fun shown regex text = String.concatWith " " (List.map (spans regex) (Regex.findAll regex text))

val () =
  List.app
    (fn (e, text) =>
       line [String.toString e, " in ", String.toString text, ": ", shown (Regex.compile e) text])
    [("abc", "xabcabcab"), ("a.c", "abc a\nc a-c"), ("(?s)a.c", "a\nc"), ("[a-c]+", "xxabcxcba"), ("[^a-c]+", "abcxyzb"),
     ("[]a]+", "x]a]"), ("[^]a]+", "x]a]y"), ("[a-]+", "a-b-"), ("[[:alpha:]_]+", "ab_1c"), ("[[:^digit:]]+", "a1b22"),
     ("\\d+", "a12b345"), ("\\D+", "a12b"), ("\\w+", "ab_1 c-d"), ("\\W+", "ab, c"), ("\\s+", "a \t\n\v b"), ("\\S+", " ab  c "),
     ("\\bfoo\\b", "foo food foo"), ("\\Boo", "foo oo"), ("\\b", "ab c"), ("\\B", "ab c"), ("^a", "aa\na"), ("(?m)^a", "aa\na"),
     ("a$", "a\na"), ("(?m)a$", "a\na"), ("\\Aa|b\\z", "abab"), ("^$", ""), ("(?m)^$", "\n\n"), ("(?m)^", "a\nb\n"),
     ("\\x41\\x{42}\\u0043\\t\\.", "ABC\t."), ("a|ab", "ab"), ("ab|a", "ab"), ("(a|ab)(c|bcd)", "abcd"), ("(a*)(b*)", "aabb"),
     ("a*", "baac"), ("a*?", "baa"), ("a+?", "aaa"), ("a??b", "aab"), ("a{2}", "aaaaa"), ("a{2,}", "aaaaa"), ("a{1,3}?", "aaa"),
     ("a{2,3}", "aaaaaaa"), ("x{0}", "x"), ("a{", "a{"), ("a{x}", "a{x}"), ("(a)|(b)", "ab"), ("(?:a|(b))+", "aba"), ("(a|b)*", "abab"),
     ("((a)|b)*", "ab"), ("(?P<y>\\d+)-(?<m>\\d+)", "2020-12 x 1-2"), ("(a*)*", "aa"), ("(a*)+", "b"), ("(|a)*", "aa"), ("(|a)+", "aa"),
     ("(a|)+", "aa"), ("(?:\\b|a)+", "aa"), ("(?:a|\\b)+", "aa"), ("(?i)hello", "HeLLo hello"), ("(?i:a)b", "Ab AB"), ("a(?i)b|c", "aB C ac"),
     ("(?i)[^a]+", "aAbB"), ("(?U)a+", "aaa"), ("(?U)a+?", "aaa"), ("(?x) a b # two\n [ c ] \\ ", "abc "), ("(?s-m:.)$", "a\n"), ("", "ab"),
     ("a||b", "ab"), ("()", "a"), ("foo|bar|foobar", "foobar"), ("foobar|foo|bar", "foobarbar"), ("(foo|foobar)baz", "foobarbaz"),
     ("\\xff+", "a\255\255b"), (".", "\195\169"), ("[\\x80-\\xff]+", "a\195\169"), ("a\\nb", "a\nb"), ("\\$\\^\\*", "$^*"), ("}]", "}]"),
     ("^*a", "a"), ("(?:^a|b)c", "acbc"), ("[z\\-a]+", "a-z"), ("[\\]\\\\]+", "a]\\"), ("[a&&b]", "&"), ("\\x00", "a\000")]

(* Characters of UTF-8. *)
val () =
  List.app
    (fn (e, text) =>
       line [String.toString e, " in ", String.toString text, ": ",
             shown (Regex.compileWith [Regex.UNICODE] e) text])
    [(".", "a\195\169\226\130\172\240\159\152\128"), (".", "\255a\195"), ("[^a]", "a\195\169\255"), ("", "\195\169"),
     ("\\w+", "na\195\175ve \206\177\206\178\206\179, \230\151\165"), ("\\b\\w", "\195\169t\195\169 a\204\129b"), ("\\d+", "12\217\163\217\164"),
     ("\\s", "a\194\160b\227\128\128"), ("\\p{Lu}+", "\195\137A\206\163a"), ("\\p{Greek}+", "a\206\177\206\178b"), ("\\pN", "\194\189"),
     ("\\P{L}+", "a1\195\1692"), ("\\p{^L}", "a1"), ("\\p{Cyrillic}+|\\p{Han}+", "\208\184\208\186 \230\151\165\230\156\172"),
     ("\\p{Uppercase Letter}", "aB"), ("\\p{sc=Latin}+", "ab\206\177"), ("(?i)\206\163+", "\207\131\207\130\206\163"), ("(?i)k", "\226\132\170K"),
     ("(?i)\195\137", "\195\169"), ("[\\u00e0-\\u00ff]", "\195\169\195\137"), ("\\x{1F600}", "\240\159\152\128"), ("\195\169+", "\195\169\195\169"),
     ("(?-u:.)", "\195\169"), ("[\206\177-\207\137]+", "x\206\177\207\137"), ("\\B", "\195\169a"), ("\195\169|\195\168|a", "\195\168a\195\169")]

fun attempt e =
  case Regex.tryCompile [] e of
    Regex.ERROR {position, reason} =>
      line [String.toString e, " at ", Int.toString position, ": ", reason]
  | Regex.REGEX _ => line ["no error: ", e]
val () =
  List.app attempt
    ["a(b", "a)b", "*a", "a**", "a*+", "a{2}{3}", "a{3,2}", "a{1001}", "a{,3}", "[", "[]", "[z-a]", "[a-\\d]", "[\\d-a]", "[[:foo:]]", "\\", "\\q",
     "\\1", "\\Z", "\\<", "\\0", "\\x4", "\\x{}", "\\x{41", "\\x{110000}", "\\x{d800}", "\\u12", "\\u00e9", "\\pL", "(?u)\\p{Nope}", "(?u)\\p{Greek",
     "(?u)\\p", "(?=a)", "(?<!a)", "(?>a)", "(?P=a)", "(?#a)", "(?P<>a)", "(?<a>x)(?<a>y)", "(?<a", "(?z)", "(?i", "(?i-)", "(?i)*", "(?u)\255",
     "\\b{start}", "[\\b]", "|*", "((a{1000}){1000}){1000}", "((((){1000}){1000}){1000}){1000}", "a(b|c)d)", "(?i:a"]
val () =
  case Regex.tryCompile [] (CharVector.tabulate (1000, fn _ => #"(")) of
    Regex.ERROR {position, reason} => line [Int.toString position, " ", reason]
  | Regex.REGEX _ => line ["wrong"]
val () = print (Regex.message ("caf\195\169 [z-a]", {position = 7, reason = "an example"}))
val () =
  let
    val long = CharVector.tabulate (200, fn i => if i = 150 then #"*" else #"a") ^ "**"
  in
    case Regex.tryCompile [] long of
      Regex.ERROR error => print (Regex.message (long, error))
    | _ => ()
  end

(* The other functions. *)
val date = Regex.compile "(?P<y>\\d{4})-(?P<m>\\d\\d)(-(\\d\\d))?"
val text = "from 2020-12-31 to 2021-01 or so"
val () = line [Regex.source date, " ", Int.toString (Regex.groupCount date)]
val () = List.app (fn (name, n) => line [name, " ", Int.toString n]) (Regex.groupNames date)
val () =
  case Regex.find date text of
    NONE => line ["wrong"]
  | SOME match =>
      (line [Regex.text match, " ", Int.toString (Regex.start match), " ", Int.toString (Regex.stop match)];
       line ["<", Substring.string (Regex.preceding match), "|", Substring.string (Regex.substring match), "|",
             Substring.string (Regex.following match), ">"];
       line [Substring.string (valOf (Regex.named match "y")), " ", String.concatWith "," (Regex.groups match)];
       line [Regex.expand match "${m}/$y$$" handle Regex.Template {position, reason} => Int.toString position ^ " " ^ reason];
       check ("group 5", (Regex.group match 5; false) handle Subscript => true);
       check ("group ~1", (Regex.group match ~1; false) handle Subscript => true);
       check ("no name", (Regex.named match "d"; false) handle Subscript => true))
val () = line [Regex.replaceAll date "${m}/${y}$3.$$" text]
val () = line [Regex.replaceFirst date "<$0>" text]
val () = line [Regex.replaceAllWith date (fn m => Int.toString (size (Regex.text m))) text]
val () = line [Regex.replaceFirstWith date (String.map Char.toUpper o Regex.text) text]
val () = line [Regex.replaceAll (Regex.compile "x*") "-" "abxc"]
val () =
  List.app (fn template =>
              line [template, ": ", Regex.replaceAll date template text
                                    handle Regex.Template {position, reason} =>
                                      Int.toString position ^ " " ^ reason])
    ["$5", "a$", "${y", "${z}", "${}", "$x", "${04}", "$12", "$$y"]
fun pieces l = String.concatWith "|" l
val comma = Regex.compile "\\s*,\\s*"
val () = line [pieces (Regex.split comma "a , b,c,,d"), " ", pieces (Regex.split comma ""), " ", pieces (Regex.split comma ",")]
val () = line [pieces (Regex.split (Regex.compile "") "abc"), " ", pieces (Regex.split (Regex.compile "b*") "abbc")]
val () =
  List.app (fn n => line [Int.toString n, ": ", pieces (Regex.splitN comma n "a,b,c,d")]) [0, 1, 2, 3, 4, 9]
val () = check ("splitN", (Regex.splitN comma ~1 ""; false) handle Size => true)
val () = line [pieces (List.map Substring.string (Regex.fields comma (Substring.substring ("xx,a,b,yy", 2, 5))))]
val () = line [String.toString (Regex.escape "a.b*[c] {1} \n#\\-~x\195\169")]
val () =
  let
    val all = CharVector.tabulate (256, chr)
    fun only flags = Regex.whole (Regex.compileWith flags (Regex.escape all)) all
  in
    check ("escape", isSome (only []) andalso isSome (only [Regex.EXTENDED]))
  end
fun found NONE = "none"
  | found (SOME m) = Int.toString (Regex.start m) ^ "-" ^ Int.toString (Regex.stop m)
val word = Regex.compile "\\bb+|^a"
val () = line [found (Regex.findFrom word ("abb a", 1)), " ", found (Regex.findFrom word ("a bb a", 1)), " ", found (Regex.findFrom word ("ab", 2))]
val () = check ("findFrom", (Regex.findFrom word ("ab", 3); false) handle Subscript => true)
val () = line [found (Regex.findIn word (Substring.substring ("xbbx", 1, 2))), " ", found (Regex.findIn word (Substring.substring ("xa", 1, 1)))]
val () = line [found (Regex.whole (Regex.compile "a|ab") "ab"), " ", found (Regex.whole (Regex.compile "a|ab") "abc"), " ", found (Regex.whole (Regex.compile "(?u)\\b.*\\b") "\195\169a")]
val () = line [Int.toString (Regex.count (Regex.compile "a") "banana"), " ", Bool.toString (Regex.matches (Regex.compile "(?i)AN+") "banana")]
val () = Regex.app (Regex.compile "[aeiou]") (fn m => print (Regex.text m)) "education\n"
val () = line ["", Int.toString (Regex.foldIn (Regex.compile "\\d+") (fn (m, n) => n + valOf (Int.fromString (Regex.text m))) 0 (Substring.substring ("9 1 22 3 9", 1, 7)))]
val () =
  let
    fun scan e s =
      case Regex.prefix (Regex.compile e) Substring.getc (Substring.full s) of
        NONE => "none"
      | SOME (m, rest) => String.concatWith "," (Regex.text m :: Regex.groups m) ^ "|" ^ Substring.string rest
  in
    List.app (fn (e, s) => line [e, ": ", scan e s])
      [("(\\d+)(\\.\\d+)?", "12.5.7x"), ("(\\d+)(\\.\\d+)?", "12.x"), ("a", "ba"), ("a*", "b"), ("a\\b", "ab"), ("a\\b", "a b"), ("a$", "ab"), ("a$", "a"),
       ("(?u)\\b.", "\195\169x"), ("a|ab", "abc"), ("ab|a", "acc")]
  end

(* Long texts, and expressions that make many states. *)
val many = CharVector.tabulate (100000, fn _ => #"a")
val () = line [Bool.toString (Regex.matches (Regex.compile "(a+)+b") many), " ", found (Regex.find (Regex.compile "(a|aa)*$") many)]
val () =
  case Regex.find (Regex.compile "((a*)*)(a|b)$") many of
    SOME m => line (List.map (fn s => Int.toString (size s) ^ " ") (Regex.groups m))
  | NONE => line ["wrong"]
val random = Random.rand (5, 7)
fun below n = Random.randRange (0, n - 1) random
val noise = CharVector.tabulate (20000, fn _ => String.sub ("ab", below 2))
val () = check ("states", Regex.count (Regex.compile "a[ab]{13}b") noise > 0)
val words = List.tabulate (500, fn i => "w" ^ Int.toString (i * 7919 mod 1000))
val () =
  check ("words", Regex.count (Regex.compile ("\\b(?:" ^ String.concatWith "|" words ^ ")\\b")) (String.concatWith " " words) = 500)

(* Random expressions: an expression, how it is written, and a matcher that calls `k` where it may end, in the order of
   preference. Nothing that may be empty is repeated. *)
datatype exp =
    Char of char
  | Any
  | Class of string
  | Bound of string
  | Seq of exp list
  | Alt of exp list
  | Star of exp * bool
  | Opt of exp * bool
  | Grp of int * exp

fun nullable (Bound _) = true
  | nullable (Seq l) = List.all nullable l
  | nullable (Alt l) = List.exists nullable l
  | nullable (Star _) = true
  | nullable (Opt _) = true
  | nullable (Grp (_, e)) = nullable e
  | nullable _ = false

fun written e =
  case e of
    Char c => str c
  | Any => "."
  | Class s => "[" ^ s ^ "]"
  | Bound s => s
  | Seq l => String.concat (List.map written l)
  | Alt l => "(?:" ^ String.concatWith "|" (List.map written l) ^ ")"
  | Star (e, greedy) => "(?:" ^ written e ^ ")*" ^ (if greedy then "" else "?")
  | Opt (e, greedy) => "(?:" ^ written e ^ ")?" ^ (if greedy then "" else "?")
  | Grp (_, e) => "(" ^ written e ^ ")"

val groups = ref 0
fun expression depth =
  case below (if depth = 0 then 6 else 13) of
    0 => Char #"a"
  | 1 => Char #"b"
  | 2 => Char #"c"
  | 3 => Any
  | 4 => Class (List.nth (["ab", "bc", "a "], below 3))
  | 5 => Bound (List.nth (["\\b", "\\B", "^", "$"], below 4))
  | 6 => Alt (List.tabulate (1 + below 3, fn _ => expression (depth - 1)))
  | 7 => Star (solid depth, below 2 = 0)
  | 8 => Opt (expression (depth - 1), below 2 = 0)
  | 9 => (groups := !groups + 1; let val n = !groups in Grp (n, expression (depth - 1)) end)
  | _ => Seq (List.tabulate (below 4, fn _ => expression (depth - 1)))
and solid depth = let val e = expression (depth - 1) in if nullable e then Char #"b" else e end

exception Found of int * (int * (int * int)) list
fun naive (e, text) start =
  let
    val n = size text
    fun isWord i = i >= 0 andalso i < n andalso Char.isAlpha (String.sub (text, i))
    (* caps: the groups' spans, the last one first. *)
    fun go (e, i, caps, k) =
      case e of
        Char c => if i < n andalso String.sub (text, i) = c then k (i + 1, caps) else ()
      | Any => if i < n andalso String.sub (text, i) <> #"\n" then k (i + 1, caps) else ()
      | Class s => if i < n andalso CharVector.exists (fn c => c = String.sub (text, i)) s then k (i + 1, caps) else ()
      | Bound "\\b" => if isWord (i - 1) <> isWord i then k (i, caps) else ()
      | Bound "\\B" => if isWord (i - 1) = isWord i then k (i, caps) else ()
      | Bound "^" => if i = 0 then k (i, caps) else ()
      | Bound _ => if i = n then k (i, caps) else ()
      | Seq [] => k (i, caps)
      | Seq (e :: rest) => go (e, i, caps, fn (i, caps) => go (Seq rest, i, caps, k))
      | Alt l => List.app (fn e => go (e, i, caps, k)) l
      | Star (e', true) => (go (e', i, caps, fn (i, caps) => go (e, i, caps, k)); k (i, caps))
      | Star (e', false) => (k (i, caps); go (e', i, caps, fn (i, caps) => go (e, i, caps, k)))
      | Opt (e, true) => (go (e, i, caps, k); k (i, caps))
      | Opt (e, false) => (k (i, caps); go (e, i, caps, k))
      | Grp (g, e) => go (e, i, caps, fn (j, caps) => k (j, (g, (i, j)) :: caps))
  in
    go (e, start, [], fn found => raise Found found)
  end

fun expected (e, groups, text) =
  let
    fun at start =
      if start > size text then "none"
      else
        (naive (e, text) start; at (start + 1))
        handle Found (stop, caps) =>
          let
            fun group g =
              case List.find (fn (n, _) => n = g) caps of
                SOME (_, (i, j)) => Int.toString i ^ "-" ^ Int.toString j
              | NONE => "-"
          in
            String.concatWith
              "," (Int.toString start ^ "-" ^ Int.toString stop :: List.tabulate (groups, fn i => group (i + 1)))
          end
  in
    at 0
  end

(* A group that stands later in the expression has a greater number. *)
fun numbered e =
  let
    val n = ref 0
    fun go e =
      case e of
        Seq l => Seq (List.map go l)
      | Alt l => Alt (List.map go l)
      | Star (e, g) => Star (go e, g)
      | Opt (e, g) => Opt (go e, g)
      | Grp (_, e) => (n := !n + 1; let val k = !n in Grp (k, go e) end)
      | _ => e
  in
    (go e, !n)
  end

fun law 0 = line ["laws"]
  | law n =
      let
        val (e, groups) = numbered (Seq [expression 3, expression 2])
        val regex = Regex.compile (written e)
        val first = Regex.compile ("\\A(?:" ^ written e ^ ")")
        fun texts NONE = []
          | texts (SOME m) = Regex.text m :: Substring.string (Regex.following m) :: Regex.groups m
        (* In a part of a text as in a text of its own. *)
        fun partly text =
          texts (Regex.findIn regex (Substring.substring ("ab" ^ text ^ "b", 2, size text)))
          = texts (Regex.find regex text)
        (* At the beginning of a stream as at that of a text. *)
        fun streamed text =
          case Regex.prefix regex Substring.getc (Substring.full text) of
            NONE => not (Regex.matches first text)
          | SOME (m, rest) =>
              Regex.text m :: Substring.string rest :: Regex.groups m = texts (Regex.find first text)
        fun each 0 = ()
          | each m =
              let
                val text = CharVector.tabulate (below 9, fn _ => String.sub ("aabbc \n", below 7))
                val right = expected (e, groups, text)
                val answer = case Regex.find regex text of SOME m => spans regex m | NONE => "none"
              in
                if answer = right then ()
                else line ["wrong: ", written e, " in ", String.toString text, ": ", answer, ", not ", right];
                check ("a part: " ^ written e, partly text);
                check ("a stream: " ^ written e ^ " in " ^ String.toString text, streamed text);
                each (m - 1)
              end
      in
        each 5;
        law (n - 1)
      end
val () = law 600

(* A thread's slots are joined when many were written: what each round writes is found. *)
val () =
  let
    val m = valOf (Regex.find (Regex.compile "^(?:(x)(\\d+)|(y)(\\d+))+$") (concat (List.tabulate (20000, fn i => (if i mod 3 = 0 then "x" else "y") ^ Int.toString i))))
  in
    line [String.concatWith " " (Regex.groups m)]
  end

(* The place and the reason were lost where an exception is only caught as such: "Syntax". *)
val () = ignore (Regex.compile "ab{2,1}") handle e => line [exnMessage e]
val () = ignore (Regex.replaceAll (Regex.compile "a") "x$" "a") handle e => line [exnMessage e]
