(* Other programs: their output, their input, several at once, and one that takes too long.
   Usage: leat run examples/subprocess.sml *)

fun start command = Unix.execute ("/bin/sh", ["-c", command])

(* What a command writes. *)
fun output command =
  let
    val process = start command
    val text = TextIO.inputAll (Unix.textInstreamOf process)
  in
    if OS.Process.isSuccess (Unix.reap process) then text else raise Fail (command ^ " has failed")
  end

(* A command as a function from text to text. It is written to and read from by two threads: else a pipe could fill up. *)
fun filter command text =
  let
    val process = start command
    val (from, to) = (Unix.textInstreamOf process, Unix.textOutstreamOf process)
    val _ = CML.spawn (fn () => (TextIO.output (to, text); TextIO.closeOut to))
    val result = TextIO.inputAll from
  in
    ignore (Unix.reap process);
    result
  end

(* NONE if it has not ended by then; it is killed, and nothing of it is left. *)
fun within time command =
  let
    val process : (TextIO.instream, TextIO.outstream) Unix.proc = start command
    val ended = SyncVar.iVar ()
    val _ = CML.spawn (fn () => SyncVar.iPut (ended, Unix.reap process))
  in
    CML.select [CML.wrap (SyncVar.iGetEvt ended, SOME),
                CML.wrap (CML.timeOutEvt time,
                          fn () =>
                            (Unix.kill (process, Posix.Signal.kill);
                             ignore (SyncVar.iGet ended);
                             NONE))]
  end

val () = print (output "echo hello from the shell")
val () = print (filter "sort -n" "30\n4\n100\n")

(* Three that each take a while, at once: the results come in the order of the list. *)
fun inParallel commands =
  map SyncVar.iGet (map
                      (fn command =>
                        let
                          val result = SyncVar.iVar ()
                        in
                          ignore (CML.spawn (fn () => SyncVar.iPut (result, output command)));
                          result
                        end)
                      commands)
val () = app print (inParallel ["sleep 0.2; echo one", "sleep 0.1; echo two", "echo three"])

val () =
  print
    (case within (Time.fromMilliseconds 100) "exec sleep 60" of
       NONE => "too slow: killed\n"
     | SOME _ => "ended\n")
