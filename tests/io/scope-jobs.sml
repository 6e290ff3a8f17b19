(* Cancelling reaches threads that wait for a job or for a child process, and gives up what they waited with: no descriptor is
   left. (A child whose end is waited for by a descriptor kept that open when its thread was cancelled.) *)
fun name e = exnName e
val ms = Time.fromMilliseconds
fun say s = print (s ^ "\n")

fun next fd = SysWord.toInt (Posix.FileSys.fdToWord fd)
(* the smallest number that is free *)
fun free () =
  let val {infd, outfd} = Posix.IO.pipe ()
  in Posix.IO.close infd; Posix.IO.close outfd; next infd end

(* Each child waits until our end of a pipe is closed: those that slept for a second ended too early on a busy
   machine. *)
val {infd, outfd} = Posix.IO.pipe ()
val () = Posix.IO.setfd (outfd, Posix.IO.FD.cloexec)
val command = "exec cat <&" ^ SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord infd)
val child : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sh", ["-c", command])
val pid =
  case Posix.Process.fork () of
    NONE => (Posix.IO.close outfd; ignore (Posix.IO.readVec (infd, 1)); Posix.Process.exit 0w0)
  | SOME pid => pid

fun each (what, f) =
  let fun go () = f () handle e => (say (what ^ ": " ^ name e); raise e)
  in
    case Scope.within (ms 20) (fn _ => go ()) of
      NONE => ()
    | SOME () => say (what ^ " ended")
  end

val kinds =
  [("system", fn () => ignore (OS.Process.system command)),
   ("systemEvt", fn () => ignore (CML.sync (OS.Process.systemEvt command))),
   ("reap", fn () => ignore (Unix.reap child)),
   ("waitpid", fn () => ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []))),
   ("waitpid of any", fn () => ignore (Posix.Process.waitpid (Posix.Process.W_ANY_CHILD, [])))]
val () = app each (rev (tl (rev kinds)))
val first = free ()
val () = app each kinds
val () = Posix.IO.close outfd
(* A child that nobody waits for any more is waited for by the runtime, by a descriptor, until it has ended. *)
fun settle 0 = ()
  | settle n = if free () > first then (OS.Process.sleep (ms 10); settle (n - 1)) else ()
val () = settle 1000
val () = say (if free () <= first then "no descriptor left" else "descriptors left: " ^ Int.toString (free () - first))
val () = say (if OS.Process.isSuccess (Unix.reap child) then "reaped" else "failed")
