(* Effects of OCaml 5: an operation in direct style performs one, and its handler, the scheduler, gets the continuation. *)

open Cell
open Effect
open Effect.Deep

let name = "ocaml-effects"
let ready : (unit -> unit) Queue.t = Queue.create ()
let later f = Queue.add f ready

type 'a mvar = ('a, ('a, unit) continuation, (unit, unit) continuation) cell
type _ Effect.t += Take : 'a mvar -> 'a Effect.t | Put : 'a mvar * 'a -> unit Effect.t

let mvar () : 'a mvar = make ()

(* Only what has to wait is an effect. *)
let take (c : 'a mvar) =
  match c.state with
  | Full x -> c.state <- Empty; x
  | Putters (x, y, p, front, back) -> c.state <- after_putter y (front, back); later (fun () -> continue p ()); x
  | _ -> perform (Take c)

let put (c : 'a mvar) x =
  match c.state with
  | Empty -> c.state <- Full x
  | Takers (t, front, back) -> c.state <- after_taker (front, back); later (fun () -> continue t x)
  | _ -> perform (Put (c, x))

let handler =
  { retc = ignore;
    exnc = raise;
    effc =
      (fun (type b) (e : b Effect.t) ->
        match e with
        | Take c -> Some (fun (k : (b, unit) continuation) -> add_taker c k)
        | Put (c, x) -> Some (fun (k : (b, unit) continuation) -> add_putter c x k)
        | _ -> None) }

let spawn f = later (fun () -> match_with f () handler)

let run main =
  let result = ref None in
  spawn (fun () -> result := Some (main ()));
  let rec loop () = match !result with Some x -> x | None -> (Queue.take ready) (); loop () in
  loop ()
