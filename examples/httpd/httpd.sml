(* httpd: an HTTP/1.1 server of static files (RFC 9110 and 9112). A thread for each connection; each phase of a request has
   its time, by an event while no bytes come and by the clock while they do. What a client sends is looked at once, and
   what is kept of it, and of files, has a bound. SIGTERM and SIGINT end it when the requests under way are answered.

   Not done: ranges (a Range header is ignored, as it may be), compression, more than one root.

   usage: leat run httpd.sml [--port=8080] [--root=.] [--workers=1] [--patience=SECONDS] [--cache=MEGABYTES] *)

structure Config =
struct
  val port = ref 8080
  val root = ref "."
  val maxHeader = 16384
  val maxBody = 1048576
  (* before a request *)
  val maxEmptyLines = 8
  (* bytes of files that are kept in memory *)
  val cache = ref 67108864
  (* seconds: for the next request to begin, for its header, for its body, for each piece of the answer to be taken *)
  val idleTime = ref 15
  val headerTime = ref 10
  val bodyTime = ref 30
  val sendTime = ref 30
  fun setPatience seconds =
    List.app (fn time => time := seconds) [idleTime, headerTime, bodyTime, sendTime]
  (* for requests under way when the server is to end *)
  val graceTime = 5
  (* for a client to see the last answer before its connection is closed *)
  val lingerTime = 2
end

(* A connection: its socket, and what was received and not used. *)
structure Conn =
struct
  (* the client is gone, or does not take what is sent *)
  exception Closed
  (* a request does not come in its time *)
  exception TimeOut
  (* an answer that ends the connection *)
  exception Refuse of int

  (* The rest is a part of what was received last. *)
  type t = {sock : Socket.active INetSock.stream_sock, rest : substring ref}

  fun deadline seconds = Time.+ (Time.now (), Time.fromSeconds (Int.toLarge seconds))
  fun isOver until = Time.>= (Time.now (), until)

  (* More bytes, until then, though some may be there; the empty string is the end. What is there already needs no event. *)
  fun more ({sock, ...} : t, until) =
    if isOver until then raise TimeOut
    else
      Byte.bytesToString
        (case Socket.recvVecNB (sock, 16384) of
           SOME v => v
         | NONE =>
             CML.select [Socket.recvVecEvt (sock, 16384),
                         CML.wrap (CML.atTimeEvt until, fn () => raise TimeOut)])

  (* More bytes, when all are used that were there. *)
  fun fill (conn as {rest, ...} : t, until) =
    case more (conn, until) of
      "" => raise Closed
    | part => rest := Substring.full part

  (* Pieces of a text, the last one first, and one more. Each is longer than the one behind it, so there are few, and a text
     that comes byte by byte is copied log n times. *)
  fun add (piece, []) = [piece]
    | add (piece, pieces as last :: others) =
        if size last <= size piece then add (last ^ piece, others) else piece :: pieces

  (* The text up to so many line ends in a row, which are taken too: one ends a line, two end a header. A line end is CR LF,
     and neither stands alone: somebody on the way may have taken it for a line end, or not. *)
  fun upTo (conn as {rest, ...} : t, ends, until, most, tooLong) =
    let
      val wanted = 2 * ends
      (* how many characters of the line ends the text ends with *)
      fun step (#"\n", seen) = if seen mod 2 = 1 then seen + 1 else raise Refuse 400
        | step (c, seen) =
            if seen mod 2 = 1 then raise Refuse 400
            else if c = #"\r" then seen + 1
            else 0
      fun scan (text, i, n, seen) =
        if seen = wanted orelse i = n then (i, seen)
        else scan (text, i + 1, n, step (String.sub (text, i), seen))
      fun all pieces = String.concat (rev pieces)
      fun go (pieces, total, seen) =
        let
          val (text, start, n) = Substring.base (!rest)
          val (i, seen) = scan (text, start, start + n, seen)
          val pieces = add (String.substring (text, start, i - start), pieces)
          val total = total + i - start
        in
          rest := Substring.triml (i - start) (!rest);
          if total > most then raise Refuse (tooLong (String.substring (all pieces, 0, most)))
          else if seen = wanted then String.substring (all pieces, 0, total - wanted)
          else (fill (conn, until); go (pieces, total, seen))
        end
    in
      go ([], 0, 0)
    end

  (* The text up to the next line end, which is taken too; a longer one is refused. *)
  fun line (conn, until, most, code) = upTo (conn, 1, until, most, fn _ => code)

  (* So many bytes are not wanted. *)
  fun skip (conn as {rest, ...} : t, until, n) =
    let
      val there = Substring.size (!rest)
    in
      if n <= there then rest := Substring.triml n (!rest)
      else (fill (conn, until); skip (conn, until, n - there))
    end

  (* No more will be sent. What the client still sends is read for a while: had it not been when the socket is closed, the
     client would get a reset, maybe in place of the answer. *)
  fun linger (conn as {sock, ...} : t) =
    let
      val until = deadline Config.lingerTime
      fun drain () = if more (conn, until) = "" then () else drain ()
    in
      Socket.shutdown (sock, Socket.NO_SENDS);
      drain () handle TimeOut => ()
    end

  fun sendAll ({sock, ...} : t, text) =
    let
      val until = deadline (!Config.sendTime)
      fun go part =
        if Word8VectorSlice.length part = 0 then ()
        else
          let
            val n =
              case Socket.sendVecNB (sock, part) of
                SOME n =>
                  if n < Word8VectorSlice.length part andalso isOver until then raise Closed else n
              | NONE =>
                  CML.select [Socket.sendVecEvt (sock, part),
                              CML.wrap (CML.atTimeEvt until, fn () => raise Closed)]
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

  (* The values of a header, each of which may stand there more than once. *)
  fun all name (headers : (string * string) list) =
    List.mapPartial (fn (n, value) => if n = name then SOME value else NONE) headers

  fun trim s = Substring.string (Substring.dropl Char.isSpace (Substring.dropr Char.isSpace s))
  fun lower s = CharVector.map Char.toLower s
  (* The members of a list of words, in small letters. *)
  fun words values =
    List.concat
      (map (map (lower o trim) o Substring.fields (fn c => c = #",") o Substring.full) values)

  (* The header's text without its line ends at the end; NONE when the client has closed before a request, or begins none. *)
  fun readHeader (conn as {rest, ...} : Conn.t) =
    let
      fun arrives until =
        (Conn.fill (conn, until); true) handle Conn.Closed => false | Conn.TimeOut => false
      fun tooLong text = if Char.contains text #"\n" then 431 else 414
      fun go (left, until) =
        case Substring.first (!rest) of
          (* an empty line before a request is no part of it *)
          SOME #"\r" =>
            if left = 0 then raise Conn.Refuse 400
            else (ignore (Conn.line (conn, until, 2, 400)); go (left - 1, until))
        | SOME _ => SOME (Conn.upTo (conn, 2, until, Config.maxHeader, tooLong))
        | NONE => if arrives until then go (left, until) else NONE
    in
      if Substring.isEmpty (!rest) andalso not (arrives (Conn.deadline (!Config.idleTime))) then
        NONE
      else go (Config.maxEmptyLines, Conn.deadline (!Config.headerTime))
    end

  fun bad () = raise Conn.Refuse 400

  (* what a method, and a header's name, is made of *)
  val inToken =
    CharVector.tabulate (256,
                         fn i =>
                           if Char.isAlphaNum (chr i) orelse Char.contains "!#$%&'*+-.^_`|~" (chr i)
                           then #"t"
                           else #"f")
  fun isTokenChar c = String.sub (inToken, ord c) = #"t"
  fun isToken s =
    Substring.isEmpty (Substring.dropl isTokenChar s) andalso not (Substring.isEmpty s)

  (* The path of a target; a proxy's clients give a whole address. *)
  fun pathOf target =
    if String.isPrefix "/" target orelse target = "*" then target
    else
      let
        val (scheme, rest) = Substring.position "://" (Substring.full target)
        val path = Substring.dropl (fn c => c <> #"/" andalso c <> #"?") (Substring.triml 3 rest)
      in
        if Substring.isEmpty rest
           orelse not (List.exists (fn s => s = lower (Substring.string scheme)) ["http", "https"])
        then target
        else if Substring.isPrefix "/" path then Substring.string path
        else "/" ^ Substring.string path
      end

  (* 0 or 1, the version being 1.0, or 1.1 and what comes after it *)
  fun minorOf version =
    let
      fun digit i =
        let
          val c = String.sub (version, i)
        in
          if Char.isDigit c then ord c - ord #"0" else bad ()
        end
    in
      if size version <> 8
         orelse not (String.isPrefix "HTTP/" version)
         orelse String.sub (version, 6) <> #"."
      then bad ()
      else if digit 5 <> 1 then raise Conn.Refuse 505
      else Int.min (digit 7, 1)
    end

  fun isPlain text =
    Substring.isEmpty
      (Substring.dropl (fn c => c >= #" " andalso c <> #"\127" orelse c = #"\t") text)

  (* A line of a header. *)
  fun field line =
    let
      val (name, value) = Substring.splitl isTokenChar line
    in
      (* no space before the colon, and no line that goes on with the last one's value *)
      if Substring.isEmpty name orelse not (Substring.isPrefix ":" value) orelse not (isPlain value)
      then bad ()
      else (lower (Substring.string name), trim (Substring.triml 1 value))
    end

  fun parse text : t =
    let
      (* Each LF has a CR before it. *)
      val lines =
        map
          (Substring.dropr (fn c => c = #"\r"))
          (Substring.fields (fn c => c = #"\n") (Substring.full text))
    in
      case lines of
        [] => bad ()
      | first :: others =>
          case Substring.fields (fn c => c = #" ") first of
            [method, target, version] =>
              let
                val minor = minorOf (Substring.string version)
                val headers = map field others
              in
                if not (isToken method)
                   orelse Substring.isEmpty target
                   orelse not (Substring.isEmpty
                                 (Substring.dropl (fn c => c > #" " andalso c < #"\127") target))
                then bad ()
                else ();
                case all "host" headers of
                  [_] => ()
                | [] => if minor = 0 then () else bad ()
                | _ => bad ();
                {method = Substring.string method,
                 target = pathOf (Substring.string target),
                 minor = minor,
                 headers = headers}
              end
          | _ => bad ()
    end

  (* The body is not used here: it is read, so that the next request is found. What does not say clearly where it ends is
     refused, since somebody on the way may have taken it otherwise. *)
  fun skipBody (conn, {headers, minor, ...} : t) =
    let
      val until = Conn.deadline (!Config.bodyTime)
      val expected = words (all "expect" headers)
      fun expect () =
        case expected of
          [] => ()
        | ["100-continue"] =>
            if minor = 1 then Conn.sendAll (conn, "HTTP/1.1 100 Continue\r\n\r\n") else ()
        | _ => raise Conn.Refuse 417
      fun sized n = if n > Config.maxBody then raise Conn.Refuse 413 else n

      fun chunks total =
        let
          val (digits, extension) =
            Substring.splitl
              Char.isHexDigit
              (Substring.full (Conn.line (conn, until, Config.maxHeader, 400)))
          val extension = Substring.dropl (fn c => c = #" " orelse c = #"\t") extension
          val n =
            if Substring.isEmpty digits
               orelse not (isPlain extension)
               orelse not (Substring.isEmpty extension orelse Substring.isPrefix ";" extension)
            then bad ()
            else if Substring.size digits > 15 then raise Conn.Refuse 413
            else valOf (StringCvt.scanString (Int.scan StringCvt.HEX) (Substring.string digits))
        in
          if n = 0 then trailers Config.maxHeader
          else
            (ignore (sized (total + n));
             Conn.skip (conn, until, n);
             if Conn.line (conn, until, 2, 400) = "" then chunks (total + n) else bad ())
        end
      and trailers left =
        case Conn.line (conn, until, left, 431) of
          "" => ()
        | text => (ignore (field (Substring.full text)); trailers (left - size text))
    in
      case (words (all "transfer-encoding" headers), all "content-length" headers) of
        ([], []) => ()
      | ([], [length]) =>
          if length = "" orelse not (CharVector.all Char.isDigit length) then bad ()
          else
            let
              val n =
                sized
                  (if size length > 15 then Config.maxBody + 1 else valOf (Int.fromString length))
            in
              expect ();
              Conn.skip (conn, until, n)
            end
      | ([], _) => bad ()
      | (["chunked"], []) => if minor = 0 then bad () else (expect (); chunks 0)
      | (_, []) => raise Conn.Refuse 501
      | _ => bad ()
    end

  fun isKept ({minor, headers, ...} : t) =
    let
      val said = words (all "connection" headers)
    in
      if List.exists (fn s => s = "close") said then false
      else minor = 1 orelse List.exists (fn s => s = "keep-alive") said
    end
end

structure Files =
struct
  (* The path below the root that a target names, without parts that mean nothing; NONE when it names none. *)
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
      val plain =
        Substring.string
          (Substring.takel (fn c => c <> #"?" andalso c <> #"#") (Substring.full target))
    in
      case if Char.contains plain #"%" then decode (String.explode plain, []) else SOME plain of
        NONE => raise Conn.Refuse 400
      | SOME path =>
          let
            val parts = String.fields (fn c => c = #"/") path
            val last = List.last parts
            val names = List.filter (fn part => part <> "" andalso part <> ".") parts
            (* a folder's name ends in a slash; its page is asked for *)
            val names = if last = "" orelse last = "." then names @ ["index.html"] else names
          in
            if not (String.isPrefix "/" path)
               orelse Char.contains path #"\000"
               orelse List.exists (fn part => part = "..") parts
            then NONE
            else SOME (String.concatWith "/" (!Config.root :: names))
          end
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

  (* A file is what the system says that it is, however its path is spelled and whatever links lead to it. *)
  type identity = Posix.FileSys.dev * Posix.FileSys.ino
  type about = {file : identity, modified : Time.time, length : int}
  datatype found = FILE of about | FOLDER | NOTHING

  fun find path =
    let
      open Posix.FileSys
      val s = stat path
    in
      if ST.isReg s then
        FILE
          {file = (ST.dev s, ST.ino s), modified = ST.mtime s, length = Position.toInt (ST.size s)}
      else if ST.isDir s then FOLDER
      else NOTHING
    end
    handle OS.SysErr _ => NOTHING

  (* Larger files are sent piece by piece. *)
  val largest = 65536

  (* Calls a function with the file's pieces, one after the other. *)
  fun eachPiece (path, f) =
    let
      val s = BinIO.openIn path
      fun go () =
        let
          val v = BinIO.inputN (s, largest)
        in
          if Word8Vector.length v = 0 then () else (f (Byte.bytesToString v); go ())
        end
    in
      go () handle e => (BinIO.closeIn s; raise e);
      BinIO.closeIn s
    end

  fun dateOf time = Date.fmt "%a, %d %b %Y %H:%M:%S GMT" (Date.fromTimeUniv time)
  fun datedOf modified = "\r\nLast-Modified: " ^ dateOf modified
end

(* Small files are kept while they do not change, in two generations. A file that is asked for is in the young one, or goes
   there; when that is full it becomes the old one, and what was in the old one and was not asked for meanwhile is dropped. *)
structure Cache =
struct
  type entry = {about : Files.about, dated : string, text : string}
  type generation = {slots : entry list array, used : int ref}

  val slots = 4096
  (* what an entry takes beside its text, about *)
  val overhead = 256

  fun empty () : generation = {slots = Array.array (slots, []), used = ref 0}
  val young = ref (empty ())
  val old = ref (empty ())

  (* several workers may want to change what is kept; to look needs no lock *)
  val lock = SyncVar.mVarInit ()

  fun slotOf ((dev, ino) : Files.identity) =
    SysWord.toInt (SysWord.mod (SysWord.+
                                  (Posix.FileSys.inoToWord ino, Posix.FileSys.devToWord dev),
                                SysWord.fromInt slots))

  fun isOf file ({about, ...} : entry) = #file about = file
  fun within ({slots, ...} : generation, file) =
    List.find (isOf file) (Array.sub (slots, slotOf file))
  fun cost ({text, ...} : entry) = size text + overhead

  fun keep (entry as {about = {file, ...}, ...} : entry) =
    let
      val () = SyncVar.mTake lock
      val most = !Config.cache div 2
      val () =
        if !(#used (!young)) + cost entry > most then (old := !young; young := empty ()) else ()
      val {slots, used} = !young
      val i = slotOf file
      val (same, others) = List.partition (isOf file) (Array.sub (slots, i))
    in
      if cost entry > most then ()
      else
        (used := List.foldl (fn (e, n) => n - cost e) (!used + cost entry) same;
         Array.update (slots, i, entry :: others));
      SyncVar.mPut (lock, ())
    end

  fun read (path, about as {length, modified, ...} : Files.about) =
    let
      val s = BinIO.openIn path
      val v = BinIO.inputN (s, length) handle e => (BinIO.closeIn s; raise e)
      val () = BinIO.closeIn s
    in
      {about = about, dated = Files.datedOf modified, text = Byte.bytesToString v}
    end

  (* A small file. *)
  fun get (path, about as {file, ...} : Files.about) =
    case within (!young, file) of
      SOME entry => if #about entry = about then entry else fresh (path, about)
    | NONE =>
        case within (!old, file) of
          SOME entry => if #about entry = about then (keep entry; entry) else fresh (path, about)
        | NONE => fresh (path, about)
  and fresh (path, about) = let val entry = read (path, about) in keep entry; entry end
end

structure Answer =
struct
  fun reason 200 = "OK"
    | reason 301 = "Moved Permanently"
    | reason 304 = "Not Modified"
    | reason 400 = "Bad Request"
    | reason 403 = "Forbidden"
    | reason 404 = "Not Found"
    | reason 405 = "Method Not Allowed"
    | reason 408 = "Request Timeout"
    | reason 413 = "Content Too Large"
    | reason 414 = "URI Too Long"
    | reason 417 = "Expectation Failed"
    | reason 431 = "Request Header Fields Too Large"
    | reason 500 = "Internal Server Error"
    | reason 501 = "Not Implemented"
    | reason 505 = "HTTP Version Not Supported"
    | reason _ = "Error"

  (* made once a second *)
  val last = ref (0 : LargeInt.int, "")
  fun date () =
    let
      val now = Time.toSeconds (Time.now ())
    in
      if #1 (!last) = now then #2 (!last)
      else let val text = Files.dateOf (Time.fromSeconds now) in last := (now, text); text end
    end

  (* Whether the connection is kept: what is said of it when it is not what the version of the request says. *)
  datatype keep = KEEP | KEEP_OLD | CLOSE

  (* `more` is further lines. *)
  fun header {code, more, length, keep} =
    String.concat ["HTTP/1.1 ",
                   Int.toString code,
                   " ",
                   reason code,
                   "\r\nDate: ",
                   date (),
                   more,
                   "\r\nContent-Length: ",
                   Int.toString length,
                   case keep of
                     KEEP => "\r\n\r\n"
                   | KEEP_OLD => "\r\nConnection: keep-alive\r\n\r\n"
                   | CLOSE => "\r\nConnection: close\r\n\r\n"]

  fun brief (conn, code, more, keep, head) =
    let
      val text = Int.toString code ^ " " ^ reason code ^ "\n"
    in
      Conn.sendAll (conn,
                    header {code = code,
                            more = "\r\nContent-Type: text/plain" ^ more,
                            length = size text,
                            keep = keep}
                    ^ (if head then "" else text))
    end

  fun isKnown method =
    List.exists
      (fn m => m = method)
      ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"]

  (* The client has it already: it says what it was told to be the date of its copy. *)
  fun isOld (headers, modified) =
    case Request.all "if-modified-since" headers of
      [said] => said = Files.dateOf modified
    | _ => false

  fun sendFile (conn, path, found as {modified, length, ...} : Files.about, headers, keep, head) =
    let
      fun about (length, dated) =
        header {code = 200,
                more = "\r\nContent-Type: " ^ Files.typeOf path ^ dated,
                length = length,
                keep = keep}
      (* what has grown meanwhile is not sent; nothing can be said for it any more when it has shrunk *)
      fun sendPieces () =
        let
          val left = ref length
          fun piece text =
            if !left >= size text then (left := !left - size text; Conn.sendAll (conn, text))
            else (Conn.sendAll (conn, String.substring (text, 0, !left)); left := 0)
        in
          Conn.sendAll (conn, about (length, Files.datedOf modified));
          Files.eachPiece (path, piece) handle IO.Io _ => ();
          if !left > 0 then raise Conn.Closed else ()
        end
    in
      if isOld (headers, modified) then
        Conn.sendAll
          (conn, header {code = 304, more = Files.datedOf modified, length = length, keep = keep})
      else if head then Conn.sendAll (conn, about (length, Files.datedOf modified))
      else if length > Files.largest then sendPieces ()
      else
        let
          val {text, dated, ...} = Cache.get (path, found)
        in
          Conn.sendAll (conn, about (size text, dated) ^ text)
        end
    end

  fun send (conn, {method, target, headers, ...} : Request.t, keep) =
    let
      val head = method = "HEAD"
      fun notFound () = brief (conn, 404, "", keep, head)
    in
      if method <> "GET" andalso not head then
        if isKnown method then brief (conn, 405, "\r\nAllow: GET, HEAD", keep, false)
        else brief (conn, 501, "", keep, false)
      else
        case Files.pathOf target of
          NONE => notFound ()
        | SOME path =>
            case Files.find path of
              Files.FILE found =>
                (sendFile (conn, path, found, headers, keep, head)
                 handle IO.Io _ => brief (conn, 403, "", keep, head))
            | Files.FOLDER =>
                (* one slash before: with two it would name a host *)
                let
                  val name =
                    Substring.dropl
                      (fn c => c = #"/")
                      (Substring.takel (fn c => c <> #"?") (Substring.full target))
                in
                  brief (conn, 301, "\r\nLocation: /" ^ Substring.string name ^ "/", keep, head)
                end
            | Files.NOTHING => notFound ()
    end
end

structure Server =
struct
  (* connections with a request under way; the server ends when there are none *)
  val busy = SyncVar.mVarInit 0
  fun change n = SyncVar.mPut (busy, SyncVar.mTake busy + n)
  val stopping = ref false
  val stop = SyncVar.iVar () : unit SyncVar.ivar

  (* One request after the other, until one side has had enough. *)
  fun serve (conn : Conn.t) =
    case Request.readHeader conn of
      NONE => ()
    | SOME text =>
        let
          fun answer () =
            let
              val request as {minor, ...} = Request.parse text
              val () = Request.skipBody (conn, request)
              val keep = Request.isKept request andalso not (!stopping)
            in
              Answer.send (conn,
                           request,
                           if not keep then Answer.CLOSE
                           else if minor = 0 then Answer.KEEP_OLD
                           else Answer.KEEP);
              keep
            end
          val keep = (change 1; answer ()) handle e => (change ~1; raise e)
        in
          change ~1;
          if keep then serve conn else Conn.linger conn
        end

  fun connection sock =
    let
      val conn = {sock = sock, rest = ref (Substring.full "")}
      fun refuse code = (Answer.brief (conn, code, "", Answer.CLOSE, false); Conn.linger conn)
    in
      (serve conn
       handle Conn.Closed => ()
            | OS.SysErr _ => ()
            | Conn.Refuse code => refuse code
            | Conn.TimeOut => refuse 408
            | e => (TextIO.output (TextIO.stdErr, "httpd: " ^ exnMessage e ^ "\n"); refuse 500))
      handle _ => ();
      Socket.close sock handle OS.SysErr _ => ()
    end

  (* What is wrong is said once, until it is over. *)
  fun accept (listener, said) =
    let
      val said = ref said
      fun loop () =
        case CML.select [CML.wrap (Socket.acceptEvt listener, SOME),
                         CML.wrap (SyncVar.iGetEvt stop, fn () => NONE)] of
          NONE => ()
        | SOME (sock, _) => (drain sock; loop ())
      (* all that wait, without an event for each *)
      and drain sock =
        (INetSock.TCP.setNODELAY (sock, true) handle OS.SysErr _ => ();
         ignore (CML.spawn (fn () => connection sock));
         said := "";
         case Socket.acceptNB listener of
           SOME (next, _) => drain next
         | NONE => ())
    in
      loop ()
      handle OS.SysErr (message, _) =>
          (if message = !said then ()
           else TextIO.output (TextIO.stdErr, "accept: " ^ message ^ "\n");
           OS.Process.sleep (Time.fromMilliseconds 50);
           accept (listener, message))
    end

  fun run () =
    let
      val listener = INetSock.TCP.socket ()
      val () = Socket.Ctl.setREUSEADDR (listener, true)
      val () = Socket.bind (listener, INetSock.any (!Config.port))
      val () = Socket.listen (listener, 4096)
      val (_, port) = INetSock.fromAddr (Socket.Ctl.getSockName listener)
      fun ending _ = if !stopping then () else (stopping := true; SyncVar.iPut (stop, ()))
      val () =
        List.app
          (fn s => MLton.Signal.setHandler (s, MLton.Signal.Handler.simple ending))
          [Posix.Signal.term, Posix.Signal.int]
      fun wait until =
        if SyncVar.mGet busy = 0 orelse Time.> (Time.now (), until) then ()
        else (OS.Process.sleep (Time.fromMilliseconds 5); wait until)
    in
      print ("http://localhost:" ^ Int.toString port ^ "/\n");
      accept (listener, "");
      Socket.close listener;
      wait (Conn.deadline Config.graceTime);
      print "ended\n";
      (* whoever is idle still is not waited for *)
      RunCML.shutdown OS.Process.success
    end
end

fun usage () =
  (TextIO.output (TextIO.stdErr,
                  "usage: httpd [--port=N] [--root=DIR] [--workers=N] [--patience=SECONDS] [--cache=MEGABYTES]\n");
   OS.Process.exit OS.Process.failure)

fun option word =
  let
    val (name, value) = Substring.splitl (fn c => c <> #"=") (Substring.full word)
    val value = Substring.string (Substring.triml 1 value)
    fun number () =
      case (CharVector.all Char.isDigit value, Int.fromString value) of
        (true, SOME n) => n
      | _ => usage ()
  in
    case Substring.string name of
      "--port" => Config.port := number ()
    | "--root" => Config.root := value
    | "--patience" => Config.setPatience (number ())
    | "--cache" => Config.cache := number () * 1048576
    | "--workers" => Thread.setWorkers (number ())
    | _ => usage ()
  end

val () = List.app option (CommandLine.arguments ())
val _ = RunCML.doit (Server.run, NONE)
val () = OS.Process.exit OS.Process.success
