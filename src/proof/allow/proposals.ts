import type { Directive } from "../../config/model/directive.js";
import { endTagOf } from "../../config/queries/section-end.js";
import { isSince } from "../../facts/release.js";
import { isCompatDirective } from "../../server/access/compat-rules.js";
import { isRequireContainer } from "../../server/access/require-rules.js";
import type { DefiniteAnswer } from "../../server/definite-answer.js";
import { argumentValuesOf, type ConfigLayer, findSetting, keywordArgumentOf } from "../../server/model/config-layer.js";
import { mainPassesOf, type Pass } from "../../server/model/pass.js";
import { stripAliasPrefix } from "../../server/model/patterns.js";
import { mergeOptions } from "../../server/sections/options.js";
import { canonicalizePath } from "../../server/sections/section-index.js";
import { formatWholeLine } from "../../server/trace/step.js";
import { readSubnet } from "../../text/addresses.js";
import { type Edit, indentOf, insertLinesAfter, insertLinesBefore, removeLines } from "../../text/edits.js";

/** A change that may allow a request. */
export interface ProposedChange {
  readonly edits: readonly Edit[];
  /** The clients that it may allow: only that of the request, only the user, or every client, because a line cannot be limited. */
  readonly reach: "client" | "user" | "everyone";
}

/** A request that is denied or fails, and the pass that ends it. */
interface Denial {
  readonly answer: DefiniteAnswer;
  readonly pass: Pass;
  /** The configurations that apply, in merge order. */
  readonly layers: readonly ConfigLayer[];
  /** The client's address, as access control sees it. */
  readonly client: string;
  readonly user: string | undefined;
}

/** Returns the changes to try for a request that is not allowed, the narrowest first. They are not proved. */
export function proposeChanges(answer: DefiniteAnswer): readonly ProposedChange[] {
  const [pass] = answer.pass ? mainPassesOf(answer.pass) : [];
  if (pass === undefined) return [];
  const layers = pass.state?.layers ?? [...pass.walk.serverLayers, ...(pass.walked?.layers ?? [])];
  const { clientIp, user } = pass.state?.request ?? pass.request;
  const denial = { answer, pass, layers, client: clientIp, user };
  return proposers.flatMap((propose) => propose(denial));
}

const proposers: readonly ((denial: Denial) => readonly ProposedChange[])[] = [
  allowByRequire,
  allowByAllow,
  exceptFromRule,
  enableOption,
  allowOverride,
  endLoop,
];

/** Require lines that deny: the user or the address is added to them, or a line for it. */
function allowByRequire({ answer, pass, layers, client, user }: Denial): readonly ProposedChange[] {
  if (answer.isAuthorized || !isSince(answer.setup.project.release, "2.4")) return [];
  const { decidedBy } = answer;
  const hasDecided = (layer: ConfigLayer) => decidedBy.some((line) => layer.directives.includes(line));
  const withRequire = layers.filter((layer) => layer.has("require"));
  const layer = withRequire.findLast(hasDecided) ?? withRequire.at(-1);
  if (layer === undefined) return [];
  const lines = layer.directives.filter(({ key }) => key === "require");
  const [only] = lines.length === 1 ? lines : [];
  const isDenied = only !== undefined && argumentValuesOf(only).join(" ").toLowerCase() === "all denied";
  const linesFor = (type: string, word: string) => [
    ...linesWith(lines, type).map((line) => appendWord(line, word)),
    ...(isDenied ? [replaceArguments(only, `${type} ${word}`)] : []),
    insertAfterLast(lines, `Require ${type} ${word}`),
  ];
  const inNew = [...(isDenied ? [] : lines.map((line) => formatWholeLine(line))), `Require ip ${client}`];
  const byUser = user === undefined || !isPlainWord(user) ? [] : changesOf("user", linesFor("user", user));
  const own = changesOf("client", linesFor("ip", client));
  const directory = newDirectory(layer, pass, inNew);
  return [
    ...byUser,
    ...changesOf("client", [directory, newFiles(layer, pass, inNew)]),
    ...changesOf(
      "client",
      lines.map((line) => dropAddress(line, client)),
    ),
    ...(isForWholeDisk(layer) && directory ? [] : own),
  ];
}

/** Order, Allow and Deny lines that deny: the address is added to an Allow line, or removed from a Deny line. */
function allowByAllow({ answer, pass, layers, client }: Denial): readonly ProposedChange[] {
  if (answer.isAuthorized) return [];
  const layer = layers.findLast((each) => each.directives.some(isCompatDirective));
  if (layer === undefined) return [];
  const lines = layer.directives.filter((line) => isCompatDirective(line) && line.key !== "satisfy");
  const allows = lines.filter((line) => line.key === "allow" && argumentValuesOf(line).slice(1).every(isAddress));
  const opened = ["Order deny,allow", "Deny from all", `Allow from ${client}`];
  const directory = newDirectory(layer, pass, opened);
  return changesOf("client", [
    directory,
    newFiles(layer, pass, opened),
    ...lines.filter(({ key }) => key === "deny").map((line) => dropAddress(line, client)),
    ...(isForWholeDisk(layer) && directory
      ? []
      : [...allows.map((line) => appendWord(line, client)), insertAfterLast(lines, `Allow from ${client}`)]),
  ]);
}

/** A RewriteRule that answers: a condition before it excepts the address. */
function exceptFromRule({ answer, layers, pass, client }: Denial): readonly ProposedChange[] {
  const [rule] = answer.decidedBy;
  if (rule?.key !== "rewriterule" || answer.status === 500) return [];
  const layer = [...pass.server.layers, ...layers].find((each) => each.directives.includes(rule));
  if (layer === undefined) return [];
  let first = rule;
  const at = layer.directives.indexOf(rule);
  for (const line of layer.directives.slice(0, at).toReversed()) {
    if (line.key !== "rewritecond" || line.parent !== rule.parent) break;
    first = line;
  }
  const indent = indentOf(first.span);
  const condition = `${indent}RewriteCond %{REMOTE_ADDR} !^${client.replaceAll(".", "\\.")}$`;
  return changesOf("client", [insertLinesBefore(first.span, [condition])]);
}

/** The options without which a handler or a link is refused, by the messages about them. */
const optionsByMessage: Readonly<Record<string, string | undefined>> = {
  AH00037: "FollowSymLinks",
  AH00670: "FollowSymLinks",
  AH01262: "ExecCGI",
  AH01276: "Indexes",
  AH02809: "ExecCGI",
};

/** Options that disable a program, a listing or a link: the option is added for the directory. */
function enableOption({ answer, layers, pass }: Denial): readonly ProposedChange[] {
  const option = answer.log.map((code) => optionsByMessage[code]).find((each) => each !== undefined);
  if (option === undefined || mergeOptions(layers, answer.setup.project).has(option.toLowerCase())) return [];
  const last = layers.findLast((layer) => layer.has("options"));
  const line = last?.setting("options");
  const folder = folderOf(pass);
  const isOwn = last !== undefined && (isSectionOf(last, folder) || isInHtaccess(last, pass));
  const section = [`Options +${option}`];
  return changesOf("everyone", [
    ...(isOwn && line ? [addOption(line, option)] : [insertIntoSection(layers, folder, section)]),
    ...(folder === undefined ? [] : [insertSection(placeAfter(layers, pass), "Directory", folder, section)]),
    insertSection(placeAfter(layers, pass), "Location", folderOfUrl(pass), section),
  ]);
}

/** Returns a change of an Options line that enables an option. */
function addOption(line: Directive, option: string): readonly Edit[] | undefined {
  const words = line.arguments;
  const removed = words.find(({ value }) => value.toLowerCase() === `-${option.toLowerCase()}`);
  if (removed) return replaceWord(line, removed, `+${option}`);
  const isRelative = /^[+-]/.test(words[0]?.value ?? "");
  const [none] = words.length === 1 && words[0]?.value.toLowerCase() === "none" ? words : [];
  return none ? replaceWord(line, none, option) : appendWord(line, isRelative ? `+${option}` : option);
}

/** A `.htaccess` file with a line that AllowOverride does not allow: its class is added, or another section allows it. */
function allowOverride({ layers, pass }: Denial): readonly ProposedChange[] {
  const refused = pass.walked?.refused;
  const { directive, cause } = { directive: refused?.disallowed, cause: refused?.cause };
  const [name] = directive?.known.facts.flatMap(({ override }) => override) ?? [];
  if (refused === undefined || cause !== "override" || name === undefined || name === "All") return [];
  const folder = refused.file.directory;
  const last = layers.findLast((layer) => layer.has("allowoverride"));
  const line = last?.setting("allowoverride");
  const isOwn = last !== undefined && isSectionOf(last, folder);
  const words = line ? argumentValuesOf(line) : [];
  const kept = words.filter((word) => word.toLowerCase() !== "none");
  const section = [`AllowOverride ${[...kept, name].join(" ")}`];
  return changesOf("everyone", [
    isOwn && line ? replaceArguments(line, [...kept, name].join(" ")) : insertIntoSection(layers, folder, section),
    insertSection(placeAfter(layers, pass), "Directory", folder, section),
  ]);
}

/** A loop of a rule: END keeps the rules from running on the new URL. */
function endLoop({ answer }: Denial): readonly ProposedChange[] {
  const [rule] = answer.decidedBy;
  if (rule?.key !== "rewriterule" || answer.status !== 500 || !answer.log.includes("AH00124")) return [];
  const [, target, flags] = rule.arguments;
  if (target === undefined || rule.isDerived) return [];
  if (flags === undefined) return changesOf("everyone", [appendWord(rule, "[END]")]);
  const inner = flags.value.replace(/^\[|\]$/g, "");
  const names = inner.split(",").filter((flag) => !/^(?:l|last|end)$/i.test(flag.trim()));
  return changesOf("everyone", [replaceWord(rule, flags, `[${[...names, "END"].join(",")}]`)]);
}

function changesOf(
  reach: ProposedChange["reach"],
  all: readonly (readonly Edit[] | Edit | undefined)[],
): readonly ProposedChange[] {
  return all.flatMap((edits) => {
    const list = edits === undefined ? [] : "span" in edits ? [edits] : edits;
    return list.length === 0 ? [] : [{ edits: list, reach }];
  });
}

/** Returns the Require lines of a type that are not negated, the last first. */
function linesWith(lines: readonly Directive[], type: string): readonly Directive[] {
  return lines.filter((line) => keywordArgumentOf(line) === type && line.arguments.length > 1).toReversed();
}

function isPlainWord(word: string): boolean {
  return /^[\w.@+-]+$/.test(word);
}

function isAddress(word: string): boolean {
  return readSubnet(word).ok;
}

/** Appends a word to a line; undefined if the file does not show its words. */
function appendWord(line: Directive, word: string): readonly Edit[] | undefined {
  const last = line.arguments.at(-1);
  if (last === undefined || line.isDerived || last.unclosed || "macro" in line.span.file) return undefined;
  const { file, end } = line.spanOf(last);
  return [{ span: { file, start: end, end }, text: ` ${word}` }];
}

function replaceWord(line: Directive, word: Directive["arguments"][number], text: string): readonly Edit[] | undefined {
  if (line.isDerived || "macro" in line.span.file) return undefined;
  return [{ span: line.spanOf(word), text }];
}

/** Replaces all words of a line. */
function replaceArguments(line: Directive, text: string): readonly Edit[] | undefined {
  const [first, last] = [line.arguments[0], line.arguments.at(-1)];
  if (first === undefined || last === undefined || line.isDerived || "macro" in line.span.file) return undefined;
  const [{ file, start }, { end }] = [line.spanOf(first), line.spanOf(last)];
  return [{ span: { file, start, end }, text }];
}

/** Removes an address from a `Deny from` or `Require not ip` line that lists it; the whole line if it is the only one. */
function dropAddress(line: Directive, client: string): readonly Edit[] | Edit | undefined {
  const words = line.arguments;
  const first = line.key === "require" ? 2 : 1;
  const isList = line.key !== "require" || argumentValuesOf(line).slice(0, first).join(" ").toLowerCase() === "not ip";
  if (!isList) return undefined;
  const found = words.slice(first).find(({ value }) => value === client || value === `${client}/32`);
  if (found === undefined || line.isDerived || "macro" in line.span.file) return undefined;
  if (words.length === first + 1) return removeLines(line.span);
  const before = words[words.indexOf(found) - 1];
  if (before === undefined) return undefined;
  const { file, end: start } = line.spanOf(before);
  return [{ span: { file, start, end: line.spanOf(found).end }, text: "" }];
}

/** Inserts a line after the last of some lines, outside of the Require containers around it. */
function insertAfterLast(lines: readonly Directive[], text: string): Edit | undefined {
  let outer = lines.at(-1);
  if (outer === undefined) return undefined;
  while (outer.parent && isRequireContainer(outer.parent)) outer = outer.parent;
  const end = outer.children === undefined ? outer.span : endTagOf(outer);
  return end && insertLinesAfter(end, [text], indentOf(outer.span));
}

/**
 * Returns a new section for the directory that the URL is mapped to, if the section that decides is for a directory above
 * it: no section grants access to it.
 */
function newDirectory(decides: ConfigLayer, pass: Pass, lines: readonly string[]): Edit | undefined {
  const { section } = decides;
  const root = rootOf(pass) ?? folderOf(pass);
  const above = section?.key === "<directory" ? folderOfSection(section) : undefined;
  if (section === undefined || root === undefined || above === undefined) return undefined;
  if (/[^ -~]/.test(lines.join(""))) return undefined;
  const isAbove = root !== above && `${root}/`.startsWith(above === "/" ? "/" : `${above}/`);
  return isAbove ? insertSection(section, "Directory", root, lines) : undefined;
}

/** Reports whether a section is for all directories of the disk, so that a client which it allows reads files of other sites. */
function isForWholeDisk({ section }: ConfigLayer): boolean {
  return section?.key === "<directory" && folderOfSection(section) === "/";
}

/**
 * Returns a new section for the same names in the directory of the file only, if a Files section for all directories decides: it is
 * merged after those of the server (server/request.c `ap_file_walk`).
 */
function newFiles({ section }: ConfigLayer, pass: Pass, lines: readonly string[]): Edit | undefined {
  const isOfServer = section?.parent === undefined || section.parent.key === "<virtualhost";
  if (section === undefined || !isOfServer || (section.key !== "<files" && section.key !== "<filesmatch"))
    return undefined;
  const opening = formatWholeLine(section);
  const inner = [opening, ...lines.map((line) => `    ${line}`), opening.replace(/^<(\w+).*$/s, "</$1>")];
  if (/[^ -~]/.test(inner.join(""))) return undefined;
  return insertSection(section, "Directory", folderOf(pass), inner);
}

/** Inserts a section after another line or section, at the level of the server. */
function insertSection(
  after: Directive | undefined,
  name: "Directory" | "Location",
  path: string | undefined,
  lines: readonly string[],
): Edit | undefined {
  if (after === undefined || path === undefined || /["\\<>\n]/.test(path)) return undefined;
  let outer = after;
  while (outer.parent && outer.parent.key !== "<virtualhost") outer = outer.parent;
  const end = outer.children === undefined ? outer.span : endTagOf(outer);
  const written = [`<${name} "${path}">`, ...lines.map((line) => `    ${line}`), `</${name}>`];
  return end && insertLinesAfter(end, written, indentOf(outer.span));
}

/** Inserts lines into the last section for a directory; undefined if it has none, or no lines of its own. */
function insertIntoSection(
  layers: readonly ConfigLayer[],
  folder: string | undefined,
  lines: readonly string[],
): Edit | undefined {
  const section = layers.findLast((layer) => isSectionOf(layer, folder))?.section;
  const last = section?.children?.at(-1);
  if (last === undefined || last.children !== undefined) return undefined;
  return insertLinesAfter(last.span, lines);
}

/** Returns the line or section after which a section of the same server is merged last. */
function placeAfter(layers: readonly ConfigLayer[], { server, mapping }: Pass): Directive | undefined {
  const sections = layers.flatMap(({ section }) => (section ? [section] : []));
  const own = sections.findLast(({ key }) => key === "<directory" || key === "<location");
  return own ?? mapping.by ?? findSetting(server.layers, "documentroot") ?? server.layer.directives.at(-1);
}

/** Returns the directory to which the DocumentRoot or an Alias maps URLs. */
function rootOf({ mapping, path, walked }: Pass): string | undefined {
  if (mapping.kind !== "file") return undefined;
  const [from] = mapping.by ? argumentValuesOf(mapping.by) : [];
  const isAlias = mapping.by?.key === "alias" || mapping.by?.key === "scriptalias";
  const rest = isAlias && from !== undefined ? stripAliasPrefix(from, path) : path;
  if (rest === undefined || !mapping.filename.endsWith(rest)) return undefined;
  const root = mapping.filename.slice(0, mapping.filename.length - rest.length).replace(/\/+$/, "");
  return root === "" || (walked?.kind === "file" && walked.filename === root) ? undefined : root;
}

/** Returns the directory of the file that a pass is mapped to. */
function folderOf({ walked }: Pass): string | undefined {
  if (walked === undefined) return undefined;
  const bare = walked.filename.replace(/\/+$/, "");
  return walked.kind === "directory" ? bare : bare.slice(0, Math.max(bare.lastIndexOf("/"), 0)) || undefined;
}

function folderOfUrl({ path }: Pass): string {
  return path.replace(/[^/]*$/, "");
}

/** Returns the directory of a Directory section without a pattern. */
function folderOfSection(section: Directive): string | undefined {
  const [word, more] = argumentValuesOf(section);
  if (word === undefined || more !== undefined || /[*?[]/.test(word)) return undefined;
  const path = canonicalizePath(word)?.replace(/\/+$/, "");
  return path === "" ? "/" : path;
}

function isSectionOf({ section }: ConfigLayer, folder: string | undefined): boolean {
  return section?.key === "<directory" && folder !== undefined && folderOfSection(section) === folder;
}

/** Reports whether a configuration is that of a `.htaccess` file. */
function isInHtaccess(layer: ConfigLayer, { walked, server }: Pass): boolean {
  return layer.section === undefined && !server.layers.includes(layer) && walked?.layers.includes(layer) === true;
}
