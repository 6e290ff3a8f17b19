//! Source files, spans, diagnostics, interned names, u32 arenas, pretty printer.
