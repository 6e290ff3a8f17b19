infix 4 ++ infixr 5 @@ nonfix --
type 'a t = 'a list and ('a, 'b) u = {a : 'a, b : 'b -> ('a * int)}
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree and leaf = op A withtype s = int
datatype copy = datatype tree
exception E and F of int and G = E
abstype k = K of int with val k = K 1; fun un (K n) = n end
val x = 1 val 'a y : 'a list = [] and z as (a, _) = (1, 2)
val rec f = fn 0 => 1 | n => n * f (n - 1)
fun op ++ (a, b) = a + b
fun (a @@ b) c = a :: b and g [] = 0 | g (x :: xs : int list) : int = x + g xs
local open List String in val w = map (fn x => x + 1) [1, 2, 3]; end
val r = {a = 1, b = "two", c = #"c", d = #[1, 2]}
fun h {a, b = SOME q, c : int, d as (e, _), ...} = if a then b else if c = 1 then !d else ~ (f 1)
val i = let val x = 1 fun f y = y in f x; (print "a"; print "b"); x end handle E => 1 | F n => n
val j = case x of 1 => (fn x => x) | 2 => (while true do (); raise E) | _ => #a r
val k = a andalso b orelse (c : bool) andalso not d
val l = f x (fn y => case y of NONE => () | SOME _ => x := !x + 1) ;
signature S = sig type t eqtype u and v type w = int val x : t and y : u datatype d = A | B of int
exception E of int structure A : S and B : sig end include S T sharing type t = u = v sharing A = B end
structure A : S = struct structure B = C.D end and F :> S where type t = int and type u = unit = G (H)
functor F (X : S) : T = let val x = 1 in X end
functor G (type t val x : t) = H (struct type t = t end) functor I () = J (val x = 1 type t = int)
val h = fn (op ::) (a, _) => a | (* c *) (SOME) (* d *) (b) => b | [] => 0
