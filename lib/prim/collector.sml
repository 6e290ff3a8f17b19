(* The collector, weak pointers, sizes of objects.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimCollector' =
struct
  (* What `Collection'` has names for. *)
  val gc_collect = _prim "gc_collect" : int -> unit
  val gc_messages = _prim "gc_messages" : bool -> unit

  (* Whether a summary is printed when the program has ended. *)
  val gc_summary = _prim "gc_summary" : bool -> unit

  (* The figures that `HeapFigure'` has names for. *)
  val gc_stat = _prim "gc_stat" : int -> int
  val gc_set_nursery = _prim "gc_set_nursery" : int -> unit

  (* What `HeapSetting'` has names for, and its value. *)
  val gc_set = _prim "gc_set" : int * int -> unit
  val weak_new = _prim "weak_new" : 'a -> 'a weak
  val weak_get = _prim "weak_get" : 'a weak -> 'a

  (* True while not cleared. *)
  val weak_live = _prim "weak_live" : 'a weak -> bool

  (* 'a -> int: bytes of all objects reachable from it *)
  val object_size = _prim "object_size" : 'a -> int

  (* 'a -> word: of the contents of what is reachable from it, as far as a bound; the same for
     equal values *)
  val object_hash = _prim "object_hash" : 'a -> word
end
