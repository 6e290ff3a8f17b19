(* Threads that are pre-empted in the midst of a put or take. Own's MVar makes its new state, and looks whether the old one is
   still there; the optimiser took what it had loaded before for the second look, and so a value or a waiting thread was lost
   when another thread had run in between, once in some ten thousand slices' ends: sieve's thousandth prime was 7927, and
   sorter ended in a deadlock. *)

fun test name =
  let val (_, {sieve, sorter, ...} : Styles.networks, _) = valOf (List.find (fn (n, _, _) => n = name) Styles.all)
  in print (name ^ " " ^ Int.toString (sieve 1000) ^ " " ^ Int.toString (sorter 500) ^ "\n") end

val () = List.app test ["own"]
