(* A thread of a scope waits for a descriptor that is closed, and its number is given to another one: the thread is
   told, as outside of scopes, and does not read what belongs to the other. *)
fun bytes s = Word8VectorSlice.full (Byte.stringToBytes s)

fun reader r () =
  print ("read: " ^ Byte.bytesToString (Posix.IO.readVec (r, 10)) ^ "\n")
  handle OS.SysErr (m, _) => print ("SysErr: " ^ m ^ "\n")
fun poller r () =
  print (case OS.IO.poll ([OS.IO.pollIn (valOf (OS.IO.pollDesc (Posix.FileSys.fdToIOD r)))], NONE) of
           [] => "none\n"
         | _ => "ready\n")
  handle OS.SysErr (m, _) => print ("SysErr: " ^ m ^ "\n")

fun go (name, waits, inside) =
  let
    val () = print (name ^ ": ")
    val {infd = r, outfd = w} = Posix.IO.pipe ()
    val t = CML.spawn (fn () => inside (waits r))
    val () = CML.yield ()
    val () = Posix.IO.close r
    val {infd = r2, outfd = w2} = Posix.IO.pipe ()
    val () = if r2 = r then () else print "(another number) "
    val _ = Posix.IO.writeVec (w2, bytes "secret")
  in
    CML.sync (CML.joinEvt t);
    app Posix.IO.close [w, w2, r2]
  end

fun outside f = f ()
fun scoped f = Scope.run (fn _ => f ())
val () = go ("read, outside of scopes", reader, outside)
val () = go ("poll, outside of scopes", poller, outside)
val () = go ("read, in a scope", reader, scoped)
val () = go ("poll, in a scope", poller, scoped)
