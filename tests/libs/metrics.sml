(* Metrics: the text of every kind of family, what is escaped, what is refused, and figures that many threads change. *)

open Metrics

fun refused f = (f (); print "taken\n") handle Invalid why => print (why ^ "\n")

val r = registry ()
val plain = counter r {name = "jobs_total", help = "Jobs, \"done\" or not:\nback\\slash."}
val () = (count plain; count plain; add (plain, 0.5))
val by = counters r {name = "by:kind", help = ""} ["kind", "_who"]
val () = List.app (fn l => count (by l)) [["b", "x"], ["a", "y"], ["b", "x"], ["", "q\"u\\o\nte"], ["a", ""]]
val () = refused (fn () => ignore (by ["only"]))
val g = gauge r {name = "level", help = "Up and down."}
val () = (set (g, 3.0); change (g, ~5.0))
val () = during g (fn () => print ("during: " ^ Real.toString (level g) ^ "\n"))
val () = (during g (fn () => raise Fail "x") handle Fail _ => ())
val special = gauges r {name = "special", help = "Numbers."} ["n"]
val () =
  ListPair.app (fn (n, x) => set (special [n], x))
    (["inf", "minus", "nan", "small", "large", "exact", "half"],
     [Real.posInf, Real.negInf, Real.posInf - Real.posInf, 1.5E~7, 1.0E22, 123456789012345.0, ~0.5])
val h = histogram r {name = "took", help = "Seconds."} [0.1, 1.0, 2.5]
val () = List.app (fn x => observe (h, x)) [0.05, 0.1, 0.100001, 2.0, 2.5, 2.6, 100.0, ~1.0]
val hs = histograms r {name = "sizes", help = "Bytes."} ["kind"] [10.0, Real.posInf]
val () = (observe (hs ["x"], 10.0); observe (hs ["y"], 11.0))
val () = gaugeOf r {name = "answer", help = "Computed."} (fn () => 42.0)
val empty = counters r {name = "empty", help = "Without figures."} ["a"]
val () = print (toText r)

val () = List.app (fn f => refused (fn () => ignore (f ())))
  [fn () => counter r {name = "level", help = ""},
   fn () => counter r {name = "", help = ""},
   fn () => counter r {name = "9a", help = ""},
   fn () => counter r {name = "a-b", help = ""},
   fn () => counter r {name = "a\nb", help = ""},
   fn () => counters r {name = "l1", help = ""} ["a:b"] ["x"],
   fn () => counters r {name = "l2", help = ""} ["__a"] ["x"],
   fn () => counters r {name = "l5", help = ""} ["a", "b", "a"] ["x", "y", "z"]]
val () = refused (fn () => ignore (histograms r {name = "l3", help = ""} ["le"] [1.0] ["x"]))
val () = refused (fn () => ignore (histogram r {name = "l4", help = ""} [1.0, 1.0]))
val () = refused (fn () => add (plain, ~1.0))

(* A histogram's lines are those of a counter, or the counter's those of a histogram: both were taken. *)
val () =
  let
    val r = registry ()
    fun about name = {name = name, help = ""}
    fun taken name = refused (fn () => ignore (counter r (about name)))
    fun takenH name = refused (fn () => ignore (histogram r (about name) [1.0]))
  in
    takenH "h";
    List.app taken ["h_count", "h_sum", "h_bucket", "h_other", "h"];
    taken "k_count";
    List.app takenH ["k", "h_count", "h_bucket", "h"];
    refused (fn () => gaugeOf r (about "h_sum") (fn () => 0.0))
  end

(* What is no UTF-8 went out as it was; values that are the same then are one figure. *)
val () =
  let
    val r = registry ()
    val c = counters r {name = "c", help = "h\195\188\255."} ["l"]
  in
    List.app (fn l => count (c [l])) ["\195\188\255", "\195\188\254", "\226\130", "\237\160\128", "a\"b\\c\nd"];
    print (toText r)
  end

(* Many threads, and as many values of a label: the table grows meanwhile. *)
val many = counters r {name = "many", help = ""} ["i"]
val timesH = histogram r {name = "times", help = ""} [0.5]
val () =
  Scope.run (fn scope =>
    List.app (fn k => ignore (Scope.fork scope (fn () =>
        List.app (fn i => (count (many [Int.toString i]); observe (timesH, Real.fromInt (i mod 2)); CML.yield ()))
          (List.tabulate (60, fn i => i)))))
      (List.tabulate (5, fn k => k)))
val () = print (Int.toString (length (List.filter (fn i => Real.== (counted (many [Int.toString i]), 5.0)) (List.tabulate (60, fn i => i)))) ^ " of 60 are 5\n")
val () = List.app (fn l => if String.isPrefix "times" l then print (l ^ "\n") else ()) (String.tokens (fn c => c = #"\n") (toText r))

(* around a handler *)
val r = registry ()
val () = process r
val site =
  watched r (fn {method = "GET", ...} => HTTP.text 200 "x" | {method = "PUT", ...} => raise Fail "x" | _ => HTTP.status 405)
fun visit line =
  ignore (site (valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString (line ^ " / HTTP/1.1\r\nHost: x\r\n\r\n")))))
  handle Fail _ => print "raised\n"
val () = List.app visit ["GET", "GET", "PUT", "POST", "ODD", "ODDER"]
val request = valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.ofString "GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n"))
val {headers, body, ...} = handler r request
val () = print (valOf (HTTPHeaders.get headers "content-type") ^ "\n")
val lines = String.tokens (fn c => c = #"\n") (HTTPBody.all {most = 100000} body)
val () = List.app (fn l => if String.isPrefix "http_requests" l then print (l ^ "\n") else ()) lines
(* the process: that there is a sensible number behind each name *)
fun show name =
  case List.find (String.isPrefix (name ^ " ")) lines of
    NONE => print (name ^ " is missing\n")
  | SOME l => print (concat [name, if valOf (Real.fromString (String.extract (l, size name + 1, NONE))) > 0.0 then " is above 0\n" else " is 0\n"])
val () = List.app show
  ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds", "process_start_time_seconds", "leat_threads",
   "leat_heap_bytes", "leat_allocated_bytes_total", "leat_workers"]

(* A function that says CML.exit was under way for ever. *)
val () =
  let
    val registry = Metrics.registry ()
    val g = Metrics.gauge registry {name = "g", help = "g"}
  in
    CML.sync (CML.joinEvt (CML.spawn (fn () => Metrics.during g (fn () => CML.exit ()))));
    print (Real.toString (Metrics.level g) ^ "\n")
  end
