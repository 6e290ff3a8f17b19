//! The tools that are installed; and commands with places, tools and numbers filled in.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::place::{self, Lab};
use crate::process::{self, Done, Failure};
use crate::progress::Progress;
use crate::say::plain;
use crate::table::{System, Tool};

/// Seconds in which a tool says its version, and in which it shows that all of it is there.
const VERSION_SECONDS: u64 = 5;
const CHECK_SECONDS: u64 = 20;

/// A tool that is there.
#[derive(Clone, Debug)]
pub struct Found {
    pub path: String,
    /// Words that stand behind the path in a command: those of CC.
    pub arguments: Vec<String>,
    pub version: String,
}

/// The tools by name: what was found, or why not.
pub type Tools = BTreeMap<String, Result<Found, String>>;

/// Which peers are wanted.
#[derive(Clone)]
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
pub fn find_tools(place: &Lab, tools: &[Tool], used: &[String], peers: &Peers, progress: &mut Progress) -> Tools {
    let mut search = Search { place, progress, asked: BTreeMap::new() };
    let mut found = Tools::new();
    for tool in tools.iter().filter(|tool| used.contains(&tool.name)) {
        let result = if peers.wants(&tool.peer) { search.find(tool) } else { Err("left out by --peers".to_string()) };
        found.insert(tool.name.clone(), result);
    }
    search.progress.clear();
    found
}

struct Search<'a> {
    place: &'a Lab,
    progress: &'a mut Progress,
    /// What tools have answered: several entries may be of one program, and what hangs hangs once.
    asked: BTreeMap<(String, String), Result<Done, Failure>>,
}

impl Search<'_> {
    fn find(&mut self, tool: &Tool) -> Result<Found, String> {
        let mut words = if tool.program == "cc" { place::c_compiler() } else { vec![tool.program.clone()] };
        let arguments = words.split_off(1);
        let name = words.swap_remove(0);
        let absent = || match tool.install.as_str() {
            "" => format!("{name} is not installed"),
            how => format!("{name} is not installed ({how})"),
        };
        let mut path = in_path(&name).ok_or_else(absent)?;
        if !tool.resolve.is_empty() {
            let done =
                self.ask(&tool.resolve, &path, VERSION_SECONDS).map_err(|f| unusable(&name, &tool.resolve, f))?;
            let line = done.output.lines().next().unwrap_or("").trim().to_string();
            if !Path::new(&line).is_file() {
                return Err(format!("{name}: `{}` says {line:?}, which is no file", tool.resolve));
            }
            path = line;
        }
        let mut version = String::new();
        if !tool.version.is_empty() {
            let done =
                self.ask(&tool.version, &path, VERSION_SECONDS).map_err(|f| unusable(&name, &tool.version, f))?;
            let mut lines = done.output.lines().chain(done.errors.lines()).map(str::trim);
            version = plain(&lines.find(|line| !line.is_empty()).unwrap_or("").chars().take(80).collect::<String>());
        }
        if !tool.check.is_empty() {
            self.ask(&tool.check, &path, CHECK_SECONDS).map_err(|failure| match (failure, tool.lacks.as_str()) {
                (Failure::Because(_), lacks) if !lacks.is_empty() => lacks.to_string(),
                (failure, _) => unusable(&name, &tool.check, failure),
            })?;
        }
        Ok(Found { path, arguments, version })
    }

    /// Runs a line of the shell about the program at this path.
    fn ask(&mut self, line: &str, path: &str, seconds: u64) -> Result<Done, Failure> {
        let key = (line.to_string(), path.to_string());
        if let Some(known) = self.asked.get(&key) {
            return known.clone();
        }
        self.progress.now(&format!("asking {}", line.replace("{program}", path)));
        // The path is the shell's $0: so it is one word, whatever is in it.
        let command = ["sh", "-c", &line.replace("{program}", "\"$0\""), path].map(String::from);
        let result = process::run(self.place, &command, None, seconds, 1).map(|mut done| done.swap_remove(0));
        self.asked.insert(key, result.clone());
        result
    }
}

fn unusable(name: &str, line: &str, failure: Failure) -> String {
    match failure {
        Failure::Because(reason) => {
            plain(&format!("{name} is not usable: `{}`: {reason}", line.replace("{program}", name)))
        }
        Failure::Interrupted => "interrupted".to_string(),
    }
}

/// The executable file that a name stands for, by its absolute path; symbolic links are followed.
fn in_path(program: &str) -> Option<String> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_executable = |path: &PathBuf| {
        std::fs::metadata(path).is_ok_and(|data| data.is_file() && data.permissions().mode() & 0o111 != 0)
    };
    let found = if program.contains('/') {
        Some(PathBuf::from(program)).filter(is_executable)
    } else {
        std::env::split_paths(&path).map(|folder| folder.join(program)).find(is_executable)
    };
    // The name under which it is called matters to some (busybox, rustup's cargo): those keep it.
    found.and_then(|path| std::path::absolute(path).ok()).map(|path| path.display().to_string())
}

/// What stands in the braces of a command.
pub struct Words<'a> {
    pub place: &'a Lab,
    pub tools: &'a Tools,
    pub system: &'a System,
    pub x: Option<f64>,
    pub n: Option<f64>,
    pub program: &'a str,
    pub arguments: &'a str,
}

impl Words<'_> {
    /// The words of one command line.
    pub fn of(&self, template: &str) -> Result<Vec<String>, String> {
        let number = |x: Option<f64>| x.map_or(String::new(), |x| format!("{x}"));
        let template = template
            .replace("{arguments}", self.arguments)
            .replace("{program}", self.program)
            .replace("{x}", &number(self.x))
            .replace("{n}", &number(self.n));
        let mut words = Vec::new();
        for word in template.split_whitespace() {
            words.push(self.word(word)?);
            let tool =
                word.strip_prefix('{').and_then(|word| word.strip_suffix('}')).and_then(|name| self.tools.get(name));
            words.extend(tool.into_iter().flatten().flat_map(|found| found.arguments.clone()));
        }
        if words.is_empty() { Err("its command is empty".to_string()) } else { Ok(words) }
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
            "leat" => place::need(&place.leat, "leat").map(|()| path(&place.leat))?,
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
    tools_in(&format!("{} {} {{{}}}", system.build, system.run, system.tool), tools)
}

/// Those in the braces of commands.
pub fn tools_in(text: &str, tools: &[Tool]) -> Vec<String> {
    tools.iter().map(|tool| tool.name.clone()).filter(|name| text.contains(&format!("{{{name}}}"))).collect()
}
