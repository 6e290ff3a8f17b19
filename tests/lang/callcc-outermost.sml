(* A value of the outermost declarations that another function used lived in one global slot. When a continuation was entered
   again, the declarations behind it were evaluated again and stored over the slot that the frames of older continuations and the
   closures of the first time still read: here `g 0` gave 2 instead of 1. The same by inlining to the outermost level, for
   references, for exceptions, and for functions that capture such values. *)
structure C = SMLofNJ.Cont
fun say (name, list) = print (name ^ ": " ^ String.concatWith " " (map Int.toString list) ^ "\n")

(* From the report. *)
val () =
  let val saved : int C.cont list ref = ref []
      fun again v = case !saved of [] => v | k :: rest => (saved := rest; C.throw k 2)
      fun keep k = saved := !saved @ [k]
      val x = C.callcc (fn k => (keep k; 1))
      fun g n = if n = 0 then x else n + g (n - 1)
      val l = ref [g]
      val _ = C.callcc (fn k => (keep k; again 1))
      val () = l := [g, g]
  in say ("in a let", [x, hd (!l) 0]) end

(* At the outermost level itself: what each evaluation made is kept outside. *)
val made : (int -> int) list ref = ref []
val exns : exn list ref = ref []
val tests : (exn -> bool) list ref = ref []
val cells : int ref list ref = ref []
val rounds = ref 0
val start : int C.cont option ref = ref NONE

val x = C.callcc (fn k => (start := SOME k; 0))
val y = x * 10
fun f n = if n = 0 then x + y else 1 + f (n - 1)
val cell = ref x
fun bump () = cell := !cell + 100
exception E of int
fun isE (E _) = true | isE _ = false
val pair = (x, fn () => y)
fun second () = #2 pair ()
structure S = struct val inner = x + 1 fun get () = inner end
functor F (val n : int) = struct val m = n + x fun get () = m end
structure T = F (val n = 1000)

val () = (made := !made @ [f, fn _ => second (), fn _ => S.get (), fn _ => T.get ()];
          exns := !exns @ [E x]; tests := !tests @ [isE]; cells := !cells @ [cell]; bump ())
val () = rounds := !rounds + 1
val () = if !rounds < 4 then C.throw (valOf (!start)) (!rounds) else ()

val () = say ("closures", map (fn f => f 3) (!made))
val () = say ("references", map ! (!cells))
val () = say ("exceptions", map (fn is => length (List.filter is (!exns))) (!tests))
val () = say ("now", [x, y, f 0, second (), S.get (), T.get ()])

(* A generator: each value of a list, by continuations that are entered again and again. *)
val choices : unit C.cont list ref = ref []
fun choose [] = (case !choices of [] => raise Fail "no more" | k :: rest => (choices := rest; C.throw k ()))
  | choose [x] = x
  | choose (x :: rest) =
      if C.callcc (fn no => (C.callcc (fn k => (choices := k :: !choices; C.throw no true)); false)) then x else choose rest
val all : (unit -> int) list ref = ref []
val a = choose [1, 2, 3]
val b = choose [10, 20]
fun both () = a + b
val () = all := both :: !all
val () = if length (!all) < 6 then ignore (choose [] : int) else ()
val () = say ("choices", rev (map (fn f => f ()) (!all)))
