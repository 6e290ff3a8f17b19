//! The leaf primitives on reals: the C library's functions, with the Basis's answers where C's differ.
//!
//! Called directly from compiled code on the SML stack.

macro_rules! functions {
    ($($symbol:ident = $method:ident;)*) => { $(
        #[doc = concat!("The primitive `", stringify!($symbol), "`.")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $symbol(x: f64) -> f64 {
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
#[unsafe(no_mangle)]
pub extern "C" fn leat_real_atan2(y: f64, x: f64) -> f64 {
    y.atan2(x)
}

/// `Math.pow`: nan where C says 1 though one argument is nan or the base's magnitude is 1 and the exponent infinite.
#[unsafe(no_mangle)]
pub extern "C" fn leat_real_pow(x: f64, y: f64) -> f64 {
    if y.is_nan() || (x.abs() == 1.0 && y.is_infinite()) { f64::NAN } else { x.powf(y) }
}

/// `Real.rem`: the sign is that of the first; `rem (x, inf)` is x.
#[unsafe(no_mangle)]
pub extern "C" fn leat_real_rem(x: f64, y: f64) -> f64 {
    x % y
}

#[cfg(test)]
mod tests {
    use super::*;

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
