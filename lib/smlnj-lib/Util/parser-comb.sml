(* ParserComb: parsers of characters that are put together from smaller ones. A parser makes a reader of a reader, as the
   Basis Library's scan functions do, so those are parsers. Choice is ordered: the second is tried if the first fails. *)

signature PARSER_COMB =
sig
  type ('a, 'strm) parser = (char, 'strm) StringCvt.reader -> ('a, 'strm) StringCvt.reader

  val result : 'a -> ('a, 'strm) parser
  (* Reads nothing. *)
  val failure : ('a, 'strm) parser
  (* Fails, and reads nothing. *)
  val wrap : (('a, 'strm) parser * ('a -> 'b)) -> ('b, 'strm) parser
  (* The function of what the parser gives. *)
  val seq : (('a, 'strm) parser * ('b, 'strm) parser) -> (('a * 'b), 'strm) parser
  (* The first parser, then the second; gives what both give. *)
  val seqWith : (('a * 'b) -> 'c) -> (('a, 'strm) parser * ('b, 'strm) parser) -> ('c, 'strm) parser
  (* The first parser, then the second; gives the function of what both give. *)
  val bind : (('a, 'strm) parser * ('a -> ('b, 'strm) parser)) -> ('b, 'strm) parser
  (* The second parser depends on the first's result. *)
  val eatChar : (char -> bool) -> (char, 'strm) parser
  (* One character that satisfies the predicate. *)
  val char : char -> (char, 'strm) parser
  (* That character. *)
  val string : string -> (string, 'strm) parser
  (* That string. *)
  val skipBefore : (char -> bool) -> ('a, 'strm) parser -> ('a, 'strm) parser
  (* Skips characters that satisfy the predicate, then runs the parser. *)
  val or : (('a, 'strm) parser * ('a, 'strm) parser) -> ('a, 'strm) parser
  (* The first parser, or, where it fails, the second from the same place. *)
  val or' : ('a, 'strm) parser list -> ('a, 'strm) parser
  (* The first of the parsers that does not fail. *)
  val zeroOrMore : ('a, 'strm) parser -> ('a list, 'strm) parser
  (* The parser as often as it does not fail; gives the list of what it gives. *)
  val oneOrMore : ('a, 'strm) parser -> ('a list, 'strm) parser
  (* The same, once at least. *)
  val option : ('a, 'strm) parser -> ('a option, 'strm) parser
  (* SOME of what the parser gives, or NONE, with nothing read, where it fails. *)
  val join : ('a option, 'strm) parser -> ('a, 'strm) parser
  (* Fails for NONE. *)
  val token : (char -> bool) -> (string, 'strm) parser
  (* One or more characters. *)
end

structure ParserComb : PARSER_COMB =
struct
  type ('a, 'strm) parser = (char, 'strm) StringCvt.reader -> ('a, 'strm) StringCvt.reader

  fun result x _ s = SOME (x, s)
  fun failure _ _ = NONE

  fun bind (p, f) getc s = case p getc s of SOME (x, s) => f x getc s | NONE => NONE
  fun wrap (p, f) = bind (p, result o f)
  fun seqWith f (p, q) = bind (p, fn x => bind (q, fn y => result (f (x, y))))
  fun seq (p, q) = seqWith (fn pair => pair) (p, q)
  fun join p = bind (p, fn SOME x => result x | NONE => failure)

  fun eatChar f getc s =
    case getc s of SOME (c, s) => if f c then SOME (c, s) else NONE | NONE => NONE
  fun char c = eatChar (fn d => c = d)
  fun string text getc s =
    let
      fun from (i, s) =
        if i = size text then SOME (text, s)
        else
          case char (String.sub (text, i)) getc s of SOME (_, s) => from (i + 1, s) | NONE => NONE
    in
      from (0, s)
    end
  fun skipBefore f p getc s =
    let
      fun skip s = case getc s of SOME (c, rest) => if f c then skip rest else s | NONE => s
    in
      p getc (skip s)
    end

  fun or (p, q) getc s = case p getc s of NONE => q getc s | found => found
  fun or' ps getc s =
    let
      fun try [] = NONE
        | try (p :: ps) = (case p getc s of NONE => try ps | found => found)
    in
      try ps
    end

  fun zeroOrMore p getc s =
    let
      val p = p getc
      fun more (s, acc) = case p s of SOME (x, s) => more (s, x :: acc) | NONE => SOME (rev acc, s)
    in
      more (s, [])
    end
  fun oneOrMore p getc s =
    case zeroOrMore p getc s of SOME ([], _) => NONE | found => found
  fun option p getc s = case p getc s of SOME (x, s) => SOME (SOME x, s) | NONE => SOME (NONE, s)
  fun token f = wrap (oneOrMore (eatChar f), implode)
end
