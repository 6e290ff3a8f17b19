(* A type variable that is written at an expression at top level: by rule 15, `it` cannot be polymorphic in it, as in
   `val it = ref nil : 'a list ref`. It was accepted, and functions over `it` took one reference at two types. *)
ref nil : 'a list ref;
