//! Arithmetic on numbers of many words, for the library's IntInf: the kernels of `leat_words`, on parts of arrays.
//!
//! Leaves: called directly on the SML stack. The library asks for pieces of some ten microseconds, so that the loops
//! with safepoints are the library's ([`piece`] looks whether it does). Words stand least significant first.

use leat_words::{self as words, Reciprocal};

/// Words in one call of what is linear in the length; products of two words in one call of the others.
const WORDS: u64 = 16_384;
const PRODUCTS: u64 = 200_000;

/// The work of a call is that of a piece: a library that asks for more would hold up everybody who wants to collect.
#[inline(always)]
fn piece(work: u64, most: u64) {
    assert!(work <= most, "{work} words at once are too many");
}

/// The words of a raw array from an index on.
///
/// # Safety
/// The range lies in the array; nobody else holds a view of it.
unsafe fn part<'a>(array: u64, index: u64, count: u64) -> &'a mut [u64] {
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts_mut((array as *mut u64).add(index as usize), count as usize) }
}

/// Like [`part`], for sources, which nobody changes meanwhile.
unsafe fn source<'a>(array: u64, index: u64, count: u64) -> &'a [u64] {
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts((array as *const u64).add(index as usize), count as usize) }
}

/// Adds in place.
///
/// # Safety
/// Called by the library, with ranges inside the arrays and `sn <= dn`.
pub unsafe fn leat_mp_add(dst: u64, di: u64, dn: u64, src: u64, si: u64, sn: u64) -> u64 {
    piece(dn, WORDS);
    // SAFETY: as the caller says.
    unsafe { words::add(part(dst, di, dn), source(src, si, sn)) as u64 }
}

/// Subtracts in place.
///
/// # Safety
/// As [`leat_mp_add`].
pub unsafe fn leat_mp_sub(dst: u64, di: u64, dn: u64, src: u64, si: u64, sn: u64) -> u64 {
    piece(dn, WORDS);
    // SAFETY: as the caller says.
    unsafe { words::subtract(part(dst, di, dn), source(src, si, sn)) as u64 }
}

/// The product.
///
/// # Safety
/// As [`leat_mp_add`]; the target is neither of the sources, and the room is another array, as large as
/// [`words::room`] says of the shorter source if that has [`words::KARATSUBA`] words or more.
#[allow(clippy::too_many_arguments, reason = "parts of three arrays, and the room")]
pub unsafe fn leat_mp_mul(dst: u64, a: u64, ai: u64, an: u64, b: u64, bi: u64, bn: u64, room: u64) {
    piece(an * bn, PRODUCTS);
    // SAFETY: as the caller says.
    unsafe {
        let dst = part(dst, 0, an + bn);
        let (a, b) = (source(a, ai, an), source(b, bi, bn));
        let (a, b) = if an >= bn { (a, b) } else { (b, a) };
        let needed = if b.len() < words::KARATSUBA { 0 } else { words::room(b.len()) };
        words::product(dst, a, b, part(room, 0, needed as u64));
    }
}

/// `dst * factor + addend`, in place.
///
/// # Safety
/// As [`leat_mp_add`].
pub unsafe fn leat_mp_mul_word(dst: u64, n: u64, factor: u64, addend: u64) -> u64 {
    piece(n, WORDS);
    let mut carry = addend as u128;
    // SAFETY: as the caller says.
    for d in unsafe { part(dst, 0, n) } {
        let product = *d as u128 * factor as u128 + carry;
        *d = product as u64;
        carry = product >> 64;
    }
    carry as u64
}

/// For so many words a reciprocal of the divisor does not pay: to make it is a division of two words, too.
const FEW: u64 = 3;

/// Divides in place, with this word above; the remainder.
///
/// # Safety
/// As [`leat_mp_add`]; the divisor is greater than `rest`.
pub unsafe fn leat_mp_div_word(dst: u64, di: u64, n: u64, divisor: u64, mut rest: u64) -> u64 {
    piece(n, WORDS);
    if n > FEW {
        // SAFETY: as the caller says.
        return leat_words::divide_by_word(unsafe { part(dst, di, n) }, divisor, rest);
    }
    // SAFETY: as the caller says.
    for d in unsafe { part(dst, di, n) }.iter_mut().rev() {
        // SAFETY: the rest is below the divisor.
        (*d, rest) = unsafe { divide(rest, *d, divisor) };
    }
    rest
}

/// Quotient and remainder of two words by one, where the upper word is below the divisor.
#[inline(always)]
unsafe fn divide(high: u64, low: u64, divisor: u64) -> (u64, u64) {
    #[cfg(target_arch = "x86_64")]
    {
        let (quotient, rest);
        // SAFETY: the quotient fits, as the caller says; the instruction touches registers only.
        unsafe {
            core::arch::asm!("div {}", in(reg) divisor, inlateout("rax") low => quotient, inlateout("rdx") high => rest,
                options(pure, nomem, nostack));
        }
        (quotient, rest)
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let value = (high as u128) << 64 | low as u128;
        ((value / divisor as u128) as u64, (value % divisor as u128) as u64)
    }
}

/// Shifts to the left in place by less than a word: `out` comes in below; the bits shifted out.
///
/// # Safety
/// As [`leat_mp_add`].
pub unsafe fn leat_mp_shl(dst: u64, di: u64, n: u64, bits: u64, mut out: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    piece(n, WORDS);
    // SAFETY: as the caller says.
    for d in unsafe { part(dst, di, n) } {
        let word = *d;
        *d = word << bits | out;
        out = word >> (64 - bits);
    }
    out
}

/// Shifts to the right in place by less than a word: `out`, at the upper end, comes in above; the bits shifted out,
/// likewise.
///
/// # Safety
/// As [`leat_mp_add`].
pub unsafe fn leat_mp_shr(dst: u64, di: u64, n: u64, bits: u64, mut out: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    piece(n, WORDS);
    // SAFETY: as the caller says.
    for d in unsafe { part(dst, di, n) }.iter_mut().rev() {
        let word = *d;
        *d = word >> bits | out;
        out = word << (64 - bits);
    }
    out
}

/// Order of two numbers of one length.
///
/// # Safety
/// As [`leat_mp_add`].
pub unsafe fn leat_mp_compare(a: u64, ai: u64, b: u64, bi: u64, n: u64) -> i64 {
    piece(n, WORDS);
    // SAFETY: as the caller says.
    let (a, b) = unsafe { (source(a, ai, n), source(b, bi, n)) };
    words::compare(a, b) as i64
}

/// Digits of a long division, the first one at the upper end.
///
/// # Safety
/// As [`leat_mp_add`]; `n >= 2`, the uppermost bit of v is set, u has `n + m` words, the uppermost n of them less than
/// v.
#[allow(clippy::too_many_arguments, reason = "parts of three arrays")]
pub unsafe fn leat_mp_div_digits(q: u64, qi: u64, u: u64, ui: u64, v: u64, vi: u64, n: u64, m: u64) {
    // One digit of a number that is longer is a piece, too.
    piece(if m == 1 { 0 } else { n * m }, PRODUCTS);
    // SAFETY: as the caller says; the three are different arrays.
    unsafe {
        let (q, u, v) = (part(q, qi, m), part(u, ui, n + m), source(v, vi, n));
        let top = Reciprocal::of(v[v.len() - 1]);
        for j in (0..m as usize).rev() {
            q[j] = words::digit(&mut u[j..j + v.len() + 1], v, top);
        }
    }
}

/// Montgomery's reduction.
///
/// # Safety
/// As [`leat_mp_add`]; u has `2 * n` words, v has n, and is another array.
pub unsafe fn leat_mp_reduce(u: u64, v: u64, n: u64, inverse: u64) -> u64 {
    piece(n * n, PRODUCTS);
    // SAFETY: as the caller says.
    unsafe { words::reduce(part(u, 0, 2 * n), source(v, 0, n), inverse) as u64 }
}

#[cfg(test)]
mod tests {
    use leat_random::Random;

    use super::*;

    /// Quotient and remainder are what multiplied and added give the dividend again.
    #[test]
    fn division_is_undone_by_multiplication() {
        let mut random = Random::new(1);
        // Many words of all zeros and all ones: the estimates that fail are there.
        let mut next = || match random.below(8) {
            0 => 0,
            1 => u64::MAX,
            2 => 1 << 63,
            _ => random.word(),
        };
        for round in 0..20_000 {
            let n = 2 + round % 4;
            let m = 1 + round / 4 % 4;
            let mut v: Vec<u64> = (0..n).map(|_| next()).collect();
            v[n - 1] |= 1 << 63;
            let mut u: Vec<u64> = (0..n + m).map(|_| next()).collect();
            u.push(0);
            let dividend = u.clone();
            let mut q = vec![0u64; m + 1];
            let at = |x: &Vec<u64>| x.as_ptr() as u64;
            // SAFETY: all ranges lie in the vectors; the uppermost word of u is 0.
            unsafe {
                let (qp, up) = (q.as_mut_ptr() as u64, u.as_mut_ptr() as u64);
                leat_mp_div_digits(qp, 0, up, 0, at(&v), 0, n as u64, m as u64 + 1);
                assert!(u[n..].iter().all(|word| *word == 0));
                assert_eq!(leat_mp_compare(up, 0, at(&v), 0, n as u64), -1);
                let mut product = vec![0u64; m + 1 + n];
                leat_mp_mul(product.as_mut_ptr() as u64, qp, 0, m as u64 + 1, at(&v), 0, n as u64, at(&v));
                let carry = leat_mp_add(product.as_mut_ptr() as u64, 0, (m + 1 + n) as u64, up, 0, n as u64);
                assert_eq!((carry, product), (0, dividend));
            }
        }
    }

    #[test]
    fn shifts_and_words() {
        let mut a = [1u64 << 63 | 5, 3];
        let p = a.as_mut_ptr() as u64;
        // SAFETY: two words.
        unsafe {
            assert_eq!(leat_mp_shl(p, 0, 2, 1, 0), 0);
            assert_eq!(a, [10, 7]);
            assert_eq!(leat_mp_shr(p, 0, 2, 2, 0), 2 << 62);
            assert_eq!(a, [3 << 62 | 2, 1]);
            // One word after the other, as in one go.
            let mut b = a;
            let q = b.as_mut_ptr() as u64;
            let high = leat_mp_shl(p, 0, 2, 5, 3);
            assert_eq!(leat_mp_shl(q, 1, 1, 5, leat_mp_shl(q, 0, 1, 5, 3)), high);
            assert_eq!((a, a[0] & 31), (b, 3));
            let low = leat_mp_shr(p, 0, 2, 9, 7 << 55);
            assert_eq!(leat_mp_shr(q, 0, 1, 9, leat_mp_shr(q, 1, 1, 9, 7 << 55)), low);
            assert_eq!((a, a[1] >> 55), (b, 7));
            assert_eq!(
                leat_mp_div_word(q, 0, 1, 10, leat_mp_div_word(q, 1, 1, 10, 3)),
                leat_mp_div_word(p, 0, 2, 10, 3)
            );
            assert_eq!(a, b);
            let mut c = [3u64 << 62 | 2, 1];
            let p = c.as_mut_ptr() as u64;
            assert_eq!(leat_mp_mul_word(p, 2, u64::MAX, 7), 1);
            assert!(leat_mp_div_word(p, 0, 2, 10, 0) < 10);
        }
    }
}
