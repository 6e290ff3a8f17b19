(* TimeLimit: a computation that may take so long and no longer.

   It runs in a thread of its own; the caller looks at growing intervals whether there is a result.
   Differences: a computation that runs out of time is not stopped, it goes on behind until it ends, and its result is
   dropped. *)

structure TimeLimit : sig
  exception TimeOut

  val timeLimit : Time.time -> ('a -> 'b) -> 'a -> 'b
  (* f x, or whatever it raises; raises TimeOut when the time is over. *)
end =
struct
  exception TimeOut

  datatype 'a outcome =
      Pending
    | Value of 'a
    | Raised of exn

  (* Pauses are an eighth of what has passed, between these. *)
  val shortest = Time.fromMicroseconds 20
  val longest = Time.fromMilliseconds 5

  fun timeLimit limit f x =
    let
      val outcome = ref Pending
      (* not the time of the day, which may be set meanwhile *)
      val timer = Timer.startRealTimer ()
      fun pause passed =
        let
          val eighth = Time.fromNanoseconds (Time.toNanoseconds passed div 8)
          val eighth =
            if Time.< (eighth, shortest) then shortest
            else if Time.> (eighth, longest) then longest
            else eighth
          val left = Time.- (limit, passed)
        in
          if Time.< (left, eighth) then left else eighth
        end
      fun wait () =
        case !outcome of
          Value y => y
        | Raised e => raise e
        | Pending =>
            let
              val passed = Timer.checkRealTimer timer
            in
              if Time.>= (passed, limit) then raise TimeOut
              else (Thread.sleep (pause passed); wait ())
            end
    in
      ignore (Thread.spawn (fn () => outcome := (Value (f x) handle e => Raised e)));
      wait ()
    end
end
