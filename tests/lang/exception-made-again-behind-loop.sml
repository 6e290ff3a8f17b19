(* A generative exception is not a record that may be made again.

   Expected (and -O0):  mine
   Found (optimised):   other

   compiler/ssa/src/opt/localref.rs, `parameters`: like ref-made-again-behind-loop.sml, with the descriptor of an
   exception, which is an `alloc 0 [kind] [name]` as a tuple would be. The closure `p` becomes its fields first, then
   the descriptor that it holds becomes its fields, and behind the loop a new descriptor is made; the handler compares
   with the first one. *)

fun test (k, call) =
  let
    exception E
    fun loop (n, p) =
      if n <= 0 then p
      else
        loop
          ( n - 1
          , if n mod 3 = 1 then let exception F in fn () => raise F end else p
          )
    val p = loop (k, fn () => raise E)
  in
    (call p; "none")
    handle E => "mine"
         | _ => "other"
  end

(* So that nothing is known when compiling. *)
val n = length (CommandLine.arguments ())
val call = List.nth ([fn f => f (), fn _ => ()], n)
val t = List.nth ([test, fn _ => ""], n)
val () = print (t (n, call) ^ "\n")
