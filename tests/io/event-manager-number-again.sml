(* A callback closed a descriptor that was ready in the same turn, and opened and registered another one, which got its
   number: the new callback was called with nothing there, and its read stopped all others. *)
structure EM = EventManager
fun put fd = ignore (Posix.IO.writeVec (fd, Word8VectorSlice.full (Word8Vector.fromList [0w65])))
fun listen (fd, call) = EM.register (Posix.FileSys.fdToIOD fd, EM.evtRead, call)
val (first, second) = (Posix.IO.pipe (), Posix.IO.pipe ())
val replaced = SyncVar.iVar ()
val secondKey = ref (NONE : EM.key option)
fun replace (key, _) =
  let
    val () = (EM.unregister key; EM.unregister (valOf (!secondKey)); Posix.IO.close (#infd second))
    val {infd, outfd = _} = Posix.IO.pipe ()
  in
    print (if infd = #infd second then "the same number\n" else "another number\n");
    ignore (listen (infd, fn _ => (print "called\n"; ignore (Posix.IO.readVec (infd, 1)))));
    SyncVar.iPut (replaced, ())
  end
val _ = listen (#infd first, replace)
val () = secondKey := SOME (listen (#infd second, ignore))
(* As a rule both are ready in one turn; where the callback comes between the two, the second pipe has no reader any
   more. *)
val () = (put (#outfd first); put (#outfd second) handle OS.SysErr _ => ())
val () = SyncVar.iGet replaced
(* The callbacks go on. *)
val over = SyncVar.iVar ()
val _ = EM.registerTimeout (Time.fromMilliseconds 1, fn () => SyncVar.iPut (over, ()))
val () = (SyncVar.iGet over; print "the time-out is called\n")
val () = OS.Process.exit OS.Process.success
