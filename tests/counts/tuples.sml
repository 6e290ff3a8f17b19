(* Tuples that functions keep, pass on and store whole: elements of arrays, the least of some, a heap. None need be
   taken apart and allocated anew. *)
val n = 500
val items = Array.tabulate (n, fn i => (i * 7919 mod 1009, i))

fun less ((a, _), (b, _)) = (a : int) < b

(* moves the greatest element to the end *)
fun bubble (i, x) =
  if i = n then Array.update (items, n - 1, x)
  else
    let val y = Array.sub (items, i)
    in if less (y, x) then (Array.update (items, i - 1, y); bubble (i + 1, x))
       else (Array.update (items, i - 1, x); bubble (i + 1, y))
    end

fun down (i, size, x) =
  let val child = 2 * i + 1
  in
    if child >= size then Array.update (items, i, x)
    else
      let
        val child = if child + 1 < size andalso less (Array.sub (items, child), Array.sub (items, child + 1)) then child + 1 else child
        val y = Array.sub (items, child)
      in
        if less (x, y) then (Array.update (items, i, y); down (child, size, x)) else Array.update (items, i, x)
      end
  end

fun sort () =
  let
    fun build i = if i < 0 then () else (down (i, n, Array.sub (items, i)); build (i - 1))
    fun take size =
      if size = 0 then ()
      else
        let val last = Array.sub (items, size)
        in Array.update (items, size, Array.sub (items, 0)); down (0, size, last); take (size - 1)
        end
  in
    build (n div 2); take (n - 1)
  end

fun times f = fn 0 => () | k => (f (); times f (k - 1))
val () = times (fn () => bubble (1, Array.sub (items, 0))) 100
val () = times sort 20
val () = print (Int.toString (#1 (Array.sub (items, 0))) ^ " " ^ Int.toString (#2 (Array.sub (items, n - 1))) ^ "\n")
