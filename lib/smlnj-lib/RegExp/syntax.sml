(* MatchTree: what a match gives. RegExpSyntax: regular expressions as values. *)

signature MATCH_TREE =
sig
  datatype 'a match_tree = Match of 'a * 'a match_tree list
  (* A match, and those of the groups inside it, from left to right. A group that took part more than once counts as it
     did last; one that did not take part is not there. *)

  val root : 'a match_tree -> 'a
  (* The match as a whole, without its groups. *)
  val nth : 'a match_tree * int -> 'a
  (* In the order of their beginnings; 0 is the root. Raises Subscript. *)
  val map : ('a -> 'b) -> 'a match_tree -> 'b match_tree
  (* The tree of what the function gives, the root's first, then from left to right. *)
  val app : ('a -> unit) -> 'a match_tree -> unit
  (* The function for each match, the root first, then from left to right. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a match_tree -> 'b
  (* From the root on, each match before the groups inside it. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a match_tree -> 'b
  (* From the last group on, the root at the end. *)
  val find : ('a -> bool) -> 'a match_tree -> 'a option
  (* The first match, in the order of their beginnings, that satisfies the predicate. *)
  val num : 'a match_tree -> int
  (* Without the root. *)
end

structure MatchTree :> MATCH_TREE =
struct
  datatype 'a match_tree = Match of 'a * 'a match_tree list

  fun root (Match (x, _)) = x
  fun map f (Match (x, l)) = let val y = f x in Match (y, List.map (map f) l) end
  fun foldl f init (Match (x, l)) = List.foldl (fn (m, y) => foldl f y m) (f (x, init)) l
  fun foldr f init (Match (x, l)) = f (x, List.foldr (fn (m, y) => foldr f y m) init l)
  fun app f = foldl (fn (x, ()) => f x) ()
  fun items m = foldr (op ::) [] m
  fun nth (m, n) = List.nth (items m, n)
  fun find f m = List.find f (items m)
  fun num m = length (items m) - 1
end

signature REGEXP_SYNTAX =
sig
  exception CannotCompile

  structure CharSet : ORD_SET where type Key.ord_key = char

  datatype syntax =
      Group of syntax
    | Alt of syntax list
    | Concat of syntax list
    | Interval of syntax * int * int option
    | MatchSet of CharSet.set
    | NonmatchSet of CharSet.set
    | Char of char
    | Begin
    | End
  (* Interval: so many times at least, so many at most. Begin and End match nothing, at a line's ends. *)

  val optional : syntax -> syntax
  (* ?: the expression once or not at all. *)
  val closure : syntax -> syntax
  (* *: any number of times, none too. *)
  val posClosure : syntax -> syntax
  (* +: once or more often. *)

  val fromRange : char * char -> CharSet.set
  (* The characters from one to another, both with it; none if the first one is the greater. *)
  val addRange : CharSet.set * char * char -> CharSet.set
  (* The set with those characters too. *)

  val allChars : CharSet.set
  (* All 256 characters. *)
  val alnum : CharSet.set
  (* Letters and digits of ASCII. *)
  val alpha : CharSet.set
  (* Letters of ASCII. *)
  val ascii : CharSet.set
  (* The characters of code 0 to 127. *)
  val blank : CharSet.set
  (* Space and tab. *)
  val cntl : CharSet.set
  (* Control characters: those of code 0 to 31, and 127. *)
  val digit : CharSet.set
  (* 0 to 9. *)
  val graph : CharSet.set
  (* The characters of ASCII that can be seen: all that can be printed but the space. *)
  val lower : CharSet.set
  (* Small letters of ASCII. *)
  val print : CharSet.set
  (* The characters of ASCII that can be printed, with the space. *)
  val punct : CharSet.set
  (* The characters that can be seen and are neither letters nor digits. *)
  val space : CharSet.set
  (* Space, tab, new line, vertical tab, form feed, carriage return. *)
  val upper : CharSet.set
  (* Capital letters of ASCII. *)
  val word : CharSet.set
  (* Letters, digits and _. *)
  val xdigit : CharSet.set
  (* Hexadecimal digits, small and capital. *)
end

structure RegExpSyntax : REGEXP_SYNTAX =
struct
  exception CannotCompile

  structure CharSet = ListSetFn (struct type ord_key = char val compare = Char.compare end)

  datatype syntax =
      Group of syntax
    | Alt of syntax list
    | Concat of syntax list
    | Interval of syntax * int * int option
    | MatchSet of CharSet.set
    | NonmatchSet of CharSet.set
    | Char of char
    | Begin
    | End

  fun optional re = Interval (re, 0, SOME 1)
  fun closure re = Interval (re, 0, NONE)
  fun posClosure re = Interval (re, 1, NONE)

  fun range (a, b) =
    if a > b then []
    else List.tabulate (Char.ord b - Char.ord a + 1, fn i => Char.chr (Char.ord a + i))
  fun fromRange r = CharSet.fromList (range r)
  fun addRange (set, a, b) = CharSet.addList (set, range (a, b))

  val allChars = fromRange (Char.minChar, Char.maxChar)
  fun those f = CharSet.filter f allChars
  val alnum = those Char.isAlphaNum
  val alpha = those Char.isAlpha
  val ascii = those Char.isAscii
  val blank = CharSet.fromList [#" ", #"\t"]
  val cntl = those Char.isCntrl
  val digit = those Char.isDigit
  val graph = those Char.isGraph
  val lower = those Char.isLower
  val print = those Char.isPrint
  val punct = those Char.isPunct
  val space = those Char.isSpace
  val upper = those Char.isUpper
  val word = CharSet.add (alnum, #"_")
  val xdigit = those Char.isHexDigit
end
