(* The networks in every style, and the styles by name. *)

structure Styles =
struct
  structure Own = DirectNetworks (Own)
  structure Vm = DirectNetworks (Vm)
  structure Sys = DirectNetworks (Sys)
  structure Callcc = DirectNetworks (Callcc)
  structure Dlcont = DirectNetworks (Dlcont)
  structure Tramp = MonadicNetworks (Tramp)
  structure Cont = MonadicNetworks (Cont)
  structure Promise = MonadicNetworks (Promise)
  structure Polled = MonadicNetworks (Equeue)
  structure Ordered = MonadicNetworks (EqueueOrdered)
  structure Keyed = MonadicNetworks (EqueueKeyed)
  structure PolledResult = MonadicNetworks (EqueueResult)
  structure OrderedResult = MonadicNetworks (EqueueOrderedResult)
  structure KeyedResult = MonadicNetworks (EqueueKeyedResult)

  type networks = {kpn : int -> int, sieve : int -> int, sorter : int -> int, setup : int -> int}

  (* the name, the networks, and how many offers of events the last run has needed *)
  val all : (string * networks * (unit -> int)) list =
    let
      fun none () = 0
      fun networks (kpn, sieve, sorter, setup) = {kpn = kpn, sieve = sieve, sorter = sorter, setup = setup}
    in
      [("vm", networks (Vm.kpn, Vm.sieve, Vm.sorter, Vm.setup), none),
       ("sys", networks (Sys.kpn, Sys.sieve, Sys.sorter, Sys.setup), none),
       ("callcc", networks (Callcc.kpn, Callcc.sieve, Callcc.sorter, Callcc.setup), none),
       ("dlcont", networks (Dlcont.kpn, Dlcont.sieve, Dlcont.sorter, Dlcont.setup), none),
       ("tramp", networks (Tramp.kpn, Tramp.sieve, Tramp.sorter, Tramp.setup), none),
       ("cont", networks (Cont.kpn, Cont.sieve, Cont.sorter, Cont.setup), none),
       ("promise", networks (Promise.kpn, Promise.sieve, Promise.sorter, Promise.setup), none),
       ("equeue", networks (Polled.kpn, Polled.sieve, Polled.sorter, Polled.setup), Equeue.offers),
       ("equeue-ordered", networks (Ordered.kpn, Ordered.sieve, Ordered.sorter, Ordered.setup), EqueueOrdered.offers),
       ("equeue-keyed", networks (Keyed.kpn, Keyed.sieve, Keyed.sorter, Keyed.setup), EqueueKeyed.offers),
       ("equeue-result", networks (PolledResult.kpn, PolledResult.sieve, PolledResult.sorter, PolledResult.setup),
        EqueueResult.offers),
       ("equeue-ordered-result",
        networks (OrderedResult.kpn, OrderedResult.sieve, OrderedResult.sorter, OrderedResult.setup),
        EqueueOrderedResult.offers),
       ("equeue-keyed-result", networks (KeyedResult.kpn, KeyedResult.sieve, KeyedResult.sorter, KeyedResult.setup),
        EqueueKeyedResult.offers),
       ("own", networks (Own.kpn, Own.sieve, Own.sorter, Own.setup), none)]
    end
end
