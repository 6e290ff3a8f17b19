(* A statement that does not begin, since its scope is cancelled, leaves no memory behind: the text of each was lost. *)
open Sqlite
val db = openFile (":memory:", {mode = POOLED, readOnly = false, busy = Time.fromSeconds 1})
val sql = "SELECT 1 -- " ^ CharVector.tabulate (1000000, fn _ => #"x")

(* of the process, in kB *)
fun size () =
  let
    val file = TextIO.openIn "/proc/self/status"
    val lines = String.fields (fn c => c = #"\n") (TextIO.inputAll file)
  in
    TextIO.closeIn file;
    case List.find (String.isPrefix "VmRSS:") lines of
      SOME line => valOf (Int.fromString (String.extract (line, 6, NONE)))
    | NONE => 0
  end
fun cancelled f =
  Scope.run (fn scope => (Scope.cancel (scope, Fail "enough"); f ()))
  handle Scope.Cancelled => ()
       | Fail _ => ()
fun both () =
  (cancelled (fn () => execute db sql);
   cancelled (fn () => ignore (prepare db (none, int) sql)))
fun times 0 = ()
  | times n = (both (); times (n - 1))
val () = times 10
val before' = size ()
val () = times 100
val more = size () - before'
val () = print (if more < 100000 then "nothing is left\n" else Int.toString more ^ " kB more\n")
val () = print (Int.toString (valOf (first (prepare db (none, int) "SELECT 7") ())) ^ "\n")
val () = close db
