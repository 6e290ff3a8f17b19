# The most memory that programs had, in megabytes rounded up to a power of two: what they take must not grow with how often
# they do it, nor with how much they ask for.
cat > peak.sml <<'SML'
fun peak name =
  let
    val s = TextIO.openIn "/proc/self/status"
    fun go () =
      case TextIO.inputLine s of
        SOME l =>
          if String.isPrefix "VmHWM:" l then valOf (Int.fromString (String.extract (l, 6, NONE))) else go ()
      | NONE => 0
    fun power (n, kb) = if kb <= n * 1024 then n else power (2 * n, kb)
  in
    print (name ^ " " ^ Int.toString (power (64, go ())) ^ "\n")
  end
SML
try() {
  { cat peak.sml; cat; echo "val () = peak \"$1\""; } > $1.sml
  "$LEAT" build $1.sml -o $1 && ./$1
}
try prints <<'SML' | tail -1 | tr -d x
fun go 0 = () | go n = (print "xxxxxxxxxxxxxxxx"; go (n - 1))
val () = go 1000000
SML
try receives <<'SML'
val (a, b) : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock = UnixSock.Strm.socketPair ()
val five = Word8VectorSlice.full (Byte.stringToBytes "12345")
fun go 0 = ()
  | go n =
      (ignore (Socket.sendVec (a, five));
       if Word8Vector.length (Socket.recvVec (b, 1000000000000)) = 5 then () else print "wrong\n";
       go (n - 1))
val () = go 20000
SML
try connections <<'SML'
val server : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (server, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (server, 10)
val at = Socket.Ctl.getSockName server
fun go 0 = ()
  | go n =
      let
        val client : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
        val () = Socket.connect (client, at)
        val (peer, _) = Socket.accept server
      in
        Socket.close client; Socket.close peer; go (n - 1)
      end
val () = go 5000
SML
try files <<'SML'
fun go 0 = ()
  | go n =
      let val out = TextIO.openOut "f"
      in TextIO.output (out, "text\n"); TextIO.closeOut out;
         let val s = TextIO.openIn "f"
         in ignore (TextIO.inputAll s); TextIO.closeIn s end;
         go (n - 1)
      end
val () = go 5000
SML
try threads <<'SML'
fun go 0 = ()
  | go n =
      let val c = CML.channel ()
      in ignore (CML.spawn (fn () => CML.send (c, n))); ignore (CML.recv c); go (n - 1) end
val () = go 200000
SML
