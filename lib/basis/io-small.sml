(* The simplest of TextIO. *)

val print = _prim "print" : string -> unit

signature TEXT_IO =
sig
  type instream
  type outstream

  val stdOut : outstream
  val stdErr : outstream
  val stdIn : instream
  (* raise Io when the file cannot be had *)
  val openIn : string -> instream
  val openOut : string -> outstream
  val openAppend : string -> outstream
  val inputAll : instream -> string
  val input : instream -> string
  val input1 : instream -> char option
  val inputN : instream * int -> string
  val inputLine : instream -> string option
  val endOfStream : instream -> bool
  val closeIn : instream -> unit
  val output : outstream * string -> unit
  val output1 : outstream * char -> unit
  val outputSubstr : outstream * substring -> unit
  val flushOut : outstream -> unit
  val closeOut : outstream -> unit
  val print : string -> unit
end

structure IO =
struct
  exception Io of {name : string, function : string, cause : exn}
  exception ClosedStream
end

structure TextIO :> TEXT_IO =
struct
  open IO
  val openFile = _prim "file_open" : string * int -> int
  val readFile = _prim "file_read" : int * char array * int * int -> int
  val writeFile = _prim "file_write" : int * string * int * int -> int
  val closeFile = _prim "file_close" : int -> int
  val fileSize = _prim "file_size" : int -> int
  val flush = _prim "flush_out" : unit -> unit
  val printErr = _prim "print_err" : string -> unit
  val freeze = _prim "cast" : char array -> string
  val extract = _prim "string_extract_unsafe" : string * int * int -> string
  val charAt = _prim "string_sub_unsafe" : string * int -> char
  val newBuffer = _prim "array_new_uninit" : int -> char array

  fun fail (name, function, error) =
    raise Io {name = name, function = function, cause = OS.SysErr (Error'.errorMsg (~ error), SOME (OSPrim'.toSyserror (~ error)))}
  fun check (name, function, result) = if result < 0 then fail (name, function, result) else result

  (* text that was read and not yet taken: characters next to stop of buffer *)
  type instream =
    {name : string, fd : int, buffer : string ref, next : int ref, stop : int ref, ended : bool ref, closed : bool ref}

  fun instream (name, fd) : instream =
    {name = name, fd = fd, buffer = ref "", next = ref 0, stop = ref 0, ended = ref false, closed = ref false}

  val stdIn = instream ("<stdin>", 0)
  fun openIn name = instream (name, check (name, "openIn", openFile (name, 0)))

  (* at least one character in the buffer, or false at the end *)
  fun fill ({name, fd, buffer, next, stop, ended, closed} : instream) =
    if !next < !stop then true
    else if !closed orelse !ended then false
    else
      let
        val fresh = newBuffer 65536
        val n = check (name, "input", readFile (fd, fresh, 0, 65536))
      in
        buffer := freeze fresh;
        next := 0;
        stop := n;
        n > 0
      end

  fun input (s as {buffer, next, stop, ...} : instream) =
    if fill s then
      let val text = extract (!buffer, !next, !stop - !next) in next := !stop; text end
    else ""

  fun input1 (s as {buffer, next, ...} : instream) =
    if fill s then
      let val c = charAt (!buffer, !next) in next := !next + 1; SOME c end
    else NONE

  fun endOfStream s = not (fill s)

  fun inputN (s, n) =
    if n < 0 then raise Size
    else
      let
        fun go (0, parts) = parts
          | go (n, parts) =
              if fill s then
                let
                  val {buffer, next, stop, ...} = s
                  val k = Int.min (n, !stop - !next)
                  val part = extract (!buffer, !next, k)
                in
                  next := !next + k;
                  go (n - k, part :: parts)
                end
              else parts
      in
        concat (rev (go (n, [])))
      end

  fun inputLine s =
    let
      fun go parts =
        if fill s then
          let
            val {buffer, next, stop, ...} = s
            val text = !buffer
            val last = !stop
            fun newline i = if i = last then i else if charAt (text, i) = #"\n" then i + 1 else newline (i + 1)
            val start = !next
            val behind = newline start
            val part = extract (text, start, behind - start)
          in
            next := behind;
            if charAt (text, behind - 1) = #"\n" then SOME (concat (rev (part :: parts))) else go (part :: parts)
          end
        else if null parts then NONE
        else SOME (concat (rev ("\n" :: parts)))
    in
      go []
    end

  (* A file is read in one piece as large as it says it is; a pipe in pieces. *)
  fun inputAll (s as {name, fd, ended, closed, ...} : instream) =
    let
      val here = if (let val {next, stop, ...} = s in !next < !stop end) then input s else ""
      fun read (buffer, at, size) =
        if at = size then (buffer, at, size)
        else
          let val n = check (name, "inputAll", readFile (fd, buffer, at, size - at))
          in if n = 0 then (ended := true; (buffer, at, size)) else read (buffer, at + n, size) end
      fun pieces (parts, size) =
        if !ended then parts
        else
          let
            val (buffer, n, _) = read (newBuffer size, 0, size)
            val text = freeze buffer
          in
            pieces ((if n = size then text else extract (text, 0, n)) :: parts, 65536)
          end
      val known = fileSize fd
    in
      if !closed orelse !ended then here
      else
        let val parts = rev (pieces ([], if known > 0 then known else 65536))
        in
          ended := false;
          case parts of
            [text] => if size here = 0 then text else here ^ text
          | [text, ""] => if size here = 0 then text else here ^ text
          | _ => concat (here :: parts)
        end
    end

  fun closeIn ({fd, closed, ...} : instream) =
    if !closed then () else (closed := true; ignore (closeFile fd))

  datatype device = Out | Err | File of int
  type outstream = {name : string, device : device, buffer : string list ref, held : int ref, closed : bool ref}

  fun outstream (name, device) : outstream =
    {name = name, device = device, buffer = ref [], held = ref 0, closed = ref false}
  val stdOut = outstream ("<stdout>", Out)
  val stdErr = outstream ("<stderr>", Err)

  fun writeAll (name, fd, text) =
    let
      val n = size text
      fun go at =
        if at = n then () else go (at + check (name, "output", writeFile (fd, text, at, n - at)))
    in
      go 0
    end

  fun flushOut ({name, device, buffer, held, ...} : outstream) =
    case device of
      Out => flush ()
    | Err => ()
    | File fd =>
        let val text = concat (rev (!buffer))
        in
          buffer := [];
          held := 0;
          writeAll (name, fd, text)
        end

  fun closeOut (s as {device, closed, ...} : outstream) =
    if !closed then ()
    else
      (flushOut s;
       closed := true;
       case device of
         File fd => ignore (closeFile fd)
       | _ => ())

  fun openTo (function, flags) name =
    let val s = outstream (name, File (check (name, function, openFile (name, flags))))
    in OS.Process.atExit (fn () => closeOut s); s end
  val openOut = openTo ("openOut", 1)
  val openAppend = openTo ("openAppend", 2)

  fun output (s as {name, device, buffer, held, closed} : outstream, text) =
    if !closed then raise Io {name = name, function = "output", cause = ClosedStream}
    else
      case device of
        Out => print text
      | Err => printErr text
      | File _ =>
          (buffer := text :: !buffer;
           held := !held + size text;
           if !held > 65536 then flushOut s else ())
  fun output1 (s, c) = output (s, str c)
  fun outputSubstr (s, part) = output (s, Substring.string part)
  val print = print
end
