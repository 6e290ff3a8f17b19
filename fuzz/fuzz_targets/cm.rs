//! CM files: text -> what it names, compiled.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| leat_fuzz::compile_description("input.cm", bytes));
