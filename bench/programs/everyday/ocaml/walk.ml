let n = int_of_string Sys.argv.(1)
let join = Filename.concat

let rec make folder depth =
  Sys.mkdir folder 0o755;
  for i = 0 to n - 1 do
    let out = open_out (join folder (Printf.sprintf "file%d.txt" i)) in
    output_string out (String.make (i * 100) 'x');
    close_out out
  done;
  if depth > 0 then List.iter (fun i -> make (join folder (Printf.sprintf "folder%d" i)) (depth - 1)) [ 0; 1; 2 ]

let entries folder = Array.map (join folder) (Sys.readdir folder)

let rec walk f folder state =
  Array.fold_left (fun state path -> if Sys.is_directory path then walk f path state else f path state) state (entries folder)

let rec remove folder =
  Array.iter (fun path -> if Sys.is_directory path then remove path else Sys.remove path) (entries folder);
  Sys.rmdir folder

let () =
  let top = Filename.temp_file "walk" "" in
  Sys.remove top;
  make top (min n 5);
  let add path (count, bytes, long) =
    (count + 1, bytes + (Unix.stat path).st_size, max long (String.length path - String.length top))
  in
  let state = ref (0, 0, 0) in
  for _ = 1 to 10 do
    state := walk add top (0, 0, 0)
  done;
  let count, bytes, long = !state in
  Printf.printf "%d files, %d bytes, the longest path %d\n" count bytes long;
  remove top
