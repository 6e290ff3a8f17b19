(* DynamicArray and DynamicArrayFn: arrays without end, of which all but finitely many items have a default value.
   Doubled when an update falls behind the end; the bound is the highest index that was set. *)

signature DYNAMIC_ARRAY =
sig
  type 'a array

  val array : (int * 'a) -> 'a array
  (* array (n, default): with room for n items and bound ~1; raises Size if n < 0. *)
  val subArray : ('a array * int * int) -> 'a array
  (* subArray (a, lo, hi): a new array with a's items lo to hi at 0 to hi - lo; raises Size if lo < 0 or hi < lo - 1. *)
  val fromList : 'a list * 'a -> 'a array
  (* An array of the list's items, with that default for others. *)
  val fromVector : 'a vector * 'a -> 'a array
  (* An array of the vector's items, with that default for others. *)
  val toList : 'a array -> 'a list
  (* The items from 0 to the bound, as a list. *)
  val toVector : 'a array -> 'a vector
  (* The items from 0 to the bound, as a vector. *)
  val tabulate : (int * (int -> 'a) * 'a) -> 'a array
  (* `tabulate (n, f, default)`: the items f 0 to f (n - 1). Raises Size when n is negative. *)
  val default : 'a array -> 'a
  (* The value of items that were never set. *)
  val sub : ('a array * int) -> 'a
  (* Item i: the default value where none was set. Raises Subscript for a negative index only. *)
  val update : ('a array * int * 'a) -> unit
  (* Sets item i; the array grows where it must. Raises Subscript for a negative index only. *)
  val bound : 'a array -> int
  (* The largest index of an item that was set; ~1 when there is none. *)
  val truncate : ('a array * int) -> unit
  (* `truncate (a, n)`: what is at n and behind it has the default value again. *)

  (* Over the items 0 to bound *)

  val appi : (int * 'a -> unit) -> 'a array -> unit
  (* Calls the function on each index and its item, from 0 to the bound. *)
  val app : ('a -> unit) -> 'a array -> unit
  (* Calls the function on each item, from 0 to the bound. *)
  val modifyi : (int * 'a -> 'a) -> 'a array -> unit
  (* Replaces each item, from 0 to the bound, by what the function gives for its index and it. *)
  val modify : ('a -> 'a) -> 'a array -> unit
  (* Replaces each item, from 0 to the bound, by what the function gives for it. *)
  val foldli : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* From 0 to the bound: calls the function with index, item and the result so far. *)
  val foldri : (int * 'a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* From the bound to 0: calls the function with index, item and the result so far. *)
  val foldl : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* From 0 to the bound: calls the function with an item and the result so far. *)
  val foldr : ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* From the bound to 0: calls the function with an item and the result so far. *)
  val findi : (int * 'a -> bool) -> 'a array -> (int * 'a) option
  (* SOME of the first item, with its index, for which the predicate holds, or NONE. *)
  val find : ('a -> bool) -> 'a array -> 'a option
  (* SOME of the first item for which the predicate holds, or NONE. *)
  val exists : ('a -> bool) -> 'a array -> bool
  (* Whether an item up to the bound satisfies the predicate. *)
  val all : ('a -> bool) -> 'a array -> bool
  (* Whether all items up to the bound satisfy the predicate. *)
  val collate : ('a * 'a -> order) -> 'a array * 'a array -> order
  (* The order of two arrays by their first items that differ, in the order that is given. *)
  val vector : 'a array -> 'a vector
  (* The older name of `toVector`. *)
end

signature MONO_DYNAMIC_ARRAY =
sig
  type elem
  type array

  val array : (int * elem) -> array
  (* `array (n, default)`: with room for n items and bound ~1. Raises Size when n is negative. *)
  val subArray : array * int * int -> array
  (* `subArray (a, lo, hi)`: a new array with items lo to hi of a, at 0 to hi - lo. Raises Size when lo < 0 or hi < lo
     - 1. *)
  val fromList : elem list * elem -> array
  (* An array of the list's items, with that default for others. *)
  val toList : array -> elem list
  (* The items from 0 to the bound, as a list. *)
  val tabulate : int * (int -> elem) * elem -> array
  (* `tabulate (n, f, default)`: the items f 0 to f (n - 1). Raises Size when n is negative. *)
  val default : array -> elem
  (* The value of items that were never set. *)
  val sub : array * int -> elem
  (* Item i: the default value where none was set. Raises Subscript for a negative index only. *)
  val update : array * int * elem -> unit
  (* Sets item i; the array grows where it must. Raises Subscript for a negative index only. *)
  val bound : array -> int
  (* The largest index of an item that was set; ~1 when there is none. *)
  val truncate : array * int -> unit
  (* `truncate (a, n)`: what is at n and behind it has the default value again. *)
end

structure DynamicArray :> DYNAMIC_ARRAY =
struct
  datatype 'a array = D of {items : 'a Array.array ref, bound : int ref, default : 'a}

  fun array (n, default) =
    D {items = ref (Array.array (n, default)), bound = ref ~1, default = default}

  fun whole (items, default) =
    D {items = ref items, bound = ref (Array.length items - 1), default = default}
  fun fromList (l, default) = whole (Array.fromList l, default)
  fun fromVector (v, default) =
    whole (Array.tabulate (Vector.length v, fn i => Vector.sub (v, i)), default)
  fun tabulate (n, f, default) = whole (Array.tabulate (n, f), default)

  fun default (D {default, ...}) = default
  fun bound (D {bound, ...}) = !bound

  fun sub (D {items, default, ...}, i) =
    if i >= Array.length (!items) then default else Array.sub (!items, i)

  fun subArray (a as D {default, ...}, lo, hi) =
    if lo < 0 orelse hi < lo - 1 then raise Size
    else
      let
        val hi = Int.min (hi, bound a)
      in
        if hi < lo then array (0, default)
        else whole (Array.tabulate (hi - lo + 1, fn i => sub (a, lo + i)), default)
      end

  (* Item i, for which there is no room yet: so it is behind the bound. *)
  fun grow (D {items, bound, default}, i, x) =
    let
      val () = PrimFunctions'.noinline ()
      val old = !items
      val bigger = Array.array (Int.max (i + 1, 2 * Array.length old), default)
    in
      Array.copy {src = old, dst = bigger, di = 0};
      Array.update (bigger, i, x);
      items := bigger;
      bound := i
    end

  fun update (a as D {items, bound, ...}, i, x) =
    let
      val now = !items
    in
      if i < Array.length now then
        (Array.update (now, i, x); if i > !bound then bound := i else ())
      else grow (a, i, x)
    end

  fun truncate (D {items, bound, default}, n) =
    let
      val n = Int.max (n, 0)
      fun clear i = if i > !bound then () else (Array.update (!items, i, default); clear (i + 1))
    in
      if n <= !bound then
        (* Much that is no longer used is given back. *)
        (if 4 * n < Array.length (!items) then
           let val old = !items in items := Array.tabulate (n, fn i => Array.sub (old, i)) end
         else clear n;
         bound := n - 1)
      else ()
    end

  fun used (D {items, bound, ...}) = ArraySlice.slice (!items, 0, SOME (!bound + 1))

  fun appi f a = ArraySlice.appi f (used a)
  fun app f a = ArraySlice.app f (used a)
  fun modifyi f a = ArraySlice.modifyi f (used a)
  fun modify f a = ArraySlice.modify f (used a)
  fun foldli f init a = ArraySlice.foldli f init (used a)
  fun foldri f init a = ArraySlice.foldri f init (used a)
  fun foldl f init a = ArraySlice.foldl f init (used a)
  fun foldr f init a = ArraySlice.foldr f init (used a)
  fun findi f a = ArraySlice.findi f (used a)
  fun find f a = ArraySlice.find f (used a)
  fun exists f a = ArraySlice.exists f (used a)
  fun all f a = ArraySlice.all f (used a)
  fun collate f (a, b) = ArraySlice.collate f (used a, used b)
  fun toList a = foldr (op ::) [] a
  fun toVector a = ArraySlice.vector (used a)
  val vector = toVector
end

functor DynamicArrayFn (A : MONO_ARRAY) : MONO_DYNAMIC_ARRAY =
struct
  type elem = A.elem
  datatype array = D of {items : A.array ref, bound : int ref, default : elem}

  fun array (n, default) = D {items = ref (A.array (n, default)), bound = ref ~1, default = default}

  fun whole (items, default) =
    D {items = ref items, bound = ref (A.length items - 1), default = default}
  fun fromList (l, default) = whole (A.fromList l, default)
  fun tabulate (n, f, default) = whole (A.tabulate (n, f), default)

  fun default (D {default, ...}) = default
  fun bound (D {bound, ...}) = !bound

  fun sub (D {items, default, ...}, i) =
    if i >= A.length (!items) then default else A.sub (!items, i)

  fun toList a =
    let
      fun from (i, l) = if i < 0 then l else from (i - 1, sub (a, i) :: l)
    in
      from (bound a, [])
    end

  fun subArray (a as D {default, ...}, lo, hi) =
    if lo < 0 orelse hi < lo - 1 then raise Size
    else
      let
        val hi = Int.min (hi, bound a)
      in
        if hi < lo then array (0, default)
        else whole (A.tabulate (hi - lo + 1, fn i => sub (a, lo + i)), default)
      end

  (* Item i, for which there is no room yet: so it is behind the bound. *)
  fun grow (D {items, bound, default}, i, x) =
    let
      val () = PrimFunctions'.noinline ()
      val old = !items
      val bigger = A.array (Int.max (i + 1, 2 * A.length old), default)
    in
      A.copy {src = old, dst = bigger, di = 0};
      A.update (bigger, i, x);
      items := bigger;
      bound := i
    end

  fun update (a as D {items, bound, ...}, i, x) =
    let
      val now = !items
    in
      if i < A.length now then
        (A.update (now, i, x); if i > !bound then bound := i else ())
      else grow (a, i, x)
    end

  fun truncate (D {items, bound, default}, n) =
    let
      fun clear i = if i > !bound then () else (A.update (!items, i, default); clear (i + 1))
      val n = Int.max (n, 0)
    in
      if n <= !bound then (clear n; bound := n - 1) else ()
    end
end
