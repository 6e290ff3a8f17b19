//! The lab: programs of the documents' tables, run beside their counterparts; medians and ratios.
//!
//! Usage: `cargo run --release -p leat-bench -- [--rounds=N] [ROW ...]`. Rows are the workloads of [`WORKLOADS`]
//! (`E1` for all of E1-100, E1-1000, ...); all without a name. Every system of a row runs once in each round, in turn, so that a drift of the machine's speed hits all alike;
//! the table shows the median of the rounds and its ratio to the reference of the same run.

mod report;
mod run;
mod stats;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// How a measurement is taken.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// The program measures itself and prints `name value` lines.
    Prints,
    /// The whole process is timed; the name is the row's.
    Process(&'static str),
    /// As `Prints`; besides, as `cpu` the process's CPU time divided by this number of messages, in nanoseconds, and as
    /// `resident-KB` the most memory that it had (this one's own at least): they hold on a busy machine too.
    Usage(u32),
}

/// One system's way of running a workload.
struct System {
    name: &'static str,
    /// Words of the build command (empty: none) and of the run command. `{leat}`, `{dir}` (the workload's folder), `{out}`
    /// (a scratch folder) and `{lines}` (the file of A2) are filled in.
    build: &'static str,
    run: &'static str,
    kind: Kind,
    /// `ours/theirs` pairs: a printed name and the reference's name that it is compared with, when they differ.
    against: &'static [(&'static str, &'static str)],
}

struct Workload {
    row: &'static str,
    folder: &'static str,
    unit: &'static str,
    /// The first is the reference of ratios where it has the name.
    systems: &'static [System],
    /// Bars of WORKLOADS.md: a name, or `system: name`, and the most its ratio (`x`) or value may be. Where figures of peers
    /// were taken on another machine than this one, a bar is its share of theirs: a ratio within this run.
    bars: &'static [(&'static str, Bar)],
}

#[derive(Clone, Copy)]
enum Bar {
    Ratio(f64),
    Value(f64),
    /// The ratio to what a system (the first text) of the same row prints under a name (the second).
    Of(&'static str, &'static str, f64),
    /// The ratio to the best of these systems of the same row, round by round.
    Best(&'static [&'static str], f64),
    /// The ratio to what a system of the same row prints under this name, or this value: the larger of both.
    OfOr(&'static str, f64, f64),
    /// The bar's value, or its ratio to what the reference took where the bar was measured: on another machine the
    /// second is what it means.
    Either(f64, f64),
}

const fn prints(name: &'static str, build: &'static str, run: &'static str) -> System {
    System { name, build, run, kind: Kind::Prints, against: &[] }
}

const fn usage(name: &'static str, build: &'static str, run: &'static str, messages: u32) -> System {
    System { name, build, run, kind: Kind::Usage(messages), against: &[] }
}

/// What is there to be built for a program that SML/NJ loads: whether SML/NJ is there.
const SMLNJ: &str = "sml @SMLversion";

const LEAT_BUILD: &str = "{leat} build {dir}/PROG.sml -o {out}/PROG-leat";
const TOKIO_BUILD: &str = "cargo build -q --release --manifest-path {dir}/tokio/Cargo.toml --target-dir {out}/tokio";

/// How the programs of rows E1 to E3 are built.
const PIPES_C: &str = "cc -O2 {dir}/pipes.c -o {out}/pipes-c";
const PIPES_CALLBACK: &str = "{leat} build {dir}/pipes-callback.sml -o {out}/pipes-callback";
const PIPES_THREADS: &str = "{leat} build {dir}/pipes-threads.sml -o {out}/pipes-threads";
const PIPES_GO: &str = "go build -o {out}/pipes-go {dir}/pipes.go";

/// A program that sends so many messages through so many pipes; further words stand behind these.
macro_rules! sends {
    ($name:expr, $build:expr, $run:literal, $pipes:literal, $messages:literal $(, $more:literal)*) => {
        usage($name, $build, concat!($run, " ", $pipes, " ", $messages $(, " ", $more)*), $messages)
    };
}

/// Row E1: a message's wall and CPU time. A row is one number of pipes.
macro_rules! pipes {
    ($row:literal, $pipes:literal, $messages:literal, $bars:expr) => {
        Workload {
            row: $row,
            folder: "io",
            unit: "ns or KB",
            systems: &[
                sends!("C epoll", PIPES_C, "{out}/pipes-c", $pipes, $messages),
                sends!("leat callbacks", PIPES_CALLBACK, "{out}/pipes-callback", $pipes, $messages),
                sends!("leat threads", PIPES_THREADS, "{out}/pipes-threads", $pipes, $messages),
                sends!("Go, one core", PIPES_GO, "env GOMAXPROCS=1 {out}/pipes-go", $pipes, $messages),
            ],
            bars: $bars,
        }
    };
}

/// Row E2: as E1, with a delay. A row is one number of pipes, with so many time-outs besides.
macro_rules! delayed {
    ($row:literal, $pipes:literal, $messages:literal, $more:literal) => {
        Workload {
            row: $row,
            folder: "io",
            unit: "ns or KB",
            systems: &[
                sends!("C epoll", PIPES_C, "{out}/pipes-c", $pipes, $messages, $more),
                sends!("leat callbacks", PIPES_CALLBACK, "{out}/pipes-callback", $pipes, $messages, $more),
                sends!(NO_DELAY, "", "{out}/pipes-callback", $pipes, $messages),
                sends!("leat threads", PIPES_THREADS, "{out}/pipes-threads", $pipes, $messages, $more),
                sends!("tokio, one worker", TOKIO_BUILD, "{out}/tokio/release/pipes-tokio", $pipes, $messages, $more),
                sends!("Go, one core", PIPES_GO, "env GOMAXPROCS=1 {out}/pipes-go", $pipes, $messages, $more),
                sends!("Go, two cores", "", "env GOMAXPROCS=2 {out}/pipes-go", $pipes, $messages, $more),
            ],
            // 0.7 of the messages of the smaller of E1 and P a delay of a millisecond; and no fewer than the best peer.
            bars: &[
                ("leat callbacks: message", Bar::OfOr(NO_DELAY, 1.0 / 0.7, 1e6 / $pipes as f64 / 0.7)),
                ("leat callbacks: message", Bar::Best(PEERS, 1.0)),
                ("leat threads: message", Bar::OfOr(NO_DELAY, 1.0 / 0.7, 1e6 / $pipes as f64 / 0.7)),
                ("leat threads: message", Bar::Best(PEERS, 1.0)),
            ],
        }
    };
}

/// Peers that E2 is to be as fast as.
const PEERS: &[&str] = &["tokio, one worker", "Go, one core", "Go, two cores"];

/// What E2's bar is measured by.
const NO_DELAY: &str = "leat callbacks, no delay";

/// Row E1 with threads beside its peer for one worker, or for two.
macro_rules! peers {
    ($row:literal, $workers:literal, $pipes:literal, $peer:literal, $build:expr, $run:literal) => {
        Workload {
            row: $row,
            folder: "io",
            unit: "ns or KB",
            systems: &[
                sends!($peer, $build, $run, $pipes, 1000000),
                usage(
                    "leat threads",
                    PIPES_THREADS,
                    concat!("env LEAT_RUN=--workers=", $workers, " {out}/pipes-threads ", $pipes, " 1000000"),
                    1000000,
                ),
            ],
            bars: &[("message", Bar::Ratio(1.0))],
        }
    };
}

macro_rules! one_worker {
    ($row:literal, $pipes:literal) => {
        peers!($row, 1, $pipes, "tokio, one worker", TOKIO_BUILD, "{out}/tokio/release/pipes-tokio")
    };
}

macro_rules! two_workers {
    ($row:literal, $pipes:literal) => {
        peers!($row, 2, $pipes, "Go, two cores", PIPES_GO, "env GOMAXPROCS=2 {out}/pipes-go")
    };
}

/// Row E5: examples/httpd beside Go's net/http, one core each; a file of 4 KB over connections that are kept, for ten seconds.
macro_rules! httpd {
    ($row:literal, $connections:literal) => {
        Workload {
            row: $row,
            folder: "io",
            unit: "ns, KB or us",
            systems: &[
                prints(
                    "Go net/http",
                    "go build -o {out}/httpd-go {dir}/../../../examples/httpd/httpd.go",
                    concat!("{out}/load serve ", $connections, " 10 4096 env GOMAXPROCS=1 {out}/httpd-go PORT ROOT"),
                ),
                prints(
                    "Go net/http, file in memory",
                    "go build -o {out}/load {dir}/load.go",
                    concat!(
                        "{out}/load serve ",
                        $connections,
                        " 10 4096 env GOMAXPROCS=1 {out}/httpd-go PORT ROOT kept"
                    ),
                ),
                prints(
                    "leat httpd",
                    "{leat} build {dir}/../../../examples/httpd/httpd.sml -o {out}/httpd",
                    concat!("{out}/load serve ", $connections, " 10 4096 {out}/httpd --port=PORT --root=ROOT"),
                ),
            ],
            bars: &[("request", Bar::Ratio(1.0)), ("cpu", Bar::Ratio(1.0))],
        }
    };
}

/// Row A4, with one number of senders: the bar of a spawn and what it is of tokio's, and other peers.
macro_rules! senders {
    ($row:literal, $n:literal, ($spawn:literal, $ratio:literal), [$($peer:expr),*]) => {
        Workload {
            row: $row,
            folder: "cml",
            unit: "ns or KB",
            systems: &[
                usage("tokio, one worker", TOKIO_BUILD, concat!("{out}/tokio/release/senders ", $n), 2 * $n),
                usage(
                    "leat",
                    "{leat} build {dir}/senders.mlb -o {out}/senders",
                    concat!("{out}/senders ", $n),
                    2 * $n,
                ),
                usage(
                    "Go, one core",
                    "go build -o {out}/senders-go {dir}/senders.go",
                    concat!("env GOMAXPROCS=1 {out}/senders-go ", $n),
                    2 * $n,
                ),
                $($peer),*
            ],
            bars: &[
                ("delay-p50", Bar::Value(300.0)),
                ("interval", Bar::Either(500.0, 1.04)),
                ("spawn-mean", Bar::Either($spawn, $ratio)),
                ("spawn-p99", Bar::Value(2000.0)),
                ("early", Bar::Value(0.0)),
            ],
        }
    };
}

/// Row A5, with one number of threads, and other peers.
macro_rules! timeouts {
    ($row:literal, $n:literal, [$($peer:expr),*]) => {
        Workload {
            row: $row,
            folder: "cml",
            unit: "ns, us or KB",
            systems: &[
                usage("tokio, one worker", TOKIO_BUILD, concat!("{out}/tokio/release/timeouts ", $n), $n),
                usage(
                    "leat",
                    "{leat} build {dir}/timeouts.mlb -o {out}/timeouts",
                    concat!("{out}/timeouts ", $n),
                    $n,
                ),
                usage(
                    "Go, one core",
                    "go build -o {out}/timeouts-go {dir}/timeouts.go",
                    concat!("env GOMAXPROCS=1 {out}/timeouts-go ", $n),
                    $n,
                ),
                $($peer),*
            ],
            bars: &[
                ("spawn-mean", Bar::Either(350.0, 1.0)),
                ("spawn-p99", Bar::Value(3000.0)),
                ("early", Bar::Value(0.0)),
                ("late-p99-us", Bar::Value(3000.0)),
            ],
        }
    };
}

/// Row E3: the callback interface over each back end.
macro_rules! back_ends {
    ($row:literal, $pipes:literal, $messages:literal) => {
        Workload {
            row: $row,
            folder: "io",
            unit: "ns or KB",
            systems: &[
                sends!(
                    "epoll",
                    PIPES_CALLBACK,
                    "env LEAT_RUN=--io-backend=epoll {out}/pipes-callback",
                    $pipes,
                    $messages
                ),
                sends!("poll", "", "env LEAT_RUN=--io-backend=poll {out}/pipes-callback", $pipes, $messages),
            ],
            bars: &[],
        }
    };
}

/// Row C3: the program of another nursery or heap.
macro_rules! intense {
    ($option:literal $(, $suffix:literal)?) => {
        concat!("env LEAT_RUN=", $option, " {out}/intense" $(, $suffix)?)
    };
}

/// 0.9 of C's throughput.
const E1_BARS: &[(&str, Bar)] =
    &[("leat callbacks: message", Bar::Ratio(1.11)), ("leat callbacks: cpu", Bar::Ratio(1.11))];

const WORKLOADS: &[Workload] = &[
    pipes!("E1-100", 100, 1000000, E1_BARS),
    pipes!("E1-1000", 1000, 1000000, E1_BARS),
    pipes!("E1-9900", 9900, 1000000, E1_BARS),
    one_worker!("E1-100-one", 100),
    one_worker!("E1-1000-one", 1000),
    one_worker!("E1-9900-one", 9900),
    two_workers!("E1-100-two", 100),
    two_workers!("E1-1000-two", 1000),
    two_workers!("E1-9900-two", 9900),
    delayed!("E2-100", 100, 100000, "1000"),
    delayed!("E2-1000", 1000, 500000, "1000"),
    delayed!("E2-9900", 9900, 500000, "1000"),
    delayed!("E2-100-live", 100, 100000, "1000 100000"),
    delayed!("E2-1000-live", 1000, 500000, "1000 100000"),
    delayed!("E2-9900-live", 9900, 500000, "1000 100000"),
    back_ends!("E3-100", 100, 500000),
    back_ends!("E3-1000", 1000, 500000),
    back_ends!("E3-9900", 9900, 500000),
    httpd!("E5-100", 100),
    httpd!("E5-1000", 1000),
    Workload {
        row: "A1",
        folder: "loops",
        unit: "ns",
        systems: &[
            prints("C", "cc -O1 {dir}/loops.c -o {out}/loops-c", "{out}/loops-c"),
            prints("leat", LEAT_BUILD, "{out}/loops-leat"),
            prints("leat run", "", "{leat} run {dir}/loops.sml"),
        ],
        bars: &[("countdown", Bar::Ratio(1.1)), ("countup", Bar::Ratio(1.1))],
    },
    Workload {
        row: "A2",
        folder: "newlines",
        unit: "ns",
        systems: &[
            prints("C", "cc -O1 {dir}/newlines.c -o {out}/newlines-c", "{out}/newlines-c {lines}"),
            System {
                name: "leat",
                build: LEAT_BUILD,
                run: "{out}/newlines-leat {lines}",
                kind: Kind::Prints,
                against: &[
                    ("slowix", "count"),
                    ("fastix", "count"),
                    ("tokens", "count"),
                    ("cntrl", "count"),
                    ("getc", "count"),
                ],
            },
        ],
        bars: &[
            ("readall", Bar::Ratio(2.0)),
            ("slowix", Bar::Ratio(0.75)),
            ("fastix", Bar::Ratio(0.75)),
            ("tokens", Bar::Ratio(1.1)),
            ("cntrl", Bar::Ratio(1.2)),
            ("getc", Bar::Ratio(0.55)),
        ],
    },
    Workload {
        row: "A3",
        folder: "list",
        unit: "ns",
        systems: &[
            prints("C", "cc -O1 {dir}/list.c -o {out}/list-c", "{out}/list-c"),
            prints("leat", LEAT_BUILD, "{out}/list-leat"),
        ],
        bars: &[
            ("list50000", Bar::Ratio(0.33)),
            ("list100000", Bar::Ratio(0.33)),
            ("list200000", Bar::Ratio(0.33)),
            ("list500000", Bar::Ratio(0.5)),
            ("list1000000", Bar::Ratio(0.5)),
        ],
    },
    senders!("A4-100", 100, (150.0, 0.5), [prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} senders 100")]),
    senders!("A4-1000", 1000, (150.0, 0.5), [prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} senders 1000")]),
    senders!("A4-10000", 10000, (150.0, 0.5), [prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} senders 10000")]),
    senders!("A4-100000", 100000, (400.0, 1.33), []),
    senders!("A4-1000000", 1000000, (400.0, 1.33), []),
    timeouts!("A5-5000", 5000, [prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} timeouts 5000")]),
    timeouts!("A5-100000", 100000, []),
    timeouts!("A5-1000000", 1000000, []),
    Workload {
        row: "A6",
        folder: "cml",
        unit: "ns or us",
        systems: &[
            prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} shared 1000"),
            prints("leat", "{leat} build {dir}/shared.mlb -o {out}/shared", "{out}/shared 1000"),
        ],
        bars: &[("at-time-awake-us", Bar::Value(1000.0)), ("time-out-awake-us", Bar::Value(1000.0))],
    },
    Workload {
        row: "A7",
        folder: "cml",
        unit: "ns",
        systems: &[
            prints("C heap", "cc -O2 {dir}/deadlines.c -o {out}/deadlines", "{out}/deadlines 1000000"),
            prints("leat", "{leat} build {dir}/aborts.mlb -o {out}/aborts", "{out}/aborts 1000000"),
        ],
        bars: &[("set-and-cancel", Bar::Either(100.0, 1.25))],
    },
    Workload {
        row: "A8",
        folder: "cml",
        unit: "ns",
        systems: &[
            prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} pingpong"),
            prints("leat", "{leat} build {dir}/pingpong.mlb -o {out}/pingpong", "{out}/pingpong"),
            prints(
                "GHC",
                "ghc -v0 -O2 -outputdir {out}/pingpong-ghc-files -o {out}/pingpong-ghc {dir}/pingpong.hs",
                "{out}/pingpong-ghc",
            ),
            prints("Go, one core", "go build -o {out}/pingpong-go {dir}/pingpong.go", "{out}/pingpong-go"),
            prints("C", "cc -O2 -mno-red-zone {dir}/pingpong.c -o {out}/pingpong-c", "{out}/pingpong-c"),
        ],
        // 50, 67 and 114 ns where SML/NJ takes 77, 86 and 240.
        bars: &[
            ("pingpong", Bar::Of("SML/NJ", "pingpong", 0.65)),
            ("select2", Bar::Of("SML/NJ", "select2", 0.78)),
            ("select8", Bar::Of("SML/NJ", "select8", 0.475)),
        ],
    },
    Workload {
        row: "workers",
        folder: "cml",
        unit: "ns",
        systems: &[
            prints("leat, 1 worker", "{leat} build {dir}/pairs.mlb -o {out}/pairs", "{out}/pairs"),
            prints("leat, 2 workers", "", "env LEAT_RUN=--workers=2 {out}/pairs"),
        ],
        // Two pairs scale by 1.8; a channel that threads of both workers share costs at most three times.
        bars: &[
            ("leat, 2 workers: pair", Bar::Of("leat, 1 worker", "pair", 0.56)),
            ("leat, 2 workers: channel-1", Bar::Of("leat, 1 worker", "channel-1", 3.0)),
            ("leat, 2 workers: channel-2", Bar::Of("leat, 1 worker", "channel-2", 3.0)),
            ("leat, 2 workers: channel-10", Bar::Of("leat, 1 worker", "channel-10", 3.0)),
        ],
    },
    Workload {
        row: "B2",
        folder: "cml",
        unit: "ms or ns",
        systems: &[
            prints("SML/NJ 2,000", SMLNJ, "sh {dir}/../smlnj.sh {dir} sieve 2000"),
            prints("leat 2,000", "{leat} build {dir}/sieve.mlb -o {out}/sieve", "{out}/sieve 2000"),
            prints("leat ring, chain", "{leat} build {dir}/ring.mlb -o {out}/ring", "{out}/ring 1000"),
        ],
        bars: &[("sieve-ms", Bar::Value(77.0))],
    },
    Workload {
        row: "C1",
        folder: "switch",
        unit: "ns",
        systems: &[
            prints("C", "cc -O2 -mno-red-zone {dir}/switch.c -o {out}/switch-c", "{out}/switch-c"),
            prints("SML/NJ", SMLNJ, "sh {dir}/../smlnj.sh {dir} portable"),
            prints("leat", LEAT_BUILD, "{out}/switch-leat"),
            prints("leat, as SML/NJ", "{leat} build {dir}/portable.mlb -o {out}/portable", "{out}/portable"),
            prints("Go, one core", "go build -o {out}/switch-go {dir}/switch.go", "{out}/switch-go"),
        ],
        // 5 and 10 ns where C takes 2.6; 12 and 15 where SML/NJ's yield takes 13.3 and its callcc 5.2.
        bars: &[
            ("switch", Bar::Of("C", "switch", 1.92)),
            ("mlton-thread", Bar::Of("C", "switch", 3.85)),
            ("cml-yield", Bar::Of("SML/NJ", "cml-yield", 0.9)),
            ("callcc-throw", Bar::Of("SML/NJ", "callcc-throw", 2.88)),
        ],
    },
    Workload {
        row: "C2",
        folder: "gc",
        unit: "ms or %",
        systems: &[
            prints("align 8", "{leat} build {dir}/gc.sml -o {out}/gc-8", "{out}/gc-8"),
            prints("align 16", "{leat} build --align=16 {dir}/gc.sml -o {out}/gc-16", "{out}/gc-16"),
            prints("align 32", "{leat} build --align=32 {dir}/gc.sml -o {out}/gc-32", "{out}/gc-32"),
        ],
        bars: &[],
    },
    Workload {
        row: "C2-ablation",
        folder: "gc",
        unit: "ms or %",
        systems: &[
            prints("compiled in", "{leat} build {dir}/gc.sml -o {out}/gc-compiled", "{out}/gc-compiled"),
            prints("run-time mask", "sh {dir}/ablation.sh {leat} gc {out} mask", "{out}/gc-mask"),
            prints("run-time division", "sh {dir}/ablation.sh {leat} gc {out} division", "{out}/gc-division"),
        ],
        bars: &[],
    },
    Workload {
        // A small nursery: the collector works in the cache, and waits for nothing.
        row: "C2-ablation-cache",
        folder: "gc",
        unit: "ns or %",
        systems: &[
            prints("compiled in", "{leat} build {dir}/intense.sml -o {out}/intense", intense!("--nursery=256K")),
            prints(
                "run-time mask",
                "sh {dir}/ablation.sh {leat} intense {out} mask",
                intense!("--nursery=256K", "-mask"),
            ),
            prints(
                "run-time division",
                "sh {dir}/ablation.sh {leat} intense {out} division",
                intense!("--nursery=256K", "-division"),
            ),
        ],
        bars: &[],
    },
    Workload {
        row: "C3",
        folder: "gc",
        unit: "ns, us or %",
        systems: &[
            prints("nursery 256K", "{leat} build {dir}/intense.sml -o {out}/intense", intense!("--nursery=256K")),
            prints("nursery 1M", "", intense!("--nursery=1M")),
            prints("nursery 4M", "", intense!("--nursery=4M")),
            prints("nursery 16M", "", intense!("--nursery=16M")),
            prints("nursery 64M", "", intense!("--nursery=64M")),
            prints("heap 96M", "", intense!("--heap-max=96M")),
            prints("heap 256M", "", intense!("--heap-max=256M")),
            prints("heap 1G", "", intense!("--heap-max=1G")),
        ],
        bars: &[],
    },
    Workload {
        row: "B6",
        folder: "blocked",
        unit: "bytes",
        systems: &[prints("leat", LEAT_BUILD, "{out}/blocked-leat")],
        bars: &[("live-bytes-per-thread", Bar::Value(300.0)), ("resident-megabytes", Bar::Value(500.0))],
    },
    Workload {
        row: "D1",
        folder: "startup",
        unit: "us",
        systems: &[
            System {
                name: "C",
                build: "cc -O1 {dir}/hello.c -o {out}/startup-c",
                run: "{out}/startup-c",
                kind: Kind::Process("hello"),
                against: &[],
            },
            System {
                name: "leat",
                build: "{leat} build {dir}/hello.sml -o {out}/startup-leat",
                run: "{out}/startup-leat",
                kind: Kind::Process("hello"),
                against: &[],
            },
        ],
        bars: &[("hello", Bar::Ratio(1.3))],
    },
    Workload {
        row: "D1r",
        folder: "startup",
        unit: "us",
        systems: &[
            System { name: "guile", build: "", run: "guile -c 1", kind: Kind::Process("expression"), against: &[] },
            System {
                name: "python3",
                build: "",
                run: "python3 -IS -c 1",
                kind: Kind::Process("expression"),
                against: &[],
            },
            System {
                name: "leat run -e",
                build: "",
                // A text never seen before: nothing can be cached.
                run: "{leat} run -e {fresh}",
                kind: Kind::Process("expression"),
                against: &[],
            },
        ],
        bars: &[("expression", Bar::Ratio(1.0))],
    },
    Workload {
        row: "D6",
        folder: "startup",
        unit: "us",
        systems: &[
            System {
                name: "leat check hello",
                build: "",
                run: "{leat} check {dir}/hello.sml",
                kind: Kind::Process("check-hello"),
                against: &[],
            },
            System {
                name: "leat build hello",
                build: "",
                run: "{leat} build {dir}/hello.sml --object -o {out}/hello.o",
                kind: Kind::Process("object-hello"),
                against: &[],
            },
        ],
        bars: &[("object-hello", Bar::Value(60000.0))],
    },
];

fn main() -> ExitCode {
    let mut rounds = 5;
    let mut rows = Vec::new();
    for word in std::env::args().skip(1) {
        if let Some(value) = word.strip_prefix("--rounds=") {
            match value.parse() {
                Ok(n) if (1..=100).contains(&n) => rounds = n,
                _ => return wrong("--rounds takes a number from 1 to 100"),
            }
        } else if WORKLOADS.iter().any(|w| is_of(w.row, &word)) {
            rows.push(word);
        } else {
            return wrong(&format!("there is no row {word}"));
        }
    }
    let place = match Place::find() {
        Ok(place) => place,
        Err(message) => {
            eprintln!("leat-bench: {message}");
            return ExitCode::FAILURE;
        }
    };
    let chosen = WORKLOADS.iter().filter(|w| rows.is_empty() || rows.iter().any(|row| is_of(w.row, row)));
    let mut failed = false;
    println!("| row | what | system | median | unit | ratio | bar | |");
    println!("|---|---|---|---:|---|---:|---:|---|");
    for workload in chosen {
        match run::workload(workload, &place, rounds) {
            Ok(results) => report::print(workload, &results),
            Err(message) => {
                eprintln!("leat-bench: {}: {message}", workload.row);
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

/// Whether a word names this row, or the rows (`E1-100`, `E1-1000`) of which it is one (`E1`).
fn is_of(row: &str, word: &str) -> bool {
    let (row, word) = (row.to_ascii_lowercase(), word.to_ascii_lowercase());
    row.strip_prefix(&word).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

fn wrong(message: &str) -> ExitCode {
    let rows: Vec<&str> = WORKLOADS.iter().map(|w| w.row).collect();
    eprintln!("leat-bench: {message}\nusage: leat-bench [--rounds=N] [ROW ...]\nrows: {}", rows.join(" "));
    ExitCode::from(2)
}

/// Where things are.
struct Place {
    leat: PathBuf,
    programs: PathBuf,
    out: PathBuf,
}

impl Place {
    fn find() -> Result<Place, String> {
        let own = std::env::current_exe().map_err(|e| e.to_string())?;
        let leat = own.with_file_name("leat");
        if !leat.exists() {
            return Err(format!("{} is missing: run `cargo build --release` first", leat.display()));
        }
        let out = std::env::temp_dir().join(format!("leat-bench-{}", std::process::id()));
        std::fs::create_dir_all(&out).map_err(|e| format!("{}: {e}", out.display()))?;
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("programs");
        let line = format!("{}\n", "x".repeat(60));
        std::fs::write(out.join("lines.txt"), line.repeat(10_000)).map_err(|e| e.to_string())?;
        Ok(Place { leat, programs, out })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.out);
    }
}
