//! Mono -> Ssa -> better Ssa: closure conversion, representation, optimisation.
