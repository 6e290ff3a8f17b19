//! The sources of the library elaborate without errors, and verify.

mod common;

use std::path::Path;

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
