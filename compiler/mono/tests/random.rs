//! Random programs print the same as they are and optimised, and keep the invariants after each pass.

mod common;

#[test]
fn random_programs_mean_the_same_after_each_pass() {
    for seed in 1..=80 {
        let text = common::random::program(seed);
        assert!(common::run_deep(&text).is_some(), "seed {seed}:\n{text}");
    }
}
