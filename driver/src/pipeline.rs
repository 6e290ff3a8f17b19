//! Text to machine code, top to bottom. Every stage runs through [`Staged::stage`]: dump, verify, time, stop.
//!
//! ```text
//! text -> Ast -> Core -> Lambda -> (with the library's) -> Mono -> better Mono -> Ssa -> better Ssa -> JIT | object
//! ```
//!
//! Who calls it: `program` for what the command line names, `units` for the sources of a description, `interactive` for
//! the lines of a prompt. The stages up to Lambda are in `front`, which the making of the library's image runs, too.
//!
//! From a program's name to a unit: `read_program`, `read_source` and `read_part` (in `program`), `check_unit`,
//! `check_now`, then `check_text` (in `front`).

use std::fmt::Write as _;
use std::ops::Range;
use std::time::Instant;

use leat_ast::FixityEnv;
use leat_base::FileId;
use leat_elab::Basis;
use leat_lambda::ir::TopDec;
use leat_lambda::{Image, reachable};
use leat_ssa::passes::Verify as SsaVerify;

use crate::front::check_text;
use crate::options::Options;
use crate::say::show;
use crate::session::{PromptUnit, Session, Unit};
use crate::stage::{Failure, Stage, Staged, Verify, broken, internal};
use crate::tooling::unit::check_once;
use crate::units::settings::Settings;

/// What `--print-pipeline` says: the stages in order, each named by what it gives, and the passes of those that have
/// some, with the reasons of their places.
pub fn describe(options: &Options) -> String {
    let level = options.level();
    let mut text = String::new();
    for &(stage, name) in Stage::ALL {
        let _ = writeln!(text, "{name:<8}{}", stage.about());
        match stage {
            Stage::Mono => text.push_str(&leat_mono::pass::show(leat_mono::opt::PASSES, level)),
            Stage::Ssa => text.push_str(&leat_mono::pass::show(leat_ssa::passes::PASSES, level)),
            _ => {}
        }
    }
    text
}

impl Session {
    /// Parses and types a part of a source text in a basis. A text with errors changes nothing; for a tool it binds
    /// what is known of it, and a part that was checked before is not checked again. `fixity` goes on with what the
    /// text declares infix.
    pub(crate) fn check_unit(
        &mut self,
        file: FileId,
        part: Range<usize>,
        basis: &Basis,
        fixity: &mut FixityEnv,
        settings: &Settings,
    ) -> Result<Unit, Failure> {
        match self.tooling {
            None => Ok(self.check_now(file, part, basis, fixity, settings)?.unit),
            Some(_) => check_once(self, file, part, basis, fixity, settings),
        }
    }

    /// The same for nobody but a program or a prompt. [Rule 187]
    pub(crate) fn check_now(
        &mut self,
        file: FileId,
        part: Range<usize>,
        basis: &Basis,
        fixity: &mut FixityEnv,
        settings: &Settings,
    ) -> Result<PromptUnit, Failure> {
        let mut checked = check_text(self, file, part, basis, fixity, &settings.how())?;
        let Some(lambda) = checked.lambda else {
            self.refuse(&checked.diagnostics)?;
            unreachable!("a unit without errors comes to Lambda");
        };
        settings.adjust(&mut checked.diagnostics);
        self.warn(&checked.diagnostics)?;
        let unit = Unit { lambda, added: checked.added, fixities: checked.fixities };
        Ok(PromptUnit { program: checked.program, basis: checked.basis, made: checked.made, unit })
    }

    /// With what it needs of the library: closed types, then blocks.
    pub(crate) fn middle(&mut self, program: &[TopDec]) -> Result<leat_ssa::ir::Program, Failure> {
        let start = Instant::now();
        let lambda = self.lambda.clone();
        let image = Image::open(&lambda).map_err(Failure::Trouble)?;
        let needed = reachable(Some(&image), program).map_err(Failure::Trouble)?;
        self.took("reachable", start.elapsed());

        let decs: Vec<&TopDec> = needed.decs().collect();
        self.back_end(|session| leat_mono::from_lambda(&decs, &session.tables, &session.sources))
    }

    /// From declarations with all that they need, which `close` gives closed types, to blocks; both are optimised.
    pub(crate) fn back_end(
        &mut self,
        close: impl FnOnce(&mut Session) -> Result<leat_mono::ir::Program, String>,
    ) -> Result<leat_ssa::ir::Program, Failure> {
        let mut nothing = Vec::new();
        let mono = self.stage(
            Stage::Mono,
            "mono",
            &mut nothing,
            |session, _| {
                let mut mono = close(session).map_err(|message| internal(Stage::Mono, &message))?;
                session.after_mono("from_lambda", &mono)?;
                session.optimise(&mut mono)?;
                Ok(mono)
            },
            |_, mono| leat_mono::print::print(mono),
            |_, _| Ok(()),
        )?;
        self.stage(
            Stage::Ssa,
            "ssa",
            &mut nothing,
            |session, _| session.lower(mono),
            |_, ssa| leat_ssa::print::program(ssa),
            |_, _| Ok(()),
        )
    }

    /// The passes of Mono.
    fn optimise(&mut self, mono: &mut leat_mono::ir::Program) -> Result<(), Failure> {
        let mut result = Ok(());
        let mut times = Vec::new();
        let mut last = Instant::now();
        leat_mono::opt::run(mono, self.options.level(), &mut |pass, program| {
            times.push((format!("mono {pass}"), last.elapsed()));
            if result.is_ok() {
                result = self.after_mono(pass, program);
            }
            last = Instant::now();
        });
        for (pass, took) in times {
            self.times.took(pass, took);
        }
        result
    }

    /// Mono to Ssa, and the passes of Ssa, which verify what they make.
    fn lower(&mut self, mut mono: leat_mono::ir::Program) -> Result<leat_ssa::ir::Program, Failure> {
        mono.sets_rounding |= self.sets_rounding;
        mono.places_before = self.places;
        mono.watch = self.options.watch;
        mono.tells_types = self.options.tell_types;
        let mut ssa = leat_ssa::from_mono::from_mono(&mono).map_err(Failure::Trouble)?;
        self.sets_rounding |= ssa.sets_rounding;
        self.places += ssa.places.len() as u32;
        drop(mono);
        let verify = match self.options.verify {
            Verify::Each => SsaVerify::Each,
            Verify::Stage => SsaVerify::Stage,
            Verify::Off => SsaVerify::Off,
        };
        let mut times = Vec::new();
        let mut see = |pass: &str, program: &leat_ssa::ir::Program| {
            if let Some(observer) = self.options.observer {
                observer(&format!("ssa {pass}"), leat_ssa::passes::size(program));
            }
            if self.wishes().dump(Stage::Ssa, Some(pass)) {
                self.dump(Stage::Ssa, &leat_ssa::print::program(program));
            }
        };
        let sees = self.options.observer.is_some() || self.wishes().dumps_between(Stage::Ssa);
        let see: Option<leat_ssa::passes::See> = if sees { Some(&mut see) } else { None };
        let result = leat_ssa::passes::run(&mut ssa, self.options.level(), verify, see, &mut |pass, took| {
            times.push((format!("ssa {pass}"), took));
        });
        for (pass, took) in times {
            self.times.took(pass, took);
        }
        match result {
            Ok(()) => Ok(ssa),
            Err(errors) => {
                let text: String = errors.iter().map(|error| format!("{error}\n")).collect();
                Err(internal(Stage::Ssa, &text))
            }
        }
    }

    fn after_mono(&self, pass: &str, program: &leat_mono::ir::Program) -> Result<(), Failure> {
        if let Some(observer) = self.options.observer {
            observer(&format!("mono {pass}"), leat_mono::opt::copy::size(&program.main, usize::MAX));
        }
        if self.wishes().dump(Stage::Mono, Some(pass)) {
            self.dump(Stage::Mono, &leat_mono::print::print(program));
        }
        if self.options.verify == Verify::Each {
            let found = leat_mono::verify::verify(program, pass);
            broken(Stage::Mono, found)?;
        }
        Ok(())
    }

    /// What the code generator is told.
    pub fn target_options(&self) -> leat_translate::Options {
        leat_translate::Options {
            align: self.options.align,
            level: if self.options.optimise { leat_translate::Level::Speed } else { leat_translate::Level::Fast },
            verify: self.options.verify != Verify::Off,
            symbols: self.options.symbols,
            count: self.options.count_calls,
            runtime: self.options.runtime.clone(),
            foreign: crate::foreign::symbol,
            ..leat_translate::Options::default()
        }
    }

    /// The stages that give machine code: dumps, stop, time. What it becomes is the work's matter.
    pub(crate) fn machine<T>(
        &mut self,
        ssa: &leat_ssa::ir::Program,
        name: &str,
        work: impl FnOnce(&leat_translate::Options) -> Result<T, leat_translate::Error>,
    ) -> Result<T, Failure> {
        let options = self.target_options();
        for (stage, what) in [(Stage::Clif, leat_translate::Dump::Clif), (Stage::Asm, leat_translate::Dump::Asm)] {
            if self.wishes().dump(stage, None) {
                let text = leat_translate::dump(ssa, &options, what, self.options.dump_fn.as_deref())
                    .map_err(|error| Failure::Trouble(error.to_string()))?;
                match &self.options.dump_fn {
                    Some(name) if text.is_empty() => {
                        show(&format!("; no function has `{name}` in its name here: it may be inlined, or not used\n"))
                    }
                    _ => show(&text),
                }
            }
        }
        if self.options.stop_after.is_some_and(|stage| stage >= Stage::Clif) {
            return Err(Failure::Stopped);
        }
        let start = Instant::now();
        let made = work(&options).map_err(|error| Failure::Trouble(error.to_string()))?;
        self.took(name, start.elapsed());
        Ok(made)
    }
}
