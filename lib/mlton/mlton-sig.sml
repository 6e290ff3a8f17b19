(* The signatures of MLton's structures: what of them is there. *)

signature MLTON_GC =
sig
  (* collects everything, and runs the finalizers of the dead *)
  val collect : unit -> unit
  (* collects everything; the heap follows the program anyway *)
  val pack : unit -> unit
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
