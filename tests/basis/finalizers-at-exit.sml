(* finalizeBefore (a, b): a's finalizers run before b's. At the end of the program that held for pairs only, not for chains.

   expected:  file ends, archive ends, session ends        found:  archive ends, file ends, session ends
   lib/mlton/mlton.sml, Finalizable'.finish: all that go before another one ran first, the youngest of them first. *)
structure F = MLton.Finalizable
fun made name =
  let
    val f = F.new name
  in
    F.addFinalizer (f, fn n => print (n ^ " ends\n"));
    f
  end
val file = made "file"
val archive = made "archive"
val session = made "session"
val () = F.finalizeBefore (file, archive)
val () = F.finalizeBefore (archive, session)
val () = List.app F.touch [file, archive, session]
