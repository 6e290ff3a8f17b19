//! A request's method and parameters -> the feature that answers it -> what the client is answered.

use std::path::Path;

use lsp_types as lsp;
use serde_json::Value;

use crate::text::path_of;
use crate::workspace::Workspace;
use crate::{complete, describe, mend, navigate, style, symbols, tokens};

/// What a client is answered; nothing where the method is not known.
pub(crate) fn answer(workspace: &mut Workspace, method: &str, params: Value) -> Option<Result<Value, String>> {
    Some(match method {
        "textDocument/hover" => at(workspace, params, describe::hover),
        "textDocument/definition" => at(workspace, params, navigate::definition),
        "textDocument/typeDefinition" => at(workspace, params, navigate::type_definition),
        "textDocument/documentHighlight" => at(workspace, params, navigate::highlights),
        "textDocument/prepareRename" => at(workspace, params, navigate::prepare_rename),
        "textDocument/signatureHelp" => at(workspace, params, describe::signature_help),
        "textDocument/completion" => at(workspace, params, complete::complete),
        "textDocument/references" => {
            let declaration = params["context"]["includeDeclaration"].as_bool().unwrap_or(true);
            at(workspace, params, |workspace, path, offset| navigate::references(workspace, path, offset, declaration))
        }
        "textDocument/rename" => {
            let new = params["newName"].as_str().unwrap_or_default().to_string();
            at(workspace, params, |workspace, path, offset| navigate::rename(workspace, path, offset, &new))
        }
        "textDocument/documentSymbol" => of(workspace, &params, symbols::of_document),
        "textDocument/foldingRange" => of(workspace, &params, symbols::folding),
        "textDocument/formatting" => of(workspace, &params, |workspace, path| style::format(workspace, path, None)),
        "textDocument/rangeFormatting" => {
            let range = serde_json::from_value(params["range"].clone()).ok();
            of(workspace, &params, |workspace, path| style::format(workspace, path, range))
        }
        "textDocument/semanticTokens/full" => of(workspace, &params, tokens::all),
        "textDocument/inlayHint" => {
            let range = serde_json::from_value(params["range"].clone()).unwrap_or_default();
            of(workspace, &params, |workspace, path| describe::inlay_hints(workspace, path, range))
        }
        "textDocument/codeAction" => {
            let range = serde_json::from_value(params["range"].clone()).unwrap_or_default();
            of(workspace, &params, |workspace, path| mend::actions(workspace, path, range))
        }
        "workspace/symbol" => {
            let wanted = params["query"].as_str().unwrap_or_default();
            Ok(symbols::of_workspace(workspace, wanted))
        }
        _ => return None,
    })
}

/// A request about a place in a document.
fn at(
    workspace: &mut Workspace,
    params: Value,
    work: impl FnOnce(&mut Workspace, &Path, usize) -> Result<Value, String>,
) -> Result<Value, String> {
    let params: lsp::TextDocumentPositionParams = serde_json::from_value(params).map_err(|error| error.to_string())?;
    let Some(path) = path_of(&params.text_document.uri) else { return Ok(Value::Null) };
    let offset = workspace.encoding.offset(&workspace.text(&path), params.position);
    work(workspace, &path, offset)
}

/// A request about a document.
fn of(
    workspace: &mut Workspace,
    params: &Value,
    work: impl FnOnce(&mut Workspace, &Path) -> Result<Value, String>,
) -> Result<Value, String> {
    let document: lsp::TextDocumentIdentifier =
        serde_json::from_value(params["textDocument"].clone()).map_err(|error| error.to_string())?;
    let Some(path) = path_of(&document.uri) else { return Ok(Value::Null) };
    work(workspace, &path)
}
