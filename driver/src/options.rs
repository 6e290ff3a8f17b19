//! What a user may choose about a compilation.

use std::str::FromStr;

pub use leat_mono::ir::Watch;
use leat_mono::pass::Level;

/// What a program has to announce for these options of the runtime.
pub fn watch(runtime: &leat_entry::RuntimeOptions) -> Watch {
    match (runtime.race, runtime.by_chance()) {
        (true, _) => Watch::Races,
        (false, true) => Watch::Accesses,
        (false, false) => Watch::Nothing,
    }
}

/// The stages, in order; each is named by what it gives.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    Tokens,
    Ast,
    Core,
    Lambda,
    Mono,
    Ssa,
    Clif,
    Asm,
}

impl Stage {
    pub const ALL: &'static [(Stage, &'static str)] = &[
        (Stage::Tokens, "tokens"),
        (Stage::Ast, "ast"),
        (Stage::Core, "core"),
        (Stage::Lambda, "lambda"),
        (Stage::Mono, "mono"),
        (Stage::Ssa, "ssa"),
        (Stage::Clif, "clif"),
        (Stage::Asm, "asm"),
    ];

    pub fn name(self) -> &'static str {
        Stage::ALL[self as usize].1
    }

    /// What it does, for `--print-pipeline`.
    pub fn about(self) -> &'static str {
        match self {
            Stage::Tokens => "A text is cut into tokens.",
            Stage::Ast => "Declarations are parsed, with the infix operators that are in scope.",
            Stage::Core => "Names are resolved and types inferred, after the Definition.",
            Stage::Lambda => "Patterns become decisions, modules become declarations.",
            Stage::Mono => "The program gets what it needs of the library, and every type is closed.",
            Stage::Ssa => "Functions become blocks; closures and data get their representation.",
            Stage::Clif => "Each function becomes Cranelift's instructions, with maps of live references.",
            Stage::Asm => "Cranelift makes machine code, in memory or in an object file.",
        }
    }
}

impl FromStr for Stage {
    type Err = String;

    fn from_str(text: &str) -> Result<Stage, String> {
        Stage::ALL.iter().find(|(_, name)| *name == text).map(|(stage, _)| *stage).ok_or_else(|| {
            let names: Vec<&str> = Stage::ALL.iter().map(|(_, name)| *name).collect();
            format!("there is no stage {text}; the stages are {}", names.join(", "))
        })
    }
}

/// `--dump=ssa` or `--dump=ssa:after=inline`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dump {
    pub stage: Stage,
    /// After this pass, not at the end of the stage.
    pub after: Option<String>,
}

impl FromStr for Dump {
    type Err = String;

    fn from_str(text: &str) -> Result<Dump, String> {
        match text.split_once(":after=") {
            Some((stage, pass)) => Ok(Dump { stage: stage.parse()?, after: Some(pass.to_string()) }),
            None => Ok(Dump { stage: text.parse()?, after: None }),
        }
    }
}

/// When the verifiers of the stages run.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Verify {
    /// After each pass.
    Each,
    /// At the end of each stage.
    Stage,
    #[default]
    Off,
}

impl FromStr for Verify {
    type Err = String;

    fn from_str(text: &str) -> Result<Verify, String> {
        match text {
            "each" => Ok(Verify::Each),
            "stage" => Ok(Verify::Stage),
            "off" => Ok(Verify::Off),
            _ => Err("--verify is each, stage or off".to_string()),
        }
    }
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
    pub color: bool,
    /// Messages are JSON, an object a line.
    pub json: bool,
    /// Alignment of objects in bytes.
    pub align: u32,
    /// Which loads and stores are announced to the runtime: for `--explore`, `--sched-seed` and `--race`.
    pub watch: Watch,
    /// The tool that is told of code in memory: `--jit-symbols=perf|jitdump|gdb`.
    pub symbols: leat_translate::Symbols,
    /// The code counts its calls and instructions: `leat profile --calls`, `leat build --count-calls`.
    pub count_calls: bool,
    /// A folder with the library's sources, to be elaborated instead of the image: for work on the library.
    pub library: Option<std::path::PathBuf>,
    /// Values of path variables of ML Basis files: `--mlb-path-var='NAME VALUE'`.
    pub path_vars: Vec<(String, String)>,
    /// Files with such values, a line each: `--mlb-path-map=FILE`.
    pub path_maps: Vec<std::path::PathBuf>,
    /// Annotations that every ML Basis file starts with: `--default-ann=ANNOTATION`.
    pub annotations: Vec<String>,
}

impl Options {
    /// How much the optimisers do.
    pub fn level(&self) -> Level {
        if self.optimise { Level::Full } else { Level::None }
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
            color: false,
            json: false,
            align: 8,
            watch: Watch::Nothing,
            symbols: leat_translate::Symbols::None,
            count_calls: false,
            library: None,
            path_vars: Vec::new(),
            path_maps: Vec::new(),
            annotations: Vec::new(),
        }
    }
}
