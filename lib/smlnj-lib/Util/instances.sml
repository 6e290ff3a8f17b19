(* The ready-made maps and sets of ints, words and atoms, under all the names that programs use. *)

structure IntRedBlackMap = RedBlackMapFn (struct type ord_key = int val compare = Int.compare end)
structure IntBinaryMap = IntRedBlackMap
structure IntListMap = IntRedBlackMap

structure IntRedBlackSet = RedBlackSetFn (struct type ord_key = int val compare = Int.compare end)
structure IntBinarySet = IntRedBlackSet
structure IntListSet = IntRedBlackSet

structure WordRedBlackMap =
  RedBlackMapFn (struct type ord_key = word val compare = Word.compare end)
structure WordRedBlackSet =
  RedBlackSetFn (struct type ord_key = word val compare = Word.compare end)

structure AtomRedBlackMap =
  RedBlackMapFn (struct type ord_key = Atom.atom val compare = Atom.compare end)
structure AtomBinaryMap = AtomRedBlackMap
structure AtomMap = AtomRedBlackMap

structure AtomRedBlackSet =
  RedBlackSetFn (struct type ord_key = Atom.atom val compare = Atom.compare end)
structure AtomBinarySet = AtomRedBlackSet
structure AtomSet = AtomRedBlackSet
