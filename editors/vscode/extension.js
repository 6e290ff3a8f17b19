// Starts `leat lsp` for Standard ML and ML Basis files, and `leat debug` for programs that are debugged.
const vscode = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

let client;

exports.activate = function (context) {
  const settings = vscode.workspace.getConfiguration("leat");
  const adapter = { createDebugAdapterDescriptor: () => new vscode.DebugAdapterExecutable(settings.get("path"), ["debug"]) };
  // Without a launch.json the open file is debugged.
  const configurations = {
    resolveDebugConfiguration: (_, given) =>
      given.type ? given : { type: "leat", request: "launch", name: "Leat", program: "${file}" },
  };
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("leat", adapter),
    vscode.debug.registerDebugConfigurationProvider("leat", configurations),
  );
  const server = { command: settings.get("path"), args: ["lsp", ...settings.get("arguments")] };
  const options = {
    documentSelector: [
      { scheme: "file", language: "sml" },
      { scheme: "file", language: "mlb" },
      { scheme: "untitled", language: "sml" },
    ],
    synchronize: { fileEvents: vscode.workspace.createFileSystemWatcher("**/*.{sml,sig,fun,mlb,cm}") },
  };
  client = new LanguageClient("leat", "Leat", server, options);
  // An extension that failed to start would have no debugger either, and the reason would be in a log only.
  return client.start().catch((error) => {
    client = undefined;
    vscode.window.showErrorMessage(
      `The language server does not start (${error.message || error}). Is leat on the path? Else the setting leat.path names it.`,
    );
  });
};

exports.deactivate = function () {
  return client && client.stop();
};
