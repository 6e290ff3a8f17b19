(* Unix: other programs, run with pipes to their standard input and from their standard output. *)

signature UNIX =
sig
  (* a program, and what its pipes are read and written as *)
  type ('a, 'b) proc
  type signal
  datatype exit_status =
      W_EXITED
    | W_EXITSTATUS of Word8.word
    | W_SIGNALED of signal
    | W_STOPPED of signal

  (* How a program ended: by itself, with which status, or by which signal. *)
  val fromStatus : OS.Process.status -> exit_status
  (* Starts a program with these arguments and this environment, strings of the form `NAME=value`. Its standard input
     and output are pipes. Raises OS.SysErr when it cannot be started. *)
  val executeInEnv : string * string list * string list -> ('a, 'b) proc
  (* As `executeInEnv`, with the environment of this program. *)
  val execute : string * string list -> ('a, 'b) proc
  (* What the program writes, as a stream of text. *)
  val textInstreamOf : (TextIO.instream, 'a) proc -> TextIO.instream
  (* What the program writes, as a stream of bytes. *)
  val binInstreamOf : (BinIO.instream, 'a) proc -> BinIO.instream
  (* What the program reads, as a stream of text. *)
  val textOutstreamOf : ('a, TextIO.outstream) proc -> TextIO.outstream
  (* What the program reads, as a stream of bytes. *)
  val binOutstreamOf : ('a, BinIO.outstream) proc -> BinIO.outstream
  (* Both: what the program writes, and what it reads, as streams of text. *)
  val streamsOf : (TextIO.instream, TextIO.outstream) proc -> TextIO.instream * TextIO.outstream
  (* Closes the pipes and blocks the thread until the program has ended; gives its status. Again, it gives the same
     one. *)
  val reap : ('a, 'b) proc -> OS.Process.status
  (* Sends the program a signal. *)
  val kill : ('a, 'b) proc * signal -> unit
  (* Ends this program with that status, as `OS.Process.exit` does. *)
  val exit : Word8.word -> 'a
end

signature CML_UNIX =
sig
  include UNIX
  (* happens when the program has ended; closes the pipes at the synchronisation *)
  val reapEvt : ('a, 'b) proc -> OS.Process.status CML.event
end

structure Unix :> CML_UNIX
  where type signal = Posix.Signal.signal
  where type exit_status = Posix.Process.exit_status =
struct
  type signal = Posix.Signal.signal
  datatype exit_status = datatype Posix.Process.exit_status
  val fromStatus = Posix.Process.fromStatus

  (* The stream of each end is made when it is first asked for. An end that was closed before is below 0: its number
     may be somebody else's by then. *)
  type ('a, 'b) proc =
    {name : string,
     child : Child'.child,
     infd : int ref,
     outfd : int ref,
     closeIn : (unit -> unit) ref,
     closeOut : (unit -> unit) ref,
     textIn : TextIO.instream option ref,
     textOut : TextIO.outstream option ref,
     binIn : BinIO.instream option ref,
     binOut : BinIO.outstream option ref}

  local
    val spawn = PrimProcesses'.process_spawn
    val close = PrimFiles'.file_close
    (* Once: `reap` may be cancelled, and called again, when somebody else has the number. *)
    fun closing cell () =
      let val fd = !cell in cell := ~1; if fd >= 0 then ignore (close fd) else () end
    fun start (name, args, env, flags) =
      let
        (* before there are pipes: it raises OS.SysErr for a NUL in an argument *)
        val args = Nul'.join (OS.Path.file name :: args)
        val {infd = childIn, outfd} = Posix'.IO.ownPipe ()
        val {infd, outfd = childOut} =
          Posix'.IO.ownPipe () handle e => (ignore (close childIn); ignore (close outfd); raise e)
        val pid =
          spawn (name,
                 args,
                 env,
                 flags,
                 Array.fromList [childIn, childOut, ~1])
      in
        ignore (close childIn);
        ignore (close childOut);
        if pid < 0 then (ignore (close infd); ignore (close outfd); Error'.fail (~ pid))
        else
          let
            val infd = ref infd
            val outfd = ref outfd
          in
            {name = name,
             child = Child'.new pid,
             infd = infd,
             outfd = outfd,
             closeIn = ref (closing infd),
             closeOut = ref (closing outfd),
             textIn = ref NONE,
             textOut = ref NONE,
             binIn = ref NONE,
             binOut = ref NONE}
          end
      end
  in
    fun executeInEnv (name, args, env) = start (name, args, Nul'.join env, 2)
    fun execute (name, args) = start (name, args, "", 0)
  end

  (* The stream of an end, made when it is first asked for: from here on it is what closes the end. One over nothing, and
     closed, where the end is closed. What cannot be written is dropped when the process is reaped: from then on `isGone`,
     and the writer takes it for written, so that the stream can be closed. Threads that ask at a time get one stream: two
     would each have a part of what comes. *)
  val making = StreamLock'.plain "of a process, which is being made"
  fun stream {cell, fd, closing, opened, nothing, make, close} =
    let
      fun made () =
        case !cell of
          SOME s => s
        | NONE =>
            let
              val isOpen = !fd >= 0
              val isGone = ref false
              val s = make (if isOpen then opened (!fd, isGone) else nothing ())
              fun closed () = close s handle _ => (isGone := true; close s)
            in
              if isOpen then closing := closed else close s;
              cell := SOME s;
              s
            end
    in
      case !cell of
        SOME s => s
      | NONE => StreamLock'.alone making made
    end
  fun textInstreamOf ({name, infd, textIn, closeIn, ...} : (TextIO.instream, 'a) proc) =
    stream {cell = textIn,
            fd = infd,
            closing = closeIn,
            opened = fn (fd, _) => TextFile'.reader (name, fd),
            nothing = TextPrimIO.nullRd,
            make = fn reader => TextIO.mkInstream (TextIO.StreamIO.mkInstream (reader, "")),
            close = TextIO.closeIn}
  fun binInstreamOf ({name, infd, binIn, closeIn, ...} : (BinIO.instream, 'a) proc) =
    stream {cell = binIn,
            fd = infd,
            closing = closeIn,
            opened = fn (fd, _) => BinFile'.reader (name, fd),
            nothing = BinPrimIO.nullRd,
            make =
              fn reader =>
                BinIO.mkInstream (BinIO.StreamIO.mkInstream (reader, Word8Vector.fromList [])),
            close = BinIO.closeIn}
  fun textOutstreamOf ({name, outfd, textOut, closeOut, ...} : ('a, TextIO.outstream) proc) =
    stream {cell = textOut,
            fd = outfd,
            closing = closeOut,
            opened = fn (fd, isGone) => TextFile'.writerUntil isGone (name, fd),
            nothing = TextPrimIO.nullWr,
            make =
              fn writer =>
                TextIO.mkOutstream (TextIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF)),
            close = TextIO.closeOut}
  fun binOutstreamOf ({name, outfd, binOut, closeOut, ...} : ('a, BinIO.outstream) proc) =
    stream {cell = binOut,
            fd = outfd,
            closing = closeOut,
            opened = fn (fd, isGone) => BinFile'.writerUntil isGone (name, fd),
            nothing = BinPrimIO.nullWr,
            make =
              fn writer => BinIO.mkOutstream (BinIO.StreamIO.mkOutstream (writer, IO.BLOCK_BUF)),
            close = BinIO.closeOut}
  fun streamsOf p = (textInstreamOf p, textOutstreamOf p)

  local
    val toStatus = OSPrim'.toStatus o Process'.ofWait
    (* Of one that was reaped the streams are the program's. *)
    fun shut ({child, closeIn, closeOut, ...} : ('a, 'b) proc) =
      if Child'.isReaped child then ()
      else
        (! closeOut () handle _ => ();
         ! closeIn () handle _ => ())
  in
    fun reap (p as {child, ...} : ('a, 'b) proc) =
      (shut p; toStatus (Child'.reap child))
    fun reapEvt (p as {child, ...} : ('a, 'b) proc) =
      Event'.guard (fn () =>
        (shut p; Event'.wrap (IoEvent'.ended child, fn () => reap p)))
  end
  fun kill ({child, ...} : ('a, 'b) proc, signal) =
    case Child'.kill (child, Word.toIntX (Posix.Signal.toWord signal)) of
      SOME result => Error'.done result
    | NONE => Error'.fail ErrorNumber'.srch
  fun exit status = OS.Process.exit (OSPrim'.toStatus (Word8.toInt status))
end
