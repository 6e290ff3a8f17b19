(* The partner of a choice waits also for the choice's own negative acknowledgement. The event is taken, so that does not
   happen: it once came first, the partner took it, and the event that was to be taken was lost. *)
open CML
val a : int chan = channel ()
val c : int chan = channel ()
val box : unit event Mailbox.mbox = Mailbox.mailbox ()
val first : string SyncVar.ivar = SyncVar.iVar ()
val second : string SyncVar.ivar = SyncVar.iVar ()
val _ =
  spawn (fn () =>
    let
      val nack = Mailbox.recv box
    in
      SyncVar.iPut (second, select [wrap (nack, fn () => "was told of a nack"), wrap (recvEvt c, fn _ => "has received")])
    end)
val _ =
  spawn (fn () =>
    SyncVar.iPut
      (first,
       select
         [withNack (fn nack => (Mailbox.send (box, nack); yield (); wrap (recvEvt a, fn _ => "has received"))),
          wrap (sendEvt (c, 1), fn () => "has sent")]))
val () = print (concat ["the first ", SyncVar.iGet first, "\nthe second ", SyncVar.iGet second, "\n"])
