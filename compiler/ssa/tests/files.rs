//! Passes on files: each `data/*/*.ssa` is run before and after its passes, and the result is compared with `*.out`.
//!
//! A file's head says `; passes: rotate, checks` and `; run: f0(1, 2) f0(3, 4)`. `LEAT_BLESS=1` rewrites the results.

use leat_ssa::interp;
use leat_ssa::ir::Func;
use leat_ssa::{parse, passes, print, verify};

fn head<'a>(text: &'a str, key: &str) -> &'a str {
    text.lines().find_map(|l| l.strip_prefix("; ")?.strip_prefix(key)).unwrap_or("").trim()
}

#[test]
fn files() {
    let dir = std::env::var("LEAT_DATA").unwrap_or(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data").into());
    let folders = std::fs::read_dir(dir).unwrap().map(|e| e.unwrap().path()).filter(|p| p.is_dir());
    let mut paths: Vec<_> = folders.flat_map(|d| std::fs::read_dir(d).unwrap()).map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "ssa"));
    paths.sort();
    let bless = std::env::var_os("LEAT_BLESS").is_some();
    let mut wrong = Vec::new();
    for path in paths {
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&path).unwrap();
        let before = parse::program(&text).unwrap_or_else(|e| panic!("{name}: {e}"));
        verify::verify(&before, "parse", false).unwrap_or_else(|e| panic!("{name}: {}", e[0]));
        let mut p = before.clone();
        for pass_name in head(&text, "passes:").split(", ") {
            passes::run_one(&mut p, pass_name);
            verify::verify(&p, pass_name, pass_name == "safepoint")
                .unwrap_or_else(|e| panic!("{name}: {}\n{}", e[0], print::program(&p)));
        }
        for call in head(&text, "run:").split(") ").filter(|c| !c.is_empty()) {
            let (func, args) = call.trim_end_matches(')').split_once('(').expect("f0(..)");
            let func = Func(func[1..].parse().unwrap());
            let args: Vec<u64> = args
                .split(", ")
                .filter(|a| !a.is_empty())
                .map(|a| a.parse::<i64>().expect("a number") as u64)
                .collect();
            let (x, y) = (interp::run(&before, func, &args, 1 << 20), interp::run(&p, func, &args, 1 << 21));
            assert_eq!((&x.end, &x.output), (&y.end, &y.output), "{name}: {call}\n{}", print::program(&p));
        }
        let out = print::program(&p);
        let expected = path.with_extension("out");
        if bless {
            std::fs::write(&expected, &out).unwrap();
        } else if std::fs::read_to_string(&expected).unwrap_or_default() != out {
            wrong.push(format!("{name}: not as in {}:\n{out}", expected.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
