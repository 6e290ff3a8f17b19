(* A reference that a loop passes on to itself and to another parameter.

   Expected (and -O0):  ~3 3 7
   Found (optimised):   ~3 1 7

   compiler/ssa/src/opt/localref.rs, `parameters`. `t` holds a reference, which becomes a parameter of the loop; the
   loop passes it on for itself, and for `c`. That it is needed as a whole for `c` was overlooked, since the same block
   passes it on unchanged (`to_itself`). So the parameter became its content, each round made a new reference for `c`,
   and the stores went there. *)

fun test k =
  let
    val r0 = ref 1
    val r1 = ref 2
    fun loop (n, c, t) =
      if n <= 0 then 0
      else (c := n; loop (n - 1 + n div (n - 3) * 0, #2 t, t))
    val s =
      (case k mod 4 of
         0 => loop (k, r0, (k, r1))
       | _ => loop (k, r1, (2, r0)))
      handle Div => ~3
  in
    (s, !r0, !r1)
  end

(* So that nothing is known when compiling. *)
val n = length (CommandLine.arguments ())
val t = List.nth ([test, fn _ => (0, 0, 0)], n)
val (s, x, y) = t (n + 7)
val () = print (String.concatWith " " (map Int.toString [s, x, y]) ^ "\n")
