//! Reals and ints to text and back, as the Basis says (`Real.fmt`, `Real.toString`, `Int.toString`).
//!
//! A number's digits come from one of three sources: the shortest that give the same real again (zmij); so many
//! correctly rounded ones by integers of 128 bits, where those hold the number times a power of ten; or the C library's
//! exact printf, for very large and very small numbers, for many digits, and in another rounding mode. Layout is the
//! same for all.
//!
//! `Real.toString` has 12 significant digits at most (it is `fmt (GEN NONE)`, and MLton, SML/NJ and Poly/ML print so);
//! SML/NJ and Poly/ML agree on `1.0`, where MLton prints `1`: we do as the former.

use smallvec::SmallVec;

/// A text that is made. That of nearly every number fits where it stands, and asks no allocator.
pub type Text = SmallVec<[u8; 64]>;

/// What `real_fmt` is asked for; numbers as in `abi::prim`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u64)]
pub enum Format {
    /// `1.500E~7`, so many digits after the point.
    Sci = 0,
    /// `0.15`, so many digits after the point.
    Fix = 1,
    /// The shorter looking of the two, so many significant digits.
    Gen = 2,
    /// `0.15E~6`, all digits that are needed.
    Exact = 3,
    /// `Real.toString`.
    ToString = 4,
    /// As few digits as give the same real again, laid out like `ToString`.
    Shortest = 5,
    /// As `Exact`, of a real of 32 bits.
    ExactSingle = 6,
}

impl Format {
    pub fn from_number(n: u64) -> Format {
        match n {
            0 => Format::Sci,
            1 => Format::Fix,
            2 => Format::Gen,
            3 => Format::Exact,
            5 => Format::Shortest,
            6 => Format::ExactSingle,
            _ => Format::ToString,
        }
    }
}

/// Significant digits of `Real.toString`.
const TO_STRING_DIGITS: usize = 12;

/// Decimal digits without leading or trailing zeros, and the power of ten of the first: 0.015 is ("15", -2). Zero is
/// ("0", 0).
struct Decimal {
    digits: [u8; 20],
    len: usize,
    exponent: i32,
}

impl Decimal {
    fn as_slice(&self) -> &[u8] {
        &self.digits[..self.len]
    }

    /// Reads `d.dddde-xx` or `ddd.ddd` text of a finite real without sign. Only a number below 1 begins with a zero.
    fn parse(text: &[u8]) -> Decimal {
        let end = text.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(text.len());
        let (mantissa, power) = (&text[..end], &text[end..]);
        let magnitude = power.iter().filter(|b| b.is_ascii_digit()).fold(0, |n, b| n * 10 + (b - b'0') as i32);
        let power = if power.get(1) == Some(&b'-') { -magnitude } else { magnitude };
        let point = mantissa.iter().position(|&byte| byte == b'.').unwrap_or(mantissa.len());
        let (whole, part) = (&mantissa[..point], mantissa.get(point + 1..).unwrap_or_default());
        let zeros = part.iter().take_while(|&&byte| byte == b'0').count();
        let (whole, part, exponent) = match whole {
            b"0" => (&[][..], &part[zeros..], -(zeros as i32) - 1),
            _ => (whole, part, point as i32 - 1),
        };
        let mut decimal = Decimal { digits: [b'0'; 20], len: 0, exponent: 0 };
        for (to, from) in decimal.digits.iter_mut().zip(whole) {
            *to = *from;
        }
        for (to, from) in decimal.digits.iter_mut().skip(whole.len()).zip(part) {
            *to = *from;
        }
        decimal.len = (whole.len() + part.len()).min(decimal.digits.len());
        while decimal.len > 0 && decimal.digits[decimal.len - 1] == b'0' {
            decimal.len -= 1;
        }
        if decimal.len == 0 {
            decimal.len = 1;
        } else {
            decimal.exponent = power + exponent;
        }
        decimal
    }

    /// As few digits as give the same real again.
    fn shortest(magnitude: f64) -> Decimal {
        Decimal::parse(zmij::Buffer::new().format_finite(magnitude).as_bytes())
    }

    /// As few digits as give the same real of 32 bits again.
    fn shortest_single(magnitude: f32) -> Decimal {
        Decimal::parse(zmij::Buffer::new().format_finite(magnitude).as_bytes())
    }

    /// At most `count` significant digits (1 to 17), correctly rounded.
    fn rounded(magnitude: f64, count: usize) -> Decimal {
        if let Some(decimal) = exponent_of(magnitude).and_then(|exponent| Decimal::exactly(magnitude, count, exponent))
        {
            return decimal;
        }
        // A shortest text within the grid is the rounding itself; not so for the coarse grid of subnormals.
        let shortest = Decimal::shortest(magnitude);
        if shortest.len <= count && magnitude >= f64::MIN_POSITIVE && count <= 15 {
            return shortest;
        }
        let mut exponent = shortest.exponent;
        // A shortest text that is a power of ten may stand for a number below that.
        if *shortest.as_slice() == *b"1" && scaled(magnitude, count as i32 - exponent).is_none_or(|v| v < POWERS[count])
        {
            exponent -= 1;
        }
        Decimal::exactly(magnitude, count, exponent)
            .unwrap_or_else(|| Decimal::parse(c_format(magnitude, b"%.*e\0", count - 1).as_slice()))
    }

    /// So many significant digits (1 to 17) of a number that is not 0, given the power of ten of its first one.
    fn exactly(magnitude: f64, count: usize, mut exponent: i32) -> Option<Decimal> {
        let mut value = scaled(magnitude, count as i32 - 1 - exponent)?;
        if value >= POWERS[count] {
            // Rounded up to a power of ten.
            (value, exponent) = (value / 10, exponent + 1);
        }
        let mut decimal = Decimal { digits: [b'0'; 20], len: count, exponent };
        put_digits(&mut decimal.digits[..count], u64::try_from(value).ok()?);
        while decimal.len > 1 && decimal.digits[decimal.len - 1] == b'0' {
            decimal.len -= 1;
        }
        Some(decimal)
    }
}

/// The power of ten of the first digit, if the number is neither very small nor very large, nor one that is nearest to
/// a power of ten below 1, which may be less or more than that.
fn exponent_of(magnitude: f64) -> Option<i32> {
    if !(1e-20..1e20).contains(&magnitude) {
        return None;
    }
    // By the power of two: the power of ten, or the one below it.
    let two = (magnitude.to_bits() >> 52) as i32 - 1023;
    let next = ((two * 78913) >> 18) + 1;
    let power = NEAREST[(next + 20) as usize];
    if next < 0 && magnitude == power {
        return None;
    }
    Some(if magnitude >= power { next } else { next - 1 })
}

/// The reals nearest to the powers of ten from -20 to 20; those from 0 are exact.
const NEAREST: [f64; 41] = [
    1e-20, 1e-19, 1e-18, 1e-17, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6, 1e-5, 1e-4,
    1e-3, 1e-2, 1e-1, 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17,
    1e18, 1e19, 1e20,
];

/// Powers of ten.
const POWERS: [u128; 39] = {
    let mut powers = [1; 39];
    let mut i = 1;
    while i < powers.len() {
        powers[i] = powers[i - 1] * 10;
        i += 1;
    }
    powers
};

/// The number times a power of ten, rounded to the nearest integer, ties to even; if all of it can be done in 128 bits,
/// and this is how the program rounds.
fn scaled(magnitude: f64, power: i32) -> Option<u128> {
    if rounding_mode() != 0 {
        return None;
    }
    let bits = magnitude.to_bits();
    let (fraction, biased) = (bits & ((1 << 52) - 1), (bits >> 52) as i32);
    let (mantissa, two) = if biased == 0 { (fraction, -1074) } else { (fraction | 1 << 52, biased - 1075) };
    if power < 0 {
        let divisor = *POWERS.get(-power as usize)?;
        let (value, divisor) = if two >= 0 {
            (shifted(mantissa as u128, two)?, divisor)
        } else {
            (mantissa as u128, shifted(divisor, -two)?)
        };
        // Twice the rest is compared below.
        if divisor >> 127 != 0 {
            return None;
        }
        return Some(rounded_up(value / divisor, (2 * (value % divisor)).cmp(&divisor)));
    }
    // Less than 2^53 times 10^22 is less than 2^127.
    let value = mantissa as u128 * *POWERS[..23].get(power as usize)?;
    if two >= 0 {
        return shifted(value, two);
    }
    if two <= -128 {
        return Some(0);
    }
    let half = 1u128 << (-two - 1);
    let rest = value & (half | (half - 1));
    Some(rounded_up(value.checked_shr(-two as u32)?, rest.cmp(&half)))
}

/// Shifted to the left, if nothing is lost.
fn shifted(value: u128, bits: i32) -> Option<u128> {
    (bits as u32 <= value.leading_zeros() && bits < 128).then(|| value << bits)
}

/// One more if the rest is more than a half, or a half of an odd number.
fn rounded_up(value: u128, rest: core::cmp::Ordering) -> u128 {
    match rest {
        core::cmp::Ordering::Less => value,
        core::cmp::Ordering::Equal => value + (value & 1),
        core::cmp::Ordering::Greater => value + 1,
    }
}

/// Bits 13 and 14 of the control register of SSE: 0 nearest, 1 down, 2 up, 3 to zero.
pub fn rounding_mode() -> u64 {
    #[cfg(target_arch = "x86_64")]
    {
        let mut control = 0u32;
        // SAFETY: stores four bytes at the place given.
        unsafe { core::arch::asm!("stmxcsr [{}]", in(reg) &mut control, options(nostack)) };
        (control >> 13 & 3) as u64
    }
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// The C library's exact rendering of a finite real.
fn c_format(magnitude: f64, format: &[u8], precision: usize) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::with_capacity(340 + precision);
    // SAFETY: the format ends in 0 and takes an int and a double; at most the capacity is written: 309 digits before
    // the point, `precision` after it, point, sign, exponent, final 0.
    unsafe {
        let room = text.capacity();
        let wrote = libc::snprintf(text.as_mut_ptr().cast(), room, format.as_ptr().cast(), precision as i32, magnitude);
        text.set_len((wrote as usize).min(room - 1));
    }
    text
}

/// Appends the text of a real. `digits` counts what `Format` says; the library has checked its range.
pub fn format_real(real: f64, format: Format, digits: usize, out: &mut Text) {
    if real.is_nan() {
        out.extend_from_slice(b"nan");
        return;
    }
    if real.is_sign_negative() {
        out.push(b'~');
    }
    let magnitude = real.abs();
    if magnitude.is_infinite() {
        out.extend_from_slice(b"inf");
        return;
    }
    match format {
        Format::Sci => scientific_fixed(magnitude, digits, out),
        Format::Fix => fixed(magnitude, digits, out),
        Format::Gen => general(&general_digits(magnitude, digits), digits, out),
        Format::ToString => general(&general_digits(magnitude, TO_STRING_DIGITS), TO_STRING_DIGITS, out),
        Format::Shortest => general(&Decimal::shortest(magnitude), 17, out),
        Format::Exact => exact(&Decimal::shortest(magnitude), out),
        Format::ExactSingle => exact(&Decimal::shortest_single(magnitude as f32), out),
    }
}

fn general_digits(magnitude: f64, digits: usize) -> Decimal {
    // No real has more than 17 digits worth printing; asking for more gives those.
    Decimal::rounded(magnitude, digits.clamp(1, 17))
}

/// `1.50`
fn fixed(magnitude: f64, digits: usize, out: &mut Text) {
    let value = if digits <= 22 { scaled(magnitude, digits as i32) } else { None };
    let Some(value) = value else {
        return out.extend_from_slice(&c_format(magnitude, b"%.*f\0", digits));
    };
    // One digit at least stands before the point. Most numbers fit into 64 bits.
    const PART: u128 = POWERS[18];
    let mut text = [b'0'; 48];
    let (mut at, mut rest) = (text.len(), value);
    while rest > u128::from(u64::MAX) {
        put_digits(&mut text[..at], (rest % PART) as u64);
        (at, rest) = (at - 18, rest / PART);
    }
    let point = text.len() - digits;
    let first = put_digits(&mut text[..at], rest as u64).min(point - 1);
    out.extend_from_slice(&text[first..point]);
    if digits > 0 {
        out.push(b'.');
        out.extend_from_slice(&text[point..]);
    }
}

/// Writes the digits of a number, none of 0, at the end of a text, which is long enough; where the first one stands.
fn put_digits(text: &mut [u8], mut rest: u64) -> usize {
    let mut at = text.len();
    // Two digits a division.
    while rest >= 10 {
        let two = (rest % 100) as u8;
        rest /= 100;
        at -= 2;
        [text[at], text[at + 1]] = [b'0' + two / 10, b'0' + two % 10];
    }
    if rest > 0 {
        at -= 1;
        text[at] = b'0' + rest as u8;
    }
    at
}

/// `1.500E~7`, by C's text if need be.
fn scientific_fixed(magnitude: f64, digits: usize, out: &mut Text) {
    if digits <= 16 && magnitude != 0.0 && rounding_mode() == 0 {
        let decimal = Decimal::rounded(magnitude, digits + 1);
        let shown = decimal.as_slice();
        out.push(shown[0]);
        if digits > 0 {
            out.push(b'.');
            out.extend_from_slice(&shown[1..]);
            out.resize(out.len() + digits + 1 - shown.len(), b'0');
        }
        return exponent(decimal.exponent as i64, out);
    }
    let text = c_format(magnitude, b"%.*e\0", digits);
    let split = text.iter().position(|b| *b == b'e').unwrap_or(text.len());
    out.extend_from_slice(&text[..split]);
    let tail = &text[split..];
    let value = tail.iter().filter(|b| b.is_ascii_digit()).fold(0, |n, b| n * 10 + (b - b'0') as i64);
    exponent(if tail.get(1) == Some(&b'-') { -value } else { value }, out);
}

fn exponent(value: i64, out: &mut Text) {
    out.push(b'E');
    format_int(value, out);
}

/// Fixed-point between 0.0001 and ten to the `precision`, else scientific; always with a point or an exponent.
fn general(decimal: &Decimal, precision: usize, out: &mut Text) {
    let digits = decimal.as_slice();
    let point = decimal.exponent + 1;
    if decimal.exponent < -4 || decimal.exponent >= precision as i32 {
        out.push(digits[0]);
        if digits.len() > 1 {
            out.push(b'.');
            out.extend_from_slice(&digits[1..]);
        }
        exponent(decimal.exponent as i64, out);
    } else if point <= 0 {
        out.extend_from_slice(b"0.");
        out.resize(out.len() + -point as usize, b'0');
        out.extend_from_slice(digits);
    } else if digits.len() <= point as usize {
        out.extend_from_slice(digits);
        out.resize(out.len() + point as usize - digits.len(), b'0');
        out.extend_from_slice(b".0");
    } else {
        out.extend_from_slice(&digits[..point as usize]);
        out.push(b'.');
        out.extend_from_slice(&digits[point as usize..]);
    }
}

/// `0.15E~6`; no exponent when it is 0; zero is `0.0`.
fn exact(decimal: &Decimal, out: &mut Text) {
    out.extend_from_slice(b"0.");
    out.extend_from_slice(decimal.as_slice());
    if decimal.as_slice() != b"0" && decimal.exponent != -1 {
        exponent(decimal.exponent as i64 + 1, out);
    }
}

/// Appends an int with `~` for a negative one.
pub fn format_int(value: i64, out: &mut Text) {
    let mut buffer = [0; 20];
    out.extend_from_slice(int_text(value, &mut buffer));
}

/// The text of an int, at the end of the buffer.
pub fn int_text(value: i64, buffer: &mut [u8; 20]) -> &[u8] {
    let mut at = put_digits(buffer, value.unsigned_abs());
    if value == 0 {
        at -= 1;
        buffer[at] = b'0';
    }
    if value < 0 {
        at -= 1;
        buffer[at] = b'~';
    }
    &buffer[at..]
}

/// What a text is read as.
pub trait Parsed: core::str::FromStr + core::ops::Neg<Output = Self> {
    const NAN: Self;

    /// The quotient or product of two exact numbers, which is rounded once.
    fn by_parts(_mantissa: u64, _power: i32) -> Option<Self> {
        None
    }
}

impl Parsed for f64 {
    const NAN: f64 = f64::NAN;

    fn by_parts(mantissa: u64, power: i32) -> Option<f64> {
        let ten = *NEAREST[20..].get(power.unsigned_abs() as usize)?;
        let mantissa = (mantissa <= 1 << 53).then_some(mantissa as f64)?;
        Some(if power < 0 { mantissa / ten } else { mantissa * ten })
    }
}

impl Parsed for f32 {
    const NAN: f32 = f32::NAN;
}

/// A real of C-like text (`~` is taken for `-`); text that is none gives nan.
pub fn parse_real<T: Parsed>(text: &[u8]) -> T {
    if let Some(real) = parts_of(text).and_then(|(mantissa, power)| T::by_parts(mantissa, power)) {
        return if matches!(text[0], b'-' | b'~') { -real } else { real };
    }
    let plain = |text: &[u8]| core::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).unwrap_or(T::NAN);
    if !text.contains(&b'~') {
        return plain(text);
    }
    plain(&text.iter().map(minus).collect::<Text>())
}

/// The digits of a short text of a number as an integer, and the power of ten behind them; the sign does not matter.
/// (After Clinger, How to read floating point numbers accurately, PLDI 1990: most texts are of such numbers.)
fn parts_of(text: &[u8]) -> Option<(u64, i32)> {
    const MOST_DIGITS: usize = 18;
    let text = text.strip_prefix(b"-").or(text.strip_prefix(b"~")).or(text.strip_prefix(b"+")).unwrap_or(text);
    let (mut mantissa, mut digits, mut point, mut at) = (0, 0, None, 0);
    while let Some(&byte) = text.get(at) {
        match byte {
            b'0'..=b'9' if digits < MOST_DIGITS => {
                (mantissa, digits) = (mantissa * 10 + u64::from(byte - b'0'), digits + 1)
            }
            b'.' if point.is_none() => point = Some(digits),
            b'e' | b'E' => break,
            _ => return None,
        }
        at += 1;
    }
    let power = match text.get(at + 1..) {
        None => 0,
        Some([b'-' | b'~', power @ ..]) => -small(power)?,
        Some([b'+', power @ ..] | power) => small(power)?,
    };
    (digits > 0).then(|| (mantissa, power - (digits - point.unwrap_or(digits)) as i32))
}

/// A number of one to three digits.
fn small(text: &[u8]) -> Option<i32> {
    let digits = (1..=3).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    digits.then(|| text.iter().fold(0, |n, byte| n * 10 + i32::from(byte - b'0')))
}

/// A character, as C writes it.
pub fn minus(byte: &u8) -> u8 {
    if *byte == b'~' { b'-' } else { *byte }
}

#[cfg(test)]
mod tests {
    use leat_random::Random;

    use super::*;

    fn show(real: f64, format: Format, digits: usize) -> String {
        let mut out = Text::new();
        format_real(real, format, digits, &mut out);
        String::from_utf8(out.into_vec()).unwrap()
    }

    /// As Poly/ML 5.7 and SML/NJ 110.79 print them (SML/NJ writes some exponents with two digits; we do not).
    #[test]
    fn known_texts() {
        use Format::*;
        // real, toString, GEN 5, SCI 3, SCI 0, FIX 2, FIX 0, EXACT
        let table: &[(f64, [&str; 7])] = &[
            (0.0, ["0.0", "0.0", "0.000E0", "0E0", "0.00", "0", "0.0"]),
            (-0.0, ["~0.0", "~0.0", "~0.000E0", "~0E0", "~0.00", "~0", "~0.0"]),
            (1.0, ["1.0", "1.0", "1.000E0", "1E0", "1.00", "1", "0.1E1"]),
            (-0.5, ["~0.5", "~0.5", "~5.000E~1", "~5E~1", "~0.50", "~0", "~0.5"]),
            (0.1 + 0.2, ["0.3", "0.3", "3.000E~1", "3E~1", "0.30", "0", "0.30000000000000004"]),
            (1.0 / 3.0, ["0.333333333333", "0.33333", "3.333E~1", "3E~1", "0.33", "0", "0.3333333333333333"]),
            (
                2.0 / 3.0 * 1e5,
                ["66666.6666667", "66667.0", "6.667E4", "7E4", "66666.67", "66667", "0.6666666666666666E5"],
            ),
            (1000.0, ["1000.0", "1000.0", "1.000E3", "1E3", "1000.00", "1000", "0.1E4"]),
            (12345.678, ["12345.678", "12346.0", "1.235E4", "1E4", "12345.68", "12346", "0.12345678E5"]),
            (123456.0, ["123456.0", "1.2346E5", "1.235E5", "1E5", "123456.00", "123456", "0.123456E6"]),
            (1e5, ["100000.0", "1E5", "1.000E5", "1E5", "100000.00", "100000", "0.1E6"]),
            (1e11, ["100000000000.0", "1E11", "1.000E11", "1E11", "100000000000.00", "100000000000", "0.1E12"]),
            (1e12, ["1E12", "1E12", "1.000E12", "1E12", "1000000000000.00", "1000000000000", "0.1E13"]),
            (
                123456789012.0,
                [
                    "123456789012.0",
                    "1.2346E11",
                    "1.235E11",
                    "1E11",
                    "123456789012.00",
                    "123456789012",
                    "0.123456789012E12",
                ],
            ),
            (
                123456789012345.0,
                [
                    "1.23456789012E14",
                    "1.2346E14",
                    "1.235E14",
                    "1E14",
                    "123456789012345.00",
                    "123456789012345",
                    "0.123456789012345E15",
                ],
            ),
            (1e20, ["1E20", "1E20", "1.000E20", "1E20", "100000000000000000000.00", "100000000000000000000", "0.1E21"]),
            (1.5e-7, ["1.5E~7", "1.5E~7", "1.500E~7", "1E~7", "0.00", "0", "0.15E~6"]),
            (0.01, ["0.01", "0.01", "1.000E~2", "1E~2", "0.01", "0", "0.1E~1"]),
            (0.00012345, ["0.00012345", "0.00012345", "1.234E~4", "1E~4", "0.00", "0", "0.12345E~3"]),
            (1e-5, ["1E~5", "1E~5", "1.000E~5", "1E~5", "0.00", "0", "0.1E~4"]),
            (std::f64::consts::PI, ["3.14159265359", "3.1416", "3.142E0", "3E0", "3.14", "3", "0.3141592653589793E1"]),
            (2.5, ["2.5", "2.5", "2.500E0", "2E0", "2.50", "2", "0.25E1"]),
            (0.125, ["0.125", "0.125", "1.250E~1", "1E~1", "0.12", "0", "0.125"]),
            (9.9999999999999, ["10.0", "10.0", "1.000E1", "1E1", "10.00", "10", "0.99999999999999E1"]),
            (
                999999999999.9,
                ["1E12", "1E12", "1.000E12", "1E12", "999999999999.90", "1000000000000", "0.9999999999999E12"],
            ),
            (99999.9, ["99999.9", "1E5", "1.000E5", "1E5", "99999.90", "100000", "0.999999E5"]),
            (5e-324, ["4.94065645841E~324", "4.9407E~324", "4.941E~324", "5E~324", "0.00", "0", "0.5E~323"]),
            (f64::INFINITY, ["inf"; 7]),
            (f64::NEG_INFINITY, ["~inf"; 7]),
            (f64::NAN, ["nan"; 7]),
        ];
        for (real, texts) in table {
            let formats = [(ToString, 0), (Gen, 5), (Sci, 3), (Sci, 0), (Fix, 2), (Fix, 0), (Exact, 0)];
            for ((format, digits), text) in formats.iter().zip(texts) {
                assert_eq!(show(*real, *format, *digits), *text, "{real:e} {format:?} {digits}");
            }
        }
        let long = show(f64::MAX, Fix, 3);
        assert!(
            long.starts_with("179769313486231570814527423731704356798070567525844996598917") && long.ends_with(".000")
        );
        assert_eq!(show(1.0, Fix, 500).len(), 502);
        assert_eq!(show(0.1, Gen, 40), "0.10000000000000001");
        assert_eq!(show(0.1 + 0.2, Shortest, 0), "0.30000000000000004");
        assert_eq!(show(1e22, Shortest, 0), "1E22");
        assert_eq!(show(1.5e-7, Shortest, 0), "1.5E~7");
        assert_eq!(show(0.1f32 as f64, ExactSingle, 0), "0.1");
        assert_eq!(show(f32::MIN_POSITIVE as f64, ExactSingle, 0), "0.11754944E~37");
        assert_eq!(show(1e21, Fix, 1), "1000000000000000000000.0");
        assert_eq!(show(1.8446744073709552e19, Fix, 0), "18446744073709551616");
    }

    /// What is printed exactly, read again, is the same real.
    #[test]
    fn exact_texts_are_read_back() {
        let mut random = Random::new(1);
        for _ in 0..20_000 {
            let real = f64::from_bits(random.word());
            if real.is_finite() {
                for format in [Format::Exact, Format::Shortest] {
                    let text = show(real, format, 0);
                    assert_eq!(parse_real::<f64>(text.as_bytes()).to_bits(), real.to_bits(), "{text}");
                }
                // The short cut through the shortest text is the C library's rounding.
                let (text, plain) = (show(real, Format::ToString, 0), c_format(real.abs(), b"%.*e\0", 11));
                assert_eq!(
                    Decimal::parse(text.replace('~', "-").trim_start_matches('-').as_bytes()).as_slice(),
                    Decimal::parse(&plain).as_slice()
                );
            }
        }
    }

    /// Digits by integers are those of the C library's exact printf: random bits, numbers of few decimal places, ties.
    #[test]
    fn rounded_texts_are_those_of_c() {
        let mut random = Random::new(5);
        for round in 0..60_000u64 {
            let real = match round % 6 {
                0 => f64::from_bits(random.word() >> 1),
                1 => random.below(10_000_000) as f64 / 1000.0,
                2 => random.below(1 << 20) as f64 / 1024.0,
                3 => (random.below(2000) as f64 + 0.5) * 10f64.powi(random.below(12) as i32 - 6),
                4 => f64::from_bits(10f64.powi(random.below(45) as i32 - 20).to_bits() - random.below(3) as u64),
                _ => random.word() as f64,
            };
            if !real.is_finite() {
                continue;
            }
            let digits = random.below(24);
            let fixed = String::from_utf8(c_format(real, b"%.*f\0", digits)).unwrap();
            assert_eq!(show(real, Format::Fix, digits), fixed, "{real:e} {digits}");
            let text = String::from_utf8(c_format(real, b"%.*e\0", digits)).unwrap();
            let (mantissa, power) = text.split_once('e').unwrap();
            let power: i32 = power.parse().unwrap();
            let text = format!("{mantissa}E{power}").replace('-', "~");
            assert_eq!(show(real, Format::Sci, digits), text, "{real:e} {digits}");
        }
    }

    /// The short way of reading gives what Rust's function gives: numbers of few digits, at all powers of ten.
    #[test]
    fn short_texts_are_read_right() {
        let mut random = Random::new(8);
        for _ in 0..200_000 {
            let whole = random.word() >> random.below(64);
            let text = match random.below(3) {
                0 => format!("{whole}.{:03}", random.below(1000)),
                1 => format!("{whole}e{}", random.below(60) as i32 - 30),
                _ => format!("{}.{}E{}", random.below(10), whole, random.below(60) as i32 - 30),
            };
            let expected: f64 = text.parse().unwrap();
            assert_eq!(parse_real::<f64>(text.as_bytes()).to_bits(), expected.to_bits(), "{text}");
            let expected: f32 = text.parse().unwrap();
            assert_eq!(parse_real::<f32>(format!("~{text}").as_bytes()).to_bits(), (-expected).to_bits(), "{text}");
        }
    }

    #[test]
    fn ints() {
        let table =
            [(0, "0"), (7, "7"), (-7, "~7"), (i64::MAX, "9223372036854775807"), (i64::MIN, "~9223372036854775808")];
        for (value, text) in table {
            let mut out = Text::new();
            format_int(value, &mut out);
            assert_eq!(out.as_slice(), text.as_bytes());
        }
        assert_eq!(parse_real::<f64>(b"~1.5E~3"), -0.0015);
        assert_eq!(parse_real::<f64>(b"1e400"), f64::INFINITY);
        assert!(parse_real::<f64>(b"x").is_nan());
        assert_eq!(parse_real::<f64>(b"~0").to_bits(), (-0.0f64).to_bits());
        assert_eq!(parse_real::<f64>(b"+12.50e+2"), 1250.0);
        assert_eq!(parse_real::<f64>(b".5"), 0.5);
        assert_eq!(parse_real::<f64>(b"5."), 5.0);
        for text in [&b"1.2.3"[..], b"e5", b".", b"", b"1e", b"1e+", b"--1", b"1e5.0"] {
            assert!(parse_real::<f64>(text).is_nan(), "{text:?}");
        }
        // Above the middle between two reals of 32 bits, and by way of 64 bits on it.
        assert_eq!(parse_real::<f32>(b"1.00000005960464477540"), 1.0 + f32::EPSILON);
        assert_eq!(parse_real::<f64>(b"1.00000005960464477540") as f32, 1.0);
    }
}
