//! What the collector did, for a person, when the program has ended: `--gc-summary`, `MLton.GC.setSummary`.

use std::fs;
use std::sync::atomic::Ordering;
use std::time::Duration;

use leat_io::clock;
use leat_memory::Stats;

use crate::service::report::thousands;
use crate::state::runtime::{Runtime, stderr};

/// Prints the summary where the options say, if they or the program ask for one. After all workers have left. False: it
/// could not be written.
pub fn finish(runtime: &Runtime) -> bool {
    let file = match &runtime.options.gc_summary {
        Some(file) => file.as_str(),
        None if runtime.summary.load(Ordering::Relaxed) => "",
        None => return true,
    };
    // SAFETY: worker 0's block lives as long as the program.
    let stats = runtime.heap.stats(Some(unsafe { &*runtime.fibers.main_tcb() }));
    let (user, system) = clock::process_times();
    let text = text(&stats, runtime.began.elapsed(), Duration::from_nanos(user + system));
    if file.is_empty() {
        return stderr().print_now(text.as_bytes()).is_ok();
    }
    let Err(error) = fs::write(file, text) else { return true };
    let _ = stderr().print_now(format!("--gc-summary: {file}: {error}\n").as_bytes());
    false
}

fn text(stats: &Stats, elapsed: Duration, processor: Duration) -> String {
    let ms = |ns: u64| format!("{:.1} ms", ns as f64 / 1e6);
    let share = |ns: u64| 100.0 * ns as f64 / (elapsed.as_nanos() as f64).max(1.0);
    let rate = |bytes: u64, ns: u64| match ns {
        0 => "-".to_string(),
        _ => format!("{:.0} MB/s", bytes as f64 * 1e3 / ns as f64),
    };
    let mut out = String::new();
    let mut row = |cells: [&str; 6]| {
        let [kind, number, time, part, bytes, speed] = cells;
        out.push_str(&format!("{kind:<13}{number:>10}{time:>14}{part:>9}{bytes:>24}{speed:>14}\n"));
    };
    row(["collections", "number", "time", "share", "bytes", "speed"]);
    for (kind, number, ns, bytes, what) in [
        ("minor", stats.minors, stats.minor_ns, stats.promoted, "promoted"),
        ("major", stats.majors, stats.major_ns, stats.marked, "marked"),
    ] {
        let (number, speed) = (thousands(number as usize), rate(bytes, ns));
        let bytes = format!("{} {what}", thousands(bytes as usize));
        row([kind, &number, &ms(ns), &format!("{:.1} %", share(ns)), &bytes, &speed]);
    }
    if stats.settled > 0 {
        out.push_str(&format!("{} bytes of nurseries became old where they were\n", thousands(stats.settled as usize)));
    }
    let pause = ms(stats.max_pause_ns);
    let (elapsed, processor) = (elapsed.as_nanos() as u64, processor.as_nanos() as u64);
    out.push_str(&format!(
        "ran {}, processor time {}; longest pause {pause}\n\
         allocated {} bytes, {}; of them {} by the runtime (long arrays and strings, threads), the rest by compiled code\n\
         alive {} bytes; heap {}, at most {}\n",
        ms(elapsed),
        ms(processor),
        thousands(stats.allocated as usize),
        rate(stats.allocated, elapsed),
        thousands(stats.by_runtime as usize),
        thousands(stats.found),
        thousands(stats.heap),
        thousands(stats.peak),
    ));
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_adds_up() {
        let stats = Stats {
            minors: 1_200,
            majors: 2,
            minor_ns: 50_000_000,
            major_ns: 25_000_000,
            max_pause_ns: 12_500_000,
            promoted: 100_000_000,
            marked: 50_000_000,
            allocated: 5_000_000_000,
            by_runtime: 1_000_000_000,
            found: 1_000_000,
            heap: 8_000_000,
            peak: 64_000_000,
            ..Stats::default()
        };
        assert_eq!(
            text(&stats, Duration::from_millis(500), Duration::from_millis(450)),
            "collections      number          time    share                   bytes         speed\n\
             minor             1,200       50.0 ms   10.0 %    100,000,000 promoted     2000 MB/s\n\
             major                 2       25.0 ms    5.0 %       50,000,000 marked     2000 MB/s\n\
             ran 500.0 ms, processor time 450.0 ms; longest pause 12.5 ms\n\
             allocated 5,000,000,000 bytes, 10000 MB/s; of them 1,000,000,000 by the runtime (long arrays and strings, threads), the \
             rest by compiled code\n\
             alive 1,000,000 bytes; heap 8,000,000, at most 64,000,000\n"
        );
    }
}
