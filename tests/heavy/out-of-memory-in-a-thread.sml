(* A thread that nobody saves from used-up memory ends like one with any other uncaught exception: alone. It once
   ended the program, without exit functions. *)
fun grow l = if length l = ~1 then l else grow (Array.array (100000, 0) :: l)
val t = CML.spawn (fn () => ignore (grow []))
val () = CML.sync (CML.joinEvt t)
val () = print "the thread has ended\n"
fun sum (0, l) = List.foldl op+ 0 l
  | sum (n, l) = sum (n - 1, n :: l)
val () = print (Int.toString (sum (10000, [])) ^ "\n")
val () = OS.Process.exit OS.Process.success
