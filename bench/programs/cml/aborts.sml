(* A7: n connections, each waiting for a message or a time-out of 100 s, which the message cancels. Prints nanoseconds of a
   message to a connection and its wait for the next one: with the time-out, without, and the difference, which is setting
   and cancelling it; and how many bytes of heap a round leaves behind for each connection. *)

structure Aborts =
struct
  open CML

  fun main () =
    let
      val n = Bench.argument 1000000
      val rounds = 3
      val guarded = ref true
      val answers = ref 0
      val limit = timeOutEvt (Time.fromSeconds 100)
      fun connection input =
        let
          val message = recvEvt input
          fun serve () =
            (if !guarded then select [message, wrap (limit, fn () => raise Fail "too late")]
             else select [message, never];
             answers := !answers + 1;
             serve ())
        in
          serve
        end
      val inputs = Vector.tabulate (n, fn _ => channel () : unit chan)
      val () = Vector.app (fn input => ignore (spawn (connection input))) inputs
      fun round () = Vector.app (fn input => send (input, ())) inputs
      fun timed () =
        let val start = Bench.now ()
        in
          round ();
          (Bench.now () - start) / real n
        end
      fun least f = List.foldl Real.min (f ()) (List.tabulate (rounds - 1, fn _ => f ()))
      val () = round ()
      val before' = least timed
      val () = guarded := false
      (* those that are still guarded end *)
      val () = round ()
      val without = least timed
      val () = guarded := true
      val () = round ()
      val with' = Real.min (before', least timed)
      val () = if !answers = n * (3 * rounds + 3) then () else raise Fail "a message was lost"
    in
      Bench.figure ("guarded", with');
      Bench.figure ("unguarded", without);
      Bench.figure ("set-and-cancel", with' - without)
    end

  val () = Bench.run main
end
