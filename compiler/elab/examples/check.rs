//! Elaborates files, each by itself on the library, and prints what is said: `check [-q] file.sml ...`.
//! `-q` prints one line a file. The library's sources are read from the tree.

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::SourceMap;
use std::time::Instant;

fn main() {
    std::thread::Builder::new().stack_size(1 << 30).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let mut quiet = false;
    let mut verify = true;
    let files: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| {
            quiet |= a == "-q";
            verify &= a != "--no-verify";
            !a.starts_with('-')
        })
        .collect();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/basis");
    let mut sources = SourceMap::new();
    let mut tables = leat_elab::Tables::default();
    let mut basis = leat_elab::initial_basis(&mut tables);
    let mut fixity = FixityEnv::basis();
    let start = Instant::now();
    for line in std::fs::read_to_string(folder.join("basis.list")).unwrap().lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let text = std::fs::read_to_string(folder.join(line)).unwrap();
        let file = sources.add(line, &text);
        let (program, errors) = leat_ast::parse(file, &text, &ParseOptions { allow_prim: true }, &mut fixity);
        let out = leat_elab::elaborate(&program, &basis, &mut tables, &Default::default());
        print!(
            "{}{}",
            leat_base::render(&errors, &sources, false),
            leat_base::render(&out.diagnostics, &sources, false)
        );
        basis = out.basis;
    }
    println!("library: {:?}, {} types, {} variables", start.elapsed(), tables.types.len(), tables.vars.len());
    let basis = basis.without_names_ending_in_prime();
    for name in files {
        let text = leat_ast::decode(std::fs::read(&name).unwrap());
        let file = sources.add(&name, &text);
        let mut tables = tables.clone();
        let mut fixity = FixityEnv::basis();
        let start = Instant::now();
        let (program, mut all) = leat_ast::parse(file, &text, &ParseOptions { allow_prim: false }, &mut fixity);
        let parsed = start.elapsed();
        let start = Instant::now();
        let out = leat_elab::elaborate(&program, &basis, &mut tables, &Default::default());
        let elaborated = start.elapsed();
        all.extend(out.diagnostics);
        let errors = all.iter().filter(|d| d.is_error()).count();
        if quiet {
            let first = all.iter().find(|d| d.is_error());
            let first = first.map_or(String::new(), |d| format!("{}: {}", sources.describe(d.span), d.message));
            println!("{name}: {errors} errors {first}");
        } else {
            print!("{}", leat_base::render(&all, &sources, false));
            println!("{name}: parse {parsed:?}, elaborate {elaborated:?}");
        }
        if errors == 0
            && verify
            && let Err(message) = leat_elab::verify::verify(&out.decs, &tables)
        {
            println!("{name}: BROKEN {message}");
        }
    }
}
