(* HTTPHeaders: the fields of a request or a response, in their order (RFC 9110, 5). *)

signature HTTP_HEADERS =
sig
  type t

  (* A name that is no token, or a value with a line end or another control character: such a field could be taken for
     two. The text says which. *)
  exception Invalid of string

  (* No fields. *)
  val empty : t
  (* Raises Invalid. Blanks around a value do not belong to it. *)
  val fromList : (string * string) list -> t
  (* Names and values, in the order in which they are sent. *)
  val toList : t -> (string * string) list

  (* All of these take a name in capital or small letters.
     The value of the first field of that name. *)
  val get : t -> string -> string option
  (* the values of all fields of that name *)
  val all : t -> string -> string list
  (* the members of its lists with commas, in small letters *)
  val words : t -> string -> string list

  (* One more, at the end; raises Invalid. *)
  val add : string * string -> t -> t
  (* The only one of its name, at the end; raises Invalid. *)
  val set : string * string -> t -> t
  (* Without the fields of that name. *)
  val remove : string -> t -> t
end

structure HTTPHeaders' =
struct
  open HTTPText'

  datatype t = FIELDS of (string * string) list
  exception Invalid of string

  val empty = FIELDS []
  fun toList (FIELDS fields) = fields

  fun checked (name, value) =
    if not (isToken name) then raise Invalid ("the name of a field: " ^ String.toString name)
    else if not (CharVector.all isValueChar value) then
      raise Invalid (concat ["the value of ", name, ": ", String.toString value])
    else (name, Substring.string (trimmed (Substring.full value)))

  fun fromList fields = FIELDS (List.map checked fields)

  (* RFC 9110, 6.5.1: fields that say where a message ends, who is asked and by whom, under which conditions, and what
     is to be done with it, must be known before its body. *)
  val notTrailers =
    ["age", "authorization", "cache-control", "connection", "content-encoding", "content-length",
     "content-range", "content-type", "cookie", "date", "expect", "expires", "host", "if-match",
     "if-modified-since", "if-none-match", "if-range", "if-unmodified-since", "keep-alive",
     "location", "max-forwards", "pragma", "proxy-authenticate", "proxy-authorization", "range",
     "retry-after", "set-cookie", "te", "trailer", "transfer-encoding", "upgrade", "vary",
     "warning", "www-authenticate"]
  fun isTrailer name = not (List.exists (fn n => same (n, name)) notTrailers)
  fun checkTrailer name =
    if isToken name andalso isTrailer name then ()
    else raise Invalid ("the name of a trailer: " ^ String.toString name)

  fun get (FIELDS fields) name =
    let
      fun go [] = NONE
        | go ((n, value) :: rest) = if same (n, name) then SOME value else go rest
    in
      go fields
    end

  fun all (FIELDS fields) name =
    let
      fun go [] = []
        | go ((n, value) :: rest) = if same (n, name) then value :: go rest else go rest
    in
      go fields
    end

  fun words fields name = List.concat (List.map members (all fields name))

  fun add field (FIELDS fields) = FIELDS (fields @ [checked field])
  fun remove name (FIELDS fields) = FIELDS (List.filter (fn (n, _) => not (same (n, name))) fields)
  fun set (field as (name, _)) fields = add field (remove name fields)
end

structure HTTPHeaders : HTTP_HEADERS = HTTPHeaders'
