//! A unit: text -> Ast -> Core -> Lambda: for programs, the prompt, editors and the library's image.
//!
//! This file is part of the build script and of the driver.

use std::ops::Range;

use leat_ast::ir::DecKind;
use leat_ast::{Fixity, FixityEnv, ParseOptions, Program};
use leat_base::diagnostic::has_errors;
use leat_base::{Diagnostic, EntityId, FileId, SourceMap, Span, Symbol};
use leat_elab::basis::FunctorId;
use leat_elab::ir::Dec;
use leat_elab::{Basis, Index, Tables};
use leat_lambda::ir::Lambda;

use crate::stage::{Failure, Stage, Staged};

/// How a unit is read.
pub struct How {
    /// `_prim` is an expression: sources of the library.
    pub allow_prim: bool,
    /// A declaration that nobody uses is dropped, whatever it computes: sources of the library.
    pub library: bool,
    /// Of errors of syntax nothing else is said: a text that was typed at a prompt.
    pub prompt: bool,
    pub elaboration: leat_elab::Options,
}

/// Who has the text of a unit checked.
pub trait FrontHost: Staged {
    fn sources(&self) -> &SourceMap;
    fn tables(&self) -> &Tables;
    fn tables_mut(&mut self) -> &mut Tables;
    /// What is put into the declarations of a unit.
    fn instrument(&mut self, decs: Vec<Dec>) -> Vec<Dec> {
        decs
    }
    /// Adds to the messages of the elaborator what else is known of names that are not bound.
    fn advise(&self, _: &mut Vec<Diagnostic>) {}
}

/// A unit, with all that anybody asks of it.
pub struct Checked {
    pub program: Program,
    /// What it declares infix or nonfix at its top level.
    pub fixities: Vec<(Symbol, Fixity)>,
    /// What it binds.
    pub added: Basis,
    /// The basis that it was given, with what it binds.
    pub basis: Basis,
    pub index: Option<Index>,
    /// Variables from here on are those of the match compiler.
    pub made: u32,
    /// Only of a unit without errors.
    pub lambda: Option<Lambda>,
    /// What is to be said of it: errors, too.
    pub diagnostics: Vec<Diagnostic>,
}

/// Parses and types a part of a source text in a basis. `fixity` goes on with what the text declares infix.
pub fn check_text<H: FrontHost>(
    host: &mut H,
    file: FileId,
    part: Range<usize>,
    basis: &Basis,
    fixity: &mut FixityEnv,
    how: &How,
) -> Result<Checked, Failure> {
    let mut diagnostics = Vec::new();
    let whole = part.clone();
    let start_fixity = fixity.clone();
    let (program, fixities) = host.stage(
        Stage::Ast,
        "parse",
        &mut diagnostics,
        |host, diagnostics| {
            let options = ParseOptions { allow_prim: how.allow_prim };
            let text = host.sources().get(file).map_or("", |source| &*source.text);
            if host.wishes().dump(Stage::Tokens, None) {
                host.show(&(leat_ast::dump_tokens(text, &options) + "\n"));
            }
            let ((program, errors), fixities) =
                fixity.recording(|fixity| leat_ast::parse_part(file, text, part, &options, fixity));
            diagnostics.extend(errors);
            Ok((program, fixities))
        },
        |_, (program, _)| leat_ast::print::print(program, &start_fixity),
        |_, _| Ok(()),
    )?;
    let advise = |host: &H, diagnostics: &mut Vec<Diagnostic>| {
        let text = host.sources().get(file).map_or("", |source| &*source.text);
        leat_ast::habits::advise(file, text, whole.clone(), &start_fixity, diagnostics);
    };
    if how.prompt {
        // Types of half a text are of no use there.
        if has_errors(&diagnostics) {
            advise(&*host, &mut diagnostics);
        }
        host.refuse(&diagnostics)?;
    }

    let functors = host.tables().modules.functors.len();
    let elaborated = host.stage(
        Stage::Core,
        "elab",
        &mut diagnostics,
        |host, diagnostics| {
            let mut made = leat_elab::elaborate(&program, basis, host.tables_mut(), &how.elaboration);
            diagnostics.append(&mut made.diagnostics);
            host.advise(diagnostics);
            advise(&*host, diagnostics);
            Ok(made)
        },
        |host, made| leat_elab::print::print(&made.decs, host.tables()),
        |host, made| leat_elab::verify::verify(&made.decs, host.tables()),
    )?;

    let (decs, added, basis, index) = (elaborated.decs, elaborated.added, elaborated.basis, elaborated.index);
    let made = host.tables().vars.len() as u32;
    let mut checked = Checked { program, fixities, added, basis, index, made, lambda: None, diagnostics };
    if has_errors(&checked.diagnostics) {
        return Ok(checked);
    }
    let functor_texts = if how.library { vec![] } else { functor_texts(&checked.program) };
    checked.lambda = Some(host.stage(
        Stage::Lambda,
        "lambda",
        &mut checked.diagnostics,
        |host, diagnostics| {
            let options = leat_lambda::Options { library: how.library };
            let decs = host.instrument(decs);
            let mut said = if how.library { vec![] } else { of_bodies(host.tables(), functors) };
            let (lambda, more) = leat_lambda::lower(decs, host.tables_mut(), options);
            // What an application copies was said where the functor is declared; and it may say more, of exceptions
            // that are one there.
            let copied = |d: &Diagnostic| functor_texts.iter().any(|text| text.contains(&d.span.lo));
            let here = |d: &Diagnostic| d.span.file == file && whole.contains(&(d.span.lo as usize)) && !copied(d);
            let more = more.into_iter().filter(|d| d.span.is_none() || here(d));
            for d in more {
                if !said.iter().any(|known| known.span == d.span && known.code == d.code) {
                    said.push(d);
                }
            }
            said.sort_by_key(|d| (d.span.lo, d.span.hi));
            add_of_matches(diagnostics, said);
            Ok(lambda)
        },
        |host, lambda| leat_lambda::print::print(lambda.decs.iter(), host.tables()),
        |host, lambda| leat_lambda::verify::verify(lambda.decs.iter(), host.tables()),
    )?);
    Ok(checked)
}

/// Where the functors are that a text declares.
fn functor_texts(program: &Program) -> Vec<Range<u32>> {
    let decs = program.ast.decs.iter().map(|(_, dec)| dec);
    decs.filter(|dec| matches!(dec.kind, DecKind::Functor(_))).map(|dec| dec.span.lo..dec.span.hi).collect()
}

/// What the match compiler says of the bodies of functors, from this one on: whether or not they are applied.
fn of_bodies(tables: &Tables, first: usize) -> Vec<Diagnostic> {
    let new = (first..tables.modules.functors.len()).map(FunctorId::from_index);
    new.flat_map(|id| leat_lambda::check(&tables.modules.functors[id].body, tables)).collect()
}

/// Adds what the match compiler says to the messages of the elaborator.
fn add_of_matches(diagnostics: &mut Vec<Diagnostic>, more: Vec<Diagnostic>) {
    // A constructor that is misspelt: it hides rules, and is a variable that nothing uses.
    let hides = |at: Span| more.iter().any(|d| d.code == "match/redundant" && d.span == at);
    diagnostics.retain(|d| d.code != "bind/unused" || !hides(d.span));
    diagnostics.extend(more);
}
