//! Programs whose raises are at known lines: a seed -> the text, and for each of its threads the calls that are not
//! over when it raises. What a report names must be of these, the raise first; only callers in tail calls may be
//! missing.
//!
//! On the way to a raise stands what the optimiser inlines, joins and moves: functions with conditions, handlers that
//! raise again, loops, local functions that are called in several places, curried ones, those of functors. All tests
//! depend on `k`, which is 0, and of which the compiler knows nothing.

use leat_random::Random;

/// A call, or the raise.
#[derive(Clone, Debug)]
pub struct Frame {
    function: String,
    /// Its line, and those where the expressions around it begin: see `compiler/ssa/src/from_mono/calls.rs`.
    lines: Vec<usize>,
    tail: bool,
    /// Its handler raises again: a report begins there or, if nothing was called in between, further in.
    again: bool,
}

#[derive(Default)]
pub struct Program {
    pub text: String,
    /// By thread: innermost first.
    pub stacks: Vec<Vec<Frame>>,
}

const PRELUDE: &str = r#"val k = ref (length (CommandLine.arguments ()))
exception Own of int
exception Bare
datatype shape = Dot | Line of int | Box of int * int
fun set f = if !k > 2 then () else k := f ()
fun careful n = if n > 1000 then raise Fail "careful" else n + 1
fun quiet n = (if n > 2000 then raise Subscript else n * 2) handle Subscript => 5
fun twice g x = g x + g (x + 1)
fun shapeOf n = if n = 0 then Dot else if n < 5 then Line n else Box (n, n)
functor Wrap (val limit : int) =
struct
  fun check n = if n > limit then raise Own n else n
  fun tell n = (if n > limit + 1000 then print "large" else (); n)
end
structure W = Wrap (val limit = 100000)
"#;

/// Values and statements that raise nothing.
const VALUES: &[&str] = &[
    "x + 3",
    "careful x",
    "quiet x",
    "W.check x",
    "W.tell x",
    "twice careful x",
    "(if x > 77777 then raise Bare else x)",
    "(case shapeOf x of Dot => 1 | Line n => n | Box (a, b) => a + b)",
    "(x before set (fn () => !k))",
    "x div (!k + 1)",
    "(x handle Overflow => 3)",
    "size (Int.toString x)",
];
const STATEMENTS: &[&str] = &[
    "print \"\"",
    "set (fn () => !k)",
    "ignore (careful x)",
    "ignore (W.tell x)",
    "OS.Process.atExit (fn () => ())",
    "(if x > 99999 then raise Fail \"no\" else ())",
    "ignore (twice quiet x)",
    "app (fn i => k := !k + i - i) [x]",
];
const EXCEPTIONS: &[&str] = &["Fail \"m\"", "Subscript", "Own 3", "Bare", "Div", "Own (!k + 2)"];

struct Writer {
    random: Random,
    lines: Vec<String>,
    names: usize,
    /// The functions of this thread, and what they call.
    known: Vec<(String, Vec<Frame>)>,
}

/// Where an expression is written.
#[derive(Clone)]
struct Place {
    function: String,
    /// Where the expressions around it begin.
    around: Vec<usize>,
    tail: bool,
    budget: usize,
}

impl Place {
    fn frame(&self, line: usize) -> Frame {
        let lines = self.around.iter().copied().chain([line]).collect();
        Frame { function: self.function.clone(), lines, tail: self.tail, again: false }
    }

    /// The raise itself.
    fn raise(&self, line: usize) -> Vec<Frame> {
        vec![Frame { function: self.function.clone(), lines: vec![line], tail: self.tail, again: false }]
    }

    fn body_of(&self, function: String) -> Place {
        Place { function, around: Vec::new(), tail: true, budget: self.budget.saturating_sub(1) }
    }
}

/// The program of a seed, with so many threads that raise, one after the other.
pub fn program(seed: u64, threads: usize) -> Program {
    let lines = PRELUDE.lines().map(String::from).collect();
    let mut writer = Writer { random: Random::new(seed), lines, names: 0, known: Vec::new() };
    let stacks = (0..threads).map(|thread| writer.thread(thread)).collect();
    for thread in 0..threads {
        writer.line(&format!("val () = CML.sync (CML.joinEvt (CML.spawn (fn () => c{thread} ())))"));
    }
    Program { text: writer.lines.join("\n") + "\n", stacks }
}

impl Writer {
    /// Adds a line; answers its number.
    fn line(&mut self, text: &str) -> usize {
        self.lines.push(text.into());
        self.lines.len()
    }

    fn fresh(&mut self, name: &str) -> String {
        self.names += 1;
        format!("{name}{}", self.names)
    }

    fn pick(&mut self, items: &[&'static str]) -> &'static str {
        items[self.random.below(items.len())]
    }

    fn thread(&mut self, thread: usize) -> Vec<Frame> {
        self.known.clear();
        for i in 0..1 + self.random.below(3) {
            let name = format!("f{thread}x{i}");
            let in_functor = self.random.one_in(4);
            if in_functor {
                self.line(&format!("functor F{name} (val z : int) = struct"));
            }
            self.line(&format!("fun {name} x y ="));
            let (function, called) = match in_functor {
                true => (format!("F{name}.{name}"), format!("S{name}.{name}")),
                false => (name.clone(), name.clone()),
            };
            let budget = self.random.below(5);
            let stack = self.raising(&Place { function, around: Vec::new(), tail: true, budget });
            if in_functor {
                self.line(&format!("end structure S{name} = F{name} (val z = 0)"));
            }
            self.known.push((called, stack));
        }
        self.line(&format!("fun c{thread} () = let val x = !k + 5 in print (Int.toString ("));
        let around = vec![self.lines.len()];
        let budget = 1 + self.random.below(4);
        let stack = self.raising(&Place { function: format!("c{thread}"), around, tail: false, budget });
        self.line(")) end");
        stack
    }

    /// An arm that is not taken.
    fn cold(&mut self) {
        let (value, statement, exn) = (self.pick(VALUES), self.pick(STATEMENTS), self.pick(EXCEPTIONS));
        let known = self.known.last().map(|(name, _)| format!("({name} x 3)"));
        let text = match (self.random.below(4), known) {
            (0, _) => format!("(raise {exn})"),
            (1, _) => format!("({statement}; raise {exn})"),
            (2, Some(call)) => call,
            _ => format!("({value})"),
        };
        self.line(&text);
    }

    /// An expression that raises, of an integer's type, where `x` and `k` are known; what is not over then.
    fn raising(&mut self, place: &Place) -> Vec<Frame> {
        let here = self.lines.len() + 1;
        let kinds = if place.budget == 0 { 5 } else { 17 };
        let mut inner = Place { budget: place.budget.saturating_sub(1), ..place.clone() };
        inner.around.push(here);
        let middle = Place { tail: false, ..inner.clone() };
        let (value, statement, exn) = (self.pick(VALUES), self.pick(STATEMENTS), self.pick(EXCEPTIONS));
        match self.random.below(kinds) {
            kind @ 0..3 if !self.known.is_empty() => {
                let (name, mut stack) = self.known[self.random.below(self.known.len())].clone();
                let line = self.line(&format!("({name} {} 2)", ["x", "(x + 1)", "(!k + 3)"][kind]));
                stack.push(inner.frame(line));
                stack
            }
            0..3 => {
                self.line("(raise");
                self.line(&format!("{exn})"));
                place.raise(here)
            }
            3 => {
                self.line("(1 div (!k - !k))");
                place.raise(here)
            }
            4 => {
                self.line(&format!("(raise {exn})"));
                place.raise(here)
            }
            5 => {
                self.line("(if x < 50000 then");
                let stack = self.raising(&inner);
                self.line("else");
                self.cold();
                self.line(")");
                stack
            }
            6 => {
                self.line("(if x > 60000 then");
                self.cold();
                self.line("else");
                let stack = self.raising(&inner);
                self.line(")");
                stack
            }
            7 | 8 => {
                self.line(&format!("({statement};"));
                let stack = self.raising(&inner);
                self.line(")");
                stack
            }
            9 => {
                self.line(&format!("let val v = {value} val () = {statement} in"));
                let stack = self.raising(&inner);
                self.line("end");
                stack
            }
            10 => {
                self.line("(");
                let stack = self.raising(&middle);
                self.line(&format!("handle Empty => 3 | e => ({statement};"));
                let line = self.line("raise e))");
                raised_again(stack, line)
            }
            11 => {
                // The exception goes on, or is raised again where what is guarded begins.
                self.line("(case 1 of _ => 1 +");
                let line = self.lines.len() + 1;
                let guarded = Place { around: vec![line], ..middle };
                self.line("(careful x +");
                let stack = self.raising(&guarded);
                self.line("handle Empty => 3))");
                raised_again(stack, line)
            }
            12 => {
                self.line(&format!("({value} before ignore ("));
                let stack = self.raising(&middle);
                self.line("))");
                stack
            }
            13 => {
                let taken = self.random.below(3);
                self.line(&format!("(case shapeOf (!k + {}) of", [0, 2, 9][taken]));
                let mut stack = Vec::new();
                for (i, pattern) in ["Dot =>", "| Line n =>", "| Box (p, q) =>"].into_iter().enumerate() {
                    self.line(pattern);
                    if i == taken {
                        stack = self.raising(&inner);
                    } else {
                        self.cold();
                    }
                }
                self.line(")");
                stack
            }
            14 => {
                let (name, tail) = (self.fresh("loop"), self.random.one_in(2));
                let rounds = 1 + self.random.below(3);
                self.line(&format!("let fun {name} i ="));
                let mut body = place.body_of(format!("{}.{name}", place.function));
                self.line(&format!("if i < {rounds} then"));
                body.around.push(self.lines.len());
                let more = if tail { "" } else { "1 + " };
                let step = self.line(&format!("{more}{name} (i + 1)"));
                self.line("else");
                let mut stack = self.raising(&body);
                self.line("in");
                let line = self.line(&format!("{}{name} 0 end", if place.tail { "" } else { "1 + " }));
                let step = Place { tail, ..body }.frame(step);
                stack.extend(std::iter::repeat_n(step, rounds));
                stack.push(inner.frame(line));
                stack
            }
            15 => {
                self.line(&format!("let val e = if x < 70000 then {exn} else Match val () = {statement} in"));
                self.line(&format!("({statement};"));
                let line = self.line("raise e) end");
                place.raise(line)
            }
            _ => {
                let (name, taken) = (self.fresh("shared"), self.random.below(3));
                self.line(&format!("let fun {name} x ="));
                let mut stack = self.raising(&place.body_of(format!("{}.{name}", place.function)));
                self.line("in");
                let first = self.lines.len() + 1;
                let mut calls = Vec::new();
                for (i, test) in ["if x", "else if x"].into_iter().enumerate() {
                    let sign = if i == taken { "<" } else { ">" };
                    self.line(&format!("{test} {sign} {} then", 60000 - i));
                    calls.push(self.line(&format!("{name} (x + {i})")));
                }
                self.line("else");
                calls.push(self.line(&format!("{name} (!k + 1)")));
                self.line("end");
                inner.around.extend([first, first + 2]);
                stack.push(inner.frame(calls[taken]));
                stack
            }
        }
    }
}

/// The outermost of these calls, or the raise, is in a handler's scope, and the handler raises again, at this line.
fn raised_again(mut stack: Vec<Frame>, line: usize) -> Vec<Frame> {
    let guarded = stack.last_mut().expect("the raise or a call");
    guarded.lines.push(line);
    guarded.again = true;
    stack
}

/// What is wrong with what a report names: functions and lines, innermost first.
pub fn mistake(report: &[(String, usize)], stack: &[Frame]) -> Option<String> {
    let is = |(function, line): &(String, usize), frame: &Frame| {
        function.rsplit('.').next() == frame.function.rsplit('.').next() && frame.lines.contains(line)
    };
    let begins = |&(at, frame): &(usize, &Frame)| {
        (at == 0 || frame.again) && report.first().is_some_and(|first| is(first, frame))
    };
    let Some((start, _)) = stack.iter().enumerate().find(begins) else {
        return Some(format!("the raise is {:?}", stack[0]));
    };
    let mut rest = stack[start..].iter();
    let mut missing = |named: Option<&(String, usize)>| {
        for frame in rest.by_ref() {
            if named.is_some_and(|named| is(named, frame)) {
                return None;
            }
            if !frame.tail {
                return Some(format!("before {named:?} stands no {frame:?}"));
            }
        }
        named.map(|named| format!("{named:?} has not been called"))
    };
    report.iter().find_map(|named| missing(Some(named))).or_else(|| missing(None))
}
