(* Answers 205 have no content, and 304 tells no length of its own. *)
val () =
  List.app
    (fn status => HTTPMessage.writeResponse print {method = "GET", minor = 1} (HTTP.status status))
    [205, 304]
