(* No identifier comes twice: in a child of the process, and in threads. *)
val _ = GenUUID.new ()
val {infd, outfd} = Posix.IO.pipe ()
val () =
  case Posix.Process.fork () of
    NONE =>
      let
        val s = UUID.toString (GenUUID.new ())
      in
        ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Byte.stringToBytes s)));
        Posix.Process.exit 0w0
      end
  | SOME pid =>
      let
        val mine = UUID.toString (GenUUID.new ())
        val child = Byte.bytesToString (Posix.IO.readVec (infd, 36))
      in
        ignore (Posix.Process.waitpid (Posix.Process.W_CHILD pid, []));
        print ((if mine = child then "parent and child: the same, " ^ mine else "parent and child: different") ^ "\n")
      end

structure Set = RedBlackSetFn (struct type ord_key = string val compare = String.compare end)
fun some () = List.tabulate (20000, fn _ => UUID.toString (GenUUID.new ()))
val results = List.tabulate (2, fn _ => SyncVar.iVar ())
val () =
  List.app
    (fn v => ignore (CML.spawn (fn () => SyncVar.iPut (v, some () handle e => (print (exnName e ^ "\n"); [])))))
    results
val all = List.concat (List.map SyncVar.iGet results)
val () =
  print (Int.toString (length all - Set.numItems (Set.fromList all)) ^ " of " ^ Int.toString (length all) ^ " twice\n")
