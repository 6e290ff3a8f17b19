(* RunCML: programs that run under Concurrent ML, and what is done when they start and end.

   Threads run in every program, so that `doit` has little to do: it marks the program as running, starts what was logged,
   and gives the status that the program ends with. *)

signature CML_CLEANUP =
sig
  (* AtInit, AtShutdown: start and end of a program under doit; AtInitFn, AtExit: of one that exportFn made *)
  datatype when = AtInit | AtInitFn | AtShutdown | AtExit
  (* All four of these times. *)
  val atAll : when list

  (* Registers a function under a name, to be called at these times. At a start, cleaners run in the order in which
     they were added; at an end, the last one first. The answer is what had that name before. *)
  val addCleaner : string * when list * (when -> unit) -> (when list * (when -> unit)) option
  (* Removes the cleaner of that name. The answer is what it was, or NONE when there was none. *)
  val removeCleaner : string -> (when list * (when -> unit)) option

  (* there is nothing of that name *)
  exception Unlog
  (* Names a channel whose waiting threads are dropped at the start of a program. *)
  val logChannel : string * 'a CML.chan -> unit
  (* Forgets the channel of that name. Raises Unlog when there is none. *)
  val unlogChannel : string -> unit
  (* Names a mailbox that is emptied at the start of a program. *)
  val logMailbox : string * 'a Mailbox.mbox -> unit
  (* Forgets the mailbox of that name. Raises Unlog when there is none. *)
  val unlogMailbox : string -> unit
  (* Names a server, with what is called at the start and at the end of a program. *)
  val logServer : string * (unit -> unit) * (unit -> unit) -> unit
  (* Forgets the server of that name. Raises Unlog when there is none. *)
  val unlogServer : string -> unit
  (* Forgets all channels, mailboxes and servers that were named. *)
  val unlogAll : unit -> unit
end

signature RUN_CML =
sig
  include CML_CLEANUP

  (* Whether a program runs under `doit`. *)
  val isRunning : unit -> bool
  (* Runs a program until it calls shutdown, all of its threads are blocked for good, or it has ended with all threads; but
     not while a thread waits for a time-out, a descriptor or a child. Without shutdown the status is failure. The
     second argument is the length of a time slice; the runtime has its own, 20 ms. Fail when it runs already. *)
  val doit : (unit -> unit) * Time.time option -> OS.Process.status
  (* ends the program; Fail when none runs *)
  val shutdown : OS.Process.status -> 'a
  (* A program cannot write itself to a file here, `leat build` does that; so this runs the function, with the command's
     name and arguments, and ends with its status. *)
  val exportFn : string * (string * string list -> OS.Process.status) * Time.time option -> unit
end

structure RunCML :> RUN_CML =
struct
  datatype when = AtInit | AtInitFn | AtShutdown | AtExit
  val atAll = [AtInit, AtInitFn, AtShutdown, AtExit]

  (* -- what was registered; the last one first *)

  exception Unlog

  type cleaner = string * when list * (when -> unit)
  type server = {name : string, start : unit -> unit, stop : unit -> unit}

  val cleaners : cleaner list ref = ref []
  val channels : (string * (unit -> unit)) list ref = ref []
  val mailboxes : (string * (unit -> unit)) list ref = ref []
  val servers : server list ref = ref []

  val lock = Lock'.new ()
  fun change f = (Lock'.take lock; f () before Lock'.release lock)

  fun removeCleaner name =
    change (fn () =>
      let
        val (found, others) = List.partition (fn (other, _, _) => other = name) (!cleaners)
      in
        cleaners := others;
        case found of
          [] => NONE
        | (_, whens, f) :: _ => SOME (whens, f)
      end)

  fun addCleaner (cleaner as (name, _, _)) =
    let
      val old = removeCleaner name
    in
      change (fn () => cleaners := cleaner :: !cleaners);
      old
    end

  fun unlog (log, nameOf) name =
    if change (fn () =>
         let
           val (found, others) = List.partition (fn item => nameOf item = name) (!log)
         in
           log := others;
           List.null found
         end)
    then raise Unlog
    else ()

  fun first (name : string, _ : unit -> unit) = name
  fun unlogChannel name = unlog (channels, first) name
  fun unlogMailbox name = unlog (mailboxes, first) name
  fun unlogServer name = unlog (servers, fn {name, ...} : server => name) name

  fun logChannel (name, channel) =
    (unlogChannel name handle Unlog => ();
     change (fn () => channels := (name, fn () => Channel'.reset channel) :: !channels))
  fun logMailbox (name, mailbox) =
    (unlogMailbox name handle Unlog => ();
     change (fn () => mailboxes := (name, fn () => Mailbox'.reset mailbox) :: !mailboxes))
  fun logServer (name, start, stop) =
    (unlogServer name handle Unlog => ();
     change (fn () => servers := {name = name, start = start, stop = stop} :: !servers))
  fun unlogAll () = change (fn () => (channels := []; mailboxes := []; servers := []))

  (* -- start and end *)

  val patience = Time.fromSeconds 2

  (* a cleaner that fails, or hangs, does not keep the others from their work *)
  fun careful f =
    CML.select [CML.joinEvt (CML.spawn (fn () => f () handle _ => ())), CML.timeOutEvt patience]

  fun clean (when, cleaners) =
    app
      (fn (_, whens, f) =>
        if List.exists (fn w => w = when) whens then careful (fn () => f when) else ())
      cleaners

  fun starting when =
    (app (fn (_, reset) => reset ()) (rev (!channels));
     app (fn (_, reset) => reset ()) (rev (!mailboxes));
     app (fn {start, ...} => start ()) (rev (!servers));
     clean (when, rev (!cleaners)))

  fun ending when =
    (clean (when, !cleaners);
     app (fn {stop, ...} : server => careful stop) (!servers))

  (* -- running *)

  (* where the status of the program that runs now is put *)
  val result : OS.Process.status SyncVar.ivar option ref = ref NONE

  fun isRunning () = Option.isSome (!result)

  (* The end of the program that runs now: what is to be done, by who takes it first, and whether that is done. *)
  val atItsEnd : {act : unit -> unit, isDone : unit SyncVar.ivar} option ref = ref NONE
  val toBeDone = ref false

  fun end' () =
    case !atItsEnd of
      NONE => ()
    | SOME {act, isDone} =>
        if change (fn () => !toBeDone before toBeDone := false) then
          (act (); SyncVar.iPut (isDone, ()))
        else SyncVar.iGet isDone

  (* An exit in between, be it by a signal, does that too. *)
  val isExitWatched = ref false
  fun watchExit () =
    if !isExitWatched then () else (isExitWatched := true; OS.Process.atExit end')

  (* Happens when no other thread can ever run. Those that are blocked are reported before, unless the program's function is
     over (it returned, or said `exit`, or has raised): then nothing is wrong, threads that serve others are left. *)
  val watch = PrimExits'.deadlock_watch : int * Transaction'.waiter -> unit
  fun quiet on = watch (if on then 2 else 3, {synched = 0, thread = Thread.self (), waiting = 0})
  val deadlockEvt =
    Event'.base ({poll = fn _ => Event'.fixed false,
                  commit = fn () => Event'.LOST,
                  block = fn w => (watch (1, w); Event'.CANCEL (fn () => watch (0, w))),
                  reason = 0,
                  place = Event'.nowhere},
                 fn () => ())

  fun run (f, atStart, atEnd) =
    let
      val status = SyncVar.iVar ()
      val _ =
        change (fn () =>
          case !result of
            NONE => (result := SOME status; true)
          | SOME _ => false)
        orelse raise Fail "CML is already running"
      val _ = watchExit ()
      val _ = atItsEnd := SOME {act = fn () => ending atEnd, isDone = SyncVar.iVar ()}
      val _ = toBeDone := true
      val _ =
        starting atStart
        handle e =>
            (* a server could not be started: nothing runs, and another program may *)
            (ignore (change (fn () => !toBeDone before toBeDone := false));
             atItsEnd := NONE;
             result := NONE;
             raise e)
      val _ = quiet false
      val _ = CML.spawn (fn () => (ThreadProps'.atEnd (fn () => quiet true); f ()))
      fun finish () =
        (quiet false;
         end' ();
         atItsEnd := NONE;
         result := NONE)
      (* The wait may be cancelled: that is an end, too. *)
      val status =
        CML.select [SyncVar.iGetEvt status, CML.wrap (deadlockEvt, fn () => OS.Process.failure)]
        handle e => (Scope.shield finish; raise e)
    in
      finish ();
      status
    end

  fun doit (f, _ : Time.time option) = run (f, AtInit, AtShutdown)

  fun shutdown status =
    case !result of
      NONE => raise Fail "CML is not running"
    | SOME variable =>
        (SyncVar.iPut (variable, status) handle SyncVar.Put => ();
         CML.exit ())

  fun exportFn (_ : string, main, _ : Time.time option) =
    OS.Process.exit (run (fn () => shutdown (main (CommandLine.name (), CommandLine.arguments ())),
                          AtInitFn,
                          AtExit))
end
