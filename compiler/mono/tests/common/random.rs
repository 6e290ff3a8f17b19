//! Random programs: well typed, ending, with every form of the core language, that print what they compute.
//!
//! They end because a function calls itself only with a smaller number, and numbers are small. Exceptions (`Overflow`,
//! `Div` and two of their own) go everywhere, so the order of evaluation shows. Of the library they use only what
//! [`HEADER`] defines.

use leat_random::Random;
use std::fmt::Write;

/// For programs with the Basis.
pub const HEADER: &str = r#"
val itos = Int.toString
fun sayb b = print (if b then "true\n" else "false\n")
"#;

const HELPERS: &str = r#"
exception Odd of int
exception Stop
datatype 'a tree = Leaf | Node of 'a tree * 'a * 'a tree
datatype shape = Dot | Line of int | Box of int * int | Deep of shape
datatype color = Red | Green | Blue
fun id x = x
fun fst (a, _) = a
fun snd (_, b) = b
fun swap (a, b) = (b, a)
fun compose (f, g) x = f (g x)
fun each f nil = nil | each f (x :: xs) = let val y = f x in y :: each f xs end
fun fold f a nil = a | fold f a (x :: xs) = fold f (f (x, a)) xs
fun keep p nil = nil | keep p (x :: xs) = if p x then x :: keep p xs else keep p xs
fun count l = fold (fn (_, n) => n + 1) 0 l
fun insert less (x, Leaf) = Node (Leaf, x, Leaf)
  | insert less (x, t as Node (l, y, r)) =
    if less (x, y) then Node (insert less (x, l), y, r)
    else if less (y, x) then Node (l, y, insert less (x, r)) else t
fun upto n = if n <= 0 then nil else n :: upto (n - 1)
val cell = ref 0
fun showList show l = "[" ^ fold (fn (x, s) => s ^ show x ^ ";") "" l ^ "]"
fun showOption show NONE = "-" | showOption show (SOME x) = "+" ^ show x
fun showTree show Leaf = "." | showTree show (Node (l, x, r)) = "(" ^ showTree show l ^ show x ^ showTree show r ^ ")"
fun showShape Dot = "Dot" | showShape (Line n) = "Line" ^ itos n | showShape (Box (a, b)) = itos a ^ "x" ^ itos b
  | showShape (Deep s) = "<" ^ showShape s ^ ">"
fun showColor Red = "R" | showColor Green = "G" | showColor Blue = "B"
fun showBool b = if b then "t" else "f"
"#;

#[derive(Clone, PartialEq)]
enum Ty {
    Int,
    Bool,
    Str,
    Unit,
    Shape,
    Color,
    Tuple(Vec<Ty>),
    List(Box<Ty>),
    Option(Box<Ty>),
    Tree(Box<Ty>),
    Fun(Box<Ty>, Box<Ty>),
}

struct Gen {
    random: Random,
    names: u32,
    env: Vec<(String, Ty)>,
    /// Expressions that may still be written.
    fuel: i32,
}

/// The program of a seed, without a header.
pub fn program(seed: u64) -> String {
    let mut gen_ = Gen { random: Random::new(seed), names: 0, env: Vec::new(), fuel: 0 };
    let mut out = HELPERS.to_string();
    for _ in 0..4 + gen_.below(6) {
        gen_.fuel = 60;
        gen_.top(&mut out);
    }
    out
}

impl Gen {
    fn below(&mut self, n: u64) -> u64 {
        self.random.below(n as usize) as u64
    }

    fn name(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    fn ty(&mut self, depth: u32) -> Ty {
        match self.below(if depth == 0 { 7 } else { 15 }) {
            0..=2 => Ty::Int,
            3 => Ty::Bool,
            4 => Ty::Str,
            5 => Ty::Shape,
            6 => [Ty::Unit, Ty::Color][self.below(2) as usize].clone(),
            7 | 8 => {
                let n = if self.below(6) == 0 { 5 + self.below(9) } else { 2 + self.below(2) };
                Ty::Tuple((0..n).map(|_| self.ty(if n > 4 { 0 } else { depth - 1 })).collect())
            }
            9 | 10 => Ty::List(Box::new(self.ty(depth - 1))),
            11 => Ty::Option(Box::new(self.ty(depth - 1))),
            12 => Ty::Tree(Box::new(Ty::Int)),
            _ => Ty::Fun(Box::new(self.ty(depth - 1)), Box::new(self.ty(depth - 1))),
        }
    }

    // -- declarations

    fn top(&mut self, out: &mut String) {
        match self.below(4) {
            0 => {
                // A function of its own, perhaps recursive.
                let text = self.fun();
                let _ = writeln!(out, "{text}");
            }
            1 => {
                let ty = self.ty(2);
                let (name, text) = (self.name(), self.exp(&ty, 4));
                // A top-level raise would end the program.
                let other = self.simple(&ty);
                let _ = writeln!(out, "val {name} = ({text}) handle _ => {other}");
                self.env.push((name, ty));
            }
            _ => {
                let ty = self.ty(2);
                let text = self.exp(&ty, 5);
                let shown = self.show(&ty, "x");
                let _ = writeln!(
                    out,
                    "val () = print ((let val x = {text} in {shown} end) handle Overflow => \"Overflow\" | Div => \"Div\" \
                     | Odd n => \"Odd\" ^ itos n | Stop => \"Stop\" | Match => \"Match\" | Bind => \"Bind\")\n\
                     val () = print (\" \" ^ itos (!cell) ^ \"\\n\")"
                );
            }
        }
    }

    /// `fun f (n, x) = ..`, which may call itself with a smaller n; afterwards it is in scope.
    fn fun(&mut self) -> String {
        let (from, to) = (self.ty(1), self.ty(1));
        let (f, n, x) = (self.name(), self.name(), self.name());
        let base = self.scoped(&[(x.clone(), from.clone())], |g| g.exp(&to, 3));
        let pair = Ty::Tuple(vec![Ty::Int, from.clone()]);
        let again = self.name();
        // The recursive call is a thunk of the smaller number, so that the result cannot run away.
        let step = Ty::Fun(Box::new(from.clone()), Box::new(to.clone()));
        let bindings = [(x.clone(), from.clone()), (again.clone(), step)];
        let rest = self.scoped(&bindings, |g| g.exp(&to, 4));
        let text = match self.below(3) {
            0 => format!(
                "fun {f} ({n}, {x}) = if {n} <= 0 then {base} else let fun {again} y = {f} ({n} - 1, y) in {rest} end"
            ),
            1 => format!(
                "fun {f} (0, {x}) = {base} | {f} ({n}, {x}) = if {n} < 0 then {f} (0, {x}) else let val {again} = fn y => {f} ({n} - 1, y) in {rest} end"
            ),
            _ => format!(
                "fun {f} {n} {x} = if {n} < 1 then {base} else let val {again} = {f} ({n} - 1) in {rest} end\n\
                 val {f} = fn (n, x) => {f} n x"
            ),
        };
        // Called through a wrapper that keeps the number small.
        let g = self.name();
        self.env.push((g.clone(), Ty::Fun(Box::new(pair), Box::new(to))));
        format!("{text}\nfun {g} (n, x) = {f} (n mod 3, x)")
    }

    fn scoped<R>(&mut self, names: &[(String, Ty)], f: impl FnOnce(&mut Self) -> R) -> R {
        let mark = self.env.len();
        self.env.extend_from_slice(names);
        let result = f(self);
        self.env.truncate(mark);
        result
    }

    // -- expressions

    /// A value without computing.
    fn simple(&mut self, ty: &Ty) -> String {
        match ty {
            Ty::Int => [0, 1, 2, 3, 7, 100, -1, -5][self.below(8) as usize].to_string().replace('-', "~"),
            Ty::Bool => ["true", "false"][self.below(2) as usize].to_string(),
            Ty::Str => ["\"\"", "\"a\"", "\"bc\""][self.below(3) as usize].to_string(),
            Ty::Unit => "()".to_string(),
            Ty::Shape => ["Dot", "(Line 3)", "(Box (1, 2))", "(Deep Dot)"][self.below(4) as usize].to_string(),
            Ty::Color => ["Red", "Green", "Blue"][self.below(3) as usize].to_string(),
            Ty::Tuple(tys) => {
                let parts: Vec<String> = tys.iter().map(|ty| self.simple(ty)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::List(_) => "nil".to_string(),
            Ty::Option(_) => "NONE".to_string(),
            Ty::Tree(_) => "Leaf".to_string(),
            Ty::Fun(_, to) => format!("(fn _ => {})", self.simple(to)),
        }
    }

    fn exp(&mut self, ty: &Ty, depth: u32) -> String {
        self.fuel -= 1;
        if depth == 0 || self.fuel < 0 {
            return self.variable(ty).unwrap_or_else(|| self.simple(ty));
        }
        let d = depth - 1;
        match self.below(22) {
            0..=2 => self.variable(ty).unwrap_or_else(|| self.simple(ty)),
            3 => {
                let (a, b, c) = (self.exp(&Ty::Bool, d), self.exp(ty, d), self.exp(ty, d));
                format!("(if {a} then {b} else {c})")
            }
            4 | 5 => {
                let other = self.ty(2);
                let (bound, name) = (self.exp(&other, d), self.name());
                let body = self.scoped(&[(name.clone(), other)], |g| g.exp(ty, d));
                format!("let val {name} = {bound} in {body} end")
            }
            6 => {
                let tys: Vec<Ty> = (0..2 + self.below(2)).map(|_| self.ty(1)).collect();
                let bound = self.exp(&Ty::Tuple(tys.clone()), d);
                let names: Vec<(String, Ty)> = tys.into_iter().map(|ty| (self.name(), ty)).collect();
                let body = self.scoped(&names, |g| g.exp(ty, d));
                let names: Vec<String> = names.into_iter().map(|name| name.0).collect();
                format!("let val ({}) = {bound} in {body} end", names.join(", "))
            }
            7 => {
                let mark = self.env.len();
                let fun = self.fun();
                let body = self.exp(ty, d);
                self.env.truncate(mark);
                format!("let {fun} in {body} end")
            }
            8 | 9 => self.case(ty, d),
            10 => {
                let from = self.ty(1);
                let (arg, name) = (self.exp(&from, d), self.name());
                let body = self.scoped(&[(name.clone(), from)], |g| g.exp(ty, d));
                format!("((fn {name} => {body}) ({arg}))")
            }
            11 => {
                let (a, b) = (self.exp(ty, d), self.exp(ty, d));
                let handled = ["_", "Div", "Stop", "Overflow", "Odd _"][self.below(5) as usize];
                format!("({a} handle {handled} => {b})")
            }
            12 => match self.below(6) {
                0 => "(raise Stop)".to_string(),
                1 => format!("(raise Odd ({}))", self.exp(&Ty::Int, 1)),
                _ => {
                    let (condition, value) = (self.exp(&Ty::Bool, d), self.exp(ty, d));
                    format!("(if {condition} then raise Stop else {value})")
                }
            },
            13 => {
                let (n, value) = (self.exp(&Ty::Int, d), self.exp(ty, d));
                format!("(cell := {n} mod 1000; {value})")
            }
            14 => {
                let other = self.ty(1);
                let text = self.exp(&Ty::Tuple(vec![ty.clone(), other]), d);
                format!("fst ({text})")
            }
            15 => format!("id ({})", self.exp(ty, d)),
            16 => {
                // A loop.
                let (name, value) = (self.name(), self.exp(ty, d));
                let inner = self.scoped(&[], |g| g.exp(&Ty::Int, d));
                format!(
                    "let val {name} = ref 3 in while !{name} > 0 do (cell := (!cell + {inner}) mod 997; {name} := !{name} - 1); {value} end"
                )
            }
            17 => self.call(ty, d).unwrap_or_else(|| self.simple(ty)),
            _ => self.intro(ty, d),
        }
    }

    fn variable(&mut self, ty: &Ty) -> Option<String> {
        let found: Vec<usize> = (0..self.env.len()).filter(|&i| self.env[i].1 == *ty).collect();
        if found.is_empty() {
            return None;
        }
        // Late ones more often.
        let i = found.len() as u64;
        let at = i - 1 - self.below(i).min(self.below(i));
        Some(self.env[found[at as usize]].0.clone())
    }

    /// An application of a function in scope.
    fn call(&mut self, ty: &Ty, d: u32) -> Option<String> {
        let found: Vec<(String, Ty)> = self
            .env
            .iter()
            .filter_map(|(name, f)| match f {
                Ty::Fun(from, to) if **to == *ty => Some((name.clone(), (**from).clone())),
                _ => None,
            })
            .collect();
        if found.is_empty() {
            return None;
        }
        let (f, from) = found[self.below(found.len() as u64) as usize].clone();
        Some(format!("{f} ({})", self.exp(&from, d)))
    }

    /// A form that only this type has.
    fn intro(&mut self, ty: &Ty, d: u32) -> String {
        match ty {
            Ty::Int => match self.below(9) {
                0 | 1 => format!("({} + {})", self.exp(ty, d), self.exp(ty, d)),
                2 => format!("({} - {})", self.exp(ty, d), self.exp(ty, d)),
                3 => format!("({} * {})", self.exp(ty, d), self.exp(ty, d)),
                4 => format!("({} div {})", self.exp(ty, d), self.exp(ty, d)),
                5 => format!("({} mod {})", self.exp(ty, d), self.exp(ty, d)),
                6 => {
                    let elem = self.ty(1);
                    format!("count ({})", self.exp(&Ty::List(Box::new(elem)), d))
                }
                7 => "!cell".to_string(),
                _ => format!(
                    "fold (fn (a, b) => a - b) ({}) ({})",
                    self.exp(ty, d),
                    self.exp(&Ty::List(Box::new(Ty::Int)), d)
                ),
            },
            Ty::Bool => match self.below(6) {
                0 => format!("({} < {})", self.exp(&Ty::Int, d), self.exp(&Ty::Int, d)),
                1 | 2 => {
                    let mut other = self.ty(2);
                    if has_function(&other) {
                        other = Ty::List(Box::new(Ty::Int));
                    }
                    format!("({} = {})", self.exp(&other, d), self.exp(&other, d))
                }
                3 => format!("({} andalso {})", self.exp(ty, d), self.exp(ty, d)),
                4 => format!("({} orelse {})", self.exp(ty, d), self.exp(ty, d)),
                _ => format!("not ({})", self.exp(ty, d)),
            },
            Ty::Str => match self.below(3) {
                0 => format!("({} ^ {})", self.exp(ty, d), self.exp(ty, d)),
                1 => format!("itos ({})", self.exp(&Ty::Int, d)),
                _ => {
                    let other = self.ty(1);
                    let bound = self.exp(&other, d);
                    let shown = self.show(&other, "x");
                    format!("let val x = {bound} in {shown} end")
                }
            },
            Ty::Unit => format!("(cell := {} mod 1000)", self.exp(&Ty::Int, d)),
            Ty::Shape => match self.below(3) {
                0 => format!("Line ({})", self.exp(&Ty::Int, d)),
                1 => format!("Box ({})", self.exp(&Ty::Tuple(vec![Ty::Int, Ty::Int]), d)),
                _ => format!("Deep ({})", self.exp(ty, d)),
            },
            Ty::Color => self.simple(ty),
            Ty::Tuple(tys) => {
                if tys.len() == 2 && self.below(5) == 0 {
                    let swapped = Ty::Tuple(vec![tys[1].clone(), tys[0].clone()]);
                    return format!("swap ({})", self.exp(&swapped, d));
                }
                let parts: Vec<String> = tys.iter().map(|ty| self.exp(ty, d)).collect();
                format!("({})", parts.join(", "))
            }
            Ty::List(elem) => match self.below(6) {
                0 | 1 => format!("({} :: {})", self.exp(elem, d), self.exp(ty, d)),
                2 => {
                    let items: Vec<String> = (0..1 + self.below(3)).map(|_| self.exp(elem, d)).collect();
                    format!("[{}]", items.join(", "))
                }
                3 => {
                    let from = self.ty(1);
                    let f = self.exp(&Ty::Fun(Box::new(from.clone()), elem.clone()), d);
                    format!("each ({f}) ({})", self.exp(&Ty::List(Box::new(from)), d))
                }
                4 => {
                    format!("keep ({}) ({})", self.exp(&Ty::Fun(elem.clone(), Box::new(Ty::Bool)), d), self.exp(ty, d))
                }
                _ if **elem == Ty::Int => format!("upto ({} mod 4)", self.exp(&Ty::Int, d)),
                _ => format!("({} :: nil)", self.exp(elem, d)),
            },
            Ty::Option(elem) => format!("SOME ({})", self.exp(elem, d)),
            Ty::Tree(elem) => match self.below(2) {
                0 => format!("Node ({})", self.exp(&Ty::Tuple(vec![ty.clone(), (**elem).clone(), ty.clone()]), d)),
                _ => format!("insert (op <) ({}, {})", self.exp(elem, d), self.exp(ty, d)),
            },
            Ty::Fun(from, to) => {
                if self.below(5) == 0 {
                    let middle = self.ty(1);
                    let f = self.exp(&Ty::Fun(Box::new(middle.clone()), to.clone()), d);
                    let g = self.exp(&Ty::Fun(from.clone(), Box::new(middle)), d);
                    return format!("compose ({f}, {g})");
                }
                let (pattern, names) = self.pattern(from, 2);
                let body = self.scoped(&names, |g| g.exp(to, d));
                let other = self.scoped(&[], |g| g.exp(to, 1));
                if irrefutable(from) {
                    format!("(fn {pattern} => {body})")
                } else {
                    format!("(fn {pattern} => {body} | _ => {other})")
                }
            }
        }
    }

    fn case(&mut self, ty: &Ty, d: u32) -> String {
        let of = self.ty(2);
        let mut text = format!("(case {} of", self.exp(&of, d));
        let rules = 1 + self.below(4);
        for i in 0..rules {
            let (pattern, names) = self.pattern(&of, 3);
            let body = self.scoped(&names, |g| g.exp(ty, d));
            let _ = write!(text, "{} {pattern} => {body}", if i == 0 { "" } else { " |" });
        }
        if self.below(5) > 0 {
            let _ = write!(text, " | _ => {}", self.exp(ty, d));
        }
        text + ")"
    }

    /// A pattern and what it binds; for a type that is [`irrefutable`], one that always matches.
    fn pattern(&mut self, ty: &Ty, depth: u32) -> (String, Vec<(String, Ty)>) {
        match self.below(6) {
            0 => return ("_".to_string(), Vec::new()),
            1 => {
                let name = self.name();
                return (name.clone(), vec![(name, ty.clone())]);
            }
            _ => {}
        }
        let plain = |text: &str| (text.to_string(), Vec::new());
        if depth == 0 {
            return plain("_");
        }
        match ty {
            Ty::Int => plain(["0", "1", "2", "3", "~1", "7"][self.below(6) as usize]),
            Ty::Bool => plain(["true", "false"][self.below(2) as usize]),
            Ty::Str => plain(["\"\"", "\"a\"", "\"bc\""][self.below(3) as usize]),
            Ty::Unit => plain("()"),
            Ty::Color => plain(["Red", "Green", "Blue"][self.below(3) as usize]),
            Ty::Fun(..) => plain("_"),
            Ty::Shape => match self.below(4) {
                0 => plain("Dot"),
                1 => self.applied("Line", &Ty::Int, depth),
                2 => self.applied("Box", &Ty::Tuple(vec![Ty::Int, Ty::Int]), depth),
                _ => self.applied("Deep", ty, depth),
            },
            Ty::Option(elem) => {
                if self.below(2) == 0 {
                    plain("NONE")
                } else {
                    self.applied("SOME", elem, depth)
                }
            }
            Ty::Tree(elem) => {
                if self.below(2) == 0 {
                    return plain("Leaf");
                }
                self.applied("Node", &Ty::Tuple(vec![ty.clone(), (**elem).clone(), ty.clone()]), depth)
            }
            Ty::Tuple(tys) => {
                let (mut parts, mut names) = (Vec::new(), Vec::new());
                for ty in tys {
                    let (part, more) = self.pattern(ty, depth - 1);
                    parts.push(part);
                    names.extend(more);
                }
                let text = format!("({})", parts.join(", "));
                if self.below(5) == 0 {
                    let name = self.name();
                    names.push((name.clone(), ty.clone()));
                    return (format!("({name} as {text})"), names);
                }
                (text, names)
            }
            Ty::List(elem) => {
                if self.below(2) == 0 {
                    return plain("nil");
                }
                let (head, mut names) = self.pattern(elem, depth - 1);
                let (tail, more) = self.pattern(ty, depth - 1);
                names.extend(more);
                (format!("({head} :: {tail})"), names)
            }
        }
    }

    fn applied(&mut self, con: &str, arg: &Ty, depth: u32) -> (String, Vec<(String, Ty)>) {
        let (text, names) = self.pattern(arg, depth - 1);
        (format!("({con} {text})"), names)
    }

    /// The value of a variable as a string.
    fn show(&mut self, ty: &Ty, x: &str) -> String {
        match ty {
            Ty::Int => format!("itos {x}"),
            Ty::Bool => format!("showBool {x}"),
            Ty::Str => x.to_string(),
            Ty::Unit => format!("(let val () = {x} in \"u\" end)"),
            Ty::Shape => format!("showShape {x}"),
            Ty::Color => format!("showColor {x}"),
            Ty::Fun(from, to) => {
                let (arg, y) = (self.simple(from), self.name());
                let shown = self.show(to, &y);
                format!("(let val {y} = {x} ({arg}) in {shown} end)")
            }
            Ty::Tuple(tys) => {
                let names: Vec<String> = tys.iter().map(|_| self.name()).collect();
                let shown: Vec<String> = tys.iter().zip(&names).map(|(ty, name)| self.show(ty, name)).collect();
                format!("(let val ({}) = {x} in {} end)", names.join(", "), shown.join(" ^ \",\" ^ "))
            }
            Ty::List(elem) | Ty::Option(elem) | Ty::Tree(elem) => {
                let y = self.name();
                let shown = self.show(elem, &y);
                let function = match ty {
                    Ty::List(_) => "showList",
                    Ty::Option(_) => "showOption",
                    _ => "showTree",
                };
                format!("{function} (fn {y} => {shown}) {x}")
            }
        }
    }
}

fn irrefutable(ty: &Ty) -> bool {
    match ty {
        Ty::Unit | Ty::Fun(..) => true,
        Ty::Tuple(tys) => tys.iter().all(irrefutable),
        _ => false,
    }
}

fn has_function(ty: &Ty) -> bool {
    match ty {
        Ty::Fun(..) => true,
        Ty::Tuple(tys) => tys.iter().any(has_function),
        Ty::List(elem) | Ty::Option(elem) | Ty::Tree(elem) => has_function(elem),
        _ => false,
    }
}
