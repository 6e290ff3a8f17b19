(* Of an output that was longer than the stream's buffer, and that was cancelled when part of it was written, the rest was
   lost, and the next line stood behind the torn one. *)
fun ms n = Time.fromMilliseconds n
val long = 200000

fun try (name, mode) =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val writer =
      Posix.IO.mkTextWriter {fd = outfd,
                             name = "pipe",
                             appendMode = false,
                             initBlkMode = true,
                             chunkSize = 4096}
    val reader = Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}
    val out = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, mode))
    val ins = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
    val line = CharVector.tabulate (long, fn _ => #"a") ^ "\n"
    (* nobody reads yet *)
    val isOut = isSome (Scope.within (ms 20) (fn _ => TextIO.output (out, line)))
    val got = SyncVar.iVar ()
    val _ = CML.spawn (fn () => SyncVar.iPut (got, TextIO.inputAll ins))
  in
    TextIO.output (out, "next\n");
    TextIO.closeOut out;
    print (concat [name,
                   if isOut then ": not cancelled" else ": cancelled",
                   if SyncVar.iGet got = line ^ "next\n" then ", whole\n" else ", torn\n"])
  end
val () = List.app try [("block", IO.BLOCK_BUF), ("line", IO.LINE_BUF), ("none", IO.NO_BUF)]
