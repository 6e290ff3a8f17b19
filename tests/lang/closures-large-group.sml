(* A group of closures larger than one heap check covers (2,048 bytes): a collection between two of its checks moved the first
   closures to the old generation, and the later ones were stored into them without the write barrier. *)
fun make (cells : (int -> int) ref vector, a0, a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11) =
  let
    fun at n = ! (Vector.sub (cells, n))
    fun f0 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 0
      | f0 n = (if n > 1000 then f1 (n - 1) else 0) + at 5 (n - 1)
    and f1 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 1
      | f1 n = (if n > 1000 then f2 (n - 1) else 0) + at 6 (n - 1)
    and f2 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 2
      | f2 n = (if n > 1000 then f3 (n - 1) else 0) + at 7 (n - 1)
    and f3 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 3
      | f3 n = (if n > 1000 then f4 (n - 1) else 0) + at 8 (n - 1)
    and f4 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 4
      | f4 n = (if n > 1000 then f5 (n - 1) else 0) + at 9 (n - 1)
    and f5 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 5
      | f5 n = (if n > 1000 then f6 (n - 1) else 0) + at 10 (n - 1)
    and f6 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 6
      | f6 n = (if n > 1000 then f7 (n - 1) else 0) + at 11 (n - 1)
    and f7 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 7
      | f7 n = (if n > 1000 then f8 (n - 1) else 0) + at 12 (n - 1)
    and f8 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 8
      | f8 n = (if n > 1000 then f9 (n - 1) else 0) + at 13 (n - 1)
    and f9 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 9
      | f9 n = (if n > 1000 then f10 (n - 1) else 0) + at 14 (n - 1)
    and f10 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 10
      | f10 n = (if n > 1000 then f11 (n - 1) else 0) + at 15 (n - 1)
    and f11 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 11
      | f11 n = (if n > 1000 then f12 (n - 1) else 0) + at 16 (n - 1)
    and f12 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 12
      | f12 n = (if n > 1000 then f13 (n - 1) else 0) + at 17 (n - 1)
    and f13 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 13
      | f13 n = (if n > 1000 then f14 (n - 1) else 0) + at 18 (n - 1)
    and f14 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 14
      | f14 n = (if n > 1000 then f15 (n - 1) else 0) + at 19 (n - 1)
    and f15 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 15
      | f15 n = (if n > 1000 then f16 (n - 1) else 0) + at 20 (n - 1)
    and f16 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 16
      | f16 n = (if n > 1000 then f17 (n - 1) else 0) + at 21 (n - 1)
    and f17 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 17
      | f17 n = (if n > 1000 then f18 (n - 1) else 0) + at 22 (n - 1)
    and f18 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 18
      | f18 n = (if n > 1000 then f19 (n - 1) else 0) + at 23 (n - 1)
    and f19 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 19
      | f19 n = (if n > 1000 then f20 (n - 1) else 0) + at 24 (n - 1)
    and f20 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 20
      | f20 n = (if n > 1000 then f21 (n - 1) else 0) + at 25 (n - 1)
    and f21 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 21
      | f21 n = (if n > 1000 then f22 (n - 1) else 0) + at 26 (n - 1)
    and f22 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 22
      | f22 n = (if n > 1000 then f23 (n - 1) else 0) + at 27 (n - 1)
    and f23 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 23
      | f23 n = (if n > 1000 then f24 (n - 1) else 0) + at 28 (n - 1)
    and f24 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 24
      | f24 n = (if n > 1000 then f25 (n - 1) else 0) + at 29 (n - 1)
    and f25 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 25
      | f25 n = (if n > 1000 then f26 (n - 1) else 0) + at 30 (n - 1)
    and f26 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 26
      | f26 n = (if n > 1000 then f27 (n - 1) else 0) + at 31 (n - 1)
    and f27 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 27
      | f27 n = (if n > 1000 then f28 (n - 1) else 0) + at 32 (n - 1)
    and f28 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 28
      | f28 n = (if n > 1000 then f29 (n - 1) else 0) + at 33 (n - 1)
    and f29 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 29
      | f29 n = (if n > 1000 then f30 (n - 1) else 0) + at 34 (n - 1)
    and f30 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 30
      | f30 n = (if n > 1000 then f31 (n - 1) else 0) + at 35 (n - 1)
    and f31 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 31
      | f31 n = (if n > 1000 then f32 (n - 1) else 0) + at 36 (n - 1)
    and f32 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 32
      | f32 n = (if n > 1000 then f33 (n - 1) else 0) + at 37 (n - 1)
    and f33 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 33
      | f33 n = (if n > 1000 then f34 (n - 1) else 0) + at 38 (n - 1)
    and f34 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 34
      | f34 n = (if n > 1000 then f35 (n - 1) else 0) + at 39 (n - 1)
    and f35 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 35
      | f35 n = (if n > 1000 then f36 (n - 1) else 0) + at 40 (n - 1)
    and f36 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 36
      | f36 n = (if n > 1000 then f37 (n - 1) else 0) + at 41 (n - 1)
    and f37 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 37
      | f37 n = (if n > 1000 then f38 (n - 1) else 0) + at 42 (n - 1)
    and f38 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 38
      | f38 n = (if n > 1000 then f39 (n - 1) else 0) + at 43 (n - 1)
    and f39 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 39
      | f39 n = (if n > 1000 then f40 (n - 1) else 0) + at 44 (n - 1)
    and f40 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 40
      | f40 n = (if n > 1000 then f41 (n - 1) else 0) + at 45 (n - 1)
    and f41 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 41
      | f41 n = (if n > 1000 then f42 (n - 1) else 0) + at 46 (n - 1)
    and f42 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 42
      | f42 n = (if n > 1000 then f43 (n - 1) else 0) + at 47 (n - 1)
    and f43 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 43
      | f43 n = (if n > 1000 then f44 (n - 1) else 0) + at 48 (n - 1)
    and f44 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 44
      | f44 n = (if n > 1000 then f45 (n - 1) else 0) + at 49 (n - 1)
    and f45 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 45
      | f45 n = (if n > 1000 then f46 (n - 1) else 0) + at 50 (n - 1)
    and f46 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 46
      | f46 n = (if n > 1000 then f47 (n - 1) else 0) + at 51 (n - 1)
    and f47 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 47
      | f47 n = (if n > 1000 then f48 (n - 1) else 0) + at 52 (n - 1)
    and f48 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 48
      | f48 n = (if n > 1000 then f49 (n - 1) else 0) + at 53 (n - 1)
    and f49 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 49
      | f49 n = (if n > 1000 then f50 (n - 1) else 0) + at 54 (n - 1)
    and f50 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 50
      | f50 n = (if n > 1000 then f51 (n - 1) else 0) + at 55 (n - 1)
    and f51 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 51
      | f51 n = (if n > 1000 then f52 (n - 1) else 0) + at 56 (n - 1)
    and f52 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 52
      | f52 n = (if n > 1000 then f53 (n - 1) else 0) + at 57 (n - 1)
    and f53 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 53
      | f53 n = (if n > 1000 then f54 (n - 1) else 0) + at 58 (n - 1)
    and f54 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 54
      | f54 n = (if n > 1000 then f55 (n - 1) else 0) + at 59 (n - 1)
    and f55 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 55
      | f55 n = (if n > 1000 then f56 (n - 1) else 0) + at 0 (n - 1)
    and f56 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 56
      | f56 n = (if n > 1000 then f57 (n - 1) else 0) + at 1 (n - 1)
    and f57 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 57
      | f57 n = (if n > 1000 then f58 (n - 1) else 0) + at 2 (n - 1)
    and f58 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 58
      | f58 n = (if n > 1000 then f59 (n - 1) else 0) + at 3 (n - 1)
    and f59 0 = size a0 + size a1 + size a2 + size a3 + size a4 + size a5
          + size a6 + size a7 + size a8 + size a9 + size a10 + size a11 + 59
      | f59 n = (if n > 1000 then f0 (n - 1) else 0) + at 4 (n - 1)
  in
    Vector.app (fn (cell, f) => cell := f) (Vector.fromList (ListPair.zip (Vector.foldr op :: [] cells,
      [f0, f1, f2, f3, f4, f5, f6, f7, f8, f9, f10, f11,
       f12, f13, f14, f15, f16, f17, f18, f19, f20, f21, f22, f23, f24, f25, f26, f27, f28, f29, f30, f31, f32, f33, f34, f35, f36, f37, f38, f39, f40, f41, f42, f43, f44, f45, f46, f47, f48, f49, f50, f51, f52, f53, f54, f55, f56, f57, f58, f59])))
  end
fun text i = CharVector.tabulate (i, fn _ => #"x")
val cells = Vector.tabulate (60, fn _ => ref (fn n => n))
val () = make (cells, text 0, text 1, text 2, text 3, text 4, text 5, text 6, text 7, text 8, text 9, text 10, text 11)
val () = print (Int.toString (Vector.foldl (fn (cell, sum) => sum + !cell 5) 0 cells) ^ "\n")
