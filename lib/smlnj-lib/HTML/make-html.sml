(* MakeHTML: elements without attributes, or with the one that is asked for. *)

signature MAKE_HTML =
sig
  (* blocks below each other; one alone stays itself *)
  val blockList : HTML.block list -> HTML.block
  (* texts behind each other; one alone stays itself *)
  val textList : HTML.text list -> HTML.text
  (* a heading of a level *)
  val mkH : int * HTML.pcdata -> HTML.block
  (* a paragraph *)
  val mkP : HTML.text -> HTML.block
  (* a list with bullets *)
  val mkUL : HTML.list_item list -> HTML.block
  (* a list with numbers *)
  val mkOL : HTML.list_item list -> HTML.block
  (* a list of terms, each with what it means *)
  val mkDL : {dt : HTML.text list, dd : HTML.block} list -> HTML.block
  (* a line across the page *)
  val HR : HTML.block
  (* the end of a line *)
  val BR : HTML.text
  (* an item of a list *)
  val mkLI : HTML.block -> HTML.list_item
  (* a link to that address *)
  val mkA_HREF : {href : HTML.url, content : HTML.text} -> HTML.text
  (* a place to link to, under that name *)
  val mkA_NAME : {name : HTML.cdata, content : HTML.text} -> HTML.text
  (* a row of a table *)
  val mkTR : HTML.table_cell list -> HTML.tr
  (* a cell that heads a row or column *)
  val mkTH : HTML.block -> HTML.table_cell
  (* likewise, as wide as so many columns *)
  val mkTH_COLSPAN : {colspan : int, content : HTML.block} -> HTML.table_cell
  (* a cell *)
  val mkTD : HTML.block -> HTML.table_cell
  (* likewise, as wide as so many columns *)
  val mkTD_COLSPAN : {colspan : int, content : HTML.block} -> HTML.table_cell
end

structure MakeHTML : MAKE_HTML =
struct
  structure H = HTML
  fun blockList [b] = b
    | blockList l = H.BlockList l
  fun textList [t] = t
    | textList l = H.TextList l
  fun mkH (n, text) = H.Hn {n = n, align = NONE, content = H.PCDATA text}
  fun mkP content = H.P {align = NONE, content = content}
  fun mkUL items = H.UL {ty = NONE, compact = false, content = items}
  fun mkOL items = H.OL {ty = NONE, start = NONE, compact = false, content = items}
  fun mkDL items = H.DL {compact = false, content = items}
  val HR = H.HR {align = NONE, noshade = false, size = NONE, width = NONE}
  val BR = H.BR {clear = NONE}
  fun mkLI content = H.LI {ty = NONE, value = NONE, content = content}
  fun anchor (name, href, content) =
    H.A {name = name, href = href, rel = NONE, rev = NONE, title = NONE, content = content}
  fun mkA_HREF {href, content} = anchor (NONE, SOME href, content)
  fun mkA_NAME {name, content} = anchor (SOME name, NONE, content)
  fun mkTR cells = H.TR {align = NONE, valign = NONE, content = cells}
  fun cell (colspan, content) =
    {nowrap = false,
     rowspan = NONE,
     colspan = colspan,
     align = NONE,
     valign = NONE,
     width = NONE,
     height = NONE,
     content = content}
  fun mkTH content = H.TH (cell (NONE, content))
  fun mkTH_COLSPAN {colspan, content} = H.TH (cell (SOME colspan, content))
  fun mkTD content = H.TD (cell (NONE, content))
  fun mkTD_COLSPAN {colspan, content} = H.TD (cell (SOME colspan, content))
end
