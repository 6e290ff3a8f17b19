(* HTTPBody: what a message carries, as a text or piece by piece. *)

signature HTTP_BODY =
sig
  type t

  (* The other side ended it too early, or wrote it wrongly: why. *)
  exception Broken of string
  (* It is larger than what is taken. *)
  exception TooLarge
  (* It does not come in its time. *)
  exception TimeOut

  (* No body, as a response with status 204 has it. *)
  val empty : t
  (* A text can be sent, and taken by `all`, as often as is wanted, in any thread; `read` gives it once. A stream is
     there once. *)
  val string : string -> t
  (* Pieces, one by each call of `next`, and the empty string at the end. If the length is not known it is sent in
     chunks. `close` is called once: at the end, or when nobody wants the rest. *)
  val stream : {length : int option, next : unit -> string, close : unit -> unit} -> t
  (* The same body with trailers: fields that stand behind it, because they are known only then, as a digest is. The
     body is sent in chunks, the names are announced in the field Trailer, and `fields` is asked when all is sent: those of
     the names go out. HTTP/1.0 has no trailers, nor has what is sent without its body; then they are left out. Raises
     HTTPHeaders.Invalid for a name that is no field's, and for one of a field that must come before the body (those of
     lengths and codings, routing, conditions, who asks, and what a cache or a client does with the answer: RFC 9110,
     6.5.1). *)
  val withTrailers : {names : string list, fields : unit -> HTTPHeaders.t} -> t -> t
  (* The same body; a text becomes one of its own, so that reading it takes nothing from others that have it. *)
  val own : t -> t
  (* A stream with the trailers of the body that it is made of; what its reads raise is told as that one does. *)
  val streamLike : t -> {length : int option, next : unit -> string, close : unit -> unit} -> t

  (* its length, if it is known: of what is left *)
  val length : t -> int option
  (* The next piece; waits until one is there. The empty string is the end. Raises Broken, TooLarge, TimeOut; those of a
     client's answer are causes of HTTPClient.Failed, which says the address. A read that has raised an exception, or
     was cancelled, closes the body, and each later one raises an exception, too. *)
  val read : t -> string
  (* All that is left; TooLarge if it is more than so many bytes. *)
  val all : {most : int} -> t -> string
  (* Reads what is left and forgets it; TooLarge if it is more than so many bytes. *)
  val skip : {most : int} -> t -> unit
  (* What stood behind a body that came, when it has been read to its end; no fields before that. The same limits hold
     as for headers. A field that must come before the body is left out. *)
  val trailers : t -> HTTPHeaders.t
  (* The rest is not wanted. *)
  val close : t -> unit
end

structure HTTPBody' =
struct
  exception Broken of string
  exception TooLarge
  exception TimeOut

  val () =
    MLton.Exn.addExnMessager (fn Broken why => SOME ("HTTP: " ^ why)
                               | TooLarge => SOME "HTTP: a body that is too long"
                               | TimeOut => SOME "HTTP: a body has not come in its time"
                               | _ => NONE)

  (* `told` makes of what a read raises what whoever reads is told. `isRefused`: it was longer than somebody takes, or
     what was made of it was; the streams that are made of a body have the same one. LIVE: a response that takes the
     connection over, after its header: it is given what comes, a function that sends, one that ends the connection at
     once, one that is told what is to be done when the server stops, and one that is told what is to be done whenever
     the server looks after its clients, with a function that says whether this one is gone. It gives whether the other
     side has said that it sends no more. *)
  datatype t =
      TEXT of string ref
    | STREAM of
        {left : int option ref,
         next : unit -> string,
         close : unit -> unit,
         state : state ref,
         trailers : trailers,
         told : exn -> exn,
         isRefused : bool ref}
    | LIVE of
        {input : HTTPInput'.t,
         send : string -> unit,
         abort : unit -> unit,
         atStop : (unit -> unit) -> unit,
         atLook : ((unit -> bool) -> unit) -> unit}
        -> bool
  and state = OPEN | ENDED | FAILED of exn
  withtype trailers = {names : string list, fields : unit -> HTTPHeaders'.t}

  fun string s = TEXT (ref s)
  val empty = TEXT (ref "")
  fun own (TEXT (ref text)) = string text
    | own body = body
  val noTrailers = {names = [], fields = fn () => HTTPHeaders'.empty}
  fun toldOf (STREAM {told, ...}) = told
    | toldOf _ = fn e => e
  fun refusalOf (STREAM {isRefused, ...}) = isRefused
    | refusalOf _ = ref false
  fun isRefused body = ! (refusalOf body)
  fun streamOf (trailers, told, isRefused) {length, next, close} =
    STREAM {left = ref length,
            next = next,
            close = close,
            state = ref OPEN,
            trailers = trailers,
            told = told,
            isRefused = isRefused}
  fun streamWith trailers = streamOf (trailers, fn e => e, ref false)
  fun stream parts = streamWith noTrailers parts

  fun trailersOf (STREAM {trailers, ...}) = trailers
    | trailersOf _ = noTrailers
  fun streamLike body = streamOf (trailersOf body, toldOf body, refusalOf body)
  (* A stream of a part of the body, whose function reads the body. *)
  fun partOf body = streamOf (noTrailers, fn e => e, refusalOf body)
  (* The same body, which is not read yet. *)
  fun toldAs told (STREAM {left, next, close, state, trailers, isRefused, ...}) =
        STREAM {left = left,
                next = next,
                close = close,
                state = state,
                trailers = trailers,
                told = told,
                isRefused = isRefused}
    | toldAs _ body = body
  fun trailers body = #fields (trailersOf body) ()

  fun length (TEXT s) = SOME (size (!s))
    | length (STREAM {state = ref ENDED, ...}) = SOME 0
    | length (STREAM {left, ...}) = !left
    | length (LIVE _) = NONE

  fun close (STREAM {state, close, ...}) =
        (case !state of
           OPEN => (state := ENDED; close ())
         | _ => ())
    | close (TEXT _) = ()
    | close (LIVE _) = ()

  fun read (TEXT s) = let val text = !s in (if text = "" then () else s := ""); text end
    | read (LIVE _) = ""
    | read (STREAM {state = ref ENDED, ...}) = ""
    | read (STREAM {state = ref (FAILED e), ...}) = raise e
    | read (body as STREAM {next, left, state, told, ...}) =
        let
          (* The rest is not there, and must not be taken for the end. *)
          fun fail (e, later) = (close body; state := FAILED later; raise e)
          fun failed e = let val e = told e in fail (e, e) end
          val piece =
            next ()
            handle e as Scope.Cancelled =>
                     fail (e, told (Broken "a read of the body was cancelled"))
                 | e => failed e
        in
          (case !left of
             SOME n =>
               if size piece > n orelse piece = "" andalso n > 0 then
                 failed (Broken "a body's length is not what was said")
               else left := SOME (n - size piece)
           | NONE => ());
          if piece = "" orelse !left = SOME 0 then close body else ();
          piece
        end

  fun withTrailers {names, fields} body =
    let
      val () = List.app HTTPHeaders'.checkTrailer names
      val body = own body
      fun isNamed (name, _) = List.exists (fn n => HTTPText'.same (n, name)) names
      fun chosen () =
        HTTPHeaders'.FIELDS (List.filter isNamed (HTTPHeaders'.toList (fields ())))
    in
      streamOf
        ({names = names, fields = chosen}, fn e => e, refusalOf body)
        {length = NONE, next = fn () => read body, close = fn () => close body}
    end

  fun each {most} (body, f) =
    let
      fun refuse () = (refusalOf body := true; close body; raise TooLarge)
      val () =
        case length body of
          SOME n => if n > most then refuse () else ()
        | NONE => ()
      fun go left =
        case read body of
          "" => ()
        | piece => if size piece > left then refuse () else (f piece; go (left - size piece))
    in
      go most
    end

  (* A text stays, so that a response can be made once and given to everybody. *)
  fun all {most} (TEXT (ref text)) = if size text > most then raise TooLarge else text
    | all most body =
        let
          val pieces = ref []
        in
          (* few, even if each that comes is short *)
          each most (body, fn piece => pieces := HTTPInput'.add (piece, !pieces));
          String.concat (List.rev (!pieces))
        end

  fun skip {most} (TEXT (ref text)) = if size text > most then raise TooLarge else ()
    | skip most body = each most (body, fn _ => ())
end

structure HTTPBody : HTTP_BODY = HTTPBody'
