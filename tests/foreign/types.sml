(* Each type of C as argument and as result, by each way of calling; more arguments than registers; contents of references
   that C changes; arrays in place; variables and function pointers. *)
fun line (name, s) = print (name ^ ": " ^ s ^ "\n")
val int = Int.toString
val real = Real.fmt (StringCvt.FIX (SOME 4))

val () = line ("int", int ((_import "int_result" : Int64.int -> int;) ~1))
val () = line ("int", int ((_import "int_result" : Int64.int -> int;) 0xffffffff))
val () = line ("word", Word.toString ((_import "word_result" : Int64.int -> word;) ~1))
val () = line ("leaf", int ((_import "int_result" leaf : Int64.int -> int;) 0xfffffffe))
val () = line ("i8", Int8.toString ((_import "i8" : Int8.int -> Int8.int;) ~128))
val () = line ("i16", Int16.toString ((_import "i16" : Int16.int -> Int16.int;) ~32768))
val () = line ("i32", Int32.toString ((_import "i32" : Int32.int -> Int32.int;) 0))
val () = line ("i64", int ((_import "i64" : Int64.int -> Int64.int;) 0))
val () = line ("u8", Word8.toString ((_import "u8" : Word8.word -> Word8.word;) 0w0))
val () = line ("u16", Word16.toString ((_import "u16" pure : Word16.word -> Word16.word;) 0w0))
val () = line ("u32", Word32.toString ((_import "u32" leaf : Word32.word -> Word32.word;) 0w0))
val () = line ("u64", Word64.toString ((_import "u64" : Word64.word -> Word64.word;) 0w0))
val () = line ("f32", Real32.fmt (StringCvt.FIX (SOME 4)) ((_import "f32" : Real32.real -> Real32.real;) 1.0))
val () = line ("f32 leaf", Real32.fmt (StringCvt.FIX (SOME 4)) ((_import "f32" leaf : Real32.real -> Real32.real;) 2.0))
val () = line ("f64", real ((_import "f64" : real -> real;) 1.0))
val () = line ("bool", Bool.toString ((_import "truth" : bool -> bool;) true))
val () = line ("bool", Bool.toString ((_import "truth" leaf : bool -> bool;) false))
val () = line ("char", str ((_import "next" : char -> char;) #"a"))
val () = line ("string", int ((_import "hash" : string * int -> int;) ("hello, world", 12)))
val () = line ("sub", int ((_import "hash" leaf : Word8Vector.vector * int -> int;) (Byte.stringToBytes "hello, world", 12)))
val () = (_import "nothing" : unit -> unit;) ()

type many = int * real * Int64.int * Real32.real * int * int * int * int * real * real * real * real * real * real * real
  * Int8.int * Real32.real * Word16.word
val many =
  _import "many" : int * real * Int64.int * Real32.real * int * int * int * int * real * real * real * real * real * real
    * real * Int8.int * Real32.real * Word16.word -> real;
val many_leaf =
  _import "many" leaf : int * real * Int64.int * Real32.real * int * int * int * int * real * real * real * real * real
    * real * real * Int8.int * Real32.real * Word16.word -> real;
val args : many = (~1, 2.5, 3, 4.5, 5, 6, ~7, 8, 9.5, 10.5, 11.5, 12.5, 13.5, 14.5, 15.5, ~16, 17.5, 0w18)
val () = line ("many", real (many args))
val () = line ("many leaf", real (many_leaf args))

(* What C leaves behind an address; a reference of a small type is a whole word here. *)
fun out way =
  let
    val (i, w, d, f, l, b) = (ref 1, ref (0wxff : Word8.word), ref 1.25, ref (1.5 : Real32.real), ref 5, ref true)
  in
    way (i, w, d, f, l, b);
    line ("out", int (!i) ^ " " ^ Word8.toString (!w) ^ " " ^ real (!d) ^ " "
      ^ Real32.fmt (StringCvt.FIX (SOME 4)) (!f) ^ " " ^ int (!l) ^ " " ^ Bool.toString (!b))
  end
val () = out (_import "out" : int ref * Word8.word ref * real ref * Real32.real ref * Int64.int ref * bool ref -> unit;)
val () = out (_import "out" leaf : int ref * Word8.word ref * real ref * Real32.real ref * Int64.int ref * bool ref -> unit;)
val w = ref 0w0
val () = (_import "word_out" : word ref -> unit;) w
val () = line ("word ref", Word.toString (!w))

val a = Array.fromList [5, ~3, 8, 1 : Int32.int]
val () = (_import "sort" : Int32.int array * int -> unit;) (a, Array.length a)
val () = line ("sort", String.concatWith " " (map Int32.toString (Array.foldr op :: [] a)))
val () = line ("sum", real ((_import "sum" : real vector * int -> real;) (Vector.fromList [1.0, 2.5, 4.0], 3)))
val () = line ("total", int ((_import "total" : Int64.int array * int -> Int64.int;) (Array.fromList [1, 2, ~9], 3)))
val () = line ("total", int ((_import "total" : Int64Array.array * int -> Int64.int;) (Int64Array.fromList [1, 2], 2)))

(* What does not fit is refused. *)
val i32 = _import "i32" : int -> int;
val u32 = _import "u32" : word -> word;
fun tried f x = (ignore (f x); "passed") handle Overflow => "Overflow"
val () = app (fn n => line ("i32 of " ^ int n, tried i32 n)) [0x7fffffff, 0x80000000, ~0x80000000, ~0x80000001, valOf Int.maxInt, valOf Int.minInt]
val () = app (fn n => line ("u32 of " ^ Word.toString n, tried u32 n)) [0wxffffffff, 0wx100000000, 0wxffffffffffffffff]

(* An abbreviation is what it was declared to be; an opaque type is what it is inside. *)
type fd = int
type size = Word64.word
structure Handle :> sig type t val first : t val show : t -> string end =
  struct type t = int val first = 0 val show = Int.toString end
val () = line ("fd", int ((_import "int_result" : Int64.int -> fd;) ~1))
structure Narrow = struct type t = int end
structure Broad :> sig type t val first : t val show : t -> string end =
  struct type t = Int64.int val first = ~1 val show = Int.toString end
structure Again = Broad
val () = line ("two of one name", int ((_import "int_result" : Again.t -> Narrow.t;) Broad.first))
val () = line ("size", Word64.toString ((_import "u64" : size -> size;) 0w0))
val () = line ("opaque", Handle.show ((_import "i32" : Handle.t -> Handle.t;) Handle.first))

(* The name of a structure means nothing: in one whose name has `64` in it every `int` was 64 bits wide. What its
   declaration says counts, also behind `open`, in another structure's name and in a functor's result. *)
structure Base64 = struct type status = int end
structure C_Lib = struct type status = int end
val () = line ("in Base64", int ((_import "int_result" : Int64.int -> Base64.status;) ~1))
val () = line ("in C_Lib", int ((_import "int_result" : Int64.int -> C_Lib.status;) ~1))
structure L = Int64
functor Again (W : WORD) = struct open W end
structure W64 = Again (Word64)
local
  open Int64
in
  val () = line ("opened", int ((_import "i64" : int -> L.int;) 0x100000000))
end
val () = line ("by a functor", Word64.toString ((_import "u64" : W64.word -> MLton.Word64.t;) 0wx100000000))

(* Variables and addresses. *)
val (counter, setCounter) = _symbol "counter" : int;
val () = setCounter (~5)
val () = line ("bump", int ((_import "bump" : unit -> int;) ()))
val () = line ("counter", int (counter ()))
val (level, setLevel) = _symbol "level" : real;
val () = setLevel (level () * 2.0)
val () = line ("level", real (level ()))
val p = _address "counter" : MLton.Pointer.t;
val () = line ("at address", Int32.toString (MLton.Pointer.getInt32 (p, 0)))
val () = MLton.Pointer.setInt32 (p, 0, 70000)
val () = line ("after set", int (counter ()) ^ " " ^ Word8.toString (MLton.Pointer.getWord8 (p, 1)))
val (doubler, _) = _symbol "doubler" : MLton.Pointer.t;
val apply = _import * : MLton.Pointer.t -> int -> int;
val () = line ("pointer", int (apply (doubler ()) 21))
val apply = _import * leaf : MLton.Pointer.t -> int -> int;
val () = line ("pointer leaf", int (apply (doubler ()) (~21)))
val self = _import "self" : MLton.Pointer.t -> MLton.Pointer.t;
val () = line ("same", Bool.toString (self p = p andalso self MLton.Pointer.null <> p))
val () = line ("diff", Word.toString (MLton.Pointer.diff (MLton.Pointer.add (p, 0w12), p)))
