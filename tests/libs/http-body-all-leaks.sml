(* A body whose length is more than what HTTPBody.all may take is closed. *)
fun say s = print (s ^ "\n")
val listener = HTTPServer.listen {address = "127.0.0.1", port = 0}
val port = HTTPServer.port listener
val stop = SyncVar.iVar () : unit SyncVar.ivar
val length = ref true
fun handler (_ : HTTP.request) : HTTP.response =
  if !length then HTTP.text 200 (CharVector.tabulate (2000, fn _ => #"x"))
  else
    let val left = ref 2 in
    {status = 200, headers = HTTPHeaders.empty, body = HTTPBody.stream {length = NONE, next = fn () => if !left = 0 then "" else (left := !left - 1; CharVector.tabulate (1000, fn _ => #"x")), close = ignore}}
    end
val done = CML.spawn (fn () => HTTPServer.serve [HTTPServer.StopWhen (SyncVar.iGetEvt stop), HTTPServer.LingerTime Time.zeroTime] listener handler)
fun descriptors () =
  let
    val folder = OS.FileSys.openDir "/proc/self/fd"
    fun go n = case OS.FileSys.readDir folder of SOME _ => go (n + 1) | NONE => n
  in
    go 0 before OS.FileSys.closeDir folder
  end
val client = HTTPClient.client []
fun ask () = ignore (HTTPBody.all {most = 1000} (#body (HTTPClient.get client ("http://127.0.0.1:" ^ Int.toString port ^ "/")))) handle HTTPBody.TooLarge => ()
fun times 0 = () | times n = (ask (); times (n - 1))
fun measure () =
  let
    val before' = descriptors ()
    (* both sides close in their own time *)
    fun more 0 = descriptors () - before'
      | more n =
          if descriptors () <= before' then 0
          else (OS.Process.sleep (Time.fromMilliseconds 100); more (n - 1))
  in
    times 10;
    say (Int.toString (more 300))
  end
(* a server that waits has a descriptor for a connection that finds no other *)
val () = ask ()
val () = (length := false; measure (); length := true; measure ())
val () = SyncVar.iPut (stop, ())
val () = CML.sync (CML.joinEvt done)
