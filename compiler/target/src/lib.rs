//! Ssa -> Cranelift -> JIT or object file, stack maps, line tables.
