(* libcurl: a file is fetched by its URL; C hands its bytes to a function of SML. *)
structure C = Curl
structure P = MLton.Pointer
val setText = _import "curl_easy_setopt" variadic : P.t * int * string -> int;
val setAddress = _import "curl_easy_setopt" variadic : P.t * int * C.curl_write_callback -> int;
val path = OS.FileSys.tmpName ()
val out = TextIO.openOut path
val () = (app (fn i => TextIO.output (out, Int.toString i ^ "\n")) (List.tabulate (20000, fn i => i)); TextIO.closeOut out)
val received = ref []
val write =
  C.curl_write_callback.make (fn (p, one, count, _) =>
    (received := CharVector.tabulate (Word64.toInt count, fn i => Byte.byteToChar (P.getWord8 (p, i))) :: !received; count))
val easy = C.curl_easy_init ()
val _ = setText (easy, C.CURLOPT_URL, "file://" ^ path ^ "\000")
val _ = setAddress (easy, C.CURLOPT_WRITEFUNCTION, write)
val code = C.curl_easy_perform easy
val text = String.concat (rev (!received))
val () = print (Int.toString code ^ " " ^ Bool.toString (size text = 108890 andalso String.isSuffix "19999\n" text) ^ "\n")
val () = print (Bool.toString (List.length (!received) > 1) ^ "\n")
val _ = setText (easy, C.CURLOPT_URL, "file:///no/such/file\000")
val () = print (Bool.toString (C.curl_easy_perform easy = C.CURLE_FILE_COULDNT_READ_FILE) ^ "\n")
val () = C.curl_easy_cleanup easy
val () = OS.FileSys.remove path
