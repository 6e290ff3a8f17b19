(* System threads, with mutexes and condition variables. *)

let name = "ocaml-threads"

type 'a mvar = { mutex : Mutex.t; filled : Condition.t; emptied : Condition.t; mutable value : 'a option }

let mvar () = { mutex = Mutex.create (); filled = Condition.create (); emptied = Condition.create (); value = None }

let take m =
  let rec get () =
    match m.value with
    | Some x -> m.value <- None; x
    | None -> Condition.wait m.filled m.mutex; get ()
  in
  Mutex.lock m.mutex;
  let x = get () in
  Condition.signal m.emptied;
  Mutex.unlock m.mutex;
  x

let put m x =
  Mutex.lock m.mutex;
  while m.value <> None do Condition.wait m.emptied m.mutex done;
  m.value <- Some x;
  Condition.signal m.filled;
  Mutex.unlock m.mutex

let spawn f = ignore (Thread.create f ())
let run f = f ()
