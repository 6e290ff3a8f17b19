(* What happened since it was asked last: the collector's counters, and what the system says of page faults and of other
   processes on this processor. For Leat on Linux. *)

structure Cause =
struct
  (* fields of /proc/self/stat behind the name: minor faults; of /proc/self/status: switches that the process did not want *)
  fun read file =
    let val stream = TextIO.openIn file
    in TextIO.inputAll stream before TextIO.closeIn stream end

  fun number word = Option.getOpt (Int.fromString word, 0)

  fun faults () =
    case String.tokens (fn c => c = #")") (read "/proc/self/stat") of
      [_, rest] => number (List.nth (String.tokens Char.isSpace rest, 7))
    | _ => 0

  fun switches () =
    let
      val lines = String.tokens (fn c => c = #"\n") (read "/proc/self/status")
      val prefix = "nonvoluntary_ctxt_switches:"
    in
      case List.find (String.isPrefix prefix) lines of
        SOME line => number (String.extract (line, size prefix, NONE))
      | NONE => 0
    end

  fun counters () = (Leat.GC.minorCollections (), Leat.GC.majorCollections (), switches (), faults ())
  val last = ref (0, 0, 0, 0)

  fun since () =
    let
      val (a, b, c, d) = !last
      val (a', b', c', d') = counters ()
      (* what reading the files itself has touched is not the next one's *)
      val () = last := counters ()
    in
      if b' > b then "a major collection"
      else if a' > a then "a minor collection"
      else if c' > c then "another process ran"
      else if d' > d then Int.toString (d' - d) ^ " fresh pages"
      else "not known"
    end
end
