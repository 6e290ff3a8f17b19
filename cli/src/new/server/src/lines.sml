structure Lines :> LINES =
struct
  type socket = (INetSock.inet, Socket.active Socket.stream) Socket.sock

  (* what was received and is no whole line yet *)
  type reader = {socket : socket, rest : string ref}

  val longest = 65536

  fun reader socket = {socket = socket, rest = ref ""}

  fun read (reader as {socket, rest}) =
    case Substring.splitl (fn c => c <> #"\n") (Substring.full (!rest)) of
      (line, more) =>
        if not (Substring.isEmpty more) then
          (rest := Substring.string (Substring.triml 1 more);
           SOME (Substring.string (Substring.dropr (fn c => c = #"\r") line)))
        else if size (!rest) > longest then NONE
        else
          let
            val bytes = Socket.recvVec (socket, 4096)
          in
            if Word8Vector.length bytes = 0 then NONE
            else (rest := !rest ^ Byte.bytesToString bytes; read reader)
          end

  fun write (socket, line) =
    let
      fun send slice =
        if Word8VectorSlice.isEmpty slice then ()
        else send (Word8VectorSlice.subslice (slice, Socket.sendVec (socket, slice), NONE))
    in
      send (Word8VectorSlice.full (Byte.stringToBytes (line ^ "\n")))
    end
end
