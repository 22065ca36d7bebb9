import {
  type CompletionItem,
  CompletionItemKind,
  InsertTextFormat,
  MarkupKind,
  type Range,
} from "vscode-languageserver/node";
import { type DirectiveFacts, directiveFacts, directiveNames, type Release } from "../directives/directives.js";
import { moduleNamed } from "../directives/modules.js";
import { mayStandIn } from "../refusals/misplaced.js";
import { toReadable } from "../text/source.js";
import { directiveText } from "./directive-text.js";
import type { Cursor } from "./documents.js";
import type { NamedPlace, Outline } from "./jobs.js";
import { sectionsAround } from "./lines.js";
import { standingAt } from "./standing.js";
import { definedNames, wordsAt } from "./words.js";

/** What completion goes by beside the document. */
export interface CompletionContext {
  readonly release: Release;
  readonly outline: Outline | undefined;
  /** What is given a name in the document as it is now, and in the other files. */
  readonly names: readonly NamedPlace[];
  readonly takesSnippets: boolean;
  readonly ruleIds: readonly string[];
}

/** What may be written at a place. */
export function completionsAt(cursor: Cursor, context: CompletionContext): CompletionItem[] {
  const before = textBefore(cursor);
  const variable = /\$\{([^}]*)$/.exec(before.slice(before.lastIndexOf("}") + 1));
  if (variable) return variables(cursor, variable[1] ?? "", context);
  const { line } = cursor;
  if (/^[\t ]*#/.test(before)) return ruleNames(cursor, before, context);
  const isFirst = line === undefined || line.kind === "blank" || /^[\t ]*[^\t ]*$/.test(before);
  return isFirst ? directives(cursor, context) : argumentWords(cursor, context);
}

/** The whole of a directive's facts, once somebody looks at it. */
export function resolveCompletion(item: CompletionItem): CompletionItem {
  const [, release, key = ""] = /^(2\.[24]) (.*)$/.exec(String(item.data)) ?? [];
  if (release !== "2.2" && release !== "2.4") return item;
  const value = directiveText(key, release);
  return value === undefined ? item : { ...item, documentation: { kind: MarkupKind.Markdown, value } };
}

/** What stands ahead of a place on its physical line. */
function textBefore({ document, offset }: Cursor): string {
  const { text } = document.source;
  return text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
}

/** From some bytes ahead of the cursor to behind the word that it stands in. */
function rangeFrom({ document, offset }: Cursor, start: number): Range {
  const rest = /^[^\t-\r >}]*/.exec(document.source.text.slice(offset, offset + 200))?.[0] ?? "";
  return document.placed.rangeOf({ start, end: offset + rest.length });
}

function variables(cursor: Cursor, typed: string, { names, outline }: CompletionContext): CompletionItem[] {
  const range = rangeFrom(cursor, cursor.offset - typed.length);
  const isClosed = cursor.document.text.getText({ start: range.end, end: after(range.end) }) === "}";
  return definedNames(names, outline).map((name) => ({
    label: name,
    kind: CompletionItemKind.Variable,
    textEdit: { range, newText: isClosed ? name : `${name}}` },
  }));
}

function after({ line, character }: Range["end"]): Range["end"] {
  return { line, character: character + 1 };
}

/** Rules, in a comment that ignores findings. */
function ruleNames(cursor: Cursor, before: string, { ruleIds }: CompletionContext): CompletionItem[] {
  const typed = /^[\t ]*#[\t ]*httpd-lint-ignore-(?:next-line|file)[\t :]+(?:[a-z-]+,[\t ]*)*([a-z-]*)$/.exec(before);
  if (typed === null) return [];
  const range = rangeFrom(cursor, cursor.offset - (typed[1] ?? "").length);
  return ruleIds.map((label) => ({ label, kind: CompletionItemKind.Constant, textEdit: { range, newText: label } }));
}

function directives(cursor: Cursor, context: CompletionContext): CompletionItem[] {
  const { document, offset, index } = cursor;
  const typed = /[^\t ]*$/.exec(textBefore(cursor))?.[0] ?? "";
  const range = rangeFrom(cursor, offset - typed.length);
  const standing = standingAt(document, index, context.outline);
  const closing = closingTag(cursor, range);
  if (typed.startsWith("</")) return closing;
  const rest = document.source.text.slice(offset).match(/^[^\n]*/)?.[0] ?? "";
  const isAlone = !/^[^\t ]*[\t ]+[^\t\r\n ]/.test(rest);
  // A bracket opens a section, and nothing else.
  const isMeant = (name: string) => !typed.startsWith("<") || name.startsWith("<");
  const names = directiveNames(context.release).filter(isMeant);
  const items = names.flatMap((name): readonly CompletionItem[] => {
    const facts = directiveFacts(context.release, name).filter(({ manualOnly }) => !manualOnly);
    if (facts.length === 0 || !mayStandIn(facts, standing)) return [];
    return [directive(name, facts, { range, isAlone, typed }, context)];
  });
  return [...closing, ...items];
}

interface Written {
  readonly range: Range;
  /** Nothing stands behind the word. */
  readonly isAlone: boolean;
  readonly typed: string;
}

function directive(
  name: string,
  facts: readonly DirectiveFacts[],
  { range, isAlone, typed }: Written,
  { release, outline, takesSnippets }: CompletionContext,
): CompletionItem {
  const [{ module = "", syntax = "", section = false } = {}] = facts;
  const isLoaded = facts.some((each) => isProvided(each, release, outline));
  const title = section ? name.slice(1) : name;
  const isSnippet = section && isAlone && takesSnippets;
  const newText = isSnippet ? sectionSnippet(title, syntax) : name;
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

/** A section with what it is for and its closing tag: `<Directory directory-path> ... </Directory>` says what. */
function sectionSnippet(title: string, syntax: string): string {
  const argument = /^<\S+[\t ]+(.*?)>/.exec(syntax)?.[1]?.replace(/[\\$}]/g, "\\$&");
  const opening = argument === undefined ? `<${title}>` : `<${title} \${1:${argument}}>`;
  return `${opening}\n\t$0\n</${title}>`;
}

function isProvided({ module }: DirectiveFacts, release: Release, outline: Outline | undefined): boolean {
  const loaded = outline?.modules;
  return loaded === undefined || loaded.includes(module) || moduleNamed(release, module) === undefined;
}

/** The tag that closes the innermost open section, as that was written. */
function closingTag({ document, index }: Cursor, range: Range): CompletionItem[] {
  const innermost = sectionsAround(document.tree, index).at(-1);
  if (innermost === undefined) return [];
  const { text } = document.source;
  const name = toReadable(text.slice(innermost.nameStart, innermost.nameEnd).replace(/^["']?<|>?["']?$/g, ""));
  const newText = `</${name}>`;
  const followed = document.text.getText({ start: range.end, end: after(range.end) });
  const end = followed === ">" ? after(range.end) : range.end;
  return [
    { label: newText, kind: CompletionItemKind.Module, sortText: "0", textEdit: { range: { ...range, end }, newText } },
  ];
}

function argumentWords(cursor: Cursor, { release, names, outline }: CompletionContext): CompletionItem[] {
  const { read, offset } = cursor;
  if (read === undefined) return [];
  const before = read.words.filter(({ end }) => end < offset);
  const here = read.words.find(({ start, end }) => start <= offset && offset <= end);
  const given = before.map(({ value }) => toReadable(value));
  const words = wordsAt({ key: read.key, index: before.length, before: given, release, names, outline });
  const range = rangeFrom(cursor, here?.start ?? offset);
  return [...new Set(words)].map((label, index) => ({
    label,
    kind: CompletionItemKind.EnumMember,
    sortText: String(index).padStart(4, "0"),
    textEdit: { range, newText: label },
  }));
}
