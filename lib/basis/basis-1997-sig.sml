(* The signatures of the Basis Library as it was in 1997, where they are not today's. *)

signature ARRAY_1997 =
sig
  eqtype 'a array
  type 'a vector = 'a Vector.vector
  val maxLen : int
  val array : int * 'a -> 'a array
  val fromList : 'a list -> 'a array
  val tabulate : int * (int -> 'a) -> 'a array
  val length : 'a array -> int
  val sub : 'a array * int -> 'a
  val update : 'a array * int * 'a -> unit
  (* a part: from an index on, so many elements, or all that are left *)
  val extract : 'a array * int * int option -> 'a vector
  val copy : {src : 'a array, si : int, len : int option, dst : 'a array, di : int} -> unit
  val copyVec : {src : 'a vector, si : int, len : int option, dst : 'a array, di : int} -> unit
  (* with indices, in a part *)
  val appi : (int * 'a -> unit) -> 'a array * int * int option -> unit
  val app : ('a -> unit) -> 'a array -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array * int * int option -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array * int * int option -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  val modifyi : (int * 'a -> 'a) -> 'a array * int * int option -> unit
  val modify : ('a -> 'a) -> 'a array -> unit
end

signature VECTOR_1997 =
sig
  eqtype 'a vector
  val maxLen : int
  val fromList : 'a list -> 'a vector
  val tabulate : int * (int -> 'a) -> 'a vector
  val length : 'a vector -> int
  val sub : 'a vector * int -> 'a
  (* a part: from an index on, so many elements, or all that are left *)
  val extract : 'a vector * int * int option -> 'a vector
  val concat : 'a vector list -> 'a vector
  (* with indices, of a part *)
  val mapi : (int * 'a -> 'b) -> 'a vector * int * int option -> 'b vector
  val map : ('a -> 'b) -> 'a vector -> 'b vector
  val appi : (int * 'a -> unit) -> 'a vector * int * int option -> unit
  val app : ('a -> unit) -> 'a vector -> unit
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a vector * int * int option -> 'b
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a vector * int * int option -> 'b
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a vector -> 'b
end

signature MONO_VECTOR_1997 =
sig
  type vector
  type elem
  val maxLen : int
  val fromList : elem list -> vector
  val tabulate : int * (int -> elem) -> vector
  val length : vector -> int
  val sub : vector * int -> elem
  (* a part: from an index on, so many elements, or all that are left *)
  val extract : vector * int * int option -> vector
  val concat : vector list -> vector
  (* with indices, of a part *)
  val mapi : (int * elem -> elem) -> vector * int * int option -> vector
  val map : (elem -> elem) -> vector -> vector
  val appi : (int * elem -> unit) -> vector * int * int option -> unit
  val app : (elem -> unit) -> vector -> unit
  val foldli : (int * elem * 'a -> 'a) -> 'a -> vector * int * int option -> 'a
  val foldri : (int * elem * 'a -> 'a) -> 'a -> vector * int * int option -> 'a
  val foldl : (elem * 'a -> 'a) -> 'a -> vector -> 'a
  val foldr : (elem * 'a -> 'a) -> 'a -> vector -> 'a
end

signature MONO_ARRAY_1997 =
sig
  eqtype array
  type elem
  structure Vector : MONO_VECTOR_1997
  val maxLen : int
  val array : int * elem -> array
  val fromList : elem list -> array
  val tabulate : int * (int -> elem) -> array
  val length : array -> int
  val sub : array * int -> elem
  val update : array * int * elem -> unit
  (* a part: from an index on, so many elements, or all that are left *)
  val extract : array * int * int option -> Vector.vector
  val copy : {src : array, si : int, len : int option, dst : array, di : int} -> unit
  val copyVec : {src : Vector.vector, si : int, len : int option, dst : array, di : int} -> unit
  (* with indices, in a part *)
  val appi : (int * elem -> unit) -> array * int * int option -> unit
  val app : (elem -> unit) -> array -> unit
  val foldli : (int * elem * 'b -> 'b) -> 'b -> array * int * int option -> 'b
  val foldri : (int * elem * 'b -> 'b) -> 'b -> array * int * int option -> 'b
  val foldl : (elem * 'b -> 'b) -> 'b -> array -> 'b
  val foldr : (elem * 'b -> 'b) -> 'b -> array -> 'b
  val modifyi : (int * elem -> elem) -> array * int * int option -> unit
  val modify : (elem -> elem) -> array -> unit
end

signature MONO_ARRAY2_1997 =
sig
  include MONO_ARRAY2
  structure Vector : MONO_VECTOR_1997
  sharing type Vector.vector = vector
end

signature STRING_1997 =
sig
  include STRING
  structure Char : CHAR
end

signature SUBSTRING_1997 =
sig
  include SUBSTRING
  (* today's full *)
  val all : string -> substring
  structure String : STRING_1997
end

(* Sets of flags: fewer operations, and another name. *)
signature POSIX_FLAGS_1997 =
sig
  include BIT_FLAGS
  (* today's fromWord *)
  val wordTo : SysWord.word -> flags
end

signature IEEE_REAL_1997 =
sig
  exception Unordered
  datatype real_order = LESS | EQUAL | GREATER | UNORDERED
  datatype nan_mode = QUIET | SIGNALLING
  datatype float_class = NAN of nan_mode | INF | ZERO | NORMAL | SUBNORMAL
  datatype rounding_mode = TO_NEAREST | TO_NEGINF | TO_POSINF | TO_ZERO
  val setRoundingMode : rounding_mode -> unit
  val getRoundingMode : unit -> rounding_mode
  type decimal_approx = {kind : float_class, sign : bool, digits : int list, exp : int}
  val toString : decimal_approx -> string
  val fromString : string -> decimal_approx option
end

signature IO_1997 =
sig
  include IO
  exception TerminatedStream
end

signature TEXT_STREAM_IO_1997 =
sig
  include STREAM_IO where type vector = CharVector.vector where type elem = Char.char
  (* the line with its newline, and the stream behind it; empty at the end *)
  val inputLine : instream -> string * instream
  val outputSubstr : outstream * substring -> unit
end

signature TEXT_IO_1997 =
sig
  structure StreamIO : TEXT_STREAM_IO_1997
    where type reader = TextPrimIO.reader
    where type writer = TextPrimIO.writer
    where type pos = TextPrimIO.pos
  type vector = StreamIO.vector
  type elem = StreamIO.elem
  type instream
  type outstream
  val canInput : instream * int -> int option
  val closeIn : instream -> unit
  val endOfStream : instream -> bool
  val getInstream : instream -> StreamIO.instream
  val input1 : instream -> elem option
  val input : instream -> vector
  val inputAll : instream -> vector
  (* with the newline; empty at the end *)
  val inputLine : instream -> string
  val inputN : instream * int -> vector
  val lookahead : instream -> elem option
  val mkInstream : StreamIO.instream -> instream
  val openIn : string -> instream
  val openString : string -> instream
  val print : string -> unit
  val scanStream :
    ((Char.char, StreamIO.instream) StringCvt.reader -> ('a, StreamIO.instream) StringCvt.reader)
    -> instream
    -> 'a option
  val setInstream : instream * StreamIO.instream -> unit
  val stdIn : instream
  val closeOut : outstream -> unit
  val flushOut : outstream -> unit
  val getOutstream : outstream -> StreamIO.outstream
  val getPosOut : outstream -> StreamIO.out_pos
  val mkOutstream : StreamIO.outstream -> outstream
  val openAppend : string -> outstream
  val openOut : string -> outstream
  val output : outstream * vector -> unit
  val output1 : outstream * elem -> unit
  val outputSubstr : outstream * substring -> unit
  val setOutstream : outstream * StreamIO.outstream -> unit
  val stdErr : outstream
  val stdOut : outstream
end

signature OS_FILE_SYS_1997 =
sig
  type dirstream
  val openDir : string -> dirstream
  (* empty at the end *)
  val readDir : dirstream -> string
  val rewindDir : dirstream -> unit
  val closeDir : dirstream -> unit
  val chDir : string -> unit
  val getDir : unit -> string
  val mkDir : string -> unit
  val rmDir : string -> unit
  val isDir : string -> bool
  val isLink : string -> bool
  val readLink : string -> string
  val fullPath : string -> string
  val realPath : string -> string
  val modTime : string -> Time.time
  val fileSize : string -> Position.int
  val setTime : string * Time.time option -> unit
  val remove : string -> unit
  val rename : {old : string, new : string} -> unit
  datatype access_mode = A_READ | A_WRITE | A_EXEC
  val access : string * access_mode list -> bool
  val tmpName : unit -> string
  eqtype file_id
  val fileId : string -> file_id
  val hash : file_id -> word
  val compare : file_id * file_id -> order
end

signature OS_PATH_1997 =
sig
  exception Path
  exception InvalidArc
  val parentArc : string
  val currentArc : string
  val validVolume : {isAbs : bool, vol : string} -> bool
  val fromString : string -> {isAbs : bool, vol : string, arcs : string list}
  val toString : {isAbs : bool, vol : string, arcs : string list} -> string
  val getVolume : string -> string
  val getParent : string -> string
  val splitDirFile : string -> {dir : string, file : string}
  val joinDirFile : {dir : string, file : string} -> string
  val dir : string -> string
  val file : string -> string
  val splitBaseExt : string -> {base : string, ext : string option}
  val joinBaseExt : {base : string, ext : string option} -> string
  val base : string -> string
  val ext : string -> string option
  val mkCanonical : string -> string
  val isCanonical : string -> bool
  (* a path, and what it is relative to *)
  val mkAbsolute : string * string -> string
  val mkRelative : string * string -> string
  val isAbsolute : string -> bool
  val isRelative : string -> bool
  val isRoot : string -> bool
  val concat : string * string -> string
  val toUnixPath : string -> string
  val fromUnixPath : string -> string
end

signature OS_PROCESS_1997 =
sig
  eqtype status
  val success : status
  val failure : status
  val system : string -> status
  val atExit : (unit -> unit) -> unit
  val exit : status -> 'a
  val terminate : status -> 'a
  val getEnv : string -> string option
end

signature OS_1997 =
sig
  eqtype syserror
  exception SysErr of string * syserror option
  val errorMsg : syserror -> string
  val errorName : syserror -> string
  val syserror : string -> syserror option
  structure FileSys : OS_FILE_SYS_1997
  structure Path : OS_PATH_1997
  structure Process : OS_PROCESS_1997
  structure IO : OS_IO
end

signature TIMER_1997 =
sig
  type cpu_timer
  type real_timer
  val startCPUTimer : unit -> cpu_timer
  (* with the collector's part *)
  val checkCPUTimer : cpu_timer -> {usr : Time.time, sys : Time.time, gc : Time.time}
  val totalCPUTimer : unit -> cpu_timer
  val startRealTimer : unit -> real_timer
  val checkRealTimer : real_timer -> Time.time
  val totalRealTimer : unit -> real_timer
end

signature UNIX_1997 =
sig
  type proc
  type signal
  (* program, arguments, environment *)
  val executeInEnv : string * string list * string list -> proc
  val execute : string * string list -> proc
  val streamsOf : proc -> TextIO.instream * TextIO.outstream
  (* closes the pipes and waits for the end *)
  val reap : proc -> OS.Process.status
  val kill : proc * signal -> unit
end
