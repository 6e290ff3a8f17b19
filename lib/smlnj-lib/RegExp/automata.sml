(* RegExpAutomata': the instructions of expressions, and the tables of the two deterministic automata that run them.

   An automaton has a row of edges for each state. An edge is a number; what it cannot say is in a second table. States
   and edges are made when they are first needed, and kept within a bound.

   A walk has the automata for itself: it takes them out of the expression's pool, and puts them back at its end. So
   several threads may use one expression at the same time. *)

structure RegExpAutomata' =
struct
  datatype instruction =
      One of char * int
    | Of of string * int
    | Fork of int * int
    | Start of int * int * int
    | Stop of int * int
    | AtBegin of int
    | AtEnd of int
    | Accept of int
  (* The last number is the next instruction; of Fork's two the first is preferred. `Of` has a character for each code,
     #"y" for those that match. Start has the number of the group and of the last group inside it. Accept: the rule. *)

  (* The groups of a rule, and those inside them. *)
  datatype shape = Shape of int * shape list

  (* Where the first automaton's threads are. members: the instructions of their groups. fresh: the last group begins
     here. old: how many groups there are besides. pending: whether some wait for a line's end. at: whether a line
     begins here, if that matters. rule: the first rule that accepts, or ~1. accepting: the group in which it does,
     which is the last one. more: whether later beginnings are of interest. *)
  datatype state =
    State of
        {members : int list list,
         fresh : bool,
         old : int,
         pending : bool,
         at : bool,
         rule : int,
         accepting : int,
         more : bool}

  (* A state, and for each of its old groups the number of the one before it, or ~1 if it began where that state is;
     NONE: they are those from before. *)
  type edge = {target : int, marks : int list option}

  (* What a thread passes between two characters: the beginning or the end of a group is here, or it has none any more.
     *)
  datatype passed =
      Here of int
    | Gone of int

  (* The second automaton. Each thread comes from one before it. *)
  type moves = {target : int, threads : (int * passed list) list}

  (* What an edge's number says: a state, where the walk goes on without more ado, if it is not negative; or one of
     these; or, below `accepting`, a state that accepts, where no group has moved; or, below `special`, the number of an
     edge. *)
  val unknown = ~1
  val dead = ~2
  (* Here a line ends, for which threads wait. *)
  val closing = ~3
  val accepting = ~8
  val special = ~0x1000000000

  (* An automaton's states: for each a row of edges, by the characters' classes, and by what else is told apart. A
     state's number is that of its row's first edge. weight: how many instructions all states have together, which is
     what most of the memory goes to where they have many. *)
  type ('key, 'state, 'edge) automaton =
    {width : int,
     table : int array ref,
     states : 'state DynamicArray.array,
     edges : 'edge DynamicArray.array,
     numbers : ('key, int) HashTable.hash_table,
     size : int ref,
     weight : int ref}

  (* starts: the states in which a search begins, and a look at a prefix; ~1 if not known. idle: the characters that
     leave a search where it began, as far as known. *)
  type automata =
    {finder : (bool * bool * bool * int list list, state, edge) automaton,
     starts : int array,
     idle : bool array,
     tracker : (bool * int list, bool * int list, moves) automaton}

  datatype pool =
      Empty
    | Pool of automata * pool

  type regexp =
    {code : instruction array,
     entry : int,
     groups : int,
     shapes : shape list vector,
     (* For each character its class: characters of a class are the same for every instruction. One of each class. *)
     classes : string,
     samples : string,
     pool : pool ref}

  exception Missing

  (* So many edges, and instructions in its states, may an automaton have; then its states are made anew. *)
  val bound = 500000

  fun hashOf (l, h) = List.foldl (fn (i, h) => h * 0w31 + Word.fromInt i) (h * 0w31 + 0w5) l

  fun automatonOf (width, hash, state, edge) =
    {width = width,
     table = ref (Array.array (16 * width, unknown)),
     states = DynamicArray.array (16, state),
     edges = DynamicArray.array (16, edge),
     numbers = HashTable.mkTable (hash, op =) (64, Missing),
     size = ref 0,
     weight = ref 0}

  (* The classes have an edge each; the finder has one more, for a line's end at the same place; the tracker two, for
     the end of the match, before other text and where the text ends. *)
  fun automataOf ({samples, ...} : regexp) : automata =
    let
      fun flag (true, h) = h * 0w31 + 0w7
        | flag (false, h) = h * 0w31 + 0w11
      fun hash (at, more, fresh, groups) =
        List.foldl hashOf (flag (at, flag (more, flag (fresh, 0w1)))) groups
      val noState =
        State {members = [],
               fresh = false,
               old = 0,
               pending = false,
               at = false,
               rule = ~1,
               accepting = ~1,
               more = false}
      val n = size samples
    in
      {finder = automatonOf (n + 1, hash, noState, {target = ~1, marks = NONE}),
       starts = Array.array (2, ~1),
       idle = Array.array (256, false),
       tracker =
         automatonOf (n + 2,
                      fn (at, l) => hashOf (l, flag (at, 0w1)),
                      (false, []),
                      {target = ~1, threads = []})}
    end

  fun isFull ({size, weight, ...} : ('k, 's, 'e) automaton) = !size + !weight > bound

  (* Its states and edges are forgotten. *)
  fun forget ({width, table, edges, numbers, size, weight, states} : ('k, 's, 'e) automaton) =
    (table := Array.array (16 * width, unknown);
     DynamicArray.truncate (states, 0);
     DynamicArray.truncate (edges, 0);
     HashTable.clear numbers;
     size := 0;
     weight := 0)

  (* The number of a state, which may be a new one; it has so many instructions. *)
  fun numberOf ({width, table, states, numbers, size, weight, ...} : ('k, 's, 'e) automaton)
    (key, state, instructions) =
    case HashTable.find numbers key of
      SOME n => n
    | NONE =>
        let
          val n = !size
        in
          if n + width > Array.length (!table) then
            let
              val old = !table
            in
              table :=
                Array.tabulate
                  (2 * Array.length old, fn i => if i < n then Array.sub (old, i) else unknown)
            end
          else ();
          DynamicArray.update (states, n div width, state);
          HashTable.insert numbers (key, n);
          size := n + width;
          weight := !weight + instructions;
          n
        end

  fun stateAt ({width, states, ...} : ('k, 's, 'e) automaton) n =
    DynamicArray.sub (states, n div width)

  (* The number of an edge that is not only a state. *)
  fun specialOf ({edges, ...} : ('k, 's, 'e) automaton) edge =
    let
      val n = DynamicArray.bound edges + 1
    in
      DynamicArray.update (edges, n, edge);
      special - n
    end

  fun edgeAt ({edges, ...} : ('k, 's, 'e) automaton) number =
    DynamicArray.sub (edges, special - number)

  fun taken (regexp as {pool, ...} : regexp) =
    case !pool of
      Empty => automataOf regexp
    | old as Pool (automata, rest) =>
        if PrimRefs'.ref_cas (pool, old, rest) then automata else taken regexp

  fun putBack (regexp as {pool, ...} : regexp, automata) =
    let
      val old = !pool
    in
      if PrimRefs'.ref_cas (pool, old, Pool (automata, old)) then () else putBack (regexp, automata)
    end

  fun takes (instruction, c) =
    case instruction of
      One (d, next) => if c = d then SOME next else NONE
    | Of (chars, next) => if String.sub (chars, Char.ord c) = #"y" then SOME next else NONE
    | _ => NONE

  fun marked l =
    let
      fun from (_, []) = []
        | from (i, x :: rest) = (i, x) :: from (i + 1, rest)
    in
      from (0, l)
    end

  (* A match: how far its beginning and its end are from where the search began; the streams there; its rule. *)
  type 'a found = {start : int, first : 'a, stop : int, behind : 'a, rule : int}
end
