(* Threads that wait for descriptors: many for one, one for many; closing wakes; what is full is waited for. *)

fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun read (fd, n) = Byte.bytesToString (Posix.IO.readVec (fd, n))
fun write (fd, s) = Posix.IO.writeVec (fd, bytes s)
fun writeAll (fd, s) =
  let
    fun go part =
      if Word8VectorSlice.length part = 0 then ()
      else go (Word8VectorSlice.subslice (part, Posix.IO.writeVec (fd, part), NONE))
  in
    go (bytes s)
  end

(* a ring of pipes through threads: each passes on what it reads *)
fun ring n =
  let
    val pipes = Vector.tabulate (n + 1, fn _ => Posix.IO.pipe ())
    fun stage i () =
      case read (#infd (Vector.sub (pipes, i)), 16) of
        "" => Posix.IO.close (#outfd (Vector.sub (pipes, i + 1)))
      | s => (ignore (write (#outfd (Vector.sub (pipes, i + 1)), s)); stage i ())
    val () = List.app (fn i => ignore (CML.spawn (stage i))) (List.tabulate (n, fn i => i))
    val first = #outfd (Vector.sub (pipes, 0))
    val last = #infd (Vector.sub (pipes, n))
    fun round 0 = ()
      | round k = (ignore (write (first, "token")); if read (last, 16) = "token" then round (k - 1) else say "lost")
  in
    round 5;
    Posix.IO.close first;
    say ("end of the ring: " ^ Int.toString (size (read (last, 16))));
    Vector.app (fn {infd, ...} => Posix.IO.close infd) pipes
  end
val () = ring 50

(* several wait for one descriptor; each message goes to one of them *)
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val ch = CML.channel ()
    fun worker () = (CML.send (ch, read (infd, 1)); ())
    val () = List.app (fn _ => ignore (CML.spawn worker)) (List.tabulate (20, fn i => i))
    val () = CML.yield ()
    val () = ignore (CML.spawn (fn () => List.app (fn c => (ignore (write (outfd, str c)); CML.yield ())) (explode "abcdefghijklmnopqrst")))
    val got = List.tabulate (20, fn _ => CML.recv ch)
    fun insert (s, []) = [s]
      | insert (s, t :: rest) = if s <= t then s :: t :: rest else t :: insert (s, rest)
  in
    say (concat (List.foldl insert [] got))
  end

(* closing wakes those who wait, with an error. (tests/order/closing: the number may be another pipe's at once.) *)
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val ch = CML.channel ()
    fun waiter () =
      CML.send (ch, read (infd, 1) handle OS.SysErr (_, SOME e) => OS.errorName e | _ => "?")
    val () = List.app (fn _ => ignore (CML.spawn waiter)) [1, 2, 3]
    val () = CML.yield ()
    val () = Posix.IO.close infd
  in
    (* one that comes later finds it closed *)
    say (String.concatWith " " (List.tabulate (3, fn _ => CML.recv ch)));
    (ignore (write (outfd, "x")); say "?") handle OS.SysErr (_, SOME e) => say (OS.errorName e)
  end

(* a full pipe blocks its writer only; all of it arrives in order *)
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val text = CharVector.tabulate (300000, fn i => chr (97 + i mod 26))
    val _ = CML.spawn (fn () => (writeAll (outfd, text); Posix.IO.close outfd))
    fun all (parts, n) =
      case read (infd, 10000) of
        "" => concat (rev parts)
      | s => all (s :: parts, n + 1)
  in
    say (if all ([], 0) = text then "all there" else "not all there")
  end

(* a child gets ordinary descriptors *)
val () =
  let
    val p = Unix.execute ("/bin/sh", ["-c", "while read line; do echo \"<$line>\"; done; exit 7"]) : (TextIO.instream, TextIO.outstream) Unix.proc
    val (from, to) = Unix.streamsOf p
    val _ = CML.spawn (fn () =>
      (List.app (fn i => TextIO.output (to, Int.toString i ^ "\n")) (List.tabulate (100, fn i => i)); TextIO.closeOut to))
    val text = TextIO.inputAll from
  in
    say (String.substring (text, 0, 12) ^ Int.toString (size text));
    case Unix.fromStatus (Unix.reap p) of
      Unix.W_EXITSTATUS w => say ("status " ^ Word8.toString w)
    | _ => say "?"
  end

(* OS.IO.poll: what is ready; a time-out; a thread beside it goes on *)
val () =
  let
    val a = Posix.IO.pipe ()
    val b = Posix.IO.pipe ()
    fun inOf {infd, outfd = _ : Posix.IO.file_desc} = OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd)))
    fun outOf {outfd, infd = _ : Posix.IO.file_desc} = OS.IO.pollOut (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD outfd)))
    fun count l = Int.toString (length l)
    val none = OS.IO.poll ([inOf a, inOf b], SOME (Time.fromMilliseconds 5))
    val _ = CML.spawn (fn () => ignore (write (#outfd b, "x")))
    val one = OS.IO.poll ([inOf a, inOf b], NONE)
    val two = OS.IO.poll ([inOf b, outOf a], SOME Time.zeroTime)
    val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 3); ignore (write (#outfd a, "y"))))
    val later = OS.IO.poll ([inOf a], SOME (Time.fromSeconds 20))
    val event = CML.select [OS.IO.pollEvt [inOf a], CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => [])]
  in
    say (String.concatWith " " (map count [none, one, two, later, event]));
    List.app (fn {infd, outfd} => (Posix.IO.close infd; Posix.IO.close outfd)) [a, b]
  end

(* commands in parallel, and as events *)
val () =
  let
    val ch = CML.channel ()
    val () = List.app (fn i => ignore (CML.spawn (fn () => CML.send (ch, OS.Process.isSuccess (OS.Process.system "sleep 0.02"))))) [1, 2, 3, 4, 5]
    val all = List.tabulate (5, fn _ => CML.recv ch)
    val quick = CML.select [CML.wrap (OS.Process.systemEvt "exit 3", fn s => not (OS.Process.isSuccess s)),
                            CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => false)]
    (* it waits until our end of a pipe is closed *)
    val {infd, outfd} = Posix.IO.pipe ()
    val () = Posix.IO.setfd (outfd, Posix.IO.FD.cloexec)
    val waits = "exec cat <&" ^ SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord infd)
    val slow = CML.select [CML.wrap (OS.Process.systemEvt waits, fn _ => false),
                           CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 5), fn () => true)]
    val () = (Posix.IO.close infd; Posix.IO.close outfd)
  in
    say (String.concatWith " " (map Bool.toString (quick :: slow :: all)))
  end
