(* `(x << n) orb (x >> (64 - n))` with constants is one rotation, made by compiler/translate/src/ops.rs, `rotation`.
   What only looks like one is none: other operations, a sum of shifts that is not 64, two different words, words of 32
   bits, shifts by 0 and 64. The sums are what Python computes. *)

val words =
  Vector.fromList [0w0, 0w1, 0wx8000000000000000, 0wxffffffffffffffff, 0wx0123456789abcdef,
                   0wxfedcba9876543210, 0wx5555555500000001]
val words32 = Vector.map (fn w => Word32.fromLarge w) words

fun show name f =
  print
    (name ^ " " ^ Word.toString (Vector.foldl (fn (w, sum) => sum * 0w31 + f w) 0w0 words) ^ "\n")
fun show32 name f =
  print (name
         ^ " "
         ^ Word.toString
           (Vector.foldl (fn (w, sum) => sum * 0w31 + Word32.toLarge (f w)) 0w0 words32)
         ^ "\n")

infix 5 << >> ~>> orb xorb andb
val (op <<, op >>, op ~>>, op orb, op xorb, op andb) =
  (Word.<<, Word.>>, Word.~>>, Word.orb, Word.xorb, Word.andb)

val () = show "w << 1 orb w >> 63" (fn w => (w << 0w1) orb (w >> 0w63))
val () = show "w << 8 orb w >> 56" (fn w => (w << 0w8) orb (w >> 0w56))
val () = show "w << 32 orb w >> 32" (fn w => (w << 0w32) orb (w >> 0w32))
val () = show "w << 63 orb w >> 1" (fn w => (w << 0w63) orb (w >> 0w1))
val () = show "w >> 1 orb w << 63" (fn w => (w >> 0w1) orb (w << 0w63))
val () = show "w >> 13 orb w << 51" (fn w => (w >> 0w13) orb (w << 0w51))
val () = show "w >> 63 orb w << 1" (fn w => (w >> 0w63) orb (w << 0w1))
val () = show "w << 0 orb w >> 64" (fn w => (w << 0w0) orb (w >> 0w64))
val () = show "w << 64 orb w >> 0" (fn w => (w << 0w64) orb (w >> 0w0))
val () = show "w << 65 orb w >> 1" (fn w => (w << 0w65) orb (w >> 0w1))
val () = show "w << 7 orb w >> 58" (fn w => (w << 0w7) orb (w >> 0w58))
val () = show "w << 7 orb w >> 56" (fn w => (w << 0w7) orb (w >> 0w56))
val () = show "w << 7 orb w ~>> 57" (fn w => (w << 0w7) orb (w ~>> 0w57))
val () = show "w << 7 orb w << 57" (fn w => (w << 0w7) orb (w << 0w57))
val () = show "w >> 7 orb w >> 57" (fn w => (w >> 0w7) orb (w >> 0w57))
val () = show "w << 7 xorb w >> 57" (fn w => (w << 0w7) xorb (w >> 0w57))
val () = show "w << 7 andb w >> 57" (fn w => (w << 0w7) andb (w >> 0w57))
val () = show "w << 7 + w >> 57" (fn w => (w << 0w7) + (w >> 0w57))
val () = show "w << 7 orb (Word.notb w) >> 57" (fn w => (w << 0w7) orb ((Word.notb w) >> 0w57))
val () = show "w >> 7 orb (Word.notb w) << 57" (fn w => (w >> 0w7) orb ((Word.notb w) << 0w57))

(* The amount is known only when `rotate` is inlined; both shifts are needed alone too. *)
fun rotate n w = (w << n) orb (w >> (0w64 - n))
val () = show "rotate 5" (fn w => rotate 0w5 w)
val () = show "rotate 0" (fn w => rotate 0w0 w)
val () = show "rotate 64" (fn w => rotate 0w64 w)
val () =
  show "parts" (fn w => let val a = w << 0w9 val b = w >> 0w55 in (a orb b) * 0w3 + a - b end)
val () =
  show "loop" (fn w =>
    let
      fun go (0, a, b) = a + b
        | go (i, a, b) = go (i - 1, rotate 0w29 a xorb b, b + a)
    in
      go (10, w, 0w1)
    end)

val () =
  show32 "32: w << 1 orb w >> 31" (fn w => Word32.orb (Word32.<< (w, 0w1), Word32.>> (w, 0w31)))
val () =
  show32 "32: w << 13 orb w >> 19" (fn w => Word32.orb (Word32.<< (w, 0w13), Word32.>> (w, 0w19)))
val () =
  show32 "32: w << 31 orb w >> 1" (fn w => Word32.orb (Word32.<< (w, 0w31), Word32.>> (w, 0w1)))
val () =
  show32 "32: w << 0 orb w >> 32" (fn w => Word32.orb (Word32.<< (w, 0w0), Word32.>> (w, 0w32)))
val () =
  show32 "32: w << 32 orb w >> 0" (fn w => Word32.orb (Word32.<< (w, 0w32), Word32.>> (w, 0w0)))
val () =
  show32 "32: w << 13 orb w >> 51" (fn w => Word32.orb (Word32.<< (w, 0w13), Word32.>> (w, 0w51)))
val () =
  show32 "32: w << 40 orb w >> 24" (fn w => Word32.orb (Word32.<< (w, 0w40), Word32.>> (w, 0w24)))
