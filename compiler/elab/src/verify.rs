//! Checks of Core.
