(* The optional vectors, arrays, slices and matrices of one element type. *)

structure BoolVector = MonoVector' (type elem = bool)
structure BoolVectorSlice = MonoVectorSlice' (type elem = bool)
structure BoolArray = MonoArray' (type elem = bool)
structure BoolArraySlice = MonoArraySlice' (type elem = bool)
structure BoolArray2 = MonoArray2' (type elem = bool)
structure IntVector = MonoVector' (type elem = int)
structure IntVectorSlice = MonoVectorSlice' (type elem = int)
structure IntArray = MonoArray' (type elem = int)
structure IntArraySlice = MonoArraySlice' (type elem = int)
structure IntArray2 = MonoArray2' (type elem = int)
structure WordVector = MonoVector' (type elem = word)
structure WordVectorSlice = MonoVectorSlice' (type elem = word)
structure WordArray = MonoArray' (type elem = word)
structure WordArraySlice = MonoArraySlice' (type elem = word)
structure WordArray2 = MonoArray2' (type elem = word)
structure RealVector = MonoVector' (type elem = real)
structure RealVectorSlice = MonoVectorSlice' (type elem = real)
structure RealArray = MonoArray' (type elem = real)
structure RealArraySlice = MonoArraySlice' (type elem = real)
structure RealArray2 = MonoArray2' (type elem = real)
structure LargeIntVector = MonoVector' (type elem = LargeInt.int)
structure LargeIntVectorSlice = MonoVectorSlice' (type elem = LargeInt.int)
structure LargeIntArray = MonoArray' (type elem = LargeInt.int)
structure LargeIntArraySlice = MonoArraySlice' (type elem = LargeInt.int)
structure LargeIntArray2 = MonoArray2' (type elem = LargeInt.int)
structure LargeWordVector = WordVector
structure LargeWordVectorSlice = WordVectorSlice
structure LargeWordArray = WordArray
structure LargeWordArraySlice = WordArraySlice
structure LargeWordArray2 = WordArray2
structure LargeRealVector = RealVector
structure LargeRealVectorSlice = RealVectorSlice
structure LargeRealArray = RealArray
structure LargeRealArraySlice = RealArraySlice
structure LargeRealArray2 = RealArray2
structure Int8Vector = MonoVector' (type elem = Int8.int)
structure Int8VectorSlice = MonoVectorSlice' (type elem = Int8.int)
structure Int8Array = MonoArray' (type elem = Int8.int)
structure Int8ArraySlice = MonoArraySlice' (type elem = Int8.int)
structure Int8Array2 = MonoArray2' (type elem = Int8.int)
structure Int16Vector = MonoVector' (type elem = Int16.int)
structure Int16VectorSlice = MonoVectorSlice' (type elem = Int16.int)
structure Int16Array = MonoArray' (type elem = Int16.int)
structure Int16ArraySlice = MonoArraySlice' (type elem = Int16.int)
structure Int16Array2 = MonoArray2' (type elem = Int16.int)
structure Int32Vector = MonoVector' (type elem = Int32.int)
structure Int32VectorSlice = MonoVectorSlice' (type elem = Int32.int)
structure Int32Array = MonoArray' (type elem = Int32.int)
structure Int32ArraySlice = MonoArraySlice' (type elem = Int32.int)
structure Int32Array2 = MonoArray2' (type elem = Int32.int)
structure Int64Vector = IntVector
structure Int64VectorSlice = IntVectorSlice
structure Int64Array = IntArray
structure Int64ArraySlice = IntArraySlice
structure Int64Array2 = IntArray2
structure Word16Vector = MonoVector' (type elem = Word16.word)
structure Word16VectorSlice = MonoVectorSlice' (type elem = Word16.word)
structure Word16Array = MonoArray' (type elem = Word16.word)
structure Word16ArraySlice = MonoArraySlice' (type elem = Word16.word)
structure Word16Array2 = MonoArray2' (type elem = Word16.word)
structure Word32Vector = MonoVector' (type elem = Word32.word)
structure Word32VectorSlice = MonoVectorSlice' (type elem = Word32.word)
structure Word32Array = MonoArray' (type elem = Word32.word)
structure Word32ArraySlice = MonoArraySlice' (type elem = Word32.word)
structure Word32Array2 = MonoArray2' (type elem = Word32.word)
structure Word64Vector = WordVector
structure Word64VectorSlice = WordVectorSlice
structure Word64Array = WordArray
structure Word64ArraySlice = WordArraySlice
structure Word64Array2 = WordArray2
structure Real64Vector = RealVector
structure Real64VectorSlice = RealVectorSlice
structure Real64Array = RealArray
structure Real64ArraySlice = RealArraySlice
structure Real64Array2 = RealArray2
