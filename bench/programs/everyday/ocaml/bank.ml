type order = Transfer of { src : int; dst : int; amount : int; answer : bool Event.channel } | Total of int Event.channel

let accounts = 1000
let mailbox : order Queue.t = Queue.create ()
let lock = Mutex.create ()
let filled = Condition.create ()

let post order =
  Mutex.lock lock;
  Queue.push order mailbox;
  Condition.signal filled;
  Mutex.unlock lock

let receive () =
  Mutex.lock lock;
  while Queue.is_empty mailbox do
    Condition.wait filled lock
  done;
  let order = Queue.pop mailbox in
  Mutex.unlock lock;
  order

let send c v = Event.sync (Event.send c v)
let recv c = Event.sync (Event.receive c)

let bank () =
  let balance = Array.make accounts 100 in
  while true do
    match receive () with
    | Transfer { src; dst; amount; answer } ->
        if balance.(src) < amount then send answer false
        else begin
          balance.(src) <- balance.(src) - amount;
          balance.(dst) <- balance.(dst) + amount;
          send answer true
        end
    | Total answer -> send answer (Array.fold_left ( + ) 0 balance)
  done

let client finished number times =
  let answer = Event.new_channel () in
  let next x = x * 16807 mod 2147483647 in
  let rec loop n x count =
    if n = 0 then send finished count
    else begin
      let y = next x in
      let z = next y in
      post (Transfer { src = x mod accounts; dst = y mod accounts; amount = z mod 50; answer });
      ignore (recv answer);
      loop (n - 1) z (count + 1)
    end
  in
  loop times (number + 1) 0

let () =
  let times = int_of_string Sys.argv.(1) in
  let finished = Event.new_channel () in
  ignore (Thread.create bank ());
  for i = 0 to 99 do
    ignore (Thread.create (fun () -> client finished i times) ())
  done;
  let count = ref 0 in
  for _ = 0 to 99 do
    count := !count + recv finished
  done;
  let answer = Event.new_channel () in
  post (Total answer);
  Printf.printf "%d transfers, total %d\n" !count (recv answer);
  exit 0
