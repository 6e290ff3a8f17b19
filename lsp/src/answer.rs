//! A request's method and parameters -> the feature that answers it -> what the client is answered.

use std::path::Path;

use lsp_types as lsp;
use serde_json::Value;

use crate::text::path_of;
use crate::workspace::{Workspace, value};
use crate::{calls, complete, describe, mend, navigate, style, symbols, tokens};

/// Why a request has no answer.
pub(crate) enum Refusal {
    /// Its parameters are not those of the protocol.
    Params(String),
    /// What is asked for cannot be done; the text is for the user.
    Failed(String),
}

impl From<String> for Refusal {
    fn from(why: String) -> Refusal {
        Refusal::Failed(why)
    }
}

type Answer = Result<Value, Refusal>;

/// What a client is answered; nothing where the method is not known.
pub(crate) fn answer(workspace: &mut Workspace, method: &str, params: Value) -> Option<Answer> {
    Some(match method {
        "textDocument/hover" => at(workspace, &params, describe::hover),
        "textDocument/definition" => at(workspace, &params, navigate::definition),
        "textDocument/typeDefinition" => at(workspace, &params, navigate::type_definition),
        "textDocument/documentHighlight" => at(workspace, &params, navigate::highlights),
        "textDocument/prepareRename" => at(workspace, &params, navigate::prepare_rename),
        "textDocument/signatureHelp" => at(workspace, &params, describe::signature_help),
        "textDocument/completion" => at(workspace, &params, complete::complete),
        "textDocument/references" => {
            let declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
            at(workspace, &params, |workspace, path, offset| navigate::references(workspace, path, offset, declaration))
        }
        "textDocument/rename" => field::<String>(&params, "newName").and_then(|new| {
            at(workspace, &params, |workspace, path, offset| navigate::rename(workspace, path, offset, &new))
        }),
        "textDocument/prepareCallHierarchy" => at(workspace, &params, calls::prepare),
        "callHierarchy/incomingCalls" => of_item(workspace, &params, calls::incoming),
        "callHierarchy/outgoingCalls" => of_item(workspace, &params, calls::outgoing),
        "textDocument/documentSymbol" => of(workspace, &params, symbols::of_document),
        "textDocument/foldingRange" => of(workspace, &params, symbols::folding),
        "textDocument/formatting" => of(workspace, &params, |workspace, path| style::format(workspace, path, None)),
        "textDocument/rangeFormatting" => {
            in_range(workspace, &params, |workspace, path, range| style::format(workspace, path, Some(range)))
        }
        "textDocument/semanticTokens/full" => of(workspace, &params, tokens::all),
        "textDocument/inlayHint" => in_range(workspace, &params, describe::inlay_hints),
        "textDocument/codeAction" => in_range(workspace, &params, mend::actions),
        "workspace/symbol" => field::<String>(&params, "query").map(|wanted| symbols::of_workspace(workspace, &wanted)),
        _ => return None,
    })
}

/// Likewise about a copy of a file of the library, where the workspace is that of the library: it is there to be read.
pub(crate) fn answer_of_library(workspace: &mut Workspace, method: &str, params: Value) -> Option<Answer> {
    match method {
        "textDocument/prepareRename" | "textDocument/rename" => {
            let why = "this file is a copy of one of Leat's library, whose names are not changed";
            Some(Err(Refusal::Failed(why.to_string())))
        }
        // Its uses are those in the library.
        "textDocument/references" => {
            let declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
            Some(at(workspace, &params, |workspace, path, offset| {
                value(navigate::listed(workspace, path, offset, declaration))
            }))
        }
        "textDocument/hover"
        | "textDocument/definition"
        | "textDocument/typeDefinition"
        | "textDocument/documentHighlight"
        | "textDocument/signatureHelp"
        | "textDocument/documentSymbol"
        | "textDocument/foldingRange"
        | "textDocument/semanticTokens/full"
        | "textDocument/inlayHint" => answer(workspace, method, params),
        _ => Some(Ok(Value::Null)),
    }
}

/// A request about a place in a document.
fn at(
    workspace: &mut Workspace,
    params: &Value,
    work: impl FnOnce(&mut Workspace, &Path, usize) -> Result<Value, String>,
) -> Answer {
    let position = field(params, "position")?;
    of(workspace, params, |workspace, path| {
        let offset = workspace.encoding.offset(&workspace.source(path), position);
        work(workspace, path, offset)
    })
}

/// A request about a function that the client was told of: of a file, which calls, but is not called, there is nothing
/// to say.
fn of_item(
    workspace: &mut Workspace,
    params: &Value,
    work: impl FnOnce(&mut Workspace, &Path, usize) -> Result<Value, String>,
) -> Answer {
    let item: lsp::CallHierarchyItem = field(params, "item")?;
    if item.kind == lsp::SymbolKind::FILE {
        return Ok(Value::Null);
    }
    let position = item.selection_range.start;
    let document = serde_json::json!({ "textDocument": { "uri": item.uri }, "position": position });
    at(workspace, &document, work)
}

/// A request about some lines of a document.
fn in_range(
    workspace: &mut Workspace,
    params: &Value,
    work: impl FnOnce(&mut Workspace, &Path, lsp::Range) -> Result<Value, String>,
) -> Answer {
    let range = field(params, "range")?;
    of(workspace, params, |workspace, path| work(workspace, path, range))
}

/// A request about a document. What is in no window and in no folder and program of the client's is none of its.
fn of(
    workspace: &mut Workspace,
    params: &Value,
    work: impl FnOnce(&mut Workspace, &Path) -> Result<Value, String>,
) -> Answer {
    let document: lsp::TextDocumentIdentifier = field(params, "textDocument")?;
    let path = path_of(&document.uri).map(|path| workspace.names.get(&path).cloned().unwrap_or(path));
    let Some(path) = path.filter(|path| workspace.knows(path)) else { return Ok(Value::Null) };
    // Nobody knows where something stands in a text that is not the editor's.
    if workspace.documents.get(&path).is_some_and(|document| document.is_lost) {
        return Ok(Value::Null);
    }
    // The library is what it is, whatever somebody writes in a window.
    if workspace.front.is_of_library() {
        let text = workspace.text(&path);
        if workspace.front.units(&path).iter().any(|unit| unit.text != text) {
            return Ok(Value::Null);
        }
    }
    Ok(work(workspace, &path)?)
}

/// A field of the parameters.
fn field<T: serde::de::DeserializeOwned>(params: &Value, name: &str) -> Result<T, Refusal> {
    let value = params.get(name).ok_or_else(|| Refusal::Params(format!("there is no `{name}`")))?;
    serde_json::from_value(value.clone()).map_err(|error| Refusal::Params(format!("`{name}`: {error}")))
}
