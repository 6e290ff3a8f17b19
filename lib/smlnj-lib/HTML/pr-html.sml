(* PrHTML: a tree of HTML -> its text. Each block begins a line. *)

signature PR_HTML =
sig
  (* Puts out the document, by a function for characters and one for strings. Texts and attributes stand as they are in
     the tree: nothing is escaped, but a quotation mark in the value of an attribute, where need be. *)
  val prHTML : {putc : char -> unit, puts : string -> unit} -> HTML.html -> unit
end

structure PrHTML : PR_HTML =
struct
  structure H = HTML

  (* attributes: there or not, text in quotation marks, a name or number without *)
  fun flag (name, yes) = if yes then " " ^ name else ""
  fun cdata (name, SOME text) = String.concat [" ", name, "=", HTMLValue'.quoted text]
    | cdata (_, NONE) = ""
  fun word toString (name, SOME x) = String.concat [" ", name, "=", toString x]
    | word _ (_, NONE) = ""
  val number = word Int.toString
  (* text that is a name, as a rule *)
  fun name (attr, value) =
    if value <> SOME "" andalso CharVector.all HTMLValue'.isNameChar (getOpt (value, "")) then
      word (fn s => s) (attr, value)
    else cdata (attr, value)
  val hAlign = word H.HAlign.toString
  val iAlign = word H.IAlign.toString
  val vAlign = word H.CellVAlign.toString

  fun prHTML {putc, puts} (H.HTML {version, head, body}) =
    let
      fun line () = putc #"\n"
      fun tag (name, attrs) = (puts "<"; puts name; List.app puts attrs; puts ">")
      fun endTag name = (puts "</"; puts name; puts ">")
      (* an element in lines of its own; one whose content stands in its line *)
      fun around (name, attrs, f) = (tag (name, attrs); line (); f (); endTag name; line ())
      fun within (name, attrs, f) = (tag (name, attrs); f (); endTag name)
      fun whole (name, attrs, f) = (within (name, attrs, f); line ())
      fun alone (name, attrs) = (tag (name, attrs); line ())

      fun headContent h =
        case h of
          H.Head_TITLE text => whole ("TITLE", [], fn () => puts text)
        | H.Head_ISINDEX {prompt} => alone ("ISINDEX", [cdata ("PROMPT", prompt)])
        | H.Head_BASE {href} => alone ("BASE", [cdata ("HREF", SOME href)])
        | H.Head_META {httpEquiv, name = metaName, content} =>
            alone ("META",
                   [name ("HTTP-EQUIV", httpEquiv),
                    name ("NAME", metaName),
                    cdata ("CONTENT", SOME content)])
        | H.Head_LINK {id, href, rel, rev, title} =>
            alone ("LINK",
                   [name ("ID", id),
                    cdata ("HREF", href),
                    cdata ("REL", rel),
                    cdata ("REV", rev),
                    cdata ("TITLE", title)])
        | H.Head_SCRIPT text => whole ("SCRIPT", [], fn () => puts text)
        | H.Head_STYLE text => whole ("STYLE", [], fn () => puts text)

      fun text t =
        case t of
          H.TextList l => List.app text l
        | H.PCDATA s => puts s
        | H.TT t => plain ("TT", t)
        | H.I t => plain ("I", t)
        | H.B t => plain ("B", t)
        | H.U t => plain ("U", t)
        | H.STRIKE t => plain ("STRIKE", t)
        | H.BIG t => plain ("BIG", t)
        | H.SMALL t => plain ("SMALL", t)
        | H.SUB t => plain ("SUB", t)
        | H.SUP t => plain ("SUP", t)
        | H.EM t => plain ("EM", t)
        | H.STRONG t => plain ("STRONG", t)
        | H.DFN t => plain ("DFN", t)
        | H.CODE t => plain ("CODE", t)
        | H.SAMP t => plain ("SAMP", t)
        | H.KBD t => plain ("KBD", t)
        | H.VAR t => plain ("VAR", t)
        | H.CITE t => plain ("CITE", t)
        | H.A {name, href, rel, rev, title, content} =>
            within ("A",
                    [cdata ("NAME", name),
                     cdata ("HREF", href),
                     cdata ("REL", rel),
                     cdata ("REV", rev),
                     cdata ("TITLE", title)],
                    fn () => text content)
        | H.IMG {src, alt, align, height, width, border, hspace, vspace, usemap, ismap} =>
            tag ("IMG",
                 [cdata ("SRC", SOME src),
                  cdata ("ALT", alt),
                  iAlign ("ALIGN", align),
                  cdata ("HEIGHT", height),
                  cdata ("WIDTH", width),
                  cdata ("BORDER", border),
                  cdata ("HSPACE", hspace),
                  cdata ("VSPACE", vspace),
                  cdata ("USEMAP", usemap),
                  flag ("ISMAP", ismap)])
        | H.APPLET {codebase, code, name, alt, align, height, width, hspace, vspace, content} =>
            within ("APPLET",
                    [cdata ("CODEBASE", codebase),
                     cdata ("CODE", SOME code),
                     cdata ("NAME", name),
                     cdata ("ALT", alt),
                     iAlign ("ALIGN", align),
                     cdata ("HEIGHT", height),
                     cdata ("WIDTH", width),
                     cdata ("HSPACE", hspace),
                     cdata ("VSPACE", vspace)],
                    fn () => text content)
        | H.PARAM {name, value} =>
            tag ("PARAM", [cdata ("NAME", SOME name), cdata ("VALUE", value)])
        | H.FONT {size, color, content} =>
            within ("FONT", [cdata ("SIZE", size), cdata ("COLOR", color)], fn () => text content)
        | H.BASEFONT {size, content} =>
            within ("BASEFONT", [cdata ("SIZE", size)], fn () => text content)
        | H.BR {clear} => (tag ("BR", [word H.TextFlowCtl.toString ("CLEAR", clear)]); line ())
        | H.MAP {name, content} =>
            around ("MAP", [cdata ("NAME", name)], fn () => List.app area content)
        | H.INPUT {ty, name, value, checked, size, maxlength, src, align} =>
            tag ("INPUT",
                 [word H.InputType.toString ("TYPE", ty),
                  cdata ("NAME", name),
                  cdata ("VALUE", value),
                  flag ("CHECKED", checked),
                  cdata ("SIZE", size),
                  number ("MAXLENGTH", maxlength),
                  cdata ("SRC", src),
                  iAlign ("ALIGN", align)])
        | H.SELECT {name, size, content} =>
            around ("SELECT",
                    [cdata ("NAME", SOME name), number ("SIZE", size)],
                    fn () => List.app option content)
        | H.TEXTAREA {name, rows, cols, content} =>
            within ("TEXTAREA",
                    [cdata ("NAME", SOME name),
                     number ("ROWS", SOME rows),
                     number ("COLS", SOME cols)],
                    fn () => puts content)
        | H.SCRIPT s => within ("SCRIPT", [], fn () => puts s)
      and plain (name, t) = within (name, [], fn () => text t)
      and area (H.AREA {shape, coords, href, nohref, alt}) =
        alone ("AREA",
               [word H.Shape.toString ("SHAPE", shape),
                cdata ("COORDS", coords),
                cdata ("HREF", href),
                flag ("NOHREF", nohref),
                cdata ("ALT", SOME alt)])
      and option (H.OPTION {selected, value, content}) =
        whole
          ("OPTION", [flag ("SELECTED", selected), cdata ("VALUE", value)], fn () => puts content)

      fun block b =
        case b of
          H.BlockList l => List.app block l
        | H.TextBlock t => (text t; line ())
        | H.Hn {n, align, content} =>
            whole ("H" ^ Int.toString n, [hAlign ("ALIGN", align)], fn () => text content)
        | H.ADDRESS b => around ("ADDRESS", [], fn () => block b)
        | H.P {align, content} => whole ("P", [hAlign ("ALIGN", align)], fn () => text content)
        | H.UL {ty, compact, content} =>
            list ("UL", [word H.ULStyle.toString ("TYPE", ty), flag ("COMPACT", compact)], content)
        | H.OL {ty, start, compact, content} =>
            list ("OL",
                  [cdata ("TYPE", ty), number ("START", start), flag ("COMPACT", compact)],
                  content)
        | H.DIR {compact, content} => list ("DIR", [flag ("COMPACT", compact)], content)
        | H.MENU {compact, content} => list ("MENU", [flag ("COMPACT", compact)], content)
        | H.DL {compact, content} =>
            around ("DL",
                    [flag ("COMPACT", compact)],
                    fn () =>
                      List.app
                        (fn {dt, dd} =>
                          (List.app (fn t => whole ("DT", [], fn () => text t)) dt;
                           around ("DD", [], fn () => block dd)))
                        content)
        | H.PRE {width, content} => whole ("PRE", [number ("WIDTH", width)], fn () => text content)
        | H.DIV {align, content} =>
            around ("DIV", [hAlign ("ALIGN", SOME align)], fn () => block content)
        | H.CENTER b => around ("CENTER", [], fn () => block b)
        | H.BLOCKQUOTE b => around ("BLOCKQUOTE", [], fn () => block b)
        | H.FORM {action, method, enctype, content} =>
            around ("FORM",
                    [cdata ("ACTION", action),
                     word H.HttpMethod.toString ("METHOD", SOME method),
                     cdata ("ENCTYPE", enctype)],
                    fn () => block content)
        | H.ISINDEX {prompt} => alone ("ISINDEX", [cdata ("PROMPT", prompt)])
        | H.HR {align, noshade, size, width} =>
            alone ("HR",
                   [hAlign ("ALIGN", align),
                    flag ("NOSHADE", noshade),
                    cdata ("SIZE", size),
                    cdata ("WIDTH", width)])
        | H.TABLE {align, width, border, cellspacing, cellpadding, caption, content} =>
            around ("TABLE",
                    [hAlign ("ALIGN", align),
                     cdata ("WIDTH", width),
                     cdata ("BORDER", border),
                     cdata ("CELLSPACING", cellspacing),
                     cdata ("CELLPADDING", cellpadding)],
                    fn () =>
                      (case caption of
                         SOME (H.CAPTION {align, content}) =>
                           whole ("CAPTION",
                                  [word H.CaptionAlign.toString ("ALIGN", align)],
                                  fn () => text content)
                       | NONE => ();
                       List.app row content))
      and list (name, attrs, items) = around (name, attrs, fn () => List.app item items)
      and item (H.LI {ty, value, content}) =
        around ("LI", [cdata ("TYPE", ty), number ("VALUE", value)], fn () => block content)
      and row (H.TR {align, valign, content}) =
        around ("TR",
                [hAlign ("ALIGN", align), vAlign ("VALIGN", valign)],
                fn () => List.app cell content)
      and cell (H.TH c) = cellOf ("TH", c)
        | cell (H.TD c) = cellOf ("TD", c)
      and cellOf (name, {nowrap, rowspan, colspan, align, valign, width, height, content}) =
        around (name,
                [flag ("NOWRAP", nowrap),
                 number ("ROWSPAN", rowspan),
                 number ("COLSPAN", colspan),
                 hAlign ("ALIGN", align),
                 vAlign ("VALIGN", valign),
                 cdata ("WIDTH", width),
                 cdata ("HEIGHT", height)],
                fn () => block content)

      val H.BODY {background, bgcolor, text = textColor, link, vlink, alink, content} = body
    in
      case version of
        SOME v => (puts "<!DOCTYPE HTML PUBLIC \""; puts v; puts "\">\n")
      | NONE => ();
      around ("HTML",
              [],
              fn () =>
                (around ("HEAD", [], fn () => List.app headContent head);
                 around ("BODY",
                         [cdata ("BACKGROUND", background),
                          cdata ("BGCOLOR", bgcolor),
                          cdata ("TEXT", textColor),
                          cdata ("LINK", link),
                          cdata ("VLINK", vlink),
                          cdata ("ALINK", alink)],
                         fn () => block content)))
    end
end
