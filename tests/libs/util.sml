(* The smaller structures of the utility library, one check or more for each. *)

fun check (name, ok) = if ok then () else print ("wrong: " ^ name ^ "\n")
fun same (name, found, expected) =
  if found = expected then () else print (concat ["wrong: ", name, ": ", found, ", not ", expected, "\n"])
fun raises f x = (ignore (f x); "nothing") handle e => exnName e
val ints = ListFormat.listToString Int.toString

(* Format *)
local
  open Format
in
  val () =
    app (fn (fmt, items, expected) => same (fmt, format fmt items, expected))
      [("%5d|%d|%05d|%+d|% d|%~d", [INT 42, INT ~42, INT ~42, INT 7, INT 7, INT ~7], "   42|-42|-0042|+7| 7|~7"),
       ("%x %X %o %#x %#X %#o", [INT 255, INT 255, INT 8, WORD 0w255, WORD8 0w255, LINT 8], "ff FF 10 0xff 0XFF 010"),
       ("%s %.2s%5s|%c|%b|%%", [STR "abc", STR "abc", ATOM (Atom.atom "at"), CHR #"z", BOOL false], "abc ab   at|z|false|%"),
       ("%f %.2f %.0f %8.3f %08.3f", [REAL 3.25, REAL ~2.0, REAL 2.0, REAL 2.5, REAL ~2.5], "3.250000 -2.00 2    2.500 -002.500"),
       ("%e %.1E %e", [REAL 123456.0, REAL 0.00012, REAL 0.0], "1.234560e05 1.2E-04 0.000000e00"),
       ("%g %g %g %g %.3g", [REAL 0.0001, REAL 1E20, REAL 100000.0, REAL 1234567.0, REAL 2.5], "0.0001 1e20 100000 1.23457e06 2.5"),
       ("%a", [REAL 1.5], "0x1.8p00"),
       (* LEFT padded on the right, as SML/NJ 110.79 did, and its width replaced the field's. The code since then pads
          on the left; and RIGHT, which it pads on the right, finds no room left there. *)
       ("[%d][%d]", [LEFT (5, INT 1), RIGHT (5, INT 2)], "[    1][    2]"),
       ("[%9d][%5d][%05d]", [LEFT (5, INT 1), RIGHT (7, LEFT (3, INT 2)), RIGHT (7, INT 3)], "[        1][      2][0000003]"),
       ("[%9f][%05f]", [RIGHT (10, REAL 2.0), LEFT (12, REAL ~2.0)], "[  2.000000][   -2.000000]"),
       ("[%.2s][%3s][%03d]", [LEFT (4, STR "abc"), RIGHT (4, STR "abc"), LEFT (5, INT 7)], "[  ab][ abc][  007]"),
       (* A not finite real passed under any letter; %#g counted the zero before the point, and
          left the point out; a precision of %a cut digits off. *)
       ("%#g %#g %#g %#.1g %#g", [REAL 1.5, REAL 2.0, REAL 0.001, REAL 2.0, REAL 0.0], "1.50000 2.00000 0.00100000 2. 0.00000"),
       ("%#.3g %#g %#.0f %#.0e", [REAL 1E10, REAL 123456.0, REAL 2.0, REAL 2.0], "1.00e10 123456. 2. 2.e00"),
       ("%.3a %.0a %#.0a %.1a %.1a", [REAL 1.9999, REAL 1.75, REAL 1.0, REAL 1.03125, REAL 1.09375], "0x1.000p01 0x1p01 0x1.p00 0x1.0p00 0x1.2p00"),
       ("%A %.15a %a", [REAL ~10.75, REAL 1.5, REAL 0.0], "-0X1.58P03 0x1.800000000000000p00 0x0p00"),
       ("%f %f", [REAL Real.posInf, REAL ~1.0], "inf -1.000000")]
  val () = same ("too few", raises (format "%d") [], "BadFmtList")
  val () = same ("too many", raises (format "x") [INT 1], "BadFmtList")
  val () = same ("kind", raises (format "%d") [STR "x"], "BadFmtList")
  val () =
    app (fn x => app (fn letter => same ("%" ^ letter, raises (format ("%" ^ letter)) [REAL x], "BadFmtList"))
                   ["d", "x", "X", "o", "s", "c", "b"])
      [1.0, Real.posInf, Real.negInf, Real.posInf - Real.posInf]
  val () = same ("not finite", format "%g %E %5f" [REAL Real.negInf, REAL (Real.posInf - Real.posInf), REAL Real.posInf], "-inf NAN   inf")
  val () = same ("letter", raises format "%q", "BadFormat")
  val () = same ("end", raises format "100%", "BadFormat")
  (* A precision that nothing would be done with was passed over in silence; so was "-" behind "~". *)
  val () = app (fn f => same (f, raises format f, "BadFormat")) ["%.3d", "%8.3x", "%.0X", "%.o", "%.1b", "%.1c", "%~-d", "%+ d"]
end

local
  open Scan
in
  val () =
    case sscanf "%d , %s %f%c %x" "12,abc ~3.5! ff rest" of
      SOME [INT 12, STR "abc", REAL r, CHR #"!", INT 255] => check ("scanf real", Real.== (r, ~3.5))
    | _ => check ("scanf", false)
  val () = check ("scanf width", case sscanf "%2d%d" "1234" of SOME [INT 12, INT 34] => true | _ => false)
  val () = check ("scanf failure", not (isSome (sscanf "%d." "12;")))
  (* At the end of the text %s did not match: a line without its last, optional word was lost as a whole. *)
  val () = check ("scanf end", case sscanf "%d %s" " 7" of SOME [INT 7, STR ""] => true | _ => false)
  val () = check ("scanf nothing", case sscanf "%s%3s" "  " of SOME [STR "", STR ""] => true | _ => false)
end

local
  open FormatComb
in
  val () =
    (same ("comb", format (text "The square of " o int o text " is " o int o text ".") 2 4, "The square of 2 is 4.");
     same ("comb kinds", format (int o bool o char) 1 true #"x", "1truex");
     same ("comb glue", format (glue string "glue vs. " o string o glue int 42 o sp 5 o int) "text " 17, "glue vs. text 42     17");
     same ("comb list", format (list int o option bool o option int) [1, 2, 3] (SOME true) NONE, "[1, 2, 3]SOME(true)NONE");
     same ("comb pad", format (pad left 6 int o pad center 6 int o pad right 6 int) 12 34 56, "    12  34  56    ");
     same ("comb trim", format (trim left 2 int o trim center 2 int o trim right 2 int) 1234 1234 1234, "342312");
     same ("comb seq", format (seq Vector.foldr (text ";") (int' StringCvt.HEX)) (Vector.fromList [10, 11]), "A;B"))
end

(* GetOpt *)
datatype opt = A | B of string | C of string option | Other of string
val options =
  [{short = "aA", long = [], desc = GetOpt.NoArg (fn () => A), help = "Set A flag"},
   {short = "b", long = ["set-b"], desc = GetOpt.ReqArg (B, "<name>"), help = "Set B name"},
   {short = "", long = ["cval", "sea"], desc = GetOpt.OptArg (C, "<n>"), help = "Set C value\n(default 0)"}]
val () =
  same
    ("usage", GetOpt.usageInfo {header = "usage:", options = options},
     "usage:\n\
     \  -a, -A                                Set A flag\n\
     \  -b <name>  --set-b=<name>             Set B name\n\
     \             --cval[=<n>], --sea[=<n>]  Set C value\n\
     \                                        (default 0)\n")
fun getOpt order words =
  let
    val errors = ref []
    val (opts, rest) =
      GetOpt.getOpt {argOrder = order, options = options, errFn = fn s => errors := s :: !errors} words
    fun show A = "A"
      | show (B s) = "B " ^ s
      | show (C (SOME s)) = "C " ^ s
      | show (C NONE) = "C"
      | show (Other s) = "Other " ^ s
  in
    String.concatWith "," (map show opts @ "/" :: rest @ "/" :: rev (!errors))
  end
val () =
  (same ("getOpt 1", getOpt (GetOpt.ReturnInOrder Other) ["-A", "foo", "--", "-c", "baz"], "A,Other foo,Other --,Other -c,Other baz,/,/");
   same ("getOpt 2", getOpt GetOpt.Permute ["-A", "foo", "--", "-c", "baz"], "A,/,foo,--,-c,baz,/");
   same ("getOpt 3", getOpt GetOpt.RequireOrder ["-aAbname", "-b", "x", "--cval", "foo", "-a"], "A,A,B name,B x,C,/,foo,-a,/");
   same ("getOpt 4", getOpt GetOpt.Permute ["--set=1", "--cv=3", "--se", "x"],
         "B 1,C 3,/,--se,x,/,option `--se' is ambiguous; could be one of:\n\
         \  -b <name>  --set-b=<name>             Set B name\n\
         \             --cval[=<n>], --sea[=<n>]  Set C value\n\
         \                                        (default 0)\n");
   same ("getOpt 5", getOpt GetOpt.Permute ["-z", "--no", "-b"],
         "/,-z,--no,-b,/,unrecognized option `-z',unrecognized option `--no',option `-b' requires an argument <name>"))

(* Queues *)
val () =
  let
    val q = Queue.mkQueue ()
    val f = foldl (fn (i, f) => (Queue.enqueue (q, i); Fifo.enqueue (f, i))) Fifo.empty [1, 2, 3, 4, 5]
    val (f, x) = Fifo.dequeue f
  in
    same ("fifo", ints (x :: Fifo.contents (Fifo.enqueue (f, 6))), "[1,2,3,4,5,6]");
    same ("fifo map", ints (Fifo.contents (Fifo.map (fn x => x * x) f)), "[4,9,16,25]");
    same ("fifo fold", ints (Fifo.foldl op :: [] (Fifo.enqueue (f, 6))), "[6,5,4,3,2]");
    same ("queue", ints [Queue.dequeue q, Queue.head q, Queue.length q], "[1,2,4]");
    Queue.delete (q, fn x => x mod 2 = 0);
    same ("queue delete", ints (Queue.contents q), "[3,4,5]");
    Queue.delete (q, fn x => x > 7);
    same ("queue delete nothing", ints (Queue.contents q), "[3,4,5]");
    same ("fifo delete", ints (Fifo.contents (Fifo.delete (Fifo.enqueue (Fifo.enqueue (f, 6), 4), fn x => x = 4 orelse x = 6))), "[2,3,5,6,4]");
    Queue.clear q;
    same ("queue empty", raises Queue.dequeue q, "Dequeue")
  end

(* Dynamic arrays *)
structure CharDynamic = DynamicArrayFn (CharArray)
val () =
  let
    val a = DynamicArray.array (1, 0)
    val b = CharDynamic.fromList ([#"a", #"b"], #"-")
  in
    check ("bound", DynamicArray.bound a = ~1 andalso DynamicArray.sub (a, 1000) = 0);
    app (fn i => DynamicArray.update (a, i * i, i)) [1, 2, 3];
    same ("dynamic", ints (DynamicArray.toList a), "[0,1,0,0,2,0,0,0,0,3]");
    same ("sub array", ints (DynamicArray.toList (DynamicArray.subArray (a, 3, 20))), "[0,2,0,0,0,0,3]");
    DynamicArray.truncate (a, 3);
    same ("truncate", ints [DynamicArray.bound a, DynamicArray.sub (a, 4)], "[2,0]");
    same ("subscript", raises DynamicArray.sub (a, ~1), "Subscript");
    CharDynamic.update (b, 4, #"e");
    same ("mono dynamic", implode (CharDynamic.toList b), "ab--e")
  end

(* Bit arrays *)
val () =
  let
    fun hex s = valOf (BitArray.fromString s)
    val b = hex "1f3"
  in
    same ("bits", ints (BitArray.getBits b), "[0,1,4,5,6,7,8]");
    same ("shift", BitArray.toString (BitArray.<< (b, 0w5)) ^ " " ^ BitArray.toString (BitArray.>> (b, 0w5)), "03e60 0f");
    same ("not", BitArray.toString (BitArray.notb b), "e0c");
    same ("and", BitArray.toString (BitArray.andb (b, hex "ff", 16)), "00f3");
    same ("xor", BitArray.toString (BitArray.xorb (b, hex "1", 4)), "2");
    same ("extend", BitArray.toString (BitArray.extend1 (b, 16)), "f1f3");
    check ("equal", BitArray.eqBits (b, BitArray.extend0 (b, 99)) andalso not (BitArray.equal (b, BitArray.extend0 (b, 99))));
    BitArray.complement b;
    BitArray.setBit (b, 0);
    same ("in place", BitArray.toString b, "e0d");
    check ("no hex", not (isSome (BitArray.fromString "12g")));
    same ("outside", raises BitArray.sub (b, 12), "Subscript")
  end

(* Sorting and searching *)
structure IntSort = ArrayQSortFn (IntArray)
structure Search = BSearchFn (IntArray)
val () =
  let
    val l = List.tabulate (1000, fn i => (i * 7919 + 13) mod 509)
    val sorted = ListMergeSort.sort op > l
    val a = IntArray.fromList l
    val b = Array.fromList l
    val pairs = ListMergeSort.sort (fn ((x, _), (y, _)) => x > y) [(2, "a"), (1, "b"), (2, "c"), (1, "d"), (0, "e")]
  in
    IntSort.sort Int.compare a;
    ArrayQSort.sort Int.compare b;
    check ("list sort", ListMergeSort.sorted op > sorted andalso length sorted = 1000);
    check ("array sorts", IntArray.foldr op :: [] a = sorted andalso Array.foldr op :: [] b = sorted);
    same ("stable", concat (map #2 pairs), "ebdac");
    same ("unique", ints (ListMergeSort.uniqueSort Int.compare [3, 1, 2, 1, 3, 5, 5]), "[1,2,3,5]");
    check ("search", case Search.bsearch Int.compare (508, a) of SOME (i, 508) => IntArray.sub (a, i) = 508 | _ => false);
    check ("search nothing", not (isSome (Search.bsearch Int.compare (509, a))));
    same ("products", ints (ListXProd.map op * ([1, 2], [3, 4, 5])), "[3,4,5,6,8,10]")
  end

(* Lists as text *)
fun scanList (init, sep, final) s =
  case StringCvt.scanString (ListFormat.scan {init = init, sep = sep, final = final, scan = Int.scan StringCvt.DEC}) s of
    SOME l => ints l
  | NONE => "NONE"
val () =
  (same ("scan list", scanList ("[", ",", "]") " [ 1,2 , 3 ] ", "[1,2,3]");
   same ("scan no list", scanList ("[", ",", "]") "[1,,2]", "NONE");
   same ("scan empty list", scanList ("(", ";", ")") "( )", "[]");
   same ("scan by blanks", scanList ("", "", "") "4 5  6 x", "[4,5,6]"))

structure Q = LeftPriorityQFn (struct type item = int * string type priority = int val compare = Int.compare val priority : item -> int = #1 end)
val () =
  let
    fun drain q = case Q.next q of SOME ((n, s), q) => n :: drain q | NONE => []
    val q = Q.merge (Q.fromList [(1, "a"), (9, "b"), (3, "c")], Q.insert ((4, "d"), Q.empty))
  in
    same ("priorities", ints (drain q), "[9,4,3,1]");
    same ("priority delete", ints (drain (Q.delete (q, fn (_, s) => s = "c"))), "[9,4,1]");
    same ("priority find", case Q.findAndRemove (q, fn (n, _) => n < 4) of SOME ((n, _), q) => ints (n :: drain q) | NONE => "", "[3,9,4,1]")
  end

val () =
  let
    val refs = Vector.tabulate (10, fn i => URef.uRef i)
    fun r i = Vector.sub (refs, i)
  in
    check ("unite", URef.unify op + (r 1, r 2) andalso URef.unify op + (r 2, r 3) andalso not (URef.union (r 1, r 3)));
    same ("united", ints [URef.!! (r 1), URef.!! (r 3), URef.!! (r 4)], "[6,6,4]");
    ignore (URef.link (r 3, r 4));
    same ("linked", ints [URef.!! (r 2)], "[4]");
    check ("equal", URef.equal (r 1, r 4) andalso not (URef.equal (r 1, r 5)))
  end

val () =
  let
    val made = ref 0
    val {getFn, setFn, peekFn, clrFn} = PropList.newProp (fn h => h, fn _ => (made := !made + 1; "made"))
    val {getFn = isSet, setFn = setFlag} = PropList.newFlag (fn h => h)
    val h = PropList.newHolder ()
  in
    check ("peek", not (isSome (peekFn h)) andalso not (isSet h));
    same ("property", getFn h ^ getFn h ^ Int.toString (!made), "mademade1");
    setFn (h, "set");
    setFlag (h, true);
    same ("set", getFn h ^ Bool.toString (isSet h), "settrue");
    clrFn h;
    setFlag (h, false);
    check ("cleared", not (PropList.hasProps h))
  end

structure G = GraphSCCFn (struct type ord_key = int val compare = Int.compare end)
val () =
  let
    fun follow 1 = [2, 5] | follow 2 = [3] | follow 3 = [2, 4] | follow 4 = [4] | follow 5 = [4] | follow _ = []
    fun show (G.SIMPLE n) = Int.toString n
      | show (G.RECURSIVE l) = ints (ListMergeSort.sort op > l)
    val components = map show (G.topOrder {root = 1, follow = follow})
  in
    same ("components", String.concatWith " " (ListMergeSort.sort op > components), "1 5 [2,3] [4]");
    check ("first", hd components = "1" andalso List.last components = "[4]");
    (* A long path. *)
    check ("deep", length (G.topOrder {root = 0, follow = fn n => if n < 10000 then [n + 1] else []}) = 10001)
  end

structure I =
  IntervalSetFn
    (struct
       type point = int
       val compare = Int.compare
       val (minPt, maxPt) = (0, 15)
       fun succ n = if n = maxPt then n else n + 1
       fun pred n = if n = minPt then n else n - 1
       fun isSucc (m, n) = m + 1 = n
     end)
val () =
  let
    (* Every subset of 0 to 4 with every other. *)
    fun subset bits = List.filter (fn i => Word.andb (Word.>> (Word.fromInt bits, Word.fromInt i), 0w1) = 0w1) [0, 1, 2, 3, 4]
    fun sameSet (name, s, l) =
      (same (name, ints (I.toList s), ints l);
       check (name ^ " apart", #2 (I.foldlInt (fn ((p, q), (last, ok)) => (q, ok andalso p > last + 1)) (~2, true) s)))
    fun pair (i, j) =
      let
        val (a, b) = (subset i, subset j)
        val (sa, sb) = (I.fromList a, foldl I.add' I.empty b)
        fun has l x = List.exists (fn y => x = y) l
      in
        sameSet ("union", I.union (sa, sb), List.filter (fn x => has a x orelse has b x) [0, 1, 2, 3, 4]);
        sameSet ("intersect", I.intersect (sa, sb), List.filter (has b) a);
        sameSet ("difference", I.difference (sa, sb), List.filter (not o has b) a);
        check ("subset", I.isSubset (sa, sb) = List.all (has b) a)
      end
    val all = List.tabulate (32, fn i => i)
  in
    ListXProd.app pair (all, all);
    check ("universe", I.isUniverse (I.complement I.empty) andalso I.isEmpty (I.complement I.universe));
    sameSet ("complement", I.complement (I.interval (2, 13)), [0, 1, 14, 15]);
    same ("interval", raises I.interval (3, 2), "Domain")
  end

(* Splay trees: insertions, each at the root that splay leaves. *)
val () =
  let
    open SplayTree
    fun insert (x, t) =
      case splay (fn y => Int.compare (y, x), t) of
        (_, SplayNil) => SplayObj {value = x, left = SplayNil, right = SplayNil}
      | (EQUAL, t) => t
      | (LESS, SplayObj {value, left, right}) =>
          SplayObj {value = x, left = SplayObj {value = value, left = left, right = SplayNil}, right = right}
      | (GREATER, SplayObj {value, left, right}) =>
          SplayObj {value = x, left = left, right = SplayObj {value = value, left = SplayNil, right = right}}
    fun items (SplayNil, l) = l
      | items (SplayObj {value, left, right}, l) = items (left, value :: items (right, l))
    val l = List.tabulate (100, fn i => i * 37 mod 101)
  in
    check ("splay", items (foldl insert SplayNil l, []) = ListMergeSort.uniqueSort Int.compare l);
    check ("join", items (join (insert (1, SplayNil), insert (2, SplayNil)), []) = [1, 2])
  end

(* Parsers *)
local
  structure P = ParserComb
  datatype exp = VAR of string | NUM of int | ADD of exp * exp
  fun skip p = P.skipBefore Char.isSpace p
  fun atom getc = skip (P.or (P.wrap (Int.scan StringCvt.DEC, NUM), P.wrap (P.token Char.isAlpha, VAR))) getc
  fun sum getc =
    P.wrap (P.seq (atom, P.zeroOrMore (P.wrap (P.seq (skip (P.char #"+"), atom), #2))), fn (e, es) => foldl (fn (a, b) => ADD (b, a)) e es)
      getc
  fun show (VAR s) = s
    | show (NUM n) = Int.toString n
    | show (ADD (a, b)) = "(" ^ show a ^ "+" ^ show b ^ ")"
in
  val () = same ("parser", show (valOf (StringCvt.scanString sum "x + 2 + yy")), "((x+2)+yy)")
  val () = check ("parser string", StringCvt.scanString (P.string "abc") "abd" = NONE)
end

(* Text and bytes *)
val () =
  let
    fun bytes s = Byte.stringToBytes s
    val back = Byte.bytesToString o Base64.decode
  in
    app (fn (s, t) => (same ("base64", Base64.encode (bytes s), t); same ("base64 back", back t, s)))
      [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("\255\254\253", "//79")];
    same ("base64 blanks", back "Zm9v\n Yg==", "foob");
    same ("base64 strict", raises Base64.decodeStrict "Zm 9v", "Invalid");
    same ("base64 end", raises Base64.decode "Zm9vY", "Incomplete");
    same ("utf8 size", ints [UTF8.size "h\195\169\226\130\172\240\159\152\128"], "[4]");
    same ("utf8 back", UTF8.implode (UTF8.explode "h\195\169\226\130\172\240\159\152\128"), "h\195\169\226\130\172\240\159\152\128");
    app (fn s => same ("utf8 " ^ String.toString s, raises UTF8.size s, "Invalid")) ["\192\128", "\237\160\128", "\244\144\128\128", "\128", "\195("];
    (* ASCII was escaped as in Standard ML; it is as in C, as UTF8 of SML/NJ has it. *)
    same ("utf8 shown", concat (map UTF8.toString [0w63, 0w39, 0w34, 0w10, 0w127, 0w7, 0w97, 0wxe9, 0wx1F600]),
          "\\?\\'\\\"\\n\\177\\aa\\u00E9\\U0001F600");
    same ("utf8 end", raises UTF8.size "\226\130", "Incomplete");
    same ("utf8 replaced", String.concatWith "," (map Word.toString (valOf (StringCvt.scanString (ParserComb.zeroOrMore (UTF8.getWC UTF8.REPLACE)) "a\240\159X\255"))), "61,FFFD,58,FFFD");
    app
      (fn (n, size) =>
         let
           fun byte l = case l of b :: l => SOME (b, l) | [] => NONE
           val v = LEB128.intInfToBytes n
         in
           same ("leb128 size", ints [Word8Vector.length v, LEB128.sizeOfIntInf n], ints [size, size]);
           check ("leb128", case LEB128.decodeIntInf byte (Word8Vector.foldr op :: [] v) of SOME (m, []) => m = n | _ => false)
         end)
      [(0, 1), (63, 1), (64, 2), (~64, 1), (~65, 2), (~123456, 3), (IntInf.pow (2, 70), 11)];
    same ("distance", ints (map EditDistance.distance [("kitten", "sitting"), ("", "abc"), ("abcd", "acbd"), ("x", "x")]), "[3,3,1,0]");
    same ("style", String.toString (ANSITerm.toString [ANSITerm.BF, ANSITerm.FG ANSITerm.Red]), "\\^[[1;31m")
  end

(* As SML/NJ's sources answer (compared by differential runs): no seeds at all, which of equal items a binary search finds,
   the order in which a difference lists its items, ~0.0 as a number without a sign. *)
structure CharSearch = BSearchFn (CharArray)
structure SmallSet = HashSetFn (type hash_key = int val hashVal = Word.fromInt val sameKey = op = : int * int -> bool)
val () =
  (same ("no seeds", Word64.toString (Random.randNativeWord (Random.fromList [])), "8679026298D62F13");
   same ("bsearch",
         String.concatWith " "
           (map (fn c => case CharSearch.bsearch Char.compare (c, CharArray.fromList (explode "aabbbbccz")) of
                           SOME (i, _) => Int.toString i | NONE => "-") (explode "abcdz")), "1 4 6 - 8");
   same ("difference", ints (SmallSet.toList (SmallSet.difference (SmallSet.mkFromList [1, 33, 2, 34, 5], SmallSet.mkFromList [2]))), "[5,34,1,33]");
   same ("minus zero", Format.format "%f %g" [Format.REAL ~0.0, Format.REAL ~0.0], "0.000000 0");
   same ("real format", raises RealFormat.realGFormat (1.5, 0), "BadPrecision"))

(* Random numbers: the published first outputs of the generators. *)
val () =
  let
    val r = Random.fromList [0wx12345, 0wx23456, 0wx34567, 0wx45678]
    val w = Word64.fmt StringCvt.DEC (Random.randNativeWord r)
    val again = Random.fromString (Random.toString r)
    val g = Rand.mkRandom 0w1
    val inRange = Random.randRange (~3, 3)
  in
    same ("twister", w, "7266447313870364031");
    check ("state", List.all (fn _ => Random.randInt r = Random.randInt again) (List.tabulate (700, fn i => i)));
    check ("range", List.all (fn _ => let val n = inRange r in ~3 <= n andalso n <= 3 end) (List.tabulate (100, fn i => i)));
    check ("real", let val x = Random.randReal r in 0.0 <= x andalso x < 1.0 end);
    (* A range is checked when it is given, not when a number is drawn; one of all numbers has a size of 2^64. *)
    same ("empty range", raises Random.randRange (3, 2), "Fail");
    same ("range of one", Int.toString (Random.randRange (5, 5) r), "5");
    (let
       val twin = Random.fromString (Random.toString r)
       val least = valOf Int.minInt
     in
       check ("whole range",
              Random.randRange (least, valOf Int.maxInt) r
              = Word64.toIntX (Word64.fromInt least + Random.randNativeWord twin))
     end);
    same ("park miller", ints [Word.toInt (g ()), Word.toInt (g ())], "[48271,182605794]");
    (* The ten thousandth is published, too. *)
    same ("park miller", Word.toString (foldl (fn (_, n) => Rand.random n) 0w1 (List.tabulate (10000, ignore))), Word.toString 0w399268537);
    (* Five thousand numbers, and one of each function behind them: what SML/NJ's source gives. *)
    let
      val r = Random.rand (123456789, 987654321)
      fun all (0, sum) = sum
        | all (n, sum) = all (n - 1, Word64.xorb (Random.randNativeWord r, sum * 0w31))
    in
      same ("twister's sum", Word64.toString (all (5000, 0w0)), "B7BD853405552E3E");
      same ("kinds",
            String.concatWith " "
              [Int.toString (Random.randInt r), Word.toString (Random.randWord r), Int.toString (Random.randNat r),
               Real.toString (Random.randReal r), Int.toString (Random.randRange (~3, 1000000) r)],
            "2127159096394105341 B456614E8202EEE8 3971826576227438710 0.339959347256 617686")
    end
  end

val () =
  let
    val a = Array.fromList [5.0, 1.0, 4.0, 2.0, 3.0, 9.0]
    val s = UnivariateStats.evaluate (foldl UnivariateStats.hadd (UnivariateStats.hempty ()) [1.0, 2.0, 3.0, 4.0])
  in
    check ("median", Real.== (RealOrderStats.median a, 3.5) andalso Real.== (RealOrderStats.select (a, 5), 9.0));
    check ("variance", abs (UnivariateStats.variance s - 5.0 / 3.0) < 1E~12 andalso Real.== (UnivariateStats.median s, 2.5));
    same ("prime", ints [PrimeSizes.pick 14, PrimeSizes.pick 2], "[17,2]");
    check ("hash", Hash.real' 0.0 = Hash.real' ~0.0 andalso Hash.list Hash.int ([1], 0w7) <> Hash.list Hash.int ([2], 0w7));
    (* With the turns alone, before there is a value to begin with. *)
    same ("for", raises (fn turns => (Iterate.for op + turns; ())) (0, 5, ~1), "Fail");
    same ("iterate", ints [Iterate.iterate (fn x => 2 * x) 10 1, Iterate.repeat op + 4 0, Iterate.for op + (1, 10, 3) 0, Iterate.for op + (3, 1, ~1) 0], "[1024,6,22,6]")
  end

(* Keywords *)
structure Keywords =
  KeywordFn
    (struct
       type token = string
       type pos = int
       fun ident (a, _ : pos, _ : pos) = "identifier " ^ Atom.toString a
       val keywords = map (fn s => (s, fn (p : pos, q : pos) => s ^ Int.toString (q - p))) ["if", "then"]
     end)
val () = same ("keywords", Keywords.keyword ("if", 1, 3) ^ " " ^ Keywords.keyword ("iff", 1, 4), "if2 identifier iff")
val chars = CharMap.mkCharMap {default = 0, bindings = [("abc", 1), ("c", 2)]}
val () = same ("char map", ints (map (CharMap.mapChr chars) [#"a", #"c", #"d"]), "[1,2,0]")

(* Files *)
val () =
  let
    val file = OS.FileSys.tmpName ()
    val {dir, file = name} = OS.Path.splitDirFile file
  in
    IOUtil.withOutputFile (file, fn () => TextIO.output (TextIO.stdOut, "one\ntwo\n")) ();
    same ("files", IOUtil.withInputFile (file, fn () => valOf (TextIO.inputLine TextIO.stdIn)) (), "one\n");
    (* The predicate alone decides, not whether there is such a file. *)
    same ("all files", String.concatWith "," (PathUtil.allFiles (fn s => s <> "y/b") ["x", "y", "z"] "b"), "x/b,z/b");
    same ("exists file", Option.getOpt (PathUtil.existsFile (fn s => s = "z/b") ["x", "z"] "b", "none"), "z/b");
    same ("absolute", String.concatWith "," (PathUtil.allFiles (fn _ => true) ["x"] "/b"), "/b");
    same ("path", Option.getOpt (PathUtil.findFile ["/nowhere", dir] name, "none"), file);
    OS.FileSys.remove file
  end

(* Time *)
fun forever n = if n < 0 then n else forever ((n + 1) mod 1000000)
val () =
  (same ("in time", ints [TimeLimit.timeLimit (Time.fromSeconds 60) (fn n => n + 1) 1], "[2]");
   same ("its exception", raises (TimeLimit.timeLimit (Time.fromSeconds 60) hd) [], "Empty");
   same ("out of time", raises (TimeLimit.timeLimit (Time.fromMilliseconds 30) forever) 1, "TimeOut"))

val () = print "done\n"
