(* The networks in monadic style: the same programs, word for word as far as the style lets them. See direct.sml. *)

functor MonadicNetworks (L : MONADIC) : NETWORKS =
struct
  open L
  infix 1 >>=

  fun plus (a, b, c) () =
    take a >>= (fn x =>
    take b >>= (fn y =>
    put (c, (x + y) mod Numbers.modulus) >>=
    plus (a, b, c)))

  fun copy (from, to) () =
    take from >>= (fn x =>
    put (to, x) >>=
    copy (from, to))
  fun cons (x, from, to) () = put (to, x) >>= copy (from, to)

  fun split (from, one, other) () =
    take from >>= (fn x =>
    put (one, x) >>= (fn () =>
    put (other, x) >>=
    split (from, one, other)))

  fun kpn n =
    run (fn result =>
      let
        val (a, b, c, d, e, f, out) = (mvar (), mvar (), mvar (), mvar (), mvar (), mvar (), mvar ())
        fun last k () = take out >>= (fn x => if k = 0 then result x else last (k - 1) ())
      in
        spawn (plus (a, b, c)) >>= (fn () =>
        spawn (cons (1, c, d)) >>= (fn () =>
        spawn (split (d, e, b)) >>= (fn () =>
        spawn (cons (0, e, f)) >>= (fn () =>
        spawn (split (f, a, out)) >>=
        last n))))
      end)

  fun count (k, to) () = put (to, k) >>= count (k + 1, to)

  fun filter (p, from, to) () =
    take from >>= (fn x =>
    if x mod p = 0 then filter (p, from, to) ()
    else put (to, x) >>= filter (p, from, to))

  fun sieve n =
    run (fn result =>
      let
        val numbers = mvar ()
        fun next (k, from) () =
          take from >>= (fn p =>
          if k = 1 then result p
          else
            let val to = mvar ()
            in
              spawn (filter (p, from, to)) >>=
              next (k - 1, to)
            end)
      in
        spawn (count (2, numbers)) >>=
        next (n, numbers)
      end)

  fun comparator (a, b, low, high) () =
    take a >>= (fn x =>
    take b >>= (fn y =>
    put (low, Int.min (x, y)) >>= (fn () =>
    put (high, Int.max (x, y)) >>= (fn () =>
    finished))))

  (* In direct style these two are loops that spawn; here what comes after the loop has to be handed in. *)
  fun row (least, [], outs, rest) = rest (least, rev outs)
    | row (least, from :: others, outs, rest) =
        let val (low, high) = (mvar (), mvar ())
        in
          spawn (comparator (least, from, low, high)) >>= (fn () =>
          row (low, others, high :: outs, rest))
        end

  fun network ([], outs, rest) = rest (rev outs)
    | network (first :: others, outs, rest) =
        row (first, others, [], fn (least, others) => network (others, least :: outs, rest))

  fun feed ((into, x) :: others) () = put (into, x) >>= feed others
    | feed [] () = finished

  fun drain ([], sum, rest) = rest sum
    | drain (out :: others, sum, rest) = take out >>= (fn x => drain (others, Numbers.checksum (x, sum), rest))

  fun sorter n =
    run (fn result =>
      let val ins = List.tabulate (n, fn _ => mvar ())
      in
        network (ins, [], fn outs =>
        spawn (feed (ListPair.zip (ins, Numbers.random n))) >>= (fn () =>
        drain (outs, 0, result)))
      end)

  fun setup n = run (fn result => network (List.tabulate (n, fn _ => mvar ()), [], fn _ => result (n * (n - 1) div 2)))
end
