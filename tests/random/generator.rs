//! Random well-typed programs: a seed -> the text of a Standard ML program that ends and prints what it computed.
//!
//! An expression is made from the type that it shall have, out of what is in scope. Programs end because every function
//! pays from one purse of fuel, and are the same on every system: integers are kept below 10,007, unless the program is
//! for systems with 64-bit integers, where Overflow is met and handled. Every line that counts starts with `@`.

use std::fmt::Write as _;
use std::ops::Range;

use leat_random::Random;

/// Types of the generated programs.
#[derive(Clone, PartialEq, Debug)]
pub enum Ty {
    Int,
    Bool,
    Str,
    Char,
    Word,
    Unit,
    Tuple(Vec<Ty>),
    /// Labels are `a`, `b`, ...
    Record(Vec<Ty>),
    List(Box<Ty>),
    Option(Box<Ty>),
    Ref(Box<Ty>),
    Vector(Box<Ty>),
    Array(Box<Ty>),
    /// The n-th datatype, at its parameter's type.
    Data(usize, Box<Ty>),
    Fn(Box<Ty>, Box<Ty>),
    /// The type variable of a datatype's declaration.
    Param,
}

/// A datatype with one parameter: constructors and what they carry.
struct Data {
    constructors: Vec<(String, Option<Ty>)>,
}

struct Generator {
    random: Random,
    /// 64-bit arithmetic that may overflow.
    wide: bool,
    datatypes: Vec<Data>,
    scope: Vec<(String, Ty)>,
    names: usize,
    /// How many more nodes the present declaration may have.
    budget: usize,
}

/// What each program starts with: fuel, small arithmetic, and polymorphic functions for the optimiser to take apart.
const PRELUDE: &str = r#"
exception Fuel
exception Carry of int
val fuel = ref 20000
fun tick () = if !fuel <= 0 then raise Fuel else fuel := !fuel - 1
fun small n = n mod 10007
infixr 5 ++
fun [] ++ ys = ys | (x :: xs) ++ ys = x :: (xs ++ ys)
fun id x = x
fun const x _ = x
fun swap (x, y) = (y, x)
fun twice f x = f (f x)
fun compose (f, g) x = f (g x)
fun mapList f [] = [] | mapList f (x :: xs) = f x :: mapList f xs
fun fold f z [] = z | fold f z (x :: xs) = fold f (f (x, z)) xs
fun keep p [] = [] | keep p (x :: xs) = if p x then x :: keep p xs else keep p xs
fun upTo n = let fun go (i, l) = if i <= 0 then l else go (i - 1, i :: l) in go (if n > 12 then 12 else n, []) end
fun showList s l = "[" ^ fold (fn (x, z) => z ^ s x ^ ",") "" l ^ "]"
fun showOption s NONE = "NONE" | showOption s (SOME x) = "SOME(" ^ s x ^ ")"
fun fromVector v = Vector.foldr (op ::) [] v
fun fromArray a = Array.foldr (op ::) [] a
signature COUNTER = sig type t val zero : t val step : t -> t val count : t -> int end
functor Counter (val by : int) :> COUNTER =
struct type t = int ref * int list val zero = (ref 0, [] : int list) fun step (r, l) = (r := !r + by; (ref (!r), by :: l)) fun count (r, l) = small (!r) + length l end
structure One = Counter (val by = 1)
structure Seven = Counter (val by = 7)
"#;

/// The program of a seed. With `wide`, integers are 64 bits and overflow.
pub fn program(seed: u64, wide: bool) -> String {
    let mut generator = Generator::new(seed, wide);
    let datatypes = 1 + generator.random.below(3);
    let mut text = generator.start(datatypes);
    let declarations = 3 + generator.random.below(8);
    generator.declarations(&mut text, declarations, 60..140);
    text
}

/// A program of a tenth of the size, of which thousands are tried in the same time.
pub fn small(seed: u64, wide: bool) -> String {
    let mut generator = Generator::new(seed, wide);
    let mut text = generator.start(1);
    let declarations = 2 + generator.random.below(3);
    generator.declarations(&mut text, declarations, 8..32);
    text
}

impl Generator {
    fn new(seed: u64, wide: bool) -> Generator {
        Generator { random: Random::new(seed), wide, datatypes: Vec::new(), scope: Vec::new(), names: 0, budget: 0 }
    }

    /// What stands before the declarations.
    fn start(&mut self, datatypes: usize) -> String {
        let mut text = String::from(PRELUDE);
        for _ in 0..datatypes {
            self.datatype(&mut text);
        }
        text
    }

    /// Declarations of functions and values, each of so many nodes, then lines that print the values, and the end.
    fn declarations(&mut self, text: &mut String, count: usize, nodes: Range<usize>) {
        let mut shown = Vec::new();
        for left in (0..count).rev() {
            self.budget = nodes.start + self.random.below(nodes.len());
            match self.random.below(4) {
                // At least one value uses what is there.
                0 | 1 if left > 0 || !shown.is_empty() => {
                    let dec = self.function();
                    let _ = writeln!(text, "{dec}");
                }
                _ => {
                    let ty = self.ty(3);
                    let exp = self.exp(&ty, 6);
                    let name = self.fresh();
                    let fallback = self.leaf(&ty);
                    // Whatever is raised is caught here, so that one exception is not the end of everything.
                    let _ = writeln!(
                        text,
                        "val {name} : {} = {exp}\n  handle Fuel => (fuel := 1000; {fallback}) | Carry n => (print (\"@carry \" ^ Int.toString n ^ \"\\n\"); {fallback}) | _ => {fallback}",
                        self.ty_text(&ty)
                    );
                    shown.push((name.clone(), ty.clone()));
                    self.scope.push((name, ty));
                }
            }
        }
        for (name, ty) in shown {
            let show = self.show(&ty);
            let _ = writeln!(text, "val () = print (\"@{name} = \" ^ {show} {name} ^ \"\\n\")");
        }
        text.push_str("val () = print \"@end\\n\"\n");
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("x{}", self.names)
    }

    // -- types

    /// A type of values that can be shown; `depth` bounds how it nests.
    fn ty(&mut self, depth: usize) -> Ty {
        let simple = depth == 0 || self.random.one_in(2);
        if simple {
            return [Ty::Int, Ty::Int, Ty::Bool, Ty::Str, Ty::Char, Ty::Word, Ty::Unit][self.random.below(7)].clone();
        }
        let inner = |this: &mut Self| Box::new(this.ty(depth - 1));
        match self.random.below(8) {
            0 => Ty::Tuple((0..2 + self.random.below(2)).map(|_| self.ty(depth - 1)).collect()),
            1 => Ty::Record((0..1 + self.random.below(3)).map(|_| self.ty(depth - 1)).collect()),
            2 => Ty::List(inner(self)),
            3 => Ty::Option(inner(self)),
            4 => Ty::Ref(inner(self)),
            5 => Ty::Vector(inner(self)),
            6 => Ty::Array(inner(self)),
            _ => Ty::Data(self.random.below(self.datatypes.len()), inner(self)),
        }
    }

    fn ty_text(&self, ty: &Ty) -> String {
        let all =
            |types: &[Ty], between: &str| types.iter().map(|ty| self.ty_text(ty)).collect::<Vec<_>>().join(between);
        match ty {
            Ty::Int => "int".into(),
            Ty::Bool => "bool".into(),
            Ty::Str => "string".into(),
            Ty::Char => "char".into(),
            Ty::Word => "word".into(),
            Ty::Unit => "unit".into(),
            Ty::Tuple(types) => format!("({})", all(types, " * ")),
            Ty::Record(types) => {
                let fields: Vec<String> =
                    types.iter().zip('a'..).map(|(ty, label)| format!("{label} : {}", self.ty_text(ty))).collect();
                format!("{{{}}}", fields.join(", "))
            }
            Ty::List(ty) => format!("({}) list", self.ty_text(ty)),
            Ty::Option(ty) => format!("({}) option", self.ty_text(ty)),
            Ty::Ref(ty) => format!("({}) ref", self.ty_text(ty)),
            Ty::Vector(ty) => format!("({}) vector", self.ty_text(ty)),
            Ty::Array(ty) => format!("({}) array", self.ty_text(ty)),
            Ty::Data(n, ty) => format!("({}) d{n}", self.ty_text(ty)),
            Ty::Fn(from, to) => format!("({} -> {})", self.ty_text(from), self.ty_text(to)),
            Ty::Param => "'a".into(),
        }
    }

    /// `datatype 'a dN = ...` and a function that shows it.
    fn datatype(&mut self, text: &mut String) {
        let n = self.datatypes.len();
        let mut constructors = vec![(format!("K{n}z"), None)];
        for i in 0..1 + self.random.below(4) {
            let own = || Box::new(Ty::Param);
            let carried = match self.random.below(8) {
                0 => None,
                1 => Some(Ty::Param),
                2 => Some(Ty::Tuple(vec![Ty::Param, Ty::Data(n, own())])),
                3 => Some(Ty::Record(vec![Ty::Int, Ty::Param, Ty::Data(n, own())])),
                4 => Some(Ty::List(Box::new(Ty::Data(n, own())))),
                5 => Some(Ty::Tuple(vec![Ty::Data(n, own()), Ty::Data(n, own())])),
                6 => Some(Ty::Int),
                _ if n > 0 => Some(Ty::Data(self.random.below(n), own())),
                _ => Some(Ty::Tuple(vec![Ty::Bool, Ty::Param])),
            };
            constructors.push((format!("K{n}{}", (b'a' + i as u8) as char), carried));
        }
        self.datatypes.push(Data { constructors: constructors.clone() });
        let cases: Vec<String> = constructors
            .iter()
            .map(|(name, carried)| match carried {
                None => name.clone(),
                Some(ty) => format!("{name} of {}", self.ty_text(ty)),
            })
            .collect();
        let _ = writeln!(text, "datatype 'a d{n} = {}", cases.join(" | "));
        let clauses: Vec<String> = constructors
            .iter()
            .map(|(name, carried)| match carried {
                None => format!("showD{n} show {name} = \"{name}\""),
                Some(ty) => format!("showD{n} show ({name} x) = \"{name}(\" ^ {} x ^ \")\"", self.show(ty)),
            })
            .collect();
        let _ = writeln!(text, "fun {}", clauses.join("\n  | "));
    }

    /// An expression: the function that turns a value of the type into text.
    fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Int => "Int.toString".into(),
            Ty::Bool => "Bool.toString".into(),
            Ty::Str => "(fn s => if size s > 60 then String.substring (s, 0, 60) else s)".into(),
            Ty::Char => "(fn c => Int.toString (ord c))".into(),
            Ty::Word => "(fn w => Word.toString (Word.andb (w, 0wxfff)))".into(),
            Ty::Unit => "(fn () => \"()\")".into(),
            Ty::Tuple(types) | Ty::Record(types) => {
                let record = matches!(ty, Ty::Record(_));
                let fields: Vec<String> = (0..types.len())
                    .map(|i| if record { format!("{} = v{i}", (b'a' + i as u8) as char) } else { format!("v{i}") })
                    .collect();
                let shown: Vec<String> =
                    types.iter().enumerate().map(|(i, ty)| format!("{} v{i}", self.show(ty))).collect();
                let (open, close) = if record { ('{', '}') } else { ('(', ')') };
                format!("(fn {open}{}{close} => \"<\" ^ {} ^ \">\")", fields.join(", "), shown.join(" ^ \",\" ^ "))
            }
            Ty::List(ty) => format!("(showList {})", self.show(ty)),
            Ty::Option(ty) => format!("(showOption {})", self.show(ty)),
            Ty::Ref(ty) => format!("(fn r => \"ref \" ^ {} (!r))", self.show(ty)),
            Ty::Vector(ty) => format!("(fn v => showList {} (fromVector v))", self.show(ty)),
            Ty::Array(ty) => format!("(fn v => showList {} (fromArray v))", self.show(ty)),
            Ty::Data(n, ty) => format!("(showD{n} {})", self.show(ty)),
            Ty::Fn(..) => "(fn _ => \"fn\")".into(),
            Ty::Param => "show".into(),
        }
    }

    // -- declarations

    /// A function that pays for each call; it may call itself.
    fn function(&mut self) -> String {
        let name = self.fresh();
        let result = self.ty(2);
        let argument = self.ty(2);
        let depth = self.scope.len();
        let ty = Ty::Fn(Box::new(argument.clone()), Box::new(result.clone()));
        if self.random.one_in(2) {
            // By clauses, the last of which catches all.
            let mut clauses = Vec::new();
            for _ in 0..1 + self.random.below(3) {
                let mark = self.scope.len();
                self.scope.push((name.clone(), ty.clone()));
                let pattern = self.pattern(&argument, 3);
                let body = self.exp(&result, 4);
                self.scope.truncate(mark);
                clauses.push(format!("{name} ({pattern}) : {} = (tick (); {body})", self.ty_text(&result)));
            }
            let last = self.leaf(&result);
            clauses.push(format!("{name} (_ : {}) = (tick (); {last})", self.ty_text(&argument)));
            self.scope.truncate(depth);
            self.scope.push((name, ty));
            return format!("fun {}", clauses.join("\n  | "));
        }
        let parameter = self.fresh();
        self.scope.push((name.clone(), ty.clone()));
        self.scope.push((parameter.clone(), argument.clone()));
        let body = self.exp(&result, 5);
        self.scope.truncate(depth);
        self.scope.push((name.clone(), ty));
        format!(
            "fun {name} ({parameter} : {}) : {} = (tick (); {body})",
            self.ty_text(&argument),
            self.ty_text(&result)
        )
    }

    /// A pattern of the type; its variables come into scope.
    fn pattern(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.random.one_in(4) {
            if self.random.one_in(3) {
                return "_".into();
            }
            let name = self.fresh();
            self.scope.push((name.clone(), ty.clone()));
            return name;
        }
        match ty {
            Ty::Int => ["0", "1", "2", "7", "~3"][self.random.below(5)].into(),
            Ty::Bool => ["true", "false"][self.random.below(2)].into(),
            Ty::Str => ["\"\"", "\"a\"", "\"bc\""][self.random.below(3)].into(),
            Ty::Char => ["#\"a\"", "#\"z\""][self.random.below(2)].into(),
            Ty::Word => ["0w0", "0w5"][self.random.below(2)].into(),
            Ty::Unit => "()".into(),
            Ty::Tuple(types) => {
                let parts: Vec<String> = types.iter().map(|ty| self.pattern(ty, depth - 1)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(types) => {
                let parts: Vec<String> = types
                    .iter()
                    .zip('a'..)
                    .map(|(ty, label)| format!("{label} = {}", self.pattern(ty, depth - 1)))
                    .collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::List(item) => match self.random.below(3) {
                0 => "[]".into(),
                1 => format!("[{}]", self.pattern(item, depth - 1)),
                _ => format!("({} :: {})", self.pattern(item, depth - 1), self.pattern(ty, depth - 1)),
            },
            Ty::Option(item) => match self.random.below(3) {
                0 => "NONE".into(),
                _ => format!("(SOME {})", self.pattern(item, depth - 1)),
            },
            Ty::Ref(item) => format!("(ref {})", self.pattern(item, depth - 1)),
            Ty::Data(n, at) => {
                let (constructor, carried) = self.random.pick(&self.datatypes[*n].constructors).clone();
                match carried {
                    None => constructor,
                    Some(carried) => {
                        let carried = at_type(&carried, at);
                        format!("({constructor} {})", self.pattern(&carried, depth - 1))
                    }
                }
            }
            _ => "_".into(),
        }
    }

    // -- expressions

    /// The smallest expression of a type.
    fn leaf(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int => ["0", "1", "2", "5", "~3", "41", "10006"][self.random.below(7)].into(),
            Ty::Bool => ["true", "false"][self.random.below(2)].into(),
            Ty::Str => ["\"\"", "\"a\"", "\"bc\"", "\"\\n\\\\\""][self.random.below(4)].into(),
            Ty::Char => ["#\"a\"", "#\"z\"", "#\" \""][self.random.below(3)].into(),
            Ty::Word => ["0w0", "0w5", "0wxff"][self.random.below(3)].into(),
            Ty::Unit => "()".into(),
            Ty::Tuple(types) => {
                let parts: Vec<String> = types.iter().map(|ty| self.leaf(ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(types) => {
                let parts: Vec<String> =
                    types.iter().zip('a'..).map(|(ty, label)| format!("{label} = {}", self.leaf(ty))).collect();
                format!("{{{}}}", parts.join(", "))
            }
            Ty::List(_) => "[]".into(),
            Ty::Option(_) => "NONE".into(),
            Ty::Ref(ty) => format!("(ref {})", self.leaf(ty)),
            Ty::Vector(ty) => format!("(Vector.fromList [{}])", self.leaf(ty)),
            Ty::Array(ty) => format!("(Array.array (2, {}))", self.leaf(ty)),
            Ty::Data(n, _) => format!("K{n}z"),
            Ty::Fn(_, to) => format!("(fn _ => {})", self.leaf(to)),
            Ty::Param => unreachable!("only in declarations"),
        }
    }

    /// A variable of the type, if there is one.
    fn variable(&mut self, ty: &Ty) -> Option<String> {
        let fitting: Vec<usize> = (0..self.scope.len()).filter(|&i| self.scope[i].1 == *ty).collect();
        if fitting.is_empty() {
            return None;
        }
        Some(self.scope[fitting[self.random.below(fitting.len())]].0.clone())
    }

    /// A call of a function in scope that gives the type.
    fn call(&mut self, ty: &Ty, depth: usize) -> Option<String> {
        let fitting: Vec<usize> =
            (0..self.scope.len()).filter(|&i| matches!(&self.scope[i].1, Ty::Fn(_, to) if **to == *ty)).collect();
        if fitting.is_empty() {
            return None;
        }
        let (name, function) = self.scope[fitting[self.random.below(fitting.len())]].clone();
        let Ty::Fn(from, _) = function else { return None };
        Some(format!("({name} ({}))", self.exp(&from, depth - 1)))
    }

    fn exp(&mut self, ty: &Ty, depth: usize) -> String {
        if depth == 0 || self.budget == 0 {
            return if self.random.one_in(3) { None } else { self.variable(ty) }.unwrap_or_else(|| self.leaf(ty));
        }
        self.budget -= 1;
        let depth = depth - 1;
        match self.random.below(23) {
            20 | 21 => self.looped(ty, depth),
            22 => self.guarded(ty, depth),
            0..=4 => self.of_type(ty, depth),
            5 | 6 => self.variable(ty).unwrap_or_else(|| self.of_type(ty, depth)),
            7 | 8 => self.call(ty, depth + 1).unwrap_or_else(|| self.of_type(ty, depth)),
            9 => {
                format!("(if {} then {} else {})", self.exp(&Ty::Bool, depth), self.exp(ty, depth), self.exp(ty, depth))
            }
            10 | 11 => self.case(ty, depth),
            12 => self.let_val(ty, depth),
            13 => {
                let mark = self.scope.len();
                let dec = self.function();
                let body = self.exp(ty, depth);
                self.scope.truncate(mark);
                format!("(let {dec} in {body} end)")
            }
            14 => {
                let other = self.ty(1);
                let mark = self.scope.len();
                let argument = self.exp(&other, depth);
                let name = self.fresh();
                self.scope.push((name.clone(), other.clone()));
                let body = self.exp(ty, depth);
                self.scope.truncate(mark);
                format!("((fn ({name} : {}) => {body}) ({argument}))", self.ty_text(&other))
            }
            15 => {
                let raised = ["raise Carry 7", "raise Fail \"f\"", "raise Subscript", "raise Div", "raise Match"]
                    [self.random.below(5)];
                let condition = self.exp(&Ty::Bool, depth);
                let body = self.exp(ty, depth);
                let handler = self.exp(ty, depth);
                let mark = self.scope.len();
                let name = self.fresh();
                self.scope.push((name.clone(), Ty::Int));
                let carried = self.exp(ty, depth);
                self.scope.truncate(mark);
                format!(
                    "((if {condition} then {raised} else {body}) handle Carry {name} => {carried} | Fuel => raise Fuel | _ => {handler})"
                )
            }
            16 => self.effect(ty, depth),
            17 => format!("(twice id ({}))", self.exp(ty, depth)),
            18 => {
                let other = self.ty(1);
                let pair = Ty::Tuple(vec![ty.clone(), other.clone()]);
                match self.random.below(3) {
                    0 => format!("(#1 ({}))", self.exp(&pair, depth)),
                    1 => format!("(#2 (swap ({})))", self.exp(&pair, depth)),
                    _ => format!("(const ({}) ({}))", self.exp(ty, depth), self.exp(&other, depth)),
                }
            }
            _ => {
                let function = Ty::Fn(Box::new(Ty::Int), Box::new(ty.clone()));
                format!("(({}) ({}))", self.exp(&function, depth), self.exp(&Ty::Int, depth))
            }
        }
    }

    /// A loop with several ways round, and values that live across it: tail calls in some branches, an end in the
    /// others, handlers in both. What the ends do is loops again, in the scope of a handler, and what handles uses the
    /// outer loop's values. (A rotated loop whose values a handler used, with another rotated loop in the scope of that
    /// handler, was compiled wrongly for months: functions that call themselves make no loops where each call pays.)
    fn looped(&mut self, ty: &Ty, depth: usize) -> String {
        let (function, counter, state, other) = (self.fresh(), self.fresh(), self.fresh(), self.fresh());
        let (state_ty, other_ty) = (self.ty(2), self.ty(1));
        let start = (self.exp(&state_ty, depth.min(2)), self.exp(&other_ty, depth.min(2)));
        let mark = self.scope.len();
        self.scope.push((counter.clone(), Ty::Int));
        self.scope.push((state.clone(), state_ty.clone()));
        self.scope.push((other.clone(), other_ty.clone()));
        let mut ways = Vec::new();
        let count = 2 + self.random.below(3);
        for i in 0..count {
            let (less, inner) = (1 + self.random.below(2), depth.min(3));
            let again = |this: &mut Self| {
                // A state that only passes through is a value of the loop's head, used far behind it.
                let mut next = |name: &String, ty: &Ty| match this.random.one_in(2) {
                    true => name.clone(),
                    false => this.exp(ty, inner),
                };
                let (first, second) = (next(&state, &state_ty), next(&other, &other_ty));
                format!("{function} ({counter} - {less}, {first}, {second})")
            };
            let way = match self.random.below(4) {
                _ if i == 0 => again(self),
                0 | 1 => again(self),
                2 => self.guarded(ty, inner),
                _ => format!("(if {} then {} else {})", self.exp(&Ty::Bool, 1), again(self), self.exp(ty, inner)),
            };
            ways.push(way);
        }
        let last = self.guarded(ty, depth);
        let pattern = if count == 2 && self.random.one_in(2) { self.pattern(&state_ty, 2) } else { "_".to_string() };
        let by_state = pattern != "_";
        self.scope.truncate(mark);
        let pay = if self.random.one_in(3) { "tick (); " } else { "" };
        let branches = if by_state {
            // The variables of the pattern are not used: they only have to be bound.
            format!("case {state} of {pattern} => {} | _ => {}", ways[0], ways[1])
        } else {
            let rules: Vec<String> = ways
                .iter()
                .enumerate()
                .map(|(i, way)| if i + 1 == count { format!("_ => {way}") } else { format!("{i} => {way}") })
                .collect();
            format!("case {counter} mod {count} of {}", rules.join(" | "))
        };
        format!(
            "(let fun {function} ({counter} : int, {state} : {}, {other} : {}) : {} = ({pay}if {counter} <= 0 then {last} else {branches}) in {function} ({}, {}, {}) end)",
            self.ty_text(&state_ty),
            self.ty_text(&other_ty),
            self.ty_text(ty),
            self.random.below(6),
            start.0,
            start.1,
        )
    }

    /// An expression in the scope of a handler that passes on what it does not know.
    fn guarded(&mut self, ty: &Ty, depth: usize) -> String {
        let body = if self.random.one_in(2) && depth > 0 && self.budget > 0 {
            self.budget -= 1;
            self.looped(ty, depth - 1)
        } else {
            self.exp(ty, depth)
        };
        let handler = self.exp(ty, depth.min(2));
        match self.random.below(3) {
            0 => format!("({body} handle Carry _ => {handler})"),
            1 => format!("({body} handle Div => {handler} | Subscript => {})", self.leaf(ty)),
            _ => format!("({body} handle Fuel => raise Fuel | _ => {handler})"),
        }
    }

    fn case(&mut self, ty: &Ty, depth: usize) -> String {
        let scrutinee = self.ty(3);
        let exp = self.exp(&scrutinee, depth);
        let mut rules = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            let mark = self.scope.len();
            let pattern = self.pattern(&scrutinee, 3);
            let body = self.exp(ty, depth.min(3));
            self.scope.truncate(mark);
            rules.push(format!("{pattern} => {body}"));
        }
        rules.push(format!("_ => {}", self.leaf(ty)));
        format!("(case {exp} : {} of {})", self.ty_text(&scrutinee), rules.join(" | "))
    }

    fn let_val(&mut self, ty: &Ty, depth: usize) -> String {
        let mark = self.scope.len();
        let mut decs = String::new();
        for _ in 0..1 + self.random.below(3) {
            let other = self.ty(2);
            let exp = self.exp(&other, depth);
            let name = self.fresh();
            let _ = write!(decs, "val {name} : {} = {exp} ", self.ty_text(&other));
            self.scope.push((name, other));
        }
        let body = self.exp(ty, depth);
        self.scope.truncate(mark);
        format!("(let {decs}in {body} end)")
    }

    /// Something for its effect, then a value.
    fn effect(&mut self, ty: &Ty, depth: usize) -> String {
        let item = self.ty(1);
        let first = match self.random.below(3) {
            0 => {
                let cell = self.exp(&Ty::Ref(Box::new(item.clone())), depth);
                format!("({cell}) := ({})", self.exp(&item, depth))
            }
            1 => {
                let array = self.exp(&Ty::Array(Box::new(item.clone())), depth);
                let index = self.exp(&Ty::Int, depth.min(2));
                format!("(Array.update ({array}, {index}, {}) handle Subscript => ())", self.exp(&item, depth.min(2)))
            }
            _ => {
                let cell = self.fresh();
                let mark = self.scope.len();
                self.scope.push((cell.clone(), Ty::Ref(Box::new(Ty::Int))));
                let counter = self.fresh();
                let body = self.exp(&Ty::Int, depth.min(3));
                self.scope.truncate(mark);
                format!(
                    "(let val {cell} = ref 0 val {counter} = ref 0 in while !{counter} < {} do ({counter} := !{counter} + 1; {cell} := (tick (); small ({body})) + !{cell} mod 5) end)",
                    self.random.below(6)
                )
            }
        };
        format!("({first}; {})", self.exp(ty, depth))
    }

    /// An operation that gives the type.
    fn of_type(&mut self, ty: &Ty, depth: usize) -> String {
        match ty {
            Ty::Int => self.int(depth),
            Ty::Bool => match self.random.below(6) {
                0 => format!("({} < {})", self.exp(&Ty::Int, depth), self.exp(&Ty::Int, depth)),
                1 => format!("({} = {})", self.exp(&Ty::Int, depth), self.exp(&Ty::Int, depth)),
                2 => format!("({} andalso {})", self.exp(ty, depth), self.exp(ty, depth)),
                3 => format!("({} orelse {})", self.exp(ty, depth), self.exp(ty, depth)),
                4 => format!("(not {})", self.exp(ty, depth)),
                _ => {
                    let other = self.ty(2);
                    format!("(({} : {}) = {})", self.exp(&other, depth), self.ty_text(&other), self.exp(&other, depth))
                }
            },
            Ty::Str => match self.random.below(4) {
                0 => format!("({} ^ {})", self.exp(ty, depth), self.exp(ty, depth)),
                1 => format!("(Int.toString ({}))", self.exp(&Ty::Int, depth)),
                2 => format!("(implode ({}))", self.exp(&Ty::List(Box::new(Ty::Char)), depth)),
                _ => {
                    let other = self.ty(2);
                    let show = self.show(&other);
                    format!("({show} ({}))", self.exp(&other, depth))
                }
            },
            Ty::Char => match self.random.below(2) {
                0 => format!("(chr (({}) mod 128))", self.exp(&Ty::Int, depth)),
                _ => format!("(String.sub ({}, 0) handle Subscript => {})", self.exp(&Ty::Str, depth), self.leaf(ty)),
            },
            Ty::Word => {
                let operator = ["Word.andb", "Word.orb", "Word.xorb", "op +", "op -", "op *"][self.random.below(6)];
                // Words have other sizes elsewhere: only low bits are kept.
                format!("(Word.andb ({operator} ({}, {}), 0wxfff))", self.exp(ty, depth), self.exp(ty, depth))
            }
            Ty::Unit => match self.random.below(2) {
                0 => format!("(ignore ({}))", self.exp(&Ty::Int, depth)),
                _ => "()".into(),
            },
            Ty::Tuple(types) => {
                let parts: Vec<String> = types.iter().map(|ty| self.exp(ty, depth)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::Record(types) => {
                // Out of order: the order of evaluation is that of the text.
                let mut parts: Vec<String> =
                    types.iter().zip('a'..).map(|(ty, label)| format!("{label} = {}", self.exp(ty, depth))).collect();
                let turn = self.random.below(parts.len());
                parts.rotate_left(turn);
                format!("{{{}}}", parts.join(", "))
            }
            Ty::List(item) => self.list(ty, item, depth),
            Ty::Option(item) => match self.random.below(3) {
                0 => "NONE".into(),
                1 => format!("(Option.map (fn y => y) ({}))", self.exp(ty, depth)),
                _ => format!("(SOME ({}))", self.exp(item, depth)),
            },
            Ty::Ref(item) => format!("(ref ({}))", self.exp(item, depth)),
            Ty::Vector(item) => {
                let list = Ty::List(item.clone());
                format!("(Vector.fromList ({}))", self.exp(&list, depth))
            }
            Ty::Array(item) => match self.random.below(2) {
                0 => format!("(Array.array ({}, {}))", 1 + self.random.below(4), self.exp(item, depth)),
                _ => {
                    let list = Ty::List(item.clone());
                    format!("(Array.fromList ({}))", self.exp(&list, depth))
                }
            },
            Ty::Data(n, at) => {
                let all = self.datatypes[*n].constructors.clone();
                let (constructor, carried) = &all[self.random.below(all.len())];
                match carried {
                    None => constructor.clone(),
                    Some(carried) => {
                        let carried = at_type(carried, at);
                        format!("({constructor} ({}))", self.exp(&carried, depth))
                    }
                }
            }
            Ty::Fn(from, to) => {
                let mark = self.scope.len();
                let name = self.fresh();
                self.scope.push((name.clone(), (**from).clone()));
                let body = self.exp(to, depth);
                self.scope.truncate(mark);
                match self.random.below(3) {
                    0 => format!("(compose (fn y => y, fn ({name} : {}) => {body}))", self.ty_text(from)),
                    _ => format!("(fn ({name} : {}) => {body})", self.ty_text(from)),
                }
            }
            Ty::Param => unreachable!("only in declarations"),
        }
    }

    fn int(&mut self, depth: usize) -> String {
        let ty = Ty::Int;
        match self.random.below(9) {
            0..=2 => {
                let operator = ["+", "-", "*"][self.random.below(3)];
                let (left, right) = (self.exp(&ty, depth), self.exp(&ty, depth));
                if self.wide && self.random.one_in(2) {
                    let large =
                        ["9223372036854775807", "4611686018427387904", "~9223372036854775808"][self.random.below(3)];
                    return format!(
                        "(({left} {operator} ({right} {operator} {large})) handle Overflow => {})",
                        self.leaf(&ty)
                    );
                }
                format!("(small ({left} {operator} {right}))")
            }
            3 => {
                let operator = ["div", "mod"][self.random.below(2)];
                format!(
                    "(({} {operator} {}) handle Div => {})",
                    self.exp(&ty, depth),
                    self.exp(&ty, depth),
                    self.leaf(&ty)
                )
            }
            4 => format!("(size ({}))", self.exp(&Ty::Str, depth)),
            5 => {
                let item = self.ty(1);
                let list = Ty::List(Box::new(item));
                format!("(length ({}))", self.exp(&list, depth))
            }
            6 => {
                let list = Ty::List(Box::new(Ty::Int));
                format!("(fold (fn (x, y) => small (x + y)) 0 ({}))", self.exp(&list, depth))
            }
            7 => {
                let name = ["One", "Seven"][self.random.below(2)];
                format!("({name}.count ({name}.step (twice {name}.step {name}.zero)))")
            }
            _ => {
                let vector = Ty::Vector(Box::new(Ty::Int));
                format!(
                    "(Vector.sub ({}, {}) handle Subscript => 3)",
                    self.exp(&vector, depth),
                    self.exp(&ty, depth.min(2))
                )
            }
        }
    }

    fn list(&mut self, ty: &Ty, item: &Ty, depth: usize) -> String {
        match self.random.below(6) {
            0 => {
                let items: Vec<String> = (0..self.random.below(4)).map(|_| self.exp(item, depth)).collect();
                format!("[{}]", items.join(", "))
            }
            1 => format!("({} :: {})", self.exp(item, depth), self.exp(ty, depth)),
            2 => format!("({} ++ {})", self.exp(ty, depth), self.exp(ty, depth)),
            3 => format!("(rev ({}))", self.exp(ty, depth)),
            4 => {
                let function = Ty::Fn(Box::new(Ty::Int), Box::new(item.clone()));
                format!("(mapList ({}) (upTo ({})))", self.exp(&function, depth), self.exp(&Ty::Int, depth.min(2)))
            }
            _ => {
                let function = Ty::Fn(Box::new(item.clone()), Box::new(Ty::Bool));
                format!("(keep ({}) ({}))", self.exp(&function, depth), self.exp(ty, depth))
            }
        }
    }
}

/// What a constructor carries, with the datatype's parameter replaced.
fn at_type(ty: &Ty, at: &Ty) -> Ty {
    let inner = |ty: &Ty| Box::new(at_type(ty, at));
    match ty {
        Ty::Param => at.clone(),
        Ty::Tuple(types) => Ty::Tuple(types.iter().map(|ty| at_type(ty, at)).collect()),
        Ty::Record(types) => Ty::Record(types.iter().map(|ty| at_type(ty, at)).collect()),
        Ty::List(ty) => Ty::List(inner(ty)),
        Ty::Data(n, ty) => Ty::Data(*n, inner(ty)),
        other => other.clone(),
    }
}
