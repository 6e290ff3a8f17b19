(* MVars as a monitor: a value, a lock, and two conditions. So they are written wherever threads come with mutexes and
   condition variables; Vm and Sys are made of it. After Hoare, Monitors, CACM 1974, with Mesa's rule: who was
   woken looks again. *)

signature MUTEX =
sig
  type mutex
  (* a new one, which nobody has *)
  val mutex : unit -> mutex
  (* takes it; waits while another thread has it *)
  val lock : mutex -> unit
  (* gives it back; one that waits for it goes on *)
  val unlock : mutex -> unit

  type condition
  (* a new one, for which nobody waits *)
  val condition : unit -> condition
  (* leaves the mutex, waits for a signal, and takes the mutex again *)
  val wait : condition * mutex -> unit
  (* wakes the one that has waited longest, if there is one *)
  val signal : condition -> unit
end

functor Monitor (M : MUTEX) :> MVAR where type 'a action = 'a =
struct
  type 'a action = 'a
  type 'a mvar =
    {mutex : M.mutex, filled : M.condition, emptied : M.condition, value : 'a option ref}

  fun mvar () =
    {mutex = M.mutex (), filled = M.condition (), emptied = M.condition (), value = ref NONE}

  fun take (m as {mutex, filled, emptied, value} : 'a mvar) =
    let
      fun get () =
        case !value of
          SOME x => (value := NONE; x)
        | NONE => (M.wait (filled, mutex); get ())
      val () = M.lock mutex
      val x = get ()
    in
      M.signal emptied;
      M.unlock mutex;
      x
    end

  fun put ({mutex, filled, emptied, value} : 'a mvar, x) =
    let
      fun set () =
        case !value of
          NONE => value := SOME x
        | SOME _ => (M.wait (emptied, mutex); set ())
    in
      M.lock mutex;
      set ();
      M.signal filled;
      M.unlock mutex
    end
end
