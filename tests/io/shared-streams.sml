(* Streams of files, pipes and children that several threads use. A child got 215,534 of 202,000 bytes: while one
   thread was parked in the flush of a full pipe, another one flushed the same buffer. See
   tests/threads/shared-output.sml for all functions. *)

fun sync ts = List.app (CML.sync o CML.joinEvt) ts

(* two threads write to a child that reads late *)
val () =
  let
    val child = Unix.execute ("/bin/sh", ["-c", "sleep 0.05; wc -c"]) : (TextIO.instream, TextIO.outstream) Unix.proc
    val out = Unix.textOutstreamOf child
    fun write c () = List.app (fn _ => TextIO.output (out, CharVector.tabulate (999, fn _ => c) ^ "\n")) (List.tabulate (100, fn i => i))
    val () = sync (List.map (fn c => CML.spawn (write c)) [#"a", #"b"])
    val () = TextIO.closeOut out
    val text = TextIO.inputAll (Unix.textInstreamOf child)
  in
    ignore (Unix.reap child);
    print ("child: " ^ String.concat (String.tokens Char.isSpace text) ^ "\n")
  end

(* a file: written and read by several threads, by TextIO, BinIO and a reader *)
val name = OS.FileSys.tmpName ()
val count = 600
fun record n = StringCvt.padLeft #"0" 7 (Int.toString n) ^ "\n"
fun check (title, parts) =
  let
    val seen = Array.array (count, 0)
    val wrong = ref 0
    fun each s =
      case Int.fromString s of
        SOME n => if s = record n then Array.update (seen, n, Array.sub (seen, n) + 1) else wrong := !wrong + 1
      | NONE => wrong := !wrong + 1
  in
    List.app each parts;
    print (title ^ ": " ^ (if !wrong = 0 andalso Array.all (fn n => n = 1) seen then "ok" else "wrong") ^ "\n")
  end
fun share f =
  let
    val results = CML.channel ()
    val () = List.app (fn j => ignore (CML.spawn (fn () => CML.send (results, f j)))) [0, 1, 2]
  in
    List.concat (List.tabulate (3, fn _ => CML.recv results))
  end
fun until get () =
  let fun go got = case get () of "" => got | s => go (s :: got)
  in go [] end
fun write put j = (List.app (fn i => put (record (3 * i + j))) (List.tabulate (count div 3, fn i => i)); [] : string list)

val out = TextIO.openOut name
val _ = share (write (fn s => (TextIO.output (out, s); if size s = 8 then () else TextIO.flushOut out)))
val () = TextIO.closeOut out
val s = TextIO.openIn name
val () = check ("TextIO", share (fn _ => until (fn () => getOpt (TextIO.inputLine s, "")) ()))
val () = TextIO.closeIn s

val out = BinIO.openOut name
val _ = share (write (fn s => BinIO.output (out, Byte.stringToBytes s)))
val () = BinIO.closeOut out
val s = BinIO.openIn name
val () = check ("BinIO", share (fn _ => until (fn () => Byte.bytesToString (BinIO.inputN (s, 8))) ()))
val () = BinIO.closeIn s

(* All functions, while the stream reads into its chunk again and again; late it becomes a chain of chunks. *)
val manyCount = 9000
val modulus = 2147483647
fun random seed =
  let val state = ref (1 + seed * 7919 mod (modulus - 1))
  in fn n => (state := !state * 48271 mod modulus; !state mod n) end
fun many (title, s) =
  let
    val seen = Array.array (manyCount, 0)
    val wrong = ref 0
    val taken = ref 0
    fun each s =
      if s = "" then ()
      else
        let val r = String.substring (s, 0, Int.min (8, size s))
        in
          (case Int.fromString r of
             SOME n => if r = record n then Array.update (seen, n, Array.sub (seen, n) + 1) else wrong := !wrong + 1
           | NONE => wrong := !wrong + 1);
          each (String.extract (s, size r, NONE))
        end
    fun read j =
      let
        val rand = random j
        fun take () =
          case rand (if !taken > manyCount div 2 then 14 else 11) of
            0 => TextIO.input s
          | 1 => TextIO.inputN (s, 80)
          | 2 => TextIO.inputN (s, if rand 50 = 0 then 20000 else 160)
          | 3 => (ignore (TextIO.lookahead s); TextIO.inputN (s, 8))
          | 4 => (ignore (TextIO.canInput (s, 8)); CML.yield (); TextIO.inputN (s, 24))
          | 11 => (ignore (TextIO.StreamIO.input (TextIO.getInstream s)); getOpt (TextIO.inputLine s, ""))
          | 12 => getOpt (CML.sync (TextIO.inputLineEvt s), "")
          | 13 => CML.sync (TextIO.inputNEvt (s, 16))
          | _ => getOpt (TextIO.inputLine s, "")
        fun go got =
          case take () of
            "" => got
          | part => (taken := !taken + size part div 8; go (part :: got))
      in
        go []
      end
  in
    List.app each (share read);
    print (title ^ ": " ^ (if !wrong = 0 andalso Array.all (fn n => n = 1) seen then "ok" else "wrong") ^ "\n")
  end
val manyName = OS.FileSys.tmpName ()
val out = TextIO.openOut manyName
val () = List.app (fn n => TextIO.output (out, record n)) (List.tabulate (manyCount, fn n => n))
val () = TextIO.closeOut out
val () = many ("a file by all functions", TextIO.openIn manyName)
val () = many ("a string by all functions", TextIO.openString (TextIO.inputAll (TextIO.openIn manyName)))
val () =
  let val child = Unix.execute ("/bin/cat", [manyName]) : (TextIO.instream, TextIO.outstream) Unix.proc
  in
    many ("a child by all functions", Unix.textInstreamOf child);
    ignore (Unix.reap child)
  end
val () = OS.FileSys.remove manyName

val (reader as TextPrimIO.RD {readVec, readVecNB, close, ...}, _) = TextIO.StreamIO.getReader (TextIO.getInstream (TextIO.openIn name))
fun either j () =
  if j = 0 then valOf readVec 8
  else
    case valOf readVecNB 8 of
      SOME s => s
    | NONE => (CML.yield (); either j ())
val () = check ("reader", share (fn j => until (either j) ()))
val () = close ()
val () = OS.FileSys.remove name

(* closing ends a read that waits for a pipe, and nothing waits for it *)
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}, ""))
    val ended = CML.channel ()
    val _ =
      CML.spawn (fn () =>
        CML.send (ended, (ignore (TextIO.inputLine s); "a line?") handle IO.Io {function, ...} => function ^ " has ended"))
    (* until it waits; one that comes later finds the end *)
    fun settle () = if Thread.stat 9 = 0 then () else (OS.Process.sleep (Time.fromMilliseconds 2); settle ())
    val () = settle ()
    val () = print (case TextIO.canInput (s, 1) of NONE => "nothing yet\n" | SOME _ => "something?\n")
    val () = TextIO.closeIn s
    val () = print (CML.recv ended ^ "\n")
    val () = print (if TextIO.endOfStream s then "closed\n" else "open?\n")
  in
    Posix.IO.close outfd
  end

(* Two threads wait for lines of one pipe by events. What one of them reads from the descriptor wakes the other. *)
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}, ""))
    val lines = CML.channel ()
    fun read () =
      case CML.sync (TextIO.inputLineEvt s) of
        SOME line => (CML.send (lines, SOME line); read ())
      | NONE => CML.send (lines, NONE)
    val _ = (CML.spawn read, CML.spawn read)
    fun put s = ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes s)))
    val () = put "0\n1\n2\n"
    val first = List.tabulate (3, fn _ => valOf (CML.recv lines))
    val () = put "3\n4\n"
    val second = List.tabulate (2, fn _ => valOf (CML.recv lines))
    val () = Posix.IO.close outfd
    val () = (ignore (CML.recv lines); ignore (CML.recv lines))
    fun has s = List.exists (fn t => t = s) (first @ second)
  in
    print ("events: " ^ (if List.all has ["0\n", "1\n", "2\n", "3\n", "4\n"] then "each once" else "wrong") ^ "\n")
  end
