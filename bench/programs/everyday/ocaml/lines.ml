let () =
  let input = open_in Sys.argv.(1) in
  let lines = ref 0 and stops = ref 0 and longest = ref "" in
  (try
     while true do
       let line = input_line input in
       incr lines;
       let n = String.length line in
       if n > 0 && line.[n - 1] = '.' then incr stops;
       if n > String.length !longest then longest := line
     done
   with End_of_file -> ());
  Printf.printf "%d lines, %d with a full stop\n%s\n" !lines !stops !longest
