//! Source text -> tokens -> Ast.
