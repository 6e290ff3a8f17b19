(* A form whose parts have long headers, and which comes byte by byte, as each client can have it by chunks of one byte:
   what had come of a header was copied, and searched from its beginning, at each byte. 1 MB of such a form took 8 GB of
   memory, and seconds of a processor. *)
fun parts (n, length) =
  concat (List.tabulate (n, fn _ =>
            concat ["--b\r\nContent-Disposition: form-data; name=a\r\nX: ",
                    CharVector.tabulate (length, fn _ => #"x"),
                    "\r\n\r\ntext\r\n"])
          @ ["--b--\r\n"])
fun request text =
  let
    val all =
      concat ["POST / HTTP/1.1\r\nHost: x\r\nContent-Type: multipart/form-data; boundary=b\r\nContent-Length: ",
              Int.toString (size text),
              "\r\n\r\n",
              text]
    val at = ref 0
    fun next () =
      if !at = size all then ""
      else String.str (String.sub (all, !at)) before at := !at + 1
  in
    valOf (HTTPMessage.readRequest HTTPMessage.limits (HTTPMessage.source next))
  end
fun count text =
  let
    val found = ref 0
  in
    HTTPForm.each {most = 100} (request text) (fn {body, ...} =>
      if HTTPBody.all {most = 100} body = "text" then found := !found + 1 else ());
    !found
  end

(* Of as many bytes, in short headers and in long ones. *)
fun cost text =
  let
    val start = MLton.GC.Statistics.bytesAllocated ()
    val found = count text
  in
    (found, MLton.GC.Statistics.bytesAllocated () - start)
  end
val (short, few) = cost (parts (100, 200))
val (long, many) = cost (parts (2, 10000))
val () = print (concat [Int.toString short, " and ", Int.toString long, " parts\n"])
val () =
  print (if many < 3 * few then "a byte of a long header costs what one of a short header does\n"
         else concat ["short headers: ", IntInf.toString few, " bytes, long ones: ", IntInf.toString many, "\n"])

(* A header that is as long as one may be, and one that is longer. *)
fun tried length =
  print (Int.toString (count (parts (1, length))) ^ "\n")
  handle HTTPForm.Malformed why => print (why ^ "\n")
(* what else is in it *)
val other = size "\r\nContent-Disposition: form-data; name=a\r\nX: "
val () = tried (16384 - other)
val () = tried (16384 - other + 1)

(* What was taken for a line end, a carriage return and any character, is none. *)
val () =
  ignore (count "--b\r\nContent-Disposition: form-data; name=a\rXY: z\r\n\r\ntext\r\n--b--\r\n")
  handle HTTPForm.Malformed why => print (why ^ "\n")
