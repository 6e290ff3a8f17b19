(* A text of a million brackets, which a stranger has sent, took 175 bytes of stack for each. JSONCodec reads 10,000 arrays
   and objects within each other, and JSONParser, as that of SML/NJ, any number. *)
fun say s = print (s ^ "\n")
fun many (n, s) = concat (List.tabulate (n, fn _ => s))
fun arrays n = many (n, "[") ^ many (n, "]")
fun objects n = many (n, "{\"a\":") ^ "1" ^ many (n, "}")
fun depth (JSON.ARRAY (v :: _)) = 1 + depth v
  | depth (JSON.ARRAY []) = 1
  | depth (JSON.OBJECT ((_, v) :: _)) = 1 + depth v
  | depth _ = 0
fun try text =
  say (Int.toString (depth (JSONCodec.fromString JSONCodec.json text)) handle e => JSONCodec.message e)
val () = List.app try [arrays 10000, objects 10000, arrays 10001, objects 10001, many (1000000, "[")]
(* beside each other there may be any number *)
val () = try (concat ["[", many (20000, "[[]],{\"a\":{}},"), "1]"])
val () = say (Int.toString (depth (JSONParser.parse (JSONParser.openString (arrays 20000)))))
