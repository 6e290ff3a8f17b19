(* COUNT reals of all sizes: as few digits as give the same real again, and whether they do; six places of those that are of
   middling size. *)

val seed = ref 0w1
fun next () = (seed := !seed * 0w6364136223846793005 + 0w1442695040888963407; !seed)

fun ofBits w =
  PackReal64Big.fromBytes
    (Word8Vector.tabulate (8, fn i => Word8.fromLarge (Word.toLarge (Word.>> (w, Word.fromInt (56 - 8 * i))))))

fun loop 0 = ()
  | loop n =
      let
        val w = next ()
        val w = Word.xorb (w, Word.>> (w, 0w29))
        val r = ofBits w
      in
        if Real.isFinite r then
          let
            val text = Real.fmt StringCvt.EXACT r
            val back = valOf (Real.fromString text)
            val middling = abs r > 1E~9 andalso abs r < 1E15
          in
            print (concat [text,
                           if Real.== (back, r) then "" else " is read as another",
                           if middling then " " ^ Real.fmt (StringCvt.FIX (SOME 6)) r else "",
                           "\n"])
          end
        else ();
        loop (n - 1)
      end

val () = loop (valOf (Int.fromString (hd (CommandLine.arguments ()))))
