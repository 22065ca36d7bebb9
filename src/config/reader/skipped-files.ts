import type { ConfigTree } from "../../../grammar/ast.js";
import { parseFile } from "../../../grammar/parser.js";
import { findDirectiveFacts, findThirdPartyDirective } from "../../facts/directives.js";
import { releaseLines } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { compileFileWildcard, hasWildcard } from "../../text/wildcards.js";
import type { FileAccess } from "../files/file-access.js";
import type { Include, SkippedFile } from "../model/project.js";

/**
 * Names of files that are not meant to be included: copies, disabled files, parts that another file includes by name,
 * documentation, and files of other programs.
 */
const otherNames =
  /^[.#_]|~$|\.(?:conf|load|vhost)(?:\W|_|$)|^(?:readme|license|changelog|copying|makefile)|(?:^|[._-])(?:bak|backup|copy|old|orig|disabled?|off|inactive|sav|save|swp|tmp|temp|dist|samples?|examples?|template|rpm\w+|dpkg-\w+|ucf-\w+|pacnew|pacsave|apk-new|inc|include|snippet|part|common|shared|macros?|md|rst|txt|html?|log|pem|crt|cert|key|csr|csv|sh|py|pl|php|json|ya?ml|j2|erb|epp|tpl|tmpl|in|zip|gz)$/i;

/**
 * Finds the files next to those of an Include that have configuration, that no line reads, and that the wildcard would
 * match if their names had its ending: `sites/shop` for `sites/*.conf`. The server matches the whole name (server/util.c
 * `ap_dir_fnmatch`).
 */
export function findSkippedFiles(
  includes: readonly Include[],
  files: ReadonlyMap<string, ConfigTree>,
  access: FileAccess,
): readonly SkippedFile[] {
  const known = new Set([...files.values()].map(({ source }) => source.realPath));
  const found: SkippedFile[] = [];
  for (const include of includes)
    for (const path of listSkippedNames(include.path, access)) {
      const content = access.isDirectory(path) ? undefined : access.read(path);
      if (!content?.ok || known.has(content.value.realPath)) continue;
      known.add(content.value.realPath);
      const tree = parseFile({ path: toReadable(path), ...content.value });
      if (isConfiguration(tree))
        found.push({ include, source: tree.source, ending: toReadable(endingOf(include.path)) });
    }
  return found;
}

/**
 * Lists the paths that the wildcard of an Include would match if their names had its ending. They may be directories.
 *
 * @param include its absolute path
 */
export function listSkippedNames(include: string, access: FileAccess): readonly string[] {
  const [, folder = "", pattern = ""] = /^(.*)\/([^/]*)$/s.exec(include) ?? [];
  const ending = endingOf(include);
  if (!ending.startsWith(".") || hasWildcard(folder)) return [];
  const entries = access.list(folder);
  const matches = compileFileWildcard(pattern);
  return (entries.ok ? entries.value : []).flatMap(({ name, kind }) =>
    kind === "directory" || otherNames.test(name) || matches(name) || !matches(name + ending)
      ? []
      : [`${folder}/${name}`],
  );
}

/** Returns the text after the last wildcard of a path. */
function endingOf(include: string): string {
  return /[*?\]]([^*?[\]\\/]+)$/.exec(include)?.[1] ?? "";
}

/** Reports whether most lines of a file are directives of httpd or of a known module. */
function isConfiguration({ lines, text }: ConfigTree): boolean {
  let known = 0;
  let unknown = 0;
  for (const { kind, nameStart, nameEnd } of lines) {
    if (kind !== "directive" && kind !== "open") continue;
    const name = text.slice(nameStart, nameEnd).replace(/>$/, "");
    const isKnown =
      releaseLines.some((release) => findDirectiveFacts(release, name).length > 0) || findThirdPartyDirective(name);
    if (isKnown) known++;
    else unknown++;
  }
  return known > unknown;
}
