(* Leat: what only this system has. *)

structure Leat =
struct
  (* the collector's counters *)
  structure GC =
  struct
    local
      val stat = _prim "gc_stat" : int -> int
    in
      (* bytes that the last major collection found alive *)
      fun liveBytes () = stat 0
      fun allocatedBytes () = stat 1
      fun minorCollections () = stat 2
      fun majorCollections () = stat 3
      fun heapBytes () = stat 4
      fun peakHeapBytes () = stat 5
      fun minorNanoseconds () = stat 6
      fun majorNanoseconds () = stat 7
    end
    val setNursery = _prim "gc_set_nursery" : int -> unit
  end
end
