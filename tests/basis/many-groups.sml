(* A process may be in 65,536 groups. Of one in more than 1,024, getgroups gave none. *)
open Posix
fun isRoot () = ProcEnv.getuid () = ProcEnv.wordToUid 0w0
fun count n =
  (MLton.ProcEnv.setgroups (List.tabulate (n, fn i => ProcEnv.wordToGid (Word.fromInt (100000 + i))));
   List.length (ProcEnv.getgroups ()))
(* Only root may set them, and not in every container. *)
fun counted n = if isRoot () then count n handle OS.SysErr (_, SOME e) => if e = Error.perm then n else ~1 else n
val () = List.app (fn n => print (Int.toString (counted n) ^ "\n")) [0, 3, 1024, 1025, 5000]
