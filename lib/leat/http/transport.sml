(* HTTPTransport': how the bytes of a connection come and go: over a socket, or over what another library makes of one
   (`HTTPS` does). *)

structure HTTPTransport' =
struct
  (* What is known of a connection that nobody else can read; as `Tls.agreement`. *)
  type secure =
    {version : string,
     cipher : string,
     protocol : string option,
     name : string option,
     certificates : Word8Vector.vector list}

  (* read: some bytes, which are waited for until that time of HTTPClock'; the empty string is the end. write: all of
     it; so long at most may pass until the other side takes some, and then some more, however long all of it takes.
     Both raise HTTPInput'.TimeOut, and `read` HTTPInput'.CutOff. whyLost: of what else `read` raises, why. isIdle:
     nothing has come, not even the end; what has come is lost. isGone: the end has come, or an error, and nothing
     before it that is not read. finish: no more will be sent. abort: closes the socket, whatever is under way, and so
     that the other side does not take it for a usual end; what waits for it fails, and `close` has nothing left to do.
     *)
  type t =
    {read : Time.time -> string,
     write : Time.time * string -> unit,
     whyLost : exn -> string option,
     isIdle : unit -> bool,
     isGone : unit -> bool,
     finish : unit -> unit,
     close : unit -> unit,
     abort : unit -> unit,
     secure : secure option}

  open CML

  (* How much is read at a time: twice as much as before when that was not enough, up to a most. Room is made for it
     before it is known how much there is, and most messages are short. *)
  fun growing most =
    let
      val size = ref (Int.min (2000, most))
      fun note bytes =
        (if Word8Vector.length bytes = !size then size := Int.min (2 * !size, most) else ();
         bytes)
    in
      {size = fn () => !size, note = note}
    end

  (* A socket, from which so much is read at most at a time. *)
  fun wire (sock, most) =
    let
      val {size, note} = growing most
    in
      SocketWire'.wire (sock, fn () => Option.map note (Socket.recvVecNB (sock, size ())))
    end

  fun after time = wrap (timeOutEvt time, fn () => raise HTTPInput'.TimeOut)
  (* It is made when it is waited for. *)
  fun timeOut until = after (HTTPClock'.left until)

  (* What is there already needs no event. *)
  fun plain (sock, most) : t =
    let
      val {size, note} = growing most
      (* The event may be out of date: another worker had it in hand when the bytes were read that it tells of. *)
      fun read until =
        case Socket.recvVecNB (sock, size ()) of
          SOME v => Byte.bytesToString (note v)
        | NONE => (select [Socket.readableEvt sock, timeOut until]; read until)
      fun write (time, text) =
        let
          (* The other side takes some until that moment, if there is one yet. *)
          fun go (part, moment) =
            if Word8VectorSlice.length part = 0 then ()
            else
              case Socket.sendVecNB (sock, part) of
                SOME n => go (Word8VectorSlice.subslice (part, n, NONE), NONE)
              | NONE =>
                  let
                    val until =
                      case moment of SOME until => until | NONE => HTTPClock'.deadline time
                  in
                    select [Socket.writableEvt sock, timeOut until];
                    go (part, SOME until)
                  end
        in
          go (Word8VectorSlice.full (Byte.stringToBytes text), NONE)
        end
      fun close () = Socket.close sock handle OS.SysErr _ => ()
    in
      {read = read,
       write = write,
       whyLost = fn OS.SysErr (why, _) => SOME why | _ => NONE,
       isIdle = fn () => not (isSome (Socket.recvVecNB (sock, 1))),
       isGone = fn () =>
         (case Socket.recvVecNB' (sock, 1, {peek = true, oob = false}) of
            SOME bytes => Word8Vector.length bytes = 0
          | NONE => false)
         handle OS.SysErr _ => true,
       finish = fn () => Socket.shutdown (sock, Socket.NO_SENDS),
       close = close,
       (* whoever has what came before knows that it was not all *)
       abort = fn () =>
         (Socket.Ctl.setLINGER (sock, SOME Time.zeroTime) handle OS.SysErr _ => (); close ()),
       secure = NONE}
    end
end
