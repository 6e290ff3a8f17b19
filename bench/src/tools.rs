//! The tools that are installed; and commands with places, tools and numbers filled in.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::process::{self, Failure};
use crate::table::{System, Tool};

/// A tool that is there.
#[derive(Clone, Debug)]
pub struct Found {
    pub path: String,
    pub version: String,
}

/// The tools by name: what was found, or why not.
pub type Tools = BTreeMap<String, Result<Found, String>>;

/// Which peers are wanted.
pub enum Peers {
    All,
    None,
    Only(Vec<String>),
}

impl Peers {
    pub fn wants(&self, peer: &str) -> bool {
        match self {
            _ if peer.is_empty() => true,
            Peers::All => true,
            Peers::None => false,
            Peers::Only(list) => list.iter().any(|name| name.eq_ignore_ascii_case(peer)),
        }
    }
}

/// Looks for those tools that the rows use.
pub fn find_tools(place: &Place, tools: &[Tool], used: &[String], peers: &Peers) -> Tools {
    let mut found = Tools::new();
    for tool in tools.iter().filter(|tool| used.contains(&tool.name)) {
        let result = if peers.wants(&tool.peer) { find(place, tool) } else { Err("left out by --peers".to_string()) };
        found.insert(tool.name.clone(), result);
    }
    found
}

fn find(place: &Place, tool: &Tool) -> Result<Found, String> {
    let absent = || match tool.install.as_str() {
        "" => format!("{} is not installed", tool.program),
        how => format!("{} is not installed ({how})", tool.program),
    };
    let mut path = in_path(&tool.program).ok_or_else(absent)?;
    let fill = |text: &str, path: &str| text.replace("{program}", path);
    let shell = |text: &str, path: &str| {
        let command = ["sh".to_string(), "-c".to_string(), fill(text, path)];
        process::run(place, &command, None, 20, 1).map(|mut done| done.swap_remove(0))
    };
    let reason = |failure: Failure| match failure {
        Failure::Because(reason) => reason,
        Failure::Interrupted => "interrupted".to_string(),
    };
    if !tool.resolve.is_empty() {
        let done = shell(&tool.resolve, &path).map_err(|f| format!("{}: {}", tool.program, reason(f)))?;
        let line = done.output.lines().next().unwrap_or("").trim().to_string();
        if !Path::new(&line).is_file() {
            return Err(format!("{}: `{}` says {line:?}, which is no file", tool.program, tool.resolve));
        }
        path = line;
    }
    if !tool.check.is_empty() {
        shell(&tool.check, &path).map_err(|f| match tool.lacks.as_str() {
            "" => reason(f),
            lacks => lacks.to_string(),
        })?;
    }
    let version = match tool.version.as_str() {
        "" => String::new(),
        text => shell(text, &path).map_or(String::new(), |done| {
            let lines = done.output.lines().chain(done.errors.lines());
            lines.map(str::trim).find(|line| !line.is_empty()).unwrap_or("").chars().take(80).collect()
        }),
    };
    Ok(Found { path, version })
}

/// The file that a name stands for; symbolic links are followed.
fn in_path(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = if program.contains('/') {
        Some(PathBuf::from(program)).filter(|path| path.is_file())
    } else {
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(|path| path.is_file())
    };
    // The name under which it is called matters to some (busybox, rustup's cargo): those keep it.
    found.map(|path| path.display().to_string())
}

/// What stands in the braces of a command.
pub struct Words<'a> {
    pub place: &'a Place,
    pub tools: &'a Tools,
    pub system: &'a System,
    pub x: Option<f64>,
    pub n: Option<f64>,
    pub arguments: &'a str,
}

impl Words<'_> {
    /// The words of one command line.
    pub fn of(&self, template: &str) -> Result<Vec<String>, String> {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x}"));
        let template = template
            .replace("{arguments}", self.arguments)
            .replace("{x}", &number(self.x))
            .replace("{n}", &number(self.n));
        template.split_whitespace().map(|word| self.word(word)).collect()
    }

    fn word(&self, word: &str) -> Result<String, String> {
        let mut text = String::new();
        let mut rest = word;
        while let Some((before, after)) = rest.split_once('{') {
            let (name, after) = after.split_once('}').ok_or_else(|| format!("`{word}`: a brace is open"))?;
            text += before;
            text += &self.value(name)?;
            rest = after;
        }
        Ok(text + rest)
    }

    fn value(&self, name: &str) -> Result<String, String> {
        let place = self.place;
        let path = |path: &Path| path.display().to_string();
        Ok(match name {
            "leat" if !place.leat.exists() => {
                return Err(format!("{} is missing: run `cargo build --release -p leat` first", place.leat.display()));
            }
            "leat" => path(&place.leat),
            "dir" => path(&self.system.folder),
            "programs" => path(&place.programs),
            "out" => path(&place.out),
            // What is dear to build and the same in every run: cargo's own folder for tokio.
            "kept" => place.leat.ancestors().nth(2).map_or(String::new(), |target| path(&target.join("lab-kept"))),
            "root" => path(place.programs.join("../..").as_path()),
            "lines" => path(&place.out.join("lines.txt")),
            // A program of this package.
            "bin" => place.leat.parent().map_or(String::new(), path),
            // Text never seen before: an expression, a file of one line, a file of a thousand.
            "fresh" => format!("{}+{}", place.fresh_number(), place.fresh_number()),
            "fresh-hello" => {
                let file = place.out.join("fresh-hello.sml");
                let text = format!("val () = print \"hello {}\\n\"\n", place.fresh_number());
                std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
                path(&file)
            }
            "fresh-thousand" => {
                let file = place.out.join("fresh-thousand.sml");
                let text = crate::fresh::program(1000, place.fresh_number());
                std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
                path(&file)
            }
            "last-thousand" => path(&place.out.join("fresh-thousand.sml")),
            name => match self.tools.get(name) {
                Some(Ok(found)) => found.path.clone(),
                Some(Err(reason)) => return Err(reason.clone()),
                None => return Err(format!("{{{name}}} is no tool and no word of the lab")),
            },
        })
    }
}

/// The tools that a system needs: those in its commands' braces, and the one that it names.
pub fn tools_of(system: &System, tools: &[Tool]) -> Vec<String> {
    let text = format!("{} {} {{{}}}", system.build, system.run, system.tool);
    tools.iter().map(|tool| tool.name.clone()).filter(|name| text.contains(&format!("{{{name}}}"))).collect()
}
