(* A deadline is a timer and a thread that only the timer starts. Calls that end in every way (they return, raise, say CML.exit,
   are cancelled from outside or from inside, are late) leave neither behind, and each deadline cancels its own call alone. *)
open CML

fun ms n = Time.fromMilliseconds n
val long = Time.fromSeconds 1000
val first = Leat.Count.threads ()
fun count (name, n) = print (concat [name, " ", Int.toString n, "\n"])
fun times (n, f) = List.tabulate (n, fn i => f i)
(* one for each that came by: to send is no wait, so nothing cancels it *)
fun tally box = case Mailbox.recvPoll box of SOME () => 1 + tally box | NONE => 0

(* 100 in each way *)
val returned = List.length (List.filter (fn x => x = SOME 1) (times (100, fn _ => Scope.within long (fn _ => 1))))
val () = count ("returned", returned)

val raised = List.length (List.filter (fn x => x) (times (100, fn _ => (Scope.within long (fn _ => raise Div) : int option; false) handle Div => true)))
val () = count ("raised", raised)

val left : unit Mailbox.mbox = Mailbox.mailbox ()
val threads = times (100, fn _ => spawn (fn () => ignore (Scope.within long (fn _ => (Mailbox.send (left, ()); exit () : unit)))))
val () = List.app (sync o joinEvt) threads
val () = count ("said exit", tally left)

(* an outer scope is cancelled while ten calls wait inside, some of them within one another *)
fun nested (0, f) = f ()
  | nested (n, f) = ignore (Scope.within long (fn _ => nested (n - 1, f)))
val cancelled : unit Mailbox.mbox = Mailbox.mailbox ()
val () =
  ignore (times (10, fn _ =>
    Scope.run (fn scope =>
      (ignore (times (10, fn i =>
         Scope.fork scope (fn () =>
           nested (i, fn () => sync never) handle Scope.Cancelled => (Mailbox.send (cancelled, ()); raise Scope.Cancelled))));
       Scope.cancel (scope, Fail "enough")))
    handle Fail "enough" => ()))
val () = count ("cancelled", tally cancelled)

(* late: alone, inside another one that is not, and the other way round *)
fun isNone x = case x of NONE => 1 | SOME _ => 0
fun sum l = List.foldl op + 0 l
val () = count ("late", sum (times (20, fn _ => isNone (Scope.within (ms 1) (fn _ => sync never)))))
val () = count ("inner late", sum (times (20, fn _ => isNone (valOf (Scope.within long (fn _ => Scope.within (ms 1) (fn _ => sync never)))))))
val () = count ("outer late", sum (times (20, fn _ => isNone (Scope.within (ms 1) (fn _ => Scope.within long (fn _ => sync never))))))
(* past at the start: the first wait is cancelled, and a function without waits has its result *)
val () = count ("past", sum (times (20, fn _ => isNone (Scope.within Time.zeroTime (fn _ => sync never)))))
val () = count ("past, no wait", sum (times (20, fn i => if Scope.within Time.zeroTime (fn _ => i) = SOME i then 1 else 0)))
val () = count ("until", sum (times (20, fn _ => isNone (Scope.until (Time.+ (Time.now (), ms 1)) (fn _ => sync never)))))

(* what was readied in the last moment has still to end *)
fun settle 0 = ()
  | settle n = if Leat.Count.threads () > first then (OS.Process.sleep (ms 1); settle (n - 1)) else ()
val () = settle 2000
val () = count ("threads left", Leat.Count.threads () - first)
val () = count ("timers left", Leat.Count.timers ())
