(* MLton's structures, name by name and type by type, as its manual lists them: programs for MLton compile. Where the manual has
   a name that Leat has not, it stands in a comment with the reason. *)

signature ROOT =
sig
  val debug : bool
  val eq : 'a * 'a -> bool
  val equal : 'a * 'a -> bool
  val hash : 'a -> Word32.word
  val isMLton : bool
  val safe : bool
  val share : 'a -> unit
  val shareAll : unit -> unit
  val size : 'a -> IntInf.int
  val sizeAll : unit -> IntInf.int
end

(* All machines that MLton has: two of them had names of their own here. *)
local
  open MLton.Platform.Arch
in
  fun isOld Alpha = true | isOld AMD64 = false | isOld ARM = false | isOld ARM64 = false | isOld HPPA = true
    | isOld IA64 = true | isOld LoongArch64 = false | isOld m68k = true | isOld MIPS = false | isOld PowerPC = true
    | isOld PowerPC64 = false | isOld RISCV = false | isOld S390 = false | isOld Sparc = true | isOld Wasm32 = false
    | isOld X86 = false
  val () = if map toString [m68k, Wasm32] = ["m68k", "Wasm32"] andalso fromString "wasm32" = SOME Wasm32 then () else raise Match
end

signature ARRAY' = sig val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a array * 'b end
signature VECTOR' =
sig
  val create : int -> {done : unit -> 'a vector, sub : int -> 'a, update : int * 'a -> unit}
  val unfoldi : int * 'b * (int * 'b -> 'a * 'b) -> 'a vector * 'b
end
signature MONO_A = sig type t type elem val fromPoly : elem array -> t val toPoly : t -> elem array end
signature MONO_V = sig type t type elem val fromPoly : elem vector -> t val toPoly : t -> elem vector end
signature IO' =
sig
  type instream
  type outstream
  val inFd : instream -> Posix.IO.file_desc
  val mkstemp : string -> string * outstream
  val mkstemps : {prefix : string, suffix : string} -> string * outstream
  val newIn : Posix.IO.file_desc * string -> instream
  val newOut : Posix.IO.file_desc * string -> outstream
  val outFd : outstream -> Posix.IO.file_desc
  val tempPrefix : string -> string
end
signature CONT' =
sig
  type 'a t
  val callcc : ('a t -> 'a) -> 'a
  val isolate : ('a -> unit) -> 'a t
  val prepend : 'a t * ('b -> 'a) -> 'b t
  val throw : 'a t * 'a -> 'b
  val throw' : 'a t * (unit -> 'a) -> 'b
end
signature EXN' =
sig
  val addExnMessager : (exn -> string option) -> unit
  val history : exn -> string list
  val defaultTopLevelHandler : exn -> 'a
  val getTopLevelHandler : unit -> exn -> unit
  val setTopLevelHandler : (exn -> unit) -> unit
  val topLevelHandler : exn -> 'a
end
signature FINALIZABLE =
sig
  type 'a t
  val addFinalizer : 'a t * ('a -> unit) -> unit
  val finalizeBefore : 'a t * 'b t -> unit
  val new : 'a -> 'a t
  val touch : 'a t -> unit
  val withValue : 'a t * ('a -> 'b) -> 'b
end
signature GC' =
sig
  val collect : unit -> unit
  val pack : unit -> unit
  val setMessages : bool -> unit
  val setSummary : bool -> unit
  val unpack : unit -> unit
  structure Statistics :
  sig
    val bytesAllocated : unit -> IntInf.int
    val lastBytesLive : unit -> IntInf.int
    val numCopyingGCs : unit -> IntInf.int
    val numMarkCompactGCs : unit -> IntInf.int
    val numMinorGCs : unit -> IntInf.int
    val maxBytesLive : unit -> IntInf.int
  end
end
signature INT_INF' =
sig
  type t
  val areSmall : t * t -> bool
  val gcd : t * t -> t
  val isSmall : t -> bool
  structure BigWord : WORD
  structure SmallInt : INTEGER
  datatype rep = Big of BigWord.word vector | Small of SmallInt.int
  val rep : t -> rep
  val fromRep : rep -> t option
end
signature ITIMER =
sig
  datatype t = Prof | Real | Virtual
  val set : t * {interval : Time.time, value : Time.time} -> unit
  val signal : t -> Posix.Signal.signal
end
signature REAL' =
sig
  type t
  val fromWord : word -> t
  val fromLargeWord : LargeWord.word -> t
  val toWord : IEEEReal.rounding_mode -> t -> word
  val toLargeWord : IEEEReal.rounding_mode -> t -> LargeWord.word
end
signature REAL32' = sig include REAL' val castFromWord : Word32.word -> t val castToWord : t -> Word32.word end
signature REAL64' = sig include REAL' val castFromWord : Word64.word -> t val castToWord : t -> Word64.word end
signature WORD' = sig type t val bswap : t -> t val rol : t * word -> t val ror : t * word -> t end
signature PROC_ENV' =
sig
  type gid
  val setenv : {name : string, value : string} -> unit
  val setgroups : gid list -> unit
end
signature PROFILE' =
sig
  structure Data :
  sig
    type t
    val equals : t * t -> bool
    val free : t -> unit
    val malloc : unit -> t
    val write : t * string -> unit
  end
  val isOn : bool
  val withData : Data.t * (unit -> 'a) -> 'a
end
signature RANDOM' =
sig
  val alphaNumChar : unit -> char
  val alphaNumString : int -> string
  val rand : unit -> word
  val seed : unit -> word option
  val srand : word -> unit
  val useed : unit -> word option
end
signature RLIMIT' =
sig
  structure RLim : sig type t val castFromSysWord : SysWord.word -> t val castToSysWord : t -> SysWord.word end
  val infinity : RLim.t
  type t
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
  val get : t -> {hard : RLim.t, soft : RLim.t}
  val set : t * {hard : RLim.t, soft : RLim.t} -> unit
end
signature RUSAGE' =
sig
  type t = {utime : Time.time, stime : Time.time}
  val measureGC : bool -> unit
  val rusage : unit -> {children : t, gc : t, self : t}
end
signature SYSLOG =
sig
  type openflag
  val CONS : openflag val NDELAY : openflag val NOWAIT : openflag
  val ODELAY : openflag val PERROR : openflag val PID : openflag
  type facility
  val AUTHPRIV : facility val CRON : facility val DAEMON : facility val KERN : facility
  val LOCAL0 : facility val LOCAL1 : facility val LOCAL2 : facility val LOCAL3 : facility
  val LOCAL4 : facility val LOCAL5 : facility val LOCAL6 : facility val LOCAL7 : facility
  val LPR : facility val MAIL : facility val NEWS : facility val SYSLOG : facility
  val USER : facility val UUCP : facility
  type loglevel
  val EMERG : loglevel val ALERT : loglevel val CRIT : loglevel val ERR : loglevel
  val WARNING : loglevel val NOTICE : loglevel val INFO : loglevel val DEBUG : loglevel
  val closelog : unit -> unit
  val log : loglevel * string -> unit
  val openlog : string * openflag list * facility -> unit
end
signature THREAD' =
sig
  structure AtomicState : sig datatype t = NonAtomic | Atomic of int end
  val atomically : (unit -> 'a) -> 'a
  val atomicBegin : unit -> unit
  val atomicEnd : unit -> unit
  val atomicState : unit -> AtomicState.t
  structure Runnable : sig type t end
  type 'a t
  val atomicSwitch : ('a t -> Runnable.t) -> 'a
  val new : ('a -> unit) -> 'a t
  val prepend : 'a t * ('b -> 'a) -> 'b t
  val prepare : 'a t * 'a -> Runnable.t
  val switch : ('a t -> Runnable.t) -> 'a
end
signature WEAK' = sig type 'a t val get : 'a t -> 'a option val new : 'a -> 'a t end
signature WORLD =
sig
  datatype status = Clone | Original
  val load : string -> 'a
  val save : string -> status
  val saveThread : string * MLton.Thread.Runnable.t -> unit
end

(* Pointer needs foreign functions; CallStack and Ptrace are no part of the manual's list. *)
functor Check (M : sig
  include ROOT
  structure Array : ARRAY'
  structure BinIO : IO'
  structure CharArray : MONO_A where type t = CharArray.array where type elem = char
  structure CharVector : MONO_V where type t = CharVector.vector where type elem = char
  structure Cont : CONT'
  structure Exn : EXN'
  structure Finalizable : FINALIZABLE
  structure GC : GC'
  structure IntInf : INT_INF' where type t = IntInf.int
  structure Itimer : ITIMER
  structure LargeReal : REAL' where type t = LargeReal.real
  structure LargeWord : WORD' where type t = LargeWord.word
  structure ProcEnv : PROC_ENV' where type gid = Posix.ProcEnv.gid
  structure Profile : PROFILE'
  structure Random : RANDOM'
  structure Real : REAL' where type t = real
  structure Real32 : REAL32' where type t = Real32.real
  structure Real64 : REAL64' where type t = Real64.real
  structure Rlimit : RLIMIT'
  structure Rusage : RUSAGE'
  structure Syslog : SYSLOG
  structure TextIO : IO' where type instream = TextIO.instream where type outstream = TextIO.outstream
  structure Thread : THREAD'
  structure Vector : VECTOR'
  structure Weak : WEAK'
  structure Word8Array : MONO_A where type t = Word8Array.array where type elem = Word8.word
  structure Word8Vector : MONO_V where type t = Word8Vector.vector where type elem = Word8.word
  structure Word : WORD' where type t = word
  structure Word8 : WORD' where type t = Word8.word
  structure Word16 : WORD' where type t = Word16.word
  structure Word32 : WORD' where type t = Word32.word
  structure Word64 : WORD' where type t = Word64.word
  structure World : WORLD
end) = struct end
structure Checked = Check (MLton)

(* What the new ones do. *)
fun line s = print (s ^ "\n")
fun show b = if b then "true" else "false"
fun raises f = (ignore (f ()); "nothing") handle e => exnName e

datatype tree = Leaf of real | Node of tree * tree | Fun of int -> int
fun f x = x + 1
val r = ref 1
val t = Node (Leaf 1.5, Node (Fun f, Leaf 0.0))
val u = Node (Leaf (Real.fromInt 3 / 2.0), Node (Fun f, Leaf ~0.0))
val () = line (String.concatWith " " (map show
  [MLton.equal (t, u), MLton.equal (Leaf 1.0, Leaf 2.0), MLton.equal (r, r), MLton.equal (r, ref 1),
   MLton.equal ("ab", String.concat ["a", "b"]), MLton.equal ([1, 2], [1, 3])]))
val () = line (String.concatWith " " (map show
  [MLton.hash t = MLton.hash u, MLton.hash "ab" = MLton.hash (String.concat ["a", "b"]),
   MLton.hash [1, 2, 3] = MLton.hash (List.tabulate (3, fn i => i + 1)), MLton.hash "ab" <> MLton.hash "ba",
   MLton.hash (1, "x") <> MLton.hash (2, "x"),
   MLton.hash (IntInf.pow (3, 100)) = MLton.hash (IntInf.pow (9, 50))]))
(* Many keys, few that meet: 10,000 in 4,096 places. *)
val places = Array.array (4096, 0)
val () = app (fn i => let val p = Word32.toInt (Word32.andb (MLton.hash (Int.toString i), 0w4095)) in Array.update (places, p, Array.sub (places, p) + 1) end) (List.tabulate (10000, fn i => i))
val () = line (show (Array.foldl Int.max 0 places < 20))

local val {done, sub, update} = MLton.Vector.create 3 in
  val () = line (String.concatWith " " [raises (fn () => sub 0), raises (fn () => update (1, "b")), raises done])
  val () = (update (0, "a"); update (1, "b"); update (0, "A"); update (2, "c"))
  val () = line (sub 0 ^ raises (fn () => update (3, "d")))
  val () = line (String.concatWith "," (Vector.foldr op :: [] (done ())) ^ " " ^ raises done)
end
val () = line (Int.toString (Vector.length (#done (MLton.Vector.create 0) () : int vector)))

val a = MLton.CharArray.toPoly (CharArray.array (2, #"x"))
val () = (Array.update (a, 0, #"y"); line (CharArray.vector (MLton.CharArray.fromPoly a)))
val () = line (MLton.CharVector.fromPoly (Vector.fromList [#"o", #"k"]) ^ str (Vector.sub (MLton.CharVector.toPoly "abc", 1)))
val () = line (Word8.toString (Word8Vector.sub (MLton.Word8Vector.fromPoly (Vector.fromList [0w255]), 0)))

val () = line (Real.toString (MLton.Real.fromWord 0wxFFFFFFFFFFFFFFFF) ^ " " ^ Word.toString (MLton.Real.toWord IEEEReal.TO_NEGINF 255.9))
val () = line (String.concatWith " " (map (fn x => raises (fn () => MLton.Real.toWord IEEEReal.TO_NEAREST x)) [~1.0, 18446744073709551616.0, Real.posInf, 0.0 / 0.0]))
val () = line (Word.toString (MLton.Real.toWord IEEEReal.TO_NEAREST 18446744073709549568.0) ^ " " ^ Word64.toString (MLton.Real64.castToWord 1.0)
               ^ " " ^ Word32.toString (MLton.Real32.castToWord (Real32.fromInt 1)) ^ " " ^ Real32.toString (MLton.Real32.castFromWord 0wx3F800000))

exception Odd of int * int
val () = MLton.Exn.addExnMessager (fn Odd (a, b) => SOME (Int.toString a ^ "/" ^ Int.toString b) | _ => NONE)
val () = MLton.Exn.addExnMessager (fn Fail "quiet" => SOME "later" | Fail "bad" => raise Div | _ => NONE)
val () = line (String.concatWith " | " (map exnMessage [Odd (1, 2), Fail "quiet", Fail "bad", Subscript]))

val () = line (String.concatWith " " [raises (fn () => MLton.World.save "x"), raises (fn () => MLton.World.load "x")])
val () = line (SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord (MLton.TextIO.inFd TextIO.stdIn)) ^ " "
               ^ SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord (MLton.TextIO.outFd TextIO.stdOut)) ^ " "
               ^ raises (fn () => MLton.TextIO.inFd (TextIO.openString "x")))
val (name, out) = MLton.BinIO.mkstemp (MLton.BinIO.tempPrefix "leat")
val () = (BinIO.output (out, Byte.stringToBytes "bytes"); ignore (MLton.BinIO.outFd out); BinIO.closeOut out; OS.FileSys.remove name)
val () = MLton.Syslog.openlog ("leat-test", [MLton.Syslog.PID], MLton.Syslog.LOCAL0)
val () = (MLton.Syslog.log (MLton.Syslog.DEBUG, "a test"); MLton.Syslog.closelog ())

(* The last: an exception that nothing handles goes to the handler. *)
val () = MLton.Exn.setTopLevelHandler (fn e => (line ("handled " ^ exnMessage e); OS.Process.exit OS.Process.success))
val () = raise Odd (3, 4)
