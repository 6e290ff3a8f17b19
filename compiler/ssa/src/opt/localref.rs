//! Objects that do not escape become values. In work by `ssa-loops`.
