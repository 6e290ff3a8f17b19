(* Metrics: figures of a running program (counters, gauges, histograms), and their text in the format that Prometheus reads
   (exposition format 0.0.4).

   A family has a name, a sentence of help and the names of its labels; each list of the labels' values has a figure of its
   own. A figure is some reals under a lock, which a thread holds for a few instructions and in which it does not wait; with
   one worker the lock costs nothing. *)

signature METRICS =
sig
  (* Families, in the order in which they were made. *)
  type registry
  (* A name of a family or a label that is none, a family that is there already, or whose lines another one has
     (a histogram `h` has `h_bucket`, `h_sum` and `h_count`), labels whose number is another one, a counter that is to
     fall, bounds of a histogram that do not rise: the text says which. *)
  exception Invalid of string

  (* An empty one. *)
  val registry : unit -> registry

  (* What is no UTF-8 in a help, or in the value of a label, is U+FFFD in the text. *)
  type family = {name : string, help : string}

  (* what only rises *)
  type counter
  (* A family of one counter without labels, or the counter of each list of the values of these labels. What is often
     used is best kept, rather than looked up each time. *)
  val counter : registry -> family -> counter
  (* With labels: `counters r {name = .., help = ..} ["method"] ["GET"]` is the counter for GET. *)
  val counters : registry -> family -> string list -> string list -> counter
  (* One more. *)
  val count : counter -> unit
  (* So many more; Invalid for less than 0. *)
  val add : counter * real -> unit
  (* What has been counted. *)
  val counted : counter -> real

  (* what rises and falls *)
  type gauge
  (* A gauge without labels. *)
  val gauge : registry -> family -> gauge
  (* The gauge of each list of the labels' values. *)
  val gauges : registry -> family -> string list -> string list -> gauge
  (* Sets it. *)
  val set : gauge * real -> unit
  (* Changes it by so much, up or down. *)
  val change : gauge * real -> unit
  (* What it is now. *)
  val level : gauge -> real
  (* The result of the function; meanwhile the gauge is higher by one. *)
  val during : gauge -> (unit -> 'a) -> 'a
  (* A gauge that is computed whenever the text is made. *)
  val gaugeOf : registry -> family -> (unit -> real) -> unit
  (* Likewise what only rises. *)
  val counterOf : registry -> family -> (unit -> real) -> unit

  (* how often values were below some bounds, their number and their sum *)
  type histogram
  (* 5 ms to 10 s, in seconds: for the time that requests take. *)
  val seconds : real list
  (* A histogram with these bounds, which rise; the last one, +Inf, is added. *)
  val histogram : registry -> family -> real list -> histogram
  (* With labels: first their names, then the bounds. *)
  val histograms : registry -> family -> string list -> real list -> string list -> histogram
  (* Adds a value. *)
  val observe : histogram * real -> unit
  (* The result of the function; the seconds that it takes are added, also when it raises an exception. *)
  val timed : histogram -> (unit -> 'a) -> 'a

  (* The program itself: processor time, memory and descriptors of its process under the usual names (`process_..`), and
     the threads, the heap and the collections (`leat_..`). *)
  val process : registry -> unit

  (* All figures as a text. *)
  val toText : registry -> string
  (* Answers with that text. *)
  val handler : registry -> HTTP.handler
  (* A handler whose requests are counted by method and status (`http_requests_total`), timed
     (`http_request_duration_seconds`) and counted while they are under way (`http_requests_in_flight`). *)
  val watched : registry -> HTTP.handler -> HTTP.handler
end

structure Metrics :> METRICS =
struct
  structure Lock = OrderedLock'

  exception Invalid of string

  (* The figure of one list of values. A histogram's are its counts, the last one that of all others, and the sum. *)
  type figure = {lock : Lock.lock, cells : RealArray.array}
  type counter = figure
  type gauge = figure
  type histogram = figure * real vector

  datatype kind = COUNTER | GAUGE | HISTOGRAM of real vector
  type family = {name : string, help : string}

  (* the figures by a hash of their values; how many there are *)
  type children = {buckets : (string list * figure) list array, count : int}
  datatype source =
      FIGURES of {labels : string list, lock : Lock.lock, children : children ref}
    | COMPUTED of unit -> real
  type member = {family : family, kind : kind, source : source}

  (* the last one is first *)
  type registry = {lock : Lock.lock, members : member list ref}

  fun registry () : registry = {lock = Lock.new (), members = ref []}

  fun locked lock f =
    let
      val () = Lock.take lock
      val x = f () handle e => (Lock.release lock; raise e)
    in
      Lock.release lock;
      x
    end

  (* -- names *)

  fun isName {colon} text =
    let
      fun isFirst c =
        Char.isAlpha c andalso Char.isAscii c orelse c = #"_" orelse colon andalso c = #":"
    in
      text <> ""
      andalso isFirst (String.sub (text, 0))
      andalso CharVector.all (fn c => isFirst c orelse Char.isDigit c) text
    end

  fun checkLabel {isHistogram} label =
    if not (isName {colon = false} label) orelse String.isPrefix "__" label then
      raise Invalid ("the name of a label: " ^ String.toString label)
    else if isHistogram andalso label = "le" then raise Invalid "a histogram's own label: le"
    else ()

  (* the names that its lines begin with, and its own *)
  fun lineNames ({family = {name, ...}, kind, ...} : member) =
    case kind of
      HISTOGRAM _ => [name, name ^ "_bucket", name ^ "_sum", name ^ "_count"]
    | _ => [name]

  fun register ({lock, members} : registry, member as {family = {name, ...}, ...} : member) =
    let
      val () =
        if isName {colon = true} name then ()
        else raise Invalid ("the name of a family: " ^ String.toString name)
      val names = lineNames member
      fun check (other as {family = {name = n, ...}, ...}) =
        if n = name then raise Invalid ("a family that is there already: " ^ name)
        else
          case List.filter (fn n => List.exists (fn m => m = n) names) (lineNames other) of
            [] => ()
          | both :: _ =>
              raise Invalid (concat ["the families ", n, " and ", name, " both have ", both])
    in
      locked lock (fn () => (List.app check (!members); members := member :: !members))
    end

  (* -- figures by the values of their labels *)

  fun figure width : figure = {lock = Lock.new (), cells = RealArray.array (width, 0.0)}

  fun hash (values, size') =
    let
      fun char (c, h) = Word.fromInt (Char.ord c) + 0w31 * h
      val h = List.foldl (fn (text, h) => CharVector.foldl char (h * 0w31 + 0w255) text) 0w7 values
    in
      Word.toInt (h mod Word.fromInt size')
    end

  fun insert (buckets, child as (values, _)) =
    let
      val i = hash (values, Array.length buckets)
    in
      Array.update (buckets, i, child :: Array.sub (buckets, i))
    end

  fun grown buckets =
    let
      val larger = Array.array (4 * Array.length buckets, [])
    in
      Array.app (List.app (fn child => insert (larger, child))) buckets;
      larger
    end

  fun family (registry, about as {name, ...}, kind, labels) =
    let
      val isHistogram = case kind of HISTOGRAM _ => true | _ => false
      val width = case kind of HISTOGRAM bounds => Vector.length bounds + 2 | _ => 1
      val () = List.app (checkLabel {isHistogram = isHistogram}) labels
      fun checkTwice [] = ()
        | checkTwice (label :: rest) =
            if List.exists (fn l => l = label) rest then
              raise Invalid ("a label that is there twice: " ^ label)
            else checkTwice rest
      val () = checkTwice labels
      val arity = List.length labels
      val lock = Lock.new ()
      val children = ref {buckets = Array.array (8, []), count = 0}
      val () =
        register (registry,
                  {family = about,
                   kind = kind,
                   source = FIGURES {labels = labels, lock = lock, children = children}})
      fun find values =
        let
          val {buckets, ...} = !children
        in
          List.find
            (fn (v, _) => v = values)
            (Array.sub (buckets, hash (values, Array.length buckets)))
        end
      fun child values =
        if List.length values <> arity then
          raise Invalid (concat [name,
                                 " has ",
                                 Int.toString arity,
                                 " labels, not ",
                                 Int.toString (List.length values)])
        else
          locked lock (fn () =>
            case find values of
              SOME (_, figure) => figure
            | NONE =>
                let
                  val {buckets, count} = !children
                  val buckets = if count > 2 * Array.length buckets then grown buckets else buckets
                  val new = figure width
                in
                  insert (buckets, (values, new));
                  children := {buckets = buckets, count = count + 1};
                  new
                end)
    in
      child o List.map JSONText'.utf8
    end

  fun counters registry about labels = family (registry, about, COUNTER, labels)
  fun counter registry about = counters registry about [] []
  fun gauges registry about labels = family (registry, about, GAUGE, labels)
  fun gauge registry about = gauges registry about [] []

  fun checkBounds (a :: (rest as b :: _)) =
        if a < b then checkBounds rest else raise Invalid "the bounds of a histogram do not rise"
    | checkBounds _ = ()

  fun histograms registry about labels bounds =
    let
      val () = checkBounds bounds
      val bounds = Vector.fromList (List.filter (fn x => x < Real.posInf) bounds)
      val child = family (registry, about, HISTOGRAM bounds, labels)
    in
      fn values => (child values, bounds)
    end
  fun histogram registry about bounds = histograms registry about [] bounds []
  val seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0]

  fun computed kind registry about f =
    register (registry, {family = about, kind = kind, source = COMPUTED f})
  fun gaugeOf registry = computed GAUGE registry
  fun counterOf registry = computed COUNTER registry

  (* -- values *)

  fun update ({lock, cells}, f) =
    (Lock.take lock;
     RealArray.update (cells, 0, f (RealArray.sub (cells, 0)));
     Lock.release lock)
  fun value ({lock, cells} : figure) =
    let
      val () = Lock.take lock
      val x = RealArray.sub (cells, 0)
    in
      Lock.release lock;
      x
    end

  fun count figure = update (figure, fn x => x + 1.0)
  fun add (figure, by) =
    if by >= 0.0 then update (figure, fn x => x + by) else raise Invalid "a counter does not fall"
  fun set (figure, to) = update (figure, fn _ => to)
  fun change (figure, by) = update (figure, fn x => x + by)
  val counted = value
  val level = value
  fun during gauge f =
    let
      val () = change (gauge, 1.0)
    in
      Scope.finally (f, fn () => change (gauge, ~1.0))
    end

  fun observe (({lock, cells}, bounds), x) =
    let
      val n = Vector.length bounds
      fun place i = if i = n orelse x <= Vector.sub (bounds, i) then i else place (i + 1)
      val i = place 0
    in
      Lock.take lock;
      RealArray.update (cells, i, RealArray.sub (cells, i) + 1.0);
      RealArray.update (cells, n + 1, RealArray.sub (cells, n + 1) + x);
      Lock.release lock
    end

  fun since start = Time.toReal (Timer.checkRealTimer start)
  fun timed histogram f =
    let
      val start = Timer.startRealTimer ()
      val x = f () handle e => (observe (histogram, since start); raise e)
    in
      observe (histogram, since start);
      x
    end

  (* -- text *)

  fun number x =
    if Real.isNan x then "NaN"
    else if not (Real.isFinite x) then if x > 0.0 then "+Inf" else "-Inf"
    else if Real.== (x, Real.realRound x) andalso Real.abs x < 1E15 then
      String.map
        (fn #"~" => #"-" | c => c)
        (LargeInt.toString (Real.toLargeInt IEEEReal.TO_NEAREST x))
    else RealText'.toString x

  fun escape {quote} =
    String.translate (fn #"\\" => "\\\\"
                       | #"\n" => "\\n"
                       | #"\"" => if quote then "\\\"" else "\""
                       | c => str c)

  fun pair (name, value) = concat [name, "=\"", escape {quote = true} value, "\""]
  fun labelled [] = ""
    | labelled pairs = concat ["{", String.concatWith "," (List.map pair pairs), "}"]

  fun snapshot ({lock, cells} : figure) =
    (* allocated before, so that the lock is held for a moment only *)
    let
      val copy = RealArray.array (RealArray.length cells, 0.0)
    in
      Lock.take lock;
      RealArray.copy {src = cells, dst = copy, di = 0};
      Lock.release lock;
      copy
    end

  fun kindOf COUNTER = "counter"
    | kindOf GAUGE = "gauge"
    | kindOf (HISTOGRAM _) = "histogram"

  fun figureText (name, kind, labels, values, figure) =
    let
      val pairs = ListPair.zipEq (labels, values)
      val cells = snapshot figure
    in
      case kind of
        HISTOGRAM bounds =>
          let
            val n = Vector.length bounds
            fun bucket (bound, total) =
              [name, "_bucket", labelled (pairs @ [("le", bound)]), " ", number total, "\n"]
            fun buckets (i, total) =
              if i = n then bucket ("+Inf", total + RealArray.sub (cells, n))
              else
                let
                  val total = total + RealArray.sub (cells, i)
                in
                  bucket (number (Vector.sub (bounds, i)), total) @ buckets (i + 1, total)
                end
            val all = RealArray.foldli (fn (i, x, sum) => if i <= n then sum + x else sum) 0.0 cells
          in
            buckets (0, 0.0)
            @ [name,
               "_sum",
               labelled pairs,
               " ",
               number (RealArray.sub (cells, n + 1)),
               "\n",
               name,
               "_count",
               labelled pairs,
               " ",
               number all,
               "\n"]
          end
      | _ => [name, labelled pairs, " ", number (RealArray.sub (cells, 0)), "\n"]
    end

  fun isBefore ([], _) = true
    | isBefore (_, []) = false
    | isBefore (a :: l, b :: m) = a < (b : string) orelse a = b andalso isBefore (l, m)

  fun insertion (child as (values, _), []) = [child]
    | insertion (child as (values, _), all as (first as (other, _)) :: rest) =
        if isBefore (values, other) then child :: all else first :: insertion (child, rest)

  (* by merging, in the order of the values *)
  fun sorted [] = []
    | sorted [x] = [x]
    | sorted children =
        let
          fun split (x :: y :: rest, l, r) = split (rest, x :: l, y :: r)
            | split (rest, l, r) = (rest @ l, r)
          fun merge ([], r) = r
            | merge (l, []) = l
            | merge (all as (x as (v, _)) :: l, more as (y as (w, _)) :: r) =
                if isBefore (v, w) then x :: merge (l, more) else y :: merge (all, r)
          val (l, r) = split (children, [], [])
        in
          merge (sorted l, sorted r)
        end

  fun memberText ({family = {name, help}, kind, source} : member) =
    "# HELP "
    :: name
    :: " "
    :: escape {quote = false} (JSONText'.utf8 help)
    :: "\n# TYPE "
    :: name
    :: " "
    :: kindOf kind
    :: "\n"
    :: (case source of
          COMPUTED f => [name, " ", number (f ()), "\n"]
        | FIGURES {labels, lock, children} =>
            let
              val {buckets, ...} = locked lock (fn () => !children)
              val all = locked lock (fn () => Array.foldl (fn (chain, l) => chain :: l) [] buckets)
            in
              List.concat (List.map
                             (fn (values, figure) =>
                               figureText (name, kind, labels, values, figure))
                             (sorted (List.concat all)))
            end)

  fun toText ({lock, members} : registry) =
    concat (List.concat (List.map memberText (rev (locked lock (fn () => !members)))))

  fun handler registry (_ : HTTP.request) =
    HTTP.content 200 {kind = "text/plain; version=0.0.4; charset=utf-8"} (toText registry)

  fun watched registry (handler : HTTP.handler) =
    let
      val requests =
        counters
          registry
          {name = "http_requests_total", help = "Requests that were answered."}
          ["method", "status"]
      val times =
        histogram
          registry
          {name = "http_request_duration_seconds",
           help = "How long handlers took to make their responses."}
          seconds
      val inFlight =
        gauge registry {name = "http_requests_in_flight",
                        help = "Requests for which a handler makes a response."}
      (* a client could send any word *)
      val known = ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"]
      fun method m = if List.exists (fn k => k = m) known then m else "other"
      fun note (m, status) = count (requests [method m, status])
    in
      fn (request as {method = m, ...} : HTTP.request) =>
        let
          val response =
            during inFlight (fn () => timed times (fn () => handler request))
            handle e => (note (m, "500"); raise e)
        in
          note (m, Int.toString (#status response));
          response
        end
    end

  (* -- the process *)

  (* a file of /proc; the empty string where there is none *)
  fun file name =
    let
      val stream = TextIO.openIn name
    in
      TextIO.inputAll stream before TextIO.closeIn stream
    end
    handle IO.Io _ => ""

  val pageSize = SysWord.toInt (Posix.ProcEnv.sysconf "PAGESIZE")

  fun resident () =
    case String.tokens Char.isSpace (file "/proc/self/statm") of
      _ :: pages :: _ => Real.fromInt (Option.getOpt (Int.fromString pages, 0) * pageSize)
    | _ => 0.0

  fun descriptors () =
    let
      val folder = OS.FileSys.openDir "/proc/self/fd"
      fun go n = case OS.FileSys.readDir folder of SOME _ => go (n + 1) | NONE => n
    in
      (* one of them is the folder's *)
      Real.fromInt
        (go 0 - 1)
      before OS.FileSys.closeDir folder
    end
    handle OS.SysErr _ => 0.0

  fun process registry =
    let
      val start = Time.toReal (Time.now ())
      fun ofInt f () = Real.fromInt (f ())
      fun gauge (name, help, f) = gaugeOf registry {name = name, help = help} f
      fun counter (name, help, f) = counterOf registry {name = name, help = help} f
      fun cpu () =
        let
          val {usr, sys} = Timer.checkCPUTimer (Timer.totalCPUTimer ())
        in
          Time.toReal (Time.+ (usr, sys))
        end
      fun inSeconds f () = Real.fromInt (f ()) / 1E9
      open Leat
    in
      counter ("process_cpu_seconds_total", "Processor time, user and system.", cpu);
      gauge ("process_resident_memory_bytes", "Memory that is resident.", resident);
      gauge ("process_open_fds", "Descriptors that are open.", descriptors);
      gauge ("process_start_time_seconds",
             "When the figures began, in seconds since 1970.",
             fn () => start);
      gauge ("leat_threads", "Threads that have not ended.", ofInt Count.threads);
      gauge ("leat_timers", "Time-outs that run.", ofInt Count.timers);
      gauge
        ("leat_workers", "OS threads that run threads of the program.", ofInt Scheduler.workers);
      counter ("leat_thread_switches_total",
               "How often another thread ran next.",
               ofInt Scheduler.switches);
      gauge ("leat_heap_bytes", "Bytes that the heap has.", ofInt GC.heapBytes);
      gauge ("leat_live_bytes",
             "Bytes that the last major collection found alive.",
             ofInt GC.liveBytes);
      counter ("leat_allocated_bytes_total",
               "Bytes that the program has allocated.",
               ofInt GC.allocatedBytes);
      counter ("leat_minor_collections_total", "Minor collections.", ofInt GC.minorCollections);
      counter ("leat_minor_collection_seconds_total",
               "The time of minor collections.",
               inSeconds GC.minorNanoseconds);
      counter ("leat_major_collections_total", "Major collections.", ofInt GC.majorCollections);
      counter ("leat_major_collection_seconds_total",
               "The time of major collections.",
               inSeconds GC.majorNanoseconds)
    end
end
