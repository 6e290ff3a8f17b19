(* A reader without a descriptor whose function says CML.exit in the thread that waits there for events: they never
   happened. *)
open CML
val exits = ref true
fun read _ = if !exits then (exits := false; CML.exit ()) else "a line\n"
val reader =
  TextPrimIO.RD {name = "exits", chunkSize = 10, readVec = SOME read, readArr = NONE,
                 readVecNB = SOME (fn n => if !exits then NONE else SOME (read n)), readArrNB = NONE, block = NONE,
                 canInput = SOME (fn () => not (!exits)), avail = fn () => NONE, getPos = NONE, setPos = NONE,
                 endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE}
val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
val () =
  print (select [wrap (TextIO.inputLineEvt s, fn line => getOpt (line, "the end\n")),
                 wrap (timeOutEvt (Time.fromSeconds 20), fn () => "it waits for ever\n")])
