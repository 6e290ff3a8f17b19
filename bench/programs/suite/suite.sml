(* C4, and the ablation of C2: the sequential suite. Twelve programs of the kinds that benchmark folders have, in the common
   Basis and with ints of 31 bits, so that every system takes them. Prints nanoseconds of CPU time, the best of three; what a
   program computes is checked. *)

structure Main =
struct
  fun timed (name, expected, f) =
    let
      fun once () =
        let
          val timer = Timer.startCPUTimer ()
          val result = f ()
          val {usr, sys} = Timer.checkCPUTimer timer
        in
          if result = expected then Time.toReal (Time.+ (usr, sys)) * 1E9
          else raise Fail (name ^ " gives " ^ Int.toString result)
        end
      val best = List.foldl Real.min Real.posInf [once (), once (), once ()]
    in
      (* a clock of 10 ms may say nothing at all *)
      print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 0)) (Real.max (best, 1.0)) ^ "\n")
    end

  (* calls *)
  fun fib n = if n < 2 then n else fib (n - 1) + fib (n - 2)

  fun tak (x, y, z) =
    if y >= x then z else tak (tak (x - 1, y, z), tak (y - 1, z, x), tak (z - 1, x, y))

  (* lists and searching *)
  fun queens n =
    let
      fun safe (_, _, []) = true
        | safe (q, d, p :: rest) = q <> p andalso q <> p + d andalso q <> p - d andalso safe (q, d + 1, rest)
      fun place (0, _, sum) = sum + 1
        | place (k, board, sum) =
            let
              fun try (0, sum) = sum
                | try (q, sum) = try (q - 1, if safe (q, 1, board) then place (k - 1, q :: board, sum) else sum)
            in
              try (n, sum)
            end
    in
      place (n, [], 0)
    end

  (* an array of flags *)
  fun primes limit =
    let
      val flags = Array.array (limit + 1, true)
      fun strike (i, step) = if i > limit then () else (Array.update (flags, i, false); strike (i + step, step))
      fun go (i, count) =
        if i > limit then count
        else if Array.sub (flags, i) then (strike (i + i, i); go (i + 1, count + 1))
        else go (i + 1, count)
    in
      go (2, 0)
    end

  (* reals in arrays *)
  fun matrix n =
    let
      val a = Array.tabulate (n * n, fn i => real (i mod 7))
      val b = Array.tabulate (n * n, fn i => real (i mod 5))
      val c = Array.array (n * n, 0.0)
      fun dot (i, j, k, sum) =
        if k = n then sum else dot (i, j, k + 1, sum + Array.sub (a, i * n + k) * Array.sub (b, k * n + j))
      fun fill (i, j) =
        if i = n then ()
        else if j = n then fill (i + 1, 0)
        else (Array.update (c, i * n + j, dot (i, j, 0, 0.0)); fill (i, j + 1))
    in
      fill (0, 0);
      Real.floor (Array.foldl op + 0.0 c) mod 1009
    end

  fun mandelbrot (width, limit) =
    let
      fun steps (cr, ci, x, y, k) =
        if k = limit orelse x * x + y * y > 4.0 then k else steps (cr, ci, x * x - y * y + cr, 2.0 * x * y + ci, k + 1)
      fun go (i, j, sum) =
        if i = width then sum
        else if j = width then go (i + 1, 0, sum)
        else
          let val (cr, ci) = (3.0 * real i / real width - 2.0, 2.0 * real j / real width - 1.0)
          in go (i, j + 1, (sum + steps (cr, ci, 0.0, 0.0, 0)) mod 1000003) end
    in
      go (0, 0, 0)
    end

  (* a stream of numbers that every system draws alike *)
  fun random seed = (seed * 4093 + 12345) mod 65521

  fun mergeSort n =
    let
      fun make (0, _, l) = l
        | make (k, seed, l) = make (k - 1, random seed, seed :: l)
      fun merge ([], b) = b
        | merge (a, []) = a
        | merge (x :: a, y :: b) : int list = if x <= y then x :: merge (a, y :: b) else y :: merge (x :: a, b)
      fun split (x :: y :: rest, a, b) = split (rest, x :: a, y :: b)
        | split ([x], a, b) = (x :: a, b)
        | split ([], a, b) = (a, b)
      fun sort (l as _ :: _ :: _) = let val (a, b) = split (l, [], []) in merge (sort a, sort b) end
        | sort l = l
      val sorted = sort (make (n, 1, []))
      fun check (x :: (rest as y :: _), ok) = check (rest, ok andalso x <= y)
        | check (_, ok) = ok
    in
      if check (sorted, true) then length sorted else ~1
    end

  (* red and black trees, after Okasaki *)
  datatype color = R | B
  datatype tree = E | T of color * tree * int * tree

  fun balance (B, T (R, T (R, a, x, b), y, c), z, d) = T (R, T (B, a, x, b), y, T (B, c, z, d))
    | balance (B, T (R, a, x, T (R, b, y, c)), z, d) = T (R, T (B, a, x, b), y, T (B, c, z, d))
    | balance (B, a, x, T (R, T (R, b, y, c), z, d)) = T (R, T (B, a, x, b), y, T (B, c, z, d))
    | balance (B, a, x, T (R, b, y, T (R, c, z, d))) = T (R, T (B, a, x, b), y, T (B, c, z, d))
    | balance node = T node

  fun insert (x, tree) =
    let
      fun ins E = T (R, E, x, E)
        | ins (s as T (c, a, y, b)) =
            if x < y then balance (c, ins a, y, b) else if x > y then balance (c, a, y, ins b) else s
    in
      case ins tree of T (_, a, y, b) => T (B, a, y, b) | E => E
    end

  fun redBlack n =
    let
      fun go (0, _, tree) = tree
        | go (k, seed, tree) = go (k - 1, random seed, insert (seed, tree))
      fun count E = 0
        | count (T (_, a, _, b)) = count a + 1 + count b
    in
      count (go (n, 1, E))
    end

  (* closures and laziness by hand *)
  datatype stream = Cons of int * (unit -> stream)

  fun streams n =
    let
      fun from k = Cons (k, fn () => from (k + 1))
      fun filter p (Cons (x, rest)) = if p x then Cons (x, fn () => filter p (rest ())) else filter p (rest ())
      fun sieve (Cons (x, rest)) = Cons (x, fn () => sieve (filter (fn y => y mod x <> 0) (rest ())))
      fun nth (Cons (x, rest), k) = if k = 0 then x else nth (rest (), k - 1)
    in
      nth (sieve (from 2), n - 1)
    end

  (* exceptions *)
  exception Found of int

  fun raises n =
    let
      fun look (x, k) = if k = 0 then raise Found x else look (x, k - 1) + 1
      fun go (0, sum) = sum
        | go (k, sum) = go (k - 1, (sum + (look (k, 10) handle Found x => x)) mod 10007)
    in
      go (n, 0)
    end

  (* strings *)
  fun strings n =
    let
      fun line k = concat ["line ", Int.toString k, ": ", StringCvt.padLeft #"." 12 (Int.toString (k * 7))]
      fun go (0, sum) = sum
        | go (k, sum) =
            let val words = String.tokens (fn c => c = #" " orelse c = #":") (line k)
            in go (k - 1, (sum + length words + size (String.concatWith "-" words)) mod 1000003) end
    in
      go (n, 0)
    end

  (* Conway's life on a torus, by arrays of arrays *)
  fun life (n, generations) =
    let
      fun grid () = Array.tabulate (n, fn _ => Array.array (n, 0))
      fun at (g, i, j) = Array.sub (Array.sub (g, (i + n) mod n), (j + n) mod n)
      val a = grid ()
      val seed = ref 1
      val () = Array.app (Array.modify (fn _ => (seed := random (!seed); !seed mod 3 div 2))) a
      fun step g =
        let val h = grid ()
        in
          Array.appi (fn (i, row) =>
            Array.modifyi (fn (j, _) =>
              let
                val around = at (g, i - 1, j - 1) + at (g, i - 1, j) + at (g, i - 1, j + 1) + at (g, i, j - 1)
                             + at (g, i, j + 1) + at (g, i + 1, j - 1) + at (g, i + 1, j) + at (g, i + 1, j + 1)
              in
                if around = 3 orelse (around = 2 andalso at (g, i, j) = 1) then 1 else 0
              end) row) h;
          h
        end
      fun go (g, 0) = g
        | go (g, k) = go (step g, k - 1)
    in
      Array.foldl (fn (row, sum) => Array.foldl op + sum row) 0 (go (a, generations))
    end

  fun main () =
    (timed ("fib", 5702887, fn () => fib 34);
     timed ("tak", 9, fn () => tak (24, 16, 8));
     timed ("queens", 2680, fn () => queens 11);
     timed ("primes", 348513, fn () => primes 5000000);
     timed ("matrix", 223, fn () => matrix 300);
     timed ("mandelbrot", 986390, fn () => mandelbrot (500, 200));
     timed ("merge-sort", 200000, fn () => mergeSort 200000);
     timed ("red-black", 4680, fn () => redBlack 300000);
     timed ("streams", 12553, fn () => streams 1500);
     timed ("raises", 340, fn () => raises 1500000);
     timed ("strings", 938886, fn () => strings 150000);
     timed ("life", 1173, fn () => life (128, 150)))
end
