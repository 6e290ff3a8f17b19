(* Aborts: a time limit for a piece of work that takes many steps, which may also be called off by hand.

   A server makes an abort for each connection, and offers its event wherever it waits:

     val abort = Abort.new (Time.fromSeconds 30)
     ...
     CML.select [CML.wrap (request, serve), CML.wrap (Abort.evt abort, fn () => close connection)]

   Swerve, a web server for Concurrent ML, introduced the pattern. It could not afford a time-out for each connection, since
   a time-out cost as much as there were others, so its aborts shared the ticks of one thread: `TickAbort`. Here a time-out
   costs the same however many there are, and `Abort` has its own. *)

signature ABORT =
sig
  type abort

  (* happens when so much time has passed, counted from this call, or when it is forced *)
  val new : Time.time -> abort
  (* happens only when it is forced *)
  val never : unit -> abort

  (* is enabled once the abort has happened, and stays so: any number of threads may wait for it, as often as they like *)
  val evt : abort -> unit CML.event
  (* whether it has happened *)
  val aborted : abort -> bool
  (* makes it happen now; nothing when it has happened already *)
  val force : abort -> unit
end

(* A time-out for each choice in which an abort takes part, set when the choice begins to wait and cancelled when it ends.
   No thread, no table: an abort that nobody waits for is a deadline and a cell. *)
structure Abort :> ABORT =
struct
  (* The deadline is on the program's own clock, since the time of the day may be set meanwhile. NONE: it does not come. *)
  type abort = {deadline : Time.time option, forced : unit SyncVar.ivar}

  fun now () = Timer.checkRealTimer (Timer.totalRealTimer ())

  fun new time =
    {deadline = SOME (Time.+ (now (), time)) handle Time.Time => NONE, forced = SyncVar.iVar ()}
  fun never () = {deadline = NONE, forced = SyncVar.iVar ()}

  fun evt {deadline, forced} =
    case deadline of
      NONE => SyncVar.iGetEvt forced
    | SOME deadline =>
        CML.choose [SyncVar.iGetEvt forced,
                    CML.guard (fn () => CML.timeOutEvt (Time.- (deadline, now ())))]

  fun aborted {deadline, forced} =
    isSome (SyncVar.iGetPoll forced)
    orelse (case deadline of NONE => false | SOME deadline => Time.>= (now (), deadline))

  fun force {deadline = _, forced} = SyncVar.iPut (forced, ()) handle SyncVar.Put => ()
end

(* Swerve's way: one thread with a clock that ticks, and a list of the aborts that are due at each tick. An abort happens up
   to a tick late, and one that is not needed any more stays until its time has come. It is here to be compared with. *)
signature TICK_ABORT =
sig
  type clock
  type abort

  (* starts a clock that ticks so often, and its thread *)
  val start : Time.time -> clock
  (* Makes an abort of this clock that happens when so much time has passed, up to a tick later. *)
  val new : clock -> Time.time -> abort
  (* Is enabled once the abort has happened, and stays so. *)
  val evt : abort -> unit CML.event
  (* Whether it has happened. *)
  val aborted : abort -> bool
  (* Makes it happen now; nothing when it has happened already. *)
  val force : abort -> unit
end

structure TickAbort :> TICK_ABORT =
struct
  type abort = unit SyncVar.ivar
  type clock = {tick : LargeInt.int, requests : (LargeInt.int * abort) Mailbox.mbox}

  val evt = SyncVar.iGetEvt
  fun aborted abort = isSome (SyncVar.iGetPoll abort)
  fun force abort = SyncVar.iPut (abort, ()) handle SyncVar.Put => ()

  (* The ticks to come, soonest first, each with its aborts: as many as the longest limit has ticks. *)
  fun add (tick, abort, []) = [(tick, [abort])]
    | add (tick, abort, due as (next, aborts) :: later) =
        if tick < next then (tick, [abort]) :: due
        else if tick = next then (next, abort :: aborts) :: later
        else (next, aborts) :: add (tick, abort, later)

  fun start time =
    let
      val tick = Time.toNanoseconds time
      val requests = Mailbox.mailbox ()
      fun serve due =
        let
          val request =
            CML.wrap (Mailbox.recvEvt requests, fn (at, abort) => serve (add (at, abort, due)))
        in
          case due of
            [] => CML.sync request
          | (next, aborts) :: later =>
              CML.select [request,
                          CML.wrap (CML.atTimeEvt (Time.fromNanoseconds (next * tick)),
                                    fn () => (app force aborts; serve later))]
        end
    in
      ignore (CML.spawn (fn () => serve []));
      {tick = tick, requests = requests}
    end

  fun new {tick, requests} time =
    let
      val abort = SyncVar.iVar ()
      val deadline = Time.toNanoseconds (Time.+ (Time.now (), time))
    in
      Mailbox.send (requests, ((deadline + tick - 1) div tick, abort));
      abort
    end
end
