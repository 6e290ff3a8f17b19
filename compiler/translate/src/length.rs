//! Machine code -> how long its next instruction is: for counting instructions.
//!
//! After Intel's manual, volume 2, appendix A: prefixes, opcode map, ModRM, immediate. What Cranelift writes is
//! understood, AVX and AVX-512 included; the crates that know every instruction bring a megabyte of tables.

/// Bytes of the first instruction; none if this is no whole one.
#[cfg(target_arch = "x86_64")]
pub(crate) fn length(code: &[u8]) -> Option<usize> {
    let byte = |at: usize| code.get(at).copied();
    let (mut at, mut operand16) = (0, false);
    loop {
        match byte(at)? {
            0x66 => operand16 = true,
            0x67 | 0xf0 | 0xf2 | 0xf3 | 0x2e | 0x36 | 0x3e | 0x26 | 0x64 | 0x65 => {}
            _ => break,
        }
        at += 1;
    }
    let mut wide = false;
    if let rex @ 0x40..=0x4f = byte(at)? {
        wide = rex & 8 != 0;
        at += 1;
    }
    // (map, opcode)
    let (map, opcode) = match byte(at)? {
        0x0f => match byte(at + 1)? {
            0x38 => (2, (at += 3, byte(at - 1)?).1),
            0x3a => (3, (at += 3, byte(at - 1)?).1),
            two => (1, (at += 2, two).1),
        },
        0xc5 => (1, (at += 3, byte(at - 1)?).1),
        0xc4 => (byte(at + 1)? & 0x1f, (at += 4, byte(at - 1)?).1),
        0x62 => (byte(at + 1)? & 7, (at += 5, byte(at - 1)?).1),
        one => (0, (at += 1, one).1),
    };
    let word = if operand16 { 2 } else { 4 };
    let has_modrm = match map {
        0 => {
            matches!(opcode, 0x63 | 0x69 | 0x6b | 0x80..=0x8f | 0xc0 | 0xc1 | 0xc6 | 0xc7 | 0xd0..=0xd3 | 0xd8..=0xdf)
                || matches!(opcode, 0xf6 | 0xf7 | 0xfe | 0xff)
                || opcode < 0x40 && opcode & 7 < 4
        }
        1 => {
            !matches!(opcode, 0x05 | 0x0b | 0x30..=0x33 | 0x77 | 0x80..=0x8f | 0xa0..=0xa2 | 0xa8..=0xaa | 0xc8..=0xcf)
        }
        _ => true,
    };
    let mut immediate = match (map, opcode) {
        (0, _) if opcode < 0x40 && opcode & 7 == 4 => 1,
        (0, _) if opcode < 0x40 && opcode & 7 == 5 => word,
        (0, 0x68 | 0x69 | 0x81 | 0xc7 | 0xa9) => word,
        (
            0,
            0x6a
            | 0x6b
            | 0x70..=0x7f
            | 0x80
            | 0x83
            | 0xa8
            | 0xb0..=0xb7
            | 0xc0
            | 0xc1
            | 0xc6
            | 0xcd
            | 0xe0..=0xe7
            | 0xeb,
        ) => 1,
        (0, 0xb8..=0xbf) if wide => 8,
        (0, 0xb8..=0xbf) => word,
        (0, 0xe8 | 0xe9) => 4,
        (0, 0xc2) => 2,
        (1, 0x80..=0x8f) => 4,
        (1, 0x70..=0x73 | 0xa4 | 0xac | 0xba | 0xc2 | 0xc4..=0xc6) => 1,
        (3, _) => 1,
        _ => 0,
    };
    if has_modrm {
        let modrm = byte(at)?;
        at += 1;
        let (mode, register, rm) = (modrm >> 6, modrm >> 3 & 7, modrm & 7);
        if map == 0 && register < 2 {
            // test, of the group of not, neg, mul and div.
            match opcode {
                0xf6 => immediate = 1,
                0xf7 => immediate = word,
                _ => {}
            }
        }
        let mut base = rm;
        if mode < 3 && rm == 4 {
            base = byte(at)? & 7;
            at += 1;
        }
        at += match mode {
            0 if base == 5 => 4,
            1 => 1,
            2 => 4,
            _ => 0,
        };
    }
    at += immediate;
    (at <= code.len()).then_some(at)
}

/// All are of one length.
#[cfg(not(target_arch = "x86_64"))]
pub(crate) fn length(code: &[u8]) -> Option<usize> {
    (code.len() >= 4).then_some(4)
}

#[cfg(all(test, target_arch = "x86_64"))]
mod tests {
    use super::length;

    #[test]
    fn instructions_of_all_shapes() {
        for code in [
            &[0x90][..],                                       // nop
            &[0x55],                                           // push rbp
            &[0xc3],                                           // ret
            &[0x48, 0x89, 0xe5],                               // mov rbp, rsp
            &[0x48, 0x8b, 0x44, 0x24, 0x08],                   // mov rax, [rsp + 8]
            &[0x48, 0x8b, 0x84, 0x24, 0, 1, 0, 0],             // mov rax, [rsp + 256]
            &[0x4c, 0x8d, 0x1d, 0, 0, 0, 0],                   // lea r11, [rip]
            &[0x49, 0x81, 0x87, 0x98, 0, 0, 0, 1, 0, 0, 0],    // add qword [r15 + 0x98], 1
            &[0x48, 0x83, 0xc0, 0x01],                         // add rax, 1
            &[0x48, 0x05, 1, 0, 0, 0],                         // add rax, 1
            &[0x48, 0xb8, 1, 2, 3, 4, 5, 6, 7, 8],             // mov rax, imm64
            &[0xb8, 1, 2, 3, 4],                               // mov eax, imm32
            &[0x66, 0xb8, 1, 2],                               // mov ax, imm16
            &[0x0f, 0x84, 0, 0, 0, 0],                         // je
            &[0x74, 0],                                        // je
            &[0xe9, 0, 0, 0, 0],                               // jmp
            &[0xff, 0xd0],                                     // call rax
            &[0xff, 0x10],                                     // call [rax]
            &[0x0f, 0x0b],                                     // ud2
            &[0x0f, 0xb6, 0xc0],                               // movzx eax, al
            &[0x0f, 0x94, 0xc0],                               // sete al
            &[0xf2, 0x0f, 0x10, 0x05, 0, 0, 0, 0],             // movsd xmm0, [rip]
            &[0x66, 0x0f, 0x3a, 0x0b, 0xc1, 0x04],             // roundsd
            &[0x66, 0x0f, 0x38, 0x17, 0xc1],                   // ptest
            &[0xc5, 0xf9, 0x6f, 0x04, 0x24],                   // vmovdqa xmm0, [rsp]
            &[0xc4, 0xe3, 0x79, 0x0b, 0xc1, 0x04],             // vroundsd
            &[0xc4, 0xe2, 0x70, 0xf2, 0xc2],                   // andn
            &[0xc5, 0xf9, 0x73, 0xd0, 0x08],                   // vpsrlq xmm0, xmm0, 8
            &[0x48, 0xf7, 0xe1],                               // mul rcx
            &[0x48, 0xf7, 0xc1, 1, 0, 0, 0],                   // test rcx, 1
            &[0xf6, 0xc1, 0x01],                               // test cl, 1
            &[0x48, 0xa9, 1, 0, 0, 0],                         // test rax, 1
            &[0xf0, 0x48, 0x0f, 0xb1, 0x0a],                   // lock cmpxchg [rdx], rcx
            &[0xf3, 0x48, 0x0f, 0xb8, 0xc1],                   // popcnt rax, rcx
            &[0x48, 0x0f, 0xba, 0xe0, 0x05],                   // bt rax, 5
            &[0x48, 0x99],                                     // cqo
            &[0x48, 0x63, 0x04, 0x88],                         // movsxd rax, [rax + 4 * rcx]
            &[0x62, 0xf1, 0xfd, 0x48, 0x6f, 0x44, 0x24, 0x01], // vmovdqa64 zmm0, [rsp + 64]
            &[0x62, 0xf1, 0xfd, 0x48, 0x6f, 0xc1],             // vmovdqa64 zmm0, zmm1
            &[0x62, 0xf1, 0xfd, 0x48, 0x73, 0xd1, 0x08],       // vpsrlq zmm0, zmm1, 8
        ] {
            let mut long = code.to_vec();
            assert_eq!(length(&long), Some(code.len()), "{code:x?}");
            long.extend([0xcc; 16]);
            assert_eq!(length(&long), Some(code.len()), "{code:x?}");
            assert_eq!(length(&code[..code.len() - 1]).filter(|&n| n == code.len()), None, "{code:x?}");
        }
    }
}
