//! A group of functions -> its strongly connected components, those that others use first (Tarjan).

use super::census::Count;
use super::uncurry::{mentions_itself, visit_atoms};
use crate::ir::*;

pub(super) struct Component {
    pub functions: Vec<Function>,
    pub recursive: bool,
}

/// The strongly connected components of a group, those that others use first (Tarjan).
/// The counts are those of the group as it stands, or as it was before some names went out of it.
pub(super) fn components(group: Vec<Function>, counts: &[Count]) -> Vec<Component> {
    if let [function] = group.as_slice() {
        // Most functions: their bodies, with all functions inside, are not walked once more.
        let recursive = !counts[function.var.0 as usize].is_not_in_itself && mentions_itself(function);
        return vec![Component { functions: group, recursive }];
    }
    let index: rustc_hash::FxHashMap<Var, usize> = group.iter().enumerate().map(|(i, f)| (f.var, i)).collect();
    let uses: Vec<Vec<usize>> = group
        .iter()
        .map(|function| {
            let mut used = Vec::new();
            visit_atoms(&function.body, &mut |atom| {
                if let Atom::Var(var) = atom
                    && let Some(&i) = index.get(&var)
                {
                    used.push(i);
                }
            });
            used.sort_unstable();
            used.dedup();
            used
        })
        .collect();
    let order = tarjan(&uses);
    let mut functions: Vec<Option<Function>> = group.into_iter().map(Some).collect();
    order
        .into_iter()
        .map(|members| Component {
            recursive: members.len() > 1 || uses[members[0]].contains(&members[0]),
            functions: members.into_iter().map(|i| functions[i].take().expect("each once")).collect(),
        })
        .collect()
}

/// Strongly connected components, callees before callers; iterative, since groups can be long.
fn tarjan(uses: &[Vec<usize>]) -> Vec<Vec<usize>> {
    const UNSEEN: usize = usize::MAX;
    let n = uses.len();
    let (mut index, mut low) = (vec![UNSEEN; n], vec![0; n]);
    let mut on_stack = vec![false; n];
    let mut stack = Vec::new();
    let mut order = Vec::new();
    let mut next = 0;
    for root in 0..n {
        if index[root] != UNSEEN {
            continue;
        }
        let mut calls = vec![(root, 0)];
        while let Some(&mut (v, ref mut edge)) = calls.last_mut() {
            if *edge == 0 {
                index[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(&w) = uses[v].get(*edge) {
                *edge += 1;
                if index[w] == UNSEEN {
                    calls.push((w, 0));
                } else if on_stack[w] {
                    low[v] = low[v].min(index[w]);
                }
                continue;
            }
            calls.pop();
            if let Some(&(parent, _)) = calls.last() {
                low[parent] = low[parent].min(low[v]);
            }
            if low[v] == index[v] {
                let mut members = Vec::new();
                loop {
                    let w = stack.pop().expect("v is on the stack");
                    on_stack[w] = false;
                    members.push(w);
                    if w == v {
                        break;
                    }
                }
                members.reverse();
                order.push(members);
            }
        }
    }
    order
}
