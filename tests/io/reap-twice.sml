(* A call of `Unix.reap` that was cancelled had closed the child's pipes; the next call closed their numbers again, which
   belonged to others by then: to the poller, in one run. The same with `reapEvt`, which another event of a choice outran. *)
val ms = Time.fromMilliseconds
fun number fd = SysWord.toInt (Posix.FileSys.fdToWord fd)
fun isOpen fd = (ignore (Posix.FileSys.fstat fd); true) handle OS.SysErr _ => false

fun try (what, first) =
  let
    val child : (TextIO.instream, TextIO.outstream) Unix.proc = Unix.execute ("/bin/sleep", ["0.1"])
    val () = first child
    (* these take the numbers of the child's pipes *)
    val pipes = List.tabulate (3, fn _ => Posix.IO.pipe ())
    val fds = List.concat (map (fn {infd, outfd} => [infd, outfd]) pipes)
    val status = Unix.reap child
  in
    print (concat [what, ": ",
                   if OS.Process.isSuccess status then "reaped, " else "failed, ",
                   if List.all isOpen fds then "others are open\n" else "others are closed\n"]);
    app (fn fd => Posix.IO.close fd handle OS.SysErr _ => ()) fds
  end

fun first child = ignore (Scope.within (ms 10) (fn _ => Unix.reap child))
(* what the runtime opens when it is first needed is there afterwards *)
val () = first (Unix.execute ("/bin/sleep", ["0.02"]) : (TextIO.instream, TextIO.outstream) Unix.proc)
val () = OS.Process.sleep (ms 50)
val () = try ("reap", first)
val () = try ("reapEvt", fn child => CML.select [CML.wrap (Unix.reapEvt child, ignore), CML.timeOutEvt (ms 10)])
