(* What the newest HASHING of SML/NJ's library has: it was not there. *)
structure H : HASHING = Hash
fun sorted f l = ListMergeSort.uniqueSort Word64.compare (map f l)
fun say b = print (Bool.toString b ^ "\n")
fun different (f, l) = say (length (sorted (fn x => f (x, 0w7)) l) = length l)
val () = different (H.either (H.int, H.int), [Either.INL 1, Either.INR 1, Either.INL 2])
val () = different (H.triple (H.int, H.string, H.bool), [(1, "a", true), (1, "b", true), (2, "a", true), (1, "a", false)])
val () = different (H.quad (H.int, H.int, H.int, H.int), [(1, 2, 3, 4), (1, 2, 4, 3), (2, 1, 3, 4), (4, 3, 2, 1)])
val list : int H.t -> int list H.t = fn hash => H.stream {get = List.getItem, hash = hash}
val string = H.sequence {length = String.size, get = String.sub, hash = H.char}
val () = different (list H.int, [[], [1], [2], [1, 2], [2, 1]])
val () = say (string ("hello", 0w7) = H.string ("hello", 0w7) andalso H.real64' 1.5 = H.real' 1.5)
val () =
  different (fn (l, _) => l, [H.combine2 (0w1, 0w2), H.combine2 (0w2, 0w1), H.combine3 (0w1, 0w2, 0w3), H.combine4 (0w1, 0w2, 0w3, 0w4),
    H.combine5 (0w1, 0w2, 0w3, 0w4, 0w5), H.combine6 (0w1, 0w2, 0w3, 0w4, 0w5, 0w6), H.combine6 (0w1, 0w2, 0w3, 0w4, 0w6, 0w5)])
val key : int H.hfun = H.finish H.int
val () = say (key 5 = H.int' 5)
