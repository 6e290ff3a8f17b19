//! The file that a profiled program leaves -> functions and trees of calls. Its form stands in the runtime's
//! `profile/file.rs`.

/// What was measured, and all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Profile {
    /// `time`, `wait`, `alloc` or `calls`.
    pub kind: String,
    /// Of the weights: `ns`, `bytes`, `instructions`.
    pub unit: String,
    pub program: String,
    /// Nanoseconds that the program ran.
    pub elapsed: u64,
    pub functions: Vec<Function>,
    pub trees: Vec<Tree>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Function {
    pub name: String,
    /// `?` for what is no SML function, like `[collector]`.
    pub file: String,
    /// Of its definition; else the first one that has a cost, 0 for none.
    pub line: u32,
    /// Whether it is the definition's.
    pub defined: bool,
}

impl Function {
    /// Whether it stands for something that is no function of the program.
    pub fn is_label(&self) -> bool {
        self.file == "?" && self.name.starts_with('[')
    }

    /// `queens.sml:3`, or nothing.
    pub fn place(&self) -> String {
        match (self.file.as_str(), self.line) {
            ("?", _) => String::new(),
            (file, 0) => file.to_string(),
            (file, line) => format!("{file}:{line}"),
        }
    }
}

/// One worker's calls, or all threads'.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tree {
    pub name: String,
    /// Parents first.
    pub nodes: Vec<Node>,
}

impl Tree {
    /// The functions around a node and its own, the outermost first; one that calls itself stands once.
    pub fn stack(&self, node: &Node) -> Vec<u32> {
        let mut stack = vec![node.function];
        let mut at = node.parent;
        while let Some(parent) = at {
            let parent = &self.nodes[parent as usize];
            if stack.last() != Some(&parent.function) {
                stack.push(parent.function);
            }
            at = parent.parent;
        }
        stack.reverse();
        stack
    }
}

/// A function at a line, called as its parents say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    pub parent: Option<u32>,
    pub function: u32,
    pub line: u32,
    /// Spent in this very place.
    pub weight: u64,
    pub count: u64,
    /// Of allocated bytes: how many survive a collection.
    pub survives: u64,
}

/// Reads a profile; the error says which line is none.
pub fn read(text: &str) -> Result<Profile, String> {
    let mut profile = Profile::default();
    let mut lines = text.lines().enumerate();
    match lines.next() {
        Some((_, "leat-profile 1")) => {}
        _ => return Err("this is no profile of a Leat program, or one that was not finished".into()),
    }
    for (number, line) in lines {
        if take(&mut profile, line).is_none() {
            return Err(format!("line {} of the profile is damaged: {line}", number + 1));
        }
    }
    Ok(profile)
}

fn take(profile: &mut Profile, line: &str) -> Option<()> {
    let (word, rest) = line.split_once(' ')?;
    match word {
        "kind" => profile.kind = rest.into(),
        "unit" => profile.unit = rest.into(),
        "program" => profile.program = rest.into(),
        "elapsed" => profile.elapsed = rest.parse().ok()?,
        "f" => {
            let mut words = rest.splitn(4, ' ');
            let number: usize = words.next()?.parse().ok()?;
            let file = words.next()?.replace("%20", " ").replace("%0A", "\n").replace("%25", "%");
            let line = words.next()?.parse::<u32>().ok()?;
            let name = words.next()?.to_string();
            if number != profile.functions.len() {
                return None;
            }
            profile.functions.push(Function { name, file, line, defined: line > 0 });
        }
        "t" => profile.trees.push(Tree { name: rest.into(), nodes: Vec::new() }),
        "n" => {
            let mut numbers = rest.split(' ').map(str::parse::<u64>);
            let mut next = || numbers.next()?.ok();
            let (number, parent, function) = (next()?, next()?, next()?);
            let (line, weight, count) = (next()? as u32, next()?, next()?);
            let nodes = &mut profile.trees.last_mut()?.nodes;
            let survives = numbers.next().map_or(Some(0), Result::ok)?;
            if number != nodes.len() as u64 + 1 || parent >= number || function >= profile.functions.len() as u64 {
                return None;
            }
            let parent = parent.checked_sub(1).map(|n| n as u32);
            nodes.push(Node { parent, function: function as u32, line, weight, count, survives });
            // Of a function that is everywhere inlined no definition is known: its first line that is.
            let known = &mut profile.functions[function as usize];
            if !known.defined && line > 0 && (known.line == 0 || line < known.line) {
                known.line = line;
            }
        }
        _ => return None,
    }
    Some(())
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// main (line 9) calls f (line 2), which calls itself and g; a collection in g.
    pub(crate) const SAMPLE: &str = "leat-profile 1
kind time
unit ns
elapsed 1000
program p.sml
f 0 p.sml 9 main
f 1 p.sml 1 f
f 2 a%20b.sml 3 g
f 3 ? 0 [collector]
t worker 0
n 1 0 0 9 10 1
n 2 1 1 2 20 2
n 3 2 1 2 30 3
n 4 3 2 4 25 2
n 5 4 3 0 15 1
";

    #[test]
    fn reads_what_the_runtime_writes() {
        let profile = read(SAMPLE).unwrap();
        assert_eq!(profile.functions[2].place(), "a b.sml:3");
        assert_eq!(profile.trees[0].nodes[4].parent, Some(3));
        assert!(profile.functions[3].is_label());
    }

    /// A new line in a file's name was one in the profile.
    #[test]
    fn reads_any_names_of_files() {
        let profile = read(&SAMPLE.replace("a%20b.sml", "a%0Ab%250A%20.sml")).unwrap();
        assert_eq!(profile.functions[2].file, "a\nb%0A .sml");
    }

    #[test]
    fn says_what_is_damaged() {
        assert!(read("hello").unwrap_err().contains("no profile"));
        assert!(read("leat-profile 1\nt x\nn 1 7 0 0 0 0\n").unwrap_err().contains("line 3"));
    }
}
