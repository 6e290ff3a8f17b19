(* What is no terminal has no terminal's name; a signal's number is not cut off; a writer of a descriptor has the size of
   chunks that was asked for; and each error's name gives the error. *)
open Posix
fun try (name, f) =
  print (name ^ ": " ^ (f () handle OS.SysErr (_, SOME e) => OS.errorName e | e => exnName e) ^ "\n")
val {infd, outfd} = IO.pipe ()
val () = try ("pipe", fn () => ProcEnv.ttyname infd)
val () = try ("file", fn () => ProcEnv.ttyname (FileSys.openf ("/dev/null", FileSys.O_RDONLY, FileSys.O.flags [])))
val () = try ("closed", fn () => ProcEnv.ttyname (FileSys.wordToFD 0w9999))
val self = Process.K_PROC (ProcEnv.getpid ())
val () = try ("no signal", fn () => (Process.kill (self, Signal.fromWord 0w0); "sent"))
val () = try ("2^32", fn () => (Process.kill (self, Signal.fromWord 0wx100000000); "sent"))
val () = try ("2^32 + 9", fn () => (Process.kill (self, Signal.fromWord 0wx100000009); "sent"))
val settings = {fd = outfd, name = "pipe", appendMode = false, initBlkMode = true, chunkSize = 7}
val () = try ("text", fn () => case IO.mkTextWriter settings of TextPrimIO.WR {chunkSize, ...} => Int.toString chunkSize)
val () = try ("bytes", fn () => case IO.mkBinWriter settings of BinPrimIO.WR {chunkSize, ...} => Int.toString chunkSize)
fun isNamed n =
  let val e = Error.fromWord (SysWord.fromInt n) in OS.syserror (OS.errorName e) = SOME e end
val () = print (Bool.toString (List.all isNamed (List.tabulate (200, fn n => n + 1))) ^ "\n")
val () = print (Bool.toString (List.exists (isSome o OS.syserror) ["errno", "errno2", "errno0x", "errno-1", "errno 41", "ERRNO41"]) ^ "\n")
