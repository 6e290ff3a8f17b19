(* Prompt: delimited control. A prompt marks a place on the stack; shift takes what is above it as a function, which may be
   called any number of times.

   After Filinski, Representing monads, POPL 1994, and Dybvig, Peyton Jones and Sabry, A monadic framework for delimited
   continuations, JFP 2007. Each thread has a list of its prompts, the innermost first, with where each one returns to; a body
   that has ended throws there. So what lies below a prompt on the machine's stack is never returned into, and frames that
   shift has taken may stand above any others later. *)

signature PROMPT =
sig
  (* of a body that gives an 'a *)
  type 'a prompt
  val new : unit -> 'a prompt
  (* runs the function with the prompt below it *)
  val reset : 'a prompt -> (unit -> 'a) -> 'a
  (* takes what is between here and the innermost such prompt away and gives it to the function, whose result is that of the
     reset. When that calls it, the shift gives the argument, in a reset of its own. Raises NoPrompt outside of a reset. *)
  val shift : 'a prompt -> (('b -> 'a) -> 'a) -> 'b
  (* likewise, but the prompt is gone while the function that takes it runs *)
  val shift0 : 'a prompt -> (('b -> 'a) -> 'a) -> 'b
  (* drops what is between here and the innermost such prompt; the function's result is that of the reset *)
  val abort : 'a prompt -> (unit -> 'a) -> 'b
  exception NoPrompt
end

structure Prompt :> PROMPT =
struct
  exception NoPrompt

  type mark = unit ref
  (* the prompt, and its return as the prompt's own exception *)
  type entry = mark * exn
  type 'a prompt = {mark : mark, put : 'a Cont'.cont -> exn, get : exn -> 'a Cont'.cont}

  fun new () : 'a prompt =
    let exception Return of 'a Cont'.cont
    in {mark = ref (), put = Return, get = fn Return k => k | _ => raise NoPrompt}
    end

  (* the lists of the threads that have any *)
  local
    val cas = PrimRefs'.ref_cas : int ref * int * int -> bool
    val lock = ref 0
    val lists : (Thread.thread * entry list) list ref = ref []
    fun take () =
      (Thread.atomicBegin ();
       if not (!Workers'.several) orelse cas (lock, 0, 1) then ()
       else (Thread.atomicEnd (); Thread.yield (); take ()))
    fun release () = (lock := 0; Thread.atomicEnd ())
    fun find (_, []) = []
      | find (self, (t, l) :: rest) = if t = self then l else find (self, rest)
    fun without (_, []) = []
      | without (self, (e as (t, _)) :: rest) = if t = self then rest else e :: without (self, rest)
  in
    fun prompts () =
      let
        val () = take ()
        val l = find (Thread.self (), !lists)
      in
        release ();
        l
      end
    fun setPrompts l =
      let
        val () = take ()
        val rest = without (Thread.self (), !lists)
      in
        lists := (if null l then rest else (Thread.self (), l) :: rest);
        release ()
      end
  end

  (* the entries above the innermost one of this prompt, its return, and those below *)
  fun split ({mark, get, ...} : 'a prompt) =
    let
      fun go (_, []) = raise NoPrompt
        | go (above, (e as (m, return)) :: below) =
            if m = mark then (rev above, get return, below) else go (e :: above, below)
    in
      go ([], prompts ())
    end

  (* Runs the function with the prompt, whose reset returns there, above the prompts below; then returns there, or to where
     the prompt returns by then. *)
  fun under (p as {mark, put, ...} : 'a prompt, return, below, f) =
    let
      val () = setPrompts ((mark, put return) :: below)
      val result = let val x = f () in fn () => x end handle e => fn () => raise e
      val (_, return, below) = split p
    in
      setPrompts below;
      Cont'.throwThunk (return, result)
    end

  fun reset p f = Cont'.callcc (fn return => under (p, return, prompts (), f))

  (* The function runs where the reset returns to: there is no need to take that once more. *)
  fun take run (p as {put, mark, ...} : 'a prompt) f =
    Cont'.callcc (fn here =>
      let
        val (above, return, below) = split p
        fun resume x =
          Cont'.callcc (fn return =>
            (setPrompts (above @ (mark, put return) :: prompts ());
             Cont'.throw (here, x)))
      in
        setPrompts below;
        Cont'.throwThunk (return, run (p, return, below, fn () => f resume))
      end)

  fun shift p = take (fn at => fn () => under at) p
  fun shift0 p = take #4 p

  fun abort p f =
    let val (_, return, below) = split p
    in
      setPrompts below;
      Cont'.throwThunk (return, f)
    end
end
