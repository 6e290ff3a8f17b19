(* Types that are nothing in C, each with a message at its place. *)
val a = _import "a" : int list -> int;
val b = _import "b" : int -> string;
val c = _import "c" : int array -> unit;
val d = _import "d" : bool array * Real32.real array -> unit;
val e = _import "e" : int;
val f = _import "f" blocked : int -> int;
val g = _import * : int -> int -> int;
type t = int
type u = Int64.int
structure A = struct type int = Int64.int type t = Int64.int end
val h = _import "h" : t * A.int -> u;
val i = _import "i j" : unit -> unit;
val j = _address "j" : int;
val k = _import "k" errno : int -> int;
val l = _export "l" : int -> int;
val m = _import "m" : int option ref -> unit;
fun 'a n () = (_import "n" : 'a -> unit;)
val p = _import "p" leaf blocking : int -> int;
val q = _export "q" : (string -> int) -> unit;
val r = _export * : (int -> int) -> int;
val s = _export "s" leaf : (int -> int list) -> unit;
val t = _import "t" leaf errno : int -> int * int;
val u = _import "u" reentrant pure : int -> int;
val v = _import "v" leaf variadic : string * real -> int;
val w = _import "w" variadic : string * Real32.real -> int;
val x = _export "x" variadic : (int -> int) -> unit;
