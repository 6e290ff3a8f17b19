let producers = 4
let consumers = 4
let buffer = Queue.create ()
let lock = Mutex.create ()
let filled = Condition.create ()
let emptied = Condition.create ()

let put x =
  Mutex.lock lock;
  while Queue.length buffer >= 64 do
    Condition.wait emptied lock
  done;
  Queue.push x buffer;
  Condition.signal filled;
  Mutex.unlock lock

let take () =
  Mutex.lock lock;
  while Queue.is_empty buffer do
    Condition.wait filled lock
  done;
  let x = Queue.pop buffer in
  Condition.signal emptied;
  Mutex.unlock lock;
  x

let () =
  let n = int_of_string Sys.argv.(1) in
  let sums = Array.make consumers 0 in
  let produce i =
    let k = ref i in
    while !k < n do
      put (Some !k);
      k := !k + producers
    done
  in
  let rec consume i = match take () with None -> () | Some k -> sums.(i) <- (sums.(i) + (k * 7)) mod 1000003; consume i in
  let ps = List.init producers (Thread.create produce) in
  let cs = List.init consumers (Thread.create consume) in
  List.iter Thread.join ps;
  List.iter (fun _ -> put None) cs;
  List.iter Thread.join cs;
  Printf.printf "%d things, sum %d\n" n (Array.fold_left ( + ) 0 sums mod 1000003)
