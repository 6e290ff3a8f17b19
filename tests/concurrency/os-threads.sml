(* Bound threads until the system gives no OS thread more (`ulimit -v`): that is an exception; those that are there work, and
   when they have ended there is room again. *)
val done : unit CML.chan = CML.channel ()
fun one () = Thread.ready (Thread.bound (fn () => CML.send (done, ())))

fun many n =
  case (one (); NONE) handle OS.SysErr (_, SOME e) => SOME (OS.errorName e) of
    NONE => if n = 100000 then (n, "no limit") else many (n + 1)
  | SOME e => (n, e)
val (n, why) = many 0
val () = print ((if n > 20 then "many" else Int.toString n) ^ ", then " ^ why ^ "\n")

fun all 0 = () | all n = (CML.recv done; all (n - 1))
val () = all n
(* an OS thread that ends takes a moment for it *)
fun again 0 = print "none again\n"
  | again tries =
      (one (); CML.recv done; print "again\n")
      handle OS.SysErr _ => (OS.Process.sleep (Time.fromMilliseconds 10); again (tries - 1))
val () = again 500
