(* Permits age as messages do: in two choices that are made by turns, each of semaphores that are always free, every one
   gets its share. There is one turn for all choices of a program, so without ages the first choice took the first one
   each time, and the second the last one: 0, 1000, 1000, 0. *)
val names = ["a", "b", "c", "d"]
val permits = List.map (fn name => (name, Semaphore.semaphore 1, ref 0)) names
fun event (_, semaphore, count) =
  CML.wrap (Semaphore.acquireEvt semaphore, fn () => (count := !count + 1; Semaphore.release semaphore))
val (first, second) = (List.take (permits, 2), List.drop (permits, 2))
fun go 0 = ()
  | go n = (CML.select (List.map event first); CML.select (List.map event second); go (n - 1))
val () = go 1000
fun share n = if n >= 400 andalso n <= 600 then "its share" else Int.toString n
val () = List.app (fn (name, _, ref n) => print (name ^ " has " ^ share n ^ "\n")) permits
