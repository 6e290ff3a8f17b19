(* XMLParserFn: the text of an XML document -> its tree.

   By recursive descent over the text, with one place kept for messages.
   Differences from XML: document type declarations are passed over, so that entities that one declares are errors;
   processing instructions and comments are left out, whatever is in them; a document whose declaration names another
   encoding than UTF-8 is read byte by byte. *)

signature XML_PARSER =
sig
  structure XMLTree : XML_TREE
  (* the tree of the file's document; raises ParseError for what is not well-formed, IO.Io for the file *)
  val parseFile : string -> XMLTree.tree
  (* where, and what was expected *)
  exception ParseError of string
end

functor XMLParserFn (XT : XML_TREE) : XML_PARSER =
struct
  structure XMLTree = XT
  structure S = XT.Schema
  exception ParseError of string

  (* A place in a text. *)
  type source = {name : string, text : string}

  fun fail ({name, text} : source, at, message) =
    let
      fun place (i, line, column) =
        if i = at then (line, column)
        else if String.sub (text, i) = #"\n" then place (i + 1, line + 1, 1)
        else place (i + 1, line, column + 1)
      val (line, column) = place (0, 1, 1)
    in
      raise ParseError (String.concat ["Error [",
                                       name,
                                       ":",
                                       Int.toString line,
                                       ".",
                                       Int.toString column,
                                       "]: ",
                                       message])
    end

  fun looksAt (src : source, at, word) =
    Substring.isPrefix word (Substring.extract (#text src, at, NONE))
  fun peek (src : source, at) =
    if at < size (#text src) then SOME (String.sub (#text src, at)) else NONE
  fun shown (src, at) =
    case peek (src, at) of SOME c => "`" ^ Char.toString c ^ "`" | NONE => "the end"
  fun expect (src, at, word) =
    if looksAt (src, at, word) then at + size word
    else fail (src, at, "expected `" ^ word ^ "`, but found " ^ shown (src, at))
  (* the place behind the next `word` *)
  fun behind (src : source, at, word, what) =
    let
      val (front, back) = Substring.position word (Substring.extract (#text src, at, NONE))
    in
      if Substring.isEmpty back then fail (src, at, what ^ " does not end")
      else (Substring.string front, at + Substring.size front + size word)
    end

  fun isSpace c = Char.contains " \t\n\r" c
  fun isNameStart c = Char.isAlpha c orelse c = #"_" orelse c = #":" orelse c >= #"\128"
  fun isNameChar c = isNameStart c orelse Char.isDigit c orelse c = #"-" orelse c = #"."
  (* as far as all satisfy *)
  fun span p (src, at) =
    case peek (src, at) of
      SOME c => if p c then span p (src, at + 1) else at
    | NONE => at
  val spaces = span isSpace
  fun part ({text, ...} : source, from, to) = String.substring (text, from, to - from)
  fun name (src, at) =
    case peek (src, at) of
      SOME c =>
        if isNameStart c then let val to = span isNameChar (src, at) in (part (src, at, to), to) end
        else fail (src, at, "expected a name, but found " ^ shown (src, at))
    | NONE => fail (src, at, "expected a name, but found the end")

  (* what XML calls Char *)
  fun isCharacter w =
    w >= 0wx20 andalso w <= 0wxD7FF
    orelse w = 0wx9
    orelse w = 0wxA
    orelse w = 0wxD
    orelse w >= 0wxE000 andalso w <= 0wxFFFD
    orelse w >= 0wx10000 andalso w <= 0wx10FFFF
  (* all characters from a place on *)
  fun check (src as {text, ...} : source, at, isUTF8) =
    let
      fun byte i = if i < size text then SOME (String.sub (text, i), i + 1) else NONE
      fun next at =
        case UTF8.getu byte at handle _ => fail (src, at, "bytes that are no UTF-8") of
          SOME found => found
        | NONE => (0w0, at)
      fun go at =
        case byte at of
          NONE => ()
        | SOME (c, behind) =>
            if c >= #" " andalso c < #"\128" orelse isSpace c orelse c >= #" " andalso not isUTF8
            then
              go behind
            else
              let
                val (w, behind) =
                  if c < #"\128" then (Word.fromInt (Char.ord c), behind) else next at
              in
                if isCharacter w then go behind
                else fail (src, at, "a character that XML does not allow")
              end
    in
      go at
    end

  (* &lt; &#60; &#x3C; behind the ampersand *)
  fun reference (src, at) =
    let
      val (word, to) = behind (src, at, ";", "a reference")
      (* nothing but digits: the Basis reads more than XML has, and passes over what follows *)
      fun number (radix, isDigit, digits) =
        case if CharVector.all isDigit digits then
               StringCvt.scanString (Word.scan radix) digits handle Overflow => NONE
             else NONE of
          SOME w =>
            if isCharacter w then UTF8.encode w
            else fail (src, at, "no character has the number `" ^ word ^ "`")
        | NONE => fail (src, at, "bad reference `&" ^ word ^ ";`")
      val text =
        case word of
          "lt" => "<"
        | "gt" => ">"
        | "amp" => "&"
        | "quot" => "\""
        | "apos" => "'"
        | _ =>
            if String.isPrefix "#x" word then
              number (StringCvt.HEX, Char.isHexDigit, String.extract (word, 2, NONE))
            else if String.isPrefix "#" word then
              number (StringCvt.DEC, Char.isDigit, String.extract (word, 1, NONE))
            else
              fail (src, at, "unknown entity `&" ^ (if size word > 20 then "..." else word) ^ ";`")
    in
      (text, to)
    end

  (* text until one of these characters, or the end; what stands there as it is, is given to a function *)
  fun textUntil (stop, literal) (src, at) =
    let
      fun go (at, parts) =
        let
          val to = span (fn c => c <> #"&" andalso not (stop c)) (src, at)
          val parts = literal (part (src, at, to), at) :: parts
        in
          case peek (src, to) of
            SOME #"&" => let val (text, to) = reference (src, to + 1) in go (to, text :: parts) end
          | _ => (String.concat (List.rev parts), to)
        end
    in
      go (at, [])
    end

  (* what f makes of a quotation mark and of the place behind it *)
  fun quoted f (src, at) =
    case peek (src, at) of
      SOME q =>
        if q = #"\"" orelse q = #"'" then f (q, at + 1)
        else fail (src, at, "expected a value in quotation marks, but found " ^ shown (src, at))
    | NONE => fail (src, at, "expected a value in quotation marks, but found the end")
  (* white space in a value is blanks; that of references stays as it is *)
  fun value (src, at) =
    quoted
      (fn (q, at) =>
        let
          fun literal (text, _) = String.map (fn c => if isSpace c then #" " else c) text
          val (text, to) = textUntil (fn c => c = q orelse c = #"<", literal) (src, at)
        in
          (text, expect (src, to, String.str q))
        end)
      (src, at)

  structure Names = RedBlackSetFn (type ord_key = string val compare = String.compare)
  (* names and values *)
  fun pairs (src, at) =
    let
      fun go (from, seen, attrs) =
        let
          val at = spaces (src, from)
        in
          case peek (src, at) of
            SOME c =>
              if isNameStart c then
                let
                  val (id, to) = name (src, at)
                  val () =
                    if at = from then
                      fail (src, at, "expected white space, but found " ^ shown (src, at))
                    else if Names.member (seen, id) then
                      fail (src, at, "the attribute `" ^ id ^ "` stands here twice")
                    else ()
                  val to = expect (src, spaces (src, to), "=")
                  val (value, to) = value (src, spaces (src, to))
                in
                  go (to, Names.add (seen, id), (id, value) :: attrs)
                end
              else (List.rev attrs, at)
          | NONE => (List.rev attrs, at)
        end
    in
      go (at, Names.empty, [])
    end
  fun attributes (src, at) =
    let val (attrs, at) = pairs (src, at) in (List.map S.attribute attrs, at) end

  (* passes over white space, comments and processing instructions *)
  fun misc (src, at) =
    let
      val at = spaces (src, at)
    in
      if looksAt (src, at, "<!--") then misc (src, #2 (behind (src, at + 4, "-->", "a comment")))
      else if looksAt (src, at, "<?") then
        misc (src, #2 (behind (src, at + 2, "?>", "a processing instruction")))
      else at
    end

  fun element (src, at) =
    let
      val (id, to) = name (src, at)
    in
      case S.element id of
        SOME e => (e, to)
      | NONE => fail (src, at, "unrecognized element `" ^ id ^ "`")
    end

  fun isBlank text = List.all isSpace (String.explode text)
  fun trimLeft text = Substring.string (Substring.dropl isSpace (Substring.full text))
  fun trimRight text = Substring.string (Substring.dropr isSpace (Substring.full text))

  (* pieces, the last first: pieces of text are joined; white space goes where it is not kept *)
  fun addText ("", pieces) = pieces
    | addText (text, pieces) = XT.TEXT text :: pieces
  fun joined pieces =
    let
      fun text (XT.TEXT t :: rest, l) = text (rest, t :: l)
        | text (rest, l) = (String.concat l, rest)
      fun go ([], done) = done
        | go (all as XT.TEXT _ :: _, done) =
            let val (t, rest) = text (all, []) in go (rest, XT.TEXT t :: done) end
        | go (piece :: rest, done) = go (rest, piece :: done)
    in
      go (pieces, [])
    end
  fun tidy true pieces = joined pieces
    | tidy false pieces =
        let
          fun last (XT.TEXT text :: rest) = XT.TEXT (trimRight text) :: rest
            | last pieces = pieces
          fun first (XT.TEXT text :: rest) = XT.TEXT (trimLeft text) :: rest
            | first pieces = pieces
          fun isEmpty (XT.TEXT text) = isBlank text
            | isEmpty _ = false
        in
          List.filter (not o isEmpty) (List.rev (last (List.rev (first (joined pieces)))))
        end

  (* behind "<" *)
  fun tag (src, at, keep) =
    let
      val (e, at) = element (src, at)
      val (attrs, at) = attributes (src, at)
      fun made content = XT.ELEMENT {name = e, attrs = attrs, content = content}
    in
      if looksAt (src, at, "/>") then (made [], at + 2)
      else
        let
          val (pieces, at) = content (src, expect (src, at, ">"), keep orelse S.preserveWS e, [])
          val (e', to) = element (src, expect (src, at, "</"))
        in
          if S.same (e, e') then (made pieces, expect (src, spaces (src, to), ">"))
          else
            fail (src,
                  at,
                  "mismatched close tag: expected " ^ S.toString e ^ ", but found " ^ S.toString e')
        end
    end
  (* until "</" or the end *)
  and content (src, at, keep, pieces) =
    case peek (src, at) of
      NONE => (tidy keep pieces, at)
    | SOME #"<" =>
        if looksAt (src, at, "</") then (tidy keep pieces, at)
        else if looksAt (src, at, "<!--") then
          content (src, #2 (behind (src, at + 4, "-->", "a comment")), keep, pieces)
        else if looksAt (src, at, "<![CDATA[") then
          let
            val (text, at) = behind (src, at + 9, "]]>", "a CDATA section")
          in
            content (src, at, keep, XT.CDATA text :: pieces)
          end
        else if looksAt (src, at, "<?") then
          content (src, #2 (behind (src, at + 2, "?>", "a processing instruction")), keep, pieces)
        else
          let val (e, at) = tag (src, at + 1, keep) in content (src, at, keep, e :: pieces) end
    | SOME _ =>
        let
          fun literal (text, at) =
            let
              val (front, back) = Substring.position "]]>" (Substring.full text)
            in
              if Substring.isEmpty back then text
              else fail (src, at + Substring.size front, "`]]>` has no place in text")
            end
          val (text, at) = textUntil (fn c => c = #"<", literal) (src, at)
        in
          content (src, at, keep, addText (text, pieces))
        end

  (* <?xml ...?>, whose characters are checked with those behind it *)
  fun declaration (src, at) =
    let
      val isThere =
        looksAt (src, at, "<?xml")
        andalso (case peek (src, at + 5) of SOME c => isSpace c orelse c = #"?" | NONE => true)
      val (decl, to) =
        if isThere then
          let val (attrs, at) = pairs (src, at + 5) in (SOME attrs, expect (src, at, "?>")) end
        else (NONE, at)
      fun isOther (name, value) = name = "encoding" andalso String.map Char.toUpper value <> "UTF-8"
    in
      check (src, at, not (List.exists isOther (getOpt (decl, []))));
      (Option.map (List.map S.attribute) decl, to)
    end

  fun doctype (src, at) =
    if not (looksAt (src, at, "<!DOCTYPE")) then (NONE, at)
    else
      let
        val (id, at) = name (src, spaces (src, at + 9))
        val at = spaces (src, at)
        (* no references are read there *)
        fun literal at =
          quoted (fn (q, at) => behind (src, at, String.str q, "a literal")) (src, spaces (src, at))
        val (external, at) =
          if looksAt (src, at, "SYSTEM") then
            let val (system, at) = literal (at + 6) in (SOME (XT.SYSTEM system), at) end
          else if looksAt (src, at, "PUBLIC") then
            let
              val (public, at) = literal (at + 6)
              val (system, at) = literal at
            in
              (SOME (XT.PUBLIC (public, system)), at)
            end
          else (NONE, at)
        val at = spaces (src, at)
        (* The declarations within brackets; a bracket in a literal, a comment or an instruction is none of them. *)
        fun subset at =
          case peek (src, at) of
            NONE => fail (src, at, "the document type does not end")
          | SOME #"]" => at + 1
          | SOME #"\"" => subset (#2 (behind (src, at + 1, "\"", "a literal")))
          | SOME #"'" => subset (#2 (behind (src, at + 1, "'", "a literal")))
          | SOME _ =>
              if looksAt (src, at, "<!--") then
                subset (#2 (behind (src, at + 4, "-->", "a comment")))
              else if looksAt (src, at, "<?") then
                subset (#2 (behind (src, at + 2, "?>", "a processing instruction")))
              else subset (at + 1)
        val at = if looksAt (src, at, "[") then subset (at + 1) else at
      in
        (SOME (XT.DOCTYPE (id, external)), expect (src, spaces (src, at), ">"))
      end

  (* XML has one kind of a line's end. *)
  fun lines text =
    if not (CharVector.exists (fn c => c = #"\r") text) then text
    else
      let
        val parts = String.fields (fn c => c = #"\r") text
        fun joined part = if String.isPrefix "\n" part then part else "\n" ^ part
      in
        String.concat (hd parts :: List.map joined (tl parts))
      end

  fun parse src =
    let
      val bom = if looksAt (src, 0, "\239\187\191") then 3 else 0
      val (xmlDecl, at) = declaration (src, spaces (src, bom))
      val (doctype, at) = doctype (src, misc (src, at))
      val at = misc (src, at)
      val () = if at = size (#text src) then fail (src, at, "empty document") else ()
      val (content, at) = tag (src, expect (src, at, "<"), false)
      val at = misc (src, at)
    in
      if at < size (#text src) then fail (src, at, "body of document is not a single element")
      else {xmlDecl = xmlDecl, doctype = doctype, content = content}
    end

  fun parseFile file =
    let
      val stream = TextIO.openIn file
      val text = TextIO.inputAll stream handle e => (TextIO.closeIn stream; raise e)
    in
      TextIO.closeIn stream;
      parse {name = file, text = lines text}
    end
end
