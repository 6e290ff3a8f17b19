(* The scope of an inner handler was dropped, since nothing in it raises from a slow path, and its blocks were then in
   no scope, not in that of the handler around it. So the outer handler saw what the reference had been before: 0,
   `nothing to close` and `6 after 0`. *)
val zero = length (CommandLine.arguments ())

fun quotient (n, d, xs) =
  let
    val r = ref 0
  in
    ((r := n div d) handle Div => ();
     if n > 5 then raise Fail (Int.toString n) else ();
     length xs)
    handle Fail _ => !r
  end
val () = print (Int.toString (quotient (zero + 6, 2, [1])) ^ "\n")

exception Bad of string
fun parse s =
  case Int.fromString s of
    SOME n => n
  | NONE => raise Bad s
fun load (a, b) =
  let
    val opened = ref false
  in
    (opened := (parse a > 0) handle Bad s => print ("bad " ^ s ^ "\n");
     print ("opened " ^ Bool.toString (!opened) ^ "\n");
     if parse b > 1 then print (concat [a, b, "\n"]) else raise Fail (a ^ b))
    handle e => (print (exnName e ^ ": "); print (if !opened then "close it\n" else "nothing to close\n"))
  end
val () = load (hd (CommandLine.arguments () @ ["1"]), "x")

fun count (l, d) =
  let
    val done = ref 0
    fun go nil = ()
      | go (x :: r) = ((done := !done + 10 div x) handle Div => (); go r)
  in
    (go l; if d > 0 then raise Fail (Int.toString d) else !done)
    handle Fail s => (print (s ^ " after "); !done)
  end
val () = print (Int.toString (count ([zero + 6, 0, 2], zero + 6)) ^ "\n")
