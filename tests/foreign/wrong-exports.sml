(* Names that no program exports, and one that has two types. *)
val a = _export "main" : (unit -> int) -> unit;
val b = _export "malloc" : (Word64.word -> MLton.Pointer.t) -> unit;
val c = _export "int" : (int -> int) -> unit;
val d = _export "leat_open" : (int -> int) -> unit;
(* C has one function `g`: what was called as a function of reals got an integer. *)
structure A = struct val set = _export "g" : (int -> int) -> unit; end
structure B = struct val set = _export "g" : (real -> real) -> unit; end
(* These are one type in C, and only one of the types of `h` is there. *)
val e = _export "f" : (int -> int) -> unit;
val f = _export "f" : (Int32.int -> Int32.int) -> unit;
val g = _export "h" : (int list -> int) -> unit;
val h = _export "h" : (int -> int) -> unit;
val i = _import : int -> int;
