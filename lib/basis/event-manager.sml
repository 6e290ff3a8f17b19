(* EventManager: callbacks for descriptors and time-outs, as GHC's event manager has them, on the runtime's I/O manager.

   All callbacks run one after the other in one thread, which is started at the first registration and parked while there is
   nothing to tell. A descriptor's callback is called again and again as long as it is ready: level-triggered. Other threads
   may wait for the same descriptor. One that is closed is to be unregistered before. *)

signature EVENT_MANAGER =
sig
  (* what a descriptor may be ready for *)
  eqtype event
  val evtRead : event
  val evtWrite : event
  val evtBoth : event
  val hasRead : event -> bool
  val hasWrite : event -> bool

  type key
  (* The callback gets its key, and what the descriptor is ready for. Several may be registered for one descriptor. *)
  val register : OS.IO.iodesc * event * (key * event -> unit) -> key
  (* asks for something else from now on *)
  val modify : key * event -> unit
  val unregister : key -> unit
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

  datatype key = Key of {fd : int, events : event ref, call : key * event -> unit}

  local
    val listenTo = _prim "io_listen" : int * int -> int
    val take = _prim "io_take" : int array -> int
    val startTimer = _prim "timeout_start" : int * (unit -> unit) vector -> int
    val due = _prim "timeout_due" : unit -> int
    val takeDue = _prim "timeout_take" : unit -> (unit -> unit) vector
    val cancelTimer = _prim "timer_cancel" : int -> int
    val monotonic = _prim "time_monotonic" : unit -> int
    val reading = 4

    val lock = Lock'.new ()
    fun guarded f =
      (Lock'.take lock;
       (f () before Lock'.release lock) handle e => (Lock'.release lock; raise e))

    fun failed e = TextIO.output (TextIO.stdErr, "exception in a callback: " ^ exnMessage e ^ "\n")

    fun callEach ([], _) = ()
      | callEach ((key as Key {events, call, ...}) :: rest, ready) =
          let val e = both (!events, ready)
          in
            if e = 0 then () else (call (key, e) handle x => failed x);
            callEach (rest, ready)
          end

    (* Registrations by descriptor, and the one that is called: the only one, or one that calls each of several. So an event
       touches two words here, the key and the closure. Changed in guarded sections; the loop reads `fronts` alone. *)
    val table : key list array ref = ref (Array.array (64, []))
    val nobody = Key {fd = ~1, events = ref 0, call = fn _ => ()}
    val fronts : key array ref = ref (Array.array (64, nobody))
    (* counts changes: as long as there is none, what the runtime says need not be compared with what a key wants *)
    val changes = ref 0

    fun wanted ks = List.foldl (fn (Key {events, ...}, e) => union (!events, e)) 0 ks
    fun front (_, []) = nobody
      | front (_, [key]) = key
      | front (fd, ks) = Key {fd = fd, events = ref evtBoth, call = fn (_, ready) => callEach (ks, ready)}
    fun keys fd = if fd < Array.length (!table) then Array.sub (!table, fd) else []
    fun larger (a, n, nothing) =
      let val new = Array.array (n, nothing)
      in Array.copy {src = a, dst = new, di = 0}; new end
    fun setKeys (fd, ks) =
      (if fd >= Array.length (!table) then
         (table := larger (!table, 2 * (fd + 1), []); fronts := larger (!fronts, 2 * (fd + 1), nobody))
       else ();
       Array.update (!table, fd, ks);
       Array.update (!fronts, fd, front (fd, ks)))
    fun tell fd =
      let val result = listenTo (fd, wanted (keys fd))
      in
        (* afterwards: what the loop took before is compared *)
        changes := !changes + 1;
        Error'.done result
      end

    fun timers 0 = ()
      | timers n =
          (Vector.sub (takeDue (), 0) () handle x => failed x;
           timers (n - 1))

    val batch = 1024
    fun loop told =
      let
        val () = timers (due ())
        val before' = !changes
        (* a descriptor, times four, and what it is ready for *)
        val n = take told
        fun each i =
          if i = n then ()
          else
            let
              val w = Word.fromInt (Array.sub (told, i))
              val fd = Word.toInt (Word.>> (w, 0w2))
              val ready = Word.toInt (Word.andb (w, 0w3))
              val key as Key {events, call, ...} = Array.sub (!fronts, fd)
              val e = if !changes = before' then ready else both (!events, ready)
            in
              if e = 0 then () else (call (key, e) handle x => failed x);
              each (i + 1)
            end
      in
        if n > 0 then each 0
        else if due () > 0 then ()
        else Thread.park reading;
        loop told
      end

    val started = ref false
    fun start () =
      if !started then ()
      else (started := true; Thread.ready (Thread.new (fn () => loop (Array.array (batch, 0)))))
  in
    fun register (desc, events, call) =
      let
        val fd = OSPrim'.ofIodesc desc
        val key = Key {fd = fd, events = ref events, call = call}
      in
        if fd < 0 then Error'.fail 9 else ();
        guarded (fn () =>
          let val before' = keys fd
          in setKeys (fd, before' @ [key]); tell fd handle e => (setKeys (fd, before'); raise e) end);
        start ();
        key
      end
    fun modify (Key {fd, events, ...}, e) = guarded (fn () => (events := e; tell fd))
    fun unregister (Key {fd, events, ...}) =
      guarded (fn () =>
        (events := 0;
         setKeys (fd, List.filter (fn Key {events = e, ...} => e <> events) (keys fd));
         tell fd))
    fun keyDesc (Key {fd, ...}) = OSPrim'.toIodesc fd

    (* Each start has a number: what was due when the time-out was changed finds another one. *)
    type timeout_key = {number : int ref, timer : int ref, call : unit -> unit}
    fun begin ({number, timer, call} : timeout_key, span) =
      let
        val n = !number + 1
        fun run () = if !number = n then (number := n + 1; call ()) else ()
      in
        number := n;
        timer := startTimer (monotonic () + Int.max (0, TimePrim'.toNanos span), Vector.fromList [run])
      end
    fun stop ({number, timer, ...} : timeout_key) =
      (number := !number + 1;
       ignore (cancelTimer (!timer)))
    fun registerTimeout (span, call) =
      let val key = {number = ref 0, timer = ref 0, call = call}
      in begin (key, span); start (); key end
    fun updateTimeout (key, span) = (stop key; begin (key, span))
    val unregisterTimeout = stop
  end
end
