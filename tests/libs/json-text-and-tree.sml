(* JSONCodec.toString took four to six times what Go's json.Marshal takes: it made a tree of the whole value, and texts of
   that. Now each codec writes text itself, beside its tree: both are the same, for every codec. *)
structure C = JSONCodec
infix 4 **
val op ** = C.**

fun result f = f () handle Match => "Match" | Domain => "Domain"
fun both codec x =
  let
    val text = result (fn () => C.toString codec x)
    val ofTree = result (fn () => C.toString C.json (C.toJSON codec x))
  in
    print (if text = ofTree then text ^ "\n" else concat ["text ", text, "\ntree ", ofTree, "\n"])
  end

(* simple values *)
val () = List.app (both C.bool) [true, false]
val () = List.app (both C.int) [0, ~1, 12345, valOf Int.maxInt, valOf Int.minInt]
val () = List.app (both C.intInf) [0, ~12, IntInf.pow (10, 40), ~ (IntInf.pow (2, 90))]
val () = List.app (both C.real)
  [0.0, ~0.0, 1.5, ~2.25E~10, 1E15, 1E16, 1E17, ~1E300, 0.1 + 0.2, Real.minPos, Real.maxFinite, Real.posInf, 0.0 / 0.0]
val () = List.app (both C.string)
  ["", "plain", "\"", "\\\"", "a\"", "\"a", "a\"b\\c", "\n\r\t\001\127", "\195\164", "a\195\164\"\226\130\172z", "\255", "a\195", "\195\"", "\240\159\152\128\""]
val () = both C.unit ()

(* several *)
val () = List.app (both (C.list C.int)) [[], [1], [1, 2, ~3]]
val () = both (C.vector C.string) (Vector.fromList ["a", "\""])
val () = both (C.pair (C.bool, C.list C.unit)) (true, [(), ()])
val () = List.app (both (C.nullable C.int)) [NONE, SOME 3]
val () = List.app (both (C.dictionary C.int)) [[], [("a", 1)], [("", 1), ("\"", 2)]]
val () = List.app (both (C.enum [("one", 1), ("t\"wo", 2)])) [1, 2, 3]
val () = both (C.map (Int.toString, fn s => valOf (Int.fromString s)) C.int) "17"
val () = both (C.text {kind = "a char", read = Char.fromString, show = str}) #"\""

(* objects *)
type r = {a : int, b : string option, c : bool}
val r : r C.codec =
  C.object (C.make (fn a => fn b => fn c => {a = a, b = b, c = c})
            ** C.field ("a\"", C.int, #a) ** C.optional ("b", C.string, #b) ** C.default ("c", C.bool, true, #c))
val () = List.app (both r) [{a = 1, b = NONE, c = true}, {a = ~1, b = SOME "\n", c = false}]
val some = C.object (C.make (fn a => fn b => (a, b)) ** C.optional ("a", C.int, #1) ** C.optional ("b", C.int, #2))
val () = List.app (both some) [(NONE, NONE), (SOME 1, NONE), (NONE, SOME 2), (SOME 1, SOME 2)]
val nothing = C.object (C.make ())
val () = both (C.list nothing) [(), ()]

(* forms, which are objects of any kind of codec *)
datatype t = NOTHING | R of r | SOME' of int option * int option | D of (string * int) list | J of JSON.value | N of r option | M of int | T of t | I of int
fun forms t =
  C.tagged "t\"ype"
    [C.variant ("noth\"ing", nothing, fn () => NOTHING, fn NOTHING => SOME () | _ => NONE),
     C.variant ("r", r, R, fn R x => SOME x | _ => NONE),
     C.variant ("some", some, SOME', fn SOME' x => SOME x | _ => NONE),
     C.variant ("d", C.dictionary C.int, D, fn D x => SOME x | _ => NONE),
     C.variant ("j", C.json, J, fn J x => SOME x | _ => NONE),
     C.variant ("n", C.nullable r, N, fn N x => SOME x | _ => NONE),
     C.variant ("m", C.map (fn _ => 0, fn n => [("m", n)]) (C.dictionary C.int), M, fn M x => SOME x | _ => NONE),
     C.variant ("t", t, T, fn T x => SOME x | _ => NONE)]
val t = C.fix forms
val x = {a = 1, b = NONE, c = true}
val () = List.app (both t)
  [NOTHING, R x, SOME' (NONE, NONE), SOME' (SOME 1, NONE), D [], D [("a", 1), ("b", 2)], J (JSON.OBJECT []), J (JSON.OBJECT [("a", JSON.ARRAY [])]), J JSON.NULL,
   J (JSON.ARRAY []), N NONE, N (SOME x), M 3, T NOTHING, T (T (R x)), I 1]

(* trees and lists by themselves *)
datatype tree = TREE of int * tree list
val tree =
  C.fix (fn tree => C.object (C.make (fn n => fn l => TREE (n, l))
    ** C.field ("n", C.int, fn TREE (n, _) => n) ** C.field ("l", C.list tree, fn TREE (_, l) => l)))
val () = both tree (TREE (1, [TREE (2, []), TREE (3, [TREE (4, [])])]))

(* long ones, which are written in pieces *)
fun isSame codec x =
  print (Bool.toString (C.toString codec (C.fromString codec (C.toString codec x)) = C.toString C.json (C.toJSON codec x)) ^ "\n")
val () = isSame (C.list C.string) (List.tabulate (30000, fn i => Int.toString i ^ "\""))
val () = isSame (C.list (C.list C.int)) (List.tabulate (300, fn i => List.tabulate (300, fn j => i * j)))
val () = isSame (C.dictionary r) (List.tabulate (5000, fn i => (Int.toString i, {a = i, b = if i mod 2 = 0 then SOME "x" else NONE, c = true})))
val () = isSame (C.list C.string) (List.tabulate (5, fn i => CharVector.tabulate (100000, fn j => Char.chr (32 + (i + j) mod 95))))
fun deep 0 = TREE (0, [])
  | deep n = TREE (n, [deep (n - 1)])
(* 10,000 arrays and objects within each other *)
val () = isSame tree (deep 4999)
