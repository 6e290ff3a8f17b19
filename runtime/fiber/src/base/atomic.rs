//! The atomics of the threads' rules: those of the standard library. In this crate's own tests each access is also a
//! place where another worker may come in between, if the test says so (`crate::explored`).
//!
//! In the tests the types have the same layout, so compiled code, the stubs and `from_ptr` see no difference.

pub(crate) use std::sync::atomic::Ordering;

#[cfg(not(test))]
pub(crate) use std::hint::spin_loop;
#[cfg(not(test))]
pub(crate) use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU8, AtomicU16, AtomicU32, AtomicU64, AtomicUsize};
#[cfg(not(test))]
pub(crate) use std::thread::yield_now;

#[cfg(not(test))]
pub(crate) use crate::stub::ticks;

/// Another worker may come in here.
#[cfg(not(test))]
#[inline(always)]
pub(crate) fn step() {}

#[cfg(test)]
pub(crate) use tests::*;

#[cfg(test)]
mod tests {
    use std::sync::atomic::{self, Ordering};

    pub(crate) use crate::explored::step;
    use crate::explored::{is_broken, time, wait};

    pub(crate) fn spin_loop() {
        wait();
    }

    pub(crate) fn yield_now() {
        wait();
    }

    pub(crate) fn ticks() -> u64 {
        time().unwrap_or_else(crate::stub::ticks)
    }

    macro_rules! stepping {
        ($name:ident$(<$T:ident>)?, $of:ty) => {
            #[repr(transparent)]
            pub(crate) struct $name$(<$T>)?(atomic::$name$(<$T>)?);

            #[allow(dead_code, reason = "each type has what one of them needs")]
            impl$(<$T>)? $name$(<$T>)? {
                pub(crate) const fn new(value: $of) -> Self {
                    Self(atomic::$name::new(value))
                }

                /// # Safety
                /// As the standard library's.
                pub(crate) unsafe fn from_ptr<'a>(at: *mut $of) -> &'a Self {
                    // SAFETY: the caller's promise; the type is transparent.
                    unsafe { &*at.cast::<Self>() }
                }

                pub(crate) const fn as_ptr(&self) -> *mut $of {
                    self.0.as_ptr()
                }

                pub(crate) fn load(&self, ordering: Ordering) -> $of {
                    step();
                    self.0.load(ordering)
                }

                pub(crate) fn store(&self, value: $of, ordering: Ordering) {
                    step();
                    self.0.store(value, ordering)
                }

                pub(crate) fn swap(&self, value: $of, ordering: Ordering) -> $of {
                    step();
                    if is_broken() {
                        let old = self.0.load(Ordering::SeqCst);
                        step();
                        self.0.store(value, Ordering::SeqCst);
                        return old;
                    }
                    self.0.swap(value, ordering)
                }

                pub(crate) fn compare_exchange(
                    &self, old: $of, new: $of, success: Ordering, failure: Ordering,
                ) -> Result<$of, $of> {
                    step();
                    if is_broken() {
                        let found = self.0.load(Ordering::SeqCst);
                        if found != old {
                            return Err(found);
                        }
                        step();
                        self.0.store(new, Ordering::SeqCst);
                        return Ok(old);
                    }
                    self.0.compare_exchange(old, new, success, failure)
                }
            }
        };
    }

    macro_rules! counting {
        ($($name:ident: $of:ty),*) => { $(
            stepping!($name, $of);

            impl Default for $name {
                fn default() -> Self {
                    Self::new(0)
                }
            }

            #[allow(dead_code, reason = "each type has what one of them needs")]
            impl $name {
                pub(crate) fn fetch_or(&self, bits: $of, ordering: Ordering) -> $of {
                    step();
                    self.0.fetch_or(bits, ordering)
                }

                pub(crate) fn fetch_and(&self, bits: $of, ordering: Ordering) -> $of {
                    step();
                    self.0.fetch_and(bits, ordering)
                }

                pub(crate) fn fetch_add(&self, more: $of, ordering: Ordering) -> $of {
                    step();
                    self.0.fetch_add(more, ordering)
                }
            }
        )* };
    }

    counting!(AtomicU8: u8, AtomicU16: u16, AtomicU32: u32, AtomicU64: u64, AtomicUsize: usize);
    stepping!(AtomicBool, bool);
    stepping!(AtomicPtr<T>, *mut T);

    impl Default for AtomicBool {
        fn default() -> Self {
            Self::new(false)
        }
    }
}
