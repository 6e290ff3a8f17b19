let parallel_map f l =
  let start x =
    let result = ref None in
    (Thread.create (fun () -> result := Some (f x)) (), result)
  in
  List.map
    (fun (thread, result) ->
      Thread.join thread;
      Option.get !result)
    (List.map start l)

let rec steps k n = if k = 1 then n else steps (if k mod 2 = 0 then k / 2 else (3 * k) + 1) (n + 1)

let most first =
  let m = ref 0 in
  for i = 0 to 999 do
    m := Int.max !m (steps (first + i) 0)
  done;
  !m

let () =
  let n = int_of_string Sys.argv.(1) in
  let all = parallel_map most (List.init n (fun i -> 1 + (1000 * i))) in
  let sum = List.fold_left (fun s m -> ((s * 31) + m) mod 1000003) 0 all in
  Printf.printf "the most steps are %d, sum %d\n" (List.fold_left Int.max 0 all) sum
