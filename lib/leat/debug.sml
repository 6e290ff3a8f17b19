(* Debug: what a running program does: its threads with what they wait for, its counts, where it spends its time, allocates and
   waits. As texts, and as pages of an HTTP server. *)

signature DEBUG =
sig
  (* Every thread that has not ended: what it does or waits for, and where; those that do the same are told together. Then
     the figures of the scheduler and the collector. All threads stand still meanwhile. *)
  val threads : unit -> string
  (* Counts, a line each: threads, time-outs, descriptors, heap, collections, memory of the process. *)
  val counts : unit -> string
  (* Where the program spends its time during the next so long, by a sample a millisecond: the text of a file that `leat
     profile --load=FILE` makes tables and pictures of. NONE while the program is profiled already. Waits for so long. *)
  val profile : Time.time -> string option
  (* Likewise where it allocates, by a sample each time that a worker has filled its nursery: in a program that allocates
     little there are few. *)
  val allocation : Time.time -> string option
  (* Likewise where its threads wait and for what, and how long they are ready and no worker takes them. A wait that was
     under way before is not in it. *)
  val waiting : Time.time -> string option
  (* What each worker and each thread does during the next so long: the text of a file that ui.perfetto.dev and
     chrome://tracing show. It has 64 MB at most; what comes later is left out. NONE while the program is traced already. *)
  val trace : Time.time -> string option

  (* Pages under the place where it is mounted: `threads`, `counts`, `profile?seconds=5` (more than 0, 60 at most), and
     likewise `allocation`, `waiting` and `trace`; `collect`, which collects garbage; and a list of them. Who can ask for
     them can slow the program down and sees its insides: mount it behind a check, or on a listener of its own at
     127.0.0.1. *)
  val handler : HTTP.handler
end

structure Debug :> DEBUG =
struct
  val collect = _prim "gc_collect" : int -> unit
  val threads = PrimDebug'.debug_report

  (* a line of a file of /proc, for instance `VmRSS:  1234 kB` *)
  fun processLine (file, name) =
    let
      val stream = TextIO.openIn file
      val text = TextIO.inputAll stream before TextIO.closeIn stream
      val lines = String.tokens (fn c => c = #"\n") text
    in
      case List.find (String.isPrefix name) lines of
        SOME line =>
          (case List.mapPartial Int.fromString (String.tokens (not o Char.isDigit) line) of
             n :: _ => SOME n
           | [] => NONE)
      | NONE => NONE
    end
    handle IO.Io _ => NONE

  fun descriptors () =
    let
      val folder = OS.FileSys.openDir "/proc/self/fd"
      fun go n = case OS.FileSys.readDir folder of SOME _ => go (n + 1) | NONE => n
    in
      (* one of them is the folder's *)
      SOME
        (go 0 - 1)
      before OS.FileSys.closeDir folder
    end
    handle OS.SysErr _ => NONE

  fun counts () =
    let
      open Leat
      fun known name n = SOME (name, n)
      fun bytes name = Option.map (fn kB => (name, 1024 * kB))
      val rows =
        [known "threads" (Count.threads ()),
         known "timers" (Count.timers ()),
         known "polled descriptors" (Count.descriptors ()),
         known "waits for descriptors" (Count.waiters ()),
         known "jobs on OS threads" (Count.jobs ()),
         known "workers" (Scheduler.workers ()),
         known "switches" (Scheduler.switches ()),
         known "preemptions" (Scheduler.preemptions ()),
         known "steals" (Scheduler.steals ()),
         known "heap bytes" (GC.heapBytes ()),
         known "heap bytes at most" (GC.peakHeapBytes ()),
         known "live bytes" (GC.liveBytes ()),
         known "allocated bytes" (GC.allocatedBytes ()),
         known "minor collections" (GC.minorCollections ()),
         known "minor nanoseconds" (GC.minorNanoseconds ()),
         known "major collections" (GC.majorCollections ()),
         known "major nanoseconds" (GC.majorNanoseconds ()),
         Option.map (fn n => ("open descriptors", n)) (descriptors ()),
         bytes "resident bytes" (processLine ("/proc/self/status", "VmRSS")),
         bytes "resident bytes at most" (processLine ("/proc/self/status", "VmHWM"))]
      fun line (name, n) = concat [StringCvt.padRight #" " 24 name, Int.toString n, "\n"]
    in
      concat (List.map line (List.mapPartial (fn row => row) rows))
    end

  fun measured what time =
    if PrimDebug'.debug_profile what = 0 then NONE
    else
      let
        val text = ref ""
      in
        Scope.finally
          (fn () => OS.Process.sleep time, fn () => text := PrimDebug'.debug_profiled what);
        SOME (!text)
      end
  val profile = measured Measured'.time
  val allocation = measured Measured'.allocation
  val waiting = measured Measured'.waiting
  val trace = measured Measured'.trace

  (* -- pages *)

  val pages =
    "threads               every thread, and what it waits for\n\
    \counts                threads, descriptors, heap, collections, memory\n\
    \profile?seconds=5     where time is spent; save it, then: leat profile --load=FILE\n\
    \allocation?seconds=5  likewise, where memory is allocated\n\
    \waiting?seconds=5     likewise, where threads wait, and for what\n\
    \trace?seconds=5       a time line of threads and workers, for ui.perfetto.dev\n\
    \collect               collects garbage, then the counts\n"

  fun secondsOf query =
    case List.find (String.isPrefix "seconds=") (String.tokens (fn c => c = #"&") query) of
      NONE => SOME 5.0
    | SOME text =>
        case Real.fromString (String.extract (text, 8, NONE)) of
          SOME x => if x > 0.0 andalso x <= 60.0 then SOME x else NONE
        | NONE => NONE

  (* what a page measures, and the name and type of the file that it gives *)
  fun measures "profile" = SOME (profile, "profile", "text/plain; charset=utf-8")
    | measures "allocation" = SOME (allocation, "allocation", "text/plain; charset=utf-8")
    | measures "waiting" = SOME (waiting, "waiting", "text/plain; charset=utf-8")
    | measures "trace" = SOME (trace, "trace.json", "application/json")
    | measures _ = NONE

  fun measuring (measure, file, kind) query =
    case secondsOf query of
      NONE => HTTP.text 400 "`seconds` is a number above 0, and at most 60\n"
    | SOME x =>
        case measure (Time.fromReal x) of
          SOME text =>
            HTTP.withHeader
              ("Content-Disposition", concat ["attachment; filename=\"", file, "\""])
              (HTTP.content 200 {kind = kind} text)
        | NONE => HTTP.text 409 "that is measured already\n"

  fun handler ({method, path, query, ...} : HTTP.request) =
    if method <> "GET" andalso method <> "HEAD" then
      HTTP.withHeader ("Allow", "GET, HEAD") (HTTP.status 405)
    else
      case path of
        [] => HTTP.text 200 pages
      | [""] => HTTP.text 200 pages
      | ["threads"] => HTTP.text 200 (threads ())
      | ["counts"] => HTTP.text 200 (counts ())
      | ["collect"] => (collect Collection'.full; HTTP.text 200 (counts ()))
      | [page] => (case measures page of SOME m => measuring m query | NONE => HTTP.status 404)
      | _ => HTTP.status 404
end
