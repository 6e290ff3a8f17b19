//! Texts through all stages up to Mono, verified after each, run by the interpreter as they are and optimised.

#![allow(dead_code)] // each test file uses its part

pub mod random;

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::SourceMap;
use leat_elab::Tables;
use leat_lambda::ir::TopDec;
use leat_mono::interp::{self, Ended};
use leat_mono::ir::Program;

/// Primitives by their usual names, and a few functions; enough for the programs here.
pub const PRELUDE: &str = r#"
val print = _prim "print" : string -> unit
val op ^ = _prim "string_concat" : string * string -> string
val itos = _prim "int_to_string" : int -> string
val op ! = _prim "ref_get" : 'a ref -> 'a
val op := = _prim "ref_set" : 'a ref * 'a -> unit
val length = _prim "array_length" : 'a array -> int
val sub = _prim "array_sub" : 'a array * int -> 'a
val update = _prim "array_update" : 'a array * int * 'a -> unit
val array = _prim "array_new" : int * 'a -> 'a array
val vsub = _prim "vector_sub" : 'a vector * int -> 'a
val exit = _prim "exit" : int -> 'a
datatype 'a option = NONE | SOME of 'a
fun map f nil = nil | map f (x :: xs) = f x :: map f xs
fun app f nil = () | app f (x :: xs) = (f x; app f xs)
fun rev l = let fun go (nil, a) = a | go (x :: xs, a) = go (xs, x :: a) in go (l, nil) end
fun not true = false | not false = true
fun btos true = "true" | btos false = "false"
fun say s = print (s ^ "\n")
fun sayi n = say (itos n)
fun sayb b = say (btos b)
"#;

struct Front {
    sources: SourceMap,
    tables: Tables,
    basis: leat_elab::Basis,
    fixity: FixityEnv,
}

impl Front {
    fn new() -> Front {
        let mut tables = Tables::default();
        let basis = leat_elab::initial_basis(&mut tables);
        Front { sources: SourceMap::new(), tables, basis, fixity: FixityEnv::basis() }
    }

    /// Declarations of a text, and the warnings.
    fn lower(&mut self, name: &str, text: &str, library: bool) -> (Vec<TopDec>, String) {
        let file = self.sources.add(name, text);
        let (program, errors) = leat_ast::parse(file, text, &ParseOptions { allow_prim: true }, &mut self.fixity);
        let elaborated = leat_elab::elaborate(&program, &self.basis, &mut self.tables, &leat_elab::Options::default());
        let all: Vec<_> = errors.into_iter().chain(elaborated.diagnostics).collect();
        assert!(
            !leat_base::diagnostic::has_errors(&all),
            "{name}: {}",
            leat_base::diagnostic::render_short(&all, &self.sources)
        );
        self.basis = elaborated.basis;
        let (lambda, warnings) =
            leat_lambda::lower(elaborated.decs, &mut self.tables, leat_lambda::Options { library });
        if let Err(error) = leat_lambda::verify::verify(lambda.decs.iter(), &self.tables) {
            panic!("{name}: {error}\n{}", leat_lambda::print::print(lambda.decs.iter(), &self.tables));
        }
        (lambda.decs, leat_base::diagnostic::render_short(&warnings, &self.sources))
    }
}

/// A text after the prelude, as it is; and the warnings.
fn lowered(text: &str) -> (Program, String) {
    let mut front = Front::new();
    let (prelude, _) = front.lower("prelude", PRELUDE, true);
    let bytes = leat_lambda::image::write(&leat_lambda::Lambda { decs: prelude });
    let image = leat_lambda::Image::open(&bytes).unwrap();
    let (program, warnings) = front.lower("test.sml", text, false);
    let needed = leat_lambda::reachable(Some(&image), &program).unwrap();
    let decs: Vec<&TopDec> = needed.decs().collect();
    let mono = leat_mono::from_lambda(&decs, &front.tables, &front.sources).unwrap();
    if let Err(error) = leat_mono::verify::verify(&mono, "from_lambda") {
        panic!(
            "{error}\n{}\n{}",
            leat_lambda::print::print(needed.decs(), &front.tables),
            leat_mono::print::print(&mono)
        );
    }
    (mono, warnings)
}

fn optimise(mono: &mut Program) {
    leat_mono::opt::run(mono, leat_mono::pass::Level::Full, &mut |pass, program| {
        if let Err(error) = leat_mono::verify::verify(program, pass) {
            panic!("{error}\n{}", leat_mono::print::print(program));
        }
    });
}

/// How large a text is with what it needs of the prelude, and optimised.
pub fn sizes(text: &str) -> (usize, usize) {
    let (mut mono, _) = lowered(text);
    let size = |mono: &Program| leat_mono::opt::copy::size(&mono.main, usize::MAX);
    let before = size(&mono);
    optimise(&mut mono);
    (before, size(&mono))
}

/// Runs a text after the prelude, as it is and optimised; gives the warnings too.
pub fn run(text: &str) -> (Ended, String) {
    let (mut mono, warnings) = lowered(text);
    let ended = match interp::run(&mono, &["first"], 100_000_000) {
        Ok(ended) => ended,
        Err(error) => panic!("{error}\n{}", leat_mono::print::print(&mono)),
    };
    optimise(&mut mono);
    match interp::run(&mono, &["first"], 100_000_000) {
        Ok(optimised) => assert_eq!(optimised, ended, "{}", leat_mono::print::print(&mono)),
        Err(error) => panic!("{error}\n{}", leat_mono::print::print(&mono)),
    }
    (ended, warnings)
}

/// On a thread with a large stack. Nothing when it fails: the panic says why.
pub fn run_deep(text: &str) -> Option<(Ended, String)> {
    let text = text.to_string();
    let thread = std::thread::Builder::new().stack_size(1 << 30).spawn(move || run(&text)).unwrap();
    thread.join().ok()
}
