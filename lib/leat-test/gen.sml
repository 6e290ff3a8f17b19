(* Gen: generators of random values, each with the smaller values that a counterexample is shrunk to.

   After Hedgehog: a generator makes a tree, whose root is the value and whose children are simpler ones, lazily. So whatever
   is made by `map` and `bind` shrinks too, and only to values that the generator could have made. *)

signature GEN =
sig
  type 'a gen

  (* -- numbers: smaller ones are nearer to 0, or to the end of the range that is nearest to it *)

  (* ~size to size; the size grows from 0 to 100 while a property is tried *)
  val int : int gen
  (* 0 to size *)
  val nat : int gen
  (* both ends included; raises Domain when there is nothing between them *)
  val range : int * int -> int gen
  (* any that there is: the smallest, the largest, 0, and all magnitudes are likely *)
  val anyInt : int gen
  (* Words; they shrink to 0w0. *)
  val word : word gen
  (* Reals, which shrink to simpler ones. *)
  val real : real gen

  (* true or false; true shrinks to false. *)
  val bool : bool gen
  (* printable ASCII, letters first when it shrinks *)
  val char : char gen
  (* any of the 256 *)
  val anyChar : char gen
  (* Printable texts, of size characters at most. *)
  val string : string gen
  (* Texts of these characters, of size at most. *)
  val stringOf : char gen -> string gen

  (* -- of others *)

  (* Lists of these, with up to size elements. They shrink by fewer elements and by smaller ones. *)
  val list : 'a gen -> 'a list gen
  (* with a length between these two *)
  val listOf : int * int -> 'a gen -> 'a list gen
  (* As `list`, as a vector. *)
  val vector : 'a gen -> 'a vector gen
  (* NONE, or SOME of these. *)
  val option : 'a gen -> 'a option gen
  (* One of each; each part shrinks by itself. *)
  val pair : 'a gen * 'b gen -> ('a * 'b) gen
  (* One of each of the three. *)
  val triple : 'a gen * 'b gen * 'c gen -> ('a * 'b * 'c) gen

  (* -- building more *)

  (* Always this value. *)
  val const : 'a -> 'a gen
  (* one of these values; they shrink to the first. Raises Empty *)
  val elements : 'a list -> 'a gen
  (* one of these generators; shrinks to the first. Raises Empty *)
  val oneOf : 'a gen list -> 'a gen
  (* each as often as its weight says; raises Domain when the weights' sum is not positive *)
  val frequency : (int * 'a gen) list -> 'a gen
  (* The function of a value; it shrinks as that value does. *)
  val map : ('a -> 'b) -> 'a gen -> 'b gen
  (* A value of the generator that the function makes of the first one's value. *)
  val bind : 'a gen -> ('a -> 'b gen) -> 'b gen
  (* only values for which it holds; raises Fail when 1000 in a row are not of that kind *)
  val suchThat : ('a -> bool) -> 'a gen -> 'a gen
  (* Values that have parts of their own kind, as expressions and trees have: a leaf, or a node made from the generator of
     its parts. Parts are of half the size, and a value shrinks to any part of it. Raises Empty without leaves
       val exp = Gen.recursive
         {leaves = [Gen.map Num Gen.int],
          nodes = fn exp => [Gen.map Neg exp, Gen.map Add (Gen.pair (exp, exp))]} *)
  val recursive : {leaves : 'a gen list, nodes : 'a gen -> 'a gen list} -> 'a gen
  (* The generator that the function makes of the current size. *)
  val sized : (int -> 'a gen) -> 'a gen
  (* The generator, at this size whatever the current one is. *)
  val resize : int -> 'a gen -> 'a gen
  (* without smaller values *)
  val noShrink : 'a gen -> 'a gen

  (* -- using them *)

  (* Among the children of a node, More stands for those that are made when the ones before it have been tried. No root
     is More. *)
  datatype 'a tree =
      Tree of 'a * (unit -> 'a tree list)
    | More of unit -> 'a tree list

  (* the same tree for the same size and seed, on every machine *)
  val generate : 'a gen -> {size : int, seed : Word64.word} -> 'a tree
  (* The value at the root of such a tree: without what it shrinks to. *)
  val sample : 'a gen -> {size : int, seed : Word64.word} -> 'a
end

structure Gen :> GEN =
struct
  datatype 'a tree =
      Tree of 'a * (unit -> 'a tree list)
    | More of unit -> 'a tree list

  (* A tree's value and children. *)
  fun parts (Tree (x, smaller)) = (x, smaller)
    | parts (More _) = raise Fail "Gen: More is no root"
  fun root tree = #1 (parts tree)
  (* Children that are not made yet are not made by this, either. *)
  fun mapChildren f =
    map (fn More rest => More (fn () => mapChildren f (rest ())) | tree => f tree)
  fun mapTree f tree =
    let
      val (x, smaller) = parts tree
    in
      Tree (f x, fn () => mapChildren (mapTree f) (smaller ()))
    end

  (* SplitMix (Steele, Lea and Flood, OOPSLA 2014), with the one increment that java.util.SplittableRandom begins with: what
     is split off begins elsewhere in the same sequence of 2^64 states. *)
  structure Rng =
  struct
    type rng = Word64.word

    val increment : Word64.word = 0wx9e3779b97f4a7c15

    fun mix (z : Word64.word) =
      let
        val z = Word64.xorb (z, Word64.>> (z, 0w30)) * 0wxbf58476d1ce4e5b9
        val z = Word64.xorb (z, Word64.>> (z, 0w27)) * 0wx94d049bb133111eb
      in
        Word64.xorb (z, Word64.>> (z, 0w31))
      end

    fun next rng = let val rng = rng + increment in (mix rng, rng) end
    fun split rng =
      let
        val (a, rng) = next rng
        val (b, _) = next rng
      in
        (Word64.xorb (a, 0wx5851f42d4c957f2d), b)
      end

    (* below n, n > 0; the bias is below n / 2^64 *)
    fun below (rng, n : Word64.word) = Word64.mod (#1 (next rng), n)
  end

  (* size and source of randomness -> tree *)
  type 'a gen = int * Rng.rng -> 'a tree

  fun generate g {size, seed} = g (size, Rng.mix seed)
  fun sample g at = root (generate g at)

  fun const x _ = Tree (x, fn () => [])
  fun map' f g at = mapTree f (g at)

  fun bind g f (size, rng) =
    let
      val (first, second) = Rng.split rng
      (* The second value is made anew for each smaller first one, from the same randomness. *)
      fun join tree =
        let
          val (x, smaller) = parts tree
          val (y, smallerY) = parts (f x (size, second))
        in
          Tree (y, fn () => mapChildren join (smaller ()) @ smallerY ())
        end
    in
      join (g (size, first))
    end

  fun sized f (size, rng) = f size (size, rng)
  fun resize n g (_, rng) = g (Int.max (0, n), rng)
  fun noShrink g at = const (root (g at)) at

  (* -- numbers *)

  (* Half of the way to the origin, then a quarter of it left, and so on: x - d/1, x - d/2, x - d/4 ... *)
  fun towards origin x =
    let
      fun go 0 = []
        | go d = (x - d) :: go (Int.quot (d, 2))
      val d = x - origin handle Overflow => Int.quot (x, 2)
    in
      go d
    end

  fun numberTree origin x = Tree (x, fn () => map (numberTree origin) (towards origin x))

  fun between (lo, hi) rng =
    let
      val width = Word64.fromInt hi - Word64.fromInt lo + 0w1
      val offset = if width = 0w0 then #1 (Rng.next rng) else Rng.below (rng, width)
    in
      Word64.toIntX (Word64.fromInt lo + offset)
    end

  fun range (lo, hi) =
    if lo > hi then raise Domain
    else
      let
        val origin = if lo > 0 then lo else if hi < 0 then hi else 0
      in
        fn (_, rng) => numberTree origin (between (lo, hi) rng)
      end

  val int = fn (size, rng) => range (~size, size) (size, rng)
  val nat = fn (size, rng) => range (0, size) (size, rng)
  val bool = map' (fn n => n = 1) (range (0, 1))

  (* -- choices *)

  fun elements [] = raise Empty
    | elements xs =
        let
          val v = Vector.fromList xs
        in
          map' (fn i => Vector.sub (v, i)) (range (0, Vector.length v - 1))
        end

  fun oneOf [] = raise Empty
    | oneOf gens =
        let
          val v = Vector.fromList gens
        in
          bind (range (0, Vector.length v - 1)) (fn i => Vector.sub (v, i))
        end

  fun frequency weighted =
    let
      val sum = List.foldl (fn ((n, _), sum) => Int.max (0, n) + sum) 0 weighted
      fun pick (_, []) = raise Domain
        | pick (k, (n, g) :: rest) = if k < n then g else pick (k - Int.max (0, n), rest)
    in
      if sum <= 0 then raise Domain else bind (range (0, sum - 1)) (fn k => pick (k, weighted))
    end

  (* A node notes the trees of its parts while it is made: they are what it shrinks to first. *)
  fun recursive {leaves, nodes} =
    let
      val leaf = oneOf leaves
      fun made (size, rng) =
        if size <= 1 then leaf (size, rng)
        else
          let
            val inner = ref []
            fun part (size, rng) =
              let
                val tree = made (size div 2, rng)
              in
                inner := tree :: !inner;
                tree
              end
            val (x, smaller) = parts (oneOf (leaf :: nodes part) (size, rng))
            val inner = rev (!inner)
          in
            Tree (x, fn () => inner @ smaller ())
          end
    in
      made
    end

  val (smallest, largest) = (valOf Int.minInt, valOf Int.maxInt)

  val always0 = fn x => fn (_ : int * Rng.rng) => numberTree 0 x

  (* An int of k bits, k being any number up to 62. *)
  val ofAnyMagnitude =
    bind (noShrink (range (1, 62))) (fn k =>
      let val most = Word.toInt (Word.<< (0w1, Word.fromInt k) - 0w1) in range (~most, most) end)

  val anyInt =
    frequency
      [(8, ofAnyMagnitude), (2, int), (1, always0 0), (1, always0 smallest), (1, always0 largest)]
  val word = map' Word.fromInt anyInt

  (* -- several at once: each part shrinks by itself *)

  fun pairTree (a, b) =
    let
      val (x, smallerX) = parts a
      val (y, smallerY) = parts b
    in
      Tree ((x, y),
            fn () =>
              mapChildren (fn a => pairTree (a, b)) (smallerX ())
              @ mapChildren (fn b => pairTree (a, b)) (smallerY ()))
    end

  fun pair (ga, gb) (size, rng) =
    let
      val (first, second) = Rng.split rng
    in
      pairTree (ga (size, first), gb (size, second))
    end

  fun triple (ga, gb, gc) = map' (fn (a, (b, c)) => (a, b, c)) (pair (ga, pair (gb, gc)))

  fun option g = frequency [(1, const NONE), (4, map' SOME g)]

  val real =
    frequency [(4, map' Real.fromInt int),
               (4, map' (fn (a, b) => Real.fromInt a / Real.fromInt (b + 1)) (pair (int, nat))),
               (1, elements [0.0, 1.0, ~1.0, 1.0E~300, 1.0E300, Real.maxFinite, Real.minPos])]

  (* -- lists: first whole runs of elements are left out, the longest first; then single elements shrink *)

  datatype 'a seq = Nil | Cons of 'a * (unit -> 'a seq)

  (* The lists among the children of one node that are made at once have so many elements together, since the first of
     them may do: so a long list takes little memory and time while it shrinks. *)
  val mostElements = 50000

  fun listTree least trees =
    let
      val n = length trees
      val xs = map root trees
      (* without each run of k elements, of half as many, and so on *)
      fun runs 0 = singles ([], trees)
        | runs k =
            let
              fun go (before', rest, left) =
                if left < k then runs (k div 2)
                else
                  let
                    val behind = List.drop (rest, k)
                  in
                    Cons (List.revAppend (before', behind),
                          fn () =>
                            go (List.revAppend (List.take (rest, k), before'), behind, left - k))
                  end
            in
              if n - k < least then runs (k div 2) else go ([], trees, n)
            end
      and singles (_, []) = Nil
        | singles (before', t :: rest) =
            let
              fun each [] = singles (t :: before', rest)
                | each (More children :: others) = each (children () @ others)
                | each (t :: others) =
                    Cons (List.revAppend (before', t :: rest), fn () => each others)
            in
              each (#2 (parts t) ())
            end
      fun children start () =
        let
          fun go (_, Nil) = []
            | go (0, rest) = [More (children (fn () => rest))]
            | go (room, Cons (trees, rest)) = listTree least trees :: go (room - 1, rest ())
        in
          go (Int.max (1, mostElements div Int.max (1, n)), start ())
        end
    in
      Tree (xs, children (fn () => runs n))
    end

  fun listOf (lo, hi) g =
    if lo < 0 orelse lo > hi then raise Domain
    else
      fn (size, rng) =>
        let
          val (first, rng) = Rng.split rng
          fun elements (0, _) = []
            | elements (n, rng) =
                let val (first, rng) = Rng.split rng in g (size, first) :: elements (n - 1, rng) end
        in
          listTree lo (elements (between (lo, hi) first, rng))
        end

  fun list g = sized (fn size => listOf (0, size) g)
  fun vector g = map' Vector.fromList (list g)

  val anyChar = map' Char.chr (range (0, 255))
  val char =
    let
      val printable = List.tabulate (95, fn i => Char.chr (i + 32))
      val (letters, others) = List.partition Char.isLower printable
    in
      elements (letters @ others)
    end
  fun stringOf g = map' String.implode (list g)
  val string = stringOf char

  fun suchThat holds g (size, rng) =
    let
      fun prune tree =
        let
          val (x, smaller) = parts tree
        in
          Tree (x, fn () => kept (smaller ()))
        end
      and kept [] = []
        | kept (More rest :: others) = More (fn () => kept (rest ())) :: kept others
        | kept (tree :: others) =
            if holds (root tree) then prune tree :: kept others else kept others
      fun try (0, _) = raise Fail "Gen.suchThat: none of 1000 values is of the kind"
        | try (n, rng) =
            let
              val (first, rng) = Rng.split rng
              val tree = g (size, first)
            in
              if holds (root tree) then prune tree else try (n - 1, rng)
            end
    in
      try (1000, rng)
    end

  val map = map'
end
