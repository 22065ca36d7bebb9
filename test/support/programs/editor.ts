import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";
import { pathToFileURL } from "node:url";
import { afterEach } from "vitest";
import {
  type ClientCapabilities,
  type CodeAction,
  type CompletionItem,
  createProtocolConnection,
  type Diagnostic,
  type DocumentSymbol,
  type FoldingRange,
  type Hover,
  type Location,
  type Position,
  type ProtocolConnection,
  type PublishDiagnosticsParams,
  type Range,
  StreamMessageReader,
  StreamMessageWriter,
  type TextEdit,
} from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { commandArgs, commandProgram } from "./command.js";
import { lintedFolder } from "./test-folder.js";

const usualCapabilities: ClientCapabilities = {
  workspace: { workspaceEdit: { documentChanges: true } },
  textDocument: { completion: { completionItem: { snippetSupport: true } } },
};

export interface EditorOptions {
  readonly folder: string;
  readonly initializationOptions?: unknown;
  readonly capabilities?: ClientCapabilities;
  /** Its response to `workspace/configuration`. */
  readonly configuration?: unknown;
  readonly flags?: readonly string[];
}

/** An editor that communicates with the built language server over pipes, as a real one does. */
export class Editor {
  readonly messages: string[] = [];
  stderr = "";
  readonly ended: Promise<number | null>;
  readonly process: ChildProcessByStdio<Writable, Readable, Readable>;
  private readonly connection: ProtocolConnection;
  private readonly texts = new Map<string, TextDocument>();
  private readonly published: PublishDiagnosticsParams[] = [];
  private wake: () => void = () => {};

  private constructor(options: EditorOptions) {
    const { flags = ["--stdio"], folder } = options;
    this.process = spawn(commandProgram, [...commandArgs, "lsp", ...flags], {
      cwd: folder,
      stdio: ["pipe", "pipe", "pipe"],
    });
    this.process.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
    });
    this.ended = new Promise((done) => this.process.on("close", done));
    const { stdin, stdout } = this.process;
    this.connection = createProtocolConnection(new StreamMessageReader(stdout), new StreamMessageWriter(stdin));
    this.connection.onNotification("textDocument/publishDiagnostics", (params: PublishDiagnosticsParams) => {
      this.published.push(params);
      this.wake();
    });
    const noteMessage = ({ message }: { readonly message: string }) => {
      this.messages.push(message);
    };
    this.connection.onNotification("window/showMessage", noteMessage);
    this.connection.onNotification("window/logMessage", noteMessage);
    this.connection.onRequest("workspace/configuration", () => [options.configuration ?? null]);
    this.connection.onRequest("client/registerCapability", () => null);
    this.connection.listen();
  }

  /** Starts and initializes the server. */
  static async start(options: EditorOptions): Promise<Editor> {
    const editor = new Editor(options);
    await editor.connection.sendRequest("initialize", {
      processId: process.pid,
      rootUri: null,
      capabilities: options.capabilities ?? usualCapabilities,
      workspaceFolders: null,
      initializationOptions: options.initializationOptions,
    });
    await editor.connection.sendNotification("initialized", {});
    return editor;
  }

  open(uri: string, text: string): void {
    this.texts.set(uri, TextDocument.create(uri, "apacheconf", 1, text));
    this.tell("textDocument/didOpen", {
      textDocument: { uri, languageId: "apacheconf", version: 1, text },
    });
  }

  /** Replaces the first occurrence of a text. */
  replace(uri: string, old: string, text: string): void {
    const document = this.document(uri);
    const at = document.getText().indexOf(old);
    if (at < 0) throw new Error(`there is no ${JSON.stringify(old)} in ${uri}`);
    const range = { start: document.positionAt(at), end: document.positionAt(at + old.length) };
    this.edit(uri, range, text);
  }

  edit(uri: string, range: Range, text: string): void {
    const document = this.document(uri);
    const version = document.version + 1;
    TextDocument.update(document, [{ range, text }], version);
    this.tell("textDocument/didChange", {
      textDocument: { uri, version },
      contentChanges: [{ range, text }],
    });
  }

  close(uri: string): void {
    this.texts.delete(uri);
    this.tell("textDocument/didClose", { textDocument: { uri } });
  }

  text(uri: string): string {
    return this.document(uri).getText();
  }

  /** Returns the position after the first occurrence of a text. */
  positionAfter(uri: string, text: string): Position {
    const document = this.document(uri);
    const at = document.getText().indexOf(text);
    if (at < 0) throw new Error(`there is no ${JSON.stringify(text)} in ${uri}`);
    return document.positionAt(at + text.length);
  }

  /** Waits for the diagnostics of the current version of a document, and returns the latest that match. */
  async diagnostics(
    uri: string,
    isWanted: (all: readonly Diagnostic[]) => boolean = () => true,
  ): Promise<Diagnostic[]> {
    const version = this.texts.get(uri)?.version;
    for (;;) {
      const found = this.published.findLast((each) => each.uri === uri && each.version === version);
      if (found && isWanted(found.diagnostics)) return found.diagnostics;
      await new Promise<void>((done) => {
        this.wake = done;
      });
    }
  }

  /** Discards the diagnostics received so far. */
  forget(): void {
    this.published.length = 0;
  }

  hover(uri: string, position: Position): Promise<Hover | null> {
    return this.ask("textDocument/hover", { textDocument: { uri }, position });
  }

  completion(uri: string, position: Position): Promise<CompletionItem[]> {
    return this.ask("textDocument/completion", { textDocument: { uri }, position });
  }

  resolve(item: CompletionItem): Promise<CompletionItem> {
    return this.ask("completionItem/resolve", item);
  }

  definition(uri: string, position: Position): Promise<Location[]> {
    return this.ask("textDocument/definition", { textDocument: { uri }, position });
  }

  symbols(uri: string): Promise<DocumentSymbol[]> {
    return this.ask("textDocument/documentSymbol", { textDocument: { uri } });
  }

  folding(uri: string): Promise<FoldingRange[]> {
    return this.ask("textDocument/foldingRange", { textDocument: { uri } });
  }

  links(uri: string): Promise<{ readonly range: Range; readonly target: string }[]> {
    return this.ask("textDocument/documentLink", { textDocument: { uri } });
  }

  actions(uri: string, range: Range, only?: readonly string[]): Promise<CodeAction[]> {
    return this.ask("textDocument/codeAction", {
      textDocument: { uri },
      range,
      context: { diagnostics: [], ...(only ? { only } : {}) },
    });
  }

  /** Applies the edits of an action to the open documents. */
  apply({ edit }: CodeAction): void {
    const changes: [string, readonly TextEdit[]][] = Object.entries(edit?.changes ?? {});
    for (const change of edit?.documentChanges ?? [])
      if ("edits" in change) changes.push([change.textDocument.uri, change.edits.filter((each) => "newText" in each)]);
    for (const [uri, edits] of changes) {
      const whole = { start: { line: 0, character: 0 }, end: this.document(uri).positionAt(Number.MAX_SAFE_INTEGER) };
      this.edit(uri, whole, TextDocument.applyEdits(this.document(uri), [...edits]));
    }
  }

  /** Shuts the server down. @returns the exit code */
  async shutdown(): Promise<number | null> {
    await this.connection.sendRequest("shutdown");
    await this.connection.sendNotification("exit");
    return this.ended;
  }

  notify(method: string, params: object): void {
    this.tell(method, params);
  }

  /** Notifications to a stopped server are lost. */
  private tell(method: string, params: object): void {
    this.connection.sendNotification(method, params).catch(() => {});
  }

  ask<T>(method: string, params: object): Promise<T> {
    return this.connection.sendRequest(method, params);
  }

  private document(uri: string): TextDocument {
    const document = this.texts.get(uri);
    if (document === undefined) throw new Error(`${uri} is not open`);
    return document;
  }
}

/** Sets up the tests of a file: a separate folder for each, and editors that end with it. */
export function editedFolder() {
  let editors: Editor[] = [];
  const folder = lintedFolder();
  // These hooks run in reverse order: every server stops before its folder is removed.
  afterEach(() => {
    for (const editor of editors) editor.process.kill();
    editors = [];
  });
  return Object.assign(folder, {
    async start(options: Partial<EditorOptions> = {}): Promise<Editor> {
      const editor = await Editor.start({ folder: folder.path, ...options });
      editors.push(editor);
      return editor;
    },
    /** Returns the URI of a file in the folder; the file exists unless it is new. */
    uri(path: string): string {
      return pathToFileURL(folder.at(path)).href;
    },
  });
}
