let copy from target =
  let input = open_in_bin from and output = open_out_bin target in
  let block = Bytes.create 65536 in
  let rec loop () =
    let n = input_char_block input block in
    if n > 0 then begin
      output_bytes_part output block n;
      loop ()
    end
  and input_char_block input block = Stdlib.input input block 0 65536
  and output_bytes_part output block n = Stdlib.output output block 0 n in
  loop ();
  close_in input;
  close_out output

let () =
  let target = Filename.temp_file "copy" "" in
  for _ = 1 to 20 do
    copy Sys.argv.(1) target
  done;
  let input = open_in_bin target in
  let data = really_input_string input (in_channel_length input) in
  let sum = ref 0 in
  String.iter (fun c -> sum := (!sum + Char.code c) mod 1000003) data;
  Printf.printf "%d bytes, sum %d\n" (String.length data) !sum;
  Sys.remove target
