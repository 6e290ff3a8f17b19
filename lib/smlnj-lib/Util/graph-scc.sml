(* GraphSCCFn: the strongly connected components of a directed graph, in topological order (Tarjan, 1972).
   Each node is followed once; time n log n for the map from nodes to numbers. The walk's own stack is a list, so a path
   may be as long as the heap allows. *)

signature GRAPH_SCC =
sig
  structure Nd : ORD_KEY
  type node = Nd.ord_key

  datatype component =
      SIMPLE of node
    | RECURSIVE of node list
  (* One node without an edge to itself, or nodes that reach each other. *)

  val topOrder' : {roots : node list, follow : node -> node list} -> component list
  (* The components that the roots reach; no edge leads from a component to one before it. *)
  val topOrder : {root : node, follow : node -> node list} -> component list
  (* The same for one root: its component comes first. *)
end

functor GraphSCCFn (Nd : ORD_KEY) :> GRAPH_SCC where type Nd.ord_key = Nd.ord_key =
struct
  structure Nd = Nd
  structure Map = RedBlackMapFn (Nd)

  type node = Nd.ord_key

  datatype component =
      SIMPLE of node
    | RECURSIVE of node list

  (* low: the least number that is known to be reached; ~1 when the component is complete. *)
  type state = {number : int, low : int ref}

  fun topOrder' {roots, follow} =
    let
      val states = ref (Map.empty : state Map.map)
      val count = ref 0
      val open' = ref ([] : (node * state) list)
      val done = ref ([] : component list)

      fun same (x, y) = Nd.compare (x, y) = EQUAL

      (* The nodes of the stack down to this one are a component. *)
      fun complete (x, state : state, loops) =
        let
          fun take (nodes, (y, s : state) :: rest) =
                (#low s := ~1;
                 if #number s = #number state then (open' := rest; y :: nodes)
                 else take (y :: nodes, rest))
            | take (nodes, []) = nodes
        in
          done :=
            (case take ([], !open') of
               [y] => if loops then RECURSIVE [y] else SIMPLE y
             | nodes => RECURSIVE nodes)
            :: !done
        end

      fun enter x =
        let
          val state = {number = !count, low = ref (!count)}
        in
          count := !count + 1;
          states := Map.insert (!states, x, state);
          open' := (x, state) :: !open';
          state
        end

      (* What is complete last comes first; so the last edge is followed first. *)
      fun edgesOf x = rev (follow x)

      (* The nodes that are being followed, the innermost first: the node, its state, the edges left, whether one leads
         to itself. *)
      fun walk [] = ()
        | walk ((x, state : state, [], loops) :: above) =
            (if !(#low state) = #number state then complete (x, state, loops)
             else
               (case above of
                  (_, s : state, _, _) :: _ => #low s := Int.min (!(#low s), !(#low state))
                | [] => ());
             walk above)
        | walk ((x, state, y :: edges, loops) :: above) =
            (case Map.find (!states, y) of
               SOME {low, number} =>
                 (if !low >= 0 then #low state := Int.min (!(#low state), number) else ();
                  walk ((x, state, edges, loops orelse same (x, y)) :: above))
             | NONE =>
                 let
                   val inner = enter y
                 in
                   walk ((y, inner, edgesOf y, false) :: (x, state, edges, loops) :: above)
                 end)

      fun start x = if Map.inDomain (!states, x) then () else walk [(x, enter x, edgesOf x, false)]
    in
      (* Likewise, the last root is started first. *)
      List.app start (rev roots);
      !done
    end

  fun topOrder {root, follow} = topOrder' {roots = [root], follow = follow}
end
