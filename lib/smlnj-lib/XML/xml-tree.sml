(* Trees of XML documents: XML_SCHEMA, XML_TREE, XMLTreeFn, GenericXMLTree. *)

(* What a parser has to know of a kind of documents. *)
signature XML_SCHEMA =
sig
  type element
  type attribute
  (* the element of a name; NONE where there is none *)
  val element : string -> element option
  (* Is all white space inside of it kept, and inside of its elements? Elsewhere white space between tags is dropped, and so
     is what begins or ends the content. *)
  val preserveWS : element -> bool
  (* Are comments of interest? Trees have no place for them: a parser may leave them out. *)
  val preserveComment : element -> bool
  (* whether an end tag of the one ends the other *)
  val same : element * element -> bool
  (* the name, without brackets *)
  val toString : element -> string
  (* of a name and a value *)
  val attribute : string * string -> attribute
end

signature XML_TREE =
sig
  structure Schema : XML_SCHEMA

  (* <!DOCTYPE name ...> *)
  datatype doctype = DOCTYPE of string * external_id option
  and external_id = SYSTEM of string | PUBLIC of string * string
  datatype content =
      TEXT of string
    | CDATA of string
    | ELEMENT of {name : Schema.element, attrs : Schema.attribute list, content : content list}
  (* xmlDecl is NONE where there is no <?xml ...?>; content is an ELEMENT *)
  type tree = {xmlDecl : Schema.attribute list option, doctype : doctype option, content : content}
end

functor XMLTreeFn (Schema : XML_SCHEMA) : XML_TREE =
struct
  structure Schema = Schema
  datatype doctype = DOCTYPE of string * external_id option
  and external_id = SYSTEM of string | PUBLIC of string * string
  datatype content =
      TEXT of string
    | CDATA of string
    | ELEMENT of {name : Schema.element, attrs : Schema.attribute list, content : content list}
  type tree = {xmlDecl : Schema.attribute list option, doctype : doctype option, content : content}
end

(* Any element, its name in capitals. *)
structure GenericXMLTree =
  XMLTreeFn (type element = Atom.atom
             type attribute = Atom.atom * string
             fun element name = SOME (Atom.atom (String.map Char.toUpper name))
             fun preserveWS _ = false
             fun preserveComment _ = false
             val same = Atom.same
             val toString = Atom.toString
             fun attribute (name, value) = (Atom.atom name, value))
