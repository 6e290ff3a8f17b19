# Ctrl-C asks a server to end when its requests are answered. One of them may take long: it was said that the server stops, and no
# second Ctrl-C ended it. And a server whose address is taken says which one it is.
cat > server.sml <<'SML'
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
fun handler _ = (print "asked\n"; TextIO.flushOut TextIO.stdOut; CML.sync CML.never)
fun taken () =
  ignore (HTTPServer.listen {address = "127.0.0.1", port = port})
  handle OS.SysErr (why, SOME code) =>
    let val (front, back) = Substring.position (Int.toString port) (Substring.full why)
    in print (concat [Substring.string front, "PORT", Substring.string (Substring.triml (size (Int.toString port)) back), "\n"]) end
val () = let val file = TextIO.openOut "port" in TextIO.output (file, Int.toString port); TextIO.closeOut file end
val () =
  (taken ();
   ignore (HTTPServer.listen {address = "::1", port = 65536}) handle OS.SysErr (why, _) => print (why ^ "\n");
   Scope.run (fn scope =>
     (Scope.daemon scope (fn () => ignore (HTTPClient.get (HTTPClient.client []) (concat ["http://127.0.0.1:", Int.toString port, "/"])));
      HTTPServer.serve [HTTPServer.StopWhen (HTTPServer.signals ()), HTTPServer.GraceTime (Time.fromSeconds 600)] listener handler)))
SML
echo '$(SML_LIB)/basis/basis.mlb $(SML_LIB)/cml/cml.mlb $(SML_LIB)/leat/scope.mlb $(SML_LIB)/leat/http.mlb server.sml' > server.mlb
"$LEAT" build server.mlb -o server > /dev/null
./server > log 2>&1 & server=$!
for i in $(seq 200); do grep -q asked log && break; sleep 0.05; done
kill -INT $server
# The server takes it: two that come together are one.
for i in $(seq 600); do (exec 3<> /dev/tcp/127.0.0.1/$(cat port)) 2> /dev/null || break; sleep 0.05; done
sleep 0.3
kill -0 $server && echo "still there"
kill -INT $server
wait $server; echo "ends with $?"
cat log
