(* IntInf: integers of any size.

   A number that fits into 64 bits is one machine integer (Small'); any other is the words of its magnitude, least first,
   without leading zeros, under the constructor that says its sign (Pos', Neg'). So each number has one form, and equality
   is that of the datatype. Operations try the small case first.

   Products of up to some hundreds of words are the runtime's; larger ones are made of those by Karatsuba's method and, from
   some more, by Toom's with three parts (Brent and Zimmermann, Modern Computer Arithmetic, section 1.3.3). Quotients by Knuth's algorithm D, some digits at a time, with safepoints in between; those of many digits by halving, so that they
   cost some products (Burnikel and Ziegler, Fast recursive division, 1998; as Brent and Zimmermann have it, Modern Computer
   Arithmetic, algorithms 1.8 and 1.9). Text is made and read by halving. *)

(* Magnitudes: arrays of words, least first. For the library. *)
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

  (* So many words are added, shifted and so on at a time, some ten microseconds: in between a collection that another
     worker waits for, and other threads, have their turn. *)
  val piece = 16384
  val one = filled (1, 0w1)

  (* Adds, or subtracts, the sn words of s from si on in place; the carry. A carry that has gone through a piece leaves zeros
     there, or ones, so what is added then gives none. *)
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

  (* Products whose shorter number has no more words, and which have no more partial products, are the runtime's: it reaches
     no safepoint meanwhile. *)
  val shortUpTo = 400
  val mostAtOnce = 200000
  (* the room that they need, see words/src/lib.rs *)
  val roomFrom = 32
  fun room n = 8 * n + 256
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

  (* n words are divided by 3, in place; nothing is left. The third of a word is the word times a third modulo 2^64, and how
     often 2^64 is in three times that goes from the next word. *)
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
          mulShort (c, a, i, m, b, j, n, if n < roomFrom then noRoom else new (room n));
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
  (* a = a2 x^2 + a1 x + a0, b likewise, x = 2^(64 k); the product's five parts come from its values at 0, 1, -1, 2, and from
     that of a2 and b2. The parts are not negative. *)
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

  (* Raises what an array of so many words would raise. *)
  fun room n = ignore (new n)

  fun isPowerOfTwo a =
    let
      val top = length a - 1
      fun zero i = i < 0 orelse sub (a, i) = 0w0 andalso zero (i - 1)
      val w = sub (a, top)
    in
      Word.andb (w, w - 0w1) = 0w0 andalso zero (top - 1)
    end

  fun ofWord 0w0 = freeze (new 0)
    | ofWord w = let val a = new 1 in set (a, 0, w); freeze a end

  (* -- quotients, in place: the n + m words of u from `at` on are divided by the n words of v from `bo` on, whose uppermost
     bit is set, and which are more than the uppermost n words of u. The m words of the quotient go to q, from `to` on; the
     remainder stays in u. *)

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

  (* -- text *)

  (* the largest power of each radix that fits into a word, and its exponent *)
  fun chunk StringCvt.BIN = (0wx8000000000000000, 63)
    | chunk StringCvt.OCT = (0wx8000000000000000, 21)
    | chunk StringCvt.DEC = (0w10000000000000000000, 19)
    | chunk StringCvt.HEX = (0wx1000000000000000, 15)

  (* Powers chunk^(2^i), the largest first: of more than half of n words. *)
  fun powers (base, n) =
    let
      fun go (p, l) = if 2 * length p > n then p :: l else go (multiply (p, p), p :: l)
    in
      go (ofWord base, [])
    end

  (* shorter than this: word by word *)
  val textFrom = 30

  (* digits, without leading zeros *)
  fun toText radix a =
    let
      val (base, width) = chunk radix
      val per = word (Digits'.base radix)
      (* as many digits as there can be, or some more *)
      val count =
        case radix of
          StringCvt.BIN => bitLength a
        | StringCvt.OCT => bitLength a div 3 + 1
        | StringCvt.DEC => bitLength a * 30103 div 100000 + 1
        | StringCvt.HEX => bitLength a div 4 + 1
      val text = PrimArrays'.array_new_uninit count : char array
      val put = PrimArrays'.array_update_unsafe : char array * int * char -> unit
      (* All write so many digits, up to the place `at`. *)
      fun zeros (at, k) = if k = 0 then () else (put (text, at - 1, #"0"); zeros (at - 1, k - 1))
      fun ofWord (w, at, k) =
        if k = 0 then ()
        else
          (put (text, at - 1, Digits'.digit (int (w mod per))); ofWord (w div per, at - 1, k - 1))
      fun short (a, at, k) =
        let
          val n = length a
          val rest = slice (thaw a, 0, n)
          fun go (n, at, k) =
            if n = 0 then zeros (at, k)
            else if k > 0 then
              let
                val r = divWord (rest, n, base)
                val some = Int.min (k, width)
              in
                ofWord (r, at, some);
                go (significant (rest, n), at - some, k - some)
              end
            else ()
        in
          go (n, at, k)
        end
      (* halved by the powers: (power, its digits), largest first *)
      fun long (a, at, k, []) = short (a, at, k)
        | long (a, at, k, (p, digits) :: smaller) =
            if length a < textFrom then short (a, at, k)
            else if k <= digits then long (a, at, k, smaller)
            else
              let
                val (q, r) = divide (a, p)
              in
                long (r, at, digits, smaller);
                long (q, at - digits, k - digits, smaller)
              end
      fun sized ([], digits) = []
        | sized (p :: rest, digits) = (p, digits) :: sized (rest, digits div 2)
      val ps = if length a < textFrom then [] else powers (base, length a)
      fun twoTo 0 = 1
        | twoTo n = 2 * twoTo (n - 1)
      val most = if List.null ps then 0 else width * twoTo (List.length ps - 1)
      (* the first digit that is none of the zeros in front *)
      fun first i =
        if i < count - 1 andalso PrimArrays'.array_sub_unsafe (text, i) = #"0" then first (i + 1)
        else i
    in
      if length a = 0 then "0"
      else
        let
          val () = long (a, count, count, sized (ps, most))
          val i = first 0
          val result = PrimArrays'.array_new_uninit (count - i) : char array
        in
          PrimArrays'.array_copy_unsafe (text, i, result, 0, count - i);
          PrimArrays'.cast result : string
        end
    end

  (* the number of n digits, given as their values, the last first *)
  fun ofDigits (radix, values, n) =
    let
      val (base, width) = chunk radix
      val per = word (Digits'.base radix)
      (* groups of `width` digits from the end, least first *)
      fun groups ([], _, 0, acc, _) = []
        | groups ([], _, _, acc, _) = [acc]
        | groups (v :: rest, scale, k, acc, _) =
            let
              val acc = acc + word v * scale
            in
              if k = width - 1 then acc :: groups (rest, 0w1, 0, 0w0, ())
              else groups (rest, scale * per, k + 1, acc, ())
            end
      (* short numbers: word by word from the last group, which is the most significant *)
      fun short words =
        let
          val a = new (List.length words + 1)
          fun go ([], n) = n
            | go (w :: rest, n) =
                let
                  val carry = mulWord (a, n, base, w)
                in
                  if carry = 0w0 then go (rest, n) else (set (a, n, carry); go (rest, n + 1))
                end
          val n = go (List.rev words, 0)
        in
          trim (a, n)
        end
      fun pair (low :: high :: rest, p) = add (low, multiply (high, p)) :: pair (rest, p)
        | pair (l, _) = l
      fun combine ([], _) = freeze (new 0)
        | combine ([a], _) = a
        | combine (parts, p) = combine (pair (parts, p), multiply (p, p))
      (* pieces of 32 groups *)
      fun split (words, k) =
        let
          fun go (l, 0, piece) = (List.rev piece, l)
            | go ([], _, piece) = (List.rev piece, [])
            | go (w :: rest, k, piece) = go (rest, k - 1, w :: piece)
        in
          case go (words, k, []) of
            ([], _) => []
          | (piece, rest) => short piece :: split (rest, k)
        end
      val words = groups (values, 0w1, 0, 0w0, ())
    in
      if n <= 32 * width then short words
      else
        let
          fun square (p, 0) = p
            | square (p, k) = square (multiply (p, p), k - 1)
        in
          combine (split (words, 32), square (ofWord base, 5))
        end
    end
end

signature INT_INF =
sig
  include INTEGER

  (* `div` and `mod` at once. Raises Div when the second is 0. *)
  val divMod : int * int -> int * int
  (* `quot` and `rem` at once. Raises Div when the second is 0. *)
  val quotRem : int * int -> int * int
  (* The first to the power of the second. With an exponent below 0 it is 0, for 1 and ~1 their power; raises Div for
     0. *)
  val pow : int * int' -> int
  (* the largest k with 2^k <= i; raises Domain when i <= 0 *)
  val log2 : int -> int'
  (* Or of all bits, as if numbers were in two's complement with a sign that goes on without end. *)
  val orb : int * int -> int
  (* Exclusive or of all bits, in two's complement. *)
  val xorb : int * int -> int
  (* And of all bits, in two's complement. *)
  val andb : int * int -> int
  (* All bits inverted: ~(i + 1). *)
  val notb : int -> int
  (* Moves the bits to the left: times 2 to the power of n. *)
  val << : int * word -> int
  (* Moves the bits to the right: divided by 2 to the power of n, rounded down. *)
  val ~>> : int * word -> int
end

structure IntInf : INT_INF =
struct
  structure M = Magnitude'
  datatype intinf = datatype intinf
  type int = intinf

  val mulHigh = PrimInts'.int_mul_high
  val word = PrimWords'.bits : int' -> word
  val toI = PrimWords'.bits : word -> int'

  val precision = NONE
  val minInt = NONE
  val maxInt = NONE
  fun toInt (Small' i) = i
    | toInt _ = raise Overflow
  val fromInt = Small'
  fun toLarge i = i
  fun fromLarge i = i

  val least : int' = ~9223372036854775808

  (* the magnitude of a small number *)
  fun absWord (i : int') = if Int.< (i, 0) then Word.~ (word i) else word i

  fun magnitude (Small' i) = M.ofWord (absWord i)
    | magnitude (Pos' m) = m
    | magnitude (Neg' m) = m
  fun isNegative (Small' i) = Int.< (i, 0)
    | isNegative (Pos' _) = false
    | isNegative (Neg' _) = true

  (* the number with this sign and magnitude *)
  fun make (negative, m) =
    case M.length m of
      0 => Small' 0
    | 1 =>
        let
          val w = M.sub (m, 0)
        in
          if negative then
            (if Word.<= (w, 0wx8000000000000000) then Small' (toI (Word.~ w)) else Neg' m)
          else if Word.< (w, 0wx8000000000000000) then Small' (toI w)
          else Pos' m
        end
    | _ => if negative then Neg' m else Pos' m

  (* a number of 128 bits in two's complement that does not fit into 64 *)
  fun make2 (high, low) =
    let
      val negative = Int.< (toI high, 0)
      val (high, low) =
        if negative then (Word.+ (Word.notb high, if low = 0w0 then 0w1 else 0w0), Word.~ low)
        else (high, low)
      val a = M.new 2
    in
      M.set (a, 0, low);
      M.set (a, 1, high);
      make (negative, M.trim (a, 2))
    end

  fun negate (Small' i) =
        if i = least then Pos' (M.ofWord 0wx8000000000000000) else Small' (Int.~ i)
    | negate (Pos' m) = make (true, m)
    | negate (Neg' m) = Pos' m

  (* signs and magnitudes added *)
  fun addSigned (s, a, t, b) =
    if s = t then make (s, M.add (a, b))
    else
      case M.compare (a, b) of
        LESS => make (t, M.subtract (b, a))
      | EQUAL => Small' 0
      | GREATER => make (s, M.subtract (a, b))

  (* sum of two small numbers that does not fit *)
  fun carryOut (a, sum) = make2 (if Int.< (a, 0) then 0wxFFFFFFFFFFFFFFFF else 0w0, sum)

  fun add (Small' a, Small' b) =
        let
          val s = Word.+ (word a, word b)
        in
          if Int.< (toI (Word.andb (Word.xorb (word a, s), Word.xorb (word b, s))), 0) then
            carryOut (a, s)
          else Small' (toI s)
        end
    | add (a, b) = addSigned (isNegative a, magnitude a, isNegative b, magnitude b)

  fun subtract (Small' a, Small' b) =
        let
          val s = Word.- (word a, word b)
        in
          if Int.< (toI (Word.andb (Word.xorb (word a, word b), Word.xorb (word a, s))), 0) then
            carryOut (a, s)
          else Small' (toI s)
        end
    | subtract (a, b) = addSigned (isNegative a, magnitude a, not (isNegative b), magnitude b)

  fun multiply (Small' a, Small' b) =
        let
          val low = Word.* (word a, word b)
          val high = mulHigh (a, b)
        in
          if high = toI (Word.~>> (low, 0w63)) then Small' (toI low) else make2 (word high, low)
        end
    | multiply (a, b) = make (isNegative a <> isNegative b, M.multiply (magnitude a, magnitude b))

  (* quotient to zero; the remainder has the sign of the first *)
  fun quotRem (_, Small' 0) = raise Div
    | quotRem (Small' a, Small' b) =
        if b = ~1 then (negate (Small' a), Small' 0)
        else (Small' (Int.quot (a, b)), Small' (Int.rem (a, b)))
    | quotRem (a, b) =
        let
          val (q, r) = M.divide (magnitude a, magnitude b)
        in
          (make (isNegative a <> isNegative b, q), make (isNegative a, r))
        end
  fun quot (Small' a, Small' b) =
        if b = ~1 then negate (Small' a) else Small' (Int.quot (a, b))
    | quot p = #1 (quotRem p)
  fun rem (Small' a, Small' b) =
        if b = ~1 then Small' 0 else Small' (Int.rem (a, b))
    | rem p = #2 (quotRem p)

  (* quotient rounded down; the remainder has the sign of the second *)
  fun divMod (a, b) =
    let
      val (q, r) = quotRem (a, b)
    in
      if r <> Small' 0 andalso isNegative r <> isNegative b then
        (subtract (q, Small' 1), add (r, b))
      else (q, r)
    end
  fun divide (Small' a, Small' b) =
        if b = ~1 then negate (Small' a) else Small' (Int.div (a, b))
    | divide p = #1 (divMod p)
  fun modulo (Small' a, Small' b) =
        if b = ~1 then Small' 0 else Small' (Int.mod (a, b))
    | modulo p = #2 (divMod p)

  fun compare (Small' a, Small' b) = Int.compare (a, b)
    | compare (Small' _, Pos' _) = LESS
    | compare (Small' _, Neg' _) = GREATER
    | compare (Pos' a, Pos' b) = M.compare (a, b)
    | compare (Pos' _, _) = GREATER
    | compare (Neg' a, Neg' b) = M.compare (b, a)
    | compare (Neg' _, _) = LESS
  fun less (Small' a, Small' b) = Int.< (a, b)
    | less p = compare p = LESS
  fun lessEq (Small' a, Small' b) = Int.<= (a, b)
    | lessEq p = compare p <> GREATER
  fun min (a, b) = if less (a, b) then a else b
  fun max (a, b) = if less (a, b) then b else a
  fun sign (Small' i) = Int.sign i
    | sign (Pos' _) = 1
    | sign (Neg' _) = ~1
  fun sameSign (a, b) = sign a = sign b
  fun abs i = if isNegative i then negate i else i

  (* bits that no number has: two terabytes *)
  val most = 0x100000000000
  fun pow (b, e) =
    let
      (* The bits of the result, nearly, are at least these. Too many are refused like `<<` does; and for many, the room is
         asked for before the work begins: without memory for the result, it is not begun. *)
      val least = Int.- (M.bitLength (magnitude b), 1)
      val () =
        if Int.< (least, 1) orelse Int.< (e, 1) then ()
        else if Int.>= (e, Int.div (most, least)) then raise Size
        else if Int.> (Int.* (least, e), 0x40000000) then M.room (Int.div (Int.* (least, e), 64))
        else ()
      (* acc * b^e *)
      fun go (acc, b, e) =
        if e = 0 then acc
        else
          go (if Int.mod (e, 2) = 1 then multiply (acc, b) else acc,
              if e = 1 then b else multiply (b, b),
              Int.div (e, 2))
      val bits = Int.- (M.bitLength (magnitude b), 1)
    in
      if Int.>= (e, 0) then
        (* a power of two is a shift *)
        if Int.>= (least, 1) andalso M.isPowerOfTwo (magnitude b) then
          make (isNegative b andalso Int.mod (e, 2) = 1,
                M.shl (M.ofWord 0w1, Word.fromInt (Int.* (least, e))))
        else go (Small' 1, b, e)
      else
        case b of
          Small' 0 => raise Div
        | Small' 1 => b
        | Small' ~1 => if Int.mod (e, 2) = 0 then Small' 1 else b
        | _ => Small' 0
    end

  fun log2 i = if Int.> (sign i, 0) then Int.- (M.bitLength (magnitude i), 1) else raise Domain

  (* -- two's complement *)

  fun notb (Small' i) = Small' (toI (Word.notb (word i)))
    | notb i = subtract (Small' ~1, i)

  (* n words of a number in two's complement *)
  fun words (i, n) =
    let
      val m = magnitude i
      val k = M.length m
      val a = M.filled (n, 0w0)
    in
      M.copy (M.thaw m, 0, a, 0, k);
      if isNegative i then complement (a, n) else ();
      a
    end
  (* the negative of n words, in place *)
  and complement (a, n) =
    let
      fun go (j, carry) =
        if j = n then ()
        else
          let
            val w = Word.+ (Word.notb (M.get (a, j)), carry)
          in
            M.set (a, j, w);
            go (Int.+ (j, 1), if carry = 0w1 andalso w = 0w0 then 0w1 else 0w0)
          end
    in
      go (0, 0w1)
    end

  fun bitwise f (a, b) =
    let
      val n = Int.+ (Int.max (M.length (magnitude a), M.length (magnitude b)), 1)
      val x = words (a, n)
      val y = words (b, n)
      fun go j =
        if j = n then () else (M.set (x, j, f (M.get (x, j), M.get (y, j))); go (Int.+ (j, 1)))
    in
      go 0;
      if Int.< (toI (M.get (x, Int.- (n, 1))), 0) then
        (complement (x, n); make (true, M.trim (x, n)))
      else make (false, M.trim (x, n))
    end
  fun andb (Small' a, Small' b) = Small' (toI (Word.andb (word a, word b)))
    | andb p = bitwise Word.andb p
  fun orb (Small' a, Small' b) = Small' (toI (Word.orb (word a, word b)))
    | orb p = bitwise Word.orb p
  fun xorb (Small' a, Small' b) = Small' (toI (Word.xorb (word a, word b)))
    | xorb p = bitwise Word.xorb p

  fun << (i as Small' 0, _) = i
    | << (i, count) =
        if Word.>= (count, Word.fromInt most) then raise Size
        else make (isNegative i, M.shl (magnitude i, count))
  fun ~>> (Small' i, count) = Small' (toI (Word.~>> (word i, count)))
    | ~>> (i, count) =
        let
          val (m, lost) = M.shr (magnitude i, count)
        in
          if isNegative i then make (true, if lost then M.add (m, M.ofWord 0w1) else m)
          else make (false, m)
        end

  (* -- text *)

  fun fmt radix (Small' i) = Int.fmt radix i
    | fmt radix (Pos' m) = M.toText radix m
    | fmt radix (Neg' m) = "~" ^ M.toText radix m
  fun toString i = fmt StringCvt.DEC i

  fun scan radix getc src =
    let
      val base = Digits'.base radix
      fun digits (src, l, n) =
        case getc src of
          SOME (c, rest) =>
            let
              val v = Digits'.value c
            in
              if Int.< (v, base) then digits (rest, v :: l, Int.+ (n, 1)) else (src, l, n)
            end
        | NONE => (src, l, n)
      fun number (negative, start) =
        let
          fun plain start =
            case digits (start, [], 0) of
              (_, _, 0) => NONE
            | (rest, l, n) => SOME (make (negative, M.ofDigits (radix, l, n)), rest)
        in
          case (radix, getc start) of
            (StringCvt.HEX, SOME (#"0", rest)) =>
              (case getc rest of
                 SOME (x, rest') =>
                   if x = #"x" orelse x = #"X" then
                     (case plain rest' of
                        NONE => SOME (Small' 0, rest)
                      | found => found)
                   else plain start
               | NONE => plain start)
          | _ => plain start
        end
      val src = StringCvt.skipWS getc src
    in
      case getc src of
        SOME (#"~", rest) => number (true, rest)
      | SOME (#"-", rest) => number (true, rest)
      | SOME (#"+", rest) => number (false, rest)
      | _ => number (false, src)
    end
  fun fromString s = StringCvt.scanString (scan StringCvt.DEC) s

  val ~ = negate
  val op + = add
  val op - = subtract
  val op * = multiply
  val op div = divide
  val op mod = modulo
  val op < = less
  val op <= = lessEq
  fun a > b = less (b, a)
  fun a >= b = lessEq (b, a)
end

structure LargeInt : INTEGER = IntInf
