type vec = { x : float; y : float; z : float }

let vec x y z = { x; y; z }
let add a b = vec (a.x +. b.x) (a.y +. b.y) (a.z +. b.z)
let sub a b = vec (a.x -. b.x) (a.y -. b.y) (a.z -. b.z)
let scale k a = vec (k *. a.x) (k *. a.y) (k *. a.z)
let dot a b = (a.x *. b.x) +. (a.y *. b.y) +. (a.z *. b.z)
let unit a = scale (1. /. sqrt (dot a a)) a

type sphere = { center : vec; radius : float; colour : float; mirror : float }

let spheres =
  { center = vec 0. (-1000.) 0.; radius = 1000.; colour = 0.6; mirror = 0.1 }
  :: List.init 12 (fun i ->
         {
           center = vec ((float (i mod 4) *. 2.2) -. 3.3) 1. ((float (i / 4) *. 2.5) +. 1.);
           radius = 0.9;
           colour = 0.3 +. (float (i mod 5) *. 0.15);
           mirror = float (i mod 3) *. 0.3;
         })

let light = unit (vec (-1.) 2. (-1.5))

let hit origin direction s =
  let oc = sub origin s.center in
  let b = dot oc direction in
  let d = (b *. b) -. dot oc oc +. (s.radius *. s.radius) in
  if d < 0. then None
  else
    let t = -.b -. sqrt d in
    if t > 0.001 then Some t else None

let nearest origin direction =
  List.fold_left
    (fun best s ->
      match (hit origin direction s, best) with
      | Some t, Some (t', _) -> if t < t' then Some (t, s) else best
      | Some t, None -> Some (t, s)
      | None, _ -> best)
    None spheres

let rec trace origin direction depth =
  match nearest origin direction with
  | None -> 0.2 +. (0.3 *. Float.max 0. direction.y)
  | Some (t, s) ->
      let place = add origin (scale t direction) in
      let normal = unit (sub place s.center) in
      let shade = Float.max 0. (dot normal light) in
      let shade = if shade > 0. && nearest place light <> None then 0. else shade in
      let own = s.colour *. (0.2 +. (0.8 *. shade)) in
      if depth = 0 || s.mirror <= 0. then own
      else
        let turned = sub direction (scale (2. *. dot direction normal) normal) in
        ((1. -. s.mirror) *. own) +. (s.mirror *. trace place turned (depth - 1))

let () =
  let n = int_of_string Sys.argv.(1) in
  let pixel i j =
    let x = ((float i +. 0.5) /. float n *. 2.) -. 1. in
    let y = 1. -. ((float j +. 0.5) /. float n *. 2.) in
    Float.min 1. (trace (vec 0. 3. (-8.)) (unit (vec x (y -. 0.3) 1.5)) 4)
  in
  let picture = Array.init n (fun j -> Array.init n (fun i -> pixel i j)) in
  let sum = Array.fold_left (Array.fold_left ( +. )) 0. picture in
  Printf.printf "mean %.6f\n" (sum /. float (n * n))
