(* Queue': first in, first out; two lists. Amortised, each operation takes constant time. *)
structure Queue' =
struct
  type 'a queue = {front : 'a list ref, back : 'a list ref}

  fun new () : 'a queue = {front = ref [], back = ref []}

  fun isEmpty ({front, back} : 'a queue) = List.null (!front) andalso List.null (!back)

  fun add ({front, back} : 'a queue, x) = back := x :: !back

  fun take ({front, back} : 'a queue) =
    case !front of
      x :: rest => (front := rest; SOME x)
    | [] =>
        case !back of
          [] => NONE
        | [x] => (back := []; SOME x)
        | items =>
            case rev items of
              x :: rest => (back := []; front := rest; SOME x)
            | [] => NONE

  fun toList ({front, back} : 'a queue) = !front @ rev (!back)
end
