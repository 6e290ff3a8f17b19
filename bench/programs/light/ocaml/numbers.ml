(* The numbers of the networks, and the command line. *)

let modulus = 536870909

let random n =
  let rec go k seed numbers =
    if k = 0 then numbers else let seed = ((seed * 1366) + 150889) mod 714025 in go (k - 1) seed (seed :: numbers)
  in
  go n 42 []

let checksum x sum = ((sum * 31) + x) mod 1000003

let resident () =
  let status = open_in "/proc/self/status" in
  let rec find () =
    match input_line status with
    | line -> ( try Scanf.sscanf line "VmHWM: %d kB" (fun kb -> kb * 1024) with Scanf.Scan_failure _ -> find ())
    | exception End_of_file -> 0
  in
  find ()

let main style ~kpn ~sieve ~sorter ~setup =
  let network = Sys.argv.(1) and n = int_of_string Sys.argv.(2) in
  let f =
    match network with
    | "kpn" -> kpn
    | "sieve" -> sieve
    | "sorter" -> sorter
    | "sorter-d" -> setup
    | _ -> prerr_endline ("usage: " ^ Sys.argv.(0) ^ " kpn|sieve|sorter|sorter-d N"); exit 2
  in
  let before = Sys.time () in
  let result = f n in
  let cpu = Sys.time () -. before in
  Printf.printf "style=%s network=%s n=%d result=%d cpu-us=%.0f peak-heap=%d resident=%d\n%!" style network n result
    (cpu *. 1e6)
    ((Gc.quick_stat ()).Gc.top_heap_words * (Sys.word_size / 8))
    (resident ());
  (* threads that still run are not waited for *)
  Unix._exit 0
