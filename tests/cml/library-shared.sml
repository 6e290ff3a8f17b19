(* What threads share of Concurrent ML's library, with choices, time-outs and cancelled waits: each port of a multicast
   channel gives each message once, to one of the threads that read it; a barrier counts each party once in a round,
   also one whose wait was cancelled and who comes again; each call by SimpleRPC is served once. *)
open CML
val senders = 3 and each = 8 and ports = 3 and readers = 3
fun round seed =
  let
    val ch : (int * int) Multicast.mchan = Multicast.mChannel ()
    val total = senders * each
    fun reader (p, note, k) () =
      let
        val never2 = channel () : unit chan
        fun next i =
          case (i + k + seed) mod 5 of
            0 => SOME (Multicast.recv p)
          | 1 => select [wrap (Multicast.recvEvt p, SOME), wrap (recvEvt never2, fn () => NONE)]
          | 2 => select [wrap (Multicast.recvEvt p, SOME), wrap (timeOutEvt (Time.fromMicroseconds 50), fn () => NONE)]
          | 3 => (let val r = ref NONE in ignore (Scope.within (Time.fromMicroseconds 80) (fn _ => r := SOME (Multicast.recv p))) ; !r end)
          | _ => select [wrap (timeOutEvt (Time.fromMicroseconds 20), fn () => NONE), wrap (Multicast.recvEvt p, SOME), wrap (Multicast.recvEvt p, SOME)]
        fun go i = case next i of NONE => go (i + 1) | SOME (~1, _) => () | SOME m => (note m; go (i + 1))
      in
        go 0
      end
    val notes = List.tabulate (ports, fn _ => SyncVar.mVarInit [])
    val ps = List.tabulate (ports, fn i => Multicast.port ch)
    val ps = ListPair.map (fn (p, i) => if i mod 2 = 0 then p else Multicast.copy p) (ps, List.tabulate (ports, fn i => i))
    val rs =
      List.concat (ListPair.map (fn (p, n) => List.tabulate (readers, fn k =>
         spawn (reader (p, fn m => SyncVar.mPut (n, m :: SyncVar.mTake n), k)))) (ps, notes))
    val ss = List.tabulate (senders, fn s => spawn (fn () =>
      let fun go i = if i = each then () else (Multicast.multicast (ch, (s, i)); go (i + 1)) in go 0 end))
    val () = app (sync o joinEvt) ss
    (* one end for each reader *)
    val () = List.app (fn _ => Multicast.multicast (ch, (~1, 0))) (List.tabulate (readers, fn i => i))
    val () = app (sync o joinEvt) rs
    fun ok n =
      let
        val l = rev (SyncVar.mTake n)
        val all = Array.array (total, 0)
        val () = app (fn (s, i) => Array.update (all, s * each + i, Array.sub (all, s * each + i) + 1)) l
      in
        length l = total andalso Array.all (fn n => n = 1) all
      end
  in
    List.all ok notes
  end
val () = print (if List.all round (List.tabulate (4, fn i => i)) then "multicast\n" else "multicast: wrong\n")

structure B = Barrier
(* n parties, some resign, some are cancelled and come again; the state counts rounds; all see each round once *)
val parties = 4 and rounds = 20
fun meet seed =
  let
    val b = B.barrier (fn n => (if seed mod 3 = 0 then yield () else (); n + 1)) 0
    val es = List.tabulate (parties, fn _ => B.enroll b)
    val bad = SyncVar.mVarInit 0
    fun wrong () = SyncVar.mPut (bad, SyncVar.mTake bad + 1)
    fun party (e, k) () =
      let
        val mine = rounds - (k * (seed mod 4))
        fun come i =
          if (i + k + seed) mod 7 = 0 then
            let
              val r = ref NONE
            in
              ignore (Scope.within (Time.fromMicroseconds (Int.toLarge (30 * (i mod 4)))) (fn _ => r := SOME (B.wait e)));
              case !r of SOME n => n | NONE => come (i + 1)
            end
          else B.wait e
        fun go i = if i > mine then B.resign e else (if come i = i then () else wrong (); go (i + 1))
      in
        go 1
      end
    val ts = ListPair.map (fn (e, k) => spawn (party (e, k))) (es, List.tabulate (parties, fn k => k))
  in
    app (sync o joinEvt) ts;
    SyncVar.mTake bad = 0
  end
val () = print (if List.all meet (List.tabulate (6, fn i => i)) then "barrier\n" else "barrier: wrong\n")

fun rpc seed =
  let
    val {call, entryEvt} = SimpleRPC.mkRPC_InOut (fn (x, s) => (x + s, s + 1))
    val stop = SyncVar.iVar ()
    fun server s = select [wrap (entryEvt s, server), wrap (SyncVar.iGetEvt stop, fn () => s)]
    val res = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (res, server 0))
    val ts = List.tabulate (6, fn k => spawn (fn () => List.app (fn i => if call i >= i then () else print "bad\n") (List.tabulate (20, fn i => i))))
  in
    app (sync o joinEvt) ts; SyncVar.iPut (stop, ()); SyncVar.iGet res = 120
  end
val () = print (if List.all rpc (List.tabulate (4, fn i => i)) then "rpc\n" else "rpc: wrong\n")

(* An exception of the server's function was the server's alone, and the caller waited for ever. *)
val () =
  let
    val {call, entryEvt} = SimpleRPC.mkRPC (fn n => if n = 0 then raise Fail "none" else n)
    val server = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (server, (sync entryEvt; "nothing") handle Fail s => s))
    val got = Int.toString (call 0) handle Fail s => s
  in
    print (concat [got, " ", SyncVar.iGet server, "\n"])
  end

(* Who makes the next state was cancelled there, and the others, who were not, raised Cancelled, too. *)
val () =
  let
    val b = B.barrier (fn n => (OS.Process.sleep (Time.fromMilliseconds 20); n + 1)) 0
    val (e1, e2) = (B.enroll b, B.enroll b)
    val other = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (other, Int.toString (B.wait e1) handle e => exnName e))
    (* when the other one waits *)
    fun settle () = (sync (timeOutEvt (Time.fromMilliseconds 2)); if Thread.stat 9 = 0 then () else settle ())
    val () = settle ()
    val _ = Scope.within (Time.fromMilliseconds 2) (fn _ => B.wait e2)
  in
    print (concat [SyncVar.iGet other, "\n"])
  end
