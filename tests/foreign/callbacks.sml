(* C that SML has called calls SML: functions that are exported by name and by address, of every type and of more arguments than
   registers; exceptions, threads that wait, collections and further calls of C in them; and calls of other OS threads. *)
structure P = MLton.Pointer
fun line (name, s) = print (name ^ ": " ^ s ^ "\n")
val int = Int.toString
val real = Real.fmt (StringCvt.FIX (SOME 3))
fun garbage n = List.foldl (fn (i, l) => i :: l) [] (List.tabulate (n, fn i => i))

(* -- by name *)
val add = _export "sml_add" : (int * int -> int) -> unit;
val note = _export "sml_note" : (unit -> unit) -> unit;
val many =
  _export "sml_many" : (Int8.int * real * Int64.int * Real32.real * int * int * Word16.word * int * real * real * real * real
      * real * real * real * Int8.int * Real32.real * Word32.word * P.t * Int64.int -> real) -> unit;
val sums = _import "sums" reentrant : int -> int;
val callMany = _import "call_many" reentrant : unit -> real;

val notes = ref 0
val () = add op +
val () = note (fn () => (ignore (garbage 10); notes := !notes + 1))
val () = line ("sums", int (sums 100) ^ " " ^ int (!notes))
val () = add (fn (a, b) => a + 2 * b)
val () = line ("another function of the name", int (sums 100) ^ " " ^ int (!notes))
val () =
  many (fn (a, b, c, d, e, f, g, h, i, j, k, l, m, n, oo, p, q, r, s, t) =>
    let
      val ints =
        Int8.toInt a + 3 * c + 5 * e + 6 * f + 7 * Word16.toInt g + 8 * h + 16 * Int8.toInt p + 18 * Word32.toInt r
        + 19 * Int32.toInt (P.getInt32 (s, 0))
      val reals = List.foldl op + 0.0 [b, Real32.toLarge d, i, j, k, l, m, n, oo, Real32.toLarge q]
    in
      if t = valOf Int64.minInt then Real.fromInt ints + reals else 0.0
    end)
val () = line ("many", real (callMany ()))

(* -- by address *)
val apply = _import "apply" reentrant : P.t * int -> int;
val callback = _export * : (int -> int) -> P.t;
val double = callback (fn n => 2 * n)
val () = line ("apply", int (apply (double, 20)))
val floats = _export * : (Real32.real * real -> Real32.real) -> P.t;
val applyFloat = _import "apply_float" reentrant : P.t * Real32.real -> Real32.real;
val () = line ("float", real (Real32.toLarge (applyFloat (floats (fn (x, y) => x + Real32.fromLarge IEEEReal.TO_NEAREST y), 3.0))))
val smalls = _export * : (Int8.int * Word16.word * char -> Word8.word) -> P.t;
val applySmall = _import "apply_small" reentrant : P.t * Int8.int -> Word8.word;
val () =
  line ("small", Word8.toString (applySmall (smalls (fn (a, b, c) =>
    Word8.fromInt (Int8.toInt a + Word16.toInt b + Char.ord c)), ~3)))
val longs = _export * : (Int64.int -> Int64.int) -> P.t;
val keeps = _import "keeps" reentrant : P.t * Int64.int -> Int64.int;
val odd = longs (fn n => (ignore (garbage 3); n))
val () = line ("keeps", int (keeps (odd, 1234567)))

(* sorts words in C's memory, by an order of SML's *)
val qsort = _import "qsort" reentrant : Int32.int array * Word64.word * Word64.word * P.t -> unit;
val order = _export * : (P.t * P.t -> int) -> P.t;
val less =
  order (fn (a, b) =>
    case Int32.compare (P.getInt32 (a, 0), P.getInt32 (b, 0)) of LESS => ~1 | EQUAL => 0 | GREATER => 1)
val numbers = Array.tabulate (30, fn i => Int32.fromInt (i * 17 mod 31))
val () = qsort (numbers, 0w30, 0w4, less)
val () = line ("sorted", String.concatWith " " (map Int32.toString (Array.foldr op :: [] numbers)))

(* what C has are copies, and they come back *)
val change = _import "change" reentrant errno : real array * int * string * int ref * P.t -> int * int;
val xs = Array.fromList [1.5, 2.5, 3.5]
val count = ref 100
val tell = callback (fn i => (ignore (garbage 50); 10 * i))
val () = line ("change", int (#1 (change (xs, 3, "four\000", count, tell))) ^ " " ^ int (!count))
val () = line ("array", String.concatWith " " (map real (Array.foldr op :: [] xs)))

(* -- calls in calls *)
fun deep n = if n = 0 then 0 else apply (callback (fn m => deep m), n - 1)
val () = line ("deep", int (deep 40))
fun fact f n = if n = 0 then 1 else n * (apply (f (), n - 1) - 1)
val self = ref P.null
val () = self := callback (fact (fn () => !self))
val () = line ("fact", int (apply (!self, 10)))

(* -- exceptions: C gets 0 and goes on; the first one is raised at the end *)
exception Gone of int
val calls = ref 0
val fails = callback (fn n => (calls := !calls + 1; raise Gone n))
val () = line ("raised", int (apply (fails, 5)) handle Gone n => int n ^ " " ^ int (!calls))
val third =
  order (fn (a, b) => (calls := !calls + 1; if !calls = 3 then raise Gone 3 else if !calls = 5 then raise Gone 5 else 0))
val () = calls := 0
val () = (qsort (numbers, 0w30, 0w4, third); line ("qsort", "ended")) handle Gone n => line ("first of several", int n)
val () = line ("C has gone on", Bool.toString (!calls > 5))
val () = line ("too large", int (apply (callback (fn _ => 0x80000000), 1)) handle Overflow => "Overflow")
val () = line ("again", int (apply (double, 21)))

(* -- continuations *)
val kept : int SMLofNJ.Cont.cont option ref = ref NONE
val twice = callback (fn n => SMLofNJ.Cont.callcc (fn k => (kept := SOME k; n)))
val tries = ref 0
val () =
  let
    val result = (int (apply (twice, 7))) handle Fail s => s
  in
    line ("continued", result);
    tries := !tries + 1;
    if !tries < 2 then SMLofNJ.Cont.throw (valOf (!kept)) 9 else ()
  end

(* -- threads that wait in callbacks, and other OS threads *)
val inThreads = _import "in_threads" blocking : P.t -> int;
fun work () =
  let
    val ask : (int * int CML.chan) CML.chan = CML.channel ()
    val _ =
      CML.spawn (fn () =>
        let
          fun serve () = let val (n, reply) = CML.recv ask in CML.send (reply, n + 1000); serve () end
        in
          serve ()
        end)
    fun remote n = let val reply = CML.channel () in CML.send (ask, (n, reply)); CML.recv reply end
    val asks = callback remote
    val done = CML.channel ()
    (* All are in C at once, and end in another order than they began. *)
    val waits = callback (fn n => (CML.sync (CML.timeOutEvt (Time.fromMilliseconds (LargeInt.fromInt (n mod 7)))); remote n))
    val () = List.app (fn i => ignore (CML.spawn (fn () => CML.send (done, apply (waits, i))))) (List.tabulate (30, fn i => i))
    val sum = List.foldl op + 0 (List.tabulate (30, fn _ => CML.recv done))
    val () = line ("waited", int sum)
    val () = line ("OS threads", int (inThreads asks))
    val () = Foreign.free waits
    val () = (Foreign.free waits; line ("freed", "twice")) handle Fail s => line ("freed", s)
  in
    RunCML.shutdown OS.Process.success
  end
val _ = RunCML.doit (work, NONE)
