//! Time: a timer of each worker sends a signal a millisecond; its handler notes the stack, with the processor time that
//! the worker has used since the last one. So a worker that waits for a processor, or in the kernel, is charged for
//! nothing.
//!
//! The timer goes by the clock on the wall: those of processor time are as coarse as the kernel's tick, four
//! milliseconds as a rule. A worker without a thread to run stops its timer.

use core::ptr;
use core::sync::atomic::{AtomicBool, AtomicI32, AtomicPtr, AtomicU32, Ordering};
use std::sync::Mutex;

use leat_abi::tcb::Tcb;
use leat_fiber::sample::{Found, Interrupted, Sampled, sample};
use leat_fiber::worker::MAX_WORKERS;

use crate::profile::tree::{COLLECTOR, DEEPER, KERNEL, Key, NO_THREAD, RUNTIME, Tree};
use crate::state::os_thread::{interrupted, os_thread};

/// Nanoseconds between two samples: a prime, so that no loop of the program keeps step.
const PERIOD: i64 = 1_000_003;
/// Nanoseconds of processor time below which a signal takes no sample.
const LEAST: u64 = PERIOD as u64 / 2;
/// Most frames of a stack, recursion folded, and most frames that are walked for them: 20,000 took a fifth of a deep
/// recursion's time.
const FRAMES: usize = 1000;
const WALKED: usize = 4_000;

/// One worker's samples. The handler on the worker's OS thread alone, while the timer lives.
struct Sampler {
    tcb: *mut Tcb,
    timer: libc::timer_t,
    /// The OS thread that the worker is at; 0 while it goes to another one, and if that could have no timer.
    os_thread: AtomicI32,
    tree: Tree,
    /// Processor time at the last sample.
    last: u64,
    threads: bool,
    /// The stack of the sample under way, innermost first.
    frames: [Key; FRAMES],
    /// The handler runs.
    busy: AtomicBool,
}

/// Whether time is sampled.
pub(super) static TIME: AtomicBool = AtomicBool::new(false);
/// Workers that are about a collection.
static COLLECTING: AtomicU32 = AtomicU32::new(0);

static SAMPLERS: [AtomicPtr<Sampler>; MAX_WORKERS] = [const { AtomicPtr::new(ptr::null_mut()) }; MAX_WORKERS];
/// Each thread's stacks apart. And trees of workers that are over.
static THREADS: AtomicBool = AtomicBool::new(false);
static WORKERS: AtomicU32 = AtomicU32::new(0);
static LOCK: Mutex<()> = Mutex::new(());

fn signal() -> i32 {
    libc::SIGRTMIN() + 6
}

pub fn begin(threads: bool) -> Result<(), String> {
    THREADS.store(threads, Ordering::Relaxed);
    WORKERS.store(0, Ordering::Relaxed);
    // SAFETY: the handler has the signature that the flags say.
    unsafe {
        let mut action: libc::sigaction = core::mem::zeroed();
        action.sa_sigaction = tick as extern "C" fn(i32, *mut libc::siginfo_t, *mut libc::c_void) as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESTART;
        if libc::sigaction(signal(), &action, ptr::null_mut()) != 0 {
            return Err("no signal for the profile".into());
        }
    }
    Ok(())
}

/// Starts the calling worker's timer. Without one (a limit of the system) the worker has no samples.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn attach(tcb: *mut Tcb) {
    let Ok(tree) = Tree::new() else { return };
    let _lock = LOCK.lock();
    // SAFETY: the structures are plain data; the sampler is leaked, so the handler finds it as long as the process
    // lives.
    unsafe {
        let worker = (*tcb).worker as usize;
        let sampler = Box::leak(Box::new(Sampler {
            tcb,
            timer: ptr::null_mut(),
            os_thread: AtomicI32::new(0),
            tree,
            last: processor_time(),
            threads: THREADS.load(Ordering::Relaxed),
            frames: [Key::Label(0); FRAMES],
            busy: AtomicBool::new(false),
        }));
        if !start_timer(sampler) {
            return;
        }
        SAMPLERS[worker].store(sampler, Ordering::Release);
        WORKERS.fetch_max(worker as u32 + 1, Ordering::SeqCst);
    }
}

/// The same for a worker that was there before the profile began, unless it has joined.
///
/// # Safety
/// `tcb` is the calling worker's.
pub unsafe fn join(tcb: *mut Tcb) {
    // SAFETY: as the caller says.
    unsafe {
        if SAMPLERS[(*tcb).worker as usize].load(Ordering::Acquire).is_null() {
            attach(tcb);
        }
    }
}

/// Starts a sampler's timer, whose signals go to the calling OS thread.
unsafe fn start_timer(sampler: *mut Sampler) -> bool {
    // SAFETY: the structures are plain data; samplers live as long as the process.
    unsafe {
        let os_thread = os_thread() as i32;
        let mut event: libc::sigevent = core::mem::zeroed();
        event.sigev_notify = libc::SIGEV_THREAD_ID;
        event.sigev_signo = signal();
        event.sigev_value = libc::sigval { sival_ptr: sampler.cast() };
        event.sigev_notify_thread_id = os_thread;
        let mut timer = ptr::null_mut();
        if libc::timer_create(libc::CLOCK_MONOTONIC, &mut event, &mut timer) != 0 {
            return false;
        }
        (*sampler).timer = timer;
        (*sampler).os_thread.store(os_thread, Ordering::SeqCst);
        set(timer, PERIOD);
        true
    }
}

/// The worker leaves the calling OS thread, to which its timer's signals went.
pub fn carried_away(worker: usize) {
    let sampler = SAMPLERS[worker].load(Ordering::Acquire);
    if !sampler.is_null() {
        // SAFETY: samplers live as long as the process. A signal that comes late finds another OS thread's number.
        unsafe {
            if (*sampler).os_thread.swap(0, Ordering::SeqCst) != 0 {
                libc::timer_delete((*sampler).timer);
            }
        }
    }
}

/// It has come to the calling one. What it uses there is counted from here on.
pub fn carried(worker: usize) {
    let _lock = LOCK.lock();
    let sampler = SAMPLERS[worker].load(Ordering::Acquire);
    if !sampler.is_null() {
        // SAFETY: as above; the handler does nothing before the timer is there.
        unsafe {
            (*sampler).last = processor_time();
            start_timer(sampler);
        }
    }
}

/// Nanoseconds of processor time of the calling OS thread.
fn processor_time() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure lives; the call may be made in a handler.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

fn set(timer: libc::timer_t, period: i64) {
    let time = libc::timespec { tv_sec: 0, tv_nsec: period };
    // SAFETY: a timer of ours.
    unsafe { libc::timer_settime(timer, 0, &libc::itimerspec { it_interval: time, it_value: time }, ptr::null_mut()) };
}

/// Stops the timer of a worker that has nothing to run.
pub fn pause(worker: usize) -> Option<*mut Tcb> {
    let sampler = SAMPLERS.get(worker)?.load(Ordering::Acquire);
    if sampler.is_null() {
        return None;
    }
    // SAFETY: samplers live as long as the process.
    unsafe {
        set((*sampler).timer, 0);
        Some((*sampler).tcb)
    }
}

/// Goes on.
pub fn resume(tcb: *mut Tcb) {
    // SAFETY: what `pause` gave.
    let worker = unsafe { (*tcb).worker } as usize;
    let sampler = SAMPLERS[worker].load(Ordering::Acquire);
    if !sampler.is_null() && TIME.load(Ordering::Relaxed) {
        // SAFETY: as above.
        set(unsafe { (*sampler).timer }, PERIOD);
    }
}

extern "C" fn tick(_signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    if !TIME.load(Ordering::Relaxed) {
        return;
    }
    // SAFETY: the kernel gives the information and the registers; the value is the sampler of this OS thread.
    unsafe {
        let error = *libc::__errno_location();
        let sampler = (*info).si_value().sival_ptr.cast::<Sampler>();
        let is_here = |sampler: *mut Sampler| (*sampler).os_thread.load(Ordering::SeqCst) == os_thread() as i32;
        if !sampler.is_null() && is_here(sampler) && !(*sampler).busy.swap(true, Ordering::Acquire) {
            (*sampler).take(interrupted(context));
            (*sampler).busy.store(false, Ordering::Release);
        }
        *libc::__errno_location() = error;
    }
}

impl Sampler {
    /// # Safety
    /// In the handler, with the interrupted registers.
    unsafe fn take(&mut self, at: Interrupted) {
        let now = processor_time();
        let weight = now.saturating_sub(self.last);
        // On a busy machine the clock on the wall runs faster than the worker: its time waits for the next signal.
        if weight < LEAST {
            return;
        }
        let (mut used, mut walked, mut last) = (0, 0, (ptr::null(), u32::MAX));
        let (frames, mut deeper) = (&mut self.frames, false);
        let visit = |frame: Sampled| {
            walked += 1;
            if used == FRAMES - 2 || walked == WALKED {
                deeper = true;
                return false;
            }
            let (key, table, function) = match frame {
                Sampled::At(table, pc) => (Key::At(pc), table, table.line(pc).map_or(0, |line| line.function)),
                Sampled::Call(table, site) => {
                    (Key::Call(table.base as usize + site.ret as usize), table, site.function)
                }
            };
            // Of a function that calls itself the innermost frame stands for all.
            let this = (ptr::from_ref(table), table.start_of(function));
            if this != last {
                frames[used] = key;
                used += 1;
                last = this;
            }
            true
        };
        // SAFETY: as the caller says.
        let found = unsafe { sample(self.tcb, at, visit) };
        if deeper {
            frames[used] = Key::Label(DEEPER);
            used += 1;
        }
        let mut node = 0;
        let thread = match found {
            Found::Nobody => 0,
            Found::Compiled(id) | Found::Runtime(id) => id,
        };
        if self.threads {
            node = self.tree.child(node, Key::Thread(thread));
        }
        for &key in self.frames[..used].iter().rev() {
            node = self.tree.child(node, key);
        }
        if !matches!(found, Found::Compiled(_)) {
            let what = if COLLECTING.load(Ordering::Relaxed) > 0 {
                COLLECTOR
            } else if is_system_call(at.pc) {
                KERNEL
            } else if found == Found::Nobody {
                NO_THREAD
            } else {
                RUNTIME
            };
            node = self.tree.child(node, Key::Label(what));
            // The runtime's own function.
            node = self.tree.child(node, Key::At(at.pc));
        }
        self.tree.spend(node, weight, 1);
        // What the handler has used is nobody's.
        self.last = processor_time();
    }
}

/// Whether the instruction before this address is a system call.
fn is_system_call(pc: usize) -> bool {
    // SAFETY: the code that was interrupted, which is more than two bytes long.
    pc > 4096 && unsafe { [*((pc - 2) as *const u8), *((pc - 1) as *const u8)] } == [0x0f, 0x05]
}

/// Stops all timers; gives the trees by worker.
pub fn finish() -> Vec<(String, Tree)> {
    let mut trees = Vec::new();
    for (worker, sampler) in SAMPLERS[..WORKERS.load(Ordering::SeqCst) as usize].iter().enumerate() {
        let sampler = sampler.swap(ptr::null_mut(), Ordering::SeqCst);
        if sampler.is_null() {
            continue;
        }
        // SAFETY: the handler is over or looks at `TIME` first; the sampler itself stays.
        unsafe {
            if (*sampler).os_thread.load(Ordering::SeqCst) != 0 {
                libc::timer_delete((*sampler).timer);
            }
            while (*sampler).busy.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            if let Ok(empty) = Tree::new() {
                trees.push((format!("worker {worker}"), core::mem::replace(&mut (*sampler).tree, empty)));
            }
        }
    }
    trees
}

/// While it lives, what workers do outside of compiled code is the collector's work.
pub struct Collecting(());

#[inline]
pub fn collecting() -> Collecting {
    COLLECTING.fetch_add(1, Ordering::Relaxed);
    Collecting(())
}

impl Drop for Collecting {
    fn drop(&mut self) {
        COLLECTING.fetch_sub(1, Ordering::Relaxed);
    }
}
