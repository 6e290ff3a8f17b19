(* HTMLMarkupFn: the text of a document -> elements with their attributes, whatever the elements are. HTMLValue': an
   attribute's value as markup.

   Tags that authors leave out are put in by two tables: elements that have no content, and elements that the beginning of
   another one ends. Text is kept as it stands, with its entities. *)

structure HTMLValue' =
struct
  fun isNameChar c = Char.isAlphaNum c orelse Char.contains "-._:" c
  (* in the quotation marks that it does not contain; it has its entities already *)
  fun quoted text =
    let
      fun within mark text = String.concat [mark, text, mark]
    in
      if not (String.isSubstring "\"" text) then within "\"" text
      else if not (String.isSubstring "'" text) then within "'" text
      else within "\"" (String.translate (fn #"\"" => "&quot;" | c => String.str c) text)
    end
end

signature HTML_ERROR =
sig
  type context = {file : string option, line : int}
  (* the name of a tag that is not known; what is inside it is read as if it were not there *)
  val badStartTag : context -> string -> unit
  (* the name of an end tag whose element is not open, or whose name is not known *)
  val badEndTag : context -> string -> unit
  (* an attribute and its value *)
  val badAttrVal : context -> string * string -> unit
  (* a message: characters that are no markup, or markup that does not end *)
  val lexError : context -> string -> unit
  (* a message: an element that must not stand where it stands *)
  val syntaxError : context -> string -> unit
  (* the name of an attribute that stands there without a value and needs one *)
  val missingAttrVal : context -> string -> unit
  (* the name of an attribute that the element must have and has not *)
  val missingAttr : context -> string -> unit
  (* the name of an attribute that the element cannot have *)
  val unknownAttr : context -> string -> unit
  (* the name of an attribute whose value needs quotation marks and has none *)
  val unquotedAttrVal : context -> string -> unit
end

functor HTMLMarkupFn
  (structure Err : HTML_ERROR
   (* names are in capitals *)
   val isKnown : string -> bool
   (* without content; with content that is no markup *)
   val isEmpty : string -> bool
   val isRaw : string -> bool
   (* Does what begins inside of the first not end the second, outside of it? *)
   val isBarrier : string * string -> bool
   (* Does the beginning of the second end the first? *)
   val ends : string * string -> bool) =
struct
  type attribute = string * string option
  datatype node =
      Text of string
    | Element of {name : string, attrs : attribute list, line : int, content : node list}

  datatype token =
      Start of string * attribute list * int
    | End of string * int
    | Data of string
    | Doctype of string
    | Eof

  fun isSpace c = Char.contains " \t\n\r\v\f" c
  val isNameChar = HTMLValue'.isNameChar
  val capitals = String.map Char.toUpper

  (* The tokens of a text, from a place and its line on. *)
  fun token (file, text, at, line, raw) =
    let
      fun context line = {file = file, line = line}
      fun peek at = if at < size text then String.sub (text, at) else #"\000"
      fun rest at = Substring.extract (text, at, NONE)
      fun lines (from, to) =
        Substring.foldl
          (fn (c, n) => if c = #"\n" then n + 1 else n)
          0
          (Substring.substring (text, from, to - from))
      fun span p at = at + Substring.size (Substring.takel p (rest at))
      fun part (from, to) = String.substring (text, from, to - from)
      fun next (from, to, t) = (t, to, line + lines (from, to))
      (* the place behind a word, or the end with a complaint *)
      fun behind (at, word, what) =
        let
          val (front, back) = Substring.position word (rest at)
        in
          if Substring.isEmpty back then
            (Err.lexError (context line) (what ^ " does not end"); size text)
          else at + Substring.size front + size word
        end
      fun attributes (at, attrs) =
        let
          val at = span isSpace at
        in
          if at >= size text then
            (Err.lexError (context line) "a tag does not end"; (List.rev attrs, at))
          else if peek at = #">" then (List.rev attrs, at + 1)
          else
            let
              val to = span isNameChar at
            in
              if to = at then
                (if peek at = #"/" then ()
                 else
                   Err.lexError
                     (context line)
                     ("bad character `" ^ Char.toString (peek at) ^ "` in a tag");
                 attributes (at + 1, attrs))
              else
                let
                  val name = capitals (part (at, to))
                  val equals = span isSpace to
                in
                  if peek equals <> #"=" then attributes (to, (name, NONE) :: attrs)
                  else
                    let
                      val from = span isSpace (equals + 1)
                      val q = peek from
                    in
                      if q = #"\"" orelse q = #"'" then
                        let
                          val to = span (fn c => c <> q) (from + 1)
                        in
                          attributes (Int.min (to + 1, size text),
                                      (name, SOME (part (from + 1, to))) :: attrs)
                        end
                      else
                        let
                          val to = span (fn c => not (isSpace c) andalso c <> #">") from
                          val value = part (from, to)
                        in
                          if to = from then Err.missingAttrVal (context line) name
                          else if not (List.all isNameChar (String.explode value)) then
                            Err.unquotedAttrVal (context line) name
                          else ();
                          attributes (to, (name, SOME value) :: attrs)
                        end
                    end
                end
            end
        end
      fun data from =
        let
          (* at least one character; as far as the next tag *)
          val to = span (fn c => c <> #"<") (from + 1)
        in
          next (from, to, Data (part (from, to)))
        end
      (* what stands before the end tag of an element without markup *)
      fun rawData name =
        let
          fun find to =
            if to >= size text then to
            else if peek to = #"<"
                    andalso peek (to + 1) = #"/"
                    andalso capitals
                      (String.substring (text, to + 2, Int.min (size name, size text - to - 2))) =
                      name
            then to
            else find (to + 1)
          val to = find at
        in
          if to = at then NONE else SOME (next (at, to, Data (part (at, to))))
        end
      fun markup () =
        if at >= size text then (Eof, at, line)
        else if peek at <> #"<" then data at
        else if Substring.isPrefix "<!--" (rest at) then
          let
            val to = behind (at + 4, "-->", "a comment")
          in
            token (file, text, to, line + lines (at, to), raw)
          end
        else if peek (at + 1) = #"?" then
          let
            val to = behind (at, ">", "a processing instruction")
          in
            token (file, text, to, line + lines (at, to), raw)
          end
        else if peek (at + 1) = #"!" then
          let
            val to = behind (at, ">", "a declaration")
          in
            next (at, to, Doctype (part (at, to)))
          end
        else if peek (at + 1) = #"/" then
          let
            val from = at + 2
            val to = span isNameChar from
            val close = behind (to, ">", "an end tag")
          in
            next (at, close, End (capitals (part (from, to)), line))
          end
        else if Char.isAlpha (peek (at + 1)) then
          let
            val to = span isNameChar (at + 1)
            val (attrs, close) = attributes (to, [])
          in
            next (at, close, Start (capitals (part (at + 1, to)), attrs, line))
          end
        else (Err.lexError (context line) "a `<` that begins no tag"; data at)
    in
      case raw of
        SOME name => (case rawData name of SOME found => found | NONE => markup ())
      | NONE => markup ()
    end

  (* The declaration of the document's type as it stands, and the outermost elements. *)
  fun parse (file, text) =
    let
      val version = ref NONE
      (* The elements that are open: the innermost one's name, how many there are, and each name with the place of the
         innermost element that has it. There are not many names, so tags that are nested deep cost no more than others. *)
      val outside = {inner = "", depth = 0, places = []}
      fun within ({depth, places, ...}, name) =
        {inner = name,
         depth = depth + 1,
         places = (name, depth + 1) :: List.filter (fn (n, _) => n <> name) places}
      (* of the innermost one whose name satisfies f; 0 when there is none *)
      fun place (f, places) =
        List.foldl (fn ((n, at), most) => if at > most andalso f n then at else most) 0 places
      (* An element that the tag ends is open, and no barrier for it between it and the innermost one. *)
      fun isEnded (places, name) =
        List.exists
          (fn (n, at) =>
            ends (n, name) andalso at >= place (fn barrier => isBarrier (barrier, n), places))
          places
      (* the elements until what ends the innermost of those that are open *)
      fun content (opened as {inner, places, ...}, at, line, nodes) =
        let
          val raw = if isRaw inner then SOME inner else NONE
          val (t, to, line') = token (file, text, at, line, raw)
          fun context line = {file = file, line = line}
          fun stop (at, line) = (List.rev nodes, at, line)
        in
          case t of
            (* Comments may stand before the end: they are passed. *)
            Eof => stop (to, line')
          | Data s => content (opened, to, line', Text s :: nodes)
          | Doctype v => (version := SOME v; content (opened, to, line', nodes))
          | End (name, where') =>
              if name = inner then stop (to, line')
              else if List.exists (fn (n, _) => n = name) places then stop (at, line)
              else (Err.badEndTag (context where') name; content (opened, to, line', nodes))
          | Start (name, attrs, where') =>
              if not (isKnown name) then
                (Err.badStartTag (context where') name; content (opened, to, line', nodes))
              else if isEnded (places, name) then stop (at, line)
              else if isEmpty name then
                content (opened,
                         to,
                         line',
                         Element {name = name, attrs = attrs, line = where', content = []} :: nodes)
              else
                let
                  val (inside, to, line') = content (within (opened, name), to, line', [])
                in
                  content (opened,
                           to,
                           line',
                           Element {name = name, attrs = attrs, line = where', content = inside}
                           :: nodes)
                end
        end
      (* parts: the last one first *)
      fun all (at, line, parts) =
        let
          val (nodes, at, line) = content (outside, at, line, [])
          val parts = nodes :: parts
        in
          if at >= size text then List.concat (List.rev parts) else all (at, line, parts)
        end
      (* not the mark of the byte order *)
      val nodes = all (if String.isPrefix "\239\187\191" text then 3 else 0, 1, [])
    in
      (!version, nodes)
    end

  (* -- what the elements of a document are made of *)

  fun isBlank (Text s) = List.all isSpace (String.explode s)
    | isBlank (Element _) = false

  (* The parts of an element. What is no part goes to the end of the part before it, if that takes such things; else it
     becomes a part of its own, with that name. `report` is called for each such node. *)
  fun gathered {isPart, takes, own, line, report} nodes =
    let
      (* nodes behind the last part, the last one first *)
      fun close ([], done) = done
        | close (extra, done) =
            let
              val extra = List.rev extra
              fun alone () = {name = own, attrs = [], line = line, content = extra} :: done
            in
              case done of
                {name, attrs, line, content} :: earlier =>
                  if takes name then
                    {name = name, attrs = attrs, line = line, content = content @ extra} :: earlier
                  else alone ()
              | [] => alone ()
            end
      (* white space counts between two such nodes only *)
      fun go ([], extra, _, done) = List.rev (close (extra, done))
        | go (node :: rest, extra, blanks, done) =
            case node of
              Element (e as {name, ...}) =>
                if isPart name then go (rest, [], [], e :: close (extra, done))
                else misplaced (node, rest, extra, blanks, done)
            | Text _ =>
                if not (isBlank node) then misplaced (node, rest, extra, blanks, done)
                else go (rest, extra, if List.null extra then [] else node :: blanks, done)
      and misplaced (node, rest, extra, blanks, done) =
        (report node; go (rest, node :: blanks @ extra, [], done))
    in
      go (nodes, [], [], [])
    end

  (* the first element of that name, and the other nodes *)
  fun first (name, nodes) =
    let
      fun go ([], _) = (NONE, nodes)
        | go ((node as Element e) :: rest, front) =
            if #name e = name then (SOME e, List.revAppend (front, rest))
            else go (rest, node :: front)
        | go (node :: rest, front) = go (rest, node :: front)
    in
      go (nodes, [])
    end

  (* What is in the head, and what is behind it. HTML, HEAD and BODY may be left out: what can stand in the head, before
     anything else, does; and so does what can and stands in a HEAD. *)
  fun headAndBody isHead nodes =
    let
      fun unfold (Element {name = "HTML", content, ...}, behind) = List.foldr unfold behind content
        | unfold (node, behind) = node :: behind
      fun canBeHead (Element {name, ...}) = isHead name
        | canBeHead (Text _) = false
      fun go ([], _, head, rest) = (List.rev head, List.rev rest)
        | go (Element {name = "HEAD", content, ...} :: more, isBegun, head, rest) =
            let
              val (inside, outside) = List.partition canBeHead content
              val head = List.revAppend (inside, head)
            in
              if List.all isBlank outside then go (more, isBegun, head, rest)
              else go (more, true, head, List.revAppend (outside, rest))
            end
        | go (node :: more, isBegun, head, rest) =
            if not isBegun andalso canBeHead node then go (more, false, node :: head, rest)
            else if not isBegun andalso isBlank node then go (more, false, head, rest)
            else go (more, true, head, node :: rest)
    in
      go (List.foldr unfold [] nodes, false, [], [])
    end
  (* The attributes of the first BODY, and what stands in all of them and beside them. *)
  fun bodyOf nodes =
    let
      fun attrsOf (Element {name = "BODY", attrs, line, ...}) = SOME (attrs, line)
        | attrsOf _ = NONE
      fun inside (Element {name = "BODY", content, ...}) = content
        | inside node = [node]
      val (attrs, line) =
        case List.mapPartial attrsOf nodes of first :: _ => first | [] => ([], 1)
    in
      {name = "BODY",
       attrs = attrs,
       line = line,
       content = List.concat (List.map inside nodes)}
    end
end
