//! Tight loops are unrolled so that several iterations share a poll. In work by `ssa-loops`.
