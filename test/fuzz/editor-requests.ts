import { TextDocument } from "vscode-languageserver-textdocument";
import { defaultRules } from "../../rules/index.js";
import { describeAccess } from "../../src/apps/lsp/analysis/access-query.js";
import { lintDocuments } from "../../src/apps/lsp/analysis/lint-documents.js";
import { collectNamedLocations } from "../../src/apps/lsp/documents/config-lines.js";
import { mergeSettings } from "../../src/apps/lsp/documents/editor-settings.js";
import { OpenDocument } from "../../src/apps/lsp/documents/open-documents.js";
import { locateDocument, uriOf } from "../../src/apps/lsp/documents/protocol-conversion.js";
import { listCodeActions } from "../../src/apps/lsp/features/code-actions.js";
import { listCompletions, resolveCompletion } from "../../src/apps/lsp/features/completion.js";
import { createHover, isAccessControlLine } from "../../src/apps/lsp/features/hover.js";
import {
  findDefinitions,
  listDocumentLinks,
  listFoldingRanges,
  listSymbols,
} from "../../src/apps/lsp/features/navigation.js";
import type { DocumentFindings, DocumentSnapshot } from "../../src/apps/lsp/job.js";
import { expectThat } from "./guarantees.js";
import { mainFile } from "./input-files.js";

/** Maximum number of positions of a document to query: each key would take long, and most are alike. */
const MAX_PLACES = 6;
/** Time limit in milliseconds for access queries, which is short for an editor's user. */
const WHO_MS = 50;

const settings = mergeSettings({ serverRoot: "/srv/x", from: "2.2" }, {}, undefined);
const ruleIds = defaultRules.map(({ id }) => id);

/**
 * Opens all files in an editor, and makes an editor's requests for the main one: findings and their fixes, outline,
 * links, and hover, completion and definitions at positions all over it.
 */
export function editAll(files: Readonly<Record<string, string>>): void {
  const open = Object.entries(files).map(([path, text]) => {
    const uri = uriOf(path);
    return new OpenDocument(TextDocument.create(uri, "apacheconf", 1, text), locateDocument(uri, "/srv/x"));
  });
  const documents = open.map(({ snapshot }) => ({ ...snapshot, standalone: { main: mainFile, settings } }));
  const snapshot: DocumentSnapshot = { servers: [{ main: mainFile, settings }], documents, project: undefined };
  const found = lintDocuments(snapshot, false).documents;
  const main = open.find(({ place }) => place.path === mainFile);
  const linted = found.find(({ uri }) => uri === main?.uri);
  expectThat(main !== undefined && linted !== undefined, "the main file was not linted");
  if (main === undefined || linted === undefined) return;
  for (const { diagnostic } of linted.findings) expectInDocument(main, diagnostic.range);
  const whole = { start: { line: 0, character: 0 }, end: main.placed.positionOf(main.source.text.length) };
  listCodeActions(whole, undefined, { document: main, linted, versionOf: () => 1, takesVersions: true });
  for (const { range } of listSymbols(main)) expectInDocument(main, range);
  listFoldingRanges(main);
  listDocumentLinks(main, linted.outline);
  queryAllPositions(main, snapshot, linted);
}

function queryAllPositions(
  main: OpenDocument,
  snapshot: DocumentSnapshot,
  { outline, findings }: DocumentFindings,
): void {
  const { length } = main.source.text;
  const names = collectNamedLocations(main.tree, main.uri);
  let hasQueriedAccess = false;
  for (let offset = 0; offset <= length; offset += Math.max(1, Math.ceil(length / MAX_PLACES))) {
    const position = main.placed.positionOf(offset);
    const cursor = main.at(position);
    const isFirst: boolean = !hasQueriedAccess && isAccessControlLine(cursor);
    const access = isFirst ? describeAccess(snapshot, main.uri, cursor.line?.start ?? 0, WHO_MS) : undefined;
    hasQueriedAccess ||= isFirst;
    createHover(cursor, position, { release: "2.4", access, findings });
    findDefinitions(cursor, outline, names);
    const items = listCompletions(cursor, { release: "2.4", outline, names, takesSnippets: true, ruleIds });
    if (items[0]) resolveCompletion(items[0]);
  }
}

interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** Expects a valid range: an editor rejects, or misplaces, one that ends before its start or is beyond the text. */
function expectInDocument({ placed }: OpenDocument, { start, end }: Range): void {
  const [from, to] = [placed.offsetOf(start), placed.offsetOf(end)];
  expectThat(from <= to, `a range ends ahead of its start: ${JSON.stringify({ start, end })}`);
  for (const each of [start, end]) {
    const again = placed.positionOf(placed.offsetOf(each));
    expectThat(
      again.line === each.line && again.character === each.character,
      `a place is not in the text: ${JSON.stringify(each)}`,
    );
  }
}
