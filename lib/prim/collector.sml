(* The collector, weak pointers, sizes of objects.
 *
 * Each is a row of runtime/abi/src/prim/table.rs, which this is compared with. *)
structure PrimCollector' =
struct
   (* 0 minor, 1 major, ~1 major with as little memory left as can be, others major with everything unused given back *)
   val gc_collect = _prim "gc_collect" : int -> unit
   val gc_messages = _prim "gc_messages" : bool -> unit

   (* Whether a summary is printed when the program has ended. *)
   val gc_summary = _prim "gc_summary" : bool -> unit

   (* int -> int: 0 live bytes after the last major, 1 bytes allocated, 2 minors, 3 majors, 4 heap bytes, 5
    * peak heap bytes, 6 ns in minors, 7 ns in majors, 8 remembered objects logged, 9 bytes promoted, 10 bytes
    * marked. *)
   val gc_stat = _prim "gc_stat" : int -> int
   val gc_set_nursery = _prim "gc_set_nursery" : int -> unit
   val weak_new = _prim "weak_new" : 'a -> 'a weak
   val weak_get = _prim "weak_get" : 'a weak -> 'a

   (* True while not cleared. *)
   val weak_live = _prim "weak_live" : 'a weak -> bool

   (* 'a -> int: bytes of all objects reachable from it *)
   val object_size = _prim "object_size" : 'a -> int

   (* 'a -> word: of the contents of what is reachable from it, as far as a bound; the same for equal values *)
   val object_hash = _prim "object_hash" : 'a -> word
end
