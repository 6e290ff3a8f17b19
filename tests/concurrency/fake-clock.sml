(* Virtual time stands still while anything runs. The clock once jumped to the next deadline while a thread was ready:
   its worker had been woken, but the worker's OS thread had not run yet, so it was counted among those that wait. On
   a busy machine a time-out of a day came before what threads did in microseconds. *)

fun times (0, _, sum) = sum
  | times (n, round, sum) = times (n - 1, round, sum + round ())

fun ms n = Time.fromMilliseconds n
fun compute 0 = ()
  | compute n = compute (n - 1)

(* bound threads: the worker is handed from one OS thread to another, too *)
fun bound () =
  let
    val done = ref 0
    fun add () =
      let
        val now = Unsafe.Wait.look done
      in
        if Unsafe.Wait.swap (done, now, now + 1) then () else add ()
      end
    fun work () = (compute 1000; Thread.yield (); compute 1000; add ())
  in
    List.app (fn _ => Thread.ready (Thread.bound work)) [1, 2, 3];
    OS.Process.sleep (Time.fromSeconds 86400);
    if Unsafe.Wait.look done = 3 then 0 else 1
  end

(* a thread that is sent a message in the middle of a long sleep *)
fun message () =
  let
    val c : int CML.chan = CML.channel ()
    val has = SyncVar.mVar ()
    val _ = CML.spawn (fn () => SyncVar.mPut (has, CML.recv c))
    val _ = CML.spawn (fn () => (OS.Process.sleep (ms 2); CML.send (c, 3)))
  in
    OS.Process.sleep (Time.fromSeconds 1000);
    if SyncVar.mTakePoll has = SOME 3 then 0 else 1
  end

(* a thread that waits for a descriptor, with one worker in the poller *)
val {infd, outfd} = Posix.IO.pipe ()
fun pipe () =
  let
    val has = SyncVar.mVar ()
    val _ = CML.spawn (fn () => SyncVar.mPut (has, Word8Vector.length (Posix.IO.readVec (infd, 1))))
    val _ =
      CML.spawn (fn () => (OS.Process.sleep (ms 2);
                           ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Word8Vector.fromList [0w1])))))
  in
    OS.Process.sleep (Time.fromSeconds 1000);
    if SyncVar.mTakePoll has = SOME 1 then 0 else 1
  end

fun say (what, n) = print (what ^ " too early: " ^ Int.toString n ^ "\n")
val () = say ("bound", times (300, bound, 0))
val () = say ("message", times (3000, message, 0))
val () = say ("pipe", times (1000, pipe, 0))
val () = OS.Process.exit OS.Process.success
