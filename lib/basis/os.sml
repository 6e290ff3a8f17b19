(* CommandLine, OS: the system underneath. *)

signature COMMAND_LINE =
sig
  (* The name by which the program was called. *)
  val name : unit -> string
  (* What stands behind the name, one string for each argument. *)
  val arguments : unit -> string list
end

structure CommandLine : COMMAND_LINE =
struct
  val name = PrimWorld'.program_name
  val count = PrimWorld'.arg_count
  val argument = PrimWorld'.arg
  fun arguments () = List.tabulate (count (), argument)
end

signature OS_PROCESS =
sig
  type status

  (* The exit status of success, 0. *)
  val success : status
  (* The exit status of failure, 1. *)
  val failure : status
  (* Whether the status tells of success. *)
  val isSuccess : status -> bool
  (* Runs a command by the shell and waits for its end; other threads run meanwhile. Raises OS.SysErr when it cannot
     be started. *)
  val system : string -> status
  (* The function is called when the program ends by `exit` or by its last declaration. The last one registered is
     called first; what they register themselves is ignored. *)
  val atExit : (unit -> unit) -> unit
  (* Calls what `atExit` registered, flushes and closes the streams, and ends the program with that status. *)
  val exit : status -> 'a
  (* Ends the program at once with that status: nothing that `atExit` registered is called, and nothing is flushed. *)
  val terminate : status -> 'a
  (* SOME of the value of a variable of the environment, or NONE when there is none of that name. *)
  val getEnv : string -> string option
  (* Blocks the thread for so long; not at all for zero or less. Others run meanwhile. *)
  val sleep : Time.time -> unit
end

signature OS_FILE_SYS =
sig
  type dirstream

  (* Opens a folder to read its names. Raises OS.SysErr when the system refuses. *)
  val openDir : string -> dirstream
  (* SOME of the next name, without `.` and `..`, or NONE at the end. *)
  val readDir : dirstream -> string option
  (* Goes back to the first name. *)
  val rewindDir : dirstream -> unit
  (* Closes the stream of names. Twice is once. *)
  val closeDir : dirstream -> unit
  (* Makes the folder the program's working one. Raises OS.SysErr when the system refuses. *)
  val chDir : string -> unit
  (* The working folder, as an absolute path. *)
  val getDir : unit -> string
  (* Makes a folder. Raises OS.SysErr when it exists, or the one above does not. *)
  val mkDir : string -> unit
  (* Removes a folder. Raises OS.SysErr when it is not empty. *)
  val rmDir : string -> unit
  (* Whether the path leads to a folder. Raises OS.SysErr when there is nothing. *)
  val isDir : string -> bool
  (* Whether the path is a symbolic link. Raises OS.SysErr when there is nothing. *)
  val isLink : string -> bool
  (* What the symbolic link leads to. Raises OS.SysErr when it is none. *)
  val readLink : string -> string
  (* The path from the root on, canonical, without symbolic links. Raises OS.SysErr when there is nothing. *)
  val fullPath : string -> string
  (* As `fullPath`; a relative path's result is relative to the working folder. *)
  val realPath : string -> string
  (* When the file was changed last. *)
  val modTime : string -> Time.time
  (* How many bytes the file has. *)
  val fileSize : string -> Position.int
  (* Sets when the file was changed and read last; NONE is now. *)
  val setTime : string * Time.time option -> unit
  (* Removes a file's name; a symbolic link, not what it leads to. Raises OS.SysErr when there is none. *)
  val remove : string -> unit
  (* Gives a file another name; what had that name is replaced. *)
  val rename : {old : string, new : string} -> unit
  datatype access_mode = A_READ | A_WRITE | A_EXEC
  (* Whether the program may do all of these with the file; without modes, whether it exists. It raises nothing when
     it does not. *)
  val access : string * access_mode list -> bool
  (* Makes an empty file of a new name among the temporary ones, and gives the name. *)
  val tmpName : unit -> string
  eqtype file_id
  (* What tells the file from all others, by whatever path it is found. *)
  val fileId : string -> file_id
  (* A number for tables whose keys are files. *)
  val hash : file_id -> word
  (* An order of files, for maps and sets. *)
  val compare : file_id * file_id -> order
end

signature OS_IO =
sig
  eqtype iodesc
  (* A number for tables whose keys are descriptors. *)
  val hash : iodesc -> word
  (* An order of descriptors, for maps and sets. *)
  val compare : iodesc * iodesc -> order

  eqtype iodesc_kind
  structure Kind :
  sig
    (* A file with contents. *)
    val file : iodesc_kind
    (* A folder. *)
    val dir : iodesc_kind
    (* A symbolic link. *)
    val symlink : iodesc_kind
    (* A terminal. *)
    val tty : iodesc_kind
    (* A pipe. *)
    val pipe : iodesc_kind
    (* A socket. *)
    val socket : iodesc_kind
    (* Another device. *)
    val device : iodesc_kind
  end
  (* What kind of thing the descriptor is of. Raises OS.SysErr when it is closed. *)
  val kind : iodesc -> iodesc_kind

  eqtype poll_desc
  type poll_info
  (* SOME of the descriptor as something to be waited for, or NONE where that is not possible. *)
  val pollDesc : iodesc -> poll_desc option
  (* The descriptor that is waited for. *)
  val pollToIODesc : poll_desc -> iodesc
  exception Poll
  (* The same, to be waited for until it can be read. Raises Poll where that makes no sense. *)
  val pollIn : poll_desc -> poll_desc
  (* The same, to be waited for until it can be written. Raises Poll where that makes no sense. *)
  val pollOut : poll_desc -> poll_desc
  (* The same, to be waited for until it has something urgent. Raises Poll where that makes no sense. *)
  val pollPri : poll_desc -> poll_desc
  (* Blocks the thread until one of them is ready, at most so long, for good with NONE; gives those that are ready.
     Others run meanwhile. *)
  val poll : poll_desc list * Time.time option -> poll_info list
  (* Whether it can be read. *)
  val isIn : poll_info -> bool
  (* Whether it can be written. *)
  val isOut : poll_info -> bool
  (* Whether it has something urgent. *)
  val isPri : poll_info -> bool
  (* What was waited for. *)
  val infoToPollDesc : poll_info -> poll_desc
end

signature OS =
sig
  eqtype syserror
  (* the system's text, and the number *)
  exception SysErr of string * syserror option
  (* The system's text for an error. *)
  val errorMsg : syserror -> string
  (* POSIX's name for an error, in small letters without the E: `noent`. *)
  val errorName : syserror -> string
  (* SOME of the error of that name, as `errorName` gives it or as `ENOENT`; NONE when there is none. *)
  val syserror : string -> syserror option

  structure FileSys : OS_FILE_SYS
  structure IO : OS_IO
  structure Path : OS_PATH
  structure Process : OS_PROCESS
end

(* The system's errors: names and numbers. Not for users. *)
structure Error' =
struct
  type syserror = int
  exception SysErr of string * syserror option

  val errorMsg = PrimWorld'.error_message

  val table = ErrorNumber'.names

  fun errorName e =
    case List.find (fn (_, n) => n = e) (table ()) of
      SOME (name, _) => name
    | NONE => "errno" ^ Int.toString e
  local
    structure N = ErrorNumber'
    val further =
      [("toobig", N.toobig),
       ("deadlk", N.deadlock),
       ("wouldblock", N.again),
       ("opnotsupp", N.notsup)]
    (* what `errorName` gives for a number without a name *)
    fun unnamed name =
      if String.isPrefix "errno" name then
        case Int.fromString (String.extract (name, 5, NONE)) handle Overflow => NONE of
          SOME e => if errorName e = name then SOME e else NONE
        | NONE => NONE
      else NONE
  in
    (* also as the system's headers have it, and programs for Poly/ML: "ENOENT" *)
    fun syserror name =
      let
        val own =
          if size name > 1
             andalso String.sub (name, 0) = #"E"
             andalso not (CharVector.exists Char.isLower name)
          then CharVector.map Char.toLower (String.extract (name, 1, NONE))
          else name
      in
        case List.find (fn (n, _) => n = own) (table () @ further) of
          SOME (_, e) => SOME e
        | NONE => unnamed name
      end
  end

  fun fail e = raise SysErr (errorMsg e, SOME e)
  (* a result of the runtime: below 0 it is a negated error number *)
  fun check result = if result < 0 then fail (~ result) else result
  fun done result = ignore (check result)

  (* a text whose error number is put into an array *)
  fun text f =
    let
      val error = Array.array (2, 0)
      val result = f error
    in
      case Array.sub (error, 0) of
        0 => result
      | e => fail e
    end
end

(* Waiting without keeping the worker. What would block gives `again`; then the thread is parked until the descriptor is
   ready, and the call made anew. *)
structure Wait' =
struct
  val again = ErrorResult'.again
  val badf = ErrorResult'.badf

  local
    (* 1: ready; 0: call again with 2 more; or an error *)
    val park = PrimWaiting'.fd_wait
    fun on (fd, mode) =
      case park (fd, mode + 2) of
        0 => on (fd, mode)
      | r => r
  in
    fun waitHere (fd, mode) =
      case park (fd, mode) of
        0 => on (fd, mode)
      | r => r
  end
  (* another one when there are scopes (Scope); likewise below *)
  val waits = ref waitHere
  fun wait (fd, mode) = ! waits (fd, mode)

  (* f's result, as soon as it does not block; 0 to read, 1 to write *)
  fun retry (fd, mode, f) =
    let
      val result = f ()
    in
      if result <> again then result
      else
        let
          val r = wait (fd, mode)
        in
          if r < 0 then r else retry (fd, mode, f)
        end
    end
  fun reading (fd, f) = retry (fd, 0, f)
  fun writing (fd, f) = retry (fd, 1, f)

  (* asks the system whether it is ready *)
  val ready = PrimWaiting'.fd_ready
  fun block (fd, mode) = retry (fd, mode, fn () => if ready (fd, mode) = 1 then 1 else again)

  (* output goes out as far as it has to: 0 enough for more to be printed, 1 what is printed, 2 all *)
  local
    val drain = PrimOutput'.out_drain
  in
    fun outSlowly (fd, how, result) =
      (PrimFunctions'.noinline ();
       if result = again then
         if wait (fd, 1) < 0 then () else out (fd, how, drain (fd, how))
       else Error'.fail (~ result))
    (* nearly all output finds room *)
    and out (fd, how, result) = if result >= 0 then () else outSlowly (fd, how, result)
  end
end

(* What would block a worker and has no descriptor: done on an OS thread of its own. *)
structure Job' =
struct
  local
    val begin = PrimJobs'.job_start
    val wait = PrimJobs'.job_wait
    val take = PrimJobs'.job_take
    val drop = PrimJobs'.job_drop
    val watch = PrimJobs'.job_watch : int * thread -> int
  in
    val shell = JobKind'.shell
    val child = JobKind'.child
    val addresses = JobKind'.addresses
    val hostName = JobKind'.hostName
    val open' = JobKind'.open'
    val lock = JobKind'.lock
    val drain = JobKind'.drain
    val sync = JobKind'.sync

    val start = begin
    val watch = watch
    val drop = drop
    (* The pool is asked: what a wait gives may have been left by an earlier one. *)
    fun finishHere id =
      if (ignore (wait id); watch (id, PrimThreads'.thread_self ()) = 1) then
        let
          val a = Array.array (1, 0)
          val text = take (id, a)
        in
          (Array.sub (a, 0), text)
        end
      else finishHere id
    (* a job whose wait is cancelled is dropped *)
    val finishes = ref finishHere
    fun finish id = ! finishes id
    fun run job = finish (start job)
    (* What it has got (a descriptor, a lock) would be nobody's: it is waited for in any case. *)
    fun runToTheEnd job = finishHere (start job)
  end
end

structure Process' =
struct
  (* an exit code; from 256 on a signal that ended it; from 512 on one that stopped it *)
  type status = int

  (* of a status as the system gives it *)
  fun ofWait w =
    if w mod 128 = 0 then w div 256 mod 256
    else if w mod 256 = 127 then 512 + w div 256 mod 256
    else 256 + w mod 128
  fun code status = if status < 256 then status else 128 + status mod 256

  val success = 0
  val failure = 1
  fun isSuccess status = status = 0

  local
    val flush = PrimOutput'.flush_out
    val start = PrimProcesses'.process_open
    val close = PrimFiles'.file_close
    val waitPid = PrimProcesses'.process_wait
    val exitWith = PrimExits'.exit : int -> 'a
    val exitNow = PrimProcesses'.process_exit_now : int -> 'a
    val signal = PrimProcesses'.process_kill
    val env = PrimWorld'.env
    val envHas = PrimWorld'.env_has
    val monotonic = PrimClock'.time_monotonic
    val sleepUntil = PrimTimers'.thread_sleep_until
  in
    val openProcess = start
    fun flushOut () = Wait'.out (1, 2, flush ())
    (* What was printed is to be out before; to see to that may wait and raise, and this does not. *)
    fun startSystem command = Job'.start (Job'.shell, command, 0, 0)
    fun systemStatus (number, _ : string) = ofWait (Error'.check number)
    fun system command = (flushOut (); systemStatus (Job'.finish (startSystem command)))
    (* As `waitpid`; the thread waits when the options have no WNOHANG (1). *)
    fun wait (pid, options, a) =
      case waitPid (pid, if options mod 2 = 1 then options else options + 1, a) of
        0 => if options mod 2 = 1 then 0 else (await (pid, options); wait (pid, options, a))
      | found => found
    (* stopped ones are told of by no descriptor *)
    and await (pid, options) =
      awaitBy (if pid > 0 andalso options = 0 then start pid else ~1, pid, options)
    (* `fd`: what `openProcess` has given for it, which is closed here; below 0 there is none *)
    and awaitBy (fd, pid, options) =
      if fd >= 0 then
        (ignore (Wait'.block (fd, 0)) handle e => (ignore (close fd); raise e);
         ignore (close fd))
      else ignore (Job'.run (Job'.child, "", pid, options))
    (* As the system's `kill`, with its answer. Cut off, a number would be another signal's. *)
    fun kill (pid, number) =
      if number < 0 orelse number > 0x7fffffff then ~ ErrorNumber'.inval else signal (pid, number)
    val sleeps = ref sleepUntil
    val atExit = PrimExits'.at_exit
    fun exit status = exitWith (code status)
    fun terminate status = exitNow (code status)
    fun getEnv name = if envHas name = 1 then SOME (env name) else NONE
    (* A wake-up that was left over from an earlier wait does not end it. *)
    fun sleepTo deadline =
      let
        fun go () = if monotonic () < deadline then (sleepUntil deadline; go ()) else ()
      in
        ! sleeps deadline;
        go ()
      end
    fun sleep t = if Time.> (t, Time.zeroTime) then sleepTo (TimePrim'.deadline t) else ()
  end
end

(* What `stat` tells. *)
structure Stat' =
struct
  type stat = int array

  local
    val statPath = PrimFiles'.file_stat
    val statFd = PrimFiles'.fd_stat
    fun filled f =
      let
        val a = Array.array (11, 0)
      in
        Error'.done (f a);
        a
      end
  in
    fun stat path = filled (fn a => statPath (path, 1, a))
    fun lstat path = filled (fn a => statPath (path, 0, a))
    fun fstat fd = filled (fn a => statFd (fd, a))
  end
  fun field k (a : stat) = Array.sub (a, k)
  val dev = field 0
  val ino = field 1
  val mode = field 2
  val nlink = field 3
  val uid = field 4
  val gid = field 5
  val size = field 6
  val atime = field 7
  val mtime = field 8
  val ctime = field 9
  (* the kind of file, one of FileKind' *)
  fun kind a = mode a div FileKind'.unit * FileKind'.unit
end

structure FileSys' =
struct
  structure E = Error'

  (* the runtime's handle, 0 when closed *)
  type dirstream = int ref

  local
    val opendir = PrimFiles'.dir_open
    val readdir = PrimFiles'.dir_read
    val rewinddir = PrimFiles'.dir_rewind
    val closedir = PrimFiles'.dir_close
    fun handleOf (d : dirstream) = if !d = 0 then E.fail ErrorNumber'.badf else !d
  in
    fun openDir path = ref (E.check (opendir path))
    fun readDir d =
      case E.text (fn e => readdir (handleOf d, e)) of
        "" => NONE
      | "." => readDir d
      | ".." => readDir d
      | name => SOME name
    fun rewindDir d = E.done (rewinddir (handleOf d))
    fun closeDir d = if !d = 0 then () else let val h = !d in d := 0; E.done (closedir h) end
  end

  local
    val chdir = PrimFiles'.dir_change
    val getcwd = PrimFiles'.dir_current
    val mkdir = PrimFiles'.dir_make
    val rmdir = PrimFiles'.dir_remove
    val readlink = PrimFiles'.file_readlink
    val realpath = PrimFiles'.file_realpath
    val unlink = PrimFiles'.file_remove
    val renameTo = PrimFiles'.file_rename
    val allowed = PrimFiles'.file_access
    val setTimes = PrimFiles'.file_set_times
    val temp = PrimFiles'.file_temp
    val close = PrimFiles'.file_close
  in
    fun chDir path = E.done (chdir path)
    fun getDir () = E.text getcwd
    fun mkDir path = E.done (mkdir (path, 511))
    fun rmDir path = E.done (rmdir path)
    fun isDir path = Stat'.kind (Stat'.stat path) = FileKind'.directory
    fun isLink path = Stat'.kind (Stat'.lstat path) = FileKind'.link
    fun readLink path = E.text (fn e => readlink (path, e))
    fun fullPath path = E.text (fn e => realpath (if path = "" then "." else path, e))
    fun realPath path =
      if OSPath'.isAbsolute path then fullPath path
      else OSPath'.mkRelative {path = fullPath path, relativeTo = fullPath "."}
    fun modTime path = TimePrim'.ofNanos (Stat'.mtime (Stat'.stat path))
    fun fileSize path = Stat'.size (Stat'.stat path)
    (* as a file's time: the system's own now *)
    val now = valOf Int.minInt
    fun setTime (path, time) =
      let
        val t = case time of SOME t => TimePrim'.toNanos t | NONE => now
      in
        E.done (setTimes (path, t, t))
      end
    fun remove path = E.done (unlink path)
    fun rename {old, new} = E.done (renameTo (old, new))

    (* The answer of the system's `access`: false where the path leads to nothing or somebody may not do that; what else is
       wrong is no answer. *)
    local
      val negative =
        [ErrorNumber'.noent,
         ErrorNumber'.notdir,
         ErrorNumber'.acces,
         ErrorNumber'.perm,
         ErrorNumber'.loop,
         ErrorNumber'.nametoolong,
         ErrorNumber'.inval,
         ErrorNumber'.rofs,
         ErrorNumber'.txtbsy]
    in
      fun isAllowed result =
        result >= 0
        orelse not (List.exists (fn e => e = ~ result) negative) andalso E.fail (~ result)
    end

    datatype access_mode = A_READ | A_WRITE | A_EXEC
    fun access (path, modes) =
      let
        fun bit A_READ = AccessMode'.read
          | bit A_WRITE = AccessMode'.write
          | bit A_EXEC = AccessMode'.execute
        fun has m = List.exists (fn n => n = m) modes
        fun add m = if has m then bit m else 0
      in
        isAllowed (allowed (path, add A_READ + add A_WRITE + add A_EXEC))
      end

    (* a new file of this prefix, and its descriptor *)
    fun newFile prefix =
      let
        val a = Array.array (2, 0)
        val name = temp (prefix, a)
      in
        if Array.sub (a, 0) <> 0 then E.fail (Array.sub (a, 0)) else (name, Array.sub (a, 1))
      end
    fun tmpName () =
      let
        val (name, fd) = newFile (getOpt (Process'.getEnv "TMPDIR", "/tmp") ^ "/sml")
      in
        ignore (close fd);
        name
      end
  end

  (* device and inode *)
  type file_id = int * int
  fun fileId path = let val s = Stat'.stat path in (Stat'.dev s, Stat'.ino s) end
  fun hash (dev, ino) = Word.+ (Word.* (Word.fromInt dev, 0w1000003), Word.fromInt ino)
  fun compare ((dev, ino), (dev', ino')) =
    case Int.compare (dev, dev') of
      EQUAL => Int.compare (ino, ino')
    | unequal => unequal
end

structure OSIO' =
struct
  structure E = Error'
  val closeDescriptor = PrimFiles'.file_close

  (* a descriptor *)
  type iodesc = int
  val hash = Word.fromInt
  val compare = Int.compare

  (* the kind that Stat' gives; a terminal is 0 *)
  type iodesc_kind = int
  structure Kind =
  struct
    val file = FileKind'.regular
    val dir = FileKind'.directory
    val symlink = FileKind'.link
    val tty = 0
    val pipe = FileKind'.fifo
    val socket = FileKind'.socket
    val device = FileKind'.characterDevice
  end
  local
    val isatty = PrimFiles'.fd_isatty
  in
    fun kind fd =
      let
        val kind = Stat'.kind (Stat'.fstat fd)
      in
        if kind = FileKind'.characterDevice andalso isatty fd = 1 then Kind.tty
        else if kind = FileKind'.blockDevice then Kind.device
        else kind
      end
  end

  (* events: 1 in, 2 pri, 4 out *)
  type poll_desc = int * int
  type poll_info = int * int * int
  exception Poll
  fun pollDesc fd = SOME (fd, 0)
  fun pollToIODesc (fd, _) = fd
  fun has (bit, events) = events div bit mod 2 = 1
  fun both (events, others) = Word.toInt (Word.andb (Word.fromInt events, Word.fromInt others))
  fun add bit (fd, events) = (fd, if has (bit, events) then events else events + bit)
  val pollIn = add PollEvent'.input
  val pollPri = add PollEvent'.urgent
  val pollOut = add PollEvent'.output
  local
    val ask = PrimWaiting'.fd_poll
    val watch = PrimWaiting'.fd_watch : int * int * thread -> int
    val unwatch = PrimWaiting'.fd_unwatch
    val self = PrimThreads'.thread_self
    val park = PrimThreads'.thread_park
    val startTimer = PrimTimers'.timer_start
    val cancelTimer = PrimTimers'.timer_cancel
    val monotonic = PrimClock'.time_monotonic
    (* reason of a thread dump *)
    val reading = ParkReason'.read

    (* Waits for one of the descriptors, in its direction, at most until then. It may come back for nothing. *)
    fun awaitHere (waits, deadline) =
      let
        val me = self ()
        fun start ([], ids) = (true, ids)
          | start ((fd, mode) :: rest, ids) =
              let
                val id = watch (fd, mode, me)
              in
                (* ready, or nothing to wait for *)
                if id <= 0
                then (false, ids)
                else start (rest, id :: ids)
              end
        val (blocked, ids) = start (waits, [])
      in
        if blocked then
          if deadline >= 0 then
            let
              val timer = startTimer (deadline, me, 0, 0)
            in
              park reading;
              ignore (cancelTimer timer)
            end
          else park reading
        else ();
        (* 2: it was closed meanwhile; its number may be another descriptor's by now *)
        if List.foldl (fn (id, closed) => unwatch id = 2 orelse closed) false ids then
          E.fail ErrorNumber'.badf
        else ()
      end
    val awaits' = ref awaitHere

    (* Urgent data is asked for together with ordinary data: what the runtime notes of a descriptor, that there is
       nothing, is for both. *)
    fun asked (_, events) =
      if has (PollEvent'.urgent, events) then #2 (pollIn (0, events)) else events
  in
    val awaits = awaits'
    val awaitHere = awaitHere

    (* Does not wait: those that are ready, and what the others wait for, each descriptor in a direction. A wait ends
       when it is ready; but no more is told of one that has ordinary data where only urgent data is wanted. Then
       `again` holds: a look is to be taken after a pause. *)
    fun look descs =
      let
        val n = List.length descs
        val a =
          Array.fromList (List.concat (List.map (fn desc as (fd, _) => [fd, asked desc, 0]) descs))
        val _ = E.check (ask (a, n))
        fun go (_, [], found) = found
          | go (i, (fd, events) :: rest, {ready, waits, again}) =
              let
                val told = Array.sub (a, 3 * i + 2)
                (* an error or an end of file makes everything ready *)
                val this = if told div 8 > 0 then events else both (told, events)
                val isIn = events mod 4 > 0
                val isFull = has (PollEvent'.input, told)
                val waits = if has (PollEvent'.output, events) then (fd, 1) :: waits else waits
                val waits = if isIn andalso not isFull then (fd, 0) :: waits else waits
              in
                go (i + 1,
                    rest,
                    {ready = if this = 0 then ready else (fd, events, this) :: ready,
                     waits = waits,
                     again = again orelse isIn andalso isFull})
              end
        val {ready, waits, again} = go (0, descs, {ready = [], waits = [], again = false})
      in
        {ready = List.rev ready, waits = List.rev waits, again = again}
      end

    (* in nanoseconds *)
    val pause = 10000000

    fun poll (descs, timeout) =
      let
        val limit =
          case timeout of
            NONE => ~1
          | SOME t =>
              let val n = TimePrim'.toNanos t in if n < 0 then E.fail ErrorNumber'.inval else n end
        val deadline =
          case timeout of
            SOME t => if limit > 0 then TimePrim'.deadline t else limit
          | NONE => limit
        fun loop () =
          case look descs of
            {ready = [], waits, again} =>
              if limit = 0 orelse deadline > 0 andalso monotonic () >= deadline then []
              else
                let
                  val next = monotonic () + pause
                in
                  ! awaits' (waits,
                             if again andalso (deadline < 0 orelse next < deadline) then next
                             else deadline);
                  loop ()
                end
          | {ready, ...} => ready
      in
        loop ()
      end
  end
  fun isFor bit (_, _, ready) = has (bit, ready)
  val isIn = isFor PollEvent'.input
  val isPri = isFor PollEvent'.urgent
  val isOut = isFor PollEvent'.output
  fun infoToPollDesc (fd, events, _) = (fd, events)
end

(* The specification does not say that a status admits equality; that of OS does, as in SML/NJ. *)
structure OS :> sig
  include OS
  eqtype status
  sharing type Process.status = status
end =
struct
  open Error'
  structure FileSys = FileSys'
  structure IO = OSIO'
  structure Path = OSPath'
  structure Process = Process'
  type status = Process.status
end

(* The system's numbers behind the types of OS. For the library. *)
structure OSPrim' =
struct
  val ofIodesc = PrimWords'.bits : OS.IO.iodesc -> int
  val toIodesc = PrimWords'.bits : int -> OS.IO.iodesc
  val ofSyserror = PrimWords'.bits : OS.syserror -> int
  val toSyserror = PrimWords'.bits : int -> OS.syserror
  val ofStatus = PrimWords'.bits : OS.Process.status -> int
  val toStatus = PrimWords'.bits : int -> OS.Process.status
end
