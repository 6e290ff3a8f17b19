//! What a declaration needs, and which declarations a program needs.
//!
//! A declaration stays if its evaluation has an effect, or if one that stays uses it. Library declarations are decoded
//! from their [`Image`] when they are found to stay, so that a large library costs nothing where it is not used.

use crate::image::Image;
use crate::ir::*;
use leat_abi::prim::Raises;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a program is made of.
#[derive(Debug, Default)]
pub struct Reachable<'p> {
    pub library: Vec<TopDec>,
    pub program: Vec<&'p TopDec>,
}

impl Reachable<'_> {
    /// All declarations in order of evaluation.
    pub fn decs(&self) -> impl Iterator<Item = &TopDec> {
        self.library.iter().chain(self.program.iter().copied())
    }
}

/// The declarations that the program needs, of the library (if any) and of itself, each in order. The error says that
/// the image is damaged.
pub fn reachable<'p>(library: Option<&Image<'_>>, program: &'p [TopDec]) -> Result<Reachable<'p>, String> {
    let mut dec_of: FxHashMap<Var, usize> = FxHashMap::default();
    for (i, top) in program.iter().enumerate() {
        dec_of.extend(top.dec.binds().into_iter().map(|var| (var, i)));
    }
    let mut keep = vec![false; program.len()];
    let mut decoded: FxHashMap<u32, TopDec> = FxHashMap::default();
    let mut program_work: Vec<usize> = (0..program.len()).filter(|&i| program[i].effect).collect();
    let mut library_work: Vec<u32> = library.map_or(Vec::new(), |image| image.effects().collect());
    loop {
        if let Some(i) = program_work.pop() {
            if std::mem::replace(&mut keep[i], true) {
                continue;
            }
            for var in &program[i].uses {
                match dec_of.get(var) {
                    Some(&used) => program_work.push(used),
                    None => library_work.extend(library.and_then(|image| image.dec_of(*var))),
                }
            }
        } else if let Some(i) = library_work.pop() {
            let Some(image) = library.filter(|_| !decoded.contains_key(&i)) else { continue };
            let top = image.decode(i)?;
            library_work.extend(top.uses.iter().filter_map(|var| image.dec_of(*var)));
            decoded.insert(i, top);
        } else {
            break;
        }
    }
    let mut kept: Vec<(u32, TopDec)> = decoded.into_iter().collect();
    kept.sort_by_key(|dec| dec.0);
    Ok(Reachable {
        library: kept.into_iter().map(|dec| dec.1).collect(),
        program: program.iter().zip(keep).filter(|(_, keep)| *keep).map(|(top, _)| top).collect(),
    })
}

/// What [`free_vars`] finds.
#[derive(Debug)]
pub struct Free {
    /// Each once, in order of first mention.
    pub uses: Vec<Var>,
    /// Its evaluation may do more than bind: write, raise, or never end.
    pub effect: bool,
}

/// The variables that a declaration mentions and does not bind.
pub fn free_vars(dec: &Dec) -> Free {
    let mut walk = Walk::default();
    walk.dec(dec);
    let Walk { mut uses, bound, effect, .. } = walk;
    uses.retain(|var| !bound.contains(var));
    Free { uses, effect }
}

#[derive(Default)]
struct Walk {
    seen: FxHashSet<Var>,
    bound: FxHashSet<Var>,
    uses: Vec<Var>,
    effect: bool,
    /// Functions around: what happens inside happens later.
    depth: u32,
}

impl Walk {
    fn mention(&mut self, var: Var) {
        if self.seen.insert(var) {
            self.uses.push(var);
        }
    }

    fn mention_exn(&mut self, exn: ExnRef) {
        if let ExnRef::Var(var) = exn {
            self.mention(var);
        }
    }

    fn effect(&mut self) {
        self.effect |= self.depth == 0;
    }

    fn dec(&mut self, dec: &Dec) {
        match &dec.kind {
            DecKind::Val { var, exp, keep, .. } => {
                self.bound.insert(*var);
                if *keep {
                    self.effect();
                }
                self.exp(exp);
            }
            DecKind::Fun { funs, .. } => {
                self.bound.extend(funs.iter().map(|fun| fun.var));
                self.depth += 1;
                for fun in funs {
                    self.bound.insert(fun.param);
                    self.exp(&fun.body);
                }
                self.depth -= 1;
            }
            DecKind::Exception { var, .. } => {
                self.bound.insert(*var);
            }
        }
    }

    fn exp(&mut self, exp: &Exp) {
        match &exp.kind {
            ExpKind::Const(_) | ExpKind::Con(..) | ExpKind::Prim(..) => {}
            ExpKind::Var(var, _) => self.mention(*var),
            ExpKind::ExnCon(exn) => self.mention_exn(*exn),
            ExpKind::Tuple(exps) | ExpKind::Vector(exps) | ExpKind::List(exps) | ExpKind::Seq(exps) => {
                exps.iter().for_each(|exp| self.exp(exp));
            }
            ExpKind::Select(_, exp) => self.exp(exp),
            ExpKind::App(f, arg) => {
                let harmless = match &f.kind {
                    ExpKind::Con(..) | ExpKind::ExnCon(_) => true,
                    ExpKind::Prim(prim, _) => !prim.writes() && prim.raises() == Raises::Nothing,
                    _ => false,
                };
                if !harmless {
                    self.effect();
                }
                self.exp(f);
                self.exp(arg);
            }
            ExpKind::Fn(param, body) => {
                self.bound.insert(*param);
                self.depth += 1;
                self.exp(body);
                self.depth -= 1;
            }
            ExpKind::Case { scrut, arms, default } => {
                self.exp(scrut);
                match arms {
                    Arms::Con(_, arms) => self.bound.extend(arms.iter().filter_map(|arm| arm.1)),
                    Arms::Exn(arms) => {
                        for (exn, var, _) in arms {
                            self.mention_exn(*exn);
                            self.bound.extend(*var);
                        }
                    }
                    Arms::Int(_) | Arms::Str(_) => {}
                }
                arms.bodies().into_iter().for_each(|exp| self.exp(exp));
                if let Some(exp) = default {
                    self.exp(exp);
                }
            }
            ExpKind::If(a, b, c) => [a, b, c].into_iter().for_each(|exp| self.exp(exp)),
            ExpKind::While(a, b) => {
                self.effect();
                self.exp(a);
                self.exp(b);
            }
            ExpKind::Let(decs, body) => {
                decs.iter().for_each(|dec| self.dec(dec));
                self.exp(body);
            }
            ExpKind::Raise(packet) => {
                self.effect();
                self.exp(packet);
            }
            ExpKind::Handle(body, packet, handler) => {
                self.bound.insert(*packet);
                self.exp(body);
                self.exp(handler);
            }
        }
    }
}
