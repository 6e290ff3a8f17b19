//! Whole programs: scripts of runtime calls in place of compiled code, from start to exit code.

mod script;

use leat_abi::header;
use leat_fiber::reason;
use script::{NOWHERE, Script, Slot, Value, packet, string};

/// A global slot that is no root.
const RAW: usize = 40;

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The real monotonic clock. Not `clock::monotonic`: another test may have virtual time switched on just now, hours
/// ahead.
fn now() -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a live structure.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &mut now) };
    (now.tv_sec * 1_000_000_000 + now.tv_nsec) as u64
}

#[track_caller]
fn check(script: Script, options: &str, code: i32, stdout: &str, stderr: &str) {
    let outcome = script.run(options);
    let got = (outcome.code, text(&outcome.stdout), text(&outcome.stderr));
    assert_eq!(got, (code, stdout.to_string(), stderr.to_string()), "with {options:?}");
}

/// Each program runs plainly and with a verified collection at every allocation.
const MODES: &[&str] = &["", "--gc-stress --gc-verify", "--gc-stress=3 --align=16 --workers=2"];

#[test]
fn hello() {
    for mode in MODES {
        check(Script::default().print("hello, ").print("world\n"), mode, 0, "hello, world\n", "");
    }
}

#[test]
fn strings_arrays_and_numbers_survive_collections() {
    for mode in MODES {
        let script = Script::default()
            .call("leat_int_to_string", &[Value(-1234567i64 as u64)], 0)
            .call("leat_arg", &[Value(1)], 1)
            .call("leat_program_name", &[], 2)
            .call("leat_string_concat", &[Slot(0), Slot(1)], 3)
            .repeat(50, |s| s.call("leat_string_concat", &[Slot(3), Slot(2)], 3))
            .call("leat_string_extract_unsafe", &[Slot(3), Value(4), Value(15)], 4)
            .call("leat_print", &[Slot(4)], NOWHERE)
            .call("leat_array_new", &[Value(5), Value(b'x' as u64), Value(header::raw_array(0, 0))], 5)
            .call("leat_array_copy_unsafe", &[Slot(0), Value(0), Slot(5), Value(1), Value(3)], NOWHERE)
            .call("leat_print", &[Slot(5)], NOWHERE)
            .call("leat_arg", &[Value(7)], 6)
            .call("leat_print", &[Slot(6)], NOWHERE);
        check(script, mode, 0, "4567twoscriptscx~12x", "");
    }
}

#[test]
fn sizes_out_of_range_raise_size() {
    for length in [-1i64, i64::MAX] {
        let script = Script::default().print("before\n").call(
            "leat_array_new",
            &[Value(length as u64), Value(0), Value(header::raw_array(3, 0))],
            0,
        );
        check(script, "", 1, "before\n", "uncaught exception Size\n  in script at test.sml:7\n");
    }
}

#[test]
fn exit_codes_and_exit_functions() {
    for mode in MODES {
        let nested = Script::default().print("third\n").closure();
        let last = Script::default().print("first\n").call("leat_at_exit", &[Value(nested)], NOWHERE).closure();
        let ends_itself = Script::default().print("second\n").call("leat_thread_exit", &[], NOWHERE).closure();
        let script = Script::default()
            .call("leat_at_exit", &[Value(ends_itself)], NOWHERE)
            .call("leat_at_exit", &[Value(last)], NOWHERE)
            .print("main\n")
            .call("leat_exit", &[Value(42)], NOWHERE)
            .print("never\n");
        check(script, mode, 42, "main\nfirst\nthird\nsecond\n", "");
        // An exit function that raises is reported, the next one runs, the code stays.
        let raises = Script::default().call("leat_array_new_uninit", &[Value(-1i64 as u64), Value(1)], 0).closure();
        let script = Script::default()
            .call("leat_at_exit", &[Value(Script::default().print("still\n").closure())], NOWHERE)
            .call("leat_at_exit", &[Value(raises)], NOWHERE);
        let outcome = script.run(mode);
        assert_eq!((outcome.code, text(&outcome.stdout)), (0, "still\n".to_string()), "with {mode:?}");
        assert!(
            text(&outcome.stderr).starts_with("uncaught exception Size in thread 2\n"),
            "{}",
            text(&outcome.stderr)
        );
    }
}

#[test]
fn threads_switch_sleep_and_end() {
    for mode in MODES {
        let child =
            Script::default().print("child ").call("leat_thread_yield", &[], NOWHERE).print("child again ").closure();
        let script = Script::default()
            .call("leat_thread_new", &[Value(child)], 0)
            .print("main ")
            .call("leat_thread_switch", &[Slot(0)], NOWHERE)
            .print("main again ")
            .call("leat_thread_yield", &[], NOWHERE)
            .print("end\n");
        let outcome = script.run(mode);
        let expected = "main child main again child again end\n";
        if !mode.contains("workers") {
            assert_eq!((outcome.code, text(&outcome.stdout)), (0, expected.to_string()), "with {mode:?}");
        }
        assert_eq!((outcome.code, text(&outcome.stderr)), (0, String::new()), "with {mode:?}");
    }
}

/// Sleepers wake in order of their deadlines, equal ones in order of start, in virtual time at once.
#[test]
fn sleepers_wake_in_order_in_virtual_time() {
    let hour = 3_600_000_000_000u64;
    let start = 1_000_000_000_000;
    for mode in ["--fake-clock", "--fake-clock --gc-stress --gc-verify", "--fake-clock --workers=2"] {
        let mut script = Script::default();
        // Two workers may run two threads that wake together in either order.
        let last = if mode.contains("workers") { 4 } else { 3 };
        for (name, hours) in [("c", 3), ("a", 1), ("d", last), ("b", 2)] {
            let sleeper = Script::default()
                .call("leat_thread_sleep_until", &[Value(start + hours * hour)], NOWHERE)
                .print(name)
                .closure();
            script =
                script.call("leat_thread_new", &[Value(sleeper)], 0).call("leat_thread_switch", &[Slot(0)], NOWHERE);
        }
        let script = script.call("leat_thread_sleep_until", &[Value(start + 5 * hour)], NOWHERE).print("\n");
        let begin = std::time::Instant::now();
        check(script, mode, 0, "abcd\n", "");
        assert!(begin.elapsed().as_secs() < 20);
    }
}

#[test]
fn real_sleep_is_never_early() {
    let begin = std::time::Instant::now();
    let script =
        Script::default().call("leat_thread_sleep_until", &[Value(now() + 3_000_000)], NOWHERE).print("awake\n");
    check(script, "", 0, "awake\n", "");
    assert!(begin.elapsed().as_millis() >= 3);
}

#[test]
fn timers_make_threads_ready_unless_cancelled() {
    let self_waking = |cancel: bool| {
        let sleeper =
            Script::default().print("parks ").call("leat_thread_park", &[Value(5)], NOWHERE).print("woken ").closure();
        let mut script = Script::default()
            .call("leat_thread_new", &[Value(sleeper)], 0)
            .call("leat_thread_switch", &[Slot(0)], NOWHERE)
            .call("leat_timer_start", &[Value(1_000_000_000_500), Slot(0), Value(0), Value(0)], RAW);
        if cancel {
            script = script.call("leat_timer_cancel", &[Slot(RAW as u64)], NOWHERE);
        }
        script.call("leat_thread_sleep_until", &[Value(1_000_000_001_000)], NOWHERE).print("end\n")
    };
    check(self_waking(false), "--fake-clock", 0, "parks woken end\n", "");
    check(self_waking(true), "--fake-clock", 0, "parks end\n", "");
}

#[test]
fn deadlocks_are_reported_with_every_blocked_thread() {
    for mode in ["", "--gc-stress --gc-verify"] {
        let child = Script::default().call("leat_thread_park", &[Value(reason::RECEIVE)], NOWHERE).closure();
        let script = Script::default()
            .print("before\n")
            .call("leat_thread_new", &[Value(child)], 0)
            .call("leat_thread_switch", &[Slot(0)], NOWHERE)
            .call("leat_thread_park", &[Value(reason::SEND)], NOWHERE);
        let expected = "deadlock: all 2 threads are blocked, and nothing can wake them\n\
                        thread 1 (main), sending:\n  in script at test.sml:7\n\
                        thread 2, receiving:\n  in script at test.sml:7\n";
        check(script, mode, 1, "before\n", expected);
    }
}

#[test]
fn uncaught_exceptions_end_the_thread_or_the_program() {
    let raise = |script: Script, packet: u64| {
        // The stub takes the packet first; the script's calls have the block there, so a runtime call raises instead.
        let _ = packet;
        script.call("leat_array_new_uninit", &[Value(-1i64 as u64), Value(1)], 0)
    };
    let packet = packet("Oops", "message");
    let child = raise(Script::default().print("child\n"), packet).print("never\n").closure();
    let script = Script::default()
        .call("leat_thread_new", &[Value(child)], 0)
        .call("leat_thread_switch", &[Slot(0)], NOWHERE)
        .print("main goes on\n");
    let expected = "uncaught exception Size in thread 2\n  in script at test.sml:7\n";
    check(script, "", 0, "child\nmain goes on\n", expected);
    let handler = Script::default().print("exit function\n").closure();
    let script = raise(Script::default().call("leat_at_exit", &[Value(handler)], NOWHERE).print("main\n"), packet);
    check(script, "", 1, "main\nexit function\n", "uncaught exception Size\n  in script at test.sml:7\n");
}

#[test]
fn files_are_written_and_read() {
    let folder = tempfile::TempDir::new().unwrap();
    let name = string(folder.path().join("file").to_str().unwrap());
    for mode in MODES {
        let script = Script::default()
            .call("leat_file_open", &[Value(name), Value(1)], RAW)
            .call("leat_file_write", &[Slot(RAW as u64), Value(string("some bytes")), Value(5), Value(5)], NOWHERE)
            .call("leat_file_close", &[Slot(RAW as u64)], NOWHERE)
            .call("leat_file_open", &[Value(name), Value(0)], RAW)
            .call("leat_file_size", &[Slot(RAW as u64)], RAW + 1)
            .call("leat_int_to_string", &[Slot(RAW as u64 + 1)], 1)
            .call("leat_print", &[Slot(1)], NOWHERE)
            .call("leat_array_new", &[Value(8), Value(b'.' as u64), Value(header::raw_array(0, 0))], 0)
            .call("leat_file_read", &[Slot(RAW as u64), Slot(0), Value(2), Value(6)], RAW + 1)
            .call("leat_int_to_string", &[Slot(RAW as u64 + 1)], 1)
            .call("leat_print", &[Slot(1)], NOWHERE)
            .call("leat_print", &[Slot(0)], NOWHERE)
            .call("leat_file_open", &[Value(string("/nonexistent/x")), Value(0)], RAW)
            .call("leat_error_message", &[Slot(RAW as u64)], 1)
            .call("leat_print", &[Slot(1)], NOWHERE);
        check(script, mode, 0, "55..bytes.No such file or directory", "");
    }
}

/// A worker that waits in a read was once taken for none at all: the other one, idle, reported a deadlock.
#[test]
fn waiting_for_the_system_is_no_deadlock() {
    for mode in ["", "--workers=2", "--workers=2 --gc-stress"] {
        let (mut pipe, mut told) = ([0; 2], [0; 2]);
        // SAFETY: room for two.
        assert_eq!(unsafe { (libc::pipe(pipe.as_mut_ptr()), libc::pipe(told.as_mut_ptr())) }, (0, 0));
        let writer = std::thread::spawn(move || {
            // SAFETY: room for a byte, and four bytes that live; the descriptors are the test's own.
            unsafe {
                // The first read has found nothing. Then it waits, most likely.
                assert_eq!(libc::read(told[0], [0u8].as_mut_ptr().cast(), 1), 1);
                std::thread::sleep(std::time::Duration::from_millis(60));
                libc::write(pipe[1], b"data".as_ptr().cast(), 4);
                libc::close(pipe[1]);
            }
        });
        let child = Script::default().repeat(3, |s| s.call("leat_thread_yield", &[], NOWHERE)).closure();
        let script = Script::default()
            .call("leat_thread_new", &[Value(child)], 0)
            .call("leat_thread_switch", &[Slot(0)], NOWHERE)
            .call("leat_array_new", &[Value(4), Value(b'.' as u64), Value(header::raw_array(0, 0))], 0)
            .call("leat_file_read", &[Value(pipe[0] as u64), Slot(0), Value(0), Value(4)], RAW)
            .call("leat_int_to_string", &[Slot(RAW as u64)], 1)
            .call("leat_print", &[Slot(1)], NOWHERE)
            .call("leat_file_write", &[Value(told[1] as u64), Value(string("!")), Value(0), Value(1)], NOWHERE)
            .call("leat_fd_wait", &[Value(pipe[0] as u64), Value(0)], NOWHERE)
            .call("leat_file_read", &[Value(pipe[0] as u64), Slot(0), Value(0), Value(4)], RAW)
            .call("leat_print", &[Slot(0)], NOWHERE);
        check(script, mode, 0, "~11data", "");
        writer.join().unwrap();
        // SAFETY: the test's own. The manager of the program, which has ended, is gone with all it knew.
        unsafe { (libc::close(pipe[0]), libc::close(told[0]), libc::close(told[1])) };
    }
}

#[test]
fn statistics_count_collections_and_threads() {
    let child = Script::default().closure();
    let script = Script::default()
        .call("leat_gc_collect", &[Value(0)], NOWHERE)
        .call("leat_gc_collect", &[Value(1)], NOWHERE)
        .call("leat_gc_collect", &[Value(2)], NOWHERE)
        .call("leat_gc_stat", &[Value(2)], RAW)
        .call("leat_int_to_string", &[Slot(RAW as u64)], 0)
        .call("leat_print", &[Slot(0)], NOWHERE)
        .call("leat_thread_new", &[Value(child)], 0)
        .call("leat_thread_switch", &[Slot(0)], NOWHERE)
        .call("leat_thread_stat", &[Value(0)], RAW)
        .call("leat_int_to_string", &[Slot(RAW as u64)], 0)
        .call("leat_print", &[Slot(0)], NOWHERE);
    check(script, "", 0, "31", "");
}

/// Threads that allocate, yield, sleep and wake one another, on several workers, with collections all the time.
#[test]
fn many_threads_on_several_workers() {
    for mode in [
        "--gc-stress=50",
        "--gc-stress=20 --gc-verify",
        "--workers=2 --gc-stress=50 --gc-verify",
        "--workers=4 --gc-stress=200",
        "--workers=4 --lanes=4 --nursery=64K",
        "--workers=8 --fake-clock",
    ] {
        let busy = Script::default()
            .repeat(20, |s| {
                s.call("leat_string_concat", &[Value(string("abc")), Value(string("defghij"))], 31)
                    .call("leat_thread_yield", &[], NOWHERE)
                    .call("leat_array_new", &[Value(30), Value(1), Value(header::ref_array(0))], 30)
            })
            .call("leat_thread_sleep_until", &[Value(now() + 2_000_000)], NOWHERE)
            .closure();
        let script = Script::default()
            .repeat(300, |s| {
                s.call("leat_thread_new", &[Value(busy)], 0).call("leat_thread_switch", &[Slot(0)], NOWHERE)
            })
            .repeat(200, |s| s.call("leat_thread_yield", &[], NOWHERE))
            .call("leat_thread_sleep_until", &[Value(now() + 30_000_000)], NOWHERE)
            .print("done\n");
        check(script, mode, 0, "done\n", "");
    }
}

/// Runs this test again in a process of its own, where it finds the variable set.
fn child(test: &str) -> std::process::Command {
    let mut command = std::process::Command::new(std::env::current_exe().unwrap());
    command.args([test, "--nocapture", "--exact", "--test-threads=1"]).env("LEAT_TEST_CHILD", "1");
    command
}

fn is_child() -> bool {
    std::env::var_os("LEAT_TEST_CHILD").is_some()
}

/// The output of a program that is interrupted is there, and the exit code is 130.
#[test]
fn interruption_ends_cleanly() {
    use std::io::Read;
    use std::os::unix::process::ExitStatusExt;
    if is_child() {
        // Tests may have been started in the background, where a shell has interruption ignored.
        // SAFETY: before anything else runs.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        let far = now() + 60_000_000_000;
        let script = Script::default()
            .call("leat_print_err", &[Value(string("ready"))], NOWHERE)
            .print("printed")
            .call("leat_thread_sleep_until", &[Value(far)], NOWHERE);
        std::process::exit(script.run_for_real(""));
    }
    let mut process = child("interruption_ends_cleanly")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    process.stderr.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    // It is written before the program sleeps, which may be late on a busy machine.
    let (mut stdout, mut said) = (process.stdout.take().unwrap(), Vec::new());
    while !text(&said).ends_with("printed") {
        let mut byte = [0];
        stdout.read_exact(&mut byte).unwrap();
        said.push(byte[0]);
    }
    // SAFETY: our own child.
    unsafe { libc::kill(process.id() as i32, libc::SIGINT) };
    let outcome = process.wait_with_output().unwrap();
    assert_eq!((outcome.status.code(), outcome.status.signal()), (Some(130), None));
    stdout.read_to_end(&mut said).unwrap();
    assert!(text(&said).ends_with("printed"), "{}", text(&said));
}

/// A reader that goes away: every print is told so, here in vain; no endless loop and no death by signal.
#[test]
fn a_lost_reader_is_an_error() {
    use std::io::Read;
    if is_child() {
        let long = "x".repeat(100_000);
        let script = Script::default()
            .call("leat_print_err", &[Value(string("ready"))], NOWHERE)
            .call("leat_thread_sleep_until", &[Value(now() + 50_000_000)], NOWHERE)
            .repeat(100, |s| s.print(&long))
            .call("leat_exit", &[Value(7)], NOWHERE);
        std::process::exit(script.run_for_real(""));
    }
    let mut process = child("a_lost_reader_is_an_error")
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    process.stderr.as_mut().unwrap().read_exact(&mut [0; 5]).unwrap();
    drop(process.stdout.take());
    let outcome = process.wait_with_output().unwrap();
    let stderr = text(&outcome.stderr);
    assert_eq!((outcome.status.code(), stderr.as_str()), (Some(7), ""));
}

#[test]
fn memory_that_is_used_up_is_reported() {
    // In a child process, whose standard error is looked at.
    if is_child() {
        let script = Script::default()
            .print("before\n")
            .call("leat_array_new", &[Value(64 << 20), Value(1), Value(header::raw_array(0, 0))], 0)
            .call("leat_array_new", &[Value(64 << 20), Value(1), Value(header::raw_array(0, 0))], 1);
        std::process::exit(script.run_for_real("--heap-max=100M"));
    }
    let outcome = child("memory_that_is_used_up_is_reported").output().unwrap();
    assert_eq!(outcome.status.code(), Some(1));
    assert!(text(&outcome.stdout).ends_with("before\n"));
    let stderr = text(&outcome.stderr);
    assert!(stderr.starts_with("out of memory: 64.0 MB more are wanted"), "{stderr}");
    assert!(stderr.ends_with("  in script at test.sml:7\n"), "{stderr}");
}
