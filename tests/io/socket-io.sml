(* SocketIO: streams over sockets of three families, and TlsIO: what each end of them does to the other side, that
   nothing is lost or doubled when a wait is cancelled, and that a long line costs no more than its length. *)

open CML
fun say parts = print (concat parts ^ "\n")
fun cause (IO.Io {cause = OS.SysErr (_, SOME e), ...}) = "Io: " ^ OS.errorName e
  | cause (IO.Io {cause, ...}) = "Io: " ^ exnName cause
  | cause (OS.SysErr (_, SOME e)) = "SysErr: " ^ OS.errorName e
  | cause e = exnName e
fun try f = f () handle e => cause e
fun ms n = Time.fromMilliseconds n
(* the result of a thread, when it has ended *)
fun beside f =
  let
    val result = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (result, try f))
  in
    fn () => SyncVar.iGet result
  end
fun all (next, s) = case next s of SOME x => x :: all (next, s) | NONE => []
fun lines ins = all (TextIO.inputLine, ins)
fun line ins = Option.getOpt (TextIO.inputLine ins, "the end\n")
fun write (outs, text) = (TextIO.output (outs, text); TextIO.flushOut outs)
fun pair () = UnixSock.Strm.socketPair ()

(* -- each family: a server that sends lines back, until there are no more *)

fun echo (ins, outs) =
  case TextIO.inputLine ins of
    SOME text => (TextIO.output (outs, "> " ^ text); TextIO.flushOut outs; echo (ins, outs))
  | NONE => ()
(* The listener and the client are of one family, and of two types. *)
fun connection (what, listener, address, socket) =
  let
    val () = (Socket.bind (listener, address); Socket.listen (listener, 5))
    val server = beside (fn () => (SocketIO.withText (#1 (Socket.accept listener)) echo; "served"))
    val () = Socket.connect (socket, Socket.Ctl.getSockName listener)
    val answers =
      SocketIO.withText socket (fn (ins, outs) =>
        let
          val () = write (outs, "one\n")
          val first = line ins
        in
          TextIO.output (outs, "two\nthree");
          TextIO.closeOut outs;
          first :: lines ins
        end)
  in
    say [what, ": ", String.toString (concat answers), " ", server ()];
    say [try (fn () => (SocketIO.sendAll (socket, Word8Vector.fromList [0w0]); "open"))];
    Socket.close listener
  end
val () =
  connection ("inet",
              INetSock.TCP.socket (),
              INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), 0),
              INetSock.TCP.socket ())
(* Not every machine has ::1. *)
val () =
  connection ("inet6",
              INet6Sock.TCP.socket (),
              INet6Sock.toAddr (valOf (Net6HostDB.fromString "::1"), 0),
              INet6Sock.TCP.socket ())
  handle OS.SysErr _ => app say [["inet6: > one\\n> two\\n> three\\n served"], ["SysErr: badf"]]
val path = OS.FileSys.tmpName ()
val () = OS.FileSys.remove path
val () =
  connection ("unix", UnixSock.Strm.socket (), UnixSock.toAddr path, UnixSock.Strm.socket ())
val () = OS.FileSys.remove path

(* -- bytes, in blocks and all, and what sends without a stream *)

val () =
  let
    val (a, b) = pair ()
    val sent = Word8Vector.tabulate (300000, fn i => Word8.fromInt (i mod 251))
    val sender =
      beside (fn () =>
        SocketIO.withBin a (fn (_, outs) => (BinIO.output (outs, sent); BinIO.output1 (outs, 0w7); "")))
    val same =
      SocketIO.withBin b (fn (ins, _) =>
        let
          val first = BinIO.inputN (ins, 100)
          val rest = BinIO.inputAll ins
        in
          Word8Vector.concat [first, rest] = Word8Vector.concat [sent, Word8Vector.fromList [0w7]]
        end)
    val (a, b) = pair ()
    val part = Word8VectorSlice.slice (sent, 1000, SOME 250000)
    val sender' =
      beside (fn () => (SocketIO.sendAllSlice (a, part); SocketIO.sendAll (a, sent); Socket.close a; ""))
    val all = SocketIO.withBin b (BinIO.inputAll o #1)
  in
    say [sender (),
         sender' (),
         Bool.toString same,
         " ",
         Bool.toString (all = Word8Vector.concat [Word8VectorSlice.vector part, sent])]
  end

(* -- a long line that comes in small pieces: its end is looked for in what is new *)

val () =
  let
    val (a, b) = pair ()
    val piece = CharVector.tabulate (100, fn _ => #"x")
    fun pieces (_, 0) = ()
      | pieces (outs, n) = (write (outs, piece); pieces (outs, n - 1))
    val _ = beside (fn () => (SocketIO.withText a (fn (_, outs) => pieces (outs, 3000)); ""))
    val (ins, outs) = SocketIO.openText b
  in
    say ["a line of ", Int.toString (size (line ins))];
    TextIO.closeIn ins;
    TextIO.closeOut outs
  end

(* -- closing: one direction, the other one, the socket *)

val () =
  let
    val (a, b) = pair ()
    val (ins, outs) = SocketIO.openText a
    val (ins', outs') = SocketIO.openText b
    val waiting = beside (fn () => line ins)
  in
    TextIO.output (outs, "last");
    TextIO.closeOut outs;
    say ["the other side has ", String.toString (TextIO.inputAll ins')];
    write (outs', "an answer\n");
    say ["and sends ", String.toString (waiting ())];
    let
      val waiting = beside (fn () => line ins)
    in
      (* it waits by now, or not *)
      yield ();
      TextIO.closeIn ins;
      say ["who waits has ", String.toString (waiting ())]
    end;
    say ["the socket is closed, ", try (fn () => (Socket.Ctl.getSockName a; "not"))];
    say [try (fn () => (TextIO.output (outs, "x"); "not closed"))];
    TextIO.closeIn ins;
    TextIO.closeOut outs;
    TextIO.closeIn ins';
    TextIO.closeOut outs'
  end

(* -- errors: who is told, and how one gives up *)

val () =
  let
    val (a, b) = pair ()
    val (ins, outs) = SocketIO.openText a
    val () = Socket.close b
  in
    say ["write: ", try (fn () => (write (outs, "to nobody\n"); "sent"))];
    say ["close: ", try (fn () => (TextIO.closeOut outs; "closed"))];
    say ["read: ", String.toString (line ins)];
    Socket.close a;
    say ["close: ", try (fn () => (TextIO.closeOut outs; TextIO.closeIn ins; "closed"))]
  end
(* A function that raises: what it has written is lost, and its threads go on. *)
exception Broken
val () =
  let
    val (a, b) = pair ()
    val reader = ref (fn () => "")
  in
    say [try (fn () =>
           SocketIO.withText a (fn (ins, outs) =>
             (reader := beside (fn () => line ins); TextIO.output (outs, "half"); raise Broken)))];
    say ["its reader has ", String.toString (!reader ())];
    say ["the other side has ", SocketIO.withText b (TextIO.inputAll o #1), "nothing"]
  end

(* -- cancelled: nothing is lost, and nothing comes twice *)

val () =
  let
    val (a, b) = pair ()
    val (ins, outs) = SocketIO.openText a
    val (ins', outs') = SocketIO.openText b
    fun within f = if isSome (Scope.within (ms 5) (fn _ => f ())) then "not cancelled" else "cancelled"
    val () = write (outs', "half a ")
  in
    say [within (fn () => line ins)];
    write (outs', "line\n");
    say [String.toString (line ins)];
    (* more than the socket has room for *)
    let
      fun more i =
        if i < 100000 then (TextIO.output (outs, Int.toString i ^ "\n"); more (i + 1)) else ()
      val big = CharVector.tabulate (1000000, fn i => Char.chr (i mod 26 + 97))
      val () = say [within (fn () => (TextIO.output (outs, big); more 0))]
      val rest = beside (fn () => (TextIO.output (outs, "!"); TextIO.closeOut outs; ""))
      val got = TextIO.inputAll ins'
    in
      say [rest (), if got = big ^ "!" then "all of it once" else Int.toString (size got)]
    end;
    app TextIO.closeIn [ins, ins'];
    TextIO.closeOut outs'
  end

(* -- several threads, and events *)

val () =
  let
    val (a, b) = pair ()
    fun writes outs name =
      beside (fn () =>
        (List.app (fn i => TextIO.output (outs, name ^ Int.toString i ^ "\n")) (List.tabulate (200, fn i => i));
         ""))
    val writers =
      beside (fn () =>
        SocketIO.withText a (fn (_, outs) =>
          concat (List.map (fn wait => wait ()) (List.map (writes outs) ["a", "b", "c"]))))
    val found =
      SocketIO.withText b (fn (ins, _) =>
        let
          val readers = List.tabulate (3, fn _ => let val got = ref [] in (got, beside (fn () => (got := lines ins; ""))) end)
        in
          List.concat (List.map (fn (got, wait) => (wait (); !got)) readers)
        end)
    fun isWhole text =
      case Int.fromString (String.extract (text, 1, NONE)) of
        SOME i => text = String.substring (text, 0, 1) ^ Int.toString i ^ "\n"
      | NONE => false
  in
    say [writers (), Int.toString (length found), " lines, ", Bool.toString (List.all isWhole found)]
  end
val () =
  let
    val (a, b) = pair ()
    val (ins, _) = SocketIO.openText a
    fun soon time =
      select [wrap (TextIO.inputLineEvt ins, fn text => Option.getOpt (text, "the end")),
              wrap (timeOutEvt time, fn () => "nothing yet")]
  in
    say [soon (ms 1)];
    SocketIO.withText b (fn (_, outs) => (write (outs, "a line"); say [soon (ms 1)]; write (outs, "\n")));
    say [String.toString (soon (Time.fromSeconds 60)), " ", soon (Time.fromSeconds 60)];
    Socket.close a
  end

(* -- TLS *)

val serverSide = Tls.server [Tls.CertificatePEM {chain = Keys.serverPEM, key = Keys.serverKey}]
val clientSide = Tls.client [Tls.NotTheSystem, Tls.TrustPEM Keys.caPEM]
fun secure () =
  let
    val (a, b) = pair ()
    val there = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (there, Tls.accept serverSide a))
    val here = Tls.connect (clientSide, "localhost") b
  in
    (SyncVar.iGet there, here)
  end
val () =
  let
    val (there, here) = secure ()
    val server = beside (fn () => (TlsIO.withText there echo; "served"))
    val answers =
      TlsIO.withText here (fn (ins, outs) =>
        let
          val () = write (outs, "one\n")
          val first = line ins
          (* its end is not cut off, and is told *)
          val () = write (outs, "two")
          val () = TextIO.closeOut outs
        in
          first :: lines ins
        end)
  in
    say ["tls: ", String.toString (concat answers), " ", server ()]
  end
val () =
  let
    val (there, here) = secure ()
    val (ins, outs) = TlsIO.openText there
    val (ins', outs') = TlsIO.openText here
    fun within f = if isSome (Scope.within (ms 5) (fn _ => f ())) then "not cancelled" else "cancelled"
    val big = CharVector.tabulate (2000000, fn i => Char.chr (i mod 26 + 97))
    val () = say ["tls: ", within (fn () => line ins), " ", within (fn () => TextIO.output (outs, big))]
    val rest = beside (fn () => (TextIO.output (outs, "!"); TextIO.closeOut outs; ""))
    val got = TextIO.inputAll ins'
    val () = say ["tls: ", rest (), if got = big ^ "!" then "all of it once" else Int.toString (size got)]
    (* an event does not lose what has come *)
    val () =
      say [select [wrap (TextIO.inputLineEvt ins, fn _ => "a line"),
                   wrap (timeOutEvt (ms 1), fn () => "nothing yet")]]
  in
    write (outs', "come\n");
    say [String.toString (line ins)];
    (* cut off, without an end *)
    Tls.close here;
    TextIO.closeOut outs';
    TextIO.closeIn ins';
    say [String.toString (line ins)];
    TextIO.closeIn ins
  end
val () =
  let
    val (a, b) = pair ()
    val there = SyncVar.iVar ()
    val _ = spawn (fn () => SyncVar.iPut (there, Tls.accept serverSide a))
    val here = Tls.connect (clientSide, "localhost") b
    val _ = SyncVar.iGet there
  in
    Socket.close a;
    say ["cut off: ", try (fn () => TlsIO.withText here (fn (ins, _) => line ins))]
  end
val () = say ["done"]
