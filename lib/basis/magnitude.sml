(* Magnitude': numbers that are not negative, of any size. For IntInf.

   A magnitude is the vector of its words, least first, without leading zeros; 0 has no words. `compare`, `add`,
   `subtract`, `multiply`, `divide` and what stands under "bits" take magnitudes and make new ones. What they are made
   of works on parts of arrays, given as array, first index and number of words, most of it in place.

   The innermost loops are the runtime's (prim/bignum.sml). They reach no safepoint, so each call is given a piece of
   the work that takes some microseconds: in between, a collection and other threads have their turn.

   Products of up to some hundreds of words are the runtime's; larger ones are made of those by Karatsuba's method and,
   from some more, by Toom's with three parts (Brent and Zimmermann, Modern Computer Arithmetic, section 1.3.3).
   Quotients are made by Knuth's algorithm D, some digits at a time; those of many digits by halving, so that they cost
   some products (Burnikel and Ziegler, Fast recursive division, 1998; as Brent and Zimmermann have it, algorithms 1.8
   and 1.9).

   Signs are in int-inf.sml, text is in magnitude-text.sml. *)

structure Magnitude' =
struct
  type mag = word vector

  val length = PrimArrays'.array_length_of_vector : word vector -> int
  val sub = PrimArrays'.vector_sub_unsafe : word vector * int -> word
  val new = PrimArrays'.array_new_uninit : int -> word array
  val filled = PrimArrays'.array_new : int * word -> word array
  val arrayLength = PrimArrays'.array_length : word array -> int
  val get = PrimArrays'.array_sub_unsafe : word array * int -> word
  val set = PrimArrays'.array_update_unsafe : word array * int * word -> unit
  val copy = PrimArrays'.array_copy_unsafe : word array * int * word array * int * int -> unit
  val same = PrimRefs'.ptr_eq : word array * word array -> bool
  val freeze = PrimArrays'.cast : word array -> word vector
  val thaw = PrimArrays'.cast : word vector -> word array
  val mulShort = PrimBignum'.mp_mul
  val mulWord = PrimBignum'.mp_mul_word
  val divDigits = PrimBignum'.mp_div_digits
  val word = PrimWords'.bits : int -> word
  val int = PrimWords'.bits : word -> int

  (* -- words of parts, in place *)

  (* So many words are added, shifted and so on at a time, some ten microseconds. *)
  val piece = 16384
  val one = filled (1, 0w1)

  (* Adds, or subtracts, the sn words of s from si on in place; the carry. A carry that has gone through a piece leaves
     zeros there, or ones, so what is added then gives none. *)
  fun inPieces short (d, di, dn, s, si, sn) =
    let
      fun go (at, carry) =
        if at = dn orelse at >= sn andalso carry = 0w0 then carry
        else
          let
            val k = Int.min (piece, dn - at)
            val m = Int.min (k, sn - at)
            val first = if carry = 0w0 then 0w0 else short (d, di + at, k, one, 0, 1)
            val second = if m <= 0 then 0w0 else short (d, di + at, k, s, si + at, m)
          in
            go (at + k, first + second)
          end
    in
      go (0, 0w0)
    end
  fun addIn (d, di, dn, s, si, sn) =
    if dn <= piece then PrimBignum'.mp_add (d, di, dn, s, si, sn)
    else inPieces PrimBignum'.mp_add (d, di, dn, s, si, sn)
  fun subIn (d, di, dn, s, si, sn) =
    if dn <= piece then PrimBignum'.mp_sub (d, di, dn, s, si, sn)
    else inPieces PrimBignum'.mp_sub (d, di, dn, s, si, sn)

  (* Shifts the first n words in place; the bits shifted out. *)
  fun shiftLeft (d, n, bits) =
    let
      fun go (at, out) =
        if n - at <= piece then PrimBignum'.mp_shl (d, at, n - at, bits, out)
        else go (at + piece, PrimBignum'.mp_shl (d, at, piece, bits, out))
    in
      go (0, 0w0)
    end
  (* What goes from the uppermost words down: `step (from, count, x)` gives the next x. *)
  fun down step (n, x) =
    if n <= piece then step (0, n, x) else down step (n - piece, step (n - piece, piece, x))
  fun shiftRight (d, n, bits) =
    if n <= piece then PrimBignum'.mp_shr (d, 0, n, bits, 0w0)
    else down (fn (at, k, out) => PrimBignum'.mp_shr (d, at, k, bits, out)) (n, 0w0)
  (* Divides the first n words in place; the remainder. *)
  fun divWord (d, n, divisor) =
    if n <= piece then PrimBignum'.mp_div_word (d, 0, n, divisor, 0w0)
    else down (fn (at, k, rest) => PrimBignum'.mp_div_word (d, at, k, divisor, rest)) (n, 0w0)
  fun compareWords (a, ai, b, bi, n) =
    if n <= piece then PrimBignum'.mp_compare (a, ai, b, bi, n)
    else
      case PrimBignum'.mp_compare (a, ai + n - piece, b, bi + n - piece, piece) of
        0 => compareWords (a, ai, b, bi, n - piece)
      | order => order

  (* zeros above the uppermost bit of a word that is not 0 *)
  fun leadingZeros w =
    let
      (* w without so many zeros, if it has them *)
      fun without (k, (w, n)) =
        let
          val k = if Word.>> (w, 0w64 - k) = 0w0 then k else 0w0
        in
          (Word.<< (w, k), n + k)
        end
    in
      #2 (without (0w1,
                   without
                     (0w2, without (0w4, without (0w8, without (0w16, without (0w32, (w, 0w0))))))))
    end

  (* -- making magnitudes *)

  (* how many of the first n words count *)
  fun significant (a, n) = if n > 0 andalso get (a, n - 1) = 0w0 then significant (a, n - 1) else n

  (* a part as an array of its own *)
  fun slice (a, i, n) =
    let val b = new n in copy (a, i, b, 0, n); b end

  (* an array that nobody else has, without leading zeros *)
  fun trim (a, n) =
    let
      val m = significant (a, n)
    in
      freeze (if m = arrayLength a then a else slice (a, 0, m))
    end

  fun ofWord 0w0 = freeze (new 0)
    | ofWord w = let val a = new 1 in set (a, 0, w); freeze a end

  (* Raises what an array of so many words would raise. *)
  fun room n = ignore (new n)

  (* -- order, sums *)

  fun compare (a, b) =
    let
      val m = length a
      val n = length b
    in
      if m <> n then Int.compare (m, n) else Int.compare (compareWords (thaw a, 0, thaw b, 0, n), 0)
    end

  fun add (a, b) =
    if length a < length b then add (b, a)
    else
      let
        val n = length a
        val c = new (n + 1)
      in
        copy (thaw a, 0, c, 0, n);
        set (c, n, addIn (c, 0, n, thaw b, 0, length b));
        trim (c, n + 1)
      end

  (* a >= b *)
  fun subtract (a, b) =
    let
      val n = length a
      val c = slice (thaw a, 0, n)
    in
      ignore (subIn (c, 0, n, thaw b, 0, length b));
      trim (c, n)
    end

  (* -- products *)

  (* Products whose shorter number has no more words, and which have no more partial products, are the runtime's,
     by one call. *)
  val shortUpTo = 400
  val mostAtOnce = 200000
  (* the room that they need, see prim/bignum.sml *)
  val roomFrom = 32
  fun workRoom n = 8 * n + 256
  val noRoom = new 0
  (* the fewest words that are taken in three parts *)
  val toomFrom = 600

  (* a part with zeros behind it *)
  fun padded (a, i, n, size) =
    let
      val c = filled (size, 0w0)
    in
      copy (a, i, c, 0, n);
      c
    end

  (* n words are divided by 3, in place; nothing is left. The third of a word is the word times a third modulo 2^64, and
     how often 2^64 is in three times that goes from the next word. *)
  fun third (a, n) =
    let
      fun go (i, carry) =
        if i = n then ()
        else
          let
            val w = get (a, i)
            val q = (w - carry) * 0wxAAAAAAAAAAAAAAAB
            val borrow = if w < carry then 0w1 else 0w0
          in
            set (a, i, q);
            go (i + 1,
                borrow
                + (if q > 0wxAAAAAAAAAAAAAAAA then 0w2
                   else if q > 0wx5555555555555555 then 0w1
                   else 0w0))
          end
    in
      go (0, 0w0)
    end

  (* the product of two parts, as an array of m + n words; m >= n *)
  fun product (a, i, m, b, j, n) : word array =
    if n = 0 then filled (m, 0w0)
    else if n <= shortUpTo then
      if m * n <= mostAtOnce then
        let
          val c = new (m + n)
        in
          mulShort (c, a, i, m, b, j, n, if n < roomFrom then noRoom else new (workRoom n));
          c
        end
      else inBlocks (a, i, m, b, j, n, Int.max (n, mostAtOnce div n))
    else if m > n + n div 2 then inBlocks (a, i, m, b, j, n, n)
    else if n >= toomFrom andalso 2 * n > 5 * ((m + 2) div 3) then
      toom (a, i, m, b, j, n, (m + 2) div 3)
    else
      let
        (* a = a1 x + a0, b = b1 x + b0, x = 2^(64 k) *)
        val k = (m + 1) div 2
        val c = new (m + n)
        val low = product (a, i, k, b, j, Int.min (k, n))
        val lowLength = k + Int.min (k, n)
        val a1 = m - k
        val b1 = n - k
        val high = larger (a, i + k, a1, b, j + k, b1)
        val sumA = sum (a, i, k, a1)
        (* a square is made of squares *)
        val sumB = if i = j andalso m = n andalso same (a, b) then sumA else sum (b, j, k, b1)
        val middle = larger (sumA, 0, k + 1, sumB, 0, k + 1)
        val middleLength = 2 * k + 2
      in
        copy (low, 0, c, 0, lowLength);
        copy (high, 0, c, lowLength, a1 + b1);
        ignore (subIn (middle, 0, middleLength, low, 0, lowLength));
        ignore (subIn (middle, 0, middleLength, high, 0, a1 + b1));
        let
          val room = m + n - k
          val used = Int.min (room, significant (middle, middleLength))
        in
          ignore (addIn (c, k, room, middle, 0, used))
        end;
        c
      end
  (* a = a2 x^2 + a1 x + a0, b likewise, x = 2^(64 k); the product's five parts come from its values at 0, 1, -1, 2, and
     from that of a2 and b2. The parts are not negative. *)
  and toom (a, i, m, b, j, n, k) =
    let
      val size = k + 1
      (* at 1, at -1, whether that is negative, at 2 *)
      fun points (a, i, m) =
        let
          val top = m - 2 * k
          val even = padded (a, i, k, size)
          val () = ignore (addIn (even, 0, size, a, i + 2 * k, top))
          val one = slice (even, 0, size)
          val () = ignore (addIn (one, 0, size, a, i + k, k))
          val negative = get (even, k) = 0w0 andalso compareWords (even, 0, a, i + k, k) < 0
          val minus =
            if negative then
              let
                val c = padded (a, i + k, k, size)
              in
                ignore (subIn (c, 0, size, even, 0, k));
                c
              end
            else (ignore (subIn (even, 0, size, a, i + k, k)); even)
          val two = padded (a, i + 2 * k, top, size)
          fun doubled () = ignore (shiftLeft (two, size, 0w1))
        in
          doubled ();
          ignore (addIn (two, 0, size, a, i + k, k));
          doubled ();
          ignore (addIn (two, 0, size, a, i, k));
          (one, minus, negative, two)
        end
      val square = i = j andalso m = n andalso same (a, b)
      val (a1, aMinus, aNegative, a2) = points (a, i, m)
      val (b1, bMinus, bNegative, b2) =
        if square then (a1, aMinus, aNegative, a2) else points (b, j, n)
      val at0 = product (a, i, k, b, j, k)
      val top = m + n - 4 * k
      val atTop = larger (a, i + 2 * k, m - 2 * k, b, j + 2 * k, n - 2 * k)
      val at1 = product (a1, 0, size, b1, 0, size)
      val minus = product (aMinus, 0, size, bMinus, 0, size)
      val at2 = product (a2, 0, size, b2, 0, size)
      val all = 2 * size
      fun plus (x, y, n) = ignore (addIn (x, 0, all, y, 0, n))
      fun less (x, y, n) = ignore (subIn (x, 0, all, y, 0, n))
      fun half x = ignore (shiftRight (x, all, 0w1))
      (* half of the sum of those at 1 and -1: the parts of even powers *)
      val evens = slice (at1, 0, all)
      val () =
        if aNegative <> bNegative then (less (evens, minus, all); plus (at1, minus, all))
        else (plus (evens, minus, all); less (at1, minus, all))
      val () = half evens
      val () = less (evens, at0, 2 * k)
      val () = less (evens, atTop, top)
      (* half of their difference: the parts of x and x^3 *)
      val () = half at1
      (* at 2, without the even powers, halved: the part of x and four times that of x^3 *)
      val () = less (at2, at0, 2 * k)
      val () = half at2
      val () = less (at2, evens, all)
      val () = less (at2, evens, all)
      val eight = padded (atTop, 0, top, all)
      val () = ignore (shiftLeft (eight, all, 0w3))
      val () = less (at2, eight, all)
      (* without that of x: three times that of x^3 *)
      val () = less (at2, at1, all)
      val () = third (at2, all)
      val () = less (at1, at2, all)
      val c = filled (m + n, 0w0)
      fun put (x, at) =
        let
          val room = m + n - at
        in
          ignore (addIn (c, at, room, x, 0, Int.min (room, significant (x, all))))
        end
    in
      copy (at0, 0, c, 0, 2 * k);
      copy (atTop, 0, c, 4 * k, top);
      put (at1, k);
      put (evens, 2 * k);
      put (at2, 3 * k);
      c
    end
  and larger (a, i, m, b, j, n) =
    if m >= n then product (a, i, m, b, j, n) else product (b, j, n, a, i, m)
  (* the two parts of a number added: k + 1 words *)
  and sum (a, i, k, rest) =
    let
      val s = new (k + 1)
    in
      copy (a, i, s, 0, k);
      set (s, k, addIn (s, 0, k, a, i + k, rest));
      s
    end
  (* a much longer than b: pieces of so many words *)
  and inBlocks (a, i, m, b, j, n, piece) =
    let
      val c = filled (m + n, 0w0)
      fun go at =
        if at >= m then ()
        else
          let
            val k = Int.min (piece, m - at)
            val part = larger (a, i + at, k, b, j, n)
          in
            ignore (addIn (c, at, m + n - at, part, 0, n + k));
            go (at + k)
          end
    in
      go 0;
      c
    end

  fun multiply (a, b) =
    let
      val m = length a
      val n = length b
    in
      if m = 0 orelse n = 0 then freeze (new 0)
      else trim (larger (thaw a, 0, m, thaw b, 0, n), m + n)
    end

  (* -- quotients, in place: the n + m words of u from `at` on are divided by the n words of v from `bo` on, whose
     uppermost bit is set, and which are more than the uppermost n words of u. The m words of the quotient go to q, from
     `to` on; the remainder stays in u. *)

  (* the fewest words, and digits, that are halved *)
  val halvedFrom = 60

  fun reduce (u, at, v, bo, n, q, to, m) =
    if m < halvedFrom orelse n < halvedFrom then
      let
        (* so many digits at once *)
        val most = Int.max (1, 20000 div n)
        fun go 0 = ()
          | go m =
              let
                val k = Int.min (most, m)
              in
                divDigits (q, to + m - k, u, at + m - k, v, bo, n, k);
                go (m - k)
              end
      in
        go m
      end
    else if n > m then byLeading (u, at, v, bo, n, q, to, m)
    else
      let
        val k = m div 2
      in
        reduce (u, at + k, v, bo, n, q, to + k, m - k);
        reduce (u, at, v, bo, n, q, to, k)
      end
  (* n > m: first by the leading m words of v only, which gives the quotient or a little more *)
  and byLeading (u, at, v, bo, n, q, to, m) =
    let
      val k = n - m
      fun ones i = if i = m then () else (set (q, to + i, 0wxFFFFFFFFFFFFFFFF); ones (i + 1))
      val () =
        if compareWords (u, at + n, v, bo + k, m) < 0 then
          reduce (u, at + k, v, bo + k, m, q, to, m)
        else
          (* the leading words are the same: the largest quotient there is *)
          (ones 0;
           ignore (subIn (u, at + n, m, v, bo + k, m));
           ignore (addIn (u, at + k, 2 * m, v, bo + k, m)))
      val rest = larger (q, to, m, v, bo, k)
      fun correct 0w0 = ()
        | correct _ =
            (ignore (subIn (q, to, m, one, 0, 1));
             if addIn (u, at, n + m, v, bo, n) = 0w0 then correct 0w1 else ())
    in
      correct (subIn (u, at, n + m, rest, 0, n))
    end

  (* quotient and remainder; b is not 0 *)
  fun divide (a, b) =
    let
      val m = length a
      val n = length b
    in
      if compare (a, b) = LESS then (freeze (new 0), a)
      else if n = 1 then
        let
          val q = slice (thaw a, 0, m)
          val r = divWord (q, m, sub (b, 0))
        in
          (trim (q, m), ofWord r)
        end
      else
        let
          (* so shifted that the divisor's uppermost bit is set *)
          val shift = leadingZeros (sub (b, n - 1))
          val v = slice (thaw b, 0, n)
          val u = new (m + 1)
          val q = new (m - n + 1)
          (* parts of n digits, the first one shorter *)
          fun parts at = if at < 0 then () else (reduce (u, at, v, 0, n, q, at, n); parts (at - n))
          val digits = m - n + 1
          val first = (digits - 1) mod n + 1
        in
          ignore (shiftLeft (v, n, shift));
          copy (thaw a, 0, u, 0, m);
          set (u, m, shiftLeft (u, m, shift));
          reduce (u, digits - first, v, 0, n, q, digits - first, first);
          parts (digits - first - n);
          ignore (shiftRight (u, n, shift));
          (trim (q, m - n + 1), trim (u, n))
        end
    end

  (* -- bits *)

  fun shl (a, count) =
    let
      val whole = int (Word.>> (count, 0w6))
      val bits = Word.andb (count, 0w63)
      val n = length a
      val c = filled (whole + n + 1, 0w0)
      val part = slice (thaw a, 0, n)
      val out = shiftLeft (part, n, bits)
    in
      copy (part, 0, c, whole, n);
      set (c, whole + n, out);
      trim (c, whole + n + 1)
    end

  (* rounded down, and whether bits that are not 0 were lost *)
  fun shr (a, count) =
    let
      val whole = Word.>> (count, 0w6)
      val n = length a
    in
      if whole >= word n then (freeze (new 0), n > 0)
      else
        let
          val whole = int whole
          val c = slice (thaw a, whole, n - whole)
          val out = shiftRight (c, n - whole, Word.andb (count, 0w63))
          fun lost i = i < whole andalso (sub (a, i) <> 0w0 orelse lost (i + 1))
        in
          (trim (c, n - whole), out <> 0w0 orelse lost 0)
        end
    end

  (* bits that are needed *)
  fun bitLength a =
    let
      val n = length a
    in
      if n = 0 then 0 else n * 64 - int (leadingZeros (sub (a, n - 1)))
    end

  fun isPowerOfTwo a =
    let
      val top = length a - 1
      fun zero i = i < 0 orelse sub (a, i) = 0w0 andalso zero (i - 1)
      val w = sub (a, top)
    in
      Word.andb (w, w - 0w1) = 0w0 andalso zero (top - 1)
    end
end
