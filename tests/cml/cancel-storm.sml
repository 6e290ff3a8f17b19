(* Threads in scopes wait for everything that a thread can wait for, each in a scope of its own with a deadline that comes at
   random, so that the waits are cancelled at random: before they begin, while they are offered, while a partner takes them,
   in clean-up. Afterwards nothing is left (thread, time-out, wait for a descriptor, descriptor, partner in a queue), and nothing was done twice or
   lost: each number that was sent came once, or its sender was cancelled.

   The times come from the program's own random numbers; which wait they hit is up to the scheduler, so this is run with
   many seeds and on several workers. *)
open CML

val players = 6
val rounds = 120
val ms = Time.fromMilliseconds
val us = Time.fromMicroseconds o LargeInt.fromInt
val long = Time.fromSeconds 3600

(* a small generator for each player *)
fun random seed =
  let val state = ref (Word.fromInt seed * 0w2654435761 + 0w12345)
  in
    fn n =>
      (state := !state * 0w6364136223846793005 + 0w1442695040888963407;
       Word.toInt (Word.mod (Word.>> (!state, 0w33), Word.fromInt n)))
  end

val ch : int chan = channel ()
val box : int Mailbox.mbox = Mailbox.mailbox ()
val mvar : int SyncVar.mvar = SyncVar.mVarInit 0
val quiet : int chan = channel ()
val full : int SyncVar.ivar = SyncVar.iVar ()

(* what was received, and what was sent and not cancelled: by sums and numbers *)
val got : int Mailbox.mbox = Mailbox.mailbox ()
val sent : int Mailbox.mbox = Mailbox.mailbox ()
val acknowledged : unit Mailbox.mbox = Mailbox.mailbox ()

fun next fd = SysWord.toInt (Posix.FileSys.fdToWord fd)
fun free () =
  let val {infd, outfd} = Posix.IO.pipe ()
  in Posix.IO.close infd; Posix.IO.close outfd; next infd end

(* -- one round *)

(* Nothing is between the end of the wait and the note: a thread is cancelled in waits only, and `Mailbox.send` is none. *)
fun doSend (give, n) = (give n; Mailbox.send (sent, n))
fun doRecv take = Mailbox.send (got, take ())

fun waits (next, n, input, desc) =
  case next 16 of
    0 => doSend (fn n => send (ch, n), n)
  | 1 => doRecv (fn () => recv ch)
  | 2 => doSend (fn n => sync (sendEvt (ch, n)), n)
  | 3 => doRecv (fn () => sync (recvEvt ch))
  | 4 =>
      (* one of both, or neither *)
      select
        [wrap (sendEvt (ch, n), fn () => Mailbox.send (sent, n)), wrap (recvEvt ch, fn m => Mailbox.send (got, m)),
         timeOutEvt long, wrap (SyncVar.iGetEvt full, ignore)]
  | 5 => (Mailbox.send (box, n); Mailbox.send (sent, n); doRecv (fn () => Mailbox.recv box))
  | 6 => (Mailbox.send (box, n); Mailbox.send (sent, n); doRecv (fn () => sync (Mailbox.recvEvt box)))
  | 7 =>
      (* taken and put back; between the two the thread waits, and puts it back in any case *)
      let val m = SyncVar.mTake mvar
      in Scope.finally (fn () => OS.Process.sleep (us 50), fn () => SyncVar.mPut (mvar, m + 1)) end
  | 8 => select [wrap (SyncVar.mGetEvt mvar, ignore), wrap (recvEvt quiet, ignore)]
  | 9 =>
      select
        [withNack (fn nack => (ignore (spawn (fn () => (sync nack; Mailbox.send (acknowledged, ())))); wrap (recvEvt quiet, ignore))),
         timeOutEvt long]
  | 10 => ignore (Posix.IO.readVec (input, 1))
  | 11 => ignore (OS.IO.poll ([desc], SOME long))
  | 12 => (OS.Process.sleep (us 100); ignore (sync (OS.IO.pollEvt [desc])))
  | 13 =>
      (* a scope in the scope *)
      Scope.run (fn s =>
        (Scope.daemon s (fn () => sync never);
         app (fn i => ignore (Scope.fork s (fn () => if i = 2 then ignore (recv quiet) else OS.Process.sleep long))) [1, 2, 3]))
  | 14 => OS.Process.sleep long
  | _ => Scope.shield (fn () => OS.Process.sleep (us 100))

fun player (id, input, desc) () =
  let
    val next = random id
    fun play 0 = ()
      | play k =
          (ignore (Scope.within (us (next 400)) (fn _ => waits (next, id * 1000 + k, input, desc)));
           play (k - 1))
  in
    play rounds
  end

(* -- books *)

fun drain box =
  case Mailbox.recvPoll box of
    SOME n => n :: drain box
  | NONE => []
fun insert (n : int, []) = [n]
  | insert (n, m :: rest) = if n <= m then n :: m :: rest else m :: insert (n, rest)
fun sorted l = foldl insert [] l

val first = free ()
val threads = Leat.Count.threads ()
val () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val desc = OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD infd)))
  in
    Scope.run (fn s => app (fn id => ignore (Scope.fork s (player (id, infd, desc)))) (List.tabulate (players, fn i => i + 1)));
    Posix.IO.close infd;
    Posix.IO.close outfd
  end

(* what is still in the mailbox was sent and not taken *)
val sent = sorted (drain sent)
val got = sorted (drain got @ drain box)
val () = print (if sent = got then "each message once\n" else "lost or doubled\n")
(* the variable is full, as it was *)
val () = print (if SyncVar.mTake mvar >= 0 then "put back\n" else "")
(* nobody stands in the channels *)
val () = print (case recvPoll ch of NONE => "nobody sends\n" | SOME _ => "somebody sends\n")
val () = print (if sendPoll (ch, 1) then "somebody receives\n" else "nobody receives\n")
val () = print (if sendPoll (quiet, 1) then "somebody receives\n" else "nobody receives\n")
(* threads that were told of a choice's end have still to end *)
fun settle 0 = ()
  | settle n = if Leat.Count.threads () > threads then (OS.Process.sleep (ms 1); settle (n - 1)) else ()
val () = settle 2000
val () = print (if Leat.Count.threads () <= threads then "no thread left\n" else "threads left: " ^ Int.toString (Leat.Count.threads () - threads) ^ "\n")
val () = print (if Leat.Count.timers () = 0 then "no time-out left\n" else "time-outs left: " ^ Int.toString (Leat.Count.timers ()) ^ "\n")
val () = print (if Leat.Count.waiters () = 0 then "no wait for a descriptor left\n" else "waits left\n")
val () = print (if free () <= first then "no descriptor left\n" else "descriptors left\n")
