//! Drives `leat lsp` over projects of several files: descriptions, references and renamings across them, and what is
//! outside.

#[path = "client/lsp.rs"]
mod client;

use std::path::Path;
use std::time::{Duration, Instant};

use client::{Client, LEAT, MAIN, MLB, SHAPES, actions_of, first, hover, nth, project, shorts, start_of, uri, write};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A project for two systems has a `.cm` file too, with more files; what it includes is not there. The server took it
/// for the program, and was blind.
#[test]
fn a_basis_file_comes_before_a_cm_file() {
    let cm = "Group is\n  $/no-such-library.cm\n  shape.sml\n  main.sml\n  more.sml\n";
    let files = [("app.mlb", MLB), ("app.cm", cm), ("shape.sml", SHAPES), ("main.sml", MAIN), ("more.sml", "")];
    let (folder, mut client) = project(&files);
    let main = folder.path().join("main.sml");
    assert_eq!(client.open(&main, MAIN), Vec::<Value>::new());
    let text = hover(&mut client, &main, first(MAIN, "sum"));
    assert!(text.contains("val sum : real"), "{text}");
    assert_eq!(client.stop(), Some(0));
}

/// A random edit of a program that uses another file found this: the editor was told nothing of a file that is not
/// there.
#[test]
fn a_used_file_that_is_not_there() {
    let text = "use \"gone.sml\";\nval x = 1\n";
    let (folder, mut client) = project(&[("a.sml", text)]);
    let file = folder.path().join("a.sml");
    client.open(&file, text);
    let list = client.until(&file, |list| !list.is_empty());
    assert_eq!(shorts(&list, text), client::checked(LEAT, &file));
    assert_eq!(client.stop(), Some(0));
}

/// A description is typed letter by letter: what it says in between reaches all files, and gives way to the next
/// letter.
#[test]
fn an_edited_description() {
    let (folder, mut client) = project(&[("app.mlb", MLB), ("shape.sml", SHAPES), ("main.sml", MAIN)]);
    let (mlb, main) = (folder.path().join("app.mlb"), folder.path().join("main.sml"));
    client.open(&main, MAIN);
    client.open(&mlb, MLB);
    let without = MLB.replace("shape.sml\n", "");
    for end in 0..=without.len() {
        client.replace(&mlb, &without[..end]);
    }
    client.until(&main, |list| list.iter().any(|d| d["severity"] == 1));
    client.replace(&mlb, &format!("{MLB}gone.sml\n"));
    client.until(&mlb, |list| !list.is_empty());
    client.replace(&mlb, MLB);
    client.until(&mlb, <[Value]>::is_empty);
    client.until(&main, <[Value]>::is_empty);
    assert_eq!(client.stop(), Some(0));
}

/// References read the other programs of the project, and the server keeps those until the next question. They are what
/// a new server finds, whatever has been edited in between: here, in another window, or on disk.
#[test]
fn references_between_edits() {
    let (use_, more) = ("val y = A.twice 1", "val y = A.twice (A.twice 2)\n  val z = A.twice 3");
    let module = |name: &str, body: &str| format!("structure {name} = struct\n  {body}\nend\n");
    let files = [
        ("app.mlb", "$(SML_LIB)/basis/basis.mlb\na.sml\nb.sml\n".to_string()),
        ("tool.mlb", "$(SML_LIB)/basis/basis.mlb\na.sml\nc.sml\n".to_string()),
        ("all.cm", "Group is\n  $/basis.cm\n  d.sml\n  a.sml\n".to_string()),
        ("a.sml", module("A", "fun twice x = 2 * x")),
        ("b.sml", module("B", use_)),
        ("c.sml", module("C", use_)),
        ("d.sml", module("D", use_)),
        ("a_test.sml", "val () = Test.test \"two\" (fn () => Expect.that \"two\" (A.twice 1 = 2))\n".to_string()),
    ];
    let list: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, &**text)).collect();
    let (folder, mut client) = project(&list);
    let at = |name: &str| folder.path().join(name);
    let references = |client: &mut Client, text: &str| -> Vec<String> {
        let found = client.at("references", &at("a.sml"), nth(text, "twice", 0));
        let mut found: Vec<String> = found.as_array().into_iter().flatten().map(Value::to_string).collect();
        found.sort();
        found
    };
    let mut random = leat_random::Random::new(42);
    let mut pick = |all: &[&str]| all[random.below(all.len())].to_string();
    let (mut text, mut other) = (files[3].1.clone(), files[4].1.clone());
    client.open(&at("a.sml"), &text);
    client.open(&at("b.sml"), &other);
    let mut most = 0;
    for round in 0..40 {
        for _ in 0..=round % 3 {
            let head = pick(&["", "(* a comment *)\n", "\n\n", "structure Z = struct end\n", "val open_ = (\n"]);
            let first = pick(&["", "val one = 1\n  ", "datatype t = T of int\n  ", "fun once x = x\n  "]);
            let body = pick(&["2 * x", "x + x", "2.0 * x", "(* twice *) 2 * x"]);
            text = head + &module("A", &format!("{first}fun twice x = {body}"));
            client.replace(&at("a.sml"), &text);
        }
        match round % 4 {
            0 => {
                other = module("B", &pick(&[use_, more, "val y = 1"]));
                client.replace(&at("b.sml"), &other);
            }
            1 => std::fs::write(at("c.sml"), module("C", &pick(&[use_, more, "val y = 1"]))).unwrap(),
            2 => std::fs::write(at("d.sml"), module("D", &pick(&[use_, more, "val y = 1"]))).unwrap(),
            _ => {}
        }
        let found = references(&mut client, &text);
        let mut fresh = Client::start(LEAT, folder.path());
        fresh.open(&at("a.sml"), &text);
        fresh.open(&at("b.sml"), &other);
        assert_eq!(found, references(&mut fresh, &text), "round {round}: {text}");
        assert_eq!(fresh.stop(), Some(0));
        most = most.max(found.len());
    }
    // It has found something.
    assert!(most >= 8, "{most}");
    assert_eq!(client.stop(), Some(0));
}

/// What the server knows of a project's folders and descriptions it keeps for the next question, as long as all of them
/// stand as they stood. So each change here must be seen: a file that a description has named all along, in the project
/// or outside of it, a new folder, a new program, a test, a description that says something else.
#[test]
fn references_between_changes_of_the_project() {
    let module = |name: &str| format!("structure {name} = struct val y = A.twice 1 end\n");
    let text = "structure A = struct fun twice x = 2 * x end\n";
    let mlb = |files: &str| format!("$(SML_LIB)/basis/basis.mlb\n{files}");
    let app = mlb("a.sml\nb.sml\n../beside/far.sml\n");
    let (outer, client) = project(&[("p/app.mlb", &app), ("p/a.sml", text), ("p/sub/none.txt", "")]);
    assert_eq!(client.stop(), Some(0));
    let folder = outer.path().join("p");
    let mut client = Client::start(LEAT, &folder);
    client.open(&folder.join("a.sml"), text);
    let references = |client: &mut Client| {
        let found = client.at("references", &folder.join("a.sml"), nth(text, "twice", 0));
        found.as_array().map_or(0, Vec::len)
    };
    let test = "val () = Test.test \"two\" (fn () => Expect.that \"two\" (A.twice 1 = 2))\n";
    let changes = [
        ("b.sml", module("B"), 2),
        ("../beside/far.sml", module("F"), 3),
        ("sub/tool.mlb", mlb("../a.sml\nc.sml\n"), 3),
        ("sub/c.sml", module("C"), 4),
        ("a_test.sml", test.to_string(), 5),
        ("sub/deep/d.sml", module("D"), 5),
        ("sub/deep/all.mlb", mlb("../../a.sml\nd.sml\n"), 6),
        ("sub/deep/all.mlb", mlb("../../a.sml\n"), 5),
    ];
    assert_eq!(references(&mut client), 1);
    for (file, content, count) in changes {
        let file = folder.join(file);
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(&file, content).unwrap();
        // As editors do; the open program is looked at again.
        client.notify("workspace/didChangeWatchedFiles", json!({ "changes": [{ "uri": uri(&file), "type": 1 }] }));
        // Once more when nothing has changed; later, since what has just changed is not kept.
        for wait in [0, 100, 0] {
            std::thread::sleep(Duration::from_millis(wait));
            assert_eq!(references(&mut client), count, "{}", file.display());
        }
    }
    // A description that cannot be read, and then can.
    let tool = mlb("../a.sml\nc.sml\n");
    for (content, count) in [(&b"\xff"[..], 4), (tool.as_bytes(), 5)] {
        std::fs::write(folder.join("sub/tool.mlb"), content).unwrap();
        for wait in [0, 100, 0] {
            std::thread::sleep(Duration::from_millis(wait));
            assert_eq!(references(&mut client), count, "{count}");
        }
    }
    std::fs::remove_dir_all(folder.join("sub")).unwrap();
    assert_eq!(references(&mut client), 4);
    assert_eq!(client.stop(), Some(0));
}

/// A storm of edits found it: `leat check` told no warnings of a program whose description is beside its sources, and
/// the editor those of packages that others have written.
#[test]
fn whose_warnings() {
    let mlb = "$(SML_LIB)/basis/basis.mlb\n../lib/github.com/x/y/y.sml\n../src/a.sml\n";
    let text = "fun f 0 = 1\n";
    let package = "lib/github.com/x/y/y.sml";
    let (folder, mut client) = project(&[("build/app.mlb", mlb), ("src/a.sml", text), (package, text)]);
    let in_folder = |name: &str| folder.path().join(name);
    let check = |file: &Path| client::checked_in(LEAT, folder.path(), &in_folder("build/app.mlb"), file);
    let (own, package) = (in_folder("src/a.sml"), in_folder(package));
    let list = client.open(&own, text);
    assert_eq!(list[0]["code"], "match/nonexhaustive", "{list:#?}");
    assert_eq!(shorts(&list, text), check(&own));
    assert_eq!(client.open(&package, text), Vec::<Value>::new());
    assert_eq!(check(&package), []);
    // Nor after an edit; but an error is told.
    let text = "fun f 0 = 1 | f 1 = 2\n";
    client.replace(&package, text);
    assert_eq!(client.now(&package), Vec::<Value>::new());
    client.replace(&package, "val x = y\n");
    assert_eq!(client.now(&package)[0]["code"], "scope/value");
    assert_eq!(client.stop(), Some(0));
}

/// A functor's body is not kept by the server, and what it uses of an argument was told to be of no use: in the
/// compiler MLton the two values that a lattice is made with. Who removed them had a program that does not compile.
#[test]
fn arguments_of_functors_are_used() {
    let functor = "functor Flat (S : sig val bottom : int val top : int end) = struct open S val low = S.bottom end\n";
    let text = "functor Check () = struct\n\
                  local structure L = Flat (val bottom = 1 val top = 2) open L in val a = low end\n\
                  local val lost = 1 in val b = 2 end\n\
                end\n";
    let mlb = "$(SML_LIB)/basis/basis.mlb\nflat.sml\ncheck.sml\n";
    let (folder, mut client) = project(&[("app.mlb", mlb), ("flat.sml", functor), ("check.sml", text)]);
    let main = folder.path().join("check.sml");
    let list = client.open(&main, text);
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0]["message"].as_str().map(|text| text.lines().next()), Some(Some("`lost` is not used")));
    assert_eq!(shorts(&list, text), client::checked_in(LEAT, folder.path(), &folder.path().join("app.mlb"), &main));
    assert_eq!(client.stop(), Some(0));
}

/// Closing the window of a description took away the messages of its sources, and what was not saved stayed in those of
/// other programs.
#[test]
fn windows_are_closed() {
    let mlb = "$(SML_LIB)/basis/basis.mlb\na.sml\nb.sml\n";
    let (a, b) = ("structure A = struct val foo = 1 end\n", "val x : int = \"s\"\n");
    let test = "val x = A.foo\n";
    let (folder, mut client) = project(&[("app.mlb", mlb), ("a.sml", a), ("b.sml", b), ("a_test.sml", test)]);
    let at = |name: &str| folder.path().join(name);
    client.open(&at("app.mlb"), mlb);
    assert_eq!(client.open(&at("b.sml"), b).len(), 1);
    client.close(&at("app.mlb"));
    assert!(hover(&mut client, &at("b.sml"), first(b, "x")).contains("val x : int"));
    assert_eq!(client.now(&at("b.sml")).len(), 1);
    assert_eq!(client.open(&at("a_test.sml"), test), Vec::<Value>::new());
    client.open(&at("a.sml"), &a.replace("foo", "bar"));
    client.until(&at("a_test.sml"), |list| list.len() == 1);
    client.close(&at("a.sml"));
    client.until(&at("a_test.sml"), |list| list.is_empty());
    assert_eq!(client.stop(), Some(0));
}

/// A unit that began behind the new end of a text stayed, and a renaming wrote its names there.
#[test]
fn a_text_becomes_shorter() {
    let (folder, mut client) = project(&[("b.sml", "val bb = 1\n")]);
    let path = folder.path().join("a.sml");
    let long = format!("val a = 1;\nval filler = \"{}\";\nuse \"b.sml\";\nval c = a + bb\n", "x".repeat(50));
    let short = "val a = 1\nval c = a + 1\n";
    client.open(&path, &long);
    client.replace(&path, short);
    let position = json!({ "line": 0, "character": 4 });
    let params = json!({ "textDocument": { "uri": uri(&path) }, "position": position, "newName": "width" });
    let edit = client.request("textDocument/rename", params);
    assert_eq!(edit["changes"][uri(&path)].as_array().unwrap().len(), 2, "{edit:#}");
    // A string with a gap goes on behind it: nothing there begins a comment.
    let text = "val usage = \"files (*.sml)\\n\\\n  \\  -a (*.sig)\\n\"\nval y = List.ma\nval z = 1\n";
    client.replace(&path, text);
    let items = client.at("completion", &path, (2, 15));
    assert!(items.to_string().contains("mapPartial"), "{items}");
    assert_eq!(client.stop(), Some(0));
}

/// An editor asks for the colours of a window once, as soon as it has opened the file; there was nothing yet.
#[test]
fn a_question_right_behind_the_opening() {
    let mlb = "$(SML_LIB)/basis/basis.mlb\na.sml\nb.sml\n";
    let later = "val b = a + 1\n";
    let (folder, mut client) = project(&[("app.mlb", mlb), ("a.sml", "val a = 1\n"), ("b.sml", later)]);
    let b = folder.path().join("b.sml");
    let item = json!({ "uri": uri(&b), "languageId": "sml", "version": 1, "text": later });
    client.notify("textDocument/didOpen", json!({ "textDocument": item }));
    let tokens = client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri(&b) } }));
    assert!(!tokens["data"].as_array().unwrap().is_empty(), "{tokens}");
    let shown = hover(&mut client, &b, first(later, "b"));
    assert!(shown.contains("val b : int"), "{shown}");
    assert_eq!(client.stop(), Some(0));
}

/// Its messages are told again, with its version: a client may wait for that.
#[test]
fn a_file_is_told_of_when_it_is_opened() {
    let (mlb, later) = ("$(SML_LIB)/basis/basis.mlb\na.sml\nb.sml\n", "fun f 0 = a\n");
    let (folder, mut client) = project(&[("app.mlb", mlb), ("a.sml", "val a = 1\n"), ("b.sml", later)]);
    let (a, b) = (folder.path().join("a.sml"), folder.path().join("b.sml"));
    client.open(&a, "val a = 1\n");
    let start = Instant::now();
    while !client.diagnostics.contains_key(&uri(&b)) && start.elapsed() < Duration::from_secs(60) {
        client.at("hover", &a, (0, 4));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(client.diagnostics.contains_key(&uri(&b)));
    let list = client.open(&b, later);
    assert_eq!(list[0]["code"], "match/nonexhaustive", "{list:#?}");
    assert_eq!(client.stop(), Some(0));
}

/// A file of somebody else's that a project names is read, and never changed.
#[test]
fn files_outside_of_the_project() {
    let elsewhere = TempDir::new().unwrap();
    let theirs = elsewhere.path().join("theirs.sml");
    std::fs::write(&theirs, "fun theirs x = x + 1\n").unwrap();
    let mlb = format!("$(SML_LIB)/basis/basis.mlb\n{}\nmine.sml\n", theirs.display());
    let mine = "fun mine x = theirs x\nval y = mine 1\n";
    let (folder, mut client) = project(&[("p.mlb", &mlb), ("mine.sml", mine)]);
    let path = folder.path().join("mine.sml");
    client.open(&path, mine);
    let rename = |place: (usize, usize)| {
        json!({
            "textDocument": { "uri": uri(&path) },
            "position": { "line": place.0, "character": place.1 },
            "newName": "other",
        })
    };
    let refused = client.response("textDocument/rename", rename(first(mine, "theirs")));
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("outside of the project"), "{refused}");
    let changed = client.request("textDocument/rename", rename(first(mine, "mine")));
    assert_eq!(changed["changes"].as_object().map(|changes| changes.len()), Some(1), "{changed}");
    // What is in no window, folder or program is none of the client's.
    let stranger = elsewhere.path().join("stranger.sml");
    std::fs::write(&stranger, "val   secret=1\n").unwrap();
    let params =
        json!({ "textDocument": { "uri": uri(&stranger) }, "options": { "tabSize": 2, "insertSpaces": true } });
    assert_eq!(client.request("textDocument/formatting", params), Value::Null);
    assert_eq!(client.stop(), Some(0));
}

/// The answer to a renaming of the name at a place.
fn renaming(client: &mut Client, path: &Path, (line, character): (usize, usize), new: &str) -> Value {
    let document = json!({ "uri": uri(path) });
    let place = json!({ "line": line, "character": character });
    client.response("textDocument/rename", json!({ "textDocument": document, "position": place, "newName": new }))
}

/// Why a renaming is refused; nothing if it is not.
fn rename(client: &mut Client, path: &Path, text: &str, name: &str, new: &str) -> String {
    let answer = renaming(client, path, first(text, name), new);
    answer["error"]["message"].as_str().unwrap_or_default().to_string()
}

/// What an edit cannot reach, or would change without a trace: a module that a description exports or gives another
/// name, and a name that an opened structure has, though the file nowhere says it.
#[test]
fn renamings_that_are_refused() {
    let main = "open A\nopen B\nval x = norm 3 + D.limit\n";
    let files = [
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\nlocal a.sml in structure A structure D = C end\nb.sml main.sml\n"),
        ("a.sml", "structure A = struct fun norm x = x + 1 end\nstructure C = struct val limit = 10 end\n"),
        ("b.sml", "structure B = struct fun length2 x = x * 100 end\n"),
        ("main.sml", main),
    ];
    let (folder, mut client) = project(&files);
    let path = folder.path().join("main.sml");
    assert_eq!(client.open(&path, main), Vec::<Value>::new());
    let caught = "`length2` already means something in main.sml";
    assert_eq!(rename(&mut client, &path, main, "norm", "length2"), caught);
    assert_eq!(rename(&mut client, &path, main, "norm", "length3"), "");
    let named = "`A` is also named in p.mlb, which a rename does not change";
    assert_eq!(rename(&mut client, &path, main, "A", "Aa"), named);
    assert!(rename(&mut client, &path, main, "D", "Dd").contains("another name"));
    assert_eq!(client.stop(), Some(0));

    let text = "structure E = struct val least = 1 end\n";
    let (folder, mut client) = project(&[("e.cm", "Library structure E is $/basis.cm e.sml\n"), ("e.sml", text)]);
    let path = folder.path().join("e.sml");
    assert_eq!(client.open(&path, text), Vec::<Value>::new());
    let named = "`E` is also named in e.cm, which a rename does not change";
    assert_eq!(rename(&mut client, &path, text, "E", "Ee"), named);
    assert_eq!(client.stop(), Some(0));
}

/// Files that do not have the old name were not looked at: with `pick` called `map`, a later file's `map` was another
/// function, and a constructor that was called `x` made patterns of other files' parameters.
#[test]
fn a_new_name_in_files_without_the_old_one() {
    let in_a = "structure A = struct fun pick x = x end\n";
    let table = [
        ("fun pick x = SOME x\n", "val ys = map (fn n => n + 1) [1, 2]\n", "pick", "map", true),
        (in_a, "open A\nval ys = map (fn n => n + 1) [1, 2]\n", "pick", "map", true),
        (in_a, "structure B = struct open List open A end\nval ys = B.map (fn n => n) [1]\n", "pick", "map", true),
        // Another `pick` does not hide what is called otherwise then.
        (in_a, "open A\nval pick = 3\nval ys = map (fn n => n + pick) []\n", "pick", "map", true),
        ("structure A = struct datatype t = Foo | Bar end\n", "open A\nfun f x = x + 1\n", "Foo", "x", true),
        (
            "structure A = struct datatype t = Foo | Bar end\n",
            "datatype t = datatype A.t\nfun f {x} = x + 1\n",
            "Foo",
            "x",
            true,
        ),
        ("type text = int\n", "val x : string = \"\"\n", "text", "string", true),
        ("structure A = struct val x = 1 end\n", "val n = List.length []\n", "A", "List", true),
        // What is not in scope there, and what that file binds itself.
        (in_a, "structure B = A\nval ys = map (fn n => n + 1) [1, 2]\n", "pick", "map", false),
        (in_a, "local open A in val x = 1 end\nval ys = map (fn n => n) [x]\n", "pick", "map", false),
        (in_a, "open A\nfun map x = x\n  | map x = x\nval y = map 1\n", "pick", "map", false),
        ("val x = 1\n", "type r = {y : int}\nfun f (r : r) = #y r\n", "x", "y", false),
    ];
    let mlb = "$(SML_LIB)/basis/basis.mlb\na.sml b.sml c.sml\n";
    let other = "$(SML_LIB)/basis/basis.mlb\na.sml only.sml\n";
    let only = "val zs = rev [1, 2]\n";
    let files = [("p.mlb", mlb), ("a.sml", ""), ("b.sml", ""), ("c.sml", ""), ("other.mlb", other), ("only.sml", only)];
    let (folder, mut client) = project(&files);
    let (a, b) = (folder.path().join("a.sml"), folder.path().join("b.sml"));
    client.open(&a, "");
    client.open(&b, "");
    for (text, later, name, new, is_refused) in table {
        client.replace(&a, text);
        client.replace(&b, later);
        let reason = format!("`{new}` already means something in b.sml");
        let expected = if is_refused { &*reason } else { "" };
        assert_eq!(rename(&mut client, &a, text, name, new), expected, "{text}{later}");
    }
    // Of a program that is not open.
    let text = "fun pick x = x\n";
    client.replace(&a, text);
    assert_eq!(rename(&mut client, &a, text, "pick", "rev"), "`rev` already means something in only.sml");
    assert_eq!(rename(&mut client, &a, text, "pick", "zs"), "");
    assert_eq!(client.stop(), Some(0));
}

/// A description that two others name has a syntax error while somebody types. The second one was told that it includes
/// itself, and the sources behind it were without what it declares.
#[test]
fn a_description_with_an_error_that_two_others_name() {
    let lib = "$(SML_LIB)/basis/basis.mlb\na.sml )\n";
    let app = "$(SML_LIB)/basis/basis.mlb\n../lib/lib.mlb app.sml\n";
    let files = [
        ("main.mlb", "$(SML_LIB)/basis/basis.mlb\nlib/lib.mlb app/app.mlb\n"),
        ("lib/lib.mlb", lib),
        ("lib/a.sml", "structure A = struct val x = 1 end\n"),
        ("app/app.mlb", app),
        ("app/app.sml", "val y = 2\n"),
    ];
    let (folder, mut client) = project(&files);
    let at = |name: &str| folder.path().join(name);
    client.open(&at("main.mlb"), files[0].1);
    let in_lib = client.until(&at("lib/lib.mlb"), |list| !list.is_empty());
    assert_eq!(in_lib.len(), 1, "{in_lib:?}");
    assert_eq!(client.open(&at("app/app.mlb"), app), Vec::<Value>::new());
    assert_eq!(client.stop(), Some(0));
}

/// A type whose text would have more than 10^11 characters: the server showed it, and was heard of no more.
#[test]
fn a_type_that_is_longer_than_any_text() {
    let mut text = "fun d x = (x, x)\nfun f0 x = d x\n".to_string();
    (1..36).for_each(|n| text.push_str(&format!("fun f{n} x = f{} (d x)\n", n - 1)));
    let (folder, mut client) = project(&[("a.sml", &text)]);
    let path = folder.path().join("a.sml");
    assert_eq!(client.open(&path, &text), Vec::<Value>::new());
    let shown = hover(&mut client, &path, first(&text, "f35"));
    assert!(shown.contains("...") && shown.len() < 100_000, "{} bytes", shown.len());
    assert_eq!(client.stop(), Some(0));
}

/// HaMLet's `PP_SYNTAX` has the type `outstream`, which its structure has by `open TextIO`: the specification was
/// renamed, and matched no more.
#[test]
fn a_type_that_an_opened_library_structure_has() {
    let sig = "signature PP =\nsig\n  type outstream\n  val put : outstream * string -> unit\nend\n";
    let body = "structure Pp : PP = struct open TextIO fun put (out, s) = output (out, s) end\n";
    let mlb = "$(SML_LIB)/basis/basis.mlb\npp.sig\npp.sml\n";
    let (folder, mut client) = project(&[("p.mlb", mlb), ("pp.sig", sig), ("pp.sml", body)]);
    let path = folder.path().join("pp.sig");
    assert_eq!(client.open(&path, sig), Vec::<Value>::new());
    let place = first(sig, "outstream");
    let params = json!({
        "textDocument": { "uri": uri(&path) },
        "position": { "line": place.0, "character": place.1 },
        "newName": "sink",
    });
    let refused = client.response("textDocument/rename", params);
    let message = refused["error"]["message"].as_str().unwrap_or_default();
    assert!(message.starts_with("`outstream` must be called as in"), "{refused}");
    assert_eq!(client.stop(), Some(0));
}

/// A renaming changed what implements a signature of the Basis, whose specifications have no place: with `pi` called
/// otherwise `B.pi` was that of the opened `Math`, without a message.
#[test]
fn a_name_that_a_signature_of_the_basis_specifies() {
    let table = [
        ("structure B :> MATH where type real = real = struct open Math val pi = 3.0 end\n", "pi", true),
        ("structure B : BOOL = struct open Bool fun toString _ = \"T\" end\n", "toString", true),
        (
            "signature S = sig include BOOL val x : int end\nstructure B : S = struct open Bool val not = not val x = 1 end\n",
            "not",
            true,
        ),
        (
            "structure S = ImperativeIO (structure StreamIO = TextIO.StreamIO structure Vector = CharVector\n\
          structure Array = CharArray)\n",
            "Vector",
            true,
        ),
        (
            "structure P = PrimIO (structure Vector = CharVector structure VectorSlice = CharVectorSlice\n\
          structure Array = CharArray structure ArraySlice = CharArraySlice val someElem = #\" \"\n\
          type pos = int val compare = Int.compare)\n",
            "someElem",
            true,
        ),
        // What the library does not specify, and what only the program does.
        ("structure B : BOOL = struct open Bool val aside = 1 end\n", "aside", false),
        ("structure C :> sig val x : int end = struct open Bool val x = 1 end\nval y = C.x\n", "x", false),
    ];
    let mlb = "$(SML_LIB)/basis/basis.mlb\na.sml\n";
    let (folder, mut client) = project(&[("p.mlb", mlb), ("a.sml", "")]);
    let path = folder.path().join("a.sml");
    client.open(&path, "");
    for (text, name, is_refused) in table {
        client.replace(&path, text);
        let place = first(text, &format!("{name} "));
        let params = json!({
            "textDocument": { "uri": uri(&path) },
            "position": { "line": place.0, "character": place.1 },
            "newName": "other",
        });
        let answer = client.response("textDocument/rename", params);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let reason = format!("`{name}` must be called so: a signature of the library specifies it");
        assert_eq!(message, if is_refused { &*reason } else { "" }, "{text}");
    }
    assert_eq!(client.stop(), Some(0));
}

/// A project for two systems has two files with one module. A renaming changed the one and its uses: the program of the
/// other one did not compile any more. Whichever files are open.
#[test]
fn a_module_that_two_programs_have_from_different_files() {
    let module = |n: usize| format!("structure Compat = struct fun foo x = x + {n} end\n");
    let (one, two) = (module(1), module(2));
    let main = "structure Main = struct val z = Compat.foo 1 end\n";
    let files = [
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\nmlton.sml main.sml\n"),
        ("sources.cm", "Group is $/basis.cm smlnj.sml main.sml\n"),
        ("mlton.sml", &*one),
        ("smlnj.sml", &*two),
        ("main.sml", main),
    ];
    for opened in [&[4][..], &[2], &[3], &[2, 3], &[3, 2], &[3, 4, 2], &[2, 4, 3]] {
        let (folder, mut client) = project(&files);
        let at = |n: usize| folder.path().join(files[n].0);
        for &n in opened {
            client.open(&at(n), files[n].1);
            client.now(&at(n));
        }
        for &n in opened {
            let place = first(files[n].1, "foo");
            let found = client.at("references", &at(n), place);
            assert_eq!(found.as_array().unwrap().len(), 3, "{opened:?} {n}: {found:#}");
            let params = json!({
                "textDocument": { "uri": uri(&at(n)) },
                "position": { "line": place.0, "character": place.1 },
                "newName": "bar",
            });
            let edit = client.request("textDocument/rename", params);
            for file in 2..5 {
                let edits = edit["changes"][uri(&at(file))].as_array().map_or(0, Vec::len);
                assert_eq!(edits, 1, "{opened:?} {n}: {edit:#}");
            }
        }
        assert_eq!(client.stop(), Some(0));
    }
}

/// Which names a renaming changes: the file, the line and what stands there, in order; or why it is refused.
fn renamed(client: &mut Client, path: &Path, text: &str, name: &str) -> Vec<String> {
    let response = renaming(client, path, first(text, name), "zz9");
    let Some(changes) = response["result"]["changes"].as_object() else {
        return vec![response["error"]["message"].to_string()];
    };
    let folder = path.parent().unwrap();
    let mut all: Vec<String> = changes
        .iter()
        .flat_map(|(file, edits)| {
            let file = file.rsplit('/').next().unwrap();
            let from_disk = std::fs::read_to_string(folder.join(file)).unwrap();
            let text = if file == path.file_name().unwrap() { text.to_string() } else { from_disk };
            let old = move |edit: &Value| {
                let (line, start) = start_of(edit);
                let end = edit["range"]["end"]["character"].as_u64().unwrap() as usize;
                format!("{file}:{line} {}", &text.lines().nth(line).unwrap()[start..end])
            };
            edits.as_array().unwrap().iter().map(old).collect::<Vec<_>>()
        })
        .collect();
    all.sort();
    all
}

/// Three files, of which the second has a structure with a signature.
fn sealed() -> [(&'static str, &'static str); 4] {
    let a = "structure A :\nsig\n  val f : 'a list -> unit\n  val g : 'a list -> unit\nend =\nstruct\n  fun f s = C.h s\n  fun g s = f s\nend\n";
    [
        ("one.mlb", "$(SML_LIB)/basis/basis.mlb\nc.sml\na.sml\nb.sml\n"),
        ("c.sml", "structure C = struct fun h (s : 'a list) = () end\n"),
        ("a.sml", a),
        ("b.sml", "structure B = struct val y = A.g [1] val z = A.f [1] end\n"),
    ]
}

/// Where a signature makes a value less general, what it leaves is another variable, with the place of the structure's
/// name. A text that is edited so that this comes and goes bound the same in between, and the uses of the value went
/// with the variable: behind the undoing a renaming changed the structure's name in other files, and not the value's.
#[test]
fn a_renaming_after_an_edit_and_its_undoing() {
    let files = sealed();
    let text = files[2].1;
    let all = ["a.sml:2 f", "a.sml:6 f", "a.sml:7 f", "b.sml:0 f"];
    for other in [text.replace("C.h s", "C'.h s"), text.replace("C.h s", "(s; print \"x\")")] {
        let (folder, mut client) = project(&files);
        let path = folder.path().join("a.sml");
        client.open(&path, text);
        client.now(&path);
        assert_eq!(renamed(&mut client, &path, text, "f :"), all, "before");
        for text in [&*other, text, &other, text] {
            client.replace(&path, text);
            client.now(&path);
            assert_eq!(renamed(&mut client, &path, text, "f :"), all, "{text}");
        }
        assert_eq!(client.stop(), Some(0));
    }
}

/// A structure that opens another one has that one's places for its own. When the lines of those move, so do these; a
/// file that is edited after that, and opens it in turn, found names where they had been.
#[test]
fn places_in_what_others_open() {
    let a = "structure A = struct\n  val one = 1\n  val two = 2\nend\n";
    let c = "structure D = struct val x = B.two end\n";
    let files = [
        ("app.mlb", "$(SML_LIB)/basis/basis.mlb\na.sml\nb.sml\nc.sml\n"),
        ("a.sml", a),
        ("b.sml", "structure B = struct open A end\n"),
        ("c.sml", c),
    ];
    let (folder, mut client) = project(&files);
    let at = |n: usize| folder.path().join(files[n].0);
    client.open(&at(1), a);
    client.open(&at(3), c);
    client.now(&at(3));
    client.replace(&at(1), &format!("\n{a}"));
    client.now(&at(1));
    client.replace(&at(3), &format!("\n{c}"));
    let found = client.at("definition", &at(3), (1, c.find("two").unwrap()));
    assert_eq!(start_of(&found[0]), (3, 6), "{found:#}");
    assert_eq!(client.stop(), Some(0));
}

/// A file of two programs may mean the one structure in the first and the other in the second. From the declaration on
/// those uses alone were found that are in a file which no larger program has, so a renaming broke the smaller one.
#[test]
fn a_file_that_two_programs_have_in_other_scopes() {
    let lib = "structure U = struct\n  structure A = struct val eq = fn (a : int, b : int) => a = b end\nend\n";
    let compat = "structure U = struct\n  open U\n  structure A = struct open A val eq = fn p => eq p end\nend\n";
    let use_ = "structure X = struct structure A = U.A val b = A.eq (1, 2) end\n";
    let files = [
        ("lib/lib.mlb", "$(SML_LIB)/basis/basis.mlb\nlib.sml\n"),
        ("lib/lib.cm", "Library structure U is $/basis.cm lib.sml\n"),
        ("ex/ex.mlb", "$(SML_LIB)/basis/basis.mlb\n../lib/lib.mlb\nt.sml\n"),
        ("bt/bt.mlb", "$(SML_LIB)/basis/basis.mlb\n../lib/lib.mlb\nx.sml\n"),
        ("bt/bt.cm", "Group is $/basis.cm compat.cm x.sml\n"),
        ("bt/compat.cm", "Group structure U is $/basis.cm ../lib/lib.cm compat.sml\n"),
        ("lib/lib.sml", lib),
        ("ex/t.sml", "structure T = struct val b = U.A.eq (1, 2) end\n"),
        ("bt/x.sml", use_),
        ("bt/compat.sml", compat),
    ];
    // The structure's declaration and its other, the open, X's use and T's; and the values likewise.
    for (name, count) in [("A", 5), ("eq", 5)] {
        for n in 6..10 {
            let (folder, mut client) = project(&files);
            let path = folder.path().join(files[n].0);
            client.open(&path, files[n].1);
            let word = |at: usize| !files[n].1[at + name.len()..].starts_with(char::is_alphanumeric);
            let all = files[n].1.match_indices(name).filter(|(at, _)| word(*at));
            // In x.sml the first A is a name of X's own.
            let (at, _) = all.into_iter().nth(usize::from(n == 8 && name == "A")).unwrap();
            let found = client.at("references", &path, client::line_column(files[n].1, at));
            assert_eq!(found.as_array().map_or(0, Vec::len), count, "{name} {}: {found:#}", files[n].0);
            assert_eq!(client.stop(), Some(0));
        }
    }
}

/// Of two open programs with one file the one that was analysed last gave the answers about it.
#[test]
fn a_file_of_an_mlb_and_a_cm_file_that_are_open() {
    let use_ = "structure Main = struct val z = Compat.foo end\n";
    let files = [
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\nmlton.sml main.sml\n"),
        ("sources.cm", "Group is $/basis.cm smlnj.sml main.sml\n"),
        ("mlton.sml", "structure Compat = struct val foo = 1 end\n"),
        ("smlnj.sml", "structure Compat = struct val foo = \"one\" end\n"),
        ("main.sml", use_),
    ];
    for opened in [&[4][..], &[3, 4], &[4, 3], &[2, 3, 4], &[4, 3, 2]] {
        let (folder, mut client) = project(&files);
        let at = |n: usize| folder.path().join(files[n].0);
        for &n in opened {
            client.open(&at(n), files[n].1);
            client.now(&at(n));
        }
        for text in [use_.to_string(), format!("{use_} ")] {
            client.replace(&at(4), &text);
            let found = client.at("definition", &at(4), first(&text, "foo"));
            assert_eq!(found[0]["uri"], uri(&at(2)), "{opened:?}");
            let text = hover(&mut client, &at(4), first(&text, "z"));
            assert!(text.contains("val z : int"), "{opened:?}: {text}");
        }
        assert_eq!(client.stop(), Some(0));
    }
}

/// Types of a file that was analysed again are those that it has bound last, though others see the earlier ones. Inside
/// of the structure that has a type it has no longer name.
#[test]
fn types_after_an_edit_before_them() {
    let (p, f) = (
        "structure P = struct val x = 1 end\n",
        "structure F = struct\n  structure Q = struct\n    datatype t = T of int\n    fun g (T n) = T (n + P.x)\n  end\n  val h = Q.g\nend\nval i = F.h\n",
    );
    let files = [("app.mlb", "$(SML_LIB)/basis/basis.mlb\np.sml\nf.sml\n"), ("p.sml", p), ("f.sml", f)];
    let (folder, mut client) = project(&files);
    let at = |n: usize| folder.path().join(files[n].0);
    client.open(&at(1), p);
    client.open(&at(2), f);
    for text in [p.to_string(), p.replace("val x", "val y = 2 val x"), p.to_string(), format!("\n{p}")] {
        client.replace(&at(1), &text);
        client.now(&at(1));
        client.until(&at(2), <[Value]>::is_empty);
        for (name, ty) in [("g (", "g : t -> t"), ("h =", "h : Q.t -> Q.t"), ("i =", "i : F.Q.t -> F.Q.t")] {
            let shown = hover(&mut client, &at(2), first(f, name));
            assert!(shown.contains(ty), "{text}: {shown}");
        }
    }
    assert_eq!(client.stop(), Some(0));
}

/// A session's answers are those of a new one on the same texts, whatever was edited and undone before: what each name
/// means, where it is used, and what it is. Two programs of an `.mlb` file and one of a `.cm` file share files, in
/// other scopes; one of them has a file twice.
#[test]
fn answers_after_edits_and_their_undoing() {
    let a = "structure A :\nsig\n  type t\n  val make : int -> t\n  val f : 'a list -> unit\n  structure Q : sig val n : int end\nend =\nstruct\n  datatype t = T of int\n  fun make n = T (n + C.one)\n  fun f s = C.h s\n  structure Q = struct val n = 1 end\nend\n";
    let other = "structure A = struct\n  type t = int\n  fun make n = n + 1\n  fun f _ = ()\n  structure Q = struct val n = C.one val m = 2 end\nend\n";
    let b = "structure B = struct open A val q = Q.n end\nfunctor F (X : sig type t val make : int -> t end) = struct open X val z = make 3 end\n";
    let x = "structure X = F (A)\nstructure Y = struct\n  datatype u = U of B.t\n  val v = U (B.make B.q)\n  val w = (X.z, v)\n  val () = B.f [v]\nend\n";
    let files = [
        ("one.mlb", "$(SML_LIB)/basis/basis.mlb\nc.sml a.sml b.sml x.sml\n"),
        ("two.mlb", "$(SML_LIB)/basis/basis.mlb\nc.sml other.sml b.sml local x.sml in a.sml b.sml end x.sml\n"),
        ("three.cm", "Group is $/basis.cm c.sml other.sml b.sml x.sml\n"),
        ("c.sml", "structure C = struct\n  val one = 1\n  fun h (s : 'a list) = ()\nend\n"),
        ("a.sml", a),
        ("other.sml", other),
        ("b.sml", b),
        ("x.sml", x),
    ];
    // What may stand for what, in the files from the fourth on.
    let changes: [&[(&str, &str)]; 5] = [
        &[
            ("structure C", "\nstructure C"),
            ("val one = 1", "fun id x = x\n  val one = id 1"),
            ("1", "1.0"),
            ("()", "(print \"\")"),
        ],
        &[
            ("C.h s", "C'.h s"),
            ("C.h s", "(s; print \"x\")"),
            ("structure A", "(* A *)\nstructure A"),
            ("T of int", "T of int | U"),
            ("structure Q = struct val n = 1", "structure Q = struct val n = (1"),
            ("fun f s = C.h s\n", "val () = ()\n  val f = fn s => C.h s\n"),
            ("end =", "end :>"),
            ("val n = 1", "val m = 2 val n = m"),
        ],
        &[("type t = int", "type t = string"), ("structure A", "\n\nstructure A"), ("val m = 2 ", "open C val m = 3 ")],
        &[
            ("open A val q", "open A\n  val q"),
            ("val z = make 3", "val y = 2 val z = make y"),
            ("Q.n", "Q.m"),
            ("open A", "open A open A"),
        ],
        &[
            ("U of B.t", "U of A.t"),
            ("val w", "\n  val w"),
            ("X.z", "X'.z"),
            ("structure X = F (A)", "structure X = F (B)"),
        ],
    ];
    let (folder, mut client) = project(&files);
    let at = |n: usize| folder.path().join(files[n].0);
    let mut random = leat_random::Random::new(65);
    let mut texts: Vec<String> = files.iter().map(|(_, text)| text.to_string()).collect();
    let opened = [5, 7, 4, 3];
    for &n in &opened {
        client.open(&at(n), &texts[n]);
    }
    let answers = |client: &mut Client, texts: &[String]| -> Vec<String> {
        let mut all = vec![];
        // Other answers are of what is known; that to this question waits until all is analysed.
        for &n in &opened {
            let name = texts[n].find("structure ").unwrap() + "structure ".len();
            client.at("references", &at(n), client::line_column(&texts[n], name));
        }
        for &n in &opened {
            let text = &texts[n];
            let whole = json!({ "textDocument": { "uri": uri(&at(n)) } });
            all.push(format!("{}: {}", files[n].0, client.request("textDocument/semanticTokens/full", whole)));
            let is_word = |at: usize| text[at..].starts_with(|c: char| c.is_alphabetic());
            let starts = (0..text.len()).filter(|&at| is_word(at) && (at == 0 || !is_word(at - 1)));
            for start in starts {
                let place = client::line_column(text, start);
                let mut line = format!("{} {place:?}: {}", files[n].0, &text[start..text.len().min(start + 12)]);
                for question in ["definition", "references", "documentHighlight"] {
                    let answer = client.at(question, &at(n), place);
                    let mut answer: Vec<String> =
                        answer.as_array().into_iter().flatten().map(Value::to_string).collect();
                    answer.sort();
                    line.push_str(&format!("\n  {question} {answer:?}"));
                }
                line.push_str(&format!("\n  {}", hover(client, &at(n), place)));
                all.push(line);
            }
        }
        all
    };
    for round in 0..24 {
        for _ in 0..=random.below(3) {
            let n = opened[random.below(opened.len())];
            texts[n] = if random.below(2) == 0 {
                files[n].1.to_string()
            } else {
                let (old, new) = changes[n - 3][random.below(changes[n - 3].len())];
                texts[n].replacen(old, new, 1)
            };
            client.replace(&at(n), &texts[n]);
            if random.below(3) > 0 {
                client.now(&at(n));
            }
        }
        let found = answers(&mut client, &texts);
        let mut fresh = Client::start(LEAT, folder.path());
        for &n in &opened {
            fresh.open(&at(n), &texts[n]);
        }
        let wanted = answers(&mut fresh, &texts);
        for (found, wanted) in found.iter().zip(&wanted) {
            let texts: Vec<&String> = opened.iter().map(|&n| &texts[n]).collect();
            assert_eq!(found, wanted, "round {round}: {texts:#?}");
        }
        assert_eq!(fresh.stop(), Some(0));
    }
    assert_eq!(client.stop(), Some(0));
}

/// Programs more than eight folders deep were not looked for, and a renaming left them as they were; so were those
/// behind 50,000 files, which now is a reason not to rename.
#[test]
fn programs_that_are_far_away() {
    let text = "structure Lib = struct val one = 1 end\n";
    let deep = "a/b/c/d/e/f/g/h/i/j";
    let (app, used) = (format!("{deep}/app.mlb"), format!("{deep}/app.sml"));
    let mlb = format!("$(SML_LIB)/basis/basis.mlb\n{}lib.sml\napp.sml\n", "../".repeat(10));
    let files = [
        ("lib.mlb", "$(SML_LIB)/basis/basis.mlb\nlib.sml\n"),
        ("lib.sml", text),
        (&*app, &*mlb),
        (&*used, "val x = Lib.one\n"),
    ];
    let (folder, mut client) = project(&files);
    let path = folder.path().join("lib.sml");
    client.open(&path, text);
    let rename = |client: &mut Client, text: &str, piece: &str| {
        let (line, character) = first(text, piece);
        let position = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri(&path) }, "position": position, "newName": "uno" });
        client.response("textDocument/rename", params)
    };
    let answer = rename(&mut client, text, "one");
    assert!(answer["result"]["changes"][uri(&folder.path().join(&used))].is_array(), "{answer}");
    for n in 0..51 {
        let many = folder.path().join(format!("many/{n}"));
        std::fs::create_dir_all(&many).unwrap();
        (0..1000).for_each(|n| drop(std::fs::File::create(many.join(n.to_string())).unwrap()));
    }
    let answer = rename(&mut client, text, "one");
    let message = answer["error"]["message"].as_str().unwrap_or_default();
    assert!(message.contains("has more than 50000 files, and not all were looked at for `one`"), "{answer}");
    // What is local is in its own file alone.
    let text = "structure Lib = struct fun one x = x + 1 end\n";
    client.replace(&path, text);
    let answer = rename(&mut client, text, "x =");
    assert_eq!(answer["result"]["changes"][uri(&path)].as_array().map(Vec::len), Some(2), "{answer}");
    assert_eq!(client.stop(), Some(0));
}

/// The files of a fresh project, as `leat new` makes them in small.
const COUNT: &str = "structure Count = struct\n  fun words s = length (String.tokens Char.isSpace s)\nend\n";
const COUNT_TEST: &str = "val () = Test.test \"two\" (fn () => Expect.equal Show.int 2 (Count.words \"a b\"))\n";
const COUNT_MAIN: &str = "val () = print (Int.toString (Count.words \"a b c\"))\n";

fn counting() -> [(&'static str, &'static str); 5] {
    [
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\nsrc/sources.mlb\nmain.sml\n"),
        ("main.sml", COUNT_MAIN),
        ("src/sources.mlb", "$(SML_LIB)/basis/basis.mlb\ncount.sml\n"),
        ("src/count.sml", COUNT),
        ("src/count_test.sml", COUNT_TEST),
    ]
}

/// An editor may name a folder inside of the project, as Neovim's configuration once did: a renaming then left
/// `main.sml` as it was, which no longer compiled; and it never came to the tests, which were red from top to bottom.
#[test]
fn a_project_is_more_than_the_editors_folder() {
    for inner in ["", "src"] {
        let (folder, client) = project(&counting());
        assert_eq!(client.stop(), Some(0));
        let mut client = Client::start(LEAT, &folder.path().join(inner));
        let at = |name: &str| folder.path().join(name);
        let (count, test) = (at("src/count.sml"), at("src/count_test.sml"));
        assert_eq!(client.open(&test, COUNT_TEST), Vec::<Value>::new());
        let text = hover(&mut client, &test, first(COUNT_TEST, "words"));
        assert!(text.contains("val words : string -> int"), "{text}");
        // From the test, with nothing else open; then from the declaration.
        for (file, text) in [(&test, COUNT_TEST), (&count, COUNT)] {
            if file == &count {
                client.open(file, text);
            }
            let place = first(text, "words");
            let params = json!({
                "textDocument": { "uri": uri(file) },
                "position": { "line": place.0, "character": place.1 },
                "newName": "wordCount",
            });
            let edit = client.request("textDocument/rename", params);
            let mut changed: Vec<&String> = edit["changes"].as_object().unwrap().keys().collect();
            changed.sort();
            assert_eq!(changed, [&uri(&at("main.sml")), &uri(&count), &uri(&test)], "{inner}: {edit:#}");
            let found = client.at("references", file, place);
            assert_eq!(found.as_array().map(Vec::len), Some(3), "{found:#}");
        }
        // A test follows the edits of its project.
        client.replace(&count, &COUNT.replace("length (String", "(String"));
        let list = client.until(&test, |list| !list.is_empty());
        assert!(list[0]["code"].as_str().unwrap().starts_with("type/"), "{list:#?}");
        client.replace(&count, COUNT);
        client.until(&test, <[Value]>::is_empty);
        assert_eq!(client.stop(), Some(0));
    }
}

/// A new file that no description names was only full of unbound names.
#[test]
fn a_file_that_no_description_names() {
    let (folder, mut client) = project(&counting());
    let new = folder.path().join("src/pairs.sml");
    let text = "structure Pairs = struct\n  fun pairs s = Count.words s div 2\nend\n";
    let list = client.open(&new, text);
    let told = list.iter().find(|d| d["message"].as_str().unwrap().contains("no .mlb file")).expect("it is told");
    assert!(told["message"].as_str().unwrap().contains("add `pairs.sml` to sources.mlb"), "{told}");
    let actions = |client: &mut Client, path: &Path| {
        let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 1 } });
        let params = json!({ "textDocument": { "uri": uri(path) }, "range": range, "context": { "diagnostics": [] } });
        client.request("textDocument/codeAction", params)
    };
    let found = actions(&mut client, &new);
    let action = found.as_array().unwrap().iter().find(|a| a["title"] == "Add pairs.sml to sources.mlb");
    let sources = folder.path().join("src/sources.mlb");
    let edit = &action.unwrap_or_else(|| panic!("{found:#}"))["edit"]["changes"][uri(&sources)][0];
    assert_eq!((start_of(edit), edit["newText"].as_str().unwrap()), ((1, 9), "\npairs.sml"), "{edit}");
    std::fs::write(&sources, "$(SML_LIB)/basis/basis.mlb\ncount.sml\npairs.sml\n").unwrap();
    std::fs::write(&new, text).unwrap();
    client.notify("textDocument/didSave", json!({ "textDocument": { "uri": uri(&sources) } }));
    client.until(&new, <[Value]>::is_empty);
    // A source that another one uses comes before that.
    let early = folder.path().join("early.sml");
    client.open(&early, "structure Count = struct end\n");
    let found = actions(&mut client, &early);
    let edit = &found[0]["edit"]["changes"][uri(&folder.path().join("p.mlb"))][0];
    assert_eq!((start_of(edit), edit["newText"].as_str().unwrap()), ((2, 0), "early.sml\n"), "{found:#}");
    // A comment that names it is no use of it; and lines end as the others do.
    let comment = "(* Count.words is used here. *)\nval () = ()\n";
    std::fs::write(folder.path().join("main.sml"), comment).unwrap();
    std::fs::write(folder.path().join("p.mlb"), "$(SML_LIB)/basis/basis.mlb\r\nmain.sml\r\n").unwrap();
    let found = actions(&mut client, &early);
    let edit = &found[0]["edit"]["changes"][uri(&folder.path().join("p.mlb"))][0];
    assert_eq!((start_of(edit), edit["newText"].as_str().unwrap()), ((1, 8), "\r\nearly.sml"), "{found:#}");
    // A script beside the project needs nothing of it.
    let script = folder.path().join("script.sml");
    assert_eq!(client.open(&script, "val () = print \"hello\\n\"\n"), Vec::<Value>::new());
    assert_eq!(client.stop(), Some(0));
}

/// A source that is open, and taken away from the disk, as by another branch of a repository, was cut off from its
/// program: "no .mlb file of the project names this file". Its text is that of the window, whatever the disk has.
#[test]
fn an_open_file_that_vanishes() {
    let (a, m) = ("structure A = struct val x = 1 end\n", "structure M = struct val y = A.x end\n");
    let test = "val () = Test.test \"x\" (fn () => Expect.that \"x\" (A.x = M.y))\n";
    let descriptions =
        [("x.mlb", "$(SML_LIB)/basis/basis.mlb\na.sml\nm.sml\n"), ("x.cm", "Group is\n  $/basis.cm\n  a.sml m.sml\n")];
    for (description, named) in descriptions {
        let mut files = vec![(description, named), ("a.sml", a), ("m.sml", m)];
        let is_mlb = description.ends_with("mlb");
        if is_mlb {
            files.push(("m_test.sml", test));
        }
        let (folder, mut client) = project(&files);
        let at = |name: &str| folder.path().join(name);
        assert_eq!(client.open(&at("m.sml"), m), Vec::<Value>::new());
        if is_mlb {
            assert_eq!(client.open(&at("m_test.sml"), test), Vec::<Value>::new());
        }
        for (name, kind) in [("m.sml", 3), ("m_test.sml", 3), ("m.sml", 1)] {
            let gone = std::fs::remove_file(at(name));
            if kind == 1 {
                std::fs::write(at(name), m).unwrap();
            } else {
                assert!(gone.is_ok() || !is_mlb);
            }
            let change = json!({ "changes": [{ "uri": uri(&at(name)), "type": kind }] });
            client.notify("workspace/didChangeWatchedFiles", change);
            let found = client.at("definition", &at("m.sml"), nth(m, "x", 0));
            assert!(found.to_string().contains("a.sml"), "{description} {name} {kind}: {found}");
            let found = client.at("references", &at("m.sml"), nth(m, "x", 0));
            let count = if is_mlb { 3 } else { 2 };
            assert_eq!(found.as_array().map_or(0, Vec::len), count, "{description} {name} {kind}: {found:#}");
            let found = client.at("references", &at("a.sml"), nth(a, "x", 0));
            assert_eq!(found.as_array().map_or(0, Vec::len), count, "{description} {name} {kind}: {found:#}");
        }
        // A file that never was there, but in a window, where a description on disk names it.
        let more = named.replace("m.sml", "m.sml new.sml").replace(" new", if is_mlb { "\nnew" } else { " new" });
        std::fs::write(at(description), more).unwrap();
        let new = "structure N = struct val z = A.x + M.y end\n";
        assert_eq!(client.open(&at("new.sml"), new), Vec::<Value>::new());
        assert_eq!(client.stop(), Some(0));
    }
}

/// Of two descriptions with as many files that of the folder above is meant, not one of a folder beside: its main file
/// was not even looked at.
#[test]
fn the_nearest_description() {
    let files = [
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\nsrc/a.sml\nmain.sml\n"),
        ("src/a.sml", "structure A = struct fun f (x, y) = x + y end\n"),
        ("main.sml", "val () = print (Int.toString (A.f (1, 2)))\n"),
        ("tools/t.mlb", "$(SML_LIB)/basis/basis.mlb\n../src/a.sml\nt.sml\n"),
        ("tools/t.sml", "val onlyTool = \"tool\"\n"),
    ];
    let (folder, mut client) = project(&files);
    let a = folder.path().join("src/a.sml");
    assert_eq!(client.open(&a, files[1].1), Vec::<Value>::new());
    client.replace(&a, "structure A = struct fun f x y = x + y end\n");
    let list = client.until(&folder.path().join("main.sml"), |list| !list.is_empty());
    assert!(list[0]["code"].as_str().unwrap().starts_with("type/"), "{list:#?}");
    // The project's symbols are also those of its other programs, which nobody has looked at.
    let found = client.request("workspace/symbol", json!({ "query": "onlyTool" }));
    assert_eq!(found[0]["location"]["uri"], uri(&folder.path().join("tools/t.sml")), "{found:#}");
    assert_eq!(client.stop(), Some(0));
}

/// What stands elsewhere in a file is nothing to a local name: not for its renaming, and not for the help with a call.
/// And operators, constructors and exceptions have types where they stand between or before their arguments.
#[test]
fn local_names() {
    let text = "fun f x = x + 1\nfun g y = y + 2\nfun main () = let fun map (a : int, b : string) = a in map (1, \"x\") end\n\
                infix 6 ++\nfun a ++ b = a + b : int\nval three = 1 ++ 2\nexception E of int\nfun k (E n) = n | k _ = 0\n";
    let (folder, mut client) = project(&[("app.mlb", "$(SML_LIB)/basis/basis.mlb\nmain.sml\n"), ("main.sml", text)]);
    let main = folder.path().join("main.sml");
    client.open(&main, text);
    let place = first(text, "x = x");
    let params = json!({
        "textDocument": { "uri": uri(&main) },
        "position": { "line": place.0, "character": place.1 },
        "newName": "y",
    });
    let edit = client.request("textDocument/rename", params);
    assert_eq!(edit["changes"][uri(&main)].as_array().map(Vec::len), Some(2), "{edit:#}");
    let (line, column) = first(text, "1, \"x\"");
    let help = client.at("signatureHelp", &main, (line, column));
    assert_eq!(help["signatures"][0]["label"], "map : int * string -> int", "{help:#}");
    let shown = hover(&mut client, &main, nth(text, "++", 2));
    assert!(shown.contains("val ++ : int * int -> int"), "{shown}");
    let shown = hover(&mut client, &main, nth(text, "E", 1));
    assert!(shown.contains("int -> exn") || shown.contains("of int"), "{shown}");
    let description = folder.path().join("app.mlb");
    client.open(&description, "$(SML_LIB)/basis/basis.mlb\nmain.sml\nStr\n");
    assert_eq!(client.at("completion", &description, (2, 3)), Value::Null);
    assert_eq!(client.stop(), Some(0));
}

/// A message that says how a library is named comes with the edit that does it: of the description, or of a source that
/// has none.
#[test]
fn a_missing_library() {
    let text = "val v = JSON.INT 3\n";
    let files = [("p.mlb", "$(SML_LIB)/basis/basis.mlb\n  a.sml\n"), ("a.sml", text), ("alone/s.sml", text)];
    let (folder, mut client) = project(&files);
    let range = json!({ "start": { "line": 0, "character": 8 }, "end": { "line": 0, "character": 9 } });
    for (file, changed, place, new) in [
        ("a.sml", "p.mlb", (1, 2), "$(SML_LIB)/smlnj-lib/JSON/json-lib.mlb\n  "),
        ("alone/s.sml", "alone/s.sml", (0, 0), "CM.make \"$/json-lib.cm\";\n"),
    ] {
        let file = folder.path().join(file);
        client.open(&file, text);
        let params = json!({ "textDocument": { "uri": uri(&file) }, "range": range, "context": { "diagnostics": [] } });
        let found = client.request("textDocument/codeAction", params);
        let edits = found
            .as_array()
            .unwrap()
            .iter()
            .map(|action| &action["edit"]["changes"][uri(&folder.path().join(changed))]);
        let edit = &edits.clone().find(|edit| edit.is_array()).unwrap_or_else(|| panic!("{found:#}"))[0];
        assert_eq!((start_of(edit), edit["newText"].as_str().unwrap()), (place, new), "{found:#}");
    }
    assert_eq!(client.stop(), Some(0));
}

/// The edits of a renaming: the file, the line, the column, the text.
fn edits(answer: &Value) -> Vec<(String, usize, usize, String)> {
    let changes = answer["result"]["changes"].as_object().unwrap_or_else(|| panic!("{answer}"));
    let mut all = vec![];
    for (address, edits) in changes {
        for edit in edits.as_array().unwrap() {
            let (line, column) = start_of(edit);
            let file = address.rsplit('/').next().unwrap().to_string();
            all.push((file, line, column, edit["newText"].as_str().unwrap().to_string()));
        }
    }
    all.sort();
    all
}

/// Not every editor tells of what changes on disk. A rename wrote the new name at the places that files without a
/// window had when they were checked: behind a line that was added meanwhile, into another word.
#[test]
fn files_that_change_without_a_word() {
    let (in_a, in_b) = ("fun pick x = x + 1\n", "val one = pick 0\n");
    let mlb = "$(SML_LIB)/basis/basis.mlb a.sml b.sml\n";
    let (folder, mut client) = project(&[("p.mlb", mlb), ("a.sml", in_a), ("b.sml", in_b)]);
    let a = folder.path().join("a.sml");
    client.open(&a, in_a);
    let mut all = |wanted: &[(&str, usize, usize)]| {
        let answer = renaming(&mut client, &a, first(in_a, "pick"), "choose");
        let wanted: Vec<_> =
            wanted.iter().map(|&(file, line, column)| (file.to_string(), line, column, "choose".to_string())).collect();
        assert_eq!(edits(&answer), wanted);
    };
    all(&[("a.sml", 0, 4), ("b.sml", 0, 10)]);
    write(folder.path(), &[("b.sml", &format!("(* a head *)\n{in_b}"))]);
    all(&[("a.sml", 0, 4), ("b.sml", 1, 10)]);
    // As old and as long as it was.
    let b = folder.path().join("b.sml");
    let time = std::fs::metadata(&b).unwrap().modified().unwrap();
    write(folder.path(), &[("new", "val on = 0\nval y = 1 + pick 0\n")]);
    assert_eq!(std::fs::metadata(&b).unwrap().len(), 30);
    std::fs::File::options().write(true).open(folder.path().join("new")).unwrap().set_modified(time).unwrap();
    std::fs::rename(folder.path().join("new"), &b).unwrap();
    all(&[("a.sml", 0, 4), ("b.sml", 1, 12)]);
    // The description names a file more, and then one less.
    write(folder.path(), &[("c.sml", "val two = pick 1\n"), ("p.mlb", &format!("{mlb}c.sml\n"))]);
    all(&[("a.sml", 0, 4), ("b.sml", 1, 12), ("c.sml", 0, 10)]);
    std::fs::remove_file(folder.path().join("c.sml")).unwrap();
    all(&[("a.sml", 0, 4), ("b.sml", 1, 12)]);
    write(folder.path(), &[("c.sml", "val three = 0 val two = pick 1\n")]);
    all(&[("a.sml", 0, 4), ("b.sml", 1, 12), ("c.sml", 0, 24)]);
    // The windows hear of it, too.
    write(folder.path(), &[("b.sml", "val one = pick true\n")]);
    renaming(&mut client, &a, first(in_a, "pick"), "choose");
    client.until(&b, |list| !list.is_empty());
    assert_eq!(client.stop(), Some(0));
}

/// What is not UTF-8 in a file without a window an editor shows as it likes. Behind such a byte a rename was a column
/// too far to the right.
#[test]
fn files_that_are_not_utf8() {
    let in_a = "fun pick x = x ^ \"!\"\nfun other x = x ^ \"?\"\n";
    let mlb = "$(SML_LIB)/basis/basis.mlb a.sml b.sml\n";
    let (folder, mut client) = project(&[("p.mlb", mlb), ("a.sml", in_a)]);
    let (a, b) = (folder.path().join("a.sml"), folder.path().join("b.sml"));
    std::fs::write(&b, b"(* \xe9 *)\nval s = \"\xe9\" ^ pick \"a\"\nval t = other \"b\" (* \xe9 *)\n").unwrap();
    client.open(&a, in_a);
    let why = "line 2 of b.sml is not UTF-8, so it is not known where the editor has the name";
    assert_eq!(rename(&mut client, &a, in_a, "pick", "choose"), why);
    let found = client.at("references", &a, first(in_a, "pick"));
    let places: Vec<(usize, usize)> = found.as_array().unwrap().iter().map(start_of).collect();
    assert!(places.contains(&(1, 14)), "{found:#}");
    let answer = renaming(&mut client, &a, first(in_a, "other"), "choose");
    assert_eq!(edits(&answer).iter().map(|edit| (edit.1, edit.2)).collect::<Vec<_>>(), [(1, 4), (2, 8)]);
    assert_eq!(client.stop(), Some(0));
}

/// A rename of a name in parentheses, `map (++) xs`, to one that begins with a star made a comment of what is behind
/// it.
#[test]
fn a_new_name_that_begins_a_comment() {
    let text = "val ++ = fn x => x + 1\nval ys = map (++) [1]\nstructure A = struct val ++ = ++ end\nval z = A.++ 1\n";
    let (folder, mut client) = project(&[("a.sml", text)]);
    let path = folder.path().join("a.sml");
    assert_eq!(client.open(&path, text), Vec::<Value>::new());
    let why = "`*+` would be read as something else in line 2 of a.sml";
    assert_eq!(rename(&mut client, &path, text, "++", "*+"), why);
    assert_eq!(rename(&mut client, &path, text, "++", "+-"), "");
    let answer = renaming(&mut client, &path, nth(text, "++", 2), "*+");
    let places: Vec<(usize, usize)> = edits(&answer).iter().map(|edit| (edit.1, edit.2)).collect();
    assert_eq!(places, [(2, 25), (3, 10)]);
    assert_eq!(client.stop(), Some(0));
}

/// Each save looked through the whole project once for each window.
#[test]
fn saves_of_many_windows() {
    let sources: Vec<String> = (0..24).map(|n| format!("a{n}.sml")).collect();
    let mlb = format!("$(SML_LIB)/basis/basis.mlb\n{}\n", sources.join("\n"));
    let (folder, mut client) = project(&[("all.mlb", &mlb)]);
    for (n, source) in sources.iter().enumerate() {
        write(folder.path(), &[(source, &format!("val x{n} = {n}\n")), (&format!("sub/p{n}.mlb"), "other.sml\n")]);
    }
    for (n, source) in sources.iter().enumerate() {
        client.open(&folder.path().join(source), &format!("val x{n} = {n}\n"));
    }
    let last = folder.path().join(&sources[23]);
    assert!(hover(&mut client, &last, (0, 4)).contains("val x23 : int"));
    let before = client.reads();
    for source in &sources {
        client.save(&folder.path().join(source));
    }
    let changes: Vec<Value> =
        sources.iter().map(|source| json!({ "uri": uri(&folder.path().join(source)), "type": 2 })).collect();
    client.notify("workspace/didChangeWatchedFiles", json!({ "changes": changes }));
    client.now(&last);
    // Where each save is followed by silence there are 25 searches of 25 descriptions. It had been that for each
    // window.
    let reads = client.reads() - before;
    assert!(reads < 6000, "{reads}");
    // It does look: another description names the file now, and more.
    let more: String = (0..40).map(|n| format!("sub/q{n}.sml\n")).collect();
    write(folder.path(), &[("new.mlb", &format!("{mlb}{more}\nlast.sml\n")), ("last.sml", "val y : string = x0\n")]);
    (0..40).for_each(|n| write(folder.path(), &[(&format!("sub/q{n}.sml"), "")]));
    client.save(&last);
    client.until(&folder.path().join("last.sml"), |list| !list.is_empty());
    assert_eq!(client.stop(), Some(0));
}

/// A folder that is added to the editor's window later: the server did not say that it wants to hear of it, and did not
/// look there for the programs of open files.
#[test]
fn folders_that_come_later() {
    let other = TempDir::new().unwrap();
    write(
        other.path(),
        &[
            ("build/p.mlb", "$(SML_LIB)/basis/basis.mlb ../src/a.sml ../src/b.sml\n"),
            ("src/a.sml", "val one = 1\n"),
            ("src/b.sml", "val two = one + 1\n"),
        ],
    );
    let folder = TempDir::new().unwrap();
    let initialize = json!({ "workspaceFolders": [{ "uri": uri(folder.path()), "name": "one" }], "capabilities": {} });
    let (mut client, answer) = Client::start_by(std::process::Command::new(LEAT), initialize);
    let folders = &answer["capabilities"]["workspace"]["workspaceFolders"];
    assert_eq!((&folders["supported"], &folders["changeNotifications"]), (&json!(true), &json!(true)), "{answer}");
    let b = other.path().join("src/b.sml");
    assert_eq!(client.open(&b, "val two = one + 1\n").len(), 1, "`one` is not known");
    let event = json!({ "added": [{ "uri": uri(other.path()), "name": "two" }], "removed": [] });
    client.notify("workspace/didChangeWorkspaceFolders", json!({ "event": event }));
    client.until(&b, <[Value]>::is_empty);
    assert!(hover(&mut client, &b, (0, 10)).contains("val one : int"));
    assert_eq!(client.stop(), Some(0));
}

/// Code actions about messages of a program that is walked later than the file is: the messages' places were of an
/// older text, and beyond the end of the new one.
#[test]
fn actions_about_messages_of_an_older_text() {
    let part = format!("fun g x = x\n{}fun f () = let val unused = 1 in 2 end\n", "val y = 1\n".repeat(20));
    let (folder, mut client) = project(&[
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb a.sml part.sml last.sml\n"),
        ("q.mlb", "$(SML_LIB)/basis/basis.mlb b.sml part.sml c.sml d.sml\n"),
        ("a.sml", "val a = 1\n"),
        ("b.sml", "val b = 1\n"),
        ("c.sml", ""),
        ("d.sml", ""),
        ("last.sml", "val x : string = 1\n"),
        ("part.sml", &part),
    ]);
    let path = folder.path().join("part.sml");
    client.open(&folder.path().join("a.sml"), "val a = 1\n");
    client.until(&folder.path().join("last.sml"), |list| !list.is_empty());
    assert_eq!(client.open(&path, &part).len(), 1);
    // Both programs say it, and each action is there once.
    let actions = actions_of(&mut client, &path);
    let titles: Vec<&str> = actions.iter().filter_map(|action| action["title"].as_str()).collect();
    assert_eq!(titles, ["write `_` in its place, if that is meant", "Remove `unused`"]);
    // With a request in the text it is not analysed alone, so the other program has its old messages for a moment.
    client.replace(&path, "use \"c.sml\";\nval q = 1\n");
    assert_eq!(actions_of(&mut client, &path), Vec::<Value>::new());
    assert_eq!(client.stop(), Some(0));
}
