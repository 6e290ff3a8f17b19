(* One side of a connection for BoringSSL's runner of tests of TLS, as its page PORTING.md asks for: tests/tls.rs says how to
   run it. It connects to the runner, sends the number that it was given, agrees on TLS as a client or a server, and sends
   back what comes with each bit turned over. Exit code 0: all went well; 1: it did not, and standard error says why; 89:
   an option that this program does not know, or that Tls has nothing for. *)

exception Unimplemented of string

val arguments = CommandLine.arguments ()
val port = ref 0
val number : LargeInt.int ref = ref 0
val isServer = ref false
val isIPv6 = ref false
val chain = ref NONE
val key = ref NONE
val trust = ref NONE
val host = ref NONE
val verifies = ref false
val lowest = ref 0x303
val highest = ref 0x304
val resumptions = ref 0
val writesFirst = ref false
val shutsDown = ref false
val checksEnd = ref false
val readSize = ref 16384

(* What is expected, of the first connection and of the later ones. *)
type expected =
  {alpn : string option ref,
   version : int option ref,
   name : string option ref,
   offer : string list ref}
fun expectations () : expected =
  {alpn = ref NONE, version = ref NONE, name = ref NONE, offer = ref []}
val initial = expectations ()
val resumed = expectations ()

fun int s =
  case (if String.isPrefix "0x" s then Int.scan StringCvt.HEX else Int.scan StringCvt.DEC)
         Substring.getc
         (Substring.full s) of
    SOME (n, _) => n
  | NONE => raise Unimplemented s

(* A list of protocols as it stands in a message: each behind its length. *)
fun protocols "" = []
  | protocols s =
      let
        val n = ord (String.sub (s, 0))
      in
        String.substring (s, 1, n) :: protocols (String.extract (s, n + 1, NONE))
      end

(* An option that both kinds of connections have, or one of them. *)
fun expectation (which : expected list) =
  fn ("-expect-alpn", s) => (app (fn e => #alpn e := SOME s) which; true)
   | ("-expect-version", s) => (app (fn e => #version e := SOME (int s)) which; true)
   | ("-expect-server-name", s) => (app (fn e => #name e := SOME s) which; true)
   | ("-advertise-alpn", s) => (app (fn e => #offer e := protocols s) which; true)
   | ("-select-alpn", s) => (app (fn e => #offer e := [s]) which; true)
   | _ => false

(* Of these Tls does the one or the other by itself. *)
val passed =
  ["-async", "-no-ssl3", "-no-tls1", "-no-tls11", "-use-old-client-cert-callback",
   "-expect-no-session", "-expect-session-miss", "-no-op-extra-handshake", "-permute-extensions",
   "-expect-secure-renegotiation", "-expect-extended-master-secret"]

fun readValue (name, value) =
  case name of
    "-port" => port := int value
  | "-shim-id" => number := valOf (LargeInt.fromString value)
  | "-cert-file" => chain := SOME value
  | "-key-file" => key := SOME value
  | "-trust-cert" => trust := SOME value
  | "-host-name" => host := SOME value
  | "-min-version" => lowest := int value
  | "-max-version" => highest := int value
  | "-resume-count" => resumptions := int value
  | "-read-size" => readSize := int value
  | _ =>
      let
        fun isOf (prefix, which) =
          String.isPrefix prefix name
          andalso expectation which ("-" ^ String.extract (name, size prefix, NONE), value)
      in
        if isOf ("-on-initial-", [initial])
           orelse isOf ("-on-resume-", [resumed])
           orelse isOf ("-", [initial, resumed])
        then ()
        else raise Unimplemented name
      end

fun read [] = ()
  | read ("-server" :: rest) = (isServer := true; read rest)
  | read ("-ipv6" :: rest) = (isIPv6 := true; read rest)
  | read ("-verify-peer" :: rest) = (verifies := true; read rest)
  | read ("-shim-writes-first" :: rest) = (writesFirst := true; read rest)
  | read ("-shim-shuts-down" :: rest) = (shutsDown := true; read rest)
  | read ("-check-close-notify" :: rest) = (checksEnd := true; read rest)
  | read ("-no-tls12" :: rest) = (lowest := 0x304; read rest)
  | read ("-no-tls13" :: rest) = (highest := 0x303; read rest)
  | read (name :: rest) =
      if List.exists (fn s => s = name) passed then read rest
      else
        case rest of
          [] => raise Unimplemented name
        | value :: rest => (readValue (name, value); read rest)

fun versions () =
  if !lowest <= 0x303 andalso !highest >= 0x304 then []
  else if !lowest <= 0x303 andalso !highest >= 0x303 then [Tls.Only12]
  else if !lowest <= 0x304 andalso !highest >= 0x304 then [Tls.Only13]
  else raise Unimplemented "a version"

fun certificate () =
  case (!chain, !key) of
    (SOME chain, SOME key) => [Tls.Certificate {chain = chain, key = key}]
  | _ => []

fun offered ({offer, ...} : expected) = case !offer of [] => [] | l => [Tls.Protocols l]

fun clientSettings e =
  versions ()
  @ certificate ()
  @ offered e
  @ (case (!verifies, !trust) of
       (true, SOME file) => [Tls.Trust file, Tls.NotTheSystem]
     | (true, NONE) => raise Unimplemented "-verify-peer"
     | (false, _) => [Tls.Anybody])

fun serverSettings e =
  versions ()
  @ certificate ()
  @ offered e
  @ (case (!verifies, !trust) of
       (true, SOME file) => [Tls.Trust file, Tls.AskClients]
     | (true, NONE) => raise Unimplemented "-verify-peer"
     | (false, _) => [])

(* -- a connection *)

val bytes = Word8VectorSlice.full

(* The number, its lowest byte first. *)
fun start sock =
  let
    fun byte i = Word8.fromLargeInt (IntInf.~>> (!number, Word.fromInt (8 * i)))
  in
    ignore (Socket.sendVec (sock, bytes (Word8Vector.tabulate (8, byte))))
  end

fun wire () =
  if !isIPv6 then
    let
      val sock = INet6Sock.TCP.socket () : Socket.active INet6Sock.stream_sock
    in
      Socket.connect (sock, INet6Sock.toAddr (valOf (Net6HostDB.fromString "::1"), !port));
      start sock;
      Tls.wire sock
    end
  else
    let
      val sock = INetSock.TCP.socket () : Socket.active INetSock.stream_sock
    in
      Socket.connect (sock, INetSock.toAddr (valOf (NetHostDB.fromString "127.0.0.1"), !port));
      start sock;
      Tls.wire sock
    end

fun check (s, {alpn, version, name, ...} : expected) =
  let
    val agreed = Tls.agreement s
    fun wrong what = raise Fail ("another " ^ what ^ " than was expected")
    fun same (what, wanted, got) =
      case wanted of NONE => () | SOME x => if got = x then () else wrong what
  in
    same ("version", !version, if #version agreed = "TLS 1.3" then 0x304 else 0x303);
    same ("protocol", !alpn, getOpt (#protocol agreed, ""));
    same ("name", !name, getOpt (#name agreed, ""))
  end

fun echo s =
  let
    val v = Tls.recvVec (s, !readSize)
  in
    if Word8Vector.length v = 0 then ()
    else (Tls.sendVec (s, bytes (Word8Vector.map Word8.notb v)); echo s)
  end

fun drain s = if Word8Vector.length (Tls.recvVec (s, !readSize)) = 0 then () else drain s

fun connection (agree, expected) =
  let
    val s = agree (wire ())
  in
    (check (s, expected);
     if !writesFirst then Tls.sendVec (s, bytes (Byte.stringToBytes "hello")) else ();
     if !shutsDown then (Tls.finish s; drain s) else echo s;
     if !checksEnd then Tls.finish s else ();
     Tls.close s)
    handle e => (Tls.close s; raise e)
  end

fun run () =
  let
    val agree =
      if !isServer then
        let val server = Tls.server (serverSettings initial) in fn _ => Tls.acceptOver server end
      else
        let
          val first = Tls.client (clientSettings initial)
          val later =
            if !(#offer initial) = !(#offer resumed) then first
            else Tls.client (clientSettings resumed)
          (* An address: then no name is sent. *)
          val name = getOpt (!host, "127.0.0.1")
        in
          fn isFirst => Tls.connectOver (if isFirst then first else later, name)
        end
    fun go i =
      if i > !resumptions then ()
      else (connection (agree (i = 0), if i = 0 then initial else resumed); go (i + 1))
  in
    go 0
  end

(* The runner asks before the tests. *)
fun answer () =
  if arguments = ["-is-handshaker-supported"] then print "No\n" else (read arguments; run ())

fun main () =
  (answer (); OS.Process.exit OS.Process.success)
  handle Unimplemented name => (TextIO.output (TextIO.stdErr, name ^ "\n"); Posix.Process.exit 0w89)
       | e =>
           (TextIO.output (TextIO.stdErr, exnMessage e ^ "\n"); OS.Process.exit OS.Process.failure)

val _ = RunCML.doit (fn () => ignore (main ()), NONE)
