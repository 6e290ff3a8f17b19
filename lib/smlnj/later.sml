(* What SML/NJ has added to lists, vectors, arrays, options and strings (proposal 2015-003 for the Basis Library).
   Programs see it where they name $/basis.cm: elsewhere `open List` and structures that match LIST stay as specified. *)

structure List =
struct
  open List

  (* The elements that a function takes out of a state: by unfoldl the first one that it gives stands first, by unfoldr
     last. So `unfoldl List.getItem l` is l. *)
  fun unfoldr next s =
    let
      fun go (s, l) = case next s of SOME (x, s) => go (s, x :: l) | NONE => l
    in
      go (s, [])
    end
  fun unfoldl next s = List.rev (unfoldr next s)
  (* the second is the result for no element *)
  fun reduce _ z [] = z
    | reduce f _ (x :: l) = List.foldl f x l

  (* with the elements' places *)
  fun foldli f z l = #2 (List.foldl (fn (x, (i, z)) => (i + 1, f (i, x, z))) (0, z) l)
  fun foldri f z l =
    #2 (List.foldr (fn (x, (i, z)) => (i - 1, f (i, x, z))) (List.length l - 1, z) l)
  fun appi f = foldli (fn (i, x, ()) => f (i, x)) ()
  fun revMapi f = foldli (fn (i, x, l) => f (i, x) :: l) []
  fun mapi f l = List.rev (revMapi f l)
  fun revMapPartiali f = foldli (fn (i, x, l) => case f (i, x) of SOME y => y :: l | NONE => l) []
  fun mapPartiali f l = List.rev (revMapPartiali f l)
  fun findi f l =
    let
      fun go (_, []) = NONE
        | go (i, x :: l) = if f (i, x) then SOME (i, x) else go (i + 1, l)
    in
      go (0, l)
    end
  (* the result is the other way round *)
  fun revMap f = List.foldl (fn (x, l) => f x :: l) []
  fun revMapPartial f = List.foldl (fn (x, l) => case f x of SOME y => y :: l | NONE => l) []
  fun concatMap f l = List.concat (List.map f l)
  fun concatMapi f l = List.concat (mapi f l)
  (* folds what a function makes of the elements *)
  fun foldMapl f g = List.foldl (fn (x, z) => f (g x, z))
  fun foldMapr f g = List.foldr (fn (x, z) => f (g x, z))
  (* these raise Subscript *)
  fun splitAt (l, i) = (List.take (l, i), List.drop (l, i))
  fun update (l, i, x) =
    case splitAt (l, i) of
      (front, _ :: back) => List.revAppend (List.rev front, x :: back)
    | _ => raise Subscript
  val sub = List.nth
end

structure ListPair =
struct
  open ListPair

  (* Folds from the first pair on with the pairs' places; what is done when one list is longer. *)
  local
    fun fold unequal f =
      let
        fun go (i, z, x :: xs, y :: ys) = go (i + 1, f (i, x, y, z), xs, ys)
          | go (_, z, [], []) = z
          | go (_, z, _, _) = unequal z
      in
        fn z => fn (xs, ys) => go (0, z, xs, ys)
      end
    fun stop z = z
    fun fail _ = raise UnequalLengths
    fun keep f (i, x, y, l) = case f (i, x, y) of SOME z => z :: l | NONE => l
    (* pairs, the last first; places from the last on *)
    fun foldBack pairs f z = List.foldl (fn ((i, x, y), z) => f (i, x, y, z)) z pairs
    fun pairs unequal = fold unequal (fn (i, x, y, l) => (i, x, y) :: l) []
  in
    fun foldli f = fold stop f
    fun foldliEq f = fold fail f
    fun foldri f z l = foldBack (pairs stop l) f z
    fun foldriEq f z l = foldBack (pairs fail l) f z
    fun appi f = fold stop (fn (i, x, y, ()) => f (i, x, y)) ()
    fun appiEq f = fold fail (fn (i, x, y, ()) => f (i, x, y)) ()
    fun mapi f l = List.rev (fold stop (fn (i, x, y, l) => f (i, x, y) :: l) [] l)
    fun mapiEq f l = List.rev (fold fail (fn (i, x, y, l) => f (i, x, y) :: l) [] l)
    fun mapPartiali f l = List.rev (fold stop (keep f) [] l)
    fun mapPartialiEq f l = List.rev (fold fail (keep f) [] l)
    fun mapPartial f = mapPartiali (fn (_, x, y) => f (x, y))
    fun mapPartialEq f = mapPartialiEq (fn (_, x, y) => f (x, y))
  end
  fun unzipMap f l = unzip (List.map f l)
  fun unzipMapi f l = unzip (List.mapi f l)
  fun findi f (xs, ys) =
    let
      fun go (i, x :: xs, y :: ys) = if f (i, x, y) then SOME (i, x, y) else go (i + 1, xs, ys)
        | go _ = NONE
    in
      go (0, xs, ys)
    end
  fun find f l = Option.map (fn (_, x, y) => (x, y)) (findi (fn (_, x, y) => f (x, y)) l)
end

structure Option =
struct
  open Option
  fun isNone (SOME _) = false
    | isNone NONE = true
  fun fold f z (SOME x) = f (x, z)
    | fold _ z NONE = z
end

structure String =
struct
  open String
  fun rev s = String.implode (List.rev (String.explode s))
  fun implodeRev l = String.implode (List.rev l)
  fun concatWithMap between f l = String.concatWith between (List.map f l)
end

structure Vector =
struct
  open Vector
  fun toList v = Vector.foldr op :: [] v
  fun append (v, x) = Vector.concat [v, Vector.fromList [x]]
  fun prepend (x, v) = Vector.concat [Vector.fromList [x], v]
end

structure Array =
struct
  open Array
  fun toList a = Array.foldr op :: [] a
  fun fromVector v = Array.tabulate (Vector.length v, fn i => Vector.sub (v, i))
  val toVector = Array.vector
end

(* bits counted and turned *)
functor WordLater (W : WORD) =
struct
  local
    val size = Word.fromInt W.wordSize
    val zero = W.fromInt 0
    val one = W.fromInt 1
    (* how many bits from one end on are 0, the word being none of zeros; by the shift that brings them to the other end *)
    fun leading (w, n) = if W.~>> (w, size - 0w1) = zero then leading (W.<< (w, 0w1), n + 1) else n
    fun trailing (w, n) = if W.andb (w, one) = zero then trailing (W.>> (w, 0w1), n + 1) else n
  in
    fun rotateL (w, n) =
      let
        val n = Word.mod (n, size)
      in
        if n = 0w0 then w else W.orb (W.<< (w, n), W.>> (w, size - n))
      end
    fun rotateR (w, n) = rotateL (w, size - Word.mod (n, size))
    (* each step takes the last bit that is 1 away *)
    fun countOnes w =
      let
        fun go (w, n) = if w = zero then n else go (W.andb (w, W.- (w, one)), n + 1)
      in
        go (w, 0)
      end
    val popCount = countOnes
    fun countZeros w = W.wordSize - countOnes w
    fun countLeadingZeros w = if w = zero then W.wordSize else leading (w, 0)
    fun countTrailingZeros w = if w = zero then W.wordSize else trailing (w, 0)
    fun countLeadingOnes w = countLeadingZeros (W.notb w)
    fun countTrailingOnes w = countTrailingZeros (W.notb w)
    fun isPowerOf2 w = w <> zero andalso W.andb (w, W.- (w, one)) = zero
    (* the least k with w <= 2^k; raises Domain for 0 *)
    fun ceilLog2 w =
      if w = zero then raise Domain
      else Word.fromInt (W.wordSize - countLeadingZeros (W.- (w, one)))
  end
  open W
end
structure Word = WordLater (Word)
structure Word8 = WordLater (Word8)
structure Word16 = WordLater (Word16)
structure Word32 = WordLater (Word32)
structure Word64 = WordLater (Word64)
structure LargeWord = Word64
structure SysWord = Word64

functor MonoVectorLater (V : MONO_VECTOR) =
struct
  open V
  fun toList v = V.foldr op :: [] v
  fun append (v, x) = V.concat [v, V.fromList [x]]
  fun prepend (x, v) = V.concat [V.fromList [x], v]
end
functor MonoArrayLater
  (structure A : MONO_ARRAY
   structure V : MONO_VECTOR where type vector = A.vector where type elem = A.elem) =
struct
  open A
  fun toList a = A.foldr op :: [] a
  fun fromVector v = A.tabulate (V.length v, fn i => V.sub (v, i))
  val toVector = A.vector
end
structure CharArray = MonoArrayLater (structure A = CharArray structure V = CharVector)
structure CharVector = MonoVectorLater (CharVector)
structure Word8Array = MonoArrayLater (structure A = Word8Array structure V = Word8Vector)
structure Word8Vector = MonoVectorLater (Word8Vector)
structure RealArray = MonoArrayLater (structure A = RealArray structure V = RealVector)
structure RealVector = MonoVectorLater (RealVector)
structure IntArray = MonoArrayLater (structure A = IntArray structure V = IntVector)
structure IntVector = MonoVectorLater (IntVector)
structure WordArray = MonoArrayLater (structure A = WordArray structure V = WordVector)
structure WordVector = MonoVectorLater (WordVector)
structure BoolArray = MonoArrayLater (structure A = BoolArray structure V = BoolVector)
structure BoolVector = MonoVectorLater (BoolVector)
