//! Ints: text, and the upper half of products.

use crate::service::here::Here;
use crate::service::reals;

/// `Int.toString`.
pub fn leat_int_to_string(mut here: Here, value: i64) -> u64 {
    let mut buffer = [0; 20];
    here.new_string(reals::int_text(value, &mut buffer))
}

/// The upper half of a signed product.
pub fn leat_int_mul_high(a: i64, b: i64) -> i64 {
    ((a as i128 * b as i128) >> 64) as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn upper_halves() {
        assert_eq!(leat_int_mul_high(-1, 1), -1);
        assert_eq!(leat_int_mul_high(1 << 62, 4), 1);
    }
}
