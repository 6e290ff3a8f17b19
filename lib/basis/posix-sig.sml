(* The signatures of Posix and of its parts, as the specification has them. Calls that fail raise OS.SysErr. *)

(* Sets of flags that are bits of a word. *)
signature BIT_FLAGS =
sig
  eqtype flags
  (* The bits, as the system numbers them. *)
  val toWord : flags -> SysWord.word
  (* The flags of these bits. *)
  val fromWord : SysWord.word -> flags
  (* Every flag. *)
  val all : flags
  (* What is in any of them. *)
  val flags : flags list -> flags
  (* What is in all of them; every flag of an empty list. *)
  val intersect : flags list -> flags
  (* The second without what is in the first. *)
  val clear : flags * flags -> flags
  (* Whether the second has all of the first. *)
  val allSet : flags * flags -> bool
  (* Whether the second has any of the first. *)
  val anySet : flags * flags -> bool
end

(* Errors of the system, by the names that the system's headers give them, in small letters and without the E. *)
signature POSIX_ERROR =
sig
  eqtype syserror
  (* The system's number of an error. *)
  val toWord : syserror -> SysWord.word
  (* The error with that number. *)
  val fromWord : SysWord.word -> syserror
  (* A sentence for people. *)
  val errorMsg : syserror -> string
  (* The error's name in small letters without the E: `noent`. *)
  val errorName : syserror -> string
  (* SOME of the error of that name, or NONE. *)
  val syserror : string -> syserror option
  (* EACCES: permission denied. *)
  val acces : syserror
  (* EAGAIN: not now: try again. *)
  val again : syserror
  (* EBADF: not an open descriptor. *)
  val badf : syserror
  (* EBADMSG: a message that makes no sense. *)
  val badmsg : syserror
  (* EBUSY: in use. *)
  val busy : syserror
  (* ECANCELED: cancelled. *)
  val canceled : syserror
  (* ECHILD: no child process. *)
  val child : syserror
  (* EDEADLK: a deadlock avoided. *)
  val deadlk : syserror
  (* EDOM: an argument out of a function's domain. *)
  val dom : syserror
  (* EEXIST: exists already. *)
  val exist : syserror
  (* EFAULT: a bad address. *)
  val fault : syserror
  (* EFBIG: a file too large. *)
  val fbig : syserror
  (* EINPROGRESS: under way. *)
  val inprogress : syserror
  (* EINTR: interrupted. *)
  val intr : syserror
  (* EINVAL: an invalid argument. *)
  val inval : syserror
  (* EIO: an error of input or output. *)
  val io : syserror
  (* EISDIR: a directory. *)
  val isdir : syserror
  (* ELOOP: too many symbolic links. *)
  val loop : syserror
  (* EMFILE: too many open files of the process. *)
  val mfile : syserror
  (* EMLINK: too many names of a file. *)
  val mlink : syserror
  (* EMSGSIZE: a message too long. *)
  val msgsize : syserror
  (* ENAMETOOLONG: a name too long. *)
  val nametoolong : syserror
  (* ENFILE: too many open files of the system. *)
  val nfile : syserror
  (* ENODEV: no such device. *)
  val nodev : syserror
  (* ENOENT: no such file. *)
  val noent : syserror
  (* ENOEXEC: not an executable. *)
  val noexec : syserror
  (* ENOLCK: no locks left. *)
  val nolck : syserror
  (* ENOMEM: no memory. *)
  val nomem : syserror
  (* ENOSPC: no space on the device. *)
  val nospc : syserror
  (* ENOSYS: no such call. *)
  val nosys : syserror
  (* ENOTDIR: not a directory. *)
  val notdir : syserror
  (* ENOTEMPTY: a directory that is not empty. *)
  val notempty : syserror
  (* ENOTSUP: not supported. *)
  val notsup : syserror
  (* ENOTTY: not a terminal. *)
  val notty : syserror
  (* ENXIO: no such device or address. *)
  val nxio : syserror
  (* EPERM: not permitted. *)
  val perm : syserror
  (* EPIPE: a pipe without a reader. *)
  val pipe : syserror
  (* ERANGE: a result out of range. *)
  val range : syserror
  (* EROFS: a read-only file system. *)
  val rofs : syserror
  (* ESPIPE: a seek in a pipe. *)
  val spipe : syserror
  (* ESRCH: no such process. *)
  val srch : syserror
  (* E2BIG: arguments too long. *)
  val toobig : syserror
  (* EXDEV: a link to another file system. *)
  val xdev : syserror
end

(* Signals, by the names that the system's headers give them, in small letters and without SIG. *)
signature POSIX_SIGNAL =
sig
  eqtype signal
  (* The system's number of a signal. *)
  val toWord : signal -> SysWord.word
  (* The signal with that number. *)
  val fromWord : SysWord.word -> signal
  (* SIGABRT: the program gave up. *)
  val abrt : signal
  (* SIGALRM: the timer of `alarm`. *)
  val alrm : signal
  (* SIGBUS: a bad memory access. *)
  val bus : signal
  (* SIGFPE: an error of arithmetic. *)
  val fpe : signal
  (* SIGHUP: the terminal has gone. *)
  val hup : signal
  (* SIGILL: a bad instruction. *)
  val ill : signal
  (* SIGINT: the interrupt key, Ctrl-C. *)
  val int : signal
  (* SIGKILL: the end, which cannot be refused. *)
  val kill : signal
  (* SIGPIPE: a write to a pipe without a reader. *)
  val pipe : signal
  (* SIGQUIT: the quit key, Ctrl-\. *)
  val quit : signal
  (* SIGSEGV: a bad address. *)
  val segv : signal
  (* SIGTERM: the end, asked for politely. *)
  val term : signal
  (* SIGUSR1: for the program's use. *)
  val usr1 : signal
  (* SIGUSR2: for the program's use. *)
  val usr2 : signal
  (* SIGCHLD: a child has ended or stopped. *)
  val chld : signal
  (* SIGCONT: go on after a stop. *)
  val cont : signal
  (* SIGSTOP: a stop, which cannot be refused. *)
  val stop : signal
  (* SIGTSTP: the stop key, Ctrl-Z. *)
  val tstp : signal
  (* SIGTTIN: a read from the terminal in the background. *)
  val ttin : signal
  (* SIGTTOU: a write to the terminal in the background. *)
  val ttou : signal
end

signature POSIX_PROCESS =
sig
  eqtype signal
  eqtype pid

  (* The process with that number. *)
  val wordToPid : SysWord.word -> pid
  (* The process's number. *)
  val pidToWord : pid -> SysWord.word

  (* A second process that goes on from here: NONE in the child, the child's number in the parent.
     The child has the calling thread's worker only. *)
  val fork : unit -> pid option
  (* This process becomes the program in that file; the list are its arguments, its own name being the first. *)
  val exec : string * string list -> 'a
  (* As `exec`, with an environment of texts like "NAME=value". *)
  val exece : string * string list * string list -> 'a
  (* As `exec`; the file is looked for along PATH. *)
  val execp : string * string list -> 'a

  (* whom to wait for *)
  datatype waitpid_arg = W_ANY_CHILD | W_CHILD of pid | W_SAME_GROUP | W_GROUP of pid
  (* ended well; with that code; by a signal; or it is only stopped *)
  datatype exit_status =
      W_EXITED
    | W_EXITSTATUS of Word8.word
    | W_SIGNALED of signal
    | W_STOPPED of signal
  (* How a process ended: well, with which code, or by which signal. *)
  val fromStatus : OS.Process.status -> exit_status
  structure W :
  sig
    include BIT_FLAGS
    (* of stopped children too *)
    val untraced : flags
  end
  (* Waits for the end of any child: which one, and how. *)
  val wait : unit -> pid * exit_status
  (* Waits for the end of one of these children: which one, and how. Raises OS.SysErr when there is none. *)
  val waitpid : waitpid_arg * W.flags list -> pid * exit_status
  (* As `waitpid`, without waiting: NONE when none of them has ended. *)
  val waitpid_nh : waitpid_arg * W.flags list -> (pid * exit_status) option
  (* ends the process at once: no output is written, nothing of atExit is done *)
  val exit : Word8.word -> 'a

  (* whom to send it to *)
  datatype killpid_arg = K_PROC of pid | K_SAME_GROUP | K_GROUP of pid
  (* Sends a signal. *)
  val kill : killpid_arg * signal -> unit
  (* SIGALRM after that many whole seconds; the result is what was left of an earlier call *)
  val alarm : Time.time -> Time.time
  (* Waits for a signal. *)
  val pause : unit -> unit
  (* Parks the thread for so long; the result is what was not slept. *)
  val sleep : Time.time -> Time.time
end

signature POSIX_PROC_ENV =
sig
  eqtype pid
  eqtype uid
  eqtype gid
  eqtype file_desc

  (* The user's number. *)
  val uidToWord : uid -> SysWord.word
  (* The user with that number. *)
  val wordToUid : SysWord.word -> uid
  (* The group's number. *)
  val gidToWord : gid -> SysWord.word
  (* The group with that number. *)
  val wordToGid : SysWord.word -> gid

  (* This process. *)
  val getpid : unit -> pid
  (* The process that started this one. *)
  val getppid : unit -> pid
  (* The user who started the program. *)
  val getuid : unit -> uid
  (* The user whose rights the program has. *)
  val geteuid : unit -> uid
  (* The group of who started the program. *)
  val getgid : unit -> gid
  (* The group whose rights the program has. *)
  val getegid : unit -> gid
  (* Sets the user. Raises OS.SysErr when that is not permitted. *)
  val setuid : uid -> unit
  (* Sets the group. Raises OS.SysErr when that is not permitted. *)
  val setgid : gid -> unit
  (* The further groups whose rights the program has. *)
  val getgroups : unit -> gid list
  (* The name of who logged in. Raises OS.SysErr when there is none. *)
  val getlogin : unit -> string
  (* The process group of this process. *)
  val getpgrp : unit -> pid
  (* Makes a session, whose first process this one is; gives the new process group. *)
  val setsid : unit -> pid
  (* Puts a process into a process group. NONE is this process, or the group of its own number. *)
  val setpgid : {pid : pid option, pgid : pid option} -> unit
  (* The system, as pairs: sysname, nodename, release, version, machine. *)
  val uname : unit -> (string * string) list
  (* The time of the day in whole seconds. *)
  val time : unit -> Time.time
  (* The time since the start by the clock, and processor time: of the program, of the system for it, and both of
     ended children. *)
  val times :
    unit
    -> {elapsed : Time.time,
        utime : Time.time,
        stime : Time.time,
        cutime : Time.time,
        cstime : Time.time}
  (* SOME of the value of a variable of the environment, or NONE. *)
  val getenv : string -> string option
  (* The environment, as texts like "NAME=value". *)
  val environ : unit -> string list
  (* The path of the controlling terminal. *)
  val ctermid : unit -> string
  (* The path of the terminal behind a descriptor. Raises OS.SysErr when it is none. *)
  val ttyname : file_desc -> string
  (* Whether the descriptor is of a terminal. *)
  val isatty : file_desc -> bool
  (* a limit or option of the system by POSIX's name without "_SC_"; raises SysErr where the name is unknown or nothing is set *)
  val sysconf : string -> SysWord.word
end

signature POSIX_FILE_SYS =
sig
  eqtype uid
  eqtype gid
  eqtype file_desc
  (* The descriptor's number. *)
  val fdToWord : file_desc -> SysWord.word
  (* The descriptor with that number. *)
  val wordToFD : SysWord.word -> file_desc
  (* The descriptor, for `OS.IO`. *)
  val fdToIOD : file_desc -> OS.IO.iodesc
  (* SOME of a descriptor of `OS.IO`, or NONE where that is none. *)
  val iodToFD : OS.IO.iodesc -> file_desc option

  (* directories; readdir gives NONE at the end, and leaves out "." and ".." *)
  type dirstream
  (* Opens a directory to read its names. Raises OS.SysErr when the system refuses. *)
  val opendir : string -> dirstream
  (* SOME of the next name, without "." and "..", or NONE at the end. *)
  val readdir : dirstream -> string option
  (* Goes back to the first name. *)
  val rewinddir : dirstream -> unit
  (* Closes the stream of names. *)
  val closedir : dirstream -> unit
  (* Makes the directory the current one. Raises OS.SysErr when the system refuses. *)
  val chdir : string -> unit
  (* The path of the current directory. *)
  val getcwd : unit -> string

  (* Descriptor 0: standard input. *)
  val stdin : file_desc
  (* Descriptor 1: standard output. *)
  val stdout : file_desc
  (* Descriptor 2: standard error. *)
  val stderr : file_desc

  (* permissions *)
  structure S :
  sig
    eqtype mode
    include BIT_FLAGS where type flags = mode
    (* The owner may read, write and execute it. *)
    val irwxu : mode
    (* The owner may read it. *)
    val irusr : mode
    (* The owner may write it. *)
    val iwusr : mode
    (* The owner may execute it. *)
    val ixusr : mode
    (* The group may read, write and execute it. *)
    val irwxg : mode
    (* The group may read it. *)
    val irgrp : mode
    (* The group may write it. *)
    val iwgrp : mode
    (* The group may execute it. *)
    val ixgrp : mode
    (* Others may read, write and execute it. *)
    val irwxo : mode
    (* Others may read it. *)
    val iroth : mode
    (* Others may write it. *)
    val iwoth : mode
    (* Others may execute it. *)
    val ixoth : mode
    (* A program runs with the rights of its owner. *)
    val isuid : mode
    (* A program runs with the rights of its group. *)
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
  (* Opens a file that is there. Raises OS.SysErr when the system refuses. *)
  val openf : string * open_mode * O.flags -> file_desc
  (* Opens a file; makes it where it is not there, with these permissions without those of `umask`. *)
  val createf : string * open_mode * O.flags * S.mode -> file_desc
  (* Opens a file to write to, emptied; makes it where it is not there. *)
  val creat : string * S.mode -> file_desc
  (* Sets the permissions that new files do not get; gives those before. *)
  val umask : S.mode -> S.mode
  (* Gives a file a further name. Raises OS.SysErr when the new one is taken. *)
  val link : {old : string, new : string} -> unit
  (* Makes a directory with these permissions without those of `umask`. *)
  val mkdir : string * S.mode -> unit
  (* Makes a named pipe with these permissions without those of `umask`. *)
  val mkfifo : string * S.mode -> unit
  (* Removes a name of a file; without names and descriptors it is gone. *)
  val unlink : string -> unit
  (* Removes an empty directory. *)
  val rmdir : string -> unit
  (* Gives a file another name; what had that name is replaced. *)
  val rename : {old : string, new : string} -> unit
  (* Makes a symbolic link `new` that leads to `old`. *)
  val symlink : {old : string, new : string} -> unit
  (* What a symbolic link leads to. Raises OS.SysErr when it is none. *)
  val readlink : string -> string

  (* device and number within it name a file *)
  eqtype dev
  (* The device with that number. *)
  val wordToDev : SysWord.word -> dev
  (* The device's number. *)
  val devToWord : dev -> SysWord.word
  eqtype ino
  (* The file with that number on its device. *)
  val wordToIno : SysWord.word -> ino
  (* The file's number. *)
  val inoToWord : ino -> SysWord.word

  (* what the system knows of a file *)
  structure ST :
  sig
    type stat
    (* Whether it is a directory. *)
    val isDir : stat -> bool
    (* Whether it is a device of characters. *)
    val isChr : stat -> bool
    (* Whether it is a device of blocks. *)
    val isBlk : stat -> bool
    (* Whether it is a file with contents. *)
    val isReg : stat -> bool
    (* Whether it is a pipe. *)
    val isFIFO : stat -> bool
    (* Whether it is a symbolic link. *)
    val isLink : stat -> bool
    (* Whether it is a socket. *)
    val isSock : stat -> bool
    (* Its permissions. *)
    val mode : stat -> S.mode
    (* Its number on its device. *)
    val ino : stat -> ino
    (* Its device. *)
    val dev : stat -> dev
    (* How many names it has. *)
    val nlink : stat -> int
    (* Its owner. *)
    val uid : stat -> uid
    (* Its group. *)
    val gid : stat -> gid
    (* How many bytes it has. *)
    val size : stat -> Position.int
    (* When it was read last. *)
    val atime : stat -> Time.time
    (* When its contents were changed last. *)
    val mtime : stat -> Time.time
    (* When what is known of it was changed last. *)
    val ctime : stat -> Time.time
  end
  (* What the system knows of the file at the path. Raises OS.SysErr when there is none. *)
  val stat : string -> ST.stat
  (* As `stat`; of a symbolic link itself. *)
  val lstat : string -> ST.stat
  (* As `stat`, of what the descriptor is open on. *)
  val fstat : file_desc -> ST.stat

  datatype access_mode = A_READ | A_WRITE | A_EXEC
  (* Whether this user may do all of these with the file; without modes, whether it is there. *)
  val access : string * access_mode list -> bool
  (* Sets a file's permissions. *)
  val chmod : string * S.mode -> unit
  (* Sets the permissions of what the descriptor is open on. *)
  val fchmod : file_desc * S.mode -> unit
  (* Sets a file's owner and group. Raises OS.SysErr when that is not permitted. *)
  val chown : string * uid * gid -> unit
  (* Sets owner and group of what the descriptor is open on. *)
  val fchown : file_desc * uid * gid -> unit
  (* Sets when a file was read and changed last; NONE is now. *)
  val utime : string * {actime : Time.time, modtime : Time.time} option -> unit
  (* Makes the file so long: what is behind goes, what is missing is zeros. *)
  val ftruncate : file_desc * Position.int -> unit
  (* SOME of a limit of the file, by POSIX's name without "_PC_"; NONE where there is no limit. *)
  val pathconf : string * string -> SysWord.word option
  (* As `pathconf`, of what the descriptor is open on. *)
  val fpathconf : file_desc * string -> SysWord.word option
end

signature POSIX_IO =
sig
  eqtype file_desc
  eqtype pid

  (* Makes a pipe: the end to read from, the end to write to. *)
  val pipe : unit -> {infd : file_desc, outfd : file_desc}
  (* A new descriptor of what this one is open on. *)
  val dup : file_desc -> file_desc
  (* The descriptor `new` becomes one of what `old` is open on. *)
  val dup2 : {old : file_desc, new : file_desc} -> unit
  (* Closes the descriptor. Raises OS.SysErr when it is not open. *)
  val close : file_desc -> unit
  (* Reads n bytes at most, and gives them; none at the end. Parks the thread until there is something. A descriptor
     that the program made non-blocking raises OS.SysErr with `again` instead. *)
  val readVec : file_desc * int -> Word8Vector.vector
  (* Reads into the part of an array, and gives how many bytes, 0 at the end. Parks the thread as `readVec`. *)
  val readArr : file_desc * Word8ArraySlice.slice -> int
  (* Writes bytes, and gives how many the system took. Parks the thread until there is room, as `readVec`. *)
  val writeVec : file_desc * Word8VectorSlice.slice -> int
  (* Writes bytes of an array, and gives how many the system took. Parks the thread until there is room, as
     `readVec`. *)
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
    (* Writes at the end. *)
    val append : flags
    (* Fails with `again` instead of waiting. *)
    val nonblock : flags
    (* A write returns when it is on the disk. *)
    val sync : flags
  end
  datatype open_mode = O_RDONLY | O_WRONLY | O_RDWR

  (* the least descriptor from `base` on that is free becomes a name of what `old` is open on *)
  val dupfd : {old : file_desc, base : file_desc} -> file_desc
  (* The flags of the descriptor itself. *)
  val getfd : file_desc -> FD.flags
  (* Sets the flags of the descriptor itself. *)
  val setfd : file_desc * FD.flags -> unit
  (* The flags of what the descriptor is open on, and how it was opened. *)
  val getfl : file_desc -> O.flags * open_mode
  (* Sets the flags of what the descriptor is open on. *)
  val setfl : file_desc * O.flags -> unit
  (* Goes to a place in the file, counted from its start, from the current one or from the end; gives the new
     place. *)
  val lseek : file_desc * Position.int * whence -> Position.int
  (* Returns when all that was written is on the disk. *)
  val fsync : file_desc -> unit

  (* Locks of parts of a file, between processes. One process's locks do not keep itself out, and all go when it closes any
     descriptor of the file. *)
  datatype lock_type = F_RDLCK | F_WRLCK | F_UNLCK
  structure FLock :
  sig
    type flock
    (* `len` 0 is to the end of the file, however long it gets; `pid` is who holds it *)
    val flock :
      {ltype : lock_type,
       whence : whence,
       start : Position.int,
       len : Position.int,
       pid : pid option}
      -> flock
    (* Its kind. *)
    val ltype : flock -> lock_type
    (* From where its start is counted. *)
    val whence : flock -> whence
    (* Where it starts. *)
    val start : flock -> Position.int
    (* Its length; 0 is to the end of the file, however long it gets. *)
    val len : flock -> Position.int
    (* SOME of the process that holds it, or NONE. *)
    val pid : flock -> pid option
  end
  (* a lock that keeps this one out; or this one with F_UNLCK *)
  val getlk : file_desc * FLock.flock -> FLock.flock
  (* locks or unlocks; raises SysErr with `again` or `acces` where another process has a lock *)
  val setlk : file_desc * FLock.flock -> FLock.flock
  (* parks the thread until it can be had *)
  val setlkw : file_desc * FLock.flock -> FLock.flock

  (* A reader of the descriptor, for streams of bytes. *)
  val mkBinReader : {fd : file_desc, name : string, initBlkMode : bool} -> BinPrimIO.reader
  (* A reader of the descriptor, for streams of text. *)
  val mkTextReader : {fd : file_desc, name : string, initBlkMode : bool} -> TextPrimIO.reader
  (* A writer to the descriptor, for streams of bytes. *)
  val mkBinWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int}
    -> BinPrimIO.writer
  (* A writer to the descriptor, for streams of text. *)
  val mkTextWriter :
    {fd : file_desc, name : string, appendMode : bool, initBlkMode : bool, chunkSize : int}
    -> TextPrimIO.writer
end

signature POSIX_SYS_DB =
sig
  eqtype uid
  eqtype gid
  structure Passwd :
  sig
    type passwd
    (* The user's name. *)
    val name : passwd -> string
    (* The user's number. *)
    val uid : passwd -> uid
    (* The user's group. *)
    val gid : passwd -> gid
    (* The user's directory. *)
    val home : passwd -> string
    (* The program that runs when the user logs in. *)
    val shell : passwd -> string
  end
  structure Group :
  sig
    type group
    (* The group's name. *)
    val name : group -> string
    (* The group's number. *)
    val gid : group -> gid
    (* The names of its users. *)
    val members : group -> string list
  end
  (* The group with that number. Raises OS.SysErr where there is none. *)
  val getgrgid : gid -> Group.group
  (* The group of that name. Raises OS.SysErr where there is none. *)
  val getgrnam : string -> Group.group
  (* The user with that number. Raises OS.SysErr where there is none. *)
  val getpwuid : uid -> Passwd.passwd
  (* The user of that name. Raises OS.SysErr where there is none. *)
  val getpwnam : string -> Passwd.passwd
end

signature POSIX_TTY =
sig
  eqtype pid
  eqtype file_desc

  (* Control characters *)
  structure V :
  sig
    (* Place of the character that ends the input. *)
    val eof : int
    (* Place of a further character that ends a line. *)
    val eol : int
    (* Place of the character that erases one. *)
    val erase : int
    (* Place of the character that interrupts. *)
    val intr : int
    (* Place of the character that erases the line. *)
    val kill : int
    (* Place of the fewest characters of a read. *)
    val min : int
    (* Place of the character that quits. *)
    val quit : int
    (* Place of the character that suspends. *)
    val susp : int
    (* Place of the tenths of a second that a read waits. *)
    val time : int
    (* Place of the character that lets output go on. *)
    val start : int
    (* Place of the character that stops output. *)
    val stop : int
    (* How many places there are. *)
    val nccs : int

    type cc
    (* Control characters: these, and NUL elsewhere. *)
    val cc : (int * char) list -> cc
    (* The same with these changed. *)
    val update : cc * (int * char) list -> cc
    (* The character at a place. Raises Subscript when there is no such place. *)
    val sub : cc * int -> char
  end

  (* Input *)
  structure I :
  sig
    include BIT_FLAGS
    (* A break interrupts. *)
    val brkint : flags
    (* CR becomes LF. *)
    val icrnl : flags
    (* A break is ignored. *)
    val ignbrk : flags
    (* CR is ignored. *)
    val igncr : flags
    (* Characters with errors of parity are ignored. *)
    val ignpar : flags
    (* LF becomes CR. *)
    val inlcr : flags
    (* Parity is checked. *)
    val inpck : flags
    (* Characters are cut to 7 bits. *)
    val istrip : flags
    (* Input is stopped and started by control characters. *)
    val ixoff : flags
    (* Output is stopped and started by control characters. *)
    val ixon : flags
    (* Errors of parity are marked. *)
    val parmrk : flags
  end

  (* Output *)
  structure O :
  sig
    include BIT_FLAGS
    (* What is sent is processed. *)
    val opost : flags
  end

  (* The line *)
  structure C :
  sig
    include BIT_FLAGS
    (* The line has no modem. *)
    val clocal : flags
    (* Characters are received. *)
    val cread : flags
    (* 5 bits a character. *)
    val cs5 : flags
    (* 6 bits a character. *)
    val cs6 : flags
    (* 7 bits a character. *)
    val cs7 : flags
    (* 8 bits a character. *)
    val cs8 : flags
    (* All bits that say how long a character is. *)
    val csize : flags
    (* Two stop bits. *)
    val cstopb : flags
    (* The last close hangs up. *)
    val hupcl : flags
    (* Characters have parity. *)
    val parenb : flags
    (* Parity is odd. *)
    val parodd : flags
  end

  (* Local modes *)
  structure L :
  sig
    include BIT_FLAGS
    (* What is typed is shown. *)
    val echo : flags
    (* Erased characters disappear. *)
    val echoe : flags
    (* An erased line is followed by LF. *)
    val echok : flags
    (* LF is shown even without `echo`. *)
    val echonl : flags
    (* Input comes in lines, which can be corrected. *)
    val icanon : flags
    (* There are further control characters. *)
    val iexten : flags
    (* Control characters send signals. *)
    val isig : flags
    (* A signal does not throw away what was typed. *)
    val noflsh : flags
    (* A write in the background stops the process. *)
    val tostop : flags
  end

  (* Speeds of the line in bits a second *)
  eqtype speed
  (* The order of two speeds. *)
  val compareSpeed : speed * speed -> order
  (* The system's number of a speed. *)
  val speedToWord : speed -> SysWord.word
  (* The speed with that number. *)
  val wordToSpeed : SysWord.word -> speed
  (* Hangs up. *)
  val b0 : speed
  (* 50 bits a second. *)
  val b50 : speed
  (* 75 bits a second. *)
  val b75 : speed
  (* 110 bits a second. *)
  val b110 : speed
  (* 134 bits a second. *)
  val b134 : speed
  (* 150 bits a second. *)
  val b150 : speed
  (* 200 bits a second. *)
  val b200 : speed
  (* 300 bits a second. *)
  val b300 : speed
  (* 600 bits a second. *)
  val b600 : speed
  (* 1200 bits a second. *)
  val b1200 : speed
  (* 1800 bits a second. *)
  val b1800 : speed
  (* 2400 bits a second. *)
  val b2400 : speed
  (* 4800 bits a second. *)
  val b4800 : speed
  (* 9600 bits a second. *)
  val b9600 : speed
  (* 19200 bits a second. *)
  val b19200 : speed
  (* 38400 bits a second. *)
  val b38400 : speed

  (* All settings; values that do not change *)
  type termios
  (* Settings of these fields. *)
  val termios :
    {iflag : I.flags,
     oflag : O.flags,
     cflag : C.flags,
     lflag : L.flags,
     cc : V.cc,
     ispeed : speed,
     ospeed : speed}
    -> termios
  (* All fields of settings. *)
  val fieldsOf :
    termios
    -> {iflag : I.flags,
        oflag : O.flags,
        cflag : C.flags,
        lflag : L.flags,
        cc : V.cc,
        ispeed : speed,
        ospeed : speed}
  (* The flags of input. *)
  val getiflag : termios -> I.flags
  (* The flags of output. *)
  val getoflag : termios -> O.flags
  (* The flags of the line. *)
  val getcflag : termios -> C.flags
  (* The local modes. *)
  val getlflag : termios -> L.flags
  (* The control characters. *)
  val getcc : termios -> V.cc

  (* The speeds of settings *)
  structure CF :
  sig
    (* The speed of output. *)
    val getospeed : termios -> speed
    (* The settings with that speed of output. *)
    val setospeed : termios * speed -> termios
    (* The speed of input. *)
    val getispeed : termios -> speed
    (* The settings with that speed of input. *)
    val setispeed : termios * speed -> termios
  end

  (* Terminals behind descriptors *)
  structure TC :
  sig
    eqtype set_action
    (* At once. *)
    val sanow : set_action
    (* When all output is sent. *)
    val sadrain : set_action
    (* When all output is sent; input not yet read is thrown away. *)
    val saflush : set_action

    eqtype flow_action
    (* Stops output. *)
    val ooff : flow_action
    (* Starts output again. *)
    val oon : flow_action
    (* Sends STOP, so that the other side stops. *)
    val ioff : flow_action
    (* Sends START, so that the other side starts again. *)
    val ion : flow_action

    eqtype queue_sel
    (* Input that was not read. *)
    val iflush : queue_sel
    (* Output that was not sent. *)
    val oflush : queue_sel
    (* Both. *)
    val ioflush : queue_sel

    (* The terminal's settings. Raises OS.SysErr when the descriptor is of none. *)
    val getattr : file_desc -> termios
    (* Sets the terminal's settings, at that time. *)
    val setattr : file_desc * set_action * termios -> unit
    (* Sends zeros for so long; 0 is a quarter of a second to half a second. *)
    val sendbreak : file_desc * int -> unit
    (* Parks the thread until all output is sent. *)
    val drain : file_desc -> unit
    (* Throws that away. *)
    val flush : file_desc * queue_sel -> unit
    (* Stops or starts input or output. *)
    val flow : file_desc * flow_action -> unit
    (* The process group in the foreground. *)
    val getpgrp : file_desc -> pid
    (* Puts a process group in the foreground. *)
    val setpgrp : file_desc * pid -> unit
  end
end

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
