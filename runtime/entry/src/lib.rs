//! Program start, primitives called by compiled code, exceptions; joins fiber, io and memory.
