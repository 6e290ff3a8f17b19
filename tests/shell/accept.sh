# A server without a descriptor for the next client waits until one has gone, says so once, and goes on. (It ended with an
# uncaught exception, "Too many open files".) A server of lines is tried here, and that two shortages that follow
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
(* In a choice: it does not happen until there is a descriptor, and what else is chosen leaves the connection. (The choice was
   over, and its time-out did not happen.) *)
val () =
  let
    val client = connect ()
    val held = hold []
    fun accept time = CML.select [CML.wrap (Socket.acceptEvt server, SOME), CML.wrap (CML.timeOutEvt time, fn () => NONE)]
    val short = Time.fromMilliseconds 30
  in
    print (if isSome (accept short) orelse isSome (accept short) then "early\n" else "time-out, twice\n");
    Posix.IO.close (hd held);
    Socket.close (#1 (valOf (accept (Time.fromSeconds 50))));
    print (if isSome (accept short) then "early\n" else "nobody else\n");
    List.app Posix.IO.close (tl held);
    (* all but the one that the event has kept *)
    print (if length (hold []) = length held - 1 then "none is lost\n" else "lost\n");
    Socket.close client
  end
SML
(ulimit -n 40; timeout 60 "$LEAT" run p.sml 2>&1)
# A server of HTTP in this state stops when it is asked to.
cat > http.mlb <<'MLB'
$(SML_LIB)/basis/basis.mlb
$(SML_LIB)/cml/cml.mlb
$(SML_LIB)/leat/http.mlb
http.sml
MLB
cat > http.sml <<'SML'
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
fun connect () =
  let
    val s : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
  in
    Socket.connect (s, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), port));
    s
  end
val client = connect ()
fun hold held =
  case SOME (Posix.IO.dup Posix.FileSys.stderr) handle OS.SysErr _ => NONE of SOME fd => hold (fd :: held) | NONE => held
val held = hold []
val () =
  HTTPServer.serve
    [HTTPServer.StopWhen (CML.timeOutEvt (Time.fromMilliseconds 50)), HTTPServer.GraceTime (Time.fromSeconds 100)]
    listener
    (fn _ => HTTP.text 200 "hello")
val () = List.app Posix.IO.close held
val () = print "stopped\n"
SML
(ulimit -n 40; timeout 60 "$LEAT" run http.mlb 2>&1)
cat > server.sml <<'SML'
structure Lines =
struct
  type socket = (INetSock.inet, Socket.active Socket.stream) Socket.sock

  (* what was received and is no whole line yet *)
  type reader = {socket : socket, rest : string ref}

  val longest = 65536

  fun reader socket = {socket = socket, rest = ref ""}

  fun read (reader as {socket, rest}) =
    case Substring.splitl (fn c => c <> #"\n") (Substring.full (!rest)) of
      (line, more) =>
        if not (Substring.isEmpty more) then
          (rest := Substring.string (Substring.triml 1 more);
           SOME (Substring.string (Substring.dropr (fn c => c = #"\r") line)))
        else if size (!rest) > longest then NONE
        else
          let
            val bytes = Socket.recvVec (socket, 4096)
          in
            if Word8Vector.length bytes = 0 then NONE
            else (rest := !rest ^ Byte.bytesToString bytes; read reader)
          end

  fun write (socket, line) =
    let
      fun send slice =
        if Word8VectorSlice.isEmpty slice then ()
        else send (Word8VectorSlice.subslice (slice, Socket.sendVec (socket, slice), NONE))
    in
      send (Word8VectorSlice.full (Byte.stringToBytes (line ^ "\n")))
    end
end
structure Server =
struct
  type listener = (INetSock.inet, Socket.passive Socket.stream) Socket.sock

  fun listen port =
    let
      val listener = INetSock.TCP.socket ()
      val loopback = valOf (NetHostDB.fromString "127.0.0.1")
    in
      Socket.Ctl.setREUSEADDR (listener, true);
      Socket.bind (listener, INetSock.toAddr (loopback, port));
      Socket.listen (listener, 128);
      listener
    end

  fun port listener = #2 (INetSock.fromAddr (Socket.Ctl.getSockName listener))

  (* A client that goes away in the middle is no matter. *)
  fun client (socket, answer) =
    let
      val reader = Lines.reader socket
      fun loop () =
        case Lines.read reader of
          SOME line => (Lines.write (socket, answer line); loop ())
        | NONE => ()
    in
      loop () handle OS.SysErr _ => ();
      Socket.close socket
    end

  fun serve (listener, answer) =
    let
      val (socket, _) = Socket.accept listener
    in
      ignore (CML.spawn (fn () => client (socket, answer)));
      serve (listener, answer)
    end
end
val port = valOf (Int.fromString (hd (CommandLine.arguments ())))
val listener = Server.listen port
val () = print ("listening on port " ^ Int.toString (Server.port listener) ^ "\n")
val () = Server.serve (listener, String.implode o rev o String.explode)
SML
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
"$LEAT" build server.sml -o server > /dev/null
(ulimit -n 30; exec ./server 0) > out 2>&1 & server=$!
for i in $(seq 200); do grep -q listening out && break; sleep 0.05; done
timeout 60 ./clients $(sed -n 's/listening on port //p' out)
kill $server; wait $server; echo $?
sed 's/port .*/port/' out
