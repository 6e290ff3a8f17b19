(* A wire whose events happen too early: the stream waits for them again, within its limit. A socket's event may be out of
   date, and then its call waited, deaf to the limit. *)
fun say s = print (s ^ "\n")
val server = Tls.server [Tls.CertificatePEM {chain = cert, key = key}]
val client = Tls.client [Tls.NotTheSystem, Tls.TrustPEM cert]
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock

(* The wire of a socket whose events happen so many times before it is ready, and that does nothing at once. *)
val early = ref 0
fun hasty sock : Tls.wire =
  let
    val {recv, send, close, ...} = Tls.wire sock
    fun soon event =
      CML.guard (fn () =>
        if !early <= 0 then event
        else (early := !early - 1; CML.wrap (CML.alwaysEvt (), fn () => raise Tls.Again)))
  in
    {recvNow = fn () => NONE, recv = soon recv, sendNow = fn _ => NONE, send = soon o send, close = close}
  end

val done =
  CML.spawn (fn () =>
    let
      val s = Tls.accept server b
      fun echo () =
        let
          val bytes = Tls.recvVec (s, 100)
        in
          if Word8Vector.length bytes = 0 then Tls.close s
          else (Tls.sendVec (s, Word8VectorSlice.full bytes); echo ())
        end
    in
      echo ()
    end)
fun hastily f = (early := 3; f () before say (Int.toString (!early) ^ " left"))
val s = hastily (fn () => Tls.connectOver (client, "localhost") (hasty a))
fun bytes text = Word8VectorSlice.full (Byte.stringToBytes text)
val () = hastily (fn () => Tls.sendVec (s, bytes "one"))
val () = say (Byte.bytesToString (hastily (fn () => Tls.recvVec (s, 100))))
val () = (early := 3; say (Int.toString (CML.sync (Tls.sendVecEvt (s, bytes "three")))))
val () = say (Byte.bytesToString (hastily (fn () => CML.sync (Tls.recvVecEvt (s, 100)))))
val () =
  say
    (case (early := 3; Tls.recvVecUntil (s, 100, Time.+ (Time.now (), Time.fromMilliseconds 5))) of
       NONE => "nothing"
     | SOME _ => "something")
val () = Tls.finish s
val () = CML.sync (CML.joinEvt done)
val () = Tls.close s

(* A socket's readiness alone takes nothing, and a choice with it is not deaf. *)
val (a, b) = UnixSock.Strm.socketPair () : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock
fun ready event =
  CML.select
    [CML.wrap (event, fn () => "ready"),
     CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 5), fn () => "not ready")]
val () = say (ready (Socket.readableEvt a))
val () = ignore (Socket.sendVec (b, bytes "x"))
val () = CML.sync (Socket.readableEvt a)
val () = CML.sync (Socket.readableEvt a)
val () = say (Int.toString (Word8Vector.length (Socket.recvVec (a, 10))))
val () = say (ready (Socket.readableEvt a))
val () = CML.sync (Socket.writableEvt a)
val () = Socket.close b
val () = CML.sync (Socket.readableEvt a)
val () = say (Int.toString (Word8Vector.length (Socket.recvVec (a, 10))))
val () = Socket.close a
