(* HTML4View: a tree of HTML 4.01 as elements with their names, whatever they are; HTML4Print: the text of a tree. *)

structure HTML4View =
struct
  local
    open HTML4
  in
    (* an element; one that has no content; text *)
    datatype node =
        Element of string * attributes * node list
      | Empty of string * attributes
      | Data of cdata list

    fun script (SCRIPT (attrs, text)) = Element ("SCRIPT", attrs, [Data text])
    fun param (PARAM attrs) = Empty ("PARAM", attrs)
    fun element (name, f) (attrs, content) = Element (name, attrs, List.map f content)
    fun inline i =
      case i of
        CDATA text => Data text
      | TT x => element ("TT", inline) x
      | I x => element ("I", inline) x
      | B x => element ("B", inline) x
      | BIG x => element ("BIG", inline) x
      | SMALL x => element ("SMALL", inline) x
      | U x => element ("U", inline) x
      | S x => element ("S", inline) x
      | STRIKE x => element ("STRIKE", inline) x
      | EM x => element ("EM", inline) x
      | STRONG x => element ("STRONG", inline) x
      | DFN x => element ("DFN", inline) x
      | CODE x => element ("CODE", inline) x
      | SAMP x => element ("SAMP", inline) x
      | KBD x => element ("KBD", inline) x
      | VAR x => element ("VAR", inline) x
      | CITE x => element ("CITE", inline) x
      | ABBR x => element ("ABBR", inline) x
      | ACRONYM x => element ("ACRONYM", inline) x
      | A x => element ("A", inline) x
      | Q x => element ("Q", inline) x
      | SUB x => element ("SUB", inline) x
      | SUP x => element ("SUP", inline) x
      | SPAN x => element ("SPAN", inline) x
      | BDO x => element ("BDO", inline) x
      | FONT x => element ("FONT", inline) x
      | LABEL x => element ("LABEL", inline) x
      | IMG attrs => Empty ("IMG", attrs)
      | OBJECT x => element ("OBJECT", flowOrParam) x
      | BR attrs => Empty ("BR", attrs)
      | Inline_SCRIPT s => script s
      | MAP x =>
          element ("MAP", fn BlockOrArea_BLOCK b => block b | AREA attrs => Empty ("AREA", attrs)) x
      | APPLET x => element ("APPLET", flowOrParam) x
      | BASEFONT attrs => Empty ("BASEFONT", attrs)
      | IFRAME x => element ("IFRAME", flow) x
      | INPUT attrs => Empty ("INPUT", attrs)
      | SELECT x =>
          element
            ("SELECT", fn OPTION x => option x | OPTGROUP x => element ("OPTGROUP", option) x)
            x
      | TEXTAREA (attrs, text) => Element ("TEXTAREA", attrs, [Data text])
      | BUTTON x => element ("BUTTON", flow) x
    and option (attrs, text) = Element ("OPTION", attrs, [Data text])
    and flowOrParam (FlowOrParam_FLOW f) = flow f
      | flowOrParam (FlowOrParam_PARAM p) = param p
    and flow (Flow_BLOCK b) = block b
      | flow (Flow_INLINE i) = inline i
    and item (LI x) = element ("LI", flow) x
    and blockOrScript (BlockOrScript_BLOCK b) = block b
      | blockOrScript (BlockOrScript_SCRIPT s) = script s
    and block b =
      case b of
        P x => element ("P", inline) x
      | H1 x => element ("H1", inline) x
      | H2 x => element ("H2", inline) x
      | H3 x => element ("H3", inline) x
      | H4 x => element ("H4", inline) x
      | H5 x => element ("H5", inline) x
      | H6 x => element ("H6", inline) x
      | PRE x => element ("PRE", inline) x
      | ADDRESS x => element ("ADDRESS", inline) x
      | UL x => element ("UL", item) x
      | OL x => element ("OL", item) x
      | DIR x => element ("DIR", item) x
      | MENU x => element ("MENU", item) x
      | DL x =>
          element ("DL", fn DT x => element ("DT", inline) x | DD x => element ("DD", flow) x) x
      | DIV x => element ("DIV", flow) x
      | NOSCRIPT x => element ("NOSCRIPT", block) x
      | BLOCKQUOTE x => element ("BLOCKQUOTE", blockOrScript) x
      | FORM x => element ("FORM", blockOrScript) x
      | HR attrs => Empty ("HR", attrs)
      | TABLE x => element ("TABLE", tableData) x
      | FIELDSET (attrs, legend, content) =>
          Element ("FIELDSET",
                   attrs,
                   (case legend of SOME (LEGEND x) => [element ("LEGEND", inline) x] | NONE => [])
                   @ List.map flow content)
      | CENTER x => element ("CENTER", flow) x
      | ISINDEX attrs => Empty ("ISINDEX", attrs)
    and tableData t =
      case t of
        CAPTION x => element ("CAPTION", inline) x
      | COL attrs => col attrs
      | COLGROUP x => element ("COLGROUP", col) x
      | THEAD x => element ("THEAD", row) x
      | TFOOT x => element ("TFOOT", row) x
      | TBODY x => element ("TBODY", row) x
    and col attrs = Empty ("COL", attrs)
    and row (TR x) =
      element ("TR", fn TH x => element ("TH", flow) x | TD x => element ("TD", flow) x) x

    fun headContent h =
      case h of
        Head_TITLE (attrs, text) => Element ("TITLE", attrs, [Data text])
      | Head_BASE attrs => Empty ("BASE", attrs)
      | Head_SCRIPT s => script s
      | Head_STYLE (attrs, text) => Element ("STYLE", attrs, [Data text])
      | Head_META attrs => Empty ("META", attrs)
      | Head_LINK attrs => Empty ("LINK", attrs)
      | Head_OBJECT x => element ("OBJECT", flowOrParam) x
    fun body (BODY x) = element ("BODY", blockOrScript) x
    fun frameset (FRAMESET (attrs, frames, noframes)) =
      let
        fun frame (FramesetOrFrame_FRAMESET f) = frameset f
          | frame (FRAME attrs) = Empty ("FRAME", attrs)
        val without =
          case noframes of
            SOME (NOFRAMES (attrs, b)) => [Element ("NOFRAMES", attrs, [body b])]
          | NONE => []
      in
        Element ("FRAMESET", attrs, List.map frame frames @ without)
      end
  end
end

signature HTML4_PRINT =
sig
  (* the whole, with its document type *)
  val prHTML : {putc : char -> unit, puts : string -> unit} -> HTML4.html -> unit
  (* likewise, a body alone, without the declaration of the document's type *)
  val prBODY : {putc : char -> unit, puts : string -> unit} -> HTML4.body -> unit
end

structure HTML4Print : HTML4_PRINT =
struct
  structure V = HTML4View
  (* elements that stand in lines of text *)
  val inText =
    ["TT", "I", "B", "BIG", "SMALL", "U", "S", "STRIKE", "EM", "STRONG", "DFN", "CODE", "SAMP",
     "KBD", "VAR", "CITE", "ABBR", "ACRONYM", "A", "Q", "SUB", "SUP", "SPAN", "BDO", "FONT",
     "LABEL", "IMG", "OBJECT", "BR", "SCRIPT", "MAP", "APPLET", "BASEFONT", "IFRAME", "INPUT",
     "SELECT", "TEXTAREA", "BUTTON"]
  fun isInText (V.Data _) = true
    | isInText (V.Element (name, _, _)) = List.exists (fn n => n = name) inText
    | isInText (V.Empty (name, _)) = List.exists (fn n => n = name) inText

  fun node (out as {putc, puts}) n =
    let
      fun attr (name, value) =
        (putc #" ";
         puts (Atom.toString name);
         case value of SOME text => (putc #"="; puts (HTMLValue'.quoted text)) | NONE => ())
      fun tag (name, attrs) = (putc #"<"; puts name; List.app attr attrs; putc #">")
      fun data d =
        case d of
          HTML4.PCDATA s => puts s
        | HTML4.ENTITY e => (puts "&"; puts (Atom.toString e); puts ";")
        | HTML4.CHAR n => (puts "&#"; puts (IntInf.toString n); puts ";")
        | HTML4.COMMENT s => (puts "<!--"; puts s; puts "-->")
    in
      case n of
        V.Data l => List.app data l
      | V.Empty (name, attrs) => tag (name, attrs)
      | V.Element (name, attrs, content) =>
          (tag (name, attrs);
           if List.all isInText content then List.app (node out) content
           else (putc #"\n"; lines out content);
           puts "</";
           puts name;
           putc #">")
    end
  (* each block, and the text between two, is a line *)
  and lines _ [] = ()
    | lines (out as {putc, ...}) (n :: rest) =
        (node out n;
         case rest of
           next :: _ => if isInText n andalso isInText next then () else putc #"\n"
         | [] => putc #"\n";
         lines out rest)

  fun prBODY out body = (node out (V.body body); #putc out #"\n")

  fun doctype kind = String.concat ["<!DOCTYPE HTML PUBLIC \"-//W3C//DTD HTML 4.01", kind, "\n"]
  val transitional = doctype " Transitional//EN\" \"http://www.w3.org/TR/html4/loose.dtd\">"
  val frames = doctype " Frameset//EN\" \"http://www.w3.org/TR/html4/frameset.dtd\">"
  fun prHTML (out as {puts, ...}) (HTML4.HTML {version, head, content}) =
    let
      val (kind, content) =
        case content of
          HTML4.BodyOrFrameset_BODY b => (transitional, V.body b)
        | HTML4.BodyOrFrameset_FRAMESET f => (frames, V.frameset f)
    in
      (case version of SOME v => (puts v; puts "\n") | NONE => puts kind);
      lines
        out
        [V.Element ("HTML", [], [V.Element ("HEAD", [], List.map V.headContent head), content])]
    end
end
