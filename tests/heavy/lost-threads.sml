(* Leat.Count.threads counts blocked threads that nothing refers to until they are collected. It once counted them for
   ever, so a service whose requests left such threads behind seemed to have a leak. *)
open CML

fun lost () = ignore (spawn (fn () => ignore (recv (channel () : int chan))))
fun times (0, _) = ()
  | times (n, f) = (f (); times (n - 1, f))
fun collect () = (SMLofNJ.Internals.GC.doGC 10; MLton.GC.collect ())

val before' = Leat.Count.threads ()
(* how many there are when those that are to wait do so, or after ten seconds *)
fun left wanted =
  let
    fun look tries =
      let
        val now = (collect (); Leat.Count.threads () - before')
      in
        if now = wanted orelse tries = 0 then now
        else (OS.Process.sleep (Time.fromMilliseconds 50); look (tries - 1))
      end
  in
    Int.toString (look 200)
  end

val () = times (30000, lost)
val () = print (left 0 ^ " threads are lost and counted\n")

(* Those that can be reached stay, and have ended once when they have; a new thread that nobody starts is none. *)
val c : int chan = channel ()
val () = times (100, fn () => ignore (spawn (fn () => ignore (recv c))))
val () = times (1000, fn () => ignore (Thread.new (fn () => ())))
val () = print (left 100 ^ " wait\n")
val () = times (100, fn () => send (c, 1))
val () = print (left 0 ^ " wait\n")
val () = OS.Process.exit OS.Process.success
