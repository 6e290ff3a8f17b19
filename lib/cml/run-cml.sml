structure RunCML =
struct
  local
    val active = ref false
  in
    (* Runs the program; the slice is the runtime's own, whatever is asked for. The program ends when the function has
       returned: threads that are still blocked then are dropped. *)
    fun doit (f : unit -> unit, slice : Time.time option) =
      (active := true;
       f ();
       active := false;
       OS.Process.success)
    fun isRunning () = !active
    fun shutdown status = OS.Process.exit status
  end
end
