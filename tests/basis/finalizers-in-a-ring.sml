(* Values that are to be finalized before each other were finalized when the program ended, in some order; those behind
   them, too. MLton finalizes none of them. *)
structure F = MLton.Finalizable
fun made name =
  let
    val f = F.new name
  in
    F.addFinalizer (f, fn n => print (n ^ " ends\n"));
    f
  end
val first = made "first"
val a = made "a"
val b = made "b"
val c = made "c"
val last = made "last"
val self = made "self"
val free = made "free"
val () = List.app F.finalizeBefore [(first, a), (a, b), (b, c), (c, a), (c, last), (self, self)]
val () = MLton.GC.collect ()
val () = List.app F.touch [first, a, b, c, last, self, free]
