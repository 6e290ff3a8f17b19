(* The continuation monad: as the trampolined style, but an action is a value made of others. *)

open Cell

let name = "ocaml-cont"
let ready : (unit -> unit) Queue.t = Queue.create ()
let later f = Queue.add f ready

type 'a action = ('a -> unit) -> unit
type 'a mvar = ('a, 'a -> unit, unit -> unit) cell

let mvar () : 'a mvar = make ()
let ( >>= ) (action : 'a action) (f : 'a -> 'b action) : 'b action = fun rest -> action (fun x -> f x rest)
let finished : unit action = fun rest -> rest ()
let start (process : unit action) = process ignore

let take c : 'a action = fun rest ->
  match c.state with
  | Full x -> c.state <- Empty; rest x
  | Putters (x, y, p, front, back) -> c.state <- after_putter y (front, back); later p; rest x
  | _ -> add_taker c rest

let put c x : unit action = fun rest ->
  match c.state with
  | Empty -> c.state <- Full x; rest ()
  | Takers (t, front, back) -> c.state <- after_taker (front, back); later (fun () -> t x); rest ()
  | _ -> add_putter c x rest

let spawn f : unit action = fun rest -> later (fun () -> start (f ())); rest ()

let run main =
  let result = ref None in
  start (main (fun x rest -> result := Some x; rest ()));
  let rec loop () = match !result with Some x -> x | None -> (Queue.take ready) (); loop () in
  loop ()
