(* HTTPFiles: the files of a folder, with the smaller ones kept in memory, and parts of files for who asks for these. *)

signature HTTP_FILES =
sig
  (* Answers with the files below a folder, of which so many bytes may be kept in memory. A folder's page is its
     `index.html`; a folder without a slash at the end is answered by 301. Paths with `..`, a NUL or a decoded slash
     name nothing; links are followed. It knows ETag, Last-Modified, If-Match, If-Unmodified-Since, If-None-Match,
     If-Modified-Since, Range with one range, and If-Range. The tag of a file that was changed within the last two
     seconds is weak, and another one later: the file may change once more in the same tick of the system's clock. *)
  val handler : {root : string, cache : int} -> HTTP.handler

  (* The kind of content that a file's name tells: "text/html; charset=utf-8". It is MediaType.ofFile. *)
  val kindOf : string -> string
end

structure HTTPFiles :> HTTP_FILES =
struct
  val kindOf = MediaType.ofFile

  (* -- what the system says of a file *)

  (* A file is what the system says that it is, however its path is spelled and whatever links lead to it. *)
  type identity = Posix.FileSys.dev * Posix.FileSys.ino
  (* `changed` is when the system has last changed it, which no program can set, as it can `modified`. *)
  type about = {file : identity, modified : Time.time, changed : Time.time, length : int}
  datatype found = FILE of about | FOLDER | NOTHING

  fun foundOf s =
    let
      open Posix.FileSys
    in
      if ST.isReg s then
        FILE {file = (ST.dev s, ST.ino s),
              modified = ST.mtime s,
              changed = ST.ctime s,
              length = Position.toInt (ST.size s)}
      else if ST.isDir s then FOLDER
      else NOTHING
    end
  fun find path = foundOf (Posix.FileSys.stat path)

  (* The same of a file that is opened. The path may name another one by now, even a FIFO, which is not waited for. *)
  fun opened path =
    let
      open Posix.FileSys
      val fd = openf (path, O_RDONLY, O.nonblock)
    in
      (Posix.IO.setfd (fd, Posix.IO.FD.cloexec); (fd, foundOf (fstat fd)))
      handle e => (Posix.IO.close fd; raise e)
    end

  (* The clock that a file's times are of stands still for up to two seconds (FAT), as a rule for some milliseconds.
     What is changed at such a time may change once more, and has the same time then. *)
  val tick = Time.fromSeconds 2
  fun isSettled (time, now) = Time.< (time, Time.- (now, tick))

  (* What the last part of a path is that means the page of a folder. *)
  fun isPage last = last = "" orelse last = "."

  (* The path of the file that the parts of a request's path name. *)
  fun pathOf (root, parts) =
    let
      fun isBad part = part = ".." orelse Char.contains part #"\000" orelse Char.contains part #"/"
      fun names [] = []
        | names [last] = if isPage last then ["index.html"] else [last]
        | names (part :: rest) =
            if part = "" orelse part = "." then names rest else part :: names rest
    in
      if List.exists isBad parts then NONE
      (* the place itself where the handler is mounted, without a slash *)
      else if List.null parts
      then SOME root
      else SOME (String.concatWith "/" (root :: names parts))
    end

  (* -- what is kept *)

  type entry =
    {about : about,
     kind : string,
     headers : HTTPHeaders.t,
     tag : string,
     dated : string,
     (* the empty string of a file that is too large to be kept *)
     text : string}

  (* It changes when the file does, but for changes that leave its size and its date. As long as the next change may do
     so it is weak (RFC 9110, 8.8.1), and no other one later: who has it then is given the file again. *)
  fun tagOf ({modified, length, ...} : about, now) =
    let
      val (front, back) = if isSettled (modified, now) then ("\"", "\"") else ("W/\"", "-new\"")
    in
      concat [front,
              LargeInt.fmt StringCvt.HEX (Time.toNanoseconds modified),
              "-",
              Int.fmt StringCvt.HEX length,
              back]
    end

  (* `now` is a time before the text was read. *)
  fun entryOf (about as {modified, ...}, kind, text, now) : entry =
    let
      val (tag, dated) = (tagOf (about, now), HTTPDate.toString modified)
    in
      {about = about,
       kind = kind,
       tag = tag,
       dated = dated,
       text = text,
       headers =
         HTTPHeaders.fromList [("Content-Type", kind),
                               ("Last-Modified", dated),
                               ("ETag", tag),
                               ("Accept-Ranges", "bytes")]}
    end

  (* Small files are kept while they do not change, in two generations. A file that is asked for is in the young one, or
     goes there; when that is full it becomes the old one, and what was in the old one and was not asked for meanwhile
     is dropped. *)
  type generation = {slots : entry list array, used : int ref}
  type cache = {most : int, young : generation ref, old : generation ref, lock : unit SyncVar.mvar}

  val slots = 1024
  (* what an entry takes beside its text, about *)
  val overhead = 512

  fun empty () : generation = {slots = Array.array (slots, []), used = ref 0}
  fun new most : cache =
    {most = most div 2, young = ref (empty ()), old = ref (empty ()), lock = SyncVar.mVarInit ()}

  (* No function that is called with the lock waits. *)
  fun locked ({lock, ...} : cache) f =
    let
      val () = SyncVar.mTake lock
      val result = f () handle e => (SyncVar.mPut (lock, ()); raise e)
    in
      SyncVar.mPut (lock, ());
      result
    end

  fun slotOf ((dev, ino) : identity) =
    SysWord.toInt (SysWord.mod (SysWord.+
                                  (Posix.FileSys.inoToWord ino, Posix.FileSys.devToWord dev),
                                SysWord.fromInt slots))

  (* a file may have several names, which tell other kinds *)
  fun isOf ({file, ...} : about, kind) (entry : entry) =
    #file (#about entry) = file andalso #kind entry = kind
  fun cost ({text, ...} : entry) = overhead + size text

  fun keep ({most, young, old, ...} : cache, entry as {about = {file, ...}, kind, ...} : entry) =
    let
      val () =
        if !(#used (!young)) + cost entry > most then (old := !young; young := empty ()) else ()
      val {slots, used} = !young
      val i = slotOf file
      val (same, others) = List.partition (isOf (#about entry, kind)) (Array.sub (slots, i))
    in
      if cost entry > most then ()
      else
        (used := List.foldl (fn (e, n) => n - cost e) (!used + cost entry) same;
         Array.update (slots, i, entry :: others))
    end

  (* The entry of this file, if it is kept and has not changed. *)
  fun kept (cache as {young, old, ...} : cache, about as {file, ...}, kind) =
    locked cache (fn () =>
      let
        val i = slotOf file
        fun within (ref {slots, ...} : generation ref) =
          List.find (isOf (about, kind)) (Array.sub (slots, i))
        fun current (entry : entry) = if #about entry = about then SOME entry else NONE
      in
        case within young of
          SOME entry => current entry
        | NONE =>
            case Option.mapPartial current (within old) of
              SOME entry => (keep (cache, entry); SOME entry)
            | NONE => NONE
      end)

  (* -- reading *)

  (* Larger files are read piece by piece. *)
  val largest = 65536

  (* So many bytes of an open file, from a place on; it is closed with the body. *)
  fun bodyOf (fd, from, length) =
    let
      val () =
        if from = 0 then ()
        else
          ignore (Posix.IO.lseek (fd, Position.fromInt from, Posix.IO.SEEK_SET))
          handle e => (Posix.IO.close fd; raise e)
      val left = ref length
      (* what has grown meanwhile is not sent *)
      fun next () =
        if !left = 0 then ""
        else
          let
            val piece = Byte.bytesToString (Posix.IO.readVec (fd, Int.min (!left, largest)))
          in
            left := !left - size piece;
            piece
          end
    in
      HTTPBody.stream {length = SOME length, next = next, close = fn () => Posix.IO.close fd}
    end

  (* A small one. It is kept if the next change of it will be seen. *)
  fun fetch (cache, fd, about as {changed, length, ...} : about, kind, now) =
    let
      val text = HTTPBody.all {most = largest} (bodyOf (fd, 0, length))
      val entry = entryOf (about, kind, text, now)
    in
      if isSettled (changed, now) then locked cache (fn () => keep (cache, entry)) else ();
      entry
    end

  (* -- what the client has, and what it wants *)

  fun listed values =
    List.map
      HTTPText'.trimmed
      (List.concat (List.map (Substring.fields (fn c => c = #",") o Substring.full) values))

  fun isWeak tag = String.isPrefix "W/" tag

  (* RFC 9110, 13.1.1 and 13.1.4: is it another one than the client means? A weak tag is like none. A date is looked at
     only if there is no tag. *)
  fun isOther (headers, {tag, about = {modified, ...}, ...} : entry) =
    case HTTPHeaders.all headers "if-match" of
      [] =>
        (case Option.mapPartial
                HTTPDate.fromString
                (HTTPHeaders.get headers "if-unmodified-since") of
           SOME time => Time.toSeconds modified > Time.toSeconds time
         | NONE => false)
    | values =>
        not (List.exists
               (fn s =>
                 let
                   val s = Substring.string s
                 in
                   s = tag andalso not (isWeak tag) orelse s = "*"
                 end)
               (listed values))

  (* RFC 9110, 13: does the client have it? A date is looked at only if there is no tag. *)
  fun isThere (headers, {tag, dated, about = {modified, ...}, ...} : entry) =
    case HTTPHeaders.all headers "if-none-match" of
      [] =>
        (case HTTPHeaders.get headers "if-modified-since" of
           SOME said =>
             said = dated
             orelse (case HTTPDate.fromString said of
                       SOME time => Time.toSeconds modified <= Time.toSeconds time
                     | NONE => false)
         | NONE => false)
    | values =>
        let
          fun plain s = if Substring.isPrefix "W/" s then Substring.triml 2 s else s
          val tag = plain (Substring.full tag)
          fun isIt s = Substring.compare (plain s, tag) = EQUAL
        in
          List.exists (fn s => isIt s orelse Substring.string s = "*") (listed values)
        end

  datatype range = ALL | PART of int * int | OUTSIDE

  (* RFC 9110, 14: one range of bytes, from a place and so many. What is none is passed over, and so are several. The
     last bytes of an empty file are all of it. *)
  fun rangeOf (headers, {tag, dated, about = {length, ...}, ...} : entry) =
    let
      fun of' text =
        let
          val (unit, rest) = Substring.splitl (fn c => c <> #"=") (Substring.full text)
          val (first, last) =
            Substring.splitl (fn c => c <> #"-") (HTTPText'.trimmed (Substring.triml 1 rest))
          val number = HTTPText'.decimalOrMost o Substring.string
        in
          if HTTPText'.lower (Substring.string unit) <> "bytes" orelse Substring.isEmpty last then
            ALL
          else
            case (Substring.isEmpty first,
                  number first,
                  Substring.size last = 1,
                  number (Substring.triml 1 last)) of
              (true, _, _, SOME n) =>
                if n = 0 then OUTSIDE
                else if length = 0 then ALL
                else let val n = Int.min (n, length) in PART (length - n, n) end
            | (_, SOME a, true, _) => if a < length then PART (a, length - a) else OUTSIDE
            | (_, SOME a, _, SOME b) =>
                if b < a then ALL
                else if a < length then PART (a, Int.min (b, length - 1) - a + 1)
                else OUTSIDE
            | _ => ALL
        end
    in
      case (HTTPHeaders.all headers "range", HTTPHeaders.get headers "if-range") of
        ([text], NONE) => of' text
      | ([text], SOME known) =>
          if not (isWeak tag) andalso (known = tag orelse known = dated) then of' text else ALL
      | _ => ALL
    end

  (* -- answers *)

  (* Of what is asked for its header alone, or is not sent again: so long it would be. *)
  fun unsent length =
    HTTPBody.stream {length = SOME length, next = fn () => "", close = fn () => ()}

  fun isKnown method =
    List.exists
      (fn m => m = method)
      ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "CONNECT", "TRACE"]

  (* What is said of a file; or what of it is sent, from a place on, and so much. *)
  datatype answer =
      SAID of HTTP.response
    | SENT of {status : int, headers : HTTPHeaders.t, from : int, length : int}

  fun answerOf
    (entry as {about = {modified, length, ...}, headers = said, ...} : entry,
     {method, headers, ...} : HTTP.request) =
    let
      (* RFC 9110, 8.8.2.1: no date is later than that of the answer *)
      val now = Time.now ()
      val said =
        if Time.> (modified, now) then
          HTTPHeaders.set ("Last-Modified", HTTPDate.toString now) said
        else said
      fun withRange text = HTTPHeaders.set ("Content-Range", "bytes " ^ text) said
      val number = Int.toString
    in
      if isOther (headers, entry) then SAID (HTTP.status 412)
      else if isThere (headers, entry) then
        SAID {status = 304, headers = said, body = unsent length}
      else
        case if method = "GET" then rangeOf (headers, entry) else ALL of
          ALL => SENT {status = 200, headers = said, from = 0, length = length}
        | PART (from, n) =>
            SENT {status = 206,
                  from = from,
                  length = n,
                  headers =
                    withRange
                      (concat [number from, "-", number (from + n - 1), "/", number length])}
        | OUTSIDE =>
            SAID (HTTP.withHeader ("Content-Range", "bytes */" ^ number length) (HTTP.status 416))
    end

  fun ofText (entry as {text, ...} : entry, request) : HTTP.response =
    case answerOf (entry, request) of
      SAID response => response
    | SENT {status, headers, from, length = n} =>
        {status = status,
         headers = headers,
         body = HTTPBody.string (if n = size text then text else String.substring (text, from, n))}

  (* The file is closed, or will be with the body. *)
  fun ofFile (fd, entry, request as {method, ...} : HTTP.request) : HTTP.response =
    case answerOf (entry, request) handle e => (Posix.IO.close fd; raise e) of
      SAID response => (Posix.IO.close fd; response)
    | SENT {status, headers, from, length} =>
        {status = status,
         headers = headers,
         body =
           if method = "HEAD" then (Posix.IO.close fd; unsent length)
           else bodyOf (fd, from, length)}

  (* What a path names, once it has been looked at. What is sent of a file, and what is said of it, are of one and the
     same: another one may have got its name meanwhile. So it is the open file that is asked. *)
  fun answer (_, _, NOTHING, _) = HTTP.status 404
    | answer (cache, name, FILE about, request) =
        let
          val kind = kindOf name
        in
          case kept (cache, about, kind) of
            SOME entry => ofText (entry, request)
          | NONE =>
              case opened name of
                (fd, FILE (about as {length, ...})) =>
                  let
                    val now = Time.now ()
                  in
                    if length > largest then
                      ofFile (fd,
                              entryOf (about, kind, "", now)
                              handle e => (Posix.IO.close fd; raise e),
                              request)
                    else
                      (ofText (fetch (cache, fd, about, kind, now), request)
                       handle HTTPBody.Broken _ => HTTP.status 503)
                  end
              | (fd, other) => (Posix.IO.close fd; answer (cache, name, other, request))
        end
    | answer (_, _, FOLDER, {path, target, ...} : HTTP.request) =
        (* a folder as the page of another one *)
        if not (List.null path) andalso isPage (List.last path) then HTTP.status 404
        else
          (* one slash before: with two it would name a host, and a browser takes a backslash for a slash *)
          let
            val (plain, query) = Substring.splitl (fn c => c <> #"?") (Substring.full target)
            val place =
              Substring.translate
                (fn #"\\" => "%5C" | c => String.str c)
                (Substring.dropl (fn c => c = #"/") plain)
          in
            HTTP.withHeader
              ("Location", concat ["/", place, "/", Substring.string query])
              (HTTP.status 301)
          end

  (* What the client is told of a file that cannot be had. Other errors are the server's: they say nothing of the file. *)
  fun refused (e, cause) =
    case Option.map OS.errorName cause of
      SOME "acces" => HTTP.status 403
    | SOME "perm" => HTTP.status 403
    | SOME "noent" => HTTP.status 404
    | SOME "notdir" => HTTP.status 404
    | SOME "nametoolong" => HTTP.status 404
    | SOME "loop" => HTTP.status 404
    | SOME "mfile" => HTTP.status 503
    | SOME "nfile" => HTTP.status 503
    | _ => raise e

  fun handler {root, cache} =
    let
      val cache = new cache
    in
      fn request as {method, path, ...} : HTTP.request =>
        if method <> "GET" andalso method <> "HEAD" then
          if isKnown method then HTTP.withHeader ("Allow", "GET, HEAD") (HTTP.status 405)
          else HTTP.status 501
        else
          case pathOf (root, path) of
            NONE => HTTP.status 404
          | SOME name =>
              answer (cache, name, find name, request)
              handle e as OS.SysErr (_, cause) => refused (e, cause)
    end
end
