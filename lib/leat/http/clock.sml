(* HTTPClock': moments at which a wait is over, by the program's own clock: the time of the day may be set meanwhile. *)

structure HTTPClock' =
struct
  fun now () = Timer.checkRealTimer (Timer.totalRealTimer ())
  (* the last moment that there is; also what a time is over that lasts for ever *)
  val last = Time.fromNanoseconds (Int.toLarge (valOf Int.maxInt))
  (* so long after now *)
  fun deadline time = Time.+ (now (), time) handle Time.Time => last
  (* how long there is until then; nothing, or less, when it is past *)
  fun left until = Time.- (until, now ())
  fun isOver until = Time.<= (left until, Time.zeroTime)
  (* The same moment by the time of the day, for what counts by that. *)
  fun ofDay until = Time.+ (Time.now (), left until) handle Time.Time => last
end
