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
  (* a pipe to a child that was used twice *)
  exception DoublyRedirected

  structure Child :
  sig
    type ('use, 'dir) t
    (* a stream to read the pipe; raises DoublyRedirected if the pipe was used before, MisuseOfForget if there is
       none *)
    val binIn : (BinIO.instream, input) t -> BinIO.instream
    (* a stream to write the pipe; raises likewise *)
    val binOut : (BinIO.outstream, output) t -> BinIO.outstream
    (* the pipe's descriptor, for the caller to close; raises likewise *)
    val fd : (Posix.FileSys.file_desc, 'dir) t -> Posix.FileSys.file_desc
    (* the same pipe, with the use that was forgotten *)
    val remember : (any, 'dir) t -> ('use, 'dir) t
    (* a stream to read the pipe; raises as binIn *)
    val textIn : (TextIO.instream, input) t -> TextIO.instream
    (* a stream to write the pipe; raises as binIn *)
    val textOut : (TextIO.outstream, output) t -> TextIO.outstream
  end

  structure Param :
  sig
    type ('use, 'dir) t
    (* The pipe of another process: that writes what the new one reads, or the other way round. It is closed here.
       Raises DoublyRedirected if it was used before, MisuseOfForget if it is none. *)
    val child : (chain, 'dir) Child.t -> (none, 'dir) t
    (* an open descriptor, which stays open here *)
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

  (* the arguments begin with the first that is not the program's name *)
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
  (* Sends it the signal; `reap` is still to be called. Does nothing once it was reaped. Raises SysErr. *)
  val kill : ('stdin, 'stdout, 'stderr) t * Posix.Signal.signal -> unit
  (* closes the pipes and waits for the end *)
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
      if pid < 0 then Error'.fail (~ pid) else Posix.Process.wordToPid (SysWord.fromInt pid)
    end
  val ours = [~1, ~1, ~1]
  fun spawn {path, args} = started (path, args, NONE, false, ours)
  fun spawne {path, args, env} = started (path, args, SOME env, false, ours)
  fun spawnp {file, args} = started (file, args, NONE, true, ours)

  structure Child =
  struct
    (* `shut` closes the stream that was made of it, or the descriptor *)
    datatype state = NoPipe | Pipe of {fd : int, used : bool ref, shut : (unit -> unit) ref}
    type ('use, 'dir) t = state
    fun new fd = Pipe {fd = fd, used = ref false, shut = ref (fn () => ignore (close fd))}
    (* of all of them, for a few instructions *)
    val lock = Lock'.new ()
    (* Behind it the number may be somebody else's: no stream is made of it any more, and nobody closes it again. *)
    fun shut NoPipe = ()
      | shut (Pipe {used, shut, ...}) =
          let
            val () = Lock'.take lock
            val act = !shut
          in
            used := true;
            shut := ignore;
            Lock'.release lock;
            act ()
          end
    (* keeps the end open for whom it was given to *)
    fun take NoPipe = raise MisuseOfForget
      | take (Pipe {fd, used, shut}) =
          let
            val () = Lock'.take lock
            val isFirst = not (!used)
            val () = if isFirst then (used := true; shut := ignore) else ()
          in
            Lock'.release lock;
            if isFirst then fd else raise DoublyRedirected
          end
    fun stream (make, finish) s =
      let
        val fd = take s
        val stream = make fd
      in
        (case s of Pipe {shut, ...} => shut := (fn () => finish stream) | NoPipe => ());
        stream
      end

    val name = "<process>"
    fun textIn s =
      stream
        (fn fd => TextIO.mkInstream (TextIO.StreamIO.mkInstream (TextFile'.reader (name, fd), "")),
         TextIO.closeIn)
        s
    fun textOut s =
      stream
        (fn fd =>
           TextIO.mkOutstream
             (TextIO.StreamIO.mkOutstream (TextFile'.writer (name, fd), IO.BLOCK_BUF)),
         TextIO.closeOut)
        s
    fun binIn s =
      stream
        (fn fd =>
           BinIO.mkInstream
             (BinIO.StreamIO.mkInstream (BinFile'.reader (name, fd), Word8Vector.fromList [])),
         BinIO.closeIn)
        s
    fun binOut s =
      stream
        (fn fd =>
           BinIO.mkOutstream
             (BinIO.StreamIO.mkOutstream (BinFile'.writer (name, fd), IO.BLOCK_BUF)),
         BinIO.closeOut)
        s
    fun fd s = intToFd (take s)
    fun remember s = s
  end

  structure Param =
  struct
    datatype ('use, 'dir) t = Self | Fd of int | Own of int | File of string | Pipe
    val self = Self
    val pipe = Pipe
    val null = File "/dev/null"
    val file = File
    fun fd d = Fd (fdToInt d)
    fun child c = Own (Child.take c)
    fun forget Self = Self
      | forget (Fd d) = Fd d
      | forget (Own d) = Own d
      | forget (File f) = File f
      | forget Pipe = Pipe

    (* the child's descriptor, whether it is to be closed here, and our end *)
    fun opened (param, isInput) =
      case param of
        Self => (~1, false, Child.NoPipe)
      | Fd d => (d, false, Child.NoPipe)
      | Own d => (d, true, Child.NoPipe)
      | File f =>
          let
            open Posix.FileSys
            val d =
              if isInput then openf (f, O_RDONLY, O.flags [])
              else
                createf
                  (f, O_WRONLY, O.flags [O.trunc], S.flags [S.irusr, S.iwusr, S.irgrp, S.iroth])
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
  end

  type ('stdin, 'stdout, 'stderr) t =
    {pid : pid,
     stdin : Child.state,
     stdout : Child.state,
     stderr : Child.state,
     status : Posix.Process.exit_status option ref,
     (* who reaps it: the system tells the status once *)
     reaping : StreamLock'.lock}

  fun create {path, args, env, stdin, stdout, stderr} =
    let
      fun undo l =
        List.app
          (fn (d, isOurs, child) => (if isOurs then ignore (close d) else (); Child.shut child))
          l
      val p0 as (fd0, close0, child0) = Param.opened (stdin, true)
      val p1 as (fd1, close1, child1) =
        Param.opened (stdout, false) handle e => (undo [p0]; raise e)
      val (fd2, close2, child2) =
        Param.opened (stderr, false) handle e => (undo [p0, p1]; raise e)
      fun finish () =
        List.app
          (fn (d, true) => ignore (close d) | _ => ())
          [(fd0, close0), (fd1, close1), (fd2, close2)]
      val pid =
        started (path, OS.Path.file path :: args, env, false, [fd0, fd1, fd2])
        handle e => (finish (); List.app Child.shut [child0, child1, child2]; raise e)
    in
      finish ();
      {pid = pid,
       stdin = child0,
       stdout = child1,
       stderr = child2,
       status = ref NONE,
       reaping = StreamLock'.plain "of a process, for its end"}
    end
  fun getStdin (p : ('stdin, 'stdout, 'stderr) t) = #stdin p
  fun getStdout (p : ('stdin, 'stdout, 'stderr) t) = #stdout p
  fun getStderr (p : ('stdin, 'stdout, 'stderr) t) = #stderr p
  fun kill ({pid, status, ...} : ('stdin, 'stdout, 'stderr) t, signal) =
    case !status of
      NONE => Posix.Process.kill (Posix.Process.K_PROC pid, signal)
    | SOME _ => ()
  fun reap ({pid, status, stdin, stdout, stderr, reaping} : ('stdin, 'stdout, 'stderr) t) =
    let
      fun reaped () =
        case !status of
          SOME s => s
        | NONE =>
            let
              val (_, s) = Posix.Process.waitpid (Posix.Process.W_CHILD pid, [])
            in
              status := SOME s;
              s
            end
    in
      case !status of
        SOME s => s
      | NONE =>
          (List.app Child.shut [stdin, stdout, stderr];
           StreamLock'.alone reaping reaped)
    end
end
