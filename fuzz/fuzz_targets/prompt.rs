//! What is typed at a prompt: text -> units, each compiled as a program.
#![no_main]

use leat_ast::units::{self, Next};
use leat_fuzz::{Job, compile, ready};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    ready();
    let text = leat_ast::decode(bytes.to_vec());
    let mut from = 0;
    while let Next::Unit(end) = units::next(&text, from) {
        assert!(end > from, "no progress at {from}");
        let unit = &text[from..end];
        let _ = units::used_file(unit);
        for request in units::requests(unit) {
            assert!(request.part.end <= unit.len() && request.part.start <= request.part.end);
        }
        compile(Job::Text(unit.to_string()));
        from = end;
    }
});
