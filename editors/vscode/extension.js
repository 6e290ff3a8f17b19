// Starts `leat lsp` for Standard ML and ML Basis files.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function () {
  const settings = vscode.workspace.getConfiguration("leat");
  const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  const options = {
    documentSelector: [{ scheme: "file", language: "sml" }, { scheme: "file", language: "mlb" }],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{sml,sig,fun,mlb,cm}") },
  };
  client = new LanguageClient("leat", "Leat", server, options);
  return client.start();
};

exports.deactivate = function () {
  return client && client.stop();
};
