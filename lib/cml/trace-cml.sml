(* TraceCML: messages that modules of a program print while they are switched on, threads that are watched, and what is done
   about uncaught exceptions. After the utility of Cliff Krumvieda, as SML/NJ's library has it.

   Modules form a tree; names are paths. Everything is done under one lock by the thread that asks for it, so that a
   message stands where it belongs in the order of what its thread prints.
   While no function for uncaught exceptions is set, the runtime reports them, with a trace of where they were raised. *)

signature TRACE_CML =
sig
  type trace_module

  datatype trace_to =
      TraceToOut
    | TraceToErr
    | TraceToNull
    | TraceToFile of string
    | TraceToStream of TextIO.outstream

  (* Sends the messages there from now on: at first they go to standard output. *)
  val setTraceFile : trace_to -> unit

  (* The module above all others. Its name is `/`. *)
  val traceRoot : trace_module
  exception NoSuchModule
  (* the module of that name below another; its own if there is one already. It prints if its parent does. *)
  val traceModule : trace_module * string -> trace_module
  (* its path *)
  val nameOf : trace_module -> string
  (* The module with that path. Raises NoSuchModule when there is none. *)
  val moduleOf : string -> trace_module
  (* Switches the module on, and all below it. *)
  val traceOn : trace_module -> unit
  (* Switches the module off, and all below it. *)
  val traceOff : trace_module -> unit
  (* Switches the module on, but none of those below it. *)
  val traceOnly : trace_module -> unit
  (* Whether the module prints. *)
  val amTracing : trace_module -> bool
  (* The module and all below it, each with whether it prints. *)
  val status : trace_module -> (trace_module * bool) list
  (* prints the pieces, if the module prints; they are made only then *)
  val trace : trace_module * (unit -> string list) -> unit

  (* prints that watched threads have ended *)
  val watcher : trace_module
  (* Prints a message when the thread ends, if `watcher` prints; the name stands in the message. *)
  val watch : string * CML.thread_id -> unit
  (* The thread's end is not printed any more. *)
  val unwatch : CML.thread_id -> unit

  (* Sets what is called when a thread does not catch an exception. *)
  val setUncaughtFn : (CML.thread_id * exn -> unit) -> unit
  (* asked first, the last one set at first; true: nothing more is done *)
  val setHandleFn : (CML.thread_id * exn -> bool) -> unit
  (* the message on standard error, as at first *)
  val resetUncaughtFn : unit -> unit
end

structure TraceCML :> TRACE_CML =
struct
  datatype trace_module =
    MODULE of {path : string, name : string, isOn : bool ref, children : trace_module list ref}

  datatype trace_to =
      TraceToOut
    | TraceToErr
    | TraceToNull
    | TraceToFile of string
    | TraceToStream of TextIO.outstream

  exception NoSuchModule

  (* full while nobody is at work on modules or output *)
  val free = SyncVar.mVarInit ()
  fun alone f =
    let
      val () = SyncVar.mTake free
      val result = f () handle e => (SyncVar.mPut (free, ()); raise e)
    in
      SyncVar.mPut (free, ());
      result
    end

  (* -- modules *)

  (* controls messages about watched threads *)
  val watcher =
    MODULE {path = "/ThreadWatcher/", name = "ThreadWatcher", isOn = ref true, children = ref []}

  val traceRoot = MODULE {path = "/", name = "", isOn = ref false, children = ref [watcher]}

  fun traceModule (MODULE {path, isOn, children, ...}, name) =
    alone (fn () =>
      case List.find (fn MODULE {name = other, ...} => other = name) (!children) of
        SOME m => m
      | NONE =>
          let
            val m =
              MODULE {path = path ^ name ^ "/", name = name, isOn = ref (!isOn), children = ref []}
          in
            children := m :: !children;
            m
          end)

  fun nameOf (MODULE {path, ...}) = path

  fun moduleOf path =
    let
      fun go ([], m) = m
        | go (name :: rest, MODULE {children, ...}) =
            case List.find (fn MODULE {name = other, ...} => other = name) (!children) of
              SOME m => go (rest, m)
            | NONE => raise NoSuchModule
    in
      alone (fn () => go (String.tokens (fn c => c = #"/") path, traceRoot))
    end

  (* it and all below it, in order of their making *)
  fun below (m as MODULE {children, ...}) = m :: List.concat (map below (rev (!children)))
  fun switch (m, on) = alone (fn () => app (fn MODULE {isOn, ...} => isOn := on) (below m))
  fun traceOn m = switch (m, true)
  fun traceOff m = switch (m, false)
  fun traceOnly (MODULE {isOn, ...}) = isOn := true
  fun amTracing (MODULE {isOn, ...}) = !isOn
  fun status m = alone (fn () => map (fn m => (m, amTracing m)) (below m))

  (* -- output *)

  (* where to, and what to do when it goes somewhere else *)
  val destination = ref (TraceToOut, fn () => ())

  fun setTraceFile to =
    alone (fn () =>
      let
        (* The old file first: the new one may be the same. It may fail: that is told when the new one is there. *)
        val failure = (#2 (!destination) (); NONE) handle e => SOME e
        val () = destination := (TraceToOut, fn () => ())
      in
        destination :=
          (case to of
             TraceToFile name =>
               (let
                  val stream = TextIO.openOut name
                in
                  (TraceToStream stream, fn () => TextIO.closeOut stream)
                end
                handle IO.Io _ =>
                    (StdErr'.say
                       ("TraceCML: cannot open " ^ name ^ ", tracing to standard output\n");
                     (TraceToOut, fn () => ())))
           | _ => (to, fn () => ()));
        Option.app (fn e => raise e) failure
      end)

  fun put text =
    let
      fun write stream = (TextIO.output (stream, text); TextIO.flushOut stream)
    in
      case #1 (!destination) of
        TraceToOut => write TextIO.stdOut
      | TraceToErr => (write TextIO.stdErr handle IO.Io _ => ())
      | TraceToStream stream => write stream
      | _ => ()
    end

  fun trace (m, pieces) =
    if amTracing m then let val text = concat (pieces ()) in alone (fn () => put text) end
    else ()

  (* -- watched threads *)

  val watched : (CML.thread_id * unit SyncVar.ivar) list ref = ref []

  fun forget tid =
    alone (fn () =>
      let
        val (mine, others) = List.partition (fn (other, _) => CML.sameTid (tid, other)) (!watched)
      in
        watched := others;
        mine
      end)

  fun unwatch tid =
    app (fn (_, stop) => SyncVar.iPut (stop, ()) handle SyncVar.Put => ()) (forget tid)

  fun watch (name, tid) =
    let
      val stop = SyncVar.iVar ()
      (* nothing is said of a thread that is watched no more, even if its end is noticed first *)
      fun died () =
        if Option.isSome (SyncVar.iGetPoll stop) then ()
        else
          (trace (watcher,
                  fn () =>
                    ["WARNING!  Watched thread ", name, CML.tidToString tid, " has died.\n"]);
           ignore (forget tid))
    in
      alone (fn () => watched := (tid, stop) :: !watched);
      ignore (CML.spawn (fn () =>
                CML.select [SyncVar.iGetEvt stop, CML.wrap (CML.joinEvt tid, died)]))
    end

  (* -- uncaught exceptions *)

  (* The runtime calls this in a new thread, whose properties and message are the exception and the thread that has died. *)
  val hook = PrimExits'.uncaught_hook
  val packet = PrimThreads'.thread_props : CML.thread_id -> exn
  val victim = PrimThreads'.thread_message : CML.thread_id -> CML.thread_id

  fun report (tid, e) =
    StdErr'.say (concat ["uncaught exception ",
                         exnMessage e,
                         " in thread ",
                         Int.toString (Thread.id tid),
                         "\n"])

  val handlers : (CML.thread_id * exn -> bool) list ref = ref []
  val last = ref report

  fun uncaught () =
    let
      val self = CML.getTid ()
      val what = (victim self, packet self)
      val () = ThreadProps'.set (self, ThreadProps'.NONE')
    in
      (* What a function raises here is not told to it again. *)
      if List.exists (fn f => f what handle _ => false) (!handlers)
      then ()
      else ! last what handle _ => (report what handle _ => ())
    end

  fun setUncaughtFn f = (last := f; hook (1, uncaught))
  fun setHandleFn f = (alone (fn () => handlers := f :: !handlers); hook (1, uncaught))
  fun resetUncaughtFn () = (handlers := []; last := report; hook (0, uncaught))
end
