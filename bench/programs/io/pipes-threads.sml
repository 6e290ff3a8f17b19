(* Row E1, E2 with threads: one for each end of each pipe. usage: pipes-threads P MESSAGES [DELAY in us [LIVE]]
   LIVE threads besides sleep for an hour. *)

val (pipes, messages, delay, live) =
  case List.map (valOf o Int.fromString) (CommandLine.arguments ()) of
    [p, n] => (p, n, 0, 0)
  | [p, n, d] => (p, n, d, 0)
  | [p, n, d, l] => (p, n, d, l)
  | _ => (100, 100000, 0, 0)

val sent = ref 0
val got = ref 0
val done = SyncVar.iVar () : unit SyncVar.ivar

fun reader fd =
  let
    val buffer = Word8ArraySlice.full (Word8Array.array (if delay > 0 then 1 else 64, 0w0))
    val span = Time.fromMicroseconds (Int.toLarge delay)
    fun loop () =
      let val n = Posix.IO.readArr (fd, buffer)
      in
        if delay > 0 then OS.Process.sleep span else ();
        got := !got + n;
        if !got >= messages then (SyncVar.iPut (done, ()) handle SyncVar.Put => ()) else loop ()
      end
  in
    loop
  end

(* They begin when all are there: a thread runs as soon as it is made, and the first would have sent all by themselves. *)
val go = SyncVar.iVar () : unit SyncVar.ivar
val one = Word8VectorSlice.full (Byte.stringToBytes "x")
fun writer fd =
  let
    fun loop () =
      if !sent >= messages then ()
      else
        (sent := !sent + 1;
         ignore (Posix.IO.writeVec (fd, one));
         CML.yield ();
         loop ())
  in
    fn () => (SyncVar.iGet go; loop ())
  end

val () =
  ignore (List.tabulate (live, fn _ => CML.spawn (fn () => CML.sync (CML.timeOutEvt (Time.fromSeconds 3600)))))
val () = if live > 0 then CML.yield () else ()
val ends = List.tabulate (pipes, fn _ => Posix.IO.pipe ())
val start = Time.now ()
val () = List.app (fn {infd, outfd} => (ignore (CML.spawn (reader infd)); ignore (CML.spawn (writer outfd)))) ends
val () = SyncVar.iPut (go, ())
val () = SyncVar.iGet done
val span = Time.toNanoseconds (Time.- (Time.now (), start))
val () = print (concat ["message ", LargeInt.toString (span div Int.toLarge messages), "\n"])
