(* Test: tests, groups of tests, properties. Each runs when its declaration is evaluated.

     val () = test "two and two" (fn () => Expect.equal Show.int 4 (2 + 2))

     val () = group "lists" (fn () => (
       test "map keeps the length" (fn () => Expect.equal Show.int 2 (length (map not [true, false])));
       property "rev is its own inverse" (Gen.list Gen.int, Show.list Show.int) (fn xs => rev (rev xs) = xs)))

   `leat test` runs the files `*_test.sml`, each in a process of its own. A test passes when it returns; it fails with the
   exception that it raises, or that ends one of its threads. *)

signature TEST =
sig
  (* Declares a test of that name. It passes when the function returns, and fails when that raises an exception. *)
  val test : string -> (unit -> unit) -> unit
  (* The tests that the call declares are named `group / test`. *)
  val group : string -> (unit -> unit) -> unit
  (* is not run, and counted *)
  val skip : string -> (unit -> unit) -> unit

  (* It is true of 100 random values; otherwise the test shows the smallest one found for which it is false or raises. *)
  val property : string -> 'a Gen.gen * ('a -> string) -> ('a -> bool) -> unit
  (* of so many values, with sizes up to this *)
  val propertyWith :
    {cases : int, size : int} -> string -> 'a Gen.gen * ('a -> string) -> ('a -> bool) -> unit
end

structure Test :> TEST =
struct
  val groups : string list ref = ref []

  fun nameOf name = String.concatWith " / " (rev (name :: !groups))

  val place = Reporter.place

  (* its text has the place already *)
  exception Falsified of string

  fun outcome body =
    (body (); Reporter.Passed)
    handle Falsified text => Reporter.Failed text
         | e as Expect.Failed text => Reporter.Failed (text ^ place e)
         | e => Reporter.Failed ("uncaught exception " ^ exnMessage e ^ place e)

  fun numbered name body =
    let
      val name = nameOf name
    in
      case Reporter.wanted name of
        SOME number => Reporter.run number name (fn () => outcome (fn () => body number))
      | NONE => ()
    end

  fun test name body = numbered name (fn _ => body ())

  fun skip name _ =
    let
      val name = nameOf name
    in
      case Reporter.wanted name of
        SOME number => Reporter.run number name (fn () => Reporter.Skipped)
      | NONE => ()
    end

  fun group name body =
    let
      val outer = !groups
      val () = groups := name :: outer
    in
      (* What the group does outside of its tests counts as a test, which any of them may need. *)
      body ()
      handle e =>
          (case Reporter.always () of
             SOME number =>
               Reporter.run number (nameOf "(the group itself)") (fn () =>
                 outcome (fn () => raise e))
           | NONE => ());
      groups := outer
    end

  (* -- properties *)

  val seed =
    case Option.mapPartial
           (StringCvt.scanString (Word64.scan StringCvt.DEC))
           (OS.Process.getEnv "LEAT_TEST_SEED") of
      SOME seed => seed
    | NONE => Word64.fromLargeInt (Time.toMicroseconds (Time.now ()) mod 1000000)

  (* FNV-1a: a property's values do not depend on the tests before it. *)
  fun hash name =
    CharVector.foldl
      (fn (c, h) => Word64.xorb (h, Word64.fromInt (ord c)) * 0wx100000001b3)
      0wxcbf29ce484222325
      name

  fun propertyWith {cases, size} name (gen, show) holds =
    let
      fun falsified x =
        (if holds x then NONE else SOME "it is false")
        handle e as Expect.Failed text => SOME (text ^ place e)
             | e => SOME ("uncaught exception " ^ exnMessage e ^ place e)

      (* The first child that fails too, and so on; a step is a value that was tried. It ends in time: a slow property
         shall not lose what it has found. *)
      fun shrink over (x, smaller, why, depth, steps) =
        let
          (* A generator may raise for a smaller value. *)
          val trouble = ref ""
          fun made smaller =
            smaller ()
            handle e =>
                (trouble := "\nits smaller values could not be made: " ^ exnMessage e;
                 [])
          fun first (_, 0) = NONE
            | first ([], _) = NONE
            | first (Gen.More rest :: others, steps) = first (made rest @ others, steps)
            | first (Gen.Tree t :: rest, steps) =
                case if Time.> (Time.now (), over) then NONE else falsified (#1 t) of
                  SOME why => SOME (t, why, steps - 1)
                | NONE => first (rest, steps - 1)
        in
          case first (made smaller, steps) of
            NONE => (x, why ^ !trouble, depth)
          | SOME ((x, smaller), why, steps) => shrink over (x, smaller, why, depth + 1, steps)
        end

      fun try n =
        if n >= cases then ()
        else
          let
            val size = if cases <= 1 then size else n * size div (cases - 1)
            val (x, smaller) =
              case Gen.generate gen {size = size,
                                     seed =
                                       seed + hash name + Word64.fromInt n * 0wx9e3779b97f4a7c15} of
                Gen.Tree parts => parts
              | Gen.More _ => raise Fail "Gen: More is no root"
          in
            case falsified x of
              NONE => try (n + 1)
            | SOME why =>
                let
                  val over = Time.+ (Time.now (), Time.fromSeconds 5)
                  val (smallest, why, depth) = shrink over (x, smaller, why, 0, 5000)
                  val text = show smallest handle e => "(its text raises " ^ exnMessage e ^ ")"
                  (* What runs last is what a debugger shows. *)
                  val _ = falsified smallest
                in
                  raise Falsified (concat ["falsified by case ",
                                           Int.toString (n + 1),
                                           " of ",
                                           Int.toString cases,
                                           ", shrunk ",
                                           Int.toString depth,
                                           " times: ",
                                           text,
                                           "\n",
                                           why,
                                           "\n--seed=",
                                           Word64.fmt StringCvt.DEC seed,
                                           " repeats it"])
                end
          end
    in
      numbered name (fn number => (Reporter.random number; try 0))
    end

  fun property name = propertyWith {cases = 100, size = 100} name
end
