//! `leat debug`, as an editor speaks with it: sessions over programs that are stopped, looked at, stepped through and gone back
//! in. A line of a program is named by a comment in it: `(*1*)`.

use std::io::{BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use serde_json::{Value as Json, json};

mod wait;
use wait::end_within;

const LEAT: &str = env!("CARGO_BIN_EXE_leat");

/// The longest that an answer may take on a machine that has other things to do.
const PATIENCE: Duration = Duration::from_secs(120);

struct Client {
    server: Child,
    input: Option<ChildStdin>,
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
        let input = server.stdin.take();
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
        let input = self.input.as_mut().expect("an editor that is there");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    /// The editor is gone.
    fn close(&mut self) {
        self.input = None;
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
        self.request("setBreakpoints", json!({ "source": { "path": path }, "breakpoints": breaks }))["breakpoints"]
            .clone()
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
        let line = frames
            .iter()
            .find(|frame| frame["presentationHint"] != "subtle")
            .map_or(0, |f| f["line"].as_u64().unwrap());
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
        let body =
            self.try_request("evaluate", json!({ "expression": text, "frameId": frame["id"], "context": "repl" }))?;
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

// ------------------------------------------------------- places and variables

/// Every form of value, with the text and the type that the debugger shows.
#[test]
fn variables_have_their_values_and_types() {
    let table: &[(&str, &str, &str)] = &[
        ("1 + 1", "2", "int"),
        ("~3", "~3", "int"),
        ("0wx1F", "0wx1F", "word"),
        ("0w255 : Word8.word", "0wxFF", "Word8.word"),
        ("1.5", "1.5", "real"),
        ("#\"a\"", "#\"a\"", "char"),
        ("\"a\\\"b\\n\"", "\"a\\\"b\\n\"", "string"),
        ("true", "true", "bool"),
        ("()", "()", "unit"),
        ("(1, \"x\")", "(1, \"x\")", "int * string"),
        ("{name = \"n\", size = 3}", "{name = \"n\", size = 3}", "{name: string, size: int}"),
        ("[1, 2, 3]", "[1, 2, 3]", "int list"),
        ("[] : int list", "[]", "int list"),
        ("SOME [\"x\"]", "SOME [\"x\"]", "string list option"),
        ("Leaf", "Leaf", "tree"),
        ("Node (Leaf, 1, Node (Leaf, 2, Leaf))", "Node (Leaf, 1, Node (Leaf, 2, Leaf))", "tree"),
        ("Named {label = \"l\", at = {x = 1, y = 2}}", "Named {at = {x = 1, y = 2}, label = \"l\"}", "tree"),
        ("1 :+ 2", "1 :+ 2", "sum"),
        ("ref 5", "ref 5", "int ref"),
        ("Array.fromList [1, 2]", "[|1, 2|]", "int array"),
        ("Vector.fromList [SOME 1, NONE]", "#[SOME 1, NONE]", "int option vector"),
        ("IntInf.fromInt 7 * 1000000000000000000000", "7000000000000000000000", "IntInf.int"),
        ("Fail \"no\"", "Fail: no", "exn"),
        ("fn n => n + 1", "fn", "int -> int"),
        ("\"\u{e9}\u{1f600}\\255\"", "\"\u{e9}\u{1f600}\\255\"", "string"),
        ("Fail \"\u{e9}\"", "Fail: \u{e9}", "exn"),
        // A record of one field is that field, but for its type.
        ("{a = 5}", "{a = 5}", "{a: int}"),
        ("{1 = 3}", "{1 = 3}", "{1: int}"),
        ("[{a = {b = 2}}]", "[{a = {b = 2}}]", "{a: {b: int}} list"),
        ("SOME {a = (1, [2])}", "SOME {a = (1, [2])}", "{a: int * int list} option"),
        ("One {it = {that = 5}}", "One {it = {that = 5}}", "tree"),
        ("List.tabulate (30, fn i => i)", "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, ...]", "int list"),
    ];
    let mut text = String::from(
        "datatype tree = Leaf | Node of tree * int * tree | Named of {label : string, at : {x : int, y : int}}\n\
         \x20 | One of {it : {that : int}}\n\
         infix 5 :+ datatype sum = :+ of int * int\nfun f () =\n  let\n",
    );
    for (i, (exp, ..)) in table.iter().enumerate() {
        text.push_str(&format!("    val v{i} = {exp}\n"));
    }
    text.push_str("  in\n    print \"here\\n\" (*here*)\n  end\nval () = f ()\n");
    let mut client = Client::new(&text);
    client.start(&["here"], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("breakpoint", "here"));
    let locals = client.locals(&stop.frames[0]);
    let mut wrong = Vec::new();
    for (i, (exp, value, ty)) in table.iter().enumerate() {
        let name = format!("v{i}");
        let found = locals.iter().find(|local| local.0 == name).unwrap_or_else(|| panic!("no {name}"));
        if (&*found.1, &*found.2) != (*value, *ty) {
            wrong.push(format!("{exp}: {} : {}", found.1, found.2));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn values_are_opened_part_by_part() {
    let mut client = Client::new(
        "datatype t = T of {name : string, inner : (int * string list) ref}\n\
         fun f (x : t, many, one : {only : {inner : int * string}} list) = print \"\" (*here*)\n\
         val () = f (T {name = \"n\", inner = ref (1, [\"a\", \"b\"])}, List.tabulate (500, fn i => i * i),\n\
         \x20 [{only = {inner = (1, \"x\")}}])\n",
    );
    client.start(&["here"], json!({}));
    let stop = client.stop().unwrap();
    let scopes = client.request("scopes", json!({ "frameId": stop.frames[0]["id"] }));
    let all = client.parts(&scopes["scopes"][0]["variablesReference"]);
    let named = |all: &[Json], name: &str| {
        all.iter().find(|v| v["name"] == name).cloned().unwrap_or_else(|| panic!("no {name} in {all:?}"))
    };
    let x = named(&all, "x");
    let con = client.parts(&x["variablesReference"]);
    let con = named(&con, "T");
    assert_eq!(con["type"], "{inner: (int * string list) ref, name: string}");
    let fields = client.parts(&con["variablesReference"]);
    assert_eq!(shown(&named(&fields, "name")), ("name".into(), "\"n\"".into(), "string".into()));
    let content = client.parts(&named(&fields, "inner")["variablesReference"]);
    let pair = client.parts(&content[0]["variablesReference"]);
    assert_eq!(shown(&pair[0]), ("1".into(), "1".into(), "int".into()));
    let list = client.parts(&pair[1]["variablesReference"]);
    assert_eq!(shown(&list[1]), ("[1]".into(), "\"b\"".into(), "string".into()));
    // The only field of a record, which the value itself does not have.
    let element = client.parts(&named(&all, "one")["variablesReference"]);
    assert_eq!(element[0]["namedVariables"], 1);
    let outer = client.parts(&element[0]["variablesReference"]);
    assert_eq!(shown(&outer[0]), ("only".into(), "{inner = (1, \"x\")}".into(), "{inner: int * string}".into()));
    let inner = client.parts(&outer[0]["variablesReference"]);
    let parts = client.parts(&inner[0]["variablesReference"]);
    assert_eq!(shown(&parts[1]), ("2".into(), "\"x\"".into(), "string".into()));
    // Many parts come in pieces.
    let many = named(&all, "many");
    assert_eq!(many["indexedVariables"], 500);
    let piece = client
        .request("variables", json!({ "variablesReference": many["variablesReference"], "start": 400, "count": 2 }));
    let piece: Vec<_> = piece["variables"].as_array().unwrap().iter().map(shown).collect();
    assert_eq!(piece[0], ("[400]".into(), "160000".into(), "int".into()));
    assert_eq!(piece.len(), 2);
}

const PLACES: &str = r#"functor Counter (val step : int) =
struct
  fun next n =
    n + step (*functor*)
end
structure ByTwo = Counter (val step = 2)
structure ByTen = Counter (val step = 10)
exception Odd of int
fun half n =
  if n mod 2 = 0 then n div 2
  else raise Odd n
fun safe n =
  half n
  handle Odd m =>
    m * 100 (*handler*)
fun sum ([], acc) = acc
  | sum (x :: rest, acc) =
      sum (rest, acc + x) (*tail*)
fun adder n =
  fn m =>
    n + m (*closure*)
fun outer k =
  let
    val kept = k * 2
    fun inner j =
      kept + j (*inner*)
  in
    inner 1
  end
val a = ByTwo.next 1
val b = ByTen.next 1
val c = safe 7
val d = sum ([1, 2, 3], 0)
val e = adder 4 5
val f = outer 10
val () = print (String.concatWith " " (map Int.toString [a, b, c, d, e, f]) ^ "\n")
"#;

/// A program of one declaration has one call of what stops it; inlined there, its frame was taken for the debugger's
/// own.
#[test]
fn a_program_of_one_declaration_has_a_frame() {
    for text in ["val () = List.app print [\"a\"] (*only*)\n", "val () = print \"a\" (*only*)\n"] {
        let mut client = Client::new(text);
        client.start(&["only"], json!({}));
        let stop = client.stop().expect("it stops at its only line");
        assert_eq!(stop.mark, "only");
        client.request("continue", json!({ "threadId": stop.thread }));
        assert!(client.stop().is_none());
        assert_eq!(client.output, "a");
    }
}

#[test]
fn break_points_are_where_code_is() {
    let mut client = Client::new(PLACES);
    client.start(&["functor", "handler", "tail", "closure", "inner"], json!({}));
    let mut seen = Vec::new();
    while let Some(stop) = client.stop() {
        let locals: Vec<String> =
            client.locals(&stop.frames[0]).iter().map(|(name, value, _)| format!("{name}={value}")).collect();
        // A tail call leaves no frame: the depth stays.
        seen.push(format!("{} {} {}", stop.mark, stop.frames.len(), locals.join(" ")));
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    assert_eq!(
        seen,
        [
            "functor 2 n=1",
            "functor 2 n=1",
            "handler 2 m=7 n=7",
            "tail 2 acc=0 rest=[2, 3] x=1",
            "tail 2 acc=1 rest=[3] x=2",
            "tail 2 acc=3 rest=[] x=3",
            "closure 2 m=5 n=4",
            "inner 2 j=1 kept=20 k=10",
        ]
    );
    assert_eq!(client.output, "3 11 700 6 9 21\n");
}

#[test]
fn break_points_move_to_the_next_code() {
    let mut client = Client::new(PLACES);
    client.launch(json!({}));
    let line = client.line("functor");
    let set = client.breaks(json!([{ "line": line - 1 }, { "line": 1000 }, { "line": line, "condition": "n = " }]));
    assert!(set[0]["verified"] == true && set[0]["line"] == line, "{set}");
    assert!(set[1]["verified"] == false && set[1]["message"].as_str().unwrap().contains("no code"), "{set}");
    assert!(set[2]["verified"] == false && !set[2]["message"].as_str().unwrap().is_empty(), "{set}");
    let path = json!({ "source": { "path": "/no/such/file.sml" }, "breakpoints": [{ "line": 1 }] });
    let set = client.request("setBreakpoints", path);
    assert!(set["breakpoints"][0]["verified"] == false, "{set}");
    let path = client.program.display().to_string();
    let all = client.request("breakpointLocations", json!({ "source": { "path": path }, "line": line }));
    assert_eq!(all["breakpoints"], json!([{ "line": line, "column": 5 }]));
}

#[test]
fn conditions_times_and_log_points() {
    let mut client = Client::new(
        "fun f n = n * n (*f*)\nfun go n = if n = 20 then () else (ignore (f n); go (n + 1)) (*go*)\nval () = go 0\n",
    );
    client.launch(json!({}));
    let (f, go) = (client.line("f"), client.line("go"));
    let set = client.breaks(json!([
        { "line": f, "condition": "n mod 7 = 3" },
        { "line": f, "hitCondition": "%9" },
        { "line": go, "logMessage": "n is {n}, {[n, n + 1]}", "condition": "n < 2" },
    ]));
    assert!(set.as_array().unwrap().iter().all(|at| at["verified"] == true), "{set}");
    client.request("configurationDone", json!({}));
    let mut seen = Vec::new();
    while let Some(stop) = client.stop() {
        seen.push(client.locals(&stop.frames[0])[0].1.clone());
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    // n = 3, 10, 17, and the 9th and the 18th time, which is 17 again.
    assert_eq!(seen, ["3", "8", "10", "17"]);
    assert_eq!(client.output, "n is 0, [0, 1]\nn is 1, [1, 2]\n");
}

/// A scope of constants captures nothing, and no frame holds it: until something had stopped in it once none of its
/// variables could be seen, conditions did not hold, and messages were without values.
#[test]
fn variables_that_are_constants() {
    let mut client = Client::new(
        "val top = 7\nfun k g =\n  let\n    val t = 5\n  in\n    print (Int.toString (g () + t)) (*k*)\n  end\n\
         fun leaf () =\n  let\n    val u = \"x\"\n  in\n    top + size u (*leaf*)\n  end\n\
         fun logs () =\n  let val v = 3 in\n    top + v (*logs*)\n  end\n\
         fun holds () =\n  let val w = 4 in\n    top + w (*holds*)\n  end\n\
         val () = k leaf\nval () = k logs\nval () = k holds\n",
    );
    client.launch(json!({}));
    client.breaks(json!([
        { "line": client.line("leaf") },
        { "line": client.line("logs"), "logMessage": "v is {v}" },
        { "line": client.line("holds"), "condition": "w = 4" },
    ]));
    client.request("configurationDone", json!({}));
    for (mark, own) in [("leaf", ("u", "\"x\"")), ("holds", ("w", "4"))] {
        let stop = client.stop().unwrap();
        assert_eq!(stop.mark, mark);
        let values = |locals: Vec<(String, String, String)>| locals.into_iter().map(|l| (l.0, l.1)).collect::<Vec<_>>();
        assert_eq!(values(client.locals(&stop.frames[0])), [(own.0.to_string(), own.1.to_string())]);
        let globals = values(client.group(&stop.frames[0], "Globals"));
        assert!(globals.contains(&("top".to_string(), "7".to_string())), "{globals:?}");
        // The caller, too, in which nothing has stopped yet.
        let caller = values(client.locals(&stop.frames[1]));
        assert!(caller.contains(&("t".to_string(), "5".to_string())), "{caller:?}");
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    assert!(client.stop().is_none());
    assert!(client.output.contains("v is 3\n"), "{}", client.output);
    assert_eq!(client.output.replace("v is 3\n", ""), "131516");
}

/// Going back begins another process, in which a break point's times had been counted anew.
#[test]
fn times_are_counted_from_the_beginning() {
    let mut client =
        Client::new("fun f i =\n  let\n    val x = i * 2\n  in\n    x\n  end\nval l = List.tabulate (10, f)\n");
    client.launch(json!({}));
    client.breaks(json!([{ "line": 3, "hitCondition": "5" }]));
    client.request("configurationDone", json!({}));
    let mut seen = Vec::new();
    for request in ["stepBack", "continue", "continue"] {
        let stop = client.stop().unwrap();
        seen.push(client.locals(&stop.frames[0]).iter().find(|local| local.0 == "i").unwrap().1.clone());
        client.request(request, json!({ "threadId": stop.thread }));
    }
    assert_eq!(seen, ["4", "3", "4"]);
    assert!(client.stop().is_none());
}

#[test]
fn expressions_are_evaluated_in_every_frame() {
    let mut client = Client::new(
        "structure S = struct val secret = 42 fun twice x = (x, x) end\n\
         fun deep 0 = 0 (*deep*)\n  | deep n = 1 + deep (n - 1)\n\
         fun poly (x, ys) = let val r = deep 2 in (r, x, ys) end\n\
         val top = [1, 2, 3]\nval it = poly (\"s\", [true])\n",
    );
    client.start(&["deep"], json!({}));
    let stop = client.stop().unwrap();
    let names: Vec<&str> = stop.frames.iter().map(|frame| frame["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["deep", "deep", "deep", "poly", "main"]);
    let text = |value: &str, ty: &str| Ok((value.to_string(), ty.to_string()));
    let frames = stop.frames;
    assert_eq!(client.evaluate(&frames[1], "n"), text("1", "int"));
    assert_eq!(client.evaluate(&frames[2], "n * 10 + 1"), text("21", "int"));
    assert_eq!(client.evaluate(&frames[3], "S.twice x"), text("(\"s\", \"s\")", "string * string"));
    assert_eq!(client.evaluate(&frames[3], "length ys + S.secret"), text("43", "int"));
    assert_eq!(client.evaluate(&frames[4], "map (fn n => n + 1) top"), text("[2, 3, 4]", "int list"));
    assert_eq!(client.evaluate(&frames[0], "deep 5").unwrap().0, "5");
    assert_eq!(client.evaluate(&frames[0], "hd []").unwrap().0, "raises Empty");
    assert!(client.evaluate(&frames[0], "nosuch + 1").unwrap_err().contains("nosuch"));
    assert!(client.evaluate(&frames[0], "1 + \"a\"").is_err());
    assert!(client.evaluate(&frames[0], "(").is_err());
    // What an expression changes is thrown away.
    assert_eq!(client.evaluate(&frames[4], "(print \"not seen\"; 1)").unwrap().0, "1");
    assert!(client.go("continue", stop.thread).is_none());
    assert_eq!(client.output, "");
}

const LATE: &str = r#"structure S = struct val x = 2 end
fun top y = y * 100
fun first n =
  let
    val x = 1
    fun helper y = x + y
    datatype d = A | B of int
    exception Q
    infix 6 ++
    fun a ++ b = a * b
  in
    n + x (*body*)
  end
fun second n =
  let
    val x = 1
    local val x = "loc" in val k = size x end
    fun top y = y
    datatype option = SOME of int | NONE
    val m = top 1 (*right*)
  in
    n + x + k + m (*local*)
  end
fun third n =
  let
    val x = 1
    open S
  in
    n + x (*open*)
  end
val r = first 10 + second 10 + third 10
"#;

/// An expression saw what stood before the last `val`: no later `fun`, `datatype`, `exception`, `infix` or `open`, but
/// what these hide.
#[test]
fn expressions_are_typed_at_their_place() {
    let mut client = Client::new(LATE);
    client.start(&["body", "right", "local", "open"], json!({}));
    let mut values = |texts: &[&str], locals: &[(&str, &str)]| {
        let stop = client.stop().unwrap();
        let frame = &stop.frames[0];
        for text in texts {
            let (text, expected) = text.split_once(" ==> ").unwrap();
            assert_eq!(client.evaluate(frame, text).map(|found| found.0), Ok(expected.to_string()), "{text}");
        }
        let found = client.locals(frame);
        let found: Vec<(&str, &str)> = found.iter().map(|local| (&*local.0, &*local.1)).collect();
        assert_eq!(found, locals, "{}", stop.mark);
        client.request("continue", json!({ "threadId": stop.thread }));
    };
    values(
        &["helper 2 ==> 3", "B 3 ==> B 3", "2 ++ 3 ==> 6", "raise Q ==> raises Q", "x + n ==> 11"],
        &[("x", "1"), ("n", "10")],
    );
    values(&["top 1 ==> 1", "SOME 3 ==> SOME 3", "k ==> 3", "x ==> 1"], &[("k", "3"), ("x", "1"), ("n", "10")]);
    let all = [("m", "1"), ("k", "3"), ("x", "1"), ("n", "10")];
    values(&["x ==> 1", "n + x ==> 11", "m ==> 1"], &all);
    // What is behind an `open` only the compiler knows.
    values(&["x + 0 ==> 2", "x ==> 2"], &[("x", "2"), ("n", "10")]);
}

/// Parentheses around the last operand were none of the expression: the inserted text ended before they did.
#[test]
fn expressions_are_evaluated_where_a_body_ends_with_a_parenthesis() {
    let mut client = Client::new(
        "fun f x = x + (x - 2) (*f*)\nfun g x = (x) * (2) (*g*)\nfun h x = ((x)) - ((f (x))) (*h*)\nval r = h 5 + g 4\n",
    );
    client.start(&["f", "g", "h"], json!({}));
    for (mark, x) in [("h", "5"), ("f", "5"), ("g", "4")] {
        let stop = client.stop().unwrap();
        assert_eq!(stop.mark, mark);
        assert_eq!(client.evaluate(&stop.frames[0], "x + 0").unwrap().0, x);
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    assert!(client.stop().is_none());
}

/// A condition, too: it called the function of the top level.
#[test]
fn conditions_call_the_functions_of_their_place() {
    let mut client = Client::new(
        "fun isBig y = y < 5\nfun f n =\n  let\n    val x = n\n    fun isBig y = y > 5\n  in\n    x + 1 (*f*)\n  end\n\
         val all = map f [1, 7, 3]\n",
    );
    client.launch(json!({}));
    client.breaks(json!([{ "line": client.line("f"), "condition": "isBig x" }]));
    client.request("configurationDone", json!({}));
    let stop = client.stop().unwrap();
    assert_eq!(client.evaluate(&stop.frames[0], "x").unwrap().0, "7");
    assert!(client.go("continue", stop.thread).is_none());
}

/// Functions that a condition calls passed their probes as a part of the run, which was another one without it: one
/// could not go back. And a break point in such a function asked for the condition again, and so on.
#[test]
fn what_a_condition_calls_is_no_part_of_the_run() {
    let mut client = Client::new(
        "fun isBig n =\n  n > 3\nfun f n =\n  n + 1 (*f*)\n\
         fun loop n = if n > 6 then () else (ignore (f n); loop (n + 1))\nval () = loop 1\n",
    );
    client.launch(json!({}));
    client.breaks(json!([{ "line": client.line("f"), "condition": "isBig n andalso f n > 0" }]));
    client.request("configurationDone", json!({}));
    let n = |client: &mut Client, stop: &Stop| client.evaluate(&stop.frames[0], "n").unwrap().0;
    let mut stop = client.stop().unwrap();
    for value in ["5", "6"] {
        assert_eq!(stop.mark, "f");
        stop = client.go("continue", stop.thread).unwrap();
        assert_eq!(n(&mut client, &stop), value);
    }
    for value in ["5", "4"] {
        stop = client.go("reverseContinue", stop.thread).unwrap();
        assert_eq!((&*stop.mark, &*n(&mut client, &stop)), ("f", value));
    }
}

/// The variables of a structure, a functor or a `local` were shown as those of the top level.
#[test]
fn variables_of_other_structures_are_not_seen() {
    let mut client = Client::new(
        "val count = 1\nstructure S = struct val count = 2 val hidden = 5 fun g x =\nx + hidden (*inside*)\nend\n\
         local val count = \"secret\" in val k = size count end\n\
         functor F (val step : int) = struct val inner = step + 1 fun h x =\nx + inner (*functor*)\nend\n\
         structure One = F (val step = 10) structure Two = F (val step = 20)\n\
         val later = 0 fun later x = x\nfun f n = n + count (*f*)\n\
         val r = f 10 + S.g 1 + One.h 1 + Two.h 1\n",
    );
    client.start(&["f", "inside", "functor"], json!({}));
    let pairs = |all: &[(&str, &str)]| -> Vec<(String, String)> {
        all.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect()
    };
    let expected: &[(&str, &[(&str, &str)])] = &[
        ("f", &[("count", "1"), ("k", "6")]),
        ("inside", &[("count", "2"), ("hidden", "5")]),
        ("functor", &[("count", "1"), ("inner", "11"), ("k", "6")]),
        ("functor", &[("count", "1"), ("inner", "21"), ("k", "6")]),
    ];
    for (mark, globals) in expected {
        let stop = client.stop().unwrap();
        assert_eq!(stop.mark, *mark);
        let mut found: Vec<(String, String)> =
            client.group(&stop.frames[0], "Globals").into_iter().map(|known| (known.0, known.1)).collect();
        found.sort();
        assert_eq!(found, pairs(globals), "{mark}");
        for (name, value) in *globals {
            assert_eq!(client.evaluate(&stop.frames[0], name).unwrap().0, *value);
            assert_eq!(client.evaluate(&stop.frames[0], &format!("({name})")).unwrap().0, *value);
        }
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    assert!(client.stop().is_none());
}

/// Processes whose parent is this one.
fn children(parent: u32) -> usize {
    let stats = std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| {
        let stat = std::fs::read_to_string(entry.path().join("stat")).ok()?;
        stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse::<u32>().ok()
    });
    stats.filter(|&of| of == parent).count()
}

/// Each expression left a process with a heap of its own until the program went on.
#[test]
fn expressions_leave_few_processes() {
    let mut client = Client::new("fun f n = n + 1 (*f*)\nval r = f 1\n");
    client.start(&["f"], json!({}));
    let stop = client.stop().unwrap();
    let frame = stop.frames[0]["id"].clone();
    let arguments = json!({ "expression": "[n, 7]", "frameId": frame, "context": "watch" });
    let first = client.request("evaluate", arguments);
    for i in 0..6 {
        assert_eq!(client.evaluate(&stop.frames[0], &format!("n + {i}")).unwrap().0, (1 + i).to_string());
    }
    assert!(children(client.server.id()) <= 3, "{} processes", children(client.server.id()));
    // One whose process is gone can be opened all the same.
    let parts: Vec<_> = client.parts(&first["variablesReference"]).iter().map(shown).collect();
    assert_eq!(parts[1], ("[1]".to_string(), "7".to_string(), "int".to_string()));
    assert!(client.go("continue", stop.thread).is_none());
}

/// Where a function and the one that calls it stand in one line, an exception showed the variables of the latter.
#[test]
fn an_exception_shows_the_variables_of_its_function() {
    let mut client = Client::new(
        "fun work a =\n  let\n    val all = List.map (fn x => x + a div (x - 2)) [1, 2] (*fn*)\n  in\n    hd all + a\n  end\n\
         val r = work 5\n",
    );
    client.start(&[], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.text, &*stop.mark), ("uncaught exception Div", "fn"));
    let own = stop.frames.iter().find(|frame| frame["presentationHint"] != "subtle").unwrap();
    let locals = client.locals(own);
    let locals: Vec<(&str, &str)> = locals.iter().map(|local| (&*local.0, &*local.1)).collect();
    assert_eq!(locals, [("x", "2"), ("a", "5")]);
    assert_eq!(client.evaluate(own, "x + a").unwrap().0, "7");
}

/// All that the program printed came before all messages; and at the end messages were lost.
#[test]
fn messages_of_log_points_are_in_order() {
    let mut client = Client::new(
        "fun f 0 = ()\n  | f n =\n      (print \"@\";\n       f (n - 1)) (*log*)\nval () = f 50\nval () = print \"end\"\n",
    );
    client.launch(json!({}));
    client.breaks(json!([{ "line": client.line("log"), "logMessage": "{n}" }]));
    client.request("configurationDone", json!({}));
    assert!(client.stop().is_none());
    let expected: String = (1..=50).rev().map(|n| format!("@{n}\n")).collect();
    assert_eq!(client.output, expected + "end");
}

/// A request without a number of parts got a hundred of them.
#[test]
fn a_client_that_does_not_count_gets_all_parts() {
    let mut client = Client::new(
        "fun f (many, array) = length many (*f*)\nval r = f (List.tabulate (3000, fn i => i), Array.array (250, #\"a\"))\n",
    );
    client.start(&["f"], json!({}));
    let stop = client.stop().unwrap();
    let scopes = client.request("scopes", json!({ "frameId": stop.frames[0]["id"] }));
    for variable in client.parts(&scopes["scopes"][0]["variablesReference"]) {
        let parts = client.parts(&variable["variablesReference"]);
        assert_eq!(parts.len(), variable["indexedVariables"].as_u64().unwrap() as usize);
        let last = if variable["name"] == "many" { "2999" } else { "#\"a\"" };
        assert_eq!(parts.last().unwrap()["value"], last);
    }
}

/// A source that was edited was half of the session: expressions and steps back were those of the new text, lines and
/// variables those of the old one.
#[test]
fn a_source_that_is_edited_is_the_old_one_until_a_restart() {
    let mut client = Client::new("fun f n =\n  n * 2\nval a = f 1\nval b = a (*b*)\n");
    client.start(&["b"], json!({}));
    let stop = client.stop().unwrap();
    let program = client.program.clone();
    std::fs::write(&program, "val new = 0\nfun f n =\n  n * 9\nval a = f 1\nval b = a\n").unwrap();
    assert_eq!(client.evaluate(&stop.frames[0], "f 1").unwrap().0, "2");
    let stop = client.go("stepBack", stop.thread).unwrap();
    assert_eq!(stop.frames[0]["line"], 3);
    assert!(client.output.contains("program.sml has changed"), "{}", client.output);
    let stop = client.go("next", stop.thread).unwrap();
    assert_eq!(client.evaluate(&stop.frames[0], "a").unwrap().0, "2");
    // The break point of line 4 stops at what stands there now.
    client.request("restart", json!({}));
    let stop = client.stop().unwrap();
    assert!(client.output.contains("the sources have changed: the program was compiled anew"), "{}", client.output);
    assert_eq!(stop.frames[0]["line"], 4);
    assert_eq!(client.wait(&["breakpoint"])["body"]["breakpoint"]["line"], 4);
    assert_eq!(client.evaluate(&stop.frames[0], "f 1").unwrap().0, "9");
    // What does not compile leaves all as it is.
    std::fs::write(&program, "val a = \n").unwrap();
    assert!(client.try_request("restart", json!({})).is_err());
    assert_eq!(client.evaluate(&stop.frames[0], "f 1").unwrap().0, "9");
    assert!(client.go("continue", stop.thread).is_none());
}

/// Two sources with as many places changed their order: the break points of each stood in the other one.
#[test]
fn sources_that_change_their_order_keep_their_break_points() {
    let mut client = Client::with_name("p.mlb", "$(SML_LIB)/basis/basis.mlb a.sml b.sml\n", &[]);
    let folder = client.program.parent().unwrap().to_path_buf();
    let b = folder.join("b.sml");
    std::fs::write(folder.join("a.sml"), "\n\nval a = 1\n").unwrap();
    std::fs::write(&b, "val b = 2\n").unwrap();
    client.launch(json!({}));
    client.request("setBreakpoints", json!({ "source": { "path": b }, "breakpoints": [{ "line": 1 }] }));
    client.request("configurationDone", json!({}));
    for is_again in [false, true] {
        if is_again {
            std::fs::write(folder.join("p.mlb"), "$(SML_LIB)/basis/basis.mlb b.sml a.sml\n").unwrap();
            client.request("restart", json!({}));
        }
        let stop = client.stop().unwrap();
        assert_eq!((&stop.frames[0]["source"]["path"], &stop.frames[0]["line"]), (&json!(b), &json!(1)));
    }
}

// ------------------------------------------------------- while it runs

/// A program that runs until a file is there.
const WAITS: &str = "val file = hd (CommandLine.arguments ())\n\
                     fun wait n = if OS.FileSys.access (file, []) then () else wait (n + 1) (*wait*)\n\
                     val () = print \"on\\n\"\nval () = wait 0\nval one = 1 (*one*)\nval two = 2 (*two*)\n\
                     val three = (raise Fail \"three\") handle Fail _ => 3 (*three*)\n\
                     val () = print \"off\\n\" (*four*)\n";

/// That program, running, with break points at these marks; and the file.
fn running(marks: &[&str]) -> (Client, PathBuf) {
    let mut client = Client::new(WAITS);
    let file = client.program.with_file_name("file");
    client.start(marks, json!({ "args": [file] }));
    while client.output.is_empty() {
        let message = client.receive();
        client.note(message);
    }
    (client, file)
}

/// Such break points were confirmed, and stopped nothing; those that were taken away stopped once more.
#[test]
fn break_points_are_set_while_the_program_runs() {
    let (mut client, file) = running(&["one"]);
    let set = client.breaks(json!([{ "line": client.line("two") }]));
    assert!(set[0]["verified"] == true && set[0]["line"] == client.line("two"), "{set}");
    client.request("setExceptionBreakpoints", json!({ "filters": ["all"] }));
    std::fs::write(&file, "").unwrap();
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("breakpoint", "two"));
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!((&*stop.reason, &*stop.text, &*stop.mark), ("exception", "Fail: three", "three"));
}

/// An expression has to be compiled into the program, so a running one is told of it when it has stopped.
#[test]
fn a_condition_that_is_set_while_the_program_runs_holds_from_its_next_stop_on() {
    let (mut client, file) = running(&["one", "four"]);
    let (two, three, four) = (client.line("two"), client.line("three"), client.line("four"));
    let set = client.breaks(json!([
        { "line": two, "condition": "one = 1" }, { "line": three, "condition": "one = 2" }, { "line": four },
    ]));
    let shown = |at: &Json| (at["verified"].as_bool().unwrap(), at["message"].as_str().map(str::to_string));
    let late = (false, Some("takes effect when the program stops".to_string()));
    assert_eq!(set.as_array().unwrap().iter().map(shown).collect::<Vec<_>>(), [late.clone(), late, (true, None)]);
    client.request("pause", json!({ "threadId": 1 }));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("pause", "wait"));
    for line in [two, three] {
        let told = client.wait(&["breakpoint"])["body"]["breakpoint"].clone();
        assert_eq!((told["line"].as_u64(), shown(&told)), (Some(line), (true, None)));
    }
    // The run is the same without the change: in that of an expression the function has been called as often.
    let own = stop.frames.iter().find(|frame| frame["presentationHint"] != "subtle").cloned().unwrap();
    assert_eq!(client.locals(&own)[0].1, client.evaluate(&own, "n + 0").unwrap().0);
    client.request("continue", json!({ "threadId": stop.thread }));
    std::fs::write(&file, "").unwrap();
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("breakpoint", "two"));
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("breakpoint", "four"));
}

// ------------------------------------------------------- steps

#[test]
fn steps_go_into_over_and_out_of_calls() {
    let mut client = Client::new(
        "fun g x =\n  let\n    val y = x + 1 (*g1*)\n  in\n    y * 2 (*g2*)\n  end\n\
         fun f x =\n  let\n    val a = g x (*f1*)\n    val b = g a (*f2*)\n  in\n    a + b (*f3*)\n  end\n\
         val r = f 1 (*top*)\nval () = print (Int.toString r) (*end*)\n",
    );
    client.start(&["f1"], json!({}));
    let thread = client.stop().unwrap().thread;
    let mut steps = |commands: &[&str]| -> Vec<String> {
        commands.iter().map(|command| client.go(command, thread).map_or("over".to_string(), |stop| stop.mark)).collect()
    };
    assert_eq!(steps(&["stepIn", "next", "next", "stepIn", "stepOut"]), ["g1", "g2", "f2", "g1", "f3"]);
    // And back again, over both calls; then into the caller.
    assert_eq!(steps(&["stepBack", "stepBack", "stepBack"]), ["f2", "f1", "top"]);
    assert_eq!(steps(&["next", "continue"]), ["f1", "over"]);
}

const TALK: &str = r#"open CML
val requests : int chan = channel ()
val replies : int chan = channel ()
fun server total =
  let
    val n = recv requests
    val total = total + n
    val () = send (replies, total) (*serve*)
  in
    server total
  end
fun client (name, 0) = ()
  | client (name, k) =
      let
        val () = send (requests, k)
        val answer = recv replies
      in
        print (name ^ " " ^ Int.toString answer ^ "\n"); (*client*)
        client (name, k - 1)
      end
val _ = spawn (fn () => server 0)
val clients = map (fn name => spawn (fn () => client (name, 3))) ["a", "b"]
val () = app (fn thread => sync (joinEvt thread)) clients
"#;

/// What a stop looks like: the place, all threads with what they do, the variables.
fn moment(client: &mut Client, stop: &Stop) -> String {
    let threads = client.request("threads", json!({}))["threads"].clone();
    let names: Vec<String> =
        threads.as_array().unwrap().iter().map(|thread| thread["name"].as_str().unwrap().to_string()).collect();
    let locals = client.locals(&stop.frames[0]);
    let locals: Vec<String> = locals.iter().map(|(name, value, _)| format!("{name}={value}")).collect();
    format!("{} in {}: {}; {}", stop.mark, stop.thread, locals.join(" "), names.join("; "))
}

#[test]
fn a_program_of_threads_forwards_and_backwards() {
    for seed in [1, 7] {
        let mut client = Client::new(TALK);
        client.start(&["serve", "client"], json!({ "seed": seed }));
        let mut forwards = Vec::new();
        let mut last = 0;
        while let Some(stop) = client.stop() {
            forwards.push(moment(&mut client, &stop));
            last = stop.thread;
            if forwards.len() == 12 {
                break;
            }
            client.request("continue", json!({ "threadId": stop.thread }));
        }
        assert_eq!(forwards.len(), 12, "six requests, six answers");
        assert!(forwards[0].contains("total=") && forwards.iter().any(|m| m.contains(", sending")), "{forwards:?}");
        // Back through all of them: the same threads, doing the same, with the same values.
        for before in forwards.iter().rev().skip(1) {
            let stop = client.go("reverseContinue", last).unwrap();
            assert_eq!(&moment(&mut client, &stop), before);
        }
        let stop = client.go("reverseContinue", last).unwrap();
        assert_eq!(stop.reason, "entry", "there is none before the first");
        // And forwards once more.
        for after in &forwards {
            let stop = client.go("continue", last).unwrap();
            assert_eq!(&moment(&mut client, &stop), after);
        }
    }
}

/// Looking at variables and evaluating expressions does not change the run.
#[test]
fn a_run_is_the_same_whether_somebody_looks_or_not() {
    let mut plain = Client::new(TALK);
    plain.start(&[], json!({ "seed": 5 }));
    assert!(plain.stop().is_none());
    let mut client = Client::new(TALK);
    client.start(&["serve", "client"], json!({ "seed": 5 }));
    while let Some(stop) = client.stop() {
        for thread in client.request("threads", json!({}))["threads"].as_array().unwrap().clone() {
            for frame in client.frames(thread["id"].as_u64().unwrap()) {
                client.locals(&frame);
            }
        }
        let _ = client.evaluate(&stop.frames[0], "List.tabulate (1000, fn i => i)");
        client.request("continue", json!({ "threadId": stop.thread }));
    }
    assert_eq!(client.output, plain.output);
    assert_eq!(plain.output.lines().count(), 6);
}

// ------------------------------------------------------- failures

const ACCOUNT: &str = include_str!("debug/account.sml");

/// A race that one seed in some shows: from the failure back to the moment at which both threads had looked.
#[test]
fn a_race_is_walked_back_to_its_cause() {
    let mut client = Client::with_name("account.sml", ACCOUNT, &["--explore=1000"]);
    client.start(&["change"], json!({}));
    assert!(client.output.contains("fails: the program runs with it"), "{}", client.output);
    // On the way to the failure both threads come to the change.
    let first = client.stop().unwrap();
    let second = client.go("continue", first.thread).unwrap();
    assert!(first.thread != second.thread && second.mark == "change");
    let failure = client.go("continue", second.thread).unwrap();
    assert_eq!((&*failure.reason, &*failure.mark), ("exception", "check"));
    assert_eq!(failure.text, "uncaught exception Fail: the account has ~20");
    let info = client.request("exceptionInfo", json!({ "threadId": failure.thread }));
    assert_eq!((&info["exceptionId"], &info["breakMode"]), (&json!("Fail"), &json!("unhandled")));
    assert_eq!(client.evaluate(&failure.frames[0], "left").unwrap().0, "~20");
    // Back: the second thread is about to withdraw what it saw. So is the first: nobody has withdrawn anything yet.
    let back = client.go("reverseContinue", failure.thread).unwrap();
    assert_eq!((back.thread, &*back.mark), (second.thread, "change"));
    let back = client.go("reverseContinue", back.thread).unwrap();
    assert_eq!((back.thread, &*back.mark), (first.thread, "change"));
    assert_eq!(client.evaluate(&back.frames[0], "SyncVar.mGet account").unwrap().0, "100");
    let back = client.go("stepBack", back.thread).unwrap();
    assert_eq!((back.thread, &*back.mark), (first.thread, "look"));
}

#[test]
fn a_deadlock_stops_with_what_each_thread_waits_for() {
    let mut client = Client::new(
        "open CML\nval a : int chan = channel ()\nval b : int chan = channel ()\n\
         fun left n = (send (a, n); recv b) (*left*)\nfun right m = (send (b, m); recv a) (*right*)\n\
         val _ = spawn (fn () => ignore (right 2))\nval x = left 1\n",
    );
    client.start(&[], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!(stop.reason, "exception");
    assert!(stop.text.starts_with("deadlock: all 2 threads are blocked"), "{}", stop.text);
    let threads = client.request("threads", json!({}))["threads"].clone();
    let names: Vec<&str> = threads.as_array().unwrap().iter().map(|thread| thread["name"].as_str().unwrap()).collect();
    assert!(names.len() == 2 && names.iter().all(|name| name.contains("sending")), "{names:?}");
    let own = |frame: &&Json| frame["presentationHint"] != "subtle";
    let left = client.frames(1).iter().find(own).cloned().unwrap();
    assert_eq!(client.locals(&left), [("n".to_string(), "1".to_string(), "int".to_string())]);
    let right = client.frames(2).iter().find(own).cloned().unwrap();
    assert_eq!(client.locals(&right), [("m".to_string(), "2".to_string(), "int".to_string())]);
    assert!(client.go("continue", 1).is_none());
    assert!(client.output.contains("deadlock"));
}

#[test]
fn exceptions_stop_where_they_are_raised() {
    let text = "fun f n = if n > 2 then raise Fail \"big\" else n (*f*)\n\
                fun try n = f n handle Fail _ => 0 (*try*)\n\
                val a = try 3\nval b = List.nth ([1], 5) handle Subscript => 1 (*nth*)\nval c = f 4\n";
    let mut client = Client::new(text);
    client.launch(json!({}));
    client.request("setExceptionBreakpoints", json!({ "filters": ["all", "uncaught"] }));
    client.request("configurationDone", json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.text, &*stop.mark), ("exception", "Fail: big", "f"));
    assert_eq!(client.locals(&stop.frames[0])[0].1, "3");
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!((&*stop.text, &*stop.mark), ("Subscript", "nth"));
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!((&*stop.text, &*stop.mark), ("Fail: big", "f"));
    let stop = client.go("stepBack", stop.thread).unwrap();
    assert_eq!(stop.mark, "f");
    // Only those that nobody handles.
    let mut client = Client::new(text);
    client.start(&[], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.text, &*stop.mark), ("uncaught exception Fail: big", "f"));
    assert_eq!(client.evaluate(&stop.frames[0], "n + 1").unwrap().0, "5");
    assert!(client.go("continue", stop.thread).is_none());
    assert!(client.output.contains("uncaught exception Fail: big"));
}

#[test]
fn a_program_that_reads_its_input_goes_back_all_the_same() {
    let mut client = Client::new(
        "fun sum acc =\n  case TextIO.inputLine TextIO.stdIn of\n    NONE => acc (*end*)\n\
         \x20 | SOME line => sum (acc + valOf (Int.fromString line)) (*line*)\nval total = sum 0\n\
         val () = print (Int.toString total ^ \"\\n\")\n",
    );
    client.start(&["line"], json!({ "input": "10\n20\n30\n" }));
    let value = |client: &mut Client, stop: &Stop| client.locals(&stop.frames[0])[0].1.clone();
    let mut lines = Vec::new();
    let mut stop = client.stop().unwrap();
    for _ in 0..2 {
        lines.push(value(&mut client, &stop));
        stop = client.go("continue", stop.thread).unwrap();
    }
    assert_eq!(lines, ["\"10\\n\"", "\"20\\n\""]);
    stop = client.go("reverseContinue", stop.thread).unwrap();
    assert_eq!(value(&mut client, &stop), "\"20\\n\"");
    while let Some(next) = client.go("continue", stop.thread) {
        stop = next;
    }
    assert_eq!(client.output, "60\n");
}

/// The last stop before a failure was passed over, if there was an earlier one; and a place of a break point was a stop
/// whether its condition held or not.
#[test]
fn from_a_failure_one_goes_back_to_the_last_stop() {
    let text = "fun check x =\n  raise Fail (Int.toString x) (*check*)\n\
                val () = check 1 handle Fail _ => ()\nval () = check 2\n";
    let x = |client: &mut Client, stop: &Stop| client.evaluate(&stop.frames[0], "x").unwrap().0;
    for (condition, expected) in [("true", &["2", "1"][..]), ("x = 1", &["1"]), ("x = 7", &[])] {
        let mut client = Client::new(text);
        client.launch(json!({}));
        client.breaks(json!([{ "line": client.line("check"), "condition": condition }]));
        client.request("configurationDone", json!({}));
        let mut stop = client.stop().unwrap();
        while stop.reason == "breakpoint" {
            stop = client.go("continue", stop.thread).unwrap();
        }
        assert_eq!(stop.text, "uncaught exception Fail: 2");
        for value in expected {
            stop = client.go("reverseContinue", stop.thread).unwrap();
            assert_eq!((&*stop.reason, &*stop.mark, &*x(&mut client, &stop)), ("breakpoint", "check", *value));
        }
        let stop = client.go("reverseContinue", stop.thread).unwrap();
        assert_eq!(stop.reason, "entry", "{condition}");
    }
}

#[test]
fn a_crash_shows_the_last_place_before() {
    let mut client = Client::new(
        "fun peek n = (*peek*)\n  MLton.Pointer.getWord8 (MLton.Pointer.add (MLton.Pointer.null, 0w8), n) (*crash*)\n\
         val () = print \"before\\n\"\nval x = peek 1\n",
    );
    client.start(&[], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("exception", "crash"));
    assert!(stop.text.contains("signal 11"), "{}", stop.text);
    assert_eq!(client.locals(&stop.frames[0])[0].1, "1");
    assert!(client.output.starts_with("before\n"), "{}", client.output);
    assert!(client.go("continue", stop.thread).is_none());
}

#[test]
fn an_endless_program_is_paused_and_ended() {
    let text = "fun spin n = (if n = 1000 then print \"on\\n\" else (); spin (n + 1)) (*spin*)\nval () = spin 0\n";
    let mut client = Client::new(text);
    client.start(&[], json!({}));
    // Not before the program runs, however late a busy machine lets it.
    while client.output.is_empty() {
        let message = client.receive();
        client.note(message);
    }
    client.request("pause", json!({ "threadId": 1 }));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("pause", "spin"));
    let own = stop.frames.iter().find(|frame| frame["presentationHint"] != "subtle").unwrap();
    let n: u64 = client.locals(own)[0].1.parse().unwrap();
    assert!(n >= 1000);
    client.request("continue", json!({ "threadId": stop.thread }));
    client.request("terminate", json!({}));
    client.wait(&["terminated"]);
    client.request("disconnect", json!({}));
    assert!(end_within(&mut client.server, PATIENCE).unwrap().is_some(), "the server ends");
}

/// The process that was to run took a pause for one of its former run, when it came to the command to go on after it.
#[test]
fn a_pause_counts_as_soon_as_the_program_is_told_to_go_on() {
    let mut client = Client::new("fun spin n = spin (n + 1) (*spin*)\nval () = spin 0\n");
    client.start(&[], json!({}));
    client.request("pause", json!({ "threadId": 1 }));
    for _ in 0..20 {
        let stop = client.stop().unwrap();
        assert_eq!(stop.reason, "pause");
        client.request("continue", json!({ "threadId": stop.thread }));
        client.request("pause", json!({ "threadId": stop.thread }));
    }
    assert_eq!(client.stop().unwrap().reason, "pause");
    client.request("terminate", json!({}));
    client.wait(&["terminated"]);
    client.request("disconnect", json!({}));
    assert!(end_within(&mut client.server, PATIENCE).unwrap().is_some(), "the server ends");
}

#[test]
fn a_failing_test_stops_where_it_fails() {
    let mut client = Client::with_name(
        "sum_test.sml",
        "fun sum xs = foldl op + 1 xs (*sum*)\n\
         val () = Test.test \"sum\" (fn () =>\n  let\n    val got = sum [1, 2] (*got*)\n  in\n\
         \x20   Expect.equal Show.int 3 got (*expect*)\n  end)\n",
        &[],
    );
    client.start(&[], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.reason, &*stop.mark), ("exception", "expect"), "{}", stop.text);
    assert_eq!(stop.text, "Failed: expected: 3");
    assert_eq!(client.locals(&stop.frames[0]), [("got".to_string(), "4".to_string(), "int".to_string())]);
    let stop = client.go("stepBack", stop.thread).unwrap();
    assert_eq!(stop.mark, "got");
    let stop = client.go("stepIn", stop.thread).unwrap();
    assert_eq!(stop.mark, "sum");
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!(stop.mark, "expect");
    assert!(client.go("continue", stop.thread).is_none());
}

/// Both ends are the program's own: they do the same again.
#[test]
fn a_program_that_talks_to_itself_goes_back() {
    let mut client = Client::new(
        "val (a, b) : Socket.active UnixSock.stream_sock * Socket.active UnixSock.stream_sock =\n  UnixSock.Strm.socketPair ()\n\
         val _ = CML.spawn (fn () => ignore (Socket.sendVec (a, Word8VectorSlice.full (Byte.stringToBytes \"hello\"))))\n\
         val text = Byte.bytesToString (Socket.recvVec (b, 5))\nval n = size text (*size*)\nval m = n + 1 (*next*)\n",
    );
    client.start(&["next"], json!({}));
    let stop = client.stop().unwrap();
    let stop = client.go("stepBack", stop.thread).unwrap();
    assert_eq!(stop.mark, "size");
    assert_eq!(client.evaluate(&stop.frames[0], "text ^ \"!\"").unwrap().0, "\"hello!\"");
}

/// A forked process counted its probes as the program's, and talked with the debugger on the program's socket.
#[test]
fn a_process_that_the_program_forks_is_not_watched() {
    let mut client = Client::new(
        "fun work n = if n = 0 then () else work (n - 1) (*work*)\n\
         val () =\n  case Posix.Process.fork () of\n    NONE => (work 2; print \"child\\n\")\n  | SOME child =>\n\
         \x20     (ignore (Posix.Process.waitpid (Posix.Process.W_CHILD child, []));\n       work 2 (*parent*);\n\
         \x20      print \"parent\\n\")\n",
    );
    client.start(&["work"], json!({}));
    let mut stop = client.stop().unwrap();
    let mut seen = Vec::new();
    loop {
        assert_eq!(stop.mark, "work");
        seen.push(client.locals(&stop.frames[0])[0].1.clone());
        if seen.len() == 2 {
            // Back and forth again: the moments are the same in each run.
            stop = client.go("reverseContinue", stop.thread).unwrap();
            seen.push(client.locals(&stop.frames[0])[0].1.clone());
            stop = client.go("continue", stop.thread).unwrap();
        }
        match client.go("continue", stop.thread) {
            Some(next) => stop = next,
            None => break,
        }
    }
    assert_eq!(seen, ["2", "1", "2", "0"]);
    assert_eq!(client.output, "child\nparent\n");
}

/// A `pause` that was handled took away that the input had ended, and nobody was there to wait for.
#[test]
fn an_editor_that_is_gone_waits_for_nothing() {
    let mut client = Client::new("val x = 1 (*x*)\n");
    client.start(&["x"], json!({}));
    client.stop().unwrap();
    let endless = json!({ "expression": "let fun f () : int = f () in f () end" });
    for (command, arguments) in [("evaluate", &endless), ("pause", &json!({})), ("evaluate", &endless)] {
        let message = json!({ "seq": 9, "type": "request", "command": command, "arguments": arguments });
        client.raw(&message.to_string());
    }
    client.close();
    assert!(end_within(&mut client.server, PATIENCE).unwrap().is_some(), "the server ends");
}

/// A character that was written in two parts was shown as two that are none.
#[test]
fn characters_are_shown_whole() {
    let mut client = Client::new(
        "val () = print \"\\195\"\nval () = print \"\\169\\n\" (*rest*)\nval () = print \"\\226\\130\" (*half*)\n",
    );
    client.start(&["rest", "half"], json!({}));
    let stop = client.stop().unwrap();
    assert_eq!((&*stop.mark, &*client.output), ("rest", ""));
    let stop = client.go("stepBack", stop.thread).unwrap();
    let stop = client.go("continue", stop.thread).unwrap();
    let stop = client.go("continue", stop.thread).unwrap();
    assert_eq!((&*stop.mark, &*client.output), ("half", "\u{e9}\n"));
    assert!(client.go("continue", stop.thread).is_none());
    assert_eq!(client.output, "\u{e9}\n\u{fffd}");
}

/// A request of HTTP was taken for a frame: a web page could start programs by way of the port.
#[test]
fn a_browser_is_no_editor() {
    let mut server =
        Command::new(LEAT).args(["debug", "--port=0"]).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(server.stderr.take().unwrap()).read_line(&mut line).unwrap();
    let address = line.trim().strip_prefix("listening at ").expect("an address");
    let talk = |text: &str| {
        let mut stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.write_all(text.as_bytes()).unwrap();
        let mut messages = Vec::new();
        let mut input = BufReader::new(stream);
        while let Some(message) = frame(&mut input) {
            messages.push(message);
        }
        messages
    };
    let content = r#"{"seq":1,"type":"request","command":"initialize"}"#;
    let end = r#"{"seq":2,"type":"request","command":"disconnect"}"#;
    let http = format!("POST / HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n\r\n{content}", content.len());
    let answers = talk(&http);
    assert!(answers.iter().all(|answer| answer["success"] == false && answer["request_seq"] == 0), "{answers:?}");
    // The next one is an editor.
    let frames: String =
        [content, end].iter().map(|text| format!("Content-Length: {}\r\n\r\n{text}", text.len())).collect();
    let answers = talk(&frames);
    assert_eq!(answers.len(), 2);
    assert!(answers.iter().all(|answer| answer["success"] == true), "{answers:?}");
    server.kill().unwrap();
    server.wait().unwrap();
}

// ------------------------------------------------------- requests that are wrong

#[test]
fn wrong_requests_get_errors() {
    let mut client = Client::new("val x = 1 (*x*)\n");
    for command in ["threads", "continue", "stepBack", "scopes", "configurationDone", "nosuch", ""] {
        assert!(client.try_request(command, json!({})).is_err(), "{command}");
    }
    for text in ["{", "[]", "3", r#"{"seq":1}"#, r#"{"seq":1,"type":"request"}"#, "\u{0}"] {
        client.raw(text);
        let answer = client.receive();
        assert!(answer["success"] == false && !answer["message"].as_str().unwrap().is_empty(), "{text}: {answer}");
    }
    let none = json!({ "program": "/no/such/program.sml" });
    assert!(client.try_request("launch", none).unwrap_err().contains("/no/such/program.sml"));
    assert!(client.try_request("attach", json!({})).is_err());
    client.start(&["x"], json!({}));
    let stop = client.stop().unwrap();
    let arguments = [
        json!(null),
        json!([]),
        json!({ "threadId": "x", "frameId": -1, "variablesReference": 1.5, "line": {}, "source": 3 }),
        json!({ "threadId": 999, "frameId": 999, "variablesReference": 999, "expression": 4 }),
    ];
    for command in ["stackTrace", "scopes", "variables", "evaluate", "stepIn", "setBreakpoints", "breakpointLocations"]
    {
        for arguments in &arguments[..3] {
            assert!(client.try_request(command, arguments.clone()).is_err(), "{command} {arguments}");
        }
    }
    for command in ["scopes", "variables"] {
        assert!(client.try_request(command, arguments[3].clone()).is_err(), "{command}");
    }
    // It is still there.
    assert!(client.go("continue", stop.thread).is_none());
    // A program that does not compile is told of.
    let mut client = Client::new("val x = 1 + \"a\"\n");
    client.request("initialize", json!({}));
    let program = json!({ "program": client.program });
    assert!(client.try_request("launch", program).unwrap_err().contains("different types"));
}

/// Requests in any order, with any arguments: an answer to each, and the server lives.
#[test]
fn any_requests_are_answered() {
    const COMMANDS: &[&str] = &[
        "threads",
        "stackTrace",
        "scopes",
        "variables",
        "evaluate",
        "next",
        "stepIn",
        "stepOut",
        "stepBack",
        "pause",
        "reverseContinue",
        "continue",
        "setBreakpoints",
        "setExceptionBreakpoints",
        "exceptionInfo",
        "loadedSources",
        "breakpointLocations",
        "configurationDone",
        "launch",
    ];
    let mut state: u64 = 42;
    let mut below = |n: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % n
    };
    let mut client = Client::new(TALK);
    client.start(&["serve"], json!({}));
    client.stop();
    for _ in 0..150 {
        let command = COMMANDS[below(COMMANDS.len() as u64) as usize];
        let path = client.program.display().to_string();
        let expression = ["total", "n", "1", "k +"][below(4) as usize];
        let arguments = json!({
            "threadId": below(4), "frameId": below(6), "variablesReference": below(8), "line": below(30),
            "expression": expression, "source": { "path": path },
            "breakpoints": [{ "line": below(30) }], "filters": ["uncaught"],
        });
        let _ = client.try_request(command, arguments);
    }
    assert!(client.server.try_wait().unwrap().is_none(), "the server lives");
}

/// How long a way back takes: figures of docs/internals/decisions/023-debugger.md.
#[test]
#[ignore = "measures"]
fn how_long_it_takes_to_go_back() {
    for size in [1_000, 100_000, 1_000_000, 10_000_000] {
        let text = format!(
            "fun count (0, acc) = acc (*end*)\n  | count (n, acc) = count (n - 1, acc + n mod 7) (*loop*)\n\
             val x = count ({size}, 0)\nval () = print (Int.toString x) (*print*)\n"
        );
        let mut client = Client::new(&text);
        let begun = Instant::now();
        client.start(&["print"], json!({}));
        let stop = client.stop().unwrap();
        let forwards = begun.elapsed();
        let mut took = Vec::new();
        let mut thread = stop.thread;
        for command in ["stepBack", "next", "stepBack", "reverseContinue"] {
            let begun = Instant::now();
            if let Some(stop) = client.go(command, thread) {
                thread = stop.thread;
            }
            took.push(format!("{command} {:?}", begun.elapsed()));
        }
        println!("{size} rounds: to the break point {forwards:?}; {}", took.join(", "));
    }
}
