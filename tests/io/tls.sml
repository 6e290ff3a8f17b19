(* Leat against Leat by TLS: what is agreed on, what is refused and why, and that nothing is lost. *)

open CML
fun say parts = print (concat parts ^ "\n")
fun bytes text = Byte.stringToBytes text
fun send (s, text) = Tls.sendVec (s, Word8VectorSlice.full (bytes text))

val server = {chain = Keys.serverPEM, key = Keys.serverKey}
val serverCert = Tls.CertificatePEM server
val clientCert = Tls.CertificatePEM {chain = Keys.clientPEM, key = Keys.clientKey}
val trust = Tls.TrustPEM Keys.caPEM
(* The system's certificates do not matter here. *)
fun client settings = Tls.client (Tls.NotTheSystem :: settings)
val usual = client [trust]

fun word (Tls.Failed (problem, text)) =
      (case problem of
         Tls.UNKNOWN_ISSUER => "UNKNOWN_ISSUER"
       | Tls.SELF_SIGNED => "SELF_SIGNED"
       | Tls.WRONG_NAME => "WRONG_NAME"
       | Tls.EXPIRED => "EXPIRED"
       | Tls.NOT_YET_VALID => "NOT_YET_VALID"
       | Tls.BAD_CERTIFICATE => "BAD_CERTIFICATE"
       | Tls.NO_CERTIFICATE => "NO_CERTIFICATE"
       | Tls.NOT_TLS => "NOT_TLS"
       | Tls.INCOMPATIBLE => "INCOMPATIBLE"
       | Tls.REFUSED => "REFUSED"
       | Tls.TRUNCATED => "TRUNCATED"
       | Tls.SETTING => "SETTING"
       | Tls.CLOSED => "CLOSED"
       | Tls.OTHER => "OTHER")
      ^ ": "
      ^ text
  | word e = exnName e

(* The result of both functions, which run at once with the two ends of a connection. *)
fun both (atServer, atClient) =
  let
    val (a, b) = UnixSock.Strm.socketPair ()
    val said = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (said, atServer a handle e => word e))
    val mine = atClient b handle e => word e
  in
    (SyncVar.iGet said, mine)
  end

fun echo s =
  let
    val v = Tls.recvVec (s, 4096)
  in
    if Word8Vector.length v = 0 then Tls.close s
    else (Tls.sendVec (s, Word8VectorSlice.full v); echo s)
  end

fun shown ({version, protocol, name, certificates, ...} : Tls.agreement) =
  concat [version,
          " ",
          Option.getOpt (protocol, "-"),
          " ",
          Option.getOpt (name, "-"),
          " ",
          Int.toString (length certificates)]

(* Both sides agree, or not; then a text goes there and back. *)
fun meet label (atServer, (atClient, host)) =
  let
    fun serve sock =
      let
        val s = Tls.accept (Tls.server atServer) sock
        val what = shown (Tls.agreement s)
      in
        (echo s; what) handle e => (Tls.close s; raise e)
      end
    fun ask sock =
      let
        val s = Tls.connect (client atClient, host) sock
      in
        (send (s, "hello");
         if Byte.bytesToString (Tls.recvVec (s, 4096)) = "hello" then ()
         else raise Fail "another text";
         shown (Tls.agreement s) before Tls.close s)
        handle e => (Tls.close s; raise e)
      end
    val (a, b) = both (serve, ask)
  in
    say [label, "\n  server: ", a, "\n  client: ", b]
  end

val () = meet "usual" ([serverCert], ([trust], "localhost"))
val () = meet "address" ([serverCert], ([trust], "127.0.0.1"))
val () = meet "server 1.2" ([serverCert, Tls.Only12], ([trust], "localhost"))
val () = meet "client 1.2" ([serverCert], ([trust, Tls.Only12], "localhost"))
val () = meet "1.2 and 1.3" ([serverCert, Tls.Only13], ([trust, Tls.Only12], "localhost"))
val () =
  meet
    "protocols"
    ([serverCert, Tls.Protocols ["a", "b"]], ([trust, Tls.Protocols ["x", "b", "a"]], "localhost"))
val () =
  meet
    "no protocol"
    ([serverCert, Tls.Protocols ["a"]], ([trust, Tls.Protocols ["b"]], "localhost"))
val () =
  meet "two names" ([serverCert, Tls.CertificatePEM {chain = Keys.otherPEM, key = Keys.otherKey}],
                    ([trust], "other.example"))
val () =
  List.app
    (fn (label, version) =>
      (meet
         ("client's certificate " ^ label)
         ([serverCert, trust, Tls.RequireClients, version], ([trust, clientCert], "localhost"));
       meet
         ("no client's certificate " ^ label)
         ([serverCert, trust, Tls.RequireClients, version], ([trust], "localhost"))))
    [("1.2", Tls.Only12), ("1.3", Tls.Only13)]
val () =
  meet "asked, and none" ([serverCert, trust, Tls.AskClients], ([trust], "localhost"))
val () =
  meet "a client that is not trusted" ([serverCert,
                                        Tls.TrustPEM Keys.selfPEM,
                                        Tls.RequireClients,
                                        Tls.Only12],
                                       ([trust, clientCert], "localhost"))

(* -- certificates that are refused *)

val () = meet "wrong name" ([serverCert], ([trust], "elsewhere.example"))
val () = meet "wrong address" ([serverCert], ([trust], "127.0.0.2"))
fun of' (chain, key) = [Tls.CertificatePEM {chain = chain, key = key}]
val () = meet "expired" (of' (Keys.expiredPEM, Keys.expiredKey), ([trust], "localhost"))
val () = meet "not yet" (of' (Keys.laterPEM, Keys.laterKey), ([trust], "localhost"))
val () = meet "self-signed" (of' (Keys.selfPEM, Keys.selfKey), ([trust], "localhost"))
val () =
  meet
    "self-signed, trusted"
    (of' (Keys.selfPEM, Keys.selfKey), ([Tls.TrustPEM Keys.selfPEM], "localhost"))
val () =
  meet
    "self-signed, trusted, wrong name"
    (of' (Keys.selfPEM, Keys.selfKey), ([Tls.TrustPEM Keys.selfPEM], "elsewhere.example"))
val () = meet "unknown root" ([serverCert], ([Tls.TrustPEM Keys.selfPEM], "localhost"))
val () = meet "anybody" (of' (Keys.selfPEM, Keys.selfKey), ([Tls.Anybody], "elsewhere.example"))
val () = meet "no name" ([serverCert], ([trust], "a b"))

(* -- what is no TLS, is cut off, is changed *)

fun write (sock, text) =
  ignore (Socket.sendVec (sock, Word8VectorSlice.full (bytes text)))

(* The side that speaks TLS, when the other one does something else. *)
fun against label (tls, other) =
  let
    val (_, said) =
      both (fn sock => (other sock; Socket.close sock; ""), fn sock => (Tls.close (tls sock); "?"))
  in
    say [label, ": ", said]
  end

val accepted = Tls.accept (Tls.server [serverCert])
val connected = Tls.connect (usual, "localhost")
fun drain sock = if Word8Vector.length (Socket.recvVec (sock, 4096)) = 0 then () else drain sock
val () =
  against
    "a server gets HTTP"
    (accepted, fn sock => write (sock, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"))
val () =
  against "a client gets a greeting" (connected,
                                      fn sock =>
                                        (write (sock, "220 mail.example ready\r\n");
                                         ignore (Socket.recvVec (sock, 4096))))
val () = against "a server gets nothing" (accepted, fn _ => ())
val () =
  against "a client gets nothing" (connected, fn sock => ignore (Socket.recvVec (sock, 4096)))
(* the first record of a ClientHello, half of it *)
val () =
  against
    "a server gets a half"
    (accepted, fn sock => write (sock, "\022\003\001\000\200\001\000\000\196\003\003"))
val () =
  against "a record that is too long" (accepted,
                                       fn sock =>
                                         (write (sock,
                                                 "\022\003\001\255\255"
                                                 ^ CharVector.tabulate (70000, fn _ => #"a")))
                                         handle OS.SysErr _ => ())

(* A wire that changes what comes, and how much of what is sent is taken. *)
fun changed (f, most) sock : Tls.wire =
  let
    val {recvNow, recv, sendNow, send, close} = Tls.wire sock
    fun some slice =
      Word8VectorSlice.subslice (slice, 0, SOME (Int.min (most, Word8VectorSlice.length slice)))
  in
    {recvNow = fn () => Option.map f (recvNow ()),
     recv = wrap (recv, f),
     sendNow = fn slice => sendNow (some slice),
     send = fn slice => send (some slice),
     close = close}
  end

(* One byte at a time. *)
fun slow sock : Tls.wire =
  let
    val {sendNow, send, close, ...} = changed (fn v => v, 1) sock
  in
    {recvNow = fn () => Socket.recvVecNB (sock, 1),
     recv = Socket.recvVecEvt (sock, 1),
     sendNow = sendNow,
     send = send,
     close = close}
  end
val () =
  say ["byte by byte: ",
       #2 (both (fn sock => (echo (Tls.acceptOver (Tls.server [serverCert]) (slow sock)); ""),
                 fn sock =>
                   let
                     val s = Tls.connectOver (usual, "localhost") (slow sock)
                     val () = send (s, "one by one")
                     fun get (0, got) = got
                       | get (n, got) =
                           let
                             val v = Tls.recvVec (s, n)
                           in
                             get (n - Word8Vector.length v, got ^ Byte.bytesToString v)
                           end
                   in
                     get (10, "") before Tls.close s
                   end))]

(* After the handshake the last byte of what comes is changed, or all of it is the end. *)
fun disturbed (label, disturb) =
  let
    val isOn = ref false
    fun change v = if !isOn then disturb v else v
    fun ask sock =
      let
        val s = Tls.connectOver (usual, "localhost") (changed (change, 65536) sock)
        fun exchange () = (send (s, "hello"); Byte.bytesToString (Tls.recvVec (s, 100)))
        val first = exchange ()
        val () = isOn := true
        val second = exchange () handle e => word e
        val third = exchange () handle e => word e
      in
        Tls.close s;
        concat [first, "\n  ", second, "\n  ", third]
      end
  in
    say [label,
         ": ",
         #2 (both (fn sock => (echo (Tls.accept (Tls.server [serverCert]) sock); ""), ask))]
  end
val () =
  disturbed ("changed on the way",
             fn v =>
               Word8Vector.update (v,
                                   Word8Vector.length v - 1,
                                   Word8.xorb (0w1, Word8Vector.sub (v, Word8Vector.length v - 1))))
val () = disturbed ("cut off", fn _ => Word8Vector.fromList [])

(* -- settings that are wrong *)

fun wrong label f = say [label, ": ", (f (); "?") handle IO.Io _ => "IO.Io" | e => word e]
val () = wrong "no certificate" (fn () => Tls.server [])
val () = wrong "no PEM" (fn () => Tls.server [Tls.CertificatePEM {chain = "x", key = "y"}])
val () =
  wrong "no key" (fn () =>
    Tls.server [Tls.CertificatePEM {chain = Keys.serverPEM, key = Keys.serverPEM}])
val () =
  wrong "another key" (fn () =>
    Tls.server [Tls.CertificatePEM {chain = Keys.serverPEM, key = Keys.otherKey}])
val () =
  wrong "no file" (fn () =>
    Tls.server [Tls.Certificate {chain = "/nowhere/cert.pem", key = "key.pem"}])
val () = wrong "nobody is trusted" (fn () => client [])
val () = wrong "no name of a protocol" (fn () => client [trust, Tls.Protocols [""]])
val () = print (exnMessage (Tls.Failed (Tls.OTHER, "a sentence")) ^ "\n")

(* -- events, time-outs, scopes *)

exception Enough
val milliseconds = Time.fromMilliseconds
val (_, _) =
  both (fn sock =>
          let
            val s = Tls.accept (Tls.server [serverCert]) sock
          in
            (* twice nobody wants it in time; the third time it is there *)
            ignore (Tls.recvVec (s, 1));
            send (s, "late");
            ignore (Tls.recvVec (s, 1));
            Tls.finish s;
            echo s;
            ""
          end,
        fn sock =>
          let
            val s = Tls.connect (usual, "localhost") sock
            fun text v = Byte.bytesToString v
            fun within time =
              select [wrap (Tls.recvVecEvt (s, 2), text),
                      wrap (timeOutEvt time, fn () => "nothing")]
            fun soon () = within (milliseconds 5)
            val () = say ["an event: ", soon ()]
            val () = say ["an event: ", soon ()]
            val () =
              say ["until: ",
                   if isSome (Tls.recvVecUntil (s, 2, Time.now ())) then "?" else "nothing"]
            val () = say ["now: ", if isSome (Tls.recvVecNB (s, 2)) then "?" else "nothing"]
            val () =
              say ["within: ",
                   case Scope.within (milliseconds 5) (fn _ => Tls.recvVec (s, 2)) of
                     SOME _ => "?"
                   | NONE => "nothing"]
            val () =
              (Scope.run (fn scope =>
                 (Scope.daemon scope (fn () => ignore (Tls.recvVec (s, 2))); raise Enough)))
              handle Enough => say ["a scope: cancelled"]
            val () = send (s, ".")
            val () = say ["an event: ", text (sync (Tls.recvVecEvt (s, 2)))]
            val () = say ["an event: ", within (Time.fromSeconds 60)]
            val () = send (s, ".")
            val () = say ["the end: ", Int.toString (size (text (sync (Tls.recvVecEvt (s, 2)))))]
            val () = say ["the end: ", Int.toString (size (text (Tls.recvVec (s, 2))))]
            val n = sync (Tls.sendVecEvt (s, Word8VectorSlice.full (bytes "more")))
            val () = say ["sent: ", Int.toString n]
            val () = Tls.close s
            val () = Tls.close s
          in
            wrong "closed" (fn () => Tls.recvVec (s, 1));
            wrong "closed" (fn () => send (s, "x"));
            ""
          end)

(* -- much, both ways at once *)

val much = 200000
val () =
  let
    fun run make sock =
      let
        val s = make sock
        val all = CharVector.tabulate (much, fn i => Char.chr (i * i mod 251))
        val sent = SyncVar.iVar ()
        val _ = spawn (fn () => (send (s, all); SyncVar.iPut (sent, ())))
        fun get (pieces, n) =
          if n = much then concat (rev pieces)
          else
            case Byte.bytesToString (Tls.recvVec (s, 30000)) of
              "" => raise Fail "too little"
            | piece => get (piece :: pieces, n + size piece)
        val isSame = get ([], 0) = all
      in
        SyncVar.iGet sent;
        Tls.finish s;
        (if Word8Vector.length (Tls.recvVec (s, 1)) = 0 then () else raise Fail "too much");
        Tls.close s;
        Bool.toString isSame
      end
    val (a, b) = both (run accepted, run connected)
  in
    say ["much: ", a, " ", b]
  end

(* A client comes again: the second handshake is shorter, and as good. *)
val () =
  let
    val again = Tls.server [serverCert]
    fun once () =
      both (fn sock => (echo (Tls.accept again sock); ""),
            fn sock =>
              let
                val s = Tls.connect (usual, "localhost") sock
              in
                send (s, "x");
                Byte.bytesToString (Tls.recvVec (s, 1)) before Tls.close s
              end)
  in
    say ["again: ", #2 (once ()), #2 (once ()), #2 (once ())]
  end
