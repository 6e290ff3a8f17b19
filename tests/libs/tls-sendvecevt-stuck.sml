(* What Tls.sendVecEvt has taken goes out, though nothing else is sent. *)
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
fun seconds s = Time.+ (Time.now (), Time.fromReal s)

(* The other side is slow at first. Then it reads, and answers when nothing has come for a second. *)
fun reader () =
  let
    val s = Tls.accept server b
    val () = OS.Process.sleep (Time.fromReal 1.5)
    fun go n =
      case Tls.recvVecUntil (s, 65536, seconds 1.5) of
        SOME v => go (n + Word8Vector.length v)
      | NONE => n
    val n = go 0
  in
    Tls.sendVec (s, Word8VectorSlice.full (Byte.stringToBytes (Int.toString n)))
  end
val _ = CML.spawn reader
val s = Tls.connect (client, "localhost") a
val piece = Word8VectorSlice.full (Word8Vector.tabulate (10000, fn _ => 0w1))
(* Sends as long as the event happens within half a second. *)
fun send n =
  case CML.select [CML.wrap (Tls.sendVecEvt (s, piece), SOME),
                   CML.wrap (CML.timeOutEvt (Time.fromReal 0.5), fn () => NONE)] of
    SOME k => send (n + k)
  | NONE => n
val n = send 0
val got = Byte.bytesToString (Tls.recvVec (s, 100))
val () = print (if got = Int.toString n then "all has come\n" else "some is missing\n")
