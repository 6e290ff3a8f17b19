(* SocketWire': how bytes come and go below TLS, and that of a socket. *)

structure SocketWire' : sig
  (* What can be done now, or as an event. An empty vector is the end. *)
  type t =
    {recvNow : unit -> Word8Vector.vector option,
     recv : Word8Vector.vector CML.event,
     sendNow : Word8VectorSlice.slice -> int option,
     send : Word8VectorSlice.slice -> int CML.event,
     close : unit -> unit}
  (* Of `recv` and `send`: it was told too early that the socket is ready. They are waited for again, as long as there
     is time. *)
  exception Again
  (* The wire of a socket, from which the function reads what is there. *)
  val wire :
    ('af, Socket.active Socket.stream) Socket.sock * (unit -> Word8Vector.vector option) -> t
end =
struct
  type t =
    {recvNow : unit -> Word8Vector.vector option,
     recv : Word8Vector.vector CML.event,
     sendNow : Word8VectorSlice.slice -> int option,
     send : Word8VectorSlice.slice -> int CML.event,
     close : unit -> unit}

  exception Again
  fun now (SOME x) = x
    | now NONE = raise Again

  fun wire (sock, recvNow) =
    let
      fun sendNow slice = Socket.sendVecNB (sock, slice)
    in
      {recvNow = recvNow,
       recv = CML.wrap (Socket.readableEvt sock, now o recvNow),
       sendNow = sendNow,
       send = fn slice => CML.wrap (Socket.writableEvt sock, fn () => now (sendNow slice)),
       close = fn () => Socket.close sock handle OS.SysErr _ => ()}
    end
end
