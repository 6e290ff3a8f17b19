(* A blocking call of C as an event: it begins when it is synchronised on; what it gives is dropped when another event
   happens; `interrupt` makes C return early; a scope ends behind the call. C reads from a pipe: it waits until a byte
   comes. *)
structure B = Foreign.Buffer

val readC = _import "read" blocking : int * MLton.Pointer.t * Word64.word -> Int64.int;
fun say s = print (s ^ "\n")
val fd = SysWord.toInt o Posix.FileSys.fdToWord

fun pipe () =
  let
    val {infd, outfd} = Posix.IO.pipe ()
    val room = B.new 1
    (* the byte that comes *)
    fun get () =
      if B.use room (fn at => readC (fd infd, at, 0w1)) = 1 then Byte.byteToChar (B.getWord8 (room, 0))
      else raise Fail "nothing came"
    fun put c =
      ignore (Posix.IO.writeVec (outfd, Word8VectorSlice.full (Word8Vector.fromList [Byte.charToByte c])))
  in
    {get = get, put = put, close = fn () => Posix.IO.close outfd}
  end

(* begins at the synchronisation, and once each time *)
val calls = ref 0
fun count n = (calls := !calls + 1; n + 1)
val event = Foreign.callEvt count 1
val () = say (Int.toString (!calls))
val () = say (Int.toString (CML.sync event + CML.sync event) ^ " " ^ Int.toString (!calls))

(* alone, and in a choice that it wins or loses *)
val {get, put, close} = pipe ()
val () = put #"a"
val () = say (str (CML.sync (Foreign.callEvt get ())))
val () = ignore (CML.spawn (fn () => put #"b"))
val () = say (str (CML.select [Foreign.callEvt get (), CML.wrap (CML.never, fn () => #"?")]))
val other = CML.channel ()
val () = ignore (CML.spawn (fn () => CML.send (other, #"c")))
val late = SyncVar.iVar ()
val () = CML.select [Foreign.callEvt (fn () => SyncVar.iPut (late, get ())) (),
                     CML.wrap (CML.recvEvt other, say o str)]
(* that call still waits, and takes this byte *)
val () = put #"d"
val () = say (str (SyncVar.iGet late))

(* its exception *)
val () = close ()
val () = ignore (CML.sync (Foreign.callEvt get ())) handle Fail s => say s

(* interrupted by another event, by a scope's end; not when it has come *)
val {get, put, ...} = pipe ()
val stops = SyncVar.mVarInit 0
fun stop () = (SyncVar.mPut (stops, SyncVar.mTake stops + 1); put #"!")
val event = Foreign.interruptibleEvt {call = get, interrupt = stop} ()
val () = put #"f"
val () = say (str (CML.sync event))
val () = ignore (CML.spawn (fn () => CML.send (other, #"g")))
val () = say (str (CML.select [event, CML.recvEvt other]))
fun stopped n = if SyncVar.mGet stops >= n then () else (CML.yield (); stopped n)
val () = (stopped 1; say "stopped")
exception Enough
val () =
  Scope.run (fn scope =>
    (ignore (Scope.fork scope (fn () => (CML.yield (); Scope.cancel (scope, Enough))));
     ignore (CML.sync event)))
  handle Enough => say "cancelled"
(* each one may be repeated until C has returned *)
val () = (stopped 2; say "twice")

(* A call that ended its thread left whoever waited for it waiting. *)
val () =
  (CML.sync (Foreign.callEvt (fn () => CML.exit ()) ()); say "no exception")
  handle Scope.Cancelled => say "the call has ended its thread"
