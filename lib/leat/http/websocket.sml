(* WebSocket: connections on which both sides send messages at any time (RFC 6455): a handler for servers, and a
   client. *)

signature WEB_SOCKET =
sig
  type socket
  datatype message = TEXT of string | BINARY of string

  (* the other side is gone, or the connection was closed *)
  exception Closed

  datatype setting =
      (* bytes of a message: 1048576 *)
      MaxMessage of int
    (* How long a client may be silent until it is asked whether it is there, and then until it is given up, which it is
       told (1008): 30 s. Each byte that comes ends the silence. It is looked for while the program receives, and a
       receive that is cancelled, or an event that is not chosen, goes on with it the next time. *)
    | SilentTime of Time.time
    (* Which pages may connect: their origins, "https://host:port". Without this, pages of the host itself only, and
       programs that are no browsers; over TLS, only pages that came over TLS, too. *)
    | Origins of string list

  (* A handler that lets a client connect, and calls the function with the connection; when that returns, the connection
     is closed. Another request than for a WebSocket is answered by 426 or 400, one with a body by 400, and another
     origin by 403. The function runs in the thread of the connection, and so in the server's scope. When the server
     stops, the client is told so (1001), and `receive` gives NONE when it has answered. *)
  val handler : setting list -> (socket -> unit) -> HTTP.handler

  (* Connects to a server, calls the function with the connection, and closes the connection when that returns or
     raises. The address begins with `ws:` or `wss:`, or as that of a page; the client makes connections with its
     settings, so one with `HTTPS.client` is needed for `wss:`. `headers` are sent besides. Raises HTTPClient.Failed
     and HTTPClient.Address. *)
  val connect :
    HTTPClient.client
    -> setting list
    -> {url : string, headers : HTTPHeaders.t}
    -> (socket -> 'a)
    -> 'a

  (* Waits for the next message; NONE when the client has closed the connection, or is gone, or has not kept to the
     rules, and from then on at each call. One thread at a time may receive. Pings are answered here. If it is cancelled
     nothing is lost: the next call goes on in the same message. (But the answer to a ping is a frame that is sent: see
     `send`.) *)
  val receive : socket -> message option
  (* The same as an event. It begins when a thread synchronises on it; if another event happens first, no message is
     lost: the next call gets it. *)
  val receiveEvt : socket -> message option CML.event
  (* Sends a message; any thread may. Raises Closed, also when the client is gone, and Fail for a TEXT that is not
     UTF-8. If it is cancelled while it sends, a part of the message may have been sent, and nothing can be sent behind
     that: from then on `send` raises Closed, `close` says nothing, and the other side finds an end without a word when
     the connection is closed. If it is cancelled while it waits for another thread's message to be sent, it has sent
     nothing, and the connection is as before. *)
  val send : socket * message -> unit
  (* Says that it ends, with a number and a reason; 1000 is a usual end. `receive` goes on until the client has said so,
     too. If it cannot be sent within five seconds, because the other side does not take what was sent before, the
     connection ends as by `drop`. The number is one of those that a program may send (RFC 6455, 7.4): 1000 to 1003, 1007 to 1014, or 3000 to
     4999; raises Fail for another one. Of a reason the first 120 bytes are sent, and if it is not UTF-8 it has a `?`
     for each byte above 127. *)
  val close : socket * int * string -> unit
  (* Ends the connection at once, without a word, for a client that does not take what it is sent: a `send` that waits
     raises Closed, and `receive` gives NONE. *)
  val drop : socket -> unit
end

structure WebSocket :> WEB_SOCKET =
struct
  structure Input = HTTPInput'
  structure Headers = HTTPHeaders'

  datatype message = TEXT of string | BINARY of string
  exception Closed

  datatype setting =
      MaxMessage of int
    | SilentTime of Time.time
    | Origins of string list

  type socket =
    {input : Input.t,
     write : string -> unit,
     (* ends the connection: what waits for it fails *)
     abort : unit -> unit,
     (* whether this is the client's side: its frames are masked, and the server's are not *)
     isClient : bool,
     most : int,
     silent : Time.time,
     (* the kind and the parts of a message that has begun to come, the last part first, and their size *)
     begun : ((int * string list) option * int) ref,
     (* held by the thread that receives; a message, or the end, that an event has got and did not give *)
     reading : unit SyncVar.mvar,
     got : message option option ref,
     (* a message that has come for a thread that was cancelled meanwhile *)
     held : message option ref,
     (* nothing is read any more: what came after a frame that is wrong, or was given up, is none *)
     isOver : bool ref,
     (* the other side has said that it ends *)
     hasLeft : bool ref,
     (* the connection has ended from the other side, without that; no message is sent any more *)
     isLost : bool ref,
     (* when the last bytes came, or the other side was asked whether it is there, and whether it was asked since the
        last bytes; of who reads *)
     heard : Time.time ref,
     isAsked : bool ref,
     (* who was asked has been looked at for the last time; that look may have been cancelled *)
     isGlanced : bool ref,
     (* held while a frame is sent; whether the last one was *)
     lock : bool SyncVar.mvar}

  (* -- the handshake: RFC 6455, 4.2 *)

  fun accepted key = Base64.encode (SHA1.ofString (key ^ "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))

  (* 16 bytes in Base64 *)
  fun isKey key =
    size key = 24
    andalso String.isSuffix "==" key
    andalso CharVector.all Base64.isBase64 (String.substring (key, 0, 22))

  (* -- frames: 5.2 *)

  val (continuation, text, binary, closing, ping, pong) = (0, 1, 2, 8, 9, 10)

  fun char n = String.str (Char.chr (n mod 256))

  fun masked (key, payload) =
    let
      val keys = Word8Vector.tabulate (4, fn i => Byte.charToByte (String.sub (key, i)))
    in
      CharVector.mapi
        (fn (i, c) =>
          Byte.byteToChar (Word8.xorb (Byte.charToByte c, Word8Vector.sub (keys, i mod 4))))
        payload
    end

  (* Bytes that nobody can foretell. *)
  fun secret n = Byte.bytesToString (SecureRandom.bytes n)

  fun frame (isClient, kind, payload) =
    let
      val n = size payload
      fun number (0, _) = ""
        | number (bytes, n) = number (bytes - 1, n div 256) ^ char n
      val mask = if isClient then 128 else 0
      val length =
        if n < 126 then char (mask + n)
        else if n < 65536 then char (mask + 126) ^ number (2, n)
        else char (mask + 127) ^ number (8, n)
      val content =
        if isClient then let val key = secret 4 in key ^ masked (key, payload) end else payload
    in
      concat [char (128 + kind), length, content]
    end

  (* Sends a frame, if the last one was not sent before. The answer to a close is for whoever has said that no more is
     sent, and still reads. *)
  fun put ({write, isClient, lock, isLost, ...} : socket, kind, payload) =
    let
      val isOver = SyncVar.mTake lock
      fun release over = SyncVar.mPut (lock, over)
    in
      if isOver then (release true; raise Closed)
      else if !isLost andalso kind <> closing then (release false; raise Closed)
      else
        (write (frame (isClient, kind, payload))
         handle e => (release true; case e of Scope.Cancelled => raise e | _ => raise Closed);
         release (kind = closing))
    end

  (* RFC 3629: no byte that begins nothing, no longer form than needed, no surrogates, nothing beyond U+10FFFF. *)
  fun isUTF8 s =
    let
      val n = size s
      fun byte i = Char.ord (String.sub (s, i))
      fun isMore (i, low, high) = i < n andalso byte i >= low andalso byte i <= high
      fun more (i, 0) = go i
        | more (i, k) = isMore (i, 128, 191) andalso more (i + 1, k - 1)
      and go i =
        if i = n then true
        else
          let
            val b = byte i
            fun from (low, high, k) = isMore (i + 1, low, high) andalso more (i + 2, k)
          in
            if b < 128 then go (i + 1)
            else if b < 194 then false
            else if b < 224 then more (i + 1, 1)
            else if b = 224 then from (160, 191, 1)
            else if b = 237 then from (128, 159, 1)
            else if b < 240 then more (i + 1, 2)
            else if b = 240 then from (144, 191, 2)
            else if b < 244 then more (i + 1, 3)
            else b = 244 andalso from (128, 143, 2)
          end
    in
      go 0
    end

  fun send (socket, BINARY s) = put (socket, binary, s)
    | send (socket, TEXT s) =
        if isUTF8 s then put (socket, text, s)
        else raise Fail "WebSocket.send: a TEXT that is not UTF-8"

  (* 7.4: numbers that may be sent *)
  fun isCode n =
    n >= 1000 andalso n <= 1014 andalso not (List.exists (fn m => m = n) [1004, 1005, 1006])
    orelse n >= 3000 andalso n < 5000

  (* Says that it ends, as soon as what is being sent is. *)
  fun sayEnd (socket, code, reason) =
    let
      val () =
        if isCode code then ()
        else raise Fail ("WebSocket.close: a number that nobody sends: " ^ Int.toString code)
      val reason =
        if isUTF8 reason then reason
        else String.map (fn c => if c < #"\128" then c else #"?") reason
      (* not within a character of UTF-8, whose later bytes are 128 to 191 *)
      fun cut n =
        if n > 0 andalso Char.ord (String.sub (reason, n)) div 64 = 2 then cut (n - 1) else n
      val reason =
        if size reason > 120 then String.substring (reason, 0, cut 120) else reason
    in
      put (socket, closing, concat [char (code div 256), char code, reason]) handle Closed => ()
    end

  fun drop ({abort, isOver, ...} : socket) = (isOver := true; abort ())

  val patience = Time.fromSeconds 5

  fun close (socket, code, reason) =
    let
      val isSaid = SyncVar.iVar ()
      fun watch () =
        CML.select
          [SyncVar.iGetEvt isSaid, CML.wrap (CML.timeOutEvt patience, fn () => drop socket)]
    in
      ignore (CML.spawn watch);
      Scope.finally (fn () => sayEnd (socket, code, reason), fn () => SyncVar.iPut (isSaid, ()))
    end

  (* The other side does not keep to the rules, or is given up: the number of the reason, and the reason. *)
  exception Wrong of int * string

  (* Pieces that were taken, the last one first, are to be read again. *)
  fun putBack ({rest, ...} : Input.t, pieces) =
    rest := Substring.full (String.concat (List.rev (Substring.string (!rest) :: pieces)))

  (* Bytes that are there are seen in this time. *)
  val glance = Time.fromMilliseconds 10

  (* More bytes. Silence is allowed, once. It is the other side's, so it goes on where a wait for it is cancelled, and
     between two waits. Who was silent because nobody has looked is not given up; nor at once who cannot be asked, behind
     a close of ours. The last look takes `glance`, once: where each wait is cancelled before, the next one sees only
     what is there. *)
  fun fill (socket as {input, silent, heard, isAsked, isGlanced, ...} : socket) =
    let
      fun ask () =
        (put (socket, ping, "") handle Closed => ();
         isAsked := true;
         isGlanced := false;
         heard := HTTPClock'.now ();
         wait ())
      and wait () =
        let
          val left = Time.- (silent, Time.- (HTTPClock'.now (), !heard))
          fun until time =
            Input.fill (input, HTTPClock'.deadline time)
            handle Input.TimeOut =>
                if !isAsked then raise Wrong (1008, "nothing has come for too long") else ask ()
        in
          if !isAsked then
            if Time.>= (left, glance) then until left
            else if !isGlanced then
              until (if Time.< (left, Time.zeroTime) then Time.zeroTime else left)
            else (isGlanced := true; until glance)
          else if Time.> (left, Time.zeroTime) then until left
          else ask ()
        end
    in
      wait ();
      heard := HTTPClock'.now ();
      isAsked := false
    end

  (* So many bytes; if the wait for them is cancelled none are taken. *)
  fun exactly (socket as {input as {rest, ...}, ...} : socket, n) =
    let
      fun go (0, pieces) = String.concat (List.rev pieces)
        | go (left, pieces) =
            let
              val () =
                if not (Substring.isEmpty (!rest)) then ()
                else fill socket handle e as Scope.Cancelled => (putBack (input, pieces); raise e)
              val piece = Input.take (input, left)
            in
              go (left - size piece, Input.add (piece, pieces))
            end
    in
      go (n, [])
    end

  (* The next frame: whether it ends its message, its kind, and what it carries. `room` is what a message may still
     have. If the wait is cancelled the frame is read again from its beginning. *)
  fun readFrame (socket as {input, isClient, ...} : socket, room) =
    let
      val taken = ref []
      fun next n =
        let val s = exactly (socket, n) in taken := Input.add (s, !taken); s end
        handle Scope.Cancelled => (putBack (input, !taken); raise Scope.Cancelled)
      val start = next 2
      val (first, second) = (Char.ord (String.sub (start, 0)), Char.ord (String.sub (start, 1)))
      val (isLast, kind, isMasked, length) =
        (first >= 128, first mod 16, second >= 128, second mod 128)
      val () = if first mod 128 div 16 <> 0 then raise Wrong (1002, "reserved bits") else ()
      val () =
        case (isClient, isMasked) of
          (false, false) => raise Wrong (1002, "a frame without a mask")
        | (true, true) => raise Wrong (1002, "a frame with a mask")
        | _ => ()
      val () =
        if kind < 8 then ()
        else if not isLast then raise Wrong (1002, "a control frame in parts")
        else if length > 125 then raise Wrong (1002, "a control frame that is too long")
        else ()
      fun number s = CharVector.foldl (fn (c, n) => 256 * n + Char.ord c) 0 s
      val length =
        case length of
          126 =>
            let
              val n = number (next 2)
            in
              if n < 126 then raise Wrong (1002, "a length that is written too long") else n
            end
        | 127 =>
            let
              val s = next 8
            in
              if String.substring (s, 0, 3) <> "\000\000\000" then
                raise Wrong (1009, "a message that is too long")
              else if number s < 65536 then raise Wrong (1002, "a length that is written too long")
              else number s
            end
        | n => n
      val () =
        if kind < 8 andalso length > room then raise Wrong (1009, "a message that is too long")
        else ()
    in
      (isLast,
       kind,
       if isMasked then let val key = next 4 in masked (key, next length) end else next length)
    end

  (* The next message. *)
  fun read
    (socket as {input = {whyLost, ...}, most, begun = left, held, isOver, hasLeft, isLost, ...} :
       socket) =
    let
      fun over () = (isOver := true; NONE)
      fun lost () = (isLost := true; over ())
      (* Between the last byte and here time has passed. Where the scope was cancelled in it, as by `Scope.within`, nobody
         would take the message. *)
      fun given message =
        (held := SOME message;
         Scope.check ();
         held := NONE;
         SOME message)
      fun finished (kind, parts) =
        let
          val all = String.concat (List.rev parts)
        in
          if kind = binary then BINARY all
          else if isUTF8 all then TEXT all
          else raise Wrong (1007, "a text that is not UTF-8")
        end
      fun closed payload =
        let
          val code =
            if size payload < 2 then 1000
            else 256 * Char.ord (String.sub (payload, 0)) + Char.ord (String.sub (payload, 1))
        in
          if size payload = 1 orelse not (isCode code) then
            raise Wrong (1002, "a number of an end that is none")
          else if size payload > 2 andalso not (isUTF8 (String.extract (payload, 2, NONE))) then
            raise Wrong (1007, "a reason that is not UTF-8")
          else close (socket, code, "")
        end
      fun go (state as (begun, used)) =
        let
          val () = left := state
          val (isLast, kind, payload) = readFrame (socket, most - used)
          fun part (kind, parts) =
            let
              val parts = if payload = "" then parts else Input.add (payload, parts)
            in
              if isLast then (left := (NONE, 0); given (finished (kind, parts)))
              else go (SOME (kind, parts), used + size payload)
            end
        in
          if kind = text orelse kind = binary then
            if isSome begun then raise Wrong (1002, "a message within another one")
            else part (kind, [])
          else if kind = continuation then
            (case begun of
               SOME (kind, parts) => part (kind, parts)
             | NONE => raise Wrong (1002, "a part of no message"))
          (* After a close of ours nothing more is sent, but what the other side still sends is read. *)
          else if kind = ping
          then (put (socket, pong, payload) handle Closed => (); go state)
          else if kind = pong then go state
          else if kind = closing then (closed payload; hasLeft := true; over ())
          else raise Wrong (1002, "a frame of a kind that is none")
        end
    in
      (case !held of
         SOME message => given message
       | NONE => if !isOver then NONE else go (!left))
      handle Wrong (code, why) => (isOver := true; close (socket, code, why); NONE)
           | Input.Closed => lost ()
           | Input.CutOff => lost ()
           | Input.TimeOut => lost ()
           | Closed => over ()
           | e => if isSome (whyLost e) then lost () else raise e
    end

  fun next (socket as {got, ...} : socket) =
    case !got of
      SOME message => (got := NONE; message)
    | NONE => read socket

  fun receive (socket as {reading, ...} : socket) =
    (SyncVar.mTake reading;
     Scope.finally (fn () => next socket, fn () => SyncVar.mPut (reading, ())))

  datatype outcome = GOT of message option | RAISED of exn
  (* another event of the choice has happened *)
  exception Unwanted

  (* A thread receives, and gives what it gets, or puts it back. *)
  fun receiveEvt (socket as {reading, got, ...} : socket) =
    CML.withNack (fn nack =>
      let
        val channel = CML.channel ()
        fun take () =
          let
            (* The message is there though the scope was cancelled in the end. *)
            val made = ref NONE
            fun wait scope =
              let
                val () =
                  Scope.daemon scope (fn () => (CML.sync nack; Scope.cancel (scope, Unwanted)))
              in
                made := SOME (next socket)
              end
            val failed = (Scope.run wait; NONE) handle e => SOME e
            val outcome =
              case (!made, failed) of
                (SOME message, _) => GOT message
              | (NONE, SOME e) => RAISED e
              | (NONE, NONE) => RAISED Closed
            fun putBack () = case outcome of GOT message => got := SOME message | RAISED _ => ()
          in
            CML.select [CML.sendEvt (channel, outcome), CML.wrap (nack, putBack)];
            SyncVar.mPut (reading, ())
          end
        fun work () = CML.select [CML.wrap (SyncVar.mTakeEvt reading, take), nack]
      in
        ignore (CML.spawn work);
        CML.wrap (CML.recvEvt channel, fn GOT message => message | RAISED e => raise e)
      end)

  fun socketOf (settings, {input, write, abort, isClient}) : socket =
    let
      fun last setting = Settings'.last settings setting
    in
      {input = input,
       write = write,
       abort = abort,
       isClient = isClient,
       most = last (fn MaxMessage n => SOME n | _ => NONE, 1048576),
       silent = last (fn SilentTime t => SOME t | _ => NONE, Time.fromSeconds 30),
       begun = ref (NONE, 0),
       reading = SyncVar.mVarInit (),
       got = ref NONE,
       held = ref NONE,
       isOver = ref false,
       hasLeft = ref false,
       isLost = ref false,
       heard = ref (HTTPClock'.now ()),
       isAsked = ref false,
       isGlanced = ref false,
       lock = SyncVar.mVarInit false}
    end

  (* -- a client *)

  val lastTime = Time.fromSeconds 2

  fun connect client settings {url, headers} run =
    let
      val key = Base64.encode (Byte.stringToBytes (secret 16))
      fun same (name, value) said =
        HTTPText'.same (Option.getOpt (Headers.get said name, ""), value)
      (* upper and lower case differ in the names of protocols *)
      val asked =
        List.concat (List.map
                       (List.map (Substring.string o HTTPText'.trimmed)
                        o Substring.fields (fn c => c = #",")
                        o Substring.full)
                       (Headers.all headers "sec-websocket-protocol"))
      (* 4.1. No extension is known. *)
      fun isRight said =
        same ("upgrade", "websocket") said
        andalso List.exists (fn w => w = "upgrade") (Headers.words said "connection")
        andalso Headers.get said "sec-websocket-accept" = SOME (accepted key)
        andalso List.null (Headers.all said "sec-websocket-extensions")
        andalso (case Headers.all said "sec-websocket-protocol" of
                   [] => true
                 | [name] => List.exists (fn n => n = name) asked
                 | _ => false)
      val {input, send, abort, close = hangUp} =
        HTTPClient'.upgrade client {url = url,
                                    fields =
                                      [("Upgrade", "websocket"),
                                       ("Sec-WebSocket-Key", key),
                                       ("Sec-WebSocket-Version", "13")],
                                    headers = headers,
                                    isRight = isRight}
      val socket =
        socketOf (settings, {input = input, write = send, abort = abort, isClient = true})
      (* until the server has ended it, too *)
      fun rest () = case receive socket of SOME _ => rest () | NONE => ()
      fun finish () =
        (close (socket, 1000, "");
         ignore (Scope.within lastTime (fn _ => rest ())))
    in
      Scope.finally (fn () =>
                       run socket handle e => (close (socket, 1001, "") handle _ => (); raise e),
                     fn () => (finish () handle _ => (); hangUp ()))
    end

  (* -- the handler *)

  fun handler settings run =
    let
      fun last setting = Settings'.last settings setting
      val origins = last (fn Origins names => SOME (SOME names) | _ => NONE, NONE)

      (* An origin is a scheme and a host; a page of another one could use what the browser knows of this one. *)
      fun isWelcome (headers, host, secure) =
        case (Headers.all headers "origin", origins) of
          ([], _) => true
        | ([origin], SOME names) => List.exists (fn name => HTTPText'.same (name, origin)) names
        | ([origin], NONE) =>
            (* RFC 6454, 5: the scheme, too. A page that came without TLS may be anybody's. A request without TLS may
               have come to a proxy with it. *)
            List.exists
              (fn scheme => HTTPText'.same (origin, scheme ^ host))
              (if isSome secure then ["https://"] else ["http://", "https://"])
        | _ => false

      fun serve {input, send, abort, atStop, atLook} =
        let
          val socket as {reading, isOver, hasLeft, isLost, ...} =
            socketOf (settings, {input = input, write = send, abort = abort, isClient = false})
          (* Whoever receives sees the end, behind what has come before it. *)
          fun look isGone =
            case SyncVar.mTakePoll reading of
              NONE => ()
            | SOME () =>
                (if !isOver orelse !isLost orelse not (Substring.isEmpty (! (#rest input))) then ()
                 else isLost := isGone ();
                 SyncVar.mPut (reading, ()))
        in
          atLook look;
          atStop (fn () => sayEnd (socket, 1001, "the server ends"));
          run socket
          handle Closed => ()
               | e => (close (socket, 1011, ""); raise e);
          close (socket, 1000, "");
          !hasLeft
        end

      (* RFC 9110, 7.8: the other protocol begins behind the request, so its body would be taken for frames. *)
      fun answer ({method, headers, host, minor, secure, body, ...} : HTTP.request) :
        HTTP.response =
        let
          fun has (name, word) = List.exists (fn w => w = word) (Headers.words headers name)
        in
          if not (has ("upgrade", "websocket") andalso has ("connection", "upgrade")) then
            HTTP.withHeader ("Upgrade", "websocket") (HTTP.status 426)
          else if Headers.all headers "sec-websocket-version" <> ["13"] then
            HTTP.withHeader ("Sec-WebSocket-Version", "13") (HTTP.status 426)
          else
            case Headers.all headers "sec-websocket-key" of
              [key] =>
                if method <> "GET"
                   orelse minor = 0
                   orelse not (isKey key)
                   orelse HTTPBody'.length body <> SOME 0
                then
                  HTTP.status 400
                else if not (isWelcome (headers, host, secure)) then HTTP.status 403
                else
                  {status = 101,
                   body = HTTPBody'.LIVE serve,
                   headers =
                     Headers.fromList
                       [("Upgrade", "websocket"), ("Sec-WebSocket-Accept", accepted key)]}
            | _ => HTTP.status 400
        end
    in
      answer
    end
end
