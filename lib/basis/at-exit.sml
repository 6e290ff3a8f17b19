(* OS, whose exit functions register no further ones: the Basis says that "calls in f to atExit are ignored", so that a program
   that ends comes to an end. What the library itself has to do at the end (flushing a stream that an exit function opens) is
   registered below this. *)

structure OS : CML_OS =
struct
  open OS
  structure Process =
  struct
    open Process
    local
      (* the first has begun *)
      val ending = ref false
    in
      fun atExit f = if !ending then () else PrimExits'.at_exit (fn () => (ending := true; f ()))
    end
  end
end
