// What a user does in VS Code with the extension of editors/vscode, run by editors.rs as an extension of its own. It opens
// src/main.sml, and writes a line for each result into the file that LEAT_USER_TELLS names.
const fs = require("fs");
const vscode = require("vscode");

const say = (what, text) =>
  fs.appendFileSync(process.env.LEAT_USER_TELLS, `${what}: ${String(text).replace(/\s+/g, " ")}\n`);

/** Waits until a function gives something. */
async function until(what, get) {
  for (let i = 0; i < 1500; i++) {
    const found = await get();
    if (found) return found;
    await new Promise((done) => setTimeout(done, 20));
  }
  throw new Error(`${what} does not come`);
}

async function edit(uri, range, text) {
  const change = new vscode.WorkspaceEdit();
  change.replace(uri, range, text);
  await vscode.workspace.applyEdit(change);
}

async function user() {
  const folder = vscode.workspace.workspaceFolders[0].uri;
  const document = await vscode.workspace.openTextDocument(vscode.Uri.joinPath(folder, "src/main.sml"));
  await vscode.window.showTextDocument(document);
  const uri = document.uri;
  const ask = (command, ...more) => vscode.commands.executeCommand(command, uri, ...more);
  const messages = () => vscode.languages.getDiagnostics(uri).map((d) => `${d.range.start.line + 1}: ${d.message.split("\n")[0]}`);
  const find = (text) => document.positionAt(document.getText().indexOf(text));
  const line = (n) => document.lineAt(n).text;

  say("file type", document.languageId);
  await until("a message", () => messages().length);
  say("message", messages().join(" | "));
  const wrong = vscode.languages.getDiagnostics(uri)[0];
  const actions = await ask("vscode.executeCodeActionProvider", wrong.range);
  const mend = actions.find((action) => action.edit);
  say("action", mend && mend.title);
  await vscode.workspace.applyEdit(mend.edit);
  say("typed", line(1));
  await until("an end of the message", () => !messages().length);
  say("mended", !messages().length);
  const hover = await ask("vscode.executeHoverProvider", find("words"));
  say("hover", hover.map((h) => h.contents.map((c) => c.value).join(" ")).join(" "));
  const definition = await ask("vscode.executeDefinitionProvider", find("words"));
  say("definition", (definition[0].uri || definition[0].targetUri).path.split("/").pop());
  const references = await ask("vscode.executeReferenceProvider", find("words"));
  say("references", references.length);
  const structure = vscode.Uri.joinPath(uri, "../count.sml");
  await vscode.workspace.openTextDocument(structure);
  const symbols = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", structure);
  say("symbols", symbols.map((symbol) => symbol.name).join(", "));
  const renamed = await ask("vscode.executeDocumentRenameProvider", find("words"), "pieces");
  await vscode.workspace.applyEdit(renamed);
  for (const [changed] of renamed.entries()) {
    await (await vscode.workspace.openTextDocument(changed)).save();
  }
  say("renamed", line(1));
  await edit(uri, document.lineAt(0).range, "val   x=1");
  say("indented", line(0));
  const edits = new vscode.WorkspaceEdit();
  edits.set(uri, await ask("vscode.executeFormatDocumentProvider", { tabSize: 2, insertSpaces: true }));
  await vscode.workspace.applyEdit(edits);
  say("formatted", line(0));
  await document.save();
  await debug(uri);
}

/** A break point, a variable, a step back. */
async function debug(uri) {
  const program = vscode.Uri.joinPath(uri, "../sum.sml");
  vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(program, new vscode.Position(1, 0)))]);
  const stops = [];
  vscode.debug.registerDebugAdapterTrackerFactory("leat", {
    createDebugAdapterTracker: () => ({
      onDidSendMessage: (message) => message.event === "stopped" && stops.push(message.body),
    }),
  });
  const started = await vscode.debug.startDebugging(undefined, {
    type: "leat",
    request: "launch",
    name: "sum",
    program: program.fsPath,
  });
  say("debugging", started);
  let stop = await until("a stop", () => stops.shift());
  const session = vscode.debug.activeDebugSession;
  const frames = async () => (await session.customRequest("stackTrace", { threadId: stop.threadId })).stackFrames;
  let top = (await frames())[0];
  say("stopped", `${stop.reason} at ${top.source.name}:${top.line}`);
  const { scopes } = await session.customRequest("scopes", { frameId: top.id });
  const { variables } = await session.customRequest("variables", { variablesReference: scopes[0].variablesReference });
  say("variables", variables.map((v) => `${v.name} = ${v.value}`).sort().join(", "));
  await vscode.commands.executeCommand("workbench.action.debug.stepBack");
  stop = await until("a stop", () => stops.shift());
  top = (await frames())[0];
  say("back", `${top.source.name}:${top.line}`);
  await vscode.debug.stopDebugging(session);
}

exports.activate = () => {
  user()
    .catch((error) => say("failed", error.stack || error))
    .finally(() => say("end", "true"));
};
