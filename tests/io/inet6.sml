(* Net6HostDB and INet6Sock: addresses as texts, streams and datagrams over ::1 where the host has it. *)
fun say s = print (s ^ "\n")
fun shown s = case Net6HostDB.fromString s of SOME a => Net6HostDB.toString a | NONE => "none"
val () = app (fn s => say (s ^ " -> " ^ shown s))
  ["::", "::1", "1::", "fe80::1", "2001:DB8:0:0:8:800:200C:417A", "2001:db8:0:1:1:1:1:1", "1:0:0:2:0:0:0:3", "1:0:0:2:3:0:0:4",
   "::ffff:1.2.3.4", "::1.2.3.4", "64:ff9b::192.0.2.33", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7", ":1", "1::2::3",
   "12345::", "::g", "::1:", "", "1:2:3:4:5:6:7::", "::ffff:1.2.3.256", "0:0:0:0:0:0:0:0"]
fun text v = Byte.bytesToString v
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)
val one = valOf (Net6HostDB.fromString "::1")
val lines = ["::1", "an answer", "closed", "a datagram", "TCP", "INET6"]
fun talk () =
  let
    val l = INet6Sock.TCP.socket ()
    val () = Socket.Ctl.setREUSEADDR (l, true)
    val () = Socket.bind (l, INet6Sock.toAddr (one, 0))
    val () = Socket.listen (l, 5)
    val port = #2 (INet6Sock.fromAddr (Socket.Ctl.getSockName l))
    val _ = CML.spawn (fn () =>
      let val (c, _) = Socket.accept l
      in ignore (Socket.sendVec (c, bytes ("an " ^ text (Socket.recvVec (c, 100))))); Socket.close c end)
    val c = INet6Sock.TCP.socket ()
    val () = Socket.connect (c, INet6Sock.toAddr (one, port))
    val host = Net6HostDB.toString (#1 (INet6Sock.fromAddr (Socket.Ctl.getPeerName c)))
    val () = INet6Sock.TCP.setNODELAY (c, true)
    val _ = Socket.sendVec (c, bytes "answer")
    val answer = text (Socket.recvVec (c, 100))
    val closed = if Word8Vector.length (Socket.recvVec (c, 100)) = 0 then "closed" else "open"
    val a = INet6Sock.UDP.socket () and b = INet6Sock.UDP.socket ()
    val () = Socket.bind (a, INet6Sock.toAddr (one, 0))
    val () = Socket.sendVecTo (b, Socket.Ctl.getSockName a, bytes "a datagram")
    val (v, _) = Socket.recvVecFrom (a, 100)
  in
    Socket.close c; Socket.close l; Socket.close b;
    [host, answer, closed, text v, if INet6Sock.TCP.getNODELAY (INet6Sock.TCP.socket ()) then "NODELAY" else "TCP",
     Socket.AF.toString (Socket.familyOfAddr (Socket.Ctl.getSockName a))]
  end
(* A host without protocol 6 says so on standard error only. *)
val () = app say (talk () handle OS.SysErr (message, _) => (TextIO.output (TextIO.stdErr, "skipped: " ^ message ^ "\n"); lines))
val () = say (Bool.toString (talk () = lines) handle OS.SysErr _ => "true")
