(* A thread that knows nothing of CML ends on one worker while another one asks for its end. *)
val made : Thread.thread option ref = ref NONE
val told = ref 0
fun spin 0 = ()
  | spin n = spin (n - 1)
val rounds = 100000
fun make i =
  if i = rounds then ()
  else
    let
      val thread = Thread.new (fn () => spin (i mod 40))
      fun wait () = if !told > i then () else (CML.yield (); wait ())
    in
      made := SOME thread;
      Thread.switch thread;
      wait ();
      make (i + 1)
    end
fun join i =
  if i = rounds then print "all have ended\n"
  else
    case !made of
      NONE => (CML.yield (); join i)
    | SOME thread =>
        (made := NONE;
         spin (i * 7 mod 61);
         CML.select
           [CML.joinEvt thread,
            CML.wrap (CML.timeOutEvt (Time.fromSeconds 60), fn () => raise Fail "nobody was told")];
         told := i + 1;
         join (i + 1))
val _ = CML.spawn (fn () => make 0)
val () = join 0
