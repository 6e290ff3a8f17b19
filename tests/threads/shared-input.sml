(* Several threads read one stream. Once, two of them got the same line, and others were lost or torn: between finding
   the line and moving the stream on another thread ran.

   The stream is a row of records of eight characters, each a line. Every function of the signature takes some of
   them; together the threads must have each record once, and each thread has its own in order. The reader gives them
   in pieces, lets other threads run in the midst, and is never asked by two threads at once. *)

val modulus = 2147483647
fun random seed =
  let val state = ref (1 + seed * 7919 mod (modulus - 1))
  in fn n => (state := !state * 48271 mod modulus; !state mod n) end

fun record n = StringCvt.padLeft #"0" 7 (Int.toString n) ^ "\n"

(* `whole`: pieces end where records do *)
fun device (seed, count, whole, mayAsk) =
  let
    val rand = random seed
    val text = String.concat (List.tabulate (count, record))
    val at = ref 0
    val busy = ref false
    val overlaps = ref 0
    fun read n =
      let
        val () = if !busy then overlaps := !overlaps + 1 else ()
        val () = busy := true
        val () = if rand 2 = 0 then CML.yield () else ()
        val k = if whole then 8 * (1 + rand 3) else 1 + rand 20
        val k = Int.min (k, size text - !at)
        val s = String.substring (text, !at, k)
        val () = if rand 2 = 0 then CML.yield () else ()
      in
        at := !at + k;
        busy := false;
        s
      end
    val reader =
      TextPrimIO.RD
        {name = "device", chunkSize = 16, readVec = SOME read, readArr = NONE,
         readVecNB = if mayAsk then SOME (fn n => if !busy then NONE else SOME (read n)) else NONE, readArrNB = NONE,
         block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE,
         verifyPos = NONE, close = fn () => (), ioDesc = NONE}
  in
    (reader, overlaps)
  end

fun run (title, seed, count, whole, threads, take) =
  let
    val (reader, overlaps) = device (seed, count, whole, true)
    val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
    val done = CML.channel ()
    fun thread j =
      let
        val rand = random (seed * 100 + j)
        (* what takes nothing, in between *)
        fun other () =
          case rand 5 of
            0 => ignore (TextIO.lookahead s)
          | 1 => ignore (TextIO.endOfStream s)
          | 2 => ignore (TextIO.canInput (s, 4))
          | 3 => ignore (TextIO.StreamIO.input1 (TextIO.getInstream s))
          | _ => CML.yield ()
        fun loop got =
          (if rand 3 = 0 then other () else ();
           case take (s, rand) of
             "" => CML.send (done, rev got)
           | found => loop (found :: got))
      in
        loop []
      end
    val () = List.app (fn j => ignore (CML.spawn (fn () => thread j))) (List.tabulate (threads, fn j => j))
    val books = List.tabulate (threads, fn _ => CML.recv done)
    val seen = Array.array (count, 0)
    val torn = ref 0
    val disorder = ref 0
    fun each ([], _) = ()
      | each (s :: rest, last) =
          if size s < 8 then torn := !torn + 1
          else
            case Int.fromString (String.substring (s, 0, 7)) of
              SOME n =>
                (if n < count andalso String.isPrefix (record n) s then Array.update (seen, n, Array.sub (seen, n) + 1)
                 else torn := !torn + 1;
                 if n > last then () else disorder := !disorder + 1;
                 each (if size s > 8 then String.extract (s, 8, NONE) :: rest else rest, n))
            | NONE => (torn := !torn + 1; each (rest, last))
    val () = List.app (fn got => each (got, ~1)) books
    val lost = Array.foldl (fn (n, sum) => if n = 0 then sum + 1 else sum) 0 seen
    val twice = Array.foldl (fn (n, sum) => if n > 1 then sum + 1 else sum) 0 seen
  in
    print (title ^ ": "
           ^ (if !torn = 0 andalso lost = 0 andalso twice = 0 andalso !disorder = 0 andalso !overlaps = 0 then "ok"
              else
                String.concat
                  ["torn ", Int.toString (!torn), ", lost ", Int.toString lost, ", twice ", Int.toString twice,
                   ", out of order ", Int.toString (!disorder), ", overlapping reads ", Int.toString (!overlaps)])
           ^ "\n")
  end

fun line s = Option.getOpt (TextIO.inputLine s, "")

(* seven digits and the line's end, as a scanner takes them *)
fun scan getc f =
  let
    fun go (0, cs, f) = SOME (String.implode (rev cs), f)
      | go (n, cs, f) = case getc f of SOME (c, f) => go (n - 1, c :: cs, f) | NONE => NONE
  in
    go (8, [], f)
  end

val () = run ("inputLine", 1, 30, false, 3, fn (s, _) => line s)
val () = run ("inputN", 2, 30, false, 3, fn (s, _) => TextIO.inputN (s, 8))
val () = run ("scanStream", 3, 20, false, 3, fn (s, _) => Option.getOpt (TextIO.scanStream scan s, ""))
val () = run ("inputLineEvt", 4, 20, false, 3, fn (s, _) => Option.getOpt (CML.sync (TextIO.inputLineEvt s), ""))
val () = run ("inputNEvt", 5, 20, false, 3, fn (s, _) => CML.sync (TextIO.inputNEvt (s, 8)))
val () =
  run ("all of them", 6, 40, true, 4, fn (s, rand) =>
    case rand 8 of
      0 => line s
    | 1 => TextIO.inputN (s, 8)
    | 2 => TextIO.inputN (s, 16)
    | 3 => Option.getOpt (TextIO.scanStream scan s, "")
    | 4 => TextIO.input s
    | 5 => CML.sync (TextIO.inputEvt s)
    | 6 => Option.getOpt (CML.sync (TextIO.inputLineEvt s), "")
    | _ => CML.sync (TextIO.inputNEvt (s, 8)))
val () = run ("inputAll", 7, 20, false, 3, fn (s, rand) => if rand 6 = 0 then TextIO.inputAll s else line s)

(* one character at a time: none is lost and none is given twice *)
val () =
  let
    val (reader, overlaps) = device (8, 12, false, true)
    val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
    val sums = CML.channel ()
    fun count (n, sum) =
      case (if n mod 3 = 0 then CML.sync (TextIO.input1Evt s) else TextIO.input1 s) of
        SOME c => (if n mod 5 = 0 then CML.yield () else (); count (n + 1, sum + ord c))
      | NONE => CML.send (sums, (n, sum))
    val () = List.app (fn _ => ignore (CML.spawn (fn () => count (0, 0)))) [1, 2, 3]
    val (n, sum) = List.foldl (fn (_, (n, sum)) => let val (m, s) = CML.recv sums in (n + m, sum + s) end) (0, 0) [1, 2, 3]
    val text = String.concat (List.tabulate (12, record))
    val right = (size text, CharVector.foldl (fn (c, sum) => sum + ord c) 0 text)
  in
    print ("input1: " ^ (if (n, sum) = right andalso !overlaps = 0 then "ok" else Int.toString n) ^ "\n")
  end

(* A functional stream is the same for all threads that read it, and its reader is asked once for each piece. *)
val () =
  let
    val (reader, overlaps) = device (9, 15, false, false)
    val f = TextIO.StreamIO.mkInstream (reader, "")
    val texts = CML.channel ()
    fun read (f, rand, parts) =
      let
        val (part, f) =
          case rand 4 of
            0 => TextIO.StreamIO.input f
          | 1 => TextIO.StreamIO.inputN (f, 5)
          | 2 => (case TextIO.StreamIO.input1 f of SOME (c, f) => (str c, f) | NONE => ("", f))
          | _ => (case TextIO.StreamIO.inputLine f of SOME found => found | NONE => ("", f))
      in
        if part = "" then String.concat (rev parts) else read (f, rand, part :: parts)
      end
    val () = List.app (fn j => ignore (CML.spawn (fn () => CML.send (texts, read (f, random j, []))))) [1, 2, 3, 4]
    val text = String.concat (List.tabulate (15, record))
    val same = List.all (fn _ => CML.recv texts = text) [1, 2, 3, 4]
  in
    print ("functional: " ^ (if same andalso !overlaps = 0 then "ok" else "wrong") ^ "\n")
  end

(* readers by themselves *)
val () =
  let
    fun shared (title, read) =
      let
        val parts = CML.channel ()
        fun go got = case read () of "" => CML.send (parts, got) | s => (CML.yield (); go (s :: got))
        val () = List.app (fn _ => ignore (CML.spawn (fn () => go []))) [1, 2, 3]
        val all = List.concat (List.tabulate (3, fn _ => CML.recv parts))
        val n = List.foldl (fn (s, n) => n + size s) 0 all
        fun less (a, b) = String.compare (a, b) <> GREATER
        fun insert (x, []) = [x]
          | insert (x, y :: ys) = if less (x, y) then x :: y :: ys else y :: insert (x, ys)
        val sorted = List.foldr insert [] all
      in
        print (title ^ ": " ^ (if sorted = List.tabulate (15, record) then "ok" else Int.toString n) ^ "\n")
      end
    val TextPrimIO.RD {readVec, readArr, ...} = TextPrimIO.openVector (String.concat (List.tabulate (15, record)))
    fun vec () = valOf readVec 8
    fun arr () =
      let
        val a = CharArray.array (8, #"?")
        val k = valOf readArr (CharArraySlice.full a)
      in
        CharArraySlice.vector (CharArraySlice.slice (a, 0, SOME k))
      end
    val turns = SyncVar.mVarInit 0
    fun even () =
      let val n = SyncVar.mTake turns
      in
        SyncVar.mPut (turns, n + 1);
        n mod 2 = 0
      end
    val () = shared ("reader of a vector", fn () => if even () then vec () else arr ())

    (* what must not wait is made of two calls: of one that asks, and one that reads *)
    val text = String.concat (List.tabulate (15, record))
    val at = ref 0
    val (one, overlaps) = (ref false, ref 0)
    fun read n =
      let
        val () = if !one then overlaps := !overlaps + 1 else ()
        val () = one := true
        val () = CML.yield ()
        val i = !at
        val k = Int.min (n, size text - i)
      in
        at := i + k;
        one := false;
        String.substring (text, i, k)
      end
    val TextPrimIO.RD {readVec, readVecNB, ...} =
      TextPrimIO.augmentReader
        (TextPrimIO.RD
           {name = "asks", chunkSize = 8, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE,
            block = NONE, canInput = SOME (fn () => (CML.yield (); true)), avail = fn () => NONE, getPos = NONE,
            setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE})
    fun either () =
      if even () then valOf readVec 8
      else
        case valOf readVecNB 8 of
          SOME s => s
        | NONE => (CML.yield (); either ())
    val () = shared ("augmented reader", either)
    val () = print ("overlapping reads: " ^ Int.toString (!overlaps) ^ "\n")
  in
    ()
  end
