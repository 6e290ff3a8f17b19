(* `kill` looked whether the program had been reaped, and then sent the signal to its number: another thread may reap in
   between, and the number may be another process's. So both are one step for others. MLton.Process was alike. *)
fun name (OS.SysErr (_, SOME e)) = OS.errorName e
  | name e = exnName e
fun signalled (Posix.Process.W_SIGNALED s) = s = Posix.Signal.term
  | signalled _ = false

(* Signals go on until the program is known to have been reaped. *)
fun trial {kill, reaps} =
  Scope.run (fn scope =>
    let
      fun signals () = (kill Posix.Signal.term; OS.Process.sleep (Time.fromMilliseconds 1); signals ()) handle e => name e
      val killers = List.tabulate (2, fn _ => Scope.fork scope signals)
      val reapers = List.map (Scope.fork scope) reaps
    in
      (List.all (signalled o CML.sync) reapers, List.map CML.sync killers)
    end)

fun byUnix () =
  let
    val p : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sleep", ["100"])
    fun reap () = Unix.fromStatus (Unix.reap p)
    fun event () = Unix.fromStatus (CML.sync (Unix.reapEvt p))
  in
    trial {kill = fn s => Unix.kill (p, s), reaps = [reap, event, reap, event]}
  end
val (right, answers) = ListPair.unzip (List.tabulate (10, fn _ => byUnix ()))
val () = print (Bool.toString (List.all (fn b => b) right) ^ "\n")
val () = print (Bool.toString (List.all (fn answer => answer = "srch") (List.concat answers)) ^ "\n")

structure P = MLton.Process
exception Gone
fun byMLton () =
  let
    val p =
      P.create {path = "/bin/sleep", args = ["100"], env = NONE, stdin = P.Param.self, stdout = P.Param.self,
                stderr = P.Param.self}
    val reaped = SyncVar.iVar ()
    (* to one that was reaped it does nothing *)
    fun kill s = (P.kill (p, s); if isSome (SyncVar.iGetPoll reaped) then raise Gone else ())
    fun reap () = let val status = P.reap p in ignore (SyncVar.iPut (reaped, ()) handle _ => ()); status end
  in
    trial {kill = kill, reaps = [reap, reap]}
  end
val (right, answers) = ListPair.unzip (List.tabulate (10, fn _ => byMLton ()))
val () = print (Bool.toString (List.all (fn b => b) right) ^ "\n")
val () = print (Bool.toString (List.all (fn answer => answer = "Gone") (List.concat answers)) ^ "\n")
