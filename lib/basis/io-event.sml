(* IoEvent', and OS with events: descriptors, jobs and processes as base events.

   The runtime's I/O manager commits a waiter when its descriptor is ready, as its timers do; giving one up costs a constant.
   That a descriptor was ready is no promise that it still is when the event's function runs: another thread may have been
   faster, and then that function waits. `OS.IO.pollEvt` has no such function: it happens with what was found. *)

structure IoEvent' =
struct
  local
    val watch = PrimWaiting'.fd_watch : int * int * Transaction'.waiter -> int
    val unwatch = PrimWaiting'.fd_unwatch
    val watchJob = PrimJobs'.job_watch : int * Transaction'.waiter -> int
  in
    (* for `block`: offers that the descriptor can be read (0) or written (1); `gone` when another event has won *)
    fun offer (fd, mode, w, gone) =
      let
        val id = watch (fd, mode, w)
      in
        if id <= 0 then Transaction'.happened w
        else Event'.CANCEL (fn () => (ignore (unwatch id); gone ()))
      end

    (* the descriptor that the cell holds (below 0: closed, which is ready too) can be read (0) or written (1) *)
    fun ready (fd, mode) =
      Event'.base ({poll = fn _ => Event'.fixed (!fd < 0 orelse Wait'.ready (!fd, mode) = 1),
                    commit = fn () => Event'.WON,
                    block = fn w => offer (!fd, mode, w, fn () => ()),
                    reason = if mode = 0 then ParkReason'.read else ParkReason'.write,
                    place = Event'.nowhere},
                   fn () => ())

    (* A job is begun at each synchronisation; its answer is the result. *)
    fun job (start, f) =
      Event'.guard (fn () =>
        let
          val id = ref ~1
          fun begin () = (if !id < 0 then id := start () else (); !id)
        in
          Event'.base ({poll = fn _ => Event'.fixed false,
                        commit = fn () => Event'.WON,
                        block = fn w =>
                          if watchJob (begin (), w) = 1 then Transaction'.happened w
                          else Event'.CANCEL (fn () => Job'.drop (!id)),
                        reason = ParkReason'.process,
                        place = Event'.nowhere},
                       fn () => f (Job'.finish (!id)))
        end)

    (* The child has ended. Where no descriptor is left for it, a job waits. *)
    fun ended child =
      Event'.guard (fn () =>
        let
          val fd = ref ~1
          val job = ref ~1
          fun close () =
            (if !fd >= 0 then (ignore (OSIO'.closeDescriptor (!fd)); fd := ~1) else ();
             if !job >= 0 then (Job'.drop (!job); job := ~1) else ())
          fun byJob w =
            (job := Job'.start (Job'.child, "", #pid child, 0);
             if watchJob (!job, w) = 1 then (close (); Transaction'.happened w)
             else Event'.CANCEL close)
        in
          Event'.base ({poll = fn _ => Event'.fixed (Child'.hasEnded child),
                        commit = fn () => Event'.WON,
                        block = fn w =>
                          (fd := Child'.openEnd child;
                           if !fd >= 0 then offer (!fd, 0, w, close)
                           else if Child'.hasEnded child then Transaction'.happened w
                           else byJob w),
                        reason = ParkReason'.process,
                        place = Event'.nowhere},
                       close)
        end)
  end

  fun readable fd = ready (fd, 0)
  fun writable fd = ready (fd, 1)

  (* What can be had without waiting as soon as the descriptor allows, perhaps after several steps. `probe` says NONE
     while there is not enough, and then how it is got; `step` happens when there may be more. *)
  fun steps (probe, step) =
    Event'.guard (fn () =>
      case probe () of
        SOME get => Event'.alwaysEvt (get ())
      | NONE =>
          Event'.withNack (fn nack =>
            let
              val done = Event'.condition ()
              val result = ref NONE
              fun finish f = (result := SOME f; Event'.set done)
              fun look () =
                case probe () of
                  SOME get => finish get
                | NONE => wait ()
              and wait () =
                if Event'.select
                     [Event'.wrap (step, fn () => true), Event'.wrap (nack, fn () => false)]
                then go ()
                else ()
              and go () = look () handle e => finish (fn () => raise e)
            in
              ignore (Thread.spawn wait);
              Event'.wrap (Event'.conditionEvt (done, 4), fn () => valOf (!result) ())
            end))
end

signature CML_OS =
sig
  eqtype syserror
  exception SysErr of string * syserror option
  (* The system's text for an error. *)
  val errorMsg : syserror -> string
  (* POSIX's name for an error, in small letters without the E: `noent`. *)
  val errorName : syserror -> string
  (* SOME of the error of that name, as `errorName` gives it or as `ENOENT`; NONE when there is none. *)
  val syserror : string -> syserror option

  structure FileSys : OS_FILE_SYS
  structure IO :
  sig
    include OS_IO
    (* Happens when something was found ready; its result is what. Another thread may have read it meanwhile. *)
    val pollEvt : poll_desc list -> poll_info list CML.event
  end
  structure Path : OS_PATH
  structure Process :
  sig
    include OS_PROCESS
    (* a command is begun at the synchronisation; happens when it has ended *)
    val systemEvt : string -> status CML.event
  end
end

structure OS : CML_OS =
struct
  open OS
  structure IO =
  struct
    open IO
    local
      val bits = PrimArrays'.cast : poll_desc list -> OSIO'.poll_desc list
      val infos = PrimArrays'.cast : OSIO'.poll_info list -> poll_info list
    in
      (* The event has not happened before something was found ready: a thread that waits for something else, too, does
         not wait here alone when another thread was faster. *)
      fun pollEvt descs =
        Event'.guard (fn () =>
          let
            val next = ref Event'.never
            fun probe () =
              case OSIO'.look (bits descs) of
                {ready = [], waits, again} =>
                  let
                    val events = List.map (fn (fd, mode) => IoEvent'.ready (ref fd, mode)) waits
                    val pause = Time.fromNanoseconds (Int.toLarge OSIO'.pause)
                  in
                    next :=
                      Event'.choose (if again then TimeOut'.timeOutEvt pause :: events else events);
                    NONE
                  end
              | {ready, ...} => SOME (fn () => infos ready)
          in
            IoEvent'.steps (probe, Event'.guard (fn () => !next))
          end)
    end
  end
  structure Process =
  struct
    open Process
    local
      val status = PrimWords'.bits : int -> status
    in
      (* What was printed is out before the event is offered: a thread that offers events neither waits nor raises. *)
      fun systemEvt command =
        Event'.guard (fn () =>
          (Process'.flushOut ();
           IoEvent'.job (fn () => Process'.startSystem command, status o Process'.systemStatus)))
    end
  end
end

(* As in MLton's Concurrent ML. *)
signature IO_MANAGER =
sig
  type iodesc = OS.IO.iodesc
  type poll_desc = OS.IO.poll_desc
  type poll_info = OS.IO.poll_info
  (* Happens when the descriptor is ready; its result is what for. *)
  val ioEvt : poll_desc -> poll_info CML.event
  (* Lets other threads run: `CML.yield`. *)
  val preempt : unit -> unit
end

structure IOManager :> IO_MANAGER =
struct
  type iodesc = OS.IO.iodesc
  type poll_desc = OS.IO.poll_desc
  type poll_info = OS.IO.poll_info
  fun ioEvt desc = Event'.wrap (OS.IO.pollEvt [desc], List.hd)
  val preempt = Thread.yield
end
