(* What has been idle for too long is closed, which takes a while: meanwhile somebody who wanted one got a new one, so there
   were more than the pool's size at once. *)
fun ms n = Time.fromMilliseconds n
val lock = Semaphore.semaphore 1
val alive = ref 0
val most = ref 0
fun count n =
  Semaphore.withPermit lock (fn () => (alive := !alive + n; most := Int.max (!most, !alive)))
fun settings size =
  {size = size,
   make = fn () => count 1,
   close = fn () => (OS.Process.sleep (ms 60); count ~1),
   check = fn () => true,
   idle = ms 10}
fun both pool = ignore (Pool.use pool (fn () => Pool.use pool (fn () => ())))
val () =
  Pool.run (settings 1) (fn pool =>
    (Pool.use pool (fn () => ());
     OS.Process.sleep (ms 30);
     Pool.use pool (fn () => ())))
val () = print (Int.toString (!most) ^ " of 1\n")
val () =
  Pool.run (settings 2) (fn pool => (both pool; OS.Process.sleep (ms 30); both pool; OS.Process.sleep (ms 200);
                                     print (Int.toString (#idle (Pool.count pool)) ^ " idle\n")))
val () = print (Int.toString (!most) ^ " of 2, " ^ Int.toString (!alive) ^ " left\n")
