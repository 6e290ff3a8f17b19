(* A word that only begins like a number is a symbol; its rest was dropped. *)
fun show v =
  case v of
    SExp.SYMBOL a => "symbol " ^ Atom.toString a
  | SExp.INT i => "integer " ^ IntInf.toString i
  | SExp.FLOAT r => "real " ^ Real.toString r
  | _ => "another"
fun one s =
  print (concat [s, ": ", String.concatWith " " (map show (SExpParser.parseString s)) handle Fail m => m, "\n"])
val () = List.app one ["2024-01-02", "192.168.0.1", "1.2.3", "5+", "1-2", "2024-1a", "1.5", "-2e-3"]
