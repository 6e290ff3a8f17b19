//! A program -> its functions' machine code, in parallel when there are many.
//!
//! Threads take functions from one counter; each has its own context, which keeps its memory from function to function.

use std::sync::atomic::{AtomicUsize, Ordering};

use cranelift_codegen::binemit::Reloc as Kind;
use cranelift_codegen::ir::{self, ExternalName, UserFuncName};
use cranelift_codegen::{Context, FinalizedMachExceptionHandler, FinalizedRelocTarget};
use leat_base::arena::EntityId;
use leat_ssa::ir::{Function, Loc, Program};

use crate::codegen::{self, NAME_DATA, NAME_EXTERN, NAME_FOREIGN, NAME_FUNC};
use crate::count::{self, Counted};
use crate::crowded;
use crate::flow::has_cycle;
use crate::isa::Machine;
use crate::lower::Lowering;
use crate::options::{Error, Level, Options};
use crate::places;

/// What a relocation refers to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Symbol {
    Func(u32),
    Data(u32),
    /// A stub or primitive, see `calls::extern_symbol`.
    Extern(u32),
    /// Of C, by its number in the program.
    Foreign(u32),
    /// Slot 0 of the program's globals.
    Globals,
}

/// A place in the code to be filled in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reloc {
    pub offset: u32,
    pub kind: Kind,
    pub symbol: Symbol,
    pub addend: i64,
}

/// A return address of one function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallSite {
    pub ret: u32,
    pub handler: Option<u32>,
    /// Of the innermost source place: what was inlined here may be of another file than the function.
    pub loc: Loc,
    pub first_slot: u32,
    pub slot_count: u32,
}

/// Machine code of one function; offsets are from its start.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub bytes: Vec<u8>,
    pub align: u32,
    pub frame: u32,
    pub relocs: Vec<Reloc>,
    pub sites: Vec<CallSite>,
    pub slots: Vec<u32>,
    /// Starts of source places, ascending.
    pub lines: Vec<(u32, Loc)>,
    /// What it counts.
    pub counted: Option<Counted>,
}

/// Fewer functions than this for each thread are not worth one.
const FUNCTIONS_PER_THREAD: usize = 16;

/// Compiles every function.
pub(crate) fn compile(program: &Program, options: &Options, machine: &Machine) -> Result<Vec<Code>, Error> {
    let n = program.funcs.len();
    let cores = || std::thread::available_parallelism().map_or(1, |n| n.get());
    let threads = match options.threads {
        1 => 1,
        0 => cores(),
        limit => limit,
    };
    let threads = if threads == 1 { 1 } else { threads.min(n / FUNCTIONS_PER_THREAD).max(1) };
    if threads == 1 {
        let mut lowering = Lowering::new();
        return (0..n).map(|i| function(program, i, options, machine, &mut lowering)).collect();
    }
    let next = AtomicUsize::new(0);
    let mut parts = Vec::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|_| {
                let work = || {
                    let mut lowering = Lowering::new();
                    let mut done = Vec::new();
                    loop {
                        let i = next.fetch_add(1, Ordering::Relaxed);
                        if i >= n {
                            return done;
                        }
                        done.push((i, function(program, i, options, machine, &mut lowering)));
                    }
                };
                std::thread::Builder::new().stack_size(16 << 20).spawn_scoped(scope, work)
            })
            .collect();
        for worker in workers {
            match worker.map(|w| w.join()) {
                Ok(Ok(part)) => parts.extend(part),
                Ok(Err(panic)) => std::panic::resume_unwind(panic),
                // No thread to be had: the others do its work.
                Err(_) => {}
            }
        }
    });
    if parts.len() < n {
        let mut lowering = Lowering::new();
        return (0..n).map(|i| function(program, i, options, machine, &mut lowering)).collect();
    }
    parts.sort_unstable_by_key(|p| p.0);
    parts.into_iter().map(|p| p.1).collect()
}

/// Code that runs once is not worth the better compiler: the main function without a loop. Nor has it time for a
/// function that is crowded, as it was translated.
pub(crate) fn level_of(program: &Program, f: &Function, translated: &ir::Function, options: &Options) -> Level {
    let main = program.main.is_some_and(|m| std::ptr::eq(&program.funcs[m.index()], f));
    if main && !has_cycle(f) || crowded::is(translated) { Level::Fast } else { options.level }
}

/// Translates one function into `context`, which is cleared first.
pub(crate) fn translate(
    program: &Program,
    f: &Function,
    options: &Options,
    context: &mut Context,
) -> Result<Vec<Loc>, Error> {
    context.clear();
    context.func.name = UserFuncName::user(NAME_FUNC, 0);
    context.func.signature = codegen::signature_of(f);
    codegen::translate(program, f, options.align, &mut context.func)
}

fn function(
    program: &Program,
    number: usize,
    options: &Options,
    machine: &Machine,
    lowering: &mut Lowering,
) -> Result<Code, Error> {
    let f = &program.funcs[number];
    if f.blocks.is_empty() {
        return Ok(Code::default());
    }
    let locs = translate(program, f, options, &mut lowering.context)?;
    let counting =
        options.count.then(|| count::instrument(&mut lowering.context.func, number as u32, &locs, &program.inlined));
    let failed = |what: String| Error(format!("{}: {what}", f.name));
    let level = level_of(program, f, &lowering.context.func, options);
    let isa = machine.at(level)?;
    let compiled = lowering.compile(isa).map_err(|e| failed(format!("{e:?}")))?;
    let buffer = &compiled.buffer;
    let names = lowering.context.func.params.user_named_funcs();
    let mut code = Code {
        bytes: buffer.data().to_vec(),
        align: buffer.alignment.max(16),
        frame: buffer.frame_layout().map_or(0, |l| l.frame_to_fp_offset),
        relocs: Vec::with_capacity(buffer.relocs().len()),
        sites: Vec::new(),
        slots: Vec::new(),
        lines: Vec::new(),
        counted: None,
    };
    for r in buffer.relocs() {
        let symbol = match &r.target {
            FinalizedRelocTarget::ExternalName(ExternalName::User(name)) => {
                let name = &names[*name];
                match name.namespace {
                    NAME_FUNC => Symbol::Func(name.index),
                    NAME_DATA => Symbol::Data(name.index),
                    NAME_EXTERN => Symbol::Extern(name.index),
                    NAME_FOREIGN => Symbol::Foreign(name.index),
                    _ => Symbol::Globals,
                }
            }
            other => return Err(failed(format!("the code needs {other:?}"))),
        };
        code.relocs.push(Reloc { offset: r.offset, kind: r.kind, symbol, addend: r.addend });
    }
    code.lines = places::starts(&compiled, &locs);
    let loc_at = |at: u32| {
        let i = code.lines.partition_point(|&(start, _)| start < at);
        if i == 0 { f.loc } else { code.lines[i - 1].1 }
    };
    let mut maps = buffer.user_stack_maps().iter().peekable();
    for call in buffer.call_sites() {
        let handler = call.exception_handlers.iter().find_map(|h| match h {
            FinalizedMachExceptionHandler::Default(at) | FinalizedMachExceptionHandler::Tag(_, at) => Some(*at),
            FinalizedMachExceptionHandler::Context(_) => None,
        });
        let first_slot = code.slots.len() as u32;
        while let Some((_, frame, map)) = maps.next_if(|m| m.0 <= call.ret_addr) {
            if *frame != code.frame {
                return Err(failed(format!("a frame of {frame} bytes where {} are", code.frame)));
            }
            code.slots.extend(map.entries().map(|(_, offset)| offset));
        }
        let slot_count = code.slots.len() as u32 - first_slot;
        let loc = loc_at(call.ret_addr);
        code.sites.push(CallSite { ret: call.ret_addr, handler, loc, first_slot, slot_count });
    }
    code.counted = counting.map(|counting| counting.finish(&compiled, &code.bytes, &code.lines));
    Ok(code)
}
