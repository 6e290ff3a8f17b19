//! Ints: text, and the upper half of products.

use leat_abi::tcb::Tcb;

use crate::service::alloc::new_string;
use crate::service::reals;

/// `Int.toString`.
///
/// # Safety
/// Called by compiled code.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_int_to_string(tcb: *mut Tcb, value: i64) -> u64 {
    let mut buffer = [0; 20];
    // SAFETY: no reference is held.
    unsafe { new_string(tcb, reals::int_text(value, &mut buffer)) }
}

/// The upper half of a signed product.
#[unsafe(no_mangle)]
pub extern "C" fn leat_int_mul_high(a: i64, b: i64) -> i64 {
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
