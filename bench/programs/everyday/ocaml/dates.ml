let days = [| "Sun"; "Mon"; "Tue"; "Wed"; "Thu"; "Fri"; "Sat" |]
let months = [| "Jan"; "Feb"; "Mar"; "Apr"; "May"; "Jun"; "Jul"; "Aug"; "Sep"; "Oct"; "Nov"; "Dec" |]

let long (d : Unix.tm) =
  Printf.sprintf "%s %s %2d %02d:%02d:%02d %4d" days.(d.tm_wday) months.(d.tm_mon) d.tm_mday d.tm_hour d.tm_min d.tm_sec
    (d.tm_year + 1900)

let index a x =
  let rec go i = if a.(i) = x then i else go (i + 1) in
  go 0

let parse text =
  Scanf.sscanf text "%s %s %d %d:%d:%d %d" (fun _ month day h m s year -> (year, index months month, day, h, m, s))

let () =
  let n = int_of_string Sys.argv.(1) in
  let letters = ref 0 and same = ref 0 and seconds = ref 0 and last = ref "" in
  for i = 0 to n - 1 do
    let t = float_of_int (946684800 + (i * 8641)) in
    let d = Unix.gmtime t in
    let text =
      Printf.sprintf "%04d-%02d-%02d %02d:%02d:%02d" (d.tm_year + 1900) (d.tm_mon + 1) d.tm_mday d.tm_hour d.tm_min
        d.tm_sec
    in
    if parse (long d) = (d.tm_year + 1900, d.tm_mon, d.tm_mday, d.tm_hour, d.tm_min, d.tm_sec) then incr same;
    seconds := !seconds + (Unix.localtime t).tm_sec;
    let digit k = Char.code text.[k] - 48 in
    letters := !letters + digit 9 + digit 12;
    last := text
  done;
  Printf.printf "%s\n%d %d %d\n" !last !letters !same !seconds
