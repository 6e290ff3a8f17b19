(* Several threads write to one stream. Once, `output` flushed the buffer, parked in its write, and another thread
   flushed the same bytes again, or added some that the first one then dropped: lines were lost, doubled and torn,
   with one worker, too.

   Books are kept: a line whose call has returned is in the result once and whole; one whose call has raised is there
   once or not at all; and those of one thread are in order. The writer takes part of what it gets, lets other threads
   run in the midst, and now and then fails. *)

val modulus = 2147483647
fun random seed =
  let val state = ref (1 + seed * 7919 mod (modulus - 1))
  in fn n => (state := !state * 48271 mod modulus; !state mod n) end

datatype fault = NEVER | SOMETIMES
exception Full

(* a writer, what it has got, and whether two calls of it have overlapped *)
fun device (seed, fault, chunk) =
  let
    val rand = random seed
    val got = ref ([] : string list)
    val busy = ref false
    val overlaps = ref 0
    fun write s =
      let
        val () = if !busy then overlaps := !overlaps + 1 else ()
        val () = busy := true
        val () = if rand 2 = 0 then CML.yield () else ()
        val () = if fault = SOMETIMES andalso rand 5 = 0 then (busy := false; raise Full) else ()
        val k = 1 + rand (size s)
        val () = got := String.substring (s, 0, k) :: !got
        val () = if rand 3 = 0 then CML.yield () else ()
      in
        busy := false;
        k
      end
    val writer =
      TextPrimIO.WR
        {name = "device", chunkSize = chunk, writeVec = SOME (write o Substring.string),
         writeArr = SOME (fn slice => write (CharArraySlice.vector slice)), writeVecNB = NONE, writeArrNB = NONE,
         block = NONE, canOutput = NONE, getPos = SOME (fn () => 0), setPos = SOME (fn _ => ()), endPos = NONE,
         verifyPos = NONE, close = fn () => (), ioDesc = NONE}
  in
    (writer, fn () => String.concat (rev (!got)), overlaps)
  end

datatype told = RETURNED | RAISED

(* The lines of a thread: its letter, a number, and a tail whose length follows from both. *)
fun tail (j, n) = CharVector.tabulate ((n * 5 + j * 3) mod 17, fn _ => #".")
fun line (j, n) = String.concat [str (chr (65 + j)), Int.toString n, ":", tail (j, n), "\n"]

fun run (title, seed, fault, chunk, threads, lines) =
  let
    val (writer, result, overlaps) = device (seed, fault, chunk)
    val base = TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF)
    val out = TextIO.mkOutstream base
    val done = CML.channel ()
    fun sure f = f () handle IO.Io {cause = Full, ...} => sure f
    fun thread j =
      let
        val rand = random (seed * 100 + j)
        (* the other functions of the signature, in between *)
        fun other () =
          case rand 8 of
            0 => TextIO.flushOut out
          | 1 => TextIO.StreamIO.setBufferMode (TextIO.getOutstream out, IO.LINE_BUF)
          | 2 => TextIO.StreamIO.setBufferMode (base, IO.NO_BUF)
          | 3 => TextIO.StreamIO.setBufferMode (base, IO.BLOCK_BUF)
          | 4 => ignore (TextIO.StreamIO.getBufferMode base)
          | 5 => ignore (TextIO.StreamIO.filePosOut (TextIO.getPosOut out))
          | 6 => ignore (TextIO.StreamIO.setPosOut (TextIO.getPosOut out))
          | _ => CML.yield ()
        fun write s =
          (case rand 4 of
             0 => TextIO.StreamIO.output (base, s)
           | 1 => TextIO.outputSubstr (out, Substring.full s)
           | _ => TextIO.output (out, s);
           RETURNED)
          handle IO.Io {cause = Full, ...} => RAISED
        fun dot () = (TextIO.output1 (out, #"!"); 1) handle IO.Io {cause = Full, ...} => 0
        fun loop (n, told, dots) =
          if n = lines then CML.send (done, (j, rev told, dots))
          else
            let
              val () = if rand 3 = 0 then other () handle IO.Io {cause = Full, ...} => () else ()
              val t = write (line (j, n))
              val d = if fault = NEVER andalso rand 4 = 0 then dot () else 0
            in
              loop (n + 1, t :: told, dots + d)
            end
      in
        loop (0, [], 0)
      end
    val () = List.app (fn j => ignore (CML.spawn (fn () => thread j))) (List.tabulate (threads, fn j => j))
    val books = List.tabulate (threads, fn _ => CML.recv done)
    val () = sure (fn () => TextIO.flushOut out)
    val () = sure (fn () => TextIO.closeOut out)
    val text = result ()
    val marks = CharVector.foldl (fn (c, n) => if c = #"!" then n + 1 else n) 0 text
    (* what the text has of each thread, as numbers; or what is wrong *)
    val found = Array.array (threads, [] : int list)
    val wrong = ref 0
    fun check s =
      let
        (* characters by `output1` stand between lines *)
        val s = Substring.string (Substring.dropl (fn c => c = #"!") (Substring.full s))
        val j = if s = "" then ~1 else ord (String.sub (s, 0)) - 65
      in
        if s = "" then ()
        else
          case if j >= 0 andalso j < threads then Int.fromString (String.extract (s, 1, NONE)) else NONE of
            SOME n =>
              if s ^ "\n" = line (j, n) then Array.update (found, j, n :: Array.sub (found, j)) else wrong := !wrong + 1
          | NONE => wrong := !wrong + 1
      end
    val () = List.app check (String.fields (fn c => c = #"\n") text)
    fun agree (_, [], []) = true
      | agree (n, RETURNED :: told, m :: found) = n = m andalso agree (n + 1, told, found)
      | agree (n, RAISED :: told, m :: found) =
          if n = m then agree (n + 1, told, found) else agree (n + 1, told, m :: found)
      | agree (n, RAISED :: told, []) = agree (n + 1, told, [])
      | agree _ = false
    val disagree = List.filter (fn (j, told, _) => not (agree (0, told, rev (Array.sub (found, j))))) books
    val dots = List.foldl (fn ((_, _, d), sum) => sum + d) 0 books
  in
    print (title ^ ": "
           ^ (if !wrong = 0 andalso List.null disagree andalso !overlaps = 0 andalso marks = dots then "ok"
              else
                String.concat
                  ["wrong lines ", Int.toString (!wrong), ", threads that miss or have too many ",
                   Int.toString (length disagree), ", overlapping writes ", Int.toString (!overlaps), ", marks ",
                   Int.toString marks, " of ", Int.toString dots])
           ^ "\n")
  end

val () = run ("sound writer", 1, NEVER, 32, 3, 12)
val () = run ("small buffer", 2, NEVER, 3, 2, 10)
val () = run ("failing writer", 3, SOMETIMES, 24, 3, 10)

(* closed in the midst: what was accepted is there, what comes later raises *)
val () =
  let
    val (writer, result, _) = device (5, NEVER, 16)
    val out = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF))
    val done = CML.channel ()
    fun write (n, accepted) =
      if n = 20 then CML.send (done, rev accepted)
      else
        case (TextIO.output (out, line (0, n)); true) handle IO.Io {cause = IO.ClosedStream, ...} => false of
          true => (if n mod 4 = 0 then CML.yield () else (); write (n + 1, line (0, n) :: accepted))
        | false => CML.send (done, rev accepted)
    val _ = CML.spawn (fn () => write (0, []))
    val _ = CML.yield ()
    val () = TextIO.closeOut out
    val accepted = CML.recv done
  in
    print ("closed: " ^ (if result () = String.concat accepted then "ok" else "lost or doubled") ^ "\n")
  end

(* standard output, which becomes another stream and is itself again *)
val () =
  let
    val (writer, result, _) = device (6, NEVER, 16)
    val old = TextIO.getOutstream TextIO.stdOut
    val () = TextIO.setOutstream (TextIO.stdOut, TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF))
    val ts = List.tabulate (3, fn j => CML.spawn (fn () => List.app (fn n => print (line (j, n))) (List.tabulate (6, fn n => n))))
    val () = List.app (CML.sync o CML.joinEvt) ts
    val () = TextIO.closeOut TextIO.stdOut
    val () = TextIO.setOutstream (TextIO.stdOut, old)
    val lines = List.map (fn s => s ^ "\n") (String.tokens (fn c => c = #"\n") (result ()))
    fun ofThread j = List.filter (fn s => String.sub (s, 0) = chr (65 + j)) lines
    val right = List.tabulate (3, fn j => ofThread j = List.tabulate (6, fn n => line (j, n)))
  in
    print ("print: " ^ (if length lines = 18 andalso List.all (fn b => b) right then "ok" else "wrong") ^ "\n")
  end
