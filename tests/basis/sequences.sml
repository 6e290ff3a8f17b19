(* Vectors, arrays and slices, polymorphic and of one element type; matrices. *)
fun line s = print (s ^ "\n")
fun ints l = "[" ^ String.concatWith "," (map Int.toString l) ^ "]"
fun vec v = ints (Vector.foldr (op ::) [] v)
fun arr a = ints (Array.foldr (op ::) [] a)
fun try f = (line (f ())) handle Subscript => line "Subscript" | Size => line "Size"
val v = Vector.tabulate (6, fn i => i * i)
val () = line (vec v ^ vec (Vector.map (fn x => x + 1) v) ^ vec (Vector.mapi (op -) v) ^ vec (Vector.concat [v, v]) ^ vec (Vector.update (v, 2, 99)))
val () = line (Int.toString (Vector.foldli (fn (i, x, s) => s * 2 + i + x) 0 v) ^ " " ^ Int.toString (Vector.foldri (fn (i, x, s) => s * 2 + i + x) 0 v))
val () = line (case Vector.findi (fn (i, x) => x > 8) v of SOME (i, x) => ints [i, x] | NONE => "NONE")
val () = line (Bool.toString (Vector.exists (fn x => x = 9) v) ^ Bool.toString (Vector.all (fn x => x < 25) v))
val () = app (fn f => try f) [fn () => Int.toString (Vector.sub (v, 6)), fn () => Int.toString (Vector.sub (v, ~1)), fn () => vec (Vector.tabulate (~1, fn i => i)), fn () => vec (Vector.update (v, 6, 0))]
fun order LESS = "LESS" | order EQUAL = "EQUAL" | order GREATER = "GREATER"
val () = line (order (Vector.collate Int.compare (v, Vector.fromList [0, 1, 5])) ^ order (Vector.collate Int.compare (Vector.fromList [0, 1], v)))
structure VS = VectorSlice
val s = VS.slice (v, 1, SOME 4)
val () = line (vec (VS.vector s) ^ vec (VS.map (fn x => ~x) s) ^ vec (VS.mapi (fn (i, x) => i) s) ^ vec (VS.concat [s, s]) ^ Int.toString (VS.sub (s, 3)))
val () = try (fn () => Int.toString (VS.sub (s, 4)))
val () = try (fn () => vec (VS.vector (VS.slice (v, 3, SOME 4))))
val () = try (fn () => vec (VS.vector (VS.subslice (s, 1, SOME 2))))
val () = line (let val (_, i, n) = VS.base (VS.subslice (s, 1, NONE)) in ints [i, n] end)
val () = line (ints (VS.foldl (op ::) [] s) ^ ints (VS.foldr (op ::) [] s) ^ Int.toString (VS.foldli (fn (i, x, a) => a + i * x) 0 s))
val () = line (case VS.getItem s of SOME (x, r) => Int.toString x ^ vec (VS.vector r) | NONE => "NONE")
val a = Array.tabulate (8, fn i => i)
val () = Array.modify (fn x => x * 10) a
val () = line (arr a)
val () = Array.copy {src = Array.fromList [1, 2, 3], dst = a, di = 5}
val () = line (arr a)
structure AS = ArraySlice
val () = AS.copy {src = AS.slice (a, 0, SOME 6), dst = a, di = 2}
val () = line (arr a)
val () = AS.copy {src = AS.slice (a, 2, SOME 6), dst = a, di = 0}
val () = line (arr a)
val () = AS.copyVec {src = s, dst = a, di = 4}
val () = line (arr a)
val () = try (fn () => (AS.copy {src = AS.full a, dst = a, di = 1}; "copied"))
val () = AS.modifyi (fn (i, x) => i + x) (AS.slice (a, 4, NONE))
val () = line (arr a ^ vec (AS.vector (AS.slice (a, 6, NONE))))
val () = line (Bool.toString (a = a) ^ Bool.toString (Array.fromList [1] = Array.fromList [1]) ^ Bool.toString (Vector.fromList [1] = Vector.fromList [1]))
val cv = CharVector.tabulate (5, fn i => Char.chr (97 + i))
val () = line (cv ^ CharVector.map Char.toUpper cv ^ CharVector.mapi (fn (i, c) => if i = 2 then #"-" else c) cv ^ CharVector.update (cv, 0, #"X"))
val ca = CharArray.fromList (explode "hello world")
val () = CharArray.modify Char.toUpper ca
val () = line (CharArray.vector ca ^ CharArraySlice.vector (CharArraySlice.slice (ca, 6, NONE)))
val () = CharArraySlice.copyVec {src = CharVectorSlice.full "abc", dst = ca, di = 0}
val () = line (CharArray.vector ca)
val w = Word8Vector.tabulate (4, fn i => Word8.fromInt (i * 100))
val () = line (String.concatWith "," (Word8Vector.foldr (fn (x, l) => Word8.toString x :: l) [] w))
val wa = Word8Array.array (3, 0w7)
val () = Word8Array.update (wa, 1, 0w255)
val () = line (Word8.toString (Word8Array.foldl (op +) 0w0 wa))
val r = RealArray.tabulate (4, fn i => real i / 2.0)
val () = RealArray.modify (fn x => x * x) r
val () = line (Real.toString (RealArray.foldl (op +) 0.0 r))
val m = Array2.tabulate Array2.RowMajor (3, 4, fn (i, j) => 10 * i + j)
val () = line (vec (Array2.row (m, 1)) ^ vec (Array2.column (m, 2)))
val () = line (Int.toString (Array2.fold Array2.ColMajor (fn (x, s) => s * 3 + x) 0 m))
val () = Array2.copy {src = {base = m, row = 0, col = 0, nrows = SOME 2, ncols = SOME 3}, dst = m, dst_row = 1, dst_col = 1}
val () = Array2.app Array2.RowMajor (fn x => print (Int.toString x ^ " ")) m
val () = Array2.modifyi Array2.RowMajor (fn (i, j, x) => i * j) {base = m, row = 1, col = 1, nrows = NONE, ncols = NONE}
val () = Array2.app Array2.ColMajor (fn x => print (Int.toString x ^ " ")) m
val () = print "\n"
val () = try (fn () => Int.toString (Array2.sub (m, 3, 0)))
