//! The block of words by which a call goes to C: what it says, and the call.

use leat_abi::foreign::block;

use crate::service::here::Word;

unsafe extern "C" {
    /// Calls the function of the block.
    fn leat_foreign_call(block: *mut u64);
}

/// The block of a call, which compiled code has filled in as far as it says, and leaves alone while C runs.
#[derive(Clone, Copy)]
pub struct Block(*mut u64);

impl Word for Block {
    #[inline(always)]
    unsafe fn of(word: u64) -> Block {
        Block(word as *mut u64)
    }
}

impl Block {
    pub fn flags(self) -> u64 {
        self.get(block::FLAGS)
    }

    pub fn get(self, word: usize) -> u64 {
        // SAFETY: every block has these words.
        unsafe { *self.0.add(word) }
    }

    /// Calls its function.
    pub fn go(self) {
        let wants_errno = self.flags() & block::WANTS_ERRNO != 0;
        // SAFETY: the block is filled in, and nobody else's meanwhile.
        unsafe {
            if wants_errno {
                *libc::__errno_location() = 0;
            }
            leat_foreign_call(self.0);
            if wants_errno {
                *self.0.add(block::ERRNO) = *libc::__errno_location() as u64;
            }
        }
    }
}

// SAFETY: it is used by one OS thread at a time.
unsafe impl Send for Block {}
