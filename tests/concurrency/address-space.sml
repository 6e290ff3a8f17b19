(* Threads that push one another off their lanes, so that there are as many lanes as may be, and then what needs room from
   the C library: a hundred thousand timers. Under `ulimit -v` the lanes once took all address space that was left. *)

open CML

val threads = 400
val rounds = 40

fun main () =
  let
    val answer = channel () : int chan
    fun serve input = (send (answer, recv input + 1); serve input)
    fun server _ =
      let val input = channel ()
      in
        ignore (spawn (fn () => serve input));
        input
      end
    (* half of them are spawned when there are more lanes *)
    val first = List.tabulate (threads, server)
    fun all inputs = (List.app (fn input => ignore (spawn (fn () => send (input, 1)))) inputs; List.app (fn _ => ignore (recv answer)) inputs)
    fun again 0 = ()
      | again k = (all first; again (k - 1))
    val () = again rounds
    val second = List.tabulate (threads, server)
    val () = all (first @ second)
    val sleepers =
      List.tabulate (100000, fn _ => spawn (fn () => sync (timeOutEvt (Time.fromMilliseconds 300))))
  in
    List.app (fn t => sync (joinEvt t)) sleepers;
    print "all awake\n"
  end

val _ = RunCML.doit (main, NONE)
