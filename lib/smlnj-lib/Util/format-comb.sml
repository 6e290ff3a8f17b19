(* FormatComb: formats as functions that are composed with `o`, after Danvy's functional unparsing (JFP 1998).
   A format takes the pieces so far, the last one first; a fragment puts pieces before what a format does. *)

signature FORMAT_COMB =
sig
  type 'a format
  type ('a, 'b) fragment = 'a format -> 'b format
  type 'a glue = ('a, 'a) fragment
  (* Text that takes no argument. *)
  type ('a, 't) element = ('a, 't -> 'a) fragment
  (* Text made of an argument of type 't. *)
  type 'a gg

  val format : (string, 'a) fragment -> 'a
  (* format (int o text "+" o int) 1 2 is "1+2". *)
  val format' : (string list -> 'b) -> ('b, 'a) fragment -> 'a
  (* The function is given the pieces. *)

  (* Elements *)

  val using : ('t -> string) -> ('a, 't) element
  (* An argument, by the text that the function makes of it. *)
  val int : ('a, int) element
  (* An int. *)
  val real : ('a, real) element
  (* A real. *)
  val bool : ('a, bool) element
  (* A bool. *)
  val string : ('a, string) element
  (* A string as it is. *)
  val string' : ('a, string) element
  (* A string, with SML's escapes. *)
  val char : ('a, char) element
  (* A character as it is. *)
  val char' : ('a, char) element
  (* A character, with SML's escapes. *)
  val int' : StringCvt.radix -> ('a, int) element
  (* An int in that base. *)
  val real' : StringCvt.realfmt -> ('a, real) element
  (* A real in that format. *)
  val list : ('a, 'x) element -> ('a, 'x list) element
  (* [a, b, c] *)
  val option : ('a, 'x) element -> ('a, 'x option) element
  (* NONE, SOME(x) *)
  val seq :
    (('x * 'a gg -> 'a gg) -> 'a gg -> 's -> 'a gg)
    -> 'a glue
    -> ('a, 'x) element
    -> ('a, 's) element
  (* seq foldr separator item *)

  val glue : ('a, 't) element -> 't -> 'a glue
  (* Text that is made by the element of this value: takes no argument. *)
  val elem : ('t -> 'a glue) -> ('a, 't) element
  (* An argument, by the text that the function makes of it. *)

  (* Glue *)

  val nothing : 'a glue
  (* No text. *)
  val text : string -> 'a glue
  (* That text. *)
  val sp : int -> 'a glue
  (* So many blanks. *)
  val nl : 'a glue
  (* The end of a line. *)
  val tab : 'a glue
  (* A tab. *)
  val listg : ('t -> 'a glue) -> ('t list -> 'a glue)
  (* The text of a list whose elements are made by that function, as `list` writes it. *)
  val optiong : ('t -> 'a glue) -> ('t option -> 'a glue)
  (* The text of an option whose value is made by that function, as `option` writes it. *)
  val seqg :
    (('x * 'a gg -> 'a gg) -> 'a gg -> 's -> 'a gg) -> 'a glue -> ('x -> 'a glue) -> 's -> 'a glue
  (* As `seq`, of a value that is there: takes no argument. *)

  (* Widths: at least n, at most n, exactly n characters; the place is the side that is padded or cut *)

  type place
  val left : place
  (* The left side. *)
  val center : place
  (* Both sides. *)
  val right : place
  (* The right side. *)
  val pad : place -> int -> ('a, 't) fragment -> ('a, 't) fragment
  (* Blanks at that side, up to n characters at least. *)
  val trim : place -> int -> ('a, 't) fragment -> ('a, 't) fragment
  (* Without what is more than n characters, at that side. *)
  val fit : place -> int -> ('a, 't) fragment -> ('a, 't) fragment
  (* Exactly n characters: padded or cut at that side. *)
  val padl : int -> ('a, 't) fragment -> ('a, 't) fragment
  (* `pad left`. *)
  val padr : int -> ('a, 't) fragment -> ('a, 't) fragment
  (* `pad right`. *)
end

structure FormatComb :> FORMAT_COMB =
struct
  type 'a format = string list -> 'a
  type ('a, 'b) fragment = 'a format -> 'b format
  type 'a glue = ('a, 'a) fragment
  type ('a, 't) element = ('a, 't -> 'a) fragment
  (* What a container's items from some one on do; whether there are none. *)
  type 'a gg = bool * 'a format

  fun format' consumer fragment = fragment (consumer o rev) []
  fun format fragment = format' String.concat fragment

  fun using toString rest pieces x = rest (toString x :: pieces)
  fun int rest = using Int.toString rest
  fun real rest = using Real.toString rest
  fun bool rest = using Bool.toString rest
  fun string rest = using (fn s => s) rest
  fun string' rest = using String.toString rest
  fun char rest = using String.str rest
  fun char' rest = using Char.toString rest
  fun int' radix = using (Int.fmt radix)
  fun real' fmt = using (Real.fmt fmt)

  fun glue element x rest pieces = element rest pieces x
  fun elem maker rest pieces x = maker x rest pieces

  fun nothing rest = rest
  fun text s rest pieces = rest (s :: pieces)
  fun nl rest = text "\n" rest
  fun tab rest = text "\t" rest

  fun seqg fold separator item s rest =
    let
      fun put (x, (last, following)) =
        (false, item x (if last then following else separator following))
      val (_, all) = fold put (true, rest) s
    in
      all
    end
  fun seq fold separator item = elem (seqg fold separator (glue item))

  fun listg item l rest = (text "[" o seqg List.foldr (text ", ") item l o text "]") rest
  fun list item = elem (listg (glue item))
  fun optiong _ NONE rest = text "NONE" rest
    | optiong item (SOME x) rest = (text "SOME(" o item x o text ")") rest
  fun option item = elem (optiong (glue item))

  (* How much of n characters is on the left. *)
  type place = int -> int
  fun left n = n
  fun center n = n div 2
  fun right _ = 0

  fun spaces n = CharVector.tabulate (n, fn _ => #" ")
  fun sp n = text (spaces (Int.max (n, 0)))

  fun padded (place, n) s =
    let
      val missing = n - size s
    in
      if missing <= 0 then s
      else let val first = place missing in concat [spaces first, s, spaces (missing - first)] end
    end
  fun trimmed (place, n) s =
    let
      val extra = size s - n
    in
      if extra <= 0 then s else String.substring (s, place extra, Int.max (n, 0))
    end

  (* What a fragment adds, as one piece. *)
  fun changed f fragment rest pieces = fragment (fn own => rest (f (concat (rev own)) :: pieces)) []
  fun pad place n fragment = changed (padded (place, n)) fragment
  fun trim place n fragment = changed (trimmed (place, n)) fragment
  fun fit place n fragment = changed (trimmed (place, n) o padded (place, n)) fragment
  fun padl n = pad left n
  fun padr n = pad right n
end
