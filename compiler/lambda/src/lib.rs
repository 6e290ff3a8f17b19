//! Core -> Lambda: match compilation; nested patterns are gone.
