(* A program that uses up its descriptors before it waits for the first time: it ended, in a panic of the runtime at
   first, then with a message. Timers need no descriptor; what needs one says that there is none; and all is as ever
   when there are some again. *)
fun say text = print (text ^ "\n")
val () = let open MLton.Rlimit in set (numFiles, {hard = #hard (get numFiles), soft = 0w40}) end
val pipe = Posix.IO.pipe ()
val kept = ref []
fun open' () = (kept := TextIO.openIn "/dev/null" :: !kept; open' ())
val () = open' () handle e => say (exnMessage e)

val () = OS.Process.sleep (Time.fromMilliseconds 20)
val () = say "slept"
val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 20))
val () = say "timed out"
val () = CML.sync (CML.joinEvt (CML.spawn (fn () => CML.sync (CML.timeOutEvt (Time.fromMilliseconds 5)))))
val () = say "joined"

val {infd, outfd} = pipe
fun byte () = Word8Vector.length (Posix.IO.readVec (infd, 1))
val () =
  (say (Int.toString (byte ()))) handle OS.SysErr (text, _) => say ("reading: " ^ text)

val () = List.app TextIO.closeIn (!kept)
fun write () = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes "x")))
val _ = CML.spawn (fn () => (CML.sync (CML.timeOutEvt (Time.fromMilliseconds 20)); write ()))
val () = say ("read " ^ Int.toString (byte ()))
