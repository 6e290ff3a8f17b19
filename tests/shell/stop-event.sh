# A server of its own protocol ends at SIGTERM when its clients are served. (The event for that was one of the web server only,
# and the second call of it took the signal from the first.)
cat > server.sml <<'SML'
val listener : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 5)
val (first, second) = (Leat.stopEvt (), Leat.stopEvt ())
val () = print "listening\n"
val () = TextIO.flushOut TextIO.stdOut
fun serve stop =
  CML.select [CML.wrap (Socket.acceptEvt listener, fn (s, _) => (Socket.close s; serve stop)),
              CML.wrap (stop, fn () => print "stops\n")]
val () = (serve first; serve second)
(* one that is made later waits for another signal *)
val later = Leat.stopEvt ()
val () = CML.select [CML.wrap (later, fn () => print "again\n"), CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 50), fn () => print "not yet\n")]
val () = print "waits\n"
val () = TextIO.flushOut TextIO.stdOut
val () = CML.sync later
val () = print "ends\n"
SML
"$LEAT" build server.sml -o server > /dev/null
./server > log 2>&1 & server=$!
for i in $(seq 200); do grep -q listening log && break; sleep 0.05; done
kill -TERM $server
for i in $(seq 200); do grep -q waits log && break; sleep 0.05; done
kill -INT $server
wait $server; echo $?
cat log
