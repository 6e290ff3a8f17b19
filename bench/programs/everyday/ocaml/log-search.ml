let problem =
  Str.regexp "\\(ERROR\\|WARN\\) \\([a-z]+\\): from \\([0-9]+\\)\\.\\([0-9]+\\)\\.[0-9]+\\.[0-9]+ took \\([0-9]+\\) ms"

let slow = Str.regexp "took [1-9][0-9][0-9][0-9] ms"
let finds re line = match Str.search_forward re line 0 with _ -> true | exception Not_found -> false

let () =
  let input = open_in Sys.argv.(1) in
  let problems = ref 0 and spent = ref 0 and slows = ref 0 in
  (try
     while true do
       let line = input_line input in
       if finds slow line then incr slows;
       if finds problem line then begin
         incr problems;
         spent := !spent + int_of_string (Str.matched_group 5 line)
       end
     done
   with End_of_file -> ());
  Printf.printf "%d problems took %d ms; %d slow\n" !problems !spent !slows
