(* A thread that says CML.exit leaves its scopes behind. The scope around them does not keep them for good. *)
open CML
val kept =
  Scope.run (fn s =>
    let
      fun one _ =
        let
          val v : thread_id MLton.Weak.t SyncVar.ivar = SyncVar.iVar ()
          val over =
            Scope.fork s (fn () => Scope.run (fn _ => (SyncVar.iPut (v, MLton.Weak.new (getTid ())); exit () : unit)))
        in
          sync over handle Scope.Cancelled => ();
          SyncVar.iGet v
        end
      val all = List.tabulate (200, one)
    in
      MLton.GC.collect ();
      List.length (List.filter (Option.isSome o MLton.Weak.get) all)
    end)
(* those that came last, until they are swept *)
val () = print (if kept < 100 then "most are gone\n" else Int.toString kept ^ " of 200 are kept\n")
