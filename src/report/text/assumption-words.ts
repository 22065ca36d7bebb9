import { textOfTag } from "../../config/alternatives.js";
import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { AbsentFolder, Assumption } from "../../config/model/project.js";
import type { Refusal } from "../../config/refusals/refusal.js";
import { type Span, toReadable } from "../../text/source.js";
import { formatCount, formatWordList, quoteText } from "../../text/words.js";
import { PlaceResolver } from "./source-places.js";

/** Limit of the lines in an assumption. */
const MAX_LINES = 5;

/**
 * Returns the assumptions of an analysis that reports state, as clauses to follow `assuming that`. They do not state where the
 * server is, and they show the refused lines by themselves.
 *
 * @param base the directory to which paths are relative
 */
export function describeAssumptions(assumptions: readonly Assumption[], base?: string): readonly string[] {
  return assumptions.flatMap((each) => describeAssumption(each, base) ?? []);
}

function describeAssumption(assumption: Assumption, base: string | undefined): string | undefined {
  switch (assumption.code) {
    case "no-other-file":
      return "no other file of the server sets access for these paths";
    case "document-root":
      return `the document root is \`${assumption.directory}\`, with \`AllowOverride All\``;
    case "included-in-directory":
      return "a section for the requested directory includes the file";
    case "default-host":
      return "its first virtual host answers requests without a Host header";
    case "placeholder-addresses":
      return `requests reach ${listTags(assumption.hosts.map(({ span }) => span))}`;
    case "template-branches":
      return describeTemplate(assumption.tags);
    case "no-userdir-htaccess":
      return describeUserHtaccess(assumption.lines);
    case "absent-folders-without-htaccess":
      return describeAbsentFolders(assumption.folders);
    case "modules-loaded":
      return describeModules(assumption.modules);
    case "missing-files-empty":
      return `no missing file affects access: ${listLines(assumption.problems, base)}`;
    case "template-tags-empty":
      return `no line inserted for a template tag affects access: ${listLines(assumption.problems, base)}`;
    case "relocated":
    case "refused-lines-omitted":
      return undefined;
  }
}

/** Limit of the tags and sections in an assumption. */
const MAX_TAGS = 3;

function describeTemplate(tags: readonly Span[]): string {
  const rest = "tag of the template stands for lines";
  return tags.length === 0 ? `no ${rest}` : `the lines under ${listTags(tags)} apply, and no other ${rest}`;
}

function listTags(tags: readonly Span[]): string {
  return formatWordList(firstOf([...new Set(tags.map((tag) => quoteText(textOfTag(tag))))], MAX_TAGS, "tag"));
}

function describeUserHtaccess(lines: readonly Directive[]): string {
  const places = [...new Set(lines.map(({ argumentText }) => `\`UserDir ${argumentText}\``))].join(", ");
  return `no \`.htaccess\` file in the directories of users (${places}) controls access`;
}

/** Limit of the folders in an assumption. */
const MAX_FOLDERS = 3;

function describeAbsentFolders(folders: readonly AbsentFolder[]): string {
  const paths = [...new Set(folders.map(({ path }) => `\`${nativePath(path)}\``))];
  const shown = firstOf(paths, MAX_FOLDERS, "folder").join(", ");
  return `no \`.htaccess\` file controls access in folders that do not exist here: ${shown}`;
}

/** Joins clauses to follow `assuming that`. */
export function joinClauses(clauses: readonly string[]): string {
  return clauses.join(", and that ");
}

function describeModules(modules: readonly string[]): string {
  const names = modules.map((each) => `\`${each}\``).join(", ");
  return modules.length === 1 ? `the missing module ${names} is loaded` : `these missing modules are loaded: ${names}`;
}

/** Limit of the modules of a part in an assumption. */
const MAX_MODULES = 6;

/** Returns the clause that the modules are loaded that a part of a server needs. @param modules by identifier, at least one */
export function describeAssumedModules(modules: readonly string[]): string {
  const names = modules.toSorted().map((each) => `\`${toReadable(each)}\``);
  return `${formatWordList(firstOf(names, MAX_MODULES, "module"))} ${names.length === 1 ? "is" : "are"} loaded`;
}

function listLines(problems: readonly Refusal[], base: string | undefined): string {
  const places = new PlaceResolver(base);
  const lines = problems.map(({ span }) => {
    const { file, start, end } = span;
    return `${quoteText(file.text.slice(start, end))} (${places.path(file)}:${places.start(places.place(span)).line})`;
  });
  return firstOf(lines, MAX_LINES, "line").join(", ");
}

/** Returns the first items, and the number of the others. @param what one of them, in the singular */
function firstOf(items: readonly string[], max: number, what: string): readonly string[] {
  const more = items.length - max;
  return more > 0 ? [...items.slice(0, max), formatCount(more, `more ${what}`)] : items;
}
