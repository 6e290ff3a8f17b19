(* A limit that is further away than times reach is none; others are as before. *)
fun milliseconds n = Time.fromMilliseconds n
fun waits abort =
  CML.select
    [CML.wrap (Abort.evt abort, fn () => "happened"),
     CML.wrap (CML.timeOutEvt (milliseconds 50), fn () => "not yet")]
fun show (name, time) =
  let
    val abort = Abort.new time
    val first = waits abort
  in
    print (String.concat [name, ": ", first, ", ", Bool.toString (Abort.aborted abort), ", "]);
    Abort.force abort;
    print (String.concat [waits abort, ", ", Bool.toString (Abort.aborted abort), "\n"])
  end
val () =
  List.app show
    [("longest", Time.fromNanoseconds 9223372036854775807),
     ("three centuries", Time.fromSeconds 9000000000),
     ("a minute", Time.fromSeconds 60),
     ("short", milliseconds 1),
     ("none", Time.zeroTime),
     ("over", Time.fromSeconds ~9000000000)]
