//! Functions in which thousands of values are alive in thousands of blocks: a table that is computed line by line, say.
//!
//! The register allocator that makes the better code keeps a list of what each value needs in each block where it is
//! alive, and tries to place each of these pieces: its time and memory are the product of both numbers, seconds and
//! half a gigabyte for three thousand lines `val x = if .. then .. else ..`. Nearly all of these values stand in memory
//! whoever chooses. The other allocator takes the blocks one by one.
//!
//! So it is where thousands are alive in one block: the parts of a record of three thousand references took ten
//! seconds.

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::flowgraph::ControlFlowGraph;
use cranelift_codegen::ir::{Block, Function, Value};

/// Blocks and values without which nobody counts: functions with less are quick.
const LEAST_BLOCKS: usize = 500;
const LEAST_VALUES: usize = 2_000;
/// So many pairs of a block and a value that is alive at its start are too much: half a second.
const MOST: usize = 1_000_000;

/// So many values that are alive at one place, and are used further down in its block, are too much.
const MOST_AT_ONCE: usize = 1_500;

/// Whether the function is one of these.
pub(crate) fn is(func: &Function) -> bool {
    func.dfg.num_values() >= LEAST_VALUES
        && (func.dfg.num_blocks() >= LEAST_BLOCKS && lives_at_most(func, MOST).is_none()
            || most_at_once(func) > MOST_AT_ONCE)
}

/// How many values are alive at one place that are used further down in its block.
fn most_at_once(func: &Function) -> usize {
    // By value: the block that uses it further down.
    let mut used: SecondaryMap<Value, u32> = SecondaryMap::new();
    let mut most = 0;
    for (block, number) in func.layout.blocks().zip(1..) {
        let mut alive = 0usize;
        for inst in func.layout.block_insts(block).rev() {
            for &result in func.dfg.inst_results(inst) {
                alive -= usize::from(used[result] == number);
                used[result] = 0;
            }
            for v in func.dfg.inst_values(inst) {
                let v = func.dfg.resolve_aliases(v);
                alive += usize::from(used[v] != number);
                used[v] = number;
            }
            most = most.max(alive);
        }
    }
    most
}

/// How many pairs there are of a block and a value that is alive at its start; none if there are more than `most`. Each
/// use is followed back to the definition.
fn lives_at_most(func: &Function, most: usize) -> Option<usize> {
    let cfg = ControlFlowGraph::with_function(func);
    let mut defined: SecondaryMap<Value, Option<Block>> = SecondaryMap::new();
    for block in func.layout.blocks() {
        func.dfg.block_params(block).iter().for_each(|&v| defined[v] = Some(block));
        for inst in func.layout.block_insts(block) {
            func.dfg.inst_results(inst).iter().for_each(|&v| defined[v] = Some(block));
        }
    }
    let mut crossing: Vec<(Value, Block)> = Vec::new();
    for block in func.layout.blocks() {
        for inst in func.layout.block_insts(block) {
            for v in func.dfg.inst_values(inst) {
                let v = func.dfg.resolve_aliases(v);
                if defined[v] != Some(block) {
                    crossing.push((v, block));
                }
            }
        }
    }
    crossing.sort_unstable();
    let mut pairs = 0;
    let mut seen: SecondaryMap<Block, Option<Value>> = SecondaryMap::new();
    let mut work = Vec::new();
    for (v, block) in crossing {
        work.push(block);
        while let Some(block) = work.pop() {
            if seen[block] == Some(v) {
                continue;
            }
            seen[block] = Some(v);
            pairs += 1;
            if pairs > most {
                return None;
            }
            let before = cfg.pred_iter(block).map(|before| before.block);
            work.extend(before.filter(|&before| defined[v] != Some(before) && seen[before] != Some(v)));
        }
    }
    Some(pairs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cranelift_codegen::cursor::{Cursor, FuncCursor};
    use cranelift_codegen::ir::InstBuilder;
    use cranelift_codegen::ir::types::I64;

    /// So many blocks in a row, each of which computes something that the last one, or it alone, uses.
    fn chain(count: usize, until_the_end: bool) -> Function {
        let mut func = Function::new();
        let blocks: Vec<Block> = (0..count).map(|_| func.dfg.make_block()).collect();
        let mut cursor = FuncCursor::new(&mut func);
        let mut values = Vec::new();
        for (i, &block) in blocks.iter().enumerate() {
            cursor.insert_block(block);
            let constant = cursor.ins().iconst(I64, i as i64);
            values.push(cursor.ins().iadd(constant, constant));
            if let Some(&next) = blocks.get(i + 1) {
                cursor.ins().jump(next, &[]);
            }
        }
        let from = if until_the_end { 0 } else { count - 1 };
        let sum = values[from..].iter().copied().reduce(|a, b| cursor.ins().iadd(a, b));
        cursor.ins().return_(&[sum.unwrap()]);
        func
    }

    #[test]
    fn long_lives_are_counted() {
        assert_eq!(lives_at_most(&chain(100, false), MOST), Some(0));
        // The one of the first block lives in 99, that of the last but one in the last.
        assert_eq!(lives_at_most(&chain(100, true), MOST), Some(99 * 100 / 2));
        assert_eq!(lives_at_most(&chain(100, true), 99 * 100 / 2 - 1), None);
        assert!(is(&chain(1_500, true)) && !is(&chain(1_500, false)) && !is(&chain(1_300, true)));
    }

    /// So many values in one block, all of which are used behind the last one, or each behind it.
    fn row(count: usize, until_the_end: bool) -> Function {
        let mut func = Function::new();
        let block = func.dfg.make_block();
        let mut cursor = FuncCursor::new(&mut func);
        cursor.insert_block(block);
        let mut sum = cursor.ins().iconst(I64, 0);
        let mut values = Vec::new();
        for i in 0..count {
            let value = cursor.ins().iconst(I64, i as i64);
            values.push(value);
            if !until_the_end {
                sum = cursor.ins().iadd(sum, value);
            }
        }
        if until_the_end {
            sum = values.into_iter().fold(sum, |sum, value| cursor.ins().iadd(sum, value));
        }
        cursor.ins().return_(&[sum]);
        func
    }

    #[test]
    fn what_is_alive_at_once_is_counted() {
        assert_eq!(most_at_once(&row(10, true)), 11);
        assert_eq!(most_at_once(&row(10, false)), 2);
        assert!(is(&row(2_000, true)) && !is(&row(2_000, false)));
    }
}
