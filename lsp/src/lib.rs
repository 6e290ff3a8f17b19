//! leat lsp: the language server, over the compiler's own front end, kept warm.
//!
//! Messages of the protocol in, answers and diagnostics out. Everything that it knows of a program is what the compiler
//! knows: `leat_driver::tooling` keeps the units analysed, `leat_elab::index` tells which declaration a name means.
//!
//! Reading order: `wire` (bytes and messages), `server` (the loop: messages, edits, when what is analysed), `workspace`
//! (what it works on), `project` (which programs a file belongs to), `survey` (all programs of a project), `text`
//! (offsets and positions), `query` (what the index says at a place), `comments` (what is said of declarations),
//! `copies` (the library's files, for the editor to show), `answer` (who answers what), and a file for each group of
//! features: `symbols`, `navigate`, `calls`, `describe`, `complete`, `mend` (and `removal`), `listing`, `style`,
//! `tokens`; and `pages`, for `leat doc`.

mod answer;
mod calls;
mod comments;
mod complete;
mod copies;
mod describe;
mod listing;
mod mend;
mod navigate;
mod pages;
mod project;
mod query;
mod removal;
mod server;
mod style;
mod survey;
mod symbols;
mod text;
mod tokens;
mod wire;
mod workspace;

pub use pages::{members, names_in_basis};
pub use query::types_of_values;
pub use server::serve;
