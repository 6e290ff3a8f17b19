//! The end-to-end tests and their driver.
