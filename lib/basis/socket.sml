(* Socket: sockets as the Basis Library has them (socket-sig.sml), and their events.

   Every socket is non-blocking. A call that would block parks its thread until the I/O manager finds the descriptor
   ready, and is then made again (`waiting`). Closing a socket wakes all who wait for it with OS.SysErr (EBADF). Bytes
   go from and to the program's own vectors and arrays.

   An event waits for readiness only, and its result is that of the plain call, made afterwards: another thread may have
   been quicker, and then the call waits.

   What makes sockets is in generic-sock.sml, inet-sock.sml, inet6.sml and unix-sock.sml. *)

(* A descriptor that a socket has besides its own, for a connection that finds no other. It begins with the first event that
   waits for a connection, and ends with the socket. A socket is known by its cell, which is below 0 when it is closed. *)
structure Spare' =
struct
  local
    val new = PrimSockets'.socket_new
    val close = PrimFiles'.file_close
    val spares : (int ref * int) list ref = ref []
    val shortages =
      List.map ~ [ErrorNumber'.mfile, ErrorNumber'.nfile, ErrorNumber'.nobufs, ErrorNumber'.nomem]
    fun atomically f =
      let val () = Thread.atomicBegin () val x = f () in Thread.atomicEnd (); x end
    fun isOf cell (c, _) = c = cell
    fun add spare =
      let
        val old = !spares
      in
        if Transaction'.swap (spares, old, spare :: old) then () else add spare
      end
    fun take cell =
      let
        val old = !spares
        val (found, rest) = List.partition (isOf cell) old
      in
        if List.null found orelse Transaction'.swap (spares, old, rest) then found else take cell
      end
  in
    (* whether a call has failed since there is no descriptor, or no memory, for another socket *)
    fun isShortage result = List.exists (fn e => e = result) shortages
    (* Frees it; whether there was one. *)
    fun free cell =
      not (List.null (!spares))
      andalso case atomically (fn () => take cell) of
        [] => false
      | found => (List.app (fn (_, fd) => ignore (close fd)) found; true)
    fun drop cell = ignore (free cell)
    (* Sees to it that there is one; 0, or why there is none. A closed socket needs none. *)
    fun have cell =
      if !cell < 0 orelse List.exists (isOf cell) (!spares) then 0
      else
        let
          val fd = new (AddressFamily'.unix, SocketKind'.dgram, 0)
        in
          if isShortage fd then fd
          else
            (if fd < 0 then () else atomically (fn () => add (cell, fd));
             (* closed meanwhile *)
             if !cell < 0 then drop cell else ();
             0)
        end
  end
end

(* With its types open. For the library. *)
structure Socket' =
struct
  structure E = Error'

  (* -- types and names *)

  (* the descriptor; below 0 when it is closed *)
  datatype ('af, 'sock_type) sock = Sock of int ref
  (* as the system has it *)
  datatype 'af sock_addr = Addr of string
  datatype dgram = Dgram
  datatype 'mode stream = Stream
  datatype passive = Passive
  datatype active = Active

  fun named number table =
    (fn () => table,
     fn x =>
       case List.find (fn (_, y) => y = x) table of
         SOME (name, _) => name
       | NONE => Int.toString (number x),
     fn name => Option.map #2 (List.find (fn (n, _) => n = name) table))

  structure AF =
  struct
    datatype addr_family = datatype AddrFamily'.addr_family
    fun number (Family n) = n
    val unix = Family AddressFamily'.unix
    val inet = Family AddressFamily'.inet
    val inet6 = Family AddressFamily'.inet6
    val (list, toString, fromString) =
      named number [("UNIX", unix), ("INET", inet), ("INET6", inet6)]
  end

  structure SOCK =
  struct
    (* the system's number *)
    datatype sock_type = Type of int
    fun number (Type n) = n
    val stream = Type SocketKind'.stream
    val dgram = Type SocketKind'.dgram
    val (list, toString, fromString) =
      named number [("STREAM", stream),
                    ("DGRAM", dgram),
                    ("RAW", Type SocketKind'.raw),
                    ("SEQPACKET", Type SocketKind'.seqPacket)]
  end

  fun fd (Sock cell) = !cell

  (* -- options *)

  local
    val getName = PrimSockets'.socket_name
    val getOption = PrimSockets'.socket_get
    val setOption = PrimSockets'.socket_set
    val ask = PrimSockets'.socket_ask
    val socketLevel = SocketOption'.level
    fun get2 (s, level, name) =
      let
        val a = Array.array (2, 0)
      in
        E.done (getOption (fd s, level, name, a));
        (Array.sub (a, 0), Array.sub (a, 1))
      end
  in
    fun get (s, level, name) = #1 (get2 (s, level, name))
    fun set (s, level, name, value) =
      E.done (setOption (fd s, level, name, Array.fromList [value, 0], 1))
    fun getFlag name s = get (s, socketLevel, name) <> 0
    fun setFlag name (s, yes) = set (s, socketLevel, name, if yes then 1 else 0)
    fun getInt name s = get (s, socketLevel, name)
    fun setInt name (s, n) = set (s, socketLevel, name, n)
    fun nameOf which s = Addr (E.text (fn a => getName (fd s, which, a)))

    structure Ctl =
    struct
      fun getDEBUG s = getFlag SocketOption'.debug s
      fun setDEBUG p = setFlag SocketOption'.debug p
      fun getREUSEADDR s = getFlag SocketOption'.reuseAddress s
      fun setREUSEADDR p = setFlag SocketOption'.reuseAddress p
      fun getKEEPALIVE s = getFlag SocketOption'.keepAlive s
      fun setKEEPALIVE p = setFlag SocketOption'.keepAlive p
      fun getDONTROUTE s = getFlag SocketOption'.dontRoute s
      fun setDONTROUTE p = setFlag SocketOption'.dontRoute p
      fun getBROADCAST s = getFlag SocketOption'.broadcast s
      fun setBROADCAST p = setFlag SocketOption'.broadcast p
      fun getOOBINLINE s = getFlag SocketOption'.oobInline s
      fun setOOBINLINE p = setFlag SocketOption'.oobInline p
      fun getSNDBUF s = getInt SocketOption'.sendBuffer s
      fun setSNDBUF p = setInt SocketOption'.sendBuffer p
      fun getRCVBUF s = getInt SocketOption'.receiveBuffer s
      fun setRCVBUF p = setInt SocketOption'.receiveBuffer p
      fun getTYPE s = SOCK.Type (getInt SocketOption'.kind s)
      fun getERROR s = getFlag SocketOption'.error s
      fun getLINGER s =
        case get2 (s, socketLevel, SocketOption'.linger) of
          (0, _) => NONE
        | (_, seconds) => SOME (Time.fromSeconds (Int.toLarge seconds))
      (* The system counts whole seconds, in 31 bits. No seconds mean that a close throws away what was not sent. *)
      fun setLINGER (s, time) =
        let
          val (on, seconds) = case time of NONE => (0, 0) | SOME t => (1, TimePrim'.wholeSeconds t)
        in
          if getOpt (Option.map (fn t => Time.< (t, Time.zeroTime)) time, false)
             orelse seconds > 2147483647
          then raise Time.Time
          else
            E.done
              (setOption (fd s, socketLevel, SocketOption'.linger, Array.fromList [on, seconds], 2))
        end
      fun getSockName s = nameOf 0 s
      fun getPeerName s = nameOf 1 s
      fun getNREAD s = E.check (ask (fd s, 0))
      fun getATMARK s = E.check (ask (fd s, 1)) <> 0
    end
  end

  (* -- addresses, and new sockets *)

  fun sameAddr (Addr a, Addr b) = a = b
  fun familyOfAddr (Addr a) =
    AF.Family
      (if size a < 2 then 0 else Char.ord (String.sub (a, 0)) + 256 * Char.ord (String.sub (a, 1)))

  local
    val new = PrimSockets'.socket_new
    val pair = PrimSockets'.socket_pair
  in
    fun socket (AF.Family family, SOCK.Type kind, protocol) =
      Sock (ref (E.check (new (family, kind, protocol))))
    fun socketPair (AF.Family family, SOCK.Type kind, protocol) =
      let
        val a = Array.array (2, 0)
      in
        E.done (pair (family, kind, protocol, a));
        (Sock (ref (Array.sub (a, 0))), Sock (ref (Array.sub (a, 1))))
      end
  end

  (* -- connections *)

  (* what would block waits; or is NONE *)
  fun waiting (s, mode, f) = E.check (Wait'.retry (fd s, mode, f))
  fun now r = if r = Wait'.again then NONE else SOME (E.check r)

  local
    val bindTo = PrimSockets'.socket_bind
    val listenAt = PrimSockets'.socket_listen
    val acceptFrom = PrimSockets'.socket_accept
    val connectTo = PrimSockets'.socket_connect
    val shut = PrimSockets'.socket_shutdown
    val closeFd = PrimFiles'.file_close
    val newBytes = PrimArrays'.array_new_uninit : int -> char array
    val string = PrimArrays'.cast : char array -> string
    val extract = PrimStrings'.string_extract_unsafe
    val inprogress = ErrorResult'.inprogress
  in
    fun bind (s, Addr a) = E.done (bindTo (fd s, a))
    fun listen (s, n) = E.done (listenAt (fd s, n))

    (* room for an address, and what was put there *)
    fun withAddress f =
      let
        val bytes = newBytes 128
        val length = Array.array (2, 0)
        fun address () = Addr (extract (string bytes, 0, Int.min (128, Array.sub (length, 0))))
      in
        f (bytes, length, address)
      end
    (* Without a descriptor or memory for one more connection, accept waits until there is one, and says so: a server
       goes on when clients have gone. A thread that waited would not know when that is, so it asks again, less and less
       often. *)
    local
      val longest = 250000000
      (* once a time of shortage, which is over when a minute was without *)
      val minute = 60000000000
      val last = ref (~ minute)
    in
      fun sayShortage result =
        let
          val now = PrimClock'.time_monotonic ()
        in
          if now - !last > minute then
            PrimOutput'.print_err ("accept waits until there is room for another connection: "
                                   ^ E.errorMsg (~ result)
                                   ^ "\n")
          else ();
          last := now
        end
      val firstPause = 5000000
      fun nextPause pause = Int.min (2 * pause, longest)
    end
    (* `free` may have a descriptor for it *)
    fun acceptBy free s =
      withAddress (fn (bytes, length, address) =>
        let
          fun attempt pause =
            let
              val new = Wait'.reading (fd s, fn () => acceptFrom (fd s, 0, bytes, length))
            in
              if not (Spare'.isShortage new) then E.check new
              else if free () then attempt pause
              else
                (sayShortage new;
                 Process'.sleep (TimePrim'.ofNanos pause);
                 attempt (nextPause pause))
            end
          val new = attempt firstPause
        in
          (Sock (ref new), address ())
        end)
    fun accept s = acceptBy (fn () => false) s
    fun acceptNB s =
      withAddress (fn (bytes, length, address) =>
        Option.map
          (fn new => (Sock (ref new), address ()))
          (now (acceptFrom (fd s, 1, bytes, length))))

    (* After an attempt that failed and whose error was asked for by getERROR, Linux has this answer, once. *)
    fun beginning (s, Addr a) =
      let
        val first = connectTo (fd s, a)
      in
        if first = ~ ErrorNumber'.connaborted then connectTo (fd s, a) else first
      end
    fun connectNB p =
      let
        val r = beginning p
      in
        if r = inprogress then false else (E.done r; true)
      end
    (* What has become of it. The question is the call itself, made again: asked for its error only, a socket of Linux
       whose connection was refused would go on as one that is connecting, and refuse the next attempt. *)
    fun connected (s, Addr a) =
      let
        val r = connectTo (fd s, a)
      in
        if r = ~ ErrorNumber'.isconn then () else E.done r
      end
    (* A server at a path may have no room for another connection. Nothing tells when it has, so it is asked again. *)
    fun connect (s, a) =
      let
        fun attempt pause =
          let
            val r = beginning (s, a)
          in
            if r = inprogress then (E.done (Wait'.block (fd s, 1)); connected (s, a))
            else if r = ~ ErrorNumber'.again andalso familyOfAddr a = AF.unix then
              (Process'.sleep (TimePrim'.ofNanos pause);
               attempt (Int.min (2 * pause, 50000000)))
            else E.done r
          end
      in
        attempt 1000000
      end

    fun close (Sock cell) =
      let
        val n = !cell
      in
        cell := ~1;
        Spare'.drop cell;
        E.done (closeFd n)
      end

    datatype shutdown_mode = NO_RECVS | NO_SENDS | NO_RECVS_OR_SENDS
    fun shutdown (s, mode) =
      E.done (shut (fd s,
                    case mode of
                      NO_RECVS => Shutdown'.receives
                    | NO_SENDS => Shutdown'.sends
                    | NO_RECVS_OR_SENDS => Shutdown'.both))
  end

  (* -- many sockets at once *)

  type sock_desc = int ref
  fun sockDesc (Sock cell) = cell
  fun sameDesc (a : sock_desc, b) = a = b
  fun ioDesc s = OSPrim'.toIodesc (fd s)
  fun select {rds, wrs, exs, timeout} =
    let
      fun asked f =
        List.map (fn cell => (cell, f (valOf (OS.IO.pollDesc (OSPrim'.toIodesc (!cell))))))
      val (rds, wrs, exs) =
        (asked OS.IO.pollIn rds, asked OS.IO.pollOut wrs, asked OS.IO.pollPri exs)
      val infos = OS.IO.poll (List.map #2 (rds @ wrs @ exs), timeout)
      (* The infos are those of the ready ones, in the order of all: each belongs to the next that asked for it. *)
      fun next ((cell, desc), (found, infos)) =
        case infos of
          info :: others =>
            if OS.IO.infoToPollDesc info = desc then (cell :: found, others) else (found, infos)
        | [] => (found, [])
      fun ready (descs, infos) =
        let val (found, infos) = List.foldl next ([], infos) descs in (List.rev found, infos) end
      val (rds, infos) = ready (rds, infos)
      val (wrs, infos) = ready (wrs, infos)
      val (exs, _) = ready (exs, infos)
    in
      {rds = rds, wrs = wrs, exs = exs}
    end

  (* -- bytes and messages *)

  type out_flags = {don't_route : bool, oob : bool}
  type in_flags = {peek : bool, oob : bool}

  (* the system's flags stand above the descriptor; the last asks the system whatever is remembered *)
  fun out {don't_route, oob} =
    (if don't_route then MessageFlag'.dontRoute else 0) + (if oob then MessageFlag'.oob else 0)
  fun inn {peek, oob} =
    (if peek then MessageFlag'.peek else 0) + (if oob then MessageFlag'.oob else 0)
  val anyway = 1073741824
  fun word (s, flags) = if fd s < 0 then E.fail ErrorNumber'.badf else fd s + flags * 4294967296

  local
    val sendV = PrimSockets'.socket_send_vector
    val sendA = PrimSockets'.socket_send
    val sendVTo = PrimSockets'.socket_send_to_vector
    val sendATo = PrimSockets'.socket_send_to
    val receive = PrimSockets'.socket_receive
    val receiveFrom = PrimSockets'.socket_receive_from
    val newArray = PrimArrays'.array_new_uninit : int -> Word8.word array
    val cast = PrimArrays'.cast : Word8.word array -> Word8.word vector
    fun freeze (a, n) =
      if n = Array.length a then cast a
      else Word8ArraySlice.vector (Word8ArraySlice.slice (a, 0, SOME n))
    (* A call may give less than was asked for: no more room is made than this. A message has to fit whole. *)
    val most = 65536
    val longest = 1048576
    fun room (n, most) = if n < 0 then raise Size else newArray (Int.min (n, most))
  in
    fun putVec (s, part, flags) =
      let
        val (v, i, n) = Word8VectorSlice.base part
      in
        fn () => sendV (word (s, flags), v, i, n)
      end
    fun putArr (s, part, flags) =
      let val (a, i, n) = Word8ArraySlice.base part in fn () => sendA (word (s, flags), a, i, n) end
    fun putVecTo (s, Addr to, part, flags) =
      let
        val (v, i, n) = Word8VectorSlice.base part
      in
        fn () => sendVTo (word (s, flags), v, i, n, to)
      end
    fun putArrTo (s, Addr to, part, flags) =
      let
        val (a, i, n) = Word8ArraySlice.base part
      in
        fn () => sendATo (word (s, flags), a, i, n, to)
      end
    (* No bytes are had at once, as everywhere: none that came would mean the end. *)
    fun getArr (s, part, flags) =
      let
        val (a, i, n) = Word8ArraySlice.base part
      in
        if n = 0 then fn () => (ignore (word (s, flags)); 0)
        else fn () => receive (word (s, flags), a, i, n)
      end
    fun getVec (s, n, flags) =
      let
        val a = room (n, most)
        val n = Array.length a
      in
        (if n = 0 then fn () => (ignore (word (s, flags)); 0)
         else fn () => receive (word (s, flags), a, 0, n),
         fn k => freeze (a, k))
      end
    fun getArrFrom (s, part, flags) =
      withAddress (fn (bytes, length, address) =>
        let
          val (a, i, n) = Word8ArraySlice.base part
        in
          (* the place in the array, beside that for the address's length *)
          Array.update (length, 1, i);
          (fn () => receiveFrom (word (s, flags), a, n, bytes, length), fn k => (k, address ()))
        end)
    fun getVecFrom (s, n, flags) =
      let
        val a = room (n, longest)
        val (f, result) = getArrFrom (s, Word8ArraySlice.full a, flags)
      in
        (f, fn k => (freeze (a, k), #2 (result k)))
      end
  end

  val plainOut = {don't_route = false, oob = false}
  val plainIn = {peek = false, oob = false}

  fun sendVec' (s, part, flags) = waiting (s, 1, putVec (s, part, out flags))
  fun sendArr' (s, part, flags) = waiting (s, 1, putArr (s, part, out flags))
  fun sendVec (s, part) = sendVec' (s, part, plainOut)
  fun sendArr (s, part) = sendArr' (s, part, plainOut)
  fun sendVecNB' (s, part, flags) = now (putVec (s, part, out flags + anyway) ())
  fun sendArrNB' (s, part, flags) = now (putArr (s, part, out flags + anyway) ())
  fun sendVecNB (s, part) = sendVecNB' (s, part, plainOut)
  fun sendArrNB (s, part) = sendArrNB' (s, part, plainOut)

  fun recvArr' (s, part, flags) = waiting (s, 0, getArr (s, part, inn flags))
  fun recvArr (s, part) = recvArr' (s, part, plainIn)
  fun recvArrNB' (s, part, flags) = now (getArr (s, part, inn flags + anyway) ())
  fun recvArrNB (s, part) = recvArrNB' (s, part, plainIn)
  fun recvVec' (s, n, flags) =
    let val (f, result) = getVec (s, n, inn flags) in result (waiting (s, 0, f)) end
  fun recvVec (s, n) = recvVec' (s, n, plainIn)
  fun recvVecNB' (s, n, flags) =
    let val (f, result) = getVec (s, n, inn flags + anyway) in Option.map result (now (f ())) end
  fun recvVecNB (s, n) = recvVecNB' (s, n, plainIn)

  fun sendVecTo' (s, to, part, flags) = ignore (waiting (s, 1, putVecTo (s, to, part, out flags)))
  fun sendArrTo' (s, to, part, flags) = ignore (waiting (s, 1, putArrTo (s, to, part, out flags)))
  fun sendVecTo (s, to, part) = sendVecTo' (s, to, part, plainOut)
  fun sendArrTo (s, to, part) = sendArrTo' (s, to, part, plainOut)
  fun sendVecToNB' (s, to, part, flags) =
    isSome (now (putVecTo (s, to, part, out flags + anyway) ()))
  fun sendArrToNB' (s, to, part, flags) =
    isSome (now (putArrTo (s, to, part, out flags + anyway) ()))
  fun sendVecToNB (s, to, part) = sendVecToNB' (s, to, part, plainOut)
  fun sendArrToNB (s, to, part) = sendArrToNB' (s, to, part, plainOut)

  fun recvVecFrom' (s, n, flags) =
    let val (f, result) = getVecFrom (s, n, inn flags) in result (waiting (s, 0, f)) end
  fun recvVecFrom (s, n) = recvVecFrom' (s, n, plainIn)
  fun recvArrFrom' (s, part, flags) =
    let val (f, result) = getArrFrom (s, part, inn flags) in result (waiting (s, 0, f)) end
  fun recvArrFrom (s, part) = recvArrFrom' (s, part, plainIn)
  fun recvVecFromNB' (s, n, flags) =
    let
      val (f, result) = getVecFrom (s, n, inn flags + anyway)
    in
      Option.map result (now (f ()))
    end
  fun recvVecFromNB (s, n) = recvVecFromNB' (s, n, plainIn)
  fun recvArrFromNB' (s, part, flags) =
    let
      val (f, result) = getArrFrom (s, part, inn flags + anyway)
    in
      Option.map result (now (f ()))
    end
  fun recvArrFromNB (s, part) = recvArrFromNB' (s, part, plainIn)

  (* -- events *)

  fun readableEvt (Sock cell) = IoEvent'.ready (cell, 0)
  fun writableEvt (Sock cell) = IoEvent'.ready (cell, 1)
  fun whenReady (Sock cell, mode, f) = Event'.wrap (IoEvent'.ready (cell, mode), f)
  (* with so many bytes: none need no wait *)
  fun whenSome (n, s, mode, f) =
    if n = 0 then Event'.wrap (Event'.alwaysEvt (), f) else whenReady (s, mode, f)
  (* Happens when there is a connection and a descriptor for it: a thread that has chosen this event does not wait for
     room, deaf to the other events. So the socket has a spare one, which is freed for the connection that finds no
     other. Where none is left, a thread of its own waits for a connection, and then for room. *)
  fun acceptEvt (s as Sock cell) =
    let
      fun happen w =
        (Thread.atomicBegin ();
         if Transaction'.seize w then (Transaction'.commit w; Thread.ready (#thread w)) else ();
         Thread.atomicEnd ())
      fun waitForRoom w =
        let
          val gone = Event'.condition ()
          fun unlessGone event =
            Event'.select [Event'.wrap (event, fn () => true),
                           Event'.wrap
                             (Event'.conditionEvt (gone, ParkReason'.choose), fn () => false)]
          fun attempt pause =
            if not (unlessGone (IoEvent'.ready (cell, 0))) then ()
            else
              case Spare'.have cell of
                0 => happen w
              | error =>
                  (sayShortage error;
                   if unlessGone (TimeOut'.timeOutEvt (TimePrim'.ofNanos pause)) then
                     attempt (nextPause pause)
                   else ())
        in
          Thread.ready (Thread.new (fn () => attempt firstPause));
          Event'.CANCEL (fn () => Event'.set gone)
        end
      fun poll _ =
        Event'.fixed (!cell < 0 orelse Wait'.ready (!cell, 0) = 1 andalso Spare'.have cell = 0)
      fun block w =
        if Spare'.have cell = 0 then IoEvent'.offer (!cell, 0, w, fn () => ()) else waitForRoom w
    in
      Event'.base ({poll = poll,
                    commit = fn () => Event'.WON,
                    block = block,
                    reason = ParkReason'.read,
                    place = Event'.nowhere},
                   fn () => acceptBy (fn () => Spare'.free cell) s)
    end
  fun connectEvt (s, a) =
    Event'.guard (fn () =>
      if connectNB (s, a) then Event'.alwaysEvt () else whenReady (s, 1, fn () => connected (s, a)))
  fun recvVecEvt' (s, n, flags) = whenSome (n, s, 0, fn () => recvVec' (s, n, flags))
  fun recvVecEvt (s, n) = recvVecEvt' (s, n, plainIn)
  fun recvArrEvt' (s, part, flags) =
    whenSome (Word8ArraySlice.length part, s, 0, fn () => recvArr' (s, part, flags))
  fun recvArrEvt (s, part) = recvArrEvt' (s, part, plainIn)
  fun recvVecFromEvt' (s, n, flags) = whenReady (s, 0, fn () => recvVecFrom' (s, n, flags))
  fun recvVecFromEvt (s, n) = recvVecFromEvt' (s, n, plainIn)
  fun recvArrFromEvt' (s, part, flags) = whenReady (s, 0, fn () => recvArrFrom' (s, part, flags))
  fun recvArrFromEvt (s, part) = recvArrFromEvt' (s, part, plainIn)
  fun sendVecEvt' (s, part, flags) =
    whenSome (Word8VectorSlice.length part, s, 1, fn () => sendVec' (s, part, flags))
  fun sendVecEvt (s, part) = sendVecEvt' (s, part, plainOut)
  fun sendArrEvt' (s, part, flags) =
    whenSome (Word8ArraySlice.length part, s, 1, fn () => sendArr' (s, part, flags))
  fun sendArrEvt (s, part) = sendArrEvt' (s, part, plainOut)
  fun sendVecToEvt (s, to, part) = whenReady (s, 1, fn () => sendVecTo (s, to, part))
  fun sendArrToEvt (s, to, part) = whenReady (s, 1, fn () => sendArrTo (s, to, part))
end

structure Socket :> CML_SOCKET
  where type ('af, 'sock_type) sock = ('af, 'sock_type) Socket'.sock
  where type 'af sock_addr = 'af Socket'.sock_addr
  where type dgram = Socket'.dgram
  where type 'mode stream = 'mode Socket'.stream
  where type passive = Socket'.passive
  where type active = Socket'.active
  where type SOCK.sock_type = Socket'.SOCK.sock_type = Socket'
