//! What a worker does that has no thread to run: it looks whether others have too many, and sleeps.
//!
//! ```text
//!  nothing ready --> looks, each microsecond, for 20 us --> sleeps, 20 us, 40 us, .. as long as another worker runs
//!        ^                  |  another worker has threads to spare: asks it for some
//!        +------------------+
//! ```

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use leat_abi::tcb::Tcb;
use leat_abi::thread::Thread;

use crate::base::jitter::jitter;
use crate::base::reference::{NONE, Ref};
use crate::base::worker::{MAX_WORKERS, NO_LANE, Shared, Worker, add, count};
use crate::base::world::wake_ticker;
use crate::thread::word::is_own;
use crate::workers::apart;
use crate::workers::fold::WAKE_UP;
use crate::workers::load;
use crate::workers::outside::{come_back, go_outside};
use crate::workers::post;
use crate::workers::request::{LETTER, request};
use crate::workers::sole;
use crate::workers::stop::deadlocked;
use crate::workers::turns;

/// Nanoseconds that an idle worker sleeps before it looks again whether another one has threads to spare: at first, and
/// when it leaves that to the ticker.
const FIRST_NAP: u64 = 20_000;
const LAST_NAP: u64 = 10_000_000;
/// Before that it looks for so long, each time after so much.
const LOOKING: Duration = Duration::from_micros(20);
const BETWEEN_LOOKS: Duration = Duration::from_micros(1);

/// Waits until there is a thread to run; none when the program is over.
#[cold]
pub(crate) unsafe fn idle(tcb: *mut Tcb, worker: *mut Worker) -> Ref<Thread> {
    // SAFETY: the worker runs no thread; what it had is saved.
    unsafe {
        let shared = (*worker).shared;
        let stop = &shared.stop;
        let bit = 1u64 << (*worker).index;
        (*tcb).current = NONE;
        // What its last thread has left there must keep nobody from acting for it.
        (*tcb).atomic_depth = 0;
        let mut seen = Looks::default();
        let mut nap = FIRST_NAP;
        loop {
            if shared.over.load(Ordering::SeqCst) {
                return Ref::NONE;
            }
            count(&(*worker).counters.looks);
            shared.host.events(tcb, false);
            (*worker).request.fetch_and(!LETTER, Ordering::SeqCst);
            post::serve(tcb, worker);
            let thread = find(tcb, worker);
            if !thread.is_none() {
                return thread;
            }
            if nap == FIRST_NAP && !shared.fold.is_folded() && looks_round(worker, &mut seen) {
                nap = LAST_NAP.min(nap * 2);
                continue;
            }
            ask(worker, &mut seen);
            if shared.fold.is_folded() {
                nap = LAST_NAP;
            }
            jitter();
            let mut state = stop.lock();
            if state.stopping {
                drop(sole::pass(worker, state));
                continue;
            }
            if !go_outside(worker, NO_LANE) {
                continue;
            }
            stop.idle.fetch_or(bit, Ordering::SeqCst);
            sole::ends(worker, &mut state);
            state.running -= 1;
            state.active -= 1;
            if state.active == 0 && is_quiet(shared) && !shared.host.pending() {
                state.running += 1;
                state.active += 1;
                stop.idle.fetch_and(!bit, Ordering::SeqCst);
                drop(state);
                come_back(worker);
                if !shared.host.deadlock(tcb) {
                    return deadlocked(tcb);
                }
                continue;
            }
            // While others run it looks at their queues, less and less often.
            let most = (state.active > 0 && nap < LAST_NAP).then_some(nap);
            nap = LAST_NAP.min(nap * 2);
            drop(state);
            jitter();
            if shared.is_several() {
                stop.fewer.notify_all();
            }
            shared.host.wait((*worker).index, most);
            if most.is_some() {
                add(&(*worker).counters.lost, WAKE_UP);
            }
            let mut state = sole::enter(shared, stop.lock());
            state.active += 1;
            stop.idle.fetch_and(!bit, Ordering::SeqCst);
            drop(state);
            come_back(worker);
            apart::part(worker);
            if stop.ticker_asleep.load(Ordering::SeqCst) {
                wake_ticker(stop);
            }
        }
    }
}

/// A ready thread that this worker may run: its own, then one of a worker that is outside, together with its lane; or
/// none.
pub(crate) unsafe fn find(tcb: *mut Tcb, worker: *mut Worker) -> Ref<Thread> {
    // SAFETY: as the callers.
    unsafe {
        let shared = (*worker).shared;
        loop {
            jitter();
            let thread = match &mut (*worker).chance {
                Some(chance) => {
                    shared.host.turn();
                    chance.draw(&mut (*worker).queue, shared.host, tcb)
                }
                None => turns::pop(worker),
            };
            let is_elsewhere = shared.fold.is_elsewhere((*worker).index);
            let thread = if thread.is_none() { post::rob(tcb, worker) } else { thread };
            if thread.is_none() {
                return Ref::NONE;
            }
            if !is_own(worker, thread) && !post::keeps(tcb, worker, thread) {
                continue;
            }
            if is_elsewhere && post::send_home(tcb, worker, thread) {
                continue;
            }
            return thread;
        }
    }
}

/// Looks for a while at the queues of the workers that run, as long as one does. True: something is wanted of this
/// worker, a thread perhaps.
unsafe fn looks_round(worker: *mut Worker, seen: &mut Looks) -> bool {
    // SAFETY: the caller is the worker.
    unsafe {
        let shared = (*worker).shared;
        let gone = shared.gone.load(Ordering::Relaxed);
        let others = u64::MAX >> (64 - shared.started.load(Ordering::Acquire)) & !(1 << (*worker).index) & !gone;
        let begin = Instant::now();
        let mut next = Duration::ZERO;
        let mut now = Duration::ZERO;
        let mut wanted = false;
        while shared.stop.idle.load(Ordering::Relaxed) & others != others {
            now = begin.elapsed();
            if now > LOOKING {
                break;
            }
            if now >= next {
                ask(worker, seen);
                next = now + BETWEEN_LOOKS;
            }
            if (*worker).request.load(Ordering::Relaxed) != 0 || shared.over.load(Ordering::Relaxed) {
                wanted = true;
                break;
            }
            std::hint::spin_loop();
        }
        add(&(*worker).counters.lost, now.as_nanos() as u64);
        wanted
    }
}

/// What an idle worker has seen: the switches of each other one.
struct Looks([u64; MAX_WORKERS]);

impl Default for Looks {
    fn default() -> Looks {
        Looks([u64::MAX; MAX_WORKERS])
    }
}

/// Asks a worker that has threads to spare: two, one that computes, or one that waits for a thread that has not
/// switched since the last look.
unsafe fn ask(worker: *mut Worker, looks: &mut Looks) {
    // SAFETY: workers live as long as the program; a queue's ends are only compared.
    unsafe {
        for other in (*worker).shared.all().filter(|&other| other != worker) {
            let (ready, spare) = (turns::glance(other).0, turns::has_spare(other));
            let switches = (*other).counters.switches.load(Ordering::Relaxed);
            let last = std::mem::replace(&mut looks.0[(*other).index], switches);
            if !load::may_give(other) {
                continue;
            }
            if spare || (ready && switches == last && !(*other).shared.fold.is_folded()) {
                (*other).asked.fetch_or(1 << (*worker).index, Ordering::SeqCst);
                request(other, LETTER);
                return;
            }
        }
    }
}

/// Whether no thread is ready, all workers being outside.
unsafe fn is_quiet(shared: &Shared) -> bool {
    // SAFETY: the queues are read under their locks.
    unsafe {
        shared.all().all(|other| {
            (*other).lock.lock();
            let quiet = turns::is_empty(other);
            (*other).lock.unlock();
            quiet
        })
    }
}
