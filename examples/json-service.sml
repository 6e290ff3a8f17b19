(* A service that speaks JSON over TCP, a value a line: {"op": "sum", "args": [1, 2]} is answered by {"result": 3}. Each client
   has a thread. The program is its own client, so that it can be run as it stands.
   Usage: leat run examples/json-service.mlb *)

fun toText value =
  let
    val buffer = CharBuffer.new 256
    val printer = JSONBufferPrinter.new buffer
  in
    JSONBufferPrinter.value (printer, value);
    CharBuffer.contents buffer
  end

fun fromText text = JSONParser.parseAll (JSONParser.openString text)

(* -- what is asked and answered *)

fun number (JSON.INT n) = n
  | number _ = raise Fail "an argument is no integer"

fun field (fields, name) =
  case List.find (fn (n, _) => n = name) fields of
    SOME (_, value) => value
  | NONE => raise Fail ("there is no field " ^ name)

fun answer (JSON.OBJECT fields) =
      (case (field (fields, "op"), field (fields, "args")) of
         (JSON.STRING "sum", JSON.ARRAY args) => JSON.INT (List.foldl op + 0 (map number args))
       | (JSON.STRING "reverse", JSON.ARRAY args) => JSON.ARRAY (rev args)
       | _ => raise Fail "there is no such operation")
  | answer _ = raise Fail "a request is an object"

fun respond line =
  toText (JSON.OBJECT [("result", answer (fromText line))])
  handle Fail reason => toText (JSON.OBJECT [("error", JSON.STRING reason)])

(* -- lines over sockets *)

fun send (socket, text) =
  let
    fun go slice =
      if Word8VectorSlice.isEmpty slice then ()
      else go (Word8VectorSlice.subslice (slice, Socket.sendVec (socket, slice), NONE))
  in
    go (Word8VectorSlice.full (Byte.stringToBytes text))
  end

(* all lines that come, one by one *)
fun lines socket act =
  let
    fun loop rest =
      let
        val bytes = Socket.recvVec (socket, 4096)
      in
        if Word8Vector.length bytes = 0 then ()
        else
          case rev (String.fields (fn c => c = #"\n") (rest ^ Byte.bytesToString bytes)) of
            open' :: whole => (app act (rev whole); loop open')
          | [] => ()
      end
  in
    loop ""
  end

fun serve listener =
  let
    val (socket, _) = Socket.accept listener
  in
    ignore (CML.spawn (fn () =>
              (lines socket (fn line => send (socket, respond line ^ "\n")); Socket.close socket)));
    serve listener
  end

val listener = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 16)
val _ = CML.spawn (fn () => serve listener)

(* -- a client *)

val client : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.connect (client, Socket.Ctl.getSockName listener)
val () =
  send (client,
        "{\"op\": \"sum\", \"args\": [1, 2, 39]}\n\
        \{\"op\": \"reverse\", \"args\": [true, null, \"ä\"]}\n\
        \{\"op\": \"sum\", \"args\": [1.5]}\n\
        \{\"op\": \n[]\n")
val () = Socket.shutdown (client, Socket.NO_SENDS)
val () = lines client (fn line => print (line ^ "\n"))
