/** A session of the extension for VS Code with a stub of the editor: `session.cjs EXTENSION-FOLDER FILE`. */
const { readFileSync, realpathSync } = require("node:fs");
const Module = require("node:module");
const { join, sep } = require("node:path");
const { createStub } = require("./stub.cjs");

const [folder, file] = process.argv.slice(2).map((path) => realpathSync(path));
const registered = new Map();
const calls = [];
const documents = [];
const outside = [];
let showFindings;
const shown = new Promise((resolve) => {
  showFindings = resolve;
});
const stub = createStub({
  ...{ registered, documents, calls },
  show: (_uri, diagnostics) => diagnostics?.length > 0 && showFindings(diagnostics),
});

const resolveName = Module._resolveFilename;
const load = Module._load;
Module._load = (name, parent, isMain) => {
  if (name === "vscode") return stub;
  const path = resolveName(name, parent, isMain);
  if (!Module.isBuiltin(path) && !path.startsWith(folder + sep)) outside.push(path);
  return load(name, parent, isMain);
};

/** Returns how many processes that this one started still run. */
const countProcesses = () => process.getActiveResourcesInfo().filter((name) => name === "ProcessWrap").length;

async function main() {
  const text = readFileSync(file, "utf8");
  const uri = stub.Uri.file(file);
  documents.push({ uri, languageId: "apacheconf", version: 1, getText: () => text, isClosed: false, fileName: file });
  const { activate, deactivate } = require(join(folder, "extension.js"));
  await activate({ subscriptions: [], asAbsolutePath: (path) => join(folder, path) });
  const diagnostics = await shown;
  const running = countProcesses();
  await registered.get("httpdLint.migrate")();
  await deactivate();
  for (let tries = 0; countProcesses() > 0 && tries < 100; tries++) await new Promise((done) => setTimeout(done, 50));
  const findings = diagnostics.map(({ code, range }) => `${range.start.line + 1} ${code?.value ?? code}`);
  process.stdout.write(
    JSON.stringify({
      registered: [...registered.keys()],
      calls,
      outside,
      findings,
      running,
      remaining: countProcesses(),
    }),
  );
  process.exit(0);
}

main();
