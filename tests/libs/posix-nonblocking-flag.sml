(* What Posix remembers of O_NONBLOCK is a flag of the number of a descriptor, and is left behind or lost.
   expected: dup2: hello / true / pipe: hello / true / dup: Resource temporarily unavailable
   found:    dup2: Resource temporarily unavailable / true / pipe: Resource temporarily unavailable / true / dup: hello

   1. dup2 {old, new}: `new` is now the same open file as `old`, which waits, and has the flag of what it was before.
   2. A descriptor that was closed by a stream (BinIO.closeIn), not by Posix.IO.close, leaves its flag to the next one
      with its number: a fresh pipe raises EAGAIN for who reads or writes.
   3. dup, dupfd: the flag O_NONBLOCK is of the open file, so the copy has it (getfl says so), but reading waits: for ever
      if nobody writes.
   Cause, lib/basis/posix.sml: NonBlocking' is set by openf, createf, setfl and close only.
   Mend (tried): posix-nonblocking-flag.patch: pipe clears it, dup, dup2 and dupfd copy it. (A flag that is left by a
   socket's or stream's close stays for numbers that come by wordToFD or iodToFD; better still would be to ask fcntl when
   the answer is `again`, and keep no table.) *)
open Posix
fun later fd = ignore (CML.spawn (fn () =>
  (OS.Process.sleep (Time.fromMilliseconds 50);
   ignore (Posix.IO.writeVec (fd, Word8VectorSlice.full (Byte.stringToBytes "hello"))))))
fun show (what, fd) =
  print (concat [what, ": ", Byte.bytesToString (Posix.IO.readVec (fd, 5)), "\n"])
  handle e as OS.SysErr _ => print (concat [what, ": ", exnMessage e, "\n"])
(* 1 *)
val a = Posix.IO.pipe ()
val b = Posix.IO.pipe ()
val () = Posix.IO.setfl (#infd b, Posix.IO.O.nonblock)
val () = Posix.IO.dup2 {old = #infd a, new = #infd b}
val () = later (#outfd a)
val () = show ("dup2", #infd b)
(* 2 *)
val c = Posix.IO.pipe ()
val () = Posix.IO.setfl (#infd c, Posix.IO.O.nonblock)
val s = BinIO.mkInstream (BinIO.StreamIO.mkInstream (Posix.IO.mkBinReader {fd = #infd c, name = "c", initBlkMode = false}, Word8Vector.fromList []))
val () = BinIO.closeIn s
val d = Posix.IO.pipe ()
val () = print (Bool.toString (#infd d = #infd c) ^ "\n")
val () = later (#outfd d)
val () = show ("pipe", #infd d)
(* 3 *)
val e = Posix.IO.pipe ()
val () = Posix.IO.setfl (#infd e, Posix.IO.O.nonblock)
val f = Posix.IO.dup (#infd e)
val () = print (Bool.toString (Posix.IO.O.allSet (Posix.IO.O.nonblock, #1 (Posix.IO.getfl f))) ^ "\n")
val () = later (#outfd e)
val () = show ("dup", f)
