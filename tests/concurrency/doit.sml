(* When doit ends without shutdown: as in SML/NJ with failure, when no thread can ever run again. It is a deadlock, and
   reported, only if the program's function has not returned (`exit`, or an exception, had counted as if it still ran). *)
open CML
fun run (name, f) =
  let val status = RunCML.doit (f, NONE)
  in print (name ^ ": " ^ (if OS.Process.isSuccess status then "success" else "failure") ^ "\n") end

(* servers that nobody asks any more *)
fun server ch () = let fun loop () = (recv ch; loop ()) in loop () end
val requests : int chan = channel ()
val () = run ("served", fn () => (ignore (spawn (server requests)); send (requests, 1); print "asked\n"))
val () = run ("exit", fn () => (ignore (spawn (server requests)); send (requests, 1); exit ()))
val () = run ("raise", fn () => (ignore (spawn (server requests)); send (requests, 1); raise Fail "over"))
(* it waits for those that will go on *)
val () = run ("time-out", fn () => ignore (spawn (fn () => (sync (timeOutEvt (Time.fromMilliseconds 20)); print "later\n"))))
val {infd, outfd} = Posix.IO.pipe ()
val () =
  run ("descriptor", fn () =>
    (ignore (spawn (fn () => print ("got " ^ Int.toString (Word8Vector.length (Posix.IO.readVec (infd, 5))) ^ "\n")));
     ignore (spawn (fn () =>
       (OS.Process.sleep (Time.fromMilliseconds 20);
        ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Word8Vector.fromList [0w1]))))))))
(* the function itself never returns *)
val () = run ("blocked", fn () => ignore (recv (channel () : int chan)))
(* a handler that is set does not keep a program alive whose function has returned *)
val () = run ("handler", fn () => MLton.Signal.setHandler (Posix.Signal.usr1, MLton.Signal.Handler.simple (fn () => ())))
val () = MLton.Signal.setHandler (Posix.Signal.usr1, MLton.Signal.Handler.default)
(* a server on a socket waits for what may come: here it is shut down. It would wait
   under another doit too, since threads that are left go on. *)
val () =
  run ("socket", fn () =>
    let val s = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
    in
      Socket.bind (s, INetSock.any 0);
      Socket.listen (s, 5);
      ignore (spawn (fn () => ignore (Socket.accept s)));
      ignore (spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 20); RunCML.shutdown OS.Process.success)))
    end)
