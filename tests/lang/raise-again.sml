(* A raise goes over frames by what earlier raises have found at their return addresses, and over a recursion's frames, which are
   equally large, by reckoning where the next one is. So: the same raise again, from other depths, over other frames in between,
   to handlers in the middle, and to one that raises on. *)

exception Found of int
exception Other

(* one call, many frames *)
fun look (x, k) = if k = 0 then raise Found x else 1 + look (x, k - 1)

(* two calls in turn, and a third one now and then, with more in its frame *)
fun left (x, k) = if k = 0 then raise Found x else 2 * right (x, k - 1)
and right (x, k) = if k mod 5 = 4 then wide (x, k - 1, k, k * 2, k * 3, [k]) else 3 + left (x, k - 1)
and wide (x, k, a, b, c, l) =
  if k <= 0 then raise Found (x + a) else let val r = left (x, k - 1) in r + a * b + c + length l + hd l end

(* a handler in each eighth frame, which lets others pass *)
fun handled (x, k) =
  if k = 0 then if x mod 3 = 0 then raise Other else raise Found x
  else if k mod 8 = 3 then (handled (x, k - 1) + 1 handle Other => k)
  else 1 + handled (x, k - 1)

(* raises on, as something else *)
fun again (x, k) = (if k = 0 then look (x, 3) else again (x, k - 1) + 1) handle Found y => raise Found (y + k)

fun catch f = f () handle Found x => ~x | Other => 1000000

fun sum (from, to, f) = if from > to then 0 else f from + sum (from + 1, to, f)

val () = print (Int.toString (sum (0, 40, fn k => catch (fn () => look (k, k)))) ^ "\n")
val () = print (Int.toString (sum (0, 40, fn k => catch (fn () => left (k, k)))) ^ "\n")
val () = print (Int.toString (sum (0, 40, fn k => catch (fn () => handled (k, k)))) ^ "\n")
val () = print (Int.toString (sum (0, 20, fn k => catch (fn () => again (k, k)))) ^ "\n")
(* back to small depths, with all in the table *)
val () = print (Int.toString (sum (0, 5, fn k => catch (fn () => look (k, 5 - k)))) ^ "\n")
(* a list that lives over the raises, so that a collection in between marks the stack *)
fun deep (0, l) = sum (0, 30, fn k => catch (fn () => look (length (l @ l), k)))
  | deep (n, l) = deep (n - 1, n :: l) + 1
val () = print (Int.toString (deep (60, [])) ^ "\n")
(* far: the frames have gone to the heap, or the stack has grown *)
val () = print (Int.toString (sum (1, 3, fn k => catch (fn () => look (k, 3000)))) ^ "\n")
