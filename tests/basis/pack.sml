(* PackWord and PackReal: the bytes of a word lie where they should, what is beside them stays, and no word lies beyond
   the end, even of a vector whose length is no multiple of the word's. *)
fun line l = print (String.concatWith " " l ^ "\n")
fun hex w = LargeWord.toString w
fun raises f = (ignore (f ()); false) handle Subscript => true

functor Words (val name : string structure P : PACK_WORD) =
struct
  val n = P.bytesPerElem
  val bytes = List.tabulate (3 * n + n - 1, fn i => Word8.fromInt (0xF1 + 29 * i))
  val v = Word8Vector.fromList bytes
  val a = Word8Array.fromList bytes
  (* straight from the bytes *)
  fun wanted i =
    let
      val l = List.take (List.drop (bytes, i * n), n)
    in
      List.foldl (fn (b, w) => w * 0w256 + Word8.toLarge b) 0w0 (if P.isBigEndian then l else rev l)
    end
  fun signed w =
    if n = 8 orelse w < LargeWord.<< (0w1, Word.fromInt (8 * n - 1)) then w
    else w - LargeWord.<< (0w1, Word.fromInt (8 * n))
  val () = app (fn i =>
    if P.subVec (v, i) = wanted i andalso P.subArr (a, i) = wanted i
       andalso P.subVecX (v, i) = signed (wanted i) andalso P.subArrX (a, i) = signed (wanted i)
    then ()
    else line [name, "wrong at", Int.toString i, hex (P.subVec (v, i))]) [0, 1, 2]
  val () =
    if n = 1 then ()
    else
      line [name,
            Bool.toString (List.all (fn i => raises (fn () => P.subVec (v, i)) andalso raises (fn () => P.subArr (a, i))
              andalso raises (fn () => P.subVecX (v, i)) andalso raises (fn () => P.update (a, i, 0w0)))
              [~1, 3, 4, valOf Int.maxInt, valOf Int.minInt, ~2305843009213693952])]
  (* one word is changed, and no byte beside it; bits above the word's do not matter *)
  val () = P.update (a, 1, 0wx8899AABBCCDDEEFF)
  val above = Word.fromInt (64 - 8 * n)
  val low = LargeWord.>> (LargeWord.<< (0wx8899AABBCCDDEEFF, above), above)
  val () = line [name, hex (P.subArr (a, 1)), hex (P.subArrX (a, 1)), Bool.toString (P.subArr (a, 1) = low)]
  val () =
    if Word8Array.foldri (fn (i, b, ok) => ok andalso (i div n = 1 orelse b = Word8Vector.sub (v, i))) true a then ()
    else line [name, "changed more"]
end
structure W1 = Words (val name = "8 little" structure P = PackWord8Little)
structure W2 = Words (val name = "8 big" structure P = PackWord8Big)
structure W3 = Words (val name = "16 little" structure P = PackWord16Little)
structure W4 = Words (val name = "16 big" structure P = PackWord16Big)
structure W5 = Words (val name = "32 little" structure P = PackWord32Little)
structure W6 = Words (val name = "32 big" structure P = PackWord32Big)
structure W7 = Words (val name = "64 little" structure P = PackWord64Little)
structure W8 = Words (val name = "64 big" structure P = PackWord64Big)

fun list v = String.concatWith "," (map Word8.toString (Word8Vector.foldr op :: [] v))
val () = line [list (PackRealBig.toBytes 1.5), list (PackRealLittle.toBytes ~0.0), list (PackReal32Big.toBytes 0.1)]
val () = line [Real.toString (PackRealBig.fromBytes (PackRealBig.toBytes 0.1)),
               Bool.toString (raises (fn () => PackRealBig.fromBytes (Word8Vector.fromList [0w1, 0w2])))]
val a = Word8Array.array (16, 0wxFF)
val () = PackRealLittle.update (a, 1, 2.5)
val () = line [Real.toString (PackRealLittle.subArr (a, 1)),
               Real.toString (PackRealLittle.subVec (Word8Array.vector a, 1)),
               Bool.toString (raises (fn () => PackRealLittle.update (a, 2, 0.0)))]
