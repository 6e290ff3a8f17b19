(* A rate limiter: a bucket of tokens that fills at a steady rate. Who wants to act takes a token, and waits if there is none.
   Taking is an event, so it can be combined with others: here with a time-out.
   Usage: leat run examples/rate-limiter.sml *)

signature RATE_LIMITER =
sig
  type limiter
  (* at most `burst` at once, and one more every `interval` *)
  val limiter : {burst : int, interval : Time.time} -> limiter
  val takeEvt : limiter -> unit CML.event
end

structure RateLimiter :> RATE_LIMITER =
struct
  open CML

  type limiter = unit chan

  fun limiter {burst, interval} =
    let
      val take = channel ()
      (* `full` is when the next token comes; a full bucket waits for nobody. *)
      fun loop (tokens, next) =
        let
          val give =
            if tokens > 0 then [wrap (sendEvt (take, ()), fn () => (tokens - 1, next))] else []
          val fill =
            if tokens < burst then
              [wrap (atTimeEvt next, fn () => (tokens + 1, Time.+ (next, interval)))]
            else []
          val (tokens', next') = select (give @ fill)
        in
          (* the time runs from the moment in which the bucket is no longer full *)
          loop
            (tokens', if tokens = burst then Time.+ (Time.now (), interval) else next')
        end
    in
      ignore (spawn (fn () => loop (burst, Time.now ())));
      take
    end

  val takeEvt = recvEvt
end

val ms = Time.fromMilliseconds
val limiter = RateLimiter.limiter {burst = 3, interval = ms 20}
val start = Time.now ()
fun elapsed () = Time.toMilliseconds (Time.- (Time.now (), start))

val () = List.app (fn _ => CML.sync (RateLimiter.takeEvt limiter)) (List.tabulate (8, ignore))
(* three at once, and five that waited for 20 ms each *)
val () = print (if elapsed () >= 100 then "8 took 100 ms or longer\n" else "too fast\n")

fun tryFor time =
  CML.select [CML.wrap (RateLimiter.takeEvt limiter, fn () => "taken\n"),
              CML.wrap (CML.timeOutEvt time, fn () => "given up\n")]
val () = print (tryFor (ms 1))
val () = print (tryFor (ms 5000))
