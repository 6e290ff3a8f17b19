(* Signals, UnixSignals, and the interval timer of SMLofNJ.

   A handler runs in a thread of its own, beside the program, which goes on. The continuation that it gets is that thread's:
   to return it is to end the thread. Another one goes on in the handler's thread. *)

signature SIGNALS =
sig
  eqtype signal
  (* signal, how often it came since the last time, and what to go on with *)
  datatype sig_action =
      IGNORE
    | DEFAULT
    | HANDLER of signal * int * unit SMLofNJCont'.cont -> unit SMLofNJCont'.cont
  datatype sigmask = MASKALL | MASK of signal list

  (* all that there are *)
  val listSignals : unit -> signal list
  (* its name without SIG, such as "INT"; its number, when it has none here *)
  val toString : signal -> string
  (* the signal of such a name, in capitals *)
  val fromString : string -> signal option
  (* the former action *)
  val setHandler : signal * sig_action -> sig_action
  (* the same, but one that is IGNORE stays so: a program that was started by nohup *)
  val overrideHandler : signal * sig_action -> sig_action
  (* the action that is set *)
  val inqHandler : signal -> sig_action
  (* these are held back until as many unmaskSignals have come; nests *)
  val maskSignals : sigmask -> unit
  (* undoes one maskSignals of each of these; those that have come meanwhile are handled *)
  val unmaskSignals : sigmask -> unit
  (* the signals that are held back; MASKALL if all are *)
  val masked : unit -> sigmask
  (* waits until a signal was handled; other threads go on *)
  val pause : unit -> unit

  (* Ctrl-C at the terminal *)
  val sigINT : signal
  (* the interval timer has run out *)
  val sigALRM : signal
  (* another program asks this one to end *)
  val sigTERM : signal
  (* after a collection of garbage; several that come before the handler runs are told of once *)
  val sigGC : signal
end

signature UNIX_SIGNALS =
sig
  include SIGNALS
  (* the terminal is gone; for servers, as a rule: read the settings again *)
  val sigHUP : signal
  (* a write to a pipe or socket that nobody reads *)
  val sigPIPE : signal
  (* Ctrl-\ at the terminal *)
  val sigQUIT : signal
  (* for the program's own use *)
  val sigUSR1 : signal
  (* for the program's own use *)
  val sigUSR2 : signal
  (* a child has ended or stopped *)
  val sigCHLD : signal
  (* the terminal's window has another size *)
  val sigWINCH : signal
  (* a socket has data out of band *)
  val sigURG : signal
  (* a descriptor for which signals were asked is ready *)
  val sigIO : signal
  (* the same as sigIO *)
  val sigPOLL : signal
  (* Ctrl-Z at the terminal *)
  val sigTSTP : signal
  (* the program goes on after it was stopped *)
  val sigCONT : signal
  (* a read of the terminal in the background *)
  val sigTTIN : signal
  (* a write to the terminal in the background *)
  val sigTTOU : signal
  (* a timer of the program's own processor time has run out *)
  val sigVTALRM : signal
end

structure UnixSignals :> UNIX_SIGNALS =
struct
  type signal = int
  datatype sig_action =
      IGNORE
    | DEFAULT
    | HANDLER of signal * int * unit SMLofNJCont'.cont -> unit SMLofNJCont'.cont
  datatype sigmask = MASKALL | MASK of signal list

  val sigHUP = SignalNumber'.hup
  val sigINT = SignalNumber'.int
  val sigQUIT = SignalNumber'.quit
  val sigUSR1 = SignalNumber'.usr1
  val sigUSR2 = SignalNumber'.usr2
  val sigPIPE = SignalNumber'.pipe
  val sigALRM = SignalNumber'.alrm
  val sigTERM = SignalNumber'.term
  val sigCHLD = SignalNumber'.chld
  val sigCONT = SignalNumber'.cont
  val sigTSTP = SignalNumber'.tstp
  val sigTTIN = SignalNumber'.ttin
  val sigTTOU = SignalNumber'.ttou
  val sigURG = SignalNumber'.urg
  val sigVTALRM = SignalNumber'.vtalrm
  val sigWINCH = SignalNumber'.winch
  val sigIO = SignalNumber'.io
  val sigPOLL = SignalNumber'.poll
  val sigGC = 0

  val names =
    [("HUP", sigHUP),
     ("INT", sigINT),
     ("QUIT", sigQUIT),
     ("USR1", sigUSR1),
     ("USR2", sigUSR2),
     ("PIPE", sigPIPE),
     ("ALRM", sigALRM),
     ("TERM", sigTERM),
     ("CHLD", sigCHLD),
     ("CONT", sigCONT),
     ("TSTP", sigTSTP),
     ("TTIN", sigTTIN),
     ("TTOU", sigTTOU),
     ("URG", sigURG),
     ("VTALRM", sigVTALRM),
     ("WINCH", sigWINCH),
     ("IO", sigIO),
     ("GC", sigGC)]
  fun listSignals () = List.map #2 names
  fun toString s =
    case List.find (fn (_, t) => t = s) names of SOME (name, _) => name | NONE => Int.toString s
  fun fromString name = Option.map #2 (List.find (fn (n, _) => n = name) names)

  (* the program's own actions, since a handler is not what the library keeps of it *)
  val actions = Array.array (65, DEFAULT)
  fun inqHandler 0 = Array.sub (actions, 0)
    | inqHandler s =
        case Signal'.get s of
          Signal'.DEFAULT => DEFAULT
        | Signal'.IGNORE => IGNORE
        | Signal'.RUN _ => Array.sub (actions, s)
  val same = PrimRefs'.ptr_eq : unit SMLofNJCont'.cont * unit SMLofNJCont'.cont -> bool
  fun setHandler (s, action) =
    let
      val before' = inqHandler s
      (* The handler's continuation stands for that of the interrupted thread. If another one comes back, the interrupted
         thread stops where it is, until somebody throws to its own, and the other one goes on here. It is the thread that
         was ready for longest: with one, that one. *)
      fun run h (s, count) =
        let
          val interrupted = ref NONE
        in
          SMLofNJCont'.callcc (fn k =>
            let
              val next = h (s, count, k)
            in
              if same (next, k) then ()
              else
                let
                  val taken = Thread.take ()
                in
                  if taken = Thread.self () then ()
                  else (interrupted := SOME taken; ThreadProps'.stop taken);
                  Signal'.handled ();
                  SMLofNJCont'.throw next ()
                end
            end);
          case !interrupted of
            SOME thread => (interrupted := NONE; ThreadProps'.resume thread; Thread.ready thread)
          | NONE => ()
        end
    in
      Array.update (actions, s, action);
      ignore (Signal'.change (s,
                              case action of
                                DEFAULT => Signal'.DEFAULT
                              | IGNORE => Signal'.IGNORE
                              | HANDLER h => Signal'.RUN (run h)));
      before'
    end
  fun overrideHandler (s, action) =
    case inqHandler s of
      IGNORE => IGNORE
    | _ => setHandler (s, action)

  (* how often each is masked *)
  val depth = Array.array (65, 0)
  fun signals MASKALL = List.tabulate (65, fn i => i)
    | signals (MASK l) = l
  fun bits () =
    Array.foldli
      (fn (s, n, m) => if n > 0 andalso s < 64 then Word.orb (m, Signal'.bit s) else m)
      0w0
      depth
  fun count (s, by) = Array.update (depth, s, Int.max (0, Array.sub (depth, s) + by))
  fun change by mask =
    let
      val all = signals mask
      val () = List.app (fn s => ignore (Array.sub (depth, s))) all
    in
      Signal'.changeMask (fn _ => (List.app (fn s => count (s, by)) all; bits ()))
    end
  fun maskSignals m = change 1 m
  fun unmaskSignals m = change ~1 m
  fun masked () =
    case Array.foldri (fn (s, n, l) => if n > 0 then s :: l else l) [] depth of
      l => if List.length l >= 65 then MASKALL else MASK l
  val pause = Signal'.pause
end

structure Signals : SIGNALS = UnixSignals

signature INTERVAL_TIMER =
sig
  (* the shortest interval that can be asked for: a microsecond *)
  val minInterval : unit -> Time.time
  (* sends SIGALRM so often; NONE: not any more *)
  val setIntTimer : Time.time option -> unit
end

structure IntervalTimer' : INTERVAL_TIMER =
struct
  fun minInterval () = Time.fromMicroseconds 1
  fun setIntTimer time =
    let
      val t = getOpt (time, Time.zeroTime)
    in
      MLtonItimer'.set (MLtonItimer'.Real, {interval = t, value = t})
    end
end
