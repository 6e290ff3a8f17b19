(* Tls: connections that nobody else can read or change, with a certificate of who is on the other side: TLS 1.2 and 1.3.

   The work is done by a machine of the runtime (rustls), which makes bytes of bytes and knows nothing of sockets. What is
   here waits for a socket, and gives the machine what has come; so a thread that waits is parked, may be cancelled, and
   waits for other events too. *)

signature TLS =
sig
  (* -- what can go wrong *)

  datatype problem =
      (* the other side's certificate is signed by nobody who is trusted, *)
      UNKNOWN_ISSUER
    (* by itself, and is not trusted, *)
    | SELF_SIGNED
    (* is for other names than the one that was asked for, *)
    | WRONG_NAME
    (* is not valid any more, *)
    | EXPIRED
    (* is not valid yet, *)
    | NOT_YET_VALID
    (* or there is something else wrong with it; *)
    | BAD_CERTIFICATE
    (* a client that must have a certificate has none *)
    | NO_CERTIFICATE
    (* what has come is something else *)
    | NOT_TLS
    (* no version, no cipher, or no protocol that both sides have *)
    | INCOMPATIBLE
    (* the other side does not want to: its alert *)
    | REFUSED
    (* The connection has ended, and the other side had not said that it would: somebody may have cut it off. *)
    | TRUNCATED
    (* a file, a certificate, a key or a name that this program has given *)
    | SETTING
    (* the stream was closed here *)
    | CLOSED
    | OTHER

  (* What is wrong, and a sentence that says so. Errors of the connection below are OS.SysErr, as a socket raises them,
     or what the functions of a `wire` raise. *)
  exception Failed of problem * string

  (* -- settings *)

  datatype setting =
      (* A file of certificates in PEM that are trusted. A client trusts those of the system, too. *)
      Trust of string
    (* The same as a text. *)
    | TrustPEM of string
    (* A client trusts what it was told to trust, and not what the system does. *)
    | NotTheSystem
    (* A client trusts whoever answers: for tests only. *)
    | Anybody
    (* Files in PEM: a certificate with those that have signed it, and its key. A server has one or more, and shows the
       one that is for the name which the client asks for, else the first; a client has one at most. *)
    | Certificate of {chain : string, key : string}
    (* The same as texts. *)
    | CertificatePEM of {chain : string, key : string}
    (* The protocols above TLS (ALPN), the best one first. *)
    | Protocols of string list
    (* A server asks clients for a certificate; or lets in none without. It trusts those that `Trust` names. *)
    | AskClients
    | RequireClients
    (* no other version than this one *)
    | Only12
    | Only13

  (* What connections of clients, and of servers, are made with. They are made once, and used by any number of threads. *)
  type client
  type server

  (* Raises Failed, with SETTING, and IO.Io for a file that cannot be read. *)
  val client : setting list -> client
  (* The same for servers, which must have a certificate. *)
  val server : setting list -> server

  (* -- streams *)

  (* A connection. One thread at a time reads, another one may write meanwhile. *)
  type stream

  (* What is below: how bytes come and go. An empty vector is the end. *)
  type wire =
    {recvNow : unit -> Word8Vector.vector option,
     recv : Word8Vector.vector CML.event,
     sendNow : Word8VectorSlice.slice -> int option,
     send : Word8VectorSlice.slice -> int CML.event,
     close : unit -> unit}
  (* May be raised by `recv` and `send` of a wire: it happened too early. The stream waits for it again. *)
  exception Again
  (* That of a socket. *)
  val wire : ('af, Socket.active Socket.stream) Socket.sock -> wire

  (* Agrees with the server at the other end of a connected socket, which must have a certificate for this name: a host's,
     or an address. The socket belongs to the stream then, and is closed if this fails. Raises Failed. It may take any
     time: see `Scope.within`. *)
  val connect : client * string -> ('af, Socket.active Socket.stream) Socket.sock -> stream
  (* Agrees with the client at the other end of a socket that was accepted. *)
  val accept : server -> ('af, Socket.active Socket.stream) Socket.sock -> stream
  (* The same over something else than a socket. *)
  val connectOver : client * string -> wire -> stream
  (* Likewise for a server. *)
  val acceptOver : server -> wire -> stream

  (* Bytes that have come, at least one and at most so many; waits for them. An empty vector: the other side has said that
     it sends no more. Raises Failed, with TRUNCATED if the connection has ended without that. *)
  val recvVec : stream * int -> Word8Vector.vector
  (* The same, until that time of the day: NONE when it is over. *)
  val recvVecUntil : stream * int * Time.time -> Word8Vector.vector option
  (* The same as an event: it happens when there are bytes, the end, or an error, which is raised then. If another event
     happens first, nothing is lost. *)
  val recvVecEvt : stream * int -> Word8Vector.vector CML.event
  (* Bytes that are there; NONE: none are. *)
  val recvVecNB : stream * int -> Word8Vector.vector option
  (* Whether nothing more will come, and nothing that has come waits to be received; it waits for nothing. *)
  val isOver : stream -> bool

  (* Sends all of it. If it is cancelled, a part may have been sent. *)
  val sendVec : stream * Word8VectorSlice.slice -> unit
  (* The same, until that time of the day: false when it is over. What was not sent goes out before what is sent next;
     of a slice of more than 65,536 bytes a part may be lost, and then the stream can only be closed. *)
  val sendVecUntil : stream * Word8VectorSlice.slice * Time.time -> bool
  (* The same, however long it takes, as long as some of it goes out now and then: false when nothing has for so much
     time, or another call has been sending for so long. Then, too, a part of a slice of more than 65,536 bytes may be
     lost. *)
  val sendVecPatient : stream * Word8VectorSlice.slice * Time.time -> bool
  (* Happens when nothing waits to be sent any more, and sends some of it: how many bytes. An error of the
     wire is raised by the next one, at the latest. *)
  val sendVecEvt : stream * Word8VectorSlice.slice -> int CML.event

  (* Says that no more will be sent. The other side may go on. *)
  val finish : stream -> unit
  (* Says so, if it was not said yet and can be within two seconds, and closes the socket. A client of TLS 1.3 to which
     nothing has come waits in this time for the server's first bytes, or its end. *)
  val close : stream -> unit

  (* What was agreed on: the version ("TLS 1.3"), the cipher, the protocol, the name that the client has asked for (for a
     server), and the other side's certificates (DER), its own first. *)
  type agreement =
    {version : string,
     cipher : string,
     protocol : string option,
     name : string option,
     certificates : Word8Vector.vector list}
  (* That of a stream. *)
  val agreement : stream -> agreement
  (* The descriptor of the socket below; NONE: something else is below. That it is ready says nothing of what can be
     received. *)
  val ioDesc : stream -> OS.IO.iodesc option
end

structure Tls :> TLS =
struct
  open CML
  type bytes = Word8Vector.vector

  datatype problem =
      UNKNOWN_ISSUER
    | SELF_SIGNED
    | WRONG_NAME
    | EXPIRED
    | NOT_YET_VALID
    | BAD_CERTIFICATE
    | NO_CERTIFICATE
    | NOT_TLS
    | INCOMPATIBLE
    | REFUSED
    | TRUNCATED
    | SETTING
    | CLOSED
    | OTHER

  exception Failed of problem * string

  val () = MLton.Exn.addExnMessager (fn Failed (_, text) => SOME ("TLS: " ^ text) | _ => NONE)

  (* -- the machine: runtime/tls/src/lib.rs *)

  type handle' = Word64.word
  val newConfig = _import "leat_tls_config" : Word64.word -> handle';
  val addText =
    _import "leat_tls_config_add" : handle' * Word64.word * string * Word64.word -> Word64.word;
  val complete = _import "leat_tls_config_done" : handle' * Word64.word -> Word64.word;
  val configProblem =
    _import "leat_tls_config_problem" : handle' * Word8Array.array * Word64.word -> Word64.word;
  val freeConfig = _import "leat_tls_config_free" : handle' -> unit;
  val newMachine = _import "leat_tls_new" : handle' * string * Word64.word -> handle';
  val freeMachine = _import "leat_tls_free" : handle' -> unit;
  val statusOf = _import "leat_tls_status" : handle' -> Word64.word;
  val feed = _import "leat_tls_feed" : handle' * bytes * Word64.word * Word64.word -> Word64.word;
  val ended = _import "leat_tls_end" : handle' -> Word64.word;
  val seal = _import "leat_tls_seal" : handle' * bytes * Word64.word * Word64.word -> Word64.word;
  val sealEnd = _import "leat_tls_close" : handle' -> Word64.word;
  val readOut = _import "leat_tls_read" : handle' * Word8Array.array * Word64.word -> Word64.word;
  val takeOut = _import "leat_tls_take" : handle' * Word8Array.array * Word64.word -> Word64.word;
  val problemOf = _import "leat_tls_problem" : handle' -> Word64.word;
  val aboutText =
    _import "leat_tls_about" :
      handle' * Word64.word * Word8Array.array * Word64.word -> Word64.word;

  (* The bits of a status. *)
  fun has bit status = Word64.andb (status, bit) <> 0w0
  val isHandshaking = has 0w1
  val isClosed = has 0w2
  val isFailed = has 0w4
  fun came status = Word64.toInt (Word64.andb (Word64.>> (status, 0w8), 0wxfffffff))
  fun going status = Word64.toInt (Word64.>> (status, 0w36))

  fun problem 0w1 = UNKNOWN_ISSUER
    | problem 0w2 = SELF_SIGNED
    | problem 0w3 = WRONG_NAME
    | problem 0w4 = EXPIRED
    | problem 0w5 = NOT_YET_VALID
    | problem 0w6 = BAD_CERTIFICATE
    | problem 0w7 = NO_CERTIFICATE
    | problem 0w8 = NOT_TLS
    | problem 0w9 = INCOMPATIBLE
    | problem 0w10 = REFUSED
    | problem 0w11 = TRUNCATED
    | problem 0w12 = SETTING
    | problem 0w13 = CLOSED
    | problem _ = OTHER

  (* What such a function has written, which knows how much there is. *)
  fun written f =
    let
      val n = Word64.toInt (f (Word8Array.array (0, 0w0), 0w0))
      val room = Word8Array.array (n, 0w0)
    in
      ignore (f (room, Word64.fromInt n) : Word64.word);
      Word8Array.vector room
    end

  (* Bytes from a function that copies as many as are asked for; so many are there. Nobody else has the array, so it
     becomes the vector if it is full; what `create` makes is written before it is read. *)
  fun copied (f, machine, n) =
    let
      val room = Unsafe.Word8Array.create n
      val got = Word64.toInt (f (machine, room, Word64.fromInt n))
    in
      if got = n then Unsafe.cast room : bytes
      else Word8ArraySlice.vector (Word8ArraySlice.slice (room, 0, SOME got))
    end

  (* -- settings *)

  datatype setting =
      Trust of string
    | TrustPEM of string
    | NotTheSystem
    | Anybody
    | Certificate of {chain : string, key : string}
    | CertificatePEM of {chain : string, key : string}
    | Protocols of string list
    | AskClients
    | RequireClients
    | Only12
    | Only13

  (* The number is freed when nobody has it any more. *)
  type config = handle' MLton.Finalizable.t
  type client = config
  type server = config

  fun contents name =
    let
      val file = TextIO.openIn name
    in
      (TextIO.inputAll file before TextIO.closeIn file) handle e => (TextIO.closeIn file; raise e)
    end

  fun config isServer settings : config =
    let
      val system =
        if isServer orelse List.exists (fn s => s = NotTheSystem) settings then 0w0 else 0w1
      fun wish (Anybody, w) = Word64.orb (w, 0w2)
        | wish (Only12, w) = Word64.orb (w, 0w4)
        | wish (Only13, w) = Word64.orb (w, 0w8)
        | wish (AskClients, w) = Word64.orb (w, 0w16)
        | wish (RequireClients, w) = Word64.orb (w, 0w32)
        | wish (_, w) = w
      val it = newConfig (List.foldl wish system settings)
      val all = MLton.Finalizable.new it
      val () = MLton.Finalizable.addFinalizer (all, freeConfig)
      fun check (0w0, _) = ()
        | check (kind, about) =
            let
              val text = Byte.bytesToString (written (fn (room, n) => configProblem (it, room, n)))
            in
              raise Failed (problem kind, if about = "" then text else concat [about, ": ", text])
            end
      fun add (what, text, about) =
        check (addText (it, what, text, Word64.fromInt (size text)), about)
      fun set (Trust file) = add (0w0, contents file, file)
        | set (TrustPEM text) = add (0w0, text, "")
        | set (Certificate {chain, key}) =
            (add (0w2, contents chain, chain); add (0w3, contents key, key))
        | set (CertificatePEM {chain, key}) = (add (0w2, chain, ""); add (0w3, key, ""))
        | set (Protocols names) = List.app (fn name => add (0w1, name, "")) names
        | set _ = ()
    in
      List.app set settings;
      check (complete (it, if isServer then 0w1 else 0w0), "");
      MLton.Finalizable.touch all;
      all
    end

  val client = config false
  val server = config true

  (* -- streams *)

  type wire = SocketWire'.t
  exception Again = SocketWire'.Again

  type stream =
    {machine : handle',
     (* frees the machine *)
     keeper : handle' MLton.Finalizable.t,
     wire : wire,
     desc : OS.IO.iodesc option,
     (* held by who receives, and by who sends *)
     reading : unit SyncVar.mvar,
     writing : unit SyncVar.mvar,
     (* what the machine has given to be sent, and was not; of who holds `writing` *)
     unsent : Word8VectorSlice.slice ref,
     (* what the wire has raised, for who reads next *)
     broken : exn option ref,
     isOver : bool ref,
     (* whether the end was said *)
     isFinished : bool ref,
     (* a client to which nothing has come since the two have agreed *)
     isQuiet : bool ref}

  type agreement =
    {version : string,
     cipher : string,
     protocol : string option,
     name : string option,
     certificates : Word8Vector.vector list}

  (* A record of 16 KiB with what is around it fits four times. *)
  val most = 65536

  fun wire sock = SocketWire'.wire (sock, fn () => Socket.recvVecNB (sock, most))

  exception TimeOut

  (* How long the waits of a call may take: any time, until that time of the day together, or each of them so long. *)
  datatype limit = ANY | UNTIL of Time.time | EACH of Time.time

  (* A wait for one of the wire's events. *)
  fun wait (limit, event) =
    let
      val timer = Timer.startRealTimer ()
      fun late event = wrap (event, fn () => raise TimeOut)
      fun go () =
        (case limit of
           ANY => sync event
         | UNTIL time => select [event, late (atTimeEvt time)]
         | EACH time =>
             select [event, late (timeOutEvt (Time.- (time, Timer.checkRealTimer timer)))])
        handle Again => go ()
    in
      go ()
    end

  fun about machine what =
    written (fn (room, n) => aboutText (machine, what, room, n))
  fun text bytes = Byte.bytesToString bytes

  fun failure machine =
    let
      val kind = problem (problemOf machine)
      val said = text (about machine 0w0)
    in
      Failed (kind, if kind = CLOSED then "the stream was closed" else said)
    end

  (* What f gives, for who has taken the lock, which is free behind this. *)
  fun having (lock, f) =
    let
      val result = f () handle e => (SyncVar.mPut (lock, ()); raise e)
    in
      SyncVar.mPut (lock, ());
      result
    end
  fun locked (lock, limit, f) =
    (case SyncVar.mTakePoll lock of
       SOME () => ()
     | NONE => wait (limit, SyncVar.mTakeEvt lock);
     having (lock, f))
  (* NONE if somebody else has the lock. *)
  fun ifFree (lock, f) = Option.map (fn () => having (lock, f)) (SyncVar.mTakePoll lock)

  (* Sends what there is, by a function that sends some of a slice, and gives 0 to stop. `status`: that of now. *)
  fun flush ({machine, unsent, ...} : stream, status, send) =
    let
      fun more status =
        case going status of
          0 => unsent := Word8VectorSlice.full (Word8Vector.fromList [])
        | n => go (Word8VectorSlice.full (copied (takeOut, machine, n)))
      and go slice =
        if Word8VectorSlice.length slice = 0 then more (statusOf machine)
        else
          (unsent := slice;
           case send slice of
             0 => ()
           | n => go (Word8VectorSlice.subslice (slice, n, NONE)))
    in
      if Word8VectorSlice.length (!unsent) = 0 then more status else go (!unsent)
    end

  (* Sends all, and waits where it must. *)
  fun flushAll (stream as {wire = {sendNow, send, ...}, ...} : stream, status, limit) =
    flush (stream,
           status,
           fn slice =>
             case sendNow slice of
               SOME n => n
             | NONE => wait (limit, send slice))

  (* Sends what can be sent now, if nobody else is sending: an alert, say. Who reads must not wait for that: the other
     side may read nothing until it was read from. *)
  fun flushNow (stream as {machine, writing, wire = {sendNow, ...}, ...} : stream, status) =
    if going status = 0 then ()
    else
      (* What the wire raises it raises for who sends next, too. *)
      ignore (ifFree (writing,
                      fn () =>
                        flush
                          (stream, statusOf machine, fn slice => Option.getOpt (sendNow slice, 0))
                        handle _ => ()))

  fun give ({machine, ...} : stream, bytes) =
    case Word8Vector.length bytes of
      0 => ended machine
    | n => feed (machine, bytes, 0w0, Word64.fromInt n)

  (* Is there something for who reads: bytes, the end, an error? *)
  fun isReady status = came status > 0 orelse isClosed status orelse isFailed status

  (* Gives the machine what comes until there is something: the status then. `receive` gives it, or NONE to stop; then
     there is nothing. What comes may bring nothing for who reads, and the other side may send that without end; so each
     `receive` below has a bound. *)
  fun fill (stream as {machine, broken, isQuiet, ...} : stream, receive) =
    let
      fun go status =
        if isReady status orelse isSome (!broken) then SOME status
        else
          case receive () of
            NONE => NONE
          | SOME bytes =>
              let
                val () = isQuiet := false
                val status = give (stream, bytes)
              in
                flushNow (stream, status);
                go status
              end
    in
      go (statusOf machine)
    end

  (* What would end a wait ends this, too, where the next bytes are there already. *)
  fun look limit =
    (Scope.check ();
     case limit of
       UNTIL time => if Time.>= (Time.now (), time) then raise TimeOut else ()
     | _ => ())

  (* Made for one `fill`. What is there at first is taken, however late it is. *)
  fun receiveWith ({wire = {recvNow, recv, ...}, ...} : stream, limit) =
    let
      val isFirst = ref true
    in
      fn () =>
        (if !isFirst then isFirst := false else look limit;
         case recvNow () of
           SOME bytes => SOME bytes
         | NONE => SOME (wait (limit, recv)))
    end

  (* Likewise, without a wait: a few records at most. *)
  fun receiveNow ({wire = {recvNow, ...}, ...} : stream) =
    let
      val left = ref most
    in
      fn () =>
        if !left <= 0 then NONE
        else
          Option.map (fn bytes => (left := !left - Word8Vector.length bytes; bytes)) (recvNow ())
    end

  (* What is there, when there is something; the status is what `fill` gave, and nobody else has read since. *)
  fun result ({machine, keeper, broken, ...} : stream, status, n) =
    let
      val there = came status
      val bytes =
        if there > 0 then copied (readOut, machine, Int.min (n, there))
        else
          case (isFailed status, !broken) of
            (true, _) => raise failure machine
          | (false, SOME e) => raise e
          | (false, NONE) => Word8Vector.fromList []
    in
      MLton.Finalizable.touch keeper;
      bytes
    end

  fun check n = if n < 1 then raise Size else ()

  fun recvWithin (stream as {reading, ...} : stream, n, limit) =
    (check n;
     locked (reading,
             limit,
             fn () => result (stream, valOf (fill (stream, receiveWith (stream, limit))), n)))

  fun recvVec (stream, n) = recvWithin (stream, n, ANY)
  fun recvVecUntil (stream, n, time) =
    SOME (recvWithin (stream, n, UNTIL time)) handle TimeOut => NONE

  fun recvVecNB (stream as {reading, ...} : stream, n) =
    (check n;
     Option.join (ifFree (reading,
                          fn () =>
                            Option.map
                              (fn status => result (stream, status, n))
                              (fill (stream, receiveNow stream)))))

  (* An event for what takes several steps of input and output. A thread takes them, until `ready` gives true, or `nack`
     happens: then it gives false. What it does must not be lost if nobody wants it. *)
  fun eventually (isNow, ready, finish) =
    guard (fn () =>
      if isNow () then wrap (alwaysEvt (), finish)
      else
        withNack (fn nack =>
          let
            val done = channel ()
            fun run () = if ready nack then select [sendEvt (done, ()), nack] else ()
          in
            ignore (spawn run);
            wrap (recvEvt done, finish)
          end))

  (* Who reads meanwhile sees the end by himself. *)
  fun isOver (stream as {machine, reading, broken, ...} : stream) =
    case ifFree (reading,
                 fn () =>
                   ignore (fill (stream, receiveNow stream))
                   handle Scope.Cancelled => raise Scope.Cancelled
                        | e => broken := SOME e) of
      NONE => false
    | SOME () =>
        let
          val status = statusOf machine
        in
          came status = 0 andalso (isClosed status orelse isFailed status orelse isSome (!broken))
        end

  fun recvVecEvt (stream as {machine, reading, broken, wire = {recv, ...}, ...} : stream, n) =
    let
      val () = check n
      fun ready nack =
        let
          fun receive () =
            select [wrap (recv, SOME), wrap (nack, fn () => NONE)] handle Again => receive ()
          fun go () =
            let
              val isThere =
                isSome (fill (stream, receive)) handle e => (broken := SOME e; true)
            in
              SyncVar.mPut (reading, ());
              isThere
            end
        in
          select [wrap (SyncVar.mTakeEvt reading, go), wrap (nack, fn () => false)]
        end
    in
      eventually (fn () => isReady (statusOf machine), ready, fn () => recvVec (stream, n))
    end

  (* Why the wire takes nothing more: the other side may have said it before it went. *)
  fun reason (stream as {machine, reading, ...} : stream, e) =
    case ifFree (reading, fn () => ignore (fill (stream, receiveNow stream)) handle _ => ()) of
      NONE => e
    | SOME () =>
        let
          val status = statusOf machine
        in
          if isFailed status andalso problem (problemOf machine) = REFUSED then failure machine
          else e
        end

  (* Whether an exception of a call that sends may be one of the wire. *)
  fun isLost TimeOut = false
    | isLost Scope.Cancelled = false
    | isLost (Failed (CLOSED, _)) = false
    | isLost _ = true

  (* Behind the end that was said nobody takes anything (RFC 8446, 6.1). *)
  fun checkOpen ({isFinished, ...} : stream) =
    if !isFinished then raise Failed (CLOSED, "the end was said already: nothing can be sent")
    else ()

  (* A piece is sealed and sent before the next one is: so much waits in memory at most. *)
  fun sendWithin
    (stream as {machine, keeper, writing, unsent, ...} : stream,
     slice : Word8VectorSlice.slice,
     limit) =
    let
      val (bytes, start, count) = Word8VectorSlice.base slice
      fun go (at, left) =
        if left = 0 then ()
        else
          let
            val n = Int.min (left, most)
            val status = seal (machine, bytes, Word64.fromInt at, Word64.fromInt n)
          in
            flushAll (stream, status, limit);
            if isFailed status then raise failure machine
            else if left > n then (look limit; go (at + n, left - n))
            else ()
          end
    in
      locked (writing,
              limit,
              fn () =>
                (checkOpen stream;
                 (* What the machine has for itself goes out before what is sealed next. *)
                 if Word8VectorSlice.length (!unsent) = 0 andalso count > 0 then ()
                 else flushAll (stream, statusOf machine, limit);
                 go (start, count)))
      handle e => raise if isLost e then reason (stream, e) else e;
      MLton.Finalizable.touch keeper
    end

  fun sendVec (stream, slice) = sendWithin (stream, slice, ANY)
  fun sent (stream, slice, limit) =
    (sendWithin (stream, slice, limit); true) handle TimeOut => false
  fun sendVecUntil (stream, slice, time) = sent (stream, slice, UNTIL time)
  fun sendVecPatient (stream, slice, time) = sent (stream, slice, EACH time)

  (* Whether nothing waits to be sent, and nobody sends: who does may have sent a piece, and go on with the next one. *)
  fun isIdle ({machine, writing, unsent, ...} : stream) =
    Option.getOpt (ifFree (writing,
                           fn () =>
                             Word8VectorSlice.length (!unsent) = 0
                             andalso going (statusOf machine) = 0),
                   false)

  (* What the wire did not take goes out when it can, though nothing else may be sent. *)
  fun flushLater (stream as {machine, writing, ...} : stream) =
    if isIdle stream then ()
    else
      ignore (spawn (fn () =>
                locked (writing, ANY, fn () => flushAll (stream, statusOf machine, ANY))
                handle _ => ()))

  fun sendVecEvt (stream as {machine, writing, isOver, wire = {send, ...}, ...} : stream, slice) =
    guard (fn () =>
      let
        (* what the wire has raised *)
        val lost = ref NONE
        fun ready nack =
          let
            val isUnwanted = ref false
            fun some slice =
              select [send slice, wrap (nack, fn () => (isUnwanted := true; 0))]
              handle Again => some slice
            fun go () =
              ((flush (stream, statusOf machine, some) handle e => lost := SOME e);
               SyncVar.mPut (writing, ());
               not (!isUnwanted))
          in
            select [wrap (SyncVar.mTakeEvt writing, go), wrap (nack, fn () => false)]
          end
        (* One record at most, which the wire takes, or which waits. *)
        fun one () =
          let
            val n = Int.min (16384, Word8VectorSlice.length slice)
            val (bytes, start, _) = Word8VectorSlice.base slice
            val status =
              locked (writing,
                      ANY,
                      fn () =>
                        (checkOpen stream;
                         seal (machine, bytes, Word64.fromInt start, Word64.fromInt n)))
          in
            if isFailed status then raise failure machine
            else (flushNow (stream, status); flushLater stream; n)
          end
        fun finish () =
          case !lost of
            SOME e => raise if !isOver then failure machine else reason (stream, e)
          | NONE => one ()
      in
        eventually (fn () => isIdle stream, ready, finish)
      end)

  val lastTime = Time.fromSeconds 2

  fun finish (stream as {machine, writing, isFinished, ...} : stream) =
    locked (writing,
            ANY,
            fn () => (isFinished := true; flushAll (stream, sealEnd machine, ANY)))

  (* A server of TLS 1.3 sends a client tickets that nobody asked for (RFC 8446, 4.6.1). A connection whose socket is
     closed with bytes in it that nobody has read, or to which some come behind that, is reset, and what has not gone out
     is lost. So the first ones are waited for, or the end, which is one way there and back. *)
  fun hearTickets
    (stream as {machine, reading, isQuiet, wire = {recvNow, recv, ...}, ...} : stream, limit) =
    let
      fun rest left =
        if left <= 0 then ()
        else
          case recvNow () of
            NONE => ()
          | SOME bytes =>
              case Word8Vector.length bytes of 0 => () | n => rest (left - n)
      fun hear () =
        case recvNow () of
          SOME _ => rest most
        | NONE => if Word8Vector.length (wait (limit, recv)) > 0 then rest most else ()
    in
      if !isQuiet andalso text (about machine 0w1) = "TLS 1.3" then ignore (ifFree (reading, hear))
      else ()
    end

  fun close (stream as {machine, keeper, writing, isOver, wire = {close, ...}, ...} : stream) =
    if !isOver then ()
    else
      let
        val () = isOver := true
        fun sayEnd () =
          let
            val limit = UNTIL (Time.+ (Time.now (), lastTime))
          in
            locked (writing, limit, fn () => flushAll (stream, sealEnd machine, limit));
            hearTickets (stream, limit)
          end
      in
        Scope.shield (fn () => sayEnd () handle _ => ());
        close ();
        freeMachine machine;
        MLton.Finalizable.touch keeper
      end

  (* -- the handshake *)

  (* What the other side has said counts more than that it takes nothing any more: it may have refused. *)
  fun agree (stream as {machine, unsent, ...} : stream) =
    let
      val receive = receiveWith (stream, ANY)
      fun go (status, lost) =
        let
          val lost =
            (flushAll (stream, status, ANY); lost)
            handle Scope.Cancelled => raise Scope.Cancelled
                 | e => (unsent := Word8VectorSlice.full (Word8Vector.fromList []); SOME e)
          fun more () = give (stream, valOf (receive ()))
        in
          if isFailed status then
            case (failure machine, lost) of
              (Failed (TRUNCATED, _), SOME e) => raise e
            | (e, _) => raise e
          else if isHandshaking status then
            go (more ()
                handle Scope.Cancelled => raise Scope.Cancelled
                     | e => raise Option.getOpt (lost, e),
                lost)
          else ()
        end
    in
      go (statusOf machine, NONE)
    end

  fun start (config, name, wire as {close, ...} : wire, desc, isClient) : stream =
    let
      val machine =
        MLton.Finalizable.withValue
          (config, fn it => newMachine (it, name, Word64.fromInt (size name)))
      val keeper = MLton.Finalizable.new machine
      val () = MLton.Finalizable.addFinalizer (keeper, freeMachine)
      val stream =
        {machine = machine,
         keeper = keeper,
         wire = wire,
         desc = desc,
         reading = SyncVar.mVarInit (),
         writing = SyncVar.mVarInit (),
         unsent = ref (Word8VectorSlice.full (Word8Vector.fromList [])),
         broken = ref NONE,
         isOver = ref false,
         isFinished = ref false,
         isQuiet = ref isClient}
    in
      (agree stream; stream)
      handle e =>
          let
            (* the alert, if there is one; what has failed stays what is told *)
            val () = flushNow (stream, statusOf machine)
          in
            #isOver stream := true;
            close () handle _ => ();
            freeMachine machine;
            raise e
          end
    end

  fun connectOver (client, name) wire = start (client, name, wire, NONE, true)
  fun acceptOver server wire = start (server, "", wire, NONE, false)
  fun connect (client, name) sock = start (client, name, wire sock, SOME (Socket.ioDesc sock), true)
  fun accept server sock = start (server, "", wire sock, SOME (Socket.ioDesc sock), false)
  fun ioDesc ({desc, ...} : stream) = desc

  fun agreement ({machine, ...} : stream) : agreement =
    let
      fun certificates i =
        let
          val certificate = about machine i
        in
          if Word8Vector.length certificate = 0 then [] else certificate :: certificates (i + 0w1)
        end
      fun optional "" = NONE
        | optional text = SOME text
    in
      {version = text (about machine 0w1),
       cipher = text (about machine 0w2),
       protocol = optional (text (about machine 0w3)),
       name = optional (text (about machine 0w4)),
       certificates = certificates 0w5}
    end
end
