(* A field of a JSON object that is null is as one that is not there, for optField and dfltField, as in SML/NJ's
   library: what JavaScript writes has them. They failed, unless the decoder took null. *)
structure D = JSONDecode
val show = D.optField "a" D.int (D.dfltField "b" D.int 7 (D.succeed (fn b => fn a =>
  (case a of NONE => "NONE" | SOME n => "SOME " ^ Int.toString n) ^ " " ^ Int.toString b)))
fun try text =
  print (D.decodeString show text ^ "\n")
  handle e => print (exnMessage e ^ "\n")
val () = List.app try ["{}", "{\"a\": null, \"b\": null}", "{\"b\": 1, \"a\": 2}", "{\"a\": false}", "{\"b\": \"\"}"]
(* one that must be there is decoded as it is *)
val () = print (case D.decodeString (D.field "a" (D.nullable D.int)) "{\"a\": null}" of NONE => "null\n" | SOME _ => "a number\n")
