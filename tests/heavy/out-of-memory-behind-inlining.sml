(* Run with --heap-max=64M.

   Expected (and -O0):  OutOfMemory OutOfMemory
   Found (optimised):   the process ends with "out of memory: ..", no handler gets the exception

   compiler/ssa/src/opt/inline.rs, `inline_into`, with `scope::tidy`. Before the inliner runs, `simplify` calls `tidy`,
   which makes a plain jump of the scope of a handler in which nothing raises by way of a slow path; a scope that only
   calls a function (`Invoke`) is such a one. Then the inliner copies that function to the place of the `Invoke`
   (`grow` is below HANDLED, and raises), with its allocations. Their blocks name no handler any more, so a heap check
   there raises out of the function. *)

exception Neg
val cells = ref nil : int list ref

fun grow n =
  if n < 0 then raise Neg
  else
    let
      fun build (0, acc) = acc
        | build (n, acc) = build (n - 1, n :: acc)
    in
      cells := build (n, nil);
      "done"
    end

fun one n = grow n handle e => exnName e
fun two n = grow (n + 1) handle e => exnName e

(* So that nothing is known when compiling. *)
val n = 100000000 + length (CommandLine.arguments ())
val () = print (one n ^ " ")
val () = print (two n ^ "\n")
val () = if null (!cells) then () else print (Int.toString (hd (!cells)) ^ "\n")
