(* Reactive: scripts that run in instants, in which signals are present or absent.

   A script is rewritten: a step gives what is left of it, so that a machine is reset by taking the script it began with.
   After the reactive toolkits of Boussinot (SugarCubes), with preemption of actions as Berry's processes have it. *)

signature REACTIVE =
sig
  type machine
  type instruction
  type signal = Atom.atom
  type config
  type in_signal
  type out_signal

  (* raises Fail where the body names a signal that nothing binds *)
  val machine : {inputs : signal list, outputs : signal list, body : instruction} -> machine
  (* one instant; true when the script has ended *)
  val run : machine -> bool
  (* to the beginning *)
  val reset : machine -> unit
  (* the machine's inputs, in the order in which they were given *)
  val inputsOf : machine -> in_signal list
  (* the machine's outputs, in the order in which they were given *)
  val outputsOf : machine -> out_signal list
  (* its name *)
  val inputSignal : in_signal -> signal
  (* its name *)
  val outputSignal : out_signal -> signal
  (* whether it is present in the instant that comes *)
  val setInSignal : in_signal * bool -> unit
  (* whether it was set for the instant that comes; in an action, whether it is present so far *)
  val getInSignal : in_signal -> bool
  (* whether it was present in the instant that was *)
  val getOutSignal : out_signal -> bool

  (* both side by side, in the same instants; ends when both have ended *)
  val || : instruction * instruction -> instruction
  (* the second begins in the instant in which the first ends *)
  val & : instruction * instruction -> instruction
  (* ends at once *)
  val nothing : instruction
  (* waits for the next instant, and ends there *)
  val stop : instruction
  (* lets the others of this instant run first, and ends in the same instant *)
  val suspend : instruction
  (* calls the function and ends at once *)
  val action : (machine -> unit) -> instruction
  (* Begins something that takes several instants; the others of this instant run before it is asked whether it has
     ended. `stop` is called where it is preempted. *)
  val exec : (machine -> {stop : unit -> unit, done : unit -> bool}) -> instruction
  (* asks the function once, when it begins, and does the first if it is true, else the second *)
  val ifThenElse : (machine -> bool) * instruction * instruction -> instruction
  (* the instruction so many times, one after the other; not at all for 0 and less *)
  val repeat : int * instruction -> instruction
  (* for ever; a body that ends at once twice waits for the next instant *)
  val loop : instruction -> instruction
  (* steps that let the others run first are taken together *)
  val close : instruction -> instruction
  (* a signal of the instruction's own *)
  val signal : signal * instruction -> instruction
  (* the second is another name of the first *)
  val rebind : signal * signal * instruction -> instruction
  (* the first while the configuration holds, else the second: decided once *)
  val when : config * instruction * instruction -> instruction
  (* does the instruction, and preempts it where it stops in an instant in which the configuration holds *)
  val trap : config * instruction -> instruction
  (* likewise, and goes on with the last instruction where it was preempted *)
  val trapWith : config * instruction * instruction -> instruction
  (* makes the signal present in this instant; raises Fail, when the machine is made, if nothing binds the name *)
  val emit : signal -> instruction
  (* waits for an instant in which the configuration holds, be it this one *)
  val await : config -> instruction

  (* the signal is present *)
  val posConfig : signal -> config
  (* the signal is absent, which is known when no one can emit it any more in this instant *)
  val negConfig : signal -> config
  (* one of them holds, or both *)
  val orConfig : config * config -> config
  (* both hold *)
  val andConfig : config * config -> config
end

structure Reactive :> REACTIVE =
struct
  structure Map = AtomBinaryMap
  type signal = Atom.atom

  datatype 'signal configuration =
      Present of 'signal
    | Absent of 'signal
    | Or of 'signal configuration * 'signal configuration
    | And of 'signal configuration * 'signal configuration
  type config = signal configuration

  (* How a step ended: for good, for this instant, or waiting for others in this instant. *)
  datatype status = Ended | Stopped | Suspended

  (* The instant in which it was last present; below 0, absent. *)
  type wire = {name : signal, state : int ref}

  datatype machine =
    Machine of
        {now : int ref,
         moved : bool ref,
         atEnd : bool ref,
         script : script,
         rest : script ref,
         wires : wire list,
         inputs : wire list,
         outputs : wire list}
  and script =
      Nothing
    | Stop
    | Suspend
    | Action of machine -> unit
    | Exec of machine -> {stop : unit -> unit, done : unit -> bool}
    | Running of {stop : unit -> unit, done : unit -> bool}
    | If of (machine -> bool) * script * script
    | Seq of script * script
    (* each with how its last step ended *)
    | Par of (script * status) * (script * status)
    (* rounds left, the body, and what is left of this round *)
    | Repeat of int * script * script
    (* the body, what is left of this round, and whether a round has ended since the last stop *)
    | Loop of script * script * bool
    | Close of script
    | When of wire configuration * script * script
    (* the body, the handler, and whether the body has stopped, so that the configuration decides *)
    | Trap of wire configuration * script * script * bool
    | Emit of wire
    | Await of wire configuration

  (* Names become wires where the machine is made. *)
  type scope = {wires : wire list ref, names : wire Map.map}
  type instruction = scope -> script

  fun wire ({names, ...} : scope, name) =
    case Map.find (names, name) of
      SOME w => w
    | NONE => raise Fail ("Reactive: unbound signal " ^ Atom.toString name)
  fun new wires name = let val w = {name = name, state = ref 0} in wires := w :: !wires; w end

  fun configuration scope c =
    case c of
      Present s => Present (wire (scope, s))
    | Absent s => Absent (wire (scope, s))
    | Or (a, b) => Or (configuration scope a, configuration scope b)
    | And (a, b) => And (configuration scope a, configuration scope b)

  val posConfig = Present
  val negConfig = Absent
  val orConfig = Or
  val andConfig = And

  fun || (a, b) scope = Par ((a scope, Suspended), (b scope, Suspended))
  fun & (a, b) scope = Seq (a scope, b scope)
  fun nothing _ = Nothing
  fun stop _ = Stop
  fun suspend _ = Suspend
  fun action f _ = Action f
  fun exec f _ = Exec f
  fun ifThenElse (p, a, b) scope = If (p, a scope, b scope)
  fun repeat (n, body) scope = let val body = body scope in Repeat (n, body, body) end
  fun loop body scope = let val body = body scope in Loop (body, body, false) end
  fun close body scope = Close (body scope)
  fun signal (name, body) ({wires, names} : scope) =
    body {wires = wires, names = Map.insert (names, name, new wires name)}
  fun rebind (old, name, body) (scope as {wires, names} : scope) =
    body {wires = wires, names = Map.insert (names, name, wire (scope, old))}
  fun when (c, a, b) scope = When (configuration scope c, a scope, b scope)
  fun trapWith (c, body, handler) scope =
    Trap (configuration scope c, body scope, handler scope, false)
  fun trap (c, body) = trapWith (c, body, nothing)
  fun emit name scope = Emit (wire (scope, name))
  fun await c scope = Await (configuration scope c)

  (* the first instant: a new wire was present in none near it *)
  val first = 2
  fun machine {inputs, outputs, body} =
    let
      val wires = ref []
      val inputs = List.map (new wires) inputs
      val outputs = List.map (new wires) outputs
      val names =
        List.foldl (fn (w, names) => Map.insert (names, #name w, w)) Map.empty (inputs @ outputs)
      val script = body {wires = wires, names = names}
    in
      Machine {now = ref first,
               moved = ref false,
               atEnd = ref false,
               script = script,
               rest = ref script,
               wires = !wires,
               inputs = inputs,
               outputs = outputs}
    end

  (* what is begun is told of its end *)
  fun preempt script =
    case script of
      Running {stop, ...} => stop ()
    | Seq (a, _) => preempt a
    | Par ((a, _), (b, _)) => (preempt a; preempt b)
    | Repeat (_, _, rest) => preempt rest
    | Loop (_, rest, _) => preempt rest
    | Close rest => preempt rest
    | Trap (_, body, _, _) => preempt body
    | _ => ()

  (* NONE: not decided yet in this instant *)
  fun holds (Machine {now, atEnd, ...}, c) =
    let
      fun present {name = _, state} =
        if !state = !now then SOME true
        else if !state = ~ (!now) orelse !atEnd then SOME false
        else NONE
      fun value c =
        case c of
          Present w => present w
        | Absent w => Option.map not (present w)
        | Or (a, b) => either (true, value a, value b)
        | And (a, b) => either (false, value a, value b)
      (* one that is `decisive` decides *)
      and either (decisive, a, b) =
        if a = SOME decisive orelse b = SOME decisive then SOME decisive
        else if isSome a andalso isSome b then SOME (not decisive)
        else NONE
    in
      value c
    end

  (* How it ended in this instant, and what is left. What is decided at the instant's end is done in the next one. *)
  fun step (m as Machine {now, moved, atEnd, ...}, script) =
    case script of
      Nothing => (Ended, Nothing)
    | Stop => (Stopped, Nothing)
    | Suspend => (Suspended, Nothing)
    | Action f => (f m; (Ended, Nothing))
    (* the others have their turn before it is asked whether it has ended *)
    | Exec f => (Suspended, Running (f m))
    | Running {done, ...} => if done () then (Ended, Nothing) else (Stopped, script)
    | If (p, a, b) => step (m, if p m then a else b)
    | Seq (a, b) =>
        (case step (m, a) of
           (Ended, _) => step (m, b)
         | (status, a) => (status, Seq (a, b)))
    | Par (a, b) =>
        let
          fun branch (script, Suspended) =
                let val (status, script) = step (m, script) in (script, status) end
            | branch other = other
          val a = branch a
          val b = branch b
          (* one that has ended stays so *)
          fun again (script, Stopped) = (script, Suspended)
            | again other = other
        in
          case (#2 a, #2 b) of
            (Ended, Ended) => (Ended, Nothing)
          | (x, y) =>
              if x = Suspended orelse y = Suspended then (Suspended, Par (a, b))
              else (Stopped, Par (again a, again b))
        end
    | Repeat (n, body, rest) =>
        if n <= 0 then (Ended, Nothing)
        else
          (case step (m, rest) of
             (Ended, _) => step (m, Repeat (n - 1, body, body))
           | (status, rest) => (status, Repeat (n, body, rest)))
    | Loop (body, rest, ended) =>
        (case step (m, rest) of
           (Ended, _) =>
             if ended then (Stopped, Loop (body, body, true)) else step (m, Loop (body, body, true))
         | (Stopped, rest) => (Stopped, Loop (body, rest, false))
         | (Suspended, rest) => (Suspended, Loop (body, rest, ended)))
    | Close body =>
        (case step (m, body) of
           (Suspended, rest) => step (m, Close rest)
         | (Stopped, rest) => (Stopped, Close rest)
         | ended => ended)
    | When (c, a, b) =>
        (case holds (m, c) of
           NONE => (Suspended, script)
         | SOME value => later (m, if value then a else b))
    | Trap (c, body, handler, false) =>
        (case step (m, body) of
           (Ended, _) => (Ended, Nothing)
         | (Stopped, rest) => step (m, Trap (c, rest, handler, true))
         | (Suspended, rest) => (Suspended, Trap (c, rest, handler, false)))
    | Trap (c, body, handler, true) =>
        (case holds (m, c) of
           NONE => (Suspended, script)
         | SOME true => (preempt body; later (m, handler))
         | SOME false => (Stopped, Trap (c, body, handler, false)))
    | Emit {state, ...} => (moved := true; state := !now; (Ended, Nothing))
    | Await c =>
        (case holds (m, c) of
           NONE => (Suspended, script)
         | SOME true => later (m, Nothing)
         | SOME false => (Stopped, script))
  and later (m as Machine {atEnd, ...}, script) =
    if !atEnd then (Stopped, script) else step (m, script)

  (* Suspended scripts go on as long as signals are emitted; then what is not present is absent. *)
  fun run (m as Machine {now, moved, atEnd, rest, ...}) =
    let
      fun go () =
        let
          val (status, script) = step (m, !rest)
        in
          rest := script;
          case status of
            Suspended => (if !moved then moved := false else atEnd := true; go ())
          | Stopped => false
          | Ended => true
        end
    in
      atEnd := false;
      moved := false;
      go () before now := !now + 1
    end
  fun reset (Machine {now, moved, atEnd, script, rest, wires, ...}) =
    (now := first;
     moved := false;
     atEnd := false;
     rest := script;
     List.app (fn {state, ...} => state := 0) wires)

  type in_signal = machine * wire
  type out_signal = machine * wire
  fun inputsOf (m as Machine {inputs, ...}) = List.map (fn w => (m, w)) inputs
  fun outputsOf (m as Machine {outputs, ...}) = List.map (fn w => (m, w)) outputs
  fun inputSignal (_, {name, state = _}) = name
  fun outputSignal (_, {name, state = _}) = name
  fun setInSignal ((Machine {now, ...}, {state, ...}) : in_signal, present) =
    state := (if present then !now else ~ (!now))
  fun getInSignal (Machine {now, ...}, {name = _, state}) = !state = !now
  fun getOutSignal (Machine {now, ...}, {name = _, state}) = !state = !now - 1
end
