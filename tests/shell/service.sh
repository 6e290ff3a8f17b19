# What `leat new --server` makes: it checks without a warning, is built, answers, says what it does as JSON lines, and ends well at
# SIGTERM. Its own tests are run by tests/units/new.txt.
"$LEAT" new --server notes > /dev/null
(cd notes && "$LEAT" check && "$LEAT" fmt --check . && "$LEAT" build . -o ../server > /dev/null)
cat > client.sml <<'SML'
val port = hd (CommandLine.arguments ())
val base = "http://127.0.0.1:" ^ port
val client = HTTPClient.client []
fun show ({status, headers, body} : HTTP.response) =
  let val text = HTTPBody.all {most = 100000} body
  in print (concat [Int.toString status, " ", Int.toString (size text), " bytes\n"]); (headers, text) end
fun post text = show (HTTPClient.post client {url = base ^ "/notes", kind = "application/json"} text)
fun get path = show (HTTPClient.get client (base ^ path))
val (headers, note) = post "{\"title\":\"milk\"}"
val place = valOf (HTTPHeaders.get headers "location")
val () = print (Bool.toString (#2 (get place) = note) ^ "\n")
val (_, wrong) = post "{\"title\":1}"
val () = print wrong
val _ = get "/health"
val _ = get "/other"
val (_, metrics) = get "/metrics" 
val () = print (Bool.toString (String.isSubstring "http_requests_total{method=\"POST\",status=\"201\"} 1\n" metrics) ^ "\n")
SML
sed -i 's/val (_, metrics) = get "\/metrics" /val {body, ...} = HTTPClient.get client (base ^ "\/metrics")\nval metrics = HTTPBody.all {most = 100000} body/' client.sml
echo '$(SML_LIB)/basis/basis.mlb $(SML_LIB)/leat/http.mlb client.sml' > client.mlb
"$LEAT" build client.mlb -o client > /dev/null
LOG_FORMAT=json ./server --port=0 2> log & server=$!
for i in $(seq 200); do grep -q listening log && break; sleep 0.05; done
timeout 60 ./client $(sed -n 's/.*"port":\([0-9]*\).*/\1/p' log)
kill -TERM $server; wait $server; echo "ends with $?"
sed -E 's/"time":"[^"]*",//; s/"port":[0-9]*/"port":N/; s/[0-9a-f]{8}-[-0-9a-f]*/ID/' log
./server --help | head -1
./server --port=x 2>&1; echo $?
# What it does not understand it says: a word that is no option was passed over, and so were other values of the log's variables;
# without a connection the service answered nobody; and only addresses were taken, no names.
./server 9000 2>&1; echo $?
./server --connections=0 2>&1 | head -1
LOG_LEVEL=loud LOG_FORMAT=xml ./server --help 2>&1 > /dev/null | sed 's/^[^ ]* //'
./server --port=0 --address=localhost 2> log & server=$!
for i in $(seq 200); do grep -q listening log && break; sleep 0.05; done
kill -TERM $server; wait $server; echo "ends with $?"
sed -E 's/^[^ ]* //; s/port=[0-9]*/port=N/' log
