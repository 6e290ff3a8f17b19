(* HTML4Attrs: the attributes of HTML 4.01, made of their values; those without a value as they are. *)

structure HTML4Attrs =
struct
  local
    fun valued name =
      let val name = Atom.atom name in fn value : string => (name, SOME value) : HTML4.attribute end
    fun alone name = (Atom.atom name, NONE) : HTML4.attribute
  in
    (* A short form of a table cell's heading. *)
    val abbr = valued "abbr"
    (* The media types that a server takes from a form or a field for files. *)
    val accept = valued "accept"
    (* The encodings that a server takes from a form. *)
    val accept_charset = valued "accept-charset"
    (* The address that a form is sent to. *)
    val action = valued "action"
    (* Where an element or its content stands: left, center, right, top. *)
    val align = valued "align"
    (* The colour of a link while it is chosen. *)
    val alink = valued "alink"
    (* The text that stands for a picture where it is not shown. *)
    val alt = valued "alt"
    (* Addresses of archives that an object or applet needs. *)
    val archive = valued "archive"
    (* The groups that a table cell belongs to. *)
    val axis = valued "axis"
    (* The address of a picture behind the page. *)
    val background = valued "background"
    (* The colour of the background. *)
    val bgcolor = valued "bgcolor"
    (* How thick the border is, in pixels. *)
    val border = valued "border"
    (* The space between a cell's border and its content. *)
    val cellpadding = valued "cellpadding"
    (* The space between cells. *)
    val cellspacing = valued "cellspacing"
    (* The character on which the cells of a column are aligned. *)
    val char = valued "char"
    (* How far from the edge that character stands. *)
    val charoff = valued "charoff"
    (* The encoding of what a link leads to. *)
    val charset = valued "charset"
    (* That a box or button is on at first. *)
    val checked = valued "checked"
    (* The address of what a quotation, or a change, comes from. *)
    val cite = valued "cite"
    (* The classes of an element, parted by blanks. *)
    val class = valued "class"
    (* The address of an object's implementation. *)
    val classid = valued "classid"
    (* On which sides of a line break nothing may float. *)
    val clear = valued "clear"
    (* The file of an applet's class. *)
    val code = valued "code"
    (* The address that other addresses of an object are relative to. *)
    val codebase = valued "codebase"
    (* The media type of what `classid` names. *)
    val codetype = valued "codetype"
    (* The colour of text. *)
    val color = valued "color"
    (* The columns of a text area in characters, or the widths of the columns of frames. *)
    val cols = valued "cols"
    (* How many columns a cell takes. *)
    val colspan = valued "colspan"
    (* That a list is to be shown with less space. *)
    val compact = alone "compact"
    (* The value of a `META` element. *)
    val content = valued "content"
    (* The corners of an area, or its centre and radius. *)
    val coords = valued "coords"
    (* The address of an object's data. *)
    val data = valued "data"
    (* When a change was made, as ISO 8601 has it. *)
    val datetime = valued "datetime"
    (* That an object is declared only, and made when it is used. *)
    val declare = alone "declare"
    (* That a script writes nothing into the document and may run later. *)
    val defer = alone "defer"
    (* The direction of text: ltr or rtl. *)
    val dir = valued "dir"
    (* That a field cannot be used. *)
    val disabled = alone "disabled"
    (* The media type in which a form is sent. *)
    val enctype = valued "enctype"
    (* The names of fonts, parted by commas. *)
    val face = valued "face"
    (* The `id` of the field that a label belongs to. *)
    val for = valued "for"
    (* Which outer borders of a table are drawn. *)
    val frame = valued "frame"
    (* Whether a frame has a border: 1 or 0. *)
    val frameborder = valued "frameborder"
    (* The `id`s of the cells that head this one. *)
    val headers = valued "headers"
    (* The height, in pixels or a percentage. *)
    val height = valued "height"
    (* The address that a link leads to. *)
    val href = valued "href"
    (* The language of what a link leads to. *)
    val hreflang = valued "hreflang"
    (* The space to the left and right of a picture. *)
    val hspace = valued "hspace"
    (* The header of HTTP whose place a `META` element takes. *)
    val http_equiv = valued "http-equiv"
    (* The name of an element, which no other in the document has. *)
    val id = valued "id"
    (* That the server is sent the point of a picture that was clicked. *)
    val ismap = valued "ismap"
    (* The name of an option or of a group of options. *)
    val label = valued "label"
    (* The language of an element's text and attributes. *)
    val lang = valued "lang"
    (* The name of a script's language. *)
    val language = valued "language"
    (* The colour of links that were not visited. *)
    val link = valued "link"
    (* The address of a longer description than `alt`. *)
    val longdesc = valued "longdesc"
    (* The space above and below the content of a frame. *)
    val marginheight = valued "marginheight"
    (* The space to the left and right of the content of a frame. *)
    val marginwidth = valued "marginwidth"
    (* The most characters that a field takes. *)
    val maxlength = valued "maxlength"
    (* The devices that a style sheet is for. *)
    val media = valued "media"
    (* How a form is sent: get or post. *)
    val method = valued "method"
    (* That several options can be chosen. *)
    val multiple = valued "multiple"
    (* The name of a field, an anchor, a frame or a piece of data. *)
    val name = valued "name"
    (* That an area leads nowhere. *)
    val nohref = alone "nohref"
    (* That a frame's size cannot be changed. *)
    val noresize = alone "noresize"
    (* That a rule is drawn in one colour. *)
    val noshade = alone "noshade"
    (* That the text of a cell is not broken into lines. *)
    val nowrap = alone "nowrap"
    (* The file of an applet's saved state. *)
    val object = valued "object"
    (* The script for when an element is no more the one that keys go to. *)
    val onblur = valued "onblur"
    (* The script for when a field's value has changed. *)
    val onchange = valued "onchange"
    (* The script for a click. *)
    val onclick = valued "onclick"
    (* The script for a double click. *)
    val ondblclick = valued "ondblclick"
    (* The script for when keys begin to go to an element. *)
    val onfocus = valued "onfocus"
    (* The script for a key that is pressed down. *)
    val onkeydown = valued "onkeydown"
    (* The script for a key that is pressed and released. *)
    val onkeypress = valued "onkeypress"
    (* The script for a key that is released. *)
    val onkeyup = valued "onkeyup"
    (* The script for when a document is loaded. *)
    val onload = valued "onload"
    (* The script for a button of the mouse that is pressed down. *)
    val onmousedown = valued "onmousedown"
    (* The script for a mouse that moves over an element. *)
    val onmousemove = valued "onmousemove"
    (* The script for a mouse that leaves an element. *)
    val onmouseout = valued "onmouseout"
    (* The script for a mouse that comes over an element. *)
    val onmouseover = valued "onmouseover"
    (* The script for a button of the mouse that is released. *)
    val onmouseup = valued "onmouseup"
    (* The script for a form that is reset. *)
    val onreset = valued "onreset"
    (* The script for text that is selected in a field. *)
    val onselect = valued "onselect"
    (* The script for a form that is sent. *)
    val onsubmit = valued "onsubmit"
    (* The script for when a document is left. *)
    val onunload = valued "onunload"
    (* The address of a description of the head's `META` elements. *)
    val profile = valued "profile"
    (* The text in front of a field of `ISINDEX`. *)
    val prompt = valued "prompt"
    (* That a field's text cannot be changed. *)
    val readonly = alone "readonly"
    (* What the target of a link is to the document. *)
    val rel = valued "rel"
    (* What the document is to the target of a link. *)
    val rev = valued "rev"
    (* The rows of a text area, or the heights of the rows of frames. *)
    val rows = valued "rows"
    (* How many rows a cell takes. *)
    val rowspan = valued "rowspan"
    (* Which lines between a table's cells are drawn. *)
    val rules = valued "rules"
    (* How the value of a `META` element is to be read. *)
    val scheme = valued "scheme"
    (* The cells that a heading cell is for: row, col, rowgroup or colgroup. *)
    val scope = valued "scope"
    (* Whether a frame has scroll bars: yes, no or auto. *)
    val scrolling = valued "scrolling"
    (* That an option is chosen at first. *)
    val selected = alone "selected"
    (* The shape of an area: rect, circle, poly or default. *)
    val shape = valued "shape"
    (* The size of a field, a rule or a font. *)
    val size = valued "size"
    (* How many columns a column element is for. *)
    val span = valued "span"
    (* The address of a picture, a script or a frame's content. *)
    val src = valued "src"
    (* The text to show while an object is loaded. *)
    val standby = valued "standby"
    (* The number of a list's first item. *)
    val start = valued "start"
    (* Rules of style for this element. *)
    val style = valued "style"
    (* What a table is for, for those who hear it. *)
    val summary = valued "summary"
    (* The place among the elements that the tabulator key goes through. *)
    val tabindex = valued "tabindex"
    (* The frame in which a link opens. *)
    val target = valued "target"
    (* The colour of the document's text. *)
    val text = valued "text"
    (* A short description of an element. *)
    val title = valued "title"
    (* The `type` of an element: of a field, a list, or the media type of a target. *)
    val type' = valued "type"
    (* The address of a picture's map of areas. *)
    val usemap = valued "usemap"
    (* Where a cell's content stands from top to bottom. *)
    val valign = valued "valign"
    (* The value of a field, a parameter or a list's item. *)
    val value = valued "value"
    (* How a parameter's value is meant: data, ref or object. *)
    val valuetype = valued "valuetype"
    (* The version of the document type. *)
    val version = valued "version"
    (* The colour of links that were visited. *)
    val vlink = valued "vlink"
    (* The space above and below a picture. *)
    val vspace = valued "vspace"
    (* The width, in pixels or a percentage. *)
    val width = valued "width"
  end
end
