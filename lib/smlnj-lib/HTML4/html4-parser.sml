(* HTML4Parser: a text of HTML 4.01 -> its tree.

   By HTMLMarkupFn. What has no place where it stands is made part of the nearest thing that may be there: text in a
   body becomes a paragraph; what is no item of a list, or no cell of a row, is kept in the one before it, or becomes
   one; unknown tags are left out and what they contain is kept. Of what is in SELECT only options are kept. *)

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
                  (* Of what is left open in a cell nothing goes beyond it. Those of the last line contain blocks, and
                     stand in a paragraph. *)
                  fun isBarrier (name, inner) =
                    if among
                         ["TD", "TH", "TR", "THEAD", "TFOOT", "TBODY", "COLGROUP", "CAPTION"]
                         inner
                    then name = "TABLE"
                    else
                      among
                        ["UL", "OL", "DIR", "MENU", "DL", "TABLE", "SELECT", "BUTTON", "OBJECT",
                         "IFRAME", "APPLET", "MAP"]
                        name
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
  type element = {name : string, attrs : attribute list, line : int, content : node list}

  fun attributes l =
    List.map (fn (name, value) => (Atom.atom (String.map Char.toLower name), value)) l

  (* text with its entities *)
  fun cdata text =
    let
      fun add ("", l) = l
        | add (s, l) = H.PCDATA s :: l
      (* nothing but digits *)
      fun number (radix, isDigit, digits) =
        if CharVector.all isDigit digits then
          Option.map H.CHAR (StringCvt.scanString (IntInf.scan radix) digits)
        else NONE
      fun reference word =
        if String.isPrefix "#x" word orelse String.isPrefix "#X" word then
          number (StringCvt.HEX, Char.isHexDigit, String.extract (word, 2, NONE))
        else if String.isPrefix "#" word then
          number (StringCvt.DEC, Char.isDigit, String.extract (word, 1, NONE))
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
  fun rawText content = case raw content of "" => [] | s => [H.PCDATA s]

  (* -- what may stand where *)

  (* elements of some names, one of which anything else can be in *)
  fun parts (names, takes, own) nodes =
    gathered {isPart = among names, takes = takes, own = own, line = 1, report = ignore} nodes

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
          | "MAP" => [H.MAP (a, blocksAndAreas content)]
          | "APPLET" => [H.APPLET (a, flowsOrParams content)]
          | "BASEFONT" => [H.BASEFONT a]
          | "IFRAME" => [H.IFRAME (a, flows content)]
          | "INPUT" => [H.INPUT a]
          | "SELECT" => [H.SELECT (a, choices content)]
          | "TEXTAREA" => [H.TEXTAREA (a, cdata (raw content))]
          | "BUTTON" => [H.BUTTON (a, flows content)]
          | _ => inlines content
        end
  and option (attrs, content) = (attributes attrs, cdata (raw content))
  (* also those that are in other elements *)
  and choices nodes =
    let
      fun choice (Element {name = "OPTION", attrs, content, ...}) =
            [H.OPTION (option (attrs, content))]
        | choice (Element {name = "OPTGROUP", attrs, content, ...}) =
            [H.OPTGROUP (attributes attrs, List.concat (List.map options content))]
        | choice (Element {content, ...}) = choices content
        | choice (Text _) = []
      and options (Element {name = "OPTION", attrs, content, ...}) = [option (attrs, content)]
        | options (Element {content, ...}) = List.concat (List.map options content)
        | options (Text _) = []
    in
      List.concat (List.map choice nodes)
    end
  (* text becomes paragraphs; the areas that are in other elements stand behind them *)
  and blocksAndAreas nodes =
    let
      fun areas (Element {name = "AREA", attrs, ...}) = [H.AREA (attributes attrs)]
        | areas (Element {name = "MAP", ...}) = []
        | areas (Element {content, ...}) = List.concat (List.map areas content)
        | areas (Text _) = []
      fun flush ([], done) = done
        | flush (line, done) =
            if List.all isBlank line then done
            else H.BlockOrArea_BLOCK (H.P ([], inlines (List.rev line))) :: done
      fun go ([], line, done) = List.rev (flush (line, done))
        | go (node :: rest, line, done) =
            case (node, areas node) of
              (Element {name = "AREA", ...}, l) => go (rest, [], l @ flush (line, done))
            | (Element {name, ...}, l) =>
                if isBlock name then
                  go (rest,
                      [],
                      List.revAppend (l, H.BlockOrArea_BLOCK (block node) :: flush (line, done)))
                else if List.null l then go (rest, node :: line, done)
                else go (rest, [], List.revAppend (l, flush (node :: line, done)))
            | (Text _, _) => go (rest, node :: line, done)
    in
      go (nodes, [], [])
    end
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
    List.map
      (fn H.BlockOrScript_BLOCK b => b
        | H.BlockOrScript_SCRIPT s => H.P ([], [H.Inline_SCRIPT s]))
      (blocks nodes)
  and block (Text s) = H.P ([], inline (Text s))
    | block (Element {name, attrs, content, ...}) =
        let
          val a = attributes attrs
          fun text con = con (a, inlines content)
          fun list con = con (a, items content)
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
                    List.map
                      (fn {name, attrs, content, ...} =>
                        if name = "DT" then H.DT (attributes attrs, inlines content)
                        else H.DD (attributes attrs, flows content))
                      (parts (["DT", "DD"], fn name => name = "DD", "DD") content))
          | "DIV" => H.DIV (a, flows content)
          | "NOSCRIPT" => H.NOSCRIPT (a, onlyBlocks content)
          | "BLOCKQUOTE" => H.BLOCKQUOTE (a, blocks content)
          | "FORM" => H.FORM (a, blocks content)
          | "HR" => H.HR a
          | "TABLE" => H.TABLE (a, table content)
          | "FIELDSET" =>
              let
                val (legends, rest) = first ("LEGEND", content)
                fun legend ({attrs, content, ...} : element) =
                  H.LEGEND (attributes attrs, inlines content)
              in
                H.FIELDSET (a, Option.map legend legends, flows rest)
              end
          | "CENTER" => H.CENTER (a, flows content)
          | _ => H.ISINDEX a
        end
  and items nodes =
    List.map
      (fn {attrs, content, ...} => H.LI (attributes attrs, flows content))
      (parts (["LI"], fn _ => true, "LI") nodes)
  (* rows that stand in no part of the table are one *)
  and table nodes =
    let
      val rowsIn = among ["TR", "THEAD", "TFOOT", "TBODY"]
      fun col (Element {name = "COL", attrs, ...}) = SOME (attributes attrs)
        | col _ = NONE
      fun isCol (Element {name = "COL", ...}) = true
        | isCol _ = false
      (* what else stands in a group of columns stands behind it *)
      fun ungrouped (node as Element {name = "COLGROUP", content, ...}) =
            node :: List.filter (not o isCol) content
        | ungrouped node = [node]
      fun flush ([], done) = done
        | flush (rows, done) = H.TBODY ([], List.rev rows) :: done
      fun go ([], rows, done) = List.rev (flush (rows, done))
        | go ((e as {name, attrs, content, ...} : element) :: rest, rows, done) =
            let
              val a = attributes attrs
              fun part p = go (rest, [], p :: flush (rows, done))
            in
              case name of
                "CAPTION" => part (H.CAPTION (a, inlines content))
              | "COL" => part (H.COL a)
              | "COLGROUP" => part (H.COLGROUP (a, List.mapPartial col content))
              | "THEAD" => part (H.THEAD (a, rowsOf content))
              | "TFOOT" => part (H.TFOOT (a, rowsOf content))
              | "TBODY" => part (H.TBODY (a, rowsOf content))
              | _ => go (rest, row e :: rows, done)
            end
    in
      go (parts
            (["TR", "CAPTION", "COL", "COLGROUP", "THEAD", "TFOOT", "TBODY"], rowsIn, "TR")
            (List.concat (List.map ungrouped nodes)),
          [],
          [])
    end
  and rowsOf nodes = List.map row (parts (["TR"], fn _ => true, "TR") nodes)
  and row ({attrs, content, ...} : element) =
    H.TR (attributes attrs, List.map cell (parts (["TD", "TH"], fn _ => true, "TD") content))
  and cell ({name, attrs, content, ...} : element) =
    (if name = "TH" then H.TH else H.TD) (attributes attrs, flows content)

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

  fun body nodes =
    let
      val {attrs, content, ...} = bodyOf nodes
    in
      H.BODY (attributes attrs, blocks content)
    end
  (* what is no frame is for those who see none *)
  fun frameset (attrs, content) =
    let
      fun isFrame (Element {name, ...}) = among ["FRAMESET", "FRAME"] name
        | isFrame (Text _) = false
      val (frames, others) = List.partition isFrame content
      fun frame (Element {name = "FRAMESET", attrs, content, ...}) =
            SOME (H.FramesetOrFrame_FRAMESET (frameset (attrs, content)))
        | frame (Element {attrs, ...}) = SOME (H.FRAME (attributes attrs))
        | frame (Text _) = NONE
      fun inside (Element {name = "NOFRAMES", content, ...}) = content
        | inside node = [node]
      val noframes =
        if List.all isBlank others then NONE
        else
          SOME (H.NOFRAMES (case #1 (first ("NOFRAMES", others)) of
                              SOME {attrs, ...} => attributes attrs
                            | NONE => [],
                            body (List.concat (List.map inside others))))
    in
      H.FRAMESET (attributes attrs, List.mapPartial frame frames, noframes)
    end

  fun fromString text =
    let
      val (version, nodes) = parse (NONE, text)
      val (head, rest) =
        headAndBody (fn name => among headElements name orelse name = "SCRIPT") nodes
      (* text before the frames is beside them *)
      fun content (front, Element {name = "FRAMESET", attrs, content, ...} :: rest) =
            H.BodyOrFrameset_FRAMESET (frameset (attrs, content @ List.revAppend (front, rest)))
        | content (front, (node as Text _) :: rest) = content (node :: front, rest)
        | content _ = H.BodyOrFrameset_BODY (body rest)
    in
      if List.null head andalso List.all isBlank rest then NONE
      else
        SOME (H.HTML {version = version,
                      head = List.mapPartial headContent head,
                      content = content ([], rest)})
    end
end
