//! The addresses of everything that compiled code may call, by name: what a linker finds in a built program, for the JIT.

use std::sync::OnceLock;

macro_rules! table {
    (leaves { $($leaf:ident in $floor:ident::$module:ident,)* } runtime { $($function:ident,)* } threads { $($thread:ident,)* } stubs { $($stub:ident,)* }) => {
        $( leat_fiber::runtime_stub!($function); )*
        leat_fiber::thread_stubs!();
        leat_fiber::continuation_stubs!();
        leat_fiber::stubs!();
        leat_fiber::runtime_stub!(leat_exit_next);
        leat_fiber::runtime_stub!(leat_session_next);
        leat_fiber::runtime_stub!(leat_signal_next);

        /// The stubs, under the names of what they call.
        mod stubs {
            unsafe extern "C" {
                $(
                    #[link_name = concat!(stringify!($function), "_stub")]
                    pub fn $function();
                )*
                $(
                    #[link_name = concat!(stringify!($thread), "_stub")]
                    pub fn $thread();
                )*
                $( pub fn $stub(); )*
            }
        }

        /// Each leaf's symbol, `<symbol>_stub` of each runtime primitive, and the stubs that are no primitives.
        pub static SYMBOLS: &[(&str, Address)] = &[
            $( (stringify!($leaf), Address(crate::$floor::$module::$leaf as *const () as *const u8)), )*
            $( (concat!(stringify!($function), "_stub"), Address(stubs::$function as *const () as *const u8)), )*
            $( (concat!(stringify!($thread), "_stub"), Address(stubs::$thread as *const () as *const u8)), )*
            $( (stringify!($stub), Address(stubs::$stub as *const () as *const u8)), )*
        ];
    };
}

/// An address of code.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Address(pub *const u8);

// SAFETY: code does not change.
unsafe impl Sync for Address {}

table! {
    leaves {
    leat_real_sin in prim::math,
    leat_real_cos in prim::math,
    leat_real_tan in prim::math,
    leat_real_asin in prim::math,
    leat_real_acos in prim::math,
    leat_real_atan in prim::math,
    leat_real_atan2 in prim::math,
    leat_real_exp in prim::math,
    leat_real_ln in prim::math,
    leat_real_log10 in prim::math,
    leat_real_pow in prim::math,
    leat_real_sinh in prim::math,
    leat_real_cosh in prim::math,
    leat_real_tanh in prim::math,
    leat_real_rem in prim::math,
    leat_real_of_string in prim::strings,
    leat_string_eq in prim::strings,
    leat_string_compare in prim::strings,
    leat_arg_count in prim::world,
    leat_time_now in prim::world,
    leat_time_monotonic in prim::world,
    leat_time_user in prim::world,
    leat_time_system in prim::world,
    leat_time_gc in prim::world,
    leat_out_due in prim::world,
    leat_mp_add in prim::bignum,
    leat_mp_sub in prim::bignum,
    leat_mp_mul in prim::bignum,
    leat_mp_mul_word in prim::bignum,
    leat_mp_div_word in prim::bignum,
    leat_mp_shl in prim::bignum,
    leat_mp_shr in prim::bignum,
    leat_mp_compare in prim::bignum,
    leat_mp_div_step in prim::bignum,
    leat_int_mul_high in prim::bignum,
    leat_thread_pause in prim::threads,
    leat_thread_ended in prim::threads,
    leat_real_to_single in prim::bignum,
    leat_real_to_bits32 in prim::bignum,
    leat_real_of_bits32 in prim::bignum,
    leat_real_get_rounding in prim::bignum,
    leat_real_set_rounding in prim::bignum,
    leat_real_add in prim::bignum,
    leat_real_sub in prim::bignum,
    leat_real_mul in prim::bignum,
    leat_real_div in prim::bignum,
    leat_real_sqrt in prim::bignum,
    leat_real_of_int in prim::bignum,
    }
    runtime {
    leat_real_fmt,
    leat_array_new,
    leat_array_new_uninit,
    leat_array_copy,
    leat_string_concat,
    leat_string_extract,
    leat_int_to_string,
    leat_exn_history,
    leat_exn_keep,
    leat_exn_note,
    leat_print,
    leat_write_out,
    leat_out_settle,
    leat_print_err,
    leat_flush_out,
    leat_exit,
    leat_at_exit,
    leat_arg,
    leat_program_name,
    leat_env,
    leat_env_has,
    leat_file_open,
    leat_file_read,
    leat_file_write,
    leat_file_close,
    leat_file_size,
    leat_error_message,
    leat_gc_collect,
    leat_gc_messages,
    leat_gc_stat,
    leat_gc_set_nursery,
    leat_weak_new,
    leat_thread_new,
    leat_thread_take,
    leat_thread_exit,
    leat_lock_attempt,
    leat_cont_restart,
    leat_thread_sleep_until,
    leat_timer_start,
    leat_timer_cancel,
    leat_deadlock_watch,
    leat_uncaught_hook,
    leat_thread_stat,
    leat_workers_set,
    leat_access,
    leat_file_open_with,
    leat_file_seek,
    leat_file_stat,
    leat_fd_stat,
    leat_fd_truncate,
    leat_fd_sync,
    leat_file_access,
    leat_file_remove,
    leat_file_rename,
    leat_file_link,
    leat_file_symlink,
    leat_file_readlink,
    leat_file_realpath,
    leat_file_chmod,
    leat_fd_chmod,
    leat_file_chown,
    leat_fd_chown,
    leat_file_set_times,
    leat_file_mkfifo,
    leat_file_temp,
    leat_file_umask,
    leat_file_pathconf,
    leat_dir_change,
    leat_dir_make,
    leat_dir_remove,
    leat_dir_current,
    leat_dir_open,
    leat_dir_read,
    leat_dir_rewind,
    leat_dir_close,
    leat_fd_dup,
    leat_fd_dup2,
    leat_fd_pipe,
    leat_fd_fcntl,
    leat_fd_isatty,
    leat_fd_lock,
    leat_fd_pathconf,
    leat_tty_get,
    leat_tty_set,
    leat_tty_control,
    leat_fd_poll,
    leat_process_fork,
    leat_process_exec,
    leat_process_spawn,
    leat_process_wait,
    leat_process_kill,
    leat_process_id,
    leat_process_exit_now,
    leat_process_alarm,
    leat_process_pause,
    leat_process_set,
    leat_system_text,
    leat_system_conf,
    leat_system_account,
    leat_env_set,
    leat_limit_get,
    leat_limit_set,
    leat_time_zone,
    leat_time_children,
    leat_random_word,
    leat_object_size,
    leat_fd_wait,
    leat_fd_watch,
    leat_fd_unwatch,
    leat_fd_watched,
    leat_fd_ready,
    leat_io_listen,
    leat_io_take,
    leat_timeout_start,
    leat_timeout_due,
    leat_timeout_take,
    leat_io_stat,
    leat_job_start,
    leat_job_wait,
    leat_job_watch,
    leat_job_take,
    leat_job_drop,
    leat_process_open,
    leat_process_ended,
    leat_socket_new,
    leat_socket_pair,
    leat_socket_bind,
    leat_socket_connect,
    leat_socket_listen,
    leat_socket_accept,
    leat_socket_name,
    leat_socket_send,
    leat_socket_send_to,
    leat_socket_receive,
    leat_socket_receive_from,
    leat_socket_shutdown,
    leat_socket_get,
    leat_socket_set,
    leat_socket_ask,
    leat_net_entry,
    leat_out_drain,
    leat_signal_serve,
    leat_signal_take,
    leat_signal_mask,
    leat_signal_pending,
    leat_signal_set,
    leat_itimer_set,
    leat_trace_mark,
    }
    threads {
    leat_thread_ready,
    leat_thread_switch,
    leat_thread_handoff,
    leat_thread_park,
    leat_thread_yield,
    leat_cont_capture,
    leat_cont_throw,
    }
    stubs {
    leat_gc_stub,
    leat_poll_stub,
    leat_stack_check_stub,
    leat_raise_stub,
    leat_raise_builtin_stub,
    leat_write_barrier_stub,
    leat_array_barrier_stub,
    leat_atomic_end_stub,
    leat_gc_handled_stub,
    leat_poll_handled_stub,
    leat_atomic_end_handled_stub,
    leat_return_stub,
    }
}

/// The same as names and plain addresses, for the JIT.
pub fn symbols() -> &'static [(&'static str, *const u8)] {
    struct Plain(Vec<(&'static str, *const u8)>);
    // SAFETY: addresses of code, which does not change.
    unsafe impl Sync for Plain {}
    // SAFETY: as above.
    unsafe impl Send for Plain {}
    static PLAIN: OnceLock<Plain> = OnceLock::new();
    &PLAIN.get_or_init(|| Plain(SYMBOLS.iter().map(|(name, address)| (*name, address.0)).collect())).0
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use leat_abi::prim::{Lower, Prim, stub};

    use super::*;

    /// Every symbol of the contract is here, and nothing else.
    #[test]
    fn the_table_is_that_of_the_contract() {
        let stubs = [
            stub::GC,
            stub::POLL,
            stub::STACK_CHECK,
            stub::RAISE,
            stub::RAISE_BUILTIN,
            stub::WRITE_BARRIER,
            stub::ARRAY_BARRIER,
            stub::ATOMIC_END,
            stub::GC_HANDLED,
            stub::POLL_HANDLED,
            stub::ATOMIC_END_HANDLED,
            stub::RETURN,
        ];
        let mut expected: HashSet<String> = stubs.iter().map(|s| s.to_string()).collect();
        for prim in Prim::all() {
            match prim.lower() {
                Lower::Inline => {}
                Lower::Leaf(symbol) => drop(expected.insert(symbol.to_string())),
                Lower::Runtime(symbol) => drop(expected.insert(format!("{symbol}_stub"))),
            }
        }
        let got: HashSet<String> = symbols().iter().map(|(name, _)| name.to_string()).collect();
        assert_eq!(got.len(), SYMBOLS.len(), "a symbol stands twice");
        let missing: Vec<_> = expected.difference(&got).collect();
        let unknown: Vec<_> = got.difference(&expected).collect();
        assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
        assert!(symbols().iter().all(|(_, address)| !address.is_null()));
    }
}
