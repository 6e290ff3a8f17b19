//! Text to running program, top to bottom.
