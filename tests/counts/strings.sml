(* Strings: numbers to text and back, fields, words counted in a table. *)

val numbers = List.tabulate (3000, fn i => i * i)
val text = String.concatWith "," (map Int.toString numbers)
val fields = String.fields (fn c => c = #",") text
val sum = foldl (fn (field, sum) => valOf (Int.fromString field) + sum) 0 fields

val table : (string * int) list array = Array.array (64, [])

fun hash word = CharVector.foldl (fn (c, h) => (h * 31 + ord c) mod 64) 7 word

fun add (word, []) = [(word, 1)]
  | add (word, (other, n) :: rest) =
      if word = other then (other, n + 1) :: rest else (other, n) :: add (word, rest)

fun count word =
  let
    val i = hash word
  in
    Array.update (table, i, add (word, Array.sub (table, i)))
  end

val () = app (fn field => count (String.substring (field, 0, Int.min (2, size field)))) fields
val () = print (Int.toString (size text) ^ " " ^ Int.toString sum ^ "\n")
val () = print (Int.toString (Array.foldl (fn (words, n) => n + length words) 0 table) ^ "\n")
val () =
  print (String.map
           Char.toUpper
           (String.extract (implode (rev (explode text)), size text - 20, NONE))
         ^ "\n")
