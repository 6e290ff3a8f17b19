(* Signal': the program's handlers of signals. Signals and MLton.Signal are made of it.

   A signal only wakes the runtime's thread for signals; that calls `dispatch` here, and each handler runs in a thread of its
   own. So handlers may do anything: wait, send, exit. While one is set, the program is not taken for deadlocked. *)

structure Signal' =
struct
  type signal = int

  datatype action = DEFAULT | IGNORE | RUN of signal * int -> unit

  local
    val set = PrimSignals'.signal_set
    val take = PrimSignals'.signal_take
    val serve = PrimSignals'.signal_serve
    val mask = PrimSignals'.signal_mask
    val actions = Array.array (65, DEFAULT)
    val serving = ref false
    (* who waits until some signal was handled; handlers may run on several workers *)
    val pausing : unit SyncVar.ivar list SyncVar.mvar = SyncVar.mVarInit []
    val masked = ref 0w0
    fun process () = PrimProcesses'.process_id ProcessNumber'.id

    fun failed e =
      StdErr'.say ("exception in a signal's handler: " ^ exnMessage e ^ "\n")
    fun wake () =
      List.app (fn v => SyncVar.iPut (v, ())) (SyncVar.mSwap (pausing, []))
    fun run (signal, count) =
      case Array.sub (actions, signal) of
        RUN f =>
          (* A handler may end its thread, by CML.exit: it has handled the signal all the same. *)
          (ThreadProps'.atEnd wake;
           f (signal, count) handle e => failed e)
      | _ => ()
    fun dispatch () =
      case take () of
        0 => ()
      | n =>
          let
            val signal = n mod 256
            val count = n div 256
            (* One that has not begun when another thread forks is the parent's alone. *)
            val here = process ()
          in
            Thread.ready
              (Thread.new (fn () => if process () = here then run (signal, count) else ()));
            dispatch ()
          end
    fun number DEFAULT = 0
      | number IGNORE = 1
      | number (RUN _) = 2
  in
    fun get signal =
      case set (signal, 3) of
        0 => DEFAULT
      | 1 => IGNORE
      | 2 => Array.sub (actions, signal)
      | e => Error'.fail (~ e)

    (* the former action *)
    fun change (signal, action) =
      let
        val before' = get signal
      in
        if !serving then () else (serving := true; serve dispatch);
        (case action of RUN _ => Array.update (actions, signal, action) | _ => ());
        if set (signal, number action) < 0 then Error'.fail 22 else ();
        before'
      end

    (* a signal has been handled by a thread that goes on with something else *)
    val handled = wake

    (* bits of signals that are not handled for now *)
    fun getMask () = !masked
    local
      val lock = Lock'.new ()
    in
      (* The bits that f makes of these are the next ones. One thread at a time; f does not raise. *)
      fun changeMask f =
        let
          val () = Lock'.take lock
          val m = f (!masked)
        in
          masked := m;
          ignore (mask m);
          Lock'.release lock
        end
    end
    fun setMask m = changeMask (fn _ => m)
    fun bit signal = Word.<< (0w1, Word.fromInt signal)

    (* longer than any wait *)
    val century = Time.fromSeconds 3155760000

    (* until a signal was handled, be it one that the function lets through *)
    fun pauseAfter f =
      let
        val v = SyncVar.iVar ()
      in
        SyncVar.mPut (pausing, v :: SyncVar.mTake pausing);
        f ();
        (* A signal that nobody handles may end the wait, and the program: so it is no deadlock. *)
        Event'.select [SyncVar.iGetEvt v,
                       Event'.wrap (TimeOut'.timeOutEvt century, fn () => SyncVar.iGet v)]
        handle e =>
            (Scope.shield (fn () =>
               SyncVar.mPut (pausing,
                             List.filter
                               (fn other => not (SyncVar.sameIVar (v, other)))
                               (SyncVar.mTake pausing)));
             raise e)
      end
    fun pause () = pauseAfter (fn () => ())
  end
end

(* Posix, with a pause that keeps no worker. *)
structure Posix =
struct
  open Posix
  structure Process = struct open Process val pause = Signal'.pause end
end
