let () =
  let input = open_in Sys.argv.(1) in
  let name, output = Filename.open_temp_file "wrap" "" in
  let column = ref 0 and lines = ref 1 in
  let put word =
    let n = String.length word in
    if !column = 0 then column := n
    else if !column + 1 + n > 60 then begin
      output_char output '\n';
      column := n;
      incr lines
    end
    else begin
      output_char output ' ';
      column := !column + 1 + n
    end;
    output_string output word
  in
  (try
     while true do
       List.iter (fun w -> if w <> "" then put w) (String.split_on_char ' ' (input_line input))
     done
   with End_of_file -> ());
  output_char output '\n';
  close_out output;
  Printf.printf "%d lines, %d characters, the last line has %d\n" !lines (Unix.stat name).st_size !column;
  Sys.remove name
