(* Real32: reals of 32 bits. They are kept as reals of 64 bits and rounded after each operation, which gives the right
   result for + - * / and sqrt, because 53 bits are more than twice 24. *)

structure Real32 :> REAL where type real = real32 =
struct
  local
    val single = PrimReals'.real_to_single
    val bits32 = PrimReals'.real_to_bits32
    val ofBits32 = PrimReals'.real_of_bits32
    val toI = PrimWords'.bits : word -> int
    val toW = PrimWords'.bits : int -> word
    val widen = PrimArrays'.cast : real32 -> Real.real
    val keep = PrimArrays'.cast : Real.real -> real32
    structure R = Real
    val round' = keep o single
    fun lift f x = round' (f (widen x))
    fun lift2 f (x, y) = round' (f (widen x, widen y))
    fun of1 f x = f (widen x)
    fun of2 f (x, y) = f (widen x, widen y)
  in
    type real = real32
    structure Math =
    struct
      type real = real32
      structure M = Math
      val pi = round' M.pi
      val e = round' M.e
      val sqrt = lift M.sqrt
      val sin = lift M.sin
      val cos = lift M.cos
      val tan = lift M.tan
      val asin = lift M.asin
      val acos = lift M.acos
      val atan = lift M.atan
      val atan2 = lift2 M.atan2
      val exp = lift M.exp
      val pow = lift2 M.pow
      val ln = lift M.ln
      val log10 = lift M.log10
      val sinh = lift M.sinh
      val cosh = lift M.cosh
      val tanh = lift M.tanh
    end

    val radix = 2
    val precision = 24
    val maxFinite = keep (ofBits32 0wx7F7FFFFF)
    val minPos = keep (ofBits32 0wx1)
    val minNormalPos = keep (ofBits32 0wx800000)
    val posInf = keep R.posInf
    val negInf = keep R.negInf
    val op + = lift2 R.+
    val op - = lift2 R.-
    val op * = lift2 R.*
    val op / = lift2 R./
    val rem = lift2 R.rem
    fun *+ (a, b, c) = round' (R.+ (R.* (widen a, widen b), widen c))
    fun *- (a, b, c) = round' (R.- (R.* (widen a, widen b), widen c))
    val ~ = lift R.~
    val abs = lift R.abs
    val min = lift2 R.min
    val max = lift2 R.max
    val sign = of1 R.sign
    val signBit = of1 R.signBit
    val sameSign = of2 R.sameSign
    val copySign = lift2 R.copySign
    val compare = of2 R.compare
    val compareReal = of2 R.compareReal
    val op < = of2 R.<
    val op <= = of2 R.<=
    val op > = of2 R.>
    val op >= = of2 R.>=
    val == = of2 R.==
    val != = of2 R.!=
    val ?= = of2 R.?=
    val unordered = of2 R.unordered
    val isFinite = of1 R.isFinite
    val isNan = of1 R.isNan
    fun isNormal x = R.isFinite (widen x) andalso R.>= (R.abs (widen x), widen minNormalPos)
    fun class x =
      case R.class (widen x) of
        IEEEReal.NORMAL => if isNormal x then IEEEReal.NORMAL else IEEEReal.SUBNORMAL
      | c => c
    fun toManExp x = let val {man, exp} = R.toManExp (widen x) in {man = keep man, exp = exp} end
    fun fromManExp {man, exp} = round' (R.fromManExp {man = widen man, exp = exp})
    fun split x =
      let val {whole, frac} = R.split (widen x) in {whole = keep whole, frac = keep frac} end
    val realMod = lift R.realMod
    (* beside an infinity, too, there is a number *)
    fun beside (x, y) =
      if isNan x then x
      else if isNan y then y
      else if == (x, y) then x
      else if == (x, keep 0.0) then copySign (minPos, y)
      else if not (isFinite x) then copySign (maxFinite, x)
      else
        keep (ofBits32
                (toW (Int.+ (toI (bits32 (widen x)), if (x < y) = (x > keep 0.0) then 1 else ~1))))
    fun nextAfter (x, y) =
      if isFinite x orelse isNan x orelse isNan y then beside (x, y) else x
    val checkFloat = lift R.checkFloat
    val realFloor = lift R.realFloor
    val realCeil = lift R.realCeil
    val realTrunc = lift R.realTrunc
    val realRound = lift R.realRound
    val floor = of1 R.floor
    val ceil = of1 R.ceil
    val trunc = of1 R.trunc
    val round = of1 R.round
    fun toInt mode = of1 (R.toInt mode)
    fun toLargeInt mode = of1 (R.toLargeInt mode)
    (* A number of more than 53 bits is rounded once, too: the last of the leading 53 is set when any behind them is. *)
    fun fromLargeInt i =
      let
        val size = IntInf.abs i
      in
        if IntInf.< (size, IntInf.<< (IntInf.fromInt 1, 0w53)) then round' (R.fromLargeInt i)
        else
          let
            val shift = Int.- (IntInf.log2 size, 52)
            val count = Word.fromInt shift
            val top = IntInf.~>> (size, count)
            val isLost = IntInf.<< (top, count) <> size
            val top = if isLost then IntInf.orb (top, IntInf.fromInt 1) else top
            val r = R.fromManExp {man = R.fromLargeInt top, exp = shift}
          in
            round' (if Int.< (IntInf.sign i, 0) then R.~ r else r)
          end
      end
    fun fromInt i =
      if Int.< (Int.abs (Int.quot (i, 2)), 4503599627370496) then round' (R.fromInt i)
      else fromLargeInt (Int.toLarge i)
    val toLarge = widen
    (* The nearest of two neighbours, between which the number lies: r, and the one beyond the number. The mode that is
       set does not matter, since the distances are exact. What would come behind maxFinite stands for infinity. *)
    fun nearest (r, x) =
      if R.== (widen r, x) orelse not (R.isFinite x) then r
      else
        let
          val (low, high) =
            if R.< (widen r, x) then (r, beside (r, posInf)) else (beside (r, negInf), r)
          fun wide r =
            if isFinite r then widen r
            else R.copySign (340282366920938463463374607431768211456.0, widen r)
        in
          case R.compare (R.- (x, wide low), R.- (wide high, x)) of
            LESS => low
          | GREATER => high
          | EQUAL => if Int.rem (toI (bits32 (widen low)), 2) = 0 then low else high
        end
    fun fromLarge mode x =
      let
        val r = round' x
        val back = widen r
      in
        case mode of
          IEEEReal.TO_NEAREST => nearest (r, x)
        | IEEEReal.TO_NEGINF => if R.> (back, x) then beside (r, negInf) else r
        | IEEEReal.TO_POSINF => if R.< (back, x) then beside (r, posInf) else r
        | IEEEReal.TO_ZERO =>
            if R.> (R.abs back, R.abs x) then beside (r, keep 0.0) else r
      end
    (* With as few digits as tell the number from all others of 32 bits. *)
    fun exact x = PrimReals'.real_fmt (widen x, 6, 0)
    (* a style that is none raises Size when it is given, as in Real *)
    fun fmt style =
      let
        val f = R.fmt style
      in
        case style of
          StringCvt.EXACT => exact
        | _ => (fn x => f (widen x))
      end
    fun toString x = R.toString (widen x)
    val parse = PrimReals'.single_of_string
    fun scan getc src =
      case RealText'.scan parse getc src of
        SOME (x, src) => SOME (keep x, src)
      | NONE => NONE
    fun fromString s = Option.map keep (RealText'.fromString parse s)
    fun toDecimal x =
      RealText'.toDecimal {class = class x, sign = signBit x, exact = fn () => exact (abs x)}
    fun fromDecimal d = Option.map keep (RealText'.fromDecimal parse d)
  end
end

structure Real32Vector = MonoVector' (type elem = Real32.real)
structure Real32VectorSlice = MonoVectorSlice' (type elem = Real32.real)
structure Real32Array = MonoArray' (type elem = Real32.real)
structure Real32ArraySlice = MonoArraySlice' (type elem = Real32.real)
structure Real32Array2 = MonoArray2' (type elem = Real32.real)
