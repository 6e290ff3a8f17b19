(* The signatures of Posix for all that is not a file or a terminal: errors, signals, processes, what a process knows of
   itself, and users and groups. posix-file-sig.sml has those for files, posix-tty.sml that for terminals. Calls that
   fail raise OS.SysErr. *)

(* Errors of the system, by the names that the system's headers give them, in small letters and without the E. *)
signature POSIX_ERROR =
sig
  type syserror = OS.syserror
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
  (* a limit or option of the system by POSIX's name without "_SC_"; raises SysErr where the name is unknown or nothing
     is set *)
  val sysconf : string -> SysWord.word
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
