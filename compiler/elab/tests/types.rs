//! Programs and the types of what they bind. A case is a program and a list of `name : type`.

mod common;

const CASES: &[(&str, &[(&str, &str)])] = &[
    ("val x = 1 val y = 2.0 val c = #\"c\" val s = \"s\" val w = 0w1 val u = ()",
     &[("x", "int"), ("y", "real"), ("c", "char"), ("s", "string"), ("w", "word"), ("u", "unit")]),
    ("fun id x = x val k = fn x => fn _ => x fun s f g x = f x (g x)",
     &[("id", "'a -> 'a"), ("k", "'a -> 'b -> 'a"), ("s", "('a -> 'b -> 'c) -> ('a -> 'b) -> 'a -> 'c")]),
    ("fun map f nil = nil | map f (x :: xs) = f x :: map f xs", &[("map", "('a -> 'b) -> 'a list -> 'b list")]),
    ("fun fact 0 = 1 | fact n = n * fact (n - 1)", &[("fact", "int -> int")]),
    // Overloading: default, annotation, and resolution by a later use inside the declaration.
    ("fun double x = x + x", &[("double", "int -> int")]),
    ("fun double (x : real) = x + x", &[("double", "real -> real")]),
    ("val r = let fun double x = x + x in double 2.0 end", &[("r", "real")]),
    ("fun half x = x / 2.0 fun less (a, b) = a < b fun f (x : word8) = x div 0w2",
     &[("half", "real -> real"), ("less", "int * int -> bool"), ("f", "word8 -> word8")]),
    ("val f = op + val g = ~ val h = abs : real -> real", &[("f", "int * int -> int"), ("g", "int -> int"), ("h", "real -> real")]),
    ("fun max (a, b) = if a > b then a else b : string", &[("max", "string * string -> string")]),
    // Equality.
    ("fun member (x, nil) = false | member (x, y :: ys) = x = y orelse member (x, ys)",
     &[("member", "''a * ''a list -> bool")]),
    ("val ne = op <> fun f x y = x <> y", &[("ne", "''a * ''a -> bool"), ("f", "''a -> ''a -> bool")]),
    ("datatype t = A of int | B of t ref * (int -> int) ref val b = A 1 = A 2", &[("b", "bool")]),
    // Let-polymorphism, levels.
    ("val p = let fun id x = x in (id 1, id \"a\") end", &[("p", "int * string")]),
    ("fun f x = let fun g y = (x, y) in (g 1, g true) end", &[("f", "'a -> ('a * int) * ('a * bool)")]),
    ("fun f x = let val y = x in y end", &[("f", "'a -> 'a")]),
    // The value restriction.
    ("val a = nil val b = [nil] val c = (fn x => x)", &[("a", "'a list"), ("b", "'a list list"), ("c", "'a -> 'a")]),
    ("val r = ref nil val () = r := [1]", &[("r", "int list ref")]),
    ("val f = let in fn x => x end val n = f 1", &[("f", "int -> int"), ("n", "int")]),
    // Records, selectors, flexible patterns.
    ("val r = {b = 1, a = \"x\"} val a = #a r fun f {a, b = 0} = a | f {a, ...} = a",
     &[("r", "{a: string, b: int}"), ("a", "string"), ("f", "{a: 'a, b: int} -> 'a")]),
    ("val snd = fn (p : int * bool) => #2 p", &[("snd", "int * bool -> bool")]),
    ("fun f r = (#x r : int, r = {x = 1, y = true})", &[("f", "{x: int, y: bool} -> int * bool")]),
    // Flexible records of the structure level are generalised, too: a signature that is polymorphic in their fields was
    // not matched, and two uses at other types of the fields were refused. `it` is one of these declarations.
    ("structure S : sig val f : {a: 'a, b: 'b} -> 'a end = struct val f = #a end
      val x = S.f {a = 1, b = 2} val y = S.f {a = true, b = \"b\"}", &[("S.f", "{a: 'a, b: 'b} -> 'a"), ("x", "int"), ("y", "bool")]),
    ("structure S :> sig val f : {a: 'a, b: int} -> 'a end = struct fun f {a, ...} = a end
      val x = S.f {a = \"a\", b = 2}", &[("x", "string")]),
    ("val f = #a fun g r = (f r, #b r) val x = g {a = 1, b = 2, c = 3} val y = g {a = true, b = \"b\", c = #\"c\"}",
     &[("f", "{a: 'a, b: 'b, c: 'c} -> 'a"), ("g", "{a: 'a, b: 'b, c: 'c} -> 'a * 'b"), ("x", "int * int"),
       ("y", "bool * string")]),
    ("structure A = struct fun p {x, ...} = fn {y, ...} => (x, y) end
      functor F (type t val v : t) = struct open A val r = p {x = v, y = 1} {y = v, z = 2} end
      structure B = F (type t = string val v = \"v\")
      val q = A.p {x = true, y = ()} {y = 3, z = 4.0}",
     &[("B.r", "string * string"), ("q", "bool * int"),
       ("A.p", "{x: 'a, y: 'b} -> {y: 'c, z: 'd} -> 'a * 'c")]),
    ("functor F () = struct fun f {a, ...} = a val x = f {a = 1, b = 2} end
      structure A = F () structure B = F () val y = (A.f {a = true, b = 2}, B.f {a = A.f, b = 1} {a = 3, b = ()})",
     &[("A.f", "{a: 'a, b: 'b} -> 'a"), ("y", "bool * int")]),
    ("structure A = struct val f = #a val x = f {a = 1, b = 2} end
      functor F () = struct structure T = A end structure B = F ()
      val y = (B.T.f {a = true, b = ()}, A.f {a = 1, b = 1})", &[("y", "bool * int"), ("B.T.f", "{a: 'a, b: 'b} -> 'a")]),
    ("#a; it {a = 1, b = 2};", &[("it", "int")]),
    ("val (f, g) = (#a, #b) val x = f {a = 1, b = 2} val y = g {b = \"b\", c = ()}", &[("x", "int"), ("y", "string")]),
    ("fun f r = #a r = 1 andalso #b r = #c r val x = f {a = 1, b = true, c = true} val y = f {a = 2, b = \"\", c = \"\"}",
     &[("f", "{a: int, b: ''a, c: ''a} -> bool")]),
    ("fun f r = #a r + 1.0 val x = f {a = 1.0, b = 1} val y = f {a = 1.0, b = true}", &[("f", "{a: real, b: 'a} -> real")]),
    // Explicit type variables and their scope.
    ("fun 'a id (x : 'a) = x val id' : 'b -> 'b = fn x => x", &[("id", "'a -> 'a"), ("id'", "'a -> 'a")]),
    ("fun f (x : 'a) = let fun g (y : 'a) = (x, y) in g x end", &[("f", "'a -> 'a * 'a")]),
    ("fun f x = let val id : 'a -> 'a = fn z => z in (id x, id 1) end", &[("f", "'a -> 'a * int")]),
    // Datatypes.
    ("datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
      fun insert less (x, Leaf) = Node (Leaf, x, Leaf)
        | insert less (x, t as Node (l, y, r)) = if less (x, y) then Node (insert less (x, l), y, r) else t",
     &[("Node", "constructor"), ("insert", "('a * 'a -> bool) -> 'a * 'a tree -> 'a tree")]),
    ("datatype a = A of b | N and b = B of a withtype c = a * b val x = (A (B N), B N) : c", &[("x", "a * b")]),
    ("datatype t = X | Y datatype u = datatype t val v = X : u", &[("v", "t")]),
    ("abstype t = T of int with val t = T 1 fun get (T n) = n end val n = get t", &[("t", "t"), ("get", "t -> int"), ("n", "int")]),
    ("datatype 'a opt = SOME of 'a | NONE fun valOf (SOME x) = x", &[("valOf", "'a opt -> 'a")]),
    // A datatype that mentions a type variable of the function around it takes it as a parameter; it was left open, and
    // the next stages saw a value of type 'a as one of type unit.
    ("fun 'a f (x : 'a) = let datatype 'b t = T of 'a * 'b and u = U of int t withtype 'c v = 'c t * u
        val y : int t = T (x, 1) val U (T (a, b)) = U y val p : bool v = (T (a, true), U y) in (a, b) end",
     &[("f", "'a -> 'a * int")]),
    // So it does if nothing else of the function names the variable, which was "not bound" then: it is in scope where
    // it is unguarded, and the parameters of a binding are its own.
    ("fun f x = let datatype t = T of 'a val T y = T x in y end", &[("f", "'a -> 'a")]),
    ("fun f x = let type u = 'a list val y : u = [x] in y end", &[("f", "'a -> 'a list")]),
    ("fun f x = let datatype 'b t = T of 'b * u withtype u = 'a list val T p = T (1, [x]) in p end",
     &[("f", "'a -> int * 'a list")]),
    ("fun f x = let abstype t = T of 'a with val y = T x fun get (T z) = z end in get y end", &[("f", "'a -> 'a")]),
    ("fun f x = let datatype 'a t = T of 'a val T y = T x val T n = T 1 in (y, n) end", &[("f", "'a -> 'a * int")]),
    // Bindings of one declaration where only some can be polymorphic.
    ("val 'a id = fn x : 'a => x and x = let exception E of 'a in () end and f = fn (x : 'b) => x",
     &[("id", "'a -> 'a"), ("x", "unit"), ("f", "'a -> 'a")]),
    // Exceptions.
    ("exception E of int and F exception G = E val e = G 1 fun f () = (raise F) handle E n => n | F => 0",
     &[("E", "exception"), ("G", "exception"), ("e", "exn"), ("f", "unit -> int")]),
    ("val x = (1 handle Fail s => 2)", &[("x", "int")]),
    // References, loops, sequences.
    ("fun count n = let val r = ref 0 in while !r < n do r := !r + 1; !r end
      val cell = ref 1 fun get (ref x) = x", &[("cell", "int ref"), ("get", "'a ref -> 'a"), ("count", "int -> int")]),
    // val rec, mutual recursion, layered patterns.
    ("val rec even = fn 0 => true | n => odd (n - 1) and odd = fn 0 => false | n => even (n - 1)",
     &[("even", "int -> bool"), ("odd", "int -> bool")]),
    ("val x as (a, b) = (1, \"s\") val [c, _] = [1, 2] val #[d] = #[true]",
     &[("x", "int * string"), ("b", "string"), ("c", "int"), ("d", "bool")]),
    ("val (f, g) = (fn x => x, fn (x, y) => x)", &[("f", "'a -> 'a"), ("g", "'a * 'b -> 'a")]),
    // Structures.
    ("structure S = struct type t = int val x = 1 fun f (y : t) = y + x structure T = struct val z = x end end
      val a = S.f S.T.z open S val b = f x", &[("a", "int"), ("b", "int"), ("S.f", "int -> int"), ("S.T.z", "int")]),
    ("structure S = struct local val h = 2 in val v = h end end", &[("S.v", "int"), ("S.h", "unbound")]),
    ("structure S : sig val id : int -> int end = struct fun id x = x val hidden = 1 end",
     &[("S.id", "int -> int"), ("S.hidden", "unbound")]),
    ("structure S : sig type t val x : t val f : t -> int end = struct type t = int val x = 1 fun f n = n end
      val y = S.x + 1", &[("S.x", "int"), ("y", "int")]),
    ("structure S :> sig type t val x : t val f : t -> int end = struct type t = int val x = 1 fun f n = n end
      val y = S.f S.x", &[("S.x", "S.t"), ("y", "int")]),
    ("signature SIG = sig datatype t = A | B of t val x : t end
      structure S :> SIG = struct datatype t = B of t | A val x = B A end
      fun f S.A = 0 | f (S.B y) = 1 + f y val n = f (S.B S.x)", &[("f", "S.t -> int"), ("n", "int")]),
    ("signature STACK = sig type 'a stack val empty : 'a stack val push : 'a * 'a stack -> 'a stack end
      structure Stack :> STACK = struct type 'a stack = 'a list val empty = nil val push = op :: end
      val s = Stack.push (1, Stack.empty)", &[("s", "int Stack.stack"), ("Stack.push", "'a * 'a Stack.stack -> 'a Stack.stack")]),
    ("signature S = sig type t type u sharing type t = u val x : t val y : u end
      structure A : S = struct type t = int type u = int val x = 1 val y = 2 end", &[("A.x", "int")]),
    ("signature S = sig eqtype t val x : t end structure A :> S where type t = string = struct type t = string val x = \"\" end
      val s = A.x ^ \"!\"", &[("s", "string")]),
    ("signature S = sig structure A : sig type t end structure B : sig type t end sharing A = B end
      structure M : S = struct structure A = struct type t = int end structure B = A end", &[]),
    ("signature S = sig exception E of int val e : exn end structure M :> S = struct exception E of int val e = E 1 end
      fun f (M.E n) = n | f _ = 0", &[("f", "exn -> int")]),
    // A constructor seen as a value.
    ("structure S : sig type 'a t val Leaf : 'a t val One : int -> int t end = struct datatype 'a t = Leaf | One of 'a end
      val l = S.One 1", &[("S.Leaf", "'a S.t"), ("l", "int S.t")]),
    // Functors.
    ("functor F (X : sig type t val x : t end) = struct val y = (X.x, 1) end
      structure A = F (struct type t = string val x = \"s\" end)", &[("A.y", "string * int")]),
    ("functor Set (eqtype t) :> sig type set val empty : set val add : t * set -> set val has : t * set -> bool end = struct
        type set = t list val empty = nil val add = op :: fun has (x, s) = let fun go nil = false | go (y :: r) = x = y orelse go r in go s end end
      structure IS = Set (type t = int) structure SS = Set (type t = string)
      val b = IS.has (1, IS.add (2, IS.empty)) val c = SS.has (\"\", SS.empty)", &[("b", "bool"), ("IS.add", "int * IS.set -> IS.set")]),
    ("functor D (datatype t = A | B of int) = struct fun f A = 0 | f (B n) = n end
      structure M = D (datatype t = B of int | A) val f = M.f", &[]),
    ("functor G () = struct exception E datatype d = D val d = D end
      structure G1 = G () structure G2 = G () val x = (G1.d, G2.d)", &[("x", "G1.d * G2.d")]),
    ("functor Twice (structure A : sig val f : int -> int end) = struct fun g x = A.f (A.f x) end
      structure T = Twice (structure A = struct fun f x = x end)", &[("T.g", "int -> int")]),
    ("val it' = 1; it' + 1;", &[("it", "int")]),
];

const PRELUDE: &str = "val op ! = _prim \"ref_get\" : 'a ref -> 'a val op := = _prim \"ref_set\" : 'a ref * 'a -> unit
  val op ^ = _prim \"string_concat\" : string * string -> string";

fn check(program: &str, wanted: &[(&str, &str)], failures: &mut String) {
    let mut session = common::Session::new();
    session.unit("prelude", PRELUDE);
    let out = session.unit("test", program);
    if !out.diagnostics.is_empty() {
        failures.push_str(&format!("{program}\n{}\n", session.render(&out.diagnostics)));
        return;
    }
    for (name, ty) in wanted {
        let found = session.type_of(name);
        if found != *ty {
            failures.push_str(&format!("{program}\n  {name} : {found}, not {ty}\n"));
        }
    }
}

#[test]
fn types() {
    let run = || {
        let mut failures = String::new();
        CASES.iter().for_each(|(program, wanted)| check(program, wanted, &mut failures));
        assert!(failures.is_empty(), "{failures}");
    };
    std::thread::Builder::new().stack_size(64 << 20).spawn(run).unwrap().join().unwrap();
}

/// The parts of a nest were compared with a variable made for them, which each time was looked for in all that is
/// inside: a nest took the square of its depth, seconds at this one.
#[test]
fn deep_nests() {
    let run = || {
        let n = 15_000;
        let mut failures = String::new();
        // One type variable: the verifier keeps the set of each type.
        check(&format!("fun f (x : 'a) = {}x", "fn (_ : 'a) => ".repeat(n)), &[], &mut failures);
        check(&format!("val x = {}1{}", "[".repeat(n), "]".repeat(n)), &[], &mut failures);
        check(&format!("fun f {}x{} = x : int", "[".repeat(n), "]".repeat(n)), &[], &mut failures);
        assert!(failures.is_empty(), "{}", failures.chars().take(1000).collect::<String>());
    };
    std::thread::Builder::new().stack_size(1 << 30).spawn(run).unwrap().join().unwrap();
}
