//! What a heap consists of, seen by all of its parts: collections take it apart, [`crate::Heap`] guards it with a lock.

use crate::blocks::{Blocks, Target};
use crate::config::{Config, Stats};
use crate::cycle::Cycle;
use crate::large::Large;
use crate::policy::Policy;
use crate::remembered::{Worker, Young};
use crate::space::Space;

/// What all workers share: touched under the heap's lock.
pub(crate) struct Inner {
    pub space: Space,
    pub young: Young,
    pub blocks: Blocks,
    pub large: Large,
    /// Where the next minor collection goes on copying to.
    pub target: Target,
    /// The marking that is under way, if one is made in slices.
    pub cycle: Cycle,
    /// There is a thread that marks beside the program.
    pub has_marker: bool,
    /// What `M` means: the bit as live objects have it.
    pub sense: u64,
    /// Each stays where it is when others come.
    #[allow(clippy::vec_box)]
    pub workers: Vec<Box<Worker>>,
    /// See [`crate::Heap::keep_apart`].
    pub apart: bool,
    pub policy: Policy,
    pub stats: Stats,
    pub config: Config,
}
