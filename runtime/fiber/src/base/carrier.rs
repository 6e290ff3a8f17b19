//! Carriers: the OS threads that carry workers. A worker has one of its own; a bound thread has one too, to which its
//! worker goes when the thread's turn comes (see `bound`).
//!
//! ```text
//!            GO, NEXT: a worker comes                  END
//!  WAITING --------------------------> carries    WAITING ----> over
//!     ^                                   |
//!     +------ gives it to another one ----+
//! ```
//!
//! While a carrier waits its C stack is empty: it waits where it was entered, at `base`. What the runtime's functions
//! had there when the worker was given away is given up, and the stack of the thread that runs next is resumed as any
//! stub would. So a carrier can carry one worker after another, and one that a fork has left behind is replaced by a
//! new one.
//!
//! After GHC's bound threads (Marlow, Peyton Jones and Thaller, Extending the Haskell Foreign Function Interface with
//! Concurrency, Haskell Workshop 2004) and Go's `LockOSThread`.

use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::host::Host;
use crate::base::lane::has_room;
use crate::base::reference::Ref;
use crate::stub;

/// Bytes of address space for a carrier's C stack: as much as workers have.
const STACK: usize = 8 << 20;

/// What a carrier is told, in [`Carrier::told`].
const WAITING: u32 = 0;
/// The worker's block says which stack goes on.
const GO: u32 = 1;
/// The worker looks for the next thread.
const NEXT: u32 = 2;
const END: u32 = 3;

/// What a worker's new carrier does first.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum First {
    Resumes,
    Chooses,
}

/// An OS thread that can carry a worker.
pub(crate) struct Carrier {
    /// Stack pointer of the frame that it was entered by. Its own.
    base: UnsafeCell<usize>,
    /// Whoever tells it something sets this, it takes it.
    told: AtomicU32,
    /// The worker's block. Written before `told`.
    tcb: AtomicPtr<Tcb>,
    /// To wake it; there before it waits.
    handle: OnceLock<std::thread::Thread>,
    /// The bound thread, by its object and its number; none and 0 for a worker's own. A weak reference: see
    /// [`Carriers::after_collection`].
    thread: AtomicU64,
    id: u64,
    /// A fork has left it behind.
    is_lost: AtomicBool,
    /// In the child of a fork: it has become the worker's own.
    is_only: AtomicBool,
    host: &'static dyn Host,
}

// SAFETY: `base` is written by the carrier's own OS thread before anybody gives it a worker or reads it; the rest is
// atomic or constant.
unsafe impl Sync for Carrier {}
// SAFETY: as above.
unsafe impl Send for Carrier {}

/// What [`leat_fiber_carried`] answers, in two registers.
#[repr(C)]
pub(crate) struct Turn {
    /// None: it is over.
    tcb: *mut Tcb,
    /// The worker looks for the next thread (1), or its block says which stack goes on (0).
    chooses: u64,
}

impl Carrier {
    fn new(host: &'static dyn Host, thread: Ref<Thread>, id: u64) -> Carrier {
        Carrier {
            base: UnsafeCell::new(0),
            told: AtomicU32::new(WAITING),
            tcb: AtomicPtr::default(),
            handle: OnceLock::new(),
            thread: AtomicU64::new(thread.word()),
            id,
            is_lost: AtomicBool::new(false),
            is_only: AtomicBool::new(false),
            host,
        }
    }

    /// A worker's own; lives as long as the process.
    pub(crate) fn own(host: &'static dyn Host) -> *const Carrier {
        Box::leak(Box::new(Carrier::new(host, Ref::NONE, 0)))
    }

    /// Where `enter` leaves its stack pointer.
    pub(crate) fn base_slot(&self) -> *mut usize {
        self.base.get()
    }

    /// Stack pointer of the frame by which it is left.
    ///
    /// # Safety
    /// It was entered.
    pub(crate) unsafe fn base(&self) -> usize {
        // SAFETY: the caller's promise: nobody writes it any more.
        unsafe { *self.base.get() }
    }

    /// The bound thread, or none when the collector has found it dead.
    pub(crate) fn thread(&self) -> Ref<Thread> {
        Ref::of(self.thread.load(Ordering::Relaxed))
    }

    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The caller, on this OS thread, will wait for something to be told to it.
    pub(crate) fn can_be_woken(&self) {
        self.handle.get_or_init(std::thread::current);
    }

    /// Gives it a worker. From here on the worker is the other OS thread's.
    pub(crate) fn give(&self, tcb: *mut Tcb, first: First) {
        self.tcb.store(tcb, Ordering::Relaxed);
        self.tell(if first == First::Chooses { NEXT } else { GO });
    }

    /// It ends as soon as it waits.
    pub(crate) fn end(&self) {
        self.tell(END);
    }

    fn tell(&self, what: u32) {
        self.told.store(what, Ordering::SeqCst);
        // One that has no handle yet looks at `told` after it has got it.
        fence(Ordering::SeqCst);
        if let Some(handle) = self.handle.get() {
            handle.unpark();
        }
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.is_lost.load(Ordering::Relaxed)
    }

    /// In the child of a fork, which has this OS thread only.
    pub(crate) fn become_only(&self) {
        self.is_only.store(true, Ordering::Relaxed);
    }
}

/// Waits until a worker is given to this carrier, or its end has come. Called by the assembly, with nothing above
/// `base`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn leat_fiber_carried(carrier: *const Carrier) -> Turn {
    // SAFETY: the OS thread's own carrier, which it keeps.
    let carrier = unsafe { &*carrier };
    carrier.can_be_woken();
    loop {
        fence(Ordering::SeqCst);
        match carrier.told.swap(WAITING, Ordering::SeqCst) {
            WAITING => std::thread::park(),
            END => return Turn { tcb: std::ptr::null_mut(), chooses: 0 },
            told => {
                let tcb = carrier.tcb.load(Ordering::Relaxed);
                // SAFETY: the worker is this OS thread's now.
                unsafe { carrier.host.carried(tcb) };
                return Turn { tcb, chooses: u64::from(told == NEXT) };
            }
        }
    }
}

/// The carriers of bound threads, by the threads' numbers.
#[derive(Default)]
pub(crate) struct Carriers {
    map: Mutex<HashMap<u64, Arc<Carrier>>>,
    /// OS threads that have not ended.
    alive: Mutex<usize>,
    fewer: Condvar,
}

/// What a carrier's OS thread begins with.
struct Start {
    carrier: Arc<Carrier>,
    carriers: &'static Carriers,
}

impl Carriers {
    fn lock(&self) -> MutexGuard<'_, HashMap<u64, Arc<Carrier>>> {
        self.map.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count(&self) -> MutexGuard<'_, usize> {
        self.alive.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes an OS thread for this thread; or gives the system's error number.
    pub(crate) fn start(
        &'static self,
        host: &'static dyn Host,
        thread: Ref<Thread>,
        id: u64,
    ) -> Result<Arc<Carrier>, i32> {
        let carrier = Arc::new(Carrier::new(host, thread, id));
        let start = Box::into_raw(Box::new(Start { carrier: carrier.clone(), carriers: self }));
        // Held until it is there: so it is counted before it can end, and two workers do not both find the last room.
        let mut alive = self.count();
        // SAFETY: the structures are plain data; the function owns what it is given. (An OS thread of the standard
        // library's would panic if there were no memory for its stack of signals.)
        let error = unsafe {
            if has_room(STACK) {
                let mut attributes: libc::pthread_attr_t = std::mem::zeroed();
                libc::pthread_attr_init(&mut attributes);
                libc::pthread_attr_setstacksize(&mut attributes, STACK);
                libc::pthread_attr_setdetachstate(&mut attributes, libc::PTHREAD_CREATE_DETACHED);
                let mut handle = std::mem::zeroed();
                let error = libc::pthread_create(&mut handle, &attributes, carry, start.cast());
                libc::pthread_attr_destroy(&mut attributes);
                error
            } else {
                libc::EAGAIN
            }
        };
        if error != 0 {
            // SAFETY: it has not been given away.
            drop(unsafe { Box::from_raw(start) });
            return Err(error);
        }
        *alive += 1;
        drop(alive);
        self.lock().insert(id, carrier.clone());
        Ok(carrier)
    }

    /// That of a bound thread; none in the child of a fork that the thread has made, where it runs on the worker's own.
    pub(crate) fn find(&self, id: u64) -> Option<Arc<Carrier>> {
        self.lock().get(&id).cloned()
    }

    /// The thread has ended: its carrier ends as soon as it waits.
    pub(crate) fn end(&self, id: u64) {
        let carrier = self.lock().remove(&id);
        if let Some(carrier) = carrier {
            carrier.end();
        }
    }

    /// Mends the references after a collection. The carriers of dead threads end.
    pub(crate) fn after_collection(&self, forward: impl Fn(Ref<Thread>) -> Option<Ref<Thread>>) {
        self.lock().retain(|_, carrier| {
            let now = forward(carrier.thread());
            carrier.thread.store(now.unwrap_or(Ref::NONE).word(), Ordering::Relaxed);
            if now.is_none() {
                carrier.end();
            }
            now.is_some()
        });
    }

    /// All carriers end; comes back when they have. No worker is at one.
    pub(crate) fn end_all(&self) {
        self.lock().drain().for_each(|(_, carrier)| carrier.end());
        let mut alive = self.count();
        while *alive > 0 {
            alive = self.fewer.wait(alive).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// In the child of a fork: all have stayed behind but the caller's, if it is one.
    pub(crate) fn after_fork(&self, own: u64) {
        let mut map = self.lock();
        map.remove(&own);
        map.values().for_each(|carrier| carrier.is_lost.store(true, Ordering::Relaxed));
        *self.count() = 0;
    }

    /// Forks by `fork` with the locks held: in the child nobody else would give them back.
    pub(crate) fn around_fork<T>(&self, fork: impl FnOnce() -> T) -> T {
        let _alive = self.count();
        let _map = self.lock();
        fork()
    }
}

/// A carrier's OS thread, from its beginning to its end.
extern "C" fn carry(start: *mut c_void) -> *mut c_void {
    // SAFETY: what `start` has left for it.
    let Start { carrier, carriers } = *unsafe { Box::from_raw(start.cast::<Start>()) };
    name(carrier.id);
    carrier.host.carrier_started(&mut || {
        // SAFETY: the carrier lives as long as this function has it.
        unsafe { stub::leat_fiber_carry(Arc::as_ptr(&carrier).cast(), carrier.base_slot()) };
        if carrier.is_only.load(Ordering::Relaxed) {
            // The program is over.
            carrier.host.ended_in_child();
        }
    });
    drop(carrier);
    *carriers.count() -= 1;
    carriers.fewer.notify_all();
    std::ptr::null_mut()
}

/// What tools show of the calling OS thread.
fn name(id: u64) {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    if let Ok(name) = std::ffi::CString::new(format!("thread {id}")) {
        // SAFETY: the text lives; one that is too long is refused.
        unsafe { libc::pthread_setname_np(libc::pthread_self(), name.as_ptr()) };
    }
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = id;
}
