(* MagnitudeText': magnitudes (magnitude.sml) as digits, and digits as magnitudes. For IntInf.

   Short numbers are written and read word by word: a division by the largest power of the radix that fits into a word
   gives the last 19 decimal digits at once. That takes time that grows with the square of the length. So a long number
   is halved: a division by a power of that power gives its upper and its lower half, which are written likewise.
   Reading is the same backwards: pieces of 32 words are read as short numbers, then neighbours are joined two by two.
   Digits of the other radices are bits, which are put in their places, or taken from there. *)

structure MagnitudeText' =
struct
  open Magnitude'

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
      (* Digits of so many bits each, the last one first. *)
      fun byBits bits =
        let
          val n = length a
          val mask = Word.<< (0w1, word bits) - 0w1
          fun wordAt k = if k < n then sub (a, k) else 0w0
          fun go i =
            if i = count then ()
            else
              let
                val at = i * bits
                val k = at div 64
                val shift = at mod 64
                val low = Word.>> (wordAt k, word shift)
                (* the upper bits may be in the next word *)
                val w =
                  if shift + bits <= 64 then low
                  else Word.orb (low, Word.<< (wordAt (k + 1), word (64 - shift)))
              in
                put (text, count - 1 - i, Digits'.digit (int (Word.andb (w, mask))));
                go (i + 1)
              end
        in
          go 0
        end
      fun sized ([], digits) = []
        | sized (p :: rest, digits) = (p, digits) :: sized (rest, digits div 2)
      fun byPowers () =
        let
          val ps = if length a < textFrom then [] else powers (base, length a)
          fun twoTo 0 = 1
            | twoTo n = 2 * twoTo (n - 1)
          val most = if List.null ps then 0 else width * twoTo (List.length ps - 1)
        in
          long (a, count, count, sized (ps, most))
        end
      (* the first digit that is none of the zeros in front *)
      fun first i =
        if i < count - 1 andalso PrimArrays'.array_sub_unsafe (text, i) = #"0" then first (i + 1)
        else i
    in
      if length a = 0 then "0"
      else
        let
          val () =
            case radix of
              StringCvt.BIN => byBits 1
            | StringCvt.OCT => byBits 3
            | StringCvt.DEC => byPowers ()
            | StringCvt.HEX => byBits 4
          val i = first 0
          val result = PrimArrays'.array_new_uninit (count - i) : char array
        in
          PrimArrays'.array_copy_unsafe (text, i, result, 0, count - i);
          PrimArrays'.cast result : string
        end
    end

  (* The number whose digits are these: groups of as many as `chunk` says, each as its value, the last one first; and
     behind them k digits, fewer than a group has, whose value is w. *)
  fun ofDigits (radix, groups, w, k) =
    let
      val (base, width) = chunk radix
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
      (* Digits of so many bits each: each group is put where its bits belong. *)
      fun byBits bits =
        let
          val all = (List.length groups * width + k) * bits
          val n = (all + 63) div 64
          val a = filled (n, 0w0)
          fun put (w, at) =
            let
              val i = at div 64
              val shift = word (at mod 64)
            in
              set (a, i, Word.orb (get (a, i), Word.<< (w, shift)));
              if shift > 0w0 andalso i + 1 < n then set (a, i + 1, Word.>> (w, 0w64 - shift))
              else ()
            end
          fun each ([], _) = ()
            | each (w :: rest, at) = (put (w, at); each (rest, at + width * bits))
        in
          if k > 0 then put (w, 0) else ();
          each (groups, k * bits);
          trim (a, n)
        end
      fun isShort (_, 0) = false
        | isShort ([], _) = true
        | isShort (_ :: rest, n) = isShort (rest, n - 1)
      fun byPowers () =
        let
          fun square (p, 0) = p
            | square (p, k) = square (multiply (p, p), k - 1)
          fun ten 0 = 0w1
            | ten k = 0w10 * ten (k - 1)
          val above =
            if isShort (groups, 33) then short groups
            else combine (split (groups, 32), square (ofWord base, 5))
        in
          if k = 0 then above else add (multiply (above, ofWord (ten k)), ofWord w)
        end
    in
      case (groups, radix) of
        ([], _) => ofWord w
      | (_, StringCvt.BIN) => byBits 1
      | (_, StringCvt.OCT) => byBits 3
      | (_, StringCvt.DEC) => byPowers ()
      | (_, StringCvt.HEX) => byBits 4
    end
end
