(* Child': a child of this process, whose end several threads may ask for. For the library.

   The system tells the end of a child once, and from then on the child's number may be another process's. So the number
   is used only while the status is not known, and with a lock that is held while the system is asked for the status.
   Nothing waits with the lock: what waits for the end does so by a descriptor, which was made with the lock. *)
structure Child' =
struct
  (* the status as `waitpid` gives it *)
  type child = {pid : int, status : int option ref, lock : Lock'.lock}

  fun new pid : child = {pid = pid, status = ref NONE, lock = Lock'.new ()}

  fun isReaped ({status, ...} : child) = isSome (!status)

  local
    val isOver = PrimProcesses'.process_ended
    val noHang = 1
  in
    (* f of the number, and NONE when the child was reaped. f waits for nothing and raises nothing. *)
    fun unlessReaped ({pid, status, lock} : child) f =
      let
        val () = Lock'.take lock
        val result = if isSome (!status) then NONE else SOME (f pid)
      in
        Lock'.release lock;
        result
      end
    (* The same for what others see, before which what was printed is to be out. That may wait, so it is seen to before:
       signal 0 is a mere question. *)
    fun outside child f = (ignore (Process'.kill (#pid child, 0)); unlessReaped child f)

    (* The answer of the system's `kill`; NONE when the child was reaped. *)
    fun kill (child, signal) = outside child (fn pid => Process'.kill (pid, signal))

    (* Whether the end is there, for who asks now. *)
    fun hasEnded child = getOpt (unlessReaped child isOver, 1) <> 0

    (* A descriptor that can be read when the child has ended; below 0: there is none, or the child was reaped. *)
    fun openEnd child = getOpt (unlessReaped child Process'.openProcess, ~1)

    (* Waits for the end. One of several threads gets the status from the system, and the others find it here. *)
    fun reap (child as {pid, status, ...} : child) =
      let
        val a = Array.array (1, 0)
        (* what the system has found, and a descriptor to wait for if it has found nothing *)
        fun look pid =
          case Process'.wait (pid, noHang, a) of
            0 => (0, Process'.openProcess pid)
          | found =>
              (if found > 0 then status := SOME (Array.sub (a, 0)) else ();
               (found, ~1))
      in
        case !status of
          SOME w => w
        | NONE =>
            (case outside child look of
               SOME (0, fd) => Process'.awaitBy (fd, pid, 0)
             | SOME (found, _) => Error'.done found
             | NONE => ();
             reap child)
      end
  end
end
