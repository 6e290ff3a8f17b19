(* A reference is not a record that may be made again.

   Expected (and -O0):  8
   Found (optimised):   5

   compiler/ssa/src/opt/localref.rs, `parameters`: the parameter of a loop that is a fresh record on every edge becomes
   its fields, and is made again where it is needed as a whole behind the loop. The pass looks at stores, comparisons
   and mutable loads of the parameter itself. But `p` is only given to functions that are not known here, and these
   store. Each call gets a reference of its own, and `r`, which may be `p`, keeps its first value. *)

fun test (k, fs) =
  let
    val r = ref 5
    fun loop (n, p) =
      if n <= 0 then p
      else loop (n - 1, if n mod 3 = 1 then ref n else p)
    val p = loop (k, r)
  in
    app (fn f => f p) fs;
    !r
  end

val fs = [fn p => p := 7, fn p => p := !p + 1]

(* So that nothing is known when compiling. *)
val n = length (CommandLine.arguments ())
val t = List.nth ([test, fn (k, _) => k], n)
val () = print (Int.toString (t (n, fs)) ^ "\n")
