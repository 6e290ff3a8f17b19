(* Reporter: what happens in a test file -> lines for `leat test`, or text for a terminal.

   `leat test` names a file in LEAT_TEST_REPORT. A line of it is one write, so that processes may share the file: the process,
   a letter, and what the letter needs, with tabs between.

     B  number outer printed name  a test begins, after so many bytes of output; `outer`: how many began before it, or before
                                  the test in which it is, while none was under way
     P  number                     it takes random values, which follow from the seed of the run
     E  number result µs text     it ends: passed, failed, skipped
     X  text                      a thread has ended by an exception, and it began in no test that is under way
     S  seed                      the process runs with this seed (from `leat test` itself)
     Z  count                     the program has come to its end, after so many tests

   A seed that fails is run again by the debugger, in another process with other files. So in deterministic mode nothing of
   this may take more or fewer steps for another process or another length of the output: `digits`.

   Without that variable the program is run by hand: results go to standard output, and the exit code tells of failures. *)

signature REPORTER =
sig
  datatype result = Passed | Failed of string | Skipped

  (* A test's number, and how many were before it that are in no other. *)
  type number
  (* Is this one of the tests that `--filter` wants, and not one that was run before? Counts it. *)
  val wanted : string -> number option
  (* Likewise, whatever `--filter` wants. *)
  val always : unit -> number option
  (* Where an exception was raised, as lines; nothing where only the library is. *)
  val place : exn -> string
  (* The test takes random values: a report of its end outside of `run`, as by a time-out, has to name the seed. *)
  val random : number -> unit
  (* Runs the test of that name, if it is wanted, and reports its result. An exception fails it. *)
  val run : number -> string -> (unit -> result) -> unit
end

structure Reporter :> REPORTER =
struct
  datatype result = Passed | Failed of string | Skipped
  type number = int * int

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

  (* Threads may run tests of their own. Seen: all tests, and those that began while none was under way: only these are seen
     again, in the same order, by a process in which the first of them are left out. *)
  val seen = SyncVar.mVarInit (0, 0)
  (* Those that are under way, by their numbers, each with the least number of a thread that began in it. *)
  val underWay : (string * int) list SyncVar.mvar = SyncVar.mVarInit []
  val (passed, failed, skipped) = (SyncVar.mVarInit 0, SyncVar.mVarInit 0, SyncVar.mVarInit 0)
  fun count v = let val n = SyncVar.mTake v in SyncVar.mPut (v, n + 1); n end

  (* Ten digits, by the same steps for each number. *)
  fun digits n =
    let
      fun digit p = chr (ord #"0" + n div p mod 10)
    in
      implode
        (map digit [1000000000, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1])
    end

  val escape =
    String.translate (fn #"\n" => "\\n" | #"\t" => "\\t" | #"\\" => "\\\\" | c => String.str c)

  fun write (fd, text) =
    let
      val bytes = Byte.stringToBytes text
      val n = Posix.IO.writeVec (fd, Word8VectorSlice.full bytes)
    in
      if n < Word8Vector.length bytes then
        write (fd,
               Byte.bytesToString (Word8Vector.tabulate (Word8Vector.length bytes - n,
                                                         fn i => Word8Vector.sub (bytes, n + i))))
      else ()
    end

  (* `leat test` knows of failures from the lines; whoever explores interleavings, and a user, from the exit code. *)
  val tellsByExitCode = not (Option.isSome report) orelse variable "EXPLORE" = SOME "1"

  fun tell words =
    case report of
      NONE => ()
    | SOME fd =>
        let
          val process =
            digits (SysWord.toInt (Posix.Process.pidToWord (Posix.ProcEnv.getpid ())))
        in
          write (fd, String.concatWith "\t" (map escape (process :: words)) ^ "\n")
        end

  fun say text = if Option.isSome report then () else print text

  (* Standard output is a file when `leat test` runs this. *)
  fun printed () =
    let
      val status = Posix.FileSys.fstat Posix.FileSys.stdout
    in
      if Posix.FileSys.ST.isReg status then Position.toInt (Posix.FileSys.ST.size status) else 0
    end
    handle OS.SysErr _ => 0

  (* A test may have closed it. *)
  fun flush () = TextIO.flushOut TextIO.stdOut handle IO.Io _ => () | OS.SysErr _ => ()

  fun counted isWanted =
    let
      val (all, outer) = SyncVar.mTake seen
      val isInner = not (List.null (SyncVar.mGet underWay))
      val () = SyncVar.mPut (seen, (all + 1, if isInner then outer else outer + 1))
    in
      if (isInner orelse outer >= first) andalso isWanted then
        SOME (all, if isInner then outer - 1 else outer)
      else NONE
    end

  fun wanted name = counted (String.isSubstring filter name)
  fun always () = counted true

  (* -- threads that end by an exception *)

  (* Where an exception was raised, without the library's own calls. *)
  fun place e =
    case List.filter
           (fn line =>
             String.isSubstring " at " line andalso not (String.isSubstring "$(SML_LIB)" line))
           (SMLofNJ.exnHistory e) of
      [] => ""
    | line :: _ => "\n" ^ line

  (* Threads that began in tests which are over, those of the last test first: they are numbered in their order. *)
  val left : {first : int, behind : int, name : string} list SyncVar.mvar = SyncVar.mVarInit []

  fun hasOthers () = Leat.Count.threads () > 1

  (* Those that begin later have greater numbers than this one. Nobody else runs meanwhile. *)
  fun numberNow () =
    let
      val thread = Thread.new ignore
    in
      Thread.ready thread;
      Thread.id thread
    end

  (* What they ended by, the last one first; and those of them that no test has answered for. *)
  val dead : string list SyncVar.mvar = SyncVar.mVarInit []
  val blameless = SyncVar.mVarInit 0

  fun change f v = let val x = SyncVar.mTake v in SyncVar.mPut (v, f x); x end

  fun died (thread, e) =
    let
      val id = Thread.id thread
      val isOfOneUnderWay = List.exists (fn (_, first) => first <= id) (SyncVar.mGet underWay)
      val whose =
        if isOfOneUnderWay then ""
        else
          case List.find
                 (fn {first, behind, ...} => first <= id andalso id < behind)
                 (SyncVar.mGet left) of
            SOME {name, ...} => concat [" that began in the test `", name, "`, which is over"]
          | NONE => ", outside of a test"
      val text = concat ["uncaught exception ", exnMessage e, " in a thread", whose, place e]
    in
      StdErr'.say (concat ["uncaught exception ",
                           exnMessage e,
                           " in thread ",
                           Int.toString id,
                           "\n",
                           concat (map (fn line => line ^ "\n") (SMLofNJ.exnHistory e))]);
      if isOfOneUnderWay then ignore (change (fn texts => text :: texts) dead)
      else
        (ignore (change (fn n => n + 1) blameless);
         tell ["X", text];
         say (text ^ "\n"))
    end

  (* A program that says itself what becomes of such threads (`TraceCML.setUncaughtFn`, `setHandleFn`) is not asked. *)
  val () = TraceCML.setUncaughtFn died

  (* A test fails when a thread that began in it has ended by an exception meanwhile. *)
  fun answeredFor (number, name) test =
    let
      val first = if hasOthers () then numberNow () else 0
      val _ = change (fn tests => (number, first) :: tests) underWay
      val result = test ()
      (* What a thread ended by is told in a thread of its own, which was ready before those that wait for the end were. *)
      val () = CML.yield ()
      fun leave tests =
        if hasOthers () then {first = first, behind = numberNow (), name = name} :: tests else []
      val _ = change leave left
      val _ = change (List.filter (fn (other, _) => other <> number)) underWay
      val texts = rev (change (fn _ => []) dead)
    in
      case (result, texts) of
        (_, []) => result
      | (Failed text, _) => Failed (String.concatWith "\n" (text :: texts))
      | (_, _) => Failed (String.concatWith "\n" texts)
    end

  fun indent text =
    concat (map (fn line => "    " ^ line ^ "\n") (String.fields (fn c => c = #"\n") text))

  fun random (number, _) = tell ["P", Int.toString number]

  fun run (number, outer) name test =
    let
      val number = Int.toString number
      val () = flush ()
      val () = tell ["B", number, Int.toString outer, digits (printed ()), name]
      val timer = Timer.startRealTimer ()
      val result = answeredFor (number, name) test
      val time = Time.toMicroseconds (Timer.checkRealTimer timer)
      val (word, text) =
        case result of
          Passed => (ignore (count passed); ("passed", ""))
        | Failed text => (ignore (count failed); ("failed", text))
        | Skipped => (ignore (count skipped); ("skipped", ""))
    in
      flush ();
      tell ["E", number, word, LargeInt.toString time, text];
      say ((case result of Passed => "ok    " | Failed _ => "FAIL  " | Skipped => "skip  ")
           ^ name
           ^ "\n"
           ^ (if text = "" then "" else indent text))
    end

  val () =
    OS.Process.atExit (fn () =>
      let
        val (passed, failed, skipped) =
          (SyncVar.mGet passed, SyncVar.mGet failed, SyncVar.mGet skipped)
      in
        tell ["Z", Int.toString (passed + failed + skipped)];
        say (Int.toString passed
             ^ " passed, "
             ^ Int.toString failed
             ^ " failed, "
             ^ Int.toString skipped
             ^ " skipped\n");
        if (failed > 0 orelse SyncVar.mGet blameless > 0) andalso tellsByExitCode then
          OS.Process.exit OS.Process.failure
        else ()
      end)
end
