(* httpd: an HTTP/1.1 server of static files. A thread for each connection; each phase of a request has its time by an
   event. SIGTERM and SIGINT end it when the requests under way are answered.

   usage: leat run httpd.sml [--port=8080] [--root=.] [--workers=1] [--patience=SECONDS] *)

structure Config =
struct
  val port = ref 8080
  val root = ref "."
  val maxHeader = 16384
  val maxBody = 1048576
  (* seconds: for the next request to begin, for its header, for its body, for the answer to be taken *)
  val idleTime = ref 15
  val headerTime = ref 10
  val bodyTime = ref 30
  val sendTime = ref 30
  fun setPatience seconds = List.app (fn time => time := seconds) [idleTime, headerTime, bodyTime, sendTime]
  (* for requests under way when the server is to end *)
  val graceTime = 5
end

(* A connection: its socket, and what was received and not used. *)
structure Conn =
struct
  exception Closed
  exception TimeOut
  (* an answer that ends the connection *)
  exception Refuse of int

  type t = {sock : Socket.active INetSock.stream_sock, rest : string ref}

  fun deadline seconds = Time.+ (Time.now (), Time.fromSeconds (Int.toLarge seconds))

  (* More bytes, until then; the empty string is the end. What is there already needs no event. *)
  fun more ({sock, ...} : t, until) =
    Byte.bytesToString
      (case Socket.recvVecNB (sock, 16384) of
         SOME v => v
       | NONE => CML.select [Socket.recvVecEvt (sock, 16384), CML.wrap (CML.atTimeEvt until, fn () => raise TimeOut)])

  fun sendAll ({sock, ...} : t, text) =
    let
      val until = deadline (!Config.sendTime)
      fun go part =
        if Word8VectorSlice.length part = 0 then ()
        else
          let
            val n =
              case Socket.sendVecNB (sock, part) of
                SOME n => n
              | NONE => CML.select [Socket.sendVecEvt (sock, part), CML.wrap (CML.atTimeEvt until, fn () => raise TimeOut)]
          in
            go (Word8VectorSlice.subslice (part, n, NONE))
          end
    in
      go (Word8VectorSlice.full (Byte.stringToBytes text))
    end
end

structure Request =
struct
  type t = {method : string, target : string, minor : int, headers : (string * string) list}

  fun find name (headers : (string * string) list) = Option.map #2 (List.find (fn (n, _) => n = name) headers)

  (* the index behind the empty line that ends a header, looking from an index on *)
  fun headerEnd (text, from) =
    let
      val n = size text
      fun go i =
        if i + 3 >= n then NONE
        else if String.sub (text, i + 3) = #"\n" andalso String.sub (text, i) = #"\r"
                andalso String.sub (text, i + 1) = #"\n" andalso String.sub (text, i + 2) = #"\r"
        then SOME (i + 4)
        else go (i + 1)
    in
      go (Int.max (0, from))
    end

  (* The header's text; NONE when the client has closed before a request. *)
  fun readHeader (conn as {rest, ...} : Conn.t) =
    let
      fun go (text, from, until) =
        case headerEnd (text, from) of
          SOME i => (rest := String.extract (text, i, NONE); SOME (String.substring (text, 0, i - 2)))
        | NONE =>
            if size text > Config.maxHeader then raise Conn.Refuse 431
            else
              case (rest := text; Conn.more (conn, until)) of
                "" => if text = "" then NONE else raise Conn.Closed
              | part => go (text ^ part, size text - 3, if text = "" then Conn.deadline (!Config.headerTime) else until)
      val begun = !rest <> ""
    in
      go (!rest, 0, Conn.deadline (if begun then !Config.headerTime else !Config.idleTime))
    end

  fun parse text : t =
    let
      fun bad () = raise Conn.Refuse 400
      fun trim s = Substring.string (Substring.dropl Char.isSpace (Substring.dropr Char.isSpace s))
      fun header line =
        let val (name, value) = Substring.splitl (fn c => c <> #":") line
        in
          if Substring.isEmpty value orelse Substring.isEmpty name orelse Char.isSpace (Substring.sub (name, 0)) then bad ()
          else (String.map Char.toLower (Substring.string name), trim (Substring.triml 1 value))
        end
      val lines = Substring.fields (fn c => c = #"\n") (Substring.full text)
      val lines = map (fn l => if Substring.isSuffix "\r" l then Substring.trimr 1 l else bad ()) (List.filter (not o Substring.isEmpty) lines)
    in
      case lines of
        [] => bad ()
      | first :: others =>
          case Substring.fields (fn c => c = #" ") first of
            [method, target, version] =>
              {method = Substring.string method, target = Substring.string target,
               minor = (case Substring.string version of "HTTP/1.1" => 1 | "HTTP/1.0" => 0 | _ => raise Conn.Refuse 505),
               headers = map header others}
          | _ => bad ()
    end

  (* The body is not used here: it is read, so that the next request is found. *)
  fun skipBody (conn as {rest, ...} : Conn.t, headers) =
    case (find "transfer-encoding" headers, find "content-length" headers) of
      (SOME _, _) => raise Conn.Refuse 501
    | (_, NONE) => ()
    | (_, SOME length) =>
        let
          val digits = length <> "" andalso CharVector.all Char.isDigit length andalso size length < 16
          val n = if digits then valOf (Int.fromString length) else raise Conn.Refuse 400
          val until = Conn.deadline (!Config.bodyTime)
          fun go n =
            if n <= size (!rest) then rest := String.extract (!rest, n, NONE)
            else
              let val left = n - size (!rest)
              in
                rest := Conn.more (conn, until);
                if !rest = "" then raise Conn.Closed else go left
              end
        in
          if n > Config.maxBody then raise Conn.Refuse 413 else ();
          if find "expect" headers = SOME "100-continue" then Conn.sendAll (conn, "HTTP/1.1 100 Continue\r\n\r\n") else ();
          go n
        end

  fun isKept ({minor, headers, ...} : t) =
    case Option.map (String.map Char.toLower) (find "connection" headers) of
      SOME "close" => false
    | SOME "keep-alive" => true
    | _ => minor = 1
end

structure Files =
struct
  (* The path below the root that a target names; NONE when it names none. *)
  fun pathOf target =
    let
      fun decode (#"%" :: a :: b :: rest, parts) =
            if Char.isHexDigit a andalso Char.isHexDigit b then
              decode (rest, Char.chr (16 * digit a + digit b) :: parts)
            else NONE
        | decode (#"%" :: _, _) = NONE
        | decode (c :: rest, parts) = decode (rest, c :: parts)
        | decode ([], parts) = SOME (String.implode (rev parts))
      and digit c = valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (str c))
      val plain = Substring.string (Substring.takel (fn c => c <> #"?" andalso c <> #"#") (Substring.full target))
    in
      case decode (String.explode plain, []) of
        NONE => NONE
      | SOME path =>
          if not (String.isPrefix "/" path) orelse Char.contains path #"\000"
             orelse List.exists (fn s => s = "..") (String.fields (fn c => c = #"/") path)
          then NONE
          else SOME (!Config.root ^ path ^ (if String.isSuffix "/" path then "index.html" else ""))
    end

  fun typeOf path =
    case OS.Path.ext path of
      SOME "html" => "text/html; charset=utf-8"
    | SOME "css" => "text/css"
    | SOME "js" => "text/javascript"
    | SOME "json" => "application/json"
    | SOME "png" => "image/png"
    | SOME "jpg" => "image/jpeg"
    | SOME "svg" => "image/svg+xml"
    | SOME "txt" => "text/plain; charset=utf-8"
    | SOME "sml" => "text/plain; charset=utf-8"
    | _ => "application/octet-stream"

  (* Small files are kept while they do not change. *)
  val largest = 65536
  val room = ref 67108864
  type entry = {modified : Time.time, length : int, text : string}
  val slots = 1024
  val kept : (string * entry) list array = Array.array (slots, [])
  fun slotOf path = Word.toInt (Word.mod (CharVector.foldl (fn (c, h) => Word.+ (Word.* (h, 0w31), Word.fromInt (ord c))) 0w7 path, Word.fromInt slots))

  fun readFile path =
    let val s = BinIO.openIn path
    in Byte.bytesToString (BinIO.inputAll s) before BinIO.closeIn s end

  fun find path =
    let val s = Posix.FileSys.stat path
    in if Posix.FileSys.ST.isReg s then SOME (Posix.FileSys.ST.mtime s, Posix.FileSys.ST.size s) else NONE end
    handle OS.SysErr _ => NONE

  fun get (path, modified, length) =
    let
      val i = slotOf path
      val entries = Array.sub (kept, i)
      fun fresh () =
        let val text = readFile path
        in
          if size text <= largest andalso !room >= size text then
            (room := !room - size text;
             List.app (fn (p, {text, ...} : entry) => if p = path then room := !room + size text else ()) entries;
             Array.update (kept, i, (path, {modified = modified, length = size text, text = text}) :: List.filter (fn (p, _) => p <> path) entries))
          else ();
          text
        end
    in
      case List.find (fn (p, _) => p = path) entries of
        SOME (_, e) => if #modified e = modified andalso #length e = length then #text e else fresh ()
      | NONE => fresh ()
    end
end

structure Answer =
struct
  fun reason 200 = "OK"
    | reason 400 = "Bad Request"
    | reason 404 = "Not Found"
    | reason 405 = "Method Not Allowed"
    | reason 408 = "Request Timeout"
    | reason 413 = "Content Too Large"
    | reason 431 = "Request Header Fields Too Large"
    | reason 501 = "Not Implemented"
    | reason 505 = "HTTP Version Not Supported"
    | reason _ = "Error"

  (* made once a second *)
  val last = ref (0 : LargeInt.int, "")
  fun date () =
    let val now = Time.toSeconds (Time.now ())
    in
      if #1 (!last) = now then #2 (!last)
      else
        let val text = Date.fmt "%a, %d %b %Y %H:%M:%S GMT" (Date.fromTimeUniv (Time.fromSeconds now))
        in last := (now, text); text end
    end

  fun header {code, kind, length, keep} =
    String.concat ["HTTP/1.1 ", Int.toString code, " ", reason code, "\r\nDate: ", date (), "\r\nContent-Type: ", kind,
                   "\r\nContent-Length: ", Int.toString length,
                   if keep then "\r\n\r\n" else "\r\nConnection: close\r\n\r\n"]

  fun error (conn, code, keep, head) =
    let val text = Int.toString code ^ " " ^ reason code ^ "\n"
    in
      Conn.sendAll (conn, header {code = code, kind = "text/plain", length = size text, keep = keep}
                          ^ (if head then "" else text))
    end

  fun send (conn, request as {method, target, ...} : Request.t, keep) =
    let val head = method = "HEAD"
    in
      if method <> "GET" andalso not head then error (conn, 405, keep, false)
      else
        case Option.mapPartial (fn path => Option.map (fn found => (path, found)) (Files.find path)) (Files.pathOf target) of
          NONE => error (conn, 404, keep, head)
        | SOME (path, (modified, length)) =>
            let val text = if head then "" else Files.get (path, modified, length)
            in
              Conn.sendAll
                (conn,
                 header {code = 200, kind = Files.typeOf path, length = if head then length else size text, keep = keep}
                 ^ text)
            end
    end
end

structure Server =
struct
  (* connections with a request under way; the server ends when there are none *)
  val busy = ref 0
  val stopping = ref false
  val stop = SyncVar.iVar () : unit SyncVar.ivar

  fun serve (conn : Conn.t) =
    case Request.readHeader conn of
      NONE => ()
    | SOME text =>
        let
          val () = busy := !busy + 1
          fun answer () =
            let
              val request = Request.parse text
              val () = Request.skipBody (conn, #headers request)
              val keep = Request.isKept request andalso not (!stopping)
            in
              Answer.send (conn, request, keep);
              keep
            end
          val keep = answer () handle e => (busy := !busy - 1; raise e)
        in
          busy := !busy - 1;
          if keep then serve conn else ()
        end

  fun connection sock =
    let
      val conn = {sock = sock, rest = ref ""}
      fun refuse code = Answer.error (conn, code, false, false) handle _ => ()
    in
      (serve conn
       handle Conn.Refuse code => refuse code
            | Conn.TimeOut => if !(#rest conn) = "" then () else refuse 408
            | Conn.Closed => ()
            | OS.SysErr _ => ());
      Socket.close sock handle OS.SysErr _ => ()
    end

  fun accept listener =
    let
      fun loop () =
        case CML.select [CML.wrap (Socket.acceptEvt listener, SOME), CML.wrap (SyncVar.iGetEvt stop, fn () => NONE)] of
          NONE => ()
        | SOME (sock, _) => (drain sock; loop ())
      (* all that wait, without an event for each *)
      and drain sock =
        (INetSock.TCP.setNODELAY (sock, true);
         ignore (CML.spawn (fn () => connection sock));
         case Socket.acceptNB listener of
           SOME (next, _) => drain next
         | NONE => ())
    in
      loop ()
      handle OS.SysErr (message, _) =>
        (TextIO.output (TextIO.stdErr, "accept: " ^ message ^ "\n");
         OS.Process.sleep (Time.fromMilliseconds 50);
         accept listener)
    end

  fun run () =
    let
      val listener = INetSock.TCP.socket ()
      val () = Socket.Ctl.setREUSEADDR (listener, true)
      val () = Socket.bind (listener, INetSock.any (!Config.port))
      val () = Socket.listen (listener, 4096)
      val (_, port) = INetSock.fromAddr (Socket.Ctl.getSockName listener)
      fun ending _ = if !stopping then () else (stopping := true; SyncVar.iPut (stop, ()))
      val () = List.app (fn s => MLton.Signal.setHandler (s, MLton.Signal.Handler.simple ending)) [Posix.Signal.term, Posix.Signal.int]
      val until = ref Time.zeroTime
      fun wait () =
        if !busy = 0 orelse Time.> (Time.now (), !until) then ()
        else (OS.Process.sleep (Time.fromMilliseconds 5); wait ())
    in
      print ("http://localhost:" ^ Int.toString port ^ "/\n");
      accept listener;
      Socket.close listener;
      until := Conn.deadline Config.graceTime;
      wait ();
      print "ended\n";
      (* whoever is idle still is not waited for *)
      RunCML.shutdown OS.Process.success
    end
end

fun option word =
  case String.fields (fn c => c = #"=") word of
    ["--port", n] => Config.port := valOf (Int.fromString n)
  | ["--root", dir] => Config.root := dir
  | ["--patience", n] => Config.setPatience (valOf (Int.fromString n))
  | ["--workers", n] => Thread.setWorkers (valOf (Int.fromString n))
  | _ => (TextIO.output (TextIO.stdErr, "usage: httpd [--port=N] [--root=DIR] [--workers=N] [--patience=SECONDS]\n"); OS.Process.exit OS.Process.failure)

val () = List.app option (CommandLine.arguments ())
val _ = RunCML.doit (Server.run, NONE)
val () = OS.Process.exit OS.Process.success
