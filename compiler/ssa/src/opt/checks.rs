//! Checks: bounds and overflow guards that can never raise go; one iteration is peeled where that makes it provable.
//!
//! In work by `ssa-loops` (also licm, localref, unroll, select; rotate and repair stay as the ssa person wrote them).
