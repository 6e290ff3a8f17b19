//! Random programs of small steps: a seed -> the text of a Standard ML program that ends and prints what it computed.
//!
//! A value of a small datatype goes through functions that look at it, test this and that, and give another one:
//! `coded (without "length" (weakened h))`. Each is curried, most are called once or twice, and none is large; so the
//! optimiser makes one function of all, with cases whose values come out of cases in arms of cases. (A value that came
//! out of two of them was looked at three times: `tests/lang/case-in-an-arm.sml`. The programs of the generator beside
//! have few such chains, since what their functions take and give is any type.) Some functions take one as an argument,
//! are applied to a part of their arguments, or go round in a loop that gives its function on.

use leat_random::Random;
use std::fmt::Write as _;

/// Constructors with so many integers each.
struct Steps {
    random: Random,
    arities: Vec<usize>,
    /// How many functions there are of `int -> t -> t`, of `int -> t -> int option`, and of `int -> t -> bool`.
    made: [usize; 3],
    /// Names of integers and of values in scope.
    numbers: Vec<String>,
    values: Vec<String>,
    names: usize,
    /// How many more nodes the function may have.
    budget: usize,
}

const PRELUDE: &str = r#"
fun small n = n mod 1009
fun times n f v = if n <= 0 then v else times (n - 1) f (f v)
fun over f l v = case l of [] => v | x :: rest => over f rest (f x v)
fun both f g v = g (f v)
fun seek k l = let fun go [] = NONE | go (x :: rest) = if x mod 7 = k mod 7 then SOME x else go rest in go l end
"#;

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut random = Random::new(seed);
    let arities = (0..1 + random.below(3)).map(|_| random.below(4)).collect();
    let mut steps =
        Steps { random, arities, made: [0; 3], numbers: Vec::new(), values: Vec::new(), names: 0, budget: 0 };
    let mut text = String::from(PRELUDE);
    steps.datatype(&mut text);
    for _ in 0..4 + steps.random.below(8) {
        steps.function(&mut text);
    }
    steps.shown(&mut text);
    text
}

impl Steps {
    fn datatype(&mut self, text: &mut String) {
        let constructors: Vec<String> = (0..self.arities.len())
            .map(|i| match self.arities[i] {
                0 => format!("C{i}"),
                n => format!("C{i} of {}", vec!["int"; n].join(" * ")),
            })
            .collect();
        let rules: Vec<String> = (0..self.arities.len())
            .map(|i| {
                let parts: Vec<String> = (0..self.arities[i]).map(|j| format!("x{j}")).collect();
                format!("fields {} = [{}]", self.pattern(i, &parts), parts.join(", "))
            })
            .collect();
        let names: Vec<String> =
            (0..self.arities.len()).map(|i| format!("name {} = \"C{i}\"", self.pattern(i, &["_".into()]))).collect();
        let _ = writeln!(text, "datatype t = {}", constructors.join(" | "));
        let _ = writeln!(text, "fun {}\nfun {}", rules.join(" | "), names.join(" | "));
        text.push_str("fun show v = name v ^ concat (map (fn n => \" \" ^ Int.toString n) (fields v))\n");
    }

    /// The constructor of a number with these parts; one part, which is no variable, stands for all.
    fn pattern(&self, constructor: usize, parts: &[String]) -> String {
        match (self.arities[constructor], parts) {
            (0, _) => format!("C{constructor}"),
            (_, [one]) => format!("(C{constructor} {one})"),
            _ => format!("(C{constructor} ({}))", parts.join(", ")),
        }
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("v{}", self.names)
    }

    /// `fun fN k v`, `fun gN k v` or `fun pN k v`.
    fn function(&mut self, text: &mut String) {
        let kind = [0, 0, 0, 1, 2][self.random.below(5)];
        (self.numbers, self.values) = (vec!["k".into()], vec!["v".into()]);
        self.budget = 4 + self.random.below(16);
        let (name, body) = match kind {
            0 => ("f", self.value(4)),
            1 => ("g", self.option(3)),
            _ => ("p", self.test(3)),
        };
        let n = self.made[kind];
        // Half of them take their argument apart as it comes.
        let _ = if kind == 0 && self.arities.len() == 1 && self.random.one_in(2) {
            let parts: Vec<String> = (0..self.arities[0]).map(|_| self.fresh()).collect();
            let pattern = self.pattern(0, &parts);
            self.numbers.extend(parts);
            let made = self.constructed(0, 2);
            writeln!(text, "fun {name}{n} k {pattern} = {made}")
        } else {
            writeln!(text, "fun {name}{n} k v = {body}")
        };
        self.made[kind] += 1;
    }

    fn shown(&mut self, text: &mut String) {
        (self.numbers, self.values) = (vec!["i".into()], Vec::new());
        for line in 0..3 {
            self.budget = 6;
            self.values = vec!["v".into()];
            let all = self.value(3);
            let all = (0..self.made[0].min(4)).fold(all, |value, _| self.call(value));
            let starts: Vec<String> = (0..6)
                .map(|_| {
                    self.numbers.clear();
                    let constructor = self.random.below(self.arities.len());
                    self.constructed(constructor, 0)
                })
                .collect();
            self.numbers = vec!["i".into()];
            let _ = writeln!(
                text,
                "val () = ignore (foldl (fn (v, i) => (print (\"@{line} \" ^ show ({all}) ^ \"\\n\"); i + 1)) 0 [{}])",
                starts.join(", ")
            );
        }
        text.push_str("val () = print \"@end\\n\"\n");
    }

    /// A call of a function of values, if there is one.
    fn call(&mut self, value: String) -> String {
        if self.made[0] == 0 {
            return value;
        }
        let (step, count) = (self.step(), self.random.below(4));
        let n = self.random.below(self.made[0]);
        match self.random.below(12) {
            0 => format!("(times {count} {step} ({value}))"),
            1 => format!("(over f{n} (fields ({value})) ({value}))"),
            2 => format!("(both {step} {} ({value}))", self.step()),
            3 => format!("(let val w = {step} in w (w ({value})) end)"),
            4 => format!("(let fun go v = if size (show v) > {count} then {step} v else v in go ({value}) end)"),
            _ => format!("({step} ({value}))"),
        }
    }

    /// A function of values, where there is one: part of a call.
    fn step(&mut self) -> String {
        format!("(f{} ({}))", self.random.below(self.made[0]), self.number(1))
    }

    fn number(&mut self, depth: usize) -> String {
        match self.random.below(if depth == 0 { 3 } else { 5 }) {
            0 => self.random.below(12).to_string(),
            1 | 2 if !self.numbers.is_empty() => self.random.pick(&self.numbers).clone(),
            3 => format!("small ({} + {})", self.number(depth - 1), self.number(depth - 1)),
            4 => format!("small ({} * {})", self.number(depth - 1), self.number(depth - 1)),
            _ => self.random.below(100).to_string(),
        }
    }

    fn constructed(&mut self, constructor: usize, depth: usize) -> String {
        let parts: Vec<String> = (0..self.arities[constructor]).map(|_| self.number(depth)).collect();
        match parts.len() {
            0 => format!("C{constructor}"),
            _ => format!("(C{constructor} ({}))", parts.join(", ")),
        }
    }

    /// An expression of type `t`.
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 || self.budget == 0 {
            let constructor = self.random.below(self.arities.len());
            return match self.random.below(5) {
                0 | 1 => self.random.pick(&self.values).clone(),
                _ => self.constructed(constructor, 1),
            };
        }
        self.budget -= 1;
        let depth = depth - 1;
        match self.random.below(8) {
            0 | 1 => {
                let inner = self.value(depth);
                (0..1 + self.random.below(3)).fold(inner, |value, _| self.call(value))
            }
            2 | 3 => format!("(if {} then {} else {})", self.test(2), self.value(depth), self.value(depth)),
            4 => self.looked(depth, Self::value),
            5 => self.sought(depth, Self::value),
            6 => {
                let (name, bound) = (self.fresh(), self.value(depth));
                self.values.push(name.clone());
                let body = self.value(depth);
                self.values.pop();
                format!("(let val {name} = {bound} in {body} end)")
            }
            _ => {
                let constructor = self.random.below(self.arities.len());
                self.constructed(constructor, 2)
            }
        }
    }

    /// `case v of ...`: by constructors, with a rule for the others, or by one that is tested first.
    fn looked(&mut self, depth: usize, what: fn(&mut Self, usize) -> String) -> String {
        let scrutinee = self.value(depth.min(1));
        let all = self.arities.len();
        let first = if self.random.one_in(3) { self.random.below(all) } else { 0 };
        let mut rules = Vec::new();
        for constructor in first..all {
            let parts: Vec<String> = (0..self.arities[constructor]).map(|_| self.fresh()).collect();
            let pattern = self.pattern(constructor, &parts);
            let before = self.numbers.len();
            self.numbers.extend(parts);
            rules.push(format!("{pattern} => {}", what(self, depth)));
            self.numbers.truncate(before);
        }
        if first > 0 {
            rules.push(format!("_ => {}", what(self, depth)));
        }
        format!("(case {scrutinee} of {})", rules.join(" | "))
    }

    /// `case g k v of SOME n => ... | NONE => ...`
    fn sought(&mut self, depth: usize, what: fn(&mut Self, usize) -> String) -> String {
        let (option, name) = (self.option(1), self.fresh());
        self.numbers.push(name.clone());
        let some = what(self, depth);
        self.numbers.pop();
        format!("(case {option} of SOME {name} => {some} | NONE => {})", what(self, depth))
    }

    fn option(&mut self, depth: usize) -> String {
        let n = self.made[1];
        if depth > 0 && self.budget > 0 {
            self.budget -= 1;
            let depth = depth - 1;
            match self.random.below(5) {
                0 => return format!("(if {} then {} else {})", self.test(2), self.option(depth), self.option(depth)),
                1 => return self.looked(depth, Self::option),
                2 => return self.sought(depth, Self::option),
                _ => {}
            }
        }
        let number = self.number(1);
        match self.random.below(4) {
            0 => "NONE".into(),
            1 => format!("(SOME ({number}))"),
            2 if n > 0 => {
                let (g, value) = (self.random.below(n), self.value(depth.min(1)));
                format!("(g{g} ({number}) ({value}))")
            }
            _ => {
                let value = self.random.pick(&self.values).clone();
                format!("(seek ({number}) (fields {value}))")
            }
        }
    }

    fn test(&mut self, depth: usize) -> String {
        if depth > 0 {
            match self.random.below(6) {
                0 | 1 => return format!("({} andalso {})", self.test(depth - 1), self.test(depth - 1)),
                2 => return format!("({} orelse {})", self.test(depth - 1), self.test(depth - 1)),
                3 => return format!("(not {})", self.test(depth - 1)),
                4 if self.budget > 0 => {
                    self.budget -= 1;
                    return self.looked(depth - 1, Self::test);
                }
                _ => {}
            }
        }
        let (a, b) = (self.number(1), self.number(0));
        let value = self.random.pick(&self.values).clone();
        match self.random.below(5) {
            0 => format!("({a} < {b})"),
            1 => format!("({a} = {b})"),
            2 => format!("(String.isPrefix \"C0 {}\" (show {value}))", self.random.below(10)),
            3 if self.made[2] > 0 => format!("(p{} ({a}) {value})", self.random.below(self.made[2])),
            _ => format!("(isSome (seek ({a}) (fields {value})))"),
        }
    }
}
