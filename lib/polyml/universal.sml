(* Poly/ML's universal type: values of all types in one, each under a tag that knows its type.

   A tag is an exception's constructor of its own, so a value comes out under the tag that it went in by, and under no
   other. *)

signature UNIVERSAL =
sig
  (* a value of some type, and the tag that it was put in by *)
  type universal
  type 'a tag

  (* another tag at each call *)
  val tag : unit -> 'a tag
  (* the value, under this tag *)
  val tagInject : 'a tag -> 'a -> universal
  (* whether it was put in by this tag *)
  val tagIs : 'a tag -> universal -> bool
  (* what was put in; raises Match if it was by another tag *)
  val tagProject : 'a tag -> universal -> 'a
end

structure Universal :> UNIVERSAL =
struct
  type universal = exn
  type 'a tag = {inject : 'a -> exn, project : exn -> 'a option}

  fun 'a tag () : 'a tag =
    let
      exception Tag of 'a
    in
      {inject = Tag, project = fn Tag x => SOME x | _ => NONE}
    end

  fun tagInject ({inject, ...} : 'a tag) x = inject x
  fun tagIs ({project, ...} : 'a tag) u = isSome (project u)
  fun tagProject ({project, ...} : 'a tag) u = case project u of SOME x => x | NONE => raise Match
end
