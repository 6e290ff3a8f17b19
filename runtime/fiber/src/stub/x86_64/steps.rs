//! The steps that the stubs of `threads` and `conts` are made of. Each is a macro that gives lines of assembly; `$at`
//! is the stub's name in its labels.
//!
//! ```text
//!  r15 thread block   rdx worker   rcx running thread   rsi argument, then the thread that runs next   r8 the return address's place
//!  r12 first of the queue   r13 lane of the thread that runs next   r11 the queue's tail   r10 a new state   rax a lane
//! ```
//!
//! | label | what happens there |
//! |---|---|
//! | `.L<at>_slow` | the function of the same name does it all |
//! | `.L<at>_by_number` | the next thread's lane is found by its number; back to `.L<at>_owned` |
//! | `.L<at>_bring` | the next thread's frames come from the heap; back to `.L<at>_is_here` |
//! | `.L<at>_own_by_number` | the running thread's lane is found by its number; back to `.L<at>_own` |

/// Pushes of rbx and r12 to r14 those that are not 0, and the address that gets them back, which is one of sixteen; r8
/// points to the return address from here on.
///
/// A function of compiled code keeps these four for its caller. Few callers have something there, and a thread begins
/// with zeros; so a thread that waits has two words of the stub's, as a rule, and not seven. The lane, or the piece,
/// knows rbp.
#[doc(hidden)]
#[macro_export]
macro_rules! pushing {
    ($at:literal, $resume:literal) => {
        $crate::lines! {
            "mov r8, rsp";
            ".cfi_def_cfa_register r8";
            "xor eax, eax";
            "test rbx, rbx";
            "je .L" $at "_no_rbx";
            "push rbx";
            "mov eax, {epilogue}";
            ".L" $at "_no_rbx:";
            "test r12, r12";
            "je .L" $at "_no_r12";
            "push r12";
            "add eax, {epilogue} * 2";
            ".L" $at "_no_r12:";
            "test r13, r13";
            "je .L" $at "_no_r13";
            "push r13";
            "add eax, {epilogue} * 4";
            ".L" $at "_no_r13:";
            "test r14, r14";
            "je .L" $at "_no_r14";
            "push r14";
            "add eax, {epilogue} * 8";
            ".L" $at "_no_r14:";
            "lea r9, [rip + " $resume "]";
            "add rax, r9";
            "push rax";
        }
    };
}

/// Pushes rbp and all four, for the stubs in which a thread does not stay: that is quicker to do and to undo.
#[doc(hidden)]
#[macro_export]
macro_rules! pushing_all {
    () => {
        $crate::lines! {
            "mov r8, rsp";
            ".cfi_def_cfa_register r8";
            "push rbp";
            "push rbx";
            "push r12";
            "push r13";
            "push r14";
            "lea rax, [rip + leat_fiber_resume]";
            "push rax";
        }
    };
}

/// What [`pushing_all!`] has pushed is popped at once; other stacks, whose resume address is in rcx, are left as they
/// are.
#[doc(hidden)]
#[macro_export]
macro_rules! popping_all {
    ($at:literal) => {
        concat!(
            $crate::lines! {
                "lea rdx, [rip + leat_fiber_resume]";
                "cmp rcx, rdx";
                "jne .L" $at "_other_kind";
            },
            $crate::pop_kept!(plain),
            $crate::lines! {
                "pop rcx";
                "jmp rcx";
                ".L" $at "_other_kind:";
            }
        )
    };
}

/// The slow way unless the running thread may stop in the usual way. (That the worker is not watched, [`owning!`]
/// finds.)
#[doc(hidden)]
#[macro_export]
macro_rules! stopping {
    ($at:literal) => {
        $crate::lines! {
            "mov rdx, [r15 + {fiber}]";
            "mov rcx, [r15 + {current}]";
            "cmp byte ptr [rcx + {state}], {running}";
            "jne .L" $at "_slow";
            "test byte ptr [rcx - 8], {unlogged}";
            "jne .L" $at "_slow";
        }
    };
}

/// Notes where the running thread is suspended, and whose lanes will be the running one's and that of the thread
/// before. Which lane it is, is guessed and checked; see [`owning!`].
#[doc(hidden)]
#[macro_export]
macro_rules! saving {
    ($at:literal) => {
        $crate::lines! {
            "mov rax, [rdx + {lane_now}]";
            "cmp [rax + {resident}], rcx";
            "jne .L" $at "_own_by_number";
            ".L" $at "_own:";
            "mov [rax + {sp}], rsp";
            "mov [rax + {fp}], rbp";
            "mov [rax + {call_sp}], r8";
            "mov [rdx + {lane_before}], rax";
            "mov [rdx + {lane_now}], r13";
        }
    };
}

/// The slow way unless the lane of the thread in this register is this worker's, and the worker is not watched; leaves
/// the lane in r13.
///
/// The lane is guessed, to be that of the thread that ran before. The guess is right if that lane is this worker's and
/// the thread is its resident (T2, T10). The way by the lane's number is out of line ([`owning_by_number!`]). For what
/// a switch waits for is a chain of loads: the thread from the stack, its lane's number, the stack pointer from the
/// lane, and from that stack the next thread. A guess that is checked by a branch, which is foretold, cuts the chain:
/// two threads that hand over to each other take 5 ns and not 8.
#[doc(hidden)]
#[macro_export]
macro_rules! owning {
    ($at:literal, $thread:literal) => {
        $crate::lines! {
            "mov r13, [rdx + {lane_before}]";
            "mov r9d, [rdx + {owns}]";
            "cmp [r13 + {owner}], r9d";
            "jne .L" $at "_by_number";
            "cmp [r13 + {resident}], " $thread;
            "jne .L" $at "_by_number";
            ".L" $at "_owned:";
        }
    };
}

/// The guess of [`owning!`] was wrong, or the thread's frames are in the heap. The thread's word means something only
/// after its lane was seen to be this worker's: another worker may be about to give the lane, or the thread to leave
/// it.
#[doc(hidden)]
#[macro_export]
macro_rules! owning_by_number {
    ($at:literal, $thread:literal) => {
        $crate::lines! {
            ".L" $at "_by_number:";
            "movzx r14d, word ptr [" $thread " + {lane}]";
            "cmp r14d, {no_lane}";
            "je .L" $at "_slow";
            "mov r13, r14";
            "shl r13, {lane_shift}";
            "add r13, [rdx + {lanes}]";
            "cmp [r13 + {owner}], r9d";
            "jne .L" $at "_slow";
            "cmp [" $thread " + {lane}], r14w";
            "jne .L" $at "_slow";
            "jmp .L" $at "_owned";
        }
    };
}

/// The thread in rsi, on a lane of this worker, is to run next: the slow way unless it is blocked, with nothing left
/// for it. The last of what is looked at: out of line, its frames may be brought from the heap ([`bringing_target!`]).
#[doc(hidden)]
#[macro_export]
macro_rules! targeting {
    ($at:literal) => {
        $crate::lines! {
            "cmp qword ptr [rsi + {start}], 1";
            "jne .L" $at "_slow";
            "cmp byte ptr [rsi + {state}], {on_lane}";
            "jne .L" $at "_bring";
            ".L" $at "_is_here:";
        }
    };
}

/// The frames of the thread in rsi are in the heap: exchanges them for those on its lane, if that is as usual.
#[doc(hidden)]
#[macro_export]
macro_rules! bringing_target {
    ($at:literal) => {
        concat!(
            $crate::owning_by_number!($at, "rsi"),
            $crate::lines! {
                ".L" $at "_bring:";
                "cmp byte ptr [rsi + {state}], {in_heap}";
                "jne .L" $at "_slow";
                "mov r12, rsi";
                "call leat_fiber_exchange";
                "je .L" $at "_is_here";
                "mov rdi, r15";
                "jmp .L" $at "_slow";
            }
        )
    };
}

/// The same for the first of the queue, in r12: what [`choosing!`] has loaded is loaded again.
#[doc(hidden)]
#[macro_export]
macro_rules! bringing_first {
    ($at:literal) => {
        concat!(
            $crate::owning_by_number!($at, "r12"),
            $crate::lines! {
                ".L" $at "_bring:";
                "cmp r9d, {in_heap}";
                "jne .L" $at "_slow";
                "call leat_fiber_exchange";
                "mov eax, [rdx + {since_events}]";
                "lea eax, [rax + 1]";
                "movzx r10d, byte ptr [r12 + {state}]";
                "je .L" $at "_is_here";
                "mov rdi, r15";
                "jmp .L" $at "_slow";
            }
        )
    };
}

/// The running thread, r11 being the queue's tail or 1, goes to the end of the queue.
#[doc(hidden)]
#[macro_export]
macro_rules! queueing {
    ($at:literal) => {
        $crate::lines! {
            "mov byte ptr [rcx + {state}], {on_lane} + {queued}";
            "mov [rdx + {queue_tail}], rcx";
            "cmp r11, 1";
            "je .L" $at "_queue_is_empty";
            "mov [r11 + {next}], rcx";
            "jmp .L" $at "_is_queued";
            ".L" $at "_queue_is_empty:";
            "mov [rdx + {queue_head}], rcx";
            ".L" $at "_is_queued:";
        }
    };
}

/// The first of the queue is in r12, on a lane of this worker: the slow way unless it can be resumed in the usual way.
/// Its new state is in r10. The last of what is looked at, as in [`targeting!`].
#[doc(hidden)]
#[macro_export]
macro_rules! choosing {
    ($at:literal) => {
        $crate::lines! {
            "mov eax, [rdx + {since_events}]";
            "inc eax";
            "cmp eax, {events_every}";
            "jae .L" $at "_slow";
            "cmp qword ptr [r12 + {start}], 1";
            "jne .L" $at "_slow";
            "movzx r10d, byte ptr [r12 + {state}]";
            "mov r9d, r10d";
            "and r9d, {place_mask}";
            "cmp r9d, {on_lane}";
            "jne .L" $at "_bring";
            ".L" $at "_is_here:";
            "and r10d, {permit}";
            "or r10d, {running}";
            "mov [rdx + {since_events}], eax";
        }
    };
}

/// Takes the first of the queue, which is in r12, out of it; it is in rsi then.
#[doc(hidden)]
#[macro_export]
macro_rules! popping {
    () => {
        $crate::lines! {
            "mov rsi, r12";
            "mov r9, [rsi + {next}]";
            "mov [rdx + {queue_head}], r9";
            "mov qword ptr [rsi + {next}], 1";
        }
    };
}

/// Goes on with the thread in rsi, whose lane is in r13 and whose state will be `$state`; then what is out of line. A
/// stack is resumed by the code of the stub that left it, which gets rax, what the primitive gives, and rbx, which says
/// that it is not at once.
#[doc(hidden)]
#[macro_export]
macro_rules! resuming {
    ($at:literal, $function:literal, $usual:expr, $bringing:expr, $state:literal) => {
        concat!(
            $crate::lines! {
                "mov byte ptr [rsi + {state}], " $state;
                "mov [r15 + {current}], rsi";
                "mov r9d, [rsi + {depth}]";
                "mov [r15 + {atomic_depth}], r9";
                "mov r9, [r13 + {limit}]";
                "mov [r15 + {stack_limit}], r9";
                "inc qword ptr [rdx + {switches}]";
                "mov rsp, [r13 + {sp}]";
                "xor eax, eax";
                "cmp [r15 + {poll}], rax";
                "jne .L" $at "_polls";
                ".L" $at "_resumes:";
                "pop rcx";
            },
            $usual,
            $crate::lines! {
                "mov rbp, [r13 + {fp}]";
                "xor ebx, ebx";
                "mov [r15 + {resume_value}], rax";
                "jmp rcx";
                ".L" $at "_polls:";
                "mov qword ptr [r15 + {stack_limit}], -1";
                "jmp .L" $at "_resumes";
                ".L" $at "_own_by_number:";
                "movzx eax, word ptr [rcx + {lane}]";
                "shl rax, {lane_shift}";
                "add rax, [rdx + {lanes}]";
                "jmp .L" $at "_own";
            },
            $bringing,
            $crate::otherwise!($at, $function)
        )
    };
}

/// The slow way: the function does what the stub has not begun, on the C stack, and says which stack goes on.
#[doc(hidden)]
#[macro_export]
macro_rules! otherwise {
    ($at:literal, $function:literal) => {
        concat!(
            $crate::lines! {
                ".L" $at "_slow:";
                "mov [r15 + {saved_sp}], rsp";
                "mov [r15 + {saved_fp}], rbp";
                "mov [r15 + {saved_call_sp}], r8";
                "mov rbx, rsp";
                "mov r12, r8";
                ".cfi_def_cfa r12, 8";
                "mov rsp, [r15 + {c_sp}]";
                "call " $function;
            },
            $crate::go_on!(),
            ".cfi_endproc\n"
        )
    };
}

/// The epilogue that pops these registers and makes the others 0, in `EPILOGUE` bytes; `$end` is where it goes then,
/// with the flag set if the stack is where it was at the call (see `leat_fiber_resume`).
#[doc(hidden)]
#[macro_export]
macro_rules! getting_back {
    ($r14:literal, $r13:literal, $r12:literal, $rbx:literal, $end:expr) => {
        concat!(
            $crate::lines! {
                ".p2align 6";
                "lea rcx, [rsp - 8]";
                "cmp rcx, rbx";
                $r14;
                $r13;
                $r12;
                $rbx;
            },
            $end,
            "\n"
        )
    };
}

/// All sixteen, at the label.
#[doc(hidden)]
#[macro_export]
macro_rules! all_getting_back {
    ($label:literal, $end:expr) => {
        concat!(
            ".p2align 6\n",
            $crate::label!($label),
            $crate::all_getting_back!("mov r14d, 0", "mov r13d, 0", $end),
            $crate::all_getting_back!("mov r14d, 0", "pop r13", $end),
            $crate::all_getting_back!("pop r14", "mov r13d, 0", $end),
            $crate::all_getting_back!("pop r14", "pop r13", $end),
        )
    };
    ($r14:literal, $r13:literal, $end:expr) => {
        concat!(
            $crate::getting_back!($r14, $r13, "mov r12d, 0", "mov ebx, 0", $end),
            $crate::getting_back!($r14, $r13, "mov r12d, 0", "pop rbx", $end),
            $crate::getting_back!($r14, $r13, "pop r12", "mov ebx, 0", $end),
            $crate::getting_back!($r14, $r13, "pop r12", "pop rbx", $end),
        )
    };
}
