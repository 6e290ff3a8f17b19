(* Actors: threads with a mailbox and a state of their own. Accounts that others can only send messages to; transfers between
   them, from many threads at once, never lose or make money.
   Usage: leat run examples/actor.sml *)

(* An actor of a state and what it does with each message. *)
signature ACTOR =
sig
  type 'message actor
  val start : ('state * 'message -> 'state) -> 'state -> 'message actor
  val tell : 'message actor * 'message -> unit
  (* The message is made with what the answer is to be put into. *)
  val ask : 'message actor -> ('answer SyncVar.ivar -> 'message) -> 'answer
end

structure Actor :> ACTOR =
struct
  type 'message actor = 'message Mailbox.mbox

  fun start step state =
    let
      val mailbox = Mailbox.mailbox ()
      fun loop state = loop (step (state, Mailbox.recv mailbox))
    in
      ignore (CML.spawn (fn () => loop state));
      mailbox
    end

  val tell = Mailbox.send

  fun ask actor message =
    let
      val answer = SyncVar.iVar ()
    in
      tell (actor, message answer);
      SyncVar.iGet answer
    end
end

datatype message =
    Deposit of int
  | Withdraw of int * bool SyncVar.ivar
  | Balance of int SyncVar.ivar

fun account (balance, Deposit n) = balance + n
  | account (balance, Balance answer) = (SyncVar.iPut (answer, balance); balance)
  | account (balance, Withdraw (n, answer)) =
      (SyncVar.iPut (answer, balance >= n); if balance >= n then balance - n else balance)

val accounts = Vector.tabulate (10, fn _ => Actor.start account 100)
fun balance i = Actor.ask (Vector.sub (accounts, i)) Balance

fun transfer (from, to, n) =
  if Actor.ask (Vector.sub (accounts, from)) (fn answer => Withdraw (n, answer)) then
    Actor.tell (Vector.sub (accounts, to), Deposit n)
  else ()

val threads =
  List.tabulate (100,
                 fn i =>
                   CML.spawn (fn () =>
                     List.app
                       (fn k => transfer ((i + k) mod 10, (i * k + 1) mod 10, 1 + (i + k) mod 60))
                       (List.tabulate (50, fn k => k))))
val () = app (fn thread => CML.sync (CML.joinEvt thread)) threads

val balances = List.tabulate (10, balance)
val () = print ("sum: " ^ Int.toString (List.foldl op + 0 balances) ^ "\n")
val () =
  print
    (if List.all (fn n => n >= 0) balances then "no account is below 0\n"
     else "an account is below 0\n")
