(* Array2: matrices, kept row by row. *)

(* unsealed, so that matrices of reals, too, can be told apart *)
structure Array2' =
struct
  structure A = ArrayPrim'
  type 'a array = {rows : int, cols : int, elems : 'a Array.array}
  type 'a region = {base : 'a array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = RowMajor | ColMajor

  (* Before any function of the program's is called. *)
  fun size (rows, cols) =
    if rows < 0 orelse cols < 0 then raise Size
    else
      let
        val n = rows * cols handle Overflow => raise Size
      in
        if n > Array.maxLen then raise Size else n
      end

  (* As words, each check is one comparison, and the place is computed without more: it is below the number of elements. *)
  val word = PrimWords'.bits : int -> word
  val int = PrimWords'.bits : word -> int
  fun isIn (i, n) = Word.< (word i, word n)
  fun place (cols, i, j) = int (Word.+ (Word.* (word i, word cols), word j))

  fun array (rows, cols, x) = {rows = rows, cols = cols, elems = A.new (size (rows, cols), x)}

  fun fromList [] = {rows = 0, cols = 0, elems = A.unsafeNew 0}
    | fromList (lists as first :: _) =
        let
          val cols = List.length first
        in
          if List.all (fn l => List.length l = cols) lists then
            {rows = List.length lists, cols = cols, elems = A.fromList (List.concat lists)}
          else raise Size
        end

  fun tabulate order (rows, cols, f) =
    let
      val n = size (rows, cols)
    in
      if n = 0 then {rows = rows, cols = cols, elems = A.unsafeNew 0}
      else
        let
          val elems = A.new (n, f (0, 0))
          fun set (i, j) =
            if i = 0 andalso j = 0 then () else A.unsafeUpdate (elems, place (cols, i, j), f (i, j))
          fun byRow (i, j) =
            if i = rows then ()
            else if j = cols then byRow (i + 1, 0)
            else (set (i, j); byRow (i, j + 1))
          fun byColumn (i, j) =
            if j = cols then ()
            else if i = rows then byColumn (0, j + 1)
            else (set (i, j); byColumn (i + 1, j))
        in
          case order of
            RowMajor => byRow (0, 0)
          | ColMajor => byColumn (0, 0);
          {rows = rows, cols = cols, elems = elems}
        end
    end

  fun sub ({rows, cols, elems} : 'a array, i, j) =
    if isIn (i, rows) andalso isIn (j, cols) then A.unsafeSub (elems, place (cols, i, j))
    else raise Subscript
  fun update ({rows, cols, elems} : 'a array, i, j, x) =
    if isIn (i, rows) andalso isIn (j, cols) then A.unsafeUpdate (elems, place (cols, i, j), x)
    else raise Subscript
  fun dimensions ({rows, cols, ...} : 'a array) = (rows, cols)
  fun nCols ({cols, ...} : 'a array) = cols
  fun nRows ({rows, ...} : 'a array) = rows

  fun row ({rows, cols, elems} : 'a array, i) =
    if i < 0 orelse i >= rows then raise Subscript else A.freeze (A.slice (elems, i * cols, cols))
  fun column ({rows, cols, elems} : 'a array, j) =
    if j < 0 orelse j >= cols then raise Subscript
    else Vector.tabulate (rows, fn i => A.unsafeSub (elems, place (cols, i, j)))

  (* first and last row and column of a region, the last exclusive *)
  fun range ({base = {rows, cols, ...}, row, col, nrows, ncols} : 'a region) =
    let
      val m = SlicePrim'.check (rows, row, nrows)
      val n = SlicePrim'.check (cols, col, ncols)
    in
      (row, row + m, col, col + n)
    end

  fun foldi order f init (region as {base = {cols, elems, ...}, ...} : 'a region) =
    let
      val (top, bottom, left, right) = range region
      fun byRow (i, acc) =
        if i = bottom then acc
        else
          let
            fun go (j, acc) =
              if j = right then acc
              else go (j + 1, f (i, j, A.unsafeSub (elems, place (cols, i, j)), acc))
          in
            byRow (i + 1, go (left, acc))
          end
      fun byColumn (j, acc) =
        if j = right then acc
        else
          let
            fun go (i, acc) =
              if i = bottom then acc
              else go (i + 1, f (i, j, A.unsafeSub (elems, place (cols, i, j)), acc))
          in
            byColumn (j + 1, go (top, acc))
          end
    in
      case order of
        RowMajor => byRow (top, init)
      | ColMajor => byColumn (left, init)
    end

  fun whole a = {base = a, row = 0, col = 0, nrows = NONE, ncols = NONE}
  fun appi order f region = foldi order (fn (i, j, x, ()) => f (i, j, x)) () region
  fun modifyi order f (region as {base = {cols, elems, ...}, ...} : 'a region) =
    appi order (fn (i, j, x) => A.unsafeUpdate (elems, place (cols, i, j), f (i, j, x))) region
  fun fold order f init a = foldi order (fn (_, _, x, acc) => f (x, acc)) init (whole a)
  fun app order f a = appi order (fn (_, _, x) => f x) (whole a)
  fun modify order f a = modifyi order (fn (_, _, x) => f x) (whole a)

  fun copy
    {src as {base = {cols, elems, ...}, ...} : 'a region,
     dst = {rows = rows', cols = cols', elems = elems'},
     dst_row,
     dst_col} =
    let
      val (top, bottom, left, right) = range src
      val n = right - left
      fun line i =
        A.unsafeCopy (elems, i * cols + left, elems', (dst_row + i - top) * cols' + dst_col, n)
      fun down i = if i = bottom then () else (line i; down (i + 1))
      fun up i = if i < top then () else (line i; up (i - 1))
    in
      if dst_row < 0
         orelse dst_col < 0
         orelse dst_row > rows' - (bottom - top)
         orelse dst_col > cols' - n
      then
        raise Subscript
      (* from the end that is not yet to be read *)
      else if dst_row > top
      then up (bottom - 1)
      else down top
    end
end

signature ARRAY2 =
sig
  eqtype 'a array
  (* NONE reaches to the end *)
  type 'a region = {base : 'a array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = RowMajor | ColMajor

  (* An array of so many rows and columns, all of its elements that value. Raises Size when one of the numbers is
     negative or the array is too large. *)
  val array : int * int * 'a -> 'a array
  (* An array of these rows. Raises Size when they are not equally long. *)
  val fromList : 'a list list -> 'a array
  (* An array of so many rows and columns, of what the function gives for each row and column, in that order of calls.
     Raises Size. *)
  val tabulate : traversal -> int * int * (int * int -> 'a) -> 'a array
  (* The element in a row and a column, both counted from 0. Raises Subscript. *)
  val sub : 'a array * int * int -> 'a
  (* Puts a value in a row and a column. Raises Subscript. *)
  val update : 'a array * int * int * 'a -> unit
  (* How many rows and columns it has. *)
  val dimensions : 'a array -> int * int
  (* How many columns it has. *)
  val nCols : 'a array -> int
  (* How many rows it has. *)
  val nRows : 'a array -> int
  (* The elements of a row, as a vector: a copy. Raises Subscript. *)
  val row : 'a array * int -> 'a vector
  (* The elements of a column, as a vector: a copy. Raises Subscript. *)
  val column : 'a array * int -> 'a vector
  (* Copies a region to dst, its first element to that row and column; right also when both overlap. Raises Subscript
     when it does not fit. *)
  val copy : {src : 'a region, dst : 'a array, dst_row : int, dst_col : int} -> unit
  (* Calls the function on row, column and element of a region, in that order. Raises Subscript when the region does
     not lie within. *)
  val appi : traversal -> (int * int * 'a -> unit) -> 'a region -> unit
  (* Calls the function on each element, in that order. *)
  val app : traversal -> ('a -> unit) -> 'a array -> unit
  (* Calls the function with row, column, element and the result so far, in that order. Raises Subscript when the
     region does not lie within. *)
  val foldi : traversal -> (int * int * 'a * 'b -> 'b) -> 'b -> 'a region -> 'b
  (* Calls the function with an element and the result so far, in that order. *)
  val fold : traversal -> ('a * 'b -> 'b) -> 'b -> 'a array -> 'b
  (* Replaces each element of a region by what the function gives for row, column and it, in that order. Raises
     Subscript when the region does not lie within. *)
  val modifyi : traversal -> (int * int * 'a -> 'a) -> 'a region -> unit
  (* Replaces each element by what the function gives for it, in that order. *)
  val modify : traversal -> ('a -> 'a) -> 'a array -> unit
end

structure Array2 :> ARRAY2 where type traversal = Array2'.traversal = Array2'

signature MONO_ARRAY2 =
sig
  eqtype array
  type elem
  type vector
  type region = {base : array, row : int, col : int, nrows : int option, ncols : int option}
  datatype traversal = datatype Array2.traversal

  (* An array of so many rows and columns, all of its elements that value. Raises Size when one of the numbers is
     negative or the array is too large. *)
  val array : int * int * elem -> array
  (* An array of these rows. Raises Size when they are not equally long. *)
  val fromList : elem list list -> array
  (* An array of so many rows and columns, of what the function gives for each row and column, in that order of calls.
     Raises Size. *)
  val tabulate : traversal -> int * int * (int * int -> elem) -> array
  (* The element in a row and a column, both counted from 0. Raises Subscript. *)
  val sub : array * int * int -> elem
  (* Puts a value in a row and a column. Raises Subscript. *)
  val update : array * int * int * elem -> unit
  (* How many rows and columns it has. *)
  val dimensions : array -> int * int
  (* How many columns it has. *)
  val nCols : array -> int
  (* How many rows it has. *)
  val nRows : array -> int
  (* The elements of a row, as a vector: a copy. Raises Subscript. *)
  val row : array * int -> vector
  (* The elements of a column, as a vector: a copy. Raises Subscript. *)
  val column : array * int -> vector
  (* Copies a region to dst, its first element to that row and column; right also when both overlap. Raises Subscript
     when it does not fit. *)
  val copy : {src : region, dst : array, dst_row : int, dst_col : int} -> unit
  (* Calls the function on row, column and element of a region, in that order. Raises Subscript when the region does
     not lie within. *)
  val appi : traversal -> (int * int * elem -> unit) -> region -> unit
  (* Calls the function on each element, in that order. *)
  val app : traversal -> (elem -> unit) -> array -> unit
  (* Calls the function with row, column, element and the result so far, in that order. Raises Subscript when the
     region does not lie within. *)
  val foldi : traversal -> (int * int * elem * 'b -> 'b) -> 'b -> region -> 'b
  (* Calls the function with an element and the result so far, in that order. *)
  val fold : traversal -> (elem * 'b -> 'b) -> 'b -> array -> 'b
  (* Replaces each element of a region by what the function gives for row, column and it, in that order. Raises
     Subscript when the region does not lie within. *)
  val modifyi : traversal -> (int * int * elem -> elem) -> region -> unit
  (* Replaces each element by what the function gives for it, in that order. *)
  val modify : traversal -> (elem -> elem) -> array -> unit
end

functor MonoArray2' (type elem) :> MONO_ARRAY2
  where type elem = elem
  where type vector = elem vector =
struct
  type vector = elem vector
  open Array2'
  type elem = elem
  type array = elem Array2'.array
  type region = elem Array2'.region
end

structure CharArray2 :> MONO_ARRAY2 where type elem = char where type vector = string =
struct
  val toString = PrimArrays'.cast : char vector -> string
  open Array2'
  type elem = char
  type vector = string
  type array = char Array2'.array
  type region = char Array2'.region
  fun row p = toString (Array2'.row p)
  fun column p = toString (Array2'.column p)
end

structure Word8Array2 = MonoArray2' (type elem = Word8.word)
