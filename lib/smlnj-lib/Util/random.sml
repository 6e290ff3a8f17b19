(* Rand: the multiplicative generator of Park and Miller with the multiplier 48271 (CACM 36, 1993), modulo 2^31 - 1.
   Random: the Mersenne Twister of Nishimura and Matsumoto, 64 bits (MT19937-64). *)

signature RAND =
sig
  type rand = Word.word
  (* The state, randMin to randMax. *)

  val randMin : rand
  (* The least state. *)
  val randMax : rand
  (* The largest state. *)
  val random : rand -> rand
  (* The next state, which is also the random number. *)
  val mkRandom : rand -> unit -> rand
  (* A function that gives the next random number at each call, from this state on. *)
  val norm : rand -> real
  (* Between 0 and 1, both excluded. *)
  val range : (int * int) -> rand -> int
  (* To the numbers lo to hi; raises Fail if hi < lo. A range of more numbers than there are states is covered by
     numbers that are scattered over all of it. *)
end

structure Rand : RAND =
struct
  type rand = Word.word

  val modulus = 0w2147483647
  val randMin = 0w1
  val randMax = modulus - 0w1

  (* The product has less than 48 bits. A seed that the modulus divides would stay 0. *)
  fun random 0w0 = random randMin
    | random seed =
        (case Word.mod (seed, modulus) of
           0w0 => random randMax
         | seed => Word.mod (seed * 0w48271, modulus))

  fun mkRandom seed =
    let val state = ref seed in fn () => (state := random (!state); !state) end

  fun norm r = real (Word.toInt r) / real (Word.toInt modulus)

  (* To any word: each state to another one (the last steps of SplitMix64). *)
  fun scattered r =
    let
      fun mix (w, k, factor) = Word.xorb (w, Word.>> (w, k)) * factor
      val w = mix (mix (r, 0w30, 0wxBF58476D1CE4E5B9), 0w27, 0wx94D049BB133111EB)
    in
      Word.xorb (w, Word.>> (w, 0w31))
    end
  (* To a word less than n. One in the last, incomplete part of all words stands for that of the next state. *)
  fun below n r =
    let
      val w = scattered r
    in
      if w <= Word.notb (Word.mod (Word.~ n, n)) then Word.mod (w, n) else below n (random r)
    end

  (* 0w0 are 2^64 numbers. *)
  fun range (lo, hi) =
    if hi < lo then LibBase.failure {module = "Rand", func = "range", msg = "hi < lo"}
    else
      let
        val n = Word.fromInt hi - Word.fromInt lo + 0w1
        fun from w = Word.toIntX (Word.fromInt lo + w)
      in
        if n = 0w0 then from o scattered
        else if n <= randMax then fn r => from (Word.mod (r, n))
        else from o below n
      end
end

signature RANDOM =
sig
  type rand
  (* A generator; its state changes with each number. *)

  val rand : (int * int) -> rand
  (* From two seeds. *)
  val fromList : Word64.word list -> rand
  (* From any number of seeds. *)
  val toBytes : rand -> Word8Vector.vector
  (* The generator's state, as bytes. *)
  val fromBytes : Word8Vector.vector -> rand
  (* The generator with that state. Raises Fail for what is no state. *)
  val toString : rand -> string
  (* The generator's state, as a text. *)
  val fromString : string -> rand
  (* The generator with that state. Raises Fail for what is no state. *)

  val randNativeInt : rand -> Int64.int
  (* 0 to 2^63 - 1 *)
  val randNativeWord : rand -> Word64.word
  (* Any word of 64 bits. *)
  val randInt : rand -> int
  (* Any int. *)
  val randWord : rand -> word
  (* Any word. *)
  val randNat : rand -> int
  (* Any that is not negative. *)
  val randReal : rand -> real
  (* 0 <= r < 1 *)
  val randRange : (int * int) -> rand -> int
  (* lo to hi, both included; raises Fail if hi < lo. *)
end

structure Random :> RANDOM =
struct
  structure W = Word64

  val length = 312
  val shift = 156

  (* The words, and how many of them were used. *)
  type rand = {state : W.word array, used : int ref}

  fun bad (func, msg) = LibBase.failure {module = "Random", func = func, msg = msg}

  (* x xor (x >> 62) spreads the highest bits. *)
  fun mix x = W.xorb (x, W.>> (x, 0w62))

  fun fromSeed seed =
    let
      val state = Array.array (length, seed)
      fun fill i =
        if i = length then ()
        else
          (Array.update
             (state, i, 0w6364136223846793005 * mix (Array.sub (state, i - 1)) + W.fromInt i);
           fill (i + 1))
    in
      fill 1;
      {state = state, used = ref length}
    end

  fun fromList seeds =
    let
      val key = Vector.fromList seeds
      val rand as {state, ...} = fromSeed 0w19650218
      fun at i = Array.sub (state, i)
      (* The place behind i: the last word is also the one before the first. *)
      fun next i = if i + 1 < length then i + 1 else (Array.update (state, 0, at (length - 1)); 1)
      fun absorb (_, 0, i) = i
        | absorb (j, n, i) =
            (Array.update (state,
                           i,
                           W.xorb (at i, mix (at (i - 1)) * 0w3935559000370003845)
                           + Vector.sub (key, j)
                           + W.fromInt j);
             absorb (if j + 1 = Vector.length key then 0 else j + 1, n - 1, next i))
      fun stir (0, _) = ()
        | stir (n, i) =
            (Array.update
               (state, i, W.xorb (at i, mix (at (i - 1)) * 0w2862933555777941757) - W.fromInt i);
             stir (n - 1, next i))
    in
      stir
        (length - 1, if null seeds then 1 else absorb (0, Int.max (length, Vector.length key), 1));
      Array.update (state, 0, W.<< (0w1, 0w63));
      rand
    end

  fun rand (a, b) = fromList [W.fromInt a, W.fromInt b]

  (* These do not look at the length of the state: it is `length` always, and the indices below are less. *)
  val unsafeSub = PrimArrays'.array_sub_unsafe : W.word array * int -> W.word
  val unsafeUpdate = PrimArrays'.array_update_unsafe : W.word array * int * W.word -> unit

  (* A new round of all the words, in the places of the old ones. *)
  fun twist ({state, used} : rand) =
    let
      val () = PrimFunctions'.noinline ()
      fun at i = unsafeSub (state, i)
      (* By the highest bits of one word and the lower ones of the next. Which way the last bit goes is chance, so a branch
         would be guessed wrong half of the time. *)
      fun twisted (this, next) =
        let
          val x = W.orb (W.andb (this, 0wxFFFFFFFF80000000), W.andb (next, 0wx7FFFFFFF))
        in
          W.xorb (W.>> (x, 0w1), W.andb (W.~ (W.andb (x, 0w1)), 0wxB5026F5AA96619E9))
        end
      (* From word i on, which is `this`, up to the one at stop, which it returns. *)
      fun words (i, stop, far, this) =
        if i = stop then this
        else
          let
            val next = at (i + 1)
          in
            unsafeUpdate (state, i, W.xorb (at (i + far), twisted (this, next)));
            words (i + 1, stop, far, next)
          end
      val last = length - 1
      val this = words (0, length - shift, shift, at 0)
      val this = words (length - shift, last, shift - length, this)
    in
      unsafeUpdate (state, last, W.xorb (at (shift - 1), twisted (this, at 0)));
      used := 0
    end

  fun randNativeWord (r as {state, used} : rand) =
    let
      (* looked at once: threads that share the generator get numbers, if the same ones *)
      val i = !used
    in
      if i >= length then (twist r; randNativeWord r)
      else
        let
          val () = used := i + 1
          val x = unsafeSub (state, i)
          val x = W.xorb (x, W.andb (W.>> (x, 0w29), 0wx5555555555555555))
          val x = W.xorb (x, W.andb (W.<< (x, 0w17), 0wx71D67FFFEDA60000))
          val x = W.xorb (x, W.andb (W.<< (x, 0w37), 0wxFFF7EEE000000000))
        in
          W.xorb (x, W.>> (x, 0w43))
        end
    end

  fun randWord r = Word.fromLarge (W.toLarge (randNativeWord r))
  fun randInt r = Word.toIntX (randWord r)
  fun randNat r = Word.toIntX (Word.>> (randWord r, 0w1))
  fun randNativeInt r = Int64.fromLarge (W.toLargeInt (W.>> (randNativeWord r, 0w1)))
  (* 53 bits are a double's, and a product with a power of two is exact. *)
  val unit = 1.0 / 9007199254740992.0
  fun randReal r = unit * Real.fromInt (W.toIntX (W.>> (randNativeWord r, 0w11)))

  (* One of the n numbers from lo on; n = 0 stands for 2^64. Numbers of the last, incomplete part of the range are drawn
     again. *)
  fun within (lo, n, r) =
    let
      val w = randNativeWord r
    in
      if n = 0w0 then W.toIntX (lo + w)
      else if w <= W.~ n orelse w <= W.~ 0w1 - W.mod (W.~ n, n) then W.toIntX (lo + W.mod (w, n))
      else within (lo, n, r)
    end

  fun isEmpty () = bad ("randRange", "hi < lo")

  (* An empty range raises before there is a generator. This is so small that it is put where it is called: then no
     closure is made for each number. *)
  fun randRange (lo, hi) =
    (if hi < lo then isEmpty () else ();
     fn r => within (W.fromInt lo, W.fromInt hi - W.fromInt lo + 0w1, r))

  (* A tag, the number of used words, the words; the lowest byte first. *)
  val tag = Byte.stringToBytes "MT64"
  val size = 4 + 2 + 8 * length

  fun toBytes ({state, used} : rand) =
    let
      fun byteOf (w, i) = Word8.fromLarge (W.toLarge (W.>> (w, Word.fromInt (8 * i))))
      fun byte i =
        if i < 4 then Word8Vector.sub (tag, i)
        else if i < 6 then byteOf (W.fromInt (!used), i - 4)
        else byteOf (Array.sub (state, (i - 6) div 8), (i - 6) mod 8)
    in
      Word8Vector.tabulate (size, byte)
    end

  fun fromBytes bytes =
    let
      fun number (from, n) =
        let
          fun add (i, w) =
            if i < 0 then w
            else
              add (i - 1,
                   W.orb (W.<< (w, 0w8),
                          W.fromLarge (Word8.toLarge (Word8Vector.sub (bytes, from + i)))))
        in
          add (n - 1, 0w0)
        end
    in
      if Word8Vector.length bytes <> size then bad ("fromBytes", "wrong number of bytes")
      else if Word8VectorSlice.vector (Word8VectorSlice.slice (bytes, 0, SOME 4)) <> tag then
        bad ("fromBytes", "invalid tag")
      else if number (4, 2) > W.fromInt length then bad ("fromBytes", "invalid index")
      else
        {used = ref (W.toInt (number (4, 2))),
         state = Array.tabulate (length, fn i => number (6 + 8 * i, 8))}
    end

  val toString = Base64.encode o toBytes
  fun fromString s =
    fromBytes
      (Base64.decode s
       handle Base64.Incomplete => bad ("fromString", "incomplete string")
            | Base64.Invalid _ => bad ("fromString", "invalid string"))
end
