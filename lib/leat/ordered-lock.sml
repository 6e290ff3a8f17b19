(* OrderedLock': Thread.Lock, in a way that the race detector sees.

   A lock that its worker has taken last is taken and given back without a store, so nothing of it tells the detector
   (`--race`) that who takes it comes after who gave it back. The cell here does: both load it and store into it. *)

structure OrderedLock' =
struct
  type lock = {lock : Thread.Lock.lock, order : unit ref ref}

  fun new () : lock = {lock = Thread.Lock.new (), order = ref (ref ())}

  (* Nobody else has the cell, so it has what it had. *)
  fun touch order =
    let
      val now = Unsafe.Wait.look order
    in
      ignore (Unsafe.Wait.swap (order, now, now))
    end

  fun take ({lock, order} : lock) = (Thread.Lock.take lock; touch order)
  fun release ({lock, order} : lock) = (touch order; Thread.Lock.release lock)
end
