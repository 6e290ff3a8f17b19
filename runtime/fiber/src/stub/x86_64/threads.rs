//! The stubs of the thread primitives: the usual case of each in a few dozen instructions, on the SML stack; all others
//! go the way of every primitive, to the function of [`crate::run::switch`] with the same name.
//!
//! Usual: both threads are on lanes of this worker, or the frames of the one that runs next can be exchanged for those
//! on its lane (`exchange`); nothing was left for it; no object has to be told to the collector; it is not time for the
//! events. Everything is looked at before anything is changed, so the slow way finds the world as it was. What a fast
//! way does is what the function in `switch.rs` does, in the same order: whoever changes one changes the other, and
//! `tests` compares them over all states of the words that they look at.
//!
//! Registers and labels are those of `steps`.

/// `thread_stub!("park", pushing.., resuming.., lines..)`: the stub of a primitive that stops the running thread: its name, how
/// the thread's stack is left, which kind of stack is resumed at once, how that of the next thread is brought from the
/// heap, and the state of that one then.
#[doc(hidden)]
#[macro_export]
macro_rules! thread_stub {
    ($at:literal, $function:literal, $pushing:expr, $usual:expr, $bringing:expr, $state:literal, $($line:expr),* $(,)?) => {
        $crate::assembly!(
            $crate::function!(concat!($function, "_stub")),
            ".cfi_startproc",
            $pushing,
            $crate::stopping!($at),
            $($line,)*
            $crate::resuming!($at, $function, $usual, $bringing, $state),
            concat!(".size ", $function, "_stub, . - ", $function, "_stub"),
        );
    };
}

/// The stub of a primitive that blocks the running thread until another one makes it ready.
#[doc(hidden)]
#[macro_export]
macro_rules! parking_stub {
    ($at:literal, $function:literal, $resume:literal) => {
        $crate::thread_stub!(
            $at,
            $function,
            $crate::pushing!($at, $resume),
            "",
            $crate::bringing_first!($at),
            "r10b",
            "mov r12, [rdx + {queue_head}]",
            "cmp r12, 1",
            concat!("je .L", $at, "_slow"),
            $crate::owning!($at, "r12"),
            $crate::choosing!($at),
            $crate::saving!($at),
            "mov dword ptr [rcx + {depth}], 0",
            "mov [rcx + {reason}], sil",
            "mov byte ptr [rcx + {state}], {on_lane}",
            $crate::popping!(),
        );
    };
}

/// The stubs of `leat_thread_handoff`, `leat_thread_switch`, `leat_thread_park`, `leat_thread_await`,
/// `leat_thread_yield` and `leat_thread_ready`, which the invoking crate defines as `extern "C"` functions without
/// mangling.
#[macro_export]
macro_rules! thread_stubs {
    () => {
        $crate::thread_stub!(
            "handoff",
            "leat_thread_handoff",
            $crate::pushing_all!(),
            $crate::popping_all!("handoff"),
            $crate::bringing_target!("handoff"),
            "{running}",
            $crate::owning!("handoff", "rsi"),
            $crate::targeting!("handoff"),
            $crate::saving!("handoff"),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            "mov byte ptr [rcx + {state}], {on_lane}",
        );
        $crate::thread_stub!(
            "switch",
            "leat_thread_switch",
            $crate::pushing!("switch", "leat_fiber_resume_kept"),
            "",
            $crate::bringing_target!("switch"),
            "{running}",
            $crate::owning!("switch", "rsi"),
            "mov r11, [rdx + {queue_head}]",
            "cmp r11, 1",
            "je .Lswitch_nobody_waits",
            "mov r11, [rdx + {queue_tail}]",
            "test byte ptr [r11 - 8], {unlogged}",
            "jne .Lswitch_slow",
            ".Lswitch_nobody_waits:",
            $crate::targeting!("switch"),
            $crate::saving!("switch"),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            $crate::queueing!("switch"),
        );
        $crate::parking_stub!("park", "leat_thread_park", "leat_fiber_resume_kept");
        $crate::parking_stub!("await", "leat_thread_await", "leat_fiber_resume_await");
        $crate::thread_stub!(
            "yield",
            "leat_thread_yield",
            $crate::pushing_all!(),
            $crate::popping_all!("yield"),
            $crate::bringing_first!("yield"),
            "r10b",
            "mov r12, [rdx + {queue_head}]",
            "cmp r12, 1",
            "je .Lyield_slow",
            "mov r11, [rdx + {queue_tail}]",
            "test byte ptr [r11 - 8], {unlogged}",
            "jne .Lyield_slow",
            $crate::owning!("yield", "r12"),
            $crate::choosing!("yield"),
            $crate::saving!("yield"),
            "mov r9, [r15 + {atomic_depth}]",
            "mov [rcx + {depth}], r9d",
            $crate::queueing!("yield"),
            $crate::popping!(),
        );
        $crate::assembly!(
            $crate::all_getting_back!(
                "leat_fiber_resume_kept",
                $crate::lines! {
                    "je leat_fiber_resume_same";
                    "cmp qword ptr [r15 + {pending}], 0";
                    "jne leat_fiber_pending";
                    "pop rcx";
                    "jmp rcx";
                }
            ),
            // A thread that awaits goes on when its wait is over, with what was left for it; else it waits again. It
            // was woken by another, who runs on: so it goes on by a jump, as in `leat_fiber_resume`.
            $crate::all_getting_back!("leat_fiber_resume_await", "jmp .Lawaited"),
            ".p2align 4",
            ".Lawaited:",
            "cmp qword ptr [r15 + {pending}], 0",
            "jne leat_fiber_pending",
            "mov rcx, [r15 + {current}]",
            "test byte ptr [rcx + {stamp}], {over}",
            "je .Lawaited_again",
            "mov rdx, [rcx + {message}]",
            "xor eax, eax",
            "test dl, 1",
            "jne .Lawaited_result",
            // A cell is a record; what is no record was not left by the one who ended the wait.
            "test byte ptr [rdx - 8], {kind_mask}",
            "jne .Lawaited_result",
            "mov qword ptr [rcx + {message}], 1",
            "mov rax, [rdx]",
            ".Lawaited_result:",
            "pop rcx",
            "jmp rcx",
            ".Lawaited_again:",
            "mov rdi, r15",
            "movzx esi, byte ptr [rcx + {reason}]",
            "jmp leat_thread_await_stub",
        );
        // A leaf in the usual case: the thread in rsi goes to the end of the queue, nobody is switched.
        $crate::assembly!(
            $crate::function!("leat_thread_ready_stub"),
            ".cfi_startproc",
            "mov rdx, [r15 + {fiber}]",
            "cmp byte ptr [rdx + {watched}], 0",
            "jne .Lready_slow",
            "movzx r10d, word ptr [rsi + {lane}]",
            "cmp r10d, {no_lane}",
            "je .Lready_no_lane",
            "mov r8, r10",
            "shl r8, {lane_shift}",
            "add r8, [rdx + {lanes}]",
            "mov r9d, [rdx + {index}]",
            "cmp [r8 + {owner}], r9d",
            "jne .Lready_slow",
            "cmp [rsi + {lane}], r10w",
            "jne .Lready_slow",
            "movzx eax, byte ptr [rsi + {state}]",
            "cmp eax, {on_lane}",
            "je .Lready_queue",
            "cmp eax, {in_heap}",
            "jne .Lready_slow",
            ".Lready_queue:",
            "cmp qword ptr [rdx + {queue_head}], 1",
            "je .Lready_queue_is_empty",
            "mov rcx, [rdx + {queue_tail}]",
            "test byte ptr [rcx - 8], {unlogged}",
            "jne .Lready_slow",
            "mov [rcx + {next}], rsi",
            "jmp .Lready_is_queued",
            ".Lready_queue_is_empty:",
            "mov [rdx + {queue_head}], rsi",
            ".Lready_is_queued:",
            "mov [rdx + {queue_tail}], rsi",
            "or eax, {queued} + {readied}",
            "mov [rsi + {state}], al",
            "xor eax, eax",
            "ret",
            // It has no lane: a new one, as a rule. With one worker nobody else may be about to run it.
            ".Lready_no_lane:",
            "mov r8, [rdx + {shared}]",
            "cmp byte ptr [r8 + {several}], 0",
            "jne .Lready_slow",
            "movzx eax, byte ptr [rsi + {state}]",
            "test eax, eax",
            "je .Lready_queue",
            ".Lready_slow:",
            "jmp leat_thread_ready_slow_stub",
            ".cfi_endproc",
        );
        $crate::runtime_stub!(leat_thread_ready, "leat_thread_ready_slow_stub");
    };
}
