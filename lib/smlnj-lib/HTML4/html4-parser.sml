(* HTML4Parser: a text of HTML 4.01 -> its tree.

   By HTMLMarkupFn. What has no place where it stands is made part of the nearest thing that may be there: text in a body
   becomes a paragraph, unknown tags are left out and what they contain is kept. *)

signature HTML4_PARSER =
sig
  (* NONE where there is nothing of a document *)
  val fromString : string -> HTML4.html option
end

structure HTML4Parser : HTML4_PARSER =
struct
  structure H = HTML4

  fun among names name = List.exists (fn n => n = name) names
  val headElements = ["TITLE", "BASE", "META", "LINK", "STYLE"]
  val blockElements =
    ["P", "H1", "H2", "H3", "H4", "H5", "H6", "UL", "OL", "DIR", "MENU", "PRE", "DL", "DIV",
     "NOSCRIPT", "BLOCKQUOTE", "FORM", "HR", "TABLE", "FIELDSET", "ADDRESS", "CENTER", "ISINDEX"]
  val textElements =
    ["TT", "I", "B", "BIG", "SMALL", "U", "S", "STRIKE", "EM", "STRONG", "DFN", "CODE", "SAMP",
     "KBD", "VAR", "CITE", "ABBR", "ACRONYM", "A", "Q", "SUB", "SUP", "SPAN", "BDO", "FONT",
     "LABEL", "IMG", "OBJECT", "BR", "SCRIPT", "MAP", "APPLET", "BASEFONT", "IFRAME", "INPUT",
     "SELECT", "TEXTAREA", "BUTTON"]
  val partElements =
    ["HTML", "HEAD", "BODY", "FRAMESET", "FRAME", "NOFRAMES", "LI", "DT", "DD", "CAPTION", "COL",
     "COLGROUP", "THEAD", "TFOOT", "TBODY", "TR", "TH", "TD", "OPTGROUP", "OPTION", "LEGEND",
     "AREA", "PARAM"]
  val isBlock = among blockElements
  val tableParts = among ["THEAD", "TFOOT", "TBODY", "TR", "COLGROUP"]

  structure Silent =
  struct
    type context = {file : string option, line : int}
    fun ignore1 (_ : context) (_ : string) = ()
    val badStartTag = ignore1
    val badEndTag = ignore1
    fun badAttrVal (_ : context) (_ : string * string) = ()
    val lexError = ignore1
    val syntaxError = ignore1
    val missingAttrVal = ignore1
    val missingAttr = ignore1
    val unknownAttr = ignore1
    val unquotedAttrVal = ignore1
  end
  structure Markup =
    HTMLMarkupFn (structure Err = Silent
                  val isKnown = among (headElements @ blockElements @ textElements @ partElements)
                  val isEmpty =
                    among ["BASE", "META", "LINK", "ISINDEX", "HR", "AREA", "IMG", "PARAM",
                           "BASEFONT", "BR", "INPUT", "COL", "FRAME"]
                  val isRaw = among ["TITLE", "STYLE", "SCRIPT", "TEXTAREA"]
                  fun ends (inner, name) =
                    case inner of
                      "P" =>
                        isBlock name
                        orelse tableParts name
                        orelse among ["LI", "DT", "DD", "TD", "TH", "CAPTION"] name
                    | "LI" => name = "LI"
                    | "DT" => among ["DT", "DD"] name
                    | "DD" => among ["DT", "DD"] name
                    | "TD" => tableParts name orelse among ["TD", "TH"] name
                    | "TH" => tableParts name orelse among ["TD", "TH"] name
                    | "TR" => tableParts name
                    | "THEAD" => among ["TFOOT", "TBODY"] name
                    | "TFOOT" => among ["THEAD", "TBODY"] name
                    | "TBODY" => among ["THEAD", "TFOOT", "TBODY"] name
                    | "COLGROUP" => tableParts name
                    | "CAPTION" => tableParts name orelse name = "COL"
                    | "OPTION" => among ["OPTION", "OPTGROUP"] name
                    | "HEAD" =>
                        name = "BODY"
                        orelse name = "FRAMESET"
                        orelse isBlock name andalso name <> "ISINDEX"
                    | _ => false)
  open Markup

  fun attributes l =
    List.map (fn (name, value) => (Atom.atom (String.map Char.toLower name), value)) l

  (* text with its entities *)
  fun cdata text =
    let
      fun add ("", l) = l
        | add (s, l) = H.PCDATA s :: l
      fun reference word =
        if String.isPrefix "#x" word orelse String.isPrefix "#X" word then
          Option.map
            H.CHAR
            (StringCvt.scanString (IntInf.scan StringCvt.HEX) (String.extract (word, 2, NONE)))
        else if String.isPrefix "#" word then
          Option.map H.CHAR (IntInf.fromString (String.extract (word, 1, NONE)))
        else if word <> "" andalso List.all Char.isAlphaNum (String.explode word) then
          SOME (H.ENTITY (Atom.atom word))
        else NONE
      fun go (text, l) =
        let
          val (front, back) = Substring.splitl (fn c => c <> #"&") text
        in
          if Substring.isEmpty back then List.rev (add (Substring.string front, l))
          else
            let
              val (word, rest) =
                Substring.splitl
                  (fn c => Char.isAlphaNum c orelse c = #"#")
                  (Substring.triml 1 back)
              val ended = Substring.first rest = SOME #";"
            in
              case if ended then reference (Substring.string word) else NONE of
                SOME d => go (Substring.triml 1 rest, d :: add (Substring.string front, l))
              | NONE => go (Substring.triml 1 back, add (Substring.string front ^ "&", l))
            end
        end
    in
      go (Substring.full text, [])
    end
  fun raw nodes =
    String.concat (List.map (fn Text s => s | Element {content, ...} => raw content) nodes)
  fun isBlank (Text s) = List.all isSpace (String.explode s)
    | isBlank (Element _) = false
  fun rawText content = case raw content of "" => [] | s => [H.PCDATA s]

  (* -- what may stand where *)

  fun script (attrs, content) = H.SCRIPT (attributes attrs, rawText content)
  fun inlines nodes = List.concat (List.map inline nodes)
  and inline (Text s) = [H.CDATA (cdata s)]
    | inline (Element {name, attrs, content, ...}) =
        let
          val a = attributes attrs
          fun of' con = [con (a, inlines content)]
        in
          case name of
            "TT" => of' H.TT
          | "I" => of' H.I
          | "B" => of' H.B
          | "BIG" => of' H.BIG
          | "SMALL" => of' H.SMALL
          | "U" => of' H.U
          | "S" => of' H.S
          | "STRIKE" => of' H.STRIKE
          | "EM" => of' H.EM
          | "STRONG" => of' H.STRONG
          | "DFN" => of' H.DFN
          | "CODE" => of' H.CODE
          | "SAMP" => of' H.SAMP
          | "KBD" => of' H.KBD
          | "VAR" => of' H.VAR
          | "CITE" => of' H.CITE
          | "ABBR" => of' H.ABBR
          | "ACRONYM" => of' H.ACRONYM
          | "A" => of' H.A
          | "Q" => of' H.Q
          | "SUB" => of' H.SUB
          | "SUP" => of' H.SUP
          | "SPAN" => of' H.SPAN
          | "BDO" => of' H.BDO
          | "FONT" => of' H.FONT
          | "LABEL" => of' H.LABEL
          | "IMG" => [H.IMG a]
          | "OBJECT" => [H.OBJECT (a, flowsOrParams content)]
          | "BR" => [H.BR a]
          | "SCRIPT" => [H.Inline_SCRIPT (script (attrs, content))]
          | "MAP" => [H.MAP (a, List.mapPartial area content)]
          | "APPLET" => [H.APPLET (a, flowsOrParams content)]
          | "BASEFONT" => [H.BASEFONT a]
          | "IFRAME" => [H.IFRAME (a, flows content)]
          | "INPUT" => [H.INPUT a]
          | "SELECT" => [H.SELECT (a, List.mapPartial choice content)]
          | "TEXTAREA" => [H.TEXTAREA (a, cdata (raw content))]
          | "BUTTON" => [H.BUTTON (a, flows content)]
          | _ => inlines content
        end
  and option (attrs, content) = (attributes attrs, cdata (raw content))
  and choice (Element {name = "OPTION", attrs, content, ...}) =
        SOME (H.OPTION (option (attrs, content)))
    | choice (Element {name = "OPTGROUP", attrs, content, ...}) =
        SOME (H.OPTGROUP (attributes attrs,
                          List.mapPartial
                            (fn Element {name = "OPTION", attrs, content, ...} =>
                                  SOME (option (attrs, content))
                              | _ => NONE)
                            content))
    | choice _ = NONE
  and area (Element {name = "AREA", attrs, ...}) = SOME (H.AREA (attributes attrs))
    | area (node as Element {name, ...}) =
        if isBlock name then SOME (H.BlockOrArea_BLOCK (block node)) else NONE
    | area _ = NONE
  and flow (node as Element {name, ...}) =
        if isBlock name then [H.Flow_BLOCK (block node)] else List.map H.Flow_INLINE (inline node)
    | flow node = List.map H.Flow_INLINE (inline node)
  (* white space between blocks is nothing *)
  and flows nodes =
    let
      fun isBlockNode (Element {name, ...}) = isBlock name
        | isBlockNode (Text _) = false
    in
      List.concat (List.map
                     flow
                     (if List.exists isBlockNode nodes then List.filter (not o isBlank) nodes
                      else nodes))
    end
  and flowsOrParams nodes =
    List.concat (List.map
                   (fn Element {name = "PARAM", attrs, ...} =>
                         [H.FlowOrParam_PARAM (H.PARAM (attributes attrs))]
                     | node => List.map H.FlowOrParam_FLOW (flow node))
                   nodes)
  (* blocks and scripts; text between them becomes paragraphs *)
  and blocks nodes =
    let
      fun flush ([], done) = done
        | flush (line, done) =
            if List.all isBlank line then done
            else H.BlockOrScript_BLOCK (H.P ([], inlines (List.rev line))) :: done
      fun go ([], line, done) = List.rev (flush (line, done))
        | go ((node as Element {name, attrs, content, ...}) :: rest, line, done) =
            if isBlock name then
              go (rest, [], H.BlockOrScript_BLOCK (block node) :: flush (line, done))
            else if name = "SCRIPT" andalso List.all isBlank line then
              go (rest, [], H.BlockOrScript_SCRIPT (script (attrs, content)) :: done)
            else go (rest, node :: line, done)
        | go (node :: rest, line, done) = go (rest, node :: line, done)
    in
      go (nodes, [], [])
    end
  and onlyBlocks nodes =
    List.mapPartial (fn H.BlockOrScript_BLOCK b => SOME b | _ => NONE) (blocks nodes)
  and block (Text s) = H.P ([], inline (Text s))
    | block (Element {name, attrs, content, ...}) =
        let
          val a = attributes attrs
          fun text con = con (a, inlines content)
          fun list con = con (a, List.mapPartial item content)
        in
          case name of
            "P" => text H.P
          | "H1" => text H.H1
          | "H2" => text H.H2
          | "H3" => text H.H3
          | "H4" => text H.H4
          | "H5" => text H.H5
          | "H6" => text H.H6
          | "PRE" => text H.PRE
          | "ADDRESS" => text H.ADDRESS
          | "UL" => list H.UL
          | "OL" => list H.OL
          | "DIR" => list H.DIR
          | "MENU" => list H.MENU
          | "DL" =>
              H.DL (a,
                    List.mapPartial
                      (fn Element {name = "DT", attrs, content, ...} =>
                            SOME (H.DT (attributes attrs, inlines content))
                        | Element {name = "DD", attrs, content, ...} =>
                            SOME (H.DD (attributes attrs, flows content))
                        | _ => NONE)
                      content)
          | "DIV" => H.DIV (a, flows content)
          | "NOSCRIPT" => H.NOSCRIPT (a, onlyBlocks content)
          | "BLOCKQUOTE" => H.BLOCKQUOTE (a, blocks content)
          | "FORM" => H.FORM (a, blocks content)
          | "HR" => H.HR a
          | "TABLE" => H.TABLE (a, table content)
          | "FIELDSET" =>
              let
                fun isLegend (Element {name = "LEGEND", ...}) = true
                  | isLegend _ = false
                val (legends, rest) = List.partition isLegend content
              in
                H.FIELDSET (a,
                            case legends of
                              Element {attrs, content, ...} :: _ =>
                                SOME (H.LEGEND (attributes attrs, inlines content))
                            | _ => NONE,
                            flows rest)
              end
          | "CENTER" => H.CENTER (a, flows content)
          | _ => H.ISINDEX a
        end
  and item (Element {name = "LI", attrs, content, ...}) =
        SOME (H.LI (attributes attrs, flows content))
    | item _ = NONE
  (* rows that stand in no part of the table are one *)
  and table nodes =
    let
      fun col (Element {name = "COL", attrs, ...}) = SOME (attributes attrs)
        | col _ = NONE
      fun flush ([], done) = done
        | flush (rows, done) = H.TBODY ([], List.rev rows) :: done
      fun go ([], rows, done) = List.rev (flush (rows, done))
        | go (Element {name, attrs, content, ...} :: rest, rows, done) =
            let
              val a = attributes attrs
              fun part p = go (rest, [], p :: flush (rows, done))
              val inside = List.mapPartial row
            in
              case name of
                "TR" => go (rest, H.TR (a, List.mapPartial cell content) :: rows, done)
              | "CAPTION" => part (H.CAPTION (a, inlines content))
              | "COL" => part (H.COL a)
              | "COLGROUP" => part (H.COLGROUP (a, List.mapPartial col content))
              | "THEAD" => part (H.THEAD (a, inside content))
              | "TFOOT" => part (H.TFOOT (a, inside content))
              | "TBODY" => part (H.TBODY (a, inside content))
              | _ => go (rest, rows, done)
            end
        | go (_ :: rest, rows, done) = go (rest, rows, done)
    in
      go (nodes, [], [])
    end
  and row (Element {name = "TR", attrs, content, ...}) =
        SOME (H.TR (attributes attrs, List.mapPartial cell content))
    | row _ = NONE
  and cell (Element {name = "TD", attrs, content, ...}) =
        SOME (H.TD (attributes attrs, flows content))
    | cell (Element {name = "TH", attrs, content, ...}) =
        SOME (H.TH (attributes attrs, flows content))
    | cell _ = NONE

  fun headContent (Element {name, attrs, content, ...}) =
        let
          val a = attributes attrs
        in
          case name of
            "TITLE" => SOME (H.Head_TITLE (a, cdata (raw content)))
          | "BASE" => SOME (H.Head_BASE a)
          | "META" => SOME (H.Head_META a)
          | "LINK" => SOME (H.Head_LINK a)
          | "STYLE" => SOME (H.Head_STYLE (a, rawText content))
          | "SCRIPT" => SOME (H.Head_SCRIPT (script (attrs, content)))
          | "OBJECT" => SOME (H.Head_OBJECT (a, flowsOrParams content))
          | _ => NONE
        end
    | headContent _ = NONE

  fun body (attrs, content) = H.BODY (attributes attrs, blocks content)
  fun frameset (attrs, content) =
    let
      fun frame (Element {name = "FRAMESET", attrs, content, ...}) =
            SOME (H.FramesetOrFrame_FRAMESET (frameset (attrs, content)))
        | frame (Element {name = "FRAME", attrs, ...}) = SOME (H.FRAME (attributes attrs))
        | frame _ = NONE
      fun without (Element {name = "NOFRAMES", attrs, content, ...}) =
            let
              val inside =
                case List.find (fn Element {name = "BODY", ...} => true | _ => false) content of
                  SOME (Element {attrs, content, ...}) => (attrs, content)
                | _ => ([], content)
            in
              SOME (H.NOFRAMES (attributes attrs, body inside))
            end
        | without _ = NONE
    in
      H.FRAMESET (attributes attrs,
                  List.mapPartial frame content,
                  case List.mapPartial without content of n :: _ => SOME n | [] => NONE)
    end

  fun fromString text =
    let
      val (version, nodes) = parse (NONE, text)
      fun unfold (Element {name = "HTML", content, ...}) = List.concat (List.map unfold content)
        | unfold (Element {name = "HEAD", content, ...}) = content
        | unfold node = [node]
      val nodes = List.filter (not o isBlank) (List.concat (List.map unfold nodes))
      fun isHead (Element {name, ...}) = among headElements name orelse name = "SCRIPT"
        | isHead _ = false
      fun split (node :: rest, head) =
            if isHead node then split (rest, node :: head) else (List.rev head, node :: rest)
        | split ([], head) = (List.rev head, [])
      val (head, rest) = split (nodes, [])
      val content =
        case rest of
          [Element {name = "FRAMESET", attrs, content, ...}] =>
            H.BodyOrFrameset_FRAMESET (frameset (attrs, content))
        | [Element {name = "BODY", attrs, content, ...}] =>
            H.BodyOrFrameset_BODY (body (attrs, content))
        | _ =>
            H.BodyOrFrameset_BODY (body ([],
                                         List.concat (List.map
                                                        (fn Element {name = "BODY", content, ...} =>
                                                              content
                                                          | node => [node])
                                                        rest)))
    in
      if List.null nodes then NONE
      else
        SOME
          (H.HTML {version = version, head = List.mapPartial headContent head, content = content})
    end
end
