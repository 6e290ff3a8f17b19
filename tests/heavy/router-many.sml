(* A route was looked for among all of its place, when the tree was made and when a request came: 20,000 routes took 5
   s, and 40,000 four times as much. *)
open HTTPRouter

val n = 40000
val start = Time.now ()
fun pattern i = concat ["/", Int.toString (i * 7919 mod n), "/:x/", Int.toString (i mod 7)]
fun answer (params, _) = HTTP.text 200 (params "x")
val site = router (List.tabulate (n, fn i => on "GET" (pattern i) answer))

fun request i : HTTP.request =
  let
    val path = String.translate (fn #":" => "" | c => str c) (pattern i)
  in
    valOf
      (HTTPMessage.readRequest HTTPMessage.limits
         (HTTPMessage.ofString (concat ["GET ", path, " HTTP/1.1\r\nHost: x\r\n\r\n"])))
  end
fun isThere i = let val {status, body, ...} = site (request i) in status = 200 andalso HTTPBody.all {most = 10} body = "x" end
fun all i = i = n orelse isThere i andalso all (i + 1)
val () = print (if all 0 then "all are there\n" else "one is not there\n")
val () = print (Int.toString (#status (site (request n))) ^ "\n")
val () = print (if Time.< (Time.- (Time.now (), start), Time.fromSeconds 10) then "in time\n" else "late\n")
val () =
  (ignore (router (List.tabulate (n, fn i => on "GET" (pattern i) answer) @ [on "GET" "/15433/:y/0" answer]));
   print "no conflict\n")
  handle Conflict text => print (text ^ "\n")
