(* Posix: the system's calls by their own names. Calls that wait park the thread. Numbers are those of Linux. *)

(* The parts of texts whose parts each end in NUL. *)
structure Nul' =
struct
  fun split text =
    case List.rev (String.fields (fn c => c = #"\000") text) of
      _ :: parts => List.rev parts
    | [] => []
  fun join parts = String.concat (List.map (fn s => s ^ "\000") parts)
end

(* Descriptors that the program itself has made non-blocking. *)
structure NonBlocking' =
struct
  val table = ref (Array.array (0, false))
  fun has fd = fd >= 0 andalso fd < Array.length (!table) andalso Array.sub (!table, fd)
  fun set (fd, yes) =
    if fd < 0 orelse yes = has fd then ()
    else
      (if fd >= Array.length (!table) then
         let val larger = Array.array (2 * (fd + 1), false)
         in Array.copy {src = !table, dst = larger, di = 0}; table := larger end
       else ();
       Array.update (!table, fd, yes))
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
    val acces = of' 13
    val again = of' 11
    val badf = of' 9
    val badmsg = of' 74
    val busy = of' 16
    val canceled = of' 125
    val child = of' 10
    val deadlk = of' 35
    val dom = of' 33
    val exist = of' 17
    val fault = of' 14
    val fbig = of' 27
    val inprogress = of' 115
    val intr = of' 4
    val inval = of' 22
    val io = of' 5
    val isdir = of' 21
    val loop = of' 40
    val mfile = of' 24
    val mlink = of' 31
    val msgsize = of' 90
    val nametoolong = of' 36
    val nfile = of' 23
    val nodev = of' 19
    val noent = of' 2
    val noexec = of' 8
    val nolck = of' 37
    val nomem = of' 12
    val nospc = of' 28
    val nosys = of' 38
    val notdir = of' 20
    val notempty = of' 39
    val notsup = of' 95
    val notty = of' 25
    val nxio = of' 6
    val perm = of' 1
    val pipe = of' 32
    val range = of' 34
    val rofs = of' 30
    val spipe = of' 29
    val srch = of' 3
    val xdev = of' 18
    val toobig = of' 7
  end

  structure Signal =
  struct
    type signal = int
    val toWord = Word.fromInt
    val fromWord = Word.toInt
    val abrt = 6
    val alrm = 14
    val bus = 7
    val fpe = 8
    val hup = 1
    val ill = 4
    val int = 2
    val kill = 9
    val pipe = 13
    val quit = 3
    val segv = 11
    val term = 15
    val usr1 = 10
    val usr2 = 12
    val chld = 17
    val cont = 18
    val stop = 19
    val tstp = 20
    val ttin = 21
    val ttou = 22
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
      val killPrim = PrimProcesses'.process_kill
      val exitPrim = PrimProcesses'.process_exit_now : int -> 'a
      val alarmPrim = PrimProcesses'.process_alarm
      val pausePrim = PrimProcesses'.process_pause
    in
      fun fork () =
        case E.check (forkPrim ()) of
          0 => NONE
        | pid => SOME pid
      fun failed result = (E.done result; raise Fail "exec")
      fun exec (path, args) = failed (execPrim (path, Nul'.join args, "", 0))
      fun exece (path, args, env) = failed (execPrim (path, Nul'.join args, Nul'.join env, 2))
      fun execp (file, args) = failed (execPrim (file, Nul'.join args, "", 1))

      datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
      datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
      structure W =
      struct
        open BitFlags'
        val untraced = 0w2
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
        E.done (killPrim (case which of K_PROC pid => pid | K_SAME_GROUP => 0 | K_GROUP g => ~ g, signal))
      fun alarm t =
        Time.fromSeconds (Int.toLarge (alarmPrim (LargeInt.toInt (Time.toSeconds t))))
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
    val wordToUid = Word.toInt
    val gidToWord = Word.fromInt
    val wordToGid = Word.toInt
    local
      val id = PrimProcesses'.process_id
      val set = PrimProcesses'.process_set
      val text = PrimAccounts'.system_text
      val conf = PrimLimits'.system_conf
      val children = PrimClock'.time_children
      val isattyPrim = PrimFiles'.fd_isatty
      val readlink = PrimFiles'.file_readlink
    in
      fun getpid () = id 0
      fun getppid () = id 1
      fun getuid () = id 2
      fun geteuid () = id 3
      fun getgid () = id 4
      fun getegid () = id 5
      fun getpgrp () = id 6
      fun setuid uid = E.done (set (0, uid, 0))
      fun setgid gid = E.done (set (1, gid, 0))
      fun setpgid {pid, pgid} = E.done (set (2, getOpt (pid, 0), getOpt (pgid, 0)))
      fun setsid () = E.check (set (3, 0, 0))
      fun getgroups () = List.map (fn s => valOf (Int.fromString s)) (Nul'.split (text 8))
      fun getlogin () = case text 6 of "" => E.fail 6 | name => name
      fun uname () =
        [("sysname", text 0), ("nodename", text 1), ("release", text 2), ("version", text 3), ("machine", text 4)]
      fun time () = Time.fromSeconds (Time.toSeconds (Time.now ()))
      fun times () =
        let
          val {nongc, gc} = Timer.checkCPUTimes (Timer.totalCPUTimer ())
        in
          {elapsed = Timer.checkRealTimer (Timer.totalRealTimer ()),
           utime = Time.+ (#usr nongc, #usr gc), stime = Time.+ (#sys nongc, #sys gc),
           cutime = TimePrim'.ofNanos (children 0), cstime = TimePrim'.ofNanos (children 1)}
        end
      val getenv = OS.Process.getEnv
      fun environ () = Nul'.split (text 7)
      fun ctermid () = text 5
      fun isatty fd = isattyPrim fd = 1
      fun ttyname fd = E.text (fn e => readlink ("/proc/self/fd/" ^ Int.toString fd, e))
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
    val fdToWord = Word.fromInt
    val wordToFD = Word.toInt
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
      val irwxu = 0w448 and irusr = 0w256 and iwusr = 0w128 and ixusr = 0w64
      val irwxg = 0w56 and irgrp = 0w32 and iwgrp = 0w16 and ixgrp = 0w8
      val irwxo = 0w7 and iroth = 0w4 and iwoth = 0w2 and ixoth = 0w1
      val isuid = 0w2048 and isgid = 0w1024
    end

    structure O =
    struct
      open BitFlags'
      val append = 0w1024
      val excl = 0w128
      val noctty = 0w256
      val nonblock = 0w2048
      val sync = 0w1052672
      val trunc = 0w512
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
      fun number O_RDONLY = 0
        | number O_WRONLY = 1
        | number O_RDWR = 2
      val int = BitFlags'.int
    in
      (* a FIFO waits for its other end *)
      fun opened (name, flags, mode) =
        E.check
          (case openPrim (name, flags, mode) of
             ~11 => #1 (Job'.run (Job'.open', name, flags, mode))
           | fd => fd)
      fun noted (fd, flags) = (NonBlocking'.set (fd, Word.andb (flags, O.nonblock) <> 0w0); fd)
      fun openf (name, mode, flags) = noted (opened (name, number mode + int flags, 0), flags)
      fun createf (name, mode, flags, perm) =
        noted (opened (name, number mode + int (Word.orb (flags, 0w64)), int perm), flags)
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
          fun bit A_READ = 0w4
            | bit A_WRITE = 0w2
            | bit A_EXEC = 0w1
        in
          accessPrim (name, int (List.foldl (fn (m, w) => Word.orb (bit m, w)) 0w0 modes)) = 0
        end
      fun utime (name, times) =
        let
          val {actime, modtime} =
            case times of
              SOME t => t
            | NONE => let val t = Time.now () in {actime = t, modtime = t} end
        in
          E.done (timesPrim (name, TimePrim'.toNanos actime, TimePrim'.toNanos modtime))
        end
      fun pathconf (file, name) = limit (fn e => pathconfPrim (file, name, e))
      fun fpathconf (fd, name) = limit (fn e => fpathconfPrim (fd, name, e))
    end

    type dev = int
    type ino = int
    val devToWord = Word.fromInt
    val wordToDev = Word.toInt
    val inoToWord = Word.fromInt
    val wordToIno = Word.toInt

    val stat = Stat'.stat
    val lstat = Stat'.lstat
    val fstat = Stat'.fstat
    structure ST =
    struct
      type stat = Stat'.stat
      fun is k s = Stat'.kind s = k
      val isDir = is 4
      val isChr = is 2
      val isBlk = is 6
      val isReg = is 8
      val isFIFO = is 1
      val isLink = is 10
      val isSock = is 12
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
    fun ofWhence SEEK_SET = 0
      | ofWhence SEEK_CUR = 1
      | ofWhence SEEK_END = 2
    datatype open_mode = datatype FileSys.open_mode
    structure FD =
    struct
      open BitFlags'
      val cloexec = 0w1
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
      val sync = PrimFiles'.fd_sync
      val lock = PrimTerminals'.fd_lock
    in
      fun pipe () =
        let val a = Array.array (2, 0)
        in E.done (pipePrim a); {infd = Array.sub (a, 0), outfd = Array.sub (a, 1)} end
      fun dup fd = E.check (dupPrim fd)
      fun dup2 {old, new} = E.done (dup2Prim (old, new))
      fun close fd = (NonBlocking'.set (fd, false); E.done (closePrim fd))
      (* Waits, unless the program itself made the descriptor non-blocking: then EAGAIN is what it asked for. *)
      fun waiting (fd, mode, f) =
        case f () of
          ~11 =>
            if NonBlocking'.has fd then E.fail 11
            else
              let val r = Wait'.wait (fd, mode)
              in if r < 0 then E.fail (~ r) else waiting (fd, mode, f) end
        | r => E.check r
      fun readArr (fd, slice) =
        let val (a, i, n) = Word8ArraySlice.base slice in waiting (fd, 0, fn () => readPrim (fd, a, i, n)) end
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
        let val (a, i, n) = Word8ArraySlice.base slice in waiting (fd, 1, fn () => writePrim (fd, a, i, n)) end
      fun writeVec (fd, slice) =
        let val (v, i, n) = Word8VectorSlice.base slice in waiting (fd, 1, fn () => writeVecPrim (fd, v, i, n)) end
      fun dupfd {old, base} = E.check (fcntl (old, 0, base))
      fun getfd fd = Word.fromInt (E.check (fcntl (fd, 1, 0)))
      fun setfd (fd, flags) = E.done (fcntl (fd, 2, BitFlags'.int flags))
      fun getfl fd =
        let
          val w = Word.fromInt (E.check (fcntl (fd, 3, 0)))
          val mode = case Word.andb (w, 0w3) of 0w0 => O_RDONLY | 0w1 => O_WRONLY | _ => O_RDWR
        in
          (Word.andb (w, Word.notb 0w3), mode)
        end
      fun setfl (fd, flags) =
        (E.done (fcntl (fd, 4, BitFlags'.int flags));
         NonBlocking'.set (fd, Word.andb (flags, O.nonblock) <> 0w0))
      fun lseek (fd, pos, whence) =
        E.check (seek (fd, pos, ofWhence whence))
      fun fsync fd = E.done (sync fd)

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
          [case ltype of F_RDLCK => 0 | F_WRLCK => 1 | F_UNLCK => 2, ofWhence whence, start, len, getOpt (pid, 0)]
        (* the system tells of the process in answers only *)
        fun ofArray (a, pid) : flock =
          {ltype = case Array.sub (a, 0) of 0 => F_RDLCK | 1 => F_WRLCK | _ => F_UNLCK,
           whence = case Array.sub (a, 1) of 0 => SEEK_SET | 1 => SEEK_CUR | _ => SEEK_END,
           start = Array.sub (a, 2), len = Array.sub (a, 3), pid = pid}
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
            if error <> ~11 andalso error <> ~13 then E.fail (~ error)
            else
              let
                fun decimal n = if n < 0 then "-" ^ Int.toString (~ n) else Int.toString n
                val words = String.concatWith " " (List.map decimal (FLock.toWords l))
              in
                E.done (#1 (Job'.run (Job'.lock, words, fd, 0))); l
              end
    end
    (* initBlkMode is not needed: nothing is made non-blocking here *)
    fun mkBinReader {fd, name, initBlkMode = _ : bool} = BinFile'.reader (name, fd)
    fun mkTextReader {fd, name, initBlkMode = _ : bool} = TextFile'.reader (name, fd)
    fun mkBinWriter {fd, name, appendMode = _ : bool, initBlkMode = _ : bool, chunkSize = _ : int} = BinFile'.writer (name, fd)
    fun mkTextWriter {fd, name, appendMode = _ : bool, initBlkMode = _ : bool, chunkSize = _ : int} = TextFile'.writer (name, fd)
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
          [name, uid, gid, home, shell] => {name = name, uid = number uid, gid = number gid, home = home, shell = shell}
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

structure Posix :> POSIX
  where type Error.syserror = OS.syserror
  where type FileSys.dirstream = OS.FileSys.dirstream = Posix'
