(* The words of a file, counted by a hash table: the ten most frequent. *)

structure Table =
  HashTableFn (struct
    type hash_key = string
    val hashVal = HashString.hashString
    val sameKey = op = : string * string -> bool
  end)

fun count file =
  let
    val table : int Table.hash_table = Table.mkTable (1024, Fail "no such word")
    fun add word =
      Table.insert table (word, 1 + getOpt (Table.find table word, 0))
    val input = TextIO.openIn file
    fun lines () =
      case TextIO.inputLine input of
        NONE => ()
      | SOME line => (app add (String.tokens (not o Char.isAlpha) line); lines ())
  in
    lines ();
    TextIO.closeIn input;
    table
  end

fun isAfter ((word, n), (word', n')) = n < n' orelse n = n' andalso String.> (word, word')

val table = count (hd (CommandLine.arguments ()))
val sorted = ListMergeSort.sort isAfter (Table.listItemsi table)
val () = app (fn (word, n) => print (word ^ " " ^ Int.toString n ^ "\n")) (List.take (sorted, 10))
val () = print (Int.toString (Table.numItems table) ^ " words\n")
