(* The service: notes as JSON, over whatever store there is. A handler is a function, so the tests call it without a server.

     POST   /notes       {"title": "..", "text": ".."} -> 201, Location, the note with its id
     GET    /notes       the newest hundred
     GET    /notes/ID    one note
     PUT    /notes/ID    another title and text
     DELETE /notes/ID    204
     GET    /health      "ok", for who watches the program
     GET    /metrics     its figures, for Prometheus *)

functor ServiceFn (Store : STORE) : sig
  (* Answers requests. Its figures go to the registry. *)
  val handler : Metrics.registry * Store.store -> HTTP.handler
end =
struct
  structure C = JSONCodec
  infix 4 **
  val op ** = C.**

  (* -- JSON *)

  fun short (what, most) =
    C.map
      (fn text =>
         if text = "" then raise Fail (what ^ " is empty")
         else if size text > most then raise Fail (what ^ " is too long")
         else text,
       fn text => text)
      C.string

  val draft =
    C.exactly (C.make (fn title => fn text => {title = title, text = text})
               ** C.field ("title", short ("the title", 200), #title)
               ** C.default ("text", C.string, "", #text))

  val note =
    C.object (C.make (fn id => fn title => fn text =>
                {id = id, title = title, text = text} : Store.note)
              ** C.field ("id", C.string, #id)
              ** C.field ("title", C.string, #title)
              ** C.field ("text", C.string, #text))

  val problem = C.object (C.make (fn text => text) ** C.field ("error", C.string, fn text => text))

  (* -- answers *)

  fun answer status codec x = HTTP.json status (C.toString codec x ^ "\n")
  fun refuse (status, text) = answer status problem text
  val missing = (404, "there is no such note")

  (* A longer body than the server's MaxBody is refused before it is read. *)
  fun bodyOf ({body, ...} : HTTP.request) = C.fromString draft (HTTPBody.all {most = 1000000} body)

  (* What the client did wrong is told to it. *)
  fun checked handler x = handler x handle e as C.Wrong _ => refuse (400, C.message e)

  fun routes (registry, store) =
    let
      fun add (_, request) =
        let
          val made as {id, ...} = Store.add (store, bodyOf request)
        in
          Log.info ("note added", [("id", Log.Text id)]);
          HTTP.withHeader ("Location", "/notes/" ^ id) (answer 201 note made)
        end
      fun list _ = answer 200 (C.list note) (Store.latest (store, 100))
      fun show (params, _) =
        case Store.find (store, params "id") of
          SOME found => answer 200 note found
        | NONE => refuse missing
      fun change (params, request) =
        let
          val {title, text} = bodyOf request
          val changed = {id = params "id", title = title, text = text}
        in
          if Store.change (store, changed) then answer 200 note changed else refuse missing
        end
      fun remove (params, _) =
        if Store.remove (store, params "id") then
          {status = 204, headers = HTTPHeaders.empty, body = HTTPBody.empty}
        else refuse missing
    in
      [HTTPRouter.on "GET" "/notes" list,
       HTTPRouter.on "POST" "/notes" (checked add),
       HTTPRouter.on "GET" "/notes/:id" show,
       HTTPRouter.on "PUT" "/notes/:id" (checked change),
       HTTPRouter.on "DELETE" "/notes/:id" remove,
       HTTPRouter.on "GET" "/health" (fn _ => HTTP.text 200 "ok\n"),
       HTTPRouter.on "GET" "/metrics" (fn (_, request) => Metrics.handler registry request)]
    end

  (* Each line that is written for a request says which one it is. *)
  fun named handler (request as {method, target, ...} : HTTP.request) =
    Log.having [("request", Log.Later (fn () => Log.Text (concat [method, " ", target])))] (fn () =>
      handler request)

  fun handler (registry, store) =
    let
      val () =
        Metrics.gaugeOf registry {name = "notes", help = "Notes in the store."} (fn () =>
          Real.fromInt (Store.count store))
    in
      named (Metrics.watched
               registry
               (HTTPCompress.responses [] (HTTPRouter.router (routes (registry, store)))))
    end
end
