(* The signatures of MLton and its structures: what of them is there. *)

signature MLTON_GC =
sig
  (* collects everything, and runs the finalizers of the dead *)
  val collect : unit -> unit
  (* collects everything, and leaves to the system all memory that can be spared: before the program waits for long *)
  val pack : unit -> unit
  (* nothing: the heap grows with the program by itself *)
  val unpack : unit -> unit
  (* a line for each collection on standard error *)
  val setMessages : bool -> unit
  val setSummary : bool -> unit
  structure Statistics :
  sig
    val bytesAllocated : unit -> IntInf.int
    val lastBytesLive : unit -> IntInf.int
    val maxBytesLive : unit -> IntInf.int
    val numCopyingGCs : unit -> IntInf.int
    val numMarkCompactGCs : unit -> IntInf.int
    val numMinorGCs : unit -> IntInf.int
  end
end

signature MLTON_WEAK =
sig
  type 'a t
  val new : 'a -> 'a t
  (* NONE once the collector has dropped it *)
  val get : 'a t -> 'a option
end

signature MLTON_FINALIZABLE =
sig
  type 'a t
  val new : 'a -> 'a t
  val addFinalizer : 'a t * ('a -> unit) -> unit
  (* the first one's finalizers run before the second one's *)
  val finalizeBefore : 'a t * 'b t -> unit
  (* a use *)
  val touch : 'a t -> unit
  (* the value lives until the function has returned *)
  val withValue : 'a t * ('a -> 'b) -> 'b
end

signature MLTON_RANDOM =
sig
  (* from the system's source of random numbers *)
  val seed : unit -> word option
  val useed : unit -> word option
  (* begins the sequence of `rand` *)
  val srand : word -> unit
  val rand : unit -> word
  val alphaNumChar : unit -> char
  (* of so many characters *)
  val alphaNumString : int -> string
end

signature MLTON_PLATFORM =
sig
  structure Arch :
  sig
    datatype t =
      Alpha | AMD64 | ARM | ARM64 | HPPA | IA64 | LoongArch64 | M68k | MIPS | PowerPC | PowerPC64 | RISCV | S390 | Sparc |
      WASM32 | X86
    (* letters' case does not matter *)
    val fromString : string -> t option
    val toString : t -> string
    (* the machine that runs the program *)
    val host : t
  end
  structure OS :
  sig
    datatype t = AIX | Cygwin | Darwin | FreeBSD | Hurd | HPUX | Linux | MinGW | NetBSD | OpenBSD | Solaris | WASI
    val fromString : string -> t option
    val toString : t -> string
    val host : t
  end
  structure Format :
  sig
    datatype t = Archive | Executable | LibArchive | Library
    val fromString : string -> t option
    val toString : t -> string
    val host : t
  end
end

(* -- of the rest, what MLton itself has names for *)

signature MLTON_ARRAY =
sig
  (* so many elements; the state goes from element to element, the last one is given too *)
  val unfold : int * 'b * ('b -> 'a * 'b) -> 'a array * 'b
  val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a array * 'b
end

signature MLTON_VECTOR =
sig
  (* A vector of so many elements, made from the first one to the last: `update` gives it the next one, or changes one that
     is there, and raises Subscript for any other place; `sub` reads those that are there; `done` raises Fail when some are
     missing, and when it is called again. *)
  val create : int -> {done : unit -> 'a vector, sub : int -> 'a, update : int * 'a -> unit}
  val unfold : int * 'b * ('b -> 'a * 'b) -> 'a vector * 'b
  val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a vector * 'b
end

(* the arrays and vectors of one type of elements are those of the polymorphic types; no copy is made *)
signature MLTON_MONO_ARRAY =
sig
  type t
  type elem
  val fromPoly : elem array -> t
  val toPoly : t -> elem array
end

signature MLTON_MONO_VECTOR =
sig
  type t
  type elem
  val fromPoly : elem vector -> t
  val toPoly : t -> elem vector
end

signature MLTON_REAL =
sig
  type t
  (* rounded as the mode that is set says *)
  val fromWord : word -> t
  val fromLargeWord : LargeWord.word -> t
  (* raise Overflow for what no word has, Domain for nan *)
  val toWord : IEEEReal.rounding_mode -> t -> word
  val toLargeWord : IEEEReal.rounding_mode -> t -> LargeWord.word
end

signature MLTON_WORD =
sig
  type t
  val rol : t * word -> t
  val ror : t * word -> t
  (* its bytes in the other order *)
  val bswap : t -> t
end

signature MLTON_IO =
sig
  type instream
  type outstream
  (* streams of descriptors, with names for messages *)
  val newIn : Posix.FileSys.file_desc * string -> instream
  val newOut : Posix.FileSys.file_desc * string -> outstream
  (* the stream's descriptor; raise Fail when it has none *)
  val inFd : instream -> Posix.FileSys.file_desc
  val outFd : outstream -> Posix.FileSys.file_desc
  (* a new file whose name begins so, and ends so *)
  val mkstemp : string -> string * outstream
  val mkstemps : {prefix : string, suffix : string} -> string * outstream
  (* such a beginning, in the folder for temporary files *)
  val tempPrefix : string -> string
end

signature MLTON_EXN =
sig
  (* as SMLofNJ.exnHistory *)
  val history : exn -> string list
  val keepHistory : bool
  (* What exnMessage asks first; the last one that was added goes before the others. Not asked by the report of an
     exception that nothing handles. *)
  val addExnMessager : (exn -> string option) -> unit
  (* tells of the exception and ends the program *)
  val defaultTopLevelHandler : exn -> 'a
  (* What is done about an exception that nothing handles, instead of the runtime's report: of the main thread's, and of any
     other's. When it returns, the program ends with the exit code 1. *)
  val getTopLevelHandler : unit -> exn -> unit
  val setTopLevelHandler : (exn -> unit) -> unit
  (* does that *)
  val topLevelHandler : exn -> 'a
end

signature MLTON_PROC_ENV =
sig
  type gid = Posix.ProcEnv.gid
  val setenv : {name : string, value : string} -> unit
  (* the supplementary groups; raises SysErr unless the user is root *)
  val setgroups : gid list -> unit
end

signature MLTON_RLIMIT =
sig
  structure RLim :
  sig
    type t = SysWord.word
    val castToSysWord : t -> SysWord.word
    val castFromSysWord : SysWord.word -> t
  end
  type rlim = RLim.t
  (* a resource of the process *)
  type t
  val get : t -> {hard : rlim, soft : rlim}
  val set : t * {hard : rlim, soft : rlim} -> unit
  val infinity : rlim
  val coreFileSize : t
  val cpuTime : t
  val dataSize : t
  val fileSize : t
  val lockedInMemorySize : t
  val numFiles : t
  val numProcesses : t
  val residentSetSize : t
  val stackSize : t
  val virtualMemorySize : t
end

signature MLTON_RUSAGE =
sig
  type t = {utime : Time.time, stime : Time.time}
  (* the collector is always measured *)
  val measureGC : bool -> unit
  val rusage : unit -> {children : t, gc : t, self : t}
end

(* The system's log. A message goes to the socket /dev/log; where there is none, it is lost, as by the C library. *)
signature MLTON_SYSLOG =
sig
  type openflag
  (* to the console when the log cannot be reached; to standard error, too; with the number of the process *)
  val CONS : openflag
  val PERROR : openflag
  val PID : openflag
  (* when the connection is made: nothing depends on it *)
  val NDELAY : openflag
  val NOWAIT : openflag
  val ODELAY : openflag

  (* what part of the system it comes from *)
  type facility
  val AUTHPRIV : facility
  val CRON : facility
  val DAEMON : facility
  val KERN : facility
  val LOCAL0 : facility
  val LOCAL1 : facility
  val LOCAL2 : facility
  val LOCAL3 : facility
  val LOCAL4 : facility
  val LOCAL5 : facility
  val LOCAL6 : facility
  val LOCAL7 : facility
  val LPR : facility
  val MAIL : facility
  val NEWS : facility
  val SYSLOG : facility
  val USER : facility
  val UUCP : facility

  (* how bad it is, the worst first *)
  type loglevel
  val EMERG : loglevel
  val ALERT : loglevel
  val CRIT : loglevel
  val ERR : loglevel
  val WARNING : loglevel
  val NOTICE : loglevel
  val INFO : loglevel
  val DEBUG : loglevel

  val closelog : unit -> unit
  val log : loglevel * string -> unit
  (* What stands before each message, the program's name as a rule. Without this it is that name, and the facility is USER. *)
  val openlog : string * openflag list * facility -> unit
end

(* Saved worlds need a heap that is loaded where it was; Leat's programs have none. All raise Fail with that reason. *)
signature MLTON_WORLD =
sig
  datatype status = Clone | Original
  val load : string -> 'a
  val save : string -> status
  val saveThread : string * MLtonThread'.Runnable.t -> unit
end

signature MLTON_PROFILE =
sig
  val isOn : bool
  structure Data :
  sig
    type t
    val equals : t * t -> bool
    val malloc : unit -> t
    val free : t -> unit
    val write : t * string -> unit
  end
  val withData : Data.t * (unit -> 'a) -> 'a
end

signature MLTON_INT_INF =
sig
  type t = IntInf.int
  structure BigWord : WORD
  structure SmallInt : INTEGER
  (* what fits into a SmallInt; the sign, 0 or 1, and the words of the magnitude, least first *)
  datatype rep = Small of SmallInt.int | Big of BigWord.word vector
  val rep : t -> rep
  (* NONE when it is not as `rep` would make it *)
  val fromRep : rep -> t option
  val isSmall : t -> bool
  val areSmall : t * t -> bool
  val gcd : t * t -> t
end

signature MLTON =
sig
  val isMLton : bool
  val debug : bool
  val safe : bool
  val eq : 'a * 'a -> bool
  (* Of contents, as = has it, for all types: reals as Real.== compares, functions when they are the same object. *)
  val equal : 'a * 'a -> bool
  (* Of contents: the same for equal values, while no ref or array in them is changed. *)
  val hash : 'a -> Word32.word
  (* bytes of everything reachable, each object once *)
  val size : 'a -> IntInf.int
  (* bytes that lived at the end of the last collection of everything *)
  val sizeAll : unit -> IntInf.int
  (* advice only *)
  val share : 'a -> unit
  val shareAll : unit -> unit

  structure Array : MLTON_ARRAY
  structure BinIO : MLTON_IO where type instream = BinIO.instream where type outstream = BinIO.outstream
  structure CharArray : MLTON_MONO_ARRAY where type t = CharArray.array where type elem = char
  structure CharVector : MLTON_MONO_VECTOR where type t = string where type elem = char
  structure Cont : MLTON_CONT
  structure Exn : MLTON_EXN
  structure Finalizable : MLTON_FINALIZABLE
  structure GC : MLTON_GC
  structure IntInf : MLTON_INT_INF where type BigWord.word = word where type SmallInt.int = int
  structure Itimer : MLTON_ITIMER
  structure LargeReal : MLTON_REAL where type t = LargeReal.real
  structure LargeWord : MLTON_WORD where type t = LargeWord.word
  structure Platform : MLTON_PLATFORM
  structure Pointer : MLTON_POINTER where type t = MLtonPointer'.t
  structure ProcEnv : MLTON_PROC_ENV
  structure Process : MLTON_PROCESS
  structure Profile : MLTON_PROFILE
  structure Random : MLTON_RANDOM
  structure Real : MLTON_REAL where type t = real
  (* of the bits *)
  structure Real32 :
  sig
    include MLTON_REAL
    val castFromWord : Word32.word -> t
    val castToWord : t -> Word32.word
  end where type t = Real32.real
  structure Real64 :
  sig
    include MLTON_REAL
    val castFromWord : Word64.word -> t
    val castToWord : t -> Word64.word
  end where type t = Real64.real
  structure Rlimit : MLTON_RLIMIT
  structure Rusage : MLTON_RUSAGE
  structure Signal : MLTON_SIGNAL
  structure Syslog : MLTON_SYSLOG
  structure TextIO : MLTON_IO where type instream = TextIO.instream where type outstream = TextIO.outstream
  structure Thread : MLTON_THREAD where type Runnable.t = MLtonThread'.Runnable.t
  structure Vector : MLTON_VECTOR
  structure Weak : MLTON_WEAK
  structure Word8Array : MLTON_MONO_ARRAY where type t = Word8Array.array where type elem = Word8.word
  structure Word8Vector : MLTON_MONO_VECTOR where type t = Word8Vector.vector where type elem = Word8.word
  structure Word : MLTON_WORD where type t = word
  structure Word8 : MLTON_WORD where type t = Word8.word
  structure Word16 : MLTON_WORD where type t = Word16.word
  structure Word32 : MLTON_WORD where type t = Word32.word
  structure Word64 : MLTON_WORD where type t = Word64.word
  structure World : MLTON_WORLD
end
