(* Leat: what only this system has. *)

signature LEAT =
sig
  (* the collector's counters *)
  structure GC :
  sig
    (* bytes that the last major collection found alive; 0 before the first one *)
    val liveBytes : unit -> int
    (* Bytes that the program has allocated since its start. *)
    val allocatedBytes : unit -> int
    (* How many minor collections there were. *)
    val minorCollections : unit -> int
    (* How many major collections there were. *)
    val majorCollections : unit -> int
    (* Bytes that the heap has now. *)
    val heapBytes : unit -> int
    (* The most bytes that the heap has had. *)
    val peakHeapBytes : unit -> int
    (* The most bytes that lived after a major collection. *)
    val mostLiveBytes : unit -> int
    (* The time that minor collections have taken. *)
    val minorNanoseconds : unit -> int
    (* The time that major collections have taken. *)
    val majorNanoseconds : unit -> int
    (* Bytes that minor collections moved, added up over all of them. *)
    val promotedBytes : unit -> int
    (* Bytes that major collections found alive, added up over all of them. *)
    val markedBytes : unit -> int
    (* The bytes in which each worker makes new objects, as far as there are addresses for them: 256 MB, or what
       `--nursery` has said; 0 lets them follow the program again. It raises Domain if the number is negative, less than
       64 KB or more than 64 GB. *)
    val setNursery : int -> unit
    (* How long a collection may take, as a goal; zeroTime: each one does all of its work at once. It raises Domain if the
       goal is less than 0.1 ms or more than a second. *)
    val setPause : Time.time -> unit
    (* How much memory the heap may take, in multiples of what lives; 0.0: as is worth it. It raises Domain if the factor is
       less than 1.1 or more than 1000. *)
    val setSpend : real -> unit
    (* The most bytes that the heap is to have, as long as collecting more often helps; 0: no such limit. It raises Domain
       if the number is negative. *)
    val setSoftLimit : int -> unit
  end

  (* what there is of each kind now: for tests that count what is left behind *)
  structure Count :
  sig
    (* threads that have not ended, blocked ones that nothing refers to included until they are collected *)
    val threads : unit -> int
    (* time-outs that run *)
    val timers : unit -> int
    (* Descriptors that the poller knows. *)
    val descriptors : unit -> int
    (* Threads and events that wait for descriptors. *)
    val waiters : unit -> int
    (* calls on OS threads of their own *)
    val jobs : unit -> int
    (* entries of a channel's queues, those of choices in which another event has happened included *)
    val entries : 'a CML.chan -> int
  end

  (* the scheduler's counters, added up over all workers since the start; the report of SIGQUIT has them too *)
  structure Scheduler :
  sig
    (* OS threads that run threads of the program. *)
    val workers : unit -> int
    (* stacks that threads share *)
    val lanes : unit -> int
    (* How often another thread ran next. *)
    val switches : unit -> int
    (* time slices that ended while a thread computed *)
    val preemptions : unit -> int
    (* threads whose frames went to the heap, since another one needed their lane *)
    val evictions : unit -> int
    (* threads that a worker without work took from another one *)
    val steals : unit -> int
  end

  (* Happens when the program is asked to end, by SIGTERM or SIGINT: from this call on, instead of its end. All events of
     such calls happen. SIGINT (Ctrl-C) after that ends the program at once. *)
  val stopEvt : unit -> unit CML.event

  (* the running thread's name in reports and traces *)
  val nameThread : string -> unit
  (* a point on the running thread's track, if the program is traced (--trace=FILE) *)
  val mark : string -> unit
end

structure Leat : LEAT =
struct
  structure GC =
  struct
    local
      val stat = PrimCollector'.gc_stat
    in
      fun liveBytes () = stat HeapFigure'.live
      fun allocatedBytes () = stat HeapFigure'.allocated
      fun minorCollections () = stat HeapFigure'.minors
      fun majorCollections () = stat HeapFigure'.majors
      fun heapBytes () = stat HeapFigure'.size
      fun peakHeapBytes () = stat HeapFigure'.peak
      fun mostLiveBytes () = stat HeapFigure'.mostLive
      fun minorNanoseconds () = stat HeapFigure'.minorNanoseconds
      fun majorNanoseconds () = stat HeapFigure'.majorNanoseconds
      fun promotedBytes () = stat HeapFigure'.promoted
      fun markedBytes () = stat HeapFigure'.marked
    end
    fun setNursery bytes =
      if bytes = 0 orelse bytes >= 65536 andalso bytes <= 68719476736 then
        PrimCollector'.gc_set_nursery bytes
      else raise Domain
    fun setPause goal =
      let
        val nanoseconds = Time.toNanoseconds goal
      in
        if nanoseconds = 0 orelse nanoseconds >= 100000 andalso nanoseconds <= 1000000000 then
          PrimCollector'.gc_set (HeapSetting'.pause, LargeInt.toInt nanoseconds)
        else raise Domain
      end
    fun setSpend factor =
      if Real.== (factor, 0.0) orelse factor >= 1.1 andalso factor <= 1000.0 then
        PrimCollector'.gc_set (HeapSetting'.spend, Real.round (factor * 1000.0))
      else raise Domain
    fun setSoftLimit bytes =
      if bytes < 0 then raise Domain else PrimCollector'.gc_set (HeapSetting'.soft, bytes)
  end

  structure Count =
  struct
    local
      val threadStat = PrimThreads'.thread_stat
      val ioStat = PrimCallbacks'.io_stat
    in
      fun threads () = threadStat ThreadFigure'.alive
      fun descriptors () = ioStat IOFigure'.descriptors
      fun waiters () = ioStat IOFigure'.waiters
      fun jobs () = ioStat IOFigure'.jobs
      fun timers () = ioStat IOFigure'.timers
    end
    val entries = Channel'.entries
  end

  structure Scheduler =
  struct
    local
      val stat = PrimThreads'.thread_stat
    in
      fun switches () = stat ThreadFigure'.switches
      fun evictions () = stat ThreadFigure'.evictions
      fun steals () = stat ThreadFigure'.steals
      fun lanes () = stat ThreadFigure'.lanes
      fun workers () = stat ThreadFigure'.workers
      fun preemptions () = stat ThreadFigure'.preemptions
    end
  end

  local
    open MLton.Signal
    (* That of the calls since the last such signal. *)
    val current = SyncVar.mVarInit (SyncVar.iVar ())
    (* Who does not want to wait for the rest says so by Ctrl-C once more. *)
    fun ask _ =
      (setHandler (Posix.Signal.int, Handler.default); SyncVar.iPut (SyncVar.mGet current, ()))
      handle SyncVar.Put => ()
  in
    fun stopEvt () =
      let
        val last = SyncVar.mTake current
        val asked = if isSome (SyncVar.iGetPoll last) then SyncVar.iVar () else last
      in
        SyncVar.mPut (current, asked);
        List.app (fn s => setHandler (s, Handler.simple ask)) [Posix.Signal.term, Posix.Signal.int];
        SyncVar.iGetEvt asked
      end
  end

  local
    val trace = PrimThreads'.trace_mark
  in
    fun nameThread name = (Segment'.nameThread (Thread.self (), name); trace (1, name))
    fun mark text = trace (0, text)
  end
end
