(* SExpPP, which SML/NJ's library of S-expressions has: it was not there. *)
fun show wid v =
  let
    val s = TextIOPP.openOut {dst = TextIO.stdOut, wid = wid}
  in
    SExpPP.output (s, v);
    TextIOPP.closeStream s
  end
val values =
  SExpParser.parseString
    "atom () ('one) (define (f x #t) (let [(a 1) (b -2.5)] (string-append \"a \\\"text\\\"\" a b)) 'done)"
val () = List.app (fn wid => List.app (show wid) values) [80, 30]
