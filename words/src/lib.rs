//! Sums, products, squares and quotients of numbers of many words, least significant first: for the constants of a text
//! (`compiler/ast/src/digits.rs`) and the library's IntInf (`runtime/entry/src/prim/bignum.rs`).
//!
//! A row is a number times one word, added to another or taken from it: all else is made of rows. On x86-64 with BMI2
//! and ADX (since 2015) two carries run side by side in a row, one of the products, one of the sums. Products of more
//! words than [`KARATSUBA`] after Karatsuba, with differences (Brent and Zimmermann, Modern Computer Arithmetic,
//! algorithm 1.4), of more than [`TOOM`] after Toom and Cook, in three parts (the same, 1.3.3), squares by half of the
//! rows; long division after Knuth, The Art of Computer Programming, 4.3.1,
//! algorithm D, the estimates by the divisor's reciprocal (Moeller and Granlund, Improved division by invariant
//! integers, 2011).
//!
//! Differences: numbers are parts of arrays, of any length; nothing is allocated, the caller gives the room.

use core::cmp::Ordering;

/// From as many words on a product, or a square, is made of three of half the length.
pub const KARATSUBA: usize = 32;
const KARATSUBA_SQUARE: usize = 48;
/// From as many on it is made of five of a third of the length.
const TOOM: usize = 400;
const TOOM_SQUARE: usize = 600;

/// Words of room that a product needs whose shorter number has so many.
pub const fn room(words: usize) -> usize {
    8 * words + 256
}

// ----------------------------------------------------------------- rows

/// `dst += src * factor`; the carry.
///
/// # Safety
/// The source has as many words as the target, and is another object or the same place.
unsafe fn add_product(dst: &mut [u64], src: *const u64, factor: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if two_carries() {
        // SAFETY: as the caller says; the instructions are there.
        return unsafe { adx::row::<false>(dst, src, factor) };
    }
    let mut carry = 0u128;
    for (i, d) in dst.iter_mut().enumerate() {
        // SAFETY: the source is as long as the target.
        let sum = *d as u128 + unsafe { *src.add(i) } as u128 * factor as u128 + carry;
        *d = sum as u64;
        carry = sum >> 64;
    }
    carry as u64
}

/// `dst -= src * factor`; the borrow, which may be any word.
///
/// # Safety
/// As [`add_product`].
unsafe fn subtract_product(dst: &mut [u64], src: *const u64, factor: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if two_carries() {
        // SAFETY: as the caller says; the instructions are there.
        return unsafe { adx::row::<true>(dst, src, factor) };
    }
    let mut carry = 0u128;
    let mut borrow = false;
    for (i, d) in dst.iter_mut().enumerate() {
        // SAFETY: the source is as long as the target.
        let product = unsafe { *src.add(i) } as u128 * factor as u128 + carry;
        carry = product >> 64;
        let (difference, under) = d.overflowing_sub(product as u64);
        let (difference, more) = difference.overflowing_sub(borrow as u64);
        *d = difference;
        borrow = under | more;
    }
    carry as u64 + borrow as u64
}

#[cfg(target_arch = "x86_64")]
fn two_carries() -> bool {
    std::is_x86_feature_detected!("adx") && std::is_x86_feature_detected!("bmi2")
}

#[cfg(target_arch = "x86_64")]
mod adx {
    use core::arch::asm;

    /// `dst + src * factor`, or `dst - src * factor` as the complement of `!dst + src * factor`.
    ///
    /// # Safety
    /// As [`super::add_product`]; the processor has BMI2 and ADX.
    pub unsafe fn row<const MINUS: bool>(dst: &mut [u64], src: *const u64, factor: u64) -> u64 {
        let mut to = dst.as_mut_ptr();
        let mut from = src;
        let mut high = 0u64;
        for _ in 0..dst.len() % 4 {
            // SAFETY: one of the target's words, and the source's beside it.
            unsafe {
                let old = if MINUS { !*to } else { *to };
                let sum = old as u128 + *from as u128 * factor as u128 + high as u128;
                *to = if MINUS { !(sum as u64) } else { sum as u64 };
                high = (sum >> 64) as u64;
                (to, from) = (to.add(1), from.add(1));
            }
        }
        let rounds = dst.len() / 4;
        if rounds == 0 {
            return high;
        }
        // The carry of the products is CF, that of the sums OF; LEA, NOT, MOV and JRCXZ leave both alone.
        macro_rules! rows {
            ($($flip:literal),*) => {
                asm!(
                    "xor {low:e}, {low:e}",
                    "2:",
                    "mov {old}, [{to}]", $($flip,)*
                    "mulx {next}, {low}, [{from}]",
                    "adcx {low}, {high}",
                    "adox {old}, {low}", $($flip,)*
                    "mov [{to}], {old}",
                    "mov {old}, [{to} + 8]", $($flip,)*
                    "mulx {high}, {low}, [{from} + 8]",
                    "adcx {low}, {next}",
                    "adox {old}, {low}", $($flip,)*
                    "mov [{to} + 8], {old}",
                    "mov {old}, [{to} + 16]", $($flip,)*
                    "mulx {next}, {low}, [{from} + 16]",
                    "adcx {low}, {high}",
                    "adox {old}, {low}", $($flip,)*
                    "mov [{to} + 16], {old}",
                    "mov {old}, [{to} + 24]", $($flip,)*
                    "mulx {high}, {low}, [{from} + 24]",
                    "adcx {low}, {next}",
                    "adox {old}, {low}", $($flip,)*
                    "mov [{to} + 24], {old}",
                    "lea {to}, [{to} + 32]",
                    "lea {from}, [{from} + 32]",
                    "lea rcx, [rcx - 1]",
                    "jrcxz 3f",
                    "jmp 2b",
                    "3:",
                    "mov {low:e}, 0",
                    "adcx {high}, {low}",
                    "adox {high}, {low}",
                    to = inout(reg) to => _,
                    from = inout(reg) from => _,
                    low = out(reg) _,
                    next = out(reg) _,
                    old = out(reg) _,
                    high = inout(reg) high,
                    inout("rcx") rounds => _,
                    in("rdx") factor,
                    options(nostack),
                )
            };
        }
        // SAFETY: four words a round, all in the target and beside them in the source.
        unsafe { if MINUS { rows!("not {old}") } else { rows!() } }
        high
    }
}

// ------------------------------------------------- sums and differences

/// `dst += src`, with a carry that goes on to the end of the target; what is left of it.
pub fn add(dst: &mut [u64], src: &[u64]) -> bool {
    let (low, high) = dst.split_at_mut(src.len());
    let mut carry = false;
    for (d, s) in low.iter_mut().zip(src) {
        (*d, carry) = add_with_carry(*d, *s, carry);
    }
    for d in high {
        if !carry {
            break;
        }
        (*d, carry) = d.overflowing_add(1);
    }
    carry
}

/// `dst -= src`, likewise.
pub fn subtract(dst: &mut [u64], src: &[u64]) -> bool {
    let (low, high) = dst.split_at_mut(src.len());
    let mut borrow = false;
    for (d, s) in low.iter_mut().zip(src) {
        (*d, borrow) = subtract_with_borrow(*d, *s, borrow);
    }
    for d in high {
        if !borrow {
            break;
        }
        (*d, borrow) = d.overflowing_sub(1);
    }
    borrow
}

#[inline(always)]
fn add_with_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, over) = a.overflowing_add(b);
    let (sum, more) = sum.overflowing_add(carry as u64);
    (sum, over | more)
}

#[inline(always)]
fn subtract_with_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, under) = a.overflowing_sub(b);
    let (difference, more) = difference.overflowing_sub(borrow as u64);
    (difference, under | more)
}

/// Order of two numbers of one length.
pub fn compare(a: &[u64], b: &[u64]) -> Ordering {
    a.iter().rev().cmp(b.iter().rev())
}

/// `dst = |a - b|`, where b may be shorter; whether b is the larger one.
fn difference(dst: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let is_less = a[b.len()..].iter().all(|word| *word == 0) && compare(&a[..b.len()], b) == Ordering::Less;
    if is_less {
        dst[..b.len()].copy_from_slice(b);
        dst[b.len()..].fill(0);
        subtract(&mut dst[..b.len()], &a[..b.len()]);
    } else {
        dst.copy_from_slice(a);
        subtract(dst, b);
    }
    is_less
}

// ------------------------------------------------------------- products

/// The product of two numbers, the first of which is not shorter, to a target of as many words as both have.
/// The room is as [`room`] says of the shorter one.
pub fn product(dst: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = b.len();
    if core::ptr::eq(a, b) {
        square(dst, a, scratch);
    } else if n < KARATSUBA {
        by_rows(dst, a, b);
    } else if a.len() == n && n >= TOOM {
        toom(dst, a, b, scratch);
    } else if a.len() == n {
        karatsuba(dst, a, b, scratch);
    } else {
        // Pieces of the shorter one's length.
        dst.fill(0);
        let (part, scratch) = scratch.split_at_mut(2 * n);
        for (i, piece) in a.chunks(n).enumerate() {
            let part = &mut part[..n + piece.len()];
            product(part, b, piece, scratch);
            add(&mut dst[i * n..], part);
        }
    }
}

fn by_rows(dst: &mut [u64], a: &[u64], b: &[u64]) {
    let n = a.len();
    dst[..n].fill(0);
    for (j, factor) in b.iter().enumerate() {
        // SAFETY: a has as many words as the part of the target.
        dst[j + n] = unsafe { add_product(&mut dst[j..j + n], a.as_ptr(), *factor) };
    }
}

/// Numbers of one length n >= 4: a = a1 x + a0, b = b1 x + b0, where a1 and b1 may be a word shorter.
fn karatsuba(dst: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = a.len();
    let k = n.div_ceil(2);
    let ((a0, a1), (b0, b1)) = (a.split_at(k), b.split_at(k));
    let (da, db) = dst.split_at_mut(k);
    let minus = difference(da, a0, a1) == difference(&mut db[..k], b0, b1);
    let (middle, rest) = scratch.split_at_mut(2 * k);
    product(middle, da, &db[..k], rest);
    let (low, high) = dst.split_at_mut(2 * k);
    product(low, a0, b0, rest);
    product(high, a1, b1, rest);
    join(dst, k, middle, minus, rest);
}

/// From z0 and z2, which stand in the target, and the product of the differences: z0 + z2 -+ that one, added in the
/// middle.
fn join(dst: &mut [u64], k: usize, middle: &[u64], minus: bool, rest: &mut [u64]) {
    let sum = &mut rest[..2 * k + 1];
    sum[..2 * k].copy_from_slice(&dst[..2 * k]);
    sum[2 * k] = 0;
    add(sum, &dst[2 * k..]);
    if minus {
        subtract(sum, middle);
    } else {
        add(sum, middle);
    }
    // The upper words are zeros where the target has no more.
    let used = (dst.len() - k).min(2 * k + 1);
    add(&mut dst[k..], &sum[..used]);
}

fn square(dst: &mut [u64], a: &[u64], scratch: &mut [u64]) {
    let n = a.len();
    if n < KARATSUBA_SQUARE {
        return square_by_rows(dst, a);
    }
    if n >= TOOM_SQUARE {
        return toom(dst, a, a, scratch);
    }
    let k = n.div_ceil(2);
    let (a0, a1) = a.split_at(k);
    let (d, _) = dst.split_at_mut(k);
    difference(d, a0, a1);
    let (middle, rest) = scratch.split_at_mut(2 * k);
    square(middle, d, rest);
    let (low, high) = dst.split_at_mut(2 * k);
    square(low, a0, rest);
    square(high, a1, rest);
    join(dst, k, middle, true, rest);
}

/// Numbers of one length n: a = a2 x^2 + a1 x + a0 and b likewise, where a2 and b2 may be shorter. The product has five
/// coefficients c0 .. c4, none of them negative; five products are the values of both polynomials at 0, 1, -1, 2, and
/// the highest coefficient.
fn toom(dst: &mut [u64], a: &[u64], b: &[u64], scratch: &mut [u64]) {
    let n = a.len();
    let k = n.div_ceil(3);
    let m = k + 1;
    let is_square = core::ptr::eq(a, b);
    let (values, rest) = scratch.split_at_mut(8 * m);
    let (value_a, values) = values.split_at_mut(m);
    let (value_b, values) = values.split_at_mut(m);
    let (one, values) = values.split_at_mut(2 * m);
    let (minus_one, two) = values.split_at_mut(2 * m);
    // The product of both values at a point; whether it is negative.
    let mut at = |to: &mut [u64], value: &dyn Fn(&mut [u64], &[u64]) -> bool, rest: &mut [u64]| {
        let minus = value(value_a, a);
        if is_square {
            square(to, value_a, rest);
            return false;
        }
        let minus = minus != value(value_b, b);
        product(to, value_a, value_b, rest);
        minus
    };
    at(one, &|to, a| sum_of_thirds(to, a, k, false), rest);
    let is_minus = at(minus_one, &|to, a| alternating_sum_of_thirds(to, a, k), rest);
    at(two, &|to, a| sum_of_thirds(to, a, k, true), rest);
    let (low, high) = dst.split_at_mut(4 * k);
    if is_square {
        square(&mut low[..2 * k], &a[..k], rest);
        square(high, &a[2 * k..], rest);
    } else {
        product(&mut low[..2 * k], &a[..k], &b[..k], rest);
        product(high, &a[2 * k..], &b[2 * k..], rest);
    }
    // (p(2) - p(-1)) / 3 = c1 + c2 + 3 c3 + 5 c4, and (p(1) - p(-1)) / 2 = c1 + c3.
    if is_minus {
        add(two, minus_one);
        add(minus_one, one);
    } else {
        subtract(two, minus_one);
        negate(minus_one);
        add(minus_one, one);
    }
    third(two);
    half(minus_one);
    // c1 + c2 + c3 + c4, then c3 + 2 c4.
    subtract(one, &low[..2 * k]);
    subtract(two, one);
    half(two);
    // c2, c3, c1.
    subtract(one, minus_one);
    subtract(one, high);
    subtract(two, high);
    subtract(two, high);
    subtract(minus_one, two);
    low[2 * k..].fill(0);
    for (i, coefficient) in [minus_one, one, two].into_iter().enumerate() {
        let to = &mut dst[(i + 1) * k..];
        // The upper words are zeros where the target has no more.
        let used = to.len().min(2 * m);
        add(to, &coefficient[..used]);
    }
}

/// `dst = a0 + a1 + a2` of a number's parts of k words, or `a0 + 2 a1 + 4 a2`; dst has a word more. It is not negative.
fn sum_of_thirds(dst: &mut [u64], a: &[u64], k: usize, at_two: bool) -> bool {
    let (low, rest) = a.split_at(k);
    let (middle, high) = rest.split_at(k);
    dst[..high.len()].copy_from_slice(high);
    dst[high.len()..].fill(0);
    for part in [middle, low] {
        if at_two {
            twice(dst);
        }
        add(dst, part);
    }
    false
}

/// `dst = |a0 - a1 + a2|`, likewise; whether it is negative.
fn alternating_sum_of_thirds(dst: &mut [u64], a: &[u64], k: usize) -> bool {
    let (low, rest) = a.split_at(k);
    let (middle, high) = rest.split_at(k);
    dst[..k].copy_from_slice(low);
    dst[k] = 0;
    add(dst, high);
    let is_less = subtract(dst, middle);
    if is_less {
        negate(dst);
    }
    is_less
}

/// `0 - number`, as both are in so many words.
fn negate(number: &mut [u64]) {
    number.iter_mut().for_each(|word| *word = !*word);
    add(number, &[1]);
}

fn twice(number: &mut [u64]) {
    let mut out = 0;
    for word in number {
        (*word, out) = (*word << 1 | out, *word >> 63);
    }
}

fn half(number: &mut [u64]) {
    let mut out = 0;
    for word in number.iter_mut().rev() {
        (*word, out) = (*word >> 1 | out, *word << 63);
    }
}

/// Of a multiple of three, from its lowest word on: by the inverse of 3 modulo 2^64.
fn third(number: &mut [u64]) {
    const INVERSE: u64 = 0xaaaa_aaaa_aaaa_aaab;
    let mut carry = 0;
    for word in number {
        let (rest, under) = word.overflowing_sub(carry);
        *word = rest.wrapping_mul(INVERSE);
        carry = ((*word as u128 * 3) >> 64) as u64 + under as u64;
    }
}

/// Each product of two different words once, doubled; then the squares.
fn square_by_rows(dst: &mut [u64], a: &[u64]) {
    let n = a.len();
    dst.fill(0);
    for i in 0..n {
        // SAFETY: the words behind the i-th one.
        dst[i + n] = unsafe { add_product(&mut dst[2 * i + 1..i + n], a.as_ptr().add(i + 1), a[i]) };
    }
    let (mut carry, mut out) = (0, 0);
    for i in 0..n {
        let square = a[i] as u128 * a[i] as u128;
        let (low, high) = (dst[2 * i], dst[2 * i + 1]);
        let sum = (low << 1 | out) as u128 + (square as u64) as u128 + carry as u128;
        dst[2 * i] = sum as u64;
        let sum = (high << 1 | low >> 63) as u128 + (square >> 64) + (sum >> 64);
        dst[2 * i + 1] = sum as u64;
        (carry, out) = ((sum >> 64) as u64, high >> 63);
    }
}

// ------------------------------------------------------------ quotients

/// What stands for the division by a word whose uppermost bit is set: (2^128 - 1) / word - 2^64.
#[derive(Clone, Copy)]
pub struct Reciprocal {
    word: u64,
    inverse: u64,
}

impl Reciprocal {
    pub fn of(word: u64) -> Reciprocal {
        Reciprocal { word, inverse: (u128::MAX / word as u128) as u64 }
    }

    /// Quotient and remainder of two words, the upper of which is below the divisor.
    #[inline(always)]
    pub fn divide(self, high: u64, low: u64) -> (u64, u64) {
        let estimate = (self.inverse as u128 * high as u128).wrapping_add((high as u128) << 64 | low as u128);
        let mut quotient = ((estimate >> 64) as u64).wrapping_add(1);
        let mut rest = low.wrapping_sub(quotient.wrapping_mul(self.word));
        // One too large in half of the cases: no branch could be foretold.
        let over = u64::from(rest > estimate as u64).wrapping_neg();
        quotient = quotient.wrapping_add(over);
        rest = rest.wrapping_add(over & self.word);
        if rest >= self.word {
            seldom();
            quotient = quotient.wrapping_add(1);
            rest -= self.word;
        }
        (quotient, rest)
    }
}

/// Tells the compiler that a branch is seldom taken.
#[cold]
fn seldom() {}

/// `high` with the bits of the word below coming in.
#[inline(always)]
fn shifted(high: u64, low: u64, bits: u32) -> u64 {
    high << bits | low >> 1 >> (63 - bits)
}

/// Divides in place by a word, which is above `rest`, a word that stands above the number; the remainder.
pub fn divide_by_word(dst: &mut [u64], divisor: u64, rest: u64) -> u64 {
    let Some(&last) = dst.last() else { return rest };
    // The number and the divisor are shifted until the divisor's uppermost bit is set; so the remainder is, too.
    let bits = divisor.leading_zeros();
    let reciprocal = Reciprocal::of(divisor << bits);
    let mut rest = shifted(rest, last, bits);
    let mut high = last;
    for i in (0..dst.len()).rev() {
        let low = if i == 0 { 0 } else { dst[i - 1] };
        (dst[i], rest) = reciprocal.divide(rest, shifted(high, low, bits));
        high = low;
    }
    rest >> bits
}

/// One digit of a long division: u, which is less than v shifted by a word, is reduced modulo v. `top` is of v's last
/// word.
pub fn digit(u: &mut [u64], v: &[u64], top: Reciprocal) -> u64 {
    let n = v.len();
    let second = v[n - 2];
    // D3: estimate from the leading words; at most two too large, after the test with the third word one.
    let (mut digit, mut rest, mut rest_fits) = if u[n] >= top.word {
        let rest = u[n - 1] as u128 + top.word as u128;
        (u64::MAX, rest as u64, rest >> 64 == 0)
    } else {
        let (q, r) = top.divide(u[n], u[n - 1]);
        (q, r, true)
    };
    while rest_fits && digit as u128 * second as u128 > (rest as u128) << 64 | u[n - 2] as u128 {
        digit -= 1;
        let (sum, over) = rest.overflowing_add(top.word);
        (rest, rest_fits) = (sum, !over);
    }
    // D4: multiply and subtract.
    let (low, high) = u.split_at_mut(n);
    // SAFETY: v has as many words as the part of u.
    let borrow = unsafe { subtract_product(low, v.as_ptr(), digit) };
    let is_less = high[0] < borrow;
    high[0] = high[0].wrapping_sub(borrow);
    // D6: one too many.
    if is_less {
        digit -= 1;
        high[0] = high[0].wrapping_add(add(low, v) as u64);
    }
    digit
}

/// Montgomery's reduction (Menezes, van Oorschot and Vanstone, Handbook of Applied Cryptography, 14.32): multiples of
/// v's n words are added to u's 2 n until the lower n are 0. `inverse` is -1 / v modulo a word, so v is odd. The carry
/// out of the upper n words, which are then, with it, u divided by 2^(64 n) modulo v.
pub fn reduce(u: &mut [u64], v: &[u64], inverse: u64) -> bool {
    let n = v.len();
    let mut carry = false;
    for i in 0..n {
        let factor = u[i].wrapping_mul(inverse);
        // SAFETY: v has as many words as the part of u.
        let high = unsafe { add_product(&mut u[i..i + n], v.as_ptr(), factor) };
        (u[i + n], carry) = add_with_carry(u[i + n], high, carry);
    }
    carry
}

#[cfg(test)]
mod tests {
    use leat_random::Random;

    use super::*;

    /// Many words of all zeros and all ones: the carries that go on, and the estimates that fail, are there.
    fn number(random: &mut Random, n: usize) -> Vec<u64> {
        let word = |random: &mut Random| match random.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            _ => random.word(),
        };
        (0..n).map(|_| word(random)).collect()
    }

    fn plain(a: &[u64], b: &[u64]) -> Vec<u64> {
        let mut out = vec![0; a.len() + b.len()];
        for (j, factor) in b.iter().enumerate() {
            let mut carry = 0u128;
            for (i, word) in a.iter().enumerate() {
                let sum = out[i + j] as u128 + *word as u128 * *factor as u128 + carry;
                out[i + j] = sum as u64;
                carry = sum >> 64;
            }
            out[j + a.len()] = carry as u64;
        }
        out
    }

    /// The instructions for two carries say the same as the loops for any processor.
    #[test]
    fn rows() {
        let random = &mut Random::new(2);
        for n in 0..40 {
            for _ in 0..200 {
                let (a, d, f) = (number(random, n), number(random, n), number(random, 1)[0]);
                let (mut sum, mut minus) = (d.clone(), d.clone());
                // SAFETY: all have n words.
                let (carry, borrow) =
                    unsafe { (add_product(&mut sum, a.as_ptr(), f), subtract_product(&mut minus, a.as_ptr(), f)) };
                let mut whole = plain(&a, &[f]);
                if n == 0 {
                    whole = vec![0];
                }
                let mut expected = d.clone();
                expected.push(0);
                add(&mut expected, &whole);
                sum.push(carry);
                assert_eq!(sum, expected);
                // What was taken away, added again.
                minus.push(borrow.wrapping_neg());
                add(&mut minus, &whole);
                assert_eq!(minus[..n], d[..]);
                assert_eq!(minus[n], 0);
            }
        }
    }

    #[test]
    fn products_and_squares() {
        let random = &mut Random::new(3);
        for round in 0..440 {
            let n = match round {
                0..380 => 1 + round % 150,
                380..400 => 300 + round % 150,
                // In three parts, and those again.
                _ => TOOM - 20 + random.below(if round < 430 { 300 } else { 4 * TOOM }),
            };
            let m = n + match round % 4 {
                0 => 0,
                1 => random.below(3),
                _ => random.below(3 * n),
            };
            let (a, b) = (number(random, m), number(random, n));
            let mut scratch = vec![u64::MAX; room(m)];
            let mut dst = vec![7; m + n];
            product(&mut dst, &a, &b, &mut scratch[..room(n)]);
            assert_eq!(dst, plain(&a, &b), "{m} * {n}");
            let mut dst = vec![7; 2 * m];
            product(&mut dst, &a, &a, &mut scratch);
            assert_eq!(dst, plain(&a, &a), "{m} squared");
        }
    }

    #[test]
    fn reciprocals() {
        let random = &mut Random::new(4);
        for _ in 0..100_000 {
            let word = number(random, 1)[0] | 1 << 63;
            let (high, low) = (number(random, 1)[0] % word, number(random, 1)[0]);
            let whole = (high as u128) << 64 | low as u128;
            let (q, r) = Reciprocal::of(word).divide(high, low);
            assert_eq!((q as u128, r as u128), (whole / word as u128, whole % word as u128));
        }
    }

    #[test]
    fn reductions() {
        let random = &mut Random::new(6);
        for round in 0..2_000 {
            let n = 1 + round % 40;
            let (mut v, u) = (number(random, n), number(random, 2 * n));
            v[0] |= 1;
            // Newton's: each step doubles the number of bits that are right.
            let inverse = (0..6).fold(1u64, |x, _| x.wrapping_mul(2u64.wrapping_sub(v[0].wrapping_mul(x))));
            assert_eq!(v[0].wrapping_mul(inverse), 1);
            let mut reduced = u.clone();
            let carry = reduce(&mut reduced, &v, inverse.wrapping_neg());
            assert!(reduced[..n].iter().all(|word| *word == 0));
            // What was added is a multiple of v: the quotient's words are found again from the lowest on.
            reduced.push(carry as u64);
            assert!(!subtract(&mut reduced, &u));
            for i in 0..=n {
                let factor = reduced[i].wrapping_mul(inverse);
                let mut product = plain(&v, &[factor]);
                product.truncate(2 * n + 1 - i);
                assert!(!subtract(&mut reduced[i..], &product), "{n} words");
            }
            assert!(reduced.iter().all(|word| *word == 0), "{n} words");
        }
    }

    #[test]
    fn quotients_by_a_word() {
        let random = &mut Random::new(5);
        for round in 0..20_000 {
            let n = round % 9;
            let divisor = (number(random, 1)[0] >> random.below(64)).max(1);
            let (number, above) = (number(random, n), number(random, 1)[0] % divisor);
            let (mut quotient, mut expected) = (number.clone(), number);
            let mut rest = above;
            for word in expected.iter_mut().rev() {
                let whole = (rest as u128) << 64 | *word as u128;
                (*word, rest) = ((whole / divisor as u128) as u64, (whole % divisor as u128) as u64);
            }
            assert_eq!(divide_by_word(&mut quotient, divisor, above), rest, "{n} words by {divisor}");
            assert_eq!(quotient, expected);
        }
    }
}
