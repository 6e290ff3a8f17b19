(* A stack that is used up in the midst of CML.select, and what other threads see of that.

   Expected (-O0 gives it): "another thread has run". Found, optimised: "no other thread runs any more".

   `select` polls its events in an atomic section (lib/cml/sync.sml, `syncMany`, `ready`). What it calls there are
   closures; one that may come to an unknown call again has an entry check (compiler/ssa/src/safepoint.rs,
   `entry_checks`), as the poll of a time-out has. When the stack has no more room there, the check raises
   StackOverflow (runtime/fiber/src/run/poll.rs, `stack_overflowed`; leat_stack_check in
   runtime/entry/src/prim/slow_paths.rs): `atomic_begin` has been, and `atomic_end` never comes. The handler goes on
   with `atomic_depth` 1, so no slice of this thread ends, and nobody else runs on its worker until it blocks. Where a
   lock is held (Semaphore, Lock'.take), others wait for it without an end. *)
val hour = CML.timeOutEvt (Time.fromSeconds 3600)

fun deep n = (ignore (CML.select [CML.wrap (hour, fn () => 0), CML.alwaysEvt n]); 1 + deep (n + 1))
val _ = deep 1 handle StackOverflow => 0

val flag = ref false
val stop = Time.+ (Time.now (), Time.fromSeconds 2)
fun wait () = !flag orelse (Time.< (Time.now (), stop) andalso wait ())
val _ = CML.spawn (fn () => (CML.yield (); flag := true))
val () = print (if wait () then "another thread has run\n" else "no other thread runs any more\n")
