//! From a compiled program to its exit code: `leat run`'s programs in memory, and the start of built ones.
//!
//! One program at a time runs in a process; a second waits. Everything is made when first needed: no OS thread, no
//! poller, no timer, no pages of heap for a program that says hello. (What the first dozens of threads need comes with
//! the second one: `leat_thread_new`.)

use std::os::unix::ffi::OsStrExt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use leat_abi::code::{self, CodeTable};
use leat_abi::header;
use leat_abi::thread::Thread;
use leat_fiber::{Fibers, Ref};
use leat_io::clock;
use leat_memory::{Collection, Heap};

use crate::life::exit;
use crate::life::explore;
use crate::life::host::{self, ProgramHost};
use crate::life::signals;
use crate::profile;
use crate::service::{end, race, summary};
use crate::state::events::Events;
use crate::state::foreign_words;
use crate::state::history::{History, Places};
use crate::state::markers::Markers;
use crate::state::messages::Messages;
use crate::state::options::RuntimeOptions;
use crate::state::output::Sink;
use crate::state::root::Root;
use crate::state::runtime::{RUNNING, Runtime, install, stderr, stdout};
use crate::state::session::Session;
use crate::state::threads::AllThreads;
use crate::state::trace;

/// The environment variable with a built program's options.
pub const OPTIONS_VARIABLE: &str = "LEAT_RUN";

/// A program in memory, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    /// Code of the main function: tail convention, no arguments, no results.
    pub main: *const u8,
    /// Its code, and all other code that it may call.
    pub tables: Vec<&'static CodeTable>,
    /// Its global slots.
    pub globals: *mut u64,
    /// `CommandLine.name` and `CommandLine.arguments`.
    pub name: Vec<u8>,
    pub arguments: Vec<Vec<u8>>,
    /// Its loads and stores of what threads may share are announced (`ssa::watch`).
    pub watched: bool,
}

/// What became of a program whose output was collected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
}

static HOST: ProgramHost = ProgramHost;

/// Held while a program runs.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// Runs a program to its end; gives its exit code. Its output goes to descriptors 1 and 2.
pub fn run(program: &Program, options: &RuntimeOptions) -> i32 {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    stdout().reset(Sink::Descriptor(1));
    stderr().reset(Sink::Descriptor(2));
    run_or_explore(program, options, true)
}

/// Runs a program to its end and collects what it prints.
pub fn run_captured(program: &Program, options: &RuntimeOptions) -> Outcome {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    stdout().reset(Sink::Memory);
    stderr().reset(Sink::Memory);
    let code = run_now(program, options, true);
    let outcome = Outcome { code, stdout: stdout().take(), stderr: stderr().take() };
    stdout().reset(Sink::Descriptor(1));
    stderr().reset(Sink::Descriptor(2));
    outcome
}

/// Runs a session's units on the calling OS thread until it is over; gives the exit code. `closure` is what its main
/// thread starts with.
pub(crate) fn run_session(
    program: &Program,
    options: &RuntimeOptions,
    session: &'static Session,
    closure: u64,
) -> Result<i32, String> {
    let _turn = ONE_AT_A_TIME.lock().unwrap_or_else(|e| e.into_inner());
    stdout().reset(Sink::Descriptor(1));
    stderr().reset(Sink::Descriptor(2));
    let handlers = signals::install();
    let code = run_inside(program, options, Some((session, closure)), false).map(end::finish);
    handlers.restore();
    code
}

/// One run, or one for each seed.
fn run_or_explore(program: &Program, options: &RuntimeOptions, tidy: bool) -> i32 {
    if options.runtime_words {
        let (mut program, mut options) = (program.clone(), options.clone());
        options.runtime_words = false;
        return match foreign_words::take(&mut options, &mut program.arguments) {
            Ok(name) => {
                program.name = name.unwrap_or(program.name);
                run_or_explore(&program, &options, tidy)
            }
            Err(message) => {
                let _ = stderr().print_now(format!("{message}\n").as_bytes());
                2
            }
        };
    }
    if options.explore > 0 {
        return explore::run(options, program.watched, |options| run_now(program, options, tidy));
    }
    run_now(program, options, tidy)
}

/// `tidy`: the process lives on, so what was taken is given back.
fn run_now(program: &Program, options: &RuntimeOptions, tidy: bool) -> i32 {
    // A library leaves the process's signals alone.
    let handlers = (!options.library).then(signals::install);
    if options.library {
        signals::begin();
    }
    let code = match run_inside(program, options, None, tidy) {
        Ok(code) => end::finish(code),
        Err(message) => {
            let _ = stderr().print_now(format!("cannot start: {message}\n").as_bytes());
            end::finish(1)
        }
    };
    if tidy && let Some(handlers) = handlers {
        handlers.restore();
    }
    code
}

/// What the C library's allocator is told.
///
/// Tables of a million timers or threads get mappings of their own, so that they grow by moving pages, not bytes. The C
/// library would raise this limit to 32 MiB as it sees such tables freed.
///
/// When the address space is limited (`ulimit -v`) all OS threads share one arena. An arena of its own takes 64 MiB of
/// it, and an OS thread for which there was no room got nothing at all while there are fewer arenas than eight for each
/// processor.
fn prepare_allocator(is_limited: bool) {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: numbers are set; allocations of before keep their places.
    unsafe {
        libc::mallopt(libc::M_MMAP_THRESHOLD, 1 << 20);
        if is_limited {
            libc::mallopt(libc::M_ARENA_MAX, 1);
        }
    }
}

fn run_inside(
    program: &Program,
    options: &RuntimeOptions,
    session: Option<(&'static Session, u64)>,
    tidy: bool,
) -> Result<i32, String> {
    clock::set_fake(options.fake_clock || options.sched_seed.is_some());
    let address_space = leat_memory::address_space();
    prepare_allocator(address_space.is_some());
    let heap = Heap::new(leat_memory::Config {
        align: options.align,
        nursery: (options.nursery > 0).then_some(options.nursery).or(profile::nursery(options.profile.as_ref())),
        heap_max: (options.heap_max > 0).then_some(options.heap_max),
        pause: (options.pause > 0).then_some(options.pause),
        // What a thread beside the program does no seed decides; and where each core has a worker it would only be in
        // the way. Under stress it may be.
        beside: options.gc_thread
            && !options.by_chance()
            && (options.gc_stress > 0
                || std::thread::available_parallelism().is_ok_and(|cores| cores.get() > options.workers)),
        clock: !options.by_chance(),
        spend: (options.spend > 0).then_some(options.spend),
        soft: (options.heap_soft > 0).then_some(options.heap_soft),
        stress: (options.gc_stress > 0).then_some(options.gc_stress),
        // In deterministic mode every allocation's check is to come to a safepoint.
        grants: options.sched_seed.is_some(),
        verify: options.gc_verify,
        log: options.gc_log,
        least_workers: options.workers,
        ..leat_memory::Config::default()
    })?;
    if options.workers > 1 {
        heap.keep_apart();
    }
    let mut config = leat_fiber::Config {
        workers: options.workers,
        address_space,
        align: options.align,
        seed: options.sched_seed,
        scatter: options.scatter,
        explored: explore::counts(),
        trace: options.trace.is_some() || options.race || profile::wants_changes(options.profile.as_ref()),
        ..leat_fiber::Config::default()
    };
    if options.lanes > 0 {
        config.lanes = options.lanes.max(2);
    }
    if options.scatter {
        // Ten ticks where there was one.
        config.slice /= 10;
    }
    config.main_stack = options.stack();
    config.lane_stack = options.stack();
    let fibers = Fibers::new(config, &HOST).map_err(|error| format!("no address space for stacks: {error}"))?;
    let runtime = Box::leak(Box::new(Runtime {
        heap,
        fibers,
        events: Events::new(options.backend),
        options: options.clone(),
        tables: AtomicPtr::default(),
        session: session.map(|(session, _)| session),
        globals: program.globals,
        name: program.name.clone(),
        arguments: program.arguments.clone(),
        at_exit: Mutex::default(),
        exit_code: AtomicU64::new(RUNNING),
        exit_stuck: AtomicBool::new(false),
        forked: AtomicBool::new(false),
        exit_thread: Root::none(),
        signal_thread: Root::none(),
        dispatcher: Root::none(),
        callbacks: Root::none(),
        main_thread: Root::none(),
        deadlock_waiter: Root::none(),
        deadlock_quiet: AtomicBool::new(false),
        uncaught_hook: Root::none(),
        uncaught_main: AtomicBool::new(false),
        messages: Messages::default(),
        history: History::default(),
        places: Places::default(),
        short_of_heap: AtomicBool::new(false),
        last_refusal: Mutex::default(),
        all_threads: Mutex::new(AllThreads::default()),
        lost_threads: AtomicU64::new(0),
        blocked_calls: AtomicUsize::new(0),
        began: Instant::now(),
        summary: AtomicBool::new(false),
        markers: Markers::new(config.lanes.max(2)),
    }));
    if options.workers > 1 {
        runtime.events.share();
    }
    runtime.set_tables(Vec::leak(program.tables.clone()));
    install(runtime);
    if let Some(path) = &options.trace {
        trace::begin(path)?;
    }
    if let Some(request) = &options.profile {
        profile::begin(request, &program.name)?;
    }
    if options.race {
        race::begin();
    }
    // SAFETY: the block is worker 0's, which this OS thread is; the program's code fits the runtime by the contract.
    let code = unsafe {
        let tcb = fibers.main_tcb();
        host::fill(tcb)?;
        let closure = session.map_or_else(|| main_closure(program.main, options.library), |(_, closure)| closure);
        // The first object of an empty heap: no collection is due, and a stress test's is not needed.
        let thread = runtime
            .heap
            .alloc(tcb, Thread::HEADER, Some(Collection::Full))
            .map_err(|_| "the heap has no room for a thread")?;
        let main = Ref::of(thread);
        leat_fiber::init_thread(tcb, main, Ref::of(closure));
        runtime.main_thread.set(main);
        runtime.all_threads().add(thread);
        signals::make_thread(tcb)?;
        fibers.run(main);
        runtime.exit_code.load(Ordering::SeqCst)
    };
    if runtime.forked.load(Ordering::Relaxed) {
        end::end_child();
    }
    // What was asked for and is lost is no success.
    let is_written = end::write_measured() & summary::finish(runtime);
    let code = if code == 0 && !is_written { 1 } else { code };
    let code = if options.race && race::finish() { race::EXIT_CODE as u64 } else { code };
    if tidy {
        fibers.end_bound();
        install(core::ptr::null_mut());
        // SAFETY: all workers have left; it came from a box.
        drop(unsafe { Box::from_raw(core::ptr::from_mut(runtime)) });
    }
    Ok(code as i32)
}

/// A closure, outside the heap, whose code calls the main function and then ends the program.
fn main_closure(main: *const u8, library: bool) -> u64 {
    let code = if library { exit::leat_entry_library } else { exit::leat_entry_main };
    let words =
        Box::leak(Box::new([header::record(2, 0, 0) | header::STATIC, code as *const () as u64, main as u64, 0]));
    &words[1] as *const u64 as u64
}

/// Whether the program runs with the rights of its file, not of who started it (set-uid, set-gid, capabilities). Then
/// the environment is a stranger's, and options like `--trace=FILE` would write files in the owner's name.
fn is_privileged() -> bool {
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: asks only.
    return unsafe { libc::getauxval(libc::AT_SECURE) } != 0;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    // SAFETY: asks only.
    return unsafe { libc::issetugid() } != 0;
}

/// Bytes of stack that the process's first thread needs: threads of programs have stacks of their own. (A hello needs
/// 20 KB.)
const FIRST_STACK: usize = 24 << 10;

/// What is wrong with the stack that the process's first thread, the caller's, has been given, if it is too small: who
/// uses it up finds no handler of signals yet, or one that can only say that something crashed.
pub fn stack_complaint() -> Option<String> {
    let mut limit = libc::rlimit { rlim_cur: libc::RLIM_INFINITY, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: the structure lives.
    unsafe { libc::getrlimit(libc::RLIMIT_STACK, &mut limit) };
    // The program's name lies at the stack's start.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    // SAFETY: asks only.
    let start = unsafe { libc::getauxval(libc::AT_EXECFN) } as usize;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let start = 0;
    let used = start.saturating_sub(core::ptr::from_ref(&limit) as usize);
    let is_too_small = limit.rlim_cur != libc::RLIM_INFINITY && (limit.rlim_cur as usize) < used + FIRST_STACK;
    is_too_small.then(|| {
        let needed = (used + FIRST_STACK).div_ceil(1024);
        format!(
            "cannot start: the stack is limited to {} KB, and {needed} are needed (ulimit -s)",
            limit.rlim_cur / 1024
        )
    })
}

/// The start of a built program: options from `LEAT_RUN`, then the program. Gives the process's exit code.
///
/// # Safety
/// Called by the program's `main` with its arguments, on the process's first thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn leat_main(program: *const code::Program, argc: i32, argv: *const *const libc::c_char) -> i32 {
    if let Some(message) = stack_complaint() {
        let _ = stderr().print_now(format!("{message}\n").as_bytes());
        return 1;
    }
    // SAFETY: as the caller says.
    unsafe { start_built(program, argc, argv) }
}

/// Behind the look at the stack: what this takes of it is taken at its begin.
#[inline(never)]
unsafe fn start_built(program: *const code::Program, argc: i32, argv: *const *const libc::c_char) -> i32 {
    // SAFETY: the object file exports a whole program; the system gives argc strings.
    let (program, words) = unsafe {
        let words: Vec<Vec<u8>> =
            (0..argc as usize).map(|i| core::ffi::CStr::from_ptr(*argv.add(i)).to_bytes().to_vec()).collect();
        (&*program, words)
    };
    // SAFETY: as above.
    unsafe { start_words(program, words, false) }
}

/// The same for a library of C, which comes back when the program is over.
///
/// # Safety
/// The program of the library, which runs once.
pub(crate) unsafe fn start_library(program: &'static code::Program, words: Vec<Vec<u8>>) -> i32 {
    // SAFETY: as the caller says.
    unsafe { start_words(program, words, true) }
}

unsafe fn start_words(program: &'static code::Program, words: Vec<Vec<u8>>, library: bool) -> i32 {
    std::panic::set_hook(Box::new(|info| {
        let _ = stdout().flush();
        let _ = stderr().print_now(format!("internal error of Leat's runtime: {info}\n").as_bytes());
        std::process::abort();
    }));
    let mut options = RuntimeOptions { library, align: program.align as usize, ..RuntimeOptions::default() };
    // SAFETY: the object file's program.
    let built_in = unsafe { program.options() };
    if let Err(message) = options.take_all(&String::from_utf8_lossy(built_in)) {
        let _ = stderr().print_now(format!("options that the program was built with: {message}\n").as_bytes());
        return 2;
    }
    if is_privileged() {
        // A stranger's words too.
        options.runtime_words = false;
    } else if let Some(text) = std::env::var_os(OPTIONS_VARIABLE)
        && let Err(message) = options.take_all(&String::from_utf8_lossy(text.as_bytes()))
    {
        let _ = stderr().print_now(format!("{OPTIONS_VARIABLE}: {message}\n").as_bytes());
        return 2;
    }
    if let Err(message) = options.check_built() {
        let _ = stderr().print_now(format!("{OPTIONS_VARIABLE}: {message}\n").as_bytes());
        return 2;
    }
    if options.profile.is_some() {
        // Programs that this one starts would write over its file.
        // SAFETY: no other thread has started.
        unsafe { std::env::remove_var(OPTIONS_VARIABLE) };
    }
    if options.align != program.align as usize {
        let (given, built) = (options.align, program.align);
        let message = format!("the program was built with --align={built}, which --align={given} cannot change");
        let _ = stderr().print_now(format!("{OPTIONS_VARIABLE}: {message}\n").as_bytes());
        return 2;
    }
    let mut words = words.into_iter();
    let program = Program {
        main: program.main,
        // SAFETY: the table is part of the program's data.
        tables: vec![unsafe { &*program.table }],
        globals: program.globals,
        name: words.next().unwrap_or_default(),
        arguments: words.collect(),
        watched: false,
    };
    run_or_explore(&program, &options, false)
}
