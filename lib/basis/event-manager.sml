(* EventManager: callbacks for descriptors and time-outs, as GHC's event manager has them, on the runtime's I/O manager.

   All callbacks run one after the other in one thread, which is started at the first registration and parked while there is
   nothing to tell. A descriptor's callback is called again and again as long as it is ready: level-triggered. Other threads
   may wait for the same descriptor. One that is closed is to be unregistered before. *)

signature EVENT_MANAGER =
sig
  (* what a descriptor may be ready for *)
  eqtype event
  (* It can be read. *)
  val evtRead : event
  (* It can be written. *)
  val evtWrite : event
  (* It can be read or written. *)
  val evtBoth : event
  (* Whether reading is among these. *)
  val hasRead : event -> bool
  (* Whether writing is among these. *)
  val hasWrite : event -> bool

  type key
  (* The callback gets its key, and what the descriptor is ready for. Several may be registered for one descriptor. *)
  val register : OS.IO.iodesc * event * (key * event -> unit) -> key
  (* asks for something else from now on *)
  val modify : key * event -> unit
  (* The callback is not called any more. *)
  val unregister : key -> unit
  (* The descriptor that was registered. *)
  val keyDesc : key -> OS.IO.iodesc

  type timeout_key
  (* called once, so long from now *)
  val registerTimeout : Time.time * (unit -> unit) -> timeout_key
  (* so long from now instead; also when it was called already *)
  val updateTimeout : timeout_key * Time.time -> unit
  (* it is not called any more *)
  val unregisterTimeout : timeout_key -> unit
end

structure EventManager :> EVENT_MANAGER =
struct
  (* bits: 1 to read, 2 to write *)
  type event = int
  val evtRead = 1
  val evtWrite = 2
  val evtBoth = 3
  fun union (a, b) = Word.toInt (Word.orb (Word.fromInt a, Word.fromInt b))
  fun both (a, b) = Word.toInt (Word.andb (Word.fromInt a, Word.fromInt b))
  fun hasRead e = both (e, 1) <> 0
  fun hasWrite e = both (e, 2) <> 0

  (* `each`: of one that stands for several, these *)
  (* `since`: how many changes there had been when it was registered *)
  datatype key =
    Key of {fd : int, events : event ref, call : key * event -> unit, each : key list, since : int}
  (* the number of the timer that will call it, or 0 *)
  datatype timeout_key = Timeout of {timer : int ref, call : unit -> unit}

  local
    val listenTo = PrimCallbacks'.io_listen
    val take = PrimCallbacks'.io_take
    val startTimer = PrimCallbacks'.timeout_start : int * timeout_key -> int
    val due = PrimCallbacks'.timeout_due
    val takeDue = PrimCallbacks'.timeout_take : int array -> timeout_key
    val cancelTimer = PrimTimers'.timer_cancel
    val reading = 4

    val lock = Lock'.new ()
    fun guarded f =
      (Lock'.take lock;
       (f () before Lock'.release lock) handle e => (Lock'.release lock; raise e))

    fun failed e =
      StdErr'.say ("exception in a callback: " ^ exnMessage e ^ "\n")

    (* counts changes: as long as there is none, what the runtime says need not be compared with what a key wants *)
    val changes = ref 0
    (* So many there were when the loop took what it calls for now. A key that came later has a descriptor of its own by
       that number: what was ready is another one. *)
    val taken = ref 0

    fun callEach ([], _) = ()
      | callEach ((key as Key {events, call, since, ...}) :: rest, ready) =
          let
            val e = if since > !taken then 0 else both (!events, ready)
          in
            if e = 0 then () else (call (key, e) handle x => failed x);
            callEach (rest, ready)
          end

    (* By descriptor what is called: its only key, or one that stands for several; so an event touches one word here, the key
       and the closure. Changed in guarded sections, read by the loop. *)
    val nobody = Key {fd = ~1, events = ref 0, call = fn _ => (), each = [], since = 0}
    val fronts : key array ref = ref (Array.array (64, nobody))

    fun keys (front as Key {fd, each, ...}) =
      case each of
        [] => if fd < 0 then [] else [front]
      | _ => each
    fun front (_, []) = nobody
      | front (_, [key]) = key
      | front (fd, ks) =
          Key {fd = fd,
               events = ref evtBoth,
               call = fn (_, ready) => callEach (ks, ready),
               each = ks,
               since = 0}
    fun wanted (Key {events, each = [], ...}) = !events
      | wanted (Key {each, ...}) =
          List.foldl (fn (Key {events, ...}, e) => union (!events, e)) 0 each

    fun frontOf fd = if fd < Array.length (!fronts) then Array.sub (!fronts, fd) else nobody
    fun setFront (fd, key) =
      (if fd < Array.length (!fronts) then ()
       else
         fronts := Array.tabulate (2 * (fd + 1), frontOf);
       Array.update (!fronts, fd, key))
    fun tell fd =
      let
        val result = listenTo (fd, wanted (frontOf fd))
      in
        (* afterwards: what the loop took before is compared *)
        changes := !changes + 1;
        Error'.done result
      end

    (* What was due when a time-out was changed has the number of another timer. *)
    fun timers (0, _) = ()
      | timers (n, told) =
          let
            val Timeout {timer, call} = takeDue told
            val number = Array.sub (told, 0)
            val () = Lock'.take lock
            val still = !timer = number
          in
            if still then timer := 0 else ();
            Lock'.release lock;
            if still then call () handle x => failed x else ();
            timers (n - 1, told)
          end

    (* So many descriptors have their turn at once; or, while time-outs are due, so few, and so few time-outs before them:
       neither waits for all of the others. *)
    val many = Array.array (2048, 0)
    val few = Array.array (256, 0)
    val burst = 64
    fun loop told =
      let
        val before' = !changes
        val () = taken := before'
        (* a descriptor, times four, and what it is ready for *)
        val n = take told
        fun each i =
          if i = n then ()
          else
            let
              val w = Word.fromInt (Array.sub (told, i))
              val fd = Word.toInt (Word.>> (w, 0w2))
              val ready = Word.toInt (Word.andb (w, 0w3))
              val key as Key {events, call, since, ...} = Array.sub (!fronts, fd)
              val e =
                if !changes = before' then ready
                else if since > before' then 0
                else both (!events, ready)
            in
              if e = 0 then () else (call (key, e) handle x => failed x);
              each (i + 1)
            end
        val () = if n > 0 then each 0 else ()
        val m = due ()
      in
        if m > 0 then timers (Int.min (m, burst), few) else ();
        (* parked, it goes on with `take` at once, so that nothing is called between an event and what it leads to *)
        if n + m > 0 then Thread.yield () else Thread.park reading;
        loop (if m > 0 then few else many)
      end

    val started = ref false
    (* A callback may end the thread, by CML.exit: then another one goes on with the others. *)
    fun start () =
      if guarded (fn () => !started before started := true) then ()
      else
        Thread.ready (Thread.new (fn () =>
                        (ThreadProps'.atEnd (fn () => (started := false; start ())); loop many)))
  in
    fun register (desc, events, call) =
      let
        val fd = OSPrim'.ofIodesc desc
        val events = ref events
        val () = if fd < 0 then Error'.fail 9 else ()
        val key =
          guarded (fn () =>
            let
              val old = frontOf fd
              (* `tell` counts it *)
              val since = !changes + 1
              val key = Key {fd = fd, events = events, call = call, each = [], since = since}
            in
              setFront (fd, front (fd, keys old @ [key]));
              tell fd handle e => (setFront (fd, old); raise e);
              key
            end)
      in
        start ();
        key
      end
    fun modify (Key {fd, events, ...}, e) = guarded (fn () => (events := e; tell fd))
    fun unregister (Key {fd, events, ...}) =
      guarded (fn () =>
        (events := 0;
         setFront (fd,
                   front (fd,
                          List.filter
                            (fn Key {events = e, ...} => e <> events)
                            (keys (frontOf fd))));
         tell fd))
    fun keyDesc (Key {fd, ...}) = OSPrim'.toIodesc fd

    type timeout_key = timeout_key
    fun cancel timer = (if !timer = 0 then () else ignore (cancelTimer (!timer)); timer := 0)
    fun begin (key as Timeout {timer, ...}, span) =
      let
        val deadline =
          TimePrim'.deadline (if Time.< (span, Time.zeroTime) then Time.zeroTime else span)
      in
        Lock'.take lock;
        cancel timer;
        timer := startTimer (deadline, key);
        Lock'.release lock
      end
    fun registerTimeout (span, call) =
      let
        val key = Timeout {timer = ref 0, call = call}
      in
        begin (key, span);
        start ();
        key
      end
    val updateTimeout = begin
    fun unregisterTimeout (Timeout {timer, ...}) =
      (Lock'.take lock; cancel timer; Lock'.release lock)
  end
end
