(* Sockets: streams and datagrams, many clients at a time, half-open and slow ones, events, names. *)

fun say s = print (s ^ "\n")
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
fun text v = Byte.bytesToString v
val local' = valOf (NetHostDB.fromString "127.0.0.1")
fun tcp () = INetSock.TCP.socket ()

fun listening () =
  let val l = tcp ()
  in
    Socket.Ctl.setREUSEADDR (l, true);
    Socket.bind (l, INetSock.toAddr (local', 0));
    Socket.listen (l, 512);
    (l, Socket.Ctl.getSockName l)
  end
fun connected addr = let val s = tcp () in Socket.connect (s, addr); s end
fun sendAll (s, part) =
  if Word8VectorSlice.length part = 0 then ()
  else sendAll (s, Word8VectorSlice.subslice (part, Socket.sendVec (s, part), NONE))
fun recvAll (s, parts) =
  let val v = Socket.recvVec (s, 4096)
  in if Word8Vector.length v = 0 then text (Word8Vector.concat (rev parts)) else recvAll (s, v :: parts) end

(* an echo server and 300 clients, each in a thread of its own at both ends *)
val () =
  let
    val (l, addr) = listening ()
    fun serve c =
      let val v = Socket.recvVec (c, 512)
      in
        if Word8Vector.length v = 0 then Socket.close c else (sendAll (c, Word8VectorSlice.full v); serve c)
      end
    fun acceptor () =
      let val (c, _) = Socket.accept l in ignore (CML.spawn (fn () => serve c)); acceptor () end
      handle OS.SysErr _ => ()
    val _ = CML.spawn acceptor
    val ch = CML.channel ()
    fun client i () =
      let
        val s = connected addr
        fun round 0 = true
          | round k =
              let val message = concat ["client ", Int.toString i, " round ", Int.toString k]
              in sendAll (s, bytes message); text (Socket.recvVec (s, 512)) = message andalso round (k - 1) end
        val good = round 4
      in
        Socket.close s;
        CML.send (ch, good)
      end
    val () = List.app (fn i => ignore (CML.spawn (client i))) (List.tabulate (300, fn i => i))
    val good = List.filter (fn b => b) (List.tabulate (300, fn _ => CML.recv ch))
  in
    say (Int.toString (length good) ^ " clients");
    (* an acceptor that waits is woken *)
    Socket.close l
  end

(* half-open: the peer has finished sending and still reads *)
val () =
  let
    val (l, addr) = listening ()
    val _ = CML.spawn (fn () =>
      let val (c, _) = Socket.accept l
      in sendAll (c, bytes (String.map Char.toUpper (recvAll (c, [])))); Socket.close c end)
    val s = connected addr
  in
    sendAll (s, bytes "half open");
    Socket.shutdown (s, Socket.NO_SENDS);
    say (recvAll (s, []));
    Socket.close s;
    Socket.close l
  end

(* a slow reader: the writer waits, others do not *)
val () =
  let
    val (l, addr) = listening ()
    val big = CharVector.tabulate (3000000, fn i => chr (33 + i mod 90))
    val _ = CML.spawn (fn () => let val (c, _) = Socket.accept l in sendAll (c, bytes big); Socket.close c end)
    val s = connected addr
    val () = OS.Process.sleep (Time.fromMilliseconds 20)
  in
    say (Bool.toString (recvAll (s, []) = big));
    Socket.close s;
    Socket.close l
  end

(* without waiting *)
val () =
  let
    val (l, addr) = listening ()
    val none = Socket.acceptNB l
    val s = tcp ()
    val () = if Socket.connectNB (s, addr) then () else ignore (CML.sync (CML.choose [CML.wrap (CML.timeOutEvt (Time.fromMilliseconds 2), fn () => ())]))
    val (c, peer) = Socket.accept l
    val nothing = Socket.recvVecNB (c, 10)
    val () = ignore (Socket.sendVec (s, bytes "now"))
    (* until it is there *)
    val _ = Socket.select {rds = [Socket.sockDesc c], wrs = [], exs = [], timeout = NONE}
    val something = Socket.recvVecNB' (c, 10, {peek = true, oob = false})
    val same = Socket.recvVecNB (c, 10)
    val (_, port) = INetSock.fromAddr peer
  in
    say (Bool.toString (isSome none));
    say (Bool.toString (isSome nothing) ^ " " ^ text (valOf something) ^ " " ^ text (valOf same));
    say (Bool.toString (port = #2 (INetSock.fromAddr (Socket.Ctl.getSockName s))));
    say (Bool.toString (Socket.sameAddr (Socket.Ctl.getPeerName s, addr)));
    INetSock.TCP.setNODELAY (s, true);
    say (Bool.toString (INetSock.TCP.getNODELAY s) ^ " " ^ Int.toString (Socket.Ctl.getNREAD s));
    Socket.Ctl.setLINGER (s, SOME (Time.fromSeconds 3));
    say (case Socket.Ctl.getLINGER s of SOME t => LargeInt.toString (Time.toSeconds t) | NONE => "none");
    List.app Socket.close [s, c];
    Socket.close l;
    (Socket.close s; say "?") handle OS.SysErr (_, SOME e) => say (OS.errorName e)
  end

(* nobody listens *)
val () =
  let
    val (l, addr) = listening ()
    val () = Socket.close l
    val s = tcp ()
  in
    (Socket.connect (s, addr); say "?") handle OS.SysErr (_, SOME e) => say (OS.errorName e);
    Socket.close s
  end

(* datagrams, and the Unix domain *)
val () =
  let
    val a = INetSock.UDP.socket ()
    val b = INetSock.UDP.socket ()
    val () = Socket.bind (a, INetSock.toAddr (local', 0))
    val () = Socket.bind (b, INetSock.toAddr (local', 0))
    val _ = CML.spawn (fn () => Socket.sendVecTo (b, Socket.Ctl.getSockName a, bytes "datagram"))
    val (v, from) = Socket.recvVecFrom (a, 100)
    val (c, d) = UnixSock.Strm.socketPair ()
    val _ = CML.spawn (fn () => ignore (Socket.sendVec (c, bytes "pair")))
    val path = OS.FileSys.tmpName ()
    val () = OS.FileSys.remove path
    val l = UnixSock.Strm.socket ()
    val () = Socket.bind (l, UnixSock.toAddr path)
    val () = Socket.listen (l, 5)
    val s = UnixSock.Strm.socket ()
    val () = Socket.connect (s, UnixSock.toAddr path)
    val (e, _) = Socket.accept l
  in
    say (text v ^ " " ^ Bool.toString (Socket.sameAddr (from, Socket.Ctl.getSockName b)));
    say (text (Socket.recvVec (d, 100)));
    ignore (Socket.sendVec (e, bytes "by name"));
    say (text (Socket.recvVec (s, 100)) ^ " " ^ Bool.toString (UnixSock.fromAddr (Socket.Ctl.getSockName l) = path));
    OS.FileSys.remove path;
    Socket.close l;
    List.app Socket.close [c, d, s, e];
    List.app Socket.close [a, b]
  end

(* events: the first that can be had, and nothing lost of the others *)
val () =
  let
    val (l, addr) = listening ()
    val s = tcp ()
    val _ = CML.spawn (fn () => CML.sync (Socket.connectEvt (s, addr)))
    val (c, _) = CML.sync (Socket.acceptEvt l)
    fun get time =
      CML.select [CML.wrap (Socket.recvVecEvt (c, 100), text), CML.wrap (CML.timeOutEvt (Time.fromMilliseconds time), fn () => "time-out")]
    val first = get 5
    val () = ignore (CML.sync (Socket.sendVecEvt (s, bytes "event")))
    val second = get 20000
    val _ = CML.spawn (fn () => (OS.Process.sleep (Time.fromMilliseconds 3); Socket.close s))
    val third = get 20000
    val {rds, wrs, exs} =
      Socket.select {rds = [Socket.sockDesc c], wrs = [Socket.sockDesc c], exs = [], timeout = SOME Time.zeroTime}
  in
    say (String.concatWith " " [first, second, "<" ^ third ^ ">"]);
    say (String.concatWith " " (map (Int.toString o length) [rds, wrs, exs]));
    Socket.close c;
    Socket.close l
  end

(* names *)
val () =
  (say (String.concatWith " " (List.mapPartial (Option.map NetHostDB.toString o NetHostDB.fromString)
          ["1.2.3.4", "127.1", "0x7f.0.0.1", "010.0.0.1", "16909060", "1.2.3.256", "1.2.3.4.5", ""]));
   say (case NetHostDB.getByName "localhost" of SOME e => NetHostDB.toString (NetHostDB.addr e) | NONE => "none");
   say (case NetHostDB.getByName "no such host.invalid" of SOME _ => "?" | NONE => "none");
   say (Socket.AF.toString INetSock.inetAF ^ " " ^ Socket.SOCK.toString Socket.SOCK.dgram);
   say (Bool.toString (size (NetHostDB.getHostName ()) > 0)))

(* Two datagrams, one event: after the first, which was shorter than there was room for, the second was waited for. *)
val () =
  let
    val (a, b) = UnixSock.DGrm.socketPair () : Socket.dgram UnixSock.sock * Socket.dgram UnixSock.sock
    fun fd s = valOf (Posix.FileSys.iodToFD (Socket.ioDesc s))
    val got = CML.channel ()
    val (from, to) = (fd a, fd b)
    fun read () = (CML.send (got, Byte.bytesToString (Posix.IO.readVec (from, 10))); read ())
    val _ = CML.spawn read
    fun limited evt = CML.select [evt, CML.wrap (CML.timeOutEvt (Time.fromSeconds 20), fn () => "time-out")]
  in
    CML.yield ();
    app (fn s => ignore (Posix.IO.writeVec (to, bytes s))) ["one", "two"];
    say (limited (CML.recvEvt got));
    say (limited (CML.recvEvt got))
  end
