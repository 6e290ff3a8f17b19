//! Reals and ints to text and back, as the Basis says (`Real.fmt`, `Real.toString`, `Int.toString`).
//!
//! A number's digits come from one of three sources: the shortest that give the same real again (zmij); so many
//! correctly rounded ones by integers of 128 bits, where those hold the number times a power of ten; or the C library's
//! exact printf, for very large and very small numbers, for many digits, and in another rounding mode. Layout is the
//! same for all. What needs no printf is made in a [`Line`], with copies of fixed sizes: so it can be done on the stack
//! of compiled code, and no text is put together by calls of the C library.
//!
//! Texts are read by Clinger's way where the digits are few, else by a product with a power of five of 128 bits, unless
//! that lies too near to the middle between two reals; then Rust's function reads the text.
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

/// A text of a number that is put together where it stands.
pub struct Line {
    bytes: [u8; Line::ROOM],
    len: usize,
}

impl Line {
    /// The longest text is one of `fixed`: sign, 39 digits, point. Behind each there is room for what `digits` writes
    /// too much.
    const ROOM: usize = 80;
    const AT_ONCE: usize = 24;

    pub fn empty() -> Line {
        Line { bytes: [0; Line::ROOM], len: 0 }
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.bytes[..self.len]
    }

    fn byte(&mut self, byte: u8) {
        self.bytes[self.len] = byte;
        self.len += 1;
    }

    fn text(&mut self, text: &[u8]) {
        self.bytes[self.len..][..text.len()].copy_from_slice(text);
        self.len += text.len();
    }

    /// The first so many of these digits. There are [`Line::AT_ONCE`] of them at least, and that many are copied where
    /// no more are asked for: the compiler knows the size.
    fn digits(&mut self, digits: &[u8], count: usize) {
        if count > Line::AT_ONCE {
            return self.text(&digits[..count]);
        }
        self.bytes[self.len..][..Line::AT_ONCE].copy_from_slice(&digits[..Line::AT_ONCE]);
        self.len += count;
    }

    /// `E`, and a power of ten, which has three digits at most.
    fn exponent(&mut self, power: i32) {
        self.byte(b'E');
        if power < 0 {
            self.byte(b'~');
        }
        let power = power.unsigned_abs();
        if power >= 100 {
            self.byte(b'0' + (power / 100) as u8);
        }
        if power >= 10 {
            self.byte(b'0' + (power / 10 % 10) as u8);
        }
        self.byte(b'0' + (power % 10) as u8);
    }
}

/// Decimal digits without leading or trailing zeros, and the power of ten of the first: 0.015 is ("15", -2). Zero is
/// ("0", 0). Behind the digits stand zeros, so that a layout can take more of them than there are.
struct Decimal {
    digits: [u8; Decimal::ROOM],
    len: usize,
    exponent: i32,
}

impl Decimal {
    /// 17 digits, or 24 where a text is read, from each of which [`Line::AT_ONCE`] can be taken.
    const ROOM: usize = 48;

    #[cfg(test)]
    fn as_slice(&self) -> &[u8] {
        &self.digits[..self.len]
    }

    /// Reads `d.dddde-xx` or `ddd.ddd` text of a finite real without sign. Only a number below 1 begins with a zero.
    fn parse(text: &[u8]) -> Decimal {
        /// Most characters of the power of ten.
        const POWER: usize = "e+308".len();
        // With zeros behind it, from each place on 24 characters can be taken.
        let mut padded = [b'0'; 64];
        let len = text.len().min(40);
        padded[..len].copy_from_slice(&text[..len]);
        // The power stands at the end.
        let tail = text.len().saturating_sub(POWER);
        let (end, power) = match text[tail..].iter().position(|byte| matches!(byte, b'e' | b'E')) {
            None => (text.len(), 0),
            Some(at) => {
                let (sign, digits) = match &text[tail + at + 1..] {
                    [b'-', digits @ ..] => (-1, digits),
                    [b'+', digits @ ..] | digits => (1, digits),
                };
                (tail + at, sign * digits.iter().fold(0, |n, byte| n * 10 + i32::from(byte - b'0')))
            }
        };
        let point = text[..end].iter().position(|&byte| byte == b'.').unwrap_or(end);
        let mut decimal = Decimal { digits: [b'0'; Decimal::ROOM], len: 1, exponent: 0 };
        let mut take = |at: usize, from: usize| {
            decimal.digits[at..][..Line::AT_ONCE].copy_from_slice(&padded[from..][..Line::AT_ONCE]);
        };
        let (count, exponent) = if text[0] == b'0' {
            let zeros = text[2.min(end)..end].iter().take_while(|&&byte| byte == b'0').count();
            take(0, 2 + zeros);
            (end.saturating_sub(2 + zeros), -(zeros as i32) - 1)
        } else {
            take(0, 0);
            if point < end {
                take(point, point + 1);
            }
            (if point < end { end - 1 } else { end }, point as i32 - 1)
        };
        // What was taken too much.
        let count = count.min(Line::AT_ONCE);
        decimal.digits[count..][..Line::AT_ONCE].fill(b'0');
        decimal.len = count;
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

    /// At most `count` significant digits (1 to 17), correctly rounded to the nearest; None where printf is to do it.
    fn rounded(magnitude: f64, count: usize) -> Option<Decimal> {
        if let Some(decimal) = exponent_of(magnitude).and_then(|exponent| Decimal::exactly(magnitude, count, exponent))
        {
            return Some(decimal);
        }
        let shortest = Decimal::shortest(magnitude);
        if shortest.is_within(magnitude, count) {
            return Some(shortest);
        }
        let mut exponent = shortest.exponent;
        // A shortest text that is a power of ten may stand for a number below that.
        if (shortest.len, shortest.digits[0]) == (1, b'1')
            && scaled(magnitude, count as i32 - exponent).is_none_or(|v| v < POWERS[count])
        {
            exponent -= 1;
        }
        Decimal::exactly(magnitude, count, exponent)
    }

    /// Likewise, by printf, in the rounding mode that is set; but what has few digits has those in each mode.
    fn rounded_by_c(magnitude: f64, count: usize) -> Decimal {
        let shortest = Decimal::shortest(magnitude);
        if shortest.is_within(magnitude, count) {
            return shortest;
        }
        Decimal::parse(c_format(magnitude, b"%.*e\0", count - 1).as_slice())
    }

    /// Whether this shortest text is the rounding to so many digits. A shortest text within the grid is the rounding
    /// itself; not so for the coarse grid of subnormals.
    fn is_within(&self, magnitude: f64, count: usize) -> bool {
        self.len <= count && magnitude >= f64::MIN_POSITIVE && count <= 15
    }

    /// So many significant digits (1 to 17) of a number that is not 0, given the power of ten of its first one.
    fn exactly(magnitude: f64, count: usize, mut exponent: i32) -> Option<Decimal> {
        let mut value = scaled(magnitude, count as i32 - 1 - exponent)?;
        if value >= POWERS[count] {
            // Rounded up to a power of ten.
            (value, exponent) = (value / 10, exponent + 1);
        }
        let (digits, len) = seventeen(u64::try_from(value).ok()? * POWERS[17 - count] as u64);
        Some(Decimal { digits, len, exponent })
    }
}

/// The 17 digits of a number below 10^17, with leading zeros, and how many there are up to the last one that is not 0.
fn seventeen(number: u64) -> ([u8; Decimal::ROOM], usize) {
    const EIGHT: u64 = 100_000_000;
    const ZEROS: u128 = u128::from_ne_bytes([b'0'; 16]);
    let first = number / (EIGHT * EIGHT);
    let rest = number % (EIGHT * EIGHT);
    let text = u128::from(eight(rest / EIGHT)) | u128::from(eight(rest % EIGHT)) << 64;
    let mut digits = [b'0'; Decimal::ROOM];
    digits[0] += first as u8;
    digits[1..17].copy_from_slice(&(text | ZEROS).to_le_bytes());
    (digits, 17 - text.leading_zeros() as usize / 8)
}

/// The eight digits of a number below 10^8, as numbers, the first one in the lowest byte: halves of four digits, then
/// of two, then of one, all at once.
fn eight(number: u64) -> u64 {
    let high = number / 10_000;
    let fours = high | (number - 10_000 * high) << 32;
    // n / 100 for n < 10,000, and n / 10 for n < 100.
    let high = ((fours * 10_486) >> 20) & 0x0000_007f_0000_007f;
    let twos = high | (fours - 100 * high) << 16;
    let high = ((twos * 103) >> 10) & 0x000f_000f_000f_000f;
    high | (twos - 10 * high) << 8
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

/// The number times a power of ten, rounded to the nearest integer, ties to even; if all of it can be done in 128 bits.
/// For a program that rounds so.
fn scaled(magnitude: f64, power: i32) -> Option<u128> {
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
    let mut line = Line::empty();
    if short_text(real, format, digits, &mut line) {
        return out.extend_from_slice(line.as_slice());
    }
    if real.is_sign_negative() {
        out.push(b'~');
    }
    long_text(real.abs(), format, digits, out);
}

/// Writes the text of a real to an empty line; false where that asks for printf.
pub fn short_text(real: f64, format: Format, digits: usize, line: &mut Line) -> bool {
    if real.is_nan() {
        line.text(b"nan");
        return true;
    }
    if real.is_sign_negative() {
        line.byte(b'~');
    }
    let magnitude = real.abs();
    if magnitude.is_infinite() {
        line.text(b"inf");
        return true;
    }
    match format {
        Format::Shortest => general(&Decimal::shortest(magnitude), 17, line),
        Format::Exact => exact(&Decimal::shortest(magnitude), line),
        Format::ExactSingle => exact(&Decimal::shortest_single(magnitude as f32), line),
        _ if rounding_mode() != 0 => return false,
        Format::Fix => return fixed(magnitude, digits, line),
        Format::Sci => {
            if digits > 16 || magnitude == 0.0 {
                return false;
            }
            let Some(decimal) = Decimal::rounded(magnitude, digits + 1) else { return false };
            scientific(&decimal, digits, line);
        }
        Format::Gen | Format::ToString => {
            let digits = significant(format, digits);
            let Some(decimal) = Decimal::rounded(magnitude, digits) else { return false };
            general(&decimal, digits, line);
        }
    }
    true
}

/// Appends the text of a finite magnitude that [`short_text`] refuses.
fn long_text(magnitude: f64, format: Format, digits: usize, out: &mut Text) {
    match format {
        Format::Fix => out.extend_from_slice(&c_format(magnitude, b"%.*f\0", digits)),
        Format::Sci => scientific_by_c(magnitude, digits, out),
        _ => {
            let digits = significant(format, digits);
            let mut line = Line::empty();
            general(&Decimal::rounded_by_c(magnitude, digits), digits, &mut line);
            out.extend_from_slice(line.as_slice());
        }
    }
}

/// The digits that are asked for. No real has more than 17 worth printing; asking for more gives those.
fn significant(format: Format, digits: usize) -> usize {
    if format == Format::ToString { TO_STRING_DIGITS } else { digits.clamp(1, 17) }
}

/// `1.50`; false where 128 bits do not hold it.
fn fixed(magnitude: f64, digits: usize, line: &mut Line) -> bool {
    let value = if digits <= 22 { scaled(magnitude, digits as i32) } else { None };
    let Some(value) = value else { return false };
    // One digit at least stands before the point. Most numbers fit into 64 bits.
    const PART: u128 = POWERS[18];
    const END: usize = 48;
    let mut text = [b'0'; END + Line::AT_ONCE];
    let (mut at, mut rest) = (END, value);
    while rest > u128::from(u64::MAX) {
        put_digits(&mut text[..at], (rest % PART) as u64);
        (at, rest) = (at - 18, rest / PART);
    }
    let point = END - digits;
    let first = put_digits(&mut text[..at], rest as u64).min(point - 1);
    line.digits(&text[first..], point - first);
    if digits > 0 {
        line.byte(b'.');
        line.digits(&text[point..], digits);
    }
    true
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

/// `1.500E~7`, with so many digits behind the point, 16 at most.
fn scientific(decimal: &Decimal, digits: usize, line: &mut Line) {
    line.byte(decimal.digits[0]);
    if digits > 0 {
        line.byte(b'.');
        line.digits(&decimal.digits[1..], digits);
    }
    line.exponent(decimal.exponent);
}

/// Likewise, of C's text.
fn scientific_by_c(magnitude: f64, digits: usize, out: &mut Text) {
    let text = c_format(magnitude, b"%.*e\0", digits);
    let split = text.iter().position(|b| *b == b'e').unwrap_or(text.len());
    let (mantissa, tail) = text.split_at(split);
    let value = tail.iter().filter(|b| b.is_ascii_digit()).fold(0, |n, b| n * 10 + i32::from(b - b'0'));
    let mut line = Line::empty();
    line.exponent(if tail.get(1) == Some(&b'-') { -value } else { value });
    out.extend_from_slice(mantissa);
    out.extend_from_slice(line.as_slice());
}

/// Fixed-point between 0.0001 and ten to the `precision`, else scientific; always with a point or an exponent.
fn general(decimal: &Decimal, precision: usize, line: &mut Line) {
    let count = decimal.len;
    let point = decimal.exponent + 1;
    if decimal.exponent < -4 || decimal.exponent >= precision as i32 {
        line.byte(decimal.digits[0]);
        if count > 1 {
            line.byte(b'.');
            line.digits(&decimal.digits[1..], count - 1);
        }
        line.exponent(decimal.exponent);
    } else if point <= 0 {
        line.text(&b"0.000"[..2 + -point as usize]);
        line.digits(&decimal.digits, count);
    } else if count <= point as usize {
        line.digits(&decimal.digits, point as usize);
        line.text(b".0");
    } else {
        line.digits(&decimal.digits, point as usize);
        line.byte(b'.');
        line.digits(&decimal.digits[point as usize..], count - point as usize);
    }
}

/// `0.15E~6`; no exponent when it is 0; zero is `0.0`.
fn exact(decimal: &Decimal, line: &mut Line) {
    line.text(b"0.");
    line.digits(&decimal.digits, decimal.len);
    if decimal.digits[0] != b'0' && decimal.exponent != -1 {
        line.exponent(decimal.exponent + 1);
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
pub trait Parsed: core::str::FromStr + core::ops::Neg<Output = Self> + PartialEq {
    const NAN: Self;

    /// The number nearest to a mantissa times a power of ten, if that can be told by few operations.
    fn by_parts(mantissa: u64, power: i32) -> Option<Self>;
}

impl Parsed for f64 {
    const NAN: f64 = f64::NAN;

    fn by_parts(mantissa: u64, power: i32) -> Option<f64> {
        // The quotient or product of two exact numbers is rounded once. (Clinger, How to read floating point numbers
        // accurately, PLDI 1990.)
        match NEAREST[20..].get(power.unsigned_abs() as usize) {
            Some(ten) if mantissa <= 1 << 53 => {
                let mantissa = mantissa as f64;
                Some(if power < 0 { mantissa / ten } else { mantissa * ten })
            }
            _ => nearest(mantissa, power, 53),
        }
    }
}

impl Parsed for f32 {
    const NAN: f32 = f32::NAN;

    fn by_parts(mantissa: u64, power: i32) -> Option<f32> {
        // From 10^-37 up to 2^64 * 10^19 all are normal.
        if (-37..=19).contains(&power) { nearest(mantissa, power, 24).map(|real| real as f32) } else { None }
    }
}

/// The least and the largest power of five in [`FIVES`]: from 10^-307 up to 2^64 * 10^288 all reals are normal.
const LEAST_FIVE: i32 = -307;
const MOST_FIVE: i32 = 288;
/// From 0 up to this one they are exact.
const MOST_EXACT: i32 = 55;

/// Powers of five: their leading 128 bits; of what is not exact the next number of so many bits, so that is too large
/// by less than one in the last place.
const FIVES: [u128; (MOST_FIVE - LEAST_FIVE + 1) as usize] = {
    let mut fives = [0; (MOST_FIVE - LEAST_FIVE + 1) as usize];
    // The power itself: 5^288 has 669 bits.
    let mut number = [0u64; 11];
    number[0] = 1;
    let mut power = 0;
    while power <= MOST_FIVE {
        fives[(power - LEAST_FIVE) as usize] = leading(&number, power <= MOST_EXACT);
        let (mut i, mut carry) = (0, 0);
        while i < number.len() {
            let product = number[i] as u128 * 5 + carry;
            (number[i], carry) = (product as u64, product >> 64);
            i += 1;
        }
        power += 1;
    }
    // 2^895 divided by it, again and again, and rounded down each time, which is the same as once: 5^307 has 713 bits.
    let mut number = [0u64; 14];
    number[13] = 1 << 63;
    let mut power = 0;
    while power > LEAST_FIVE {
        power -= 1;
        let (mut i, mut rest) = (number.len(), 0);
        while i > 0 {
            i -= 1;
            let dividend = rest << 64 | number[i] as u128;
            (number[i], rest) = ((dividend / 5) as u64, dividend % 5);
        }
        fives[(power - LEAST_FIVE) as usize] = leading(&number, false);
    }
    fives
};

/// The leading 128 bits of a number of words, least first, and one more unless that is all of it.
const fn leading(number: &[u64], is_exact: bool) -> u128 {
    let mut top = number.len() - 1;
    while number[top] == 0 {
        top -= 1;
    }
    let mut words = [0; 3];
    let mut i = 0;
    while i < 3 && i <= top {
        words[i] = number[top - i] as u128;
        i += 1;
    }
    let zeros = words[0].leading_zeros() - 64;
    let two = words[0] << 64 | words[1];
    (two << zeros | words[2] << zeros >> 64) + !is_exact as u128
}

/// The exponents of [`FIVES`]: five to the power is so many bits times two to this power.
fn two_of_five(power: i32) -> i32 {
    // The bits of a power of five, less one: the logarithm of 5 is 2.321928.
    ((power * 152_170) >> 16) - 127
}

/// The number of so many bits that is nearest to a mantissa times a power of ten, ties to even. None where the power is
/// not in the table, or the product, which is not exact for all of them, cannot tell. (After Eisel and Lemire, Number
/// parsing at a gigabyte per second, 2021. Difference: all of the product is made, and what it cannot tell is left to
/// others.)
fn nearest(mantissa: u64, power: i32, bits: u32) -> Option<f64> {
    if mantissa == 0 {
        return Some(0.0);
    }
    if !(LEAST_FIVE..=MOST_FIVE).contains(&power) {
        return None;
    }
    let zeros = mantissa.leading_zeros();
    let factor = u128::from(mantissa << zeros);
    let five = FIVES[(power - LEAST_FIVE) as usize];
    // The upper 128 of 192 bits, and the lower 64.
    let low = factor * u128::from(five as u64);
    let product = factor * (five >> 64) + (low >> 64);
    let low = low as u64;
    let shift = 128 - product.leading_zeros() - bits;
    let (kept, half) = (product >> shift, 1u128 << (shift - 1));
    let lost = product & (half | (half - 1));
    // Where the power is not exact, the product is too large by less than one of its units.
    if !(0..=MOST_EXACT).contains(&power) && lost.wrapping_sub(half) <= 1 {
        return None;
    }
    let is_up = lost > half || lost == half && (low != 0 || kept & 1 == 1);
    // As a number of 53 bits and a power of two; the uppermost bit counts one more in the exponent.
    let two = 64 + two_of_five(power) + power - zeros as i32 + shift as i32 - (53 - bits as i32);
    let kept = (kept as u64 + u64::from(is_up)) << (53 - bits);
    Some(f64::from_bits((((two + 1074) as u64) << 52) + kept))
}

/// A real of C-like text (`~` is taken for `-`); text that is none gives nan.
pub fn parse_real<T: Parsed>(text: &[u8]) -> T {
    if let Some(real) = parts_of(text).and_then(Parts::real::<T>) {
        return if matches!(text[0], b'-' | b'~') { -real } else { real };
    }
    let plain = |text: &[u8]| core::str::from_utf8(text).ok().and_then(|t| t.parse().ok()).unwrap_or(T::NAN);
    if !text.contains(&b'~') {
        return plain(text);
    }
    plain(&text.iter().map(minus).collect::<Text>())
}

/// The first digits of a number as an integer, the power of ten behind them, and whether other digits were left out.
struct Parts {
    mantissa: u64,
    power: i32,
    is_cut: bool,
}

impl Parts {
    fn real<T: Parsed>(self) -> Option<T> {
        let real = T::by_parts(self.mantissa, self.power)?;
        // What was left out is less than one.
        if !self.is_cut || T::by_parts(self.mantissa + 1, self.power)? == real { Some(real) } else { None }
    }
}

/// The parts of a text of a number; the sign does not matter.
fn parts_of(text: &[u8]) -> Option<Parts> {
    /// So many digits fit into 64 bits, and one more than that number, too.
    const MOST_DIGITS: usize = 19;
    let text = text.strip_prefix(b"-").or(text.strip_prefix(b"~")).or(text.strip_prefix(b"+")).unwrap_or(text);
    // The digits from a place on, and where they end. A number that is too long for the mantissa is read once more.
    let digits = |mut at: usize, mut mantissa: u64| {
        while let Some(byte @ b'0'..=b'9') = text.get(at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
            at += 1;
        }
        (at, mantissa)
    };
    let (whole, mantissa) = digits(0, 0);
    let (end, mantissa) = if text.get(whole) == Some(&b'.') { digits(whole + 1, mantissa) } else { (whole, mantissa) };
    let fraction = end.saturating_sub(whole + 1);
    let power = match text.get(end) {
        None => 0,
        Some(b'e' | b'E') => match &text[end + 1..] {
            [b'-' | b'~', power @ ..] => -small(power)?,
            [b'+', power @ ..] | power => small(power)?,
        },
        Some(_) => return None,
    };
    match whole + fraction {
        0 => None,
        1..=MOST_DIGITS => Some(Parts { mantissa, power: power - fraction as i32, is_cut: false }),
        _ => Some(first_digits(&text[..end], whole, power, MOST_DIGITS)),
    }
}

/// The parts of many digits, with a point at a place, or behind them: so many from the first on that is not 0.
fn first_digits(text: &[u8], point: usize, power: i32, most: usize) -> Parts {
    let first = text.iter().position(|byte| !matches!(byte, b'0' | b'.')).unwrap_or(text.len());
    let has_point = first < point && point < first + most;
    let stop = (first + most + usize::from(has_point)).min(text.len());
    let join = |mantissa, bytes: &[u8]| bytes.iter().fold(mantissa, |n, byte| n * 10 + u64::from(byte - b'0'));
    let (mantissa, behind) = if has_point && point < stop {
        (join(join(0, &text[first..point]), &text[point + 1..stop]), stop - 1)
    } else {
        (join(0, &text[first..stop]), if first > point { stop - 1 } else { stop })
    };
    // How many digits before the point were left out, or were taken behind it.
    let power = power + point as i32 - behind as i32;
    Parts { mantissa, power, is_cut: stop < text.len() }
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

    /// Texts of up to 24 digits, ties and their neighbours among them, give what Rust's function gives.
    #[test]
    fn long_texts_are_read_right() {
        let mut random = Random::new(11);
        for round in 0..200_000 {
            let digits = match round % 4 {
                0 => format!("{}", random.word()),
                1 => format!("{}{:05}", random.word(), random.below(100_000)),
                // The middle between two reals of 64 bits, and of 32.
                2 => format!("{}", (random.word() >> 11 | 1 << 52) as u128 * 2 + 1),
                _ => format!("{}", (random.word() >> 40 | 1 << 23) * 2 + 1),
            };
            // One more or less in the last place, or zeros behind it.
            let digits = match random.below(4) {
                0 => format!("{digits}0001"),
                1 => format!("{digits}000"),
                _ => digits,
            };
            let text = match random.below(3) {
                0 => format!("{digits}e{}", random.below(700) as i32 - 370),
                1 => format!("0.000{digits}e{}", random.below(40) as i32 - 10),
                _ => format!("{}.{}", &digits[..digits.len() / 2], &digits[digits.len() / 2..]),
            };
            let expected: f64 = text.parse().unwrap();
            assert_eq!(parse_real::<f64>(text.as_bytes()).to_bits(), expected.to_bits(), "{text}");
            let expected: f32 = text.parse().unwrap();
            assert_eq!(parse_real::<f32>(text.as_bytes()).to_bits(), expected.to_bits(), "{text}");
        }
    }

    /// Each power of five gives what Rust's function gives, for mantissas of all sizes and for ties.
    #[test]
    fn powers_of_five() {
        let mut random = Random::new(13);
        for power in LEAST_FIVE - 20..=MOST_FIVE + 20 {
            for round in 0..60 {
                let mantissa = match round {
                    0..50 => random.word() >> random.below(64),
                    _ => (random.word() >> 11 | 1 << 52) * 2 + 1,
                };
                let text = format!("{mantissa}e{power}");
                let real = nearest(mantissa, power, 53);
                assert!(real.is_none_or(|real| real == text.parse().unwrap()), "{text}");
                // Few are left to others.
                assert!(real.is_some() || round >= 50 || !(LEAST_FIVE..=MOST_FIVE).contains(&power), "{text}");
                let single = f32::by_parts(mantissa, power);
                assert!(single.is_none_or(|real| real == text.parse().unwrap()), "{text}");
            }
        }
    }

    #[test]
    fn digits_eight_at_a_time() {
        let mut random = Random::new(12);
        for round in 0..100_000 {
            let number = (random.word() >> random.below(64)) % 10u64.pow(1 + round % 17);
            let (digits, len) = seventeen(number);
            let text = format!("{number:017}");
            assert_eq!(digits[..17], *text.as_bytes());
            assert!(digits[17..].iter().all(|digit| *digit == b'0'));
            assert_eq!(len.max(1), text.trim_end_matches('0').len().max(1));
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
