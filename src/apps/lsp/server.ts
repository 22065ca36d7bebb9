import {
  CodeActionKind,
  type CodeLens,
  CodeLensRefreshRequest,
  type Connection,
  DidChangeConfigurationNotification,
  DidChangeWatchedFilesNotification,
  type InitializeParams,
  type InitializeResult,
  MessageType,
  ShowMessageNotification,
  type TextDocumentPositionParams,
  TextDocumentSyncKind,
  TextDocuments,
} from "vscode-languageserver/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { allRules } from "../../../rules/index.js";
import { version } from "../package-files.js";
import { SETTINGS_FILE } from "../settings/settings.js";
import { AnalysisService, type PublishedDiagnostics } from "./analysis/analysis-service.js";
import { collectNamedLocations } from "./documents/config-lines.js";
import {
  type EditorSettings,
  extractOwnSettings,
  parseEditorSettings,
  SETTINGS_SECTION,
} from "./documents/editor-settings.js";
import { type Cursor, isSettingsFile, OpenDocument, OpenDocuments } from "./documents/open-documents.js";
import { locateDocument } from "./documents/protocol-conversion.js";
import { SettingsReporter } from "./documents/settings-diagnostics.js";
import { SettingsStore } from "./documents/settings-store.js";
import { connectEditor } from "./editor-connection.js";
import { FIX_ALL, listCodeActions } from "./features/code-actions.js";
import { listCompletions, resolveCompletion } from "./features/completion.js";
import { createHover, isAccessControlLine } from "./features/hover.js";
import { findDefinitions, listDocumentLinks, listFoldingRanges, listSymbols } from "./features/navigation.js";
import type { NamedLocation } from "./job.js";

/** The capabilities that the server announces to an editor. */
const serverCapabilities: InitializeResult["capabilities"] = {
  textDocumentSync: { openClose: true, change: TextDocumentSyncKind.Incremental, save: true },
  hoverProvider: true,
  completionProvider: { triggerCharacters: ["<", "/", " ", "{", "+", "-", ","], resolveProvider: true },
  definitionProvider: true,
  documentSymbolProvider: true,
  foldingRangeProvider: true,
  documentLinkProvider: {},
  codeLensProvider: {},
  codeActionProvider: { codeActionKinds: [CodeActionKind.QuickFix, FIX_ALL] },
};

/** Files on the disk that may be part of open configurations. */
const watchedFilePatterns = ["**/*.conf", "**/*.load", "**/.htaccess", "**/envvars", `**/${SETTINGS_FILE}`];

/** Serves an editor over standard input and output until it exits or disconnects. */
export function startLanguageServer(): void {
  new LanguageServer(connectEditor()).listen();
}

const ruleIds = allRules.map(({ id }) => id);

/** Loads the completion tables and lets Node compile the code that they need. */
function warmUp(): void {
  const text = TextDocument.create("untitled:warm-up", "", 0, "<Directory /x>\n\n</Directory>\n");
  const cursor = new OpenDocument(text, locateDocument(text.uri, "/")).at({ line: 1, character: 0 });
  listCompletions(cursor, { release: "2.4", outline: undefined, names: [], takesSnippets: true, ruleIds });
}

class LanguageServer {
  private readonly texts = new TextDocuments(TextDocument);
  private readonly documents = new OpenDocuments(this.texts, () => this.folder);
  private readonly settings: SettingsStore;
  private readonly analysis: AnalysisService;
  private client: InitializeParams["capabilities"] = {};
  private folder = process.cwd();
  /** Settings from the initialize request. */
  private initialSettings: EditorSettings | undefined;

  constructor(private readonly connection: Connection) {
    const publish = (published: PublishedDiagnostics) => void connection.sendDiagnostics(published);
    const reporter = new SettingsReporter(publish, (message) => this.show(message));
    this.settings = new SettingsStore(
      () => this.documents.settingsFiles(),
      (settings) => reporter.report(settings),
    );
    const refreshLenses = () => {
      if (this.client.workspace?.codeLens?.refreshSupport) void connection.sendRequest(CodeLensRefreshRequest.type);
    };
    const log = (error: unknown) => this.log(error);
    this.analysis = new AnalysisService(this.documents, this.settings, publish, refreshLenses, log);
  }

  listen(): void {
    const { connection, texts } = this;
    process.on("uncaughtException", (error) => this.log(error));
    // An editor that disconnects needs nothing more.
    process.stdout.on("error", () => process.exit(0));
    connection.onInitialize((params) => this.initialize(params));
    connection.onInitialized(() => this.initialized());
    connection.onDidChangeConfiguration(({ settings }) => this.changeSettings(settings));
    connection.onDidChangeWatchedFiles(() => this.analysis.allChanged());
    texts.onDidChangeContent(({ document: { uri } }) => {
      const document = this.documents.get(uri);
      if (document) this.analysis.changed(document);
      else this.settingsEdited(uri);
    });
    // An opened document is parsed before the first keystroke.
    texts.onDidOpen(({ document: { uri } }) => setImmediate(() => this.documents.get(uri)?.tree));
    texts.onDidSave(() => this.analysis.allChanged());
    texts.onDidClose(({ document: { uri } }) => {
      this.documents.forget(uri);
      const place = locateDocument(uri, this.folder);
      if (isSettingsFile(place.path)) this.settingsEdited(uri);
      else this.analysis.closed({ uri, place });
    });
    this.answerRequests();
    texts.listen(connection);
    connection.listen();
  }

  private initialize({ capabilities: client, initializationOptions, workspaceFolders }: InitializeParams) {
    this.client = client;
    const [first] = workspaceFolders ?? [];
    if (first?.uri.startsWith("file:")) this.folder = locateDocument(first.uri, this.folder).path;
    this.initialSettings = this.applySettings(extractOwnSettings(initializationOptions) ?? initializationOptions);
    return { capabilities: serverCapabilities, serverInfo: { name: "httpd-lint", version } } satisfies InitializeResult;
  }

  private async initialized(): Promise<void> {
    const { client, connection } = this;
    // The first keystroke should be answered as fast as any other.
    setImmediate(() => warmUp());
    if (client.workspace?.didChangeWatchedFiles?.dynamicRegistration) {
      const watchers = watchedFilePatterns.map((globPattern) => ({ globPattern }));
      await connection.client.register(DidChangeWatchedFilesNotification.type, { watchers });
    }
    if (!client.workspace?.configuration) return;
    if (client.workspace.didChangeConfiguration?.dynamicRegistration)
      await connection.client.register(DidChangeConfigurationNotification.type, { section: SETTINGS_SECTION });
    await this.changeSettings(undefined);
  }

  /** @param pushed settings from editors that do not support pull requests */
  private async changeSettings(pushed: unknown): Promise<void> {
    const { client, connection } = this;
    const supportsConfiguration = client.workspace?.configuration === true;
    const given: unknown = supportsConfiguration
      ? await connection.workspace.getConfiguration(SETTINGS_SECTION)
      : extractOwnSettings(pushed);
    if (given === undefined || given === null) return;
    this.applySettings(given);
    this.analysis.allChanged();
  }

  /** Merges the settings that the editor pushed later over those of the initialize request. */
  private applySettings(given: unknown): EditorSettings {
    const { settings, problems } = parseEditorSettings(given, this.folder, this.initialSettings);
    this.settings.setEditorSettings(settings);
    for (const each of problems) this.show(each);
    return settings;
  }

  private show(warning: string): void {
    const message = `httpd-lint: ${warning}`;
    void this.connection.sendNotification(ShowMessageNotification.type, { type: MessageType.Warning, message });
  }

  /** Settings apply while they are edited, and are checked even when no configuration is open. */
  private settingsEdited(uri: string): void {
    this.analysis.allChanged();
    this.settings.project(locateDocument(uri, this.folder).path);
  }

  private answerRequests(): void {
    const { connection, documents, analysis } = this;
    connection.onHover((params) => this.handleErrors(null, () => this.hover(params)));
    connection.onCompletion((params) => this.handleErrors([], () => this.complete(params)));
    connection.onCompletionResolve((item) => this.handleErrors(item, () => resolveCompletion(item)));
    connection.onDefinition((params) => this.handleErrors([], () => this.define(params)));
    connection.onDocumentSymbol(({ textDocument: { uri } }) =>
      this.handleErrors([], () => this.ofDocument(uri, listSymbols)),
    );
    connection.onFoldingRanges(({ textDocument: { uri } }) =>
      this.handleErrors([], () => this.ofDocument(uri, listFoldingRanges)),
    );
    connection.onDocumentLinks(({ textDocument: { uri } }) =>
      this.handleErrors([], () =>
        this.ofDocument(uri, (each) => listDocumentLinks(each, analysis.latest(uri)?.outline)),
      ),
    );
    connection.onCodeLens(({ textDocument: { uri } }) => this.handleErrors([], () => this.listLenses(uri)));
    connection.onCodeAction(({ textDocument: { uri }, range, context }) =>
      this.handleErrors([], () => {
        const document = documents.get(uri);
        const linted = analysis.latest(uri);
        // Findings of another version of the text may have moved.
        if (document === undefined || linted?.version !== document.text.version) return [];
        const versionOf = (other: string) => documents.get(other)?.text.version ?? null;
        const takesVersions = this.client.workspace?.workspaceEdit?.documentChanges === true;
        return listCodeActions(range, context.only, { document, linted, versionOf, takesVersions });
      }),
    );
  }

  /** Returns the access of each section; an editor runs no command for it unless its extension adds one. */
  private async listLenses(uri: string): Promise<CodeLens[]> {
    const document = this.documents.get(uri);
    if (document === undefined) return [];
    const sections = await this.analysis.describeSections(document);
    return sections.map(({ range, title }) => ({ range, command: { title, command: "" } }));
  }

  private ofDocument<T>(uri: string, read: (document: OpenDocument) => T[]): T[] {
    const document = this.documents.get(uri);
    return document ? read(document) : [];
  }

  private cursor({ textDocument, position }: TextDocumentPositionParams): Cursor | undefined {
    return this.documents.get(textDocument.uri)?.at(position);
  }

  private async hover(params: TextDocumentPositionParams) {
    const cursor = this.cursor(params);
    if (cursor === undefined) return null;
    const access = await this.describeAccess(cursor);
    const { uri, text } = cursor.document;
    const linted = this.analysis.latest(uri);
    const findings = linted?.version === text.version ? linted.findings : [];
    return createHover(cursor, params.position, { release: this.releaseOf(cursor), access, findings }) ?? null;
  }

  private async describeAccess(cursor: Cursor) {
    return isAccessControlLine(cursor)
      ? this.analysis.describeAccess(cursor.document, cursor.line?.start ?? 0)
      : undefined;
  }

  private complete(params: TextDocumentPositionParams) {
    const cursor = this.cursor(params);
    if (cursor === undefined) return [];
    const { uri } = cursor.document;
    const outline = this.analysis.latest(uri)?.outline;
    const takesSnippets = this.client.textDocument?.completion?.completionItem?.snippetSupport === true;
    const names = this.namesFor(cursor.document);
    return listCompletions(cursor, { release: this.releaseOf(cursor), outline, names, takesSnippets, ruleIds });
  }

  private async define(params: TextDocumentPositionParams) {
    const cursor = this.cursor(params);
    if (cursor === undefined) return [];
    const outline = this.analysis.latest(cursor.document.uri)?.outline;
    const places = findDefinitions(cursor, outline, this.namesFor(cursor.document));
    if (places.length > 0) return places;
    const access = await this.describeAccess(cursor);
    return access === "not yet" ? [] : [...(access?.sections ?? [])];
  }

  /** Returns the names that the document defines now, and those of the other files as last read. */
  private namesFor({ tree, uri }: OpenDocument): readonly NamedLocation[] {
    const others = this.analysis.latest(uri)?.outline.names ?? [];
    return [...collectNamedLocations(tree, uri), ...others.filter((each) => each.uri !== uri)];
  }

  private releaseOf({ document }: Cursor) {
    const { uri, place } = document;
    return (
      this.analysis.latest(uri)?.outline.release ??
      this.settings.settingsOf(place.path, this.settings.mainsAround(place.path)[0]).release
    );
  }

  /** Returns a fallback after an internal error, so that the server continues. */
  private async handleErrors<T>(fallback: T, answer: () => T | Promise<T>): Promise<T> {
    try {
      return await answer();
    } catch (error) {
      this.log(error);
      return fallback;
    }
  }

  private log(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.connection.console.error(`internal error, please report it: ${message.replace(/\s+/g, " ").trim()}`);
    const debug = process.env["HTTPD_LINT_DEBUG"];
    if (debug && error instanceof Error) this.connection.console.error(error.stack ?? "");
  }
}
