# A server without a descriptor for the next client waits until one has gone, says so once, and goes on. (It ended with an
# uncaught exception, "Too many open files".) What `leat new --server` makes is tried here, and that two shortages that follow
# each other are told of once.
cat > p.sml <<'SML'
val host = valOf (NetHostDB.fromString "127.0.0.1")
val server : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = (Socket.bind (server, INetSock.toAddr (host, 0)); Socket.listen (server, 50))
val at = Socket.Ctl.getSockName server
fun connect () : Socket.active INetSock.stream_sock =
  let val s = INetSock.TCP.socket () in Socket.connect (s, at); s end
fun hold held =
  case SOME (Posix.IO.dup Posix.FileSys.stderr) handle OS.SysErr _ => NONE of SOME fd => hold (fd :: held) | NONE => held
fun accepted how =
  let
    val client = connect ()
    val held = hold []
    val got = SyncVar.iVar ()
    val _ = CML.spawn (fn () => SyncVar.iPut (got, #1 (how server)))
  in
    OS.Process.sleep (Time.fromMilliseconds 30);
    print (if isSome (SyncVar.iGetPoll got) then "early\n" else "waits\n");
    Posix.IO.close (hd held);
    Socket.close (SyncVar.iGet got);
    print "accepted\n";
    List.app Posix.IO.close (tl held);
    Socket.close client
  end
val () = accepted Socket.accept
val () = accepted (CML.sync o Socket.acceptEvt)
SML
(ulimit -n 40; timeout 60 "$LEAT" run p.sml 2>&1)
"$LEAT" new --server srv > /dev/null
cat > clients.sml <<'SML'
(* sixty clients, half of which wait for a descriptor of the server; each gets its answer in the end *)
val port = valOf (Int.fromString (hd (CommandLine.arguments ())))
val at = INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port)
fun connect () : Socket.active INetSock.stream_sock =
  let val s = INetSock.TCP.socket () in Socket.connect (s, at); s end
fun try 0 = connect ()
  | try n = connect () handle OS.SysErr _ => (OS.Process.sleep (Time.fromMilliseconds 50); try (n - 1))
val first = try 400
val clients = first :: List.tabulate (59, fn _ => connect ())
val () = OS.Process.sleep (Time.fromMilliseconds 300)
fun answered s =
  (ignore (Socket.sendVec (s, Word8VectorSlice.full (Byte.stringToBytes "x\n")));
   Word8Vector.length (Socket.recvVec (s, 100)) > 0) before Socket.close s
val () = print (Int.toString (length (List.filter answered clients)) ^ " answered\n")
SML
"$LEAT" build clients.sml -o clients
(cd srv && "$LEAT" build . -o ../server > /dev/null)
(ulimit -n 30; exec ./server --port=0) > out 2>&1 & server=$!
for i in $(seq 200); do grep -q listening out && break; sleep 0.05; done
timeout 60 ./clients $(sed -n 's/listening on port //p' out)
kill $server; wait $server; echo $?
sed 's/port .*/port/' out
