(* URef, SimpleURef, UnionFind: references that can be united (Tarjan, 1975; by rank, with path halving). *)

signature UREF =
sig
  type 'a uref

  val uRef : 'a -> 'a uref
  (* Makes a cell with these contents. *)
  val equal : 'a uref * 'a uref -> bool
  (* Made by one call of uRef, or united since. *)
  val !! : 'a uref -> 'a
  (* What the cell has. *)
  val update : 'a uref * 'a -> unit
  (* Gives the cell, and all that are united with it, other contents. *)
  val unify : ('a * 'a -> 'a) -> 'a uref * 'a uref -> bool
  (* Unites both; the function of both contents is the new one, also of those that are one already. Whether they were
     separate before. *)
  val union : 'a uref * 'a uref -> bool
  (* Unites both, with one of their contents. Whether they were separate before. *)
  val link : 'a uref * 'a uref -> bool
  (* Unites both, with the second's contents. Whether they were separate before. *)
end

structure URef :> UREF =
struct
  datatype 'a node =
      Root of int * 'a
    | Link of 'a node ref
  (* A root's rank bounds the depth below it. *)

  type 'a uref = 'a node ref

  fun uRef x = ref (Root (0, x))

  (* The root, with what it holds; halves the path on the way. *)
  fun find r =
    case !r of
      Root (rank, x) => (r, rank, x)
    | Link parent =>
        (case !parent of
           Root (rank, x) => (parent, rank, x)
         | Link grandparent => (r := Link grandparent; find grandparent))

  fun equal (a, b) = #1 (find a) = #1 (find b)
  fun !! r = #3 (find r)
  fun update (r, x) = let val (root, rank, _) = find r in root := Root (rank, x) end

  fun unify f (a, b) =
    let
      val (ra, _, x) = find a
      val (rb, _, y) = find b
      val separate = ra <> rb
      val z = f (x, y)
      (* The function may have united either with others, or both. *)
      val (ra, ka, _) = find ra
      val (rb, kb, _) = find rb
    in
      if ra = rb then ra := Root (ka, z)
      else if ka > kb then (rb := Link ra; ra := Root (ka, z))
      else (ra := Link rb; rb := Root (if ka = kb then kb + 1 else kb, z));
      separate
    end

  fun union (a, b) = unify #1 (a, b)
  fun link (a, b) = unify #2 (a, b)
end

structure SimpleURef : UREF = URef
structure UnionFind : UREF = URef
