//! The server's loop: messages in, edits taken up, answers and diagnostics out; and when what is analysed.
//!
//! One thread owns the front end. An edit is analysed before anything else happens, its own file alone and in the scope
//! that it had; its diagnostics go out at once. The walk over the whole program follows when nothing more has come for
//! a moment, and stops at the next message: what it has analysed stays, so the walk after it is shorter. It also stops
//! to tell what there is of a file that has just been opened.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use leat_base::Diagnostic;
use leat_driver::Options;
use leat_driver::tooling::Front;
use leat_driver::units::is_description;
use lsp_types as lsp;
use serde_json::{Value, json};

use crate::answer::Refusal;
use crate::project::Look;
use crate::text::{Encoding, Lines, as_source, escape_addresses, path_of, path_of_text, uri_of};
use crate::wire::{Message, Wire, code};
use crate::workspace::{Document, Workspace};
use crate::{answer, listing, query, tokens};

/// How long nothing must come before the whole program is looked at again.
const QUIET: Duration = Duration::from_millis(150);

struct Server {
    wire: Wire,
    workspace: Workspace,
    /// The library's own sources, as a program: made when a window has a copy of one of its files.
    library: Option<Workspace>,
    /// Edited since they were analysed.
    edited: BTreeSet<PathBuf>,
    /// Opened, and never analysed: a walk tells what it knows when it has come by one of these.
    awaited: BTreeSet<PathBuf>,
    /// Opened, and not told of since: their messages are told once more, though the client may have them.
    untold: BTreeSet<PathBuf>,
    last_edit: Instant,
    /// How many changes of texts, windows and files the client has told.
    changes: u64,
    /// Descriptions may name other files now: see [`Server::assign`].
    is_assignment_due: bool,
    /// What was read of the disk since the last message that nothing waited behind.
    look: Look,
    /// The program that is being walked.
    walked: Option<PathBuf>,
    /// What the client shows now.
    published: BTreeMap<PathBuf, Vec<lsp::Diagnostic>>,
    /// The client watches files if it is asked to.
    may_register: bool,
    shut_down: bool,
}

/// Serves a client on standard input and output until it says `exit`. Answers the exit code.
pub fn serve(options: Options) -> u8 {
    let front = match Front::new(options) {
        Ok(front) => front,
        Err(failure) => {
            eprintln!("leat lsp: {failure:?}");
            return 1;
        }
    };
    let wire = match Wire::standard() {
        Ok(wire) => wire,
        Err(error) => {
            eprintln!("leat lsp: the system gives no thread to read or write by: {error}");
            return 1;
        }
    };
    let Some((id, mut params)) = first_request(&wire) else {
        wire.finish();
        return 1;
    };
    escape_addresses(&mut params);
    let encodings = params["capabilities"]["general"]["positionEncodings"].as_array();
    let utf8 = encodings.is_some_and(|all| all.iter().any(|encoding| *encoding == "utf-8"));
    let encoding = if utf8 { Encoding::Utf8 } else { Encoding::Utf16 };
    let answer = json!({
        "capabilities": capabilities(encoding),
        "serverInfo": { "name": "leat lsp", "version": env!("CARGO_PKG_VERSION") },
    });
    wire.result(id, answer);
    let mut server = Server {
        wire,
        workspace: Workspace::new(front, encoding, folders(&params), Rc::default()),
        library: None,
        edited: BTreeSet::new(),
        awaited: BTreeSet::new(),
        untold: BTreeSet::new(),
        last_edit: Instant::now(),
        changes: 0,
        is_assignment_due: false,
        look: Look::default(),
        walked: None,
        may_register: params["capabilities"]["workspace"]["didChangeWatchedFiles"]["dynamicRegistration"] == true,
        published: BTreeMap::new(),
        shut_down: false,
    };
    server.workspace.front.set_folders(&server.workspace.folders);
    let code = server.run();
    server.wire.finish();
    code
}

/// Waits for `initialize`, and answers its parameters. None: the conversation has ended before.
///
/// They are taken as they are, and only what is needed of them is looked at: a client may have words for what it can do
/// that are newer than this server.
fn first_request(wire: &Wire) -> Option<(Value, Value)> {
    let mut is_first = true;
    for message in &wire.receiver {
        match message {
            Message::Request { id, method, params } if method == "initialize" => return Some((id, params)),
            Message::Request { id, method, .. } => {
                wire.error(id, code::NOT_INITIALIZED, &format!("`{method}` comes before `initialize`"));
            }
            Message::Notification { method, .. } if method == "exit" => return None,
            Message::Notification { .. } | Message::Response => {}
            Message::Bad { id, code, why } => {
                // Most likely somebody who has typed it.
                let hint = "an editor talks to it on standard input, by the Language Server Protocol";
                eprintln!("leat lsp: {why}{}", if is_first { format!(" ({hint})") } else { String::new() });
                wire.error(id, code, &why);
            }
        }
        is_first = false;
    }
    if is_first {
        eprintln!("leat lsp: an editor talks to it on standard input, by the Language Server Protocol");
    }
    None
}

/// The folders that the editor has opened; old clients give the root alone.
fn folders(params: &Value) -> Vec<PathBuf> {
    let addresses: Vec<&Value> = match params["workspaceFolders"].as_array() {
        Some(folders) => folders.iter().map(|folder| &folder["uri"]).collect(),
        None => vec![&params["rootUri"]],
    };
    addresses.into_iter().filter_map(|address| path_of_text(address.as_str()?)).collect()
}

fn capabilities(encoding: Encoding) -> Value {
    json!({
        "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
        "textDocumentSync": { "openClose": true, "change": 2, "save": true },
        "hoverProvider": true,
        "definitionProvider": true,
        "typeDefinitionProvider": true,
        "referencesProvider": true,
        "documentHighlightProvider": true,
        "callHierarchyProvider": true,
        "renameProvider": { "prepareProvider": true },
        "documentSymbolProvider": true,
        "workspaceSymbolProvider": true,
        "completionProvider": { "triggerCharacters": [".", "#"] },
        "signatureHelpProvider": { "triggerCharacters": ["(", ",", " "] },
        "inlayHintProvider": true,
        "codeActionProvider": { "codeActionKinds": ["quickfix"] },
        "foldingRangeProvider": true,
        "documentFormattingProvider": true,
        "documentRangeFormattingProvider": true,
        "semanticTokensProvider": {
            "legend": { "tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS },
            "full": true,
        },
        "workspace": { "workspaceFolders": { "supported": true, "changeNotifications": true } },
    })
}

impl Server {
    fn run(&mut self) -> u8 {
        loop {
            let message = if self.is_assignment_due || !self.stale().is_empty() {
                let wait = QUIET.saturating_sub(self.last_edit.elapsed());
                match self.wire.receiver.recv_timeout(wait) {
                    Ok(message) => Some(message),
                    Err(error) if error.is_timeout() => None,
                    Err(_) => return self.exit_code(),
                }
            } else {
                match self.wire.receiver.recv() {
                    Ok(message) => Some(message),
                    Err(_) => return self.exit_code(),
                }
            };
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| match message {
                Some(message) => self.message(message),
                None => {
                    self.walk();
                    None
                }
            }));
            match result {
                Ok(Some(code)) => return code,
                Ok(None) => {}
                // A defect of Leat: what it was about is forgotten, the rest goes on.
                Err(_) => self.begin_anew(),
            }
        }
    }

    /// The programs that a walk is due over. One whose last walk met a defect of Leat waits for a change.
    fn stale(&self) -> Vec<PathBuf> {
        let programs = self.workspace.programs.iter();
        let stale = programs.filter(|(_, program)| program.stale && program.failed_after != Some(self.changes));
        stale.map(|(root, _)| root.clone()).collect()
    }

    fn begin_anew(&mut self) {
        eprintln!("leat lsp: this is a defect of leat; everything is analysed again");
        self.workspace.front.begin_anew();
        self.workspace.programs.values_mut().for_each(|program| program.stale = true);
        if let Some(root) = self.walked.take() {
            self.workspace.programs.entry(root).or_default().failed_after = Some(self.changes);
        }
        // It is made again with the next window.
        self.library = None;
        self.edited.clear();
        self.look = Look::default();
        self.last_edit = Instant::now();
    }

    /// A client that ends without `shutdown` has crashed.
    fn exit_code(&self) -> u8 {
        if self.shut_down { 0 } else { 1 }
    }

    fn message(&mut self, message: Message) -> Option<u8> {
        match message {
            Message::Request { id, method, mut params } => {
                escape_addresses(&mut params);
                self.request(id, &method, params);
            }
            Message::Notification { method, .. } if method == "exit" => return Some(self.exit_code()),
            Message::Notification { method, mut params } => {
                escape_addresses(&mut params);
                if !self.shut_down {
                    self.notification(&method, params);
                }
                // A burst of edits is taken up at once, and so is one of saved files.
                if self.wire.receiver.is_empty() {
                    self.take_up_assignment();
                    self.take_up_edits();
                }
            }
            Message::Response => {}
            Message::Bad { id, code, why } => {
                eprintln!("leat lsp: {why}");
                self.wire.error(id, code, &why);
            }
        }
        if self.wire.receiver.is_empty() {
            self.look = Look::default();
        }
        None
    }

    // ------------------------------------------------------------ notifications

    fn notification(&mut self, method: &str, params: Value) {
        if method.starts_with("textDocument/") || method.starts_with("workspace/") {
            self.changes += 1;
        }
        match method {
            "initialized" if self.may_register => {
                let watchers = json!([{ "globPattern": "**/*.{sml,sig,fun,mlb,cm}" }]);
                let method = "workspace/didChangeWatchedFiles";
                let one = json!({ "id": "files", "method": method, "registerOptions": { "watchers": watchers } });
                self.wire.request("files", "client/registerCapability", json!({ "registrations": [one] }));
            }
            "textDocument/didOpen" => {
                let Some(params) = understood::<lsp::DidOpenTextDocumentParams>(method, params) else { return };
                let Some(path) = path_of(&params.text_document.uri) else { return };
                let text: Arc<str> = params.text_document.text.into();
                let (uri, version) = (params.text_document.uri, params.text_document.version);
                if self.opened_of_library(&path, (&uri, version), text.clone()) {
                    return;
                }
                self.workspace.front.set_buffer(&path, Some(as_source(&text)));
                let windows = self.workspace.windows();
                let root = self.workspace.root_of(&path, &windows, &mut self.look);
                self.workspace.front.set_home(&path, Some(&root));
                self.workspace.programs.entry(root.clone()).or_default().stale = true;
                // The window may have another text than the disk.
                self.is_other_for(&path);
                self.awaited.insert(path.clone());
                self.untold.insert(path.clone());
                self.take_back(&path, &uri);
                let project = self.workspace.project_of(&path, &root, &windows, &mut self.look);
                let document = Document { uri, text, version, is_lost: false, root, project };
                self.workspace.documents.insert(path, document);
                self.last_edit = Instant::now().checked_sub(QUIET).unwrap_or_else(Instant::now);
            }
            "textDocument/didChange" => {
                let address = params["textDocument"]["uri"].as_str().and_then(path_of_text);
                let Some(params) = understood::<lsp::DidChangeTextDocumentParams>(method, params) else {
                    address.into_iter().for_each(|path| self.lose(&path));
                    return;
                };
                let Some(path) = path_of(&params.text_document.uri) else { return };
                let encoding = self.workspace.encoding;
                let of_library = self.library.as_mut().and_then(|library| {
                    let name = library.names.get(&path)?;
                    library.documents.get_mut(name)
                });
                let is_of_library = of_library.is_some();
                let document = match of_library {
                    Some(document) => Some(document),
                    None => self.workspace.documents.get_mut(&path),
                };
                let Some(document) = document else { return };
                document.version = params.text_document.version;
                // The last whole text, and the parts behind it.
                let changes = &params.content_changes;
                let whole = changes.iter().rposition(|change| change.range.is_none());
                if document.is_lost && whole.is_none() {
                    return;
                }
                document.is_lost = false;
                let begin = whole.map_or(&*document.text, |at| &changes[at].text);
                let mut lines = Lines::new(begin, encoding);
                for change in &changes[whole.map_or(0, |at| at + 1)..] {
                    change.range.iter().for_each(|range| lines.replace(*range, &change.text));
                }
                document.text = lines.text().into();
                if is_of_library {
                    return;
                }
                let (text, root) = (document.text.clone(), document.root.clone());
                self.workspace.front.set_buffer(&path, Some(as_source(&text)));
                self.workspace.programs.entry(root).or_default().stale = true;
                self.is_other_for(&path);
                self.edited.insert(path);
                self.last_edit = Instant::now();
            }
            "textDocument/didClose" => {
                let Some(params) = understood::<lsp::DidCloseTextDocumentParams>(method, params) else { return };
                let Some(path) = path_of(&params.text_document.uri) else { return };
                if let Some(library) = &mut self.library
                    && let Some(name) = library.names.remove(&path)
                {
                    library.documents.remove(&name);
                    return;
                }
                self.workspace.front.set_buffer(&path, None);
                self.workspace.front.set_home(&path, None);
                self.edited.remove(&path);
                self.awaited.remove(&path);
                self.untold.remove(&path);
                if let Some(uri) = uri_of(&path) {
                    self.take_back(&path, &uri);
                }
                let Some(document) = self.workspace.documents.remove(&path) else { return };
                // What was not saved is gone.
                self.is_other_for(&path);
                if is_description(&path) {
                    self.is_assignment_due = true;
                    self.take_up_assignment();
                }
                // A description is the program of its sources, too.
                let is_last = !self.workspace.documents.values().any(|other| other.root == path);
                if document.root == path && is_last {
                    // A program of its own is gone with its window.
                    self.workspace.forget(&path);
                    self.publish();
                } else if let Some(program) = self.workspace.programs.get_mut(&document.root) {
                    program.stale = true;
                }
            }
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                // Who saves wants to know now.
                self.last_edit = Instant::now().checked_sub(QUIET).unwrap_or_else(Instant::now);
                // A description may be another one now, or a new one may be there.
                self.is_assignment_due = true;
                self.look = Look::default();
                // One that has no window any more is forgotten by the walk.
                self.workspace.programs.values_mut().for_each(|program| program.stale = true);
            }
            "workspace/didChangeWorkspaceFolders" => {
                let Some(params) = understood::<lsp::DidChangeWorkspaceFoldersParams>(method, params) else { return };
                let gone: Vec<PathBuf> =
                    params.event.removed.iter().filter_map(|folder| path_of(&folder.uri)).collect();
                self.workspace.folders.retain(|folder| !gone.contains(folder));
                self.workspace.folders.extend(params.event.added.iter().filter_map(|folder| path_of(&folder.uri)));
                self.workspace.front.set_folders(&self.workspace.folders);
                self.is_assignment_due = true;
                self.workspace.programs.values_mut().for_each(|program| program.stale = true);
            }
            _ => {}
        }
    }

    /// A window with a copy of a file of the library: there is nothing to be said of it, and what is asked about it the
    /// library knows, of which it is. Answers whether it is one.
    fn opened_of_library(&mut self, path: &Path, (uri, version): (&lsp::Uri, i32), text: Arc<str>) -> bool {
        let (front, copies) = (&self.workspace.front, self.workspace.copies.clone());
        let Some(name) = copies.name_of(front.sources(), path) else { return false };
        let shown = PathBuf::from(query::LIBRARY).join(&name);
        let is_of_image = front.sources().files().any(|(_, file)| Path::new(&*file.name) == shown);
        // What is not in the image a description beside it names: somebody may work on it.
        if !is_of_image && copies.files(front.sources()).get(&name).is_none_or(|known| **known != *text) {
            return false;
        }
        let encoding = self.workspace.encoding;
        let made = || Workspace::new(front.of_library(), encoding, vec![], copies.clone());
        let library = self.library.get_or_insert_with(made);
        if !is_of_image && library.front.units(&shown).is_empty() {
            library.read_in(&name);
        }
        library.names.insert(path.to_path_buf(), shown.clone());
        let (root, project) = (shown.clone(), shown.clone());
        let document = Document { uri: uri.clone(), text, version, is_lost: false, root, project };
        library.documents.insert(shown, document);
        let params = lsp::PublishDiagnosticsParams { uri: uri.clone(), diagnostics: vec![], version: Some(version) };
        self.notify("textDocument/publishDiagnostics", params);
        true
    }

    /// A change of a text cannot be read: what the editor has is not known from here on, until it says the whole.
    fn lose(&mut self, path: &Path) {
        let Some(document) = self.workspace.documents.get_mut(path) else { return };
        if !std::mem::replace(&mut document.is_lost, true) {
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let message = format!(
                "the editor told of a change of {file} that is not understood; the server says nothing about the file \
                 until it is closed and opened again"
            );
            self.notify("window/showMessage", lsp::ShowMessageParams { typ: lsp::MessageType::WARNING, message });
            self.publish();
        }
    }

    /// Does what is due since files were saved, or have changed on disk.
    fn take_up_assignment(&mut self) {
        if std::mem::take(&mut self.is_assignment_due) {
            self.assign();
        }
    }

    /// Descriptions may name other files now: each open file is given to the program that it belongs to.
    fn assign(&mut self) {
        let open: Vec<PathBuf> = self.workspace.documents.keys().cloned().collect();
        let (windows, mut look) = (self.workspace.windows(), std::mem::take(&mut self.look));
        for path in open {
            let root = self.workspace.root_of(&path, &windows, &mut look);
            let project = self.workspace.project_of(&path, &root, &windows, &mut look);
            let document = self.workspace.documents.get_mut(&path).expect("one of its keys");
            document.project = project;
            if document.root == root {
                continue;
            }
            self.workspace.front.set_home(&path, Some(&root));
            let old = std::mem::replace(&mut document.root, root.clone());
            if old == path {
                self.workspace.forget(&path);
            } else {
                // It is forgotten if nothing else belongs to it.
                self.workspace.programs.entry(old).or_default().stale = true;
            }
            self.workspace.programs.entry(root).or_default().stale = true;
        }
        self.look = look;
    }

    /// A file has another text: all programs that have it are walked again. Tests are programs of their own, with the
    /// files of their project.
    fn is_other_for(&mut self, path: &Path) {
        for other in self.workspace.front.programs_with(path) {
            self.workspace.programs.entry(other).or_default().stale = true;
        }
        // Which programs a description is a part of nobody has noted.
        if is_description(path) {
            self.workspace.programs.values_mut().for_each(|program| program.stale = true);
        }
    }

    // ------------------------------------------------------------------ analysis

    /// Analyses the edited files alone.
    fn take_up_edits(&mut self) {
        for path in std::mem::take(&mut self.edited) {
            let Some(document) = self.workspace.documents.get(&path) else { continue };
            let root = document.root.clone();
            match self.workspace.front.again(&path) {
                Some(units) => {
                    let front = &self.workspace.front;
                    let messages_in = |root: &Path| -> Vec<Diagnostic> {
                        let all = units.iter().flat_map(|unit| front.told(root, &unit.diagnostics));
                        all.filter(|d| query::path_of(front, d.span.file).is_some_and(|file| file == path))
                            .cloned()
                            .collect()
                    };
                    let messages = messages_in(&root);
                    // Other programs say it of the old text; they are walked soon.
                    for (other, program) in &mut self.workspace.programs {
                        if *other != root && program.messages.contains_key(&path) {
                            program.messages.insert(path.clone(), messages_in(other));
                        }
                    }
                    self.workspace.programs.entry(root).or_default().messages.insert(path, messages);
                    self.publish();
                }
                // Its parts are others, or it is new: the program is looked at, as far as to this file.
                None => {
                    // What a description says reaches every file: that may take long, so it gives way.
                    let gives_way = is_description(&path);
                    self.awaited.insert(path);
                    self.walk_one(&root, gives_way);
                }
            }
        }
    }

    /// A question about a file that has just been opened waits until the file is known: an empty answer would stay,
    /// since an editor asks for the colours of a window once.
    fn take_up_opened(&mut self, params: &Value) {
        let Some(path) = params["textDocument"]["uri"].as_str().and_then(path_of_text) else { return };
        let Some(root) = self.workspace.documents.get(&path).map(|document| document.root.clone()) else { return };
        let program = self.workspace.programs.get(&root);
        if program.is_some_and(|program| program.failed_after == Some(self.changes)) {
            return;
        }
        // A walk ends behind the first file that is awaited, which may be another one.
        for _ in 0..self.awaited.len() {
            if !self.awaited.contains(&path) {
                return;
            }
            self.walk_one(&root, false);
        }
    }

    /// Goes over all programs that may have changed.
    fn walk(&mut self) {
        self.take_up_assignment();
        self.take_up_edits();
        if self.workspace.front.tidy() {
            self.workspace.programs.values_mut().for_each(|program| program.stale = true);
        }
        for root in self.stale() {
            if !self.workspace.documents.values().any(|document| document.root == root) {
                self.workspace.forget(&root);
                self.publish();
                continue;
            }
            self.walk_one(&root, true);
        }
    }

    /// Goes over a program: until there is a message, or behind the first awaited file.
    fn walk_one(&mut self, root: &Path, may_stop: bool) {
        let receiver = self.wire.receiver.clone();
        let interrupt: Option<Rc<dyn Fn() -> bool>> =
            if may_stop { Some(Rc::new(move || !receiver.is_empty())) } else { None };
        let before = self.workspace.programs.get(root).and_then(|program| program.sources.clone());
        self.walked = Some(root.to_path_buf());
        let walk = self.workspace.walk(root, interrupt, &self.awaited);
        self.walked = None;
        let mut messages: BTreeMap<PathBuf, Vec<Diagnostic>> = BTreeMap::new();
        if let Some(trouble) = &walk.trouble {
            let at = Diagnostic::error("unit/file", leat_base::Span::NONE, trouble.clone());
            messages.entry(root.to_path_buf()).or_default().push(at);
        }
        let front = &self.workspace.front;
        let of_units = walk.units.iter().flat_map(|unit| front.told(root, &unit.diagnostics));
        // There may be thousands: each is compared with those of its place alone.
        let mut known: HashMap<leat_base::Span, Vec<&Diagnostic>> = HashMap::new();
        for d in of_units.chain(walk.diagnostics.iter().flat_map(|d| front.told(root, std::slice::from_ref(d)))) {
            let there = known.entry(d.span).or_default();
            if !there.contains(&d)
                && let Some(path) = query::path_of(front, d.span.file)
            {
                there.push(d);
                messages.entry(path).or_default().push(d.clone());
            }
        }
        if let Some(d) = listing::message(&self.workspace, root, &walk.units) {
            messages.entry(root.to_path_buf()).or_default().push(d);
        }
        for unit in &walk.units {
            if let Some(path) = query::path_of(&self.workspace.front, unit.file) {
                self.awaited.remove(&path);
            }
        }
        let program = self.workspace.programs.entry(root.to_path_buf()).or_default();
        if walk.interrupted {
            // The rest is as it was.
            for unit in &walk.units {
                if let Some(path) = query::path_of(&self.workspace.front, unit.file) {
                    program.messages.insert(path.clone(), messages.remove(&path).unwrap_or_default());
                }
            }
        } else {
            program.messages = messages;
            program.stale = false;
            let has_other_sources = program.sources != before;
            // Of a description that is edited there are no units.
            self.awaited.remove(root);
            // Until it is saved, the window alone says which sources they are.
            if has_other_sources && self.workspace.documents.keys().any(|path| is_description(path)) {
                self.look = Look::default();
                self.assign();
            }
        }
        self.publish();
    }

    /// A file's address is another one from here on: what was told about the old one is taken back, and told anew.
    fn take_back(&mut self, path: &Path, next: &lsp::Uri) {
        let Some(uri) = self.workspace.uri(path).filter(|uri| uri != next) else { return };
        if self.published.remove(path).is_some() {
            let params = lsp::PublishDiagnosticsParams { uri, diagnostics: vec![], version: None };
            self.notify("textDocument/publishDiagnostics", params);
        }
    }

    /// Tells the client what has changed in the messages.
    fn publish(&mut self) {
        let mut now: BTreeMap<PathBuf, Vec<lsp::Diagnostic>> = BTreeMap::new();
        for (path, messages) in self.workspace.programs.values().flat_map(|program| &program.messages) {
            now.entry(path.clone()).or_default().extend(messages.iter().map(|d| self.workspace.diagnostic(d)));
        }
        for shown in now.values_mut() {
            shown.sort_by_key(|d| (d.range.start, d.range.end));
            // Several programs may say the same of a place. There may be thousands of places.
            let mut first = 0;
            let mut different: Vec<lsp::Diagnostic> = Vec::with_capacity(shown.len());
            for d in shown.drain(..) {
                if different.last().is_some_and(|last| last.range != d.range) {
                    first = different.len();
                }
                if !different[first..].contains(&d) {
                    different.push(d);
                }
            }
            *shown = different;
        }
        now.retain(|path, _| self.workspace.documents.get(path).is_none_or(|document| !document.is_lost));
        for path in self.published.keys() {
            now.entry(path.clone()).or_default();
        }
        for (path, shown) in &now {
            let open = self.workspace.documents.get(path);
            // An open file gets a first answer, also an empty one.
            let known = self.published.get(path);
            let again = !self.awaited.contains(path) && self.untold.remove(path);
            if known == Some(shown) && !again || known.is_none() && shown.is_empty() && open.is_none() {
                continue;
            }
            let Some(uri) = self.workspace.uri(path) else { continue };
            let version = open.map(|document| document.version);
            let params = lsp::PublishDiagnosticsParams { uri, diagnostics: shown.clone(), version };
            self.notify("textDocument/publishDiagnostics", params);
        }
        for path in self.workspace.documents.keys().filter(|path| !now.contains_key(*path)) {
            if let Some(document) = self.workspace.documents.get(path) {
                let (uri, version) = (document.uri.clone(), Some(document.version));
                let params = lsp::PublishDiagnosticsParams { uri, diagnostics: vec![], version };
                self.notify("textDocument/publishDiagnostics", params);
            }
        }
        for path in self.workspace.documents.keys() {
            now.entry(path.clone()).or_default();
        }
        now.retain(|path, shown| !shown.is_empty() || self.workspace.documents.contains_key(path));
        self.published = now;
    }

    fn notify(&self, method: &str, params: impl serde::Serialize) {
        self.wire.notify(method, serde_json::to_value(params).unwrap_or_default());
    }

    // ------------------------------------------------------------------ requests

    fn request(&mut self, id: Value, method: &str, params: Value) {
        match method {
            _ if self.shut_down => {
                return self.wire.error(id, code::INVALID_REQUEST, &format!("`{method}` comes after `shutdown`"));
            }
            "shutdown" => {
                self.shut_down = true;
                return self.wire.result(id, Value::Null);
            }
            "initialize" => return self.wire.error(id, code::INVALID_REQUEST, "`initialize` comes once, and first"),
            _ => {}
        }
        let answer = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            self.take_up_assignment();
            self.take_up_edits();
            self.take_up_opened(&params);
            let of_library = self.library.as_mut().filter(|library| {
                let path = params["textDocument"]["uri"].as_str().and_then(path_of_text);
                path.is_some_and(|path| library.names.contains_key(&path))
            });
            match of_library {
                Some(library) => answer::answer_of_library(library, method, params),
                None => answer::answer(&mut self.workspace, method, params),
            }
        }));
        for message in self.workspace.copies.take_trouble() {
            self.notify("window/showMessage", lsp::ShowMessageParams { typ: lsp::MessageType::WARNING, message });
        }
        match answer {
            Ok(Some(Ok(value))) => self.wire.result(id, value),
            Ok(Some(Err(Refusal::Failed(why)))) => self.wire.error(id, code::REQUEST_FAILED, &why),
            Ok(Some(Err(Refusal::Params(why)))) => {
                let why = format!("the parameters of `{method}` are not understood: {why}");
                self.wire.error(id, code::INVALID_PARAMS, &why);
            }
            Ok(None) => self.wire.error(id, code::METHOD_NOT_FOUND, &format!("leat lsp does not know `{method}`")),
            Err(_) => {
                self.begin_anew();
                let why = format!("this is a defect of leat: `{method}` could not be answered");
                self.wire.error(id, code::INTERNAL_ERROR, &why);
            }
        }
    }
}

/// A notification's parameters. Nobody waits for an answer, so what is wrong with them is said where the client shows
/// what servers say.
fn understood<T: serde::de::DeserializeOwned>(method: &str, params: Value) -> Option<T> {
    let result = serde_json::from_value(params);
    result.map_err(|error| eprintln!("leat lsp: the parameters of `{method}` are not understood: {error}")).ok()
}
