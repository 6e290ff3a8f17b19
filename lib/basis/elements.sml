(* Loops over arrays, vectors and their slices, and copies into arrays: on behalf of their callers, so watched programs
   announce these loads and stores of arrays. Those of vectors are nothing to announce. Not for users. *)

(* Loops over all elements of a sequence. *)
functor Elements' (type 'a seq val length : 'a seq -> int val sub : 'a seq * int -> 'a) =
struct
  fun foldli f init a =
    let
      val n = length a
      fun go (i, acc) = if i = n then acc else go (i + 1, f (i, sub (a, i), acc))
    in
      go (0, init)
    end
  fun foldl f init a =
    let
      val n = length a
      fun go (i, acc) = if i = n then acc else go (i + 1, f (sub (a, i), acc))
    in
      go (0, init)
    end
  fun foldri f init a =
    let
      fun go (i, acc) = if i < 0 then acc else go (i - 1, f (i, sub (a, i), acc))
    in
      go (length a - 1, init)
    end
  fun foldr f init a =
    let
      fun go (i, acc) = if i < 0 then acc else go (i - 1, f (sub (a, i), acc))
    in
      go (length a - 1, init)
    end
  fun appi f a =
    let
      val n = length a
      fun go i = if i = n then () else (f (i, sub (a, i)); go (i + 1))
    in
      go 0
    end
  fun app f a =
    let
      val n = length a
      fun go i = if i = n then () else (f (sub (a, i)); go (i + 1))
    in
      go 0
    end
  fun findi p a =
    let
      val n = length a
      fun go i =
        if i = n then NONE
        else
          let
            val x = sub (a, i)
          in
            if p (i, x) then SOME (i, x) else go (i + 1)
          end
    in
      go 0
    end
  fun find p a =
    case findi (fn (_, x) => p x) a of
      SOME (_, x) => SOME x
    | NONE => NONE
  fun exists p a =
    let
      val n = length a
      fun go i = i < n andalso (p (sub (a, i)) orelse go (i + 1))
    in
      go 0
    end
  fun all p a = not (exists (fn x => not (p x)) a)
  fun collate order (a, b) =
    let
      val m = length a
      val n = length b
      fun go i =
        if i = m then (if i = n then EQUAL else LESS)
        else if i = n then GREATER
        else
          case order (sub (a, i), sub (b, i)) of
            EQUAL => go (i + 1)
          | unequal => unequal
    in
      go 0
    end
end

(* Parts of sequences as (sequence, start, length), and loops over them. *)
functor Parts' (type 'a seq val length : 'a seq -> int val sub : 'a seq * int -> 'a) =
struct
  local
    val whole = length
    val element = sub
  in
    type 'a slice = 'a seq * int * int

    fun check (n, i, NONE) = if i < 0 orelse i > n then raise Subscript else n - i
      | check (n, i, SOME m) = if i < 0 orelse m < 0 orelse i > n - m then raise Subscript else m

    fun make (a, i, size) = (a, i, check (whole a, i, size))
    fun subslice ((a, i, n), j, size) = let val m = check (n, j, size) in (a, i + j, m) end
    fun full a = (a, 0, whole a)
    fun sub ((a, i, n), j) = if j < 0 orelse j >= n then raise Subscript else element (a, i + j)
    fun length (_, _, n) = n
    fun base part = part
    fun isEmpty (_, _, n) = n = 0
    fun getItem (a, i, n) = if n = 0 then NONE else SOME (element (a, i), (a, i + 1, n - 1))

    fun appi f (a, i, n) =
      let
        fun go j = if j = n then () else (f (j, element (a, i + j)); go (j + 1))
      in
        go 0
      end
    fun app f (a, i, n) =
      let
        val stop = i + n
        fun go j = if j = stop then () else (f (element (a, j)); go (j + 1))
      in
        go i
      end
    fun foldli f init (a, i, n) =
      let
        fun go (j, acc) = if j = n then acc else go (j + 1, f (j, element (a, i + j), acc))
      in
        go (0, init)
      end
    fun foldl f init (a, i, n) =
      let
        val stop = i + n
        fun go (j, acc) = if j = stop then acc else go (j + 1, f (element (a, j), acc))
      in
        go (i, init)
      end
    fun foldri f init (a, i, n) =
      let
        fun go (j, acc) = if j < 0 then acc else go (j - 1, f (j, element (a, i + j), acc))
      in
        go (n - 1, init)
      end
    fun foldr f init (a, i, n) =
      let
        fun go (j, acc) = if j < i then acc else go (j - 1, f (element (a, j), acc))
      in
        go (i + n - 1, init)
      end
    fun findi p (a, i, n) =
      let
        fun go j =
          if j = n then NONE
          else
            let
              val x = element (a, i + j)
            in
              if p (j, x) then SOME (j, x) else go (j + 1)
            end
      in
        go 0
      end
    fun find p part =
      case findi (fn (_, x) => p x) part of
        SOME (_, x) => SOME x
      | NONE => NONE
    fun exists p (a, i, n) =
      let
        val stop = i + n
        fun go j = j < stop andalso (p (element (a, j)) orelse go (j + 1))
      in
        go i
      end
    fun all p part = not (exists (fn x => not (p x)) part)
    fun collate order ((a, i, m), (b, j, n)) =
      let
        fun go k =
          if k = m then (if k = n then EQUAL else LESS)
          else if k = n then GREATER
          else
            case order (element (a, i + k), element (b, j + k)) of
              EQUAL => go (k + 1)
            | unequal => unequal
      in
        go 0
      end
  end
end

(* From sequence and index to array and index, so many elements: ranges are checked before, and may overlap. *)
structure Copies' =
struct
  (* So many elements are copied at a time, 10 to 30 microseconds: in between a collection that another worker waits
     for, and other threads, have their turn. *)
  val piece = 16384

  (* From the end that is not overwritten by the copy. *)
  fun long copyPiece (a, i, b, j, n) =
    let
      fun up at =
        if n - at <= piece then copyPiece (a, i + at, b, j + at, n - at)
        else (copyPiece (a, i + at, b, j + at, piece); up (at + piece))
      fun down left =
        if left <= piece then copyPiece (a, i, b, j, left)
        else
          let
            val at = left - piece
          in
            copyPiece (a, i + at, b, j + at, piece);
            down at
          end
    in
      if i >= j then up 0 else down n
    end
  fun inPieces copyPiece (a, i, b, j, n) =
    if n <= piece then copyPiece (a, i, b, j, n) else long copyPiece (a, i, b, j, n)
  fun array (a, i, b, j, n) = inPieces PrimArrays'.array_copy_unsafe (a, i, b, j, n)
  fun vector (v, i, b, j, n) = inPieces PrimArrays'.array_copy_of_vector (v, i, b, j, n)
end
