(* MLton: the parts of MLton's own structure that programs use. *)

(* Finalizers run when the value was found dead: after a collection that the program asked for, when many new ones are
   made, and when the program ends. *)
structure Finalizable' :>
sig
  type 'a t
  val new : 'a -> 'a t
  val addFinalizer : 'a t * ('a -> unit) -> unit
  val finalizeBefore : 'a t * 'b t -> unit
  val touch : 'a t -> unit
  val withValue : 'a t * ('a -> 'b) -> 'b
  (* runs those of the dead *)
  val sweep : unit -> unit
end =
struct
  type token = unit ref
  (* The token dies with the last use; the finalizers hold the value, not the token. Those that go later are held. *)
  type finalizers = {actions : (unit -> unit) list ref, later : token list ref}
  type 'a t = {value : 'a, token : token, finalizers : finalizers}

  val all : (token SMLofNJ.Weak.weak * finalizers) list ref = ref []
  val count = ref 0
  (* when there are so many, the dead are looked for *)
  val limit = ref 1000
  val registered = ref false

  fun run ({actions, later} : finalizers) =
    let val l = List.rev (!actions)
    in
      actions := [];
      List.app (fn f => f () handle _ => ()) l;
      later := []
    end

  fun sweep () =
    let val (live, dead) = List.partition (fn (w, _) => isSome (SMLofNJ.Weak.strong w)) (!all)
    in
      all := live;
      count := List.length live;
      limit := 1000 + 2 * !count;
      List.app (fn (_, f) => run f) dead
    end

  (* the rest: those that go before others first *)
  fun finish () =
    let
      val (first, others) = List.partition (fn (_, {later, ...} : finalizers) => not (List.null (!later))) (!all)
    in
      all := [];
      List.app (fn (_, f) => run f) (first @ others)
    end

  fun new value =
    let
      val token = ref ()
      val finalizers = {actions = ref [], later = ref []}
    in
      if !registered then () else (registered := true; PrimExits'.at_exit finish);
      if !count > !limit then sweep () else ();
      all := (SMLofNJ.Weak.weak token, finalizers) :: !all;
      count := !count + 1;
      {value = value, token = token, finalizers = finalizers}
    end
  fun addFinalizer ({value, finalizers = {actions, ...}, ...} : 'a t, f) = actions := (fn () => f value) :: !actions
  fun finalizeBefore ({finalizers = {later, ...}, ...} : 'a t, {token, ...} : 'b t) = later := token :: !later
  (* a use of the token that nobody may leave out *)
  fun touch ({token, ...} : 'a t) = token := ()
  fun withValue (t as {value, ...} : 'a t, f) =
    let val result = f value handle e => (touch t; raise e) in touch t; result end
end

(* MLton.Array and MLton.Vector: the state goes from element to element. *)
functor MLtonUnfold' (type 'a t val tabulate : int * (int -> 'a) -> 'a t) =
struct
  fun unfoldi (n, init, f) =
    let
      val state = ref init
      val elements = tabulate (n, fn i => let val (x, s) = f (i, !state) in state := s; x end)
    in
      (elements, !state)
    end
  fun unfold (n, init, f) = unfoldi (n, init, fn (_, s) => f s)
end

(* words with the operations that the hardware has and the Basis has not *)
functor MLtonRotated' (W : WORD) =
struct
  type t = W.word
  val bits = Word.fromInt W.wordSize
  fun rol (w, n) =
    let val n = Word.mod (n, bits)
    in W.orb (W.<< (w, n), W.>> (w, Word.- (bits, n))) end
  fun ror (w, n) = rol (w, Word.- (bits, Word.mod (n, bits)))
  (* its bytes in the other order *)
  fun bswap w =
    let
      fun go (_, acc, 0) = acc
        | go (w, acc, n) =
            go (W.>> (w, 0w8), W.orb (W.<< (acc, 0w8), W.andb (w, W.fromInt 255)), Int.- (n, 1))
    in
      go (w, W.fromInt 0, Int.quot (W.wordSize, 8))
    end
end

structure MLton : MLTON =
struct
  structure Signal = MLtonSignal'
  structure Itimer = MLtonItimer'
  val isMLton = false
  val debug = false
  val safe = true

  local
    val bytes = PrimCollector'.object_size : 'a ref -> int
  in
    (* bytes of everything reachable, each object once *)
    fun size x = IntInf.fromInt (bytes (ref x) - bytes (ref ()))
  end
  local
    val stat = PrimCollector'.gc_stat
  in
    (* bytes that lived at the end of the last collection of everything *)
    fun sizeAll () = IntInf.fromInt (stat 0)
  end
  val eq = PrimRefs'.ptr_eq : 'a * 'a -> bool
  (* advice only *)
  fun share _ = ()
  fun shareAll () = ()

  structure GC : MLTON_GC =
  struct
    local
      val doGC = PrimCollector'.gc_collect
      val messages = PrimCollector'.gc_messages
      val stat = PrimCollector'.gc_stat
    in
      fun collect () = (doGC 1; Finalizable'.sweep ())
      fun pack () = doGC ~1
      fun unpack () = ()
      val setMessages = messages
      val setSummary = PrimCollector'.gc_summary
      structure Statistics =
      struct
        fun bytesAllocated () = IntInf.fromInt (stat 1)
        fun lastBytesLive () = IntInf.fromInt (stat 0)
        fun maxBytesLive () = IntInf.fromInt (stat 5)
        fun numMinorGCs () = IntInf.fromInt (stat 2)
        fun numCopyingGCs () = IntInf.fromInt (stat 2)
        fun numMarkCompactGCs () = IntInf.fromInt (stat 3)
      end
    end
  end

  structure Weak : MLTON_WEAK =
  struct
    type 'a t = 'a SMLofNJ.Weak.weak
    val new = SMLofNJ.Weak.weak
    val get = SMLofNJ.Weak.strong
  end

  structure Finalizable :> MLTON_FINALIZABLE = Finalizable'

  structure Random : MLTON_RANDOM =
  struct
    local
      val secret = PrimWorld'.random_word
      val state = ref 0w13
    in
      fun seed () = SOME (secret ())
      fun useed () = SOME (secret ())
      fun srand w = state := Word.andb (w, 0wxFFFFFFFF)
      (* MLton's sequence, so that programs print the same: the linear generator of Numerical Recipes, on 32 bits *)
      fun rand () = (state := Word.andb (0w1664525 * !state + 0w1013904223, 0wxFFFFFFFF); !state)
      (* by the upper bits: the lower ones of a linear generator repeat soon *)
      fun alphaNumChar () =
        String.sub
          ("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", Word.toInt (Word.>> (rand () * 0w62, 0w32)))
      fun alphaNumString n = CharVector.tabulate (n, fn _ => alphaNumChar ())
    end
  end

  (* where temporary files are *)
  local
    fun temporary name = OS.Path.concat (getOpt (OS.Process.getEnv "TMPDIR", "/tmp"), name)
    val fdToInt = SysWord.toInt o Posix.FileSys.fdToWord
    fun stemps mkstemp {prefix, suffix} =
      let
        val (name, out) = mkstemp prefix
      in
        if suffix = "" then (name, out)
        else (OS.FileSys.rename {old = name, new = name ^ suffix}; (name ^ suffix, out))
      end
  in
    structure TextIO =
    struct
      type instream = TextIO.instream
      type outstream = TextIO.outstream
      local
        fun writer (name, fd) =
          TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (TextFile'.writer (name, fd), IO.BLOCK_BUF))
      in
        fun newOut (fd, name) = writer (name, fdToInt fd)
        fun newIn (fd, name) =
          TextIO.mkInstream (TextIO.StreamIO.mkInstream (TextFile'.reader (name, fdToInt fd), ""))
        (* a new file whose name begins so *)
        fun mkstemp prefix = let val (name, fd) = FileSys'.newFile prefix in (name, writer (name, fd)) end
        fun mkstemps names = stemps mkstemp names
        val tempPrefix = temporary
      end
    end

    structure BinIO =
    struct
      type instream = BinIO.instream
      type outstream = BinIO.outstream
      local
        fun writer (name, fd) =
          BinIO.mkOutstream (BinIO.StreamIO.mkOutstream (BinFile'.writer (name, fd), IO.BLOCK_BUF))
      in
        fun newOut (fd, name) = writer (name, fdToInt fd)
        fun newIn (fd, name) =
          BinIO.mkInstream (BinIO.StreamIO.mkInstream (BinFile'.reader (name, fdToInt fd), Word8Vector.fromList []))
        fun mkstemp prefix = let val (name, fd) = FileSys'.newFile prefix in (name, writer (name, fd)) end
        fun mkstemps names = stemps mkstemp names
        val tempPrefix = temporary
      end
    end
  end

  (* The machines that MLton knows; `host` is the one that runs the program. *)
  structure Platform : MLTON_PLATFORM =
  struct
    local
      val text = PrimAccounts'.system_text
      fun lower s = CharVector.map Char.toLower s
      fun named all s = Option.map #1 (List.find (fn (_, name) => lower name = lower s) all)
      fun name all t = case List.find (fn (u, _) => t = u) all of SOME (_, name) => name | NONE => "unknown"
    in
      structure Arch =
      struct
        datatype t =
          Alpha | AMD64 | ARM | ARM64 | HPPA | IA64 | LoongArch64 | M68k | MIPS | PowerPC | PowerPC64 | RISCV |
          S390 | Sparc | WASM32 | X86
        val all =
          [(Alpha, "Alpha"), (AMD64, "AMD64"), (ARM, "ARM"), (ARM64, "ARM64"), (HPPA, "HPPA"), (IA64, "IA64"),
           (LoongArch64, "LoongArch64"), (M68k, "M68k"), (MIPS, "MIPS"), (PowerPC, "PowerPC"),
           (PowerPC64, "PowerPC64"), (RISCV, "RISCV"), (S390, "S390"), (Sparc, "Sparc"), (WASM32, "WASM32"),
           (X86, "X86")]
        val fromString = named all
        fun toString t = name all t
        val host = getOpt (fromString (case text 4 of "x86_64" => "AMD64" | "aarch64" => "ARM64" | s => s), AMD64)
      end
      structure OS =
      struct
        datatype t =
          AIX | Cygwin | Darwin | FreeBSD | Hurd | HPUX | Linux | MinGW | NetBSD | OpenBSD | Solaris | WASI
        val all =
          [(AIX, "AIX"), (Cygwin, "Cygwin"), (Darwin, "Darwin"), (FreeBSD, "FreeBSD"), (Hurd, "Hurd"),
           (HPUX, "HPUX"), (Linux, "Linux"), (MinGW, "MinGW"), (NetBSD, "NetBSD"), (OpenBSD, "OpenBSD"),
           (Solaris, "Solaris"), (WASI, "WASI")]
        val fromString = named all
        fun toString t = name all t
        val host = getOpt (fromString (text 0), Linux)
      end
      structure Format =
      struct
        datatype t = Archive | Executable | LibArchive | Library
        val all =
          [(Archive, "Archive"), (Executable, "Executable"), (LibArchive, "LibArchive"), (Library, "Library")]
        val fromString = named all
        fun toString t = name all t
        val host = Executable
      end
    end
  end

  structure Exn =
  struct
    val history = SMLofNJ.exnHistory
    val keepHistory = false
    val printErr = PrimOutput'.print_err
    fun topLevelHandler e =
      (printErr ("unhandled exception: " ^ exnMessage e ^ "\n");
       OS.Process.exit OS.Process.failure)
  end

  structure Process = MLtonProcess'

  structure ProcEnv =
  struct
    type gid = Posix.ProcEnv.gid
    local
      val set = PrimWorld'.env_set
    in
      fun setenv {name, value} =
        let val result = set (name, value) in if result < 0 then Error'.fail (~ result) else () end
    end
  end

  structure Rlimit =
  struct
    structure RLim = struct type t = SysWord.word val castToSysWord = fn w : t => w val castFromSysWord = fn w : t => w end
    type rlim = RLim.t
    type t = int
    val infinity = 0wxFFFFFFFFFFFFFFFF : rlim
    (* Linux's numbers *)
    val cpuTime = 0
    val fileSize = 1
    val dataSize = 2
    val stackSize = 3
    val coreFileSize = 4
    val residentSetSize = 5
    val numProcesses = 6
    val numFiles = 7
    val lockedInMemorySize = 8
    val virtualMemorySize = 9
    local
      val getLimit = PrimProcesses'.limit_get
      val setLimit = PrimProcesses'.limit_set
      fun done result = if result < 0 then Error'.fail (~ result) else ()
    in
      fun get r =
        let val both = Array.array (2, 0)
        in
          done (getLimit (r, both));
          {soft = SysWord.fromInt (Array.sub (both, 0)), hard = SysWord.fromInt (Array.sub (both, 1))}
        end
      fun set (r, {soft, hard} : {soft : rlim, hard : rlim}) =
        done (setLimit (r, Array.fromList [SysWord.toIntX soft, SysWord.toIntX hard]))
    end
  end

  structure IntInf =
  struct
    type t = IntInf.int
    local
      datatype intinf = datatype intinf
    in
      fun isSmall (Small' _) = true
        | isSmall _ = false
      fun parts (Small' i) = (i, NONE)
        | parts (Pos' words) = (0, SOME (0w0, words))
        | parts (Neg' words) = (0, SOME (0w1, words))
    end
    structure BigWord = Word
    structure SmallInt = Int
    (* what fits into a SmallInt; the sign, 0 or 1, and the words of the magnitude, least first *)
    datatype rep = Small of SmallInt.int | Big of BigWord.word vector
    fun rep i =
      case parts i of
        (i, NONE) => Small i
      | (_, SOME (sign, words)) => Big (Vector.concat [Vector.fromList [sign], words])
    (* NONE when it is not as `rep` would make it *)
    fun fromRep (Small i) = SOME (IntInf.fromInt i)
      | fromRep (Big words) =
          if Vector.length words < 2 then NONE
          else
            let
              val size = Vector.foldri (fn (i, w, sum) =>
                if i = 0 then sum else sum * IntInf.pow (2, Word.wordSize) + Word.toLargeInt w) 0 words
              val value = if Vector.sub (words, 0) = 0w0 then size else ~ size
            in
              if Vector.sub (words, 0) <= 0w1 andalso rep value = Big words then SOME value else NONE
            end
    fun areSmall (a, b) = isSmall a andalso isSmall b
    fun gcd (a, b) =
      let
        fun go (a, b) = if b = 0 then a else go (b, IntInf.rem (a, b))
      in
        go (IntInf.abs a, IntInf.abs b)
      end
  end

  structure Word = MLtonRotated' (Word)
  structure Word64 = MLtonRotated' (Word64)
  structure Word32 = MLtonRotated' (Word32)
  structure Word16 = MLtonRotated' (Word16)
  structure Word8 = MLtonRotated' (Word8)
  structure LargeWord = MLtonRotated' (LargeWord)

  structure Array = MLtonUnfold' (type 'a t = 'a array val tabulate = Array.tabulate)
  structure Vector = MLtonUnfold' (type 'a t = 'a vector val tabulate = Vector.tabulate)

  structure Rusage =
  struct
    type t = {utime : Time.time, stime : Time.time}
    fun measureGC (_ : bool) = ()
    fun rusage () =
      let
        val {nongc = {usr, sys}, gc = {usr = gu, sys = gs}} = Timer.checkCPUTimes (Timer.totalCPUTimer ())
        val {cutime, cstime, ...} = Posix.ProcEnv.times ()
      in
        {self = {utime = Time.+ (usr, gu), stime = Time.+ (sys, gs)}, gc = {utime = gu, stime = gs},
         children = {utime = cutime, stime = cstime}}
      end
  end

  structure Profile =
  struct
    (* `leat profile` looks from outside; a program's own counters are never on *)
    val isOn = false
    structure Data =
    struct
      type t = unit ref
      fun equals (a : t, b) = a = b
      fun malloc () = ref ()
      fun free (_ : t) = ()
      fun write (_ : t, _ : string) = ()
    end
    fun withData (_ : Data.t, f) = f ()
  end

  structure Cont = MLtonCont'
  structure Thread = MLtonThread'
end
