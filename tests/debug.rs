//! `leat debug`, as an editor speaks with it: sessions over programs that are stopped, looked at, stepped through and gone back
//! in. A line of a program is named by a comment in it: `(*1*)`.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// The longest that an answer may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

struct Client {
    server: Child,
    input: ChildStdin,
    messages: Receiver<Json>,
    seq: i64,
    events: Vec<Json>,
    output: String,
    program: PathBuf,
    text: String,
    _folder: tempfile::TempDir,
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

fn frame(input: &mut impl BufRead) -> Option<Json> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if input.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let line = line.trim();
        if line.is_empty() {
            break;
        }
        length = line.strip_prefix("Content-Length: ").and_then(|number| number.parse().ok()).unwrap_or(length);
    }
    let mut bytes = vec![0; length];
    input.read_exact(&mut bytes).ok()?;
    serde_json::from_slice(&bytes).ok()
}

impl Client {
    fn with_name(name: &str, text: &str, words: &[&str]) -> Client {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().canonicalize().unwrap().join(name);
        std::fs::write(&program, text).unwrap();
        let mut server = Command::new(LEAT)
            .arg("debug")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = server.stdin.take().unwrap();
        let mut output = BufReader::new(server.stdout.take().unwrap());
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = frame(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Client {
            server,
            input,
            messages,
            seq: 0,
            events: Vec::new(),
            output: String::new(),
            program,
            text: text.to_string(),
            _folder: folder,
        }
    }

    fn new(text: &str) -> Client {
        Client::with_name("program.sml", text, &[])
    }

    fn raw(&mut self, text: &str) {
        write!(self.input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.input.flush().unwrap();
    }

    fn receive(&mut self) -> Json {
        self.messages.recv_timeout(PATIENCE).expect("the server answers")
    }

    /// The answer to a request, or why there is none.
    fn try_request(&mut self, command: &str, arguments: Json) -> Result<Json, String> {
        self.seq += 1;
        let message = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        self.raw(&message.to_string());
        loop {
            let message = self.receive();
            if message["type"] == "event" {
                self.note(message);
                continue;
            }
            assert_eq!(message["request_seq"], self.seq, "{message}");
            return match message["success"] == true {
                true => Ok(message["body"].clone()),
                false => Err(message["message"].as_str().unwrap_or("").to_string()),
            };
        }
    }

    fn request(&mut self, command: &str, arguments: Json) -> Json {
        self.try_request(command, arguments.clone()).unwrap_or_else(|why| panic!("{command} {arguments}: {why}"))
    }

    fn note(&mut self, event: Json) {
        if event["event"] == "output" {
            self.output.push_str(event["body"]["output"].as_str().unwrap_or(""));
        } else {
            self.events.push(event);
        }
    }

    /// The next event of one of these kinds.
    fn wait(&mut self, kinds: &[&str]) -> Json {
        loop {
            let is_it = |event: &Json| kinds.contains(&event["event"].as_str().unwrap_or(""));
            if let Some(at) = self.events.iter().position(is_it) {
                return self.events.remove(at);
            }
            let message = self.receive();
            self.note(message);
        }
    }

    /// The line of a mark.
    fn line(&self, mark: &str) -> u64 {
        let mark = format!("(*{mark}*)");
        let found = self.text.lines().position(|line| line.contains(&mark));
        found.unwrap_or_else(|| panic!("no {mark}")) as u64 + 1
    }

    /// The mark of a line.
    fn mark(&self, line: u64) -> String {
        let text = self.text.lines().nth(line as usize - 1).unwrap_or("");
        let mark = text.split_once("(*").and_then(|(_, rest)| rest.split_once("*)"));
        mark.map_or_else(|| format!("line {line}"), |(mark, _)| mark.to_string())
    }

    fn launch(&mut self, more: Json) {
        self.request("initialize", json!({ "adapterID": "leat" }));
        let mut arguments = json!({ "program": self.program });
        for (name, value) in more.as_object().into_iter().flatten() {
            arguments[name] = value.clone();
        }
        self.request("launch", arguments);
        self.wait(&["initialized"]);
    }

    fn breaks(&mut self, breaks: Json) -> Json {
        let path = self.program.display().to_string();
        self.request("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": breaks }))["breakpoints"].clone()
    }

    /// Starts the program with break points at these marks.
    fn start(&mut self, marks: &[&str], more: Json) {
        self.launch(more);
        let breaks: Vec<Json> = marks.iter().map(|mark| json!({ "line": self.line(mark) })).collect();
        let set = self.breaks(json!(breaks));
        for (at, mark) in set.as_array().unwrap().iter().zip(marks) {
            assert!(at["verified"] == true && at["line"] == self.line(mark), "{mark}: {at}");
        }
        self.request("configurationDone", json!({}));
    }

    /// Waits for a stop: why, and where the thread is.
    fn stop(&mut self) -> Option<Stop> {
        let event = self.wait(&["stopped", "terminated"]);
        if event["event"] == "terminated" {
            return None;
        }
        let thread = event["body"]["threadId"].as_u64().unwrap();
        let frames = self.frames(thread);
        let line = frames.iter().find(|frame| frame["presentationHint"] != "subtle").map_or(0, |f| f["line"].as_u64().unwrap());
        let mark = if line > 0 { self.mark(line) } else { String::new() };
        Some(Stop {
            reason: event["body"]["reason"].as_str().unwrap().to_string(),
            text: event["body"]["text"].as_str().unwrap_or("").to_string(),
            thread,
            mark,
            frames,
        })
    }

    fn frames(&mut self, thread: u64) -> Vec<Json> {
        self.request("stackTrace", json!({ "threadId": thread }))["stackFrames"].as_array().unwrap().clone()
    }

    fn go(&mut self, command: &str, thread: u64) -> Option<Stop> {
        self.request(command, json!({ "threadId": thread }));
        self.stop()
    }

    /// Names, values and types of a frame's own variables.
    fn locals(&mut self, frame: &Json) -> Vec<(String, String, String)> {
        self.group(frame, "Locals")
    }

    fn group(&mut self, frame: &Json, name: &str) -> Vec<(String, String, String)> {
        let scopes = self.request("scopes", json!({ "frameId": frame["id"] }));
        let found = scopes["scopes"].as_array().unwrap().iter().find(|scope| scope["name"] == name).cloned();
        let Some(scope) = found else { return Vec::new() };
        self.parts(&scope["variablesReference"]).iter().map(shown).collect()
    }

    fn parts(&mut self, reference: &Json) -> Vec<Json> {
        self.request("variables", json!({ "variablesReference": reference }))["variables"].as_array().unwrap().clone()
    }

    fn evaluate(&mut self, frame: &Json, text: &str) -> Result<(String, String), String> {
        let body = self.try_request("evaluate", json!({ "expression": text, "frameId": frame["id"], "context": "repl" }))?;
        Ok((body["result"].as_str().unwrap().to_string(), body["type"].as_str().unwrap().to_string()))
    }
}

fn shown(variable: &Json) -> (String, String, String) {
    let text = |name: &str| variable[name].as_str().unwrap_or("").to_string();
    (text("name"), text("value"), text("type"))
}

struct Stop {
    reason: String,
    text: String,
    thread: u64,
    mark: String,
    frames: Vec<Json>,
}
