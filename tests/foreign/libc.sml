(* The C library alone, without a file of C: errors by number, C's own output between ours, pointers into C's memory, and a
   string that C gives. *)
structure P = MLton.Pointer
val getenv = _import "getenv" : string -> P.t;
fun text p =
  let
    fun from i = if P.getWord8 (p, i) = 0w0 then [] else Byte.byteToChar (P.getWord8 (p, i)) :: from (i + 1)
  in
    implode (from 0)
  end
val strerror = _import "strerror" : int -> P.t;
val opened = _import "open" errno : string * int -> int * int;
val (fd, error) = opened ("/no/such/file\000", 0)
val () = print (Int.toString fd ^ " " ^ text (strerror error) ^ "\n")
val (fd, error) = opened ("/dev/null\000", 0)
val () = print (Bool.toString (fd >= 0) ^ " " ^ Int.toString error ^ "\n")
val (closed, _) = (_import "close" errno : int -> int * int;) fd

(* Ours comes out before C's. *)
val puts = _import "puts" : string -> int;
val flush = _import "fflush" : P.t -> int;
val () = print "one\n"
val _ = puts "two\000"
val _ = flush P.null
val () = print "three\n"

(* A variable number of arguments, reals among them. *)
val snprintf = _import "snprintf" : CharArray.array * Word64.word * string * int * real * string -> int;
val buffer = CharArray.array (64, #"\000")
val n = snprintf (buffer, 0w64, "%d %.3f %s\000", 42, 2.5, "end\000")
val () = print (CharArraySlice.vector (CharArraySlice.slice (buffer, 0, SOME n)) ^ "\n")

val malloc = _import "malloc" : Word64.word -> P.t;
val free = _import "free" : P.t -> unit;
val p = malloc 0w800
val () = P.setReal64 (p, 3, 1.5)
val () = P.setReal32 (p, 1, 0.25)
val () = P.setInt64 (p, 9, ~1)
val () = P.setPointer (p, 10, p)
val () = print (Real.toString (P.getReal64 (p, 3)) ^ " " ^ Real32.toString (P.getReal32 (p, 1)) ^ " "
  ^ Word16.toString (P.getWord16 (p, 36)) ^ " " ^ Bool.toString (P.getPointer (p, 10) = p) ^ "\n")
val () = free p

(* Nobody uses it, and it is nowhere. *)
fun unused () = (_import "no_such_function_anywhere" : unit -> unit;) ()

(* Threads go on, and what is live across a call is moved meanwhile. *)
val abs = _import "labs" : Int64.int -> Int64.int;
fun work n = foldl (fn (i, l) => abs (~i) :: l) [] (List.tabulate (n, fn i => i))
val done : int CML.chan = CML.channel ()
val _ = RunCML.doit (fn () =>
  (app (fn _ => ignore (CML.spawn (fn () => CML.send (done, foldl op + 0 (work 1000))))) [1, 2, 3, 4]
   ; print (String.concatWith " " (map (fn _ => Int.toString (CML.recv done)) [1, 2, 3, 4]) ^ "\n")), NONE)
  handle _ => OS.Process.failure
