(* A field in quotes was written character by character, each a string of its own; it is taken whole now, or in the parts
   that end with a quote. So quotes at its ends, alone, and in rows must still be doubled, and nothing else. *)
fun show fields = print (String.toString (CSV.record fields) ^ "\n")
val () =
  List.app show
    [[], [""], ["", ""], ["\""], ["\"\""], ["\"a"], ["a\""], ["a\"b\"\"c"], ["a,b", "c", ""], ["a\nb"], ["a\r"], ["plain"],
     [" \"", "\","]]
val () = print (String.toString (CSV.recordWith {separator = #";", lineEnd = "|"} ["a,b", "c;d", "e\"f"]) ^ "\n")
val wide = List.tabulate (20000, fn i => if i mod 2 = 0 then "x\"y" else "z")
val () = print (Bool.toString (CSV.parse (CSV.record wide) = [wide]) ^ "\n")
