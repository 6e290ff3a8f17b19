(* The signatures of parsers of regular expressions, of engines, and of both together. *)

signature REGEXP_PARSER =
sig
  val scan : (char, 'a) StringCvt.reader -> (RegExpSyntax.syntax, 'a) StringCvt.reader
  (* The expression that the characters begin with, and the stream behind it; NONE if they are none. *)
end

signature REGEXP_ENGINE =
sig
  type regexp

  type 'a match = {pos : 'a, len : int} MatchTree.match_tree
  (* The stream where it begins, and how many characters it has. *)

  val compile : RegExpSyntax.syntax -> regexp
  (* The expression, ready to be looked for any number of times. Raises RegExpSyntax.CannotCompile for an interval that
     ends before it begins and for an Alt without alternatives. *)
  val find : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* The leftmost match, and of those the longest; and the stream behind it. *)
  val prefix : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* Of those that begin at once. *)
  val match :
    (RegExpSyntax.syntax * ('a match -> 'b)) list
    -> (char, 'a) StringCvt.reader
    -> ('b, 'a) StringCvt.reader
  (* The longest prefix that one of the expressions matches, the first one of those; and what its function gives. *)
end

signature REGEXP =
sig
  type regexp
  type 'a match = {pos : 'a, len : int} MatchTree.match_tree

  exception CannotParse

  val compile : (char, 'a) StringCvt.reader -> (regexp, 'a) StringCvt.reader
  (* Parses the expression that the characters begin with and compiles it; NONE if they are none. Raises
     RegExpSyntax.CannotCompile as REGEXP_ENGINE's does. *)
  val compileString : string -> regexp
  (* The text's expression, ready to be looked for any number of times. Raises CannotParse, and RegExpSyntax.CannotCompile
     as above. What follows the expression, from a closing bracket without its opening one on, is ignored. *)
  val find : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* The leftmost match, and of those the longest, with the stream behind it; NONE if there is none. *)
  val prefix : regexp -> (char, 'a) StringCvt.reader -> ('a match, 'a) StringCvt.reader
  (* The longest match that begins where the stream does; NONE if there is none. *)
  val match :
    (string * ('a match -> 'b)) list -> (char, 'a) StringCvt.reader -> ('b, 'a) StringCvt.reader
  (* The longest prefix that one of the expressions matches, the first one of those; and what its function gives. The
     expressions are compiled once, when the list is given; raises CannotParse and CannotCompile then. *)
end

functor RegExpFn (structure P : REGEXP_PARSER structure E : REGEXP_ENGINE) :> REGEXP
  where type regexp = E.regexp =
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
    let
      val rules = List.map (fn (s, f) => (parse s, f)) rules
    in
      E.match rules
    end
end
