(* HTMLParserFn: a file of HTML -> its tree.

   The markup's elements are made into what the document type has at their places. What has no place there is reported,
   and kept: in the part before it (the item of a list, the cell of a row), or as a part of its own. Only of what is in
   SELECT and in MAP nothing is kept but options and areas. *)

signature HTML_PARSER =
sig
  (* The tree of the file's document. What is wrong in it is told by the functions of HTML_ERROR, and left out or
     repaired. Raises IO.Io for the file. *)
  val parseFile : string -> HTML.html
end

functor HTMLParserFn (Err : HTML_ERROR) : HTML_PARSER =
struct
  structure H = HTML

  fun among names name = List.exists (fn n => n = name) names
  val styles =
    [("TT", H.TT),
     ("I", H.I),
     ("B", H.B),
     ("U", H.U),
     ("STRIKE", H.STRIKE),
     ("BIG", H.BIG),
     ("SMALL", H.SMALL),
     ("SUB", H.SUB),
     ("SUP", H.SUP),
     ("EM", H.EM),
     ("STRONG", H.STRONG),
     ("DFN", H.DFN),
     ("CODE", H.CODE),
     ("SAMP", H.SAMP),
     ("KBD", H.KBD),
     ("VAR", H.VAR),
     ("CITE", H.CITE)]
  val headings = ["H1", "H2", "H3", "H4", "H5", "H6"]
  (* each element with its attributes *)
  val cell = ["NOWRAP", "ROWSPAN", "COLSPAN", "ALIGN", "VALIGN", "WIDTH", "HEIGHT"]
  val headElements =
    [("TITLE", []),
     ("BASE", ["HREF"]),
     ("META", ["HTTP-EQUIV", "NAME", "CONTENT"]),
     ("LINK", ["ID", "HREF", "REL", "REV", "TITLE"]),
     ("STYLE", [])]
  val blockElements =
    List.map (fn h => (h, ["ALIGN"])) headings
    @ [("ADDRESS", []),
       ("P", ["ALIGN"]),
       ("UL", ["TYPE", "COMPACT"]),
       ("OL", ["TYPE", "START", "COMPACT"]),
       ("DIR", ["COMPACT"]),
       ("MENU", ["COMPACT"]),
       ("DL", ["COMPACT"]),
       ("PRE", ["WIDTH"]),
       ("DIV", ["ALIGN"]),
       ("CENTER", []),
       ("BLOCKQUOTE", []),
       ("FORM", ["ACTION", "METHOD", "ENCTYPE"]),
       ("ISINDEX", ["PROMPT"]),
       ("HR", ["ALIGN", "NOSHADE", "SIZE", "WIDTH"]),
       ("TABLE", ["ALIGN", "WIDTH", "BORDER", "CELLSPACING", "CELLPADDING"])]
  val partElements =
    [("HTML", ["VERSION"]),
     ("HEAD", []),
     ("BODY", ["BACKGROUND", "BGCOLOR", "TEXT", "LINK", "VLINK", "ALINK"]),
     ("LI", ["TYPE", "VALUE"]),
     ("DT", []),
     ("DD", []),
     ("CAPTION", ["ALIGN"]),
     ("TR", ["ALIGN", "VALIGN"]),
     ("TH", cell),
     ("TD", cell),
     ("AREA", ["SHAPE", "COORDS", "HREF", "NOHREF", "ALT"]),
     ("OPTION", ["SELECTED", "VALUE"])]
  val textElements =
    List.map (fn (name, _) => (name, [])) styles
    @ [("A", ["NAME", "HREF", "REL", "REV", "TITLE"]),
       ("IMG",
        ["SRC", "ALT", "ALIGN", "HEIGHT", "WIDTH", "BORDER", "HSPACE", "VSPACE", "USEMAP",
         "ISMAP"]),
       ("APPLET",
        ["CODEBASE", "CODE", "NAME", "ALT", "ALIGN", "HEIGHT", "WIDTH", "HSPACE", "VSPACE"]),
       ("PARAM", ["NAME", "VALUE"]),
       ("FONT", ["SIZE", "COLOR"]),
       ("BASEFONT", ["SIZE"]),
       ("BR", ["CLEAR"]),
       ("MAP", ["NAME"]),
       ("INPUT", ["TYPE", "NAME", "VALUE", "CHECKED", "SIZE", "MAXLENGTH", "SRC", "ALIGN"]),
       ("SELECT", ["NAME", "SIZE"]),
       ("TEXTAREA", ["NAME", "ROWS", "COLS"]),
       ("SCRIPT", [])]
  val elements = headElements @ blockElements @ partElements @ textElements
  fun names l = List.map #1 l
  val isHead = among (names headElements)
  val isBlock = among (names blockElements)

  structure Markup =
    HTMLMarkupFn (structure Err = Err
                  val isKnown = among (names elements)
                  val isEmpty =
                    among ["BASE", "META", "LINK", "ISINDEX", "HR", "AREA", "IMG", "PARAM",
                           "BASEFONT", "BR", "INPUT"]
                  val isRaw = among ["TITLE", "STYLE", "SCRIPT", "TEXTAREA"]
                  (* of what is left open in a cell nothing goes beyond it *)
                  fun isBarrier (name, inner) =
                    if among ["TD", "TH", "TR", "CAPTION"] inner then name = "TABLE"
                    else among ["UL", "OL", "DIR", "MENU", "DL", "TABLE", "SELECT"] name
                  fun ends (inner, name) =
                    case inner of
                      "P" =>
                        isBlock name
                        orelse among ["LI", "DT", "DD", "TR", "TD", "TH", "CAPTION"] name
                    | "LI" => name = "LI"
                    | "DT" => among ["DT", "DD"] name
                    | "DD" => among ["DT", "DD"] name
                    | "TD" => among ["TD", "TH", "TR"] name
                    | "TH" => among ["TD", "TH", "TR"] name
                    | "TR" => name = "TR"
                    | "CAPTION" => among ["TR", "TD", "TH"] name
                    | "OPTION" => name = "OPTION"
                    | "HEAD" => name = "BODY" orelse isBlock name andalso name <> "ISINDEX"
                    | _ => among headings inner andalso among headings name)
  open Markup
  type element = {name : string, attrs : attribute list, line : int, content : node list}

  fun make (file, version, nodes) =
    let
      fun context ({line, ...} : element) = {file = SOME file, line = line}
      fun syntaxError (e : element, message) = Err.syntaxError (context e) message

      (* -- attributes *)

      fun value (e : element, name) = Option.map #2 (List.find (fn (n, _) => n = name) (#attrs e))
      fun flag (e, name) = isSome (value (e, name))
      fun cdata (e, name) =
        case value (e, name) of
          SOME NONE => (Err.missingAttrVal (context e) name; NONE)
        | SOME found => found
        | NONE => NONE
      fun read scan (e, name) =
        case cdata (e, name) of
          NONE => NONE
        | SOME text =>
            case scan text of
              NONE => (Err.badAttrVal (context e) (name, text); NONE)
            | found => found
      fun number e = read (fn text => Int.fromString text handle Overflow => NONE) e
      val hAlign = read H.HAlign.fromString
      val iAlign = read H.IAlign.fromString
      val vAlign = read H.CellVAlign.fromString
      (* one that must be there *)
      fun required get other (e, name) =
        case get (e, name) of
          SOME x => x
        | NONE => (if flag (e, name) then () else Err.missingAttr (context e) name; other)
      val text' = required cdata ""
      fun checkAttrs (e : element) =
        case List.find (fn (n, _) => n = #name e) elements of
          SOME (_, known) =>
            List.app
              (fn (n, _) => if among known n then () else Err.unknownAttr (context e) n)
              (#attrs e)
        | NONE => ()

      (* -- text *)

      fun raw (nodes : node list) =
        String.concat (List.map (fn Text s => s | Element {content, ...} => raw content) nodes)
      val rawOf = fn e : element => raw (#content e)
      fun oneOrAll (_, [x]) = x
        | oneOrAll (all, l) = all l

      fun misplaced (e : element) node =
        case node of
          Element inner =>
            syntaxError (inner, "<" ^ #name inner ^ "> has no place in <" ^ #name e ^ ">")
        | Text _ => syntaxError (e, "text has no place in <" ^ #name e ^ ">")
      (* what an element is made of: elements of some names, and one that anything else can be in *)
      fun partsOf (e : element, names, takes, own) =
        gathered
          {isPart = among names, takes = takes, own = own, line = #line e, report = misplaced e}
          (#content e)
      (* likewise, elements of one name *)
      fun parts (e, name, f) =
        List.map (fn inner => (checkAttrs inner; f inner)) (partsOf (e, [name], fn _ => true, name))
      (* the elements of one name, also those that are in others; nothing else can be in the element *)
      fun within (e : element, name, f) =
        let
          fun found node =
            case node of
              Element inner =>
                if #name inner = name then (checkAttrs inner; [f inner])
                else (misplaced e node; List.concat (List.map found (#content inner)))
            | Text _ => (if isBlank node then () else misplaced e node; [])
        in
          List.concat (List.map found (#content e))
        end

      fun text nodes = oneOrAll (H.TextList, List.mapPartial inline nodes)
      and inline (Text s) = SOME (H.PCDATA s)
        | inline (Element e) = (checkAttrs e; SOME (element e))
      and element (e as {name, content, ...} : element) =
        case List.find (fn (n, _) => n = name) styles of
          SOME (_, style) => style (text content)
        | NONE =>
            case name of
              "A" =>
                H.A {name = cdata (e, "NAME"),
                     href = cdata (e, "HREF"),
                     rel = cdata (e, "REL"),
                     rev = cdata (e, "REV"),
                     title = cdata (e, "TITLE"),
                     content = text content}
            | "IMG" =>
                H.IMG {src = text' (e, "SRC"),
                       alt = cdata (e, "ALT"),
                       align = iAlign (e, "ALIGN"),
                       height = cdata (e, "HEIGHT"),
                       width = cdata (e, "WIDTH"),
                       border = cdata (e, "BORDER"),
                       hspace = cdata (e, "HSPACE"),
                       vspace = cdata (e, "VSPACE"),
                       usemap = cdata (e, "USEMAP"),
                       ismap = flag (e, "ISMAP")}
            | "APPLET" =>
                H.APPLET {codebase = cdata (e, "CODEBASE"),
                          code = text' (e, "CODE"),
                          name = cdata (e, "NAME"),
                          alt = cdata (e, "ALT"),
                          align = iAlign (e, "ALIGN"),
                          height = cdata (e, "HEIGHT"),
                          width = cdata (e, "WIDTH"),
                          hspace = cdata (e, "HSPACE"),
                          vspace = cdata (e, "VSPACE"),
                          content = text content}
            | "PARAM" => H.PARAM {name = text' (e, "NAME"), value = cdata (e, "VALUE")}
            | "FONT" =>
                H.FONT
                  {size = cdata (e, "SIZE"), color = cdata (e, "COLOR"), content = text content}
            | "BASEFONT" => H.BASEFONT {size = cdata (e, "SIZE"), content = text content}
            | "BR" => H.BR {clear = read H.TextFlowCtl.fromString (e, "CLEAR")}
            | "MAP" => H.MAP {name = cdata (e, "NAME"), content = within (e, "AREA", area)}
            | "INPUT" =>
                H.INPUT {ty = read H.InputType.fromString (e, "TYPE"),
                         name = cdata (e, "NAME"),
                         value = cdata (e, "VALUE"),
                         checked = flag (e, "CHECKED"),
                         size = cdata (e, "SIZE"),
                         maxlength = number (e, "MAXLENGTH"),
                         src = cdata (e, "SRC"),
                         align = iAlign (e, "ALIGN")}
            | "SELECT" =>
                H.SELECT {name = text' (e, "NAME"),
                          size = number (e, "SIZE"),
                          content = within (e, "OPTION", option)}
            | "TEXTAREA" =>
                H.TEXTAREA {name = text' (e, "NAME"),
                            rows = required number 0 (e, "ROWS"),
                            cols = required number 0 (e, "COLS"),
                            content = rawOf e}
            | "SCRIPT" => H.SCRIPT (rawOf e)
            | _ => (syntaxError (e, "<" ^ name ^ "> has no place in text"); text content)
      and area e =
        H.AREA {shape = read H.Shape.fromString (e, "SHAPE"),
                coords = cdata (e, "COORDS"),
                href = cdata (e, "HREF"),
                nohref = flag (e, "NOHREF"),
                alt = text' (e, "ALT")}
      and option e =
        H.OPTION {selected = flag (e, "SELECTED"), value = cdata (e, "VALUE"), content = rawOf e}

      (* -- blocks *)

      (* lines of text between blocks are blocks *)
      fun blocks nodes =
        let
          fun flush ([], done) = done
            | flush (line, done) =
                if List.all isBlank line then done else H.TextBlock (text (List.rev line)) :: done
          fun go ([], line, done) = List.rev (flush (line, done))
            | go ((node as Element e) :: rest, line, done) =
                if isBlock (#name e) then
                  (checkAttrs e; go (rest, [], block e :: flush (line, done)))
                else go (rest, node :: line, done)
            | go (node :: rest, line, done) =
                go (rest, if List.null line andalso isBlank node then [] else node :: line, done)
        in
          oneOrAll (H.BlockList, go (nodes, [], []))
        end
      and block (e as {name, content, ...} : element) =
        case name of
          "ADDRESS" => H.ADDRESS (blocks content)
        | "P" => H.P {align = hAlign (e, "ALIGN"), content = text content}
        | "UL" =>
            H.UL {ty = read H.ULStyle.fromString (e, "TYPE"),
                  compact = flag (e, "COMPACT"),
                  content = parts (e, "LI", item)}
        | "OL" =>
            H.OL {ty = cdata (e, "TYPE"),
                  start = number (e, "START"),
                  compact = flag (e, "COMPACT"),
                  content = parts (e, "LI", item)}
        | "DIR" => H.DIR {compact = flag (e, "COMPACT"), content = parts (e, "LI", item)}
        | "MENU" => H.MENU {compact = flag (e, "COMPACT"), content = parts (e, "LI", item)}
        | "DL" => H.DL {compact = flag (e, "COMPACT"), content = definitions e}
        | "PRE" => H.PRE {width = number (e, "WIDTH"), content = text content}
        | "DIV" =>
            H.DIV {align = getOpt (hAlign (e, "ALIGN"), H.HAlign.left), content = blocks content}
        | "CENTER" => H.CENTER (blocks content)
        | "BLOCKQUOTE" => H.BLOCKQUOTE (blocks content)
        | "FORM" =>
            H.FORM {action = cdata (e, "ACTION"),
                    method = getOpt (read methodOf (e, "METHOD"), HTMLDefaults.form_method),
                    enctype = cdata (e, "ENCTYPE"),
                    content = blocks content}
        | "ISINDEX" => H.ISINDEX {prompt = cdata (e, "PROMPT")}
        | "HR" =>
            H.HR {align = hAlign (e, "ALIGN"),
                  noshade = flag (e, "NOSHADE"),
                  size = cdata (e, "SIZE"),
                  width = cdata (e, "WIDTH")}
        | "TABLE" =>
            let
              val (captions, rows) = first ("CAPTION", content)
              val rowsOnly = {name = name, attrs = #attrs e, line = #line e, content = rows}
            in
              H.TABLE {align = hAlign (e, "ALIGN"),
                       width = cdata (e, "WIDTH"),
                       border = border e,
                       cellspacing = cdata (e, "CELLSPACING"),
                       cellpadding = cdata (e, "CELLPADDING"),
                       caption = Option.map caption captions,
                       content = parts (rowsOnly, "TR", row)}
            end
        | _ =>
            H.Hn {n = Char.ord (String.sub (name, 1)) - Char.ord #"0",
                  align = hAlign (e, "ALIGN"),
                  content = text content}
      (* POST, which the enumeration does not have, sends as PUT does *)
      and methodOf s =
        case capitals s of "POST" => SOME H.HttpMethod.put | _ => H.HttpMethod.fromString s
      (* BORDER alone is a border of one pixel *)
      and border e = case value (e, "BORDER") of SOME NONE => SOME "1" | _ => cdata (e, "BORDER")
      and item e =
        H.LI {ty = cdata (e, "TYPE"), value = number (e, "VALUE"), content = blocks (#content e)}
      and caption e =
        (checkAttrs e;
         H.CAPTION
           {align = read H.CaptionAlign.fromString (e, "ALIGN"), content = text (#content e)})
      and row e =
        let
          fun each (c as {name, ...}) =
            (checkAttrs c; (if name = "TH" then H.TH else H.TD) (cellOf c))
        in
          H.TR {align = hAlign (e, "ALIGN"),
                valign = vAlign (e, "VALIGN"),
                content = List.map each (partsOf (e, ["TH", "TD"], fn _ => true, "TD"))}
        end
      and cellOf e =
        {nowrap = flag (e, "NOWRAP"),
         rowspan = number (e, "ROWSPAN"),
         colspan = number (e, "COLSPAN"),
         align = hAlign (e, "ALIGN"),
         valign = vAlign (e, "VALIGN"),
         width = cdata (e, "WIDTH"),
         height = cdata (e, "HEIGHT"),
         content = blocks (#content e)}
      (* terms, then what they mean *)
      and definitions e =
        let
          fun go ([], [], done) = List.rev done
            | go ([], terms, done) = List.rev ({dt = List.rev terms, dd = H.BlockList []} :: done)
            | go ((e as {name, content, ...} : element) :: rest, terms, done) =
                (checkAttrs e;
                 if name = "DT" then go (rest, text content :: terms, done)
                 else go (rest, [], {dt = List.rev terms, dd = blocks content} :: done))
        in
          go (partsOf (e, ["DT", "DD"], fn name => name = "DD", "DD"), [], [])
        end

      fun headContent (e as {name, ...} : element) =
        (checkAttrs e;
         case name of
           "TITLE" => SOME (H.Head_TITLE (rawOf e))
         | "BASE" => SOME (H.Head_BASE {href = text' (e, "HREF")})
         | "META" =>
             SOME (H.Head_META {httpEquiv = cdata (e, "HTTP-EQUIV"),
                                name = cdata (e, "NAME"),
                                content = text' (e, "CONTENT")})
         | "LINK" =>
             SOME (H.Head_LINK {id = cdata (e, "ID"),
                                href = cdata (e, "HREF"),
                                rel = cdata (e, "REL"),
                                rev = cdata (e, "REV"),
                                title = cdata (e, "TITLE")})
         | "STYLE" => SOME (H.Head_STYLE (rawOf e))
         | "SCRIPT" => SOME (H.Head_SCRIPT (rawOf e))
         | "ISINDEX" => SOME (H.Head_ISINDEX {prompt = cdata (e, "PROMPT")})
         | _ => (syntaxError (e, "<" ^ name ^ "> has no place in <HEAD>"); NONE))

      val (heads, rest) =
        headAndBody (fn name => isHead name orelse name = "SCRIPT" orelse name = "ISINDEX") nodes
      val head = List.mapPartial (fn Element e => headContent e | Text _ => NONE) heads
      val body = bodyOf rest
      val () = checkAttrs body
    in
      H.HTML {version = version,
              head = head,
              body =
                H.BODY {background = cdata (body, "BACKGROUND"),
                        bgcolor = cdata (body, "BGCOLOR"),
                        text = cdata (body, "TEXT"),
                        link = cdata (body, "LINK"),
                        vlink = cdata (body, "VLINK"),
                        alink = cdata (body, "ALINK"),
                        content = blocks (#content body)}}
    end

  fun parseFile file =
    let
      val stream = TextIO.openIn file
      val text = TextIO.inputAll stream handle e => (TextIO.closeIn stream; raise e)
      val () = TextIO.closeIn stream
      val (doctype, nodes) = parse (SOME file, text)
      (* the public name is what stands between the first quotation marks *)
      val version =
        case String.fields (fn c => c = #"\"") (getOpt (doctype, "")) of
          _ :: public :: _ => SOME public
        | _ => NONE
    in
      make (file, version, nodes)
    end
end
