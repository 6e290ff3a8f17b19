(* PrimeSizes: prime sizes of tables. RealOrderStats: the i-th smallest of an array of reals (Hoare's selection).
   UnivariateStats: mean, variance and the rest of samples that grow point by point. *)

structure PrimeSizes : sig
  val pick : int -> int
  (* A prime not below the number. *)
end =
struct
  fun isPrime n =
    let
      fun none k = k * k > n orelse n mod k <> 0 andalso none (k + 2)
    in
      n = 2 orelse n > 2 andalso n mod 2 = 1 andalso none 3
    end
  fun pick n = if n <= 2 then 2 else if isPrime n then n else pick (n + 1)
end

structure RealOrderStats : sig
  (* All exchange items of the array. *)

  val select : real array * int -> real
  (* What would be at that index if the array were sorted; in linear time on average. Raises Subscript. *)
  val select' : real ArraySlice.slice * int -> real
  (* The same within a slice; what is outside it stays as it is. Raises Subscript. *)
  val median : real array -> real
  (* The middle one of the sorted numbers, or the mean of the middle two. Raises Subscript for an empty array. *)
  val median' : real ArraySlice.slice -> real
  (* The same of a slice. Raises Subscript for an empty one. *)
end =
struct
  structure S = ArraySlice

  fun exchange (a, i, j) =
    let val x = S.sub (a, i) in S.update (a, i, S.sub (a, j)); S.update (a, j, x) end

  (* Parts around the middle of three until the place is found. *)
  fun select' (a, i) =
    let
      fun median3 (x : real, y, z) =
        if x < y then if y < z then y else if x < z then z else x
        else if x < z then x
        else if y < z then z
        else y
      fun within (lo, hi) =
        if lo >= hi then S.sub (a, i)
        else
          let
            val pivot = median3 (S.sub (a, lo), S.sub (a, (lo + hi) div 2), S.sub (a, hi))
            fun up k = if S.sub (a, k) < pivot then up (k + 1) else k
            fun down k = if S.sub (a, k) > pivot then down (k - 1) else k
            fun part (j, k) =
              let
                val j = up j
                val k = down k
              in
                if j < k then (exchange (a, j, k); part (j + 1, k - 1))
                else if j = k then (j + 1, k - 1)
                else (j, k)
              end
            val (j, k) = part (lo, hi)
          in
            if i <= k then within (lo, k) else if i >= j then within (j, hi) else S.sub (a, i)
          end
    in
      if i < 0 orelse i >= S.length a then raise Subscript else within (0, S.length a - 1)
    end

  fun select (a, i) = select' (S.full a, i)

  fun median' a =
    let
      val n = S.length a
      val upper = select' (a, n div 2)
    in
      if n mod 2 = 1 then upper else (select' (a, n div 2 - 1) + upper) / 2.0
    end

  fun median a = median' (S.full a)
end

structure UnivariateStats :> sig
  type light
  type heavy
  (* Kinds of samples: a light one has constant size, a heavy one keeps its points. *)

  type 'a sample
  type 'a evaluation

  val lempty : light sample
  (* A light sample without points. *)
  val hempty : unit -> heavy sample
  (* A heavy sample without points. *)
  val ladd : real * light sample -> light sample
  (* The sample with one more point; it takes no more room than before. *)
  val hadd : real * heavy sample -> heavy sample
  (* The sample with one more point, which it keeps. *)

  val evaluate : 'a sample -> 'a evaluation
  (* The sample as it is now, for the functions below. *)

  val N : 'a evaluation -> int
  (* The number of points. *)
  val n : 'a evaluation -> real
  (* The same as a real. *)
  val mean : 'a evaluation -> real
  (* The arithmetic mean; 0 without points. *)
  val variance : 'a evaluation -> real
  (* The variance of the sample: the sum of the squared deviations, divided by n - 1. Nan for a single point. *)
  val standardDeviation : 'a evaluation -> real
  (* The square root of the variance. *)
  val skew : 'a evaluation -> real
  (* The mean of the cubed deviations, divided by the cube of the standard deviation: 0 for a symmetric sample. *)
  val kurtosis : 'a evaluation -> real
  (* The mean of the deviations' fourth powers, divided by the square of the variance, minus 3: near 0 for a normal
     distribution. *)
  val median : heavy evaluation -> real
  (* The middle point, or the mean of the middle two. Raises Subscript without points. *)
  val averageDeviation : heavy evaluation -> real
  (* The mean of the deviations from the mean, without their signs. *)

  val summary :
    'a sample
    -> {N : int, n : real, mean : real, sd2 : real, sd : real, skew : real, kurtosis : real}
  (* All that a light sample knows; sd2 is the variance, sd the standard deviation. *)
end =
struct
  type light = unit
  type heavy = real list

  (* The number of points, and the sums of their deviations from the mean to the powers 2, 3 and 4, brought up to date
     point by point (Terriberry, 2007). *)
  type 'a sample = {points : 'a, N : int, mean : real, m2 : real, m3 : real, m4 : real}
  type 'a evaluation = 'a sample

  fun empty points = {points = points, N = 0, mean = 0.0, m2 = 0.0, m3 = 0.0, m4 = 0.0}
  val lempty = empty ()
  fun hempty () = empty []

  fun add (x, points, {N, mean, m2, m3, m4, ...} : 'a sample) =
    let
      val n = real (N + 1)
      val delta = x - mean
      val dn = delta / n
      val t = delta * dn * real N
    in
      {points = points,
       N = N + 1,
       mean = mean + dn,
       m4 = m4 + t * dn * dn * (n * n - 3.0 * n + 3.0) + 6.0 * dn * dn * m2 - 4.0 * dn * m3,
       m3 = m3 + t * dn * (n - 2.0) - 3.0 * dn * m2,
       m2 = m2 + t}
    end
  fun ladd (x, s) = add (x, (), s)
  fun hadd (x, s as {points, ...} : heavy sample) = add (x, x :: points, s)

  fun evaluate s = s
  fun N ({N, ...} : 'a sample) = N
  fun n s = real (N s)
  fun mean ({mean, ...} : 'a sample) = mean
  fun variance (s as {m2, ...} : 'a sample) = m2 / (n s - 1.0)
  fun standardDeviation s = Math.sqrt (variance s)
  fun skew (s as {m3, ...} : 'a sample) = m3 / n s / (variance s * standardDeviation s)
  fun kurtosis (s as {m4, ...} : 'a sample) = m4 / n s / (variance s * variance s) - 3.0
  fun median ({points, ...} : heavy sample) = RealOrderStats.median (Array.fromList points)
  fun averageDeviation (s as {points, mean, ...} : heavy sample) =
    List.foldl (fn (x, sum) => abs (x - mean) + sum) 0.0 points / n s
  fun summary s =
    {N = N s,
     n = n s,
     mean = mean s,
     sd2 = variance s,
     sd = standardDeviation s,
     skew = skew s,
     kurtosis = kurtosis s}
end
