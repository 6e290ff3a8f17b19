# A deadlock names what each thread waits for by where the program has made it, line and column: a channel, a variable, a
# mailbox, a multicast channel; also when an event is waited for. The same in a trace.
cat > made.sml <<'SML'
open CML
fun fresh () : int chan = channel ()
fun main () =
  let
    val plain : int chan = channel ()
    val other = fresh ()
    val variable : int SyncVar.ivar = SyncVar.iVar ()
    val mail : int Mailbox.mbox = Mailbox.mailbox ()
    val full : int Mailbox.mbox = Mailbox.bounded 1
    val port = Multicast.port (Multicast.mChannel () : int Multicast.mchan)
    fun start f = ignore (spawn f)
  in
    start (fn () => send (plain, 1));
    start (fn () => send (other, 1));
    start (fn () => sync (sendEvt (plain, 2)));
    start (fn () => ignore (SyncVar.iGet variable));
    start (fn () => ignore (sync (SyncVar.iGetEvt variable)));
    start (fn () => ignore (Mailbox.recv mail));
    start (fn () => ignore (sync (Mailbox.recvEvt mail)));
    start (fn () => ignore (Multicast.recv port));
    Mailbox.send (full, 1); start (fn () => Mailbox.send (full, 2));
    start (fn () => sync (Mailbox.sendEvt (full, 3)));
    (* what has had a message is named, too *)
    start (fn () => (ignore (recv (let val c = channel () in start (fn () => send (c, 1)); c end)); ignore (recv (channel () : int chan))))
  end
val status = RunCML.doit (fn () => (main (); ignore (sync (recvEvt (channel () : int chan)))), NONE)
val () = OS.Process.exit status
SML
waits() { grep -o '\(sending\|receiving\|waiting for\) .*made at .*' "$1" | sort | uniq -c | sed 's/^ *//'; }
"$LEAT" run made.sml 2> run.err; echo "exit $?"; waits run.err
"$LEAT" build made.sml -o made && LEAT_RUN=--workers=2 ./made 2> built.err; waits built.err | cmp - <(waits run.err) && echo "built: the same"
"$LEAT" run --trace=made.json made.sml 2> /dev/null; grep -o '"made":"made.sml:[0-9.]*"' made.json | sort -u
