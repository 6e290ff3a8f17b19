(* Notes in memory: a map that is never changed, in a variable. Who reads takes the map of now and needs no lock; who writes
   puts another map there. *)

structure Memory :> sig
  include STORE
  (* An empty one. *)
  val new : unit -> store
end =
struct
  structure Map = RedBlackMapFn (type ord_key = string val compare = String.compare)

  type note = {id : string, title : string, text : string}
  type store = note Map.map SyncVar.mvar

  fun new () = SyncVar.mVarInit Map.empty : store

  fun add (store, {title, text}) =
    SyncVar.mModify (store,
                     fn notes =>
                       let
                         (* Ids rise, so the newest note is the last one of the map. *)
                         val note = {id = Uuid.toString (Uuid.v7 ()), title = title, text = text}
                       in
                         (Map.insert (notes, #id note, note), note)
                       end)

  fun find (store, id) = Map.find (SyncVar.mGet store, id)

  fun latest (store, most) =
    let
      val notes = Map.listItems (SyncVar.mGet store)
    in
      List.take (rev notes, Int.min (most, List.length notes))
    end

  fun change (store, note as {id, ...} : note) =
    SyncVar.mModify (store,
                     fn notes =>
                       if Map.inDomain (notes, id) then (Map.insert (notes, id, note), true)
                       else (notes, false))

  fun remove (store, id) =
    SyncVar.mModify (store,
                     fn notes =>
                       if Map.inDomain (notes, id) then (#1 (Map.remove (notes, id)), true)
                       else (notes, false))

  fun count store = Map.numItems (SyncVar.mGet store)
end
