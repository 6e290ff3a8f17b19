(* The state of an MVar, with whatever a style keeps of a thread that waits. *)

type ('a, 't, 'p) state =
  | Empty
  | Full of 'a
  | Takers of 't * 't list * 't list  (** the first, those behind it, and the last ones in reverse *)
  | Putters of 'a * 'a * 'p * ('a * 'p) list * ('a * 'p) list

type ('a, 't, 'p) cell = { mutable state : ('a, 't, 'p) state }

let make () = { state = Empty }

let after_taker = function
  | t :: front, back -> Takers (t, front, back)
  | [], [] -> Empty
  | [], back -> ( match List.rev back with t :: front -> Takers (t, front, []) | [] -> Empty)

let after_putter x = function
  | (y, p) :: front, back -> Putters (x, y, p, front, back)
  | [], [] -> Full x
  | [], back -> ( match List.rev back with (y, p) :: front -> Putters (x, y, p, front, []) | [] -> Full x)

let add_taker c t =
  match c.state with
  | Takers (first, front, back) -> c.state <- Takers (first, front, t :: back)
  | _ -> c.state <- Takers (t, [], [])

let add_putter c y p =
  match c.state with
  | Putters (x, z, first, front, back) -> c.state <- Putters (x, z, first, front, (y, p) :: back)
  | Full x -> c.state <- Putters (x, y, p, [], [])
  | _ -> assert false
