(* SplayTree: self-adjusting trees (Sleator and Tarjan, 1985), top down. *)

signature SPLAY_TREE =
sig
  datatype 'a splay =
      SplayObj of {value : 'a, right : 'a splay, left : 'a splay}
    | SplayNil

  val splay : (('a -> order) * 'a splay) -> (order * 'a splay)
  (* Brings the value for which the function says EQUAL to the root, or else one beside where it would be; and what the
     function says of the root (GREATER: the root is greater than what is sought). For an empty tree: GREATER. *)
  val join : 'a splay * 'a splay -> 'a splay
  (* All values of the first tree come before those of the second. *)
end

structure SplayTree : SPLAY_TREE =
struct
  datatype 'a splay =
      SplayObj of {value : 'a, right : 'a splay, left : 'a splay}
    | SplayNil

  fun node (l, x, r) = SplayObj {value = x, left = l, right = r}

  (* Lower and upper hold what was passed on the left and right, the nearest first. *)
  fun splay (compare, tree) =
    let
      fun below (t, []) = t
        | below (t, (l, x) :: rest) = below (node (l, x, t), rest)
      fun above (t, []) = t
        | above (t, (x, r) :: rest) = above (node (t, x, r), rest)
      fun found (ord, lower, l, x, r, upper) = (ord, node (below (l, lower), x, above (r, upper)))
      fun down (lower, l, x, r, upper) =
        case compare x of
          EQUAL => found (EQUAL, lower, l, x, r, upper)
        | GREATER =>
            (case l of
               SplayNil => found (GREATER, lower, l, x, r, upper)
             | SplayObj {value = y, left = ll, right = lr} =>
                 (case (compare y, ll, lr) of
                    (GREATER, SplayObj {value = z, left, right}, _) =>
                      down (lower, left, z, right, (y, node (lr, x, r)) :: upper)
                  | (LESS, _, SplayObj {value = z, left, right}) =>
                      down ((ll, y) :: lower, left, z, right, (x, r) :: upper)
                  | (ord, _, _) => found (ord, lower, ll, y, lr, (x, r) :: upper)))
        | LESS =>
            (case r of
               SplayNil => found (LESS, lower, l, x, r, upper)
             | SplayObj {value = y, left = rl, right = rr} =>
                 (case (compare y, rl, rr) of
                    (LESS, _, SplayObj {value = z, left, right}) =>
                      down ((node (l, x, rl), y) :: lower, left, z, right, upper)
                  | (GREATER, SplayObj {value = z, left, right}, _) =>
                      down ((l, x) :: lower, left, z, right, (y, rr) :: upper)
                  | (ord, _, _) => found (ord, (l, x) :: lower, rl, y, rr, upper)))
    in
      case tree of
        SplayNil => (GREATER, SplayNil)
      | SplayObj {value, left, right} => down ([], left, value, right, [])
    end

  fun join (SplayNil, t) = t
    | join (t, SplayNil) = t
    | join (l, r) =
        (case splay (fn _ => LESS, l) of
           (_, SplayObj {value, left, ...}) => node (left, value, r)
         | (_, SplayNil) => r)
end
