(* WebSocket.receiveEvt in choices that it mostly loses: no message is lost, doubled or out of order; and a receiver that is
   cancelled leaves the next one what comes. *)

val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val url = concat ["ws://127.0.0.1:", Int.toString (HTTPServer.port listener), "/"]
val stop = SyncVar.iVar () : unit SyncVar.ivar
val many = 200

(* Sends numbers, and says in the end what it got, which its choice has taken between time-outs. *)
fun serve socket =
  let
    fun text n = WebSocket.TEXT (Int.toString n)
    fun send n =
      if n = many then () else (WebSocket.send (socket, text n); if n mod 9 = 0 then OS.Process.sleep (Time.fromMilliseconds 1) else (); send (n + 1))
    val () = send 0
    fun collect (k, got) =
      if k = 20 then WebSocket.send (socket, WebSocket.TEXT (String.concatWith " " (List.rev got)))
      else
        case CML.select [CML.wrap (WebSocket.receiveEvt socket, SOME), CML.wrap (CML.timeOutEvt (Time.fromMicroseconds 200), fn () => NONE)] of
          NONE => collect (k, got)
        | SOME (SOME (WebSocket.TEXT s)) => collect (k + 1, s :: got)
        | SOME _ => ()
  in
    collect (0, []);
    (* the end is an event, too *)
    print (case CML.sync (WebSocket.receiveEvt socket) of NONE => "the end\n" | SOME _ => "a message\n")
  end

fun client () =
  WebSocket.connect (HTTPClient.client []) [] {url = url, headers = HTTPHeaders.empty} (fn socket =>
    let
      val lost = ref 0
      fun next () =
        case CML.select [CML.wrap (WebSocket.receiveEvt socket, SOME), CML.wrap (CML.timeOutEvt (Time.fromMicroseconds 50), fn () => NONE)] of
          NONE => (lost := !lost + 1; next ())
        | SOME (SOME (WebSocket.TEXT s)) => s
        | SOME _ => "?"
      (* in turn: the event, a receive, and a receive that is cancelled *)
      fun get n =
        case n mod 3 of
          0 => next ()
        | 1 => (case WebSocket.receive socket of SOME (WebSocket.TEXT s) => s | _ => "?")
        | _ =>
            (* what came though the time was over is in a variable *)
            let
              val came = ref NONE
            in
              ignore (Scope.within (Time.fromMicroseconds 50) (fn _ => came := SOME (CML.sync (WebSocket.receiveEvt socket))));
              case !came of SOME (SOME (WebSocket.TEXT s)) => s | SOME _ => "?" | NONE => next ()
            end
      fun all n = if n = many then () else (if get n = Int.toString n then () else print ("wrong: " ^ Int.toString n ^ "\n"); all (n + 1))
    in
      all 0;
      List.app (fn n => (WebSocket.send (socket, WebSocket.TEXT (Int.toString n)); OS.Process.sleep (Time.fromMilliseconds 1))) (List.tabulate (20, fn i => i));
      print (next () ^ "\n")
    end)

val () =
  Scope.run (fn scope =>
    let
      val _ = Scope.fork scope (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop)] listener (WebSocket.handler [] serve))
    in
      client ();
      SyncVar.iPut (stop, ())
    end)
