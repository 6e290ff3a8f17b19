(* A request that no memory was there for was counted all the same. Behind one of 2^62 bytes every `new`, `adopt` and
   `fromString` raised Overflow; behind one of 2^47, which no system has, so many bytes of dead buffers were allowed
   that no collection ever looked for them. And a place of Int.minInt raised Overflow, not Subscript. *)
structure B = Foreign.Buffer
structure P = MLton.Pointer

fun say s = print (s ^ "\n")
fun raises f = (ignore (f ()); "nothing") handle e => exnName e

val b = B.fromString "hello"
val least = valOf Int.minInt
val () =
  app (say o raises)
    [fn () => ignore (B.string (b, least, NONE)), fn () => ignore (B.vector (b, least, NONE)),
     fn () => ignore (B.text (b, least)), fn () => ignore (B.string (b, 6, NONE)),
     fn () => ignore (B.text (b, 6)), fn () => ignore (B.text (b, 5))]

(* no memory *)
val () =
  app (say o raises)
    [fn () => B.new 0x800000000000, fn () => B.new 0x4000000000000000, fn () => B.new (valOf Int.maxInt),
     fn () => B.new 10, fn () => B.fromString "more"]

val living = ref 0
val most = ref 0
fun one _ =
  (living := !living + 1;
   most := Int.max (!most, !living);
   ignore (B.adopt {address = P.null, size = 0x100000, free = fn _ => living := !living - 1}))
val () = (List.app one (List.tabulate (2000, fn i => i)); say (Bool.toString (!most < 200)))

(* Nobody has so much memory, but whoever says so may go on. *)
fun all () = B.adopt {address = P.null, size = valOf Int.maxInt, free = ignore}
val several = List.tabulate (3, fn _ => all ())
val () = (List.app B.free several; say (raises (fn () => B.new 10)))
