(* The same calls from OCaml: one that the run-time system does not notice, a plain one, one that gives the run-time
   system's lock back while it waits, and a function of OCaml that C calls back. *)

external direct : (int64[@unboxed]) -> (int64[@unboxed]) = "calls_same" "same" [@@noalloc]
external plain : (int64[@unboxed]) -> (int64[@unboxed]) = "calls_same" "same"
external apply : (int64 -> int64) -> int64 -> int64 = "calls_apply"
external nap : int64 -> int64 = "calls_nap"

let[@inline always] timed name count f =
  let start = Unix.gettimeofday () in
  let sum = ref 0L in
  for i = count downto 1 do
    sum := Int64.add !sum (f (Int64.of_int i))
  done;
  let took = Unix.gettimeofday () -. start in
  if !sum = 0L then failwith "the sum";
  Printf.printf "%s %.1f\n" name (took *. 1e9 /. float_of_int count)

let () =
  let n = int_of_string Sys.argv.(1) in
  timed "direct" n (fun x -> direct x);
  timed "plain" n (fun x -> plain x);
  timed "callback" (n / 10) (fun x -> apply (fun x -> Int64.add x 1L) x);
  timed "blocked" (n / 10000) (fun _ -> nap 50L)
