(* A pipe that only this program has is non-blocking, behind the program's back. A child must not see that: `cat` would end with
   "resource temporarily unavailable". Nor must the program. *)

structure P = Posix.Process
structure O = Posix.IO
fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun write (fd, s) = ignore (O.writeVec (fd, bytes s))
fun closeBoth {infd, outfd} = (O.close infd; O.close outfd)
fun inChild f =
  case P.fork () of
    NONE => (f (); P.exit 0w1)
  | SOME pid => pid
fun ended pid =
  case P.waitpid (P.W_CHILD pid, []) of
    (_, P.W_EXITED) => say "ended well"
  | (_, P.W_EXITSTATUS w) => say ("status " ^ Word8.fmt StringCvt.DEC w)
  | _ => say "a signal"
fun all fd =
  let
    fun go parts =
      let val s = Byte.bytesToString (O.readVec (fd, 5000))
      in if s = "" then concat (rev parts) else go (s :: parts) end
  in go [] end
fun later f = ignore (CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 20); f ())))

(* it has to wait for its input; its output waits for room *)
val () =
  let
    val to = O.pipe ()
    val from = O.pipe ()
    val pid = inChild (fn () =>
      (O.dup2 {old = #infd to, new = Posix.FileSys.stdin};
       O.dup2 {old = #outfd from, new = Posix.FileSys.stdout};
       closeBoth to;
       closeBoth from;
       P.execp ("cat", ["cat"])))
    val text = CharVector.tabulate (200000, fn i => chr (97 + i mod 26))
    fun send part =
      if Word8VectorSlice.length part = 0 then O.close (#outfd to)
      else send (Word8VectorSlice.subslice (part, O.writeVec (#outfd to, part), NONE))
  in
    O.close (#infd to);
    O.close (#outfd from);
    later (fn () => send (bytes text));
    say (if all (#infd from) = text then "all came back" else "it is not the same");
    O.close (#infd from);
    ended pid
  end

(* the same as standard input of this program, and of those that it starts *)
val () =
  let
    val p = O.pipe ()
    val kept = O.dup Posix.FileSys.stdin
  in
    O.dup2 {old = #infd p, new = Posix.FileSys.stdin};
    later (fn () => (write (#outfd p, "a line\n"); O.close (#outfd p)));
    say (if OS.Process.isSuccess (OS.Process.system "read line; test \"$line\" = 'a line'") then "a line came" else "no line came");
    O.dup2 {old = kept, new = Posix.FileSys.stdin};
    O.close kept;
    O.close (#infd p)
  end

(* by its number, with which the child begins *)
val () =
  let
    val p = O.pipe ()
    val number = SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord (#infd p))
  in
    O.setfd (#infd p, O.FD.flags []);
    later (fn () => write (#outfd p, "another\n"));
    say (if OS.Process.isSuccess (OS.Process.system ("read line <&" ^ number ^ "; test \"$line\" = another")) then "another came"
         else "no other came");
    closeBoth p
  end

(* a child's own pipe *)
val () =
  ended (inChild (fn () =>
    let val p = O.pipe ()
    in
      write (#outfd p, "ok\n");
      O.dup2 {old = #infd p, new = Posix.FileSys.stdin};
      O.close (#outfd p);
      P.execp ("sh", ["sh", "-c", "read line; test \"$line\" = ok && ! read line"])
    end))

(* the program sees the flags that it has set *)
val () =
  let
    val p = O.pipe ()
    fun isSet () = O.O.allSet (O.O.nonblock, #1 (O.getfl (#infd p)))
    fun read () = (ignore (O.readVec (#infd p, 1)); "a byte") handle OS.SysErr (_, SOME e) => OS.errorName e | _ => "?"
    val first = isSet ()
    val () = O.setfl (#infd p, O.O.nonblock)
    val empty = read ()
    val afterwards = isSet ()
    val () = O.setfl (#infd p, O.O.flags [])
    val () = later (fn () => write (#outfd p, "x"))
    val waited = read ()
  in
    say (String.concatWith " " [Bool.toString first, empty, Bool.toString afterwards, waited, Bool.toString (isSet ())]);
    closeBoth p
  end

(* Threads talk by pipes while the program forks again and again: nobody waits in the system, nothing is lost. *)
val () =
  let
    val finished = CML.channel () : int CML.chan
    fun talk _ =
      let
        val p = O.pipe ()
        fun send 0 = () | send n = (write (#outfd p, "x"); CML.yield (); send (n - 1))
        fun get (0, sum) = (closeBoth p; CML.send (finished, sum))
          | get (n, sum) = let val k = Word8Vector.length (O.readVec (#infd p, 1)) in get (n - k, sum + k) end
      in
        ignore (CML.spawn (fn () => send 60));
        ignore (CML.spawn (fn () => get (60, 0)))
      end
    val () = List.app talk (List.tabulate (10, fn i => i))
    val pids = List.tabulate (6, fn _ => (CML.yield (); inChild (fn () => P.exit 0w0)))
    val sum = List.foldl op + 0 (List.tabulate (10, fn _ => CML.recv finished))
  in
    List.app (fn pid => ignore (P.waitpid (P.W_CHILD pid, []))) pids;
    say (Int.toString sum)
  end
