//! Where the names of a whole library are declared: for tools, apart from its environments.

use crate::basis::EnvId;
use crate::index::{Places, Space};
use crate::{Basis, Tables};
use leat_base::{EntityId, Span, Symbol};
use serde::{Deserialize, Serialize};

/// Where the names of a whole library are declared. The image of the library has it apart from the environments, since
/// only tools ask.
#[derive(Clone, Default, Debug, Serialize, Deserialize)]
pub struct Declared {
    envs: Vec<(EnvId, Declarations)>,
    top: Declarations,
    /// See [`crate::index::Index::links`].
    pub links: Vec<(Span, Span)>,
}

/// The names of an environment, each with the place of its declaration.
type Declarations = Vec<((Space, Symbol), Span)>;

impl Declared {
    /// Where the names of all environments and of a basis are declared. The tables have no more than these.
    pub fn of(tables: &Tables, basis: &Basis, mut links: Vec<(Span, Span)>) -> Declared {
        fn sorted(places: &Places) -> Declarations {
            let mut all: Vec<_> = places.iter().collect();
            all.sort_unstable();
            all
        }
        let envs = tables.modules.envs.iter().filter(|(_, env)| env.places.iter().next().is_some());
        let envs = envs.map(|(id, env)| (id, sorted(&env.places))).collect();
        links.sort_unstable();
        links.dedup();
        Declared { envs, top: sorted(&basis.places()), links }
    }

    /// Gives the environments and the basis of the same library their places, and answers that basis.
    pub fn put(&self, tables: &mut Tables, basis: &Basis) -> Basis {
        let places = |all: &[((Space, Symbol), Span)]| Places::new(all.iter().copied().collect());
        let known = tables.modules.envs.len();
        for (id, all) in self.envs.iter().filter(|(id, _)| id.index() < known) {
            tables.modules.envs[*id].places = places(all);
        }
        basis.with_places(&places(&self.top))
    }
}
