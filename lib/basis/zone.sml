(* Zone': the rules of the local time zone, from the system's files or from the text of TZ. For Date.

   A file in the form of RFC 9636 (TZif), or a text in that of POSIX -> which time the clocks on the wall show at a moment.
   The variable TZ is read as the C library reads it: not set, the file is /etc/localtime; set to nothing, the zone is UTC;
   otherwise it is a file's name, below /usr/share/zoneinfo unless it begins with a slash, or, where there is no such file, a
   rule like CET-1CEST,M3.5.0,M10.5.0/3. What is none of these is UTC.

   The file is read once. Now and then it is looked at, and read again when it is another one; MLton.ProcEnv.setenv says that TZ
   may have changed. *)

structure Zone' =
struct
  open ZoneRules'

  (* -- which file, and whether it is still the same *)

  (* device, number, size and time of change; NONE: there is none *)
  fun stamp name =
    let
      val a = Array.array (11, 0)
    in
      if PrimFiles'.file_stat (name, 1, a) < 0 then NONE
      else
        SOME
          (Array.sub (a, 0), Array.sub (a, 1), Array.sub (a, 6), Array.sub (a, 8), Array.sub (a, 2))
    end

  (* So many bytes of a file, as many as there are. A read of what is not in memory gives `again`: then the thread waits for
     the disk. *)
  fun bytesOf (fd, size) =
    let
      val buffer = PrimArrays'.array_new_uninit size : char array
      fun wait mode = case PrimWaiting'.fd_wait (fd, mode) of 0 => wait 2 | r => r
      fun read i =
        if i = size then i
        else
          let
            val k = PrimFiles'.file_read_chars (fd, buffer, i, size - i)
          in
            if k > 0 then read (i + k)
            else if k = ErrorResult'.again andalso wait 0 >= 0 then read i
            else i
          end
      val n = read 0
    in
      String.implode (List.tabulate (n, fn i => PrimArrays'.array_sub_unsafe (buffer, i)))
    end

  (* a file of ordinary kind and size *)
  fun contents name =
    case stamp name of
      NONE => NONE
    | SOME (_, _, size, _, mode) =>
        if Word.andb (Word.fromInt mode, 0wxF000) <> 0wx8000 orelse size > 1000000 then NONE
        else
          let
            val fd = PrimFiles'.file_open (name, 0)
          in
            if fd < 0 then NONE
            else
              let
                val text = bytesOf (fd, size)
              in
                ignore (PrimFiles'.file_close fd);
                SOME text
              end
          end

  fun env name = if PrimWorld'.env_has name = 0 then NONE else SOME (PrimWorld'.env name)

  val folder = "/usr/share/zoneinfo"

  (* The file's name, if there may be one, how it looked, and the zone. It is looked at before it is read: one that changes
     meanwhile is read again. *)
  fun load () =
    case env "TZ" of
      NONE =>
        let
          val file = "/etc/localtime"
          val look = stamp file
        in
          (file, look, getOpt (Option.map ofFile (contents file), none) handle Bad => none)
        end
    | SOME "" => ("", NONE, none)
    | SOME text =>
        let
          val name = if String.sub (text, 0) = #":" then String.extract (text, 1, NONE) else text
          val path =
            if String.isPrefix "/" name then name
            else String.concat [getOpt (env "TZDIR", folder), "/", name]
          val look = stamp path
          fun rule () =
            ("",
             NONE,
             {moments = #[], clocks = #[], first = utc, after = ruleOf name} handle Bad => none)
        in
          case if name = "" then NONE else contents path of
            SOME text => ((path, look, ofFile text) handle Bad => rule ())
          | NONE => rule ()
        end

  (* A clock, from when on it shows the time, and up to when. *)
  type found = clock * int * int
  (* The zone; the era in which TZ was read for it; where it comes from and how that looked; when that was; what was
     found for moments that were asked for. One object, which is replaced as a whole, and so is each element of `found`:
     threads see an old one or a new one. One of an older era may be put over a newer one, and is not used: so a thread
     that has read TZ before it was changed does not undo the change. *)
  type state =
    {zone : zone,
     era : unit ref,
     file : string,
     stamp : (int * int * int * int * int) option,
     looked : int,
     found : found array}

  val second = 1000000000
  (* as long a file may have changed unseen *)
  val patience = 2 * second

  val state : state option ref = ref NONE
  (* another one whenever TZ may have become another *)
  val era = ref (ref ())

  (* A slot has what was found last for a moment of its 49 days, or of those 136 years before or behind: it is asked
     whether that holds. *)
  val slots = 1024
  fun slot t = Bits'.and' (Bits'.shr (t, 22), slots - 1)

  fun loaded now : state =
    let
      val read = !era
      val (file, look, zone) = load ()
    in
      {zone = zone,
       era = read,
       file = file,
       stamp = look,
       looked = now,
       found = PrimArrays'.array_new (slots, find (zone, 0))}
    end

  (* TZ may be another *)
  fun forget () = era := ref ()

  fun current () =
    let
      fun afresh () =
        let val s = loaded (PrimClock'.time_recent ()) in state := SOME s; s end
      fun later (s as {zone, era, file, stamp = last, looked, found} : state) =
        let
          val now = PrimClock'.time_recent ()
        in
          if now - looked < patience then s
          else
            let
              val s : state =
                if stamp file <> last then loaded now
                else
                  {zone = zone,
                   era = era,
                   file = file,
                   stamp = last,
                   looked = now,
                   found = found}
            in
              state := SOME s;
              s
            end
        end
    in
      case !state of
        SOME s =>
          if #era s <> !era then afresh ()
          (* a rule stays as it is *)
          else if #file s = ""
          then s
          else later s
      | NONE => afresh ()
    end

  fun last ({found, ...} : state, t) : found = PrimArrays'.array_sub_unsafe (found, slot t)

  (* what is found for a moment is kept for others near to it *)
  fun search ({zone, found, ...} : state, t) : found =
    let
      val f = find (zone, t)
    in
      PrimArrays'.array_update_unsafe (found, slot t, f);
      f
    end

  (* the clocks at a moment, in seconds since 1970 *)
  fun at t : clock =
    let
      val s = current ()
      val (clock, from, upTo) = last (s, t)
    in
      if from <= t andalso t < upTo then clock else #1 (search (s, t))
    end

  (* As the rules say; at once where the same clock shows the days before and behind, too. *)
  fun ofWall (wall, dst) =
    let
      val s as {zone, ...} = current ()
      (* by a clock, and from when to when it holds *)
      fun by (({east, ...}, from, upTo) : found) =
        let
          fun holds t = from <= t andalso t < upTo
        in
          holds (wall - 86400) andalso holds (wall + 86400) andalso holds (wall - east)
        end
      val near as (clock, _, _) = last (s, wall)
    in
      if by near then (wall - #east clock, clock)
      else
        let
          val t = wall - #east clock
          val found as (clock, _, _) = find (zone, t)
        in
          PrimArrays'.array_update_unsafe (#found s, slot wall, found);
          if by found then (wall - #east clock, clock)
          else ZoneRules'.ofWall (fn t => #1 (find (zone, t))) (wall, dst)
        end
    end
end
