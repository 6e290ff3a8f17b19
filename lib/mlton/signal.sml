(* MLtonSignal', MLtonItimer': MLton's signals and interval timers. A handler runs in a thread of its own. *)

signature MLTON_SIGNAL =
sig
  type t = Posix.Signal.signal
  type signal = t

  structure Handler :
  sig
    type t
    (* what the system does of itself *)
    val default : t
    (* nothing *)
    val ignore : t
    (* whether it is `default` *)
    val isDefault : t -> bool
    (* whether it is `ignore` *)
    val isIgnore : t -> bool
    (* calls the function, in a thread of its own; the program goes on beside it *)
    val simple : (unit -> unit) -> t
    (* the function gets a thread that the signal interrupted, and says which one goes on: no other runs meanwhile *)
    val handler : (MLtonThread'.Runnable.t -> MLtonThread'.Runnable.t) -> t
  end
  structure Mask :
  sig
    type t
    (* every signal *)
    val all : t
    (* no signal *)
    val none : t
    (* those of the list *)
    val some : signal list -> t
    (* every signal but those of the list *)
    val allBut : signal list -> t
    (* these are not handled, beside those that are not already, until they are unblocked *)
    val block : t -> unit
    (* these are handled again; those that have come meanwhile, at once *)
    val unblock : t -> unit
    (* the signals that are not handled for now *)
    val getBlocked : unit -> t
    (* these are not handled, and all others are *)
    val setBlocked : t -> unit
    (* whether it is one of them *)
    val isMember : t * signal -> bool
  end

  (* what Itimer.Prof sends *)
  val prof : t
  (* what Itimer.Virtual sends *)
  val vtalrm : t
  (* what is done with a signal *)
  val getHandler : t -> Handler.t
  (* sets what is done with it; raises SysErr for a signal that cannot be handled, such as Posix.Signal.kill *)
  val setHandler : t * Handler.t -> unit
  (* the signals for which a handler is set that is a function *)
  val handled : unit -> Mask.t
  (* system calls are always begun again after a signal *)
  val restart : bool ref
  (* waits for a signal with this mask *)
  val suspend : Mask.t -> unit
end

structure MLtonSignal' :> MLTON_SIGNAL =
struct
  type t = Posix.Signal.signal
  type signal = t

  (* 0 is a collection for SML/NJ's Signals only *)
  fun number s =
    case Word.toInt (Posix.Signal.toWord s) of
      0 => Error'.fail ErrorNumber'.inval
    | n => n

  structure Handler =
  struct
    type t = Signal'.action
    val default = Signal'.DEFAULT
    val ignore = Signal'.IGNORE
    fun isDefault Signal'.DEFAULT = true
      | isDefault _ = false
    fun isIgnore Signal'.IGNORE = true
      | isIgnore _ = false
    fun simple f = Signal'.RUN (fn _ => f ())
    (* The interrupted thread is one that was ready to run. When all wait, a thread that does nothing stands for it. *)
    fun handler f =
      Signal'.RUN (fn _ =>
        let
          val () = Thread.atomicBegin ()
          val taken = Thread.take ()
          val interrupted = if taken = Thread.self () then Thread.new (fn () => ()) else taken
          val next =
            f interrupted handle e => (Thread.ready interrupted; Thread.atomicEnd (); raise e)
        in
          Thread.ready next;
          Thread.atomicEnd ()
        end)
  end

  structure Mask =
  struct
    type t = word
    val none = 0w0
    val all = Word.notb none
    fun some signals = List.foldl (fn (s, m) => Word.orb (m, Signal'.bit (number s))) none signals
    fun allBut signals = Word.notb (some signals)
    fun getBlocked () = Signal'.getMask ()
    fun setBlocked m = Signal'.setMask m
    fun block m = Signal'.changeMask (fn blocked => Word.orb (blocked, m))
    fun unblock m = Signal'.changeMask (fn blocked => Word.andb (blocked, Word.notb m))
    fun isMember (m, s) = Word.andb (m, Signal'.bit (number s)) <> 0w0
  end

  val prof = Posix.Signal.fromWord (Word.fromInt SignalNumber'.prof)
  val vtalrm = Posix.Signal.fromWord (Word.fromInt SignalNumber'.vtalrm)
  fun getHandler s = Signal'.get (number s)
  fun setHandler (s, h) = ignore (Signal'.change (number s, h))
  fun handled () =
    let
      (* SysErr: the system keeps the signal to itself *)
      fun isHandled s =
        case Signal'.get s handle OS.SysErr _ => Signal'.DEFAULT of
          Signal'.RUN _ => true
        | _ => false
      fun add (s, m) = if isHandled s then Word.orb (m, Signal'.bit s) else m
    in
      List.foldl add Mask.none (List.tabulate (63, fn i => i + 1))
    end
  val restart = ref true
  fun suspend m =
    let
      val before' = Mask.getBlocked ()
    in
      Signal'.pauseAfter (fn () => Mask.setBlocked m)
      handle e => (Mask.setBlocked before'; raise e);
      Mask.setBlocked before'
    end
end

signature MLTON_ITIMER =
sig
  datatype t = Prof | Real | Virtual
  (* no time: off *)
  val set : t * {interval : Time.time, value : Time.time} -> unit
  (* the signal that it sends *)
  val signal : t -> Posix.Signal.signal
end

structure MLtonItimer' :> MLTON_ITIMER =
struct
  datatype t = Prof | Real | Virtual
  val setTimer = PrimSignals'.itimer_set
  fun set (which, {interval, value}) =
    Error'.done (setTimer (case which of Real => 0 | Virtual => 1 | Prof => 2,
                           TimePrim'.toNanos interval,
                           TimePrim'.toNanos value))
  fun signal Real = Posix.Signal.alrm
    | signal Virtual = MLtonSignal'.vtalrm
    | signal Prof = MLtonSignal'.prof
end
