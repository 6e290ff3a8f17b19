(* HTTPS: what makes a server and a client of HTTP speak TLS. *)

signature HTTPS =
sig
  (* For HTTPServer.serve: connections are TLS, with these settings, of which one is a certificate:
     HTTPServer.serve [HTTPS.server [Tls.Certificate {chain = "cert.pem", key = "key.pem"}]]. The files are read here;
     raises what Tls.server does. Agreeing with a client has HTTPServer's HeaderTime; if it fails OnError is told. *)
  val server : Tls.setting list -> HTTPServer.setting
  (* For HTTPClient.client: the client may be asked for addresses that begin with `https:`; the server must have a
     certificate for its host's name. HTTPClient.client [HTTPS.client []] trusts what the system does. Agreeing with a
     server is a part of being connected; Tls.Failed is the `cause` of HTTPClient.Failed. *)
  val client : Tls.setting list -> HTTPClient.setting
end

structure HTTPS :> HTTPS =
struct
  (* What is read at a time. *)
  val most = 65536

  fun transport (stream, {close = abort, ...} : SocketWire'.t) : HTTPTransport'.t =
    {read = fn until =>
       (case Tls.recvVecUntil (stream, most, HTTPClock'.ofDay until) of
          SOME bytes => Byte.bytesToString bytes
        | NONE => raise HTTPInput'.TimeOut)
       handle Tls.Failed (Tls.TRUNCATED, _) => raise HTTPInput'.CutOff,
     write = fn (time, text) =>
       if Tls.sendVecPatient (stream, Word8VectorSlice.full (Byte.stringToBytes text), time) then
         ()
       else raise HTTPInput'.TimeOut,
     whyLost =
       fn OS.SysErr (why, _) => SOME why
        | e as Tls.Failed _ => SOME (exnMessage e)
        | _ => NONE,
     isIdle = fn () =>
       not (isSome (Tls.recvVecNB (stream, 1))) handle Tls.Failed _ => false,
     isGone = fn () => Tls.isOver stream,
     finish = fn () => Tls.finish stream,
     close = fn () => Tls.close stream,
     abort = abort,
     secure = SOME (Tls.agreement stream)}

  (* A stream that was made before the call was cancelled is closed. *)
  fun limited (wire, until, make) =
    let
      val made = ref NONE
    in
      (case Scope.within (HTTPClock'.left until) (fn _ => made := SOME (make wire)) of
         SOME () => transport (valOf (!made), wire)
       | NONE => raise HTTPInput'.TimeOut)
      handle e => (Option.app Tls.close (!made); raise e)
    end

  (* The protocol is said, unless the program says others. *)
  fun named settings =
    if List.exists (fn Tls.Protocols _ => true | _ => false) settings then settings
    else Tls.Protocols ["http/1.1"] :: settings

  fun server settings =
    let
      val server = Tls.server (named settings)
    in
      HTTPServer.Secure (fn (wire, until) => limited (wire, until, Tls.acceptOver server))
    end

  fun client settings =
    let
      val client = Tls.client (named settings)
    in
      HTTPClient.Secure (fn ({host}, wire, until) =>
        limited (wire, until, Tls.connectOver (client, host)))
    end
end
