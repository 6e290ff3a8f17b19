//! Clock, timers, pollers, I/O manager.
