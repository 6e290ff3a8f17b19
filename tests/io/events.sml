(* Events of streams, and callbacks. *)

fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun piped () =
  let val {infd, outfd} = Posix.IO.pipe ()
  in (TextIO.mkInstream (TextIO.StreamIO.mkInstream (Posix.IO.mkTextReader {fd = infd, name = "pipe", initBlkMode = true}, "")), outfd) end
fun write (fd, s) = ignore (Posix.IO.writeVec (fd, bytes s))
fun limited (evt, none) = CML.select [evt, CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 5), fn () => none)]
fun patient (evt, none) = CML.select [evt, CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => none)]
fun quote NONE = "none"
  | quote (SOME s) = String.toString s

(* a line in pieces: nothing is taken before it is whole *)
val (s, out) = piped ()
val () = write (out, "first ")
val () = say (quote (limited (TextIO.inputLineEvt s, SOME "time-out")))
val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 3); write (out, "line\nsecond")))
val () = say (quote (patient (TextIO.inputLineEvt s, SOME "time-out")))
val () = say (patient (TextIO.inputNEvt (s, 3), "time-out"))
val () = say (quote (Option.map str (patient (TextIO.input1Evt s, NONE))))
val () = say (patient (TextIO.inputEvt s, "time-out"))
val () = say (limited (TextIO.inputEvt s, "time-out"))
val _ = CML.spawn (fn () => (write (out, "all "); OS.Process.sleep (Time.fromMilliseconds 3); write (out, "the rest"); Posix.IO.close out))
val () = say (patient (TextIO.inputAllEvt s, "time-out"))
val () = say (quote (patient (TextIO.inputLineEvt s, SOME "time-out")))

(* channels as streams *)
val ch = CML.channel ()
val from = TextIO.openChanIn ch
val to = TextIO.openChanOut ch
val _ = CML.spawn (fn () => (TextIO.output (to, "over a "); TextIO.output (to, "channel\n"); CML.send (ch, "")))
val () = say (quote (TextIO.inputLine from))
val () = say (quote (TextIO.inputLine from))

(* a child's end: it waits until our end of a pipe is closed *)
val {infd, outfd} = Posix.IO.pipe ()
val () = Posix.IO.setfd (outfd, Posix.IO.FD.cloexec)
val waits = "read line <&" ^ SysWord.fmt StringCvt.DEC (Posix.FileSys.fdToWord infd) ^ "; exit 5"
val p = Unix.execute ("/bin/sh", ["-c", waits]) : (TextIO.instream, TextIO.outstream) Unix.proc
val () = say (limited (CML.wrap (Unix.reapEvt p, fn _ => "?"), "not yet"))
val () = (Posix.IO.close infd; Posix.IO.close outfd)
val () = say (case Option.map Unix.fromStatus (patient (CML.wrap (Unix.reapEvt p, SOME), NONE)) of SOME (Unix.W_EXITSTATUS w) => Word8.toString w | _ => "?")

(* callbacks: as long as it is ready; changed; taken back; time-outs in order, moved and taken back *)
structure M = EventManager
val {infd, outfd} = Posix.IO.pipe ()
val log = CML.channel ()
fun note s = ignore (CML.spawn (fn () => CML.send (log, s)))
val times = ref 0
val key = M.register (Posix.FileSys.fdToIOD infd, M.evtRead, fn (key, e) =>
  (times := !times + 1;
   (* not read the first time: told again *)
   if !times < 2 then note "told"
   else (note (Byte.bytesToString (Posix.IO.readVec (infd, 10))); M.unregister key)))
val () = write (outfd, "data")
val () = say (CML.recv log)
val () = say (CML.recv log)
val () = write (outfd, "more")
val () = say (limited (CML.recvEvt log, "nothing"))
val w = M.register (Posix.FileSys.fdToIOD outfd, M.evtRead, fn (key, e) => (note (if M.hasWrite e then "writable" else "?"); M.unregister key))
val () = say (limited (CML.recvEvt log, "nothing"))
val () = M.modify (w, M.evtWrite)
val () = say (CML.recv log)
fun ms n = Time.fromMilliseconds n
(* their order: order/callbacks-in-order *)
val hour = Time.fromSeconds 3600
val a = M.registerTimeout (ms 30, fn () => CML.send (log, "early"))
val b = M.registerTimeout (hour, fn () => CML.send (log, "never"))
val c = M.registerTimeout (hour, fn () => CML.send (log, "moved"))
val () = say (CML.recv log)
val () = M.unregisterTimeout b
val () = M.updateTimeout (b, ms 1)
val () = M.unregisterTimeout b
val () = M.updateTimeout (c, ms 30)
val () = say (CML.recv log)

(* two keys of one descriptor; the second ends the first *)
fun told s = CML.send (log, s)
val first = ref (NONE : M.key option)
val () = first := SOME (M.register (Posix.FileSys.fdToIOD outfd, M.evtWrite, fn _ => told "first"))
val second = M.register (Posix.FileSys.fdToIOD outfd, M.evtBoth, fn (_, e) =>
  (Option.app M.unregister (!first); told (if M.hasWrite e then "second" else "?")))
fun until s = if CML.recv log = s then () else until s
val () = until "second"
val () = say (String.concatWith " " (List.tabulate (3, fn _ => CML.recv log)))
val () = M.modify (second, M.evtRead)
(* One may have been under way. Time-outs and descriptors have their turns in one thread, so between two time-outs there
   is a turn of this one. *)
fun mark () = M.registerTimeout (ms 1, fn () => told "no more")
fun upTo () = if CML.recv log = "no more" then () else upTo ()
val _ = mark ()
val () = upTo ()
val _ = mark ()
val () = say (CML.recv log)
val () = M.unregister second

(* what was read through another descriptor is not told of: the callback would wait, and all others with it *)
val {infd, outfd} = Posix.IO.pipe ()
val other = Posix.IO.dup infd
val key = M.register (Posix.FileSys.fdToIOD infd, M.evtRead, fn _ => told (Byte.bytesToString (Posix.IO.readVec (other, 1))))
fun letter s = (write (outfd, s); CML.recv log)
val () = say (String.concat (List.map letter ["a", "b", "cd"]) ^ CML.recv log)
val _ = M.registerTimeout (ms 1, fn () => told "no more")
val () = say (CML.recv log)
val () = M.unregister key

(* a time-out that ends itself and begins again *)
val count = ref 0
val again = SyncVar.iVar () : M.timeout_key SyncVar.ivar
val () = SyncVar.iPut (again, M.registerTimeout (ms 5, fn () =>
  (count := !count + 1;
   if !count < 3 then M.updateTimeout (SyncVar.iGet again, ms 1) else M.unregisterTimeout (SyncVar.iGet again);
   told (Int.toString (!count)))))
val () = say (String.concatWith " " (List.tabulate (3, fn _ => CML.recv log)))
val () = say (limited (CML.recvEvt log, "no more"))

(* the event of one descriptor by the name, and with the types, that MLton gives it; poll_info was not there *)
val {infd, outfd} = Posix.IO.pipe ()
val ready : IOManager.poll_info CML.event =
  IOManager.ioEvt (OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd))))
val () = say (limited (CML.wrap (ready, fn _ => "readable"), "time-out"))
val () = write (outfd, "x")
val () = say (patient (CML.wrap (ready, fn info => if OS.IO.isIn info then "readable" else "?"), "time-out"))
