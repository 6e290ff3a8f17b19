(* A tokenizer and a parser by recursive descent: expressions are made as text, read, and computed. *)

datatype token = Number of int | Word of string | Symbol of char

fun tokens text =
  let
    fun scan (s, all) =
      case Substring.getc s of
        NONE => rev all
      | SOME (c, rest) =>
          if Char.isSpace c then scan (rest, all)
          else if Char.isDigit c then
            let
              val (digits, rest) = Substring.splitl Char.isDigit s
            in
              scan (rest, Number (valOf (Int.fromString (Substring.string digits))) :: all)
            end
          else if Char.isAlpha c then
            let
              val (word, rest) = Substring.splitl Char.isAlphaNum s
            in
              scan (rest, Word (Substring.string word) :: all)
            end
          else scan (rest, Symbol c :: all)
  in
    scan (Substring.full text, [])
  end

fun value "x" = 3
  | value "y" = 5
  | value "width" = 11
  | value _ = 1

fun sum l =
  let
    fun more (v, Symbol #"+" :: l) = let val (w, l) = product l in more ((v + w) mod 1000003, l) end
      | more (v, Symbol #"-" :: l) = let val (w, l) = product l in more ((v - w) mod 1000003, l) end
      | more result = result
  in
    more (product l)
  end
and product l =
  let
    fun more (v, Symbol #"*" :: l) = let val (w, l) = factor l in more (v * w mod 1000003, l) end
      | more result = result
  in
    more (factor l)
  end
and factor (Number n :: l) = (n, l)
  | factor (Word w :: l) = (value w, l)
  | factor (Symbol #"(" :: l) =
      (case sum l of
         (v, Symbol #")" :: l) => (v, l)
       | _ => raise Fail "a parenthesis is open")
  | factor _ = raise Fail "a number is wanted"

fun expression i =
  concat ["(",
          Int.toString i,
          " + x*",
          Int.toString (i mod 17),
          ") * (width - ",
          Int.toString (i mod 7),
          ") + y * (2 + z1) * ",
          Int.toString (i * 37 mod 101)]

val n = valOf (Int.fromString (hd (CommandLine.arguments ())))

fun loop (i, total, count) =
  if i = n then (total, count)
  else
    let
      val l = tokens (expression i)
    in
      loop (i + 1, (total * 31 + #1 (sum l)) mod 1000003, count + length l)
    end

val (total, count) = loop (0, 0, 0)
val () = print (concat [Int.toString count, " tokens, sum ", Int.toString total, "\n"])
