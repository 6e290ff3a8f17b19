(* An allocation must not move into a loop that is entered at two places.

   Expected (and -O0):  1 2 3 true
   Found (optimised):   1 1 1 true

   compiler/ssa/src/opt/localref.rs, `sink_function`: `no_deeper` asks `cfg::Loops` whether the block that the
   allocation goes to is in a loop that the allocation is not in. But `Loops` has natural loops only: `even` and `odd`,
   of which either may be called first, are blocks of an irreducible cycle, which is in none. So `ref 0`, whose only
   use is in `even`, moved into `even`, and was made anew in each round. *)

fun test (k, f) =
  let
    val r = ref 0
    fun even 0 = true
      | even n = (f r; odd (n - 1))
    and odd 0 = false
      | odd n = even (n - 1)
  in
    if k > 0 then even k else odd (~k)
  end

fun inc r = (r := !r + 1; print (Int.toString (!r) ^ " "))

(* So that nothing is known when compiling. *)
val n = length (CommandLine.arguments ())
val f = List.nth ([inc, fn _ => ()], n)
val t = List.nth ([test, fn _ => false], n)
val () = print (Bool.toString (t (n + 6, f)) ^ "\n")
