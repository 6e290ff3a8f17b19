//! Gzip, zlib and deflate: bytes -> bytes, piece by piece.
//!
//! A stream is a Rust value behind an address that the library keeps (`lib/leat/gzip.sml`): `zip_close` drops what it
//! holds, so that a later call finds nothing, and a finalizer of the library's, `zip_free`, the rest. A step consumes
//! some of its input and gives what comes of it; both are bounded by the size of a piece, so a small text that stands
//! for a huge one costs its reader no more memory than the reader asks for.
//!
//! Nothing here is referenced by a program that does not use these primitives, so the linker drops all of it.

mod inflate;

use std::io::Write;
use std::sync::Mutex;

use flate2::write::GzEncoder;
use flate2::{Compress, Compression, FlushCompress, Status};
use leat_abi::tcb::Tcb;

use self::inflate::{Gunzip, Inflate};
use crate::service::alloc::new_string;
use crate::service::here::Here;
use crate::service::objects::bytes;

/// The formats, as the library numbers them.
const GZIP: u64 = 0;
const ZLIB: u64 = 1;

/// What a step is to do besides.
const FLUSH: u64 = 1;
const FINISH: u64 = 2;

/// What `zip_told` says of the last step.
const GOES_ON: u64 = 0;
const ENDED: u64 = 1;
const BROKEN: u64 = 2;

/// Bytes that a step gives at most, but for the end of a compressed stream.
const PIECE: usize = 32 << 10;

enum Codec {
    Gzip(GzEncoder<Vec<u8>>),
    Gunzip(Gunzip),
    Deflate(Compress),
    Inflate(Inflate),
}

struct Stream {
    codec: Codec,
    consumed: usize,
    status: u64,
}

type Shell = Mutex<Option<Box<Stream>>>;

impl Codec {
    fn new(format: u64, level: i64) -> Codec {
        if level < 0 {
            match format {
                GZIP => Codec::Gunzip(Gunzip::new()),
                _ => Codec::Inflate(Inflate::new(format == ZLIB)),
            }
        } else {
            let level = Compression::new(level as u32);
            match format {
                GZIP => Codec::Gzip(GzEncoder::new(Vec::new(), level)),
                _ => Codec::Deflate(Compress::new(level, format == ZLIB)),
            }
        }
    }

    /// Some of the input -> how much of it was used, what came of it, and whether the stream goes on.
    fn step(&mut self, input: &[u8], order: u64) -> (usize, Vec<u8>, u64) {
        match self {
            Codec::Gzip(stream) => {
                let used = stream.write(input).unwrap_or(0);
                let done = match order {
                    FLUSH => stream.flush(),
                    FINISH => stream.try_finish(),
                    _ => Ok(()),
                };
                let status = if done.is_err() || used == 0 && !input.is_empty() {
                    BROKEN
                } else if order == FINISH {
                    ENDED
                } else {
                    GOES_ON
                };
                (used, std::mem::take(stream.get_mut()), status)
            }
            Codec::Gunzip(stream) => {
                let mut output = Vec::new();
                let (used, status) = stream.step(input, &mut output);
                let status = match status {
                    inflate::Status::GoesOn if order != FINISH => GOES_ON,
                    inflate::Status::GoesOn if stream.may_end() => ENDED,
                    _ => BROKEN,
                };
                (used, output, status)
            }
            Codec::Deflate(stream) => {
                let order = match order {
                    FLUSH => FlushCompress::Sync,
                    FINISH => FlushCompress::Finish,
                    _ => FlushCompress::None,
                };
                let (mut output, before) = (Vec::new(), stream.total_in());
                // Once more as long as the output fills what there is for it.
                loop {
                    output.reserve(PIECE);
                    let used = (stream.total_in() - before) as usize;
                    let status = match stream.compress_vec(&input[used..], &mut output, order) {
                        Ok(Status::StreamEnd) => ENDED,
                        Ok(_) if output.len() == output.capacity() => continue,
                        Ok(_) => GOES_ON,
                        Err(_) => BROKEN,
                    };
                    return ((stream.total_in() - before) as usize, output, status);
                }
            }
            Codec::Inflate(stream) => {
                let mut output = Vec::new();
                let (used, status) = stream.step(input, &mut output);
                let status = match status {
                    inflate::Status::GoesOn => GOES_ON,
                    inflate::Status::Ended => ENDED,
                    inflate::Status::Broken => BROKEN,
                };
                (used, output, status)
            }
        }
    }
}

/// A new stream: its format (0 gzip, 1 zlib, 2 deflate), and how hard it compresses, 0 to 9, or a negative number to
/// decompress.
pub fn leat_zip_new(_: Here, format: u64, level: i64) -> u64 {
    let stream = Stream { codec: Codec::new(format, level), consumed: 0, status: GOES_ON };
    Box::into_raw(Box::new(Shell::new(Some(Box::new(stream))))) as u64
}

/// # Safety
/// An address that `leat_zip_new` gave, and `leat_zip_free` has not got yet.
unsafe fn shell<'a>(stream: u64) -> &'a Shell {
    // SAFETY: as the caller says.
    unsafe { &*(stream as *const Shell) }
}

/// What comes of some of a string's bytes from `start` on.
///
/// # Safety
/// Called by compiled code, with a stream that is not freed, and `start` inside the string.
pub unsafe fn leat_zip_step(tcb: *mut Tcb, stream: u64, from: u64, start: u64, order: u64) -> u64 {
    // SAFETY: the input is read before the allocation, and no reference is held over it.
    unsafe {
        let mut output = Vec::new();
        if let Ok(mut held) = shell(stream).lock()
            && let Some(stream) = held.as_mut()
        {
            let input = &bytes(from)[start as usize..];
            let step = stream.codec.step(&input[..input.len().min(PIECE)], order);
            (stream.consumed, output, stream.status) = step;
        }
        new_string(tcb, &output)
    }
}

/// Of the last step: 0 how much of its input was used, 1 the status. 2 for a stream that is closed.
///
/// # Safety
/// Called by compiled code, with a stream that is not freed.
pub unsafe fn leat_zip_told(_tcb: *mut Tcb, stream: u64, what: u64) -> u64 {
    // SAFETY: as the caller says.
    match unsafe { shell(stream) }.lock() {
        Ok(held) => held.as_ref().map_or(BROKEN, |s| if what == 0 { s.consumed as u64 } else { s.status }),
        Err(_) => BROKEN,
    }
}

/// Drops what a stream holds.
///
/// # Safety
/// Called by compiled code, with a stream that is not freed.
pub unsafe fn leat_zip_close(_tcb: *mut Tcb, stream: u64) -> u64 {
    // SAFETY: as the caller says.
    if let Ok(mut held) = unsafe { shell(stream) }.lock() {
        *held = None;
    }
    0
}

/// Frees a stream.
///
/// # Safety
/// Called by compiled code, once for a stream, by a finalizer: nobody has it any more.
pub unsafe fn leat_zip_free(_tcb: *mut Tcb, stream: u64) -> u64 {
    // SAFETY: as the caller says.
    drop(unsafe { Box::from_raw(stream as *mut Shell) });
    0
}
