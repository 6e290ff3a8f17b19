(* Events of input from a reader of the program's own that can only wait, by `readVec`: they raised what `canInput` raises
   there, where the library was to start a thread that reads. *)
open CML
fun ms n = Time.fromMilliseconds n
fun streamOf (read, desc) =
  TextIO.mkInstream (TextIO.StreamIO.mkInstream (
    TextPrimIO.RD {name = "own", chunkSize = 100, readVec = SOME read, readArr = NONE, readVecNB = NONE,
                   readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE,
                   endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = desc}, ""))
(* what comes through a channel; the end is an empty string *)
fun fed () =
  let
    val pieces : string chan = channel ()
  in
    (streamOf (fn _ => recv pieces, NONE), fn l => ignore (spawn (fn () => app (fn s => send (pieces, s)) l)))
  end
fun show s = print (String.toString s ^ "\n")
fun nothing n = wrap (timeOutEvt (ms n), fn () => "nothing")
fun line s = wrap (TextIO.inputLineEvt s, fn l => getOpt (l, "the end"))

fun try name event =
  let
    val (s, feed) = fed ()
  in
    print (name ^ ": ");
    show (select [event s, nothing 20]);
    feed ["one\n", "two\n", "", ""];
    show (select [event s, nothing 20000]);
    show (TextIO.inputAll s)
  end
val () = try "input1" (fn s => wrap (TextIO.input1Evt s, fn c => str (valOf c)))
val () = try "input" TextIO.inputEvt
val () = try "inputN" (fn s => TextIO.inputNEvt (s, 6))
val () = try "inputLine" line
val () = try "inputAll" TextIO.inputAllEvt
val () = print (case TextIO.canInput (#1 (fed ()), 1) handle IO.Io {cause = IO.NonblockingNotSupported, ...} => NONE of
                  NONE => "canInput raises\n"
                | SOME _ => "WRONG\n")

(* It raises an exception now and then. *)
exception Broken
val left = ref ["a ", "!", "line\n"]
fun read _ =
  case !left of
    [] => ""
  | piece :: rest => (left := rest; if piece = "!" then raise Broken else piece)
val s = streamOf (read, NONE)
fun told event = event () handle IO.Io {cause = Broken, ...} => "broken"
val () = show (told (fn () => select [line s, nothing 20000]))
val s = streamOf (fn _ => raise Broken, NONE)
val () = app (fn event => show (told (fn () => select [event s, nothing 20000])))
             [line, TextIO.inputEvt, TextIO.inputAllEvt, fn s => TextIO.inputNEvt (s, 2)]

(* It has a descriptor. *)
val {infd, outfd} = Posix.IO.pipe ()
fun write text = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes text)))
val s = streamOf (fn n => Byte.bytesToString (Posix.IO.readVec (infd, n)), SOME (Posix.FileSys.fdToIOD infd))
val () = write "a li"
val () = show (select [line s, nothing 20])
val () = write "ne\nmore"
val () = show (select [line s, nothing 20000])
val () = show (select [TextIO.inputEvt s, nothing 20000])
