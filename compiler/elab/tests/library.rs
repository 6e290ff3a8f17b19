//! The sources of the library elaborate without errors, and verify.

mod common;

use std::collections::BTreeSet;
use std::path::Path;

use leat_abi::prim::Prim;
use leat_abi::signature::{Name, Type};

#[test]
fn library() {
    std::thread::Builder::new().stack_size(256 << 20).spawn(run).unwrap().join().unwrap();
}

fn run() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/basis");
    let list = std::fs::read_to_string(folder.join("basis.list")).unwrap();
    let mut session = common::Session::new();
    let mut errors = String::new();
    for line in list.lines().filter(|l| !l.is_empty() && !l.starts_with('#')) {
        let text = std::fs::read_to_string(folder.join(line)).unwrap();
        let out = session.unit(line, &text);
        if leat_base::diagnostic::has_errors(&out.diagnostics) {
            errors.push_str(&session.render(&out.diagnostics));
        }
    }
    assert!(errors.is_empty(), "{errors}");
    assert_eq!(session.type_of("List.foldl"), "('a * 'b -> 'b) -> 'b -> 'a list -> 'b");
}

/// Each declaration of `lib/prim`, one after the other, with another type written by hand: an error at the place, which
/// says the right one. A wrong type was a crash of the compiled program once.
#[test]
fn a_primitive_with_another_type_is_an_error_with_a_place() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lib/prim");
    let mut declared = BTreeSet::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        for declaration in text.split("_prim \"").skip(1) {
            let (name, ty) = declaration.split_once("\" :").unwrap();
            let ty = ty.trim_start().lines().next().unwrap();
            declared.insert(name.to_string());
            // What is at home with any type is checked by Mono's verifier, for each instance.
            if ty == "'a -> 'b" {
                continue;
            }
            let signature = Prim::by_name(name).unwrap().signature();
            let mut wrong = Vec::new();
            if !matches!(signature.args[..], [Type::Var(_)]) {
                wrong.extend(["exn list -> exn list".to_string(), format!("int * {ty}")]);
            }
            if !matches!(signature.result, Type::Var(_) | Type::Name(Name::Never | Name::Integer)) {
                wrong.push(format!("{ty} list"));
            }
            assert!(!wrong.is_empty() || name.starts_with("cont_"), "{name}");
            for wrong in wrong {
                let wrong = format!("val it = _prim \"{name}\" : {wrong}\n");
                let mut session = common::Session::new();
                let out = session.unit("wrong.sml", &wrong);
                let message = session.render(&out.diagnostics);
                let right = Prim::by_name(name).unwrap().ty();
                assert!(message.contains("error[prim/type]") && message.contains("wrong.sml:1:10"), "{wrong}{message}");
                assert!(message.contains(&format!("it is {right}")), "{wrong}{message}");
            }
        }
    }
    // Those that only the compiler makes are not the library's.
    let own = |prim: &Prim| {
        prim.chapter() == "compiler"
            || matches!(prim, Prim::Access | Prim::ExnKeep | Prim::ExnNote | Prim::OutDue | Prim::OutSettle)
            || prim.name().ends_with("_rounded")
    };
    let expected: BTreeSet<String> = Prim::all().filter(|p| !own(p)).map(|p| p.name().to_string()).collect();
    assert_eq!(declared, expected, "lib/prim and the table differ");
}
