//! Digests of strings: the functions of blocks of MD5, SHA-1 and SHA-2, and CRC-32.
//!
//! Leaves: the library (`lib/leat/digest.sml`) cuts off blocks, asks for some kilobytes at a time, and pads the end. A
//! chain is an array of 64-bit words, also where the digest's words have 32 bits.
//!
//! Nothing here is referenced by a program that does not use these primitives, so the linker drops all of it.

/// The chain of a digest whose words have 32 bits, changed by some blocks.
///
/// # Safety
/// The chain is an array of N words; the string has so many blocks from the index on.
unsafe fn narrow<const N: usize>(
    compress: impl Fn(&mut [u32; N], &[[u8; 64]]),
    chain: u64,
    text: u64,
    at: u64,
    count: u64,
) {
    // SAFETY: as the caller says; nothing collects meanwhile, and a string is no array of words.
    unsafe {
        let words = &mut *(chain as *mut [u64; N]);
        let blocks = core::slice::from_raw_parts((text + at) as *const [u8; 64], count as usize);
        let mut state = words.map(|word| word as u32);
        compress(&mut state, blocks);
        *words = state.map(u64::from);
    }
}

/// Blocks of MD5.
///
/// # Safety
/// Called by the library, with a chain of 4 words and blocks that lie in the string.
pub unsafe fn leat_digest_md5(chain: u64, text: u64, at: u64, count: u64) {
    // SAFETY: as the caller says.
    unsafe { narrow(md5::block_api::compress, chain, text, at, count) }
}

/// Blocks of SHA-1.
///
/// # Safety
/// As [`leat_digest_md5`], with a chain of 5 words.
pub unsafe fn leat_digest_sha1(chain: u64, text: u64, at: u64, count: u64) {
    // SAFETY: as the caller says.
    unsafe { narrow(sha1::block_api::compress, chain, text, at, count) }
}

/// Blocks of SHA-224 and SHA-256.
///
/// # Safety
/// As [`leat_digest_md5`], with a chain of 8 words.
pub unsafe fn leat_digest_sha256(chain: u64, text: u64, at: u64, count: u64) {
    // SAFETY: as the caller says.
    unsafe { narrow(sha2::block_api::compress256, chain, text, at, count) }
}

/// Blocks of SHA-384 and SHA-512, of 128 bytes.
///
/// # Safety
/// As [`leat_digest_md5`], with a chain of 8 words.
pub unsafe fn leat_digest_sha512(chain: u64, text: u64, at: u64, count: u64) {
    // SAFETY: as the caller says; nothing collects meanwhile, and a string is no array of words.
    unsafe {
        let blocks = core::slice::from_raw_parts((text + at) as *const [u8; 128], count as usize);
        sha2::block_api::compress512(&mut *(chain as *mut [u64; 8]), blocks);
    }
}

/// CRC-32 of bytes behind others.
///
/// # Safety
/// Called by the library, with bytes that lie in the string.
pub unsafe fn leat_digest_crc32(before: u64, text: u64, at: u64, count: u64) -> u64 {
    // SAFETY: as the caller says; nothing collects meanwhile.
    let bytes = unsafe { core::slice::from_raw_parts((text + at) as *const u8, count as usize) };
    let mut sum = crc32fast::Hasher::new_with_initial(before as u32);
    sum.update(bytes);
    u64::from(sum.finalize())
}
