(* `leat test` runs this file in a process of its own. The server is a thread of it. *)

open Test

val listener = Server.listen 0
val _ = CML.spawn (fn () => Server.serve (listener, String.map Char.toUpper))

fun connect () =
  let
    val socket = INetSock.TCP.socket ()
    val loopback = valOf (NetHostDB.fromString "127.0.0.1")
  in
    Socket.connect (socket, INetSock.toAddr (loopback, Server.port listener));
    (socket, Lines.reader socket)
  end

fun ask ((socket, reader), line) = (Lines.write (socket, line); Lines.read reader)

val answer = Show.option Show.string

val () =
  test "answers each line" (fn () =>
    let
      val client = connect ()
    in
      Expect.equal answer (SOME "HELLO") (ask (client, "hello"));
      Expect.equal answer (SOME "") (ask (client, ""));
      Socket.close (#1 client)
    end)

val () =
  test "serves many clients at once" (fn () =>
    let
      val clients = List.tabulate (50, fn i => (i, connect ()))
      fun check (i, client) =
        let
          val text = "client " ^ Int.toString i
        in
          Expect.equal answer (SOME (String.map Char.toUpper text)) (ask (client, text))
        end
    in
      (* the last to come is the first to ask *)
      app check (rev clients);
      app (fn (_, (socket, _)) => Socket.close socket) clients
    end)
