(* HTTPConnections': a client's connections: made, with or without a proxy, and kept until they are used again. *)

structure HTTPConnections' =
struct
  open HTTPAddress'
  structure Input = HTTPInput'
  structure Headers = HTTPHeaders'
  structure Message = HTTPMessage'

  (* A proxy's address, and the fields that say who asks it. *)
  type proxy = address * (string * string) list

  (* `hasCome`: something of the answer; `proxy`: the one by way of which it was made *)
  type connection =
    {transport : HTTPTransport'.t,
     input : Input.t,
     hasCome : bool ref,
     place : string,
     proxy : proxy option,
     isKept : bool}

  (* Its settings, and its connections. *)
  type client =
    {limits : Message.limits,
     most : int,
     keepTime : Time.time,
     connectTime : Time.time,
     sendTime : Time.time,
     answerTime : Time.time,
     pieceTime : Time.time,
     redirects : int,
     proxy : string -> string option,
     secure : ({host : string} * SocketWire'.t * Time.time -> HTTPTransport'.t) option,
     jar : HTTPJar'.t option,
     (* connections that nobody uses, since when, the youngest first *)
     kept : (connection * Time.time) list SyncVar.mvar}

  (* -- made *)

  val deadline = HTTPClock'.deadline

  fun more ({read, ...} : HTTPTransport'.t, hasCome) until =
    let
      val text = read until
    in
      if text = "" then () else hasCome := true;
      text
    end

  fun sendAll ({write, ...} : HTTPTransport'.t, time) text = write (time, text)

  fun closeOne ({transport = {close, ...}, ...} : connection) = close ()

  (* Connects to one of the addresses, the first one that takes it: `undo` is told how the socket is closed. Gives the
     socket as a wire and as a transport. *)
  fun dial (host, port, undo, until) =
    let
      (* Half of what is left of the time, since nobody may answer there, and other addresses are left. *)
      fun half way =
        let
          val left = Time.toReal (HTTPClock'.left until)
        in
          case Scope.within (Time.fromReal (Real.max (left / 2.0, 0.001))) (fn _ => way ()) of
            SOME made => made
          | NONE => raise OS.SysErr ("no answer", NONE)
        end
      fun prepared (sock, place, noDelay) =
        (undo := (fn () => Socket.close sock handle OS.SysErr _ => ());
         Socket.connect (sock, place);
         noDelay (sock, true);
         (fn () => HTTPTransport'.wire (sock, 65536), fn () => HTTPTransport'.plain (sock, 65536)))
      fun four a () =
        prepared (INetSock.TCP.socket () : Socket.active INetSock.stream_sock,
                  INetSock.toAddr (a, port),
                  INetSock.TCP.setNODELAY)
      fun six a () =
        prepared (INet6Sock.TCP.socket () : Socket.active INet6Sock.stream_sock,
                  INet6Sock.toAddr (a, port),
                  INet6Sock.TCP.setNODELAY)
      fun none () = raise OS.SysErr ("no such host: " ^ host, NONE)
      fun addrs (addrsOf, entry) = Option.getOpt (Option.map addrsOf entry, [])
      fun sixes () = List.map six (addrs (Net6HostDB.addrs, Net6HostDB.getByName host))
      (* The other kind of address is looked for when there is none of the first, or none that answers. *)
      fun try ([], more) = (case more () of [] => none () | ways => last ways)
        | try (way :: ways, more) =
            (if List.null ways then way () else half way)
            handle e as OS.SysErr _ =>
                (! undo ();
                 case ways of
                   [] => (case more () of [] => raise e | ways => last ways)
                 | _ => try (ways, more))
      and last ways = try (ways, fn () => [])
    in
      if isSix host then six (valOf (HTTPText'.six (bare host))) ()
      else
        case HTTPText'.four host of
          SOME a => four a ()
        | NONE =>
            try (List.map four (addrs (NetHostDB.addrs, NetHostDB.getByName host)), sixes)
    end

  fun proxyOf (url, what) : proxy =
    let
      val (user, url) = withoutUser url
      (* RFC 7617, 2: a colon stands behind the name, also if there is no password *)
      fun field name =
        let
          val name = if CharVector.exists (fn c => c = #":") name then name else name ^ ":"
          val plain = Option.getOpt (URL.decode name, name)
        in
          ("Proxy-Authorization", "Basic " ^ Base64.encode (Byte.stringToBytes plain))
        end
      val fields = case user of NONE => [] | SOME name => [field name]
    in
      case addressOf url of
        {isSecure = true, ...} => raise Address ("a proxy that is asked by HTTPS, for " ^ what)
      | address => (address, fields)
    end

  (* NONE: the host itself is asked. The program may say something else each time, so it is asked once for each request:
     what is sent must be for the one who gets it. *)
  fun proxyFor ({proxy, ...} : client, {host, ...} : address) =
    Option.map (fn url => proxyOf (url, host)) (proxy (bare host))

  fun writeHead (send, lines, fields, headers) =
    send (concat (lines
                  @ List.concat (List.map (fn (n, v) => [n, ": ", v, "\r\n"]) fields)
                  @ Message.linesOf (headers, ["\r\n"])))

  (* Asks a proxy for a way to the host. *)
  fun tunnel (client, transport as {write, ...} : HTTPTransport'.t, address, fields, until) =
    let
      val {limits, ...} : client = client
      val place = authorityOf address
      val () =
        writeHead (fn text => write (HTTPClock'.left until, text),
                   ["CONNECT ", place, " HTTP/1.1\r\nHost: ", place, "\r\n"],
                   fields,
                   Headers.empty)
      val input as {rest, ...} = Input.new (#read transport, #whyLost transport)
      val {status, ...} = HTTP'.readResponse (input, limits, "CONNECT", fn () => until)
    in
      if status < 200 orelse status > 299 then
        raise OS.SysErr
          (concat ["the proxy has answered ", Int.toString status, " ", HTTP'.reason status], NONE)
      else if Substring.isEmpty (!rest) then ()
      (* The host has not been asked for anything yet. *)
      else raise OS.SysErr ("the proxy has sent something behind its answer to CONNECT", NONE)
    end

  (* `isOther`: for another protocol than HTTP, which a proxy lets through as it does TLS. *)
  fun connect
    (client as {connectTime, secure, ...} : client,
     address as {isSecure, host, port, ...} : address,
     proxy : proxy option,
     {isOther}) : connection =
    let
      val until = deadline connectTime
      val make = if isSecure then secure else NONE
      (* closes what there is *)
      val undo = ref (fn () => ())
      val made = ref NONE
      fun run _ =
        let
          val (wire, plain) =
            case proxy of
              SOME ({host, port, ...}, _) => dial (host, port, undo, until)
            | NONE => dial (host, port, undo, until)
          val () =
            case (isSecure orelse isOther, proxy) of
              (true, SOME (_, fields)) => tunnel (client, plain (), address, fields, until)
            | _ => ()
          val transport as {close, ...} =
            case make of
              NONE => plain ()
            | SOME make => make ({host = bare host}, wire (), until)
        in
          undo := close;
          made := SOME transport
        end
    in
      ignore (Scope.within connectTime run)
      handle e => (! undo (); raise e);
      case !made of
        SOME transport =>
          let
            val hasCome = ref false
          in
            {transport = transport,
             input = Input.new (more (transport, hasCome), #whyLost transport),
             hasCome = hasCome,
             place = placeOf address,
             proxy = proxy,
             isKept = false}
          end
      | NONE => (! undo (); raise Input.TimeOut)
    end

  (* -- kept *)

  (* Is it still open? Nothing may have come on a connection that nobody uses. *)
  fun isOpen ({transport = {isIdle, ...}, input = {rest, ...}, ...} : connection) =
    Substring.isEmpty (!rest) andalso isIdle () handle OS.SysErr _ => false

  (* Not cancelled, for the wait is short: a connection that comes back would be lost. *)
  fun change ({kept, ...} : client) f =
    Scope.shield (fn () => SyncVar.mModify (kept, f))

  (* Those that are not too old, and the others. It is asked how old they are: nothing can be added to the longest
     KeepTime. *)
  fun divided ({keepTime, ...} : client, all) =
    let
      val now = HTTPClock'.now ()
    in
      List.partition (fn (_, since) => Time.< (Time.- (now, since), keepTime)) all
    end

  (* A connection that is kept, the youngest first; those that are too old are closed. One by way of another proxy is
     none: that proxy would be given what is meant for this one, its password too. *)
  fun take (client, address, proxy) =
    let
      val place = placeOf address
      fun choose all =
        let
          val (young, old) = divided (client, all)
          fun go ([], others) = (NONE, List.rev others)
            | go ((entry as (c : connection, _)) :: rest, others) =
                if #place c = place andalso #proxy c = proxy then
                  (SOME c, List.revAppend (others, rest))
                else go (rest, entry :: others)
          val (found, young) = go (young, [])
        in
          (young, (found, old))
        end
      val (found, old) = change client choose
    in
      List.app (fn (c, _) => closeOne c) old;
      case found of
        NONE => NONE
      | SOME c => if isOpen c then SOME c else (closeOne c; take (client, address, proxy))
    end

  (* So many are kept in all; a client that asks very many hosts does not come back to most of them. *)
  val mostKept = 128

  (* Those that are too old are closed here, too. A thread that sleeps until then would keep the program alive:
     Concurrent ML ends it when no thread can run, and one that waits for a time can. *)
  fun give
    (client as {most, ...} : client,
     c as {transport, input, hasCome, place, proxy, ...} : connection) =
    let
      val entry =
        ({transport = transport,
          input = input,
          hasCome = hasCome,
          place = place,
          proxy = proxy,
          isKept = true},
         HTTPClock'.now ())
      fun put all =
        if List.length (List.filter (fn (d : connection, _) => #place d = place) all) >= most then
          ([c], all)
        else if List.length all < mostKept then ([], entry :: all)
        else ([#1 (List.last all)], entry :: List.take (all, mostKept - 1))
      fun putIt all =
        let
          val (young, old) = divided (client, all)
          val (left, all) = put young
        in
          (all, List.map #1 old @ left)
        end
    in
      List.app closeOne (change client putIt)
    end

  fun close client = List.app (fn (c, _) => closeOne c) (change client (fn all => ([], all)))
end
