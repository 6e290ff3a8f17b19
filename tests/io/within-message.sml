(* A message that `within` took at the very end of its time was lost: the scope was cancelled between the wait that took it
   and the return of the function. Books are kept of what was sent; `none` in a row means that the last ones are lost. *)
val count = 3000
fun us n = Time.fromMicroseconds (Int.toLarge n)

(* what `take` gives, asked again and again with all kinds of times, until the last one has come *)
fun received take =
  let
    val tick = ref 0
    fun go (n, none) =
      if n = count then true
      else
        (tick := (!tick * 7 + 1) mod 61;
         case Scope.within (us (!tick)) (fn _ => take ()) of
           SOME m => m = n andalso go (n + 1, 0)
         | NONE => none < 10000 andalso go (n, none + 1))
  in
    go (0, 0)
  end

(* Sends all numbers, each at another moment. *)
fun sending send =
  CML.spawn (fn () =>
    List.app
      (fn n =>
        (if n mod 3 = 0 then OS.Process.sleep (us (n mod 97)) else CML.yield ();
         send n))
      (List.tabulate (count, fn n => n)))

fun show (name, send, take) =
  (ignore (sending send);
   print (name ^ (if received take then ": all\n" else ": some are lost\n")))

val channel : int CML.chan = CML.channel ()
val () = show ("channel", fn n => CML.send (channel, n), fn () => CML.recv channel)
val mailbox : int Mailbox.mbox = Mailbox.mailbox ()
val () = show ("mailbox", fn n => Mailbox.send (mailbox, n), fn () => Mailbox.recv mailbox)
val (left, right) : int CML.chan * int CML.chan = (CML.channel (), CML.channel ())
val () =
  show ("choice",
        fn n => CML.send (if n mod 2 = 0 then left else right, n),
        fn () => CML.select [CML.recvEvt left, CML.recvEvt right])
