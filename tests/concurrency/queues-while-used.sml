(* A cell gets its queues when a second thread waits there; on another worker somebody is putting or taking meanwhile.
   With many collections these two meet. *)
open CML

fun all threads = List.app (fn t => sync (joinEvt t)) threads
fun three f = List.tabulate (3, fn i => spawn (fn () => f i))

fun ivar () =
  let val v = SyncVar.iVar ()
  in all (spawn (fn () => SyncVar.iPut (v, 1)) :: three (fn _ => ignore (SyncVar.iGet v)))
  end
fun mvar () =
  let val v = SyncVar.mVar ()
  in all (spawn (fn () => SyncVar.mPut (v, 1)) :: three (fn i => SyncVar.mPut (v, SyncVar.mTake v + i)))
  end
fun channel () =
  let val ch = CML.channel ()
  in all (three (fn i => send (ch, i)) @ three (fn _ => ignore (recv ch)))
  end
fun mailbox () =
  let val box = Mailbox.mailbox ()
  in all (three (fn i => Mailbox.send (box, i)) @ three (fn _ => ignore (Mailbox.recv box)))
  end

fun rounds 0 = () | rounds n = (ivar (); ivar (); ivar (); mvar (); channel (); mailbox (); rounds (n - 1))
val () = all (List.tabulate (4, fn _ => spawn (fn () => rounds 100)))
val () = print "all have ended\n"
