(* A function of a choice raises an exception: no event of the choice is taken, so the negative acknowledgements that were made
   happen. They did not, unless the exception was Scope.Cancelled; so a request of HTTPClient.sendEvt beside a guard that raised
   kept its connection. *)
open CML
fun nacked (name, event) =
  withNack (fn nack => (ignore (spawn (fn () => (sync nack; print (name ^ " is told\n")))); event))
fun try (text, events) =
  (print (text ^ "\n");
   select events handle Fail _ => ();
   OS.Process.sleep (Time.fromMilliseconds 20))
val () = try ("a guard behind it", [nacked ("first", never), guard (fn () => raise Fail "guard")])
val () =
  try ("an event that could happen",
       [nacked ("first", alwaysEvt ()), guard (fn () => raise Fail "guard")])
val () =
  try ("withNack itself",
       [nacked ("first", never), nacked ("second", guard (fn () => raise Fail "guard"))])
val () = try ("a guard before it", [guard (fn () => raise Fail "guard"), nacked ("first", never)])
val () =
  try ("a function behind the choice",
       [wrap (nacked ("first", alwaysEvt ()), fn () => raise Fail "wrap")])
