import { TextDocument } from "vscode-languageserver-textdocument";
import { defaultRules } from "../../rules/index.js";
import { analyse } from "../../src/lsp/analyse.js";
import { codeActionsIn } from "../../src/lsp/code-actions.js";
import { completionsAt, resolveCompletion } from "../../src/lsp/completion.js";
import { definitionsAt } from "../../src/lsp/definition.js";
import { OpenDocument } from "../../src/lsp/documents.js";
import { hoverText, isOfAccess } from "../../src/lsp/hover.js";
import type { Snapshot } from "../../src/lsp/jobs.js";
import { namesIn } from "../../src/lsp/names.js";
import { settingsBy } from "../../src/lsp/settings.js";
import { foldingIn, linksIn, symbolsIn } from "../../src/lsp/symbols.js";
import { placeOf, uriOf } from "../../src/lsp/uris.js";
import { whoGetsIn } from "../../src/lsp/who-gets-in.js";
import { mainFile } from "./given-files.js";
import { expectThat } from "./promises.js";

/** So many places of a document are asked about: each key would take long, and most are alike. */
const MOST_PLACES = 6;
/** So many milliseconds are given to who gets in, as an editor's user gives it little. */
const WHO_MS = 50;

const settings = settingsBy({ serverRoot: "/srv/x", from: "2.2" }, {}, undefined);
const ruleIds = defaultRules.map(({ id }) => id);

/** Opens all files in an editor, and asks of the main one what editors ask: findings and their fixes, outline, links, and hover, completion and definitions at places all over it. */
export function editAll(files: Readonly<Record<string, string>>): void {
  const open = Object.entries(files).map(([path, text]) => {
    const uri = uriOf(path);
    return new OpenDocument(TextDocument.create(uri, "apacheconf", 1, text), placeOf(uri, "/srv/x"));
  });
  const documents = open.map(({ snapshot }) => ({ ...snapshot, alone: { main: mainFile, settings } }));
  const snapshot: Snapshot = { servers: [{ main: mainFile, settings }], documents, project: undefined };
  const found = analyse(snapshot, false).documents;
  const main = open.find(({ place }) => place.path === mainFile);
  const analysed = found.find(({ uri }) => uri === main?.uri);
  expectThat(main !== undefined && analysed !== undefined, "the main file was not analysed");
  if (main === undefined || analysed === undefined) return;
  for (const { diagnostic } of analysed.findings) expectWithin(main, diagnostic.range);
  const whole = { start: { line: 0, character: 0 }, end: main.placed.positionOf(main.source.text.length) };
  codeActionsIn(whole, undefined, { document: main, analysed, versionOf: () => 1, takesVersions: true });
  for (const { range } of symbolsIn(main)) expectWithin(main, range);
  foldingIn(main);
  linksIn(main, analysed.outline);
  askAllOver(main, snapshot, analysed.outline);
}

function askAllOver(main: OpenDocument, snapshot: Snapshot, outline: Parameters<typeof linksIn>[1]): void {
  const { length } = main.source.text;
  const names = namesIn(main.tree, main.uri);
  let asked = false;
  for (let offset = 0; offset <= length; offset += Math.max(1, Math.ceil(length / MOST_PLACES))) {
    const cursor = main.at(main.placed.positionOf(offset));
    const isFirst: boolean = !asked && isOfAccess(cursor);
    const who = isFirst ? whoGetsIn(snapshot, main.uri, cursor.line?.start ?? 0, WHO_MS) : undefined;
    asked ||= isFirst;
    hoverText(cursor, "2.4", who);
    definitionsAt(cursor, outline, names);
    const items = completionsAt(cursor, { release: "2.4", outline, names, takesSnippets: true, ruleIds });
    if (items[0]) resolveCompletion(items[0]);
  }
}

interface Range {
  readonly start: { readonly line: number; readonly character: number };
  readonly end: { readonly line: number; readonly character: number };
}

/** An editor refuses, or misplaces, a range that ends ahead of its start or lies behind the text. */
function expectWithin({ placed }: OpenDocument, { start, end }: Range): void {
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
