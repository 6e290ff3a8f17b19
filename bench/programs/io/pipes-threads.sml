(* Row E1, E2 with threads: one for each end of each pipe. usage: pipes-threads P MESSAGES [DELAY in us [LIVE]]
   LIVE threads besides sleep for an hour. Each pipe has its share of the messages: what all threads count together would
   be counted wrong by several workers. *)

val (pipes, messages, delay, live) =
  case List.map (valOf o Int.fromString) (CommandLine.arguments ()) of
    [p, n] => (p, n, 0, 0)
  | [p, n, d] => (p, n, d, 0)
  | [p, n, d, l] => (p, n, d, l)
  | _ => (100, 100000, 0, 0)

val finished = Mailbox.mailbox () : unit Mailbox.mbox

fun reader (fd, share) =
  let
    val buffer = Word8ArraySlice.full (Word8Array.array (if delay > 0 then 1 else 64, 0w0))
    val span = Time.fromMicroseconds (Int.toLarge delay)
    fun loop 0 = Mailbox.send (finished, ())
      | loop rest =
          let val n = Posix.IO.readArr (fd, buffer)
          in
            if delay > 0 then OS.Process.sleep span else ();
            loop (rest - n)
          end
  in
    fn () => loop share
  end

(* They begin when all are there: a thread runs as soon as it is made, and the first would have sent all by themselves. *)
val go = SyncVar.iVar () : unit SyncVar.ivar
val one = Word8VectorSlice.full (Byte.stringToBytes "x")
fun writer (fd, share) =
  let
    fun loop 0 = ()
      | loop rest =
          (ignore (Posix.IO.writeVec (fd, one));
           CML.yield ();
           loop (rest - 1))
  in
    fn () => (SyncVar.iGet go; loop share)
  end

val () =
  ignore (List.tabulate (live, fn _ => CML.spawn (fn () => CML.sync (CML.timeOutEvt (Time.fromSeconds 3600)))))
val () = if live > 0 then CML.yield () else ()
val ends = Pipes.make ("pipes-threads", pipes)
val pipes = length ends
val start = Time.now ()
fun start' (i, {infd, outfd}) =
  let val share = messages div pipes + (if i < messages mod pipes then 1 else 0)
  in
    ignore (CML.spawn (reader (infd, share)));
    ignore (CML.spawn (writer (outfd, share)))
  end
val () = Vector.appi start' (Vector.fromList ends)
val () = SyncVar.iPut (go, ())
val () = List.app (fn _ => Mailbox.recv finished) ends
val span = Time.toNanoseconds (Time.- (Time.now (), start))
val () = print (concat ["message ", LargeInt.toString (span div Int.toLarge messages), "\n"])
