let stages = 10

let stage input i =
  let output = Event.new_channel () in
  let rec loop () =
    let x = Event.sync (Event.receive input) in
    Event.sync (Event.send output (((x * 3) + i) mod 1000003));
    loop ()
  in
  ignore (Thread.create loop ());
  output

let () =
  let n = int_of_string Sys.argv.(1) in
  let first = Event.new_channel () in
  let last = List.fold_left stage first (List.init stages Fun.id) in
  let feed () =
    for k = 0 to n - 1 do
      Event.sync (Event.send first k)
    done
  in
  ignore (Thread.create feed ());
  let sum = ref 0 in
  for _ = 1 to n do
    sum := ((!sum * 31) + Event.sync (Event.receive last)) mod 1000003
  done;
  Printf.printf "sum %d\n" !sum;
  exit 0
