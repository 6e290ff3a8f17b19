(* A reader's functions are called by one thread at a time, so what they keep is no race: the lock of streams orders. It was one. *)
val text = CharVector.tabulate (4000, fn i => if i mod 10 = 9 then #"\n" else #"x")
val at = ref 0
fun read n =
  let
    val i = !at
    val k = Int.min (Int.min (n, 16), size text - i)
  in
    CML.yield ();
    at := i + k;
    String.substring (text, i, k)
  end
val reader =
  TextPrimIO.augmentReader
    (TextPrimIO.RD
       {name = "shared", chunkSize = 16, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE,
        block = NONE, canInput = SOME (fn () => true), avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE,
        verifyPos = NONE, close = fn () => (), ioDesc = NONE})
val input = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
val lines = Mailbox.mailbox () : int Mailbox.mbox
fun go n =
  case TextIO.inputLine input of
    NONE => Mailbox.send (lines, n)
  | SOME _ => go (n + 1)
val () = List.app (fn _ => ignore (CML.spawn (fn () => go 0))) [1, 2, 3]
val () = print (Int.toString (List.foldl op + 0 (List.tabulate (3, fn _ => Mailbox.recv lines))) ^ " lines\n")
