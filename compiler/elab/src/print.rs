//! Core as text, for `--dump=core` and for tests.
pub fn x() {}
