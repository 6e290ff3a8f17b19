(* What does not fit raises what the signature of arrays says, also where a sum would be no int. *)
val most = valOf Int.maxInt
val a = BitArray.array (5, true)
fun try (name, f) = print (name ^ ": " ^ ((f (); "done") handle e => exnName e) ^ "\n")
val () =
  List.app try
    [("array", fn () => ignore (BitArray.array (most, false))),
     ("negative", fn () => ignore (BitArray.array (~1, false))),
     ("copy far", fn () => BitArray.copy {src = a, dst = a, di = most}),
     ("copy", fn () => BitArray.copy {src = a, dst = a, di = 1}),
     ("copy all", fn () => BitArray.copy {src = a, dst = a, di = 0}),
     ("shift", fn () => ignore (BitArray.<< (a, 0wxFFFFFFFFFFFFFFF0))),
     ("lshift", fn () => ignore (BitArray.lshift (a, most))),
     ("extend", fn () => ignore (BitArray.extend0 (a, most)))]
val () = print (BitArray.toString (BitArray.<< (a, 0w3)) ^ "\n")
