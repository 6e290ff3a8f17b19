(* HTTPRouter: which handler answers, by the method and the path of a request. *)

signature HTTP_ROUTER =
sig
  type route
  (* The parts of a path that a pattern names, by their names; Fail for a name that the pattern has not. *)
  type params = string -> string

  (* A method and a pattern. A pattern is a path, of whose parts `:name` is any one part, and `*name`, at the end, all
     that are left, with slashes between them. A part is matched when it is decoded, and never an empty one by `:name`.
     *)
  val on : string -> string -> (params * HTTP.request -> HTTP.response) -> route
  (* the same for every method that has no route of its own *)
  val any : string -> (params * HTTP.request -> HTTP.response) -> route
  (* All paths that begin with a pattern are for a handler, for which the path of the request begins behind it. The
     pattern has no `*name`. *)
  val mount : string -> HTTP.handler -> route

  (* Two routes with the same method and pattern, or a pattern that is none, as one that names two parts alike, or that
     has `.` or `..` as a part: the text says which. *)
  exception Conflict of string

  (* A handler that chooses a route. Of several, that one is chosen whose first different part is a text, before
     `:name`, before `*name`. Without one it answers 404; 405 with `Allow` if there is one for another method; HEAD
     by the route of GET; OPTIONS by the methods that there are, and for the target `*`, which is the whole server, by
     those of all routes; CONNECT by 501, for it is no proxy. A path with `.` or `..` has no route, also with %2F around
     them. Raises Conflict. *)
  val router : route list -> HTTP.handler
end

structure HTTPRouter :> HTTP_ROUTER =
struct
  type params = string -> string

  datatype part = NAME of string | ONE of string | REST of string
  (* the method is empty for `any` *)
  type route =
    {method : string,
     pattern : string,
     parts : part list,
     run : params * HTTP.request -> HTTP.response}

  exception Conflict of string

  (* Of a part with an encoded slash, too: who joins it to a folder's name would leave the folder. *)
  fun isDots part =
    List.exists (fn name => name = "." orelse name = "..") (String.fields (fn c => c = #"/") part)

  fun partsOf pattern =
    let
      fun name (text, others) =
        if String.size text = 1 then raise Conflict ("a part without a name in " ^ pattern)
        else
          let
            val name = String.extract (text, 1, NONE)
          in
            if List.exists (fn n => n = name) others then
              raise Conflict (concat ["two parts named `", name, "` in ", pattern])
            else name
          end
      fun go ([], _) = []
        | go (text :: rest, names) =
            if String.isPrefix ":" text then
              let val name = name (text, names) in ONE name :: go (rest, name :: names) end
            else if String.isPrefix "*" text then
              if List.null rest then [REST (name (text, names))]
              else raise Conflict ("something behind `" ^ text ^ "` in " ^ pattern)
            else if isDots text then
              raise Conflict (concat ["`", text, "`, which no path has, in ", pattern])
            else NAME text :: go (rest, names)
    in
      if String.isPrefix "/" pattern then
        go (String.fields (fn c => c = #"/") (String.extract (pattern, 1, NONE)), [])
      else raise Conflict ("a pattern begins with a slash: " ^ pattern)
    end

  fun on method pattern run : route =
    {method = method, pattern = pattern, parts = partsOf pattern, run = run}
  fun any pattern run = on "" pattern run

  fun mount pattern handler =
    let
      val isSlash = String.isSuffix "/" pattern
      val front =
        if pattern = "/" then []
        else partsOf (if isSlash then String.substring (pattern, 0, size pattern - 1) else pattern)
      val () =
        if List.exists (fn REST _ => true | _ => false) front then
          raise Conflict ("all that is left is for the handler: " ^ pattern)
        else ()
      val depth = List.length front
      fun run (_, request as {path, ...} : HTTP.request) =
        handler (HTTP.withPath (List.drop (path, depth)) request)
    in
      {method = "", pattern = pattern, parts = front @ [REST ""], run = run}
    end

  (* -- routes as a tree *)

  (* `here` are the routes that end at this place, and `rest` those that end here with all that is left. `names` is in
     order. *)
  datatype node =
    NODE of
        {names : (string * node) vector, one : node option, here : route list, rest : route list}

  fun with' (route as {method, pattern, ...} : route, routes) =
    if List.exists (fn r => #method r = method) routes then
      raise Conflict (concat [if method = "" then "any" else method,
                              " ",
                              pattern,
                              " is there twice, with other names maybe"])
    else routes @ [route]

  (* By their names; those of the same name stay in their order. *)
  fun sorted l = ListMergeSort.sort (fn ((a, _), (b, _)) => String.> (a, b)) l

  (* The tree of routes, each with the parts that are left of its pattern. *)
  fun tree routes =
    let
      fun go ([], names, ones, here, rest) =
            NODE {names =
                    Vector.fromList
                      (List.map (fn (name, l) => (name, tree l)) (groups (sorted names))),
                  one = if List.null ones then NONE else SOME (tree (List.rev ones)),
                  here = here,
                  rest = rest}
        | go ((parts, route) :: others, names, ones, here, rest) =
            case parts of
              [] => go (others, names, ones, with' (route, here), rest)
            | REST _ :: _ => go (others, names, ones, here, with' (route, rest))
            | ONE _ :: parts => go (others, names, (parts, route) :: ones, here, rest)
            | NAME name :: parts => go (others, (name, (parts, route)) :: names, ones, here, rest)
    in
      go (routes, [], [], [], [])
    end
  (* Those of one name, which follow one another. *)
  and groups [] = []
    | groups ((name, x) :: others) =
        let
          fun go (all as (n, y) :: others, l) = if n = name then go (others, y :: l) else (l, all)
            | go ([], l) = (l, [])
          val (l, others) = go (others, [x])
        in
          (name, l) :: groups others
        end

  (* Calls a function with the routes of each place that fits the path, the best one first, until it gives something.
     Each place of the tree is looked at once at most. *)
  fun find (NODE {names, one, here, rest}, path, f) =
    let
      fun tail () = if List.null rest then NONE else f rest
    in
      case path of
        [] => if List.null here then tail () else (case f here of NONE => tail () | found => found)
      | part :: path =>
          let
            fun some () =
              case one of
                SOME node => if part = "" then NONE else find (node, path, f)
              | NONE => NONE
          in
            case Option.mapPartial
                   (fn node => find (node, path, f))
                   (SortedNames'.find (names, part)) of
              NONE => (case some () of NONE => tail () | found => found)
            | found => found
          end
    end

  fun paramsOf ({parts, pattern, ...} : route, path) wanted =
    let
      fun go (ONE name :: parts, part :: path) = if name = wanted then part else go (parts, path)
        | go ([REST name], path) = if name = wanted then String.concatWith "/" path else go ([], [])
        | go (_ :: parts, _ :: path) = go (parts, path)
        | go _ = raise Fail (concat ["the pattern ", pattern, " has no part named ", wanted])
    in
      go (parts, path)
    end

  fun router routes =
    let
      val tree = tree (List.map (fn route as {parts, ...} : route => (parts, route)) routes)
      fun adding (method, methods) =
        if method = "" orelse List.exists (fn m => m = method) methods then methods
        else methods @ [method]
      (* The methods of some routes, each once, behind those that are known. *)
      fun methodsOf (routes, known) =
        List.foldl
          (fn ({method, ...} : route, known) =>
            let
              val known = adding (method, known)
            in
              if method = "GET" then adding ("HEAD", known) else known
            end)
          known
          routes
      fun handle' (request as {method, target, path, ...} : HTTP.request) =
        let
          fun isFor m ({method, ...} : route) = method = m
          fun choose routes =
            case List.find (isFor method) routes of
              SOME route => SOME route
            | NONE =>
                case if method = "HEAD" then List.find (isFor "GET") routes else NONE of
                  SOME route => SOME route
                | NONE => List.find (isFor "") routes
          (* the methods of all places that fit *)
          fun allowed () =
            let
              val found = ref []
              fun note routes = (found := methodsOf (routes, !found); NONE)
            in
              ignore (find (tree, path, note) : unit option);
              !found
            end
          fun withAllow (methods, response) =
            HTTP.withHeader ("Allow", String.concatWith ", " (adding ("OPTIONS", methods))) response
          fun options methods =
            withAllow (methods, {status = 204, headers = HTTPHeaders.empty, body = HTTPBody.empty})
        in
          if List.exists isDots path then HTTP.status 404
          else if method = "OPTIONS" andalso target = "*" then options (methodsOf (routes, []))
          else
            case find (tree, path, choose) of
              SOME (route as {run, ...}) => run (paramsOf (route, path), request)
            | NONE =>
                case allowed () of
                  [] => HTTP.status (if method = "CONNECT" then 501 else 404)
                | methods =>
                    if method = "OPTIONS" then options methods
                    else withAllow (methods, HTTP.status 405)
        end
    in
      handle'
    end
end
