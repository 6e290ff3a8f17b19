(* MLton: the parts of MLton's own structure that programs use. *)

(* Finalizers run when the value was found dead: after a collection that the program asked for, when many new ones are
   made, and when the program ends. *)
structure Finalizable' :> sig
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
  (* The token dies with the last use; the finalizers hold the value, not the token. Those that go later are held, and
     each counts how many go before it. *)
  datatype finalizers =
    FINALIZERS of
        {actions : (unit -> unit) list ref,
         earlier : int ref,
         later : (token * finalizers) list ref}
  type 'a t = {value : 'a, token : token, finalizers : finalizers}

  val all : (token SMLofNJ.Weak.weak * finalizers) list ref = ref []
  val count = ref 0
  (* when there are so many, the dead are looked for *)
  val limit = ref 1000
  val registered = ref false

  (* What is here belongs to all threads: one at a time changes it. *)
  val lock = Lock'.new ()
  fun alone f =
    let
      val () = Lock'.take lock
      val result = f ()
    in
      Lock'.release lock;
      result
    end

  fun run (FINALIZERS {actions, later, ...}) =
    let
      val l = List.rev (!actions)
    in
      actions := [];
      (* The thread that makes a value may be in a cancelled scope. *)
      List.app (fn f => Scope.shield f handle _ => ()) l;
      alone (fn () =>
        (List.app (fn (_, FINALIZERS {earlier, ...}) => earlier := !earlier - 1) (!later);
         later := []))
    end

  fun sweep () =
    let
      fun takeDead () =
        let
          val (live, dead) =
            List.partition (fn (w, _) => isSome (SMLofNJ.Weak.strong w)) (!all)
        in
          all := live;
          count := List.length live;
          limit := 1000 + 2 * !count;
          dead
        end
    in
      List.app (fn (_, f) => run f) (alone takeDead)
    end

  (* the rest, in rounds: first those that nobody goes before, then those that go behind them. What waits for itself is
     not finalized. *)
  fun finish () =
    let
      fun go l =
        let
          val (waiting, ready) =
            List.partition (fn (_, FINALIZERS {earlier, ...}) => !earlier > 0) l
        in
          List.app (fn (_, f) => run f) ready;
          if List.null ready then () else go waiting
        end
    in
      go (alone (fn () => !all before all := []))
    end

  fun new value =
    let
      val token = ref ()
      val finalizers = FINALIZERS {actions = ref [], earlier = ref 0, later = ref []}
      val weak = SMLofNJ.Weak.weak token
    in
      if alone (fn () => !registered before registered := true) then ()
      else PrimExits'.at_exit finish;
      if !count > !limit then sweep () else ();
      alone (fn () => (all := (weak, finalizers) :: !all; count := !count + 1));
      {value = value, token = token, finalizers = finalizers}
    end
  (* a use of the token that nobody may leave out *)
  fun touch ({token, ...} : 'a t) = token := ()
  (* The token lives until the finalizer is there: else the value may be taken for dead before. *)
  fun addFinalizer (t as {value, finalizers = FINALIZERS {actions, ...}, ...} : 'a t, f) =
    (alone (fn () => actions := (fn () => f value) :: !actions); touch t)
  fun finalizeBefore
    (t as {finalizers = FINALIZERS {later, ...}, ...} : 'a t,
     {token, finalizers as FINALIZERS {earlier, ...}, ...} : 'b t) =
    (alone (fn () => (later := (token, finalizers) :: !later; earlier := !earlier + 1)); touch t)
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
    let
      val n = Word.mod (n, bits)
    in
      W.orb (W.<< (w, n), W.>> (w, Word.- (bits, n)))
    end
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

(* reals and words *)
functor MLtonReal' (R : REAL) =
struct
  type t = R.real
  fun fromWord w = R.fromLargeInt (Word.toLargeInt w)
  fun toWord mode x =
    let
      val i = R.toLargeInt mode x
    in
      if IntInf.< (i, IntInf.fromInt 0)
         orelse Int.>= (IntInf.log2 (IntInf.max (i, IntInf.fromInt 1)), Word.wordSize)
      then
        raise Overflow
      else Word.fromLargeInt i
    end
  val fromLargeWord = fromWord o Word.fromLarge
  fun toLargeWord mode = Word.toLarge o toWord mode
end

structure MLton : MLTON =
struct
  structure Pointer = MLtonPointer'
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
    fun sizeAll () = IntInf.fromInt (stat HeapFigure'.live)
  end
  val eq = PrimRefs'.ptr_eq : 'a * 'a -> bool
  (* what the compiler makes of =, without the rule that a type admits it *)
  val equal = _prim "poly_eq" : 'a * 'a -> bool
  local
    val bits = PrimCollector'.object_hash : 'a ref -> word
  in
    fun hash x = Word32.fromLarge (Word.toLarge (bits (ref x)))
  end
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
      fun collect () = (doGC Collection'.major; Finalizable'.sweep ())
      fun pack () = doGC Collection'.pack
      fun unpack () = ()
      val setMessages = messages
      val setSummary = PrimCollector'.gc_summary
      structure Statistics =
      struct
        fun bytesAllocated () = IntInf.fromInt (stat HeapFigure'.allocated)
        fun lastBytesLive () = IntInf.fromInt (stat HeapFigure'.live)
        fun maxBytesLive () = IntInf.fromInt (stat HeapFigure'.mostLive)
        fun numMinorGCs () = IntInf.fromInt (stat HeapFigure'.minors)
        fun numCopyingGCs () = IntInf.fromInt (stat HeapFigure'.minors)
        fun numMarkCompactGCs () = IntInf.fromInt (stat HeapFigure'.majors)
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

  val alphaNums = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

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
      fun rand () =
        let
          val now = !state
          val next = Word.andb (0w1664525 * now + 0w1013904223, 0wxFFFFFFFF)
        in
          (* two threads would get one number *)
          if PrimRefs'.ref_cas (state, now, next)
          then next
          else rand ()
        end
      (* by the upper bits: the lower ones of a linear generator repeat soon *)
      fun alphaNumChar () =
        String.sub (alphaNums, Word.toInt (Word.>> (rand () * 0w62, 0w32)))
      fun alphaNumString n = CharVector.tabulate (n, fn _ => alphaNumChar ())
    end
  end

  (* where temporary files are *)
  local
    fun isFolder d =
      OS.Path.isAbsolute d
      andalso OS.Path.isCanonical d
      andalso (OS.FileSys.isDir d handle OS.SysErr _ => false)
    fun temporary name =
      case OS.Process.getEnv "TMPDIR" of
        SOME "/" => "/" ^ name
      | SOME d => (if isFolder d then d else "/tmp") ^ "/" ^ name
      | NONE => "/tmp/" ^ name
    val fdToInt = SysWord.toInt o Posix.FileSys.fdToWord
    fun opened (SOME fd) = Posix.FileSys.wordToFD (SysWord.fromInt fd)
      | opened NONE = raise Fail "MLton: the stream has no descriptor"
    fun letter _ =
      String.sub (alphaNums, Word.toInt (Word.mod (PrimWorld'.random_word (), 0w62)))
    (* A file that is there is left alone. *)
    fun stemps writer {prefix, suffix} =
      let
        open Posix.FileSys
        val name = concat [prefix, CharVector.tabulate (6, letter), suffix]
        val fd = createf (name, O_WRONLY, O.flags [O.excl], S.flags [S.irusr, S.iwusr])
      in
        Posix.IO.setfd (fd, Posix.IO.FD.cloexec);
        (name, writer (name, fdToInt fd))
      end
      handle e as OS.SysErr (_, error) =>
          if error = SOME Posix.Error.exist then stemps writer {prefix = prefix, suffix = suffix}
          else raise e
  in
    structure TextIO =
    struct
      type instream = TextIO.instream
      type outstream = TextIO.outstream
      local
        fun writer (name, fd) =
          TextIO.mkOutstream
            (TextIO.StreamIO.mkOutstream (TextFile'.writer (name, fd), IO.BLOCK_BUF))
      in
        fun newOut (fd, name) = writer (name, fdToInt fd)
        fun newIn (fd, name) =
          TextIO.mkInstream (TextIO.StreamIO.mkInstream (TextFile'.reader (name, fdToInt fd), ""))
        (* a new file whose name begins so *)
        fun mkstemp prefix =
          let val (name, fd) = FileSys'.newFile prefix in (name, writer (name, fd)) end
        fun mkstemps names = stemps writer names
        val tempPrefix = temporary
        val inFd =
          opened
          o TextIO'.S.S.descriptorIn
          o TextIO'.getInstream
          o (PrimArrays'.cast : instream -> TextIO'.instream)
        val outFd =
          opened
          o TextIO'.S.S.descriptorOut
          o TextIO'.getOutstream
          o (PrimArrays'.cast : outstream -> TextIO'.outstream)
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
          BinIO.mkInstream (BinIO.StreamIO.mkInstream
                              (BinFile'.reader (name, fdToInt fd), Word8Vector.fromList []))
        fun mkstemp prefix =
          let val (name, fd) = FileSys'.newFile prefix in (name, writer (name, fd)) end
        fun mkstemps names = stemps writer names
        val tempPrefix = temporary
        val inFd =
          opened
          o BinIO'.S.S.descriptorIn
          o BinIO'.getInstream
          o (PrimArrays'.cast : instream -> BinIO'.instream)
        val outFd =
          opened
          o BinIO'.S.S.descriptorOut
          o BinIO'.getOutstream
          o (PrimArrays'.cast : outstream -> BinIO'.outstream)
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
      fun name all t =
        case List.find (fn (u, _) => t = u) all of SOME (_, name) => name | NONE => "unknown"
    in
      structure Arch =
      struct
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
        val all =
          [(Alpha, "Alpha"),
           (AMD64, "AMD64"),
           (ARM, "ARM"),
           (ARM64, "ARM64"),
           (HPPA, "HPPA"),
           (IA64, "IA64"),
           (LoongArch64, "LoongArch64"),
           (m68k, "m68k"),
           (MIPS, "MIPS"),
           (PowerPC, "PowerPC"),
           (PowerPC64, "PowerPC64"),
           (RISCV, "RISCV"),
           (S390, "S390"),
           (Sparc, "Sparc"),
           (Wasm32, "Wasm32"),
           (X86, "X86")]
        val fromString = named all
        fun toString t = name all t
        val host =
          getOpt
            (fromString (case text 4 of "x86_64" => "AMD64" | "aarch64" => "ARM64" | s => s), AMD64)
      end
      structure OS =
      struct
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
        val all =
          [(AIX, "AIX"),
           (Cygwin, "Cygwin"),
           (Darwin, "Darwin"),
           (FreeBSD, "FreeBSD"),
           (Hurd, "Hurd"),
           (HPUX, "HPUX"),
           (Linux, "Linux"),
           (MinGW, "MinGW"),
           (NetBSD, "NetBSD"),
           (OpenBSD, "OpenBSD"),
           (Solaris, "Solaris"),
           (WASI, "WASI")]
        val fromString = named all
        fun toString t = name all t
        val host = getOpt (fromString (text 0), Linux)
      end
      structure Format =
      struct
        datatype t = Archive | Executable | LibArchive | Library
        val all =
          [(Archive, "Archive"),
           (Executable, "Executable"),
           (LibArchive, "LibArchive"),
           (Library, "Library")]
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
    val addExnMessager = ExnMessager'.add
    local
      val printErr = PrimOutput'.print_err
      (* The runtime calls the function in a new thread, whose properties are the exception. *)
      val hook = PrimExits'.uncaught_hook
      val packet = PrimThreads'.thread_props : Thread.thread -> exn
      val handler : (exn -> unit) option ref = ref NONE
    in
      fun defaultTopLevelHandler e =
        (printErr ("unhandled exception: " ^ exnMessage e ^ "\n");
         OS.Process.exit OS.Process.failure)
      fun getTopLevelHandler () = case !handler of SOME f => f | NONE => defaultTopLevelHandler
      fun topLevelHandler e =
        (getTopLevelHandler () e handle e' => defaultTopLevelHandler e';
         OS.Process.exit OS.Process.failure)
      fun setTopLevelHandler f =
        let
          fun uncaught () =
            let
              val self = Thread.self ()
              val e = packet self
            in
              ThreadProps'.set (self, ThreadProps'.NONE');
              topLevelHandler e
            end
        in
          handler := SOME f;
          hook (2, uncaught)
        end
    end
  end

  structure Process = MLtonProcess'

  structure ProcEnv =
  struct
    type gid = Posix.ProcEnv.gid
    local
      val set = PrimWorld'.env_set
    in
      fun setenv {name, value} =
        let
          val result = set (name, value)
        in
          Zone'.forget ();
          if result < 0 then Error'.fail (~ result) else ()
        end
      fun setgroups groups =
        let
          val numbers = Array.fromList (List.map (SysWord.toInt o Posix.ProcEnv.gidToWord) groups)
          val result = PrimAccounts'.system_set_groups numbers
        in
          if result < 0 then Error'.fail (~ result) else ()
        end
    end
  end

  structure Rlimit =
  struct
    structure RLim =
    struct
      type t = SysWord.word
      val castToSysWord = fn w : t => w
      val castFromSysWord = fn w : t => w
    end
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
        let
          val both = Array.array (2, 0)
        in
          done (getLimit (r, both));
          {soft = SysWord.fromInt (Array.sub (both, 0)),
           hard = SysWord.fromInt (Array.sub (both, 1))}
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
              val size =
                Vector.foldri
                  (fn (i, w, sum) =>
                    if i = 0 then sum else sum * IntInf.pow (2, Word.wordSize) + Word.toLargeInt w)
                  0
                  words
              val value = if Vector.sub (words, 0) = 0w0 then size else ~ size
            in
              if Vector.sub (words, 0) <= 0w1 andalso rep value = Big words then SOME value
              else NONE
            end
    fun areSmall (a, b) = isSmall a andalso isSmall b
    fun gcd (a, b) =
      let
        fun go (a, b) = if b = 0 then a else go (b, IntInf.rem (a, b))
      in
        go (IntInf.abs a, IntInf.abs b)
      end
  end

  structure Array = MLtonUnfold' (type 'a t = 'a array val tabulate = Array.tabulate)
  structure Vector =
  struct
    local
      structure Unfold = MLtonUnfold' (type 'a t = 'a vector val tabulate = Vector.tabulate)
    in
      open Unfold
    end
    fun create n =
      let
        val () = if n < 0 orelse n > Vector.maxLen then raise Size else ()
        (* made with the first element; so many are there *)
        val elements = ref (ArrayPrim'.unsafeNew 0)
        val next = ref 0
        val finished = ref false
        fun update (i, x) =
          if !finished then raise Fail "MLton.Vector.create: update after done"
          else if i < 0 orelse i > !next orelse i >= n then raise Subscript
          else
            (if i = 0 andalso !next = 0 then elements := ArrayPrim'.new (n, x)
             else ArrayPrim'.unsafeUpdate (!elements, i, x);
             if i = !next then next := i + 1 else ())
        fun sub i =
          if i < 0 orelse i >= !next then raise Subscript else ArrayPrim'.unsafeSub (!elements, i)
        fun done () =
          if !finished then raise Fail "MLton.Vector.create: done twice"
          else if !next < n then
            raise Fail "MLton.Vector.create: done before all elements are there"
          else (finished := true; ArrayPrim'.freeze (!elements))
      in
        {done = done, sub = sub, update = update}
      end
  end

  structure CharArray =
  struct
    type t = CharArray.array
    type elem = char
    fun fromPoly (a : elem array) : t = a
    fun toPoly (a : t) : elem array = a
  end
  structure CharVector =
  struct
    type t = string
    type elem = char
    val fromPoly = PrimArrays'.cast : elem vector -> t
    val toPoly = PrimArrays'.cast : t -> elem vector
  end
  structure Word8Array =
  struct
    type t = Word8Array.array
    type elem = Word8.word
    val fromPoly = PrimArrays'.cast : elem array -> t
    val toPoly = PrimArrays'.cast : t -> elem array
  end
  structure Word8Vector =
  struct
    type t = Word8Vector.vector
    type elem = Word8.word
    val fromPoly = PrimArrays'.cast : elem vector -> t
    val toPoly = PrimArrays'.cast : t -> elem vector
  end

  structure Real32 =
  struct
    structure Bits = MLtonReal' (Real32)
    open Bits
    local
      val ofBits = PrimReals'.real_of_bits32
      val toBits = PrimReals'.real_to_bits32
      val wide = PrimArrays'.cast : Real32.real -> real
      val narrow = PrimArrays'.cast : real -> Real32.real
    in
      fun castFromWord w = narrow (ofBits (Word.fromLarge (Word32.toLarge w)))
      fun castToWord x = Word32.fromLarge (Word.toLarge (toBits (wide x)))
    end
  end
  structure Real64 =
  struct
    structure Bits = MLtonReal' (Real64)
    open Bits
    fun castFromWord w = PrimReals'.real_of_bits (Word.fromLarge (Word64.toLarge w))
    fun castToWord x = Word64.fromLarge (Word.toLarge (PrimReals'.real_to_bits x))
  end
  structure Real = Real64
  structure LargeReal = Real64

  structure World =
  struct
    datatype status = Clone | Original
    fun refused name =
      raise Fail (concat ["MLton.World.",
                          name,
                          ": a saved world needs a heap that is loaded where it was, which Leat's programs ",
                          "do not have"])
    fun load (_ : string) = refused "load"
    fun save (_ : string) = refused "save"
    fun saveThread (_ : string, _ : MLtonThread'.Runnable.t) = refused "saveThread"
  end

  structure Syslog =
  struct
    type openflag = word
    val PID = 0w1
    val CONS = 0w2
    val ODELAY = 0w4
    val NDELAY = 0w8
    val NOWAIT = 0w16
    val PERROR = 0w32

    type facility = int
    val KERN = 0
    val USER = 1
    val MAIL = 2
    val DAEMON = 3
    val SYSLOG = 5
    val LPR = 6
    val NEWS = 7
    val UUCP = 8
    val CRON = 9
    val AUTHPRIV = 10
    val LOCAL0 = 16
    val LOCAL1 = 17
    val LOCAL2 = 18
    val LOCAL3 = 19
    val LOCAL4 = 20
    val LOCAL5 = 21
    val LOCAL6 = 22
    val LOCAL7 = 23

    type loglevel = int
    val EMERG = 0
    val ALERT = 1
    val CRIT = 2
    val ERR = 3
    val WARNING = 4
    val NOTICE = 5
    val INFO = 6
    val DEBUG = 7

    local
      val opened : {name : string, flags : word, facility : facility} option ref = ref NONE
      val printErr = PrimOutput'.print_err
      fun isSet (flags, flag) = Word.andb (flags, flag) <> 0w0
      val address = "/dev/log"
      (* one datagram; a log that takes only streams ends messages by NUL *)
      fun send text =
        let
          val bytes = Byte.stringToBytes text
          val s = UnixSock.DGrm.socket ()
        in
          (ignore (Socket.sendVecTo (s, UnixSock.toAddr address, Word8VectorSlice.full bytes));
           Socket.close s)
          handle e => (Socket.close s; raise e)
        end
        handle OS.SysErr _ =>
            let
              val bytes = Byte.stringToBytes (text ^ "\000")
              val s = UnixSock.Strm.socket ()
            in
              (Socket.connect (s, UnixSock.toAddr address);
               ignore (Socket.sendVec (s, Word8VectorSlice.full bytes));
               Socket.close s)
              handle e => (Socket.close s; raise e)
            end
      fun toConsole text =
        let
          val fd =
            Posix.FileSys.openf ("/dev/console", Posix.FileSys.O_WRONLY, Posix.FileSys.O.noctty)
          val bytes = Byte.stringToBytes (text ^ "\r\n")
        in
          (ignore (Posix.IO.writeVec (fd, Word8VectorSlice.full bytes)); Posix.IO.close fd)
          handle e => (Posix.IO.close fd; raise e)
        end
        handle OS.SysErr _ => ()
    in
      fun openlog (name, flags, facility) =
        opened := SOME {name = name, flags = List.foldl Word.orb 0w0 flags, facility = facility}
      fun closelog () = opened := NONE
      fun log (level, message) =
        let
          val {name, flags, facility} =
            getOpt
              (!opened, {name = OS.Path.file (CommandLine.name ()), flags = 0w0, facility = USER})
          val number =
            if isSet (flags, PID) then
              "["
              ^ SysWord.fmt StringCvt.DEC (Posix.Process.pidToWord (Posix.ProcEnv.getpid ()))
              ^ "]"
            else ""
          val tagged = concat [name, number, ": ", message]
          val now = Date.fromTimeLocal (Time.now ())
          val day = StringCvt.padLeft #" " 2 (Int.toString (Date.day now))
          val time = Date.fmt ("%b " ^ day ^ " %H:%M:%S ") now
        in
          if isSet (flags, PERROR) then printErr (tagged ^ "\n") else ();
          send (concat ["<", Int.toString (8 * facility + level), ">", time, tagged])
          handle _ => if isSet (flags, CONS) then toConsole (time ^ tagged) else ()
        end
    end
  end

  structure Word = MLtonRotated' (Word)
  structure Word64 = MLtonRotated' (Word64)
  structure Word32 = MLtonRotated' (Word32)
  structure Word16 = MLtonRotated' (Word16)
  structure Word8 = MLtonRotated' (Word8)
  structure LargeWord = MLtonRotated' (LargeWord)

  structure Rusage =
  struct
    type t = {utime : Time.time, stime : Time.time}
    fun measureGC (_ : bool) = ()
    fun rusage () =
      let
        val {nongc = {usr, sys}, gc = {usr = gu, sys = gs}} =
          Timer.checkCPUTimes (Timer.totalCPUTimer ())
        val {cutime, cstime, ...} = Posix.ProcEnv.times ()
      in
        {self = {utime = Time.+ (usr, gu), stime = Time.+ (sys, gs)},
         gc = {utime = gu, stime = gs},
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
