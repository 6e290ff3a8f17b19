//! Units elaborated one after the other on the initial basis or on the library, for tests.
#![allow(dead_code)] // each test uses a part

use leat_ast::{FixityEnv, ParseOptions};
use leat_base::{Diagnostic, SourceMap, Symbol};
use leat_elab::basis::ValEntry;
use leat_elab::{Basis, Elaborated, Tables};

pub struct Session {
    pub sources: SourceMap,
    pub tables: Tables,
    pub basis: Basis,
    pub fixity: FixityEnv,
}

impl Session {
    pub fn new() -> Session {
        let mut tables = Tables::default();
        let basis = leat_elab::initial_basis(&mut tables);
        Session { sources: SourceMap::new(), tables, basis, fixity: FixityEnv::basis() }
    }

    /// Elaborates a unit and keeps what it binds. Units without errors are verified.
    pub fn unit(&mut self, name: &str, text: &str) -> Elaborated {
        let file = self.sources.add(name, text);
        let options = ParseOptions { allow_prim: true };
        let (program, mut errors) = leat_ast::parse(file, text, &options, &mut self.fixity);
        let mut out = leat_elab::elaborate(&program, &self.basis, &mut self.tables, &Default::default());
        errors.append(&mut out.diagnostics);
        out.diagnostics = errors;
        if !leat_base::diagnostic::has_errors(&out.diagnostics)
            && let Err(message) = leat_elab::verify::verify(&out.decs, &self.tables)
        {
            panic!("{name}: {message}\n{text}\n{}", leat_elab::print::print(&out.decs, &self.tables));
        }
        self.basis = out.basis.clone();
        out
    }

    pub fn render(&self, diagnostics: &[Diagnostic]) -> String {
        leat_base::render(diagnostics, &self.sources, false)
    }

    /// The type of a value of the top level, or of structures: `f`, `S.f`.
    pub fn type_of(&self, path: &str) -> String {
        let mut parts: Vec<&str> = path.split('.').collect();
        let last = Symbol::intern(parts.pop().unwrap());
        let entry = if parts.is_empty() {
            self.basis.val(last)
        } else {
            let mut env = self.basis.structure(Symbol::intern(parts[0])).unwrap_or_else(|| panic!("no {path}"));
            for p in &parts[1..] {
                env = *self.tables.modules.envs[env].strs.get(Symbol::intern(p)).unwrap();
            }
            self.tables.modules.envs[env].vals.get(last)
        };
        match entry {
            Some(ValEntry::Var { scheme, .. }) => leat_elab::print::scheme(&self.tables, scheme.ty),
            Some(ValEntry::Con { .. }) => "constructor".to_string(),
            Some(ValEntry::Exn { .. }) => "exception".to_string(),
            Some(_) => "special".to_string(),
            None => "unbound".to_string(),
        }
    }
}
