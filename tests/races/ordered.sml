(* No race: everything that orders threads, each with a reference that is handed on by it alone. *)
open CML
val ch : int ref chan = channel ()
val done : unit chan = channel ()

fun child f = spawn (fn () => f ())
fun expect (name, r : int ref, n) = print (name ^ (if !r = n then " ok\n" else " WRONG\n"))

(* making a thread, its end *)
val made = ref 1
val t = child (fn () => made := !made + 1)
val () = sync (joinEvt t)
val () = expect ("join", made, 2)

(* a channel, both ways: what the sender did, and what the receiver did before it received *)
val a = ref 0 and b = ref 0
val t = child (fn () => (b := 1; let val r = recv ch in r := !r + 1; send (done, ()) end))
val () = (a := 1; send (ch, a); expect ("rendezvous", b, 1); recv done; expect ("channel", a, 2))

(* the same by events of choices, with a negative acknowledgement *)
val c = ref 0
val never' : unit chan = channel ()
val nacked : unit chan = channel ()
val t = child (fn () => let val r = select [recvEvt ch, wrap (recvEvt never', fn () => c)] in r := !r + 1; send (done, ()) end)
val () = (c := 1; select [sendEvt (ch, c), recvEvt never']; recv done; expect ("choice", c, 2))
val d = ref 0
fun answer nack = (ignore (child (fn () => (sync nack; d := !d + 1; send (nacked, ())))); recvEvt never')
val () = (d := 1; select [withNack answer, alwaysEvt ()]; recv nacked; expect ("nack", d, 2))

(* variables *)
val e = ref 0
val iv = SyncVar.iVar ()
val t = child (fn () => (e := 1; SyncVar.iPut (iv, ())))
val () = (SyncVar.iGet iv; expect ("ivar", e, 1))
val mv = SyncVar.mVarInit ()
val f = ref 0
fun locked () = (SyncVar.mTake mv; f := !f + 1; SyncVar.mPut (mv, ()))
val ts = List.tabulate (8, fn _ => child locked)
val () = app (fn t => sync (joinEvt t)) ts
val () = expect ("mvar", f, 8)

(* mailboxes, multicast, RPC, barriers *)
val box = Mailbox.mailbox ()
val g = ref 0
val t = child (fn () => (g := 1; Mailbox.send (box, ())))
val () = (Mailbox.recv box; expect ("mailbox", g, 1))
val m = Multicast.mChannel ()
val p = Multicast.port m
val h = ref 0
val t = child (fn () => (h := 1; Multicast.multicast (m, ())))
val () = (Multicast.recv p; expect ("multicast", h, 1))
val {call, entryEvt} = SimpleRPC.mkRPC (fn (r : int ref) => (r := !r + 1; ()))
val t = child (fn () => sync entryEvt)
val i = ref 0
val () = (i := 1; call i; expect ("rpc", i, 2))

(* elements side by side, in one word *)
val bytes = CharArray.array (16, #"a")
val ts = List.tabulate (16, fn i => child (fn () => CharArray.update (bytes, i, chr (97 + i))))
val () = app (fn t => sync (joinEvt t)) ts
val () = print (CharArray.vector bytes ^ "\n")

(* many threads one after the other, and collections *)
val sum = ref 0
fun next 0 = ()
  | next n = (sync (joinEvt (child (fn () => (sum := !sum + n; ignore (List.tabulate (100, fn i => ref i)))))); next (n - 1))
val () = (next 3000; expect ("sum", sum, 4501500))
