(* Threads that talk, beside threads that compute. There was one queue for all: a message cost a round of time slices, 20 ms
   for each thread that computed, and a time-out came as late. Now neither keeps the other waiting. With one queue the first
   part takes minutes; a thread that starves ends none of the others. *)
open CML

val stop = ref false
val computing = 4
fun compute n = if !stop then () else compute (if n > 1000000 then 0 else n + 1)
val computers = List.tabulate (computing, fn _ => spawn (fn () => compute 0))

(* 2,000 messages each way *)
val (there, back) = (channel () : int chan, channel () : int chan)
fun echo () = (send (back, recv there); echo ())
val _ = spawn echo
fun talk (0, sum) = sum
  | talk (n, sum) = (send (there, n); talk (n - 1, sum + recv back))
val () = print ("talked " ^ Int.toString (talk (2000, 0)) ^ "\n")

(* Half of the time-outs are no more than 30 ms late, a third of what they were; by the time that this program has had
   the processor, too, since other programs may have it. *)
fun late () =
  let
    val (real, cpu) = (Timer.startRealTimer (), Timer.startCPUTimer ())
    val () = sync (timeOutEvt (Time.fromMilliseconds 2))
    val {usr, sys} = Timer.checkCPUTimer cpu
    val most = Time.fromMilliseconds 32
  in
    Time.> (Timer.checkRealTimer real, most) andalso Time.> (Time.+ (usr, sys), most)
  end
val () =
  print (if length (List.filter (fn late => late) (List.tabulate (31, fn _ => late ()))) <= 15 then "in time\n"
         else "most time-outs are late\n")

(* two that never stop talking do not keep one from computing, nor from hearing of a time-out *)
val ended : unit SyncVar.ivar = SyncVar.iVar ()
val _ = spawn (fn () => let fun loop 0 = SyncVar.iPut (ended, ()) | loop n = loop (n - 1) in loop 20000000 end)
fun chat n =
  (send (there, n);
   ignore (recv back);
   if isSome (SyncVar.iGetPoll ended) then () else chat (n + 1))
val () = chat 0
val () = print "computed\n"

(* a thread that yields lets those run that compute *)
val flag = ref false
val _ = spawn (fn () => let fun loop 0 = flag := true | loop n = loop (n - 1) in loop 20000000 end)
fun await () = if !flag then () else (yield (); await ())
val () = await ()
val () = print "yielded\n"

val () = stop := true
val () = app (fn t => sync (joinEvt t)) computers
