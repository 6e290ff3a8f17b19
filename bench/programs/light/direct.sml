(* The networks in direct style. *)

functor DirectNetworks (L : DIRECT) : NETWORKS =
struct
  open L

  (* Kahn process network (Kahn, 1974): Fibonacci's numbers.

                    +-------+   d   +-------+         e          +---------+   f   +-------+
     c ---> cons 1 -+       +------>| split +------------------->| cons 0  +------>| split +---> out
     ^                              +---+---+                    +---------+       +---+---+
     |                  +------+        | b                                            | a
     +------------------+ plus |<-------+                                              |
                        |      |<------------------------------------------------------+
                        +------+                                                            *)

  fun plus (a, b, c) () = (put (c, (take a + take b) mod Numbers.modulus); plus (a, b, c) ())

  fun copy (from, to) = (put (to, take from); copy (from, to))
  fun cons (x, from, to) () = (put (to, x); copy (from, to))

  fun split (from, one, other) () =
    let val x = take from
    in
      put (one, x);
      put (other, x);
      split (from, one, other) ()
    end

  fun kpn n =
    run (fn () =>
      let
        val (a, b, c, d, e, f, out) = (mvar (), mvar (), mvar (), mvar (), mvar (), mvar (), mvar ())
        fun last k = let val x = take out in if k = 0 then x else last (k - 1) end
      in
        spawn (plus (a, b, c));
        spawn (cons (1, c, d));
        spawn (split (d, e, b));
        spawn (cons (0, e, f));
        spawn (split (f, a, out));
        last n
      end)

  (* Sieve (after McIlroy, 1968): numbers run through a chain of filters, one for each prime; the one that gets through is the
     next prime, and has its filter put behind the others. *)

  fun count (k, to) () = (put (to, k); count (k + 1, to) ())

  fun filter (p, from, to) () =
    let val x = take from
    in
      if x mod p = 0 then () else put (to, x);
      filter (p, from, to) ()
    end

  fun sieve n =
    run (fn () =>
      let
        val numbers = mvar ()
        fun next (k, from) =
          let val p = take from
          in
            if k = 1 then p
            else
              let val to = mvar ()
              in
                spawn (filter (p, from, to));
                next (k - 1, to)
              end
          end
      in
        spawn (count (2, numbers));
        next (n, numbers)
      end)

  (* Sorter: each row of comparators brings the least number of those that enter it out at its end. The numbers come from the
     thread that is made last, so before they do every comparator waits. *)

  fun comparator (a, b, low, high) () =
    let
      val x = take a
      val y = take b
    in
      put (low, Int.min (x, y));
      put (high, Int.max (x, y))
    end

  (* the row's end, and where the other numbers come out *)
  fun row (least, []) = (least, [])
    | row (least, from :: others) =
        let
          val (low, high) = (mvar (), mvar ())
          val () = spawn (comparator (least, from, low, high))
          val (least, outs) = row (low, others)
        in
          (least, high :: outs)
        end

  fun network [] = []
    | network (first :: others) =
        let val (least, others) = row (first, others)
        in least :: network others end

  fun sorter n =
    run (fn () =>
      let
        val ins = List.tabulate (n, fn _ => mvar ())
        val outs = network ins
      in
        spawn (fn () => ListPair.app put (ins, Numbers.random n));
        foldl (fn (out, sum) => Numbers.checksum (take out, sum)) 0 outs
      end)

  fun setup n = run (fn () => (network (List.tabulate (n, fn _ => mvar ())); n * (n - 1) div 2))
end
