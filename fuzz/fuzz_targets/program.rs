//! Text -> tokens -> Ast -> types -> Lambda -> Mono -> Ssa, optimised.
#![no_main]

use leat_fuzz::{Job, compile};

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    compile(Job::Text(leat_ast::decode(bytes.to_vec())));
});
