(* While a thread waits in Posix.IO.fsync, others run: it waits on another OS thread. It once held its worker, so no record of a
   journal could be made while the former ones were written to the disk. *)
structure IO = Posix.IO
structure F = Posix.FileSys
val name = OS.FileSys.tmpName ()
val fd = F.openf (name, F.O_WRONLY, F.O.flags [])
val steps = ref 0
fun step () = (steps := !steps + 1; CML.yield (); step ())
val _ = CML.spawn step
fun write 0 = ()
  | write n = (ignore (IO.writeVec (fd, Word8VectorSlice.full (Byte.stringToBytes "record\n"))); IO.fsync fd; write (n - 1))
val () = write 100
val () = print (if !steps >= 100 then "others have run\n" else "only " ^ Int.toString (!steps) ^ " steps\n")
(* errors are those of the call *)
val {infd, outfd} = IO.pipe ()
fun error f = (f (); "none") handle OS.SysErr (_, SOME e) => OS.errorName e
val () = print (error (fn () => IO.fsync outfd) ^ "\n")
val () = (IO.close infd; IO.close outfd)
val () = print (error (fn () => IO.fsync outfd) ^ "\n")
(* in a child, too *)
val () =
  case Posix.Process.fork () of
    NONE => (IO.fsync fd; Posix.Process.exit 0w3)
  | SOME pid =>
      print (case Posix.Process.waitpid (Posix.Process.W_CHILD pid, []) of
               (_, Posix.Process.W_EXITSTATUS 0w3) => "done in a child\n"
             | _ => "another end\n")
val () = OS.FileSys.remove name
val () = OS.Process.exit OS.Process.success
