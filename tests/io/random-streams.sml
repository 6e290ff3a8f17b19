(* Random programs over streams, beside a model: a string and a place in it. Every function of IMPERATIVE_IO and STREAM_IO that reads
   is called, in any order, on streams of files, strings, pipes and readers of the program's own. A stream reads into its chunk
   again as long as nobody else sees it, and is a chain of chunks afterwards; no call may show which.

   What a functional stream has shown once it shows for ever: places are kept, and are read again later. *)

val modulus = 2147483647
fun random seed =
  let val state = ref (1 + seed * 7919 mod (modulus - 1))
  in fn n => (state := !state * 48271 mod modulus; !state mod n) end

fun text (rand, size) =
  CharVector.tabulate (size, fn _ => if rand 40 = 0 then #"\n" else if rand 6 = 0 then #" " else chr (48 + rand 10))

structure S = TextIO.StreamIO

exception Wrong of string

(* `isSteady`: what canInput and filePosIn say is known *)
fun play (rand, s, text, steps, isFile) =
  let
    val all = size text
    val at = ref 0
    (* places of functional streams, and where they are *)
    val kept = ref ([] : (S.instream * int) list)
    fun fail what = raise Wrong (what ^ " at " ^ Int.toString (!at))
    fun from i = Substring.extract (text, i, NONE)
    fun is (what, i, v) = if Substring.isPrefix v (from i) then () else fail what
    fun lineAt i =
      let val (line, rest) = Substring.splitl (fn c => c <> #"\n") (from i)
      in if Substring.isEmpty rest then Substring.string line else Substring.string line ^ "\n" end
    (* a line as it is given: the last one gets an end *)
    fun given line = if String.isSuffix "\n" line then line else line ^ "\n"
    fun amount () =
      case rand 12 of
        0 => 0
      | 1 => 16380 + rand 10
      | 2 => 32760 + rand 20
      | 3 => 70000
      | 4 => 3000
      | _ => rand 30
    fun part (what, i, n, v) = (is (what, i, v); if size v = Int.min (n, all - i) then () else fail (what ^ "'s size"))
    fun some (what, i, v) = (is (what, i, v); if v = "" andalso i < all then fail (what ^ "'s end") else ())
    (* a functional stream at i *)
    fun look (f, i) =
      case rand 7 of
        0 => let val (v, f) = S.input f in some ("S.input", i, v); (f, i + size v) end
      | 1 => let val n = amount () val (v, f) = S.inputN (f, n) in part ("S.inputN", i, n, v); (f, i + size v) end
      | 2 =>
          (case S.input1 f of
             SOME (c, f) => (is ("S.input1", i, str c); (f, i + 1))
           | NONE => if i < all then fail "S.input1" else (f, i))
      | 3 =>
          (case S.inputLine f of
             SOME (line, f) =>
               if line = given (lineAt i) then (f, i + size (lineAt i)) else fail "S.inputLine"
           | NONE => if i < all then fail "S.inputLine" else (f, i))
      | 4 => if S.endOfStream f = (i = all) then (f, i) else fail "S.endOfStream"
      | 5 =>
          (case S.canInput (f, 5) of
             SOME n => if n <= Int.min (5, all - i) andalso (n > 0 orelse i = all) then (f, i) else fail "S.canInput"
           | NONE => if isFile then fail "S.canInput" else (f, i))
      | _ =>
          (if isFile then if S.filePosIn f = i then () else fail "filePosIn" else ();
           (f, i))
    fun walk (0, place) = place
      | walk (n, place) = walk (n - 1, look place)
    fun digits getc f =
      let
        fun go (0, cs, f) = (implode (rev cs), f)
          | go (n, cs, f) = case getc f of SOME (c, f) => go (n - 1, c :: cs, f) | NONE => (implode (rev cs), f)
      in
        SOME (go (rand 40, [], f))
      end
    fun took (what, v) = (is (what, !at, v); at := !at + size v)
    fun step () =
      case rand 17 of
        0 => let val v = TextIO.input s in some ("input", !at, v); at := !at + size v end
      | 1 => let val n = amount () val v = TextIO.inputN (s, n) in part ("inputN", !at, n, v); at := !at + size v end
      | 2 => let val n = rand 9 val v = TextIO.inputN (s, n) in part ("inputN", !at, n, v); at := !at + size v end
      | 3 =>
          (case TextIO.lookahead s of
             SOME c => is ("lookahead", !at, str c)
           | NONE => if !at < all then fail "lookahead" else ())
      | 4 => if TextIO.endOfStream s = (!at = all) then () else fail "endOfStream"
      | 5 =>
          (case TextIO.canInput (s, 7) of
             SOME n => if n <= Int.min (7, all - !at) andalso (n > 0 orelse !at = all) then () else fail "canInput"
           | NONE => if isFile then fail "canInput" else ())
      | 6 => took ("scanStream", valOf (TextIO.scanStream digits s))
      | 7 => kept := List.take ((TextIO.getInstream s, !at) :: !kept, Int.min (5, length (!kept) + 1))
      | 8 =>
          (case !kept of
             [] => ()
           | places =>
               let val place = List.nth (places, rand (length places))
               in ignore (walk (rand 6, place)) end)
      | 9 =>
          (case !kept of
             (f, i) :: _ => if rand 3 = 0 then (TextIO.setInstream (s, f); at := i) else ()
           | [] => ())
      | 10 => if rand 60 = 0 then part ("inputAll", !at, all, TextIO.inputAll s) before at := all else ()
      | 11 => if rand 10 = 0 then took ("inputEvt", CML.sync (TextIO.inputEvt s)) else ()
      | 12 => if rand 10 = 0 then took ("inputNEvt", CML.sync (TextIO.inputNEvt (s, 10))) else ()
      | n =>
          if n > 14 then
            case TextIO.inputLine s of
              SOME line =>
                if line = given (lineAt (!at)) then at := !at + size (lineAt (!at)) else fail "inputLine"
            | NONE => if !at < all then fail "inputLine" else ()
          else
            case TextIO.input1 s of
              SOME c => took ("input1", str c)
            | NONE => if !at < all then fail "input1" else ()
    fun loop 0 = ()
      | loop n = (step (); loop (n - 1))
  in
    loop steps;
    part ("inputAll", !at, all, TextIO.inputAll s);
    TextIO.closeIn s;
    if TextIO.input s = "" andalso TextIO.endOfStream s then () else fail "closeIn";
    (* what was seen is still there *)
    List.app (fn place as (_, i) => if i <= all then ignore (look' place) else ()) (!kept)
  end
(* of a closed stream: only what has been read *)
and look' (f, i) = S.canInput (f, 1)

val name = OS.FileSys.tmpName ()
fun save text = let val out = TextIO.openOut name in TextIO.output (out, text); TextIO.closeOut out end

fun file (_, text) = (save text; (TextIO.openIn name, true))
fun string (_, text) = (TextIO.openString text, false)
fun device (rand, text) =
  let
    val at = ref 0
    fun read n =
      let val k = Int.min (Int.min (n, 1 + rand 2000), size text - !at)
      in String.substring (text, !at, k) before at := !at + k end
  in
    (TextIO.mkInstream
       (S.mkInstream
          (TextPrimIO.RD
             {name = "device", chunkSize = 1000, readVec = SOME read, readArr = NONE, readVecNB = SOME (SOME o read),
              readArrNB = NONE, block = NONE, canInput = NONE, avail = fn () => NONE, getPos = NONE, setPos = NONE,
              endPos = NONE, verifyPos = NONE, close = fn () => (), ioDesc = NONE}, "")), false)
  end
fun child (rand, text) =
  let
    val () = save text
    val c = Unix.execute ("/bin/cat", [name]) : (TextIO.instream, TextIO.outstream) Unix.proc
  in
    (Unix.textInstreamOf c, false)
  end

fun try (title, make, sizes, steps) =
  (List.app (fn (seed, n) =>
     let
       val rand = random seed
       val text = text (rand, n)
       val (s, isFile) = make (rand, text)
     in
       play (rand, s, text, steps, isFile)
     end
     handle Wrong what => print (title ^ ", seed " ^ Int.toString seed ^ ": " ^ what ^ "\n")) sizes;
   print (title ^ "\n"))

val sizes = [(1, 0), (2, 1), (3, 100), (4, 5000), (5, 16384), (6, 60000), (7, 150000), (8, 150000), (9, 90000)]
val () = try ("file", file, sizes, 150)
val () = try ("string", string, sizes, 100)
val () = try ("device", device, sizes, 80)
val () = try ("child", child, [(10, 0), (11, 3000), (12, 100000)], 100)

(* output: a file is what was written, in whatever ways *)
fun write seed =
  let
    val rand = random seed
    val out = TextIO.openOut name
    val parts = ref ([] : string list)
    fun put (f, s) = (f s; parts := s :: !parts)
    fun step () =
      case rand 9 of
        0 => put (fn s => TextIO.output1 (out, String.sub (s, 0)), "x")
      | 1 => put (fn s => TextIO.output (out, s), text (rand, rand 20000))
      | 2 => put (fn s => TextIO.outputSubstr (out, Substring.substring ("<" ^ s ^ ">", 1, size s)), text (rand, rand 50))
      | 3 => put (fn s => S.output (TextIO.getOutstream out, s), text (rand, rand 300))
      | 4 => TextIO.flushOut out
      | 5 => S.setBufferMode (TextIO.getOutstream out, List.nth ([IO.NO_BUF, IO.LINE_BUF, IO.BLOCK_BUF], rand 3))
      | 6 =>
          (* over what was written last *)
          let
            val pos = TextIO.getPosOut out
            val s = text (rand, 10)
            val () = TextIO.output (out, s)
            val () = TextIO.setPosOut (out, pos)
          in
            put (fn s => TextIO.output (out, s), text (rand, 10))
          end
      | 7 => if S.filePosOut (TextIO.getPosOut out) = size (String.concat (!parts)) then () else print "filePosOut\n"
      | _ => put (fn s => TextIO.output (out, s), text (rand, rand 100))
    fun loop 0 = ()
      | loop n = (step (); loop (n - 1))
    val () = loop 60
    val () = TextIO.closeOut out
    val s = TextIO.openIn name
    val isRight = TextIO.inputAll s = String.concat (rev (!parts))
  in
    TextIO.closeIn s;
    if isRight then () else print ("output, seed " ^ Int.toString seed ^ "\n")
  end
val () = List.app write [21, 22, 23, 24]
val () = print "output\n"

(* a line and a block that are longer than any chunk, from a file and as they come from a pipe *)
val () =
  let
    val long = CharVector.tabulate (200000, fn i => chr (97 + i mod 26))
    fun check s = TextIO.inputLine s = SOME (long ^ "\n") andalso TextIO.inputN (s, 200000) = long
                  andalso TextIO.inputLine s = SOME "\n" andalso TextIO.inputLine s = NONE
    val () = save (long ^ "\n" ^ long ^ "\n")
    val ofFile = TextIO.openIn name
    val (ofChild, _) = child (random 1, long ^ "\n" ^ long ^ "\n")
    val isRight = check ofFile andalso check ofChild
  in
    TextIO.closeIn ofFile;
    print (if isRight then "long lines\n" else "long lines are wrong\n")
  end
val () = OS.FileSys.remove name
