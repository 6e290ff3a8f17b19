(* TextIO.scanStream is alone in its stream, though it takes the lock by the quick way when the stream is a chain: other
   threads wait while the scanner runs, whatever it does then, and go on when it ends, however it ends. *)

fun digits getc f =
  let
    fun go (cs, f) =
      case getc f of
        SOME (c, f') => if Char.isDigit c then go (c :: cs, f') else (cs, f)
      | NONE => (cs, f)
  in
    case go ([], StringCvt.skipWS getc f) of
      ([], _) => NONE
    | (cs, f) => SOME (implode (rev cs), f)
  end
fun scan s = Option.getOpt (TextIO.scanStream digits s, "NONE")
fun line (what, l) = print (what ^ ": " ^ String.concatWith " " l ^ "\n")
fun sorted [] = []
  | sorted (x :: xs) =
      let val (less, more) = List.partition (fn y => String.< (y, x)) xs
      in sorted less @ x :: sorted more end
fun one s = case TextIO.input1 s of SOME c => str c | NONE => "end"

(* The first scan makes a chain; the others find one. *)
fun opened text = let val s = TextIO.openString text in ignore (scan s); s end

(* NONE takes nothing, nor does what raises. *)
val () =
  let
    val s = opened "1 22 x 333"
    val a = scan s
    val b = scan s
    val c = (TextIO.scanStream (fn getc => fn f => (ignore (getc f); raise Fail "raised")) s; "") handle Fail e => e
    val d = [one s, one s, one s]
  in
    line ("in order", [a, b, c] @ d @ [scan s, scan s, one s])
  end

(* Who has scanned goes on, and another thread reads. *)
val () =
  let
    val s = opened "0 12 ab"
    val done = CML.channel ()
    fun elsewhere f = (ignore (CML.spawn (fn () => CML.send (done, f ()))); CML.recv done)
    val a = (TextIO.scanStream (fn _ => fn _ => raise Fail "raised") s; "") handle Fail e => e
    val b = elsewhere (fn () => one s)
    val c = scan s
    val d = elsewhere (fn () => one s)
    val e = scan s
    val f = elsewhere (fn () => one s)
  in
    line ("elsewhere", [a, b, c, d, e, f])
  end

(* A reader that gives three characters at a time: most numbers lie in several nodes of the chain. *)
val () =
  let
    val text = "1 22 333 4444 55555 666666 7777777"
    val at = ref 0
    fun read n =
      let
        val k = Int.min (3, size text - !at)
      in
        String.substring (text, !at, k) before at := !at + k
      end
    val reader =
      TextPrimIO.RD
        {name = "three", chunkSize = 3, readVec = SOME read, readArr = NONE, readVecNB = NONE, readArrNB = NONE,
         block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE, endPos = NONE,
         verifyPos = NONE, close = fn () => (), ioDesc = NONE}
    val s = TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, ""))
    fun all () = case TextIO.scanStream digits s of SOME n => n :: all () | NONE => []
  in
    line ("in pieces", all ())
  end

(* What another thread reads comes behind what the scanner takes, though that lets the other run in the midst. *)
fun slowly getc f =
  digits (fn f => (CML.yield (); getc f)) f
val () =
  let
    val s = opened "0 1234567890abc"
    val begun = CML.channel ()
    val done = CML.channel ()
    fun scanner getc f = (CML.send (begun, ()); slowly getc f)
    val _ = CML.spawn (fn () => CML.send (done, ("scanner", valOf (TextIO.scanStream scanner s))))
    val () = CML.recv begun
    fun reader name = ignore (CML.spawn (fn () => CML.send (done, (name, TextIO.inputN (s, 1)))))
    val () = List.app reader ["reader", "reader", "reader"]
    val results = List.tabulate (4, fn _ => CML.recv done)
    val (scanned, read) = List.partition (fn (name, _) => name = "scanner") results
  in
    line ("alone", map #2 scanned @ sorted (map #2 read))
  end

(* Likewise when the scanner raises, or its thread ends, or it uses the stream itself. *)
fun thread (s, scanner) =
  let
    val begun = CML.channel ()
    fun inside getc f = (CML.send (begun, ()); CML.yield (); scanner getc f)
    val t = CML.spawn (fn () => ignore (TextIO.scanStream inside s) handle Fail _ => ())
    val () = CML.recv begun
    val first = one s
  in
    CML.sync (CML.joinEvt t);
    [first, scan s, one s]
  end
val () = line ("raises", thread (opened "0abc12 x", fn _ => fn _ => raise Fail "raised"))
val () = line ("ends", thread (opened "0abc12 x", fn _ => fn _ => CML.exit ()))
val () =
  let
    val s = opened "0 12 34 56 78"
    fun scan' getc f = (ignore (scan s); CML.yield (); slowly getc f)
    val inside = TextIO.scanStream scan' s
  in
    (* The outer call goes on from the place that it began at, and moves the stream behind what it has read. *)
    line ("inside", [valOf inside, scan s, scan s])
  end
val () =
  let
    val s = opened "0 12 34"
    val other = TextIO.getInstream (TextIO.openString " 99 88")
    fun scan' getc f = (TextIO.setInstream (s, other); NONE)
    val none = TextIO.scanStream scan' s
  in
    line ("set inside", [Bool.toString (isSome none), scan s, scan s, one s])
  end
val () =
  let
    val s = opened "0 12 34"
    fun scan' getc f = (TextIO.closeIn s; digits getc f)
  in
    line ("closed inside", [valOf (TextIO.scanStream scan' s), one s])
  end

(* A scan in a scope that is cancelled while it waits for another's takes nothing. *)
val () =
  let
    val s = opened "0 123 45"
    val begun = CML.channel ()
    val goOn = CML.channel ()
    fun scanner getc f = (CML.send (begun, ()); CML.recv goOn; digits getc f)
    val done = CML.channel ()
    val _ = CML.spawn (fn () => CML.send (done, valOf (TextIO.scanStream scanner s)))
    val () = CML.recv begun
    val waited = Scope.within (Time.fromMilliseconds 5) (fn _ => scan s)
    val () = CML.send (goOn, ())
  in
    line ("cancelled", [if isSome waited then "not" else "yes", CML.recv done, scan s])
  end
