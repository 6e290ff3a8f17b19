(* Who may write to a file may set its time to now, as `touch` does, though somebody else owns it. Now was given to the
   system as a time like any other, for which it wants the owner: EPERM. *)
open Posix
val old = Time.fromSeconds 1000000
val path = OS.FileSys.tmpName ()
val () = FileSys.chmod (path, let open FileSys.S in flags [irusr, iwusr, irgrp, iwgrp, iroth, iwoth] end)
fun isNew () = Time.> (OS.FileSys.modTime path, old)
fun setOld () = OS.FileSys.setTime (path, SOME old)

(* f as a user who is not the owner, where this is root; else as the owner, to whom all was permitted before *)
fun asAnother f =
  case Process.fork () of
    SOME pid =>
      (case Process.waitpid (Process.W_CHILD pid, []) of
         (_, Process.W_EXITED) => "done"
       | (_, Process.W_EXITSTATUS 0w2) => "not permitted"
       | _ => "failed")
  | NONE =>
      (if ProcEnv.getuid () = ProcEnv.wordToUid 0w0 then ProcEnv.setuid (ProcEnv.wordToUid 0w65534) else ();
       f ();
       Process.exit 0w0)
      handle OS.SysErr (_, SOME e) => Process.exit (if e = Error.perm then 0w2 else 0w3)
           | _ => Process.exit 0w4
val isRoot = ProcEnv.getuid () = ProcEnv.wordToUid 0w0

fun try (what, f) =
  (setOld ();
   let val answer = asAnother f in print (concat [what, ": ", answer, if isNew () then ", now\n" else ", as it was\n"]) end)
val () = try ("setTime", fn () => OS.FileSys.setTime (path, NONE))
val () = try ("utime", fn () => FileSys.utime (path, NONE))
(* Any other time is the owner's to set. *)
val () =
  if isRoot then try ("setTime, a time", fn () => OS.FileSys.setTime (path, SOME (Time.fromSeconds 2000000)))
  else print "setTime, a time: not permitted, as it was\n"
(* The owner may do both. *)
val () = (setOld (); OS.FileSys.setTime (path, NONE); print (Bool.toString (isNew ()) ^ "\n"))
val () = (setOld (); FileSys.utime (path, NONE); print (Bool.toString (isNew ()) ^ "\n"))
val () = OS.FileSys.remove path
