import { nativePath, resolvePath } from "../../config/files/paths.js";
import { type Directive, findSectionAround } from "../../config/model/directive.js";
import { toReadable } from "../../text/source.js";
import { compileNameWildcard } from "../../text/wildcards.js";
import type { Cause } from "../model/answer.js";
import { argumentValuesOf, findSetting, firstArgumentOf, keywordArgumentOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { mainPassesOf, type Pass, passesOf } from "../model/pass.js";
import type { ExplainedRun } from "./causes.js";
import { ownDirectoryOf, urlOfSection } from "./own-directory.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** The directories of programs that hold the files for clients, the usual ones first. */
export const publicDirectories: readonly string[] = [
  "public",
  "web",
  "webroot",
  "htdocs",
  "public_html",
  "html",
  "www",
];

/**
 * Returns the file of the document root with the path of a URL that an Alias leads elsewhere (mod_alias.c `translate_alias_redir`);
 * undefined if there is none.
 */
export function findHiddenFile({ mapping, path, server }: Pass, files: FileTree): string | undefined {
  const isAlias = mapping.kind === "file" && mapping.by !== undefined && aliasLines.has(mapping.by.key);
  const root = isAlias ? firstArgumentOf(findSetting(server.layers, "documentroot"))?.replace(/\/+$/, "") : undefined;
  const file = root?.startsWith("/") ? root + path : undefined;
  const isOther = file !== undefined && mapping.kind === "file" && file !== mapping.filename;
  return isOther && files.kindOf(file, true) === "file" ? file : undefined;
}

const aliasLines: ReadonlySet<string> = new Set(["alias", "scriptalias"]);

/** An Alias for a path that the document root has as well: httpd looks only for the file of the Alias. */
export function explainHiddenFile({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const last = pass && mainPassesOf(pass)[0];
  const hidden = last && status === 404 ? findHiddenFile(last, files) : undefined;
  const by = last?.mapping.kind === "file" ? last.mapping.by : undefined;
  if (hidden === undefined || by === undefined) return [];
  const shown = nativePath(toReadable(hidden));
  const text = `\`${shown}\` exists, but ${quoteLine(by)} leads to another directory`;
  return [{ text, line: by, help: ["rename the directory and its links, or delete this line if nothing uses it"] }];
}

/** A listing of a directory without names: IndexIgnore lines leave them all out (mod_autoindex.c `ignore_entry`). */
export function explainEmptyListing({ outcome: { answeredBy, pass }, files }: ExplainedRun): readonly Cause[] {
  const last = pass && mainPassesOf(pass)[0];
  const { state, walked } = last ?? {};
  if (answeredBy !== "listing" || state === undefined || walked === undefined) return [];
  const reset = state.layers.findLastIndex((layer) => keywordArgumentOf(layer.setting("indexignorereset")) === "on");
  const lines = state.layers.slice(Math.max(reset, 0)).flatMap((layer) => layer.pick(ignoredNames));
  const entries = files.list?.(walked.filename.replace(/\/+$/, "")) ?? [];
  // Names that begin with a dot are seldom expected.
  const names = entries.map(({ name }) => name).filter((name) => !name.startsWith("."));
  for (const line of lines) {
    const words = argumentValuesOf(line);
    const isForAll = words.includes("*");
    if (!isForAll && (names.length === 0 || !names.every((name) => words.some((word) => isIgnored(name, word)))))
      continue;
    const rest = isForAll ? words.filter((word) => word !== "*") : [];
    const help = rest.length > 0 ? `use ${quoteWritten(formatWholeLine(line, rest.join(" ")))}` : "delete this line";
    return [{ text: `${quoteLine(line)} leaves all names out of the listing`, line, help: [`to show them, ${help}`] }];
  }
  return [];
}

const ignoredNames: ReadonlySet<string> = new Set(["indexignore"]);

/** Reports whether a name fits a word without a slash, in which only `*` and `?` are special (server/util.c `ap_strcmp_match`). */
function isIgnored(name: string, word: string): boolean {
  return !word.includes("/") && compileNameWildcard(word.replace(/[[\\]/g, "\\$&"))(name);
}

/** Index files that a directory has under another name, or in a directory below it (mod_dir.c `fixup_dir`). */
export function explainMissingIndex({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const last = pass && mainPassesOf(pass)[0];
  const { walked, index, inner = [], mapping } = last ?? {};
  if (!last || walked?.kind !== "directory" || index === undefined || (status !== 404 && status !== 403)) return [];
  if (!last.isAuthorized || inner.some((each) => each.walked?.kind !== "missing")) return [];
  const folder = walked.filename.replace(/\/+$/, "");
  const names = inner.map(({ path }) => path.slice(path.lastIndexOf("/") + 1));
  const [line] = index;
  const setting = line ? quoteLine(line) : "`DirectoryIndex index.html` (the default)";
  const text = `${setting} names no file in \`${nativePath(toReadable(folder))}\``;
  // httpd does not read the names after an empty one (mod_dir.c `add_index`).
  if (line && argumentValuesOf(line).includes(""))
    return [{ text: `the empty name ends the list of ${setting}`, line }];
  const entries = files.list?.(folder) ?? [];
  const own = entries.flatMap(({ name, kind }) => (kind === "file" && /^index\.\w+$/.test(name) ? [name] : [])).sort();
  const [found] = own.filter((name) => !names.includes(name));
  if (found !== undefined) {
    const written = line
      ? `use ${quoteWritten(formatWholeLine(line, `${line.argumentText} ${found}`))}`
      : `add ${quoteWritten(`DirectoryIndex ${toReadable(found)}`)} to ${nameSection(last, folder)}`;
    return [{ text: `${text}, but \`${toReadable(found)}\` is there`, ...(line ? { line } : {}), help: [written] }];
  }
  const below = findPublicDirectory(folder, names, files);
  if (below === undefined) return entries.length === 0 || status !== 404 ? [] : [{ text, ...(line ? { line } : {}) }];
  const { by } = mapping ?? {};
  const path = nativePath(toReadable(`${folder}/${below.directory}`));
  const help =
    by?.key === "documentroot" && last.path === "/" ? [`use ${quoteWritten(`${by.name} ${quoted(path)}`)}`] : [];
  const exists = `\`${path}/${toReadable(below.name)}\` exists`;
  return [{ text: `${text}, but ${exists}`, ...(by ? { line: by } : {}), ...(help.length > 0 ? { help } : {}) }];
}

function quoted(path: string): string {
  return /\s/.test(path) ? `"${path}"` : path;
}

/** Returns the directory below another one that has an index file: one with a usual name, or the only one. */
function findPublicDirectory(
  folder: string,
  names: readonly string[],
  files: FileTree,
): { readonly directory: string; readonly name: string } | undefined {
  const below = (files.list?.(folder) ?? []).flatMap(({ name: directory, kind }) => {
    const name = names.find((each) => files.kindOf(`${folder}/${directory}/${each}`, true) === "file");
    return kind === "directory" && name !== undefined ? [{ directory, name }] : [];
  });
  const usual = publicDirectories.flatMap((each) => below.find(({ directory }) => directory === each) ?? []);
  return usual[0] ?? (below.length === 1 ? below[0] : undefined);
}

/** Names the section of a directory, or a new one. */
function nameSection({ state }: Pass, folder: string): string {
  const section = state?.layers.findLast((layer) => layer.section?.key === "<directory")?.section;
  const written = section && argumentValuesOf(section)[0]?.replace(/(?<=.)\/+$/, "");
  return section && written !== undefined && `${folder}/`.startsWith(`${written}/`)
    ? quoteLine(section)
    : quoteWritten(`<Directory "${nativePath(toReadable(folder))}">`);
}

/**
 * A password file that does not exist where its line leads to: without a slash, below the ServerRoot (mod_authn_file.c
 * `check_password`). A file of the name may be below the root, or in the directory.
 */
export function explainMissingPasswords({ outcome, files, project }: ExplainedRun): readonly Cause[] {
  const { log, by, pass, served = pass } = outcome;
  const line = log.some((code) => code === "AH01620" || code === "AH01622")
    ? by.find(({ key }) => key === "authuserfile")
    : undefined;
  const [written = ""] = line ? argumentValuesOf(line) : [];
  if (line === undefined || served === undefined || written === "") return [];
  const folder = ownDirectoryOf(line, served)?.path;
  const rest = written.replace(/^\.\//, "");
  const name = rest.slice(rest.lastIndexOf("/") + 1);
  const places = [
    ...(rest.startsWith("/") ? [] : [`/${rest}`]),
    ...(folder === undefined ? [] : [`${folder}/${rest}`, `${folder}/${name}`]),
  ];
  const found = places.find((each) => files.kindOf(each, true) === "file");
  if (found === undefined) return [];
  const asked = nativePath(toReadable(resolvePath(project.serverRoot, written)));
  const shown = nativePath(toReadable(found));
  const corrected = formatWholeLine(
    line,
    line.argumentText.replace(written, () => found),
  );
  return [
    { text: `\`${asked}\` does not exist, but \`${shown}\` does`, line, help: [`use ${quoteWritten(corrected)}`] },
  ];
}

/**
 * A FallbackResource without a slash at its start, which httpd looks up beside the last part of the URL, and for that URL again
 * (mod_dir.c `fixup_dflt`).
 */
export function explainRelativeFallback({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const asked = pass && passesOf(pass).find(({ index }) => index?.[0]?.key === "fallbackresource");
  const [line, inner] = [asked?.index?.[0], asked?.inner[0]];
  const [name = ""] = line ? argumentValuesOf(line) : [];
  if (status !== 500 || !asked || !line || !inner || name.startsWith("/")) return [];
  const own = ownDirectoryOf(line, asked);
  const text = `${quoteLine(line)} is relative to the URL: for \`${toReadable(asked.path)}\`, httpd looks up \`${toReadable(inner.path)}\`, and so on`;
  const isThere = own !== undefined && files.kindOf(`${own.path}/${name}`, true) === "file";
  const help = `use ${quoteWritten(`${line.name} ${toReadable(`${own?.url ?? "/"}${name}`)}`)}`;
  return [{ text, line, help: [isThere ? help : `${help}, if this is the URL of the file`] }];
}

/**
 * A FallbackResource with the URL path of another directory than its own, which has a file of the name as well (mod_dir.c
 * `fixup_dflt`: the target is a URL path).
 */
export function explainForeignFallback({ outcome: { pass }, files }: ExplainedRun): readonly Cause[] {
  const asked = pass && passesOf(pass).find(({ index }) => index?.[0]?.key === "fallbackresource");
  const [line, inner] = [asked?.index?.[0], asked?.inner[0]];
  const [name = ""] = line ? argumentValuesOf(line) : [];
  if (!asked || !line || !name.startsWith("/") || inner?.mapping.kind !== "file") return [];
  const section = findSectionAround(line, ({ key }) => key === "<directory");
  const [written = ""] = section ? argumentValuesOf(section) : [];
  const folder = (ownDirectoryOf(line, asked)?.path ?? written).replace(/\/+$/, "");
  const url = ownDirectoryOf(line, asked)?.url ?? (section && urlOfSection(section, asked));
  const isInside = inner.mapping.filename.startsWith(`${folder}/`);
  if (!folder.startsWith("/") || url === undefined || isInside || files.kindOf(folder + name, true) !== "file")
    return [];
  // If nothing is there, the line has no effect, which is another cause.
  if (files.kindOf(inner.mapping.filename, true) === "missing") return [];
  const shown = nativePath(toReadable(inner.mapping.filename));
  const text = `\`${toReadable(name)}\` is a URL path, which leads to \`${shown}\`, and not to \`${nativePath(toReadable(folder + name))}\``;
  return [{ text, line, help: [`use ${quoteWritten(`${line.name} ${toReadable(url.replace(/\/+$/, "") + name)}`)}`] }];
}

/** A later name of DirectoryIndex that exists as well (mod_dir.c `fixup_dir`: the first one that exists answers). */
export function explainLaterIndex({ outcome: { pass, status }, files }: ExplainedRun): readonly Cause[] {
  const last = pass && mainPassesOf(pass)[0];
  const { index = [], inner = [], walked } = last ?? {};
  const [line, ...others] = index;
  const chosen = inner.at(-1)?.path;
  if (status !== 200 || line?.key !== "directoryindex" || others.length > 0 || chosen === undefined) return [];
  if (walked?.kind !== "directory" || inner.at(-1)?.walked?.kind !== "file") return [];
  const names = argumentValuesOf(line);
  const name = chosen.slice(chosen.lastIndexOf("/") + 1);
  const folder = walked.filename.replace(/\/+$/, "");
  const later = names
    .slice(names.indexOf(name) + 1)
    .find((each) => !each.startsWith("/") && files.kindOf(`${folder}/${each}`, true) === "file");
  if (!names.includes(name) || later === undefined) return [];
  const reordered = [later, ...names.filter((each) => each !== later)].join(" ");
  const text = `\`${toReadable(name)}\` comes first in ${quoteLine(line)}; \`${toReadable(later)}\` exists as well`;
  return [
    { text, line, help: [`for \`${toReadable(later)}\`, use ${quoteWritten(formatWholeLine(line, reordered))}`] },
  ];
}

/**
 * A variable that a rule sets before an internal redirect, which puts `REDIRECT_` before its name (modules/http/http_request.c
 * `rename_original_env`).
 */
export function explainRenamedVariable({ outcome: { pass, status } }: ExplainedRun): readonly Cause[] {
  const chain = pass ? mainPassesOf(pass).toReversed() : [];
  const last = chain.at(-1);
  if (status !== 200 || !last?.state || chain.length < 2) return [];
  const settersOf = (each: Pass) =>
    (each.rewriting.sections?.steps ?? []).flatMap(({ rule, match }) =>
      // A rule with a false condition has a step as well.
      match && !match.failed ? rule.flags.variables.map((variable) => ({ rule, variable })) : [],
    );
  const own = new Set(settersOf(last).map(({ variable }) => nameOf(variable)));
  for (const each of chain.slice(0, -1).toReversed()) {
    for (const { rule, variable } of settersOf(each)) {
      const name = nameOf(variable);
      const by = each.next?.by;
      if (variable.startsWith("!") || own.has(name) || by?.key !== "rewriterule" || last.state.env.has(name)) continue;
      if (!last.state.env.has(`redirect_${name}`)) continue;
      const shown = variable.split(":")[0] ?? name;
      const text = `${quoteLine(rule.directive)} sets \`${shown}\`, and the internal redirect to \`${toReadable(each.next?.pass.path ?? "")}\` renames it to \`REDIRECT_${shown}\``;
      const written = `RewriteRule ^ - [E=${toReadable(variable)}]`;
      const isFixed = !/[$%]\d/.test(variable);
      const help = isFixed ? [`to set it for each URL, add ${quoteWritten(written)} before the other rules`] : [];
      return [{ text, line: rule.directive, help }];
    }
  }
  return [];
}

function nameOf(variable: string): string {
  return (variable.replace(/^!/, "").split(":")[0] ?? "").toLowerCase();
}

/**
 * Returns that the file to which a rule leads does not exist, so that its own test for a file never ends the loop of internal redirects:
 * `RewriteCond %{REQUEST_FILENAME} !-f`. If the directory of the rule has the file, the help leads to it, and ends the loop. Undefined
 * for a target that depends on the URL.
 */
export function findMissingLoopTarget(
  { outcome: { pass }, files, outcomeAt }: ExplainedRun,
  rule: Directive,
): Cause | undefined {
  const [last] = pass ? mainPassesOf(pass) : [];
  const [, target = ""] = rule.key === "rewriterule" ? argumentValuesOf(rule) : [];
  const [path = ""] = target.split("?");
  if (!pass || last?.mapping.kind !== "file" || path === "" || /[$%:]/.test(path)) return undefined;
  const { filename } = last.mapping;
  if (files.kindOf(filename, true) !== "missing" || !testsFile(rule, pass)) return undefined;
  const text = `\`${nativePath(toReadable(filename))}\` does not exist`;
  const own = ownDirectoryOf(rule, pass);
  const names = [...path.matchAll(/(?<=^|\/)[^/]/g)].map(({ index }) => path.slice(index));
  const found = own && names.find((name) => files.kindOf(`${own.path}/${name}`, true) === "file");
  if (own === undefined || found === undefined) return { text, help: [`create it, or correct the target of the rule`] };
  const { status, pass: led } = outcomeAt(own.url + found);
  if (led === undefined || led.next || status >= 500) return { text };
  const set = findSetting(pass.state?.layers ?? [], "rewritebase");
  const base = set?.span.file === rule.span.file ? set : undefined;
  const isAbsolute = path.startsWith("/");
  const isSet = base ? argumentValuesOf(base)[0] === own.url : isAbsolute;
  const corrected = rule.argumentText.replace(path, () => own.url + found);
  const written = quoteWritten(
    ...(isSet ? [] : [`RewriteBase ${toReadable(own.url)}`]),
    ...(isAbsolute ? [formatWholeLine(rule, corrected)] : []),
  );
  const exists = `\`${nativePath(toReadable(`${own.path}/${found}`))}\` does`;
  const help = base || isAbsolute ? `use ${written}` : `add ${written} before the first rule`;
  return { text: `${text}, but ${exists}`, line: isAbsolute ? rule : (base ?? rule), help: [help] };
}

/** Reports whether a rule has the condition that the file of the URL does not exist. */
function testsFile(rule: Directive, pass: Pass): boolean {
  const steps = passesOf(pass).flatMap(({ rewriting: { url, sections } }) => [
    ...(url?.steps ?? []),
    ...(sections?.steps ?? []),
  ]);
  const conditions = steps.find((step) => step.rule.directive === rule)?.rule.conditions ?? [];
  return conditions.some(
    ({ input, test, isNegated }) =>
      isNegated && test.kind === "file" && /[fs]/.test(test.test) && /%\{(?:\w+_FILENAME|REQUEST_URI)\}/i.test(input),
  );
}
