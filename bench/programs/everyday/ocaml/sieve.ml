let () =
  let n = int_of_string Sys.argv.(1) in
  let is_prime = Array.make n true in
  let i = ref 2 in
  while !i * !i < n do
    if is_prime.(!i) then begin
      let j = ref (!i * !i) in
      while !j < n do
        is_prime.(!j) <- false;
        j := !j + !i
      done
    end;
    incr i
  done;
  let count = ref 0 and last = ref 0 and sum = ref 0 in
  Array.iteri
    (fun i prime ->
      if prime && i > 1 then begin
        incr count;
        last := i;
        sum := (!sum + i) mod 1000003
      end)
    is_prime;
  Printf.printf "%d primes, the last is %d, sum %d\n" !count !last !sum
