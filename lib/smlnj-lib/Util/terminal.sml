(* ANSITerm: styles of a terminal's text (ECMA-48's SGR sequences). EditDistance: how far apart two strings are. *)

structure ANSITerm : sig
  datatype color = Black | Red | Green | Yellow | Blue | Magenta | Cyan | White | Default

  datatype style =
      FG of color
    | BG of color
    | BF
    | DIM
    | NORMAL
    | UL
    | UL_OFF
    | BLINK
    | BLINK_OFF
    | REV
    | REV_OFF
    | INVIS
    | INVIS_OFF
    | RESET
  (* The two colours; bold, dim, neither; underlined, blinking, reversed, invisible, and not; all as it was. *)

  val toString : style list -> string
  (* The sequence that switches to the styles; [] is [RESET]. *)
  val setStyle : TextIO.outstream * style list -> unit
  (* Writes that sequence to the stream, which is not flushed. *)
end =
struct
  datatype color = Black | Red | Green | Yellow | Blue | Magenta | Cyan | White | Default

  datatype style =
      FG of color
    | BG of color
    | BF
    | DIM
    | NORMAL
    | UL
    | UL_OFF
    | BLINK
    | BLINK_OFF
    | REV
    | REV_OFF
    | INVIS
    | INVIS_OFF
    | RESET

  fun color Black = 0
    | color Red = 1
    | color Green = 2
    | color Yellow = 3
    | color Blue = 4
    | color Magenta = 5
    | color Cyan = 6
    | color White = 7
    | color Default = 9

  fun parameter RESET = 0
    | parameter BF = 1
    | parameter DIM = 2
    | parameter UL = 4
    | parameter BLINK = 5
    | parameter REV = 7
    | parameter INVIS = 8
    | parameter NORMAL = 22
    | parameter UL_OFF = 24
    | parameter BLINK_OFF = 25
    | parameter REV_OFF = 27
    | parameter INVIS_OFF = 28
    | parameter (FG c) = 30 + color c
    | parameter (BG c) = 40 + color c

  fun toString [] = toString [RESET]
    | toString styles =
        concat ["\027[", String.concatWith ";" (List.map (Int.toString o parameter) styles), "m"]

  fun setStyle (stream, styles) = TextIO.output (stream, toString styles)
end

structure EditDistance : sig
  val distance : string * string -> int
  (* The least number of characters put in, taken out or replaced, and of neighbours exchanged, that makes the first
     string the second (the optimal string alignment of Damerau and Levenshtein). *)
end =
struct
  (* Row by row; three rows are needed at a time. *)
  fun distance (a, b) =
    let
      val n = size b
      fun row i (before1, before2) =
        let
          val now = Array.array (n + 1, i)
          val c = String.sub (a, i - 1)
          fun at j =
            if j > n then ()
            else
              let
                val d = String.sub (b, j - 1)
                val plain =
                  Int.min (Int.min (Array.sub (before1, j), Array.sub (now, j - 1)) + 1,
                           Array.sub (before1, j - 1) + (if c = d then 0 else 1))
                val exchange =
                  if i > 1
                     andalso j > 1
                     andalso c = String.sub (b, j - 2)
                     andalso d = String.sub (a, i - 2)
                  then
                    Int.min (plain, Array.sub (before2, j - 2) + 1)
                  else plain
              in
                Array.update (now, j, exchange);
                at (j + 1)
              end
        in
          at 1;
          (now, before1)
        end
      fun rows (i, last) = if i > size a then Array.sub (#1 last, n) else rows (i + 1, row i last)
      val start = Array.tabulate (n + 1, fn j => j)
    in
      rows (1, (start, start))
    end
end
