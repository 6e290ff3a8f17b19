//! Reals: the C library's functions, with the Basis's answers where C's differ; text; reals of 32 bits; rounding.

use crate::service::here::Here;
use crate::service::objects::bytes;
use crate::service::reals::{self, Format};

macro_rules! functions {
    ($($symbol:ident = $method:ident;)*) => { $(
        #[doc = concat!("The primitive `", stringify!($symbol), "`.")]
        pub fn $symbol(x: f64) -> f64 {
            x.$method()
        }
    )* };
}

functions! {
    leat_real_sin = sin;
    leat_real_cos = cos;
    leat_real_tan = tan;
    leat_real_asin = asin;
    leat_real_acos = acos;
    leat_real_atan = atan;
    leat_real_exp = exp;
    leat_real_ln = ln;
    leat_real_log10 = log10;
    leat_real_sinh = sinh;
    leat_real_cosh = cosh;
    leat_real_tanh = tanh;
}

/// `Math.atan2 (y, x)`.
pub fn leat_real_atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

/// `Math.pow`: nan where C says 1 though one argument is nan or the base's magnitude is 1 and the exponent infinite.
pub fn leat_real_pow(x: f64, y: f64) -> f64 {
    if y.is_nan() || (x.abs() == 1.0 && y.is_infinite()) { f64::NAN } else { x.powf(y) }
}

/// `Real.rem`: the sign is that of the first; `rem (x, inf)` is x.
pub fn leat_real_rem(x: f64, y: f64) -> f64 {
    x % y
}

/// `Real.fmt`, `Real.toString`.
pub fn leat_real_fmt(mut here: Here, real: f64, mode: u64, digits: i64) -> u64 {
    let mut text = reals::Text::new();
    reals::format_real(real, Format::from_number(mode), digits.clamp(0, 1 << 28) as usize, &mut text);
    here.new_string(&text)
}

/// A real of checked text.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_real_of_string(text: u64) -> f64 {
    // SAFETY: a string; a leaf reaches no safepoint.
    let text = unsafe { bytes(text) };
    // SAFETY: `in_c` gives a text that ends in 0.
    by_rust(text).unwrap_or_else(|| in_c(text, |text| unsafe { libc::strtod(text, core::ptr::null_mut()) }))
}

/// A real of 32 bits of checked text. By way of 64 bits it would be rounded twice: a text a little above the middle
/// between two of them is that middle in 64 bits.
///
/// # Safety
/// Called by compiled code.
pub unsafe fn leat_single_of_string(text: u64) -> f64 {
    // SAFETY: a string; a leaf reaches no safepoint.
    let text = unsafe { bytes(text) };
    let single: Option<f32> = by_rust(text);
    // SAFETY: `in_c` gives a text that ends in 0.
    single.map_or_else(|| in_c(text, |text| f64::from(unsafe { libc::strtof(text, core::ptr::null_mut()) })), f64::from)
}

/// By Rust's function: not where the program has set another rounding mode, which the C library's heeds, and not for
/// very long texts, since it cuts exponents from 655360 on, which only so many digits can make up for.
fn by_rust<T: reals::Parsed>(text: &[u8]) -> Option<T> {
    const MOST_DIGITS: usize = 600_000;
    (leat_real_get_rounding() == 0 && text.len() < MOST_DIGITS).then(|| reals::parse_real(text))
}

/// By a function of the C library, which knows no `~`.
fn in_c(text: &[u8], parse: impl FnOnce(*const libc::c_char) -> f64) -> f64 {
    let text: Vec<u8> = text.iter().map(reals::minus).collect();
    match std::ffi::CString::new(text) {
        Ok(text) => in_mode(|| parse(text.as_ptr())),
        Err(_) => f64::NAN,
    }
}

/// Runs a function of the C library that asks the control word of the x87 how to round: meanwhile that says what the
/// register of SSE says.
fn in_mode<T>(work: impl FnOnce() -> T) -> T {
    #[cfg(target_arch = "x86_64")]
    {
        let mut before = 0u16;
        // SAFETY: stores and loads two bytes; bits 10 and 11 have the numbers of the modes of SSE, and are as they were
        // in the end.
        unsafe {
            core::arch::asm!("fnstcw [{}]", in(reg) &mut before, options(nostack));
            let control = before & !(3 << 10) | (leat_real_get_rounding() as u16) << 10;
            core::arch::asm!("fldcw [{}]", in(reg) &control, options(nostack));
            let result = work();
            core::arch::asm!("fldcw [{}]", in(reg) &before, options(nostack));
            result
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    work()
}

/// To the nearest real of 32 bits and back.
pub fn leat_real_to_single(x: f64) -> f64 {
    x as f32 as f64
}

/// The bits of the nearest real of 32 bits.
pub fn leat_real_to_bits32(x: f64) -> u64 {
    (x as f32).to_bits() as u64
}

/// The real of 32 bits with these bits.
pub fn leat_real_of_bits32(bits: u64) -> f64 {
    f32::from_bits(bits as u32) as f64
}

/// 0 nearest, 1 down, 2 up, 3 to zero.
pub fn leat_real_get_rounding() -> u64 {
    reals::rounding_mode()
}

/// Sets the rounding mode of this worker.
pub fn leat_real_set_rounding(mode: u64) {
    #[cfg(target_arch = "x86_64")]
    {
        let mut control = 0u32;
        // SAFETY: only the rounding bits change.
        unsafe {
            core::arch::asm!("stmxcsr [{}]", in(reg) &mut control, options(nostack));
            control = control & !(3 << 13) | (mode as u32 & 3) << 13;
            core::arch::asm!("ldmxcsr [{}]", in(reg) &control, options(nostack));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = mode;
}

/// In the rounding mode that is set.
pub fn leat_real_add_rounded(a: f64, b: f64) -> f64 {
    a + b
}

/// In the rounding mode that is set.
pub fn leat_real_sub_rounded(a: f64, b: f64) -> f64 {
    a - b
}

/// In the rounding mode that is set.
pub fn leat_real_mul_rounded(a: f64, b: f64) -> f64 {
    a * b
}

/// In the rounding mode that is set.
pub fn leat_real_div_rounded(a: f64, b: f64) -> f64 {
    a / b
}

/// In the rounding mode that is set.
pub fn leat_real_sqrt_rounded(a: f64) -> f64 {
    a.sqrt()
}

/// In the rounding mode that is set.
pub fn leat_real_of_int_rounded(n: i64) -> f64 {
    n as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reals_of_32_bits_and_the_mode_at_the_start() {
        assert_eq!(leat_real_to_single(0.1), 0.1f32 as f64);
        assert_eq!(leat_real_get_rounding(), 0);
    }

    #[test]
    fn the_answers_of_the_basis() {
        let inf = f64::INFINITY;
        // x, y, pow: the table of the Basis's MATH signature.
        let table = [
            (5.0, 0.0, 1.0),
            (f64::NAN, 0.0, 1.0),
            (2.0, inf, inf),
            (-2.0, inf, inf),
            (0.5, inf, 0.0),
            (2.0, -inf, 0.0),
            (0.5, -inf, inf),
            (inf, 2.0, inf),
            (inf, -2.0, 0.0),
            (-inf, 3.0, -inf),
            (-inf, 2.0, inf),
            (-inf, -3.0, -0.0),
            (5.0, f64::NAN, f64::NAN),
            (1.0, f64::NAN, f64::NAN),
            (f64::NAN, 2.0, f64::NAN),
            (1.0, inf, f64::NAN),
            (-1.0, -inf, f64::NAN),
            (-2.0, 0.5, f64::NAN),
            (0.0, -3.0, inf),
            (-0.0, -3.0, -inf),
            (-0.0, -2.0, inf),
            (0.0, 2.0, 0.0),
        ];
        for (x, y, expected) in table {
            let got = leat_real_pow(x, y);
            assert!(
                got.to_bits() == expected.to_bits() || (got.is_nan() && expected.is_nan()),
                "pow ({x}, {y}) = {got}"
            );
        }
        assert_eq!(leat_real_rem(-7.5, 2.0), -1.5);
        assert_eq!(leat_real_rem(3.0, inf), 3.0);
        assert!(leat_real_rem(3.0, 0.0).is_nan());
    }
}
