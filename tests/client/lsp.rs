//! A client of `leat lsp` as an editor is one: requests and notifications over a pipe, answers and diagnostics back.
#![allow(dead_code, reason = "no test uses all of it")]

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use leat_random::Random;
use serde_json::{Value, json};
use tempfile::TempDir;

pub const LEAT: &str = env!("CARGO_BIN_EXE_leat");
/// How long an answer may take before the test says that there is none.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Client {
    child: Child,
    input: ChildStdin,
    messages: Receiver<Value>,
    next: i64,
    /// The last diagnostics of each file, and the version that they are about.
    pub diagnostics: HashMap<String, (Option<i64>, Vec<Value>)>,
    versions: HashMap<String, i64>,
    /// What the user was told.
    pub shown: Vec<String>,
    /// What the server has asked for.
    pub asked: Vec<Value>,
    /// How long the answers took, the server's processor time in that, and what was asked.
    pub took: Vec<(Duration, Duration, String)>,
    /// Edits of [`storm`].
    pub edits: usize,
}

/// A program of two files, and its description.
pub const SHAPES: &str = "\
(* Plane figures. *)
signature SHAPE = sig
  type t
  (* The area, never negative. *)
  val area : t -> real
  val make : real * real -> t
end
structure Shape :> SHAPE = struct
  datatype t = Box of real * real | Dot
  fun area (Box (w, h)) = w * h
    | area Dot = 0.0
  fun make (w, h) = if w > 0.0 then Box (w, h) else Dot
end
";

pub const MAIN: &str = "\
structure S = Shape
val one = Shape.make (1.0, 2.0)
val sum = Shape.area one + S.area one
val names = map Int.toString [1, 2]
fun pick {width, height} = width + height : int
val r = {width = 1, height = 2}
val () = print (Real.toString sum ^ \"\\n\")
";

pub const MLB: &str = "$(SML_LIB)/basis/basis.mlb\nshape.sml\nmain.sml\n";

/// A folder with these files, and a client in it.
pub fn project(files: &[(&str, &str)]) -> (TempDir, Client) {
    let folder = TempDir::new().unwrap();
    write(folder.path(), files);
    let client = Client::start(LEAT, folder.path());
    (folder, client)
}

/// Puts these files into a folder.
pub fn write(folder: &Path, files: &[(&str, &str)]) {
    for (file, text) in files {
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// The place of the `n`th occurrence of a piece of text.
pub fn nth(text: &str, piece: &str, n: usize) -> (usize, usize) {
    let (at, _) = text.match_indices(piece).nth(n).unwrap_or_else(|| panic!("no {piece}"));
    line_column(text, at)
}

pub fn first(text: &str, piece: &str) -> (usize, usize) {
    nth(text, piece, 0)
}

pub fn hover(client: &mut Client, path: &Path, place: (usize, usize)) -> String {
    client.at("hover", path, place)["contents"]["value"].as_str().unwrap_or("").to_string()
}

pub fn start_of(location: &Value) -> (usize, usize) {
    let start = &location["range"]["start"];
    (start["line"].as_u64().unwrap() as usize, start["character"].as_u64().unwrap() as usize)
}

pub fn labels(items: &Value) -> Vec<String> {
    let items = items.as_array().cloned().unwrap_or_default();
    items.iter().map(|item| item["label"].as_str().unwrap().to_string()).collect()
}

/// A message as bytes.
pub fn frame(text: &str) -> Vec<u8> {
    format!("Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

/// The code actions for a whole file.
pub fn actions_of(client: &mut Client, path: &Path) -> Vec<Value> {
    let params = json!({
        "textDocument": { "uri": uri(path) },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 99, "character": 0 } },
        "context": { "diagnostics": [] },
    });
    client.request("textDocument/codeAction", params).as_array().unwrap().clone()
}

pub fn uri(path: &Path) -> String {
    format!("file://{}", path.display())
}

impl Client {
    /// Starts a server and shakes hands; columns are bytes.
    pub fn start(leat: &str, folder: &Path) -> Client {
        Client::start_with(leat, folder, &[])
    }

    /// Likewise, with these variables of the environment.
    pub fn start_with(leat: &str, folder: &Path, variables: &[(&str, &Path)]) -> Client {
        let mut command = Command::new(leat);
        command.envs(variables.iter().copied());
        let (client, answer) = Client::start_by(
            command,
            json!({
                "processId": std::process::id(),
                "rootUri": uri(folder),
                "workspaceFolders": [{ "uri": uri(folder), "name": "test" }],
                "capabilities": { "general": { "positionEncodings": ["utf-8", "utf-16"] } },
            }),
        );
        assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
        client
    }

    /// Starts the server of this `leat`, and shakes hands with these words; answers its answer, too.
    pub fn start_by(mut leat: Command, initialize: Value) -> (Client, Value) {
        let mut child = leat.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("leat lsp starts");
        let input = child.stdin.take().expect("piped");
        let output = child.stdout.take().expect("piped");
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            loop {
                let mut length = None;
                loop {
                    let mut line = String::new();
                    if output.read_line(&mut line).unwrap_or(0) == 0 {
                        return;
                    }
                    let line = line.trim();
                    if line.is_empty() {
                        break;
                    }
                    if let Some(number) = line.strip_prefix("Content-Length: ") {
                        length = number.parse::<usize>().ok();
                    }
                }
                let mut bytes = vec![0; length.expect("a length")];
                if output.read_exact(&mut bytes).is_err() {
                    return;
                }
                let message = serde_json::from_slice(&bytes).expect("JSON");
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let mut client = Client {
            child,
            input,
            messages,
            next: 1,
            diagnostics: HashMap::new(),
            versions: HashMap::new(),
            shown: Vec::new(),
            asked: Vec::new(),
            took: vec![],
            edits: 0,
        };
        let answer = client.request("initialize", initialize);
        client.notify("initialized", json!({}));
        (client, answer)
    }

    pub fn send(&mut self, message: &Value) {
        self.raw(&frame(&message.to_string()));
    }

    /// Sends these bytes, whatever they are.
    pub fn raw(&mut self, bytes: &[u8]) {
        let _ = self.input.write_all(bytes);
        let _ = self.input.flush();
    }

    /// The next message with this, as an answer to what has no number.
    pub fn next_with(&mut self, key: &str) -> Value {
        let start = Instant::now();
        loop {
            let message = self.receive(start, key);
            if message.get(key).is_some() {
                return message;
            }
        }
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// The whole response: with `result` or `error`.
    pub fn response(&mut self, method: &str, params: Value) -> Value {
        let id = self.next;
        self.next += 1;
        let (start, busy) = (Instant::now(), self.busy());
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        loop {
            let message = self.receive(start, method);
            if message["id"] == id && message.get("method").is_none() {
                self.took.push((start.elapsed(), self.busy().saturating_sub(busy), method.to_string()));
                return message;
            }
        }
    }

    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let response = self.response(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].clone()
    }

    fn receive(&mut self, start: Instant, what: &str) -> Value {
        let left = PATIENCE.saturating_sub(start.elapsed());
        let message = self.messages.recv_timeout(left).unwrap_or_else(|_| panic!("no answer: {what}"));
        if message["method"] == "textDocument/publishDiagnostics" {
            let params = &message["params"];
            let list = params["diagnostics"].as_array().cloned().unwrap_or_default();
            let of = params["uri"].as_str().unwrap_or_default().to_string();
            self.diagnostics.insert(of, (params["version"].as_i64(), list));
        }
        if message.get("id").is_some() && message.get("method").is_some() {
            self.asked.push(message.clone());
        }
        if message["method"] == "window/showMessage" {
            self.shown.extend(message["params"]["message"].as_str().map(str::to_string));
        }
        message
    }

    /// Opens a file and waits for its diagnostics.
    pub fn open(&mut self, path: &Path, text: &str) -> Vec<Value> {
        let document = json!({ "uri": uri(path), "languageId": "sml", "version": 1, "text": text });
        self.versions.insert(uri(path), 1);
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
        self.wait(path, 1)
    }

    pub fn close(&mut self, path: &Path) {
        self.diagnostics.remove(&uri(path));
        self.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri(path) } }));
    }

    pub fn save(&mut self, path: &Path) {
        self.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri(path) } }));
    }

    /// Replaces a range; does not wait.
    pub fn edit(&mut self, path: &Path, from: (usize, usize), to: (usize, usize), text: &str) {
        let version = self.versions.entry(uri(path)).or_default();
        *version += 1;
        let position = |(line, character): (usize, usize)| json!({ "line": line, "character": character });
        let params = json!({
            "textDocument": { "uri": uri(path), "version": *version },
            "contentChanges": [{ "range": { "start": position(from), "end": position(to) }, "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// Gives a file another text; does not wait.
    pub fn replace(&mut self, path: &Path, text: &str) {
        let version = self.versions.entry(uri(path)).or_default();
        *version += 1;
        let params = json!({
            "textDocument": { "uri": uri(path), "version": *version },
            "contentChanges": [{ "text": text }],
        });
        self.notify("textDocument/didChange", params);
    }

    /// The diagnostics of the text of now. Asked for something small, the server has taken up all edits.
    pub fn now(&mut self, path: &Path) -> Vec<Value> {
        let params = json!({ "textDocument": { "uri": uri(path) }, "position": { "line": 0, "character": 0 } });
        self.request("textDocument/documentHighlight", params);
        self.diagnostics.get(&uri(path)).map(|(_, list)| list.clone()).unwrap_or_default()
    }

    fn wait(&mut self, path: &Path, version: i64) -> Vec<Value> {
        let start = Instant::now();
        loop {
            if let Some((Some(known), list)) = self.diagnostics.get(&uri(path))
                && *known >= version
            {
                return list.clone();
            }
            self.receive(start, "diagnostics");
        }
    }

    /// Waits until the diagnostics of a file are as wanted.
    pub fn until(&mut self, path: &Path, wanted: impl Fn(&[Value]) -> bool) -> Vec<Value> {
        let start = Instant::now();
        loop {
            if let Some((_, list)) = self.diagnostics.get(&uri(path))
                && wanted(list)
            {
                return list.clone();
            }
            self.receive(start, "diagnostics that are wanted");
        }
    }

    /// Waits until there is a diagnostic; answers the addresses that have some.
    pub fn until_told(&mut self) -> Vec<String> {
        let start = Instant::now();
        loop {
            let told: Vec<String> =
                self.diagnostics.iter().filter(|(_, d)| !d.1.is_empty()).map(|(uri, _)| uri.clone()).collect();
            if !told.is_empty() {
                return told;
            }
            self.receive(start, "diagnostics");
        }
    }

    /// A request about a place.
    pub fn at(&mut self, method: &str, path: &Path, place: (usize, usize)) -> Value {
        let position = json!({ "line": place.0, "character": place.1 });
        let params = json!({
            "textDocument": { "uri": uri(path) },
            "position": position,
            "context": { "includeDeclaration": true },
        });
        self.request(&format!("textDocument/{method}"), params)
    }

    /// The server's processor time so far.
    pub fn busy(&self) -> Duration {
        let folder = format!("/proc/{}/task", self.child.id());
        let threads = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let times = threads.filter_map(|thread| std::fs::read_to_string(thread.path().join("schedstat")).ok());
        times.filter_map(|text| text.split(' ').next()?.parse().ok()).map(Duration::from_nanos).sum()
    }

    /// How often the server has read from a file, or from us.
    pub fn reads(&self) -> u64 {
        let io = std::fs::read_to_string(format!("/proc/{}/io", self.child.id())).unwrap_or_default();
        let line = io.lines().find_map(|line| line.strip_prefix("syscr: "));
        line.and_then(|line| line.parse().ok()).expect("the system counts")
    }

    /// The resident memory of the server in kilobytes.
    pub fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }

    /// Waits for the end of a server that was told to end.
    pub fn ended(mut self) -> Option<i32> {
        self.child.wait().ok().and_then(|status| status.code())
    }

    /// Ends the server as editors do; answers its exit code.
    pub fn stop(mut self) -> Option<i32> {
        self.request("shutdown", Value::Null);
        self.notify("exit", Value::Null);
        self.child.wait().ok().and_then(|status| status.code())
    }
}

/// What is compared of a message: severity, code, the first line of the text, line, column (all from 1, in characters).
pub type Short = (String, String, String, usize, usize);

/// Diagnostics of the protocol, with columns in bytes of `text`.
pub fn shorts(list: &[Value], text: &str) -> Vec<Short> {
    let mut all: Vec<Short> = list
        .iter()
        .map(|d| {
            let severity = if d["severity"] == 1 { "error" } else { "warning" };
            let line = d["range"]["start"]["line"].as_u64().unwrap_or(0) as usize;
            let column = d["range"]["start"]["character"].as_u64().unwrap_or(0) as usize;
            let content = text.split('\n').nth(line).unwrap_or("");
            let column = content.get(..column).map_or(column, |before| before.chars().count());
            let message = d["message"].as_str().unwrap_or("").lines().next().unwrap_or("").to_string();
            (severity.to_string(), d["code"].as_str().unwrap_or("").to_string(), message, line + 1, column + 1)
        })
        .collect();
    all.sort();
    all.dedup();
    all
}

/// What `leat check` says of a file that is on disk.
pub fn checked(leat: &str, path: &Path) -> Vec<Short> {
    checked_in(leat, path.parent().unwrap_or(path), path, path)
}

/// What it says of a file of a program, in the folder that the editor has.
pub fn checked_in(leat: &str, folder: &Path, program: &Path, path: &Path) -> Vec<Short> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let mut command = Command::new(leat);
    let output = command.arg("check").arg("--color=never").arg(program).current_dir(folder).output();
    let output = output.expect("leat check runs");
    let text = String::from_utf8_lossy(&output.stderr).to_string();
    let mut all = vec![];
    let mut title: Option<(String, String, String)> = None;
    for line in text.lines() {
        for severity in ["error", "warning"] {
            if let Some(rest) = line.strip_prefix(&format!("{severity}["))
                && let Some((code, message)) = rest.split_once("]: ")
            {
                title = Some((severity.to_string(), code.to_string(), message.to_string()));
            }
        }
        if let Some(at) = line.trim_start().strip_prefix("--> ")
            && let Some((severity, code, message)) = title.take()
        {
            let mut parts = at.rsplitn(3, ':');
            let column = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let line = parts.next().and_then(|n| n.parse().ok()).unwrap_or(0);
            let file = parts.next().unwrap_or_default();
            if !Path::new(file).ends_with(&*name) {
                continue;
            }
            all.push((severity, code, message, line, column));
        }
    }
    all.sort();
    all.dedup();
    all
}

/// A text with random edits at random places, of the kinds that people make.
pub struct Storm {
    random: Random,
}

impl Storm {
    pub fn new(seed: u64) -> Storm {
        Storm { random: Random::new(seed) }
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.random.below(n)
    }

    /// The place and length of what goes, and what comes.
    pub fn edit(&mut self, text: &str) -> (usize, usize, String) {
        const WORDS: [&str; 24] = [
            "x", "val ", "fun ", "end", "let ", " in ", "(", ")", "struct ", "\"", "(*", "*)", " = ", " => ", "|", "1",
            "if ", ".", "#", ",", "\n", "case ", " of ", "é😀",
        ];
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            at
        };
        let at = boundary(self.below(text.len() + 1));
        match self.below(4) {
            0 => {
                let end = boundary((at + 1 + self.below(12)).min(text.len()));
                (at, end.max(at) - at, String::new())
            }
            1 => {
                // A piece from elsewhere.
                let from = boundary(self.below(text.len() + 1));
                let to = boundary((from + self.below(40)).min(text.len()));
                (at, 0, text[from..to.max(from)].to_string())
            }
            _ => (at, 0, WORDS[self.below(WORDS.len())].to_string()),
        }
    }
}

/// Line and byte in it of an offset.
pub fn line_column(text: &str, at: usize) -> (usize, usize) {
    let line = text[..at].matches('\n').count();
    (line, at - text[..at].rfind('\n').map_or(0, |i| i + 1))
}

/// Edits a file at random, `rounds` times; now and then the server's diagnostics must be those of a fresh `leat check`.
/// What differs is the error, with the text that shows it. A file of a program stays where it is, and the check is that
/// of the program, after so many edits each.
pub fn storm(
    client: &mut Client,
    leat: &str,
    (folder, path): (&Path, &Path),
    program: Option<(&Path, usize)>,
    seed: u64,
    rounds: usize,
) -> Result<usize, String> {
    let original = String::from_utf8_lossy(&std::fs::read(path).map_err(|e| e.to_string())?).to_string();
    let scratch = TempDir::new().map_err(|e| e.to_string())?;
    let alone = scratch.path().join(path.file_name().unwrap_or_default());
    let file = if program.is_some() { path.to_path_buf() } else { alone };
    let (checks, every) = program.unwrap_or((&file, 4));
    let mut text = original.clone();
    std::fs::write(&file, &text).map_err(|e| e.to_string())?;
    client.open(&file, &text);
    let mut storm = Storm::new(seed);
    let mut compared = 0;
    for round in 0..rounds {
        let (at, length, new) = storm.edit(&text);
        let (from, to) = (line_column(&text, at), line_column(&text, at + length));
        // A carriage return is no part of a line's columns.
        if text[..at + length].ends_with('\r') || new.contains('\r') || text[..at].ends_with('\r') {
            continue;
        }
        client.edit(&file, from, to, &new);
        client.edits += 1;
        text.replace_range(at..at + length, &new);
        // A question at a random place, as an editor has them.
        let place = line_column(&text, at);
        let method =
            ["hover", "definition", "completion", "references", "signatureHelp", "typeDefinition"][storm.below(6)];
        client.at(method, &file, place);
        if storm.below(2) == 0 {
            let methods = ["documentSymbol", "semanticTokens/full", "foldingRange"];
            let params = json!({ "textDocument": { "uri": uri(&file) } });
            client.request(&format!("textDocument/{}", methods[storm.below(3)]), params);
        }
        if round % every == every - 1 {
            std::fs::write(&file, &text).map_err(|e| e.to_string())?;
            let list = client.now(&file);
            let (ours, check) = (shorts(&list, &text), checked_in(leat, folder, checks, &file));
            if ours != check {
                let only = |a: &[Short], b: &[Short]| {
                    a.iter().filter(|x| !b.contains(x)).map(|x| format!("{x:?}\n")).collect::<String>()
                };
                return Err(format!(
                    "{}, seed {seed}, round {round}: the diagnostics differ\nonly in the editor:\n{}only of `leat check`:\n{}the text: {}",
                    path.display(),
                    only(&ours, &check),
                    only(&check, &ours),
                    scratch.keep().join(file.file_name().unwrap_or_default()).display()
                ));
            }
            compared += 1;
        }
        // Now and then the programmer goes back to what was.
        if storm.below(12) == 0 {
            text.clone_from(&original);
            client.replace(&file, &text);
        }
    }
    if program.is_some() {
        std::fs::write(&file, &original).map_err(|e| e.to_string())?;
        client.replace(&file, &original);
        client.save(&file);
    }
    client.close(&file);
    Ok(compared)
}
