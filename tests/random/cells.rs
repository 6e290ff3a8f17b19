//! Random programs of cells and handlers: a seed -> the text of a Standard ML program that ends and prints what it
//! computed.
//!
//! What a handler finds in a cell is what was stored before the exception: by which statement, in which loop, under
//! which handler, in a function that was inlined or called. Each function has some local references and an array, and
//! is made of assignments, handlers in handlers, loops of both kinds and raises; all that it computes goes through the
//! cells. (A cell that was stored into under a handler had its old content in the handler around it:
//! `tests/lang/ref-in-inner-handler.sml`. The programs of the generator beside have few cells that live on one side of
//! a handler and on the other, for they compute with values.)

use leat_random::Random;
use std::fmt::Write as _;

struct Cells {
    random: Random,
    /// Integers, cells that may be stored into, and arrays in scope.
    numbers: Vec<String>,
    cells: Vec<String>,
    arrays: Vec<String>,
    /// How many functions there are, of `int * int list -> int`.
    made: usize,
    names: usize,
    /// How many more nodes the function may have.
    budget: usize,
}

const PRELUDE: &str = r#"
exception Carry of int
exception Fuel
val zero = length (CommandLine.arguments ())
val fuel = ref 0
fun tick () = if !fuel <= 0 then raise Fuel else fuel := !fuel - 1
fun small n = n mod 1009
val log = ref 0
fun note n = log := (!log * 31 + small n) mod 1000003
val held = ref ([] : int list)
"#;

/// The program of a seed.
pub fn program(seed: u64) -> String {
    let mut program = Cells {
        random: Random::new(seed),
        numbers: Vec::new(),
        cells: Vec::new(),
        arrays: Vec::new(),
        made: 0,
        names: 0,
        budget: 0,
    };
    let mut text = String::from(PRELUDE);
    for _ in 0..2 + program.random.below(4) {
        program.function(&mut text);
    }
    for f in 0..program.made {
        let _ = writeln!(
            text,
            "val () = app (fn (x, l) => (fuel := 200; note (f{f} (x, l) handle Carry n => n + 1 | Div => 2 | _ => 3); \
             print (\"@{f} \" ^ Int.toString (!log) ^ \"\\n\")))\n  \
             [(zero, []), (zero + 3, [zero, 2, 0, 5]), (zero - 2, [1, zero + 1]), (zero + 9, [4, 4, zero, 1, 7])]"
        );
    }
    text + "val () = print \"@end\\n\"\n"
}

impl Cells {
    fn function(&mut self, text: &mut String) {
        self.budget = 8 + self.random.below(50);
        self.numbers = vec!["x".into()];
        let mut locals = String::new();
        for _ in 0..1 + self.random.below(3) {
            let (cell, first) = (self.name("c"), self.leaf());
            let _ = write!(locals, "val {cell} = ref ({first}) ");
            self.cells.push(cell);
        }
        if self.random.one_in(2) {
            let (array, first) = (self.name("a"), self.leaf());
            let _ = write!(locals, "val {array} = Array.array (3, {first}) ");
            self.arrays.push(array);
        }
        let (body, result) = (self.statements(4), self.number(2));
        let mut all = format!("({body}; {result})");
        if !self.random.one_in(4) {
            // All that was stored counts.
            let found = self.cells.iter().fold("x".to_string(), |sum, cell| format!("small ({sum} * 3 + !{cell})"));
            all += &format!(" handle {}", self.rules(|_| found.clone()));
        }
        let _ = writeln!(text, "fun f{} (x, l) = (tick (); let {locals} in {all} end)", self.made);
        self.made += 1;
        (self.cells, self.arrays) = (Vec::new(), Vec::new());
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    fn cell(&mut self) -> String {
        self.random.pick(&self.cells).clone()
    }

    /// A number without an effect.
    fn leaf(&mut self) -> String {
        match self.random.below(4) {
            0 => self.random.below(7).to_string(),
            1 if !self.cells.is_empty() => format!("!{}", self.cell()),
            2 => "length l".into(),
            _ => self.random.pick(&self.numbers).clone(),
        }
    }

    fn number(&mut self, depth: usize) -> String {
        if depth == 0 || self.budget == 0 {
            return self.leaf();
        }
        self.budget -= 1;
        match self.random.below(12) {
            0 | 1 => format!("!{}", self.cell()),
            2 => format!("small ({} + {})", self.number(depth - 1), self.number(depth - 1)),
            3 => format!("({} div {})", self.number(depth - 1), self.leaf()),
            4 => format!("List.nth (l, {})", self.leaf()),
            5 if !self.arrays.is_empty() => {
                format!("Array.sub ({}, {})", self.random.pick(&self.arrays).clone(), self.leaf())
            }
            6 => format!("(if {} then {} else {})", self.test(), self.number(depth - 1), self.number(depth - 1)),
            7 => format!("({} handle {})", self.number(depth - 1), self.rules(|cells| cells.number(depth - 1))),
            8 if self.made > 0 => {
                let f = self.random.below(self.made);
                format!("f{f} ({}, {})", self.number(depth - 1), self.random.pick(&["l", "tl l", "[x]"]))
            }
            9 => format!("({}; {})", self.statement(depth - 1), self.number(depth - 1)),
            _ => self.leaf(),
        }
    }

    fn test(&mut self) -> String {
        format!("{} {} {}", self.leaf(), self.random.pick(&["<", "=", ">=", "<>"]), self.leaf())
    }

    /// What handles some exceptions, or all.
    fn rules(&mut self, mut rhs: impl FnMut(&mut Cells) -> String) -> String {
        let name = self.name("n");
        match self.random.below(4) {
            0 => format!("_ => {}", rhs(self)),
            1 => format!("Div => {} | Subscript => {}", rhs(self), rhs(self)),
            2 => {
                self.numbers.push(name.clone());
                let first = rhs(self);
                self.numbers.pop();
                format!("Carry {name} => {first}")
            }
            _ => {
                self.numbers.push(name.clone());
                let first = rhs(self);
                self.numbers.pop();
                format!("Carry {name} => {first} | Fuel => raise Fuel | _ => {}", rhs(self))
            }
        }
    }

    fn statements(&mut self, depth: usize) -> String {
        let all: Vec<String> = (0..1 + self.random.below(4)).map(|_| self.statement(depth)).collect();
        format!("({})", all.join("; "))
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 || self.budget == 0 {
            return format!("{} := {}", self.cell(), self.leaf());
        }
        self.budget -= 1;
        match self.random.below(15) {
            0 => format!("if {} then {} else {}", self.test(), self.statements(depth - 1), self.statement(depth - 1)),
            1..=3 => format!("({} handle {})", self.statements(depth - 1), self.rules(|c| c.statement(depth - 1))),
            4 => format!("if {} then raise Carry ({}) else ()", self.test(), self.leaf()),
            5 => {
                let y = self.name("y");
                self.numbers.push(y.clone());
                let body = self.statements(depth - 1);
                self.numbers.pop();
                match self.random.below(2) {
                    0 => format!("app (fn {y} => {body}) l"),
                    _ => format!("let fun go [] = () | go ({y} :: rest) = ({body}; go rest) in go l end"),
                }
            }
            6 => {
                let counter = self.name("k");
                self.numbers.push(format!("!{counter}"));
                let body = self.statements(depth - 1);
                self.numbers.pop();
                format!(
                    "let val {counter} = ref 0 in while !{counter} < {} do ({counter} := !{counter} + 1; {body}) end",
                    1 + self.random.below(3)
                )
            }
            7 => {
                let (cell, first) = (self.name("c"), self.number(depth - 1));
                self.cells.push(cell.clone());
                let body = self.statements(depth - 1);
                self.cells.pop();
                format!("let val {cell} = ref ({first}) in {body} end")
            }
            8 if !self.arrays.is_empty() => {
                let array = self.random.pick(&self.arrays).clone();
                format!("Array.update ({array}, {}, {})", self.leaf(), self.number(depth - 1))
            }
            9 => format!("(({} := {}) handle _ => ())", self.cell(), self.number(2)),
            11 => format!("note ({})", self.number(depth - 1)),
            10 => format!("held := [{}, {}]", self.leaf(), self.number(depth - 1)),
            _ => format!("{} := {}", self.cell(), self.number(depth)),
        }
    }
}
