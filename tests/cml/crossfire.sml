(* Threads that both send and receive on the same few channels, by choices of both, with time-outs and acknowledgements among
   them: every message that was sent is received once. *)
open CML

val threads = 12
val channels = Vector.tabulate (3, fn _ => channel () : int chan)
fun ch i = Vector.sub (channels, i mod 3)

(* what each thread has sent and received, and how often it was told that its offer lost *)
val results : (int * int * int) chan = channel ()
val stop : unit SyncVar.ivar = SyncVar.iVar ()

fun player id () =
  let
    (* counts its acknowledgements in a thread of its own *)
    val told : unit Mailbox.mbox = Mailbox.mailbox ()
    fun watched event =
      withNack (fn nack => (ignore (spawn (fn () => (sync nack; Mailbox.send (told, ())))); event))
    fun play (n, sent, received, nacks) =
      let
        val x = id * 1000 + n
        val sending = wrap (sendEvt (ch (id + n), x), fn () => (x, 0, false))
        val receiving = wrap (recvEvt (ch (id * 7 + n * 5 + 1)), fn y => (0, y, false))
        val late = wrap (timeOutEvt (Time.fromMicroseconds 200), fn () => (0, 0, false))
        val over = wrap (SyncVar.iGetEvt stop, fn () => (0, 0, true))
        val events =
          case n mod 4 of
            0 => [sending, receiving, over]
          | 1 => [receiving, sending, late, over]
          | 2 => [watched receiving, choose [sending, late], over]
          | _ => [guard (fn () => sending), over, late]
        val (s, r, finished) = select events
        val nacks = if n mod 4 = 2 andalso (s <> 0 orelse r = 0) then nacks + 1 else nacks
      in
        if finished then (sent + s, received + r, nacks)
        else play (n + 1, sent + s, received + r, nacks)
      end
    val (sent, received, nacks) = play (1, 0, 0, 0)
    (* all of them come; for ever if one is missing *)
    fun await 0 = ()
      | await k = (Mailbox.recv told; await (k - 1))
  in
    await nacks;
    send (results, (sent, received, nacks))
  end

val () = List.app (fn id => ignore (spawn (player id))) (List.tabulate (threads, fn i => i + 1))
val () = sync (timeOutEvt (Time.fromMilliseconds 150))
val () = SyncVar.iPut (stop, ())
fun gather (0, sums) = sums
  | gather (k, (s, r, n)) =
      let val (s', r', n') = recv results
      in gather (k - 1, (s + s', r + r', n + n')) end
val (sent, received, nacks) = gather (threads, (0, 0, 0))
val () = print (if sent = received andalso sent > 0 then "all received\n" else "LOST " ^ Int.toString (sent - received) ^ "\n")
