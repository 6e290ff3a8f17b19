(* So many pipes, or as many as the limit of open files allows: then a line on standard error says so, and the program goes as
   far as it can. *)

structure Pipes =
struct
  (* files that the rest of the program may want: the poller's, standard ones *)
  val spare = 8

  fun make (program, wanted) =
    let
      fun full (OS.SysErr (_, SOME error)) = error = Posix.Error.mfile orelse error = Posix.Error.nfile
        | full _ = false
      fun go (0, ends) = ends
        | go (left, ends) =
            case SOME (Posix.IO.pipe ()) handle exn => if full exn then NONE else raise exn of
              SOME pipe => go (left - 1, pipe :: ends)
            | NONE => limited ends
      and limited ends =
        let
          val (given, kept) = (List.take (ends, Int.min (spare, length ends)), List.drop (ends, Int.min (spare, length ends)))
        in
          List.app (fn {infd, outfd} => (Posix.IO.close infd; Posix.IO.close outfd)) given;
          if null kept then raise Fail "no pipe can be opened" else ();
          TextIO.output (TextIO.stdErr,
            concat [program, ": the limit of open files allows ", Int.toString (length kept), " of ", Int.toString wanted, " pipes\n"]);
          kept
        end
    in
      rev (go (wanted, []))
    end
end
