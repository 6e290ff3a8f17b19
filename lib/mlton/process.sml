(* MLton.Process: other programs, with any descriptors, files or pipes as their standard streams. *)

signature MLTON_PROCESS =
sig
  type pid = Posix.Process.pid

  (* Starts the program, with this one's standard streams and environment. The arguments begin with the program's name
     for itself. Raises SysErr if it cannot be started. *)
  val spawn : {path : string, args : string list} -> pid
  (* likewise, with this environment: a list of NAME=VALUE *)
  val spawne : {path : string, args : string list, env : string list} -> pid
  (* looks for the program along PATH *)
  val spawnp : {file : string, args : string list} -> pid

  type ('stdin, 'stdout, 'stderr) t
  type input
  type output
  type none
  type chain
  type any

  (* the stream of a parameter that was forgotten and is no pipe *)
  exception MisuseOfForget
  (* a pipe that was used in two ways, or given to two processes *)
  exception DoublyRedirected

  structure Child :
  sig
    type ('use, 'dir) t
    (* A stream to read the pipe, each time the same one. Raises DoublyRedirected if the pipe was used in another way,
       or the process reaped before; MisuseOfForget if there is no pipe. *)
    val binIn : (BinIO.instream, input) t -> BinIO.instream
    (* a stream to write the pipe; likewise *)
    val binOut : (BinIO.outstream, output) t -> BinIO.outstream
    (* the pipe's descriptor, which `reap` closes if it is open still; likewise *)
    val fd : (Posix.FileSys.file_desc, 'dir) t -> Posix.FileSys.file_desc
    (* the same pipe, with the use that was forgotten *)
    val remember : (any, 'dir) t -> ('use, 'dir) t
    (* a stream to read the pipe; as binIn *)
    val textIn : (TextIO.instream, input) t -> TextIO.instream
    (* a stream to write the pipe; as binIn *)
    val textOut : (TextIO.outstream, output) t -> TextIO.outstream
  end

  structure Param :
  sig
    type ('use, 'dir) t
    (* The pipe of another process: that writes what the new one reads, or the other way round. `create` closes it here,
       also when it fails. Raises DoublyRedirected if it was used before, MisuseOfForget if it is none. *)
    val child : (chain, 'dir) Child.t -> (none, 'dir) t
    (* An open descriptor. `create` closes it here, also when it fails; but 0, 1 and 2 stay open. *)
    val fd : Posix.FileSys.file_desc -> (none, 'dir) t
    (* A file: read as an input, as an output made anew or emptied first. *)
    val file : string -> (none, 'dir) t
    (* the same, for values of one type that are used in different ways *)
    val forget : ('use, 'dir) t -> (any, 'dir) t
    (* /dev/null: nothing to read, and what is written is lost *)
    val null : (none, 'dir) t
    (* a new pipe, whose other end getStdin, getStdout or getStderr gives *)
    val pipe : ('use, 'dir) t
    (* the stream of this program *)
    val self : (none, 'dir) t
  end

  (* Starts the program, whose name for itself is the path. The arguments begin with the first that is not that name.
     Raises SysErr if it cannot be started, or a file cannot be opened; DoublyRedirected if a `Param.child` was used
     before, or its process reaped. *)
  val create :
    {path : string,
     args : string list,
     env : string list option,
     stdin : ('stdin, input) Param.t,
     stdout : ('stdout, output) Param.t,
     stderr : ('stderr, output) Param.t}
    -> ('stdin, 'stdout, 'stderr) t
  (* our end of the pipe to its standard input; MisuseOfForget when it is used and there is none *)
  val getStdin : ('stdin, 'stdout, 'stderr) t -> ('stdin, output) Child.t
  (* our end of the pipe from its standard output; MisuseOfForget when it is used and there is none *)
  val getStdout : ('stdin, 'stdout, 'stderr) t -> ('stdout, input) Child.t
  (* our end of the pipe from its standard error; MisuseOfForget when it is used and there is none *)
  val getStderr : ('stdin, 'stdout, 'stderr) t -> ('stderr, input) Child.t
  (* Sends it the signal, and reaps it: so this waits for its end. Does nothing once it was reaped. Raises SysErr. *)
  val kill : ('stdin, 'stdout, 'stderr) t * Posix.Signal.signal -> unit
  (* Closes the pipes and waits for the end. What is left in a stream and cannot be written, since the program does not
     read it, is lost. *)
  val reap : ('stdin, 'stdout, 'stderr) t -> Posix.Process.exit_status
end

structure MLtonProcess' :> MLTON_PROCESS =
struct
  type pid = Posix.Process.pid
  type input = unit
  type output = unit
  type none = unit
  type chain = unit
  type any = unit
  exception MisuseOfForget
  exception DoublyRedirected

  val fdToInt = SysWord.toInt o Posix.FileSys.fdToWord
  val intToFd = Posix.FileSys.wordToFD o SysWord.fromInt
  val close = PrimFiles'.file_close
  val start = PrimProcesses'.process_spawn

  fun started (name, args, env, search, fds) =
    let
      val (env, flags) = case env of SOME env => (Nul'.join env, 2) | NONE => ("", 0)
      val pid =
        start (name, Nul'.join args, env, flags + (if search then 1 else 0), Array.fromList fds)
    in
      Error'.check pid
    end
  val ours = [~1, ~1, ~1]
  val spawned = Posix.Process.wordToPid o SysWord.fromInt o started
  fun spawn {path, args} = spawned (path, args, NONE, false, ours)
  fun spawne {path, args, env} = spawned (path, args, SOME env, false, ours)
  fun spawnp {file, args} = spawned (file, args, NONE, true, ours)

  structure Child =
  struct
    (* what was made of the pipe *)
    datatype made =
        TextIn of TextIO.instream
      | TextOut of TextIO.outstream
      | BinIn of BinIO.instream
      | BinOut of BinIO.outstream
      | Number
    (* `shut` closes what was made of it, or the descriptor; NONE when somebody else does, or has. *)
    datatype state =
        NoPipe
      | Pipe of
          {fd : int, used : bool ref, made : made option ref, shut : (unit -> unit) option ref}
    type ('use, 'dir) t = state
    fun new fd =
      Pipe {fd = fd,
            used = ref false,
            made = ref NONE,
            shut = ref (SOME (fn () => ignore (close fd)))}
    (* of all of them, for a few instructions; f does not raise *)
    val lock = Lock'.new ()
    fun alone f =
      let
        val () = Lock'.take lock
        val x = f ()
      in
        Lock'.release lock;
        x
      end
    (* Behind it the number may be somebody else's: no stream is made of it any more, and nobody closes it again. *)
    fun shut NoPipe = ()
      | shut (Pipe {used, shut, ...}) =
          Option.app (fn act => act ()) (alone (fn () => (used := true; !shut before shut := NONE)))
    fun isOpen NoPipe = false
      | isOpen (Pipe {shut, ...}) = alone (fn () => Option.isSome (!shut))
    (* From here on it is this use's. *)
    fun claim NoPipe = raise MisuseOfForget
      | claim (Pipe {used, ...}) =
          if alone (fn () => !used before used := true) then raise DoublyRedirected else ()
    (* The descriptor of one that was claimed, which is closed by whom it is given to. *)
    fun give NoPipe = raise MisuseOfForget
      | give (Pipe {fd, shut, ...}) =
          if alone (fn () => Option.isSome (!shut) before shut := NONE) then fd
          else raise DoublyRedirected
    fun number NoPipe = ~1
      | number (Pipe {fd, ...}) = fd

    (* What is made of a pipe is made once; `known` finds it again. Threads that ask at a time get one stream: two would
       each have a part of what comes. `make` also gives what closes it. *)
    val making = StreamLock'.plain "of a process, which is being made"
    fun once _ NoPipe = raise MisuseOfForget
      | once {known, make} (s as Pipe {fd, made, shut, ...}) =
          let
            fun seen () = Option.mapPartial known (!made)
            fun first () =
              let
                val () = claim s
                val (x, closed) = make fd
                fun keep () =
                  Option.isSome (!shut) andalso (shut := SOME closed; made := SOME x; true)
              in
                if alone keep then valOf (known x) else raise DoublyRedirected
              end
            fun again () = case seen () of SOME x => x | NONE => first ()
          in
            case seen () of SOME x => x | NONE => StreamLock'.alone making again
          end
    (* What cannot be written when the stream is shut is dropped: from then on `isGone`, and the writer takes it for
       written, so that the stream can be closed. *)
    fun stream {known, from, make, finish} =
      once {known = known,
            make =
              fn fd =>
                let
                  val isGone = ref false
                  val stream = make (fd, isGone)
                in
                  (from stream,
                   fn () =>
                     finish stream handle _ => (isGone := true; finish stream handle _ => ()))
                end}

    val name = "<process>"
    fun writer writerUntil (fd, isGone) = writerUntil isGone (name, fd)
    fun textIn s =
      stream
        {known = fn TextIn x => SOME x | _ => NONE,
         from = TextIn,
         make =
           fn (fd, _) =>
             TextIO.mkInstream (TextIO.StreamIO.mkInstream (TextFile'.reader (name, fd), "")),
         finish = TextIO.closeIn}
        s
    fun textOut s =
      stream
        {known = fn TextOut x => SOME x | _ => NONE,
         from = TextOut,
         make =
           fn to =>
             TextIO.mkOutstream
               (TextIO.StreamIO.mkOutstream (writer TextFile'.writerUntil to, IO.BLOCK_BUF)),
         finish = TextIO.closeOut}
        s
    fun binIn s =
      stream
        {known = fn BinIn x => SOME x | _ => NONE,
         from = BinIn,
         make =
           fn (fd, _) =>
             BinIO.mkInstream
               (BinIO.StreamIO.mkInstream (BinFile'.reader (name, fd), Word8Vector.fromList [])),
         finish = BinIO.closeIn}
        s
    fun binOut s =
      stream
        {known = fn BinOut x => SOME x | _ => NONE,
         from = BinOut,
         make =
           fn to =>
             BinIO.mkOutstream
               (BinIO.StreamIO.mkOutstream (writer BinFile'.writerUntil to, IO.BLOCK_BUF)),
         finish = BinIO.closeOut}
        s
    (* The program may have closed it, and the number may be somebody else's by then: another file has another place. *)
    fun fd s =
      let
        fun place d =
          let
            val st = Posix.FileSys.fstat d
          in
            (Posix.FileSys.ST.dev st, Posix.FileSys.ST.ino st)
          end
        fun make fd =
          let
            val at = place (intToFd fd)
            fun closed () =
              if place (intToFd fd) = at handle OS.SysErr _ => false then ignore (close fd) else ()
          in
            (Number, closed)
          end
      in
        once {known = fn Number => SOME () | _ => NONE, make = make} s;
        (* behind `reap` it may be somebody else's *)
        if isOpen s then intToFd (number s) else raise DoublyRedirected
      end
    fun remember s = s
  end

  structure Param =
  struct
    datatype ('use, 'dir) t = Self | Fd of int | Own of Child.state | File of string | Pipe
    val self = Self
    val pipe = Pipe
    val null = File "/dev/null"
    val file = File
    fun fd d = Fd (fdToInt d)
    fun child c = (Child.claim c; Own c)
    fun forget Self = Self
      | forget (Fd d) = Fd d
      | forget (Own c) = Own c
      | forget (File f) = File f
      | forget Pipe = Pipe

    (* The child's descriptor, whether it is to be closed here, and our end. `given`: the pipes of other processes that
       this one has already, since a pipe may be both outputs. *)
    fun opened (param, isInput, given) =
      case param of
        Self => (~1, false, Child.NoPipe)
      | Fd d => (d, false, Child.NoPipe) (* `create` closes it *)
      | Own c =>
          let
            val isFirst = not (List.exists (fn other => other = c) (!given))
          in
            given := c :: !given;
            (if isFirst then Child.give c else Child.number c, isFirst, Child.NoPipe)
          end
      | File f =>
          let
            open Posix.FileSys
            val d =
              if isInput then openf (f, O_RDONLY, O.flags [])
              else
                createf (f,
                         O_WRONLY,
                         O.flags [O.trunc],
                         S.flags [S.irusr, S.iwusr, S.irgrp, S.iwgrp, S.iroth, S.iwoth])
          in
            (fdToInt d, true, Child.NoPipe)
          end
      | Pipe =>
          let
            (* our end stays ours: the child would never see the end of its input *)
            val {infd, outfd} = Posix'.IO.ownPipe ()
            val (theirs, mine) = if isInput then (infd, outfd) else (outfd, infd)
          in
            (theirs, true, Child.new mine)
          end

    (* of a process that is not started *)
    fun drop (Own c) = Child.shut c
      | drop _ = ()
    (* The descriptors that `create` closes: the same one may be given twice. *)
    fun addFd (Fd d, l) =
          if d <= 2 orelse List.exists (fn other => other = d) l then l else d :: l
      | addFd (_, l) = l
  end

  type ('stdin, 'stdout, 'stderr) t =
    {process : Child'.child, stdin : Child.state, stdout : Child.state, stderr : Child.state}

  fun create {path, args, env, stdin, stdout, stderr} =
    let
      (* those of the parameters that are open so far *)
      val begun = ref []
      val given = ref []
      val fds = Param.addFd (stdin, Param.addFd (stdout, Param.addFd (stderr, [])))
      fun opened (param, isInput) =
        let
          val one as (fd, _, child) = Param.opened (param, isInput, given)
        in
          begun := one :: !begun;
          (fd, child)
        end
      fun finish () =
        (List.app (fn (fd, true, _) => ignore (close fd) | _ => ()) (!begun);
         List.app (ignore o close) fds)
      fun undo () =
        (finish ();
         List.app (fn (_, _, child) => Child.shut child) (!begun);
         Param.drop stdin;
         Param.drop stdout;
         Param.drop stderr)
      fun start () =
        let
          val (fd0, stdin) = opened (stdin, true)
          val (fd1, stdout) = opened (stdout, false)
          val (fd2, stderr) = opened (stderr, false)
        in
          {process = Child'.new (started (path, path :: args, env, false, [fd0, fd1, fd2])),
           stdin = stdin,
           stdout = stdout,
           stderr = stderr}
        end
      val process = start () handle e => (undo (); raise e)
    in
      finish ();
      process
    end
  fun getStdin (p : ('stdin, 'stdout, 'stderr) t) = #stdin p
  fun getStdout (p : ('stdin, 'stdout, 'stderr) t) = #stdout p
  fun getStderr (p : ('stdin, 'stdout, 'stderr) t) = #stderr p
  fun reap ({process, stdin, stdout, stderr} : ('stdin, 'stdout, 'stderr) t) =
    (if Child'.isReaped process then () else List.app Child.shut [stdin, stdout, stderr];
     Posix.Process.fromStatus (OSPrim'.toStatus (Process'.ofWait (Child'.reap process))))
  fun kill (p as {process, ...} : ('stdin, 'stdout, 'stderr) t, signal) =
    case Child'.kill (process, SysWord.toIntX (Posix.Signal.toWord signal)) of
      SOME result => (Error'.done result; ignore (reap p))
    | NONE => ()
end
