(* First-class continuations. Cont' is what SMLofNJ.Cont, MLton.Cont and Prompt are made of.

   A continuation is a cell that the runtime fills with the frames of its stack. The capture gives the cell, and when
   somebody throws, it returns again and gives what was thrown: another cell. Frames are shared, never copied twice. *)

structure Cont' :> sig
  type 'a cont
  val callcc : ('a cont -> 'a) -> 'a
  val throw : 'a cont * 'a -> 'b
  (* evaluates the function in the context of the continuation *)
  val throwThunk : 'a cont * (unit -> 'a) -> 'b
  (* leaves everything behind: the function runs on an empty stack, the thread ends when it returns *)
  val restart : (unit -> unit) -> 'a
end =
struct
  (* SML sees an empty cell only, and asks a full one for nothing but whether it is the same. *)
  datatype hole = Hole | Frames of exn
  type cell = hole ref
  (* Never the cell itself: a value is a record or, when it is of no bits, an immediate. *)
  datatype 'a sent = Value of 'a | Thunk of unit -> 'a
  type 'a cont = cell

  val capture = PrimConts'.cont_capture : cell -> cell
  val throwCell = PrimConts'.cont_throw : cell * cell -> 'b
  val restart = PrimConts'.cont_restart : (unit -> unit) -> 'a
  val pack = PrimArrays'.cast : 'a sent -> cell
  val unpack = PrimArrays'.cast : cell -> 'a sent

  (* The frame that is captured has `first`, since the capture may be followed by the call. If it had the function, each
     continuation would keep what that refers to, in a coroutine the continuation before it. *)
  fun callcc f =
    let
      val cell = ref Hole
      val first = ref (SOME f)
      val () = Reentry'.isPossible := true
      val got = capture cell
    in
      if got = cell then
        case !first of
          SOME g => (first := NONE; g cell)
        | NONE => raise Fail "callcc"
      else case unpack got of Value x => x | Thunk g => g ()
    end

  fun throw (cell, x) = throwCell (cell, pack (Value x))
  fun throwThunk (cell, g) = throwCell (cell, pack (Thunk g))
end

signature CONT =
sig
  type 'a cont
  (* calls the function with its own continuation *)
  val callcc : ('a cont -> 'a) -> 'a
  (* goes on there with that value; any number of times, and in any thread *)
  val throw : 'a cont -> 'a -> 'b
  (* a continuation that runs the function on an empty stack and then ends: the program in the main thread, any other
     thread itself *)
  val isolate : ('a -> unit) -> 'a cont

  (* the same: a continuation has its handlers with it *)
  type 'a control_cont
  (* the same as callcc *)
  val capture : ('a control_cont -> 'a) -> 'a
  (* the same as throw *)
  val escape : 'a control_cont -> 'a -> 'b
end

structure SMLofNJCont' :> CONT =
struct
  type 'a cont = 'a Cont'.cont

  local
    val self = PrimThreads'.thread_self
    val id = PrimThreads'.thread_id
    (* A thread ends here, not behind its first function, so it says so here: also to a session whose evaluation it is. *)
    fun finish () = if id (self ()) = 1 then OS.Process.exit OS.Process.success else CML.exit ()
  in
    val callcc = Cont'.callcc
    fun throw k x = Cont'.throw (k, x)

    (* The empty stack is made once, here, by a visit: so that a continuation is the cell alone, not either of two things. *)
    fun isolate f =
      callcc (fn back => Cont'.restart (fn () => (f (callcc (fn k => throw back k)); finish ())))
  end

  type 'a control_cont = 'a cont
  val capture = callcc
  val escape = throw
end
