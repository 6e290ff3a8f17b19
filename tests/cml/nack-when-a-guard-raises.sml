(* A function of a choice raises an exception: no event of the choice is taken, so the negative acknowledgements that were made
   happen. They did not, unless the exception was Scope.Cancelled; so a request of HTTPClient.sendEvt beside a guard that raised
   kept its connection. *)
open CML
val told : string Mailbox.mbox = Mailbox.mailbox ()
fun nacked (name, event) =
  withNack (fn nack => (ignore (spawn (fn () => (sync nack; Mailbox.send (told, name)))); event))
fun all () = case Mailbox.recvPoll told of SOME name => name :: all () | NONE => []
(* which of two threads goes on first is open *)
fun sorted [] = []
  | sorted (x :: xs) =
      sorted (List.filter (fn y => y < x) xs) @ [x] @ sorted (List.filter (fn y : string => y >= x) xs)
(* until all others are blocked *)
fun settle () = (sync (timeOutEvt (Time.fromMilliseconds 2)); if Thread.stat 9 = 0 then () else settle ())
fun show () = app (fn name => print (name ^ " is told\n")) (sorted (all ()))
fun try (text, events) =
  (print (text ^ "\n");
   select events handle Fail _ => ();
   settle ();
   show ())
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
