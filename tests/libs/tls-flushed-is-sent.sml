(* When TextIO.flushOut had returned, a part of the last record could still wait for the socket, in the program. It was lost
   when the program ended then. *)
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
val accepted = SyncVar.iVar ()
val _ = CML.spawn (fn () => SyncVar.iPut (accepted, Tls.accept server b))

(* A wire that takes 100 bytes each millisecond, until it takes none. *)
val isOver = ref false
val turn : unit CML.chan = CML.channel ()
fun turns () = if !isOver then () else (OS.Process.sleep (Time.fromMilliseconds 1); CML.send (turn, ()); turns ())
val _ = CML.spawn turns
fun some slice =
  Socket.sendVec (a, Word8VectorSlice.subslice (slice, 0, SOME (Int.min (100, Word8VectorSlice.length slice))))
val {recvNow, recv, close, ...} = Tls.wire a
val wire =
  {recvNow = recvNow,
   recv = recv,
   sendNow = fn _ => NONE,
   send = fn slice => CML.wrap (CML.recvEvt turn, fn () => some slice),
   close = close}

val size = 10000
val (_, out) = TlsIO.openText (Tls.connectOver (client, "localhost") wire)
val peer = SyncVar.iGet accepted
val () = TextIO.output (out, CharVector.tabulate (size, fn _ => #"x"))
val () = TextIO.flushOut out
val () = isOver := true
fun got n =
  if n = size then "all has come"
  else
    case Tls.recvVecUntil (peer, size, Time.+ (Time.now (), Time.fromSeconds 10)) of
      SOME bytes => got (n + Word8Vector.length bytes)
    | NONE => Int.toString (size - n) ^ " bytes are missing"
val () = print (got 0 ^ "\n")
val () = OS.Process.terminate OS.Process.success
