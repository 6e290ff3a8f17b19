(* The report of an exception that nothing handles has the message which the program's own function makes, as exnMessage has it;
   and the places where the exception was raised. It once had the exception's name and what the runtime could see in it. A
   function that raises, blocks or does not end keeps no report back. *)
exception Wrong of {line : int, why : string}
exception Silly of int
exception Blocks of int
exception Loops of int
exception Silent of int
val never : string CML.chan = CML.channel ()
fun loop n = loop (n + 1)
val () =
  MLton.Exn.addExnMessager
    (fn Wrong {line, why} => SOME (concat ["line ", Int.toString line, ": ", why])
      | Silly _ => raise Fail "no message"
      | Blocks _ => SOME (CML.recv never)
      | Loops n => loop n
      | _ => NONE)
fun wrong line = (raise Wrong {line = line, why = "no such thing"}; ())
fun died f = CML.sync (CML.joinEvt (CML.spawn f))
val () = died (fn () => wrong 7)
val () = died (fn () => raise Silly 1)
val () = died (fn () => raise Silent 2)
val () = died (fn () => raise Blocks 3)
val () = died (fn () => raise Loops 4)
fun deep 0 = wrong 8
  | deep n = (deep (n - 1); ())
val () = deep 3
