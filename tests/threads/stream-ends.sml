(* A call of a stream that does not end as usual leaves the stream usable for the threads that wait for it: an
   exception of the writer, CML.exit in it, a jump out of it by a continuation, and a scanner that reads the stream
   for which it works. (What such a call had given to the buffer stays there for the next one.) *)

fun device write =
  TextPrimIO.WR
    {name = "device", chunkSize = 8, writeVec = SOME (write o Substring.string),
     writeArr = SOME (fn slice => write (CharArraySlice.vector slice)), writeVecNB = NONE, writeArrNB = NONE, block = NONE,
     canOutput = NONE, getPos = NONE, setPos = NONE, endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE}
fun open' write = TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (device write, IO.NO_BUF))

fun sorted [] = []
  | sorted (x :: xs) =
      let val (less, more) = List.partition (fn y => String.< (y, x)) xs
      in sorted less @ x :: sorted more end

(* The first write comes to an end in its own way, while others wait. *)
fun try (title, ending) =
  let
    val got = ref ([] : string list)
    val isFirst = ref true
    val (inside, goOn) = (CML.channel (), CML.channel ())
    fun write s =
      if !isFirst then (isFirst := false; CML.send (inside, ()); CML.recv goOn; ending s)
      else (got := s :: !got; size s)
    val out = open' write
    val done = CML.channel ()
    fun thread s () = (TextIO.output (out, s) handle _ => (); CML.send (done, ()))
    val first = CML.spawn (fn () => TextIO.output (out, "first ") handle _ => ())
    val () = CML.recv inside
    val _ = CML.spawn (thread "second ")
    val _ = CML.spawn (thread "third ")
    val () = List.app (fn () => CML.yield ()) [(), (), ()]
    val () = CML.send (goOn, ())
    val () = CML.sync (CML.joinEvt first)
    val () = (CML.recv done; CML.recv done)
    val () = TextIO.output (out, "last")
    val text = String.concat (rev (!got))
  in
    print (title ^ ": " ^ String.concatWith " " (sorted (String.tokens Char.isSpace text)) ^ "\n")
  end

val () = try ("exception", fn _ => raise Fail "full")
val () = try ("exit", fn _ => CML.exit ())
val () =
  let
    val outside = ref (NONE : unit SMLofNJ.Cont.cont option)
    (* the thread goes on elsewhere, in the midst of its write *)
    fun leave _ = SMLofNJ.Cont.throw (valOf (!outside)) ()
    val got = ref ([] : string list)
    val isFirst = ref true
    val (inside, goOn) = (CML.channel (), CML.channel ())
    val out =
      open' (fn s =>
        if !isFirst then (isFirst := false; CML.send (inside, ()); CML.recv goOn; leave s) else (got := s :: !got; size s))
    val done = CML.channel ()
    val _ =
      CML.spawn (fn () =>
        (SMLofNJ.Cont.callcc (fn k => (outside := SOME k; TextIO.output (out, "first ")));
         TextIO.output (out, "again ");
         CML.send (done, ())))
    val () = CML.recv inside
    val _ = CML.spawn (fn () => (TextIO.output (out, "another ");  CML.send (done, ())))
    val () = List.app (fn () => CML.yield ()) [(), (), ()]
    val () = CML.send (goOn, ())
    val () = (CML.recv done; CML.recv done)
    val () = TextIO.output (out, "last")
  in
    print ("jump: " ^ String.concatWith " " (sorted (String.tokens Char.isSpace (String.concat (rev (!got))))) ^ "\n")
  end

(* in order of the calls: the queue is first in, first out *)
val () =
  let
    val got = ref ([] : string list)
    val gate = CML.channel ()
    val isFirst = ref true
    val out =
      open' (fn s =>
        (if !isFirst then (isFirst := false; CML.recv gate) else ();
         got := s :: !got;
         size s))
    val ts = List.tabulate (6, fn i => CML.spawn (fn () => TextIO.output (out, Int.toString i)))
    val () = List.app (fn () => CML.yield ()) [(), (), (), (), (), (), (), ()]
    val () = CML.send (gate, ())
    val () = List.app (CML.sync o CML.joinEvt) ts
  in
    print ("all there: " ^ Int.toString (size (String.concat (!got))) ^ "\n")
  end

(* a scanner that uses the stream *)
val () =
  let
    val s = TextIO.openString "abc def"
    fun scan getc f =
      (ignore (TextIO.input1 s);
       case getc f of SOME (c, f) => SOME (str c, f) | NONE => NONE)
    val first = TextIO.scanStream scan s
  in
    print ("scanner: " ^ valOf first ^ ", then " ^ TextIO.inputAll s ^ "\n")
  end
