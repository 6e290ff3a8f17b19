(* Socket.connect to a server at a path that has no room for another connection just now.
   Basis, Socket.connect: it blocks until the connection is made (only connectNB does not wait).
   expected: 1, 2, 3, 4 connected.
   found: 3 and 4: SysErr: Resource temporarily unavailable (a socket that blocks waits here).
   Cause, lib/basis/socket.sml, `connect`: sockets are non-blocking, and for the family AF_UNIX Linux answers EAGAIN, not
   EINPROGRESS, when the backlog is full; `connectNB` raises it.
   Mend (tried): unix-socket-connect-again.patch: asked again after pauses, as `accept` does, for there is no event of it.
   connectEvt still raises it at the synchronisation. *)
(* clients of a Unix socket whose server is busy for a while *)
val path = OS.FileSys.tmpName ()
val () = OS.FileSys.remove path
val listener = UnixSock.Strm.socket () : Socket.passive UnixSock.stream_sock
val () = (Socket.bind (listener, UnixSock.toAddr path); Socket.listen (listener, 1))
fun serve 0 = () | serve n = (ignore (Socket.accept listener); serve (n - 1))
val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 100); serve 4))
fun client n =
  let val s = UnixSock.Strm.socket () : Socket.active UnixSock.stream_sock
  in
    (Socket.connect (s, UnixSock.toAddr path); print (Int.toString n ^ " connected\n"))
    handle e => print (Int.toString n ^ " " ^ exnMessage e ^ "\n")
  end
val () = List.app client [1, 2, 3, 4]
val () = OS.FileSys.remove path
