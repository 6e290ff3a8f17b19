(* B6: a million threads, each blocked in a receive. Prints the live bytes of heap for each thread, everything counted,
   and the resident memory of the process at its peak in megabytes. *)

open CML

val n =
  case CommandLine.arguments () of
    [n] => valOf (Int.fromString n)
  | _ => 1000000

fun liveBytes () = (SMLofNJ.Internals.GC.doGC 10; Leat.GC.liveBytes ())

val empty = liveBytes ()

val answer : int chan = channel ()
val question : int chan = channel ()

fun worker () = send (answer, recv question + 1)

val () =
  let fun go i = if i = n then () else (ignore (spawn worker); go (i + 1))
  in go 0 end

val blocked = liveBytes ()

(* all of them answer *)
val () =
  let
    fun ask 0 = ()
      | ask k = (send (question, k); ask (k - 1))
    val _ = spawn (fn () => ask n)
    fun listen (0, sum) = sum
      | listen (k, sum) = listen (k - 1, sum + recv answer)
    val sum = listen (n, 0)
  in
    if sum = n * (n + 1) div 2 + n then () else raise Fail "an answer was lost"
  end

(* the line `VmHWM: 123456 kB` of the process's status *)
fun peakMegabytes () =
  let
    val status = TextIO.openIn "/proc/self/status"
    fun find () =
      case TextIO.inputLine status of
        NONE => 0
      | SOME line =>
          if String.isPrefix "VmHWM:" line then valOf (Int.fromString (String.extract (line, 6, NONE))) div 1024
          else find ()
  in
    find ()
  end

val () = print ("live-bytes-per-thread " ^ Int.toString ((blocked - empty) div n) ^ "\n")
val () = print ("resident-megabytes " ^ Int.toString (peakMegabytes ()) ^ "\n")
