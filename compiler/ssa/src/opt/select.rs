//! Branches around cheap pure operations become selections. In work by `ssa-loops`.
