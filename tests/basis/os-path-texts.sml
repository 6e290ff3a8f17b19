(* OS.Path cuts and joins texts. The specification says the same by way of arcs: all short paths, against that. *)
structure P = OS.Path
fun all 0 = [""]
  | all n = let val l = all (n - 1) in "" :: List.concat (map (fn s => [s ^ "a", s ^ ".", s ^ "/"]) l) end
fun add (s, l) = if List.exists (fn t => s = t) l then l else s :: l
val short = foldl add [] (all 3)
val paths = foldl add [] (all 5)

fun splitLast arcs = (List.take (arcs, length arcs - 1), List.last arcs)
fun splitDirFile path =
  case P.fromString path of
    {arcs = [], ...} => {dir = "", file = ""}
  | {isAbs, vol, arcs} =>
      let
        val (front, last) = splitLast arcs
      in
        {dir = P.toString {isAbs = isAbs, vol = vol, arcs = front}, file = last}
      end
fun splitBaseExt path =
  let
    val {dir, file} = splitDirFile path
    val (front, back) = Substring.splitr (fn c => c <> #".") (Substring.full file)
  in
    if Substring.size front <= 1 orelse Substring.isEmpty back then {base = path, ext = NONE}
    else {base = String.substring (path, 0, size path - Substring.size back - 1), ext = SOME (Substring.string back)}
  end
(* without an empty arc between them *)
fun join ([], arcs) = arcs
  | join ([""], arcs) = arcs
  | join (arc :: rest, arcs) = arc :: join (rest, arcs)
fun joinDirFile {dir, file} =
  case P.fromString dir of
    {isAbs = true, vol, arcs = [""]} => P.toString {isAbs = true, vol = vol, arcs = [file]}
  | {isAbs = false, arcs = [], ...} => if Char.contains file #"/" then raise P.InvalidArc else file
  | {isAbs, vol, arcs} => P.toString {isAbs = isAbs, vol = vol, arcs = join (arcs, [file])}
fun concat' (s, t) =
  let
    val {isAbs, vol, arcs} = P.fromString s
    val {isAbs = isAbs', arcs = arcs', ...} = P.fromString t
  in
    if isAbs' then raise P.Path else P.toString {isAbs = isAbs, vol = vol, arcs = join (arcs, arcs')}
  end

fun mkCanonical path =
  let
    val {isAbs, vol, arcs} = P.fromString path
    (* the arcs so far, last first *)
    fun add (arc, done) =
      if arc = "" orelse arc = "." then done
      else
        case (arc, done) of
          ("..", []) => if isAbs then [] else [arc]
        | ("..", last :: front) => if last = ".." then arc :: done else front
        | _ => arc :: done
    val arcs = rev (foldl add [] arcs)
  in
    if null arcs andalso not isAbs then "." else P.toString {isAbs = isAbs, vol = vol, arcs = arcs}
  end

fun try f x = SOME (f x) handle P.Path => NONE | P.InvalidArc => SOME "InvalidArc"
fun check (name, isRight) = if isRight then () else print ("wrong: " ^ name ^ "\n")
val () = app (fn p =>
  let
    val {dir, file} = splitDirFile p
    val {base, ext} = splitBaseExt p
  in
    check ("splitDirFile " ^ p, P.splitDirFile p = {dir = dir, file = file});
    check ("dir, file " ^ p, P.dir p = dir andalso P.file p = file);
    check ("splitBaseExt " ^ p, P.splitBaseExt p = {base = base, ext = ext});
    check ("base, ext " ^ p, P.base p = base andalso P.ext p = ext);
    check ("mkCanonical " ^ p, P.mkCanonical p = mkCanonical p andalso P.isCanonical p = (mkCanonical p = p));
    check ("isAbsolute " ^ p, P.isAbsolute p = #isAbs (P.fromString p))
  end) paths
val () = app (fn s => app (fn t =>
  let
    val pair = {dir = s, file = t}
  in
    check ("joinDirFile " ^ s ^ " " ^ t, try P.joinDirFile pair = try joinDirFile pair);
    check ("concat " ^ s ^ " " ^ t, try P.concat (s, t) = try concat' (s, t))
  end) short) short
val () = print (Int.toString (length paths) ^ " paths\n")
