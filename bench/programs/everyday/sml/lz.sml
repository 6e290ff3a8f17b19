(* Compression after Lempel, Ziv and Welch: a dictionary of strings by number and letter, and back. *)

structure Table =
  HashTableFn (struct
    type hash_key = int
    fun hashVal n = Word.fromInt n
    val sameKey = op = : int * int -> bool
  end)

val limit = 65536

fun compress text =
  let
    val table : int Table.hash_table = Table.mkTable (limit, Fail "no such string")
    fun loop (i, code, count, out) =
      if i = size text then rev (code :: out)
      else
        let
          val c = ord (String.sub (text, i))
          val key = code * 256 + c
        in
          case Table.find table key of
            SOME code => loop (i + 1, code, count, out)
          | NONE =>
              (if count < limit then Table.insert table (key, count) else ();
               loop (i + 1, c, count + 1, code :: out))
        end
  in
    loop (1, ord (String.sub (text, 0)), 256, [])
  end

fun expand codes =
  let
    val strings = Array.tabulate (limit, fn i => if i < 256 then str (chr i) else "")
    fun loop ([], _, _, out) = concat (rev out)
      | loop (code :: rest, last, count, out) =
          let
            val first =
              if code < count then str (String.sub (Array.sub (strings, code), 0))
              else String.substring (last, 0, 1)
            val () = if count < limit then Array.update (strings, count, last ^ first) else ()
            val this = Array.sub (strings, code)
          in
            loop (rest, this, count + 1, this :: out)
          end
    val first = Array.sub (strings, hd codes)
  in
    loop (tl codes, first, 256, [first])
  end

val text = TextIO.inputAll (TextIO.openIn (hd (CommandLine.arguments ())))
val codes = compress text
val sum = foldl (fn (c, s) => (s * 31 + c) mod 1000003) 0 codes
val () =
  print (concat [Int.toString (size text),
                 " characters, ",
                 Int.toString (length codes),
                 " codes, sum ",
                 Int.toString sum,
                 ", back ",
                 Bool.toString (expand codes = text),
                 "\n"])
