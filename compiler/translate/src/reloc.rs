//! Filling an address into machine code.

use cranelift_codegen::binemit::Reloc as Kind;

use crate::options::Error;

/// Fills in the reference at `bytes[at]`, whose address is `place`, to the address `to` (addend included).
pub(crate) fn apply(kind: Kind, bytes: &mut [u8], at: usize, place: u64, to: u64) -> Result<(), Error> {
    let far = || Error("code and data lie too far apart".into());
    let delta = to.wrapping_sub(place) as i64;
    let mut put32 = |value: u32| bytes[at..at + 4].copy_from_slice(&value.to_le_bytes());
    match kind {
        Kind::X86PCRel4 | Kind::X86CallPCRel4 | Kind::X86CallPLTRel4 => {
            put32(i32::try_from(delta).map_err(|_| far())? as u32);
        }
        Kind::Abs8 => bytes[at..at + 8].copy_from_slice(&to.to_le_bytes()),
        Kind::Arm64Call => {
            if delta.unsigned_abs() >= 1 << 27 {
                return Err(far());
            }
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            bytes[at..at + 4].copy_from_slice(&(old & !0x03ff_ffff | (delta >> 2) as u32 & 0x03ff_ffff).to_le_bytes());
        }
        Kind::Aarch64AdrPrelPgHi21 => {
            let pages = ((to & !0xfff) as i64).wrapping_sub((place & !0xfff) as i64) >> 12;
            if pages.unsigned_abs() >= 1 << 20 {
                return Err(far());
            }
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            let (low, high) = ((pages & 3) as u32, (pages >> 2 & 0x7ffff) as u32);
            bytes[at..at + 4].copy_from_slice(&(old & 0x9f00_001f | low << 29 | high << 5).to_le_bytes());
        }
        Kind::Aarch64AddAbsLo12Nc => {
            let old = u32::from_le_bytes(bytes[at..at + 4].try_into().expect("four bytes"));
            bytes[at..at + 4].copy_from_slice(&(old | ((to & 0xfff) as u32) << 10).to_le_bytes());
        }
        other => return Err(Error(format!("a relocation of kind {other:?} is not expected"))),
    }
    Ok(())
}
