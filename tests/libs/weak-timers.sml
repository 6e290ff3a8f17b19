(* The thread that closes what a Pool has not used for too long waited for a time, and a program does not end while one
   of its threads waits for a time: a deadlock within Pool.run was never told. That of HTTPClient was left out for this
   reason, so a client that asked nobody any more kept its sockets. *)
fun settings idle =
  {size = 1,
   make = fn () => print "made\n",
   close = fn () => print "closed\n",
   check = fn () => true,
   idle = idle}
fun blocked () : unit = CML.recv (CML.channel ())

(* It closes as before. *)
val () =
  Pool.run (settings (Time.fromMilliseconds 20)) (fn pool =>
    (Pool.use pool (fn () => ());
     OS.Process.sleep (Time.fromMilliseconds 200);
     print (Int.toString (#idle (Pool.count pool)) ^ " idle\n")))
(* doit ends though the sweeper waits for an hour. *)
val _ =
  RunCML.doit (fn () =>
                 (ignore (CML.spawn (fn () => Pool.run (settings (Time.fromSeconds 7200)) (fn _ => blocked ())));
                  print "begun\n"),
               NONE)
val () = print "over\n"
(* A time-out that counts is waited for beside it. *)
val () =
  Pool.run (settings (Time.fromMilliseconds 30)) (fn _ =>
    List.app
      (fn n => (OS.Process.sleep (Time.fromMilliseconds 40); print (Int.toString n ^ "\n")))
      [1, 2, 3])
