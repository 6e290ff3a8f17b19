(* The types of C as structures, each with a type `t`, and `C_Pointer`: see c-types.mlb. *)

structure C_Char = struct open Int8 type t = Int8.int end
structure C_SChar = struct open Int8 type t = Int8.int end
structure C_UChar = struct open Word8 type t = Word8.word end
structure C_Short = struct open Int16 type t = Int16.int end
structure C_SShort = struct open Int16 type t = Int16.int end
structure C_UShort = struct open Word16 type t = Word16.word end
structure C_Int = struct open Int32 type t = Int32.int end
structure C_SInt = struct open Int32 type t = Int32.int end
structure C_UInt = struct open Word32 type t = Word32.word end
structure C_Long = struct open Int64 type t = Int64.int end
structure C_SLong = struct open Int64 type t = Int64.int end
structure C_ULong = struct open Word64 type t = Word64.word end
structure C_LongLong = struct open Int64 type t = Int64.int end
structure C_SLongLong = struct open Int64 type t = Int64.int end
structure C_ULongLong = struct open Word64 type t = Word64.word end
structure C_Float = struct open Real32 type t = Real32.real end
structure C_Double = struct open Real64 type t = Real64.real end
structure C_Size = struct open Word64 type t = Word64.word end
structure C_Ptrdiff = struct open Int64 type t = Int64.int end
structure C_Intmax = struct open Int64 type t = Int64.int end
structure C_UIntmax = struct open Word64 type t = Word64.word end
structure C_Intptr = struct open Int64 type t = Int64.int end
structure C_UIntptr = struct open Word64 type t = Word64.word end

(* MLton.Pointer, with places and differences as those of C. *)
structure C_Pointer =
struct
  open MLton.Pointer

  fun fromWord w = add (null, w)
  fun toWord p = diff (p, null)
  fun add (p, n) = MLton.Pointer.add (p, C_Size.fromLargeInt (C_Ptrdiff.toLarge n))
  fun sub (p, n) = MLton.Pointer.sub (p, C_Size.fromLargeInt (C_Ptrdiff.toLarge n))
  fun diff (p, q) = C_Ptrdiff.fromLarge (C_Size.toLargeIntX (MLton.Pointer.diff (p, q)))
  fun isNull p = p = null

  val getC_SChar = getInt8
  val getC_UChar = getWord8
  val getC_SShort = getInt16
  val getC_UShort = getWord16
  val getC_SInt = getInt32
  val getC_UInt = getWord32
  val getC_SLong = getInt64
  val getC_ULong = getWord64
  val getC_SLongLong = getInt64
  val getC_ULongLong = getWord64
  val getC_Float = getReal32
  val getC_Double = getReal64
  val getC_Size = getWord64
  val getC_Ptrdiff = getInt64
  val getC_Intmax = getInt64
  val getC_UIntmax = getWord64
  val getC_Intptr = getInt64
  val getC_UIntptr = getWord64
  val getC_Pointer = getPointer
  val setC_SChar = setInt8
  val setC_UChar = setWord8
  val setC_SShort = setInt16
  val setC_UShort = setWord16
  val setC_SInt = setInt32
  val setC_UInt = setWord32
  val setC_SLong = setInt64
  val setC_ULong = setWord64
  val setC_SLongLong = setInt64
  val setC_ULongLong = setWord64
  val setC_Float = setReal32
  val setC_Double = setReal64
  val setC_Size = setWord64
  val setC_Ptrdiff = setInt64
  val setC_Intmax = setInt64
  val setC_UIntmax = setWord64
  val setC_Intptr = setInt64
  val setC_UIntptr = setWord64
  val setC_Pointer = setPointer
end
