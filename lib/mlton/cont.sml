(* MLtonCont', MLtonThread': MLton's continuations and threads.

   A thread of MLton.Thread is one-shot: a function that has not started, or a suspended Leat thread with a way to tell it
   what its switch gives. Switching to it is a hand-off. *)

signature MLTON_CONT =
sig
  type 'a t
  (* calls the function with its own continuation *)
  val callcc : ('a t -> 'a) -> 'a
  (* runs the function on an empty stack; the program ends when it returns *)
  val isolate : ('a -> unit) -> 'a t
  (* a continuation that gives what it gets to the function, and the function's result to the first one *)
  val prepend : 'a t * ('b -> 'a) -> 'b t
  (* goes on there with that value; any number of times *)
  val throw : 'a t * 'a -> 'b
  (* evaluates the function in the context of the continuation *)
  val throw' : 'a t * (unit -> 'a) -> 'b
end

structure MLtonCont' :> MLTON_CONT =
struct
  (* what throws to it; it does not return *)
  type 'a t = (unit -> 'a) -> unit

  fun callcc f = Cont'.callcc (fn k => f (fn g => Cont'.throwThunk (k, g)))
  fun isolate f : 'a t = fn g =>
    Cont'.restart (fn () => (f (g ()); OS.Process.exit OS.Process.success))
  fun prepend (t : 'a t, f) : 'b t = fn g => t (fn () => f (g ()))
  fun throw' (t : 'a t, g) = (t g; raise Fail "MLton.Cont.throw")
  fun throw (t, x) = throw' (t, fn () => x)
end

signature MLTON_THREAD =
sig
  structure AtomicState :
  sig
    datatype t = NonAtomic | Atomic of int
  end
  (* no other thread of this worker runs in between; nests *)
  val atomically : (unit -> 'a) -> 'a
  (* from here on no other thread of this worker runs, until as many atomicEnd have come *)
  val atomicBegin : unit -> unit
  (* the end of one such section *)
  val atomicEnd : unit -> unit
  (* whether the running thread is in such a section, and in how many *)
  val atomicState : unit -> AtomicState.t

  structure Runnable : sig type t end
  type 'a t
  (* as switch, in an atomic section, which ends when the thread goes on *)
  val atomicSwitch : ('a t -> Runnable.t) -> 'a
  (* a thread that will apply the function to what it is given; the function ends by a switch or with the program *)
  val new : ('a -> unit) -> 'a t
  (* A thread that gives what it gets to the function, and the function's result to the first thread, which can no
     longer be used itself. Raises Fail if that was used before. *)
  val prepend : 'a t * ('b -> 'a) -> 'b t
  (* a thread is prepared once; Fail for another time *)
  val prepare : 'a t * 'a -> Runnable.t
  (* gives the running thread to the function, and goes on with the thread that this returns *)
  val switch : ('a t -> Runnable.t) -> 'a
end

structure MLtonThread' :> MLTON_THREAD where type Runnable.t = Thread.thread =
struct
  structure AtomicState =
  struct
    datatype t = NonAtomic | Atomic of int
  end

  val atomicBegin = Thread.atomicBegin
  val atomicEnd = Thread.atomicEnd
  fun atomicState () =
    case Thread.stat ThreadFigure'.depth of 0 => AtomicState.NonAtomic | n => AtomicState.Atomic n
  fun atomically f =
    let
      val () = atomicBegin ()
      val x = f () handle e => (atomicEnd (); raise e)
    in
      atomicEnd ();
      x
    end

  structure Runnable =
  struct
    type t = Thread.thread
  end

  (* In the cell of a thread that waits in `switch` is left what its switch gives: no other object is needed for it. *)
  datatype 'a state =
      Dead
    | New of 'a -> unit
    | Suspended of Thread.thread
    (* after `prepend`: how to tell it *)
    | Behind of Thread.thread * ((unit -> 'a) -> unit)
    | Told of 'a
    | ToldTo of unit -> 'a
  type 'a t = 'a state ref

  fun new f = ref (New f)

  fun prepend (t, f) =
    let
      fun behind (thread, tell) =
        (t := Dead; ref (Behind (thread, fn g => tell (fn () => f (g ())))))
    in
      case !t of
        New g => (t := Dead; ref (New (fn x => g (f x))))
      | Suspended thread => behind (thread, fn g => t := ToldTo g)
      | Behind b => behind b
      | _ => raise Fail "MLton.Thread: the thread was used before"
    end

  fun start f () = (f (); raise Fail "MLton.Thread: the thread's function has returned")

  fun prepare (t, x) =
    case !t of
      Suspended thread => (t := Told x; thread)
    | New f => (t := Dead; Thread.new (start (fn () => f x)))
    | Behind (thread, tell) => (t := Dead; tell (fn () => x); thread)
    | _ => raise Fail "MLton.Thread: the thread was used before"

  fun switchTo f =
    let
      val self = Thread.self ()
      val t = ref (Suspended self)
      val next = f t handle e => (t := Dead; atomicEnd (); raise e)
      fun isPrepared () =
        case !t of
          Told _ => true
        | ToldTo _ => true
        | _ => false
      (* A wake-up that was left over from an earlier wait has ended this one. *)
      fun await () =
        if isPrepared () then ()
        else
          let
            val depth = Thread.stat ThreadFigure'.depth
            fun again 0 = ()
              | again n = (atomicBegin (); again (n - 1))
          in
            Thread.park ParkReason'.choose;
            again depth;
            await ()
          end
    in
      if next = self then ()
      else (Thread.handoff next; await ());
      atomicEnd ();
      case !t of
        Told x => (t := Dead; x)
      | ToldTo g => (t := Dead; g ())
      | _ => raise Fail "MLton.Thread.switch: the thread was not prepared"
    end

  val atomicSwitch = switchTo
  fun switch f = (atomicBegin (); switchTo f)
end
