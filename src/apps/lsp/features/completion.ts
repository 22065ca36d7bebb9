import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  MarkupKind,
  type Range,
} from "vscode-languageserver/node";
import type { NameFacts } from "../../../config/model/directive.js";
import { guardKinds } from "../../../config/model/guards.js";
import type { EntryKind } from "../../../config/model/project.js";
import { type SectionContext, topSectionContext } from "../../../config/model/scope.js";
import { type DirectiveFacts, findDirectiveFacts, listDirectiveNames } from "../../../facts/directives.js";
import { findModuleByManualName } from "../../../facts/modules.js";
import { parseRelease, type Release } from "../../../facts/release.js";
import { describeDirective } from "../../../report/text/directive-description.js";
import { isPlacementAllowed } from "../../../startup/misplaced.js";
import { toReadable } from "../../../text/source.js";
import { findEnclosingSections, sectionKeyOf } from "../documents/config-lines.js";
import type { Cursor, OpenDocument } from "../documents/open-documents.js";
import type { DocumentOutline, NamedLocation } from "../job.js";
import { listDefinedNames, suggestWords } from "./argument-words.js";

/** The input for completion, besides the document. */
export interface CompletionContext {
  readonly release: Release;
  readonly outline: DocumentOutline | undefined;
  /** Names defined in the current document and in the other files. */
  readonly names: readonly NamedLocation[];
  readonly takesSnippets: boolean;
  readonly ruleIds: readonly string[];
}

/** Returns the completions at the cursor. */
export function listCompletions(cursor: Cursor, context: CompletionContext): CompletionItem[] {
  const before = readTextBefore(cursor);
  const variable = /\$\{([^}]*)$/.exec(before.slice(before.lastIndexOf("}") + 1));
  if (variable) return completeVariables(cursor, variable[1] ?? "", context);
  const { line } = cursor;
  if (/^[\t ]*#/.test(before)) return completeRuleNames(cursor, before, context);
  const isFirst = line === undefined || line.kind === "blank" || /^[\t ]*[^\t ]*$/.test(before);
  return isFirst ? completeDirectives(cursor, context) : completeArguments(cursor, context);
}

/** Adds a directive's full documentation when the item is displayed. */
export function resolveCompletion(item: CompletionItem): CompletionItem {
  const [, named = "", key = ""] = /^(\S+) (.*)$/.exec(String(item.data)) ?? [];
  const release = parseRelease(named);
  if (release === undefined) return item;
  const value = describeDirective(key, release);
  return value === undefined ? item : { ...item, documentation: { kind: MarkupKind.Markdown, value } };
}

/** Returns the text before the cursor on its physical line. */
function readTextBefore({ document, offset }: Cursor): string {
  const { text } = document.source;
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

/** Returns the range from some bytes before the cursor to the end of its word. */
function createRangeFrom({ document, offset }: Cursor, start: number): Range {
  const rest = /^[^\t-\r >}]*/.exec(document.source.text.slice(offset, offset + 200))?.[0] ?? "";
  return document.placed.rangeOf({ start, end: offset + rest.length });
}

function completeVariables(cursor: Cursor, typed: string, { names, outline }: CompletionContext): CompletionItem[] {
  const range = createRangeFrom(cursor, cursor.offset - typed.length);
  const isClosed = cursor.document.text.getText({ start: range.end, end: positionAfter(range.end) }) === "}";
  return listDefinedNames(names, outline).map((name) => ({
    label: name,
    kind: CompletionItemKind.Variable,
    textEdit: { range, newText: isClosed ? name : `${name}}` },
  }));
}

function positionAfter({ line, character }: Range["end"]): Range["end"] {
  return { line, character: character + 1 };
}

/** Completes rule names in a suppression comment. */
function completeRuleNames(cursor: Cursor, before: string, { ruleIds }: CompletionContext): CompletionItem[] {
  const typed = /^[\t ]*#[\t ]*httpd-lint-ignore-(?:next-line|file)[\t :]+(?:[a-z-]+,[\t ]*)*([a-z-]*)$/.exec(before);
  if (typed === null) return [];
  const range = createRangeFrom(cursor, cursor.offset - (typed[1] ?? "").length);
  return ruleIds.map((label) => ({ label, kind: CompletionItemKind.Constant, textEdit: { range, newText: label } }));
}

function completeDirectives(cursor: Cursor, context: CompletionContext): CompletionItem[] {
  const { document, offset, index } = cursor;
  const typed = /[^\t ]*$/.exec(readTextBefore(cursor))?.[0] ?? "";
  const range = createRangeFrom(cursor, offset - typed.length);
  const sectionContext = findSectionContext(document, index, context.outline);
  const closing = completeClosingTag(cursor, range);
  if (typed.startsWith("</")) return closing;
  const rest = document.source.text.slice(offset).match(/^[^\n]*/)?.[0] ?? "";
  const isOnlyWord = !/^[^\t ]*[\t ]+[^\t\r\n ]/.test(rest);
  // A bracket opens a section, and nothing else.
  const isCandidate = (name: string) => !typed.startsWith("<") || name.startsWith("<");
  const names = listDirectiveNames(context.release).filter(isCandidate);
  const items = names.flatMap((name): readonly CompletionItem[] => {
    const facts = findDirectiveFacts(context.release, name).filter(({ manualOnly }) => !manualOnly);
    if (facts.length === 0 || !isPlacementAllowed(facts, sectionContext)) return [];
    return [createDirectiveItem(name, facts, { range, isOnlyWord, typed }, context)];
  });
  return [...closing, ...items];
}

interface TypedWord {
  readonly range: Range;
  /** Whether nothing follows the word. */
  readonly isOnlyWord: boolean;
  readonly typed: string;
}

function createDirectiveItem(
  name: string,
  facts: readonly DirectiveFacts[],
  { range, isOnlyWord, typed }: TypedWord,
  { release, outline, takesSnippets }: CompletionContext,
): CompletionItem {
  const [{ module = "", syntax = "", section = false } = {}] = facts;
  const isLoaded = facts.some((each) => isProvided(each, release, outline));
  const title = section ? name.slice(1) : name;
  const isSnippet = section && isOnlyWord && takesSnippets;
  const newText = isSnippet ? createSectionSnippet(title, syntax) : name;
  return {
    label: section ? `<${title}>` : name,
    kind: section ? CompletionItemKind.Module : CompletionItemKind.Property,
    detail: isLoaded ? module : `${module} (not loaded)`,
    filterText: section && !typed.startsWith("<") ? title : name,
    sortText: `${isLoaded ? 1 : 2}${title.toLowerCase()}`,
    data: `${release} ${name.toLowerCase()}`,
    textEdit: { range, newText },
    ...(isSnippet ? { insertTextFormat: InsertTextFormat.Snippet } : {}),
  };
}

/**
 * Returns a snippet for a section with its argument and closing tag: `<Directory directory-path> ... </Directory>`
 * shows the argument.
 */
function createSectionSnippet(title: string, syntax: string): string {
  const argument = /^<\S+[\t ]+(.*?)>/.exec(syntax)?.[1]?.replace(/[\\$}]/g, "\\$&");
  const opening = argument === undefined ? `<${title}>` : `<${title} \${1:${argument}}>`;
  return `${opening}\n\t$0\n</${title}>`;
}

function isProvided({ module }: DirectiveFacts, release: Release, outline: DocumentOutline | undefined): boolean {
  const loaded = outline?.modules;
  return loaded === undefined || loaded.includes(module) || findModuleByManualName(release, module) === undefined;
}

/** Completes the closing tag of the innermost open section, spelled as it was opened. */
function completeClosingTag({ document, index }: Cursor, range: Range): CompletionItem[] {
  const innermost = findEnclosingSections(document.tree, index).at(-1);
  if (innermost === undefined) return [];
  const { text } = document.source;
  const name = toReadable(text.slice(innermost.nameStart, innermost.nameEnd).replace(/^["']?<|>?["']?$/g, ""));
  const newText = `</${name}>`;
  const followed = document.text.getText({ start: range.end, end: positionAfter(range.end) });
  const end = followed === ">" ? positionAfter(range.end) : range.end;
  return [
    { label: newText, kind: CompletionItemKind.Module, sortText: "0", textEdit: { range: { ...range, end }, newText } },
  ];
}

function completeArguments(cursor: Cursor, { release, names, outline }: CompletionContext): CompletionItem[] {
  const { read, offset } = cursor;
  if (read === undefined) return [];
  const before = read.words.filter(({ end }) => end < offset);
  const here = read.words.find(({ start, end }) => start <= offset && offset <= end);
  const given = before.map(({ value }) => toReadable(value));
  const words = suggestWords({ key: read.key, index: before.length, before: given, release, names, outline });
  const range = createRangeFrom(cursor, here?.start ?? offset);
  return [...new Set(words)].map((label, index) => ({
    label,
    kind: CompletionItemKind.EnumMember,
    sortText: String(index).padStart(4, "0"),
    textEdit: { range, newText: label },
  }));
}

const guardSection = new Set<string>(guardKinds);

/** Returns the context of a line, from the sections in the document and those around the place where it is included. */
function findSectionContext(
  document: OpenDocument,
  index: number,
  outline: DocumentOutline | undefined,
): SectionContext {
  const release = outline?.release ?? "2.4";
  const top = topSectionContext(outline?.kind ?? guessEntryKind(document));
  const inside = findEnclosingSections(document.tree, index).map((line) => sectionKeyOf(document.tree, line));
  return [...(outline?.enclosingSections ?? []), ...inside].reduce(
    (outer, key) => enterSection(outer, key, release),
    top,
  );
}

/** Conditional sections keep the context around them; a macro may be used in any context. */
function enterSection(outer: SectionContext, key: string, release: Release): SectionContext {
  if (guardSection.has(key)) return outer;
  return key === "<macro" ? topSectionContext("fragment") : outer.inside(findKnownName(key, release));
}

function findKnownName(key: string, release: Release): NameFacts {
  return { key, facts: findDirectiveFacts(release, key) };
}

/** Used as long as the surrounding files are unknown. */
function guessEntryKind({ place: { path } }: OpenDocument): EntryKind {
  return /(^|\/)\.ht[^/]*$/.test(path) ? "htaccess" : "fragment";
}
