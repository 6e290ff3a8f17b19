(* light STYLE NETWORK N: runs one network in one style, and prints one line of NAME=VALUE pairs:

   style, network, n, result
   cpu-us      CPU time of the run, user's and system's, in microseconds
   gc-us       what of it were collections
   peak-heap   bytes, as the collector knows it
   resident    bytes, of the process at its peak
   offers      of events to handlers (equeue) *)

fun usage () =
  (TextIO.output (TextIO.stdErr,
     "usage: light STYLE NETWORK N\n  STYLE    " ^ String.concatWith " " (map #1 Styles.all) ^
     "\n  NETWORK  kpn sieve sorter sorter-d\n");
   Posix.Process.exit 0w2)

(* the line `VmHWM:   123456 kB` of the process's status *)
fun resident () =
  let
    val status = TextIO.openIn "/proc/self/status"
    fun find () =
      case TextIO.inputLine status of
        NONE => 0
      | SOME line =>
          if String.isPrefix "VmHWM:" line then valOf (Int.fromString (String.extract (line, 6, NONE))) * 1024
          else find ()
  in
    find () before TextIO.closeIn status
  end

fun show (name, value) = name ^ "=" ^ value
fun number (name, value) = show (name, Int.toString value)
fun microseconds t = Int.fromLarge (Time.toMicroseconds t)

fun main (style, network, n) =
  let
    val (_, networks : Styles.networks, offers) =
      case List.find (fn (name, _, _) => name = style) Styles.all of SOME s => s | NONE => usage ()
    val f =
      case network of
        "kpn" => #kpn networks
      | "sieve" => #sieve networks
      | "sorter" => #sorter networks
      | "sorter-d" => #setup networks
      | _ => usage ()
    val timer = Timer.startCPUTimer ()
    val result = f n
    val {usr, sys} = Timer.checkCPUTimer timer
    val gc = Leat.GC.minorNanoseconds () + Leat.GC.majorNanoseconds ()
  in
    print (String.concatWith " "
      [show ("style", style), show ("network", network), number ("n", n), number ("result", result),
       number ("cpu-us", microseconds (Time.+ (usr, sys))), number ("gc-us", gc div 1000),
       number ("peak-heap", Leat.GC.peakHeapBytes ()), number ("resident", resident ()),
       number ("offers", offers ())] ^ "\n");
    (* threads that still run are not waited for *)
    OS.Process.exit OS.Process.success
  end

val () =
  case CommandLine.arguments () of
    [style, network, n] =>
      (case Int.fromString n of SOME n => if n > 0 then main (style, network, n) else usage () | NONE => usage ())
  | _ => usage ()
