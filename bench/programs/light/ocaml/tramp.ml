(* Trampolined style: what is ready are functions, and an operation gets the rest of its thread's work. *)

open Cell

let name = "ocaml-tramp"
let ready : (unit -> unit) Queue.t = Queue.create ()
let later f = Queue.add f ready

type 'a mvar = ('a, 'a -> unit, unit -> unit) cell

let mvar () : 'a mvar = make ()
let ( >>= ) action rest = action rest
let finished = ()

let take c rest =
  match c.state with
  | Full x -> c.state <- Empty; rest x
  | Putters (x, y, p, front, back) -> c.state <- after_putter y (front, back); later p; rest x
  | _ -> add_taker c rest

let put c x rest =
  match c.state with
  | Empty -> c.state <- Full x; rest ()
  | Takers (t, front, back) -> c.state <- after_taker (front, back); later (fun () -> t x); rest ()
  | _ -> add_putter c x rest

let spawn f rest = later f; rest ()

let run main =
  let result = ref None in
  main (fun x -> result := Some x);
  let rec loop () = match !result with Some x -> x | None -> (Queue.take ready) (); loop () in
  loop ()
