//! Numbers by which the library asks the runtime: which collection, which figure, which of the process's numbers.
//!
//! The runtime matches on the constants, and the library has them by name, in `lib/prim/constants.sml`.

macro_rules! numbers {
    ($($(#[doc = $about:literal])* $module:ident { $($(#[doc = $doc:literal])* $name:ident $sml:literal = $value:literal,)* })*) => {
        $(
            $(#[doc = $about])*
            pub mod $module {
                $($(#[doc = $doc])* pub const $name: u64 = $value as i64 as u64;)*

                /// The library's names, and the numbers.
                pub const ALL: &[(&str, i64)] = &[$(($sml, $value)),*];
            }
        )*
    };
}

numbers! {
    /// What `gc_collect` does.
    collection {
        MINOR "minor" = 0,
        MAJOR "major" = 1,
        /// Everything unused is given back.
        FULL "full" = 2,
        /// As little memory is left as can be.
        PACK "pack" = -1,
    }

    /// What `gc_stat` answers.
    heap {
        /// Bytes that the last major collection found alive.
        LIVE "live" = 0,
        ALLOCATED "allocated" = 1,
        MINORS "minors" = 2,
        MAJORS "majors" = 3,
        /// Bytes that the heap has, and the most that it had.
        SIZE "size" = 4,
        PEAK "peak" = 5,
        MINOR_NS "minorNanoseconds" = 6,
        MAJOR_NS "majorNanoseconds" = 7,
        /// Old objects that were logged, since they were stored into.
        LOGGED "logged" = 8,
        /// Bytes promoted, and bytes marked.
        PROMOTED "promoted" = 9,
        MARKED "marked" = 10,
        /// The most that lived after a major collection.
        MOST_LIVE "mostLive" = 11,
    }

    /// What `debug_profile` begins.
    measured {
        /// Of these there is one at a time.
        TIME "time" = 0,
        ALLOCATION "allocation" = 1,
        WAITING "waiting" = 2,
        /// A time line of threads and workers.
        TRACE "trace" = 3,
    }

    /// What `gc_set` sets. 0 takes a setting back.
    heap_setting {
        /// Nanoseconds that a collection may take, as a goal.
        PAUSE "pause" = 0,
        /// Thousandths of what lives that the heap may have.
        SPEND "spend" = 1,
        /// Bytes that it is to have at most, as long as that can be had.
        SOFT "soft" = 2,
    }

    /// What `thread_stat` answers.
    threads {
        ALIVE "alive" = 0,
        SWITCHES "switches" = 1,
        EVICTIONS "evictions" = 2,
        STEALS "steals" = 3,
        LANES "lanes" = 4,
        WORKERS "workers" = 5,
        PREEMPTIONS "preemptions" = 6,
        /// Workers that were asked for at the start.
        WANTED "wanted" = 7,
        /// How deep in atomic sections the running thread is.
        DEPTH "depth" = 8,
        /// Whether other threads run or are ready.
        OTHERS "others" = 9,
    }

    /// What `io_stat` answers.
    io {
        /// Descriptors that are registered.
        DESCRIPTORS "descriptors" = 0,
        WAITERS "waiters" = 1,
        /// OS threads of the pool, and its jobs.
        POOL "pool" = 2,
        JOBS "jobs" = 3,
        TIMERS "timers" = 4,
    }

    /// What `process_id` answers.
    process {
        ID "id" = 0,
        PARENT "parent" = 1,
        USER "user" = 2,
        EFFECTIVE_USER "effectiveUser" = 3,
        GROUP "group" = 4,
        EFFECTIVE_GROUP "effectiveGroup" = 5,
        PROCESS_GROUP "processGroup" = 6,
        SESSION "session" = 7,
        /// The calling OS thread.
        OS_THREAD "osThread" = 8,
    }
}

/// Two constants of one number would be two names of one arm.
#[test]
fn numbers_are_given_once() {
    for all in [collection::ALL, heap::ALL, threads::ALL, io::ALL, process::ALL] {
        let mut numbers: Vec<i64> = all.iter().map(|(_, number)| *number).collect();
        numbers.sort();
        numbers.dedup();
        assert_eq!(numbers.len(), all.len());
    }
}
