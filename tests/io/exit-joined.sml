(* An exit function waited for ever for a thread that said exit meanwhile: it ended untold. And the finalizers of what was
   dead were run by the thread that made the next value, in whose cancelled scope their waits were cancelled. *)
fun ms n = Time.fromMilliseconds n

local
  val count = SyncVar.mVarInit 0
  fun note _ =
    SyncVar.mPut (count, (OS.Process.sleep (Time.fromMicroseconds 1); SyncVar.mTake count + 1))
  fun make () =
    let
      val t = MLton.Finalizable.new ()
    in
      MLton.Finalizable.addFinalizer (t, note)
    end
  fun times 0 = ()
    | times n = (make (); times (n - 1))
  exception Stop
in
  val () =
    Scope.run (fn scope =>
      (Scope.cancel (scope, Stop); times 1500; MLton.GC.collect (); times 1500))
    handle Stop => ()
  val () = print (if SyncVar.mGet count > 1000 then "finalized\n" else "not finalized\n")
end

(* says exit when the other exit has begun *)
val begun = SyncVar.iVar () : unit SyncVar.ivar
fun work () = (SyncVar.iGet begun; OS.Process.exit OS.Process.failure)
val worker = CML.spawn work
fun beat () = (OS.Process.sleep (ms 100); beat ())
val _ = CML.spawn beat
val () =
  OS.Process.atExit (fn () =>
    (SyncVar.iPut (begun, ()); CML.sync (CML.joinEvt worker); print "joined\n"))
val () = OS.Process.exit OS.Process.success
