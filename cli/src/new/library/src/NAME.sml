structure STRUCTURE :> SIGNATURE =
struct
  (* the first elements, and the last ones backwards *)
  type 'a queue = 'a list * 'a list

  val empty = ([], [])

  fun isEmpty (first, last) = null first andalso null last

  fun add ((first, last), x) = (first, x :: last)

  fun take ([], []) = NONE
    | take ([], last) = take (rev last, [])
    | take (x :: first, last) = SOME (x, (first, last))

  fun toList (first, last) = first @ rev last
end
