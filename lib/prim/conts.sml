(* Continuations.

   Written from the table of primitives, runtime/abi/src/prim/table.rs: LEAT_BLESS=1 does it. *)
structure PrimConts' =
struct
  (* cell -> cell: its first field becomes the caller's continuation. Returns again with what is
     thrown to that, which is another object. (So a mutable object must not become values across
     a call that may reach this.) *)
  val cont_capture = _prim "cont_capture" : 'a -> 'a

  (* cell * object: goes on where the cell was filled. Does not return. *)
  val cont_throw = _prim "cont_throw" : 'a * 'a -> 'b

  (* (unit -> unit): goes on with that on an empty stack. Does not return. *)
  val cont_restart = _prim "cont_restart" : (unit -> unit) -> 'a

  (* (unit -> unit) * object: a segment, which holds a stack that nobody runs (`fiber::segment`);
     this one will call the function, which must not return. The object becomes its
     `Thread::props`. *)
  val segment_new = _prim "segment_new" : (unit -> unit) * 'a -> thread

  (* segment * 'a: the running thread goes on with the stack that the segment holds, where the
     swap that left it there gives the value; the segment holds the thread's own now. Immediate
     1: it cannot be had yet, and nothing was done. *)
  val segment_swap = _prim "segment_swap" : thread * 'a -> 'a

  (* The same, but the thread's own stack is given up, and the segment with it. *)
  val segment_end = _prim "segment_end" : thread * 'a -> 'a

  (* The stack that the segment holds is in pieces that may be shared from now on; false: it
     cannot be had yet. *)
  val segment_freeze = _prim "segment_freeze" : thread -> bool

  (* Another segment with the same stack, of a frozen one. (So a swap may return again.) *)
  val segment_copy = _prim "segment_copy" : thread -> thread
end
