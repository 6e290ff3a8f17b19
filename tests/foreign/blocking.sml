(* `blocking`: C runs on an OS thread of the pool. Other threads of the same worker go on, and may open what it waits for; what C
   gets are copies, so the collector moves the originals meanwhile; results, contents of references, elements of arrays and
   errno come back; and a thread that is cancelled waits until C has returned. *)
fun line (name, s) = print (name ^ ": " ^ s ^ "\n")
val int = Int.toString
val real = Real.fmt (StringCvt.FIX (SOME 3))

val pass = _import "pass" blocking : int -> int;
val openGate = _import "open_gate" : unit -> unit;
val many =
  _import "many" blocking : Int8.int * real * Int64.int * Real32.real * int * int * Word16.word * int * real * real * real * real
    * real * real * real * Int8.int * Real32.real * Word32.word -> real;
val manyPlain =
  _import "many" : Int8.int * real * Int64.int * Real32.real * int * int * Word16.word * int * real * real * real * real * real
    * real * real * Int8.int * Real32.real * Word32.word -> real;
val changeAll =
  _import "change_all" blocking : string * int * real array * int * int ref * Word8.word ref * Real32.real ref * real ref
    -> Int64.int;
val fails = _import "fails" blocking errno : int -> int * int;
val small = _import "small" blocking : Int8.int -> Int8.int;
val half = _import "half" blocking : Real32.real -> Real32.real;
val truth = _import "truth" blocking : bool -> bool;
val (timer, _) = _symbol "timer" : MLton.Pointer.t;
val apply = _import * blocking : MLton.Pointer.t -> int -> int;
val deep = _import "deep" blocking : int -> int;

fun garbage n = List.foldl (fn (i, l) => i :: l) [] (List.tabulate (n, fn i => i))

fun work () =
  let
    val done : int CML.chan = CML.channel ()
    (* More than the workers, all in C; what opens the gate runs beside them. *)
    val () = List.app (fn i => ignore (CML.spawn (fn () => CML.send (done, pass i)))) (List.tabulate (20, fn i => i))
    val () = CML.sync (CML.timeOutEvt (Time.fromMilliseconds 5))
    val () = openGate ()
    val () = line ("passed", int (List.foldl op + 0 (List.tabulate (20, fn _ => CML.recv done))))

    val args = (~1, 2.5, 3, 4.5, 5, 6, 0w7, ~8, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, ~16, 17.5, 0w18)
    val () = line ("many", real (many args) ^ " " ^ Bool.toString (Real.== (many args, manyPlain args)))

    val numbers = Array.fromList [1.0, 2.5, ~4.0]
    val (i, w, f, d) = (ref 7, ref (0w255 : Word8.word), ref (3.0 : Real32.real), ref 1.0)
    val _ = CML.spawn (fn () => ignore (garbage 2000))
    val text = String.concat ["hel", "lo"]
    val sum = changeAll (text, size text, numbers, Array.length numbers, i, w, f, d)
    val () = line ("sum", int sum ^ " " ^ text)
    val () = line ("array", String.concatWith " " (map real (Array.foldr op :: [] numbers)))
    val () = line ("refs", int (!i) ^ " " ^ Word8.toString (!w) ^ " " ^ real (Real32.toLarge (!f)) ^ " " ^ real (!d))
    val empty = Array.fromList [] : real array
    val () = line ("empty", int (changeAll ("", 0, empty, 0, i, w, f, d)))

    val (result, number) = fails 11
    val () = line ("errno", int result ^ " " ^ int number)
    val () = line ("small", Int8.toString (small ~127))
    val () = line ("half", real (Real32.toLarge (half 5.0)))
    val () = line ("truth", Bool.toString (truth false) ^ " " ^ Bool.toString (truth true))
    val () = line ("pointer", int (apply (timer ()) 14))
    val () = line ("deep", int (deep 3))
    val () = line ("range", int (pass 0x80000000) handle Overflow => "Overflow")
  in
    line ("many calls", int (List.foldl op + 0 (List.map (fn i => pass i) (List.tabulate (100, fn i => i)))))
  end

val _ = RunCML.doit (work, NONE)
