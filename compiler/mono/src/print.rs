//! Mono -> text, in the form that the head of [`crate::ir`] shows. Types and variables carry their number where names
//! alone would not tell them apart.

use crate::ir::*;
pub use crate::show::show_ty;
use leat_base::Printer;

/// The whole program: the bindings of `main`.
pub fn print(program: &Program) -> String {
    let mut p = Print { p: Printer::new(), program };
    p.body(&program.main);
    p.p.finish()
}

struct Print<'p> {
    p: Printer,
    program: &'p Program,
}

impl Print<'_> {
    fn var(&self, var: Var) -> String {
        format!("{}.{}", self.program.vars[var.0 as usize].name, var.0)
    }

    fn typed(&self, var: Var) -> String {
        format!("{}: {}", self.var(var), show_ty(&self.program.types, self.program.ty(var)))
    }

    fn vars(&self, vars: &[Var]) -> String {
        vars.iter().map(|&var| self.typed(var)).collect::<Vec<_>>().join(", ")
    }

    fn con(&self, data: Data, con: u32) -> String {
        let cons = &self.program.types.datatypes[data.0 as usize].cons;
        cons.get(con as usize).map_or_else(|| format!("{data}#{con}"), |con| con.name.as_str().to_string())
    }

    fn string(&self, i: u32) -> String {
        let text = self.program.strings.get(i as usize).map_or(&b"?"[..], |text| text);
        format!("\"{}\"", text.escape_ascii())
    }

    fn atom(&self, atom: Atom) -> String {
        match atom {
            Atom::Var(var) => self.var(var),
            Atom::Int(n) => n.to_string().replace('-', "~"),
            Atom::Real(bits) => format!("{:?}", f64::from_bits(bits)).replace('-', "~"),
            Atom::Str(i) => self.string(i),
            Atom::Con(data, con) => self.con(data, con),
        }
    }

    fn atoms(&self, atoms: &[Atom]) -> String {
        atoms.iter().map(|&atom| self.atom(atom)).collect::<Vec<_>>().join(", ")
    }

    fn body(&mut self, body: &Body) {
        let mut binds = &body.binds[..];
        // A tail call and its result are one line.
        let mut tail = None;
        if let (Some((Bind::Val { vars, rhs, .. }, rest)), Outcome::Values(atoms)) = (binds.split_last(), &body.result)
            && vars.len() == atoms.len()
            && vars.iter().zip(atoms).all(|(&var, &atom)| atom == Atom::Var(var))
        {
            tail = Some(rhs);
            binds = rest;
        }
        for bind in binds {
            match bind {
                Bind::Fun(functions) => {
                    for (i, function) in functions.iter().enumerate() {
                        let results = match self.program.types.get(self.program.ty(function.var)) {
                            TyData::Arrow(_, results) => results.clone(),
                            _ => Vec::new(),
                        };
                        let results: Vec<String> = results.iter().map(|&ty| show_ty(&self.program.types, ty)).collect();
                        let head = format!(
                            "{}{} {} ({}) : ({}) =",
                            if i == 0 { "fun" } else { "and" },
                            if function.inline == Inline::Never { " noinline" } else { "" },
                            self.var(function.var),
                            self.vars(&function.params),
                            results.join(", ")
                        );
                        self.p.line(&head);
                        self.p.indent();
                        self.body(&function.body);
                        self.p.dedent();
                    }
                }
                Bind::Val { vars, rhs, .. } => {
                    let head = match vars[..] {
                        [var] => format!("val {} = ", self.typed(var)),
                        _ => format!("val ({}) = ", self.vars(vars)),
                    };
                    self.p.text(&head);
                    self.rhs(rhs);
                }
            }
        }
        match (tail, &body.result) {
            (Some(rhs), _) => self.rhs(rhs),
            (None, Outcome::Values(atoms)) => {
                let text = match atoms[..] {
                    [atom] => self.atom(atom),
                    _ => format!("({})", self.atoms(atoms)),
                };
                self.p.line(&text);
            }
            (None, Outcome::Raise(atom, _)) => {
                let text = format!("raise {}", self.atom(*atom));
                self.p.line(&text);
            }
            (None, Outcome::Unreachable) => self.p.line("unreachable"),
        }
    }

    /// Ends its line.
    fn rhs(&mut self, rhs: &Rhs) {
        let tys = |tys: &[Ty]| {
            let tys: Vec<String> = tys.iter().map(|&ty| show_ty(&self.program.types, ty)).collect();
            if tys.is_empty() { String::new() } else { format!("[{}]", tys.join(", ")) }
        };
        let text = match rhs {
            Rhs::Atoms(atoms) if atoms.len() == 1 => self.atom(atoms[0]),
            Rhs::Atoms(atoms) => format!("({})", self.atoms(atoms)),
            Rhs::Prim { prim, tys: args_tys, args } => {
                format!("{}{}({})", prim.name(), tys(args_tys), self.atoms(args))
            }
            Rhs::Tuple(atoms) => format!("tuple ({})", self.atoms(atoms)),
            Rhs::Select(i, atom) => format!("#{i} {}", self.atom(*atom)),
            Rhs::Con { data, con, args } => format!("{} ({})", self.con(*data, *con), self.atoms(args)),
            Rhs::App { f, args } => format!("{} ({})", self.atom(*f), self.atoms(args)),
            Rhs::NewExn { name, arg } => match arg {
                Some(ty) => format!("exception {name} of {}", show_ty(&self.program.types, *ty)),
                None => format!("exception {name}"),
            },
            Rhs::BuiltinExn(builtin) => format!("exception {}", builtin.name()),
            Rhs::Table { elem, bits } => {
                let words: Vec<String> = bits.iter().map(i64::to_string).collect();
                format!("table {} [{}]", show_ty(&self.program.types, *elem), words.join(", "))
            }
            Rhs::Packet { desc, arg: None } => format!("packet {}", self.atom(*desc)),
            Rhs::Packet { desc, arg: Some((arg, _)) } => format!("packet {} ({})", self.atom(*desc), self.atom(*arg)),
            Rhs::PacketDesc(atom) => format!("desc {}", self.atom(*atom)),
            Rhs::PacketArg(atom, ty) => format!("arg {} : {}", self.atom(*atom), show_ty(&self.program.types, *ty)),
            Rhs::Case { scrut, arms, default } => return self.case(*scrut, arms, default.as_deref()),
            Rhs::Handle { body, exn, handler } => {
                self.p.line("try");
                self.p.indent();
                self.body(body);
                self.p.dedent();
                let head = format!("handle {} =>", self.var(*exn));
                self.p.line(&head);
                self.p.indent();
                self.body(handler);
                self.p.dedent();
                return;
            }
        };
        self.p.line(&text);
    }

    fn case(&mut self, scrut: Atom, arms: &Arms, default: Option<&Body>) {
        let head = format!("case {} of", self.atom(scrut));
        self.p.line(&head);
        let heads: Vec<String> = match arms {
            Arms::Con(data, arms) => arms
                .iter()
                .map(|(con, vars, _)| {
                    let name = self.con(*data, *con);
                    if vars.is_empty() { name } else { format!("{name} ({})", self.vars(vars)) }
                })
                .collect(),
            Arms::Int(arms) => arms.iter().map(|arm| arm.0.to_string().replace('-', "~")).collect(),
            Arms::Str(arms) => arms.iter().map(|arm| self.string(arm.0)).collect(),
        };
        let rest = default.map(|body| ("_".to_string(), body));
        let bodies = arms.bodies();
        for (i, (head, body)) in heads.into_iter().zip(bodies).chain(rest).enumerate() {
            self.p.line(&format!("{} {head} =>", if i == 0 { " " } else { "|" }));
            self.p.indent();
            self.p.indent();
            self.body(body);
            self.p.dedent();
            self.p.dedent();
        }
    }
}
