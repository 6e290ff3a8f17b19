(* Structures that share datatypes whose constructors mention other shared types: each pair was made one by itself, with a
   walk over the whole signature, so that a compiler's signatures took twenty gigabytes. All are made one at once now. *)
signature ITEM = sig datatype kind = A | B of kind list datatype item = Item of {kind : kind, next : item option} end
signature TABLE = sig structure Item : ITEM datatype table = Table of Item.item list * Item.kind end
signature BOTH =
sig
  structure One : TABLE
  structure Two : TABLE
  structure Three : sig structure Item : ITEM type table end
  sharing One = Two = Three
end
structure Item = struct datatype kind = A | B of kind list datatype item = Item of {kind : kind, next : item option} end
structure Table = struct structure Item = Item datatype table = Table of Item.item list * Item.kind end
functor Count (S : BOTH) =
struct
  open S
  fun kinds (One.Item.A) = 1
    | kinds (Two.Item.B l) = List.foldl (fn (k, n) => n + kinds k) 1 l
  fun count (Two.Table (items, k)) =
    kinds k + List.foldl (fn (One.Item.Item {kind, next = NONE}, n) => n + kinds kind | (_, n) => n) 0 items
  fun same (t : One.table, u : Two.table, _ : Three.table) = count t = count u
end
structure C = Count (structure One = Table structure Two = Table structure Three = Table)
val t = Table.Table ([Item.Item {kind = Item.B [Item.A, Item.A], next = NONE}], Item.A)
val () = print (Int.toString (C.count t) ^ " " ^ Bool.toString (C.same (t, t, t)) ^ "\n")
