(* Reporter: what happens in a test file -> lines for `leat test`, or text for a terminal.

   `leat test` names a file in LEAT_TEST_REPORT. A line of it is one write, so that processes may share the file: the process,
   a letter, and what the letter needs, with tabs between.

     B  number printed name       a test begins, after so many bytes of output
     E  number result µs text     it ends: passed, failed, skipped
     Z  count                     the program has come to its end, after so many tests

   Without that variable the program is run by hand: results go to standard output, and the exit code tells of failures. *)

signature REPORTER =
sig
  datatype result = Passed | Failed of string | Skipped

  (* Is this one of the tests that `--filter` wants, and not one that was run before? Counts it. *)
  val isWanted : string -> bool
  val run : string -> (unit -> result) -> unit
end

structure Reporter :> REPORTER =
struct
  datatype result = Passed | Failed of string | Skipped

  fun variable name = OS.Process.getEnv ("LEAT_TEST_" ^ name)
  val filter = Option.getOpt (variable "FILTER", "")
  (* the number of the first test that is to be run: those before it were, in a process that ended at one of them *)
  val first = Option.getOpt (Option.mapPartial Int.fromString (variable "FIRST"), 0)

  val report =
    Option.map
      (fn file =>
         Posix.FileSys.createf
           (file, Posix.FileSys.O_WRONLY, Posix.FileSys.O.append, Posix.FileSys.S.irwxu))
      (variable "REPORT")

  (* threads may run tests of their own *)
  val seen = SyncVar.mVarInit 0
  val (passed, failed, skipped) = (SyncVar.mVarInit 0, SyncVar.mVarInit 0, SyncVar.mVarInit 0)
  fun count v = let val n = SyncVar.mTake v in SyncVar.mPut (v, n + 1); n end

  val escape = String.translate (fn #"\n" => "\\n" | #"\t" => "\\t" | #"\\" => "\\\\" | c => String.str c)

  fun write (fd, text) =
    let
      val bytes = Byte.stringToBytes text
      val n = Posix.IO.writeVec (fd, Word8VectorSlice.full bytes)
    in
      if n < Word8Vector.length bytes then
        write (fd, Byte.bytesToString (Word8Vector.tabulate (Word8Vector.length bytes - n, fn i => Word8Vector.sub (bytes, n + i))))
      else ()
    end

  (* `leat test` knows of failures from the lines; whoever explores interleavings, and a user, from the exit code. *)
  val tellsByExitCode = not (Option.isSome report) orelse variable "EXPLORE" = SOME "1"

  fun tell words =
    case report of
      NONE => ()
    | SOME fd =>
        let val process = SysWord.fmt StringCvt.DEC (Posix.Process.pidToWord (Posix.ProcEnv.getpid ()))
        in write (fd, String.concatWith "\t" (map escape (process :: words)) ^ "\n")
        end

  fun say text = if Option.isSome report then () else print text

  (* Standard output is a file when `leat test` runs this. *)
  fun printed () =
    let val status = Posix.FileSys.fstat Posix.FileSys.stdout
    in if Posix.FileSys.ST.isReg status then Posix.FileSys.ST.size status else 0
    end
    handle OS.SysErr _ => 0

  (* A test may have closed it. *)
  fun flush () = TextIO.flushOut TextIO.stdOut handle IO.Io _ => () | OS.SysErr _ => ()

  fun isWanted name =
    let val number = count seen
    in number >= first andalso String.isSubstring filter name
    end

  fun indent text = concat (map (fn line => "    " ^ line ^ "\n") (String.fields (fn c => c = #"\n") text))

  fun run name test =
    let
      val number = Int.toString (SyncVar.mGet seen - 1)
      val () = flush ()
      val () = tell ["B", number, Position.toString (printed ()), name]
      val start = Time.now ()
      val result = test ()
      val time = Time.toMicroseconds (Time.- (Time.now (), start))
      val (word, text) =
        case result of
          Passed => (ignore (count passed); ("passed", ""))
        | Failed text => (ignore (count failed); ("failed", text))
        | Skipped => (ignore (count skipped); ("skipped", ""))
    in
      flush ();
      tell ["E", number, word, LargeInt.toString time, text];
      say ((case result of Passed => "ok    " | Failed _ => "FAIL  " | Skipped => "skip  ") ^ name ^ "\n"
           ^ (if text = "" then "" else indent text))
    end

  val () =
    OS.Process.atExit (fn () =>
      let val (passed, failed, skipped) = (SyncVar.mGet passed, SyncVar.mGet failed, SyncVar.mGet skipped)
      in
        tell ["Z", Int.toString (passed + failed + skipped)];
        say (Int.toString passed ^ " passed, " ^ Int.toString failed ^ " failed, " ^ Int.toString skipped ^ " skipped\n");
        if failed > 0 andalso tellsByExitCode then OS.Process.exit OS.Process.failure else ()
      end)
end
