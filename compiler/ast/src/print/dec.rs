//! Printing of declarations, structures, signatures and functors.

use super::{AstPrinter, Place};
use crate::ir::*;

impl AstPrinter<'_> {
    pub(super) fn decs(&mut self, decs: &[DecId]) {
        for &d in decs {
            self.dec(d);
            self.out.newline();
        }
    }

    fn tyvars(&mut self, tyvars: &[Name]) {
        match tyvars {
            [] => {}
            [one] => {
                self.text(one.symbol.as_str());
                self.text(" ");
            }
            many => {
                self.text("(");
                self.list(many, ", ", |p, n| p.text(n.symbol.as_str()));
                self.text(") ");
            }
        }
    }

    pub(super) fn dec(&mut self, d: DecId) {
        let ast = self.ast;
        match &ast[d].kind {
            DecKind::Val { tyvars, binds } => {
                self.text("val ");
                self.tyvars(tyvars);
                let mut rec = false;
                self.list_ref(binds, "\nand ", |p, bind| {
                    if bind.rec && !rec {
                        rec = true;
                        p.text("rec ");
                    }
                    p.pat(bind.pat);
                    p.text(" = ");
                    p.exp(bind.exp);
                });
            }
            DecKind::Fun { tyvars, binds } => {
                self.text("fun ");
                self.tyvars(tyvars);
                self.list_ref(binds, "\nand ", |p, bind| p.fun_bind(bind));
            }
            DecKind::Type(binds) => {
                self.text("type ");
                self.typ_binds(binds);
            }
            DecKind::Datatype { datbinds, withtype } => {
                self.text("datatype ");
                self.dat_binds(datbinds, withtype);
            }
            DecKind::Replication { name, target } => self.replication(*name, target),
            DecKind::Abstype { datbinds, withtype, decs } => {
                self.text("abstype ");
                self.dat_binds(datbinds, withtype);
                self.text("\nwith");
                self.block(|p| p.decs(decs));
                self.text("end");
            }
            DecKind::Exception(binds) => {
                self.text("exception ");
                self.list_ref(binds, " and ", |p, bind| {
                    p.text(bind.name.symbol.as_str());
                    match &bind.kind {
                        ExBindKind::New(arg) => p.of_ty(*arg),
                        ExBindKind::Alias(id) => {
                            p.text(" = ");
                            p.long_id(id);
                        }
                    }
                });
            }
            DecKind::Local { decs, body } => {
                self.text("local");
                let mark = self.fixity.enter();
                self.block(|p| p.decs(decs));
                self.text("in");
                let middle = self.fixity.here();
                self.block(|p| p.decs(body));
                self.fixity.leave_local(mark, middle);
                self.text("end");
            }
            DecKind::Open(ids) => {
                self.text("open ");
                self.list_ref(ids, " ", |p, id| p.long_id(id));
            }
            DecKind::Fixity { fixity, names } => {
                self.fixity_dec(*fixity, names);
                for name in names {
                    self.fixity.declare(name.symbol, *fixity);
                }
            }
            DecKind::Structure(binds) => {
                self.text("structure ");
                self.list_ref(binds, "\nand ", |p, bind| {
                    p.text(bind.name.symbol.as_str());
                    p.ascription(bind.ascription);
                    p.text(" = ");
                    p.strexp(bind.body);
                });
            }
            DecKind::Signature(binds) => {
                self.text("signature ");
                self.list_ref(binds, "\nand ", |p, bind| {
                    p.text(bind.name.symbol.as_str());
                    p.text(" = ");
                    p.sigexp(bind.sig);
                });
            }
            DecKind::Functor(binds) => {
                self.text("functor ");
                self.list_ref(binds, "\nand ", |p, bind| {
                    p.text(bind.name.symbol.as_str());
                    match &bind.param {
                        FunctorParam::Named(name, sig) => {
                            p.text(" (");
                            p.text(name.symbol.as_str());
                            p.text(" : ");
                            p.sigexp(*sig);
                            p.text(")");
                        }
                        FunctorParam::Specs(specs) => {
                            p.text(" (");
                            p.block(|p| p.specs(specs));
                            p.text(")");
                        }
                    }
                    p.ascription(bind.ascription);
                    p.text(" = ");
                    p.strexp(bind.body);
                });
            }
            DecKind::Exp(e) => self.exp(*e),
            DecKind::Error => self.text("(* error *)"),
        }
    }

    fn fun_bind(&mut self, bind: &FunBind) {
        for (i, clause) in bind.clauses.iter().enumerate() {
            if i > 0 {
                self.text("\n  | ");
            }
            let name = bind.name.symbol;
            let operands = match clause.args.first().map(|&p| &self.ast[p].kind) {
                Some(PatKind::Tuple(ps)) if clause.infix && ps.len() == 2 && self.fixity_of(name) != Fixity::Nonfix => {
                    Some((ps[0], ps[1]))
                }
                _ => None,
            };
            let rest = match operands {
                Some((lhs, rhs)) => {
                    self.parens(clause.args.len() > 1, |p| {
                        p.pat_at(lhs, Place::Atom);
                        p.text(" ");
                        p.text(name.as_str());
                        p.text(" ");
                        p.pat_at(rhs, Place::Atom);
                    });
                    &clause.args[1..]
                }
                None => {
                    self.text(if self.fixity.is_infix(name) { "op " } else { "" });
                    self.text(name.as_str());
                    &clause.args[..]
                }
            };
            for &arg in rest {
                self.text(" ");
                self.pat_at(arg, Place::Atom);
            }
            if let Some(ty) = clause.result {
                self.text(" : ");
                self.ty(ty);
            }
            self.text(" = ");
            self.exp_before_bar(clause.body, i + 1 == bind.clauses.len());
        }
    }

    fn typ_binds(&mut self, binds: &[TypBind]) {
        self.list_ref(binds, " and ", |p, bind| {
            p.tyvars(&bind.tyvars);
            p.text(bind.name.symbol.as_str());
            p.text(" = ");
            p.ty(bind.ty);
        });
    }

    fn of_ty(&mut self, arg: Option<TyId>) {
        if let Some(ty) = arg {
            self.text(" of ");
            self.ty(ty);
        }
    }

    fn dat_binds(&mut self, binds: &[DatBind], withtype: &[TypBind]) {
        self.list_ref(binds, "\nand ", |p, bind| {
            p.tyvars(&bind.tyvars);
            p.text(bind.name.symbol.as_str());
            p.text(" = ");
            p.list_ref(&bind.cons, " | ", |p, con| {
                p.text(con.name.symbol.as_str());
                p.of_ty(con.arg);
            });
        });
        if !withtype.is_empty() {
            self.text("\nwithtype ");
            self.typ_binds(withtype);
        }
    }

    fn replication(&mut self, name: Name, target: &LongId) {
        self.text("datatype ");
        self.text(name.symbol.as_str());
        self.text(" = datatype ");
        self.long_id(target);
    }

    fn fixity_dec(&mut self, fixity: Fixity, names: &[Name]) {
        let text = match fixity {
            Fixity::Infix(n) => format!("infix {n}"),
            Fixity::Infixr(n) => format!("infixr {n}"),
            Fixity::Nonfix => "nonfix".to_string(),
        };
        self.text(&text);
        for name in names {
            self.text(" ");
            self.text(name.symbol.as_str());
        }
    }

    fn ascription(&mut self, ascription: Option<Ascription>) {
        if let Some(a) = ascription {
            self.text(if a.opaque { " :> " } else { " : " });
            self.sigexp(a.sig);
        }
    }

    fn strexp(&mut self, s: StrExpId) {
        let ast = self.ast;
        match &ast[s].kind {
            StrExpKind::Struct(decs) => {
                self.text("struct");
                let mark = self.fixity.enter();
                self.block(|p| p.decs(decs));
                self.fixity.leave(mark);
                self.text("end");
            }
            StrExpKind::Id(id) => self.long_id(id),
            StrExpKind::Ascribe { body, ascription } => {
                self.strexp(*body);
                self.ascription(Some(*ascription));
            }
            StrExpKind::App { functor, arg } => {
                self.text(functor.symbol.as_str());
                self.text(" (");
                match arg {
                    FunctorArg::Str(s) => self.strexp(*s),
                    FunctorArg::Decs(decs) => {
                        let mark = self.fixity.enter();
                        self.block(|p| p.decs(decs));
                        self.fixity.leave(mark);
                    }
                }
                self.text(")");
            }
            StrExpKind::Let { decs, body } => {
                self.text("let");
                let mark = self.fixity.enter();
                self.block(|p| p.decs(decs));
                self.text("in");
                self.block(|p| {
                    p.strexp(*body);
                    p.out.newline();
                });
                self.fixity.leave(mark);
                self.text("end");
            }
            StrExpKind::Error => self.text("(* error *)"),
        }
    }

    fn sigexp(&mut self, s: SigExpId) {
        let ast = self.ast;
        match &ast[s].kind {
            SigExpKind::Sig(specs) => {
                self.text("sig");
                self.block(|p| p.specs(specs));
                self.text("end");
            }
            SigExpKind::Id(name) => self.text(name.symbol.as_str()),
            SigExpKind::Where { sig, wheres } => {
                self.sigexp(*sig);
                self.text(" where ");
                self.list_ref(wheres, " and ", |p, w| {
                    p.text("type ");
                    p.tyvars(&w.tyvars);
                    p.long_id(&w.con);
                    p.text(" = ");
                    p.ty(w.ty);
                });
            }
            SigExpKind::Error => self.text("(* error *)"),
        }
    }

    fn specs(&mut self, specs: &[SpecId]) {
        for &s in specs {
            self.spec(s);
            self.out.newline();
        }
    }

    fn spec(&mut self, s: SpecId) {
        let ast = self.ast;
        match &ast[s].kind {
            SpecKind::Val(descs) => {
                self.text("val ");
                self.list_ref(descs, "\nand ", |p, (name, ty)| {
                    p.text(name.symbol.as_str());
                    p.text(" : ");
                    p.ty(*ty);
                });
            }
            SpecKind::Type { equality, descs } => {
                self.text(if *equality { "eqtype " } else { "type " });
                self.list_ref(descs, " and ", |p, desc| {
                    p.tyvars(&desc.tyvars);
                    p.text(desc.name.symbol.as_str());
                    if let Some(ty) = desc.ty {
                        p.text(" = ");
                        p.ty(ty);
                    }
                });
            }
            SpecKind::Datatype { datbinds, withtype } => {
                self.text("datatype ");
                self.dat_binds(datbinds, withtype);
            }
            SpecKind::Replication { name, target } => self.replication(*name, target),
            SpecKind::Exception(descs) => {
                self.text("exception ");
                self.list_ref(descs, " and ", |p, con| {
                    p.text(con.name.symbol.as_str());
                    p.of_ty(con.arg);
                });
            }
            SpecKind::Structure(descs) => {
                self.text("structure ");
                self.list_ref(descs, "\nand ", |p, (name, sig)| {
                    p.text(name.symbol.as_str());
                    p.text(" : ");
                    p.sigexp(*sig);
                });
            }
            SpecKind::Include(sigs) => {
                self.text("include ");
                self.list(sigs, " ", |p, sig| p.sigexp(sig));
            }
            SpecKind::SharingType(ids) => {
                self.text("sharing type ");
                self.list_ref(ids, " = ", |p, id| p.long_id(id));
            }
            SpecKind::SharingStructure(ids) => {
                self.text("sharing ");
                self.list_ref(ids, " = ", |p, id| p.long_id(id));
            }
            SpecKind::Fixity { fixity, names } => self.fixity_dec(*fixity, names),
            SpecKind::Error => self.text("(* error *)"),
        }
    }
}
