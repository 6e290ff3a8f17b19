(* HTML: documents of HTML 3.2 as trees, as its document type says what stands where. *)

signature HTML =
sig
  (* "3.2" *)
  val htmlVersion : string

  (* texts are kept as they stand in documents, with their entities *)
  type pcdata = string
  type cdata = string
  type url = string
  type pixels = string
  type name = string
  type id = string
  (* how a form is sent *)
  structure HttpMethod :
  sig
    eqtype method
    (* GET: what was filled in becomes a part of the address *)
    val get : method
    (* PUT: what was filled in is sent to the address *)
    val put : method
    (* in capitals *)
    val toString : method -> string
    (* in any case; NONE for another word, also for POST *)
    val fromString : string -> method option
  end
  (* kinds of INPUT *)
  structure InputType :
  sig
    eqtype ty
    (* TEXT: a line of text *)
    val text : ty
    (* PASSWORD: a line of text that is not shown *)
    val password : ty
    (* CHECKBOX: yes or no *)
    val checkbox : ty
    (* RADIO: one of several of the same name *)
    val radio : ty
    (* SUBMIT: the button that sends the form *)
    val submit : ty
    (* RESET: the button that empties the form *)
    val reset : ty
    (* FILE: a file that is sent *)
    val file : ty
    (* HIDDEN: sent, and not shown *)
    val hidden : ty
    (* IMAGE: a picture that sends the form, with the place that was clicked *)
    val image : ty
    (* in capitals *)
    val toString : ty -> string
    (* in any case; NONE for another word *)
    val fromString : string -> ty option
  end
  (* of IMG, APPLET, INPUT *)
  structure IAlign :
  sig
    eqtype align
    (* TOP: its upper end as high as that of the line *)
    val top : align
    (* MIDDLE: its middle on the line *)
    val middle : align
    (* BOTTOM: its lower end on the line *)
    val bottom : align
    (* LEFT: at the left, text flows around it *)
    val left : align
    (* RIGHT: at the right, text flows around it *)
    val right : align
    (* in capitals *)
    val toString : align -> string
    (* in any case; NONE for another word *)
    val fromString : string -> align option
  end
  (* of headings, paragraphs, tables and their cells *)
  structure HAlign :
  sig
    eqtype align
    (* LEFT: at the left *)
    val left : align
    (* CENTER: in the middle *)
    val center : align
    (* RIGHT: at the right *)
    val right : align
    (* in capitals *)
    val toString : align -> string
    (* in any case; NONE for another word *)
    val fromString : string -> align option
  end
  (* of cells and rows *)
  structure CellVAlign :
  sig
    eqtype align
    (* TOP: at the cell's upper end *)
    val top : align
    (* MIDDLE: in the cell's middle *)
    val middle : align
    (* BOTTOM: at the cell's lower end *)
    val bottom : align
    (* BASELINE: the first lines of all such cells of a row at one height *)
    val baseline : align
    (* in capitals *)
    val toString : align -> string
    (* in any case; NONE for another word *)
    val fromString : string -> align option
  end
  (* of captions *)
  structure CaptionAlign :
  sig
    eqtype align
    (* TOP: above the table *)
    val top : align
    (* BOTTOM: below the table *)
    val bottom : align
    (* in capitals *)
    val toString : align -> string
    (* in any case; NONE for another word *)
    val fromString : string -> align option
  end
  (* bullets *)
  structure ULStyle :
  sig
    eqtype style
    (* DISC: a filled circle *)
    val disc : style
    (* SQUARE: a square *)
    val square : style
    (* CIRCLE: an empty circle *)
    val circle : style
    (* in capitals *)
    val toString : style -> string
    (* in any case; NONE for another word *)
    val fromString : string -> style option
  end
  (* areas of maps *)
  structure Shape :
  sig
    eqtype shape
    (* RECT: a rectangle: the left, upper, right and lower end *)
    val rect : shape
    (* CIRCLE: its middle and its radius *)
    val circle : shape
    (* POLY: the corners, one after the other *)
    val poly : shape
    (* DEFAULT: all that no other area has *)
    val default : shape
    (* in capitals *)
    val toString : shape -> string
    (* in any case; NONE for another word *)
    val fromString : string -> shape option
  end
  (* what BR clears *)
  structure TextFlowCtl :
  sig
    eqtype control
    (* LEFT: goes on below what stands at the left *)
    val left : control
    (* RIGHT: goes on below what stands at the right *)
    val right : control
    (* ALL: goes on below both *)
    val all : control
    (* NONE: goes on beside them *)
    val none : control
    (* in capitals *)
    val toString : control -> string
    (* in any case; NONE for another word *)
    val fromString : string -> control option
  end

  (* the whole; what stands in the head; what stands below each other; what stands in lines *)
  datatype html = HTML of {version : cdata option, head : head_content list, body : body}
  and head_content =
      Head_TITLE of pcdata
    | Head_ISINDEX of {prompt : cdata option}
    | Head_BASE of {href : url}
    | Head_META of {httpEquiv : name option, name : name option, content : cdata}
    | Head_LINK of
        {id : id option,
         href : url option,
         rel : cdata option,
         rev : cdata option,
         title : cdata option}
    | Head_SCRIPT of pcdata
    | Head_STYLE of pcdata
  and body =
    BODY of
        {background : url option,
         bgcolor : cdata option,
         text : cdata option,
         link : cdata option,
         vlink : cdata option,
         alink : cdata option,
         content : block}
  and block =
      BlockList of block list
    | TextBlock of text
    | Hn of {n : int, align : HAlign.align option, content : text}
    | ADDRESS of block
    | P of {align : HAlign.align option, content : text}
    | UL of {ty : ULStyle.style option, compact : bool, content : list_item list}
    | OL of {ty : cdata option, start : int option, compact : bool, content : list_item list}
    | DIR of {compact : bool, content : list_item list}
    | MENU of {compact : bool, content : list_item list}
    | DL of {compact : bool, content : {dt : text list, dd : block} list}
    | PRE of {width : int option, content : text}
    | DIV of {align : HAlign.align, content : block}
    | CENTER of block
    | BLOCKQUOTE of block
    | FORM of
        {action : url option, method : HttpMethod.method, enctype : cdata option, content : block}
    | ISINDEX of {prompt : cdata option}
    | HR of
        {align : HAlign.align option, noshade : bool, size : pixels option, width : cdata option}
    | TABLE of
        {align : HAlign.align option,
         width : cdata option,
         border : pixels option,
         cellspacing : pixels option,
         cellpadding : pixels option,
         caption : caption option,
         content : tr list}
  and list_item = LI of {ty : cdata option, value : int option, content : block}
  and caption = CAPTION of {align : CaptionAlign.align option, content : text}
  and tr =
    TR of {align : HAlign.align option, valign : CellVAlign.align option, content : table_cell list}
  and table_cell =
      TH of
          {nowrap : bool,
           rowspan : int option,
           colspan : int option,
           align : HAlign.align option,
           valign : CellVAlign.align option,
           width : pixels option,
           height : pixels option,
           content : block}
    | TD of
        {nowrap : bool,
         rowspan : int option,
         colspan : int option,
         align : HAlign.align option,
         valign : CellVAlign.align option,
         width : pixels option,
         height : pixels option,
         content : block}
  and text =
      TextList of text list
    | PCDATA of pcdata
    | TT of text
    | I of text
    | B of text
    | U of text
    | STRIKE of text
    | BIG of text
    | SMALL of text
    | SUB of text
    | SUP of text
    | EM of text
    | STRONG of text
    | DFN of text
    | CODE of text
    | SAMP of text
    | KBD of text
    | VAR of text
    | CITE of text
    | A of
        {name : cdata option,
         href : url option,
         rel : cdata option,
         rev : cdata option,
         title : cdata option,
         content : text}
    | IMG of
        {src : url,
         alt : cdata option,
         align : IAlign.align option,
         height : pixels option,
         width : pixels option,
         border : pixels option,
         hspace : pixels option,
         vspace : pixels option,
         usemap : url option,
         ismap : bool}
    | APPLET of
        {codebase : url option,
         code : cdata,
         name : cdata option,
         alt : cdata option,
         align : IAlign.align option,
         height : pixels option,
         width : pixels option,
         hspace : pixels option,
         vspace : pixels option,
         content : text}
    | PARAM of {name : name, value : cdata option}
    | FONT of {size : cdata option, color : cdata option, content : text}
    | BASEFONT of {size : cdata option, content : text}
    | BR of {clear : TextFlowCtl.control option}
    | MAP of {name : cdata option, content : area list}
    | INPUT of
        {ty : InputType.ty option,
         name : cdata option,
         value : cdata option,
         checked : bool,
         size : cdata option,
         maxlength : int option,
         src : url option,
         align : IAlign.align option}
    | SELECT of {name : cdata, size : int option, content : select_option list}
    | TEXTAREA of {name : cdata, rows : int, cols : int, content : pcdata}
    | SCRIPT of pcdata
  and area =
    AREA of
        {shape : Shape.shape option,
         coords : cdata option,
         href : url option,
         nohref : bool,
         alt : cdata}
  and select_option = OPTION of {selected : bool, value : cdata option, content : pcdata}
end

structure HTML :> HTML =
struct
  val htmlVersion = "3.2"
  type pcdata = string
  type cdata = string
  type url = string
  type pixels = string
  type name = string
  type id = string

  (* The name of an enumeration that a text is, whatever its case. *)
  fun oneOf names text =
    let val text = String.map Char.toUpper text in List.find (fn n => n = text) names end
  structure HttpMethod =
  struct
    type method = string
    val get = "GET"
    val put = "PUT"
    fun toString (method : method) = method
    val fromString = oneOf [get, put]
  end
  structure InputType =
  struct
    type ty = string
    val text = "TEXT"
    val password = "PASSWORD"
    val checkbox = "CHECKBOX"
    val radio = "RADIO"
    val submit = "SUBMIT"
    val reset = "RESET"
    val file = "FILE"
    val hidden = "HIDDEN"
    val image = "IMAGE"
    fun toString (ty : ty) = ty
    val fromString = oneOf [text, password, checkbox, radio, submit, reset, file, hidden, image]
  end
  structure IAlign =
  struct
    type align = string
    val top = "TOP"
    val middle = "MIDDLE"
    val bottom = "BOTTOM"
    val left = "LEFT"
    val right = "RIGHT"
    fun toString (align : align) = align
    val fromString = oneOf [top, middle, bottom, left, right]
  end
  structure HAlign =
  struct
    type align = string
    val left = "LEFT"
    val center = "CENTER"
    val right = "RIGHT"
    fun toString (align : align) = align
    val fromString = oneOf [left, center, right]
  end
  structure CellVAlign =
  struct
    type align = string
    val top = "TOP"
    val middle = "MIDDLE"
    val bottom = "BOTTOM"
    val baseline = "BASELINE"
    fun toString (align : align) = align
    val fromString = oneOf [top, middle, bottom, baseline]
  end
  structure CaptionAlign =
  struct
    type align = string
    val top = "TOP"
    val bottom = "BOTTOM"
    fun toString (align : align) = align
    val fromString = oneOf [top, bottom]
  end
  structure ULStyle =
  struct
    type style = string
    val disc = "DISC"
    val square = "SQUARE"
    val circle = "CIRCLE"
    fun toString (style : style) = style
    val fromString = oneOf [disc, square, circle]
  end
  structure Shape =
  struct
    type shape = string
    val rect = "RECT"
    val circle = "CIRCLE"
    val poly = "POLY"
    val default = "DEFAULT"
    fun toString (shape : shape) = shape
    val fromString = oneOf [rect, circle, poly, default]
  end
  structure TextFlowCtl =
  struct
    type control = string
    val left = "LEFT"
    val right = "RIGHT"
    val all = "ALL"
    val none = "NONE"
    fun toString (control : control) = control
    val fromString = oneOf [left, right, all, none]
  end

  datatype html = HTML of {version : cdata option, head : head_content list, body : body}
  and head_content =
      Head_TITLE of pcdata
    | Head_ISINDEX of {prompt : cdata option}
    | Head_BASE of {href : url}
    | Head_META of {httpEquiv : name option, name : name option, content : cdata}
    | Head_LINK of
        {id : id option,
         href : url option,
         rel : cdata option,
         rev : cdata option,
         title : cdata option}
    | Head_SCRIPT of pcdata
    | Head_STYLE of pcdata
  and body =
    BODY of
        {background : url option,
         bgcolor : cdata option,
         text : cdata option,
         link : cdata option,
         vlink : cdata option,
         alink : cdata option,
         content : block}
  and block =
      BlockList of block list
    | TextBlock of text
    | Hn of {n : int, align : HAlign.align option, content : text}
    | ADDRESS of block
    | P of {align : HAlign.align option, content : text}
    | UL of {ty : ULStyle.style option, compact : bool, content : list_item list}
    | OL of {ty : cdata option, start : int option, compact : bool, content : list_item list}
    | DIR of {compact : bool, content : list_item list}
    | MENU of {compact : bool, content : list_item list}
    | DL of {compact : bool, content : {dt : text list, dd : block} list}
    | PRE of {width : int option, content : text}
    | DIV of {align : HAlign.align, content : block}
    | CENTER of block
    | BLOCKQUOTE of block
    | FORM of
        {action : url option, method : HttpMethod.method, enctype : cdata option, content : block}
    | ISINDEX of {prompt : cdata option}
    | HR of
        {align : HAlign.align option, noshade : bool, size : pixels option, width : cdata option}
    | TABLE of
        {align : HAlign.align option,
         width : cdata option,
         border : pixels option,
         cellspacing : pixels option,
         cellpadding : pixels option,
         caption : caption option,
         content : tr list}
  and list_item = LI of {ty : cdata option, value : int option, content : block}
  and caption = CAPTION of {align : CaptionAlign.align option, content : text}
  and tr =
    TR of {align : HAlign.align option, valign : CellVAlign.align option, content : table_cell list}
  and table_cell =
      TH of
          {nowrap : bool,
           rowspan : int option,
           colspan : int option,
           align : HAlign.align option,
           valign : CellVAlign.align option,
           width : pixels option,
           height : pixels option,
           content : block}
    | TD of
        {nowrap : bool,
         rowspan : int option,
         colspan : int option,
         align : HAlign.align option,
         valign : CellVAlign.align option,
         width : pixels option,
         height : pixels option,
         content : block}
  and text =
      TextList of text list
    | PCDATA of pcdata
    | TT of text
    | I of text
    | B of text
    | U of text
    | STRIKE of text
    | BIG of text
    | SMALL of text
    | SUB of text
    | SUP of text
    | EM of text
    | STRONG of text
    | DFN of text
    | CODE of text
    | SAMP of text
    | KBD of text
    | VAR of text
    | CITE of text
    | A of
        {name : cdata option,
         href : url option,
         rel : cdata option,
         rev : cdata option,
         title : cdata option,
         content : text}
    | IMG of
        {src : url,
         alt : cdata option,
         align : IAlign.align option,
         height : pixels option,
         width : pixels option,
         border : pixels option,
         hspace : pixels option,
         vspace : pixels option,
         usemap : url option,
         ismap : bool}
    | APPLET of
        {codebase : url option,
         code : cdata,
         name : cdata option,
         alt : cdata option,
         align : IAlign.align option,
         height : pixels option,
         width : pixels option,
         hspace : pixels option,
         vspace : pixels option,
         content : text}
    | PARAM of {name : name, value : cdata option}
    | FONT of {size : cdata option, color : cdata option, content : text}
    | BASEFONT of {size : cdata option, content : text}
    | BR of {clear : TextFlowCtl.control option}
    | MAP of {name : cdata option, content : area list}
    | INPUT of
        {ty : InputType.ty option,
         name : cdata option,
         value : cdata option,
         checked : bool,
         size : cdata option,
         maxlength : int option,
         src : url option,
         align : IAlign.align option}
    | SELECT of {name : cdata, size : int option, content : select_option list}
    | TEXTAREA of {name : cdata, rows : int, cols : int, content : pcdata}
    | SCRIPT of pcdata
  and area =
    AREA of
        {shape : Shape.shape option,
         coords : cdata option,
         href : url option,
         nohref : bool,
         alt : cdata}
  and select_option = OPTION of {selected : bool, value : cdata option, content : pcdata}
end

(* What the document type says an attribute is where it is not given. *)
structure HTMLDefaults =
struct
  (* A line break waits for nothing that floats. *)
  val br_clear = HTML.TextFlowCtl.none
  (* An area is a rectangle. *)
  val area_shape = HTML.Shape.rect
  (* A form is sent by `get`. *)
  val form_method = HTML.HttpMethod.get
  (* A form is sent in this media type. *)
  val form_enctype = "application/x-www-form-urlencoded"
  (* A field is one of text. *)
  val input_type = HTML.InputType.text
  (* A field's top is aligned. *)
  val input_align = HTML.IAlign.top
  (* A heading cell takes one row. *)
  val th_rowspan = 1
  (* A heading cell takes one column. *)
  val th_colspan = 1
  (* A cell takes one row. *)
  val td_rowspan = 1
  (* A cell takes one column. *)
  val td_colspan = 1
end
