(* Each signature of the Basis Library, by the specification: a structure that is known by the signature alone has each
   value at the type that the specification names (`By`), and a structure with just these values matches it (`Of`). Then
   the structures, with the types that are known of them.

   CHAR and STRING had `string` for String.string in toString, fromString, toCString and fromCString, and TEXT_IO did not
   say whose the readers and writers of StreamIO are: functors over them that the specification allows were refused.
   SUBSTRING wanted `all`, OS_PROCESS equality of a status.

   The specification is not followed where it contradicts itself: STRING.scan reads characters of Char, since fromString is
   scanString scan; what Socket.recvVecFrom gives is an address of the socket's own family, as that of recvArrFrom is. *)

signature GENERAL' =
sig
  eqtype unit type exn = exn exception Bind exception Match exception Chr exception Div exception Domain
  exception Fail of string exception Overflow exception Size exception Span exception Subscript
  datatype order = LESS | EQUAL | GREATER
  val ! : 'a ref -> 'a val := : 'a ref * 'a -> unit val before : 'a * unit -> 'a val exnMessage : exn -> string
  val exnName : exn -> string val ignore : 'a -> unit val o : ('b -> 'c) * ('a -> 'b) -> 'a -> 'c
end
functor By (X : GENERAL) : GENERAL' = X
functor Of (X : GENERAL') : GENERAL = X

signature OPTION' =
sig
  datatype 'a option = NONE | SOME of 'a exception Option
  val app : ('a -> unit) -> 'a option -> unit val compose : ('a -> 'b) * ('c -> 'a option) -> 'c -> 'b option
  val composePartial : ('a -> 'b option) * ('c -> 'a option) -> 'c -> 'b option val filter : ('a -> bool) -> 'a -> 'a option
  val getOpt : 'a option * 'a -> 'a val isSome : 'a option -> bool val join : 'a option option -> 'a option
  val map : ('a -> 'b) -> 'a option -> 'b option val mapPartial : ('a -> 'b option) -> 'a option -> 'b option
  val valOf : 'a option -> 'a
end
functor By (X : OPTION) : OPTION' = X
functor Of (X : OPTION') : OPTION = X

signature BOOL' =
sig
  datatype bool = datatype bool
  val fromString : string -> bool option val not : bool -> bool
  val scan : (char, 'a) StringCvt.reader -> (bool, 'a) StringCvt.reader val toString : bool -> string
end
functor By (X : BOOL) : BOOL' = X
functor Of (X : BOOL') : BOOL = X

signature LIST' =
sig
  datatype list = datatype list exception Empty
  val @ : 'a list * 'a list -> 'a list val all : ('a -> bool) -> 'a list -> bool val app : ('a -> unit) -> 'a list -> unit
  val collate : ('a * 'a -> order) -> 'a list * 'a list -> order val concat : 'a list list -> 'a list
  val drop : 'a list * int -> 'a list val exists : ('a -> bool) -> 'a list -> bool
  val filter : ('a -> bool) -> 'a list -> 'a list val find : ('a -> bool) -> 'a list -> 'a option
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b val foldr : ('a * 'b -> 'b) -> 'b -> 'a list -> 'b
  val getItem : 'a list -> ('a * 'a list) option val hd : 'a list -> 'a val last : 'a list -> 'a val length : 'a list -> int
  val map : ('a -> 'b) -> 'a list -> 'b list val mapPartial : ('a -> 'b option) -> 'a list -> 'b list
  val nth : 'a list * int -> 'a val null : 'a list -> bool val partition : ('a -> bool) -> 'a list -> 'a list * 'a list
  val rev : 'a list -> 'a list val revAppend : 'a list * 'a list -> 'a list val tabulate : int * (int -> 'a) -> 'a list
  val take : 'a list * int -> 'a list val tl : 'a list -> 'a list
end
functor By (X : LIST) : LIST' = X
functor Of (X : LIST') : LIST = X

signature LIST_PAIR' =
sig
  exception UnequalLengths
  val all : ('a * 'b -> bool) -> 'a list * 'b list -> bool val allEq : ('a * 'b -> bool) -> 'a list * 'b list -> bool
  val app : ('a * 'b -> unit) -> 'a list * 'b list -> unit val appEq : ('a * 'b -> unit) -> 'a list * 'b list -> unit
  val exists : ('a * 'b -> bool) -> 'a list * 'b list -> bool val foldl : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldlEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldr : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c
  val foldrEq : ('a * 'b * 'c -> 'c) -> 'c -> 'a list * 'b list -> 'c val map : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list
  val mapEq : ('a * 'b -> 'c) -> 'a list * 'b list -> 'c list val unzip : ('a * 'b) list -> 'a list * 'b list
  val zip : 'a list * 'b list -> ('a * 'b) list val zipEq : 'a list * 'b list -> ('a * 'b) list
end
functor By (X : LIST_PAIR) : LIST_PAIR' = X
functor Of (X : LIST_PAIR') : LIST_PAIR = X

signature CHAR' =
sig
  eqtype char eqtype string
  val < : char * char -> bool val <= : char * char -> bool val > : char * char -> bool val >= : char * char -> bool
  val chr : int -> char val compare : char * char -> order val contains : string -> char -> bool
  val fromCString : String.string -> char option val fromString : String.string -> char option val isAlpha : char -> bool
  val isAlphaNum : char -> bool val isAscii : char -> bool val isCntrl : char -> bool val isDigit : char -> bool
  val isGraph : char -> bool val isHexDigit : char -> bool val isLower : char -> bool val isPrint : char -> bool
  val isPunct : char -> bool val isSpace : char -> bool val isUpper : char -> bool val maxChar : char val maxOrd : int
  val minChar : char val notContains : string -> char -> bool val ord : char -> int val pred : char -> char
  val scan : (Char.char, 'a) StringCvt.reader -> (char, 'a) StringCvt.reader val succ : char -> char
  val toCString : char -> String.string val toLower : char -> char val toString : char -> String.string
  val toUpper : char -> char
end
functor By (X : CHAR) : CHAR' = X
functor Of (X : CHAR') : CHAR = X

signature STRING' =
sig
  eqtype string eqtype char
  val < : string * string -> bool val <= : string * string -> bool val > : string * string -> bool
  val >= : string * string -> bool val ^ : string * string -> string
  val collate : (char * char -> order) -> string * string -> order val compare : string * string -> order
  val concat : string list -> string val concatWith : string -> string list -> string val explode : string -> char list
  val extract : string * int * int option -> string val fields : (char -> bool) -> string -> string list
  val fromCString : String.string -> string option val fromString : String.string -> string option
  val implode : char list -> string val isPrefix : string -> string -> bool val isSubstring : string -> string -> bool
  val isSuffix : string -> string -> bool val map : (char -> char) -> string -> string val maxSize : int
  val scan : (Char.char, 'a) StringCvt.reader -> (string, 'a) StringCvt.reader val size : string -> int val str : char -> string
  val sub : string * int -> char val substring : string * int * int -> string val toCString : string -> String.string
  val tokens : (char -> bool) -> string -> string list val toString : string -> String.string
  val translate : (char -> string) -> string -> string
end
functor By (X : STRING) : STRING' = X
functor Of (X : STRING') : STRING = X

signature SUBSTRING' =
sig
  type substring eqtype char eqtype string
  val app : (char -> unit) -> substring -> unit val base : substring -> string * int * int
  val collate : (char * char -> order) -> substring * substring -> order val compare : substring * substring -> order
  val concat : substring list -> string val concatWith : string -> substring list -> string
  val dropl : (char -> bool) -> substring -> substring val dropr : (char -> bool) -> substring -> substring
  val explode : substring -> char list val extract : string * int * int option -> substring
  val fields : (char -> bool) -> substring -> substring list val first : substring -> char option
  val foldl : (char * 'a -> 'a) -> 'a -> substring -> 'a val foldr : (char * 'a -> 'a) -> 'a -> substring -> 'a
  val full : string -> substring val getc : substring -> (char * substring) option val isEmpty : substring -> bool
  val isPrefix : string -> substring -> bool val isSubstring : string -> substring -> bool
  val isSuffix : string -> substring -> bool val position : string -> substring -> substring * substring
  val size : substring -> int val slice : substring * int * int option -> substring
  val span : substring * substring -> substring val splitAt : substring * int -> substring * substring
  val splitl : (char -> bool) -> substring -> substring * substring
  val splitr : (char -> bool) -> substring -> substring * substring val string : substring -> string
  val sub : substring * int -> char val substring : string * int * int -> substring
  val takel : (char -> bool) -> substring -> substring val taker : (char -> bool) -> substring -> substring
  val tokens : (char -> bool) -> substring -> substring list val translate : (char -> string) -> substring -> string
  val triml : int -> substring -> substring val trimr : int -> substring -> substring
end
functor By (X : SUBSTRING) : SUBSTRING' = X
functor Of (X : SUBSTRING') : SUBSTRING = X

signature STRING_CVT' =
sig
  datatype radix = BIN | OCT | DEC | HEX datatype realfmt = SCI of int option | FIX of int option | GEN of int option | EXACT
  type ('a,'b) reader = 'b -> ('a * 'b) option type cs
  val dropl : (char -> bool) -> (char, 'a) reader -> 'a -> 'a val padLeft : char -> int -> string -> string
  val padRight : char -> int -> string -> string val scanString : ((char, cs) reader -> ('a, cs) reader) -> string -> 'a option
  val skipWS : (char, 'a) reader -> 'a -> 'a val splitl : (char -> bool) -> (char, 'a) reader -> 'a -> string * 'a
  val takel : (char -> bool) -> (char, 'a) reader -> 'a -> string
end
functor By (X : STRING_CVT) : STRING_CVT' = X
functor Of (X : STRING_CVT') : STRING_CVT = X

signature TEXT' =
sig
  structure Char : CHAR structure String : STRING structure Substring : SUBSTRING structure CharVector : MONO_VECTOR
  structure CharArray : MONO_ARRAY structure CharVectorSlice : MONO_VECTOR_SLICE structure CharArraySlice : MONO_ARRAY_SLICE
  sharing type Char.char = String.char = Substring.char = CharVector.elem = CharArray.elem = CharVectorSlice.elem =
    CharArraySlice.elem
  sharing type Char.string = String.string = Substring.string = CharVector.vector = CharArray.vector =
    CharVectorSlice.vector = CharArraySlice.vector
  sharing type CharArray.array = CharArraySlice.array sharing type CharVectorSlice.slice = CharArraySlice.vector_slice
end
functor By (X : TEXT) : TEXT' = X
functor Of (X : TEXT') : TEXT = X

signature BYTE' =
sig
  val bytesToString : Word8Vector.vector -> string val byteToChar : Word8.word -> char val charToByte : char -> Word8.word
  val packString : Word8Array.array * int * substring -> unit val stringToBytes : string -> Word8Vector.vector
  val unpackString : Word8ArraySlice.slice -> string val unpackStringVec : Word8VectorSlice.slice -> string
end
functor By (X : BYTE) : BYTE' = X
functor Of (X : BYTE') : BYTE = X

signature INTEGER' =
sig
  eqtype int
  val * : int * int -> int val + : int * int -> int val - : int * int -> int val < : int * int -> bool
  val <= : int * int -> bool val > : int * int -> bool val >= : int * int -> bool val abs : int -> int
  val compare : int * int -> order val div : int * int -> int val fmt : StringCvt.radix -> int -> string
  val fromInt : Int.int -> int val fromLarge : LargeInt.int -> int val fromString : string -> int option
  val max : int * int -> int val maxInt : int option val min : int * int -> int val minInt : int option
  val mod : int * int -> int val precision : Int.int option val quot : int * int -> int val rem : int * int -> int
  val sameSign : int * int -> bool val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (int, 'a) StringCvt.reader
  val sign : int -> Int.int val toInt : int -> Int.int val toLarge : int -> LargeInt.int val toString : int -> string
  val ~ : int -> int
end
functor By (X : INTEGER) : INTEGER' = X
functor Of (X : INTEGER') : INTEGER = X

signature INT_INF' =
sig
  include INTEGER
  val << : int * Word.word -> int val andb : int * int -> int val divMod : int * int -> int * int val log2 : int -> Int.int
  val notb : int -> int val orb : int * int -> int val pow : int * Int.int -> int val quotRem : int * int -> int * int
  val xorb : int * int -> int val ~>> : int * Word.word -> int
end
functor By (X : INT_INF) : INT_INF' = X
functor Of (X : INT_INF') : INT_INF = X

signature WORD' =
sig
  eqtype word
  val * : word * word -> word val + : word * word -> word val - : word * word -> word val < : word * word -> bool
  val << : word * Word.word -> word val <= : word * word -> bool val > : word * word -> bool val >= : word * word -> bool
  val >> : word * Word.word -> word val andb : word * word -> word val compare : word * word -> order
  val div : word * word -> word val fmt : StringCvt.radix -> word -> string val fromInt : int -> word
  val fromLarge : LargeWord.word -> word val fromLargeInt : LargeInt.int -> word val fromLargeWord : LargeWord.word -> word
  val fromString : string -> word option val max : word * word -> word val min : word * word -> word
  val mod : word * word -> word val notb : word -> word val orb : word * word -> word
  val scan : StringCvt.radix -> (char, 'a) StringCvt.reader -> (word, 'a) StringCvt.reader val toInt : word -> int
  val toIntX : word -> int val toLarge : word -> LargeWord.word val toLargeInt : word -> LargeInt.int
  val toLargeIntX : word -> LargeInt.int val toLargeWord : word -> LargeWord.word val toLargeWordX : word -> LargeWord.word
  val toLargeX : word -> LargeWord.word val toString : word -> string val wordSize : int val xorb : word * word -> word
  val ~ : word -> word val ~>> : word * Word.word -> word
end
functor By (X : WORD) : WORD' = X
functor Of (X : WORD') : WORD = X

signature IEEE_REAL' =
sig
  exception Unordered datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype float_class = NAN | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO
  type decimal_approx = {class : float_class, sign : bool, digits : int list, exp : int}
  val fromString : string -> decimal_approx option val getRoundingMode : unit -> rounding_mode
  val scan : (char, 'a) StringCvt.reader -> (decimal_approx, 'a) StringCvt.reader val setRoundingMode : rounding_mode -> unit
  val toString : decimal_approx -> string
end
functor By (X : IEEE_REAL) : IEEE_REAL' = X
functor Of (X : IEEE_REAL') : IEEE_REAL = X

signature MATH' =
sig
  type real
  val acos : real -> real val asin : real -> real val atan : real -> real val atan2 : real * real -> real val cos : real -> real
  val cosh : real -> real val e : real val exp : real -> real val ln : real -> real val log10 : real -> real val pi : real
  val pow : real * real -> real val sin : real -> real val sinh : real -> real val sqrt : real -> real val tan : real -> real
  val tanh : real -> real
end
functor By (X : MATH) : MATH' = X
functor Of (X : MATH') : MATH = X

signature REAL' =
sig
  type real structure Math : MATH where type real = real
  val != : real * real -> bool val * : real * real -> real val *+ : real * real * real -> real
  val *- : real * real * real -> real val + : real * real -> real val - : real * real -> real val / : real * real -> real
  val < : real * real -> bool val <= : real * real -> bool val == : real * real -> bool val > : real * real -> bool
  val >= : real * real -> bool val ?= : real * real -> bool val abs : real -> real val ceil : real -> int
  val checkFloat : real -> real val class : real -> IEEEReal.float_class val compare : real * real -> order
  val compareReal : real * real -> IEEEReal.real_order val copySign : real * real -> real val floor : real -> int
  val fmt : StringCvt.realfmt -> real -> string val fromDecimal : IEEEReal.decimal_approx -> real option
  val fromInt : int -> real val fromLarge : IEEEReal.rounding_mode -> LargeReal.real -> real
  val fromLargeInt : LargeInt.int -> real val fromManExp : {man : real, exp : int} -> real
  val fromString : string -> real option val isFinite : real -> bool val isNan : real -> bool val isNormal : real -> bool
  val max : real * real -> real val maxFinite : real val min : real * real -> real val minNormalPos : real val minPos : real
  val negInf : real val nextAfter : real * real -> real val posInf : real val precision : int val radix : int
  val realCeil : real -> real val realFloor : real -> real val realMod : real -> real val realRound : real -> real
  val realTrunc : real -> real val rem : real * real -> real val round : real -> int val sameSign : real * real -> bool
  val scan : (char, 'a) StringCvt.reader -> (real, 'a) StringCvt.reader val sign : real -> int val signBit : real -> bool
  val split : real -> {whole : real, frac : real} val toDecimal : real -> IEEEReal.decimal_approx
  val toInt : IEEEReal.rounding_mode -> real -> int val toLarge : real -> LargeReal.real
  val toLargeInt : IEEEReal.rounding_mode -> real -> LargeInt.int val toManExp : real -> {man : real, exp : int}
  val toString : real -> string val trunc : real -> int val unordered : real * real -> bool val ~ : real -> real
end
functor By (X : REAL) : REAL' = X
functor Of (X : REAL') : REAL = X

signature VECTOR' =
sig
  type 'a vector = 'a vector
  val all : ('a -> bool) -> 'a vector -> bool val app : ('a -> unit) -> 'a vector -> unit
  val appi : (int * 'a -> unit) -> 'a vector -> unit val collate : ('a * 'a -> order) -> 'a vector * 'a vector -> order
  val concat : 'a vector list -> 'a vector val exists : ('a -> bool) -> 'a vector -> bool
  val find : ('a -> bool) -> 'a vector -> 'a option val findi : (int * 'a -> bool) -> 'a vector -> (int * 'a) option
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val fromList : 'a list -> 'a vector val length : 'a vector -> int val map : ('a -> 'b) -> 'a vector -> 'b vector
  val mapi : (int * 'a -> 'b) -> 'a vector -> 'b vector val maxLen : int val sub : 'a vector * int -> 'a
  val tabulate : int * (int -> 'a) -> 'a vector val update : 'a vector * int * 'a -> 'a vector
end
functor By (X : VECTOR) : VECTOR' = X
functor Of (X : VECTOR') : VECTOR = X

signature VECTOR_SLICE' =
sig
  type 'a slice
  val all : ('a -> bool) -> 'a slice -> bool val app : ('a -> unit) -> 'a slice -> unit
  val appi : (int * 'a -> unit) -> 'a slice -> unit val base : 'a slice -> 'a Vector.vector * int * int
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order val concat : 'a slice list -> 'a Vector.vector
  val exists : ('a -> bool) -> 'a slice -> bool val find : ('a -> bool) -> 'a slice -> 'a option
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b val full : 'a Vector.vector -> 'a slice
  val getItem : 'a slice -> ('a * 'a slice) option val isEmpty : 'a slice -> bool val length : 'a slice -> int
  val map : ('a -> 'b) -> 'a slice -> 'b Vector.vector val mapi : (int * 'a -> 'b) -> 'a slice -> 'b Vector.vector
  val slice : 'a Vector.vector * int * int option -> 'a slice val sub : 'a slice * int -> 'a
  val subslice : 'a slice * int * int option -> 'a slice val vector : 'a slice -> 'a Vector.vector
end
functor By (X : VECTOR_SLICE) : VECTOR_SLICE' = X
functor Of (X : VECTOR_SLICE') : VECTOR_SLICE = X

signature ARRAY' =
sig
  type 'a array = 'a array type 'a vector = 'a Vector.vector
  val all : ('a -> bool) -> 'a array -> bool val app : ('a -> unit) -> 'a array -> unit
  val appi : (int * 'a -> unit) -> 'a array -> unit val array : int * 'a -> 'a array
  val collate : ('a * 'a -> order) -> 'a array * 'a array -> order val copy : {src : 'a array, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a vector, dst : 'a array, di : int} -> unit val exists : ('a -> bool) -> 'a array -> bool
  val find : ('a -> bool) -> 'a array -> 'a option val findi : (int * 'a -> bool) -> 'a array -> (int * 'a) option
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val fromList : 'a list -> 'a array val length : 'a array -> int val maxLen : int val modify : ('a -> 'a) -> 'a array -> unit
  val modifyi : (int * 'a -> 'a) -> 'a array -> unit val sub : 'a array * int -> 'a val tabulate : int * (int -> 'a) -> 'a array
  val update : 'a array * int * 'a -> unit val vector : 'a array -> 'a vector
end
functor By (X : ARRAY) : ARRAY' = X
functor Of (X : ARRAY') : ARRAY = X

signature ARRAY_SLICE' =
sig
  type 'a slice
  val all : ('a -> bool) -> 'a slice -> bool val app : ('a -> unit) -> 'a slice -> unit
  val appi : (int * 'a -> unit) -> 'a slice -> unit val base : 'a slice -> 'a Array.array * int * int
  val collate : ('a * 'a -> order) -> 'a slice * 'a slice -> order
  val copy : {src : 'a slice, dst : 'a Array.array, di : int} -> unit
  val copyVec : {src : 'a VectorSlice.slice, dst : 'a Array.array, di : int} -> unit
  val exists : ('a -> bool) -> 'a slice -> bool val find : ('a -> bool) -> 'a slice -> 'a option
  val findi : (int * 'a -> bool) -> 'a slice -> (int * 'a) option val foldl : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b val foldr : ('a * 'b -> 'b) -> 'b -> 'a slice -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a slice -> 'b val full : 'a Array.array -> 'a slice
  val getItem : 'a slice -> ('a * 'a slice) option val isEmpty : 'a slice -> bool val length : 'a slice -> int
  val modify : ('a -> 'a) -> 'a slice -> unit val modifyi : (int * 'a -> 'a) -> 'a slice -> unit
  val slice : 'a Array.array * int * int option -> 'a slice val sub : 'a slice * int -> 'a
  val subslice : 'a slice * int * int option -> 'a slice val update : 'a slice * int * 'a -> unit
  val vector : 'a slice -> 'a Vector.vector
end
functor By (X : ARRAY_SLICE) : ARRAY_SLICE' = X
functor Of (X : ARRAY_SLICE') : ARRAY_SLICE = X

signature ARRAY2' =
sig
  eqtype 'a array type 'a region = {base : 'a array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = RowMajor | ColMajor
  val app : traversal -> ('a -> unit) -> 'a array -> unit val appi : traversal -> (int * int * 'a -> unit) -> 'a region -> unit
  val array : int * int * 'a -> 'a array val column : 'a array * int -> 'a Vector.vector
  val copy : {src : 'a region, dst : 'a array, dst_row : int, dst_col : int} -> unit val dimensions : 'a array -> int * int
  val fold : traversal -> ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldi : traversal -> (int * int * 'a * 'b -> 'b) -> 'b -> 'a region -> 'b val fromList : 'a list list -> 'a array
  val modify : traversal -> ('a -> 'a) -> 'a array -> unit
  val modifyi : traversal -> (int * int * 'a -> 'a) -> 'a region -> unit val nCols : 'a array -> int val nRows : 'a array -> int
  val row : 'a array * int -> 'a Vector.vector val sub : 'a array * int * int -> 'a
  val tabulate : traversal -> int * int * (int * int -> 'a) -> 'a array val update : 'a array * int * int * 'a -> unit
end
functor By (X : ARRAY2) : ARRAY2' = X
functor Of (X : ARRAY2') : ARRAY2 = X

signature MONO_VECTOR' =
sig
  type vector type elem
  val all : (elem -> bool) -> vector -> bool val app : (elem -> unit) -> vector -> unit
  val appi : (int * elem -> unit) -> vector -> unit val collate : (elem * elem -> order) -> vector * vector -> order
  val concat : vector list -> vector val exists : (elem -> bool) -> vector -> bool
  val find : (elem -> bool) -> vector -> elem option val findi : (int * elem -> bool) -> vector -> (int * elem) option
  val foldl : (elem * 'a -> 'a) -> 'a -> vector -> 'a val foldli : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> vector -> 'a val foldri : (int * elem * 'a -> 'a) -> 'a -> vector -> 'a
  val fromList : elem list -> vector val length : vector -> int val map : (elem -> elem) -> vector -> vector
  val mapi : (int * elem -> elem) -> vector -> vector val maxLen : int val sub : vector * int -> elem
  val tabulate : int * (int -> elem) -> vector val update : vector * int * elem -> vector
end
functor By (X : MONO_VECTOR) : MONO_VECTOR' = X
functor Of (X : MONO_VECTOR') : MONO_VECTOR = X

signature MONO_VECTOR_SLICE' =
sig
  type elem type vector type slice
  val all : (elem -> bool) -> slice -> bool val app : (elem -> unit) -> slice -> unit
  val appi : (int * elem -> unit) -> slice -> unit val base : slice -> vector * int * int
  val collate : (elem * elem -> order) -> slice * slice -> order val concat : slice list -> vector
  val exists : (elem -> bool) -> slice -> bool val find : (elem -> bool) -> slice -> elem option
  val findi : (int * elem -> bool) -> slice -> (int * elem) option val foldl : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldli : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b val foldr : (elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldri : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b val full : vector -> slice
  val getItem : slice -> (elem * slice) option val isEmpty : slice -> bool val length : slice -> int
  val map : (elem -> elem) -> slice -> vector val mapi : (int * elem -> elem) -> slice -> vector
  val slice : vector * int * int option -> slice val sub : slice * int -> elem val subslice : slice * int * int option -> slice
  val vector : slice -> vector
end
functor By (X : MONO_VECTOR_SLICE) : MONO_VECTOR_SLICE' = X
functor Of (X : MONO_VECTOR_SLICE') : MONO_VECTOR_SLICE = X

signature MONO_ARRAY' =
sig
  eqtype array type elem type vector
  val all : (elem -> bool) -> array -> bool val app : (elem -> unit) -> array -> unit
  val appi : (int * elem -> unit) -> array -> unit val array : int * elem -> array
  val collate : (elem * elem -> order) -> array * array -> order val copy : {src : array, dst : array, di : int} -> unit
  val copyVec : {src : vector, dst : array, di : int} -> unit val exists : (elem -> bool) -> array -> bool
  val find : (elem -> bool) -> array -> elem option val findi : (int * elem -> bool) -> array -> (int * elem) option
  val foldl : (elem * 'b -> 'b) -> 'b -> array -> 'b val foldli : (int * elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> array -> 'b val foldri : (int * elem * 'b -> 'b) -> 'b -> array -> 'b
  val fromList : elem list -> array val length : array -> int val maxLen : int val modify : (elem -> elem) -> array -> unit
  val modifyi : (int * elem -> elem) -> array -> unit val sub : array * int -> elem val tabulate : int * (int -> elem) -> array
  val update : array * int * elem -> unit val vector : array -> vector
end
functor By (X : MONO_ARRAY) : MONO_ARRAY' = X
functor Of (X : MONO_ARRAY') : MONO_ARRAY = X

signature MONO_ARRAY_SLICE' =
sig
  type elem type array type slice type vector type vector_slice
  val all : (elem -> bool) -> slice -> bool val app : (elem -> unit) -> slice -> unit
  val appi : (int * elem -> unit) -> slice -> unit val base : slice -> array * int * int
  val collate : (elem * elem -> order) -> slice * slice -> order val copy : {src : slice, dst : array, di : int} -> unit
  val copyVec : {src : vector_slice, dst : array, di : int} -> unit val exists : (elem -> bool) -> slice -> bool
  val find : (elem -> bool) -> slice -> elem option val findi : (int * elem -> bool) -> slice -> (int * elem) option
  val foldl : (elem * 'b -> 'b) -> 'b -> slice -> 'b val foldli : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> slice -> 'b val foldri : (int * elem * 'b -> 'b) -> 'b -> slice -> 'b
  val full : array -> slice val getItem : slice -> (elem * slice) option val isEmpty : slice -> bool val length : slice -> int
  val modify : (elem -> elem) -> slice -> unit val modifyi : (int * elem -> elem) -> slice -> unit
  val slice : array * int * int option -> slice val sub : slice * int -> elem val subslice : slice * int * int option -> slice
  val update : slice * int * elem -> unit val vector : slice -> vector
end
functor By (X : MONO_ARRAY_SLICE) : MONO_ARRAY_SLICE' = X
functor Of (X : MONO_ARRAY_SLICE') : MONO_ARRAY_SLICE = X

signature MONO_ARRAY2' =
sig
  eqtype array type elem type vector type region = {base : array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = datatype Array2.traversal
  val app : traversal -> (elem -> unit) -> array -> unit val appi : traversal -> (int * int * elem -> unit) -> region -> unit
  val array : int * int * elem -> array val column : array * int -> vector
  val copy : {src : region, dst : array, dst_row : int, dst_col : int} -> unit val dimensions : array -> int * int
  val fold : traversal -> (elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldi : traversal -> (int * int * elem * 'b -> 'b) -> 'b -> region -> 'b val fromList : elem list list -> array
  val modify : traversal -> (elem -> elem) -> array -> unit
  val modifyi : traversal -> (int * int * elem -> elem) -> region -> unit val nCols : array -> int val nRows : array -> int
  val row : array * int -> vector val sub : array * int * int -> elem
  val tabulate : traversal -> int * int * (int * int -> elem) -> array val update : array * int * int * elem -> unit
end
functor By (X : MONO_ARRAY2) : MONO_ARRAY2' = X
functor Of (X : MONO_ARRAY2') : MONO_ARRAY2 = X

signature PACK_WORD' =
sig
  val bytesPerElem : int val isBigEndian : bool val subArr : Word8Array.array * int -> LargeWord.word
  val subArrX : Word8Array.array * int -> LargeWord.word val subVec : Word8Vector.vector * int -> LargeWord.word
  val subVecX : Word8Vector.vector * int -> LargeWord.word val update : Word8Array.array * int * LargeWord.word -> unit
end
functor By (X : PACK_WORD) : PACK_WORD' = X
functor Of (X : PACK_WORD') : PACK_WORD = X

signature PACK_REAL' =
sig
  type real
  val bytesPerElem : int val fromBytes : Word8Vector.vector -> real val isBigEndian : bool
  val subArr : Word8Array.array * int -> real val subVec : Word8Vector.vector * int -> real
  val toBytes : real -> Word8Vector.vector val update : Word8Array.array * int * real -> unit
end
functor By (X : PACK_REAL) : PACK_REAL' = X
functor Of (X : PACK_REAL') : PACK_REAL = X

signature TIME' =
sig
  eqtype time exception Time
  val + : time * time -> time val - : time * time -> time val < : time * time -> bool val <= : time * time -> bool
  val > : time * time -> bool val >= : time * time -> bool val compare : time * time -> order val fmt : int -> time -> string
  val fromMicroseconds : LargeInt.int -> time val fromMilliseconds : LargeInt.int -> time
  val fromNanoseconds : LargeInt.int -> time val fromReal : LargeReal.real -> time val fromSeconds : LargeInt.int -> time
  val fromString : string -> time option val now : unit -> time
  val scan : (char, 'a) StringCvt.reader -> (time, 'a) StringCvt.reader val toMicroseconds : time -> LargeInt.int
  val toMilliseconds : time -> LargeInt.int val toNanoseconds : time -> LargeInt.int val toReal : time -> LargeReal.real
  val toSeconds : time -> LargeInt.int val toString : time -> string val zeroTime : time
end
functor By (X : TIME) : TIME' = X
functor Of (X : TIME') : TIME = X

signature TIMER' =
sig
  type cpu_timer type real_timer
  val checkCPUTimer : cpu_timer -> {usr : Time.time, sys : Time.time}
  val checkCPUTimes : cpu_timer -> {nongc : {usr : Time.time, sys : Time.time}, gc : {usr : Time.time, sys : Time.time}}
  val checkGCTime : cpu_timer -> Time.time val checkRealTimer : real_timer -> Time.time val startCPUTimer : unit -> cpu_timer
  val startRealTimer : unit -> real_timer val totalCPUTimer : unit -> cpu_timer val totalRealTimer : unit -> real_timer
end
functor By (X : TIMER) : TIMER' = X
functor Of (X : TIMER') : TIMER = X

signature DATE' =
sig
  datatype weekday = Mon | Tue | Wed | Thu | Fri | Sat | Sun
  datatype month = Jan | Feb | Mar | Apr | May | Jun | Jul | Aug | Sep | Oct | Nov | Dec type date exception Date
  val compare : date * date -> order
  val date : {year : int, month : month, day : int, hour : int, minute : int, second : int, offset : Time.time option} -> date
  val day : date -> int val fmt : string -> date -> string val fromString : string -> date option
  val fromTimeLocal : Time.time -> date val fromTimeUniv : Time.time -> date val hour : date -> int
  val isDst : date -> bool option val localOffset : unit -> Time.time val minute : date -> int val month : date -> month
  val offset : date -> Time.time option val scan : (char, 'a) StringCvt.reader -> (date, 'a) StringCvt.reader
  val second : date -> int val toString : date -> string val toTime : date -> Time.time val weekDay : date -> weekday
  val year : date -> int val yearDay : date -> int
end
functor By (X : DATE) : DATE' = X
functor Of (X : DATE') : DATE = X

signature COMMAND_LINE' =
sig
  val arguments : unit -> string list val name : unit -> string
end
functor By (X : COMMAND_LINE) : COMMAND_LINE' = X
functor Of (X : COMMAND_LINE') : COMMAND_LINE = X

signature OS_FILE_SYS' =
sig
  type dirstream datatype access_mode = A_READ | A_WRITE | A_EXEC eqtype file_id
  val access : string * access_mode list -> bool val chDir : string -> unit val closeDir : dirstream -> unit
  val compare : file_id * file_id -> order val fileId : string -> file_id val fileSize : string -> Position.int
  val fullPath : string -> string val getDir : unit -> string val hash : file_id -> word val isDir : string -> bool
  val isLink : string -> bool val mkDir : string -> unit val modTime : string -> Time.time val openDir : string -> dirstream
  val readDir : dirstream -> string option val readLink : string -> string val realPath : string -> string
  val remove : string -> unit val rename : {old : string, new : string} -> unit val rewindDir : dirstream -> unit
  val rmDir : string -> unit val setTime : string * Time.time option -> unit val tmpName : unit -> string
end
functor By (X : OS_FILE_SYS) : OS_FILE_SYS' = X
functor Of (X : OS_FILE_SYS') : OS_FILE_SYS = X

signature OS_IO' =
sig
  eqtype iodesc eqtype iodesc_kind
  structure Kind : sig
    val device : iodesc_kind val dir : iodesc_kind val file : iodesc_kind val pipe : iodesc_kind val socket : iodesc_kind
    val symlink : iodesc_kind val tty : iodesc_kind
  end
  eqtype poll_desc type poll_info exception Poll
  val compare : iodesc * iodesc -> order val hash : iodesc -> word val infoToPollDesc : poll_info -> poll_desc
  val isIn : poll_info -> bool val isOut : poll_info -> bool val isPri : poll_info -> bool val kind : iodesc -> iodesc_kind
  val poll : poll_desc list * Time.time option -> poll_info list val pollDesc : iodesc -> poll_desc option
  val pollIn : poll_desc -> poll_desc val pollOut : poll_desc -> poll_desc val pollPri : poll_desc -> poll_desc
  val pollToIODesc : poll_desc -> iodesc
end
functor By (X : OS_IO) : OS_IO' = X
functor Of (X : OS_IO') : OS_IO = X

signature OS_PATH' =
sig
  exception Path exception InvalidArc
  val base : string -> string val concat : string * string -> string val currentArc : string val dir : string -> string
  val ext : string -> string option val file : string -> string
  val fromString : string -> {isAbs : bool, vol : string, arcs : string list} val fromUnixPath : string -> string
  val getParent : string -> string val getVolume : string -> string val isAbsolute : string -> bool
  val isCanonical : string -> bool val isRelative : string -> bool val isRoot : string -> bool
  val joinBaseExt : {base : string, ext : string option} -> string val joinDirFile : {dir : string, file : string} -> string
  val mkAbsolute : {path : string, relativeTo : string} -> string val mkCanonical : string -> string
  val mkRelative : {path : string, relativeTo : string} -> string val parentArc : string
  val splitBaseExt : string -> {base : string, ext : string option} val splitDirFile : string -> {dir : string, file : string}
  val toString : {isAbs : bool, vol : string, arcs : string list} -> string val toUnixPath : string -> string
  val validVolume : {isAbs : bool, vol : string} -> bool
end
functor By (X : OS_PATH) : OS_PATH' = X
functor Of (X : OS_PATH') : OS_PATH = X

signature OS_PROCESS' =
sig
  type status
  val atExit : (unit -> unit) -> unit val exit : status -> 'a val failure : status val getEnv : string -> string option
  val isSuccess : status -> bool val sleep : Time.time -> unit val success : status val system : string -> status
  val terminate : status -> 'a
end
functor By (X : OS_PROCESS) : OS_PROCESS' = X
functor Of (X : OS_PROCESS') : OS_PROCESS = X

signature OS' =
sig
  structure FileSys : OS_FILE_SYS structure IO : OS_IO structure Path : OS_PATH structure Process : OS_PROCESS eqtype syserror
  exception SysErr of string * syserror option
  val errorMsg : syserror -> string val errorName : syserror -> string val syserror : string -> syserror option
end
functor By (X : OS) : OS' = X
functor Of (X : OS') : OS = X

signature IO' =
sig
  exception Io of {name : string, function : string, cause : exn} exception BlockingNotSupported
  exception NonblockingNotSupported exception RandomAccessNotSupported exception ClosedStream
  datatype buffer_mode = NO_BUF | LINE_BUF | BLOCK_BUF
end
functor By (X : IO) : IO' = X
functor Of (X : IO') : IO = X

signature PRIM_IO' =
sig
  type elem type vector type vector_slice type array type array_slice eqtype pos
  datatype reader = RD of {name : string, chunkSize : int, readVec : (int -> vector) option, readArr : (array_slice -> int)
    option, readVecNB : (int -> vector option) option, readArrNB : (array_slice -> int option) option, block : (unit -> unit)
    option, canInput : (unit -> bool) option, avail : unit -> int option, getPos : (unit -> pos) option, setPos : (pos ->
    unit) option, endPos : (unit -> pos) option, verifyPos : (unit -> pos) option, close : unit -> unit, ioDesc : OS.IO.iodesc
    option}
  datatype writer = WR of {name : string, chunkSize : int, writeVec : (vector_slice -> int) option, writeArr : (array_slice
    -> int) option, writeVecNB : (vector_slice -> int option) option, writeArrNB : (array_slice -> int option) option, block :
    (unit -> unit) option, canOutput : (unit -> bool) option, getPos : (unit -> pos) option, setPos : (pos -> unit) option,
    endPos : (unit -> pos) option, verifyPos : (unit -> pos) option, close : unit -> unit, ioDesc : OS.IO.iodesc option}
  val augmentReader : reader -> reader val augmentWriter : writer -> writer val compare : pos * pos -> order
  val nullRd : unit -> reader val nullWr : unit -> writer val openVector : vector -> reader
end
functor By (X : PRIM_IO) : PRIM_IO' = X
functor Of (X : PRIM_IO') : PRIM_IO = X

signature STREAM_IO' =
sig
  type elem type vector type instream type outstream type out_pos type reader type writer type pos
  val canInput : instream * int -> int option val closeIn : instream -> unit val closeOut : outstream -> unit
  val endOfStream : instream -> bool val filePosIn : instream -> pos val filePosOut : out_pos -> pos
  val flushOut : outstream -> unit val getBufferMode : outstream -> IO.buffer_mode val getPosOut : outstream -> out_pos
  val getReader : instream -> reader * vector val getWriter : outstream -> writer * IO.buffer_mode
  val input : instream -> vector * instream val input1 : instream -> (elem * instream) option
  val inputAll : instream -> vector * instream val inputN : instream * int -> vector * instream
  val mkInstream : reader * vector -> instream val mkOutstream : writer * IO.buffer_mode -> outstream
  val output : outstream * vector -> unit val output1 : outstream * elem -> unit
  val setBufferMode : outstream * IO.buffer_mode -> unit val setPosOut : out_pos -> outstream
end
functor By (X : STREAM_IO) : STREAM_IO' = X
functor Of (X : STREAM_IO') : STREAM_IO = X

signature IMPERATIVE_IO' =
sig
  structure StreamIO : STREAM_IO type vector = StreamIO.vector type elem = StreamIO.elem type instream type outstream
  val canInput : instream * int -> int option val closeIn : instream -> unit val closeOut : outstream -> unit
  val endOfStream : instream -> bool val flushOut : outstream -> unit val getInstream : instream -> StreamIO.instream
  val getOutstream : outstream -> StreamIO.outstream val getPosOut : outstream -> StreamIO.out_pos
  val input : instream -> vector val input1 : instream -> elem option val inputAll : instream -> vector
  val inputN : instream * int -> vector val lookahead : instream -> elem option val mkInstream : StreamIO.instream -> instream
  val mkOutstream : StreamIO.outstream -> outstream val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit val setInstream : instream * StreamIO.instream -> unit
  val setOutstream : outstream * StreamIO.outstream -> unit val setPosOut : outstream * StreamIO.out_pos -> unit
end
functor By (X : IMPERATIVE_IO) : IMPERATIVE_IO' = X
functor Of (X : IMPERATIVE_IO') : IMPERATIVE_IO = X

signature TEXT_STREAM_IO' =
sig
  include STREAM_IO where type vector = CharVector.vector where type elem = Char.char
  val inputLine : instream -> (string * instream) option val outputSubstr : outstream * substring -> unit
end
functor By (X : TEXT_STREAM_IO) : TEXT_STREAM_IO' = X
functor Of (X : TEXT_STREAM_IO') : TEXT_STREAM_IO = X

signature TEXT_IO' =
sig
  structure StreamIO : TEXT_STREAM_IO where type reader = TextPrimIO.reader where type writer = TextPrimIO.writer where type
    pos = TextPrimIO.pos
  type vector = StreamIO.vector type elem = StreamIO.elem type instream type outstream
  val canInput : instream * int -> int option val closeIn : instream -> unit val closeOut : outstream -> unit
  val endOfStream : instream -> bool val flushOut : outstream -> unit val getInstream : instream -> StreamIO.instream
  val getOutstream : outstream -> StreamIO.outstream val getPosOut : outstream -> StreamIO.out_pos
  val input : instream -> vector val input1 : instream -> elem option val inputAll : instream -> vector
  val inputLine : instream -> string option val inputN : instream * int -> vector val lookahead : instream -> elem option
  val mkInstream : StreamIO.instream -> instream val mkOutstream : StreamIO.outstream -> outstream
  val openAppend : string -> outstream val openIn : string -> instream val openOut : string -> outstream
  val openString : string -> instream val output : outstream * vector -> unit val output1 : outstream * elem -> unit
  val outputSubstr : outstream * substring -> unit val print : string -> unit
  val scanStream : ((Char.char, StreamIO.instream) StringCvt.reader -> ('a, StreamIO.instream) StringCvt.reader) -> instream
    -> 'a option
  val setInstream : instream * StreamIO.instream -> unit val setOutstream : outstream * StreamIO.outstream -> unit
  val setPosOut : outstream * StreamIO.out_pos -> unit val stdErr : outstream val stdIn : instream val stdOut : outstream
end
functor By (X : TEXT_IO) : TEXT_IO' = X
functor Of (X : TEXT_IO') : TEXT_IO = X

signature BIN_IO' =
sig
  include IMPERATIVE_IO where type StreamIO.vector = Word8Vector.vector where type StreamIO.elem = Word8.word where type
    StreamIO.reader = BinPrimIO.reader where type StreamIO.writer = BinPrimIO.writer where type StreamIO.pos = BinPrimIO.pos
  val openAppend : string -> outstream val openIn : string -> instream val openOut : string -> outstream
end
functor By (X : BIN_IO) : BIN_IO' = X
functor Of (X : BIN_IO') : BIN_IO = X

signature BIT_FLAGS' =
sig
  eqtype flags
  val all : flags val allSet : flags * flags -> bool val anySet : flags * flags -> bool val clear : flags * flags -> flags
  val flags : flags list -> flags val fromWord : SysWord.word -> flags val intersect : flags list -> flags
  val toWord : flags -> SysWord.word
end
functor By (X : BIT_FLAGS) : BIT_FLAGS' = X
functor Of (X : BIT_FLAGS') : BIT_FLAGS = X

signature POSIX_ERROR' =
sig
  type syserror = OS.syserror
  val acces : syserror val again : syserror val badf : syserror val badmsg : syserror val busy : syserror
  val canceled : syserror val child : syserror val deadlk : syserror val dom : syserror val errorMsg : syserror -> string
  val errorName : syserror -> string val exist : syserror val fault : syserror val fbig : syserror
  val fromWord : SysWord.word -> syserror val inprogress : syserror val intr : syserror val inval : syserror val io : syserror
  val isdir : syserror val loop : syserror val mfile : syserror val mlink : syserror val msgsize : syserror
  val nametoolong : syserror val nfile : syserror val nodev : syserror val noent : syserror val noexec : syserror
  val nolck : syserror val nomem : syserror val nospc : syserror val nosys : syserror val notdir : syserror
  val notempty : syserror val notsup : syserror val notty : syserror val nxio : syserror val perm : syserror val pipe : syserror
  val range : syserror val rofs : syserror val spipe : syserror val srch : syserror val syserror : string -> syserror option
  val toobig : syserror val toWord : syserror -> SysWord.word val xdev : syserror
end
functor By (X : POSIX_ERROR) : POSIX_ERROR' = X
functor Of (X : POSIX_ERROR') : POSIX_ERROR = X

signature POSIX_SIGNAL' =
sig
  eqtype signal
  val abrt : signal val alrm : signal val bus : signal val chld : signal val cont : signal val fpe : signal
  val fromWord : SysWord.word -> signal val hup : signal val ill : signal val int : signal val kill : signal val pipe : signal
  val quit : signal val segv : signal val stop : signal val term : signal val toWord : signal -> SysWord.word val tstp : signal
  val ttin : signal val ttou : signal val usr1 : signal val usr2 : signal
end
functor By (X : POSIX_SIGNAL) : POSIX_SIGNAL' = X
functor Of (X : POSIX_SIGNAL') : POSIX_SIGNAL = X

signature POSIX_PROCESS' =
sig
  eqtype signal eqtype pid datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
  datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
  structure W : sig include BIT_FLAGS val untraced : flags end
  datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
  val alarm : Time.time -> Time.time val exec : string * string list -> 'a val exece : string * string list * string list -> 'a
  val execp : string * string list -> 'a val exit : Word8.word -> 'a val fork : unit -> pid option
  val fromStatus : OS.Process.status -> exit_status val kill : killpid_arg * signal -> unit val pause : unit -> unit
  val pidToWord : pid -> SysWord.word val sleep : Time.time -> Time.time val wait : unit -> pid * exit_status
  val waitpid : waitpid_arg * W.flags list -> pid * exit_status
  val waitpid_nh : waitpid_arg * W.flags list -> (pid * exit_status) option val wordToPid : SysWord.word -> pid
end
functor By (X : POSIX_PROCESS) : POSIX_PROCESS' = X
functor Of (X : POSIX_PROCESS') : POSIX_PROCESS = X

signature POSIX_PROC_ENV' =
sig
  eqtype pid eqtype uid eqtype gid eqtype file_desc
  val ctermid : unit -> string val environ : unit -> string list val getegid : unit -> gid val getenv : string -> string option
  val geteuid : unit -> uid val getgid : unit -> gid val getgroups : unit -> gid list val getlogin : unit -> string
  val getpgrp : unit -> pid val getpid : unit -> pid val getppid : unit -> pid val getuid : unit -> uid
  val gidToWord : gid -> SysWord.word val isatty : file_desc -> bool val setgid : gid -> unit
  val setpgid : {pid : pid option, pgid : pid option} -> unit val setsid : unit -> pid val setuid : uid -> unit
  val sysconf : string -> SysWord.word val time : unit -> Time.time
  val times : unit -> {elapsed : Time.time, utime : Time.time, stime : Time.time, cutime : Time.time, cstime : Time.time}
  val ttyname : file_desc -> string val uidToWord : uid -> SysWord.word val uname : unit -> (string * string) list
  val wordToGid : SysWord.word -> gid val wordToUid : SysWord.word -> uid
end
functor By (X : POSIX_PROC_ENV) : POSIX_PROC_ENV' = X
functor Of (X : POSIX_PROC_ENV') : POSIX_PROC_ENV = X

signature POSIX_FILE_SYS' =
sig
  eqtype uid eqtype gid eqtype file_desc type dirstream
  structure S : sig
    eqtype mode include BIT_FLAGS where type flags = mode
    val irgrp : mode val iroth : mode val irusr : mode val irwxg : mode val irwxo : mode val irwxu : mode val isgid : mode
    val isuid : mode val iwgrp : mode val iwoth : mode val iwusr : mode val ixgrp : mode val ixoth : mode val ixusr : mode
  end
  structure O : sig
    include BIT_FLAGS
    val append : flags val excl : flags val noctty : flags val nonblock : flags val sync : flags val trunc : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR eqtype dev eqtype ino
  structure ST : sig
    type stat
    val atime : stat -> Time.time val ctime : stat -> Time.time val dev : stat -> dev val gid : stat -> gid
    val ino : stat -> ino val isBlk : stat -> bool val isChr : stat -> bool val isDir : stat -> bool val isFIFO : stat -> bool
    val isLink : stat -> bool val isReg : stat -> bool val isSock : stat -> bool val mode : stat -> S.mode
    val mtime : stat -> Time.time val nlink : stat -> int val size : stat -> Position.int val uid : stat -> uid
  end
  datatype access_mode = A_READ | A_WRITE | A_EXEC
  val access : string * access_mode list -> bool val chdir : string -> unit val chmod : string * S.mode -> unit
  val chown : string * uid * gid -> unit val closedir : dirstream -> unit val creat : string * S.mode -> file_desc
  val createf : string * open_mode * O.flags * S.mode -> file_desc val devToWord : dev -> SysWord.word
  val fchmod : file_desc * S.mode -> unit val fchown : file_desc * uid * gid -> unit val fdToIOD : file_desc -> OS.IO.iodesc
  val fdToWord : file_desc -> SysWord.word val fpathconf : file_desc * string -> SysWord.word option
  val fstat : file_desc -> ST.stat val ftruncate : file_desc * Position.int -> unit val getcwd : unit -> string
  val inoToWord : ino -> SysWord.word val iodToFD : OS.IO.iodesc -> file_desc option
  val link : {old : string, new : string} -> unit val lstat : string -> ST.stat val mkdir : string * S.mode -> unit
  val mkfifo : string * S.mode -> unit val opendir : string -> dirstream val openf : string * open_mode * O.flags -> file_desc
  val pathconf : string * string -> SysWord.word option val readdir : dirstream -> string option val readlink : string -> string
  val rename : {old : string, new : string} -> unit val rewinddir : dirstream -> unit val rmdir : string -> unit
  val stat : string -> ST.stat val stderr : file_desc val stdin : file_desc val stdout : file_desc
  val symlink : {old : string, new : string} -> unit val umask : S.mode -> S.mode val unlink : string -> unit
  val utime : string * {actime : Time.time, modtime : Time.time} option -> unit val wordToDev : SysWord.word -> dev
  val wordToFD : SysWord.word -> file_desc val wordToIno : SysWord.word -> ino
end
functor By (X : POSIX_FILE_SYS) : POSIX_FILE_SYS' = X
functor Of (X : POSIX_FILE_SYS') : POSIX_FILE_SYS = X

signature POSIX_IO' =
sig
  eqtype file_desc eqtype pid datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
  structure FD : sig include BIT_FLAGS val cloexec : flags end
  structure O : sig include BIT_FLAGS val append : flags val nonblock : flags val sync : flags end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR datatype lock_type = F_RDLCK | F_WRLCK | F_UNLCK
  structure FLock : sig
    type flock
    val flock : {ltype : lock_type, whence : whence, start : Position.int, len : Position.int, pid : pid option} -> flock
    val len : flock -> Position.int val ltype : flock -> lock_type val pid : flock -> pid option
    val start : flock -> Position.int val whence : flock -> whence
  end
  val close : file_desc -> unit val dup : file_desc -> file_desc val dup2 : {old : file_desc, new : file_desc} -> unit
  val dupfd : {old : file_desc, base : file_desc} -> file_desc val fsync : file_desc -> unit val getfd : file_desc -> FD.flags
  val getfl : file_desc -> O.flags * open_mode val getlk : file_desc * FLock.flock -> FLock.flock
  val lseek : file_desc * Position.int * whence -> Position.int
  val mkBinReader : {fd : file_desc, name : string, initBlkMode : bool} -> BinPrimIO.reader
  val mkBinWriter : {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} -> BinPrimIO.writer
  val mkTextReader : {fd : file_desc, name : string, initBlkMode : bool} -> TextPrimIO.reader
  val mkTextWriter : {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} ->
    TextPrimIO.writer
  val pipe : unit -> {infd : file_desc, outfd : file_desc} val readArr : file_desc * Word8ArraySlice.slice -> int
  val readVec : file_desc * int -> Word8Vector.vector val setfd : file_desc * FD.flags -> unit
  val setfl : file_desc * O.flags -> unit val setlk : file_desc * FLock.flock -> FLock.flock
  val setlkw : file_desc * FLock.flock -> FLock.flock val writeArr : file_desc * Word8ArraySlice.slice -> int
  val writeVec : file_desc * Word8VectorSlice.slice -> int
end
functor By (X : POSIX_IO) : POSIX_IO' = X
functor Of (X : POSIX_IO') : POSIX_IO = X

signature POSIX_SYS_DB' =
sig
  eqtype uid eqtype gid
  structure Passwd : sig
    type passwd
    val gid : passwd -> gid val home : passwd -> string val name : passwd -> string val shell : passwd -> string
    val uid : passwd -> uid
  end
  structure Group : sig type group val gid : group -> gid val members : group -> string list val name : group -> string end
  val getgrgid : gid -> Group.group val getgrnam : string -> Group.group val getpwnam : string -> Passwd.passwd
  val getpwuid : uid -> Passwd.passwd
end
functor By (X : POSIX_SYS_DB) : POSIX_SYS_DB' = X
functor Of (X : POSIX_SYS_DB') : POSIX_SYS_DB = X

signature POSIX_TTY' =
sig
  eqtype pid eqtype file_desc
  structure V : sig
    type cc
    val cc : (int * char) list -> cc val eof : int val eol : int val erase : int val intr : int val kill : int val min : int
    val nccs : int val quit : int val start : int val stop : int val sub : cc * int -> char val susp : int val time : int
    val update : cc * (int * char) list -> cc
  end
  structure I : sig
    include BIT_FLAGS
    val brkint : flags val icrnl : flags val ignbrk : flags val igncr : flags val ignpar : flags val inlcr : flags
    val inpck : flags val istrip : flags val ixoff : flags val ixon : flags val parmrk : flags
  end
  structure O : sig include BIT_FLAGS val opost : flags end
  structure C : sig
    include BIT_FLAGS
    val clocal : flags val cread : flags val cs5 : flags val cs6 : flags val cs7 : flags val cs8 : flags val csize : flags
    val cstopb : flags val hupcl : flags val parenb : flags val parodd : flags
  end
  structure L : sig
    include BIT_FLAGS
    val echo : flags val echoe : flags val echok : flags val echonl : flags val icanon : flags val iexten : flags
    val isig : flags val noflsh : flags val tostop : flags
  end
  eqtype speed type termios
  structure CF : sig
    val getispeed : termios -> speed val getospeed : termios -> speed val setispeed : termios * speed -> termios
    val setospeed : termios * speed -> termios
  end
  structure TC : sig
    eqtype set_action eqtype flow_action eqtype queue_sel
    val drain : file_desc -> unit val flow : file_desc * flow_action -> unit val flush : file_desc * queue_sel -> unit
    val getattr : file_desc -> termios val getpgrp : file_desc -> pid val iflush : queue_sel val ioff : flow_action
    val ioflush : queue_sel val ion : flow_action val oflush : queue_sel val ooff : flow_action val oon : flow_action
    val sadrain : set_action val saflush : set_action val sanow : set_action val sendbreak : file_desc * int -> unit
    val setattr : file_desc * set_action * termios -> unit val setpgrp : file_desc * pid -> unit
  end
  val b0 : speed val b110 : speed val b1200 : speed val b134 : speed val b150 : speed val b1800 : speed val b19200 : speed
  val b200 : speed val b2400 : speed val b300 : speed val b38400 : speed val b4800 : speed val b50 : speed val b600 : speed
  val b75 : speed val b9600 : speed val compareSpeed : speed * speed -> order
  val fieldsOf : termios -> {iflag : I.flags, oflag : O.flags, cflag : C.flags, lflag : L.flags, cc : V.cc, ispeed : speed,
    ospeed : speed}
  val getcc : termios -> V.cc val getcflag : termios -> C.flags val getiflag : termios -> I.flags
  val getlflag : termios -> L.flags val getoflag : termios -> O.flags val speedToWord : speed -> SysWord.word
  val termios : {iflag : I.flags, oflag : O.flags, cflag : C.flags, lflag : L.flags, cc : V.cc, ispeed : speed, ospeed :
    speed} -> termios
  val wordToSpeed : SysWord.word -> speed
end
functor By (X : POSIX_TTY) : POSIX_TTY' = X
functor Of (X : POSIX_TTY') : POSIX_TTY = X

signature POSIX' =
sig
  structure Error : POSIX_ERROR structure Signal : POSIX_SIGNAL
  structure Process : POSIX_PROCESS where type signal = Signal.signal
  structure ProcEnv : POSIX_PROC_ENV where type pid = Process.pid
  structure FileSys : POSIX_FILE_SYS where type file_desc = ProcEnv.file_desc where type uid = ProcEnv.uid where type gid =
    ProcEnv.gid
  structure IO : POSIX_IO where type pid = Process.pid where type file_desc = ProcEnv.file_desc where type open_mode =
    FileSys.open_mode
  structure SysDB : POSIX_SYS_DB where type uid = ProcEnv.uid where type gid = ProcEnv.gid
  structure TTY : POSIX_TTY where type pid = Process.pid where type file_desc = ProcEnv.file_desc
end
functor By (X : POSIX) : POSIX' = X
functor Of (X : POSIX') : POSIX = X

signature UNIX' =
sig
  type ('a,'b) proc type signal
  datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
  val binInstreamOf : (BinIO.instream, 'a) proc -> BinIO.instream
  val binOutstreamOf : ('a, BinIO.outstream) proc -> BinIO.outstream val execute : string * string list -> ('a, 'b) proc
  val executeInEnv : string * string list * string list -> ('a, 'b) proc val exit : Word8.word -> 'a
  val fromStatus : OS.Process.status -> exit_status val kill : ('a, 'b) proc * signal -> unit
  val reap : ('a, 'b) proc -> OS.Process.status
  val streamsOf : (TextIO.instream, TextIO.outstream) proc -> TextIO.instream * TextIO.outstream
  val textInstreamOf : (TextIO.instream, 'a) proc -> TextIO.instream
  val textOutstreamOf : ('a, TextIO.outstream) proc -> TextIO.outstream
end
functor By (X : UNIX) : UNIX' = X
functor Of (X : UNIX') : UNIX = X

signature NET_HOST_DB' =
sig
  eqtype in_addr eqtype addr_family type entry
  val addr : entry -> in_addr val addrs : entry -> in_addr list val addrType : entry -> addr_family
  val aliases : entry -> string list val fromString : string -> in_addr option val getByAddr : in_addr -> entry option
  val getByName : string -> entry option val getHostName : unit -> string val name : entry -> string
  val scan : (char, 'a) StringCvt.reader -> (in_addr, 'a) StringCvt.reader val toString : in_addr -> string
end
functor By (X : NET_HOST_DB) : NET_HOST_DB' = X
functor Of (X : NET_HOST_DB') : NET_HOST_DB = X

signature NET_PROT_DB' =
sig
  type entry
  val aliases : entry -> string list val getByName : string -> entry option val getByNumber : int -> entry option
  val name : entry -> string val protocol : entry -> int
end
functor By (X : NET_PROT_DB) : NET_PROT_DB' = X
functor Of (X : NET_PROT_DB') : NET_PROT_DB = X

signature NET_SERV_DB' =
sig
  type entry
  val aliases : entry -> string list val getByName : string * string option -> entry option
  val getByPort : int * string option -> entry option val name : entry -> string val port : entry -> int
  val protocol : entry -> string
end
functor By (X : NET_SERV_DB) : NET_SERV_DB' = X
functor Of (X : NET_SERV_DB') : NET_SERV_DB = X

signature SOCKET' =
sig
  type ('af,'sock_type) sock type 'af sock_addr type dgram type 'mode stream type passive type active
  structure AF : sig
    type addr_family = NetHostDB.addr_family
    val fromString : string -> addr_family option val list : unit -> (string * addr_family) list
    val toString : addr_family -> string
  end
  structure SOCK : sig
    eqtype sock_type
    val dgram : sock_type val fromString : string -> sock_type option val list : unit -> (string * sock_type) list
    val stream : sock_type val toString : sock_type -> string
  end
  structure Ctl : sig
    val getATMARK : ('af, active stream) sock -> bool val getBROADCAST : ('af, 'sock_type) sock -> bool
    val getDEBUG : ('af, 'sock_type) sock -> bool val getDONTROUTE : ('af, 'sock_type) sock -> bool
    val getERROR : ('af, 'sock_type) sock -> bool val getKEEPALIVE : ('af, 'sock_type) sock -> bool
    val getLINGER : ('af, 'sock_type) sock -> Time.time option val getNREAD : ('af, 'sock_type) sock -> int
    val getOOBINLINE : ('af, 'sock_type) sock -> bool val getPeerName : ('af, 'sock_type) sock -> 'af sock_addr
    val getRCVBUF : ('af, 'sock_type) sock -> int val getREUSEADDR : ('af, 'sock_type) sock -> bool
    val getSNDBUF : ('af, 'sock_type) sock -> int val getSockName : ('af, 'sock_type) sock -> 'af sock_addr
    val getTYPE : ('af, 'sock_type) sock -> SOCK.sock_type val setBROADCAST : ('af, 'sock_type) sock * bool -> unit
    val setDEBUG : ('af, 'sock_type) sock * bool -> unit val setDONTROUTE : ('af, 'sock_type) sock * bool -> unit
    val setKEEPALIVE : ('af, 'sock_type) sock * bool -> unit val setLINGER : ('af, 'sock_type) sock * Time.time option -> unit
    val setOOBINLINE : ('af, 'sock_type) sock * bool -> unit val setRCVBUF : ('af, 'sock_type) sock * int -> unit
    val setREUSEADDR : ('af, 'sock_type) sock * bool -> unit val setSNDBUF : ('af, 'sock_type) sock * int -> unit
  end
  datatype shutdown_mode = NO_RECVS | NO_SENDS | NO_RECVS_OR_SENDS type sock_desc
  type out_flags = {don't_route : bool, oob : bool} type in_flags = {peek : bool, oob : bool}
  val accept : ('af, passive stream) sock -> ('af, active stream) sock * 'af sock_addr
  val acceptNB : ('af, passive stream) sock -> (('af, active stream) sock * 'af sock_addr) option
  val bind : ('af, 'sock_type) sock * 'af sock_addr -> unit val close : ('af, 'sock_type) sock -> unit
  val connect : ('af, 'sock_type) sock * 'af sock_addr -> unit val connectNB : ('af, 'sock_type) sock * 'af sock_addr -> bool
  val familyOfAddr : 'af sock_addr -> AF.addr_family val ioDesc : ('af, 'sock_type) sock -> OS.IO.iodesc
  val listen : ('af, passive stream) sock * int -> unit val recvArr : ('af, active stream) sock * Word8ArraySlice.slice -> int
  val recvArr' : ('af, active stream) sock * Word8ArraySlice.slice * in_flags -> int
  val recvArrFrom : ('af, dgram) sock * Word8ArraySlice.slice -> int * 'af sock_addr
  val recvArrFrom' : ('af, dgram) sock * Word8ArraySlice.slice * in_flags -> int * 'af sock_addr
  val recvArrFromNB : ('af, dgram) sock * Word8ArraySlice.slice -> (int * 'af sock_addr) option
  val recvArrFromNB' : ('af, dgram) sock * Word8ArraySlice.slice * in_flags -> (int * 'af sock_addr) option
  val recvArrNB : ('af, active stream) sock * Word8ArraySlice.slice -> int option
  val recvArrNB' : ('af, active stream) sock * Word8ArraySlice.slice * in_flags -> int option
  val recvVec : ('af, active stream) sock * int -> Word8Vector.vector
  val recvVec' : ('af, active stream) sock * int * in_flags -> Word8Vector.vector
  val recvVecFrom : ('af, dgram) sock * int -> Word8Vector.vector * 'af sock_addr
  val recvVecFrom' : ('af, dgram) sock * int * in_flags -> Word8Vector.vector * 'af sock_addr
  val recvVecFromNB : ('af, dgram) sock * int -> (Word8Vector.vector * 'af sock_addr) option
  val recvVecFromNB' : ('af, dgram) sock * int * in_flags -> (Word8Vector.vector * 'af sock_addr) option
  val recvVecNB : ('af, active stream) sock * int -> Word8Vector.vector option
  val recvVecNB' : ('af, active stream) sock * int * in_flags -> Word8Vector.vector option
  val sameAddr : 'af sock_addr * 'af sock_addr -> bool val sameDesc : sock_desc * sock_desc -> bool
  val select : {rds : sock_desc list, wrs : sock_desc list, exs : sock_desc list, timeout : Time.time option} -> {rds :
    sock_desc list, wrs : sock_desc list, exs : sock_desc list}
  val sendArr : ('af, active stream) sock * Word8ArraySlice.slice -> int
  val sendArr' : ('af, active stream) sock * Word8ArraySlice.slice * out_flags -> int
  val sendArrNB : ('af, active stream) sock * Word8ArraySlice.slice -> int option
  val sendArrNB' : ('af, active stream) sock * Word8ArraySlice.slice * out_flags -> int option
  val sendArrTo : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice -> unit
  val sendArrTo' : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice * out_flags -> unit
  val sendArrToNB : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice -> bool
  val sendArrToNB' : ('af, dgram) sock * 'af sock_addr * Word8ArraySlice.slice * out_flags -> bool
  val sendVec : ('af, active stream) sock * Word8VectorSlice.slice -> int
  val sendVec' : ('af, active stream) sock * Word8VectorSlice.slice * out_flags -> int
  val sendVecNB : ('af, active stream) sock * Word8VectorSlice.slice -> int option
  val sendVecNB' : ('af, active stream) sock * Word8VectorSlice.slice * out_flags -> int option
  val sendVecTo : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice -> unit
  val sendVecTo' : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice * out_flags -> unit
  val sendVecToNB : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice -> bool
  val sendVecToNB' : ('af, dgram) sock * 'af sock_addr * Word8VectorSlice.slice * out_flags -> bool
  val shutdown : ('af, 'mode stream) sock * shutdown_mode -> unit val sockDesc : ('af, 'sock_type) sock -> sock_desc
end
functor By (X : SOCKET) : SOCKET' = X
functor Of (X : SOCKET') : SOCKET = X

signature GENERIC_SOCK' =
sig
  val socket : Socket.AF.addr_family * Socket.SOCK.sock_type -> ('af, 'sock_type) Socket.sock
  val socket' : Socket.AF.addr_family * Socket.SOCK.sock_type * int -> ('af, 'sock_type) Socket.sock
  val socketPair : Socket.AF.addr_family * Socket.SOCK.sock_type -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type)
    Socket.sock
  val socketPair' : Socket.AF.addr_family * Socket.SOCK.sock_type * int -> ('af, 'sock_type) Socket.sock * ('af, 'sock_type)
    Socket.sock
end
functor By (X : GENERIC_SOCK) : GENERIC_SOCK' = X
functor Of (X : GENERIC_SOCK') : GENERIC_SOCK = X

signature INET_SOCK' =
sig
  type inet type 'sock_type sock = (inet, 'sock_type) Socket.sock type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock type sock_addr = inet Socket.sock_addr
  structure UDP : sig val socket : unit -> dgram_sock val socket' : int -> dgram_sock end
  structure TCP : sig
    val getNODELAY : 'mode stream_sock -> bool val setNODELAY : 'mode stream_sock * bool -> unit
    val socket : unit -> 'mode stream_sock val socket' : int -> 'mode stream_sock
  end
  val any : int -> sock_addr val fromAddr : sock_addr -> NetHostDB.in_addr * int val inetAF : Socket.AF.addr_family
  val toAddr : NetHostDB.in_addr * int -> sock_addr
end
functor By (X : INET_SOCK) : INET_SOCK' = X
functor Of (X : INET_SOCK') : INET_SOCK = X

signature UNIX_SOCK' =
sig
  type unix type 'sock_type sock = (unix, 'sock_type) Socket.sock type 'mode stream_sock = 'mode Socket.stream sock
  type dgram_sock = Socket.dgram sock type sock_addr = unix Socket.sock_addr
  structure Strm : sig val socket : unit -> 'mode stream_sock val socketPair : unit -> 'mode stream_sock * 'mode stream_sock end
  structure DGrm : sig val socket : unit -> dgram_sock val socketPair : unit -> dgram_sock * dgram_sock end
  val fromAddr : sock_addr -> string val toAddr : string -> sock_addr val unixAF : Socket.AF.addr_family
end
functor By (X : UNIX_SOCK) : UNIX_SOCK' = X
functor Of (X : UNIX_SOCK') : UNIX_SOCK = X

(* The structures. *)
structure X : ARRAY_SLICE = ArraySlice structure X : ARRAY = Array structure X : ARRAY2 = Array2 structure X : BIN_IO = BinIO
structure X : BOOL = Bool structure X : BYTE = Byte
structure X : CHAR where type char = char where type string = String.string = Char structure X : COMMAND_LINE = CommandLine
structure X : DATE = Date structure X : GENERAL = General structure X : GENERIC_SOCK = GenericSock
structure X : IEEE_REAL = IEEEReal structure X : INET_SOCK = INetSock structure X : INT_INF = IntInf
structure X : INTEGER where type int = int = Int structure X : INTEGER = FixedInt structure X : INTEGER = LargeInt
structure X : INTEGER = Int1 structure X : INTEGER = Int2 structure X : INTEGER = Int3 structure X : INTEGER = Int4
structure X : INTEGER = Int5 structure X : INTEGER = Int6 structure X : INTEGER = Int7 structure X : INTEGER = Int8
structure X : INTEGER = Int9 structure X : INTEGER = Int10 structure X : INTEGER = Int11 structure X : INTEGER = Int12
structure X : INTEGER = Int13 structure X : INTEGER = Int14 structure X : INTEGER = Int15 structure X : INTEGER = Int16
structure X : INTEGER = Int17 structure X : INTEGER = Int18 structure X : INTEGER = Int19 structure X : INTEGER = Int20
structure X : INTEGER = Int21 structure X : INTEGER = Int22 structure X : INTEGER = Int23 structure X : INTEGER = Int24
structure X : INTEGER = Int25 structure X : INTEGER = Int26 structure X : INTEGER = Int27 structure X : INTEGER = Int28
structure X : INTEGER = Int29 structure X : INTEGER = Int30 structure X : INTEGER = Int31 structure X : INTEGER = Int32
structure X : INTEGER = Int64 structure X : INTEGER = Position structure X : IO = IO structure X : LIST_PAIR = ListPair
structure X : LIST = List structure X : MATH where type real = Real.real = Math structure X : NET_HOST_DB = NetHostDB
structure X : OPTION = Option structure X : OS_FILE_SYS = OS.FileSys structure X : OS_IO = OS.IO structure X : OS_PATH = OS.Path
structure X : OS_PROCESS = OS.Process structure X : OS = OS structure X : PACK_REAL where type real = Real.real = PackRealBig
structure X : PACK_REAL where type real = Real.real = PackRealLittle
structure X : PACK_REAL where type real = Real32.real = PackReal32Big
structure X : PACK_REAL where type real = Real64.real = PackReal64Big
structure X : PACK_REAL where type real = Real32.real = PackReal32Little
structure X : PACK_REAL where type real = Real64.real = PackReal64Little structure X : PACK_WORD = PackWord8Big
structure X : PACK_WORD = PackWord16Big structure X : PACK_WORD = PackWord32Big structure X : PACK_WORD = PackWord64Big
structure X : PACK_WORD = PackWord8Little structure X : PACK_WORD = PackWord16Little structure X : PACK_WORD = PackWord32Little
structure X : PACK_WORD = PackWord64Little structure X : POSIX_ERROR = Posix.Error structure X : POSIX_FILE_SYS = Posix.FileSys
structure X : POSIX_IO = Posix.IO structure X : POSIX_PROC_ENV = Posix.ProcEnv structure X : POSIX_PROCESS = Posix.Process
structure X : POSIX_SIGNAL = Posix.Signal structure X : POSIX_SYS_DB = Posix.SysDB structure X : POSIX_TTY = Posix.TTY
structure X : POSIX = Posix
structure X : PRIM_IO where type array = Word8Array.array where type vector = Word8Vector.vector where type elem = Word8.word
  where type pos = Position.int = BinPrimIO
structure X : PRIM_IO where type array = CharArray.array where type vector = CharVector.vector where type elem = Char.char =
  TextPrimIO
structure X : NET_PROT_DB = NetProtDB structure X : REAL where type real = real = Real structure X : REAL = LargeReal
structure X : REAL = Real32 structure X : REAL = Real64 structure X : NET_SERV_DB = NetServDB structure X : SOCKET = Socket
structure X : STRING_CVT = StringCvt
structure X : STRING where type string = string where type string = CharVector.vector where type char = Char.char = String
structure X : SUBSTRING where type substring = CharVectorSlice.slice where type string = String.string where type char =
  Char.char = Substring
structure X : TEXT_IO = TextIO
structure X : TEXT where type Char.char = Char.char where type String.string = String.string where type Substring.substring =
  Substring.substring where type CharVector.vector = CharVector.vector where type CharArray.array = CharArray.array where type
  CharVectorSlice.slice = CharVectorSlice.slice where type CharArraySlice.slice = CharArraySlice.slice = Text
structure X : TIME = Time structure X : TIMER = Timer structure X : UNIX_SOCK = UnixSock structure X : UNIX = Unix
structure X : VECTOR_SLICE = VectorSlice structure X : VECTOR = Vector structure X : WORD where type word = word = Word
structure X : WORD = Word8 structure X : WORD = LargeWord structure X : WORD = Word16 structure X : WORD = Word32
structure X : WORD = Word64 structure X : WORD = SysWord

functor Sequences
  (type elem
   structure Vector : MONO_VECTOR where type elem = elem
   structure VectorSlice : MONO_VECTOR_SLICE where type elem = elem where type vector = Vector.vector
   structure Array : MONO_ARRAY where type elem = elem where type vector = Vector.vector
   structure ArraySlice : MONO_ARRAY_SLICE
     where type elem = elem where type vector = Vector.vector
     where type vector_slice = VectorSlice.slice where type array = Array.array
   structure Array2 : MONO_ARRAY2 where type elem = elem where type vector = Vector.vector) =
struct
end
structure X : MONO_VECTOR where type vector = String.string = CharVector
structure X : MONO_VECTOR_SLICE where type slice = Substring.substring = CharVectorSlice
structure X =
  Sequences (type elem = Word8.word structure Vector = Word8Vector structure VectorSlice = Word8VectorSlice structure Array
    = Word8Array
             structure ArraySlice = Word8ArraySlice structure Array2 = Word8Array2)
structure X =
  Sequences (type elem = char structure Vector = CharVector structure VectorSlice = CharVectorSlice structure Array = CharArray
             structure ArraySlice = CharArraySlice structure Array2 = CharArray2)
structure X =
  Sequences (type elem = bool structure Vector = BoolVector structure VectorSlice = BoolVectorSlice structure Array = BoolArray
             structure ArraySlice = BoolArraySlice structure Array2 = BoolArray2)
structure X =
  Sequences (type elem = int structure Vector = IntVector structure VectorSlice = IntVectorSlice structure Array = IntArray
             structure ArraySlice = IntArraySlice structure Array2 = IntArray2)
structure X =
  Sequences (type elem = word structure Vector = WordVector structure VectorSlice = WordVectorSlice structure Array = WordArray
             structure ArraySlice = WordArraySlice structure Array2 = WordArray2)
structure X =
  Sequences (type elem = real structure Vector = RealVector structure VectorSlice = RealVectorSlice structure Array = RealArray
             structure ArraySlice = RealArraySlice structure Array2 = RealArray2)
structure X =
  Sequences (type elem = LargeInt.int structure Vector = LargeIntVector structure VectorSlice = LargeIntVectorSlice
    structure Array = LargeIntArray
             structure ArraySlice = LargeIntArraySlice structure Array2 = LargeIntArray2)
structure X =
  Sequences (type elem = LargeWord.word structure Vector = LargeWordVector structure VectorSlice = LargeWordVectorSlice
    structure Array = LargeWordArray
             structure ArraySlice = LargeWordArraySlice structure Array2 = LargeWordArray2)
structure X =
  Sequences (type elem = LargeReal.real structure Vector = LargeRealVector structure VectorSlice = LargeRealVectorSlice
    structure Array = LargeRealArray
             structure ArraySlice = LargeRealArraySlice structure Array2 = LargeRealArray2)
structure X =
  Sequences (type elem = Int8.int structure Vector = Int8Vector structure VectorSlice = Int8VectorSlice structure Array =
    Int8Array
             structure ArraySlice = Int8ArraySlice structure Array2 = Int8Array2)
structure X =
  Sequences (type elem = Int16.int structure Vector = Int16Vector structure VectorSlice = Int16VectorSlice structure Array =
    Int16Array
             structure ArraySlice = Int16ArraySlice structure Array2 = Int16Array2)
structure X =
  Sequences (type elem = Int32.int structure Vector = Int32Vector structure VectorSlice = Int32VectorSlice structure Array =
    Int32Array
             structure ArraySlice = Int32ArraySlice structure Array2 = Int32Array2)
structure X =
  Sequences (type elem = Int64.int structure Vector = Int64Vector structure VectorSlice = Int64VectorSlice structure Array =
    Int64Array
             structure ArraySlice = Int64ArraySlice structure Array2 = Int64Array2)
structure X =
  Sequences (type elem = Word16.word structure Vector = Word16Vector structure VectorSlice = Word16VectorSlice structure
    Array = Word16Array
             structure ArraySlice = Word16ArraySlice structure Array2 = Word16Array2)
structure X =
  Sequences (type elem = Word32.word structure Vector = Word32Vector structure VectorSlice = Word32VectorSlice structure
    Array = Word32Array
             structure ArraySlice = Word32ArraySlice structure Array2 = Word32Array2)
structure X =
  Sequences (type elem = Word64.word structure Vector = Word64Vector structure VectorSlice = Word64VectorSlice structure
    Array = Word64Array
             structure ArraySlice = Word64ArraySlice structure Array2 = Word64Array2)
structure X =
  Sequences (type elem = Real32.real structure Vector = Real32Vector structure VectorSlice = Real32VectorSlice structure
    Array = Real32Array
             structure ArraySlice = Real32ArraySlice structure Array2 = Real32Array2)
structure X =
  Sequences (type elem = Real64.real structure Vector = Real64Vector structure VectorSlice = Real64VectorSlice structure
    Array = Real64Array
             structure ArraySlice = Real64ArraySlice structure Array2 = Real64Array2)

(* What functors over the mended signatures do. *)
functor Show (C : CHAR) = struct fun show c : string = "<" ^ C.toString c ^ ">" ^ C.toCString c end
structure S = Show (Char)
val () = print (S.show #"\n" ^ "\n")
functor Read (S : STRING) =
struct
  val read : string -> S.string option = S.fromString
  fun same (text, s) = StringCvt.scanString S.scan text = SOME s andalso S.fromCString text = SOME s andalso S.toString s = text
end
structure R = Read (String)
val () = print (valOf (R.read "a\\nb") ^ " " ^ Bool.toString (R.same ("a\\tb", "a\tb")) ^ "\n")
functor OpenText (T : TEXT_IO) = struct fun reopen (r : TextPrimIO.reader) = T.mkInstream (T.StreamIO.mkInstream (r, "")) end
structure O = OpenText (TextIO)
val () = print (TextIO.inputAll (O.reopen (TextPrimIO.openVector "text\n")))
functor OpenBin (B : BIN_IO) =
struct
  fun reopen (r : BinPrimIO.reader) = B.mkInstream (B.StreamIO.mkInstream (r, Word8Vector.fromList []))
  fun get s : Word8.word option = B.input1 s
end
structure O = OpenBin (BinIO)
val () = print (Word8.toString (valOf (O.get (O.reopen (BinPrimIO.openVector (Byte.stringToBytes "A"))))) ^ "\n")
functor Error (E : POSIX_ERROR) = struct fun isNoEnt (OS.SysErr (_, e)) = e = SOME E.noent | isNoEnt _ = false end
structure E = Error (Posix.Error)
val () = print (Bool.toString ((OS.FileSys.remove "no such file"; false) handle e => E.isNoEnt e) ^ "\n")
(* of OS itself a status can be compared *)
val () = print (Bool.toString (OS.Process.system "true" = OS.Process.success) ^ "\n")
