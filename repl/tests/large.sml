(* More functions than a unit takes of earlier ones again and again: see `large.repl`. *)
exception Odd of int
val calls = ref 0
fun even 0 = true | even n = (calls := !calls + 1; odd (n - 1)) and odd 0 = false | odd n = even (n - 1)
fun half n = if even n then n div 2 else raise Odd n
fun twice f x = f (f x)
fun f0 (x, y) = (2 * half x, y + 1.0)
fun f1 (x, y) = f0 (x + 2, y) fun f2 (x, y) = let val (a, b) = f1 (x, y) in (a + 4, b) end
fun f3 (x, y) = f2 (x + 2, y) fun f4 (x, y) = let val (a, b) = f3 (x, y) in (a + 4, b) end
fun f5 (x, y) = f4 (x + 2, y) fun f6 (x, y) = let val (a, b) = f5 (x, y) in (a + 4, b) end
fun f7 (x, y) = f6 (x + 2, y) fun f8 (x, y) = let val (a, b) = f7 (x, y) in (a + 4, b) end
fun f9 (x, y) = f8 (x + 2, y) fun f10 (x, y) = let val (a, b) = f9 (x, y) in (a + 4, b) end
fun f11 (x, y) = f10 (x + 2, y) fun f12 (x, y) = let val (a, b) = f11 (x, y) in (a + 4, b) end
fun f13 (x, y) = f12 (x + 2, y) fun f14 (x, y) = let val (a, b) = f13 (x, y) in (a + 4, b) end
fun f15 (x, y) = f14 (x + 2, y) fun f16 (x, y) = let val (a, b) = f15 (x, y) in (a + 4, b) end
fun f17 (x, y) = f16 (x + 2, y) fun f18 (x, y) = let val (a, b) = f17 (x, y) in (a + 4, b) end
fun f19 (x, y) = twice f18 (x, y) fun f20 (x, y) = let val (a, b) = f19 (x, y) in (a + 4, b) end
fun f21 (x, y) = f20 (x + 2, y) fun f22 (x, y) = let val (a, b) = f21 (x, y) in (a + 4, b) end
fun f23 (x, y) = f22 (x + 2, y) fun f24 (x, y) = let val (a, b) = f23 (x, y) in (a + 4, b) end
fun f25 (x, y) = f24 (x + 2, y) fun f26 (x, y) = let val (a, b) = f25 (x, y) in (a + 4, b) end
fun f27 (x, y) = f26 (x + 2, y) fun f28 (x, y) = let val (a, b) = f27 (x, y) in (a + 4, b) end
fun f29 (x, y) = f28 (x + 2, y) fun f30 (x, y) = let val (a, b) = f29 (x, y) in (a + 4, b) end
fun f31 (x, y) = f30 (x + 2, y) fun f32 (x, y) = let val (a, b) = f31 (x, y) in (a + 4, b) end
fun f33 (x, y) = f32 (x + 2, y) fun f34 (x, y) = let val (a, b) = f33 (x, y) in (a + 4, b) end
fun f35 (x, y) = f34 (x + 2, y) fun f36 (x, y) = let val (a, b) = f35 (x, y) in (a + 4, b) end
fun f37 (x, y) = f36 (x + 2, y) fun f38 (x, y) = twice f37 (x, y) fun f39 (x, y) = f38 (x + 2, y)
fun f40 (x, y) = let val (a, b) = f39 (x, y) in (a + 4, b) end fun f41 (x, y) = f40 (x + 2, y)
fun f42 (x, y) = let val (a, b) = f41 (x, y) in (a + 4, b) end fun f43 (x, y) = f42 (x + 2, y)
fun f44 (x, y) = let val (a, b) = f43 (x, y) in (a + 4, b) end fun f45 (x, y) = f44 (x + 2, y)
fun f46 (x, y) = let val (a, b) = f45 (x, y) in (a + 4, b) end fun f47 (x, y) = f46 (x + 2, y)
fun f48 (x, y) = let val (a, b) = f47 (x, y) in (a + 4, b) end fun f49 (x, y) = f48 (x + 2, y)
fun f50 (x, y) = let val (a, b) = f49 (x, y) in (a + 4, b) end fun f51 (x, y) = f50 (x + 2, y)
fun f52 (x, y) = let val (a, b) = f51 (x, y) in (a + 4, b) end fun f53 (x, y) = f52 (x + 2, y)
fun f54 (x, y) = let val (a, b) = f53 (x, y) in (a + 4, b) end fun f55 (x, y) = f54 (x + 2, y)
fun f56 (x, y) = let val (a, b) = f55 (x, y) in (a + 4, b) end
val last = f56
