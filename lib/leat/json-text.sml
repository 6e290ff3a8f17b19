(* JSONText': texts as JSON has them between quotes; not for users. *)

structure JSONText' =
struct
  (* How many bytes of the text from i on are one character of UTF-8; 0 if they are none. *)
  fun character (text, i) =
    let
      fun byte j = if j < size text then Char.ord (String.sub (text, j)) else 0
      fun isMore j = byte j div 64 = 2
      val first = byte i
      val second = byte (i + 1)
    in
      if first < 0x80 then 1
      else if first < 0xC2 then 0
      else if first < 0xE0 then if isMore (i + 1) then 2 else 0
      else if first < 0xF0 then
        if isMore (i + 1)
           andalso isMore (i + 2)
           andalso (first <> 0xE0 orelse second >= 0xA0)
           andalso (first <> 0xED orelse second < 0xA0)
        then 3
        else 0
      else if first < 0xF5
              andalso isMore (i + 1)
              andalso isMore (i + 2)
              andalso isMore (i + 3)
              andalso (first <> 0xF0 orelse second >= 0x90)
              andalso (first <> 0xF4 orelse second < 0x90)
      then 4
      else 0
    end

  fun isPlain c = Char.isPrint c andalso c <> #"\"" andalso c <> #"\\"

  fun escape #"\"" = "\\\""
    | escape #"\\" = "\\\\"
    | escape #"\n" = "\\n"
    | escape #"\r" = "\\r"
    | escape #"\t" = "\\t"
    | escape c =
        if Char.ord c < 0x20 orelse Char.ord c = 0x7F then
          "\\u" ^ StringCvt.padLeft #"0" 4 (Int.fmt StringCvt.HEX (Char.ord c))
        else str c

  (* Puts a text into a buffer, where each character that is not plain is what one of the functions makes of it: of one
     byte, or of several that stand at a place, where NONE leaves them. What is no UTF-8 becomes the character that
     stands for such bytes. *)
  fun put {isPlain, byte, bytes} (buffer, text) =
    let
      val n = size text
      (* the characters from `from` to i stay as they are *)
      fun upto (from, i) =
        if from = i then ()
        else CharBuffer.addSlice (buffer, Substring.substring (text, from, i - from))
      fun go (from, i) =
        if i = n then upto (from, i)
        else
          let
            val c = String.sub (text, i)
          in
            if isPlain c then go (from, i + 1)
            else if Char.isAscii c then other (from, i, 1, byte c)
            else
              case character (text, i) of
                0 => other (from, i, 1, "\239\191\189")
              | n =>
                  case bytes (text, i, n) of
                    NONE => go (from, i + n)
                  | SOME text => other (from, i, n, text)
          end
      (* in place of n bytes *)
      and other (from, i, n, text) =
        (upto (from, i); CharBuffer.addVec (buffer, text); go (i + n, i + n))
    in
      go (0, 0)
    end

  (* The text with these changes. *)
  fun changed (settings as {isPlain, byte = _, bytes = _}) text =
    if CharVector.all isPlain text then text
    else
      let
        val buffer = CharBuffer.new (size text + 16)
      in
        put settings (buffer, text);
        CharBuffer.contents buffer
      end

  fun same _ = NONE

  (* Puts it into a buffer, with escapes where it needs them. *)
  fun putEscaped x = put {isPlain = isPlain, byte = escape, bytes = same} x

  (* With escapes, also of other control characters than those of ASCII, and of separators of lines: U+0080 to U+009F,
     U+2028 and U+2029. *)
  fun escapedInLine text =
    let
      fun bytes (text, i, n) =
        let
          fun at j = Char.ord (String.sub (text, i + j))
        in
          if n = 2 andalso at 0 = 0xC2 andalso at 1 < 0xA0 then
            SOME ("\\u00" ^ Int.fmt StringCvt.HEX (at 1))
          else if n = 3 andalso at 0 = 0xE2 andalso at 1 = 0x80 andalso at 2 div 2 = 0x54 then
            SOME (if at 2 = 0xA8 then "\\u2028" else "\\u2029")
          else NONE
        end
    in
      changed {isPlain = isPlain, byte = escape, bytes = bytes} text
    end

  (* As UTF-8, without escapes. *)
  fun utf8 text = changed {isPlain = Char.isAscii, byte = str, bytes = same} text
end
