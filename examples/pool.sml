(* A pool of workers: so many threads take jobs from one channel, and whoever wants all results in order gets them so.
   Usage: leat run examples/pool.sml *)

signature POOL =
sig
  type 'a pool
  (* a pool of so many threads *)
  val pool : int -> 'a pool
  (* The results are in the order of the arguments. If a call raises, the exception is that of the first one that does. *)
  val map : 'b pool -> ('a -> 'b) -> 'a list -> 'b list
end

structure Pool :> POOL =
struct
  open CML

  datatype 'a result = Value of 'a | Exn of exn
  type 'a job = (unit -> 'a) * 'a result SyncVar.ivar
  type 'a pool = 'a job Mailbox.mbox

  fun worker jobs =
    let
      val (work, result) = Mailbox.recv jobs
    in
      SyncVar.iPut (result, Value (work ()) handle e => Exn e);
      worker jobs
    end

  fun pool n =
    let
      val jobs = Mailbox.mailbox ()
    in
      List.app (fn _ => ignore (spawn (fn () => worker jobs))) (List.tabulate (n, ignore));
      jobs
    end

  fun submit (jobs, work) =
    let
      val result = SyncVar.iVar ()
    in
      Mailbox.send (jobs, (work, result));
      result
    end

  fun get result = case SyncVar.iGet result of Value x => x | Exn e => raise e

  fun map jobs f xs = List.map get (List.map (fn x => submit (jobs, fn () => f x)) xs)
end

fun collatz n =
  let
    fun steps (1, k) = k
      | steps (n, k) = steps (if n mod 2 = 0 then n div 2 else 3 * n + 1, k + 1)
  in
    steps (n, 0)
  end

val pool = Pool.pool 4
val counts = Pool.map pool collatz (List.tabulate (20, fn i => i + 1))
val () = print (String.concatWith " " (map Int.toString counts) ^ "\n")

val () =
  ignore (Pool.map pool collatz [27, valOf Int.maxInt])
  handle Overflow => print "a job has raised Overflow\n"
