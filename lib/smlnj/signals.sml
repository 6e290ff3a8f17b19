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

  (* all that there are; by name *)
  val listSignals : unit -> signal list
  val toString : signal -> string
  val fromString : string -> signal option
  (* the former action *)
  val setHandler : signal * sig_action -> sig_action
  (* the same, but one that is IGNORE stays so: a program that was started by nohup *)
  val overrideHandler : signal * sig_action -> sig_action
  val inqHandler : signal -> sig_action
  (* held back until as many unmaskSignals have come; nests *)
  val maskSignals : sigmask -> unit
  val unmaskSignals : sigmask -> unit
  val masked : unit -> sigmask
  (* until a signal was handled *)
  val pause : unit -> unit

  val sigINT : signal
  val sigALRM : signal
  val sigTERM : signal
  (* after a collection of garbage; several that come before the handler runs are told of once *)
  val sigGC : signal
end

signature UNIX_SIGNALS =
sig
  include SIGNALS
  val sigHUP : signal
  val sigPIPE : signal
  val sigQUIT : signal
  val sigUSR1 : signal
  val sigUSR2 : signal
  val sigCHLD : signal
  val sigWINCH : signal
  val sigURG : signal
  val sigIO : signal
  val sigPOLL : signal
  val sigTSTP : signal
  val sigCONT : signal
  val sigTTIN : signal
  val sigTTOU : signal
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
    [("HUP", sigHUP), ("INT", sigINT), ("QUIT", sigQUIT), ("USR1", sigUSR1), ("USR2", sigUSR2), ("PIPE", sigPIPE),
     ("ALRM", sigALRM), ("TERM", sigTERM), ("CHLD", sigCHLD), ("CONT", sigCONT), ("TSTP", sigTSTP), ("TTIN", sigTTIN),
     ("TTOU", sigTTOU), ("URG", sigURG), ("VTALRM", sigVTALRM), ("WINCH", sigWINCH), ("IO", sigIO), ("GC", sigGC)]
  fun listSignals () = List.map #2 names
  fun toString s = case List.find (fn (_, t) => t = s) names of SOME (name, _) => name | NONE => Int.toString s
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
        let val interrupted = ref NONE
        in
          SMLofNJCont'.callcc (fn k =>
            let val next = h (s, count, k)
            in
              if same (next, k) then ()
              else
                let val taken = Thread.take ()
                in
                  if taken = Thread.self () then () else (interrupted := SOME taken; ThreadProps'.stop taken);
                  SMLofNJCont'.throw next ()
                end
            end);
          case !interrupted of
            SOME thread => (interrupted := NONE; ThreadProps'.resume thread; Thread.ready thread)
          | NONE => ()
        end
    in
      Array.update (actions, s, action);
      ignore
        (Signal'.change
           (s, case action of DEFAULT => Signal'.DEFAULT | IGNORE => Signal'.IGNORE | HANDLER h => Signal'.RUN (run h)));
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
  fun tell () =
    Signal'.setMask
      (Array.foldli (fn (s, n, m) => if n > 0 andalso s < 64 then Word.orb (m, Signal'.bit s) else m) 0w0 depth)
  fun change by mask =
    (List.app (fn s => Array.update (depth, s, Int.max (0, Array.sub (depth, s) + by))) (signals mask);
     tell ())
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
  val minInterval : Time.time
  (* sends SIGALRM so often; NONE: not any more *)
  val setIntTimer : Time.time option -> unit
end

structure IntervalTimer' : INTERVAL_TIMER =
struct
  val minInterval = Time.fromMicroseconds 1
  fun setIntTimer time =
    let val t = getOpt (time, Time.zeroTime)
    in MLtonItimer'.set (MLtonItimer'.Real, {interval = t, value = t}) end
end
