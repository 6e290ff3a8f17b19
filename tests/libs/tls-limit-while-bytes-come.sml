(* A wire that has more bytes each time: a limit, and a scope that is cancelled, were looked at only where there were
   none, so a record that came slowly, or records with nothing in them for who reads, held a call for ever. *)
fun say s = print (s ^ "\n")
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock

(* The wire of a: when it is slow, it gives one byte at a time. *)
val {recvNow, recv, sendNow, send, close} = Tls.wire a
val slow = ref false
val taken = ref 0
val held = ref (Word8VectorSlice.full (Word8Vector.fromList []))
fun byte () =
  let
    val first = Word8VectorSlice.vector (Word8VectorSlice.subslice (!held, 0, SOME 1))
  in
    held := Word8VectorSlice.subslice (!held, 1, NONE);
    taken := !taken + 1;
    SOME first
  end
fun now () =
  if not (!slow) then recvNow ()
  else if not (Word8VectorSlice.isEmpty (!held)) then byte ()
  else
    case recvNow () of
      NONE => NONE
    | SOME bytes =>
        if Word8Vector.length bytes = 0 then SOME bytes
        else (held := Word8VectorSlice.full bytes; byte ())

val data = Word8Vector.tabulate (16000, fn i => Word8.fromInt i)
val sent = SyncVar.iVar () : unit SyncVar.ivar
val again = SyncVar.iVar () : unit SyncVar.ivar
val done =
  CML.spawn (fn () =>
    let
      val s = Tls.accept server b
    in
      Tls.sendVec (s, Word8VectorSlice.full data);
      SyncVar.iPut (sent, ());
      SyncVar.iGet again;
      Tls.sendVec (s, Word8VectorSlice.full data);
      Tls.close s
    end)
val s = Tls.connectOver (client, "localhost") {recvNow = now, recv = recv, sendNow = sendNow, send = send, close = close}
val () = SyncVar.iGet sent
val () = slow := true

fun ending f =
  let
    val start = !taken
    val said = f ()
    val few = !taken - start < 5
  in
    say (concat [said, if few then ", few bytes taken" else ", many bytes taken"])
  end
(* what came with the handshake is no part of the record *)
fun shown NONE = "nothing"
  | shown (SOME bytes) = if bytes = data then "the data" else Int.toString (Word8Vector.length bytes)
exception Enough
val () = ending (fn () => shown (Tls.recvVecUntil (s, 16384, Time.zeroTime)))
val () =
  ending (fn () =>
    Scope.run (fn scope => (Scope.cancel (scope, Enough); shown (SOME (Tls.recvVec (s, 16384)))))
    handle Enough => "cancelled")
val () = say (shown (SOME (Tls.recvVec (s, 16384))))
(* all of a record that is there is given to who does not wait *)
val () = SyncVar.iPut (again, ())
val () = CML.sync (CML.joinEvt done)
val () = say (shown (Tls.recvVecNB (s, 16384)))
val () = say (Bool.toString (Tls.isOver s))
val () = Tls.close s
