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
  (* Those that are under way, by their numbers, the last to begin first. Threads that begin in a test have no smaller
     numbers than its `first`; `dead` is what some of them have ended by, the last one first. *)
  val underWay : {number : string, first : int, dead : string list} list SyncVar.mvar =
    SyncVar.mVarInit []
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

  (* How many have ended by an exception that no test answers for. *)
  val blameless = SyncVar.mVarInit 0

  fun change f v = SyncVar.mPut (v, f (SyncVar.mTake v))

  (* A thread of this number has ended so: of the tests under way, the last one that had begun before it answers. *)
  fun blamed _ [] = NONE
    | blamed (id, text) ((test as {number, first, dead}) :: tests) =
        if first <= id then SOME ({number = number, first = first, dead = text :: dead} :: tests)
        else Option.map (fn tests => test :: tests) (blamed (id, text) tests)

  fun died (thread, e) =
    let
      val id = Thread.id thread
      val (message, place) = (exnMessage e, place e)
      fun text whose = concat ["uncaught exception ", message, " in a thread", whose, place]
      val tests = SyncVar.mTake underWay
      val blame = blamed (id, text "") tests
      val () = SyncVar.mPut (underWay, Option.getOpt (blame, tests))
      fun whose () =
        case List.find
               (fn {first, behind, ...} => first <= id andalso id < behind)
               (SyncVar.mGet left) of
          SOME {name, ...} => concat [" that began in the test `", name, "`, which is over"]
        | NONE => ", outside of a test"
    in
      StdErr'.say (concat ["uncaught exception ",
                           message,
                           " in thread ",
                           Int.toString id,
                           "\n",
                           concat (map (fn line => line ^ "\n") (SMLofNJ.exnHistory e))]);
      case blame of
        SOME _ => ()
      | NONE =>
          let
            val text = text (whose ())
          in
            change (fn n => n + 1) blameless;
            tell ["X", text];
            say (text ^ "\n")
          end
    end

  (* A program that says itself what becomes of such threads (`TraceCML.setUncaughtFn`, `setHandleFn`) is not asked. *)
  val () = TraceCML.setUncaughtFn died

  (* A test fails when a thread that began in it has ended by an exception meanwhile. *)
  fun answeredFor (number, name) test =
    let
      val tests = SyncVar.mTake underWay
      val first = if hasOthers () then numberNow () else 0
      val () = SyncVar.mPut (underWay, {number = number, first = first, dead = []} :: tests)
      val result = test ()
      (* What a thread ended by is told in a thread of its own, which was ready before those that wait for the end were. *)
      val () = CML.yield ()
      fun leave tests =
        if hasOthers () then {first = first, behind = numberNow (), name = name} :: tests else []
      val () = change leave left
      val (its, others) =
        List.partition (fn {number = other, ...} => other = number) (SyncVar.mTake underWay)
      val () = SyncVar.mPut (underWay, others)
      val texts = List.concat (map (rev o #dead) its)
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
