(* Expect: what a test expects. An expectation that is not met raises `Failed` with a text that shows the difference. *)

signature EXPECT =
sig
  exception Failed of string

  (* The test fails, with this message. *)
  val fail : string -> 'a
  (* The condition holds; the text says what it is: `that "the queue is empty" (Queue.isEmpty q)`. *)
  val that : string -> bool -> unit

  (* The two values are the same: first what is expected, then what is there. `equal Show.int 4 (2 + 2)` *)
  val equal : (''a -> string) -> ''a -> ''a -> unit
  (* The two values differ: first what must not be there, then what is there. *)
  val notEqual : (''a -> string) -> ''a -> ''a -> unit
  (* As `equal`, by an equality of one's own. *)
  val same : ('a * 'a -> bool) -> ('a -> string) -> 'a -> 'a -> unit
  (* with this difference at most, or equal: `close 1E~9 3.14159 (Math.acos ~1.0)` *)
  val close : real -> real -> real -> unit
  (* texts of many lines: the lines that differ are shown *)
  val text : string -> string -> unit
  (* The first text stands somewhere in the second: `contains "world" "hello, world"`. *)
  val contains : string -> string -> unit

  (* The option's value; NONE fails the test. *)
  val some : 'a option -> 'a
  (* The option is NONE. The function shows what is there instead. *)
  val none : ('a -> string) -> 'a option -> unit

  (* the call raises an exception of which it holds: `raises (fn Subscript => true | _ => false) (fn () => List.nth ([], 0))` *)
  val raises : (exn -> bool) -> (unit -> 'a) -> unit
  (* the call ends before so much time has passed; it goes on in a thread of its own if it does not *)
  val within : Time.time -> (unit -> 'a) -> 'a

  (* The text is the file's; the file is named from the test's folder. `leat test --bless` writes it. *)
  val golden : string -> string -> unit
end

structure Expect :> EXPECT =
struct
  exception Failed of string

  fun fail text = raise Failed text
  fun that what holds = if holds then () else fail ("it is not so that " ^ what)

  fun hasLines text = Char.contains text #"\n"

  fun indent prefix text =
    String.concatWith "\n" (map (fn line => prefix ^ line) (String.fields (fn c => c = #"\n") text))

  fun different (expected, actual) =
    if hasLines expected orelse hasLines actual then
      String.concatWith "\n" ("- expected, + actual:" :: Diff.lines (expected, actual))
    else
      "expected: "
      ^ expected
      ^ "\n  actual: "
      ^ actual
      ^ (case Diff.pointer (expected, actual) of NONE => "" | SOME line => "\n          " ^ line)

  fun same eq show expected actual =
    if eq (expected, actual) then () else fail (different (show expected, show actual))
  fun equal show expected actual = same op = show expected actual

  fun notEqual show unwanted actual =
    if actual <> unwanted then () else fail ("this was not to be: " ^ show actual)

  fun close most expected actual =
    (* Not a number is close to nothing. An infinity is close to itself, though their difference is not a number. *)
    if Real.== (expected, actual) orelse Real.abs (expected - actual) <= most then ()
    else
      fail (different (Real.toString expected, Real.toString actual)
            ^ "\nthey may differ by "
            ^ Real.toString most
            ^ " at most")

  fun text expected actual = if expected = actual then () else fail (different (expected, actual))

  fun contains part whole =
    if String.isSubstring part whole then ()
    else
      fail ("the text\n"
            ^ indent "  " (if hasLines whole then whole else Show.string whole)
            ^ "\ndoes not contain\n"
            ^ indent "  " (if hasLines part then part else Show.string part))

  fun some (SOME x) = x
    | some NONE = fail "expected: SOME\n  actual: NONE"

  fun none _ NONE = ()
    | none show (SOME x) = fail ("expected: NONE\n  actual: SOME " ^ show x)

  fun raises isExpected call =
    case (ignore (call ()); NONE) handle e => SOME e of
      NONE => fail "an exception was expected; the call returned"
    | SOME e =>
        if isExpected e then ()
        else fail ("another exception was expected; this one came: " ^ exnMessage e)

  datatype 'a result = Value of 'a | Exn of exn

  fun within time call =
    let
      val reply = SyncVar.iVar ()
      val _ = CML.spawn (fn () => SyncVar.iPut (reply, Value (call ()) handle e => Exn e))
    in
      case CML.select [CML.wrap (SyncVar.iGetEvt reply, SOME),
                       CML.wrap (CML.timeOutEvt time, fn () => NONE)] of
        SOME (Value x) => x
      | SOME (Exn e) => raise e
      | NONE => fail ("the call has not ended after " ^ Time.fmt 3 time ^ " s")
    end

  fun readAll file =
    let
      val stream = TextIO.openIn file
    in
      TextIO.inputAll stream before TextIO.closeIn stream
    end

  (* The folder is there then, and all that it is in. `dir` is shorter each time; `getParent` is not where a path has
     `..`. Another test may make the same folder at the same time. *)
  fun makeFolder folder =
    if folder = "" orelse OS.FileSys.access (folder, []) then ()
    else
      (if OS.Path.dir folder = folder then () else makeFolder (OS.Path.dir folder);
       OS.FileSys.mkDir folder
       handle e as OS.SysErr _ =>
           if OS.FileSys.isDir folder handle OS.SysErr _ => false then () else raise e)

  fun golden file actual =
    if OS.Process.getEnv "LEAT_TEST_BLESS" = SOME "1" then
      let
        val () = makeFolder (OS.Path.dir file)
        val stream = TextIO.openOut file
      in
        TextIO.output (stream, actual);
        TextIO.closeOut stream
      end
    else if OS.FileSys.access (file, [OS.FileSys.A_READ]) then
      let
        val expected = readAll file
      in
        if expected = actual then ()
        else
          fail (String.concatWith "\n" ("the text is not that of "
                                        ^ file
                                        ^ " (`leat test --bless` makes it so)"
                                        :: "- expected, + actual:"
                                        :: Diff.lines (expected, actual)))
      end
    else fail ("there is no file " ^ file ^ "; `leat test --bless` writes it")
end
