(* Prompt: delimited control. A prompt marks a place on the stack; shift takes what is above it as a function.

   After Filinski, Representing monads, POPL 1994, and Dybvig, Peyton Jones and Sabry, A monadic framework for delimited
   continuations, JFP 2007; shiftOnce after the effect handlers of OCaml 5 (Sivaramakrishnan and others, Retrofitting effect
   handlers onto OCaml, PLDI 2021). The body of a reset runs on a stack of its own. So what is above a prompt is taken off, and put
   back, by an exchange of two stacks, and no frame is copied unless a function may be called again. *)

(* Stacks that nobody runs, see runtime/fiber/src/run/segment.rs. A thread, and a segment, knows the segment that holds what its stack
   stands on: the thread's innermost reset, as a rule, and so on. The segments of a stack that was taken off are a ring. *)
structure Segment' =
struct
  type segment = Thread.thread
  (* in place of a segment, the last one knows the thread's name *)
  datatype below = NOTHING | NAME of string | ON of segment

  (* by which swap and end say that the segment is still to be had from another worker *)
  datatype 'a given = WAIT | VALUE of 'a | THUNK of unit -> 'a

  type object = unit ref

  val segment = PrimConts'.segment_new : (unit -> unit) * object -> segment
  val object = PrimThreads'.thread_props : segment -> object
  val below = PrimThreads'.thread_label : Thread.thread -> below
  val setBelow = PrimThreads'.thread_set_label : Thread.thread * below -> unit

  local
    val swapObject = PrimConts'.segment_swap : segment * object -> object
    val endObject = PrimConts'.segment_end : segment * object -> object
    val freezeNow = PrimConts'.segment_freeze
    val copy = PrimConts'.segment_copy
    val pack = PrimArrays'.cast : 'a given -> object
    val unpack = PrimArrays'.cast : object -> 'a given
  in
    (* Goes on with the stack that the segment holds, whose swap gives `given`; gives what this stack is given later. *)
    fun swap (segment, given : 'a given) : 'b =
      case unpack (swapObject (segment, pack given)) of
        VALUE x => x
      | THUNK f => f ()
      | WAIT => (Thread.yield (); swap (segment, given))

    (* The same, and gives this stack up. *)
    fun finish (segment, given : 'a given) : 'b =
      (ignore (endObject (segment, pack given)); Thread.yield (); finish (segment, given))

    (* Of a ring of segments: nothing will run on these, but on copies. *)
    fun freeze first =
      let
        fun one s = if freezeNow s then () else (Thread.yield (); one s)
        fun go s =
          (one s; case below s of ON next => if next = first then () else go next | _ => ())
      in
        go first
      end

    (* a copy of a ring that is frozen *)
    fun copyAll first =
      let
        val first' = copy first
        fun go (s, s') =
          case below s of
            ON next =>
              if next = first then setBelow (s', ON first')
              else let val next' = copy next in setBelow (s', ON next'); go (next, next') end
          | _ => ()
      in
        go (first, first');
        first'
      end
  end

  fun nameThread (t, name) =
    case below t of
      ON s => nameThread (s, name)
    | _ => setBelow (t, NAME name)

  (* Whether a continuation that may be used once is used now: the number of the last one that is over stands in the segment. *)
  val number = PrimThreads'.thread_stamp
  local
    val set = PrimThreads'.thread_set_stamp
    val cas = PrimThreads'.thread_cas_stamp
  in
    fun claim (s, n) =
      if Workers'.severalEver () then cas (s, n, n + 1)
      else if number s = n then (set (s, n + 1); true)
      else false
  end
end

signature PROMPT =
sig
  (* of a body that gives an 'a *)
  type 'a prompt
  (* Makes a prompt. *)
  val new : unit -> 'a prompt
  (* runs the function with the prompt below it *)
  val reset : 'a prompt -> (unit -> 'a) -> 'a
  (* takes what is between here and the innermost such prompt away and gives it to the function, whose result is that of the
     reset. When that calls it, the shift gives the argument, in a reset of its own. Raises NoPrompt outside of a reset. *)
  val shift : 'a prompt -> (('b -> 'a) -> 'a) -> 'b
  (* likewise, but the prompt is gone while the function that takes it runs *)
  val shift0 : 'a prompt -> (('b -> 'a) -> 'a) -> 'b
  (* as shift0, but what is taken can be called once; then it raises Called. Nothing is copied. *)
  val shiftOnce : 'a prompt -> (('b -> 'a) -> 'a) -> 'b
  (* drops what is between here and the innermost such prompt; the function's result is that of the reset *)
  val abort : 'a prompt -> (unit -> 'a) -> 'b
  exception NoPrompt
  exception Called
end

structure Prompt :> PROMPT =
struct
  open Segment'
  exception NoPrompt
  exception Called

  (* What the segments of its resets are known by. The types of swap and finish promise nothing, so all is written out here:
     who is found by a prompt is given what it expects. *)
  datatype 'a prompt = PROMPT of object

  fun new () = PROMPT (ref ())

  (* The segment of the innermost reset; it holds what the reset returns to. *)
  fun find (p as PROMPT mark : 'a prompt, above) =
    case below above of
      ON s => if object s = mark then s else find (p, s)
    | _ => raise NoPrompt

  fun abort (p : 'a prompt) (f : unit -> 'a) : 'b = finish (find (p, Thread.self ()), THUNK f)

  (* The segment is looked for at the end, for what it is then: the body may have been taken and called again. *)
  fun reset (p as PROMPT mark : 'a prompt) (f : unit -> 'a) : 'a =
    let
      fun body () =
        let
          val result : 'a given = VALUE (f ()) handle e => THUNK (fn () => raise e)
        in
          finish (find (p, Thread.self ()), result)
        end
    in
      swap (segment (body, mark), VALUE ())
    end

  fun shiftOnce (p : 'a prompt) (f : ('b -> 'a) -> 'a) : 'b =
    let
      val s = find (p, Thread.self ())
      val n = number s
      fun resume (x : 'b) : 'a = if claim (s, n) then swap (s, VALUE x) else raise Called
    in
      swap (s, THUNK (fn () => f resume))
    end

  fun shiftAnd (run : (unit -> 'a) -> 'a) (p : 'a prompt) (f : ('b -> 'a) -> 'a) : 'b =
    let
      val s = find (p, Thread.self ())
      (* The stack that is taken has what its swap gives. If it had the function, each such stack would keep what that
         refers to, perhaps the one before. *)
      val first = ref (SOME f)
      fun resume (x : 'b) : 'a = swap (copyAll s, VALUE x)
      fun start () =
        case !first of
          SOME g => (first := NONE; freeze s; run (fn () => g resume))
        | NONE => raise Fail "shift"
    in
      Reentry'.isPossible := true;
      swap (s, THUNK start)
    end

  fun shift p = shiftAnd (reset p) p
  fun shift0 p = shiftAnd (fn g => g ()) p
end
