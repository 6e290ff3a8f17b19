(* The child of a fork ends with its own exit code, whatever it has started. It ran on an OS thread whose caller stays behind
   in the parent: the code was lost, and once a second thread had been made, the child never ended (MLton's test suspend). *)

structure P = Posix.Process

fun child f =
  case P.fork () of
    NONE => (f (); OS.Process.exit OS.Process.success)
  | SOME pid =>
      (case P.waitpid (P.W_CHILD pid, []) of
         (_, P.W_EXITED) => print "0\n"
       | (_, P.W_EXITSTATUS w) => print (Word8.fmt StringCvt.DEC w ^ "\n")
       | (_, P.W_SIGNALED _) => print "signal\n"
       | (_, P.W_STOPPED _) => print "stopped\n")

val () = child (fn () => OS.Process.exit OS.Process.failure)
val () = child (fn () => Posix.Process.exit 0w7)
val () = child (fn () => (raise Fail "in the child") handle Fail _ => Posix.Process.exit 0w9)
val () =
  child
    (fn () =>
       let val done = SyncVar.iVar ()
       in
         ignore (CML.spawn (fn () => SyncVar.iPut (done, 3)));
         if SyncVar.iGet done = 3 then P.sleep (Time.fromMilliseconds 1) else P.sleep Time.zeroTime;
         ignore (OS.Process.exit OS.Process.failure)
       end)

(* a signal to the child, which waits for it; it may come before the child waits *)
structure S = MLton.Signal
val {infd, outfd} = Posix.IO.pipe ()
val () =
  case P.fork () of
    NONE =>
      (S.Mask.block (S.Mask.some [Posix.Signal.int]);
       S.setHandler (Posix.Signal.int, S.Handler.simple (fn () => print "the child got it\n"));
       ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Word8Vector.fromList [0w1])));
       S.suspend S.Mask.none;
       print "the child is done\n")
  | SOME pid =>
      (ignore (Posix.IO.readVec (infd, 1));
       P.kill (P.K_PROC pid, Posix.Signal.int);
       ignore (P.waitpid (P.W_CHILD pid, []));
       print "the parent is done\n")
