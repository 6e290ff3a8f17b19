(* HTTPServer: a thread for each connection of a listening socket, which reads requests, has them answered, and writes
   the answers. Each phase has its time, by an event while no bytes come and by the clock while they do. *)

signature HTTP_SERVER =
sig
  datatype listener =
      Four of Socket.passive INetSock.stream_sock
    | Six of Socket.passive INet6Sock.stream_sock

  (* A listening socket at an address of this machine ("127.0.0.1", "::1"; the empty string: all of them, of IPv4; "::":
     all of them, and as a rule those of IPv4, too), or at the first address that a name has ("localhost"; those of IPv4
     come first), and a port (0: a free one). Raises OS.SysErr, which names the address. *)
  val listen : {address : string, port : int} -> listener
  (* its port *)
  val port : listener -> int
  (* Closes a listening socket that is not served; `serve` closes its own. *)
  val close : listener -> unit

  datatype setting =
      (* bytes of a request's first line and header: 16384 *)
      MaxHeader of int
    (* fields of a header: 100 *)
    | MaxFields of int
    (* bytes of a body: 1048576 *)
    | MaxBody of int
    (* connections at a time, others wait to be accepted: 10000 *)
    | MaxConnections of int
    (* how long a connection may be without a request: 15 s *)
    | IdleTime of Time.time
    (* how long a request's header may take: 10 s *)
    | HeaderTime of Time.time
    (* how long a body may take, from when it is first read: 30 s *)
    | BodyTime of Time.time
    (* how long a client may take nothing of what is sent, between two moments at which it takes some: 30 s. An answer
       as a whole may take any time. *)
    | SendTime of Time.time
    (* how long the handler may take, until it has made a response; it is cancelled, and the client gets 503. Without
       this it may take any time. *)
    | HandlerTime of Time.time
    (* ends the server when it happens *)
    | StopWhen of unit CML.event
    (* how long requests that are under way then may take, and clients to read the last answers (LingerTime): 5 s *)
    | GraceTime of Time.time
    (* for a client to see the last answer before its connection is closed: 2 s *)
    | LingerTime of Time.time
    (* Is told of exceptions of the handler and of bodies, with the request, of those of `accept`, and of those of a
       handshake by TLS, also where the client breaks it off. Otherwise they are written to standard error; and so they
       are if it raises an exception itself, which is written, too. *)
    | OnError of exn * HTTP.request option -> unit
    (* A handler goes on when its client is gone. *)
    | FinishAnyway
    (* Makes what each connection is carried by, until that time; `HTTPS.server` gives this setting. *)
    | Secure of SocketWire'.t * Time.time -> HTTPTransport'.t

  (* Serves until `StopWhen` happens, and returns when everything has ended; the listening socket is closed then. Each
     request is given to the handler, in the thread of its connection, which is in a scope: cancelling the scope around
     this call ends the server at once.

     If the handler raises an exception, or says CML.exit, the client gets 500, and OnError is told. If it has not read
     the body it is passed over, or the connection is closed. If a part of the answer was sent before, the client sees
     that it is not whole: the last chunk is missing, and to a client of HTTP/1.0 the connection is reset. Exceptions of
     reading the body may be left to the server, which tells the client: 400, 408, 413.

     If the client ends the connection while the handler, or the stream of its response, is under way, their waits
     raise Scope.Cancelled: nobody wants the answer. The server looks for that each quarter of a second, so what is
     done within that time is done to its end. A client that has said that it sends no more, and still reads, looks
     the same; `FinishAnyway` is for such clients. Behind bytes that are not read yet, of a next request that was sent
     without waiting for the answer, the end is not seen (nor is it by Go's server). *)
  val serve : setting list -> listener -> HTTP.handler -> unit

  (* The same for other sockets: how an address is shown, and what is done with a new connection. *)
  val serveOn :
    {name : 'af Socket.sock_addr -> string,
     prepare : ('af, Socket.active Socket.stream) Socket.sock -> unit}
    -> setting list
    -> ('af, Socket.passive Socket.stream) Socket.sock
    -> HTTP.handler
    -> unit

  (* `Leat.stopEvt`: happens when the program is asked to end, by SIGTERM or SIGINT: from this call on, instead of its end.
     SIGINT (Ctrl-C) after that ends the program at once. *)
  val signals : unit -> unit CML.event
end

structure HTTPServer :> HTTP_SERVER =
struct
  open CML
  structure Input = HTTPInput'
  structure Body = HTTPBody'
  structure Headers = HTTPHeaders'
  structure Message = HTTPMessage'

  datatype listener =
      Four of Socket.passive INetSock.stream_sock
    | Six of Socket.passive INet6Sock.stream_sock

  datatype setting =
      MaxHeader of int
    | MaxFields of int
    | MaxBody of int
    | MaxConnections of int
    | IdleTime of Time.time
    | HeaderTime of Time.time
    | BodyTime of Time.time
    | SendTime of Time.time
    | HandlerTime of Time.time
    | StopWhen of unit event
    | GraceTime of Time.time
    | LingerTime of Time.time
    | OnError of exn * HTTP.request option -> unit
    | FinishAnyway
    | Secure of SocketWire'.t * Time.time -> HTTPTransport'.t

  (* -- what a server has *)

  (* A connection, for who looks whether its client is gone. `at` is the number of its request that is under way, or
     0, and `seen` what that was at the last look. *)
  type watched =
    {scope : Scope.scope,
     isGone : unit -> bool,
     at : int ref,
     seen : int ref,
     (* what is to be done when the server stops *)
     atStop : (unit -> unit) option ref,
     (* what another protocol does with `isGone` in place of being cancelled *)
     whileOther : ((unit -> bool) -> unit) option ref}

  type server =
    {limits : Message.limits,
     handler : HTTP.handler,
     handlerTime : Time.time option,
     idle : Time.time,
     headerTime : Time.time,
     bodyTime : Time.time,
     sendTime : Time.time,
     linger : Time.time,
     onError : exn * HTTP.request option -> unit,
     (* Requests under way. Who has taken it out may also use what is written and read of `watched`, and: *)
     busy : int SyncVar.mvar,
     (* the connections, each at a place of its own, and the places that are free *)
     crowd : {places : watched option array ref, free : int list ref},
     (* whether the one who looks waits, by the mailbox, until there is a request *)
     isAsleep : bool ref,
     wake : unit Mailbox.mbox,
     (* full when it is stopping *)
     stopping : unit SyncVar.ivar,
     (* full when the server is stopping and no request is under way *)
     quiet : unit SyncVar.ivar,
     (* the second, and its date as a text *)
     dates : (LargeInt.int * string) SyncVar.mvar}

  fun complainOf what (e, request : HTTP.request option) =
    StdErr'.say (concat ["http: ",
                         case request of
                           SOME {method, target, ...} => method ^ " " ^ target ^ ": "
                         | NONE => "",
                         what,
                         exnMessage e,
                         "\n"])
  val complain = complainOf ""

  (* The function of OnError; if it raises an exception itself, both are written, and the client is answered as usual. *)
  fun telling onError (e, request) =
    onError (e, request)
    handle Scope.Cancelled => (complain (e, request); Scope.check ())
         | other => (complain (e, request); complainOf "OnError has raised " (other, request))

  fun isFull ivar = isSome (SyncVar.iGetPoll ivar)

  (* Calls a function that uses what belongs to `busy`. *)
  fun during ({busy, ...} : server, f) =
    let
      val n = SyncVar.mTake busy
      val x = f ()
    in
      SyncVar.mPut (busy, n);
      x
    end

  (* A request begins, or ends, or is not looked after any more; `at` is its number, or 0. *)
  fun change ({busy, stopping, quiet, isAsleep, wake, ...} : server, by, at, number) =
    let
      val n = SyncVar.mTake busy + by
    in
      at := number;
      if !isAsleep then (isAsleep := false; Mailbox.send (wake, ())) else ();
      if n = 0 andalso isFull stopping then SyncVar.iPut (quiet, ()) handle SyncVar.Put => ()
      else ();
      SyncVar.mPut (busy, n)
    end

  (* -- a connection *)

  (* the client is gone, or does not take what is sent *)
  exception Gone

  (* More bytes, until then, though some may be there; the empty string is the end. *)
  fun more ({read, ...} : HTTPTransport'.t) until =
    if HTTPClock'.isOver until then raise Input.TimeOut else read until

  (* Whether an exception says that the client is gone, or has broken off: no fault of the server, so OnError is not
     told. *)
  fun isLost ({whyLost, ...} : HTTPTransport'.t) e =
    case e of
      Input.TimeOut => true
    | Input.Closed => true
    | Input.CutOff => true
    | _ => isSome (whyLost e)

  fun sendAll (transport as {write, ...} : HTTPTransport'.t, time) text =
    write (time, text) handle e => raise if isLost transport e then Gone else e

  (* No more will be sent. What the client still sends is read for a while, if it has not said that it has ended, too:
     had it not been when the socket is closed, the client would get a reset, maybe in place of the answer. *)
  fun lingerOn ({linger, ...} : server, transport as {finish, ...} : HTTPTransport'.t, hasEnded) =
    let
      val until = HTTPClock'.deadline linger
      fun drain () = (Scope.check (); if more transport until = "" then () else drain ())
    in
      (* It may have something to send, which the client does not take. *)
      ignore (Scope.within linger (fn _ => finish ()));
      if hasEnded then () else drain ()
    end
    handle e => if isLost transport e then () else raise e

  (* The date, which is made once a second; `known` is what this connection has seen of it. *)
  fun date ({dates, ...} : server, known) =
    let
      val now = Time.toSeconds (Time.now ())
    in
      if #1 (!known) = now then ()
      else
        let
          val last as (second, _) = SyncVar.mTake dates
          val this = if second = now then last else (now, HTTPDate.toString (Time.fromSeconds now))
        in
          SyncVar.mPut (dates, this);
          known := this
        end;
      #2 (!known)
    end

  fun has (words, word) = List.exists (fn w => w = word) words

  (* RFC 9112, 9.3: does the client want the connection to be kept? *)
  fun isKept ({minor, headers, ...} : Message.request) =
    case Headers.words headers "connection" of
      [] => minor = 1
    | said => not (has (said, "close")) andalso (minor = 1 orelse has (said, "keep-alive"))

  (* Of a body that nobody has read, so much is passed over. *)
  val mostSkipped = 65536

  (* -- who looks whether clients are gone *)

  val look = Time.fromMilliseconds 250

  (* A connection gets a place, and its function gives it back. *)
  fun enter (server as {crowd = {places, free}, ...} : server, entry) =
    let
      fun place () =
        let
          val old = Array.length (!places)
        in
          if List.null (!free) then
            (places :=
               Array.tabulate (2 * old, fn i => if i < old then Array.sub (!places, i) else NONE);
             free := List.tabulate (old, fn i => old + i))
          else ();
          hd (!free)
          before free := tl (!free)
        end
      val place =
        during
          (server, fn () => let val i = place () in (Array.update (!places, i, SOME entry); i) end)
    in
      fn () =>
        during (server, fn () => (Array.update (!places, place, NONE); free := place :: !free))
    end

  (* Each connection whose request was under way at the last look, too, is asked whether its client is gone. *)
  fun watch (server as {busy, crowd = {places, ...}, isAsleep, wake, ...} : server) =
    let
      val () = sync (timeOutEvt look)
      val n = SyncVar.mTake busy
      fun add (SOME {at, seen, isGone, scope, whileOther, ...} : watched option, found) =
            if !at = 0 then found
            else if !at = !seen then
              (case !whileOther of
                 SOME f => (fn () => f isGone)
               | NONE => (fn () => if isGone () then Scope.cancel (scope, Gone) else ()))
              :: found
            else (seen := !at; found)
        | add (NONE, found) = found
      val long = if n = 0 then [] else Array.foldl add [] (!places)
      val mayRest = n = 0
    in
      isAsleep := mayRest;
      SyncVar.mPut (busy, n);
      List.app (fn look => look ()) long;
      if mayRest then Mailbox.recv wake else ();
      watch server
    end

  (* -- a connection: one request after the other, until one side has had enough *)

  fun connection
    (server : server,
     transport as {secure, whyLost, ...} : HTTPTransport'.t,
     peer,
     {at, atStop, whileOther, ...} : watched) =
    let
      val {limits, handler, handlerTime, idle, headerTime, bodyTime, sendTime, linger, onError,
           stopping, ...} = server
      val input as {rest, ...} = Input.new (more transport, whyLost)
      val known = ref (~1, "")
      (* whether a part of this request's answer was sent *)
      val isBegun = ref false
      (* whether its body ends with the connection *)
      val isOpenEnded = ref false
      (* whether the client has said, in another protocol, that it sends no more *)
      val hasEnded = ref false
      val sendPiece = sendAll (transport, sendTime)
      fun send text = (isBegun := true; sendPiece text)
      (* The answer is not sent to its end: the client must not take that of the connection for it. *)
      fun cut () = if !isBegun andalso !isOpenEnded then #abort transport () else ()

      (* Writes the response to a request with that method and version; gives whether the connection is kept. *)
      fun answer
        (about as {minor, ...}, response as {status, headers, body} : HTTP.response, keep) =
        let
          val (ends, ending) = HTTP'.endingOf (about, response)
          val () = isOpenEnded := (case ending of HTTP'.TO_THE_END => true | _ => false)
          val keep = keep andalso not (has (Headers.words headers "connection", "close"))
          val keep = keep andalso not (!isOpenEnded)
          val connection =
            case body of
              Body.LIVE _ => "Connection: Upgrade\r\n\r\n"
            | _ =>
                if not keep then "Connection: close\r\n\r\n"
                else if minor = 0 then "Connection: keep-alive\r\n\r\n"
                else "\r\n"
          val first = HTTP'.statusLine status
          val first =
            case Headers.get headers "date" of
              SOME _ => [first]
            | NONE => [first, "Date: ", date (server, known), "\r\n"]
          fun header rest = first @ Message.linesOf (headers, ends @ connection :: rest)
        in
          HTTP'.sendWith (send, header, ending, body, fn () => not (HTTP'.isOfEvents headers));
          case body of
            Body.LIVE run =>
              let
                val number = !at
              in
                (* It is not cancelled: it sees the end by itself, or by what it says. *)
                change (server, 0, at, 0);
                hasEnded :=
                  run {input = input,
                       send = sendPiece,
                       abort = #abort transport,
                       atStop = fn f =>
                         (during (server, fn () => atStop := SOME f);
                          if isFull stopping then f () else ()),
                       atLook = fn f =>
                         during (server, fn () => (whileOther := SOME f; at := number))};
                during (server, fn () => (atStop := NONE; whileOther := NONE; at := 0));
                false
              end
          | _ => keep
        end
        handle e => (cut (); Body.close body; raise e)

      (* What is wrong with a request is said, and it is the connection's last one. *)
      fun refuse (about, status, why) =
        answer (about,
                HTTP'.text
                  status
                  (concat [Int.toString status, " ", HTTP'.reason status, why, "\n"]),
                false)
      fun refuseBad (about, status, why) = refuse (about, status, ": " ^ why)

      fun exchange (head as {method, minor, headers, ...} : Message.request) =
        let
          val about = {method = method, minor = minor}
          val framing = Message.requestFraming (head, limits)
          (* whether the client waits for a word before it sends the body *)
          val isAwaited =
            ref
              (case Headers.words headers "expect" of
                 [] => false
               | ["100-continue"] => minor = 1
               | _ => raise Input.Bad (417, "something else than 100-continue is expected"))
          val until = ref NONE
          fun time () =
            case !until of
              SOME t => t
            | NONE =>
                let
                  val t = HTTPClock'.deadline bodyTime
                in
                  until := SOME t;
                  (* It stands before the answer, or nowhere. *)
                  if !isAwaited andalso not (!isBegun) then
                    sendPiece "HTTP/1.1 100 Continue\r\n\r\n"
                  else ();
                  isAwaited := false;
                  t
                end
          val {next, isOver = isRead, trailers} = Message.pieces (input, framing, limits, time)
          (* what went wrong with the body, if it was read *)
          val failed = ref NONE
          fun read () = next () handle e => (failed := SOME e; raise e)
          val body =
            case framing of
              Message.NO_BODY => Body.empty
            | Message.LENGTH 0 => Body.empty
            | _ =>
                Body.streamWith trailers {length =
                                            case framing of Message.LENGTH n => SOME n | _ => NONE,
                                          next = read,
                                          close = fn () => ()}
          val request = HTTP'.requestOf (head, body, peer, secure)

          (* The handler's response. One that is made when its time is over, by a handler that handles what cancels it,
             is not wanted. *)
          fun call () =
            case handlerTime of
              NONE => handler request
            | SOME t =>
                let
                  val made = ref NONE
                  fun closeMade () =
                    case !made of SOME ({body, ...} : HTTP.response) => Body.close body | NONE => ()
                in
                  case Scope.within t (fn _ => made := SOME (handler request))
                       handle e => (closeMade (); raise e) of
                    SOME () => valOf (!made)
                  | NONE => (closeMade (); HTTP'.status 503)
                end

          (* Whether what is left of the body will be passed over, and that. *)
          fun isPassed () =
            isRead ()
            orelse not (!isAwaited)
                   andalso not (isSome (!failed))
                   andalso (case framing of Message.LENGTH n => n <= mostSkipped | _ => true)
          fun pass left =
            isRead ()
            orelse (case read () of
                      "" => true
                    | piece => size piece <= left andalso pass (left - size piece))
          fun passAll () = pass mostSkipped handle e => if isSome (!failed) then false else raise e

          fun failedWith e =
            if !isBegun then (cut (); onError (e, SOME request); raise Gone)
            else
              case !failed of
                SOME Body.TooLarge => refuseBad (about, 413, "a body that is too long")
              | SOME Body.TimeOut => refuseBad (about, 408, "the body did not come in time")
              | SOME (Body.Broken why) => refuseBad (about, 400, why)
              | SOME (Input.Bad (status, why)) => refuseBad (about, status, why)
              | _ =>
                  case e of
                    (* Of HTTPBody.all's own bound: for this body, or what was made of it. If this one was read, and was
                       not too long, it was that for another body. *)
                    Body.TooLarge =>
                      if Body.isRefused body orelse not (isRead ()) then
                        refuseBad (about, 413, "a body that is too long")
                      else (onError (e, SOME request); refuse (about, 500, ""))
                  | HTTPForm.Malformed why => refuseBad (about, 400, why)
                  | _ => (onError (e, SOME request); refuse (about, 500, ""))
          fun respond () =
            let
              val response = call ()
              val keep = isKept head andalso not (isFull stopping) andalso isPassed ()
            in
              answer (about, response, keep) andalso passAll ()
            end
            handle Gone => raise Gone
                 | e as Scope.Cancelled => (Scope.check (); failedWith e)
                 | e => failedWith e

          (* A handler, or the function of a body, that says CML.exit ends the thread of the connection. *)
          val hasExited = ref true
          fun sayExit () =
            if !hasExited then
              (ignore (Scope.within linger (fn _ =>
                         failedWith (Fail "the thread was ended by CML.exit")));
               lingerOn (server, transport, false))
              handle _ => ()
            else ()
        in
          Scope.finally (fn () =>
                           (respond () handle e => (hasExited := false; raise e))
                           before hasExited := false,
                         sayExit)
        end

      val number = ref 0
      (* A request, and behind the last one of the connection the time in which its answer is read: a server that stops
         waits for that, too. Gives whether there may be another one. *)
      fun counted f =
        let
          val () = (isBegun := false; number := !number + 1; change (server, 1, at, !number))
          fun last () = (change (server, 0, at, 0); lingerOn (server, transport, !hasEnded))
        in
          Scope.finally (fn () => f () orelse (last (); false), fn () => change (server, ~1, at, 0))
        end

      fun isIdle () =
        Substring.isEmpty (!rest)
        andalso ((Input.fill (input, HTTPClock'.deadline idle); false)
                 handle e => if isLost transport e then true else raise e)

      val unknown = {method = "GET", minor = 1}
      (* A client that always has another request ready, and takes what it is sent, lets nothing here wait. *)
      fun next () =
        if (Scope.check (); isIdle ()) then ()
        else
          case HTTP'.requestHeader (input, limits, HTTPClock'.deadline headerTime) of
            NONE => ()
          | SOME text =>
              let
                val head as {method, minor, ...} = Message.parseRequest (text, limits)
                fun both () =
                  exchange head
                  handle Input.Bad (status, why) =>
                      refuseBad ({method = method, minor = minor}, status, why)
              in
                if counted both then next () else ()
              end
      fun refuseAll why = ignore (counted (fn () => refuseBad why))
    in
      next ()
      handle Input.Bad (status, why) => refuseAll (unknown, status, why)
           | Input.TimeOut => refuseAll (unknown, 408, "the request did not come in time")
           | e => raise if isLost transport e then Gone else e
    end

  (* -- listening *)

  val signals = Leat.stopEvt

  fun port (Four sock) = #2 (INetSock.fromAddr (Socket.Ctl.getSockName sock))
    | port (Six sock) = #2 (INet6Sock.fromAddr (Socket.Ctl.getSockName sock))

  fun close (Four sock) = Socket.close sock
    | close (Six sock) = Socket.close sock

  fun bound (sock, place) =
    (Socket.Ctl.setREUSEADDR (sock, true);
     Socket.bind (sock, place);
     Socket.listen (sock, 4096);
     sock)
    handle e => (Socket.close sock; raise e)

  fun listen {address, port} =
    let
      val name = if String.isSubstring ":" address then "[" ^ address ^ "]" else address
      fun atPlace f =
        (if port < 0 orelse port > 65535 then raise OS.SysErr ("a port is 0 to 65535", NONE)
         else f ())
        handle OS.SysErr (why, code) =>
            raise OS.SysErr (concat ["cannot listen at ", name, ":", Int.toString port, ": ", why],
                             code)
      fun four place = atPlace (fn () => Four (bound (INetSock.TCP.socket (), place ())))
      (* What cannot be a name is not looked up. *)
      fun named (find, name) =
        if HTTPText'.isHost name andalso not (HTTPText'.isSix name) then find name else NONE
      fun six a =
        atPlace (fn () => Six (bound (INet6Sock.TCP.socket (), INet6Sock.toAddr (a, port))))
    in
      if address = "" then four (fn () => INetSock.any port)
      else
        case (HTTPText'.four address, HTTPText'.six address) of
          (SOME a, _) => four (fn () => INetSock.toAddr (a, port))
        | (_, SOME a) => six a
        | _ =>
            case named (NetHostDB.getByName, address) of
              SOME entry => four (fn () => INetSock.toAddr (NetHostDB.addr entry, port))
            | NONE =>
                case named (Net6HostDB.getByName, address) of
                  SOME entry => six (Net6HostDB.addr entry)
                | NONE =>
                    raise OS.SysErr ("neither an address of IPv4 or IPv6 nor the name of a host: "
                                     ^ address,
                                     NONE)
    end

  (* the server has ended: its connections are to end, too *)
  exception Stopped

  fun serveOn {name, prepare} settings listener handler =
    let
      fun last setting = Settings'.last settings setting
      val seconds = Time.fromSeconds
      val most = last (fn MaxConnections n => SOME n | _ => NONE, 10000)
      val stop = choose (List.mapPartial (fn StopWhen e => SOME e | _ => NONE) settings)
      val grace = last (fn GraceTime t => SOME t | _ => NONE, seconds 5)
      val server : server =
        {limits =
           {header = last (fn MaxHeader n => SOME n | _ => NONE, 16384),
            fields = last (fn MaxFields n => SOME n | _ => NONE, 100),
            body = last (fn MaxBody n => SOME n | _ => NONE, 1048576)},
         handler = handler,
         handlerTime = last (fn HandlerTime t => SOME (SOME t) | _ => NONE, NONE),
         idle = last (fn IdleTime t => SOME t | _ => NONE, seconds 15),
         headerTime = last (fn HeaderTime t => SOME t | _ => NONE, seconds 10),
         bodyTime = last (fn BodyTime t => SOME t | _ => NONE, seconds 30),
         sendTime = last (fn SendTime t => SOME t | _ => NONE, seconds 30),
         linger = last (fn LingerTime t => SOME t | _ => NONE, seconds 2),
         onError = telling (last (fn OnError f => SOME f | _ => NONE, complain)),
         busy = SyncVar.mVarInit 0,
         crowd =
           {places = ref (Array.array (16, NONE)), free = ref (List.tabulate (16, fn i => i))},
         isAsleep = ref false,
         wake = Mailbox.mailbox (),
         stopping = SyncVar.iVar (),
         quiet = SyncVar.iVar (),
         dates = SyncVar.mVarInit (~1, "")}
      val {onError, busy, stopping, quiet, headerTime, crowd, ...} = server
      val secure = last (fn Secure f => SOME (SOME f) | _ => NONE, NONE)

      (* connections, and a word to the one who accepts when there is room again *)
      val live = SyncVar.mVarInit 0
      val room = Mailbox.mailbox () : unit Mailbox.mbox
      fun ended () =
        let
          val n = SyncVar.mTake live
        in
          SyncVar.mPut (live, n - 1);
          if n = most then Mailbox.send (room, ()) else ()
        end

      fun begin (scope, (sock, address)) =
        let
          (* the socket is the transport's when there is one *)
          val closing = ref (fn () => Socket.close sock handle OS.SysErr _ => ())
          fun transport () =
            case secure of
              NONE => HTTPTransport'.plain (sock, 16384)
            | SOME make =>
                let
                  val made as {close, ...} =
                    make (HTTPTransport'.wire (sock, 65536), HTTPClock'.deadline headerTime)
                in
                  closing := close;
                  made
                end
          fun watched (transport as {isGone, ...} : HTTPTransport'.t) =
            Scope.run (fn scope =>
              let
                val entry =
                  {scope = scope,
                   isGone = isGone,
                   at = ref 0,
                   seen = ref 0,
                   atStop = ref NONE,
                   whileOther = ref NONE}
                val leave = enter (server, entry)
              in
                Scope.finally (fn () => connection (server, transport, name address, entry), leave)
              end)
          fun run () =
            (watched (transport ())
             handle Gone => ()
                  | Input.Closed => ()
                  | Input.CutOff => ()
                  | Input.TimeOut => ()
                  | OS.SysErr _ => ()
                  | Scope.Cancelled => ()
                  | e => onError (e, NONE))
        in
          Scope.shield (fn () => SyncVar.mPut (live, SyncVar.mTake live + 1));
          prepare sock handle OS.SysErr _ => ();
          ignore (Scope.fork scope (fn () =>
                    Scope.finally (fn () => (run () handle _ => ()),
                                   fn () => (! closing (); ended ()))))
        end

      (* Until it is to stop. What is wrong is said once, until it is over. *)
      fun accept (scope, said) =
        let
          val said = ref said
          fun stopped () = wrap (stop, fn () => NONE)
          fun loop () =
            if SyncVar.mGet live >= most then
              case select [wrap (Mailbox.recvEvt room, SOME), stopped ()] of
                SOME () => loop ()
              | NONE => ()
            else
              case select [wrap (Socket.acceptEvt listener, SOME), stopped ()] of
                SOME new => several (new, 16)
              | NONE => ()
          (* some that wait, without an event for each *)
          and several (new, left) =
            (begin (scope, new);
             said := "";
             if left = 0 orelse SyncVar.mGet live >= most then loop ()
             else
               case Socket.acceptNB listener of
                 SOME new => several (new, left - 1)
               | NONE => loop ())
        in
          loop ()
          handle e as OS.SysErr (message, _) =>
              (if message = !said then () else onError (e, NONE);
               case select [stopped (), wrap (timeOutEvt (Time.fromMilliseconds 50), SOME)] of
                 SOME () => accept (scope, message)
               | NONE => ())
        end

      fun close () = Socket.close listener handle OS.SysErr _ => ()

      fun run scope =
        (if List.exists (fn FinishAnyway => true | _ => false) settings then ()
         else Scope.daemon scope (fn () => watch server);
         accept (scope, "");
         close ();
         SyncVar.iPut (stopping, ());
         let
           val n = SyncVar.mTake busy
           fun add (SOME ({atStop = ref (SOME f), ...} : watched), found) = f :: found
             | add (_, found) = found
           val told = Array.foldl add [] (! (#places crowd))
         in
           SyncVar.mPut (busy, n);
           List.app (fn f => ignore (Scope.fork scope (fn () => f () handle _ => ()))) told;
           if n = 0 then () else select [SyncVar.iGetEvt quiet, timeOutEvt grace]
         end;
         raise Stopped)
    in
      Scope.run run handle Stopped => () | e => (close (); raise e)
    end

  (* A client by IPv4 is named as such. *)
  fun nameOfSix address =
    let
      val four = String.extract (address, Int.min (7, size address), NONE)
    in
      if String.isPrefix "::ffff:" address andalso Char.contains four #"." then four else address
    end

  fun serve settings (Four sock) handler =
        serveOn
          {name = fn address => NetHostDB.toString (#1 (INetSock.fromAddr address)),
           prepare = fn sock => INetSock.TCP.setNODELAY (sock, true)}
          settings
          sock
          handler
    | serve settings (Six sock) handler =
        serveOn
          {name = fn address => nameOfSix (Net6HostDB.toString (#1 (INet6Sock.fromAddr address))),
           prepare = fn sock => INet6Sock.TCP.setNODELAY (sock, true)}
          settings
          sock
          handler
end
