//! Type, datatype and abstype declarations. After the Definition, 4.10 rules 16 to 19, 27 to 29, and 4.9 for equality.

use crate::basis::{ConList, ConListId, TyStr, TypeFcn, ValEntry};
use crate::builtin::tyname;
use crate::ctx::{Binding, Elab};
use crate::index::{NameKind, Space};
use crate::ir::{Con, Ty, TyData, TyName, TyNameDef, TyNameInfo, TyVar, TyVarInfo};
use leat_ast::ir::{DatBind, LongId, Name, TyId, TyKind, TypBind};
use leat_base::symbol::sym;
use leat_base::{Span, Symbol};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

impl Elab<'_> {
    /// [Rule 27]
    pub(crate) fn elab_typbinds(&mut self, binds: &[TypBind]) -> Vec<(Symbol, TyStr)> {
        binds
            .iter()
            .map(|b| {
                let mark = self.mark();
                let tyvars = self.bind_tyvars(&b.tyvars);
                let ty = self.elab_ty(b.ty);
                self.undo_to(mark);
                let width = self.width_of_abbreviation(b.name.symbol, b.ty, ty);
                (b.name.symbol, TyStr { fcn: TypeFcn::new(self.tables, tyvars, ty), cons: None, width })
            })
            .collect()
    }

    pub(crate) fn new_tyname(
        &mut self,
        name: Symbol,
        arity: usize,
        equality: bool,
        def: TyNameDef,
        span: Span,
    ) -> TyName {
        let name = if self.u.level == 0 { self.full_name(name) } else { name };
        self.tables.tynames.push(TyNameInfo { name, arity: arity as u32, equality, def, hidden: false, span })
    }

    /// Declares datatypes with their abbreviations; binds types and constructors. [Rule 17] [Rule 28] [Rule 29]
    pub(crate) fn elab_datatype(&mut self, datbinds: &[DatBind], withtype: &[TypBind]) -> Vec<TyName> {
        let mut names: Vec<Name> = datbinds.iter().map(|d| d.name).collect();
        names.extend(withtype.iter().map(|t| t.name));
        self.check_distinct(&names, "type");
        let mut con_names: Vec<Name> = vec![];
        for con in datbinds.iter().flat_map(|d| &d.cons) {
            self.check_rebinding(con.name, "constructor");
            con_names.push(con.name);
        }
        let said = self.diagnostics.len();
        self.check_distinct(&con_names, "constructor");
        let are_distinct = self.diagnostics.len() == said;

        // Type variables of a function around become parameters, so that the datatype is closed.
        let outer = self.outer_tyvars(datbinds, withtype);
        let pending = || TyNameDef::Datatype { tyvars: vec![], cons: vec![] };
        let tynames: Vec<TyName> = datbinds
            .iter()
            .map(|d| self.new_tyname(d.name.symbol, outer.len() + d.tyvars.len(), true, pending(), d.name.span))
            .collect();
        let mut fcns = vec![];
        for (d, &t) in datbinds.iter().zip(&tynames) {
            let fcn = self.datatype_fcn(t, &outer, d.tyvars.len());
            self.bind_ty(d.name.symbol, TyStr { fcn: fcn.clone(), cons: None, width: None });
            fcns.push(fcn);
        }
        for (name, tystr) in self.elab_typbinds(withtype) {
            self.bind_ty(name, tystr);
        }
        self.place_again(datbinds, withtype, |_| true);
        let mut lists = vec![];
        for (d, &name) in datbinds.iter().zip(&tynames) {
            let mark = self.mark();
            let mut tyvars = outer.clone();
            tyvars.extend(self.bind_tyvars(&d.tyvars));
            let cons: Vec<Con> =
                d.cons.iter().map(|c| Con { name: c.name.symbol, arg: c.arg.map(|t| self.elab_ty(t)) }).collect();
            self.undo_to(mark);
            lists.push(self.define_datatype(name, tyvars, cons));
        }
        self.maximise_equality(&tynames);
        for ((d, fcn), &list) in datbinds.iter().zip(fcns).zip(&lists) {
            self.bind_ty(d.name.symbol, TyStr { fcn, cons: Some(list), width: None });
            self.bind_constructors(list);
            self.note_declared(NameKind::Type, d.name);
            d.cons.iter().for_each(|c| self.note_declared(NameKind::Constructor, c.name));
        }
        if !are_distinct {
            self.keep_first(&con_names, &lists);
        }
        withtype.iter().for_each(|t| self.note_declared(NameKind::Type, t.name));
        tynames
    }

    /// The type variables of functions around that occur in a group of datatypes, be it by way of another type that was
    /// declared in the function.
    fn outer_tyvars(&self, datbinds: &[DatBind], withtype: &[TypBind]) -> Vec<TyVar> {
        let mut found: Vec<TyVar> = vec![];
        if !self.has_tyvars() {
            return found;
        }
        let datatypes: Vec<Symbol> = datbinds.iter().map(|d| d.name.symbol).collect();
        let mut new = datatypes.clone();
        new.extend(withtype.iter().map(|t| t.name.symbol));
        for d in datbinds {
            d.cons.iter().filter_map(|c| c.arg).for_each(|t| self.outer_in(t, &d.tyvars, &new, &mut found));
        }
        // On the right of `withtype`, the names of its types are those of before.
        withtype.iter().for_each(|t| self.outer_in(t.ty, &t.tyvars, &datatypes, &mut found));
        found
    }

    /// Those of one type, that has parameters of its `own`; what the names in `new` stand for is looked at elsewhere.
    fn outer_in(&self, id: TyId, own: &[Name], new: &[Symbol], found: &mut Vec<TyVar>) {
        match &self.ast[id].kind {
            TyKind::Var(name) => {
                if !own.iter().any(|o| o.symbol == *name)
                    && let Some(v) = self.tyvar(*name)
                    && !found.contains(&v)
                {
                    found.push(v);
                }
            }
            TyKind::Con { args, con } => {
                args.iter().for_each(|&t| self.outer_in(t, own, new, found));
                // A structure is not inside of a function, so its types have no such variables.
                if con.qualifiers.is_empty()
                    && !new.contains(&con.symbol)
                    && let Some(TyStr { fcn: TypeFcn::Abbrev { tyvars, ty }, .. }) = self.ty_by_name(con.symbol)
                {
                    self.free_in(*ty, tyvars, &mut FxHashSet::default(), found);
                }
            }
            TyKind::Record(fields) => fields.iter().for_each(|f| self.outer_in(f.1, own, new, found)),
            TyKind::Tuple(parts) => parts.iter().for_each(|&t| self.outer_in(t, own, new, found)),
            TyKind::Arrow(a, b) => {
                self.outer_in(*a, own, new, found);
                self.outer_in(*b, own, new, found);
            }
            TyKind::Error => {}
        }
    }

    /// The type variables of a Core type but those that are `bound`. A type may be a graph whose tree is exponentially
    /// larger: `seen` has what was looked at.
    fn free_in(&self, ty: Ty, bound: &[TyVar], seen: &mut FxHashSet<Ty>, found: &mut Vec<TyVar>) {
        if !seen.insert(ty) {
            return;
        }
        match &self.tables.types[ty] {
            TyData::Var(v) => {
                if !bound.contains(v) && !found.contains(v) {
                    found.push(*v);
                }
            }
            TyData::Con(_, args) => args.iter().for_each(|&t| self.free_in(t, bound, seen, found)),
            TyData::Record(fields) => fields.iter().for_each(|f| self.free_in(f.1, bound, seen, found)),
            TyData::Arrow(a, b) => {
                self.free_in(*a, bound, seen, found);
                self.free_in(*b, bound, seen, found);
            }
        }
    }

    fn datatype_fcn(&mut self, name: TyName, outer: &[TyVar], arity: usize) -> TypeFcn {
        if outer.is_empty() {
            return TypeFcn::Name(name);
        }
        let tyvars: Vec<TyVar> = (0..arity)
            .map(|i| {
                let name = crate::types::generated_name(i, false);
                self.tables.tyvars.push(TyVarInfo { name, equality: false })
            })
            .collect();
        let args = outer.iter().chain(&tyvars).map(|&v| self.tables.intern(TyData::Var(v))).collect();
        let ty = self.tables.intern(TyData::Con(name, args));
        TypeFcn::new(self.tables, tyvars, ty)
    }

    pub(crate) fn define_datatype(&mut self, name: TyName, tyvars: Vec<TyVar>, cons: Vec<Con>) -> ConListId {
        self.tables.tynames[name].def = TyNameDef::Datatype { tyvars: tyvars.clone(), cons: cons.clone() };
        self.tables.modules.con_lists.push(ConList { name, rep: name, tyvars: tyvars.into(), cons })
    }

    /// Where types of a group are declared, after they were bound once more.
    pub(crate) fn place_again(&mut self, datbinds: &[DatBind], withtype: &[TypBind], is: impl Fn(Symbol) -> bool) {
        if self.notes.is_some() {
            for name in datbinds.iter().map(|d| d.name).chain(withtype.iter().map(|t| t.name)) {
                if is(name.symbol) {
                    self.set_place(Space::Ty, name.symbol, name.span);
                }
            }
        }
    }

    pub(crate) fn bind_constructors(&mut self, list: ConListId) {
        for (index, name) in self.con_names(list).into_iter().enumerate() {
            self.bind_val(name, Binding::Done(ValEntry::Con { list, index: index as u32 }));
        }
    }

    /// Of constructors with one name, which is an error, the first stays in force. `names` are the lists in turn.
    fn keep_first(&mut self, names: &[Name], lists: &[ConListId]) {
        let mut seen: FxHashMap<Symbol, ValEntry> = FxHashMap::default();
        let mut twice: Vec<Symbol> = vec![];
        let entries = lists.iter().flat_map(|&list| {
            let count = self.tables.modules.con_lists[list].cons.len() as u32;
            (0..count).map(move |index| ValEntry::Con { list, index })
        });
        for (name, entry) in names.iter().zip(entries) {
            match seen.entry(name.symbol) {
                Entry::Vacant(place) => drop(place.insert(entry)),
                Entry::Occupied(_) => twice.push(name.symbol),
            }
        }
        for name in twice {
            if let Some(entry) = seen.get(&name) {
                self.replace_val(name, Binding::Done(entry.clone()));
            }
        }
    }

    /// Makes the equality attributes of new datatypes as large as their constructors allow. [Definition, 4.9]
    pub(crate) fn maximise_equality(&mut self, tynames: &[TyName]) {
        loop {
            let mut changed = false;
            for &t in tynames {
                if !self.tables.tynames[t].equality {
                    continue;
                }
                let TyNameDef::Datatype { cons, .. } = self.tables.tynames[t].def.clone() else { continue };
                if !cons.iter().filter_map(|c| c.arg).all(|a| self.admits_equality_core(a)) {
                    self.tables.tynames[t].equality = false;
                    changed = true;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// Does a Core type admit equality when its type variables do? [Definition, 4.4]
    pub(crate) fn admits_equality_core(&self, ty: Ty) -> bool {
        self.admits_equality_within(ty, &mut FxHashSet::default())
    }

    /// A part in `seen` admits it: one that does not ends the walk.
    fn admits_equality_within(&self, ty: Ty, seen: &mut FxHashSet<Ty>) -> bool {
        match &self.tables.types[ty] {
            TyData::Var(_) => true,
            TyData::Con(tyname::REF | tyname::ARRAY, _) => true,
            TyData::Con(name, args) => {
                self.tables.tynames[*name].equality
                    && (args.is_empty()
                        || !seen.insert(ty)
                        || args.iter().all(|&a| self.admits_equality_within(a, seen)))
            }
            TyData::Arrow(..) => false,
            TyData::Record(fields) => !seen.insert(ty) || fields.iter().all(|f| self.admits_equality_within(f.1, seen)),
        }
    }

    /// Does a type function admit equality? [Definition, 4.4]
    pub(crate) fn fcn_admits_equality(&self, fcn: &TypeFcn) -> bool {
        match fcn {
            TypeFcn::Name(t) => self.tables.tynames[*t].equality,
            TypeFcn::Abbrev { ty, .. } => self.admits_equality_core(*ty),
        }
    }

    /// `datatype t = datatype u`. A type without constructors may be replicated, too. [Rule 18]
    pub(crate) fn elab_replication(&mut self, name: Name, target: &LongId) {
        let Some(tystr) = self.long_ty(target) else { return };
        if let Some(list) = tystr.cons {
            let places: Vec<_> = self.constructor_places(target, list);
            self.bind_constructors(list);
            places.into_iter().for_each(|(con, place)| self.set_place(Space::Val, con, place));
        }
        // References have a constructor that stands in no list.
        if tystr.fcn == TypeFcn::Name(tyname::REF) {
            self.bind_val(sym::REF, Binding::Done(ValEntry::Ref));
        }
        self.bind_ty(name.symbol, tystr);
        self.note_declared(NameKind::Type, name);
    }
}
