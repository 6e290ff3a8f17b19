(* Numbers of users, descriptors and processes that C has not are refused: cut to 32 bits they were those of others. *)

open Posix
val big : SysWord.word = 0wx100000000
fun try name f = print (name ^ ": " ^ (f () handle e => exnMessage e) ^ "\n")
val () =
  try "setgid" (fn () =>
    (ProcEnv.setgid (ProcEnv.wordToGid (big + 0w5));
     "the group is " ^ SysWord.toString (ProcEnv.gidToWord (ProcEnv.getgid ()))))
val {infd, outfd} = IO.pipe ()
val () =
  try "close" (fn () => (IO.close (FileSys.wordToFD (FileSys.fdToWord infd + big)); "closed"))
val () = try "the descriptor of the pipe" (fn () => (IO.close infd; "it was open"))
val () =
  try "waitpid" (fn () =>
    case Process.fork () of
      NONE => Process.exit 0w7
    | SOME pid =>
        (ignore (Process.waitpid (Process.W_CHILD (Process.wordToPid (Process.pidToWord pid + big)), []));
         "another child is reaped"))
val name = OS.FileSys.tmpName ()
val () =
  try "chown" (fn () =>
    (FileSys.chown (name, ProcEnv.wordToUid (big + 0w7), ProcEnv.wordToGid (big + 0w8));
     "the owner is " ^ SysWord.toString (ProcEnv.uidToWord (FileSys.ST.uid (FileSys.stat name)))))
val () = OS.FileSys.remove name
