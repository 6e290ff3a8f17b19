//! A seed -> random numbers, for the tests that make their cases. No part of `leat`.
//!
//! xorshift64*, after Marsaglia, Xorshift RNGs, 2003, and Vigna, An experimental exploration of Marsaglia's xorshift
//! generators, 2016. The numbers of a seed never change: some tests name seeds that once showed a mistake. That is why
//! this is no crate of the registry, whose sequences may change with a version.
//!
//! A test that fails says its seed: [`Random`] prints it when a panic drops it.

/// A generator that knows its seed.
#[derive(Debug)]
pub struct Random {
    seed: u64,
    state: u64,
}

impl Random {
    /// The generator of a seed. Seeds beside one another have nothing in common.
    pub fn new(seed: u64) -> Random {
        Random { seed, state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1 }
    }

    /// 64 random bits.
    pub fn word(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `n`; 0 where there is none.
    pub fn below(&mut self, n: usize) -> usize {
        self.below64(n as u64) as usize
    }

    /// [`Random::below`], of 64 bits.
    pub fn below64(&mut self, n: u64) -> u64 {
        // The high bits are the good ones.
        let word = if n <= 1 << 31 { self.word() >> 33 } else { self.word() };
        word % n.max(1)
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// One of the items, of which there is at least one.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

impl Drop for Random {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("the random numbers were those of the seed {}", self.seed);
        }
    }
}

/// A number that the environment may set: how many cases a test makes (`PROGRAMS=500`), or which ones (`SEED=7`).
pub fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests elsewhere name seeds that once showed a mistake; with other numbers they would test something else.
    #[test]
    fn the_numbers_of_a_seed_never_change() {
        let mut random = Random::new(1);
        let numbers: Vec<usize> = (0..8).map(|_| random.below(1000)).collect();
        assert_eq!(numbers, [665, 516, 209, 228, 488, 640, 771, 31]);
    }

    #[test]
    fn every_number_below_the_bound_comes() {
        for n in [0, 1, 2, 7, 100] {
            let mut random = Random::new(n as u64);
            let mut seen = vec![0; n.max(1)];
            (0..100 * n.max(1)).for_each(|_| seen[random.below(n)] += 1);
            assert!(seen.iter().all(|&count| count > 40), "{n}: {seen:?}");
        }
        let mut random = Random::new(3);
        assert!((0..100).map(|_| random.below(1 << 40)).any(|n| n > 1 << 39), "more than 32 bits");
    }
}
