//! A structure or a functor that a file binds -> what is in it, as a signature would specify it: for `leat doc`.

use std::collections::HashSet;
use std::path::Path;

use leat_base::Symbol;
use leat_driver::docs::{Item, Named};
use leat_driver::tooling::{Analysed, Front};
use leat_repl::types::{Member, Scope};

use crate::comments::Comments;
use crate::query::in_words_of;

/// The members of a structure that a file's units bind, or of a functor's result, as a signature would specify them,
/// with the comments of their declarations: for `leat doc`. `path` leads to a structure inside.
pub fn members(front: &Front, file: &Path, kind: &str, path: &[&str]) -> Option<Vec<Item>> {
    let modules = &front.tables().modules;
    let (first, inner) = path.split_first()?;
    let first = Symbol::intern(first);
    let units = front.units(file);
    let (unit, mut env, at) = units.iter().rev().find_map(|unit| {
        let after = unit.after();
        Some(match kind {
            "functor" => {
                let functor = &modules.functors[after.functor(first)?];
                (unit, functor.result, functor.span.lo)
            }
            _ => (unit, after.structure(first)?, u32::MAX),
        })
    })?;
    for part in inner {
        env = *modules.envs[env].strs.get(Symbol::intern(part))?;
    }
    let after = unit.after();
    let members = Scope { tables: front.tables(), basis: &after }.members(env);
    Some(items(front, &Comments::default(), unit, members, at))
}

/// The names of what a structure of the Basis has; nothing for other structures.
pub fn names_in_basis(front: &Front, structure: &str) -> Option<HashSet<String>> {
    let env = front.library().structure(Symbol::intern(structure))?;
    let env = &front.tables().modules.envs[env];
    let values = env.vals.iter().map(|value| value.0);
    let names = values.chain(env.tys.iter().map(|ty| ty.0)).chain(env.strs.iter().map(|inner| inner.0));
    Some(names.map(|name| name.to_string()).collect())
}

fn items(front: &Front, comments: &Comments, unit: &Analysed, mut members: Vec<Member>, at: u32) -> Vec<Item> {
    // As they stand in the source, where that is known.
    members.sort_by_key(|member| (member.place.file, member.place.lo));
    let item = |Member { names, text, place, inside }: Member| Item {
        names: names.into_iter().map(|(name, kind)| Named { name: name.to_string(), kind, declared: None }).collect(),
        text: if text.contains("?.") { in_words_of(unit, &text, at) } else { text },
        comment: comments.for_users(front, place, "").unwrap_or_default(),
        items: items(front, comments, unit, inside, at),
        line: 0,
    };
    members.into_iter().map(item).collect()
}
