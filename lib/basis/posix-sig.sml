(* The signatures of Posix and of its parts, as the specification has them. Calls that fail raise OS.SysErr. *)

(* Sets of flags that are bits of a word. *)
signature BIT_FLAGS =
sig
  eqtype flags
  (* the bits, as the system numbers them *)
  val toWord : flags -> SysWord.word
  val fromWord : SysWord.word -> flags
  (* every flag *)
  val all : flags
  (* what is in any of them; in all of them *)
  val flags : flags list -> flags
  val intersect : flags list -> flags
  (* the second without what is in the first *)
  val clear : flags * flags -> flags
  (* Has the second all of the first? Any? *)
  val allSet : flags * flags -> bool
  val anySet : flags * flags -> bool
end

(* Errors of the system, by the names that the system's headers give them, in small letters and without the E. *)
signature POSIX_ERROR =
sig
  eqtype syserror
  (* the system's number *)
  val toWord : syserror -> SysWord.word
  val fromWord : SysWord.word -> syserror
  (* a sentence for people *)
  val errorMsg : syserror -> string
  (* "noent", and the error of such a name *)
  val errorName : syserror -> string
  val syserror : string -> syserror option
  (* permission denied, try again, bad descriptor, bad message, in use *)
  val acces : syserror
  val again : syserror
  val badf : syserror
  val badmsg : syserror
  val busy : syserror
  (* cancelled, no child process, deadlock avoided, out of a function's domain *)
  val canceled : syserror
  val child : syserror
  val deadlk : syserror
  val dom : syserror
  (* exists already, bad address, file too large, in progress, interrupted *)
  val exist : syserror
  val fault : syserror
  val fbig : syserror
  val inprogress : syserror
  val intr : syserror
  (* invalid argument, input or output error, a directory, too many symbolic links *)
  val inval : syserror
  val io : syserror
  val isdir : syserror
  val loop : syserror
  (* too many open files of the process, too many links, message or name too long *)
  val mfile : syserror
  val mlink : syserror
  val msgsize : syserror
  val nametoolong : syserror
  (* too many open files, no such device, no such file, no executable, no locks left *)
  val nfile : syserror
  val nodev : syserror
  val noent : syserror
  val noexec : syserror
  val nolck : syserror
  (* no memory, no space on the device, no such call, not a directory, directory not empty *)
  val nomem : syserror
  val nospc : syserror
  val nosys : syserror
  val notdir : syserror
  val notempty : syserror
  (* not supported, not a terminal, no such device or address, not permitted, broken pipe *)
  val notsup : syserror
  val notty : syserror
  val nxio : syserror
  val perm : syserror
  val pipe : syserror
  (* result out of range, read-only file system, seek in a pipe, no such process *)
  val range : syserror
  val rofs : syserror
  val spipe : syserror
  val srch : syserror
  (* arguments too long, link to another file system *)
  val toobig : syserror
  val xdev : syserror
end

(* Signals, by the names that the system's headers give them, in small letters and without SIG. *)
signature POSIX_SIGNAL =
sig
  eqtype signal
  (* the system's number *)
  val toWord : signal -> SysWord.word
  val fromWord : SysWord.word -> signal
  (* abort, timer, bad memory access, arithmetic, the terminal has gone, bad instruction *)
  val abrt : signal
  val alrm : signal
  val bus : signal
  val fpe : signal
  val hup : signal
  val ill : signal
  (* the interrupt key, the end without a choice, a pipe without readers, the quit key, a bad address, a polite end *)
  val int : signal
  val kill : signal
  val pipe : signal
  val quit : signal
  val segv : signal
  val term : signal
  (* for programs; a child has changed; go on; stop without a choice, by the key, when reading or writing in the background *)
  val usr1 : signal
  val usr2 : signal
  val chld : signal
  val cont : signal
  val stop : signal
  val tstp : signal
  val ttin : signal
  val ttou : signal
end

signature POSIX_PROCESS =
sig
  eqtype signal
  eqtype pid

  (* the system's number *)
  val wordToPid : SysWord.word -> pid
  val pidToWord : pid -> SysWord.word

  (* A second process that goes on from here: NONE in the child, the child's number in the parent.
     The child has the calling thread's worker only. *)
  val fork : unit -> pid option
  (* This process becomes the program in that file; the list are its arguments, its own name being the first. *)
  val exec : string * string list -> 'a
  (* with an environment of texts like "NAME=value" *)
  val exece : string * string list * string list -> 'a
  (* the file is looked for along PATH *)
  val execp : string * string list -> 'a

  (* whom to wait for *)
  datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
  (* ended well; with that code; by a signal; or it is only stopped *)
  datatype exit_status = W_EXITED | W_EXITSTATUS of Word8.word | W_SIGNALED of signal | W_STOPPED of signal
  val fromStatus : OS.Process.status -> exit_status
  structure W :
  sig
    include BIT_FLAGS
    (* of stopped children too *)
    val untraced : flags
  end
  (* waits for a child *)
  val wait : unit -> pid * exit_status
  val waitpid : waitpid_arg * W.flags list -> pid * exit_status
  (* does not wait *)
  val waitpid_nh : waitpid_arg * W.flags list -> (pid * exit_status) option
  (* ends the process at once: no output is written, nothing of atExit is done *)
  val exit : Word8.word -> 'a

  (* whom to send it to *)
  datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
  val kill : killpid_arg * signal -> unit
  (* SIGALRM after that many whole seconds; the result is what was left of an earlier call *)
  val alarm : Time.time -> Time.time
  (* waits for a signal *)
  val pause : unit -> unit
  (* parks the thread; the result is what was not slept *)
  val sleep : Time.time -> Time.time
end

signature POSIX_PROC_ENV =
sig
  eqtype pid
  eqtype uid
  eqtype gid
  eqtype file_desc

  (* the system's numbers *)
  val uidToWord : uid -> SysWord.word
  val wordToUid : SysWord.word -> uid
  val gidToWord : gid -> SysWord.word
  val wordToGid : SysWord.word -> gid

  (* this process, its parent *)
  val getpid : unit -> pid
  val getppid : unit -> pid
  (* the user and the group: real and effective *)
  val getuid : unit -> uid
  val geteuid : unit -> uid
  val getgid : unit -> gid
  val getegid : unit -> gid
  val setuid : uid -> unit
  val setgid : gid -> unit
  (* further groups *)
  val getgroups : unit -> gid list
  (* the name of who logged in *)
  val getlogin : unit -> string
  (* the process group; makes a session, a group *)
  val getpgrp : unit -> pid
  val setsid : unit -> pid
  (* NONE is this process, or the group of its own number *)
  val setpgid : {pid : pid option, pgid : pid option} -> unit
  (* pairs: sysname, nodename, release, version, machine *)
  val uname : unit -> (string * string) list
  (* in whole seconds *)
  val time : unit -> Time.time
  (* since the start: by the clock, and the processor's time of the program, of the system for it, and of ended children *)
  val times :
    unit -> {elapsed : Time.time, utime : Time.time, stime : Time.time, cutime : Time.time, cstime : Time.time}
  val getenv : string -> string option
  (* texts like "NAME=value" *)
  val environ : unit -> string list
  (* the path of the controlling terminal, of the terminal behind a descriptor *)
  val ctermid : unit -> string
  val ttyname : file_desc -> string
  val isatty : file_desc -> bool
  (* a limit or option of the system by POSIX's name without "_SC_"; raises SysErr where the name is unknown or nothing is set *)
  val sysconf : string -> SysWord.word
end

signature POSIX_FILE_SYS =
sig
  eqtype uid
  eqtype gid
  eqtype file_desc
  val fdToWord : file_desc -> SysWord.word
  val wordToFD : SysWord.word -> file_desc
  (* as OS.IO has it; NONE where that is no descriptor *)
  val fdToIOD : file_desc -> OS.IO.iodesc
  val iodToFD : OS.IO.iodesc -> file_desc option

  (* directories; readdir gives NONE at the end, and leaves out "." and ".." *)
  type dirstream
  val opendir : string -> dirstream
  val readdir : dirstream -> string option
  val rewinddir : dirstream -> unit
  val closedir : dirstream -> unit
  (* the current directory *)
  val chdir : string -> unit
  val getcwd : unit -> string

  (* 0, 1, 2 *)
  val stdin : file_desc
  val stdout : file_desc
  val stderr : file_desc

  (* permissions *)
  structure S :
  sig
    eqtype mode
    include BIT_FLAGS where type flags = mode
    (* the owner: all, read, write, execute *)
    val irwxu : mode
    val irusr : mode
    val iwusr : mode
    val ixusr : mode
    (* the group *)
    val irwxg : mode
    val irgrp : mode
    val iwgrp : mode
    val ixgrp : mode
    (* others *)
    val irwxo : mode
    val iroth : mode
    val iwoth : mode
    val ixoth : mode
    (* runs as its owner, as its group *)
    val isuid : mode
    val isgid : mode
  end

  structure O :
  sig
    include BIT_FLAGS
    (* writes at the end *)
    val append : flags
    (* fails where the file exists *)
    val excl : flags
    (* does not become the controlling terminal *)
    val noctty : flags
    (* fails with EAGAIN instead of waiting *)
    val nonblock : flags
    (* a write returns when it is on the disk *)
    val sync : flags
    (* empties the file *)
    val trunc : flags
  end

  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR
  (* of a file that is there *)
  val openf : string * open_mode * O.flags -> file_desc
  (* makes it where it is not there, with these permissions without those of umask *)
  val createf : string * open_mode * O.flags * S.mode -> file_desc
  (* to write to, emptied *)
  val creat : string * S.mode -> file_desc
  (* sets the permissions that new files do not get; the result are those before *)
  val umask : S.mode -> S.mode
  val link : {old : string, new : string} -> unit
  val mkdir : string * S.mode -> unit
  val mkfifo : string * S.mode -> unit
  val unlink : string -> unit
  val rmdir : string -> unit
  val rename : {old : string, new : string} -> unit
  val symlink : {old : string, new : string} -> unit
  val readlink : string -> string

  (* device and number within it name a file *)
  eqtype dev
  val wordToDev : SysWord.word -> dev
  val devToWord : dev -> SysWord.word
  eqtype ino
  val wordToIno : SysWord.word -> ino
  val inoToWord : ino -> SysWord.word

  (* what the system knows of a file *)
  structure ST :
  sig
    type stat
    (* its kind *)
    val isDir : stat -> bool
    val isChr : stat -> bool
    val isBlk : stat -> bool
    val isReg : stat -> bool
    val isFIFO : stat -> bool
    val isLink : stat -> bool
    val isSock : stat -> bool
    (* permissions *)
    val mode : stat -> S.mode
    val ino : stat -> ino
    val dev : stat -> dev
    (* names that it has *)
    val nlink : stat -> int
    val uid : stat -> uid
    val gid : stat -> gid
    (* bytes *)
    val size : stat -> Position.int
    (* last access, last change of its contents, of what is known of it *)
    val atime : stat -> Time.time
    val mtime : stat -> Time.time
    val ctime : stat -> Time.time
  end
  val stat : string -> ST.stat
  (* of a symbolic link itself *)
  val lstat : string -> ST.stat
  val fstat : file_desc -> ST.stat

  datatype access_mode = A_READ | A_WRITE | A_EXEC
  (* May this user do all of them? With none: is it there? *)
  val access : string * access_mode list -> bool
  val chmod : string * S.mode -> unit
  val fchmod : file_desc * S.mode -> unit
  val chown : string * uid * gid -> unit
  val fchown : file_desc * uid * gid -> unit
  (* NONE is now *)
  val utime : string * {actime : Time.time, modtime : Time.time} option -> unit
  val ftruncate : file_desc * Position.int -> unit
  (* a limit of the file by POSIX's name without "_PC_"; NONE where there is no limit *)
  val pathconf : string * string -> SysWord.word option
  val fpathconf : file_desc * string -> SysWord.word option
end

signature POSIX_IO =
sig
  eqtype file_desc
  eqtype pid

  (* the end to read from, the end to write to *)
  val pipe : unit -> {infd : file_desc, outfd : file_desc}
  val dup : file_desc -> file_desc
  (* `new` becomes a name of what `old` is open on *)
  val dup2 : {old : file_desc, new : file_desc} -> unit
  val close : file_desc -> unit
  (* Reading and writing park the thread until there is something, or room; the result is how much it was.
     On a descriptor that the program made non-blocking they fail with EAGAIN instead. *)
  val readVec : file_desc * int -> Word8Vector.vector
  val readArr : file_desc * Word8ArraySlice.slice -> int
  val writeVec : file_desc * Word8VectorSlice.slice -> int
  val writeArr : file_desc * Word8ArraySlice.slice -> int

  datatype whence = SEEK_SET | SEEK_CUR | SEEK_END
  structure FD :
  sig
    include BIT_FLAGS
    (* closed in a program that replaces this one *)
    val cloexec : flags
  end
  structure O :
  sig
    include BIT_FLAGS
    val append : flags
    val nonblock : flags
    val sync : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR

  (* the least descriptor from `base` on that is free becomes a name of what `old` is open on *)
  val dupfd : {old : file_desc, base : file_desc} -> file_desc
  val getfd : file_desc -> FD.flags
  val setfd : file_desc * FD.flags -> unit
  val getfl : file_desc -> O.flags * open_mode
  val setfl : file_desc * O.flags -> unit
  val lseek : file_desc * Position.int * whence -> Position.int
  val fsync : file_desc -> unit

  (* Locks of parts of a file, between processes. One process's locks do not keep itself out, and all go when it closes any
     descriptor of the file. *)
  datatype lock_type = F_RDLCK | F_WRLCK | F_UNLCK
  structure FLock :
  sig
    type flock
    (* `len` 0 is to the end of the file, however long it gets; `pid` is who holds it *)
    val flock : {ltype : lock_type, whence : whence, start : Position.int, len : Position.int, pid : pid option} -> flock
    val ltype : flock -> lock_type
    val whence : flock -> whence
    val start : flock -> Position.int
    val len : flock -> Position.int
    val pid : flock -> pid option
  end
  (* a lock that keeps this one out; or this one with F_UNLCK *)
  val getlk : file_desc * FLock.flock -> FLock.flock
  (* locks or unlocks; raises SysErr with `again` or `acces` where another process has a lock *)
  val setlk : file_desc * FLock.flock -> FLock.flock
  (* parks the thread until it can be had *)
  val setlkw : file_desc * FLock.flock -> FLock.flock

  (* readers and writers for the streams of BinIO and TextIO *)
  val mkBinReader : {fd : file_desc, name : string, initBlkMode : bool} -> BinPrimIO.reader
  val mkTextReader : {fd : file_desc, name : string, initBlkMode : bool} -> TextPrimIO.reader
  val mkBinWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} -> BinPrimIO.writer
  val mkTextWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int} -> TextPrimIO.writer
end

signature POSIX_SYS_DB =
sig
  eqtype uid
  eqtype gid
  structure Passwd :
  sig
    type passwd
    val name : passwd -> string
    val uid : passwd -> uid
    val gid : passwd -> gid
    val home : passwd -> string
    val shell : passwd -> string
  end
  structure Group :
  sig
    type group
    val name : group -> string
    val gid : group -> gid
    val members : group -> string list
  end
  (* by number and by name; raise SysErr where there is none *)
  val getgrgid : gid -> Group.group
  val getgrnam : string -> Group.group
  val getpwuid : uid -> Passwd.passwd
  val getpwnam : string -> Passwd.passwd
end

signature POSIX_TTY =
sig
  eqtype pid
  eqtype file_desc

  (* Control characters *)
  structure V :
  sig
    (* Places: the end of the file, a further end of a line, erase a character *)
    val eof : int
    val eol : int
    val erase : int
    (* interrupt, erase the line, fewest characters of a read, quit, suspend *)
    val intr : int
    val kill : int
    val min : int
    val quit : int
    val susp : int
    (* tenths of a second that a read waits, go on, stop *)
    val time : int
    val start : int
    val stop : int
    (* how many places there are *)
    val nccs : int

    type cc
    (* these, and NUL elsewhere *)
    val cc : (int * char) list -> cc
    (* with these changed *)
    val update : cc * (int * char) list -> cc
    val sub : cc * int -> char
  end

  (* Input *)
  structure I :
  sig
    include BIT_FLAGS
    (* interrupt on a break; CR becomes LF; ignore a break, CR, errors of parity; LF becomes CR *)
    val brkint : flags
    val icrnl : flags
    val ignbrk : flags
    val igncr : flags
    val ignpar : flags
    val inlcr : flags
    (* check parity; strip to 7 bits; start and stop of input, of output; mark errors of parity *)
    val inpck : flags
    val istrip : flags
    val ixoff : flags
    val ixon : flags
    val parmrk : flags
  end

  (* Output *)
  structure O :
  sig
    include BIT_FLAGS
    (* what is sent is processed *)
    val opost : flags
  end

  (* The line *)
  structure C :
  sig
    include BIT_FLAGS
    (* no modem; receive; 5, 6, 7, 8 bits a character, all of the bits that say so *)
    val clocal : flags
    val cread : flags
    val cs5 : flags
    val cs6 : flags
    val cs7 : flags
    val cs8 : flags
    val csize : flags
    (* two stop bits; hang up at the last close; parity; odd parity *)
    val cstopb : flags
    val hupcl : flags
    val parenb : flags
    val parodd : flags
  end

  (* Local modes *)
  structure L :
  sig
    include BIT_FLAGS
    (* echo; erase visibly; LF after kill; LF even without echo *)
    val echo : flags
    val echoe : flags
    val echok : flags
    val echonl : flags
    (* lines with erase and kill; further control characters; signals; no flush after a signal; background writers stop *)
    val icanon : flags
    val iexten : flags
    val isig : flags
    val noflsh : flags
    val tostop : flags
  end

  (* Speeds of the line in bits a second *)
  eqtype speed
  val compareSpeed : speed * speed -> order
  val speedToWord : speed -> SysWord.word
  val wordToSpeed : SysWord.word -> speed
  (* hangs up *)
  val b0 : speed
  val b50 : speed
  val b75 : speed
  val b110 : speed
  val b134 : speed
  val b150 : speed
  val b200 : speed
  val b300 : speed
  val b600 : speed
  val b1200 : speed
  val b1800 : speed
  val b2400 : speed
  val b4800 : speed
  val b9600 : speed
  val b19200 : speed
  val b38400 : speed

  (* All settings; values that do not change *)
  type termios
  val termios :
    {iflag : I.flags, oflag : O.flags, cflag : C.flags, lflag : L.flags, cc : V.cc, ispeed : speed, ospeed : speed} ->
    termios
  val fieldsOf :
    termios ->
    {iflag : I.flags, oflag : O.flags, cflag : C.flags, lflag : L.flags, cc : V.cc, ispeed : speed, ospeed : speed}
  val getiflag : termios -> I.flags
  val getoflag : termios -> O.flags
  val getcflag : termios -> C.flags
  val getlflag : termios -> L.flags
  val getcc : termios -> V.cc

  (* The speeds of settings *)
  structure CF :
  sig
    val getospeed : termios -> speed
    val setospeed : termios * speed -> termios
    val getispeed : termios -> speed
    val setispeed : termios * speed -> termios
  end

  (* Terminals behind descriptors *)
  structure TC :
  sig
    eqtype set_action
    (* at once; when all output is sent; likewise, and input not yet read is thrown away *)
    val sanow : set_action
    val sadrain : set_action
    val saflush : set_action

    eqtype flow_action
    (* stop and start output; send STOP and START, so that the other side stops and starts *)
    val ooff : flow_action
    val oon : flow_action
    val ioff : flow_action
    val ion : flow_action

    eqtype queue_sel
    (* input not read, output not sent, both *)
    val iflush : queue_sel
    val oflush : queue_sel
    val ioflush : queue_sel

    val getattr : file_desc -> termios
    val setattr : file_desc * set_action * termios -> unit
    (* zeros for that long; 0 is a quarter of a second to half a second *)
    val sendbreak : file_desc * int -> unit
    (* parks the thread until all output is sent *)
    val drain : file_desc -> unit
    (* throws away *)
    val flush : file_desc * queue_sel -> unit
    val flow : file_desc * flow_action -> unit
    (* the process group in the foreground *)
    val getpgrp : file_desc -> pid
    val setpgrp : file_desc * pid -> unit
  end
end

signature POSIX =
sig
  structure Error : POSIX_ERROR
  structure Signal : POSIX_SIGNAL
  structure Process : POSIX_PROCESS
    where type signal = Signal.signal
  structure ProcEnv : POSIX_PROC_ENV
    where type pid = Process.pid
  structure FileSys : POSIX_FILE_SYS
    where type file_desc = ProcEnv.file_desc
    where type uid = ProcEnv.uid
    where type gid = ProcEnv.gid
  structure IO : POSIX_IO
    where type pid = Process.pid
    where type file_desc = ProcEnv.file_desc
    where type open_mode = FileSys.open_mode
  structure SysDB : POSIX_SYS_DB
    where type uid = ProcEnv.uid
    where type gid = ProcEnv.gid
  structure TTY : POSIX_TTY
    where type pid = Process.pid
    where type file_desc = ProcEnv.file_desc
end
