(* Reactive: scripts in instants. *)
open Reactive
infixr 3 &
infix 2 ||
val a = Atom.atom "a" and b = Atom.atom "b" and c = Atom.atom "c"
fun say s = action (fn _ => print (s ^ " "))
fun instants (name, inputs, body, given) =
  let
    val m = machine {inputs = inputs, outputs = [c], body = body}
    fun go [] = ()
      | go (present :: rest) =
          let
            val () = List.app (fn s => setInSignal (s, List.exists (fn n => Atom.same (n, inputSignal s)) present)) (inputsOf m)
            val ended = run m
          in
            print (if getOutSignal (hd (outputsOf m)) then "c" else "-");
            print (if ended then "!" else "; ");
            if ended then () else go rest
          end
  in
    print (name ^ ": "); go given; print " | "; reset m; go given; print "\n"
  end
val () = instants ("sequence", [], say "1" & stop & say "2" & suspend & say "3", [[], [], []])
val () = instants ("merge", [], (say "1" & suspend & say "2" & stop & say "3") || (say "x" & stop & say "y"), [[], [], []])
val () = instants ("repeat", [], repeat (3, say "r" & stop), [[], [], [], [], []])
val () = instants ("loop", [], loop (say "l" & stop), [[], [], []])
val () = instants ("at once", [], loop (say "l"), [[], []])
val () = instants ("emit", [], emit c & stop & stop & emit c, [[], [], []])
val () = instants ("await", [a], await (posConfig a) & say "got" & emit c, [[], [a], []])
val () = instants ("absent", [a], await (negConfig a) & say "gone", [[a], [a], [], []])
val () = instants ("both", [a, b], await (andConfig (posConfig a, posConfig b)) & say "both", [[a], [b], [a, b]])
val () = instants ("one", [a, b], await (orConfig (posConfig a, posConfig b)) & say "one", [[], [b], []])
val () = instants ("late", [], (await (posConfig b) & say "heard") || signal (a, emit b), [[]])
  handle Fail s => print (s ^ "\n")
val () = instants ("own", [], signal (b, (await (posConfig b) & say "heard" & emit c) || emit b), [[], []])
val () = instants ("rebind", [a], rebind (a, b, await (posConfig b) & say "by b"), [[], [a]])
val () = instants ("when", [a], loop (when (posConfig a, say "yes", say "no") & stop), [[a], [], [a], []])
val () = instants ("trap", [a], trapWith (posConfig a, loop (say "body" & stop), say "caught"), [[], [], [a], [], []])
val () = instants ("trap, not needed", [a], trap (posConfig a, say "body" & stop & say "end"), [[], [], []])
fun job n =
  exec (fn _ =>
    let val left = ref n
    in {stop = fn () => print "stopped ", done = fn () => (left := !left - 1; print (Int.toString (!left) ^ " "); !left = 0)} end)
val () = instants ("exec", [], job 3 & say "done", [[], [], [], []])
val () = instants ("preempted", [a], trapWith (posConfig a, job 9, say "instead"), [[], [a], []])
val () = instants ("if", [], let val n = ref 0 in loop (ifThenElse (fn _ => (n := !n + 1; !n mod 2 = 0), say "even", say "odd") & stop) end, [[], []])
val () = instants ("close", [], close (say "1" & suspend & say "2") || say "x", [[], []])
