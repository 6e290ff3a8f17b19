//! Workers' OS threads: one begins to run as a worker, ends, is started, is waited for.

use std::sync::atomic::Ordering;
use std::time::Duration;

use crate::base::processor;
use crate::base::worker::{NO_LANE, Shared, Worker};
use crate::stub;
use crate::workers::apart;
use crate::workers::sole;

/// The calling OS thread begins to run as this worker, which is counted as active.
pub(crate) unsafe fn begin(worker: *mut Worker) {
    // SAFETY: the worker lives as long as the program.
    let shared = unsafe { (*worker).shared };
    let state = sole::enter(shared, shared.stop.lock());
    // Since it was made the only other one may have begun to trace, and has told those that were listed. No more do:
    // this one counts as running.
    // SAFETY: the caller is the worker.
    unsafe { shared.look_at_tracing(worker) };
    drop(state);
}

/// A worker that is being started looks whether the only one before it has stopped the world, as it may without the
/// mutex.
fn wait_for_stop(shared: &Shared) {
    // From here on it is listed.
    drop(shared.stop.lock());
    while shared.alone.load(Ordering::SeqCst) {
        std::thread::sleep(Duration::from_micros(50));
    }
}

/// It has left.
pub(crate) unsafe fn end(worker: *mut Worker) {
    // SAFETY: as above.
    let stop = unsafe { &(*worker).shared.stop };
    // SAFETY: the caller is the worker.
    unsafe {
        (*worker).lock.lock();
        ((*worker).outside, (*worker).busy_lane) = (true, NO_LANE);
        (*worker).lock.unlock();
    }
    let mut state = stop.lock();
    // SAFETY: it runs no thread any more.
    unsafe { sole::ends(worker, &mut state) };
    state.running -= 1;
    state.active -= 1;
    stop.fewer.notify_all();
}

/// Waits for the other workers' OS threads, which have been told to leave.
pub(crate) fn join(shared: &'static Shared) {
    loop {
        let handle = shared.stop.lock().handles.pop();
        match handle {
            Some(handle) => drop(handle.join()),
            None => return,
        }
    }
}

/// Starts another worker, if there may be one.
pub(crate) fn start_worker(shared: &'static Shared) {
    if shared.started.load(Ordering::Relaxed) >= shared.allowed.load(Ordering::Relaxed) {
        return;
    }
    let stop = &shared.stop;
    let mut state = stop.lock();
    let index = shared.started.load(Ordering::Relaxed);
    let may = !shared.over.load(Ordering::SeqCst) && !state.stopping && !state.forking;
    if index >= shared.allowed.load(Ordering::Relaxed) || !may {
        return;
    }
    // It is listed only if it gets an OS thread, which waits for the mutex first.
    let worker = shared.make_worker(index);
    let address = worker as usize;
    let handle = std::thread::Builder::new().name(format!("worker {index}")).stack_size(8 << 20).spawn(move || {
        let worker = address as *mut Worker;
        // SAFETY: the worker is this OS thread's from here on.
        unsafe {
            // Whoever has started it may have been bound.
            processor::release();
            apart::part(worker);
            wait_for_stop((*worker).shared);
            begin(worker);
            let tcb = (*worker).tcb;
            (*worker).shared.host.worker_started(tcb);
            (*worker).attached.store(true, Ordering::Release);
            stub::leat_fiber_enter(tcb, (*(*worker).home).base_slot());
            end(worker);
        }
    });
    match handle {
        Ok(handle) => {
            // SAFETY: it was made for this place, with the mutex held since.
            unsafe { shared.list_worker(worker) };
            // From here on others may write to it, so it is no deadlock while it has not begun.
            state.active += 1;
            state.handles.push(handle);
        }
        // No more OS threads: so many workers it is.
        Err(_) => {
            // SAFETY: nobody else knows of it.
            unsafe { shared.forget_worker(worker) };
            shared.allowed.store(index, Ordering::SeqCst);
        }
    }
}
