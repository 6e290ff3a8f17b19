(* MLton has no minor collection that can be asked for: a list is dropped by a collection of everything. *)
structure Collect =
struct
  fun minor () = MLton.GC.collect ()
  fun all () = MLton.GC.collect ()
  fun nanoseconds timer =
    let val {gc = {usr, sys}, ...} = Timer.checkCPUTimes timer
    in Time.toReal (Time.+ (usr, sys)) * 1E9 end
end
