(* OS.Path: paths as texts; nothing here asks the system. *)

signature OS_PATH =
sig
  exception Path
  exception InvalidArc

  (* The arc that leads to the folder above: `..`. *)
  val parentArc : string
  (* The arc that stays in the folder: `.`. *)
  val currentArc : string
  (* The parts of a path. *)
  val fromString : string -> {isAbs : bool, vol : string, arcs : string list}
  (* The path of these parts. Raises InvalidArc when an arc has a `/`, Path when there is no such volume. *)
  val toString : {isAbs : bool, vol : string, arcs : string list} -> string
  (* Whether there can be such a volume: only the empty one. *)
  val validVolume : {isAbs : bool, vol : string} -> bool
  (* The path's volume: the empty string. *)
  val getVolume : string -> string
  (* The path of the folder above. *)
  val getParent : string -> string
  (* The last arc, and the path before it. *)
  val splitDirFile : string -> {dir : string, file : string}
  (* The path of a file in a folder. Raises InvalidArc when the file's name has a `/`. *)
  val joinDirFile : {dir : string, file : string} -> string
  (* What stands before the last arc. *)
  val dir : string -> string
  (* The last arc. *)
  val file : string -> string
  (* The path without its extension, and what stands behind the last dot of the last arc, if anything. *)
  val splitBaseExt : string -> {base : string, ext : string option}
  (* The path with a dot and that extension behind it. *)
  val joinBaseExt : {base : string, ext : string option} -> string
  (* The path without its extension. *)
  val base : string -> string
  (* SOME of what stands behind the last dot of the last arc, or NONE. *)
  val ext : string -> string option
  (* The path without `.`, without empty arcs, and without `..` behind a name. *)
  val mkCanonical : string -> string
  (* Whether `mkCanonical` would leave the path as it is. *)
  val isCanonical : string -> bool
  (* The path, taken as relative to that one; an absolute one stays as it is. Raises Path when relativeTo is not
     absolute. *)
  val mkAbsolute : {path : string, relativeTo : string} -> string
  (* The path, as it is called from that one; a relative one stays as it is. Raises Path when relativeTo is not
     absolute. *)
  val mkRelative : {path : string, relativeTo : string} -> string
  (* Whether the path begins at the root. *)
  val isAbsolute : string -> bool
  (* Whether the path does not begin at the root. *)
  val isRelative : string -> bool
  (* Whether it is the root. *)
  val isRoot : string -> bool
  (* The second path, taken from the first on. Raises Path when the second is absolute. *)
  val concat : string * string -> string
  (* The path of a path of Unix: the same here. *)
  val fromUnixPath : string -> string
  (* The path as a path of Unix: the same here. *)
  val toUnixPath : string -> string
end

structure OSPath' :> OS_PATH =
struct
  exception Path
  exception InvalidArc

  val parentArc = ".."
  val currentArc = "."

  fun fromString path =
    case String.fields (fn c => c = #"/") path of
      [""] => {isAbs = false, vol = "", arcs = []}
    | "" :: arcs => {isAbs = true, vol = "", arcs = arcs}
    | arcs => {isAbs = false, vol = "", arcs = arcs}

  fun toString {isAbs, vol, arcs} =
    let
      val relative =
        if vol <> "" then raise Path
        else if List.exists (fn arc => Char.contains arc #"/") arcs then raise InvalidArc
        else String.concatWith "/" arcs
    in
      if isAbs then "/" ^ relative
      else
        case arcs of
          "" :: _ => raise Path
        | _ => relative
    end

  fun validVolume {isAbs = _, vol} = vol = ""
  fun getVolume (_ : string) = ""
  fun isAbsolute path = String.isPrefix "/" path
  fun isRelative path = not (isAbsolute path)
  fun isRoot path = path = "/"

  (* all but the last, and the last *)
  fun splitLast arcs =
    let
      val backwards = List.rev arcs
    in
      (List.rev (List.tl backwards), List.hd backwards)
    end

  fun getParent path =
    case fromString path of
      {arcs = [], ...} => parentArc
    | {isAbs = true, arcs = [""], ...} => path
    | {isAbs, vol, arcs} =>
        let
          val (front, last) = splitLast arcs
          fun make arcs = toString {isAbs = isAbs, vol = vol, arcs = arcs}
        in
          if last = "" orelse last = currentArc then make (front @ [parentArc])
          else if last = parentArc then make (arcs @ [parentArc])
          else if null front andalso not isAbs then currentArc
          else make front
        end

  (* where the last arc begins *)
  fun lastArc path =
    let
      fun go i = if i > 0 andalso String.sub (path, i - 1) <> #"/" then go (i - 1) else i
    in
      go (size path)
    end
  fun file path = String.extract (path, lastArc path, NONE)
  fun dir path =
    case lastArc path of
      0 => ""
    (* the root *)
    | 1 => "/"
    | i => String.substring (path, 0, i - 1)
  fun splitDirFile path = {dir = dir path, file = file path}

  fun joinDirFile {dir, file} =
    if Char.contains file #"/" then raise InvalidArc
    else if dir = "" orelse String.isSuffix "/" dir then dir ^ file
    else String.concat [dir, "/", file]

  (* where the extension's dot is, or ~1; it stands neither first nor last in the file's name *)
  fun lastDot path =
    let
      val start = lastArc path
      val last = size path - 1
      fun go i =
        if i <= start then ~1
        else if String.sub (path, i) <> #"." then go (i - 1)
        else if i = last then ~1
        else i
    in
      go last
    end
  fun base path = case lastDot path of ~1 => path | i => String.substring (path, 0, i)
  fun ext path = case lastDot path of ~1 => NONE | i => SOME (String.extract (path, i + 1, NONE))
  fun splitBaseExt path = {base = base path, ext = ext path}
  fun joinBaseExt {base, ext} =
    case ext of
      NONE => base
    | SOME "" => base
    | SOME ext => base ^ "." ^ ext

  (* Whether no arc is empty, and none begins with a dot: then the path is canonical. *)
  fun isPlain path =
    let
      val n = size path
      fun go (i, before') =
        if i = n then before' <> #"/"
        else
          let
            val c = String.sub (path, i)
          in
            (before' <> #"/" orelse c <> #"/" andalso c <> #".") andalso go (i + 1, c)
          end
    in
      go (if isAbsolute path then 1 else 0, #"/")
    end
  (* mkCanonical, arc by arc *)
  fun arcwise path =
    let
      val {isAbs, vol, arcs} = fromString path
      (* the arcs so far, last first *)
      fun go ([], done) = List.rev done
        | go (arc :: rest, done) =
            if arc = "" orelse arc = currentArc then go (rest, done)
            else if arc = parentArc then
              (case done of
                 [] => go (rest, if isAbs then [] else [arc])
               | last :: front => go (rest, if last = parentArc then arc :: done else front))
            else go (rest, arc :: done)
    in
      case go (arcs, []) of
        [] => if isAbs then "/" else currentArc
      | arcs => toString {isAbs = isAbs, vol = vol, arcs = arcs}
    end
  fun mkCanonical path = if isPlain path then path else arcwise path
  fun isCanonical path = path = mkCanonical path

  fun concat (s, t) =
    if isAbsolute t then raise Path
    else if s = "" then t
    else if not (String.isSuffix "/" s) then if t = "" then s else String.concat [s, "/", t]
    else if t = "" andalso not (isRoot s) then String.substring (s, 0, size s - 1)
    else s ^ t

  fun mkAbsolute {path, relativeTo} =
    if isRelative relativeTo then raise Path
    else if isAbsolute path then path
    else mkCanonical (concat (relativeTo, path))

  fun mkRelative {path, relativeTo} =
    if isRelative relativeTo then raise Path
    else if isRelative path then path
    else
      let
        fun names path =
          case #arcs (fromString path) of
            [""] => []
          | arcs => arcs
        fun strip (a :: rest, b :: rest') =
              if a = b then strip (rest, rest') else (a :: rest, b :: rest')
          | strip p = p
        (* an empty arc in front would make it absolute *)
        fun relative ("" :: (rest as _ :: _)) = relative rest
          | relative arcs = arcs
        val (down, up) = strip (names path, names (mkCanonical relativeTo))
      in
        case relative (List.map (fn _ => parentArc) up @ down) of
          [] => currentArc
        | [""] => currentArc
        | arcs => String.concatWith "/" arcs
      end

  fun fromUnixPath path = path
  fun toUnixPath path = path
end
