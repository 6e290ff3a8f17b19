(* CM: SML/NJ's compilation manager, as programs and exercises call it.

   A call that is a declaration of its own, CM.make "x.cm";, is not made: the compiler, or the prompt, puts what the
   description declares in its place. These functions are what is left: calls inside of expressions, when all is compiled. *)

signature CM =
sig
  (* Is it there? A library, $/x.cm, is: the compiler has seen to it. Of any other file it is told, on standard error,
     how to name it, and the answer is false. *)
  val make : string -> bool
  (* the same: SML/NJ would load of it what is asked for *)
  val autoload : string -> bool
  (* the same: SML/NJ would compile it and load nothing *)
  val recomp : string -> bool
  (* the same: SML/NJ would make one file of a library; the flag says whether of those below it, too *)
  val stabilize : bool -> string -> bool

  type 'a controller = {get : unit -> 'a, set : 'a -> unit}
  (* the preprocessor's symbols; what is set here is seen by `get` alone, as are anchors *)
  val symval : string -> int option controller
  structure Anchor :
  sig
    (* the folder that the name stands for, if one was set here *)
    val anchor : string -> string option controller
    (* forgets those that were set *)
    val reset : unit -> unit
  end
  (* kept, and without effect *)
  structure Control :
  sig
    (* whether SML/NJ tells what it compiles; true at first there, false here *)
    val verbose : bool controller
    (* whether it tells more than that *)
    val debug : bool controller
    (* whether it compiles what it can after an error *)
    val keep_going : bool controller
    (* whether it warns of old forms of descriptions *)
    val warn_obsolete : bool controller
    (* whether it forgets what it can read again *)
    val conserve_memory : bool controller
    (* whether it writes an index of a library's names *)
    val generate_index : bool controller
    (* how many syntax trees it keeps *)
    val parse_caching : int controller
  end
end

structure CM : CM =
struct
  local
    val printErr = PrimOutput'.print_err
  in
    fun compiled call name =
      String.isPrefix "$" name
      orelse (printErr (String.concat ["CM.", call, ": ", name,
                                       " cannot be compiled by a program that runs already\n",
                                       "name it at the top level of a source, CM.", call, " \"",
                                       name, "\";, or run it: leat run ", name, "\n"]);
              false)
  end
  val make = compiled "make"
  val autoload = compiled "autoload"
  val recomp = compiled "recomp"
  fun stabilize (_ : bool) = compiled "stabilize"

  type 'a controller = {get : unit -> 'a, set : 'a -> unit}
  fun cell x : 'a controller = let val r = ref x in {get = fn () => !r, set = fn x => r := x} end

  (* a controller of each name *)
  fun named table name =
    let
      fun isName (n, _) = n = name
      fun get () = Option.map #2 (List.find isName (!table))
      fun set value =
        table :=
          (case value of NONE => [] | SOME x => [(name, x)]) @ List.filter (not o isName) (!table)
    in
      {get = get, set = set} : 'a option controller
    end
  val symbols = ref [("SMLNJ_VERSION", 110), ("SMLNJ_MINOR_VERSION", 99), ("LEAT", 1)]
  fun symval name = named symbols name

  structure Anchor =
  struct
    val anchors : (string * string) list ref = ref []
    fun anchor name = named anchors name
    fun reset () = anchors := []
  end

  structure Control =
  struct
    val verbose = cell false
    val debug = cell false
    val keep_going = cell false
    val warn_obsolete = cell true
    val conserve_memory = cell false
    val generate_index = cell false
    val parse_caching = cell 100
  end
end
