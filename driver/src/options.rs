//! What a user may choose about a compilation.

pub use leat_mono::ir::Watch;
use leat_mono::pass::Level;

use crate::stage::Wishes;
pub use crate::stage::{Dump, Stage, Verify};

/// What a program has to announce for these options of the runtime.
pub fn watch(runtime: &leat_entry::RuntimeOptions) -> Watch {
    match (runtime.race, runtime.by_chance()) {
        (true, _) => Watch::Races,
        (false, true) => Watch::Accesses,
        (false, false) => Watch::Nothing,
    }
}

/// Is this the name of a value, with its structures perhaps: `Main.main`?
pub fn is_name(text: &str) -> bool {
    text.split('.').all(|part| {
        part.starts_with(|c: char| c.is_ascii_alphabetic())
            && part.bytes().all(|c| c.is_ascii_alphanumeric() || c == b'_' || c == b'\'')
    })
}

/// All choices of a compilation.
#[derive(Clone, Debug)]
pub struct Options {
    /// Without it nothing is optimised (`-O0`).
    pub optimise: bool,
    pub verify: Verify,
    pub dumps: Vec<Dump>,
    /// Dumps show only functions whose name contains this.
    pub dump_fn: Option<String>,
    pub stop_after: Option<Stage>,
    pub time_passes: bool,
    /// Is told of each pass of Mono and of Ssa: its name, and how large the program is behind it. For tests of growth.
    pub observer: Option<fn(&str, usize)>,
    pub color: bool,
    /// Messages are JSON, an object a line.
    pub json: bool,
    /// Alignment of objects in bytes.
    pub align: u32,
    /// Which loads and stores are announced to the runtime: for `--explore`, `--sched-seed` and `--race`.
    pub watch: Watch,
    /// Options of the runtime that a built program starts with, as in `LEAT_RUN`.
    pub runtime: String,
    /// The tool that is told of code in memory: `--jit-symbols=perf|jitdump|gdb`.
    pub symbols: leat_translate::Symbols,
    /// A debugger may stop the program, and evaluates these in it: `leat debug`.
    pub debug: Option<Vec<crate::probes::Inserted>>,
    /// The code counts its calls and instructions: `leat profile --calls`, `leat build --count-calls`.
    pub count_calls: bool,
    /// The code's places say what is allocated there: `leat profile --alloc`, `leat build --alloc-types`.
    pub tell_types: bool,
    /// A folder with the library's sources, to be elaborated instead of the image: for work on the library.
    pub library: Option<std::path::PathBuf>,
    /// Values of path variables of ML Basis files: `--mlb-path-var='NAME VALUE'`.
    pub path_vars: Vec<(String, String)>,
    /// Files with such values, a line each: `--mlb-path-map=FILE`.
    pub path_maps: Vec<std::path::PathBuf>,
    /// Files and libraries of C.
    pub linking: crate::foreign::Linking,
    /// The function that begins the program: `--main=Main.main`.
    pub main: Option<String>,
    /// Annotations that every ML Basis file starts with: `--default-ann=ANNOTATION`.
    pub annotations: Vec<String>,
}

impl Options {
    /// How much the optimisers do.
    pub fn level(&self) -> Level {
        if self.optimise { Level::Full } else { Level::None }
    }

    /// What concerns the stages.
    pub(crate) fn wishes(&self) -> Wishes<'_> {
        Wishes {
            verify: self.verify,
            dumps: &self.dumps,
            dump_fn: self.dump_fn.as_deref(),
            stop_after: self.stop_after,
        }
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            optimise: true,
            verify: Verify::Off,
            dumps: Vec::new(),
            dump_fn: None,
            stop_after: None,
            time_passes: false,
            observer: None,
            color: false,
            json: false,
            align: 8,
            watch: Watch::Nothing,
            runtime: String::new(),
            symbols: leat_translate::Symbols::None,
            debug: None,
            count_calls: false,
            tell_types: false,
            library: None,
            path_vars: Vec::new(),
            path_maps: Vec::new(),
            linking: Default::default(),
            main: None,
            annotations: Vec::new(),
        }
    }
}
