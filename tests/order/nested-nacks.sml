(* The acknowledgements of nested withNacks come in the order of their functions' calls, outside first; see cml/nested-nacks. *)
open CML
val order : string list ref = ref []
fun note name nack = ignore (spawn (fn () => (sync nack; order := name :: !order)))
fun level (name, event) = withNack (fn nack => (note name nack; event ()))
fun tree () =
  level ("a", fn () => choose
    [level ("b", fn () => level ("c", fn () => never)), never, level ("d", fn () => choose [never, level ("e", fn () => never)])])
fun shown () =
  (sync (timeOutEvt (Time.fromMilliseconds 5));
   print (String.concatWith " " (rev (!order)) ^ "\n");
   order := [])
(* offered, and at once *)
val () = select [tree (), wrap (timeOutEvt (Time.fromMilliseconds 1), fn () => ())]
val () = shown ()
val () = select [tree (), alwaysEvt ()]
val () = shown ()
(* the winner is inside of some of them *)
val () = select [tree (), level ("x", fn () => level ("y", fn () => choose [alwaysEvt (), level ("z", fn () => never)]))]
val () = shown ()
