//! Loop-invariant code motion. In work by `ssa-loops`.
