//! Drives `leat lsp` as an editor does: each feature over small programs, and random edits of real ones.

#[path = "client/lsp.rs"]
mod client;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use client::{
    Client, LEAT, MAIN, MLB, SHAPES, actions_of, first, frame, hover, labels, nth, project, shorts, start_of, storm,
    uri, write,
};
use serde_json::{Value, json};

#[test]
fn diagnostics_follow_the_text() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "val x = 1 + true\nval y = if then\nval z : string = 5\nfun f 0 = 1\n";
    let list = client.open(&path, text);
    let lines: Vec<u64> = list.iter().map(|d| d["range"]["start"]["line"].as_u64().unwrap()).collect();
    // The second line is no declaration, and hides nothing after it.
    assert!(lines.contains(&0) && lines.contains(&1) && lines.contains(&2), "{list:#?}");
    client.edit(&path, (0, 12), (0, 16), "2");
    client.edit(&path, (1, 0), (2, 0), "");
    client.edit(&path, (1, 17), (1, 18), "\"é\"");
    let list = client.now(&path);
    assert_eq!(list.len(), 1, "{list:#?}");
    assert_eq!(list[0]["code"], "match/nonexhaustive");
    client.replace(&path, "val x = 1\n");
    assert!(client.now(&path).is_empty());
    // What it answers does not depend on how it came there.
    client.replace(&path, text);
    std::fs::write(&path, text).unwrap();
    assert_eq!(shorts(&client.now(&path), text), client::checked(LEAT, &path));
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn names_across_files() {
    let (folder, mut client) = project(&[("app.mlb", MLB), ("shape.sml", SHAPES), ("main.sml", MAIN)]);
    let (shape, main) = (folder.path().join("shape.sml"), folder.path().join("main.sml"));
    assert_eq!(client.open(&main, MAIN), Vec::<Value>::new());

    let text = hover(&mut client, &main, nth(MAIN, "area", 0));
    assert!(text.contains("val area : ") && text.contains("-> real"), "{text}");
    assert!(text.contains("never negative"), "{text}");
    let text = hover(&mut client, &main, first(MAIN, "sum"));
    assert!(text.contains("val sum : real"), "{text}");
    let text = hover(&mut client, &main, first(MAIN, "map"));
    assert!(text.contains("(int -> string) -> int list -> string list"), "{text}");

    let found = client.at("definition", &main, nth(MAIN, "area", 1));
    assert_eq!(found[0]["uri"], uri(&shape), "{found}");
    assert_eq!(start_of(&found[0]), first(SHAPES, "area (Box"));
    let found = client.at("definition", &main, nth(MAIN, "Shape", 1));
    assert_eq!(start_of(&found[0]), first(SHAPES, "Shape :>"));
    // A second name of a structure is one of its own.
    let found = client.at("definition", &main, first(MAIN, "S.area"));
    assert_eq!((found[0]["uri"].as_str().unwrap(), start_of(&found[0])), (uri(&main).as_str(), (0, 10)));
    let found = client.at("definition", &main, first(MAIN, "toString"));
    assert!(found[0]["uri"].as_str().unwrap().ends_with(".sml"), "{found}");
    let found = client.at("typeDefinition", &main, first(MAIN, "one"));
    assert_eq!(found["uri"], uri(&shape), "{found}");

    // The specification, both clauses, both uses.
    // A parameter is nobody else's.
    let found = client.at("references", &shape, nth(SHAPES, "w, h", 0));
    assert_eq!(found.as_array().unwrap().len(), 2, "{found:#}");
    let found = client.at("references", &main, nth(MAIN, "area", 0));
    assert_eq!(found.as_array().unwrap().len(), 5, "{found:#}");

    // `sum` names `area` twice, by way of its specification.
    let item = client.at("prepareCallHierarchy", &main, nth(MAIN, "area", 0))[0].clone();
    assert_eq!((item["name"].as_str(), item["uri"].as_str()), (Some("area"), Some(uri(&shape).as_str())), "{item}");
    let callers = client.request("callHierarchy/incomingCalls", json!({ "item": item }));
    assert_eq!(callers[0]["from"]["name"], "sum", "{callers:#}");
    assert_eq!(callers[0]["fromRanges"].as_array().unwrap().len(), 2, "{callers:#}");
    assert_eq!(callers.as_array().unwrap().len(), 1, "{callers:#}");
    let called = client.request("callHierarchy/outgoingCalls", json!({ "item": callers[0]["from"] }));
    assert_eq!(called.as_array().unwrap().len(), 1, "{called:#}");
    assert_eq!(
        (&called[0]["to"]["name"], &called[0]["to"]["uri"]),
        (&json!("area"), &json!(uri(&shape))),
        "{called:#}"
    );

    let params_in = |path: &Path, new: &str, place: (usize, usize)| {
        json!({
            "textDocument": { "uri": uri(path) },
            "position": { "line": place.0, "character": place.1 },
            "newName": new,
        })
    };
    let params = |new: &str, place: (usize, usize)| params_in(&main, new, place);
    let edit = client.request("textDocument/rename", params("size", nth(MAIN, "area", 0)));
    assert_eq!(edit["changes"][uri(&shape)].as_array().unwrap().len(), 3, "{edit:#}");
    assert_eq!(edit["changes"][uri(&main)].as_array().unwrap().len(), 2, "{edit:#}");
    // A member of a structure of the library is no name that `one` could stand for; the program's own are.
    let edit = client.request("textDocument/rename", params("toString", first(MAIN, "one")));
    assert_eq!(edit["changes"][uri(&main)].as_array().unwrap().len(), 3, "{edit:#}");
    let answer = client.response("textDocument/rename", params("area", first(MAIN, "one")));
    assert!(answer["error"]["message"].as_str().unwrap_or("").contains("already means"), "{answer}");
    for bad in ["end", "1x", "make"] {
        let answer = client.response("textDocument/rename", params(bad, nth(MAIN, "area", 0)));
        assert!(answer.get("error").is_some(), "{bad}: {answer}");
    }
    // The library's names are not ours to change.
    let answer = client.response("textDocument/rename", params("mapp", first(MAIN, "map")));
    assert!(answer.get("error").is_some(), "{answer}");
    // What is infix stays so by its name, whatever it means.
    let text = "infix 6 ++\nfun a ++ b = a - b\nval r = 9 ++ 2 ++ 1\nfun f a = a + 1\nval s = f 2\nval t = let infix 5 f in 1 end\n";
    let path = folder.path().join("infix.sml");
    client.open(&path, text);
    for (new, place) in [
        ("@", nth(text, "++", 1)),
        ("**", nth(text, "++", 1)),
        ("div", nth(text, "f a", 0)),
        ("g", nth(text, "f 2", 0)),
    ] {
        let answer = client.response("textDocument/rename", params_in(&path, new, place));
        let message = answer["error"]["message"].as_str().unwrap_or("");
        assert!(message.contains("are not infix in the same way in infix.sml"), "{new}: {answer}");
    }
    let edit = client.request("textDocument/rename", params_in(&path, "u", nth(text, "r =", 0)));
    assert_eq!(edit["changes"][uri(&path)].as_array().unwrap().len(), 1, "{edit:#}");
    // As a pattern it would bind nothing.
    let answer = client.response("textDocument/rename", params("NONE", first(MAIN, "width")));
    let message = answer["error"]["message"].as_str().unwrap_or("");
    assert!(message.contains("`NONE` is a constructor"), "{answer}");
    // `where type` names the signature's type, and the structures before it.
    let text = "signature S = sig type t structure A : sig type u end end\n\
        functor F (X : S where type t = int where type A.u = int) = struct type v = X.A.u end\n";
    let path = folder.path().join("where.sml");
    client.open(&path, text);
    for (piece, count) in [("t structure", 2), ("A :", 3), ("u end", 3)] {
        let edit = client.request("textDocument/rename", params_in(&path, "new", first(text, piece)));
        assert_eq!(edit["changes"][uri(&path)].as_array().unwrap().len(), count, "{piece} {edit:#}");
    }
    // A variable that a record pattern names by its label keeps the label.
    let edit = client.request("textDocument/rename", params("w", first(MAIN, "width")));
    let texts: Vec<&str> =
        edit["changes"][uri(&main)].as_array().unwrap().iter().map(|e| e["newText"].as_str().unwrap()).collect();
    assert_eq!(texts, ["width = w", "w"], "{edit:#}");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn an_edit_reaches_the_files_after_it() {
    let (folder, mut client) = project(&[("app.mlb", MLB), ("shape.sml", SHAPES), ("main.sml", MAIN)]);
    let (shape, main) = (folder.path().join("shape.sml"), folder.path().join("main.sml"));
    client.open(&main, MAIN);
    client.open(&shape, SHAPES);
    // In a buffer only: `area` of another type.
    let wrong = SHAPES
        .replace("t -> real\n", "t -> real option\n")
        .replace("= w * h", "= SOME (w * h)")
        .replace("= 0.0", "= NONE");
    client.replace(&shape, &wrong);
    let list = client.until(&main, |list| !list.is_empty());
    assert!(list[0]["code"].as_str().unwrap().starts_with("type/"), "{list:#?}");
    // Back, and with its places moved, which the names after it must follow.
    client.replace(&shape, &format!("(* more *)\n\n{SHAPES}"));
    client.until(&main, <[Value]>::is_empty);
    let found = client.at("definition", &main, nth(MAIN, "area", 0));
    let line = first(SHAPES, "area (Box").0 + 2;
    assert_eq!(start_of(&found[0]).0, line, "{found}");
    client.replace(&shape, &format!("\n{SHAPES}"));
    client.now(&shape);
    let found = client.at("definition", &main, nth(MAIN, "Shape", 1));
    assert_eq!(start_of(&found[0]).0, first(SHAPES, "Shape :>").0 + 1, "{found}");
    // An error in a file before does not blind the one after it.
    client.replace(&shape, &format!("val = \n{SHAPES}"));
    client.until(&shape, |list| !list.is_empty());
    let text = hover(&mut client, &main, first(MAIN, "sum"));
    assert!(text.contains("val sum : real"), "{text}");
    assert_eq!(client.stop(), Some(0));
}

/// Of a description whose window was not saved, some answers came from the window and some from the disk: a file that
/// the window did not name any more had no hover, and yet no message and no rename; one that it named anew had hover,
/// and the message that no description names it, until the next save.
#[test]
fn a_description_that_is_not_saved() {
    let (a, b) = ("structure A = struct val x = 1 end\n", "structure B = struct val y = A.x end\n");
    for (name, library) in [("p.mlb", "$(SML_LIB)/basis/basis.mlb\n"), ("p.cm", "Group is\n$/basis.cm\n")] {
        let part = format!("{library}a.sml\n");
        let full = format!("{part}b.sml\n");
        let (folder, mut client) = project(&[(name, &part), ("a.sml", a), ("b.sml", b)]);
        let [description, first_source, second] = [name, "a.sml", "b.sml"].map(|file| folder.path().join(file));
        let renamed = |client: &mut Client| {
            let place = json!({ "line": 0, "character": 10 });
            let params = json!({ "textDocument": { "uri": uri(&first_source) }, "position": place, "newName": "Z" });
            client.request("textDocument/rename", params)["changes"].as_object().unwrap().len()
        };
        client.open(&first_source, a);
        client.open(&second, b);
        client.until(&second, |list| !list.is_empty());
        client.open(&description, &full);
        for _ in 0..2 {
            client.until(&second, <[Value]>::is_empty);
            assert!(hover(&mut client, &second, first(b, "x end")).contains("val x : int"), "{name}");
            assert_eq!(renamed(&mut client), 2, "{name}");
            client.replace(&description, &part);
            client.until(&second, |list| !list.is_empty());
            assert!(!labels(&client.at("completion", &second, first(b, "A.x"))).contains(&"A".to_string()), "{name}");
            assert_eq!(renamed(&mut client), 1, "{name}");
            client.replace(&description, &full);
        }
        client.until(&second, <[Value]>::is_empty);
        // What cannot be read names what it named.
        client.replace(&description, &format!("{full} ) ("));
        client.until(&description, |list| !list.is_empty());
        assert!(client.now(&second).is_empty(), "{name}");
        client.replace(&description, &full);
        client.until(&description, <[Value]>::is_empty);
        assert_eq!(renamed(&mut client), 2, "{name}");
        // Without its window the disk counts.
        client.close(&description);
        client.until(&second, |list| !list.is_empty());
        assert_eq!(renamed(&mut client), 1, "{name}");
        assert_eq!(client.stop(), Some(0));
    }
}

#[test]
fn completion_and_help() {
    let (folder, mut client) = project(&[("app.mlb", MLB), ("shape.sml", SHAPES), ("main.sml", MAIN)]);
    let main = folder.path().join("main.sml");
    let text = format!("{MAIN}val q = Shape.\nval p = #wi r\nval t : Sha = 1\nval u = fold\n");
    client.open(&main, &text);
    let after = |piece: &str| {
        let (line, column) = first(&text, piece);
        (line, column + piece.len())
    };
    let found = client.at("completion", &main, after("q = Shape."));
    assert_eq!(labels(&found), ["area", "make"], "{found:#}");
    assert!(found[0]["detail"].as_str().unwrap().ends_with("-> real"), "{found:#}");
    let found = client.at("completion", &main, after("#wi"));
    assert_eq!(labels(&found), ["height", "width"], "{found:#}");
    let found = labels(&client.at("completion", &main, after("t : Sha")));
    assert!(found.contains(&"Shape".to_string()) && !found.contains(&"SHAPE".to_string()), "{found:?}");
    let found = labels(&client.at("completion", &main, after("u = fold")));
    assert!(found.contains(&"foldl".to_string()) && found.contains(&"foldr".to_string()), "{found:?}");
    // A variable of a function, with its type; keywords too.
    client.replace(&main, "fun f (number : int) = let val nine = 9 in n end\n");
    let found = client.at("completion", &main, (0, 44));
    let items = found.as_array().unwrap();
    let item = items.iter().find(|item| item["label"] == "number").unwrap_or_else(|| panic!("{found:#}"));
    assert_eq!(item["detail"], "int");
    assert!(labels(&found).contains(&"nine".to_string()) && labels(&found).contains(&"andalso".to_string()));

    client.replace(&main, "fun f (a : int, b : real) (c : string) = a\nval x = f (1, \n");
    let help = client.at("signatureHelp", &main, (1, 14));
    assert_eq!(help["signatures"][0]["label"], "f : int * real -> string -> int", "{help:#}");
    assert_eq!(help["activeParameter"], 1);

    client.replace(&main, "fun f x = x + 1\nval y = f 2\n");
    let params = json!({
        "textDocument": { "uri": uri(&main) },
        "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 2, "character": 0 } },
    });
    let hints = client.request("textDocument/inlayHint", params);
    let hints: Vec<&str> = hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    assert_eq!(hints, [": int", ": int"]);

    let tokens = client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri(&main) } }));
    // f x x + y f: the first is a function that is declared here.
    let data = tokens["data"].as_array().unwrap();
    assert_eq!(data.len() % 5, 0);
    assert_eq!((&data[1], &data[3], &data[4]), (&json!(4), &json!(1), &json!(1)), "{tokens}");
    assert_eq!(client.stop(), Some(0));
}

/// A function's name was a variable in all clauses but its first.
#[test]
fn tokens_in_further_clauses() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "fun f 0 = 1\n  | f n = n\nfun 0 <+> x = x\n  | x <+> y = x + y : int\n\n\
                functor G (K : sig type t end) =\nstruct\n  fun g (x : K.t, 0) = x\n    | g (x, n) = g (x, n - 1)\nend\n";
    client.open(&path, &format!("infix <+>\n{text}"));
    let tokens = client.request("textDocument/semanticTokens/full", json!({ "textDocument": { "uri": uri(&path) } }));
    let data: Vec<u64> = tokens["data"].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect();
    let (mut line, mut column) = (0, 0);
    let mut functions = vec![];
    for token in data.chunks(5) {
        (line, column) = if token[0] == 0 { (line, column + token[1]) } else { (line + token[0], token[1]) };
        if token[3] == 1 {
            functions.push((line, column));
        }
    }
    let heads = [(1, 4), (2, 4), (3, 6), (4, 6), (8, 6), (9, 6)];
    assert!(heads.iter().all(|head| functions.contains(head)), "{functions:?}");
    assert_eq!(client.stop(), Some(0));
}

/// The name in a function's second clause was shown without a type.
#[test]
fn hover_in_a_further_clause() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "fun f 0 = 1\n  | f n = n\n\nfunctor G (K : sig type t end) =\nstruct\n  \
                fun g (x : K.t, 0) = x\n    | g (x, n) = g (x, n - 1)\nend\n";
    client.open(&path, text);
    assert!(hover(&mut client, &path, (1, 4)).contains("val f : int -> int"));
    assert!(hover(&mut client, &path, (6, 6)).contains("val g : K.t * int -> K.t"));
    assert_eq!(client.stop(), Some(0));
}

/// Comments stand below their specifications here; hover showed the one above, which belongs to another name.
/// A type that an error hides was shown by its name in the compiler, `?error`, in hints too.
#[test]
fn types_with_errors() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "val x = lisst\nfun f (y : int) = (y, lisst)\nval z = 1\n";
    client.open(&path, text);
    assert_eq!(hover(&mut client, &path, first(text, "x =")), "```sml\nval x\n```");
    assert_eq!(hover(&mut client, &path, first(text, "f (")), "```sml\nval f : int -> int * _\n```");
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": { "line": 9, "character": 0 } });
    let hints =
        client.request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri(&path) }, "range": range }));
    let hints: Vec<&str> = hints.as_array().unwrap().iter().map(|hint| hint["label"].as_str().unwrap()).collect();
    assert_eq!(hints, [": int"]);
    assert_eq!(client.stop(), Some(0));
}

/// A text that the editor has in no file got no messages and no hover.
#[test]
fn untitled() {
    let (_folder, mut client) = project(&[("app.mlb", MLB)]);
    let (address, text) = ("untitled:Untitled-1", "val x = 1 + \"a\"\nval y = 2\n");
    let document = json!({ "uri": address, "languageId": "sml", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": document }));
    assert_eq!(client.until_told(), [address]);
    let place = json!({ "textDocument": { "uri": address }, "position": { "line": 1, "character": 4 } });
    let found = client.request("textDocument/hover", place.clone());
    assert!(found["contents"]["value"].as_str().unwrap().contains("val y : int"), "{found}");
    let found = client.request("textDocument/definition", place);
    assert!(found.to_string().contains(address), "{found}");
    assert_eq!(client.stop(), Some(0));
}

/// Where a place that was found is in a file on disk: the file, and the word that stands there.
fn word_at(place: &Value) -> (PathBuf, String) {
    let path = PathBuf::from(place["uri"].as_str().unwrap().strip_prefix("file://").unwrap());
    let text = std::fs::read_to_string(&path).unwrap();
    let (line, column) = start_of(place);
    let end = place["range"]["end"]["character"].as_u64().unwrap() as usize;
    (path, text.lines().nth(line).unwrap()[column..end].to_string())
}

/// Values that a structure of the library has by `open`, by an ascription, from a functor or from another structure
/// were shown at the head of the structure; and so were their comments.
#[test]
fn definition_of_a_librarys_value() {
    let (folder, _client) = project(&[]);
    let cache = folder.path().join("cache");
    let mut client = Client::start_with(LEAT, folder.path(), &[("XDG_CACHE_HOME", &cache)]);
    let names = "CML.spawn CML.recvEvt List.app List.length Int.fromInt Array.app Word8Vector.length Unix.execute \
                 Socket.bind Substring.size OS.FileSys.chDir SyncVar.iGet TextIO.inputLine L.nth List STRING Time.time";
    let names: Vec<&str> = names.split_whitespace().collect();
    let line = |name: &str| match name {
        "STRING" => "functor F (X : STRING) = struct end\n".to_string(),
        "Time.time" => "type t = Time.time\n".to_string(),
        "List" => "structure M = List\n".to_string(),
        name => format!("val _ = {name}\n"),
    };
    let text = names.iter().fold("structure L = List\n".to_string(), |text, name| text + &line(name));
    let path = folder.path().join("a.sml");
    client.open(&path, &text);
    for (number, (name, line)) in names.iter().zip(text.lines().skip(1)).enumerate() {
        let last = name.rsplit('.').next().unwrap();
        let column = line.rfind(name).unwrap() + name.len() - last.len();
        let found = client.at("definition", &path, (number + 1, column));
        let (file, word) = word_at(&found[0]);
        assert_eq!(word, last, "{name}: {}", file.display());
        assert!(file.starts_with(&cache), "{}", file.display());
    }
    // What its signature says of it.
    let at = first(&text, "spawn");
    let shown = hover(&mut client, &path, at);
    assert!(shown.contains("val spawn : (unit -> unit) -> CML.thread_id"), "{shown}");
    assert!(shown.lines().count() > 4, "{shown}");
    assert_eq!(client.stop(), Some(0));
}

/// A file of the library that an editor opens was taken for one of the user's: full of errors, since the library's own
/// scope was not known, and ready to be renamed in.
#[test]
fn a_copy_of_a_file_of_the_library() {
    let (folder, _client) = project(&[]);
    let (cache, lib) = (folder.path().join("cache"), folder.path().join("lib"));
    let mut client = Client::start_with(LEAT, folder.path(), &[("XDG_CACHE_HOME", &cache)]);
    let text = "val a = TextIO.inputLine\nval b = Mailbox.send\nval c = CML.spawn\n";
    let path = folder.path().join("a.sml");
    client.open(&path, text);
    let mut copies: Vec<PathBuf> = ["inputLine", "send", "spawn"]
        .map(|name| word_at(&client.at("definition", &path, first(text, name))[0]).0)
        .into();
    // Those that `leat lib` writes are no others; one of them is not in the image of the Basis.
    let made = std::process::Command::new(LEAT).arg("lib").arg(&lib).output().unwrap();
    assert!(made.status.success());
    copies.push(lib.join("cml/scope.sml"));
    copies.push(lib.join("smlnj-lib/Util/splay-tree.sml"));
    for copy in &copies {
        let text = std::fs::read_to_string(copy).unwrap();
        assert_eq!(client.open(copy, &text), Vec::<Value>::new(), "{}", copy.display());
        let declared = text.find("\n  fun ").map(|at| &text[at + 7..]).expect("a function");
        let place = first(&text, declared);
        let shown = hover(&mut client, copy, place);
        assert!(shown.contains("```sml\nval ") && !shown.contains("?."), "{}: {shown}", copy.display());
        let found = client.at("references", copy, place);
        assert!(!found.as_array().unwrap().is_empty(), "{found}");
        let position = json!({ "line": place.0, "character": place.1 });
        let params = json!({ "textDocument": { "uri": uri(copy) }, "position": position, "newName": "other" });
        let answer = client.response("textDocument/rename", params);
        assert!(answer["error"]["message"].as_str().unwrap_or("").contains("Leat's library"), "{answer}");
    }
    assert_eq!(client.stop(), Some(0));
}

/// The copies were written over those of another version, others could read them, and where they could not be written
/// nobody was told.
#[test]
fn where_the_copies_of_the_library_are() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, _client) = project(&[]);
    let (file, temporary) = (folder.path().join("file"), folder.path().join("temporary"));
    std::fs::write(&file, "").unwrap();
    std::fs::create_dir(&temporary).unwrap();
    let text = "val a = List.map\n";
    let path = folder.path().join("a.sml");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    for (cache, place) in [(folder.path(), folder.path().join("leat")), (&file, temporary.clone())] {
        let variables: [(&str, &Path); 2] = [("XDG_CACHE_HOME", cache), ("TMPDIR", &temporary)];
        let mut client = Client::start_with(LEAT, folder.path(), &variables);
        client.open(&path, text);
        let copy = word_at(&client.at("definition", &path, first(text, "map"))[0]).0;
        let inside = copy.strip_prefix(&place).unwrap();
        let root = place.join(inside.iter().next().unwrap());
        assert_eq!((mode(&root), mode(&copy)), (0o700, 0o444), "{}", copy.display());
        assert_eq!(std::fs::read_dir(&place).unwrap().count(), 1, "nothing half made is left");
        if cache == file {
            assert!(client.shown.iter().any(|text| text.contains("cannot be kept")), "{:?}", client.shown);
        }
        assert_eq!(client.stop(), Some(0));
    }
    // No place at all.
    let variables: [(&str, &Path); 2] = [("XDG_CACHE_HOME", &file), ("TMPDIR", &file)];
    let mut client = Client::start_with(LEAT, folder.path(), &variables);
    client.open(&path, text);
    assert_eq!(client.at("definition", &path, first(text, "map")), json!([]));
    assert_eq!(client.shown.len(), 1, "{:?}", client.shown);
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn hover_with_comments_below() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "signature S =\nsig\n  val first : int\n  (* What comes first. *)\n  val second : int\n  \
                (* What comes second. *)\nend\n";
    client.open(&path, text);
    let shown = hover(&mut client, &path, (4, 6));
    assert!(shown.contains("What comes second.") && !shown.contains("What comes first."), "{shown}");
    assert!(hover(&mut client, &path, (2, 6)).contains("What comes first."));
    assert_eq!(client.stop(), Some(0));
}

/// A structure of more than 30 lines was an empty block: its head was looked for as the text before the first `struct`,
/// which the word `structure` begins with.
#[test]
fn hover_at_long_modules() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let lines = "  val x = 1\n".repeat(40);
    let text = format!(
        "signature S = sig type t end\nstructure Long :> S =\nstruct\n  type t = int\n{lines}end\nand Short = struct \
         end\nstructure Below =\nstruct\n  type t = int\n{lines}end :> S\nfunctor Make (structure Key : S\n  val n : \
         int) : S = (* = *)\nstruct\n  open Key\n{lines}end\nfunctor Of (Arg : S) = struct\n{lines}  type t = \
         Arg.t\nend\nstructure Made = Of (struct type t = int\n{lines}end)\nabstype box = Box of int with\n{lines}end\n"
    );
    client.open(&path, &text);
    for (piece, wanted) in [
        ("Long", "structure Long :> S\n```"),
        ("Short", "structure Short = struct end\n```"),
        ("Below", "structure Below :> S\n```"),
        ("Make", "functor Make (structure Key : S\n  val n : int) : S\n```"),
        ("Key\n", "structure Key : S\n```"),
        ("Of (Arg", "functor Of (Arg : S)\n```"),
        ("Arg.t", "structure Arg : S\n```"),
        ("Made", "structure Made = Of\n```"),
        ("box", "abstype box = Box of int\n```"),
    ] {
        let shown = hover(&mut client, &path, first(&text, piece));
        assert!(shown.starts_with(&format!("```sml\n{wanted}")), "{piece}: {shown}");
    }
    assert_eq!(client.stop(), Some(0));
}

/// Where the declaration had a comment, that of the specification was hidden, which is for the users; in a completion
/// it was never there.
#[test]
fn comments_of_both() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "signature S =\nsig\n  (* For users. *)\n  val push : int -> int\nend\nstructure Q :> S =\nstruct\n  \
                (* An inner remark. *)\n  fun push n = n + 1\nend\nval a = Q.push 1\n";
    client.open(&path, text);
    for piece in ["push 1", "push n"] {
        let shown = hover(&mut client, &path, first(text, piece));
        assert!(shown.contains("For users.\n\nAn inner remark."), "{shown}");
    }
    let shown = hover(&mut client, &path, first(text, "push :"));
    assert!(shown.contains("For users.") && !shown.contains("inner"), "{shown}");
    let found = client.at("completion", &path, first(text, "push 1"));
    let push = found.as_array().unwrap().iter().find(|item| item["label"] == "push").unwrap();
    assert_eq!(push["documentation"], "For users.");
    assert_eq!(client.stop(), Some(0));
}

/// A half-written `Q.` was two messages at each completion: that the value `Q` is not bound, which was untrue, and one
/// about the dot. Where the structure is in a library that is not named, only a member told so.
#[test]
fn half_written_names() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    client.open(&path, "");
    for text in ["val a = List.", "val a : List.\n  = 1\n", "open List.\nval b = 1\n", "structure L = (List.)"] {
        client.replace(&path, text);
        let messages: Vec<String> = client.now(&path).iter().map(|d| d["message"].to_string()).collect();
        let of_name = messages.iter().filter(|message| message.contains("a name is missing behind `List.`"));
        assert_eq!(of_name.count(), 1, "{text}: {messages:?}");
        assert!(!messages.iter().any(|message| message.contains("is not bound")), "{text}: {messages:?}");
        let place = first(text, "List.");
        let found = client.at("completion", &path, (place.0, place.1 + "List.".len()));
        assert!(!found.as_array().unwrap().is_empty(), "{text}");
    }
    client.replace(&path, "val a = TimeZone.");
    let messages = client.now(&path);
    assert!(messages[0]["message"].as_str().unwrap().contains("$(SML_LIB)/leat/time-zone.mlb"), "{messages:?}");
    assert_eq!(client.stop(), Some(0));
}

/// Hover at the declaration of an exception did not say what it carries.
#[test]
fn hover_at_an_exception() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "exception E of string *\n  int and F\nexception G = E\nsignature S = sig exception H of int end\n";
    client.open(&path, text);
    for (piece, wanted) in [
        ("E of", "exception E of string * int\n"),
        ("F", "exception F\n"),
        ("E\nsig", "exception E of string * int\n"),
        ("H", "exception H of int\n"),
    ] {
        let shown = hover(&mut client, &path, first(text, piece));
        assert!(shown.contains(wanted), "{piece}: {shown}");
    }
    assert_eq!(client.stop(), Some(0));
}

fn title_of(action: &Value) -> &str {
    action["title"].as_str().unwrap()
}

#[test]
fn symbols_and_mending() {
    let (folder, mut client) = project(&[("app.mlb", MLB), ("shape.sml", SHAPES), ("main.sml", MAIN)]);
    let (shape, main) = (folder.path().join("shape.sml"), folder.path().join("main.sml"));
    client.open(&shape, SHAPES);
    let symbols = client.request("textDocument/documentSymbol", json!({ "textDocument": { "uri": uri(&shape) } }));
    let names: Vec<&str> = symbols.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["SHAPE", "Shape"]);
    assert_eq!(symbols[1]["children"].as_array().unwrap().len(), 3, "{symbols:#}");
    client.open(&main, MAIN);
    client.now(&main);
    let found = client.request("workspace/symbol", json!({ "query": "are" }));
    let names: Vec<&str> = found.as_array().unwrap().iter().map(|one| one["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["area", "area"], "{found:#}");

    let mut mended = |text: &str, title: &str| {
        client.replace(&main, text);
        let list = client.now(&main);
        assert!(!list.is_empty(), "{text}");
        let actions = actions_of(&mut client, &main);
        let action = actions.iter().find(|a| title_of(a).starts_with(title));
        let action = action.unwrap_or_else(|| panic!("{text}: {list:#?} {actions:#?}"));
        // From the last to the first, so that places stay.
        let mut new = text.to_string();
        let mut edits = action["edit"]["changes"][uri(&main)].as_array().unwrap().clone();
        edits.sort_by_key(|edit| std::cmp::Reverse(start_of(edit)));
        for edit in edits {
            let offset = |place: &Value| {
                let line = place["line"].as_u64().unwrap() as usize;
                let start: usize = new.split_inclusive('\n').take(line).map(str::len).sum();
                start + place["character"].as_u64().unwrap() as usize
            };
            let (from, to) = (offset(&edit["range"]["start"]), offset(&edit["range"]["end"]));
            new.replace_range(from..to, edit["newText"].as_str().unwrap());
        }
        client.replace(&main, &new);
        let list = client.now(&main);
        assert!(list.is_empty(), "{new}\n{list:#?}");
        new
    };
    let new = mended("val lenght = 1\nval x = lenghth + 1\n", "did you mean");
    assert!(new.contains("x = lenght + 1"), "{new}");
    let new = mended("datatype t = A | B of int | C\nfun f A = 1\n  | f (B 1) = 2\n", "Add the missing rules");
    assert!(new.contains("  | f C = raise"), "{new}");
    assert!(new.contains("  | f (B _) = raise"), "{new}");
    mended("fun p [] = 1\n  | p ((0, \"a\") :: _) = 2\n", "Add the missing rules");
    mended("fun g (x : int option) =\n  case x of\n    NONE => 1\n", "Add the missing rules");
    mended("fun h (SOME x) [y] = x\n  | h NONE _ = 1\n", "Add the missing rules");
    mended("fun k x =\n  case x of\n    true => 1\n  | false => (case x of true => 2)\n", "Add the missing rules");
    // A match at the end of the last rule would take the new ones; and heads that are infix.
    for text in [
        "datatype t = A | B\nfun f A y = case y of 1 => 2 | _ => 3\n",
        "datatype t = A | B\nfun f x = case x of A => (print \"a\") handle _ => ()\n",
        "datatype t = A | B\nfun f x y = case x of A => if y > 1 then 1 else case y of 1 => 2 | _ => 3\n",
        "datatype t = A | B\nfun f x y = case x of A => raise case y of 1 => Fail \"a\" | _ => Fail \"b\"\n",
        "infix 5 ++\ndatatype t = A | B\nfun A ++ y = 1\n",
        "infix 5 ++\ndatatype t = A | B\nfun (A ++ y) z = 1\n",
    ] {
        mended(text, "Add the missing rules");
    }
    // The message is about the outer match; the rules went to the first function inside of it. Constructors are named
    // as the match names its own: a bare `B` would be a variable that matches everything.
    for (text, wanted) in [
        ("datatype t = A | B\nfun outer A =\n  let fun inner x = x + 1 in inner 1 end\n", "  | outer B = raise"),
        ("datatype t = A | B\nval f = fn A => let fun g x = x in map g [1] end\n", "| B => raise"),
        ("datatype t = A | B\nfun f _ = 1 and h A = let fun i x = x in i 3 end\n", "| h B = raise"),
        ("structure M = struct datatype t = A | B of int * int | C end\nfun f M.A = 1\n", "| f (M.B _) = raise"),
        ("structure M = struct datatype t = A | B end\nfun f (SOME M.A) = 1\n", "| f (SOME M.B) = raise"),
        ("fun f General.LESS = 1\n", "| f General.EQUAL = raise"),
        (
            "structure M = struct infix ++ datatype t = A | ++ of t * t end\nfun f M.A = 1\n",
            "| f (M.++ (_, _)) = raise",
        ),
        ("datatype t = A | ++ of t * t\nfun f A = 1\n", "| f (++ (_, _)) = raise"),
        ("datatype ('a, 'b) t = ` of 'a | `` of 'b\nfun f (` x) = x\n", "| f (`` _) = raise"),
    ] {
        let new = mended(text, "Add the missing rules");
        assert!(new.contains(wanted), "{new}");
    }
    // A comment behind a rule went to the rule that came behind it, or that was left before it.
    for (text, title, wanted) in [
        ("fun f x = case x of\n    SOME y => 1 (* c *)\n", "Add the missing rules", "SOME y => 1 (* c *)\n"),
        ("fun f (SOME 1) = 1 (* a *) (* b\n *)\n", "Add the missing rules", "= 1 (* a *) (* b\n *)\n"),
        (
            "fun f LESS = (fn x => x) 1 (* c *)\n  | f _ = case 1 of 1 => 2 (* d *)\n",
            "Add the missing rules",
            "case 1 of 1 => 2 (* d *)\n",
        ),
        (
            "datatype t = A | B\nfun f A = case 1 of 1 => 2 | _ => 3 (* d *)\n",
            "Add the missing rules",
            "f A = (case 1 of 1 => 2 | _ => 3) (* d *)\n",
        ),
        (
            "fun f x = case x of\n    NONE => 1 (* a *)\n  | SOME _ => 2 (* b *)\n  | NONE => 3 (* c *)\nval x = 1\n",
            "Remove the redundant rule",
            "2 (* b *)\nval x",
        ),
    ] {
        let new = mended(text, title);
        assert!(new.contains(wanted), "{new}");
    }
    mended("fun l x = case x of true => 1 | false => 2 | _ => 3\n", "Remove the redundant rule");
    // What nothing uses is removed: with its lines and its comment, out of a group, from before `as`.
    let around = |decs: &str| format!("val it =\n  let\n{decs}    val k = 1\n  in\n    k\n  end\n");
    for (decs, name, left) in [
        ("    (* Twice. *)\n    fun twice x = x * 2\n", "twice", ""),
        (
            "    val c = 0 (* other *)\n    fun twice 0 = 0\n      | twice x = x * 2;\n    val () = ignore c\n",
            "twice",
            "    val c = 0 (* other *)\n    val () = ignore c\n",
        ),
        ("    fun twice x = x * 2; (* Twice. *)\n    val () = ()\n", "twice", "    val () = ()\n"),
        (
            "    (* Not its own. *)\n\n    fun f x = x fun g x = x val () = g ()\n",
            "f",
            "    (* Not its own. *)\n\n    fun g x = x val () = g ()\n",
        ),
        (
            "    fun f x = x\n    and g x = h x\n    and h x = x\n    val () = g ()\n",
            "f",
            "    fun g x = h x\n    and h x = x\n    val () = g ()\n",
        ),
        ("    fun g x = x\n    and f x = g x\n    val () = g ()\n", "f", "    fun g x = x\n    val () = g ()\n"),
        ("    val a : int * bool = (1, true)\n", "a", ""),
        (
            "    val rec f = fn x => x and g = fn x => x\n    val () = g ()\n",
            "f",
            "    val rec g = fn x => x\n    val () = g ()\n",
        ),
        ("    val all as (a, _) = (1, 2) val () = ignore a\n", "all", "    val (a, _) = (1, 2) val () = ignore a\n"),
        (
            "    val all : int * int as (a, _) = (1, 2)\n    val () = ignore a\n",
            "all",
            "    val ((a, _) : int * int) = (1, 2)\n    val () = ignore a\n",
        ),
        (
            "    val {x as (a, _)} = {x = (1, 2)}\n    val () = ignore a\n",
            "x",
            "    val {x = (a, _)} = {x = (1, 2)}\n    val () = ignore a\n",
        ),
    ] {
        assert_eq!(mended(&around(decs), &format!("Remove `{name}`")), around(left));
    }
    let local = "local\n  fun two () = 2\n  fun one () = 1\nin\n  val x = one ()\nend\n";
    assert_eq!(mended(local, "Remove `two`"), local.replace("  fun two () = 2\n", ""));
    // What may do something stays.
    let does = around("    val r = ref (print \"a\")\n");
    assert_eq!(mended(&does, "write `_`"), does.replace("val r", "val _"));
    client.replace(&main, &does);
    let list = client.now(&main);
    assert_eq!(list[0]["tags"], json!([1]), "{list:#?}");
    let actions = actions_of(&mut client, &main);
    assert!(!actions.iter().any(|action| title_of(action).starts_with("Remove")), "{actions:#?}");
    // Which `B` is meant is not known.
    let text = "functor F () = struct datatype t = A | B end\nstructure M = F ()\nstructure N = F ()\n\
        fun f (M.A, N.A) = 1\n";
    client.replace(&main, text);
    assert_eq!(client.now(&main)[0]["code"], "match/nonexhaustive");
    let actions = actions_of(&mut client, &main);
    assert!(!actions.iter().any(|action| title_of(action).starts_with("Add")), "{actions:#?}");
    // A misspelt constructor is not grey.
    client.replace(&main, "datatype t = Red | Green\nfun name Red = 1 | name Gren = 2\n");
    assert_eq!(client.now(&main)[0]["tags"], Value::Null);
    assert_eq!(client.stop(), Some(0));
}

/// Operators of the files before are infix, and a syntax error keeps nothing but its own declaration from being
/// formatted.
#[test]
fn formats_what_can_be_read() {
    let (ops, text) = ("infixr 3 >>=\nfun a >>= b = a + b\n", "val x=1\nval y = (\nval z=1>>=2>>=3\n");
    let files = [("app.mlb", "$(SML_LIB)/basis/basis.mlb\nops.sml\nuse.sml\n"), ("ops.sml", ops), ("use.sml", text)];
    let (folder, mut client) = project(&files);
    let file = folder.path().join("use.sml");
    client.open(&file, text);
    let params = json!({ "textDocument": { "uri": uri(&file) }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params);
    // By line: blanks around `=` and the operators; nothing in the second.
    let lines: Vec<usize> = edits.as_array().unwrap().iter().map(|edit| start_of(edit).0).collect();
    assert_eq!((lines.iter().min(), lines.iter().max()), (Some(&0), Some(&2)), "{edits:#}");
    assert!(!lines.contains(&1) && lines.len() > 6, "{edits:#}");
    assert_eq!(client.stop(), Some(0));
}

/// After 3,000 edits of a program of 22 files the server held 2 GB: each complete walk took the size of now as the
/// measure of what is too much, so that nothing ever was.
#[test]
fn memory_does_not_grow_with_edits() {
    const FILES: usize = 6;
    let source = |number: usize, f0: &str| {
        let rows: Vec<String> = (1..300)
            .map(|i| {
                format!(
                    "  datatype t{i} = A{i} of int | B{i}\n  fun f{i} (A{i} n) = (n, [B{i}]) | f{i} B{i} = (0, [])\n"
                )
            })
            .collect();
        format!("structure M{number} =\nstruct\n  {f0}\n{}end\n", rows.concat())
    };
    let mut files = vec![("app.mlb".to_string(), "$(SML_LIB)/basis/basis.mlb\n".to_string())];
    for number in 0..FILES {
        let f0 = number.checked_sub(1).map_or("fun f0 x = x".to_string(), |before| format!("val f0 = M{before}.f0"));
        files[0].1.push_str(&format!("m{number}.sml\n"));
        files.push((format!("m{number}.sml"), source(number, &f0)));
    }
    let (name, text) = ("last.sml", "val text = M5.f0 \"text\"\n");
    files[0].1.push_str(name);
    files.push((name.to_string(), text.to_string()));
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect();
    let (folder, mut client) = project(&files);
    let (first, last) = (folder.path().join("m0.sml"), folder.path().join(name));
    client.open(&last, text);
    client.open(&first, files[1].1);
    let mut sizes = vec![];
    for round in 1..=120 {
        // What the first file binds is other, so that all of them are analysed again: the last has an error or has
        // none.
        let wrong = round % 2;
        client.replace(&first, &source(0, ["fun f0 x = x", "fun f0 x = x + 1"][wrong]));
        client.save(&first);
        client.until(&last, |list| list.len() == wrong);
        sizes.push(client.memory() / 1000);
    }
    // It rises and falls, and the allocator keeps some of what is free (480 edits: 147 MB at most): what counts is the
    // top. Each edit makes 2 MB that are of no use after it.
    let top = |sizes: &[u64]| sizes.iter().copied().max().unwrap_or(0);
    let (early, late) = (top(&sizes[..60]), top(&sizes[60..]));
    assert!(late < 200 && late < 2 * early, "megabytes after each edit: {sizes:?}");
    assert_eq!(client.stop(), Some(0));
}

/// The bodies of functors are checked where they are declared; their applications copy only exceptions, which must stay
/// different ones.
#[test]
fn functors() {
    let f = "functor F () =\nstruct\n  exception E\n  fun f 0 = 1\nend\n";
    let text = "structure A = F ()\nstructure B = F ()\nval n = A.f 0 handle A.E => 1 | B.E => 2\n";
    let files = [
        ("app.mlb", "$(SML_LIB)/basis/basis.mlb\nf.sml\nuse.sml\nlast.sml\n"),
        ("f.sml", f),
        ("use.sml", text),
        ("last.sml", "val x = 1 + true\n"),
    ];
    let (folder, mut client) = project(&files);
    let (functor, user, last) =
        (folder.path().join("f.sml"), folder.path().join("use.sml"), folder.path().join("last.sml"));
    let codes = |list: &[Value]| list.iter().map(|d| d["code"].as_str().unwrap().to_string()).collect::<Vec<_>>();
    assert_eq!(codes(&client.open(&functor, f)), ["match/nonexhaustive"]);
    // What was opened is told of first, and what comes after it then.
    assert!(!client.diagnostics.contains_key(&client::uri(&last)));
    client.until(&last, |list| !list.is_empty());
    assert_eq!(client.open(&user, text), Vec::<Value>::new());
    client.replace(&functor, &format!("\n\n{f}"));
    let list = client.now(&functor);
    assert_eq!(codes(&list), ["match/nonexhaustive"]);
    assert_eq!(list[0]["range"]["start"]["line"], 5);
    client.replace(&functor, &f.replace("fun f 0 = 1", "fun f _ = 1"));
    assert_eq!(client.now(&functor), Vec::<Value>::new());
    client.replace(&user, &text.replace("B.E", "A.E"));
    assert_eq!(codes(&client.now(&user)), ["match/redundant"]);
    // A description has the style, too.
    let mlb = folder.path().join("app.mlb");
    client.open(&mlb, "local   f.sml in\nuse.sml end");
    let params = json!({ "textDocument": { "uri": uri(&mlb) }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params);
    assert_eq!(edits[0]["newText"], "local\n  f.sml\nin\n  use.sml\nend\n", "{edits}");
    assert_eq!(client.stop(), Some(0));
}

#[test]
fn odd_clients() {
    let (folder, mut client) = project(&[("broken.mlb", "missing.sml\n$(NO)/x.sml\nval\n"), ("b.sml", "val x = 1\n")]);
    // Files that are not there, texts that are no programs, questions about places that do not exist.
    let gone = folder.path().join("gone/deep.sml");
    client.open(&gone, "");
    for method in ["hover", "definition", "references", "completion", "signatureHelp", "prepareRename"] {
        client.at(method, &gone, (1000, 1000));
    }
    let answer = client.response("textDocument/hover", json!({ "nonsense": 1 }));
    assert!(answer.get("error").is_some());
    assert!(client.response("no/such/method", json!({})).get("error").is_some());
    client.open(&folder.path().join("broken.mlb"), "missing.sml\n$(NO)/x.sml\nval\n");
    let list = client.until(&folder.path().join("broken.mlb"), |list| !list.is_empty());
    assert!(
        list.iter()
            .all(|d| d["code"].as_str().unwrap().starts_with("unit/")
                || d["code"].as_str().unwrap().starts_with("syntax/")),
        "{list:#?}"
    );
    client.replace(&gone, &"(".repeat(30_000));
    assert!(!client.now(&gone).is_empty());
    client.replace(&gone, "val x = \"\u{0}\u{7f}\u{10ffff}\n(* ");
    assert!(!client.now(&gone).is_empty());
    // Letters of several bytes right before the word that is asked about.
    let text = "val f = fn x => x\nval y = f é😀x (\n";
    client.replace(&gone, text);
    for column in 0..text.lines().nth(1).unwrap().len() + 2 {
        for method in ["hover", "definition", "references", "completion", "signatureHelp"] {
            client.at(method, &gone, (1, column));
        }
    }
    client.replace(&gone, "val y = 1\r\nval z = y + true\r\n");
    let list = client.now(&gone);
    assert_eq!(list[0]["range"]["start"]["line"], 1);
    assert_eq!(client.stop(), Some(0));
}

/// Random edits of the examples: no crash, and always what `leat check` says. With LEAT_STORM=DIR all sources below
/// that folder are taken, for LEAT_STORM_MINUTES: `cargo xtask lsp-storm DIR --minutes=N`. With
/// LEAT_STORM_PROGRAM=FILE.mlb they are edited where they are, as parts of that program, LEAT_STORM_EDITS times, with a
/// check of it after each LEAT_STORM_EVERY: take a copy. LEAT_STORM_SEED=N with LEAT_STORM_FILE=PATH-IN-DIR makes the
/// edits of a failure again.
#[test]
fn storms() {
    let (folder, rounds, minutes) = match std::env::var_os("LEAT_STORM") {
        Some(folder) => {
            let minutes = std::env::var("LEAT_STORM_MINUTES").ok().and_then(|m| m.parse().ok()).unwrap_or(60);
            (PathBuf::from(folder), 120, minutes)
        }
        None => (Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples"), 24, 0),
    };
    let mut files = vec![];
    let mut folders = vec![folder.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            let suffix = path.extension().unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if (suffix == "sml" || suffix == "fun" || suffix == "sig")
                && entry.metadata().is_ok_and(|m| m.len() < 200_000)
            {
                files.push(path);
            }
        }
    }
    files.sort();
    let program = std::env::var_os("LEAT_STORM_PROGRAM").map(PathBuf::from);
    if let Some(program) = &program {
        // What is no part of it is checked alone.
        let members = leat_driver::tooling::members(program, &leat_driver::Options::default());
        files.retain(|path| members.contains(path));
    }
    assert!(!files.is_empty(), "there are no sources, or none of the program");
    let number = |name: &str, default| std::env::var(name).ok().and_then(|n| n.parse().ok()).unwrap_or(default);
    let (edits, every) = (number("LEAT_STORM_EDITS", usize::MAX), number("LEAT_STORM_EVERY", 20));
    let long = minutes > 0;
    let (start, limit) = (Instant::now(), Duration::from_secs(if long { 60 * minutes } else { 20 }));
    let mut client = Client::start(LEAT, &folder);
    let again = std::env::var_os("LEAT_STORM_FILE").map(|file| folder.join(file));
    if let Some(again) = &again {
        files = vec![again.clone()];
    }
    let (mut compared, mut failures, mut seed) = (0, vec![], number("LEAT_STORM_SEED", 1) as u64);
    'all: loop {
        for path in &files {
            if start.elapsed() > limit || failures.len() >= 5 || client.edits >= edits {
                break 'all;
            }
            match storm(
                &mut client,
                LEAT,
                (&folder, path),
                program.as_deref().map(|program| (program, every)),
                seed,
                rounds,
            ) {
                Ok(n) => compared += n,
                Err(failure) => failures.push(failure),
            }
            seed += 1;
        }
        if !long || again.is_some() {
            break;
        }
    }
    let (files, edits, memory) = (seed - 1, client.edits, client.memory());
    println!("{files} files, {edits} edits, {compared} texts compared, {memory} kB of memory, {:?}", start.elapsed());
    let took = std::mem::take(&mut client.took);
    let (mut clock, mut busy): (Vec<_>, Vec<_>) = took.iter().map(|(time, busy, _)| (*time, *busy)).unzip();
    for (what, times) in [("time", &mut clock), ("the server's processor time", &mut busy)] {
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        println!("{what} of {} answers: median {:?}, 99 % {:?}, most {:?}", times.len(), at(0.5), at(0.99), at(1.0));
    }
    let mut by_method: std::collections::BTreeMap<&str, Vec<Duration>> = Default::default();
    took.iter().for_each(|(_, busy, method)| by_method.entry(method).or_default().push(*busy));
    for (method, mut times) in by_method {
        times.sort();
        let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
        println!("{method}: {} answers, median {:?}, 99 % {:?}, most {:?}", times.len(), at(0.5), at(0.99), at(1.0));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(compared > 0);
    assert_eq!(client.stop(), Some(0));
}

/// The errors of JSON-RPC have numbers that mean something: a client shows some, repeats others, and reports the rest.
#[test]
fn numbers_of_errors() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    client.open(&path, "val x = 1\n");
    let document = json!({ "uri": uri(&path) });
    let place = json!({ "line": 0, "character": 4 });
    let mut code = |method: &str, params: Value| client.response(method, params)["error"]["code"].as_i64();
    assert_eq!(code("textDocument/hover", json!({ "wrong": 1 })), Some(-32602));
    assert_eq!(code("textDocument/hover", json!([])), Some(-32602));
    assert_eq!(code("textDocument/hover", json!(null)), Some(-32602));
    assert_eq!(
        code("textDocument/hover", json!({ "textDocument": document, "position": { "line": -1 } })),
        Some(-32602)
    );
    assert_eq!(code("textDocument/rename", json!({ "textDocument": document, "position": place })), Some(-32602));
    let range = json!({ "textDocument": document, "range": 5 });
    assert_eq!(code("textDocument/rangeFormatting", range), Some(-32602));
    assert_eq!(code("workspace/symbol", json!({})), Some(-32602));
    assert_eq!(code("textDocument/noSuchThing", json!({})), Some(-32601));
    assert_eq!(code("initialize", json!({ "capabilities": {} })), Some(-32600));
    let wrong = json!({ "textDocument": document, "position": place, "newName": "val" });
    assert_eq!(code("textDocument/rename", wrong), Some(-32803));
    assert_eq!(code("textDocument/hover", json!({ "textDocument": document, "position": place })), None);
    assert_eq!(code("shutdown", json!(null)), None);
    assert_eq!(code("textDocument/hover", json!({ "textDocument": document, "position": place })), Some(-32600));
    assert_eq!(code("shutdown", json!(null)), Some(-32600));
    client.notify("exit", json!(null));
    assert_eq!(client.ended(), Some(0));
}

/// What is no message is answered, and the next one is read: it had ended the server without a word.
#[test]
fn what_is_no_message() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    client.open(&path, "val x = 1\n");
    for (bytes, code) in [
        (&b"Content-Length: 5\r\n\r\n{bad}"[..], -32700),
        (b"Content-Length: 3\r\n\r\n\xff\xfe\xfd", -32700),
        (b"Content-Length: 2\r\n\r\n[]", -32600),
        (b"Content-Length: 4\r\n\r\nnull", -32600),
        (b"Content-Length: 24\r\n\r\n{\"id\":true,\"method\":\"a\"}", -32600),
        (b"Content-Type: none\r\n\r\n", -32700),
    ] {
        client.raw(bytes);
        let answer = client.next_with("error");
        assert_eq!((answer["error"]["code"].as_i64(), &answer["id"]), (Some(code), &Value::Null), "{answer}");
        assert!(hover(&mut client, &path, (0, 4)).contains("val x : int"));
    }
    assert_eq!(client.stop(), Some(0));
}

/// An address may be spelt in many ways; the client is told of its file by the spelling that it has used.
#[test]
fn spellings_of_an_address() {
    let (folder, mut client) = project(&[
        ("p.mlb", "$(SML_LIB)/basis/basis.mlb\na-b/x.sml\ny.sml\n"),
        ("a-b/x.sml", "val x = 1\n"),
        ("y.sml", "val y = x\n"),
    ]);
    let root = folder.path().display().to_string();
    for spelling in [
        format!("file://{root}/a%2Db/x.sml"),
        format!("file://{root}//a-b/./x.sml"),
        format!("file://{root}/a-b/../a%2db/%78.sml"),
        format!("file://localhost{root}/a-b/x.sml"),
        format!("file:{root}/a-b/x.sml"),
    ] {
        let document =
            json!({ "uri": spelling, "languageId": "sml", "version": 1, "text": "val x = case 1 of 1 => 2\n" });
        client.notify("textDocument/didOpen", json!({ "textDocument": document }));
        assert_eq!(client.until_told(), std::slice::from_ref(&spelling));
        let document = json!({ "uri": spelling });
        let here = json!({ "textDocument": document, "position": { "line": 0, "character": 4 } });
        let hover = client.request("textDocument/hover", here.clone());
        assert!(hover["contents"]["value"].as_str().is_some_and(|text| text.contains("val x")), "{spelling}: {hover}");
        let references = json!({
            "textDocument": document, "position": { "line": 0, "character": 4 }, "context": { "includeDeclaration": true },
        });
        let found = client.request("textDocument/references", references);
        assert_eq!(found[0]["uri"], spelling.as_str(), "{found}");
        client.notify("textDocument/didClose", json!({ "textDocument": document }));
        client.request("workspace/symbol", json!({ "query": "" }));
        let told: Vec<&String> =
            client.diagnostics.iter().filter(|(_, d)| !d.1.is_empty()).map(|(uri, _)| uri).collect();
        assert_eq!(told, Vec::<&String>::new(), "{spelling} is closed");
    }
    assert_eq!(client.stop(), Some(0));
}

/// Places on a long line are found by bisection: an answer about a line of 300 KB had taken minutes.
#[test]
fn a_long_line() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("long.sml");
    let text = format!("val x = [\"é😀\",{}\"\"]\n", "\"a\",".repeat(60_000));
    client.open(&path, &text);
    let params = json!({ "textDocument": { "uri": uri(&path) }, "options": { "tabSize": 2, "insertSpaces": true } });
    let before = client.busy();
    let edits = client.request("textDocument/formatting", params);
    assert!(edits.as_array().is_some_and(|edits| edits.len() > 50_000));
    // Quadratic work would be some 20 thousand million steps. What others have of the processor is not counted.
    let busy = client.busy().saturating_sub(before);
    assert!(busy < Duration::from_secs(60), "{busy:?}");
    assert_eq!(client.stop(), Some(0));
}

/// The last characters of Unicode stand for bytes in the compiler's texts. A window's text got four of them for each of
/// its own, but not behind an edit: then the server's text was not the editor's.
#[test]
fn characters_for_private_use() {
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    let text = "val a = \"\u{10FFFD}\" val b=nope\nval c=3\n";
    let opened = client.open(&path, text);
    assert_eq!(start_of(&opened[0]), first(text, "nope"), "{opened:#?}");
    let (line, column) = first(text, "nope");
    client.edit(&path, (line, column + 4), (line, column + 4), "Z");
    let text = text.replace("nope", "nopeZ");
    let edited = client.now(&path);
    assert!(edited[0]["message"].as_str().unwrap().contains("`nopeZ`"), "{edited:#?}");
    assert_eq!(edited.len(), 1, "{edited:#?}");
    let params = json!({ "textDocument": { "uri": uri(&path) }, "options": { "tabSize": 2, "insertSpaces": true } });
    let edits = client.request("textDocument/formatting", params);
    let places: Vec<(usize, usize)> = edits.as_array().unwrap().iter().map(start_of).collect();
    let (line, column) = first(&text, "val b");
    assert_eq!(places[0], (line, column - 1), "{edits:#}");
    client.replace(&path, &text);
    assert_eq!(client.now(&path), edited);
    assert_eq!(client.stop(), Some(0));
}

/// Hover said `?.Eval.value -> ?.N.t` inside of a functor, where the program says `value -> N.t`.
#[test]
fn types_in_the_words_of_a_functors_body() {
    let text = "\
functor Eval (N : sig type t val zero : t end) = struct
  datatype value = Num of N.t | Nil
  structure Inner = struct datatype more = More of value end
  fun number (Num n) = n
    | number Nil = N.zero
  fun wrap v = Inner.More v
  val all = map number
end
functor Open (type t val zero : t) = struct
  fun id (x : t) = x
  val y = id zero
end
structure Out = struct local datatype hidden = H in val h = H end end
val outside = Out.h
";
    let (folder, mut client) = project(&[("a.sml", text)]);
    let path = folder.path().join("a.sml");
    client.open(&path, text);
    for (piece, wanted) in [
        ("number (Num", "val number : value -> N.t"),
        ("wrap v", "val wrap : value -> Inner.more"),
        ("all =", "val all : value list -> N.t list"),
        ("y = id", "val y : t"),
        ("outside", "val outside : ?."),
    ] {
        let shown = hover(&mut client, &path, first(text, piece));
        assert!(shown.contains(wanted), "{piece}: {shown}");
        assert!(piece == "outside" || !shown.contains('?'), "{piece}: {shown}");
    }
    assert_eq!(client.stop(), Some(0));
}

/// After a defect of Leat at a question the server answered `null` to all others, until an edit; a defect in a file's
/// own analysis was met again each 150 milliseconds; and a question right behind the edit that led to it got no answer.
/// A word in a text stands for the defect here.
#[test]
fn after_a_defect() {
    let (in_a, in_x) = ("fun twice x = 2 * x\n", "val y = 1\n");
    let (basis, folder) = ("$(SML_LIB)/basis/basis.mlb", tempfile::TempDir::new().unwrap());
    write(
        folder.path(),
        &[
            ("p.mlb", &format!("{basis} a.sml b.sml d.sml\n")),
            ("tool.mlb", &format!("{basis} a.sml c.sml\n")),
            ("a.sml", in_a),
            ("b.sml", "val four = twice 2\n"),
            ("c.sml", "val planted = twice 3\n"),
            ("d.sml", ""),
            ("x.sml", in_x),
        ],
    );
    let log = folder.path().join("log");
    let mut command = Command::new(LEAT);
    command.env("LEAT_PLANTED_DEFECT", "planted").stderr(std::fs::File::create(&log).unwrap());
    let (mut client, _) = Client::start_by(command, json!({ "rootUri": uri(folder.path()), "capabilities": {} }));
    let defects = || std::fs::read_to_string(&log).unwrap().matches("this is a defect of leat;").count();
    let (a, x) = (folder.path().join("a.sml"), folder.path().join("x.sml"));
    assert_eq!(client.open(&a, in_a), Vec::<Value>::new());
    assert_eq!(client.open(&x, in_x), Vec::<Value>::new());
    // All is known again soon, without an edit.
    let until_known = |client: &mut Client, path: &Path, text: &str, name: &str, shown: &str| {
        let (line, character) = first(text, name);
        let place = json!({ "line": line, "character": character });
        let params = json!({ "textDocument": { "uri": uri(path) }, "position": place });
        for _ in 0..1000 {
            // One that comes together with the edit meets the defect, too.
            let answer = client.response("textDocument/hover", params.clone());
            if answer["result"]["contents"]["value"].as_str().is_some_and(|text| text.contains(shown)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{name} is not known again");
    };
    until_known(&mut client, &a, in_a, "twice", "int -> int");
    let document = json!({ "uri": uri(&a) });
    let params = json!({ "textDocument": document, "position": { "line": 0, "character": 4 } });
    assert_eq!(client.response("textDocument/references", params)["error"]["code"], -32603);
    assert_eq!(defects(), 1);
    until_known(&mut client, &a, in_a, "twice", "int -> int");
    until_known(&mut client, &x, in_x, "y", "val y : int");
    // In the text itself: it is met when the edit is taken up, and once when the program is walked.
    let bad = "val planted = 1\n";
    client.replace(&x, bad);
    until_known(&mut client, &a, in_a, "twice", "int -> int");
    std::thread::sleep(Duration::from_millis(1500));
    assert!(defects() <= 4, "{}", defects());
    assert_eq!(hover(&mut client, &x, (0, 4)), "");
    // Other windows are edited, and known.
    let in_a = "fun thrice x = 3 * x\n";
    client.replace(&a, in_a);
    until_known(&mut client, &a, in_a, "thrice", "int -> int");
    client.replace(&x, in_x);
    until_known(&mut client, &x, in_x, "y", "val y : int");
    // The edit and the question come together.
    let change = json!({
        "textDocument": { "uri": uri(&x), "version": 100 }, "contentChanges": [{ "text": bad }],
    });
    let question = json!({ "textDocument": { "uri": uri(&x) }, "position": { "line": 0, "character": 4 } });
    let change = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": change });
    let question = json!({ "jsonrpc": "2.0", "id": "q", "method": "textDocument/hover", "params": question });
    client.raw(&[frame(&change.to_string()), frame(&question.to_string())].concat());
    assert_eq!(client.next_with("id")["id"], "q");
    assert_eq!(client.stop(), Some(0));
}

/// Files that change on disk are told by the editor, if it is asked to watch them.
#[test]
fn what_is_asked_of_the_editor() {
    let folder = tempfile::TempDir::new().unwrap();
    let start = |capabilities: Value| {
        let initialize = json!({ "rootUri": uri(folder.path()), "capabilities": capabilities });
        let (mut client, _) = Client::start_by(Command::new(LEAT), initialize);
        client.request("workspace/symbol", json!({ "query": "" }));
        let asked = std::mem::take(&mut client.asked);
        client.send(&json!({ "jsonrpc": "2.0", "id": "files", "result": null }));
        assert_eq!(client.stop(), Some(0));
        asked
    };
    assert_eq!(start(json!({ "workspace": { "didChangeWatchedFiles": {} } })), Vec::<Value>::new());
    let asked = start(json!({ "workspace": { "didChangeWatchedFiles": { "dynamicRegistration": true } } }));
    assert_eq!(asked.len(), 1, "{asked:#?}");
    assert_eq!(asked[0]["method"], "client/registerCapability");
    let registered = &asked[0]["params"]["registrations"][0];
    assert_eq!(registered["method"], "workspace/didChangeWatchedFiles");
    assert_eq!(registered["registerOptions"]["watchers"][0]["globPattern"], "**/*.{sml,sig,fun,mlb,cm}");
}

/// One folder with a bracket in its name, or one word for a capability that the server does not know, and `initialize`
/// was refused; and no file in that folder could be opened.
#[test]
fn words_that_nobody_has_agreed_on() {
    let folder = tempfile::TempDir::new().unwrap();
    let root = folder.path().join("[old]^a|b 100%");
    let text = "val x = y\n";
    write(&root, &[("p.mlb", "$(SML_LIB)/basis/basis.mlb y.sml x.sml\n"), ("y.sml", "val y = 1\n"), ("x.sml", text)]);
    let address = format!("file://{}", root.display());
    let (mut client, answer) = Client::start_by(
        Command::new(LEAT),
        json!({
            "trace": "everything",
            "rootUri": address,
            "workspaceFolders": [{ "uri": address, "name": "old" }],
            "capabilities": {
                "general": { "positionEncodings": ["utf-32", 7, "utf-8"] },
                "textDocument": { "hover": { "contentFormat": ["html"] }, "completion": 5 },
                "workspace": { "workspaceEdit": { "failureHandling": "perhaps" } },
            },
        }),
    );
    assert_eq!(answer["capabilities"]["positionEncoding"], "utf-8");
    let document = json!({ "uri": format!("{address}/x.sml") });
    let opened = json!({ "uri": document["uri"], "languageId": "sml", "version": 1, "text": text });
    client.notify("textDocument/didOpen", json!({ "textDocument": opened }));
    let place = json!({ "line": 0, "character": 8 });
    let params = json!({ "textDocument": document, "position": place });
    let shown = client.request("textDocument/hover", params.clone());
    assert!(shown["contents"]["value"].as_str().is_some_and(|text| text.contains("val y : int")), "{shown}");
    let found = client.request("textDocument/definition", params);
    let found = found[0]["uri"].as_str().unwrap_or_default();
    assert!(found.ends_with("/%5Bold%5D%5Ea%7Cb%20100%25/y.sml"), "{found}");
    let change = json!({ "textDocument": { "uri": document["uri"], "version": 2 }, "contentChanges": [{ "text": "val x = z\n" }] });
    client.notify("textDocument/didChange", change);
    assert_eq!(client.until_told().len(), 1);
    assert_eq!(client.stop(), Some(0));
}

/// After a change that cannot be read, all later ones went to wrong places of the server's text. It says nothing about
/// that text now, until it knows it again. Half of a character, which an editor may send, is no such change.
#[test]
fn changes_that_cannot_be_read() {
    let text = "val x = y\nval z = 1\n";
    let (folder, mut client) = project(&[]);
    let path = folder.path().join("a.sml");
    assert_eq!(client.open(&path, text).len(), 1);
    let document = json!({ "uri": uri(&path), "version": 2 });
    for change in [json!({ "range": { "start": { "line": -1 } }, "text": "" }), json!({ "text": 5 })] {
        client.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": [change] }));
    }
    let params = json!({ "textDocument": { "uri": uri(&path) }, "position": { "line": 1, "character": 4 } });
    assert_eq!(client.request("textDocument/hover", params.clone()), Value::Null);
    assert_eq!(client.request("textDocument/documentSymbol", params.clone()), Value::Null);
    client.until(&path, <[Value]>::is_empty);
    client.edit(&path, (0, 0), (0, 0), "val w = 1\n");
    assert_eq!(client.request("textDocument/hover", params.clone()), Value::Null);
    assert_eq!(client.shown.len(), 1, "{:?}", client.shown);
    assert!(client.shown[0].contains("a.sml"));
    client.replace(&path, text);
    assert_eq!(client.now(&path).len(), 1);
    assert!(hover(&mut client, &path, (1, 4)).contains("val z : int"));
    let change = json!({ "range": { "start": { "line": 0, "character": 0 }, "end": { "line": 0, "character": 0 } }, "text": "(*HALF*) " });
    let change = json!({ "textDocument": { "uri": uri(&path), "version": 20 }, "contentChanges": [change] });
    let change = json!({ "jsonrpc": "2.0", "method": "textDocument/didChange", "params": change }).to_string();
    let change = change.replace("HALF", "\\ud83d");
    client.raw(&frame(&change));
    client.edit(&path, (1, 8), (1, 9), "\"\"");
    assert!(hover(&mut client, &path, (1, 4)).contains("val z : string"));
    // The half is one character: `y` stands behind `(*.*) val x = `, where `.` has three bytes.
    assert_eq!(start_of(&client.now(&path)[0]), (0, 7 + 1 + 8));
    assert_eq!(client.shown.len(), 1, "{:?}", client.shown);
    assert_eq!(client.stop(), Some(0));
}
