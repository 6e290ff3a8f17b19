(* The three networks in every style give what a sequential program gives. *)

fun fibonacci n =
  let fun go (0, a, _) = a | go (k, a, b) = go (k - 1, b, (a + b) mod Numbers.modulus)
  in go (n, 0, 1) end

fun prime n =
  let
    fun isPrime k = let fun go d = d * d > k orelse (k mod d <> 0 andalso go (d + 1)) in go 2 end
    fun go (n, k) = if isPrime k then if n = 1 then k else go (n - 1, k + 1) else go (n, k + 1)
  in
    go (n, 2)
  end

fun insert (x, []) = [x]
  | insert (x : int, y :: rest) = if x <= y then x :: y :: rest else y :: insert (x, rest)
fun sorted n = foldl Numbers.checksum 0 (foldl insert [] (Numbers.random n))

fun test (name, {kpn, sieve, sorter, setup} : Styles.networks, offers) =
  let
    fun wrong (what, f, n, expected) =
      let val found = f n
      in
        if found = expected then NONE
        else SOME (what ^ " " ^ Int.toString n ^ " is " ^ Int.toString found ^ ", not " ^ Int.toString expected)
      end
    val results =
      map (fn n => wrong ("kpn", kpn, n, fibonacci n)) [1, 2, 60] @
      map (fn n => wrong ("sieve", sieve, n, prime n)) [1, 2, 12] @
      map (fn n => wrong ("sorter", sorter, n, sorted n)) [1, 2, 9] @
      map (fn n => wrong ("setup", setup, n, n * (n - 1) div 2)) [1, 12]
    val counts = (kpn 5; offers () > 0)
  in
    if counts = String.isPrefix "equeue" name then () else print (name ^ ": offers are counted wrongly\n");
    print (name ^ ": " ^ (case List.mapPartial (fn r => r) results of [] => "ok" | l => String.concatWith "; " l) ^ "\n")
  end

val () = List.app test Styles.all
