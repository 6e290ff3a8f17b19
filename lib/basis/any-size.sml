(* Int1 to Int31 and Word1 to Word31: integers and words of the sizes between those that the machine has.
   Constants and operators are overloaded at them (the front end knows them by their names). *)

functor AnyInt' (val bits : int) :> INTEGER =
struct
  local
    val ofWord = PrimWords'.bits : word -> int
    val toWord = PrimWords'.bits : int -> word
    val unused = Word.fromInt (64 - bits)
    structure I =
      SizedInt' (type int = int
                 val bits = bits
                 fun widen i = i
                 fun narrow i = ofWord (Word.~>> (Word.<< (toWord i, unused), unused)))
  in
    open I
  end
end

functor AnyWord' (val bits : int) :> WORD =
struct
  local
    val unused = Word.fromInt (64 - bits)
    fun high w = Word.<< (w, unused)
    structure W =
      SizedWord' (type word = word
                  val bits = bits
                  fun widen w = w
                  fun widenX w = Word.~>> (high w, unused)
                  fun narrow w = Word.>> (high w, unused))
  in
    open W
  end
end

structure Int1 = AnyInt' (val bits = 1)
structure Int2 = AnyInt' (val bits = 2)
structure Int3 = AnyInt' (val bits = 3)
structure Int4 = AnyInt' (val bits = 4)
structure Int5 = AnyInt' (val bits = 5)
structure Int6 = AnyInt' (val bits = 6)
structure Int7 = AnyInt' (val bits = 7)
structure Int9 = AnyInt' (val bits = 9)
structure Int10 = AnyInt' (val bits = 10)
structure Int11 = AnyInt' (val bits = 11)
structure Int12 = AnyInt' (val bits = 12)
structure Int13 = AnyInt' (val bits = 13)
structure Int14 = AnyInt' (val bits = 14)
structure Int15 = AnyInt' (val bits = 15)
structure Int17 = AnyInt' (val bits = 17)
structure Int18 = AnyInt' (val bits = 18)
structure Int19 = AnyInt' (val bits = 19)
structure Int20 = AnyInt' (val bits = 20)
structure Int21 = AnyInt' (val bits = 21)
structure Int22 = AnyInt' (val bits = 22)
structure Int23 = AnyInt' (val bits = 23)
structure Int24 = AnyInt' (val bits = 24)
structure Int25 = AnyInt' (val bits = 25)
structure Int26 = AnyInt' (val bits = 26)
structure Int27 = AnyInt' (val bits = 27)
structure Int28 = AnyInt' (val bits = 28)
structure Int29 = AnyInt' (val bits = 29)
structure Int30 = AnyInt' (val bits = 30)
structure Int31 = AnyInt' (val bits = 31)
structure Word1 = AnyWord' (val bits = 1)
structure Word2 = AnyWord' (val bits = 2)
structure Word3 = AnyWord' (val bits = 3)
structure Word4 = AnyWord' (val bits = 4)
structure Word5 = AnyWord' (val bits = 5)
structure Word6 = AnyWord' (val bits = 6)
structure Word7 = AnyWord' (val bits = 7)
structure Word9 = AnyWord' (val bits = 9)
structure Word10 = AnyWord' (val bits = 10)
structure Word11 = AnyWord' (val bits = 11)
structure Word12 = AnyWord' (val bits = 12)
structure Word13 = AnyWord' (val bits = 13)
structure Word14 = AnyWord' (val bits = 14)
structure Word15 = AnyWord' (val bits = 15)
structure Word17 = AnyWord' (val bits = 17)
structure Word18 = AnyWord' (val bits = 18)
structure Word19 = AnyWord' (val bits = 19)
structure Word20 = AnyWord' (val bits = 20)
structure Word21 = AnyWord' (val bits = 21)
structure Word22 = AnyWord' (val bits = 22)
structure Word23 = AnyWord' (val bits = 23)
structure Word24 = AnyWord' (val bits = 24)
structure Word25 = AnyWord' (val bits = 25)
structure Word26 = AnyWord' (val bits = 26)
structure Word27 = AnyWord' (val bits = 27)
structure Word28 = AnyWord' (val bits = 28)
structure Word29 = AnyWord' (val bits = 29)
structure Word30 = AnyWord' (val bits = 30)
structure Word31 = AnyWord' (val bits = 31)
