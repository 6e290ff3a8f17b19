//! Addresses in machine code: filling one in, and how an ELF object asks for it.

use cranelift_codegen::binemit::Reloc as Kind;
use object::elf;

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

/// The number of the relocation that is an address of so many bytes, on this architecture.
pub(crate) fn absolute(bytes: u8) -> u32 {
    match (cfg!(target_arch = "aarch64"), bytes) {
        (false, 4) => elf::R_X86_64_32,
        (false, _) => elf::R_X86_64_64,
        (true, 4) => elf::R_AARCH64_ABS32,
        (true, _) => elf::R_AARCH64_ABS64,
    }
}

/// The number of the relocation for a place in the code; `undefined`: of a symbol that is not in the object.
pub(crate) fn relative(kind: Kind, undefined: bool) -> Result<u32, Error> {
    match kind {
        // The address of an undefined function may be that of a jump to it.
        Kind::X86CallPCRel4 | Kind::X86CallPLTRel4 if undefined => Ok(elf::R_X86_64_PLT32),
        Kind::X86PCRel4 | Kind::X86CallPCRel4 | Kind::X86CallPLTRel4 => Ok(elf::R_X86_64_PC32),
        Kind::Arm64Call => Ok(elf::R_AARCH64_CALL26),
        Kind::Aarch64AdrPrelPgHi21 => Ok(elf::R_AARCH64_ADR_PREL_PG_HI21),
        Kind::Aarch64AddAbsLo12Nc => Ok(elf::R_AARCH64_ADD_ABS_LO12_NC),
        Kind::Abs8 => Ok(absolute(8)),
        other => Err(Error(format!("a relocation of kind {other:?} is not expected"))),
    }
}
