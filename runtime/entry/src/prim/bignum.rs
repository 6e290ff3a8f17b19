//! Kernels of arithmetic on numbers of many words, for the library's IntInf; and reals of 32 bits.
//!
//! Leaves: called directly on the SML stack, linear in the length (`leat_mp_mul`: quadratic, the library calls it on short
//! numbers only), so that the loops with safepoints are the library's. Words stand least significant first.
//! Long division after Knuth, The Art of Computer Programming, 4.3.1, algorithm D.

/// The words of a raw array from an index on.
///
/// # Safety
/// The range lies in the array; nobody else holds a view of it.
unsafe fn words<'a>(array: u64, index: u64, count: u64) -> &'a mut [u64] {
    // SAFETY: as the caller says.
    unsafe { core::slice::from_raw_parts_mut((array as *mut u64).add(index as usize), count as usize) }
}

/// Like [`words`], for sources, which may be the same array elsewhere.
unsafe fn source(array: u64, index: u64) -> *const u64 {
    // SAFETY: as the caller says.
    unsafe { (array as *const u64).add(index as usize) }
}

/// Adds in place.
///
/// # Safety
/// Called by the library, with ranges inside the arrays and `sn <= dn`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_add(dst: u64, di: u64, dn: u64, src: u64, si: u64, sn: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let (dst, src) = (words(dst, di, dn), source(src, si));
        let mut carry = false;
        for (i, d) in dst[..sn as usize].iter_mut().enumerate() {
            let (sum, over) = d.overflowing_add(*src.add(i));
            let (sum, more) = sum.overflowing_add(carry as u64);
            *d = sum;
            carry = over | more;
        }
        for d in &mut dst[sn as usize..] {
            if !carry {
                break;
            }
            (*d, carry) = d.overflowing_add(1);
        }
        carry as u64
    }
}

/// Subtracts in place.
///
/// # Safety
/// As [`leat_mp_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_sub(dst: u64, di: u64, dn: u64, src: u64, si: u64, sn: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let (dst, src) = (words(dst, di, dn), source(src, si));
        let mut borrow = false;
        for (i, d) in dst[..sn as usize].iter_mut().enumerate() {
            let (difference, under) = d.overflowing_sub(*src.add(i));
            let (difference, more) = difference.overflowing_sub(borrow as u64);
            *d = difference;
            borrow = under | more;
        }
        for d in &mut dst[sn as usize..] {
            if !borrow {
                break;
            }
            (*d, borrow) = d.overflowing_sub(1);
        }
        borrow as u64
    }
}

/// `dst += src * factor`; the carry.
unsafe fn add_product(dst: &mut [u64], src: *const u64, factor: u64) -> u64 {
    let mut carry = 0u128;
    for (i, d) in dst.iter_mut().enumerate() {
        // SAFETY: the source is as long as the target.
        let sum = *d as u128 + unsafe { *src.add(i) } as u128 * factor as u128 + carry;
        *d = sum as u64;
        carry = sum >> 64;
    }
    carry as u64
}

/// The product, by rows.
///
/// # Safety
/// As [`leat_mp_add`]; the target is neither of the sources.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_mul(dst: u64, a: u64, ai: u64, an: u64, b: u64, bi: u64, bn: u64) {
    // SAFETY: as the caller says.
    unsafe {
        let dst = words(dst, 0, an + bn);
        let (a, b) = (source(a, ai), source(b, bi));
        let (an, bn) = (an as usize, bn as usize);
        dst[..an].fill(0);
        for j in 0..bn {
            dst[j + an] = add_product(&mut dst[j..j + an], a, *b.add(j));
        }
    }
}

/// `dst * factor + addend`, in place.
///
/// # Safety
/// As [`leat_mp_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_mul_word(dst: u64, n: u64, factor: u64, addend: u64) -> u64 {
    let mut carry = addend as u128;
    // SAFETY: as the caller says.
    for d in unsafe { words(dst, 0, n) } {
        let product = *d as u128 * factor as u128 + carry;
        *d = product as u64;
        carry = product >> 64;
    }
    carry as u64
}

/// Divides in place; the remainder.
///
/// # Safety
/// As [`leat_mp_add`]; the divisor is not 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_div_word(dst: u64, n: u64, divisor: u64) -> u64 {
    let mut rest = 0;
    // SAFETY: as the caller says.
    for d in unsafe { words(dst, 0, n) }.iter_mut().rev() {
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

/// Shifts to the left in place by less than a word; the bits shifted out.
///
/// # Safety
/// As [`leat_mp_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_shl(dst: u64, n: u64, bits: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mut out = 0;
    // SAFETY: as the caller says.
    for d in unsafe { words(dst, 0, n) } {
        let word = *d;
        *d = word << bits | out;
        out = word >> (64 - bits);
    }
    out
}

/// Shifts to the right in place by less than a word; the bits shifted out, at the upper end.
///
/// # Safety
/// As [`leat_mp_add`].
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_shr(dst: u64, n: u64, bits: u64) -> u64 {
    if bits == 0 {
        return 0;
    }
    let mut out = 0;
    // SAFETY: as the caller says.
    for d in unsafe { words(dst, 0, n) }.iter_mut().rev() {
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
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_compare(a: u64, ai: u64, b: u64, bi: u64, n: u64) -> i64 {
    // SAFETY: as the caller says.
    let (a, b) = unsafe { (source(a, ai), source(b, bi)) };
    for i in (0..n as usize).rev() {
        // SAFETY: as above.
        let (x, y) = unsafe { (*a.add(i), *b.add(i)) };
        if x != y {
            return if x < y { -1 } else { 1 };
        }
    }
    0
}

/// One digit of a long division: u's words j to j + n, which are less than v shifted by a word, are reduced modulo v.
///
/// # Safety
/// As [`leat_mp_add`]; `n >= 2`, the uppermost bit of v is set, u has `j + n + 1` words.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_mp_div_step(u: u64, j: u64, v: u64, n: u64) -> u64 {
    // SAFETY: as the caller says.
    unsafe {
        let n = n as usize;
        let u = words(u, j, n as u64 + 1);
        let v = core::slice::from_raw_parts(v as *const u64, n);
        let (top, second) = (v[n - 1], v[n - 2]);
        // D3: estimate from the leading words; at most two too large, after the test with the third word one.
        let (mut digit, mut rest, mut rest_fits) = if u[n] >= top {
            let rest = u[n - 1] as u128 + top as u128;
            (u64::MAX, rest as u64, rest >> 64 == 0)
        } else {
            let (q, r) = divide(u[n], u[n - 1], top);
            (q, r, true)
        };
        while rest_fits && digit as u128 * second as u128 > (rest as u128) << 64 | u[n - 2] as u128 {
            digit -= 1;
            let (sum, over) = rest.overflowing_add(top);
            (rest, rest_fits) = (sum, !over);
        }
        // D4: multiply and subtract.
        let mut carry = 0u128;
        let mut borrow = false;
        for i in 0..n {
            let product = v[i] as u128 * digit as u128 + carry;
            carry = product >> 64;
            let (difference, under) = u[i].overflowing_sub(product as u64);
            let (difference, more) = difference.overflowing_sub(borrow as u64);
            u[i] = difference;
            borrow = under | more;
        }
        let (difference, under) = u[n].overflowing_sub(carry as u64);
        let (difference, more) = difference.overflowing_sub(borrow as u64);
        u[n] = difference;
        // D6: one too many.
        if under | more {
            digit -= 1;
            let mut carry = false;
            for i in 0..n {
                let (sum, over) = u[i].overflowing_add(v[i]);
                let (sum, more) = sum.overflowing_add(carry as u64);
                u[i] = sum;
                carry = over | more;
            }
            u[n] = u[n].wrapping_add(carry as u64);
        }
        digit
    }
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
            // SAFETY: all ranges lie in the vectors.
            unsafe {
                for j in (0..=m).rev() {
                    q[j] = leat_mp_div_step(u.as_mut_ptr() as u64, j as u64, at(&v), n as u64);
                }
                assert!(u[n..].iter().all(|w| *w == 0));
                assert_eq!(leat_mp_compare(at(&u), 0, at(&v), 0, n as u64), -1);
                let mut product = vec![0u64; m + 1 + n];
                leat_mp_mul(product.as_mut_ptr() as u64, at(&q), 0, m as u64 + 1, at(&v), 0, n as u64);
                let carry = leat_mp_add(product.as_mut_ptr() as u64, 0, (m + 1 + n) as u64, at(&u), 0, n as u64);
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
            assert_eq!(leat_mp_shl(p, 2, 1), 0);
            assert_eq!(a, [10, 7]);
            assert_eq!(leat_mp_shr(p, 2, 2), 2 << 62);
            assert_eq!(a, [3 << 62 | 2, 1]);
            assert_eq!(leat_mp_mul_word(p, 2, u64::MAX, 7), 1);
            assert!(leat_mp_div_word(p, 2, 10) < 10);
        }
    }
}
