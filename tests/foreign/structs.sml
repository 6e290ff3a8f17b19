(* Structures by value: each class of their words, in each way of calling, as parameters and as results. *)
type pair = Int64.int * Int64.int
type mixed = real * Int8.int
type floats = Real32.real * Real32.real
(* The fields of an abbreviation are what it was declared to be: C's `int`. *)
type beside = int * Real32.real
structure Large :> sig type t = real * int * Word8.word * real end =
struct
  type t = real * int * Word8.word * real
end
structure Inner :> sig type t val make : int * Word8.word -> t val parts : t -> int * Word8.word end =
struct
  type t = int * Word8.word
  fun make x = x
  fun parts x = x
end
type outer = Inner.t * Word8.word

val int = Int.toString
val real = Real.toString
fun line parts = print (String.concatWith " " parts ^ "\n")

fun pair (a, b) = line ["pair", int a, int b]
fun mixed (d, i) = line ["mixed", real d, Int8.toString i]
fun floats (x, y) = line ["floats", Real32.toString x, Real32.toString y]
fun beside (i, f) = line ["beside", int i, Real32.toString f]
fun large (a, b, c, d) = line ["large", real a, int b, Word8.toString c, real d]
fun outer (inner, c) =
  let val (a, b) = Inner.parts inner in line ["outer", int a, Word8.toString b, Word8.toString c] end

val () = pair ((_import "swap" : pair * unit -> pair;) ((1, 2), ()))
val () = pair ((_import "swap" leaf : pair * unit -> pair;) ((~1, 2), ()))
val () = pair (#1 ((_import "swap" errno : pair * unit -> pair * int;) ((3, ~4), ())))
val () = mixed ((_import "half" : mixed * unit -> mixed;) ((5.0, ~8), ()))
val () = mixed ((_import "half" pure : mixed * unit -> mixed;) ((7.0, 8), ()))
val () = mixed ((_import "half" blocking : mixed * unit -> mixed;) ((9.0, ~100), ()))
val () = floats ((_import "turned" : floats * unit -> floats;) ((1.5, 2.5), ()))
val () = floats ((_import "turned" leaf : floats * unit -> floats;) ((3.5, 4.5), ()))
val () = floats ((_import "turned" reentrant : floats * unit -> floats;) ((5.5, 6.5), ()))
val () = beside ((_import "next" : beside * unit -> beside;) ((~5, 6.5), ()))
val () = beside ((_import "next" leaf : beside * unit -> beside;) ((5, ~6.5), ()))
val () = large ((_import "more" : int * Large.t -> Large.t;) (1, (1.0, 2, 0w3, 4.5)))
val () = large ((_import "more" leaf : int * Large.t -> Large.t;) (2, (1.0, ~2, 0w254, 4.5)))
val () = large (#1 ((_import "more" blocking errno : int * Large.t -> Large.t * int;) (3, (1.0, 2, 0w3, 4.5))))
val () = large ((_import * reentrant : MLton.Pointer.t -> int * Large.t -> Large.t;)
                  (_address "more" : MLton.Pointer.t;) (4, (1.0, 2, 0w3, 4.5)))
val () = outer ((_import "reversed" : outer * unit -> outer;) ((Inner.make (5, 0w6), 0w7), ()))
val () = outer ((_import "reversed" leaf : outer * unit -> outer;) ((Inner.make (8, 0w9), 0w10), ()))

type w = Int64.int
val runs_out = _import "runs_out" : w * w * w * w * w * pair * w -> w;
val runs_out_leaf = _import "runs_out" leaf : w * w * w * w * w * pair * w -> w;
val () = line ["runs out", int (runs_out (1, 2, 3, 4, 5, (6, 7), 8)), int (runs_out_leaf (1, 2, 3, 4, 5, (6, 7), 8))]

val sum = _import "sum" variadic : int * mixed * Large.t * mixed * Large.t -> real;
val () = line ["variadic", real (sum (2, (1.5, 2), (1.0, 2, 0w3, 4.0), (2.5, ~2), (10.0, 20, 0w30, 40.0)))]

(* A field that does not fit raises Overflow, as an argument does. *)
val next = _import "next" leaf : beside * unit -> beside;
val () = (beside (next ((0x80000000, 0.0), ()))) handle Overflow => line ["Overflow"]

(* Functions of SML. *)
exception Enough
val with_large = _import "with_large" reentrant : MLton.Pointer.t * int -> int;
val exported = _export * : (Large.t * pair -> Large.t) -> MLton.Pointer.t;
val add = exported (fn ((a, b, c, d), (i, j)) => (a + 1.0, b + i, c + 0w1, d + Real.fromInt j))
val () = line ["callback", int (with_large (add, 3))]
val fails = exported (fn (l, (i, _)) => if i = 1 then raise Enough else l)
val () = line ["callback", int (with_large (fails, 3))] handle Enough => line ["Enough"]
val blocked = _import "with_large" blocking : MLton.Pointer.t * int -> int;
val () = line ["blocking callback", int (blocked (add, 2))]
(* What C gets of an exception is read by C, which gives it to us. *)
val given = ref 5
val nested = exported (fn (l, _) => (given := with_large (fails, 3); l) handle Enough => (1.0, 2, 0w3, 5.0))
val () = line ["nested", int (with_large (nested, 1)), int (!given)]
val with_pair = _import "with_pair" reentrant : MLton.Pointer.t -> int;
val pair = (_export * : (mixed * unit -> pair) -> MLton.Pointer.t;) (fn ((d, i), ()) => (Real.trunc d, Int8.toInt i))
val () = line ["callback", int (with_pair pair)]
val with_mixed = _import "with_mixed" reentrant : MLton.Pointer.t -> int;
val mixed = (_export * : (floats * unit -> mixed) -> MLton.Pointer.t;)
  (fn ((x, y), ()) => (Real32.toLarge (x + y), Int8.fromInt (Real32.trunc y)))
val () = line ["callback", int (with_mixed mixed)]

(* The block of a reentrant call is not cleared where it has registers only; what lies between fields is 0 nevertheless,
   as where it is put together by shifts. *)
val ones = _import "ones" reentrant : Int64.int * Int64.int * Int64.int * Int64.int * Int64.int * Int64.int -> Int64.int;
val between = _import "between" : (Int8.int * int) * unit -> int;
val between_reentrant = _import "between" reentrant : (Int8.int * int) * unit -> int;
val () = line ["ones", int (ones (~1, ~1, ~1, ~1, ~1, ~1))]
val () = line ["between", int (between ((1, 2), ())), int (between_reentrant ((1, 2), ()))]
