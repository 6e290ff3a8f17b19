(* Only urgent data is waited for, and ordinary data is there. `OS.IO.pollEvt` had been chosen, since the descriptor was
   ready, and waited for ever, beside a time-out; and after `OS.IO.poll`, or `Socket.select` for exceptions, the runtime
   noted that there was nothing to be read, so the next `recvVec` waited for ever. *)
open CML
fun ms n = Time.fromMilliseconds n
val listener : Socket.passive INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.bind (listener, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0))
val () = Socket.listen (listener, 5)
val here : Socket.active INetSock.stream_sock = INetSock.TCP.socket ()
val () = Socket.connect (here, Socket.Ctl.getSockName listener)
val (there, _) = Socket.accept listener
fun send (text, oob) =
  ignore (Socket.sendVec' (here, Word8VectorSlice.full (Byte.stringToBytes text), {don't_route = false, oob = oob}))
fun say text = print (text ^ "\n")

val any = valOf (OS.IO.pollDesc (Socket.ioDesc there))
val urgent = OS.IO.pollPri any
fun told [] = "nothing"
  | told infos =
      String.concatWith ", "
        (map (fn info =>
                (if OS.IO.isIn info then "in " else "") ^ (if OS.IO.isPri info then "urgent" else ""))
             infos)
fun chosen desc = select [wrap (OS.IO.pollEvt [desc], told), wrap (timeOutEvt (ms 30), fn () => "time out")]
fun receive n = say (Byte.bytesToString (Socket.recvVec (there, n)))

val () = say (chosen urgent)
val () = send ("ordinary", false)
val () = ignore (OS.IO.poll ([OS.IO.pollIn any], NONE))
val () = say (chosen urgent)
val () = say (told (OS.IO.poll ([urgent], SOME (ms 30))))
val () = say (Int.toString (length (#exs (Socket.select {rds = [], wrs = [], exs = [Socket.sockDesc there],
                                                         timeout = SOME (ms 30)}))))
val () = receive 3
val () = say (told (OS.IO.poll ([urgent], SOME Time.zeroTime)))
(* urgent data comes while ordinary data is there *)
val _ = spawn (fn () => (sync (timeOutEvt (ms 30)); send ("!", true)))
val () = say (told (sync (OS.IO.pollEvt [urgent])))
val () = say (told (OS.IO.poll ([urgent], NONE)))
val () = receive 5
val _ = Socket.close here
