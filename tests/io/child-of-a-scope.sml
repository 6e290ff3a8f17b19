(* A child that ends with the call for which it was started, as docs/reference/scopes.md has it. *)
CM.make "$(SML_LIB)/leat/scope.mlb";
fun withChild (command, arguments) f =
  let
    val child = Unix.execute (command, arguments)
    fun reap () = ignore (Unix.reap child)
    fun clean () =
      (Unix.kill (child, Posix.Signal.term);
       case Scope.within (Time.fromSeconds 2) (fn _ => reap ()) of
         SOME () => ()
       | NONE => (Unix.kill (child, Posix.Signal.kill); reap ()))
      handle OS.SysErr _ => ()
  in
    Scope.finally (fn () => f child, clean)
  end
fun show NONE = "cancelled"
  | show (SOME status) = if OS.Process.isSuccess status then "success" else "failure"
fun line s = print (s ^ "\n")
val start = Time.now ()
val () = line (show (Scope.within (Time.fromMilliseconds 100) (fn _ => withChild ("/bin/sleep", ["1000"]) Unix.reap)))
val () = line (show (Scope.within (Time.fromSeconds 500) (fn _ => withChild ("/bin/sh", ["-c", "exit 0"]) Unix.reap)))
val () = line (show (Scope.within (Time.fromSeconds 500) (fn _ => withChild ("/bin/sh", ["-c", "exit 3"]) Unix.reap)))
val () = line (if Time.< (Time.- (Time.now (), start), Time.fromSeconds 500) then "in time" else "late")
