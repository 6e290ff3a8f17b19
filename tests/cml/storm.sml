(* Threads that choose among channels, time-outs, a variable, a pipe that never has anything and sockets that nobody connects
   to, again and again, so that most of what they offer is never taken. Afterwards nothing is left: no time-out, no waiter,
   no thread, no descriptor, and no more entries in a queue than it had live ones, or 16. *)
open CML

val players = 8
val rounds = 150
val channels = Vector.tabulate (4, fn _ => channel () : int chan)
fun ch i = Vector.sub (channels, i mod 4)
val quiet : int chan = channel ()
val never' : int SyncVar.ivar = SyncVar.iVar ()
val done : unit chan = channel ()

fun next fd = SysWord.toInt (Posix.FileSys.fdToWord fd)
(* the smallest number that is free *)
fun free () =
  let val {infd, outfd} = Posix.IO.pipe ()
  in Posix.IO.close infd; Posix.IO.close outfd; next infd end

fun listener () =
  let val s = INetSock.TCP.socket () : Socket.passive INetSock.stream_sock
  in Socket.bind (s, INetSock.any 0); Socket.listen (s, 5); s end

fun player (id, input, socket) () =
  let
    fun play 0 = ()
      | play n =
          let
            val readable = wrap (OS.IO.pollEvt [input], fn _ => 0)
            val accepting = wrap (Socket.acceptEvt socket, fn _ => 0)
            val watched = withNack (fn nack => (ignore (spawn (fn () => sync nack)); recvEvt quiet))
            val common =
              [wrap (sendEvt (ch (id + n), n), fn () => n), recvEvt (ch (id + n + 1)), recvEvt quiet,
               wrap (timeOutEvt (Time.fromSeconds 3600), fn () => 0), SyncVar.iGetEvt never',
               wrap (timeOutEvt (Time.fromMicroseconds 300), fn () => 0)]
          in
            ignore (select (case n mod 4 of 0 => readable :: common | 1 => accepting :: common | 2 => watched :: common | _ => common));
            play (n - 1)
          end
  in
    play rounds;
    send (done, ())
  end

val first = free ()
val threads = Leat.Count.threads ()
val _ =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val input = OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd)))
    val socket = listener ()
    val () = List.app (fn id => ignore (spawn (player (id, input, socket)))) (List.tabulate (players, fn i => i))
  in
    List.app (fn () => recv done) (List.tabulate (players, fn _ => ()));
    Socket.close socket;
    Posix.IO.close infd;
    Posix.IO.close outfd
  end

(* threads that were told end when they have run *)
fun await (0, what, count) = print (what ^ " left: " ^ Int.toString (count ()) ^ "\n")
  | await (n, what, count) =
      if count () = 0 then print ("no " ^ what ^ " left\n")
      else (sync (timeOutEvt (Time.fromMilliseconds 5)); await (n - 1, what, count))
val () = await (2000, "thread", fn () => Leat.Count.threads () - threads)
val () = await (1, "timer", Leat.Count.timers)
val () = await (1, "waiter", Leat.Count.waiters)
val () = await (1, "registered descriptor", Leat.Count.descriptors)
val () = await (1, "job", Leat.Count.jobs)
val () = print (if free () = first then "no descriptor left\n" else "descriptors are left\n")
(* at most two for each player were live at once, in each of two queues *)
val most = 2 * Int.max (16, 2 * players) + 2
fun few c = Leat.Count.entries c <= most
val () = print (if few quiet andalso Vector.all few channels then "few entries\n" else "many entries\n")
