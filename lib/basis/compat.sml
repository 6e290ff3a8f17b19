(* Unsafe, SMLofNJ: the parts of SML/NJ's own structures that old programs use. *)

structure Unsafe =
struct
  val cast = _prim "cast" : 'a -> 'b
  structure Vector =
  struct
    val sub = _prim "vector_sub_unsafe" : 'a vector * int -> 'a
  end
  structure Array =
  struct
    val sub = _prim "array_sub_unsafe" : 'a array * int -> 'a
    val update = _prim "array_update_unsafe" : 'a array * int * 'a -> unit
    val create = _prim "array_new" : int * 'a -> 'a array
  end
  structure CharVector =
  struct
    val sub = _prim "string_sub_unsafe" : string * int -> char
  end
  structure CharArray =
  struct
    val sub = _prim "array_sub_unsafe" : char array * int -> char
    val update = _prim "array_update_unsafe" : char array * int * char -> unit
    val create = _prim "array_new_uninit" : int -> char array
  end
end

structure SMLofNJ =
struct
  (* where an exception was raised from, innermost first *)
  local
    val history = _prim "exn_history" : exn -> string
  in
    fun exnHistory e = String.tokens (fn c => c = #"\n") (history e)
  end
  fun getArgs () = CommandLine.arguments ()
  fun getCmdName () = CommandLine.name ()

  structure Internals =
  struct
    structure GC =
    struct
      (* 0 collects the nursery, anything above the whole heap *)
      val doGC = _prim "gc_collect" : int -> unit
      (* a line for each collection on standard error *)
      val messages = _prim "gc_messages" : bool -> unit
    end
  end
end

(* What only Leat has. *)
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
