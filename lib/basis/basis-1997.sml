(* The Basis Library as it was in 1997, made of today's: parts of sequences are (sequence, start, SOME length or NONE for
   the rest) instead of slices, ends of texts and directories are empty strings instead of NONE.

   Differences: structures that only grew since show what came later, too; `inputAll` of a stream of STREAM_IO gives the
   stream behind, too. *)

(* -- sequences *)

structure Vector : VECTOR_1997 =
struct
  open Vector
  val part = VectorSlice.slice
  val extract = fn p => VectorSlice.vector (part p)
  fun mapi f (p as (_, i, _)) = VectorSlice.mapi (fn (j, x) => f (i + j, x)) (part p)
  fun appi f (p as (_, i, _)) = VectorSlice.appi (fn (j, x) => f (i + j, x)) (part p)
  fun foldli f b (p as (_, i, _)) = VectorSlice.foldli (fn (j, x, b) => f (i + j, x, b)) b (part p)
  fun foldri f b (p as (_, i, _)) = VectorSlice.foldri (fn (j, x, b) => f (i + j, x, b)) b (part p)
end

structure Array : ARRAY_1997 =
struct
  open Array
  type 'a vector = 'a Vector.vector
  val part = ArraySlice.slice
  val extract = fn p => ArraySlice.vector (part p)
  fun copy {src, si, len, dst, di} = ArraySlice.copy {src = part (src, si, len), dst = dst, di = di}
  fun copyVec {src, si, len, dst, di} =
    ArraySlice.copyVec {src = VectorSlice.slice (src, si, len), dst = dst, di = di}
  fun appi f (p as (_, i, _)) = ArraySlice.appi (fn (j, x) => f (i + j, x)) (part p)
  fun modifyi f (p as (_, i, _)) = ArraySlice.modifyi (fn (j, x) => f (i + j, x)) (part p)
  fun foldli f b (p as (_, i, _)) = ArraySlice.foldli (fn (j, x, b) => f (i + j, x, b)) b (part p)
  fun foldri f b (p as (_, i, _)) = ArraySlice.foldri (fn (j, x, b) => f (i + j, x, b)) b (part p)
end

functor Mono1997
  (structure Vector : MONO_VECTOR
   structure VectorSlice : MONO_VECTOR_SLICE
     where type vector = Vector.vector
     where type elem = Vector.elem
   structure Array : MONO_ARRAY where type vector = Vector.vector where type elem = Vector.elem
   structure ArraySlice : MONO_ARRAY_SLICE
     where type vector = Vector.vector
     where type elem = Vector.elem
     where type vector_slice = VectorSlice.slice
     where type array = Array.array
   structure Array2 : MONO_ARRAY2 where type vector = Vector.vector where type elem = Vector.elem) =
struct
  structure Vector : MONO_VECTOR_1997 =
  struct
    open Vector
    val part = VectorSlice.slice
    val extract = VectorSlice.vector o part
    fun mapi f (p as (_, i, _)) = VectorSlice.mapi (fn (j, x) => f (i + j, x)) (part p)
    fun appi f (p as (_, i, _)) = VectorSlice.appi (fn (j, x) => f (i + j, x)) (part p)
    fun foldli f b (p as (_, i, _)) =
      VectorSlice.foldli (fn (j, x, b) => f (i + j, x, b)) b (part p)
    fun foldri f b (p as (_, i, _)) =
      VectorSlice.foldri (fn (j, x, b) => f (i + j, x, b)) b (part p)
  end
  structure Array : MONO_ARRAY_1997 =
  struct
    open Array
    structure Vector = Vector
    val part = ArraySlice.slice
    val extract = ArraySlice.vector o part
    fun copy {src, si, len, dst, di} =
      ArraySlice.copy {src = part (src, si, len), dst = dst, di = di}
    fun copyVec {src, si, len, dst, di} =
      ArraySlice.copyVec {src = VectorSlice.slice (src, si, len), dst = dst, di = di}
    fun appi f (p as (_, i, _)) = ArraySlice.appi (fn (j, x) => f (i + j, x)) (part p)
    fun modifyi f (p as (_, i, _)) = ArraySlice.modifyi (fn (j, x) => f (i + j, x)) (part p)
    fun foldli f b (p as (_, i, _)) = ArraySlice.foldli (fn (j, x, b) => f (i + j, x, b)) b (part p)
    fun foldri f b (p as (_, i, _)) = ArraySlice.foldri (fn (j, x, b) => f (i + j, x, b)) b (part p)
  end
  structure Array2 = struct open Array2 structure Vector = Vector end
end

structure Bool1997 =
  Mono1997 (structure Vector = BoolVector
            structure VectorSlice = BoolVectorSlice
            structure Array = BoolArray
            structure ArraySlice = BoolArraySlice
            structure Array2 = BoolArray2)
structure BoolVector = Bool1997.Vector
structure BoolArray = Bool1997.Array
structure BoolArray2 = Bool1997.Array2
structure Char1997 =
  Mono1997 (structure Vector = CharVector
            structure VectorSlice = CharVectorSlice
            structure Array = CharArray
            structure ArraySlice = CharArraySlice
            structure Array2 = CharArray2)
structure CharVector = Char1997.Vector
structure CharArray = Char1997.Array
structure CharArray2 = Char1997.Array2
structure Int1997 =
  Mono1997 (structure Vector = IntVector
            structure VectorSlice = IntVectorSlice
            structure Array = IntArray
            structure ArraySlice = IntArraySlice
            structure Array2 = IntArray2)
structure IntVector = Int1997.Vector
structure IntArray = Int1997.Array
structure IntArray2 = Int1997.Array2
structure Int81997 =
  Mono1997 (structure Vector = Int8Vector
            structure VectorSlice = Int8VectorSlice
            structure Array = Int8Array
            structure ArraySlice = Int8ArraySlice
            structure Array2 = Int8Array2)
structure Int8Vector = Int81997.Vector
structure Int8Array = Int81997.Array
structure Int8Array2 = Int81997.Array2
structure Int161997 =
  Mono1997 (structure Vector = Int16Vector
            structure VectorSlice = Int16VectorSlice
            structure Array = Int16Array
            structure ArraySlice = Int16ArraySlice
            structure Array2 = Int16Array2)
structure Int16Vector = Int161997.Vector
structure Int16Array = Int161997.Array
structure Int16Array2 = Int161997.Array2
structure Int321997 =
  Mono1997 (structure Vector = Int32Vector
            structure VectorSlice = Int32VectorSlice
            structure Array = Int32Array
            structure ArraySlice = Int32ArraySlice
            structure Array2 = Int32Array2)
structure Int32Vector = Int321997.Vector
structure Int32Array = Int321997.Array
structure Int32Array2 = Int321997.Array2
structure Int641997 =
  Mono1997 (structure Vector = Int64Vector
            structure VectorSlice = Int64VectorSlice
            structure Array = Int64Array
            structure ArraySlice = Int64ArraySlice
            structure Array2 = Int64Array2)
structure Int64Vector = Int641997.Vector
structure Int64Array = Int641997.Array
structure Int64Array2 = Int641997.Array2
structure LargeInt1997 =
  Mono1997 (structure Vector = LargeIntVector
            structure VectorSlice = LargeIntVectorSlice
            structure Array = LargeIntArray
            structure ArraySlice = LargeIntArraySlice
            structure Array2 = LargeIntArray2)
structure LargeIntVector = LargeInt1997.Vector
structure LargeIntArray = LargeInt1997.Array
structure LargeIntArray2 = LargeInt1997.Array2
structure LargeReal1997 =
  Mono1997 (structure Vector = LargeRealVector
            structure VectorSlice = LargeRealVectorSlice
            structure Array = LargeRealArray
            structure ArraySlice = LargeRealArraySlice
            structure Array2 = LargeRealArray2)
structure LargeRealVector = LargeReal1997.Vector
structure LargeRealArray = LargeReal1997.Array
structure LargeRealArray2 = LargeReal1997.Array2
structure LargeWord1997 =
  Mono1997 (structure Vector = LargeWordVector
            structure VectorSlice = LargeWordVectorSlice
            structure Array = LargeWordArray
            structure ArraySlice = LargeWordArraySlice
            structure Array2 = LargeWordArray2)
structure LargeWordVector = LargeWord1997.Vector
structure LargeWordArray = LargeWord1997.Array
structure LargeWordArray2 = LargeWord1997.Array2
structure Real1997 =
  Mono1997 (structure Vector = RealVector
            structure VectorSlice = RealVectorSlice
            structure Array = RealArray
            structure ArraySlice = RealArraySlice
            structure Array2 = RealArray2)
structure RealVector = Real1997.Vector
structure RealArray = Real1997.Array
structure RealArray2 = Real1997.Array2
structure Real321997 =
  Mono1997 (structure Vector = Real32Vector
            structure VectorSlice = Real32VectorSlice
            structure Array = Real32Array
            structure ArraySlice = Real32ArraySlice
            structure Array2 = Real32Array2)
structure Real32Vector = Real321997.Vector
structure Real32Array = Real321997.Array
structure Real32Array2 = Real321997.Array2
structure Real641997 =
  Mono1997 (structure Vector = Real64Vector
            structure VectorSlice = Real64VectorSlice
            structure Array = Real64Array
            structure ArraySlice = Real64ArraySlice
            structure Array2 = Real64Array2)
structure Real64Vector = Real641997.Vector
structure Real64Array = Real641997.Array
structure Real64Array2 = Real641997.Array2
structure Word1997 =
  Mono1997 (structure Vector = WordVector
            structure VectorSlice = WordVectorSlice
            structure Array = WordArray
            structure ArraySlice = WordArraySlice
            structure Array2 = WordArray2)
structure WordVector = Word1997.Vector
structure WordArray = Word1997.Array
structure WordArray2 = Word1997.Array2
structure Word81997 =
  Mono1997 (structure Vector = Word8Vector
            structure VectorSlice = Word8VectorSlice
            structure Array = Word8Array
            structure ArraySlice = Word8ArraySlice
            structure Array2 = Word8Array2)
structure Word8Vector = Word81997.Vector
structure Word8Array = Word81997.Array
structure Word8Array2 = Word81997.Array2
structure Word161997 =
  Mono1997 (structure Vector = Word16Vector
            structure VectorSlice = Word16VectorSlice
            structure Array = Word16Array
            structure ArraySlice = Word16ArraySlice
            structure Array2 = Word16Array2)
structure Word16Vector = Word161997.Vector
structure Word16Array = Word161997.Array
structure Word16Array2 = Word161997.Array2
structure Word321997 =
  Mono1997 (structure Vector = Word32Vector
            structure VectorSlice = Word32VectorSlice
            structure Array = Word32Array
            structure ArraySlice = Word32ArraySlice
            structure Array2 = Word32Array2)
structure Word32Vector = Word321997.Vector
structure Word32Array = Word321997.Array
structure Word32Array2 = Word321997.Array2
structure Word641997 =
  Mono1997 (structure Vector = Word64Vector
            structure VectorSlice = Word64VectorSlice
            structure Array = Word64Array
            structure ArraySlice = Word64ArraySlice
            structure Array2 = Word64Array2)
structure Word64Vector = Word641997.Vector
structure Word64Array = Word641997.Array
structure Word64Array2 = Word641997.Array2

(* -- texts *)

structure String : STRING_1997 = struct open String structure Char = Char end
structure Substring : SUBSTRING_1997 = struct open Substring structure String = String end
structure Text =
struct
  structure Char = Char
  structure String = String
  structure Substring = Substring
  structure CharVector = CharVector
  structure CharArray = CharArray
end

(* -- numbers *)

structure Pack32Big = PackWord32Big
structure Pack32Little = PackWord32Little

structure IEEEReal1997 =
struct
  structure I = IEEEReal
  exception Unordered = I.Unordered
  datatype real_order = datatype I.real_order
  datatype rounding_mode = datatype I.rounding_mode
  datatype nan_mode = QUIET | SIGNALLING
  datatype float_class = NAN of nan_mode | INF | ZERO | NORMAL | SUBNORMAL
  type decimal_approx = {kind : float_class, sign : bool, digits : int list, exp : int}
  val setRoundingMode = I.setRoundingMode
  val getRoundingMode = I.getRoundingMode
  fun old I.NAN = NAN QUIET
    | old I.INF = INF
    | old I.ZERO = ZERO
    | old I.NORMAL = NORMAL
    | old I.SUBNORMAL = SUBNORMAL
  fun new (NAN _) = I.NAN
    | new INF = I.INF
    | new ZERO = I.ZERO
    | new NORMAL = I.NORMAL
    | new SUBNORMAL = I.SUBNORMAL
  fun ofToday ({class, sign, digits, exp} : I.decimal_approx) : decimal_approx =
    {kind = old class, sign = sign, digits = digits, exp = exp}
  fun toToday ({kind, sign, digits, exp} : decimal_approx) : I.decimal_approx =
    {class = new kind, sign = sign, digits = digits, exp = exp}
  fun toString d = I.toString (toToday d)
  fun fromString s = Option.map ofToday (I.fromString s)
end
functor Real1997 (R : REAL) =
struct
  open R
  fun class r = IEEEReal1997.old (R.class r)
  fun toDecimal r = IEEEReal1997.ofToday (R.toDecimal r)
  fun fromDecimal d = R.fromDecimal (IEEEReal1997.toToday d)
end
structure Real = Real1997 (Real)
structure Real32 = Real1997 (Real32)
structure Real64 = Real
structure LargeReal = Real
structure IEEEReal : IEEE_REAL_1997 = IEEEReal1997

(* -- the system *)

structure OS : OS_1997 =
struct
  open OS
  structure FileSys =
  struct
    open FileSys
    fun readDir d = getOpt (FileSys.readDir d, "")
  end
  structure Path =
  struct
    open Path
    fun mkAbsolute (path, relativeTo) = Path.mkAbsolute {path = path, relativeTo = relativeTo}
    fun mkRelative (path, relativeTo) = Path.mkRelative {path = path, relativeTo = relativeTo}
  end
end

structure Timer : TIMER_1997 =
struct
  open Timer
  fun checkCPUTimer t =
    let
      val {usr, sys} = Timer.checkCPUTimer t
    in
      {usr = usr, sys = sys, gc = Timer.checkGCTime t}
    end
end

structure Unix : UNIX_1997 =
struct
  type proc = (TextIO.instream, TextIO.outstream) Unix.proc
  type signal = Unix.signal
  val executeInEnv : string * string list * string list -> proc = Unix.executeInEnv
  val execute : string * string list -> proc = Unix.execute
  val streamsOf = Unix.streamsOf
  val reap : proc -> OS.Process.status = Unix.reap
  val kill : proc * signal -> unit = Unix.kill
end

structure Posix =
struct
  open Posix
  structure Process =
  struct
    open Process
    structure W = struct open W val wordTo = fromWord end
  end
  structure FileSys =
  struct
    open FileSys
    fun readdir d = getOpt (FileSys.readdir d, "")
    structure S = struct open S val wordTo = fromWord end
    structure O = struct open O val wordTo = fromWord end
  end
  structure IO =
  struct
    open IO
    structure FD = struct open FD val wordTo = fromWord end
    structure O = struct open O val wordTo = fromWord end
    fun readArr (fd, {buf, i, sz}) = IO.readArr (fd, Word8ArraySlice.slice (buf, i, sz))
    fun writeVec (fd, {buf, i, sz}) = IO.writeVec (fd, Word8VectorSlice.slice (buf, i, sz))
    fun writeArr (fd, {buf, i, sz}) = IO.writeArr (fd, Word8ArraySlice.slice (buf, i, sz))
  end
  structure TTY =
  struct
    open TTY
    structure I = struct open I val wordTo = fromWord end
    structure O = struct open O val wordTo = fromWord end
    structure C = struct open C val wordTo = fromWord end
    structure L = struct open L val wordTo = fromWord end
  end
end

(* -- input and output *)

structure IO : IO_1997 = struct open IO exception TerminatedStream end

structure TextIO : TEXT_IO_1997 =
struct
  open TextIO
  structure StreamIO =
  struct
    open StreamIO
    fun inputLine f = getOpt (StreamIO.inputLine f, ("", f))
  end
  fun inputLine s = getOpt (TextIO.inputLine s, "")
end

signature ARRAY = ARRAY_1997
signature VECTOR = VECTOR_1997
signature MONO_VECTOR = MONO_VECTOR_1997
signature MONO_ARRAY = MONO_ARRAY_1997
signature STRING = STRING_1997
signature SUBSTRING = SUBSTRING_1997
signature IEEE_REAL = IEEE_REAL_1997
signature IO = IO_1997
signature OS = OS_1997
signature OS_FILE_SYS = OS_FILE_SYS_1997
signature OS_PATH = OS_PATH_1997
signature OS_PROCESS = OS_PROCESS_1997
signature TIMER = TIMER_1997
signature UNIX = UNIX_1997
signature TEXT_STREAM_IO = TEXT_STREAM_IO_1997
signature TEXT_IO = TEXT_IO_1997
signature POSIX_FLAGS = POSIX_FLAGS_1997
