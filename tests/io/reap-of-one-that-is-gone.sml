(* `reap` closes the streams of a process that does not read what was written to it. The output stream stayed open: it took
   more text, and was kept up to the end of the program, which had a message for each and failed. *)
fun descriptors () =
  let
    val dir = OS.FileSys.openDir "/proc/self/fd"
    fun count n = case OS.FileSys.readDir dir of SOME _ => count (n + 1) | NONE => n
  in
    count 0 before OS.FileSys.closeDir dir
  end
fun isClosed f = (f (); false) handle IO.Io {cause = IO.ClosedStream, ...} => true
fun start () : (TextIO.instream, 'a) Unix.proc = Unix.execute ("/bin/true", [])
fun wait p =
  (ignore (TextIO.inputAll (Unix.textInstreamOf p)); OS.Process.sleep (Time.fromMilliseconds 20))
fun text () =
  let
    val p = start ()
    val out = Unix.textOutstreamOf p
  in
    wait p;
    TextIO.output (out, "to nobody");
    ignore (Unix.reap p);
    isClosed (fn () => TextIO.output (out, "more"))
  end
fun bytes () =
  let
    val p = start ()
    val out = Unix.binOutstreamOf p
  in
    wait p;
    BinIO.output (out, Byte.stringToBytes "to nobody");
    ignore (CML.sync (Unix.reapEvt p));
    isClosed (fn () => BinIO.output1 (out, 0w0))
  end
(* one that does not read, and is there: `reap` is cancelled while it waits for room, and then writes no more *)
fun cancelled () =
  let
    val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sleep", ["1000"])
    val out = Unix.textOutstreamOf p
    val () = TextIO.StreamIO.setBufferMode (TextIO.getOutstream out, IO.BLOCK_BUF)
    val room = 65536
    val () = TextIO.output (out, CharVector.tabulate (room, fn _ => #"x"))
    val () = TextIO.flushOut out
    val () = TextIO.output (out, "to nobody")
    val how = Scope.within (Time.fromMilliseconds 20) (fn _ => Unix.reap p)
    val () = Unix.kill (p, Posix.Signal.kill)
  in
    ignore (Unix.reap p);
    not (isSome how) andalso isClosed (fn () => TextIO.output (out, "more"))
  end
val first = text ()
val before' = descriptors ()
val all = List.tabulate (4, fn i => if i mod 2 = 0 then text () else bytes ())
val () =
  print (String.concatWith " " (map Bool.toString (first :: cancelled () :: (descriptors () = before') :: all)) ^ "\n")
