//! Unification, with the conditions that a variable carries: level, age, equality, overloading, fields of a record.
//!
//! After Rémy's levels, see `types.rs`. Types are graphs: each walk marks the nodes that it came by, and two composites
//! that were found equal become one, so that all of this is nearly linear in the graph.

use crate::basis::compare_labels;
use crate::builtin::tyname;
use crate::ctx::Elab;
use crate::ir::{Ty, TyName, TyVar};
use crate::types::{CORE, Clash, Kinds, Node, Shape, Type, kinds};

impl Elab<'_> {
    /// Makes two types equal, or says why they cannot be.
    pub(crate) fn unify(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        let result = self.unify_nodes(a, b);
        self.u.apart.clear();
        result
    }

    fn unify_nodes(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        let (a, b) = (self.find(a), self.find(b));
        if a == b {
            return Ok(());
        }
        if let (Some(_), Some(_)) = (a.as_core(), b.as_core()) {
            // Interned types without type variables: equal only when the same, unless there is an error inside.
            return self.unify_once(a, b);
        }
        match (self.unifiable(a), self.unifiable(b)) {
            (true, true) => self.unify_vars(a, b),
            (true, false) => self.bind(a, b),
            (false, true) => self.bind(b, a),
            (false, false) => {
                let excuses = self.u.excuses;
                self.unify_once(a, b)?;
                // They are one from now on, so that graphs are compared in linear time; but not where they only passed
                // as equal because there was an error: one may be inside the other.
                if excuses == self.u.excuses && self.find(a) == a && self.find(b) == b && a != b {
                    match (a.as_core(), b.as_core()) {
                        (None, None) => {
                            let (i, j) = (a.0 as usize, b.0 as usize);
                            self.u.levels[j] = self.u.levels[j].min(self.u.levels[i]);
                            self.u.times[j] = self.u.times[j].min(self.u.times[i]);
                            self.link(a, b);
                        }
                        // A node that equals a type without variables has none either.
                        (None, Some(_)) => self.link(a, b),
                        (Some(_), None) => self.link(b, a),
                        (Some(_), Some(_)) => {}
                    }
                }
                Ok(())
            }
        }
    }

    fn unifiable(&self, t: Type) -> bool {
        t.as_core().is_none() && matches!(self.u.nodes[t.0 as usize], Node::Var { .. } | Node::Flex { .. })
    }

    /// Composites that stay two, because they differ or pass as equal only, are looked at once: what is the same graph
    /// on each side may be a tree that is exponentially larger. What they clash by was found the first time.
    fn unify_once(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        if let Some(&differ) = self.u.apart.get(&(a, b)) {
            return if differ { Err(Clash::Mismatch) } else { Ok(()) };
        }
        let excuses = self.u.excuses;
        let result = self.unify_shapes(a, b);
        if result.is_err() || excuses != self.u.excuses {
            self.u.apart.insert((a, b), result.is_err());
        }
        result
    }

    fn unify_shapes(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        match (self.shape(a), self.shape(b)) {
            (Shape::Error, _) | (_, Shape::Error) => {
                self.u.excuses += 1;
                Ok(())
            }
            (Shape::Rigid(x), Shape::Rigid(y)) if x == y => Ok(()),
            (Shape::Con(x, xs), Shape::Con(y, ys)) if x == y => {
                // Look at all the arguments, so that a message can show all that differs.
                let mut result = Ok(());
                for (&s, &t) in xs.iter().zip(&ys) {
                    result = result.and(self.unify_nodes(s, t));
                }
                result
            }
            (Shape::Arrow(a, b), Shape::Arrow(c, d)) => {
                let first = self.unify_nodes(a, c);
                first.and(self.unify_nodes(b, d))
            }
            (Shape::Record(xs), Shape::Record(ys)) => {
                if xs.len() != ys.len() || xs.iter().zip(&ys).any(|(x, y)| x.0 != y.0) {
                    return Err(Clash::Mismatch);
                }
                let mut result = Ok(());
                for (x, y) in xs.iter().zip(&ys) {
                    result = result.and(self.unify_nodes(x.1, y.1));
                }
                result
            }
            _ => Err(Clash::Mismatch),
        }
    }

    pub(crate) fn link(&mut self, var: Type, to: Type) {
        self.u.nodes[var.0 as usize] = Node::Link(to);
    }

    fn unify_vars(&mut self, a: Type, b: Type) -> Result<(), Clash> {
        let level = self.u.levels[a.0 as usize].min(self.u.levels[b.0 as usize]);
        let time = self.u.times[a.0 as usize].min(self.u.times[b.0 as usize]);
        match (self.shape(a), self.shape(b)) {
            (Shape::Var { equality: e1, kinds: k1 }, Shape::Var { equality: e2, kinds: k2 }) => {
                let equality = e1 || e2;
                let mut kinds = if k1 == 0 {
                    k2
                } else if k2 == 0 {
                    k1
                } else {
                    k1 & k2
                };
                let without_equality = kinds != 0;
                if equality {
                    kinds &= !kinds::REAL;
                }
                if kinds == 0 && (k1 | k2) != 0 {
                    return Err(if without_equality { Clash::Equality(a) } else { Clash::Mismatch });
                }
                // Keep the older variable, so that a level-0 one stays what Core types name.
                let (from, to) = if self.u.metas.contains_key(&a) { (b, a) } else { (a, b) };
                self.u.nodes[to.0 as usize] = Node::Var { equality, kinds };
                self.u.levels[to.0 as usize] = level;
                self.u.times[to.0 as usize] = time;
                self.link(from, to);
                Ok(())
            }
            (Shape::Var { kinds: 0, equality }, Shape::Flex { .. }) => {
                self.link_flexible(a, b, (level, time), equality)
            }
            (Shape::Flex { .. }, Shape::Var { kinds: 0, equality }) => {
                self.link_flexible(b, a, (level, time), equality)
            }
            (Shape::Flex { equality: e1, fields: xs, row: r1 }, Shape::Flex { equality: e2, fields: ys, row: r2 }) => {
                if !self.u.rows.join(r1, r2) {
                    return Err(Clash::Mismatch);
                }
                let mut fields = xs;
                let mut pairs = vec![];
                for (label, t) in ys {
                    match fields.binary_search_by(|f| compare_labels(f.0, label)) {
                        Ok(i) => pairs.push((fields[i].1, t)),
                        Err(i) => fields.insert(i, (label, t)),
                    }
                }
                for (_, t) in &fields {
                    self.lower(*t, a, level, time)?;
                    self.lower(*t, b, level, time)?;
                }
                let equality = e1 || e2;
                if equality {
                    for (_, t) in &fields {
                        self.require_equality(*t)?;
                    }
                }
                self.u.nodes[b.0 as usize] = Node::Flex { equality, fields, row: r2 };
                self.u.levels[b.0 as usize] = level;
                self.u.times[b.0 as usize] = time;
                self.link(a, b);
                for (s, t) in pairs {
                    self.unify_nodes(s, t)?;
                }
                Ok(())
            }
            _ => Err(Clash::Mismatch),
        }
    }

    fn link_flexible(&mut self, var: Type, flex: Type, bounds: (u32, u32), equality: bool) -> Result<(), Clash> {
        self.lower(flex, var, bounds.0, bounds.1)?;
        if equality {
            self.require_equality(flex)?;
        }
        self.link(var, flex);
        Ok(())
    }

    /// A variable or flexible record becomes `t`, which is neither.
    fn bind(&mut self, var: Type, t: Type) -> Result<(), Clash> {
        let (level, time) = (self.u.levels[var.0 as usize], self.u.times[var.0 as usize]);
        self.lower(t, var, level, time)?;
        match self.shape(var) {
            Shape::Var { equality, kinds } => {
                if kinds != 0 && t != Type::ERROR && self.kind_of(t) & kinds == 0 {
                    // A constant is no different from a type that is known.
                    let constant = kinds & (kinds - 1) == 0;
                    return Err(if constant { Clash::Mismatch } else { Clash::Overload(kinds, t) });
                }
                if equality {
                    self.require_equality(t)?;
                }
                self.link(var, t);
                Ok(())
            }
            Shape::Flex { equality, fields, row } => match self.shape(t) {
                Shape::Record(all) => {
                    if let Some(f) = fields.iter().find(|f| all.iter().all(|a| a.0 != f.0)) {
                        return Err(Clash::Label(f.0));
                    }
                    if !self.u.rows.close(row, all.iter().map(|a| a.0)) {
                        return Err(Clash::Mismatch);
                    }
                    if equality {
                        self.require_equality(t)?;
                    }
                    self.link(var, t);
                    let mut result = Ok(());
                    for (label, s) in fields {
                        if let Some(f) = all.iter().find(|f| f.0 == label) {
                            result = result.and(self.unify_nodes(s, f.1));
                        }
                    }
                    result
                }
                Shape::Error => {
                    self.link(var, t);
                    Ok(())
                }
                _ => Err(Clash::Mismatch),
            },
            _ => Err(Clash::Mismatch),
        }
    }

    /// Lowers the levels in `t` to `level`, and the times to `time`; fails if `var` is in it, or a type variable that
    /// lives at a deeper level, or a newer type name.
    fn lower(&mut self, t: Type, var: Type, level: u32, time: u32) -> Result<(), Clash> {
        self.u.walk += 1;
        self.adjust(t, var, level, time)
    }

    fn adjust(&mut self, t: Type, var: Type, level: u32, time: u32) -> Result<(), Clash> {
        let t = self.find(t);
        if t == var {
            return Err(Clash::Circular);
        }
        if let Some(core) = t.as_core() {
            return if self.core_time(core) <= time { Ok(()) } else { Err(Clash::TooNew(self.newest(core))) };
        }
        let i = t.0 as usize;
        if self.u.levels[i] < level && self.u.times[i] <= time || self.u.marks[i] == self.u.walk {
            return Ok(());
        }
        self.u.marks[i] = self.u.walk;
        let lower = self.u.levels[i] > level;
        if let Node::Rigid(v) = self.u.nodes[i] {
            return if lower { Err(Clash::Escape(v)) } else { Ok(()) };
        }
        if let Node::Con(name, _) = self.u.nodes[i]
            && name.0 >= time
        {
            return Err(Clash::TooNew(name));
        }
        self.u.levels[i] = self.u.levels[i].min(level);
        self.u.times[i] = self.u.times[i].min(time);
        match self.shape(t) {
            Shape::Con(_, args) => args.iter().try_for_each(|&a| self.adjust(a, var, level, time)),
            Shape::Arrow(a, b) => {
                self.adjust(a, var, level, time)?;
                self.adjust(b, var, level, time)
            }
            Shape::Record(fields) => fields.iter().try_for_each(|f| self.adjust(f.1, var, level, time)),
            Shape::Flex { fields, .. } => fields.iter().try_for_each(|f| self.adjust(f.1, var, level, time)),
            Shape::Var { .. } | Shape::Rigid(_) | Shape::Error => Ok(()),
        }
    }

    /// The newest type name of a Core type.
    fn newest(&mut self, ty: Ty) -> TyName {
        TyName(self.core_time(ty).saturating_sub(1))
    }

    /// Keeps the variables of `t` from being generalised by the declaration at `level + 1`.
    pub(crate) fn lower_to(&mut self, t: Type, level: u32) -> Result<(), Clash> {
        self.lower(t, Type(CORE - 1), level, u32::MAX)
    }

    /// The type variables of an expansive declaration that nothing it binds mentions: they may be any type.
    pub(crate) fn forget_rigid(&mut self, v: TyVar) {
        if let Some(&t) = self.u.tyvar_nodes.get(&v)
            && matches!(self.u.nodes[t.0 as usize], Node::Rigid(_))
        {
            self.link(t, Type::UNIT);
        }
    }

    /// The overloaded kind of a type; 0 when it has none.
    pub(crate) fn kind_of(&mut self, t: Type) -> Kinds {
        match self.shape(t) {
            Shape::Con(name, _) => match name {
                tyname::INT | tyname::INT8 | tyname::INT16 | tyname::INT32 | tyname::INTINF => kinds::INT,
                tyname::WORD | tyname::WORD8 | tyname::WORD16 | tyname::WORD32 => kinds::WORD,
                tyname::REAL | tyname::REAL32 => kinds::REAL,
                tyname::CHAR => kinds::CHAR,
                tyname::STRING => kinds::STRING,
                name => self.sized_type(name).map_or(0, |(signed, _)| if signed { kinds::INT } else { kinds::WORD }),
            },
            Shape::Var { kinds, .. } => kinds,
            _ => 0,
        }
    }

    /// Is it a sized type that the library makes: signed or not, and its bits.
    pub(crate) fn sized_type(&self, name: TyName) -> Option<(bool, u32)> {
        self.tables.modules.overloaded.iter().find(|o| o.name == name)?.size
    }

    /// Makes a type admit equality, or names the part that does not. [Definition, 4.4]
    pub(crate) fn require_equality(&mut self, t: Type) -> Result<(), Clash> {
        self.u.walk += 1;
        self.u.compared.clear();
        self.admit_equality(t)
    }

    fn admit_equality(&mut self, t: Type) -> Result<(), Clash> {
        let t = self.find(t);
        // What does not admit it ends the walk: a part that was looked at does.
        match t.as_core() {
            Some(core) => {
                if !self.u.compared.insert(core) {
                    return Ok(());
                }
            }
            None => {
                if self.u.marks[t.0 as usize] == self.u.walk {
                    return Ok(());
                }
                self.u.marks[t.0 as usize] = self.u.walk;
            }
        }
        match self.shape(t) {
            Shape::Var { equality: true, .. } | Shape::Error => Ok(()),
            Shape::Var { equality: false, kinds } => {
                let left = kinds & !kinds::REAL;
                if kinds != 0 && left == 0 {
                    return Err(Clash::Equality(t));
                }
                self.u.nodes[t.0 as usize] = Node::Var { equality: true, kinds: left };
                Ok(())
            }
            Shape::Flex { equality, fields, row } => {
                if !equality {
                    self.u.nodes[t.0 as usize] = Node::Flex { equality: true, fields: fields.clone(), row };
                }
                fields.iter().try_for_each(|f| self.admit_equality(f.1))
            }
            Shape::Rigid(v) => {
                if self.tables.tyvars[v].equality {
                    Ok(())
                } else {
                    Err(Clash::Equality(t))
                }
            }
            Shape::Con(tyname::REF | tyname::ARRAY, _) => Ok(()),
            Shape::Con(name, args) => {
                if !self.tables.tynames[name].equality {
                    return Err(Clash::Equality(t));
                }
                args.iter().try_for_each(|&a| self.admit_equality(a))
            }
            Shape::Arrow(..) => Err(Clash::Equality(t)),
            Shape::Record(fields) => fields.iter().try_for_each(|f| self.admit_equality(f.1)),
        }
    }
}
