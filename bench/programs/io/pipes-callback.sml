(* Row E1, E2, E4 by callbacks. usage: pipes-callback P MESSAGES [DELAY in us [LIVE]]
   LIVE time-outs of an hour are there besides; each message begins the next of them anew. *)

val (pipes, messages, delay, live) =
  case List.map (valOf o Int.fromString) (CommandLine.arguments ()) of
    [p, n] => (p, n, 0, 0)
  | [p, n, d] => (p, n, d, 0)
  | [p, n, d, l] => (p, n, d, l)
  | _ => (100, 100000, 0, 0)

structure M = EventManager

val sent = ref 0
val got = ref 0
val done = SyncVar.iVar () : unit SyncVar.ivar
val span = Time.fromMicroseconds (Int.toLarge delay)
(* after a delay one byte at a time *)
val buffer = Word8ArraySlice.full (Word8Array.array (if delay > 0 then 1 else 64, 0w0))
val one = Word8VectorSlice.full (Byte.stringToBytes "x")

val hour = Time.fromSeconds 3600
val hours = Vector.tabulate (live, fn _ => M.registerTimeout (hour, fn () => ()))
val oldest = ref 0
fun later () =
  if live = 0 then ()
  else (M.updateTimeout (Vector.sub (hours, !oldest), hour); oldest := (!oldest + 1) mod live)

fun receive fd =
  (got := !got + Posix.IO.readArr (fd, buffer);
   if !got >= messages then (SyncVar.iPut (done, ()) handle SyncVar.Put => ()) else ())

(* told again when it has been read *)
fun register {infd, outfd} =
  let
    val desc = Posix.FileSys.fdToIOD infd
    fun readable (key, _) =
      if delay = 0 then receive infd
      else
        (M.unregister key;
         ignore (M.registerTimeout (span, fn () => (receive infd; later (); ignore (M.register (desc, M.evtRead, readable))))))
    fun writable (key, _) =
      if !sent >= messages then M.unregister key
      else (sent := !sent + 1; ignore (Posix.IO.writeVec (outfd, one)))
  in
    ignore (M.register (desc, M.evtRead, readable));
    ignore (M.register (Posix.FileSys.fdToIOD outfd, M.evtWrite, writable))
  end

(* non-blocking, as the counterparts have them *)
fun nonBlocking fd = Posix.IO.setfl (fd, Posix.IO.O.nonblock)
val ends = Pipes.make ("pipes-callback", pipes)
val () = List.app (fn {infd, outfd} => (nonBlocking infd; nonBlocking outfd)) ends
val start = Time.now ()
val () = List.app register ends
val () = SyncVar.iGet done
val time = Time.toNanoseconds (Time.- (Time.now (), start))
val () = print (concat ["message ", LargeInt.toString (time div Int.toLarge messages), "\n"])
