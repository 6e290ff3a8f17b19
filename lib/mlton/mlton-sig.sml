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
  (* how much was collected and allocated, on standard error, when the program has ended *)
  val setSummary : bool -> unit
  structure Statistics :
  sig
    (* bytes that the program has allocated since it began *)
    val bytesAllocated : unit -> IntInf.int
    (* bytes that lived at the end of the last collection of everything; 0 before the first one *)
    val lastBytesLive : unit -> IntInf.int
    (* the most bytes that lived at the end of a collection of everything *)
    val maxBytesLive : unit -> IntInf.int
    (* the same as numMinorGCs: what survives in the nursery is copied *)
    val numCopyingGCs : unit -> IntInf.int
    (* collections of everything *)
    val numMarkCompactGCs : unit -> IntInf.int
    (* collections of the nursery alone *)
    val numMinorGCs : unit -> IntInf.int
  end
end

signature MLTON_WEAK =
sig
  type 'a t
  (* a pointer that does not keep the value alive *)
  val new : 'a -> 'a t
  (* NONE once the collector has dropped it *)
  val get : 'a t -> 'a option
end

signature MLTON_FINALIZABLE =
sig
  type 'a t
  (* the value, without finalizers *)
  val new : 'a -> 'a t
  (* One more function that is called with the value when the last use of it is over; they run in the order in which
     they were added. An exception that one raises is ignored. *)
  val addFinalizer : 'a t * ('a -> unit) -> unit
  (* The first one's finalizers run before the second one's. Those that are to run before each other never run,
     nor do those that are to run behind them. *)
  val finalizeBefore : 'a t * 'b t -> unit
  (* a use: the finalizers do not run before it *)
  val touch : 'a t -> unit
  (* the value lives until the function has returned *)
  val withValue : 'a t * ('a -> 'b) -> 'b
end

signature MLTON_RANDOM =
sig
  (* a word from the system's source of random numbers, for `srand`; never NONE *)
  val seed : unit -> word option
  (* the same: one source serves both *)
  val useed : unit -> word option
  (* begins the sequence of `rand` *)
  val srand : word -> unit
  (* the next word of a sequence that `srand` determines; of 32 bits, as with MLton on 32 bits *)
  val rand : unit -> word
  (* a letter or digit of ASCII, by `rand` *)
  val alphaNumChar : unit -> char
  (* so many of them *)
  val alphaNumString : int -> string
end

signature MLTON_PLATFORM =
sig
  structure Arch :
  sig
    datatype t =
        Alpha
      | AMD64
      | ARM
      | ARM64
      | HPPA
      | IA64
      | LoongArch64
      | m68k
      | MIPS
      | PowerPC
      | PowerPC64
      | RISCV
      | S390
      | Sparc
      | Wasm32
      | X86
    (* letters' case does not matter *)
    val fromString : string -> t option
    (* its name as it is written here *)
    val toString : t -> string
    (* the machine that runs the program *)
    val host : t
  end
  structure OS :
  sig
    datatype t =
        AIX
      | Cygwin
      | Darwin
      | FreeBSD
      | Hurd
      | HPUX
      | Linux
      | MinGW
      | NetBSD
      | OpenBSD
      | Solaris
      | WASI
    (* the system of that name; letters' case does not matter *)
    val fromString : string -> t option
    (* its name as it is written here *)
    val toString : t -> string
    (* the system on which the program runs *)
    val host : t
  end
  structure Format :
  sig
    datatype t = Archive | Executable | LibArchive | Library
    (* the format of that name; letters' case does not matter *)
    val fromString : string -> t option
    (* its name as it is written here *)
    val toString : t -> string
    (* always Executable *)
    val host : t
  end
end

(* -- of the rest, what MLton itself has names for *)

signature MLTON_ARRAY =
sig
  (* so many elements; the state goes from element to element, the last one is given too *)
  val unfold : int * 'b * ('b -> 'a * 'b) -> 'a array * 'b
  (* likewise; the function is given the element's place, too *)
  val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a array * 'b
end

signature MLTON_VECTOR =
sig
  (* A vector of so many elements, made from the first one to the last: `update` gives it the next one, or changes one that
     is there, and raises Subscript for any other place; `sub` reads those that are there; `done` raises Fail when some are
     missing, and when it is called again. *)
  val create : int -> {done : unit -> 'a vector, sub : int -> 'a, update : int * 'a -> unit}
  (* so many elements; the state goes from element to element, the last one is given too *)
  val unfold : int * 'b * ('b -> 'a * 'b) -> 'a vector * 'b
  (* likewise; the function is given the element's place, too *)
  val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a vector * 'b
end

(* the arrays and vectors of one type of elements are those of the polymorphic types; no copy is made *)
signature MLTON_MONO_ARRAY =
sig
  type t
  type elem
  (* the same array, as one of this type: changes of one are seen in the other *)
  val fromPoly : elem array -> t
  (* the same array, as one of the polymorphic type *)
  val toPoly : t -> elem array
end

signature MLTON_MONO_VECTOR =
sig
  type t
  type elem
  (* the same vector, as one of this type *)
  val fromPoly : elem vector -> t
  (* the same vector, as one of the polymorphic type *)
  val toPoly : t -> elem vector
end

signature MLTON_REAL =
sig
  type t
  (* the word's value, rounded as the mode that is set says *)
  val fromWord : word -> t
  (* likewise *)
  val fromLargeWord : LargeWord.word -> t
  (* the real as a whole number, rounded so; raises Overflow for what no word has, Domain for nan *)
  val toWord : IEEEReal.rounding_mode -> t -> word
  (* likewise *)
  val toLargeWord : IEEEReal.rounding_mode -> t -> LargeWord.word
end

signature MLTON_WORD =
sig
  type t
  (* the bits shifted to the left, around the end: n may be greater than the number of bits *)
  val rol : t * word -> t
  (* likewise to the right *)
  val ror : t * word -> t
  (* its bytes in the other order *)
  val bswap : t -> t
end

signature MLTON_IO =
sig
  type instream
  type outstream
  (* a stream that reads from the descriptor; the name is for messages *)
  val newIn : Posix.FileSys.file_desc * string -> instream
  (* a stream that writes to the descriptor, block by block; the name is for messages *)
  val newOut : Posix.FileSys.file_desc * string -> outstream
  (* the stream's descriptor; raises Fail when it has none *)
  val inFd : instream -> Posix.FileSys.file_desc
  (* the stream's descriptor; raises Fail when it has none *)
  val outFd : outstream -> Posix.FileSys.file_desc
  (* A new file whose name begins so, with six characters more: its name, and a stream to write it. Raises SysErr. *)
  val mkstemp : string -> string * outstream
  (* likewise, and its name ends so *)
  val mkstemps : {prefix : string, suffix : string} -> string * outstream
  (* such a beginning, in the folder for temporary files: that of TMPDIR, if its name is absolute and canonical and it is
     there, else /tmp *)
  val tempPrefix : string -> string
end

signature MLTON_EXN =
sig
  (* as SMLofNJ.exnHistory *)
  val history : exn -> string list
  (* false: MLton's option of that name is not there, and `history` does not depend on it *)
  val keepHistory : bool
  (* What exnMessage asks first; the last one that was added goes before the others. Asked by the report of an exception
     that nothing handles, too, which waits for it for two seconds. *)
  val addExnMessager : (exn -> string option) -> unit
  (* tells of the exception and ends the program *)
  val defaultTopLevelHandler : exn -> 'a
  (* What is done about an exception that nothing handles: of the main thread's, and of any other's. That is
     defaultTopLevelHandler until another one is set. *)
  val getTopLevelHandler : unit -> exn -> unit
  (* Calls the function from now on, instead of the runtime's report. When it returns, the program ends with the exit
     code 1. *)
  val setTopLevelHandler : (exn -> unit) -> unit
  (* does with the exception what is set, and ends the program *)
  val topLevelHandler : exn -> 'a
end

signature MLTON_PROC_ENV =
sig
  type gid = Posix.ProcEnv.gid
  (* Sets the variable for this program and for those that it starts. Raises SysErr for a name that is empty or has = in
     it. *)
  val setenv : {name : string, value : string} -> unit
  (* the supplementary groups; raises SysErr unless the user is root *)
  val setgroups : gid list -> unit
end

signature MLTON_RLIMIT =
sig
  structure RLim :
  sig
    type t = SysWord.word
    (* the same word *)
    val castToSysWord : t -> SysWord.word
    (* the same word *)
    val castFromSysWord : SysWord.word -> t
  end
  type rlim = RLim.t
  (* a resource of the process *)
  type t
  (* what holds now, and the most that it can be set to; raises SysErr *)
  val get : t -> {hard : rlim, soft : rlim}
  (* Sets both. Raises SysErr if soft is above hard, and, unless the user is root, if hard grows. *)
  val set : t * {hard : rlim, soft : rlim} -> unit
  (* no limit *)
  val infinity : rlim
  (* bytes of a core file *)
  val coreFileSize : t
  (* seconds of processor time *)
  val cpuTime : t
  (* bytes of the process's data *)
  val dataSize : t
  (* bytes of a file that the process writes *)
  val fileSize : t
  (* bytes that are kept from being swapped out *)
  val lockedInMemorySize : t
  (* how many descriptors may be open: one more than the greatest of them *)
  val numFiles : t
  (* processes, and threads of the system, of this user *)
  val numProcesses : t
  (* bytes in memory; Linux does not look at it *)
  val residentSetSize : t
  (* bytes of the main thread's stack; those of SML's threads do not depend on it *)
  val stackSize : t
  (* bytes of addresses *)
  val virtualMemorySize : t
end

signature MLTON_RUSAGE =
sig
  type t = {utime : Time.time, stime : Time.time}
  (* the collector is always measured *)
  val measureGC : bool -> unit
  (* processor time so far: of the children that have been waited for, of the collector, and of the program with its
     collector *)
  val rusage : unit -> {children : t, gc : t, self : t}
end

(* The system's log. A message goes to the socket /dev/log; where there is none, it is lost, as by the C library. *)
signature MLTON_SYSLOG =
sig
  type openflag
  (* to the console when the log cannot be reached *)
  val CONS : openflag
  (* to standard error, too *)
  val PERROR : openflag
  (* with the number of the process *)
  val PID : openflag
  (* would connect to the log at once: without effect, each message makes its own connection *)
  val NDELAY : openflag
  (* would not wait for children of the log's: without effect *)
  val NOWAIT : openflag
  (* would connect at the first message: without effect *)
  val ODELAY : openflag

  (* what part of the system it comes from *)
  type facility
  (* who may do what, in private *)
  val AUTHPRIV : facility
  (* the timers of the system *)
  val CRON : facility
  (* servers of the system *)
  val DAEMON : facility
  (* the kernel *)
  val KERN : facility
  (* for this machine's own use, as the seven that follow *)
  val LOCAL0 : facility
  (* as LOCAL0 *)
  val LOCAL1 : facility
  (* as LOCAL0 *)
  val LOCAL2 : facility
  (* as LOCAL0 *)
  val LOCAL3 : facility
  (* as LOCAL0 *)
  val LOCAL4 : facility
  (* as LOCAL0 *)
  val LOCAL5 : facility
  (* as LOCAL0 *)
  val LOCAL6 : facility
  (* as LOCAL0 *)
  val LOCAL7 : facility
  (* printers *)
  val LPR : facility
  (* mail *)
  val MAIL : facility
  (* network news *)
  val NEWS : facility
  (* the log itself *)
  val SYSLOG : facility
  (* programs of users *)
  val USER : facility
  (* copies between Unix systems *)
  val UUCP : facility

  (* how bad it is, the worst first *)
  type loglevel
  (* nothing works *)
  val EMERG : loglevel
  (* something must be done at once *)
  val ALERT : loglevel
  (* something essential has failed *)
  val CRIT : loglevel
  (* an error *)
  val ERR : loglevel
  (* something is likely to go wrong *)
  val WARNING : loglevel
  (* nothing wrong, but worth to be seen *)
  val NOTICE : loglevel
  (* what happens *)
  val INFO : loglevel
  (* for whoever looks for an error *)
  val DEBUG : loglevel

  (* the next message is as if openlog had not been called *)
  val closelog : unit -> unit
  (* Sends the message. It never raises an exception: a message that nobody takes is lost, or goes to the console. *)
  val log : loglevel * string -> unit
  (* What stands before each message, the program's name as a rule. Without this it is that name, and the facility is USER. *)
  val openlog : string * openflag list * facility -> unit
end

(* Saved worlds need a heap that is loaded where it was; Leat's programs have none. All raise Fail with that reason. *)
signature MLTON_WORLD =
sig
  datatype status = Clone | Original
  (* raises Fail *)
  val load : string -> 'a
  (* raises Fail; no file is written *)
  val save : string -> status
  (* raises Fail; no file is written *)
  val saveThread : string * MLtonThread'.Runnable.t -> unit
end

signature MLTON_PROFILE =
sig
  (* false: `leat profile` measures programs from outside *)
  val isOn : bool
  structure Data :
  sig
    type t
    (* whether both come from the same call of malloc *)
    val equals : t * t -> bool
    (* a place for counts, which stays empty *)
    val malloc : unit -> t
    (* does nothing *)
    val free : t -> unit
    (* does nothing: no file is written *)
    val write : t * string -> unit
  end
  (* the function's result; nothing is counted *)
  val withData : Data.t * (unit -> 'a) -> 'a
end

signature MLTON_INT_INF =
sig
  type t = IntInf.int
  structure BigWord : WORD
  structure SmallInt : INTEGER
  (* what fits into a SmallInt; the sign, 0 or 1, and the words of the magnitude, least first *)
  datatype rep = Small of SmallInt.int | Big of BigWord.word vector
  (* how the number is kept *)
  val rep : t -> rep
  (* NONE when it is not as `rep` would make it *)
  val fromRep : rep -> t option
  (* whether it fits into a SmallInt *)
  val isSmall : t -> bool
  (* whether both do *)
  val areSmall : t * t -> bool
  (* the greatest common divisor, never negative; that of 0 and 0 is 0 *)
  val gcd : t * t -> t
end

signature MLTON =
sig
  (* false *)
  val isMLton : bool
  (* false: there is no build with more checks *)
  val debug : bool
  (* true: places in arrays, and overflow, are checked *)
  val safe : bool
  (* whether both are the same object; of values that are no objects, such as ints, whether they are the same *)
  val eq : 'a * 'a -> bool
  (* Of contents, as = has it, for all types: reals as Real.== compares, functions when they are the same object. *)
  val equal : 'a * 'a -> bool
  (* Of contents: the same for equal values, while no ref or array in them is changed. *)
  val hash : 'a -> Word32.word
  (* bytes of everything reachable, each object once *)
  val size : 'a -> IntInf.int
  (* bytes that lived at the end of the last collection of everything *)
  val sizeAll : unit -> IntInf.int
  (* does nothing: MLton would make equal parts of it one object *)
  val share : 'a -> unit
  (* does nothing, either *)
  val shareAll : unit -> unit

  structure Array : MLTON_ARRAY
  structure BinIO : MLTON_IO
    where type instream = BinIO.instream
    where type outstream = BinIO.outstream
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
    (* the real that has these bits *)
    val castFromWord : Word32.word -> t
    (* its bits *)
    val castToWord : t -> Word32.word
  end
    where type t = Real32.real
  structure Real64 :
  sig
    include MLTON_REAL
    (* the real that has these bits *)
    val castFromWord : Word64.word -> t
    (* its bits *)
    val castToWord : t -> Word64.word
  end
    where type t = Real64.real
  structure Rlimit : MLTON_RLIMIT
  structure Rusage : MLTON_RUSAGE
  structure Signal : MLTON_SIGNAL
  structure Syslog : MLTON_SYSLOG
  structure TextIO : MLTON_IO
    where type instream = TextIO.instream
    where type outstream = TextIO.outstream
  structure Thread : MLTON_THREAD where type Runnable.t = MLtonThread'.Runnable.t
  structure Vector : MLTON_VECTOR
  structure Weak : MLTON_WEAK
  structure Word8Array : MLTON_MONO_ARRAY
    where type t = Word8Array.array
    where type elem = Word8.word
  structure Word8Vector : MLTON_MONO_VECTOR
    where type t = Word8Vector.vector
    where type elem = Word8.word
  structure Word : MLTON_WORD where type t = word
  structure Word8 : MLTON_WORD where type t = Word8.word
  structure Word16 : MLTON_WORD where type t = Word16.word
  structure Word32 : MLTON_WORD where type t = Word32.word
  structure Word64 : MLTON_WORD where type t = Word64.word
  structure World : MLTON_WORLD
end
