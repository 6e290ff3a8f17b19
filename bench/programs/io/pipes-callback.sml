(* Row E1, E2, E4 by callbacks. usage: pipes-callback P MESSAGES [DELAY in us] *)

val (pipes, messages, delay) =
  case List.map (valOf o Int.fromString) (CommandLine.arguments ()) of
    [p, n] => (p, n, 0)
  | [p, n, d] => (p, n, d)
  | _ => (100, 100000, 0)

structure M = EventManager

val sent = ref 0
val got = ref 0
val done = SyncVar.iVar () : unit SyncVar.ivar
val span = Time.fromMicroseconds (Int.toLarge delay)
val buffer = Word8ArraySlice.full (Word8Array.array (64, 0w0))
val one = Word8VectorSlice.full (Byte.stringToBytes "x")
val nothing = M.evtRead

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
         ignore (M.registerTimeout (span, fn () => (receive infd; ignore (M.register (desc, M.evtRead, readable))))))
    fun writable (key, _) =
      if !sent >= messages then M.unregister key
      else (sent := !sent + 1; ignore (Posix.IO.writeVec (outfd, one)))
  in
    ignore (M.register (desc, M.evtRead, readable));
    ignore (M.register (Posix.FileSys.fdToIOD outfd, M.evtWrite, writable))
  end

(* non-blocking, as the counterparts have them *)
fun nonBlocking fd = Posix.IO.setfl (fd, Posix.IO.O.nonblock)
val ends =
  List.tabulate (pipes, fn _ =>
    let val ends as {infd, outfd} = Posix.IO.pipe ()
    in nonBlocking infd; nonBlocking outfd; ends end)
val start = Time.now ()
val () = List.app register ends
val () = SyncVar.iGet done
val time = Time.toNanoseconds (Time.- (Time.now (), start))
val () = print (concat ["pipes", Int.toString pipes, " ", LargeInt.toString (time div Int.toLarge messages), "\n"])
