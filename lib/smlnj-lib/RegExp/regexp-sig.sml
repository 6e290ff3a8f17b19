(* The signatures of parsers of regular expressions, of engines, and of both together. *)

signature REGEXP_PARSER =
sig
  val scan : (char, 'a) StringCvt.reader -> (RegExpSyntax.syntax, 'a) StringCvt.reader
end

signature REGEXP_ENGINE =
sig
  type regexp

  type 'a match = {pos : 'a, len : int} MatchTree.match_tree
  (* The stream where it begins, and how many characters it has. *)

  val compile : RegExpSyntax.syntax -> regexp
  val find : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* The leftmost match, and of those the longest; and the stream behind it. *)
  val prefix : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* Of those that begin at once. *)
  val match :
    (RegExpSyntax.syntax * ('a match -> 'b)) list -> (char, 'a) StringCvt.reader -> ('b, 'a) StringCvt.reader
  (* The longest prefix that one of the expressions matches, the first one of those; and what its function gives. *)
end

signature REGEXP =
sig
  type regexp
  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  exception CannotParse

  val compile : (char, 'a) StringCvt.reader -> (regexp, 'a) StringCvt.reader
  val compileString : string -> regexp
  (* Raises CannotParse. *)
  val find : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  val prefix : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  val match : (string * ('a match -> 'b)) list -> (char, 'a) StringCvt.reader -> ('b, 'a) StringCvt.reader
end

functor RegExpFn (structure P : REGEXP_PARSER structure E : REGEXP_ENGINE) :> REGEXP where type regexp = E.regexp =
struct
  type regexp = E.regexp
  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  exception CannotParse

  fun parse s = case StringCvt.scanString P.scan s of SOME re => re | NONE => raise CannotParse

  fun compile getc s = Option.map (fn (re, s) => (E.compile re, s)) (P.scan getc s)
  fun compileString s = E.compile (parse s)
  val find = E.find
  val prefix = E.prefix
  fun match rules =
    let val rules = List.map (fn (s, f) => (parse s, f)) rules
    in E.match rules end
end
