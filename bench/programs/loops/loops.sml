(* A1: counting down and up by tail recursion. usage: loops N. Prints the best of five, in nanoseconds. *)

structure Main =
struct
  fun best (name, f) =
    let
      fun go (0, least) = least
        | go (n, least) =
            let
              val timer = Timer.startRealTimer ()
              val _ = f ()
            in
              go (n - 1, Real.min (least, Time.toReal (Timer.checkRealTimer timer) * 1E9))
            end
    in
      print (name ^ " " ^ Real.fmt (StringCvt.FIX (SOME 0)) (go (5, Real.posInf)) ^ "\n")
    end

  fun countdown count () =
    let
      fun loop 0 = 0
        | loop n = loop (n - 1)
    in
      loop count
    end

  fun countup count () =
    let fun loop n = if n = count then 0 else loop (n + 1)
    in loop 0 end

  (* the same loops in a handler's scope, as those of a dispatcher are *)
  fun countdownHandled count () =
    let
      fun loop 0 = 0
        | loop n = loop (n - 1)
    in
      loop count handle Overflow => ~1
    end

  fun countupHandled count () =
    let fun loop n = if n = count then 0 else loop (n + 1)
    in loop 0 handle Overflow => ~1 end

  (* the count comes from outside, so that nobody knows it while compiling *)
  fun main () =
    let
      val count =
        case rev (CommandLine.arguments ()) of
          n :: _ => Option.getOpt (Int.fromString n, 100000000)
        | [] => 100000000
    in
      best ("countdown", countdown count);
      best ("countup", countup count);
      best ("countdown-handled", countdownHandled count);
      best ("countup-handled", countupHandled count)
    end
end
