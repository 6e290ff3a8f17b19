//! Lambda -> Mono: every type closed, polymorphic equality made concrete.
