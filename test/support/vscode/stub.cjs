/** A stub of the `vscode` module: all classes and enums of its types, and the functions that the extension uses. */
const { readFileSync } = require("node:fs");
const { pathToFileURL } = require("node:url");

class Disposable {
  constructor(end = () => {}) {
    this.dispose = end;
  }
}

class EventEmitter {
  listeners = new Set();
  event = (listener, self) => {
    const bound = listener.bind(self);
    this.listeners.add(bound);
    return new Disposable(() => this.listeners.delete(bound));
  };
  fire(value) {
    for (const listener of this.listeners) listener(value);
  }
  dispose() {
    this.listeners.clear();
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: () => new Disposable() };
  cancel() {}
  dispose() {}
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, endLine, endCharacter) {
    this.start = endLine === undefined ? start : new Position(start, end);
    this.end = endLine === undefined ? end : new Position(endLine, endCharacter);
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class Uri {
  constructor(text) {
    const { protocol, pathname } = new URL(text);
    Object.assign(this, { scheme: protocol.slice(0, -1), path: pathname, fsPath: decodeURIComponent(pathname), text });
  }
  static parse = (text) => new Uri(text);
  static file = (path) => new Uri(pathToFileURL(path).href);
  static from = ({ scheme, path }) => Object.assign(new Uri(`${scheme}:${encodeURI(path)}`), { path });
  toString() {
    return this.text;
  }
}

class CodeActionKind {
  static Empty = new CodeActionKind("");
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(this.value === "" ? part : `${this.value}.${part}`);
  }
}

/** Returns the classes and enums that the types of `vscode` declare. */
function declareTypes() {
  const types = readFileSync(require.resolve("@types/vscode/index.d.ts"), "utf8");
  const classes = [...types.matchAll(/^\texport class (\w+)/gm)].map(([, name]) => [name, class {}]);
  const enums = [...types.matchAll(/^\texport enum (\w+) \{([\s\S]*?)^\t\}/gm)].map(([, name, body]) => {
    const members = [...body.matchAll(/^\t\t(\w+)(?: = (-?\d+))?,?$/gm)];
    return [name, Object.fromEntries(members.map(([, member, value], index) => [member, Number(value ?? index)]))];
  });
  return Object.fromEntries([...classes, ...enums]);
}

/** Returns a namespace in which each event never fires, and each provider is accepted. */
function createNamespace(members) {
  return new Proxy(members, {
    get: (target, name) =>
      name in target || !/^(?:on[A-Z]|register)/.test(String(name)) ? target[name] : () => new Disposable(),
  });
}

/**
 * Creates the module. The functions of commands are added to `registered` by name, and diagnostics are passed to `show`. Calls that
 * show something are added to `calls`. The user answers each question with the first choice.
 */
exports.createStub = ({ registered, show, documents, calls }) => {
  const record =
    (name, result) =>
    async (...args) => {
      calls.push([name, ...args.map((arg) => (arg instanceof Uri ? arg.toString() : arg))]);
      return result(...args);
    };
  const channel = {
    append() {},
    appendLine() {},
    show() {},
    dispose() {},
    logLevel: 3,
    onDidChangeLogLevel: () => new Disposable(),
  };
  for (const level of ["trace", "debug", "info", "warn", "error"]) channel[level] = () => {};
  const collection = {
    set: (uri, diagnostics) => show(uri.toString(), diagnostics),
    ...{ delete() {}, clear() {}, dispose() {}, has: () => false, get: () => [] },
  };
  return {
    ...declareTypes(),
    ...{ Disposable, EventEmitter, CancellationTokenSource, Position, Range, Diagnostic, Uri, CodeActionKind },
    version: "1.91.0",
    env: createNamespace({ appName: "stub", language: "en" }),
    l10n: { t: (text) => text },
    extensions: createNamespace({ all: [] }),
    commands: createNamespace({
      registerCommand(name, run) {
        registered.set(name, run);
        return new Disposable();
      },
      executeCommand: record("executeCommand", () => undefined),
    }),
    window: createNamespace({
      visibleTextEditors: [],
      tabGroups: { all: [], onDidChangeTabs: () => new Disposable(), onDidChangeTabGroups: () => new Disposable() },
      createOutputChannel: () => channel,
      get activeTextEditor() {
        return { document: documents[0], selection: { active: new Position(0, 0) } };
      },
      withProgress: (_options, run) => run(),
      showInformationMessage: record("showInformationMessage", (_message, choice) => choice),
      showTextDocument: record("showTextDocument", () => undefined),
      showErrorMessage: async (message) => {
        throw new Error(message);
      },
    }),
    languages: createNamespace({
      createDiagnosticCollection: () => collection,
      match: ([...selector], { languageId, uri }) =>
        selector.some(({ scheme, language }) => scheme === uri.scheme && language === languageId) ? 10 : 0,
    }),
    workspace: createNamespace({
      ...{ textDocuments: documents, notebookDocuments: [], workspaceFolders: undefined },
      getConfiguration: () => ({ get: (_name, initial) => initial, has: () => false }),
      getWorkspaceFolder: () => undefined,
      saveAll: async () => true,
      openTextDocument: async (uri) => ({ uri }),
      createFileSystemWatcher: () => createNamespace({ dispose() {} }),
    }),
    tests: {},
  };
};
