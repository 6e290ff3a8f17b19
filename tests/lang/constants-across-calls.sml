(* A constant is made again in each block and behind each call that needs it (compiler/translate/src/codegen.rs, `get`),
   and kept in no register and no slot. Here constants of each kind are needed behind calls, in handlers, behind a
   continuation that is entered again, in another thread, and as what a loop begins with; some of them stand where
   another value may come. What is printed is what Python computes. *)

val {callcc, throw} = {callcc = SMLofNJ.Cont.callcc, throw = SMLofNJ.Cont.throw}

(* So that nothing is known when compiling. *)
val unknown = length (CommandLine.arguments ())

datatype colour = Red | Green | Blue of int

(* A call of something that nobody knows, which collects. *)
val calls = ref 0
fun call n =
  (calls := !calls + 1;
   if n = 99 then raise Fail "planted"
   else length (List.tabulate (n mod 3 + unknown, fn i => i)))
val called = Array.fromList [call, fn n => call (n + 1), fn n => call n + 1]
fun f n = Array.sub (called, (n + unknown) mod 3) n

fun text (n, w : word, r, s, c, b, l, colour) =
  String.concatWith " " [Int.toString n,
                         Word.toString w,
                         Real.toString r,
                         s,
                         str c,
                         Bool.toString b,
                         String.concatWith "+" (map Int.toString l),
                         case colour of
                           Red => "red"
                         | Green => "green"
                         | Blue n => "blue" ^ Int.toString n]
fun show name t = print (name ^ ": " ^ text t ^ "\n")

(* behind calls, on both ways of a branch *)
fun behind n =
  let
    val (i, w, r, s) =
      if n > 3 then (4611686018427387904, 0wxffffffffffffffff, 2.5, "more")
      else (~1, 0w0, ~0.125, "")
    val (c, b, l) = if n mod 2 = 0 then (#"e", true, []) else (#"o", false, [7, 8])
    val x = f n
    val colour = if n = 5 then Red else if n = 4 then Green else Blue x
    val y = f (n + 1)
    val i' = if x > y then 1000000007 else i
    val z = f i
  in
    show "behind" (i' + y + z, w, r, s, c, b, l, colour)
  end
val () = app behind [0, 1, 2, 3, 4, 5, 6, 7]

(* in handlers, which know constants from before and inside of their scope *)
fun handled n =
  let
    val k = 123456789123
    val i = ref 5
    val (w, colour) =
      (i := f n; if n > 7 then ignore (f 99) else (); (0w17, Red))
      handle Fail _ => (i := !i + k; (if f 1 = 1 then 0w18 else 0w19, Green))
    val r = (Real.fromInt (f n)) handle Fail _ => 0.5
  in
    show "handled" (!i + k + 42, w, r + 1.5, "x", #"y", !i > k, [], colour)
  end
val () = app handled [1, 2, 8, 9, 10]

(* a loop that begins with constants, changes some of them on some ways, and calls *)
fun loop (n, m) =
  let
    fun go (i, a, w, r, s, c, b, l, colour) =
      if i >= n then show "loop" (a, w, r, s, c, b, l, colour)
      else if i mod 5 = m then go (i + 1, 0, 0w1, 1.0, "again", #"a", true, nil, Green)
      else if i mod 7 = m then go (i + 1 + f i, a, w + 0w3, 3.0, s, #"z", false, 3 :: l, Blue a)
      else go (i + 1, a + f (i + 2), w * 0w2, r, "one", c, not b, l, colour)
  in
    go (0, 0, 0w1, 1.0, "none", #"n", true, nil, Red)
  end
val () = app loop [(0, 0), (4, 9), (12, 0), (13, 1), (14, 2), (30, 3), (31, 4)]

(* a continuation that is entered again sees the constants that were there *)
fun again limit =
  let
    val count = ref 0
    val saved : int SMLofNJ.Cont.cont option ref = ref NONE
    val (k, w, r, l, colour) =
      if limit > 2 then (77, 0w5, 0.25, [1], Blue 2) else (~77, 0w6, 4.0, nil, Red)
    val first = f limit
    val x = callcc (fn c => (saved := SOME c; 3))
    val () = count := !count + f x - f x + 1
    val y = if x > 4 then k else 0
  in
    show "again" (x + y + first, w, r, "k", #"k", !count > 1, l, colour);
    if !count < limit then throw (valOf (!saved)) (x + 1) else ()
  end
val () = app again [1, 2, 3, 4]

(* another thread *)
fun thread n =
  let
    val c : int CML.chan = CML.channel ()
    val (k, w) = if n > 1 then (65536, 0w65535) else (1, 0w2)
    val _ = CML.spawn (fn () => (CML.send (c, k + f n); CML.send (c, 4294967296 - k)))
    val x = CML.recv c
    val y = CML.recv c
  in
    show "thread" (x - y + 5, w, 1.0, "t", #"t", k = 1, [k], if k = 1 then Green else Red)
  end
val () = app thread [0, 1, 2, 3]

(* more of them than there are registers *)
fun many n =
  let
    val (a, b, c, d, e) = (f n + 1, f (n + 1) + 2, f (n + 2) + 3, f (n + 3) + 4, f (n + 4) + 5)
    val (p, q, r, s, t) =
      if n = 0 then (1, 22, 333, 4444, 55555) else (~1, ~22, ~333, ~4444, ~55555)
    val (a', b', c', d', e') = (f a, f b, f c, f d, f e)
    val x = f p + f q + f r
    val (u, v) = if x = 2 then (9007199254740993, p) else (q, ~9007199254740993)
  in
    show "many" (a * p + b * q + c * r + d * s + e * t + a' + b' + c' + d' + e' + u - v,
                 0w0,
                 0.0,
                 Int.toString x,
                 #"m",
                 x = 3,
                 [p, q, r, s, t, u, v],
                 if a = b then Green else Blue (a - b))
  end
val () = app many [0, 1, 2, 3]
val () = print (Int.toString (!calls) ^ "\n")
