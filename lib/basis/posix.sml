(* Posix: the system's calls by their own names. Calls that wait park the thread. Numbers are those of Linux.

   The parts' signatures are in posix-process-sig.sml, posix-file-sig.sml and posix-tty.sml. *)

(* The parts of texts whose parts each end in NUL. What goes to the system as such parts has none of its own, or it
   would be another list there. *)
structure Nul' =
struct
  fun split text =
    case List.rev (String.fields (fn c => c = #"\000") text) of
      _ :: parts => List.rev parts
    | [] => []
  fun has text = CharVector.exists (fn c => c = #"\000") text
  fun join parts =
    if List.exists has parts then Error'.fail ErrorNumber'.inval
    else String.concat (List.map (fn s => s ^ "\000") parts)
end

(* Descriptors that the program itself has made non-blocking. Who writes has the lock: another thread could go on with a
   table that is being replaced by a larger one. *)
structure NonBlocking' =
struct
  val lock = Lock'.new ()
  val table = ref (Array.array (0, false))
  fun has fd =
    let val now = !table in fd >= 0 andalso fd < Array.length now andalso Array.sub (now, fd) end
  fun set (fd, yes) =
    if fd < 0 orelse yes = has fd then ()
    else
      (Lock'.take lock;
       if fd >= Array.length (!table) then
         let
           val old = !table
           fun was i = i < Array.length old andalso Array.sub (old, i)
         in
           table := Array.tabulate (2 * (fd + 1), was)
         end
       else ();
       Array.update (!table, fd, yes);
       Lock'.release lock)
end

(* With its types open. For the library. *)
structure Posix' =
struct
  structure E = Error'

  (* Asks for a limit; NONE is that there is none. *)
  fun limit ask =
    let
      val error = Array.array (1, 0)
      val value = ask error
    in
      case Array.sub (error, 0) of
        0 => SOME (Word.fromInt value)
      | ~1 => NONE
      | e => E.fail e
    end

  structure Error =
  struct
    type syserror = OS.syserror
    fun toWord e = Word.fromInt (OSPrim'.ofSyserror e)
    fun fromWord w = OSPrim'.toSyserror (Word.toInt w)
    val errorMsg = OS.errorMsg
    val errorName = OS.errorName
    val syserror = OS.syserror
    val of' = OSPrim'.toSyserror
    val acces = of' ErrorNumber'.acces
    val again = of' ErrorNumber'.again
    val badf = of' ErrorNumber'.badf
    val badmsg = of' ErrorNumber'.badmsg
    val busy = of' ErrorNumber'.busy
    val canceled = of' ErrorNumber'.canceled
    val child = of' ErrorNumber'.child
    val deadlk = of' ErrorNumber'.deadlock
    val dom = of' ErrorNumber'.dom
    val exist = of' ErrorNumber'.exist
    val fault = of' ErrorNumber'.fault
    val fbig = of' ErrorNumber'.fbig
    val inprogress = of' ErrorNumber'.inprogress
    val intr = of' ErrorNumber'.intr
    val inval = of' ErrorNumber'.inval
    val io = of' ErrorNumber'.io
    val isdir = of' ErrorNumber'.isdir
    val loop = of' ErrorNumber'.loop
    val mfile = of' ErrorNumber'.mfile
    val mlink = of' ErrorNumber'.mlink
    val msgsize = of' ErrorNumber'.msgsize
    val nametoolong = of' ErrorNumber'.nametoolong
    val nfile = of' ErrorNumber'.nfile
    val nodev = of' ErrorNumber'.nodev
    val noent = of' ErrorNumber'.noent
    val noexec = of' ErrorNumber'.noexec
    val nolck = of' ErrorNumber'.nolck
    val nomem = of' ErrorNumber'.nomem
    val nospc = of' ErrorNumber'.nospc
    val nosys = of' ErrorNumber'.nosys
    val notdir = of' ErrorNumber'.notdir
    val notempty = of' ErrorNumber'.notempty
    val notsup = of' ErrorNumber'.notsup
    val notty = of' ErrorNumber'.notty
    val nxio = of' ErrorNumber'.nxio
    val perm = of' ErrorNumber'.perm
    val pipe = of' ErrorNumber'.pipe
    val range = of' ErrorNumber'.range
    val rofs = of' ErrorNumber'.rofs
    val spipe = of' ErrorNumber'.spipe
    val srch = of' ErrorNumber'.srch
    val xdev = of' ErrorNumber'.xdev
    val toobig = of' ErrorNumber'.toobig
  end

  structure Signal =
  struct
    type signal = int
    val toWord = Word.fromInt
    val fromWord = Word.toInt
    val abrt = SignalNumber'.abrt
    val alrm = SignalNumber'.alrm
    val bus = SignalNumber'.bus
    val fpe = SignalNumber'.fpe
    val hup = SignalNumber'.hup
    val ill = SignalNumber'.ill
    val int = SignalNumber'.int
    val kill = SignalNumber'.kill
    val pipe = SignalNumber'.pipe
    val quit = SignalNumber'.quit
    val segv = SignalNumber'.segv
    val term = SignalNumber'.term
    val usr1 = SignalNumber'.usr1
    val usr2 = SignalNumber'.usr2
    val chld = SignalNumber'.chld
    val cont = SignalNumber'.cont
    val stop = SignalNumber'.stop
    val tstp = SignalNumber'.tstp
    val ttin = SignalNumber'.ttin
    val ttou = SignalNumber'.ttou
  end

  structure Process =
  struct
    type signal = Signal.signal
    type pid = int
    val wordToPid = Word.toInt
    val pidToWord = Word.fromInt
    local
      val forkPrim = PrimProcesses'.process_fork
      val execPrim = PrimProcesses'.process_exec
      val waitPrim = Process'.wait
      val exitPrim = PrimProcesses'.process_exit_now : int -> 'a
      val alarmPrim = PrimProcesses'.process_alarm
      val pausePrim = PrimProcesses'.process_pause
    in
      (* Another worker forks just now: it goes first. *)
      fun forkNow () =
        let
          val result = forkPrim ()
        in
          if result = ~ ErrorNumber'.intr then forkNow () else result
        end
      fun fork () =
        case E.check (forkNow ()) of
          0 => NONE
        | pid => SOME pid
      fun failed result = (E.done result; raise Fail "exec")
      fun exec (path, args) = failed (execPrim (path, Nul'.join args, "", 0))
      fun exece (path, args, env) = failed (execPrim (path, Nul'.join args, Nul'.join env, 2))
      fun execp (file, args) = failed (execPrim (file, Nul'.join args, "", 1))

      datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
      datatype exit_status =
          W_EXITED
        | W_EXITSTATUS of Word8.word
        | W_SIGNALED of signal
        | W_STOPPED of signal
      structure W =
      struct
        open BitFlags'
        val untraced = WaitFlag'.untraced
      end
      fun fromStatus status =
        case OSPrim'.ofStatus status of
          0 => W_EXITED
        | s =>
            if s < 256 then W_EXITSTATUS (Word8.fromInt s)
            else if s < 512 then W_SIGNALED (s - 256)
            else W_STOPPED (s - 512)
      fun waitFor (which, options) =
        let
          val a = Array.array (1, 0)
          val target =
            case which of
              W_ANY_CHILD => ~1
            | W_CHILD pid => pid
            | W_SAME_GROUP => 0
            | W_GROUP group => ~ group
          val pid = E.check (waitPrim (target, options, a))
        in
          (pid, fromStatus (OSPrim'.toStatus (Process'.ofWait (Array.sub (a, 0)))))
        end
      fun waitpid (which, flags) = waitFor (which, BitFlags'.int (W.flags flags))
      fun waitpid_nh (which, flags) =
        case waitFor (which, 1 + BitFlags'.int (W.flags flags)) of
          (0, _) => NONE
        | found => SOME found
      fun wait () = waitpid (W_ANY_CHILD, [])
      fun exit status = exitPrim (Word8.toInt status)
      datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
      fun kill (which, signal) =
        E.done (Process'.kill (case which of
                                 K_PROC pid => pid
                               | K_SAME_GROUP => 0
                               | K_GROUP g => ~ g,
                               signal))
      (* what was left, in whole seconds as the system's alarm rounds them: to the nearest, and up to one *)
      fun alarm t =
        case E.check (alarmPrim (TimePrim'.toNanos t)) of
          0 => Time.zeroTime
        | left => Time.fromSeconds (Int.toLarge (Int.max (1, (left + 500000000) div 1000000000)))
      fun pause () = ignore (pausePrim ())
      fun sleep t = (OS.Process.sleep t; Time.zeroTime)
    end
  end

  structure ProcEnv =
  struct
    type pid = Process.pid
    type uid = int
    type gid = int
    type file_desc = int
    val uidToWord = Word.fromInt
    (* Cut off, a number would be another user's: 2^32 that of root. *)
    fun ofWord w = if Word.> (w, 0wxffffffff) then E.fail ErrorNumber'.inval else Word.toInt w
    val wordToUid = ofWord
    val gidToWord = Word.fromInt
    val wordToGid = ofWord
    local
      val id = PrimProcesses'.process_id
      val set = PrimProcesses'.process_set
      val text = PrimAccounts'.system_text
      val conf = PrimLimits'.system_conf
      val children = PrimClock'.time_children
      val isattyPrim = PrimFiles'.fd_isatty
      val readlink = PrimFiles'.file_readlink
    in
      fun getpid () = id ProcessNumber'.id
      fun getppid () = id ProcessNumber'.parent
      fun getuid () = id ProcessNumber'.user
      fun geteuid () = id ProcessNumber'.effectiveUser
      fun getgid () = id ProcessNumber'.group
      fun getegid () = id ProcessNumber'.effectiveGroup
      fun getpgrp () = id ProcessNumber'.processGroup
      fun setuid uid = E.done (set (0, uid, 0))
      fun setgid gid = E.done (set (1, gid, 0))
      fun setpgid {pid, pgid} = E.done (set (2, getOpt (pid, 0), getOpt (pgid, 0)))
      fun setsid () = E.check (set (3, 0, 0))
      fun getgroups () = List.map (E.check o valOf o Int.fromString) (Nul'.split (text 8))
      fun getlogin () = case text 6 of "" => E.fail 6 | name => name
      fun uname () =
        [("sysname", text 0),
         ("nodename", text 1),
         ("release", text 2),
         ("version", text 3),
         ("machine", text 4)]
      fun time () = Time.fromSeconds (Time.toSeconds (Time.now ()))
      fun times () =
        let
          val {nongc, gc} = Timer.checkCPUTimes (Timer.totalCPUTimer ())
        in
          {elapsed = Timer.checkRealTimer (Timer.totalRealTimer ()),
           utime = Time.+ (#usr nongc, #usr gc),
           stime = Time.+ (#sys nongc, #sys gc),
           cutime = TimePrim'.ofNanos (children 0),
           cstime = TimePrim'.ofNanos (children 1)}
        end
      val getenv = OS.Process.getEnv
      fun environ () = Nul'.split (text 7)
      fun ctermid () = text 5
      fun isatty fd = isattyPrim fd = 1
      fun ttyname fd =
        if isatty fd then E.text (fn e => readlink ("/proc/self/fd/" ^ Int.toString fd, e))
        else (ignore (Stat'.fstat fd); E.fail ErrorNumber'.notty)
      (* no limit is an unsupported name: there is no result for it *)
      fun sysconf name =
        case limit (fn e => conf (name, e)) of
          SOME value => value
        | NONE => E.fail 22
    end
  end

  structure FileSys =
  struct
    type uid = ProcEnv.uid
    type gid = ProcEnv.gid
    type file_desc = int
    (* C code and children may have it now. *)
    fun fdToWord fd = (ignore (PrimFiles'.fd_lend fd); Word.fromInt fd)
    (* Cut off, a number would be another descriptor's. *)
    fun wordToFD w = if Word.> (w, 0wx7fffffff) then ~1 else Word.toInt w
    val fdToIOD = OSPrim'.toIodesc
    fun iodToFD iod = SOME (OSPrim'.ofIodesc iod)

    type dirstream = OS.FileSys.dirstream
    val opendir = OS.FileSys.openDir
    val readdir = OS.FileSys.readDir
    val rewinddir = OS.FileSys.rewindDir
    val closedir = OS.FileSys.closeDir
    val chdir = OS.FileSys.chDir
    val getcwd = OS.FileSys.getDir

    val stdin = 0
    val stdout = 1
    val stderr = 2

    structure S =
    struct
      open BitFlags'
      type mode = flags
      val irwxu = FileMode'.irwxu
      and irusr = FileMode'.irusr
      and iwusr = FileMode'.iwusr
      and ixusr = FileMode'.ixusr
      val irwxg = FileMode'.irwxg
      and irgrp = FileMode'.irgrp
      and iwgrp = FileMode'.iwgrp
      and ixgrp = FileMode'.ixgrp
      val irwxo = FileMode'.irwxo
      and iroth = FileMode'.iroth
      and iwoth = FileMode'.iwoth
      and ixoth = FileMode'.ixoth
      val isuid = FileMode'.isuid
      and isgid = FileMode'.isgid
    end

    structure O =
    struct
      open BitFlags'
      val append = OpenFlag'.append
      val excl = OpenFlag'.excl
      val noctty = OpenFlag'.noctty
      val nonblock = OpenFlag'.nonblock
      val sync = OpenFlag'.sync
      val trunc = OpenFlag'.trunc
    end

    datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR
    local
      val openPrim = PrimFiles'.file_open_with
      val umaskPrim = PrimFiles'.file_umask
      val linkPrim = PrimFiles'.file_link
      val symlinkPrim = PrimFiles'.file_symlink
      val mkdirPrim = PrimFiles'.dir_make
      val mkfifoPrim = PrimFiles'.file_mkfifo
      val chmodPrim = PrimFiles'.file_chmod
      val fchmodPrim = PrimFiles'.fd_chmod
      val chownPrim = PrimFiles'.file_chown
      val fchownPrim = PrimFiles'.fd_chown
      val truncatePrim = PrimFiles'.fd_truncate
      val accessPrim = PrimFiles'.file_access
      val timesPrim = PrimFiles'.file_set_times
      val pathconfPrim = PrimLimits'.file_pathconf
      val fpathconfPrim = PrimLimits'.fd_pathconf
      val int = BitFlags'.int
      fun number O_RDONLY = int OpenFlag'.rdonly
        | number O_WRONLY = int OpenFlag'.wronly
        | number O_RDWR = int OpenFlag'.rdwr
    in
      (* A job's descriptor is closed by `exec`. *)
      fun inherited fd =
        (if fd >= 0 then ignore (PrimFiles'.fd_fcntl (fd, Fcntl'.setfd, 0)) else (); fd)
      (* a FIFO waits for its other end *)
      fun opened (name, flags, mode) =
        E.check (let
                   val fd = openPrim (name, flags, mode)
                 in
                   if fd = Wait'.again then
                     inherited (#1 (Job'.runToTheEnd (Job'.open', name, flags, mode)))
                   else fd
                 end)
      fun noted (fd, flags) = (NonBlocking'.set (fd, Word.andb (flags, O.nonblock) <> 0w0); fd)
      fun openf (name, mode, flags) = noted (opened (name, number mode + int flags, 0), flags)
      fun createf (name, mode, flags, perm) =
        noted
          (opened (name, number mode + int (Word.orb (flags, OpenFlag'.creat)), int perm), flags)
      fun creat (name, perm) = createf (name, O_WRONLY, O.trunc, perm)
      fun umask mode = Word.fromInt (umaskPrim (int mode))
      fun link {old, new} = E.done (linkPrim (old, new))
      fun symlink {old, new} = E.done (symlinkPrim (old, new))
      fun mkdir (name, mode) = E.done (mkdirPrim (name, int mode))
      fun mkfifo (name, mode) = E.done (mkfifoPrim (name, int mode))
      val unlink = OS.FileSys.remove
      val rmdir = OS.FileSys.rmDir
      val rename = OS.FileSys.rename
      val readlink = OS.FileSys.readLink
      fun chmod (name, mode) = E.done (chmodPrim (name, int mode))
      fun fchmod (fd, mode) = E.done (fchmodPrim (fd, int mode))
      fun chown (name, uid, gid) = E.done (chownPrim (name, uid, gid))
      fun fchown (fd, uid, gid) = E.done (fchownPrim (fd, uid, gid))
      fun ftruncate (fd, length) = E.done (truncatePrim (fd, length))
      datatype access_mode = A_READ | A_WRITE | A_EXEC
      fun access (name, modes) =
        let
          fun bit A_READ = AccessMode'.read
            | bit A_WRITE = AccessMode'.write
            | bit A_EXEC = AccessMode'.execute
        in
          FileSys'.isAllowed (accessPrim (name,
                                          int (List.foldl
                                                 (fn (m, w) => Word.orb (Word.fromInt (bit m), w))
                                                 0w0
                                                 modes)))
        end
      fun utime (name, times) =
        E.done
          (case times of
             SOME {actime, modtime} =>
               timesPrim (name, TimePrim'.toNanos actime, TimePrim'.toNanos modtime)
           | NONE => timesPrim (name, FileSys'.now, FileSys'.now))
      fun pathconf (file, name) = limit (fn e => pathconfPrim (file, name, e))
      fun fpathconf (fd, name) = limit (fn e => fpathconfPrim (fd, name, e))
    end

    type dev = int
    type ino = int
    val devToWord = Word.fromInt
    val wordToDev = Word.toIntX
    val inoToWord = Word.fromInt
    val wordToIno = Word.toIntX

    val stat = Stat'.stat
    val lstat = Stat'.lstat
    val fstat = Stat'.fstat
    structure ST =
    struct
      type stat = Stat'.stat
      fun is k s = Stat'.kind s = k
      val isDir = is FileKind'.directory
      val isChr = is FileKind'.characterDevice
      val isBlk = is FileKind'.blockDevice
      val isReg = is FileKind'.regular
      val isFIFO = is FileKind'.fifo
      val isLink = is FileKind'.link
      val isSock = is FileKind'.socket
      fun mode s = Word.andb (Word.fromInt (Stat'.mode s), 0w4095)
      val ino = Stat'.ino
      val dev = Stat'.dev
      val nlink = Stat'.nlink
      val uid = Stat'.uid
      val gid = Stat'.gid
      val size = Stat'.size
      fun atime s = TimePrim'.ofNanos (Stat'.atime s)
      fun mtime s = TimePrim'.ofNanos (Stat'.mtime s)
      fun ctime s = TimePrim'.ofNanos (Stat'.ctime s)
    end
  end

  structure IO =
  struct
    type file_desc = int
    type pid = Process.pid
    datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
    fun ofWhence SEEK_SET = Whence'.set
      | ofWhence SEEK_CUR = Whence'.current
      | ofWhence SEEK_END = Whence'.end'
    fun toWhence n =
      if n = Whence'.set then SEEK_SET else if n = Whence'.current then SEEK_CUR else SEEK_END
    datatype open_mode = datatype FileSys.open_mode
    structure FD =
    struct
      open BitFlags'
      val cloexec = DescriptorFlag'.cloexec
    end
    structure O = FileSys.O
    local
      val pipePrim = PrimFiles'.fd_pipe
      val dupPrim = PrimFiles'.fd_dup
      val dup2Prim = PrimFiles'.fd_dup2
      val closePrim = PrimFiles'.file_close
      val readPrim = PrimFiles'.file_read
      val writePrim = PrimFiles'.file_write
      val writeVecPrim = PrimFiles'.file_write_vector
      val fcntl = PrimFiles'.fd_fcntl
      val seek = PrimFiles'.file_seek
      val lock = PrimTerminals'.fd_lock
    in
      fun newPipe inherited =
        let
          val a = Array.array (2, if inherited then 1 else 0)
        in
          E.done (pipePrim a);
          (* what had these numbers before may have been closed by a stream *)
          List.app (fn i => NonBlocking'.set (Array.sub (a, i), false)) [0, 1];
          {infd = Array.sub (a, 0), outfd = Array.sub (a, 1)}
        end
      fun pipe () = newPipe true
      (* one that a child has only as what it is given as *)
      fun ownPipe () = newPipe false
      (* It is the same open file, of which the flag is. *)
      fun likewise (old, new) = (NonBlocking'.set (new, NonBlocking'.has old); new)
      fun dup fd = likewise (fd, E.check (dupPrim fd))
      fun dup2 {old, new} = (E.done (dup2Prim (old, new)); ignore (likewise (old, new)))
      fun close fd = (NonBlocking'.set (fd, false); E.done (closePrim fd))
      (* Waits, unless the program itself made the descriptor non-blocking: then EAGAIN is what it asked for. *)
      fun waiting (fd, mode, f) =
        let
          val result = f ()
        in
          if result <> Wait'.again then E.check result
          else if NonBlocking'.has fd then E.fail ErrorNumber'.again
          else
            let
              val r = Wait'.wait (fd, mode)
            in
              if r < 0 then E.fail (~ r) else waiting (fd, mode, f)
            end
        end
      fun readArr (fd, slice) =
        let
          val (a, i, n) = Word8ArraySlice.base slice
        in
          waiting (fd, 0, fn () => readPrim (fd, a, i, n))
        end
      val newArray = PrimArrays'.array_new_uninit : int -> Word8.word array
      val frozen = PrimArrays'.cast : Word8.word array -> Word8.word vector
      (* as much as a call reads at most *)
      val most = 1048576
      fun readVec (fd, n) =
        let
          val n = Int.min (n, most)
          val a = if n < 0 then raise Size else newArray n
          val k = waiting (fd, 0, fn () => readPrim (fd, a, 0, n))
        in
          if k = n then frozen a else Word8ArraySlice.vector (Word8ArraySlice.slice (a, 0, SOME k))
        end
      fun writeArr (fd, slice) =
        let
          val (a, i, n) = Word8ArraySlice.base slice
        in
          waiting (fd, 1, fn () => writePrim (fd, a, i, n))
        end
      fun writeVec (fd, slice) =
        let
          val (v, i, n) = Word8VectorSlice.base slice
        in
          waiting (fd, 1, fn () => writeVecPrim (fd, v, i, n))
        end
      fun dupfd {old, base} = likewise (old, E.check (fcntl (old, Fcntl'.dupfd, base)))
      fun getfd fd = Word.fromInt (E.check (fcntl (fd, Fcntl'.getfd, 0)))
      fun setfd (fd, flags) = E.done (fcntl (fd, Fcntl'.setfd, BitFlags'.int flags))
      fun getfl fd =
        let
          val w = Word.fromInt (E.check (fcntl (fd, Fcntl'.getfl, 0)))
          val access = Word.andb (w, OpenFlag'.accmode)
          val mode =
            if access = OpenFlag'.rdonly then O_RDONLY
            else if access = OpenFlag'.wronly then O_WRONLY
            else O_RDWR
        in
          (Word.andb (w, Word.notb OpenFlag'.accmode), mode)
        end
      fun setfl (fd, flags) =
        (E.done (fcntl (fd, Fcntl'.setfl, BitFlags'.int flags));
         NonBlocking'.set (fd, Word.andb (flags, O.nonblock) <> 0w0))
      fun lseek (fd, pos, whence) =
        E.check (seek (fd, pos, ofWhence whence))
      fun fsync fd = E.done (#1 (Job'.runToTheEnd (Job'.sync, "", fd, 0)))

      datatype lock_type = F_RDLCK | F_WRLCK | F_UNLCK
      structure FLock =
      struct
        type flock = {ltype : lock_type, whence : whence, start : int, len : int, pid : pid option}
        fun flock (l : flock) = l
        fun ltype (l : flock) = #ltype l
        fun whence (l : flock) = #whence l
        fun start (l : flock) = #start l
        fun len (l : flock) = #len l
        fun pid (l : flock) = #pid l

        (* kind, whence, start, length, process *)
        fun toWords ({ltype, whence, start, len, pid} : flock) =
          [case ltype of F_RDLCK => 0 | F_WRLCK => 1 | F_UNLCK => 2,
           ofWhence whence,
           start,
           len,
           getOpt (pid, 0)]
        (* the system tells of the process in answers only *)
        fun ofArray (a, pid) : flock =
          {ltype = case Array.sub (a, 0) of 0 => F_RDLCK | 1 => F_WRLCK | _ => F_UNLCK,
           whence = toWhence (Array.sub (a, 1)),
           start = Array.sub (a, 2),
           len = Array.sub (a, 3),
           pid = pid}
      end
      fun getlk (fd, l) =
        let
          val a = Array.fromList (FLock.toWords l)
          val () = E.done (lock (fd, 0, a))
        in
          FLock.ofArray (a, case Array.sub (a, 4) of 0 => NONE | pid => SOME pid)
        end
      fun setlk (fd, l) = (E.done (lock (fd, 1, Array.fromList (FLock.toWords l))); l)
      (* A lock that is free is had at once; another process's is waited for on another OS thread. *)
      fun setlkw (fd, l) =
        case lock (fd, 1, Array.fromList (FLock.toWords l)) of
          0 => l
        | error =>
            if error <> ErrorResult'.again andalso error <> ErrorResult'.acces then E.fail (~ error)
            else
              let
                fun decimal n = if n < 0 then "-" ^ Int.toString (~ n) else Int.toString n
                val words = String.concatWith " " (List.map decimal (FLock.toWords l))
              in
                E.done (#1 (Job'.runToTheEnd (Job'.lock, words, fd, 0)));
                l
              end
    end
    (* initBlkMode is not needed: nothing is made non-blocking here *)
    fun mkBinReader {fd, name, initBlkMode = _ : bool} = BinFile'.reader (name, fd)
    fun mkTextReader {fd, name, initBlkMode = _ : bool} = TextFile'.reader (name, fd)
    fun mkBinWriter {fd, name, appendMode = _ : bool, initBlkMode = _ : bool, chunkSize} =
      BinFile'.writerOf (name, fd, chunkSize)
    fun mkTextWriter {fd, name, appendMode = _ : bool, initBlkMode = _ : bool, chunkSize} =
      TextFile'.writerOf (name, fd, chunkSize)
  end

  structure SysDB =
  struct
    type uid = ProcEnv.uid
    type gid = ProcEnv.gid
    local
      val account = PrimAccounts'.system_account
      fun number s = valOf (Int.fromString s)
    in
      structure Passwd =
      struct
        type passwd = {name : string, uid : uid, gid : gid, home : string, shell : string}
        fun name (p : passwd) = #name p
        fun uid (p : passwd) = #uid p
        fun gid (p : passwd) = #gid p
        fun home (p : passwd) = #home p
        fun shell (p : passwd) = #shell p
      end
      structure Group =
      struct
        type group = {name : string, gid : gid, members : string list}
        fun name (g : group) = #name g
        fun gid (g : group) = #gid g
        fun members (g : group) = #members g
      end
      fun passwd (key, kind) =
        case Nul'.split (account (key, kind)) of
          [name, uid, gid, home, shell] =>
            {name = name, uid = number uid, gid = number gid, home = home, shell = shell}
        | _ => E.fail 2
      fun group (key, kind) =
        case Nul'.split (account (key, kind)) of
          name :: gid :: members => {name = name, gid = number gid, members = members}
        | _ => E.fail 2
      fun getpwnam name = passwd (name, 0)
      fun getpwuid uid = passwd (Int.toString uid, 1)
      fun getgrnam name = group (name, 2)
      fun getgrgid gid = group (Int.toString gid, 3)
    end
  end

  structure TTY = PosixTTY'
end

(* The parts together: what one part gives, another one takes. *)
signature POSIX =
sig
  structure Error : POSIX_ERROR
  structure Signal : POSIX_SIGNAL
  structure Process : POSIX_PROCESS where type signal = Signal.signal
  structure ProcEnv : POSIX_PROC_ENV where type pid = Process.pid
  structure FileSys : POSIX_FILE_SYS
    where type file_desc = ProcEnv.file_desc
    where type uid = ProcEnv.uid
    where type gid = ProcEnv.gid
  structure IO : POSIX_IO
    where type pid = Process.pid
    where type file_desc = ProcEnv.file_desc
    where type open_mode = FileSys.open_mode
  structure SysDB : POSIX_SYS_DB where type uid = ProcEnv.uid where type gid = ProcEnv.gid
  structure TTY : POSIX_TTY where type pid = Process.pid where type file_desc = ProcEnv.file_desc
end

structure Posix :> POSIX where type FileSys.dirstream = OS.FileSys.dirstream = Posix'
