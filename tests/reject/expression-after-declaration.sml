(* An expression at top level stands alone: the Definition's programs have a `;` before it. Without one, the argument of a
   constructor without `of` was taken for such an expression, and nothing was said (SML/NJ's tests, bug0083). *)
datatype complex = Complex (real, real);
structure S = struct end
print "never"
val (x) as (y :: _) = [1]
