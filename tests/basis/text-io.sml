(* TextIO: files, lines, streams as values, strings, positions, what happens after closing. *)
val name = OS.FileSys.tmpName ()
fun line s = print (s ^ "\n")
fun show NONE = "NONE"
  | show (SOME s) = "SOME \"" ^ String.toString s ^ "\""
fun showc NONE = "NONE"
  | showc (SOME c) = "SOME " ^ Char.toString c

val out = TextIO.openOut name
val () = TextIO.output (out, "first line\nsecond")
val () = TextIO.output1 (out, #"\n")
val () = TextIO.outputSubstr (out, Substring.extract ("xxthird and last", 2, NONE))
val () = TextIO.closeOut out
val () = TextIO.output (out, "x") handle IO.Io {function, cause = IO.ClosedStream, ...} => line (function ^ " after closing")
val () = TextIO.closeOut out

val s = TextIO.openIn name
val () = line (showc (TextIO.lookahead s))
val () = line (show (TextIO.inputLine s))
val () = line (showc (TextIO.input1 s))
val () = line (show (SOME (TextIO.inputN (s, 3))))
val f = TextIO.getInstream s
val () = line (show (SOME (TextIO.inputAll s)))
val () = line (Bool.toString (TextIO.endOfStream s))
val () = line (show (TextIO.inputLine s))
val () = line (showc (TextIO.input1 s))
val () = TextIO.setInstream (s, f)
val () = line (show (TextIO.inputLine s))
val () = line (show (TextIO.inputLine s))
val () = line (show (TextIO.inputLine s))
val () = TextIO.closeIn s
val () = line (show (SOME (TextIO.input s)))

val app = TextIO.openAppend name
val () = TextIO.output (app, " appended")
val () = TextIO.closeOut app
val s = TextIO.openIn name
fun count n = case TextIO.inputLine s of NONE => n | SOME l => (line (Int.toString (size l)); count (n + 1))
val () = line (Int.toString (count 0))
val () = TextIO.closeIn s

(* more than any buffer *)
val out = TextIO.openOut name
fun write 0 = ()
  | write n = (TextIO.output (out, StringCvt.padLeft #"0" 9 (Int.toString n) ^ "\n"); write (n - 1))
val () = write 20000
val () = TextIO.output (out, CharVector.tabulate (100000, fn _ => #"z"))
val () = TextIO.closeOut out
val s = TextIO.openIn name
val () = line (show (TextIO.inputLine s))
fun skip 0 = () | skip n = (TextIO.inputLine s; skip (n - 1))
val () = skip 19998
val () = line (show (TextIO.inputLine s))
val () = line (Int.toString (size (valOf (TextIO.inputLine s))))
val () = TextIO.closeIn s
val s = TextIO.openIn name
val () = line (Int.toString (size (TextIO.inputAll s)))
val () = TextIO.closeIn s
val s = TextIO.openIn name
fun chars n = case TextIO.input1 s of SOME _ => chars (n + 1) | NONE => n
val () = line (Int.toString (chars 0))
val () = TextIO.closeIn s

(* positions *)
val s = TextIO.StreamIO.mkInstream (#1 (TextIO.StreamIO.getReader (TextIO.getInstream (TextIO.openIn name))), "")
val (v, s') = TextIO.StreamIO.inputN (s, 12345)
val () = line (Position.toString (TextIO.StreamIO.filePosIn s'))

(* A reader that has opened its file counts the position itself; `verifyPos` asks the system, and must agree: after reads,
   at the end, and after `setPos`. *)
val TextPrimIO.RD {getPos, setPos, endPos, verifyPos, readVec, readArr, readVecNB, avail, close, ...} =
  #1 (TextIO.StreamIO.getReader (TextIO.getInstream (TextIO.openIn name)))
val (getPos, setPos, endPos, verifyPos) = (valOf getPos, valOf setPos, valOf endPos, valOf verifyPos)
val whole = Position.toInt (endPos ())
fun at () =
  let val (here, there) = (Position.toInt (getPos ()), Position.toInt (verifyPos ()))
  in
    if avail () <> SOME (whole - here) then "avail is wrong"
    else if here = there then Int.toString here
    else "counted " ^ Int.toString here ^ ", is " ^ Int.toString there
  end
val () = line (at ())
val () = line (Int.toString (size (valOf readVec 10)) ^ " " ^ at ())
val () = line (Int.toString (valOf readArr (CharArraySlice.slice (CharArray.array (20, #"-"), 3, SOME 7))) ^ " " ^ at ())
val () = line (Int.toString (size (valOf (valOf readVecNB 5))) ^ " " ^ at ())
val () = setPos 100
val () = line (Int.toString (size (valOf readVec 5)) ^ " " ^ at ())
val () = line (Bool.toString (size (valOf readVec (2 * whole)) = whole - 105 andalso at () = Int.toString whole))
val () = line (Bool.toString (valOf readVec 1 = "" andalso at () = Int.toString whole))
val () = setPos (endPos () - 70000)
val () = line (Int.toString (size (valOf readVec 100000)))
val () = close ()
(* places in the middle of a stream that goes on *)
val (_, s) = TextIO.StreamIO.inputN (TextIO.getInstream (TextIO.openIn name), 40000)
val () = line (Position.toString (TextIO.StreamIO.filePosIn s))
val (v, s) = TextIO.StreamIO.inputAll s
val () = line (Bool.toString (size v = whole - 40000) ^ " " ^ Bool.toString (Position.toInt (TextIO.StreamIO.filePosIn s) = whole))
val () = TextIO.StreamIO.closeIn s

(* Of a file that grows, all there is is read each time: what was found once is no bound for what comes later. *)
val out = TextIO.openOut name
fun append s = (TextIO.output (out, s); TextIO.flushOut out)
val () = append "one\n"
val s = TextIO.openIn name
val () = line (TextIO.inputAll s)
val () = line (Int.toString (size (TextIO.inputAll s)))
val () = append (String.concat (List.tabulate (50000, fn _ => "more\n")))
val () = line (Int.toString (size (TextIO.inputAll s)))
val () = append "last\n"
val () = line (TextIO.inputAll s)
val () = TextIO.closeIn s
val () = TextIO.closeOut out

val out = TextIO.openOut name
val () = TextIO.output (out, "abcdef")
val p = TextIO.getPosOut out
val () = TextIO.output (out, "ghi")
val () = TextIO.setPosOut (out, p)
val () = TextIO.output (out, "X")
val () = line (Position.toString (TextIO.StreamIO.filePosOut p))
val () = TextIO.closeOut out
val s = TextIO.openIn name
val () = line (TextIO.inputAll s)
val () = TextIO.closeIn s

val s = TextIO.openString "12 abc\n~7"
val () = line (case TextIO.scanStream (Int.scan StringCvt.DEC) s of SOME i => Int.toString i | NONE => "none")
val () = line (show (TextIO.inputLine s))
val () = line (case TextIO.canInput (s, 10) of SOME n => Int.toString n | NONE => "none")
val () = line (case TextIO.scanStream (Int.scan StringCvt.DEC) s of SOME i => Int.toString i | NONE => "none")

val () = (TextIO.openIn "/nonexistent/file"; ())
  handle IO.Io {name, function, cause = OS.SysErr (text, SOME e)} =>
    line (name ^ " " ^ function ^ " " ^ text ^ " " ^ OS.errorName e)
val () = OS.FileSys.remove name
val () = line (Bool.toString (OS.FileSys.access (name, [])))

val () = print "one "
val () = TextIO.output (TextIO.stdOut, "two ")
val () = TextIO.print "three\n"
val () = TextIO.flushOut TextIO.stdOut
val () = line (case TextIO.StreamIO.getBufferMode (TextIO.getOutstream TextIO.stdErr) of IO.NO_BUF => "NO_BUF" | _ => "other")
