(* Debug: what a running program does: its threads with what they wait for, its counts, where it spends its time. As texts, and
   as pages of an HTTP server. *)

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

  (* Pages under the place where it is mounted: `threads`, `counts`, `profile?seconds=5` (60 at most), `collect`, which
     collects garbage, and a list of them. Who can ask for them can slow the program down and sees its insides: mount it
     behind a check, or on a listener of its own at 127.0.0.1. *)
  val handler : HTTP.handler
end

structure Debug :> DEBUG =
struct
  val report = _prim "debug_report" : unit -> string
  val profileBegin = _prim "debug_profile" : unit -> int
  val profileEnd = _prim "debug_profiled" : unit -> string
  val collect = _prim "gc_collect" : int -> unit
  val fully = 2

  fun threads () = report ()

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

  fun profile time =
    if profileBegin () = 0 then NONE
    else
      let
        val text = ref ""
      in
        Scope.finally (fn () => OS.Process.sleep time, fn () => text := profileEnd ());
        SOME (!text)
      end

  (* -- pages *)

  val pages =
    "threads               every thread, and what it waits for\n\
    \counts                threads, descriptors, heap, collections, memory\n\
    \profile?seconds=5     where time is spent; save it, then: leat profile --load=FILE\n\
    \collect               collects garbage, then the counts\n"

  fun secondsOf query =
    case List.find (String.isPrefix "seconds=") (String.tokens (fn c => c = #"&") query) of
      NONE => SOME 5.0
    | SOME text =>
        case Real.fromString (String.extract (text, 8, NONE)) of
          SOME x => if x > 0.0 andalso x <= 60.0 then SOME x else NONE
        | NONE => NONE

  fun handler ({method, path, query, ...} : HTTP.request) =
    if method <> "GET" andalso method <> "HEAD" then
      HTTP.withHeader ("Allow", "GET, HEAD") (HTTP.status 405)
    else
      case path of
        [] => HTTP.text 200 pages
      | [""] => HTTP.text 200 pages
      | ["threads"] => HTTP.text 200 (threads ())
      | ["counts"] => HTTP.text 200 (counts ())
      | ["collect"] => (collect fully; HTTP.text 200 (counts ()))
      | ["profile"] =>
          (case secondsOf query of
             NONE => HTTP.text 400 "`seconds` is a number from 0 to 60\n"
           | SOME x =>
               case profile (Time.fromReal x) of
                 SOME text =>
                   HTTP.withHeader
                     ("Content-Disposition", "attachment; filename=\"profile\"")
                     (HTTP.content 200 {kind = "text/plain; charset=utf-8"} text)
               | NONE => HTTP.text 409 "the program is profiled already\n")
      | _ => HTTP.status 404
end
