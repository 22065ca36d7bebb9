import { parseArguments } from "../../../grammar/arguments.js";
import type { ConfigTree } from "../../../grammar/ast.js";
import type { Span } from "../../text/source.js";
import { hasWildcard } from "../../text/wildcards.js";
import { parentOf } from "../files/paths.js";
import type { Include } from "../model/project.js";
import { locatePath, type ReadingState } from "./reading-state.js";

/** A file that no line reads, with the commented Include line that names it, if one does. */
export interface OmittedFile {
  readonly path: string;
  readonly comment?: Span;
}

/** Limits of the files and of the directories that are looked at. */
const MAX_FILES = 100;
const MAX_DIRECTORIES = 50;

/** Returns the files that commented Include lines outside of sections name, in order. */
export function listCommentedFiles(files: Iterable<ConfigTree>, state: ReadingState): readonly OmittedFile[] {
  return [...files].flatMap(({ nodes, source }) =>
    nodes.flatMap((node): readonly OmittedFile[] => {
      if ("open" in node || node.kind !== "comment") return [];
      const text = source.text.slice(node.start, node.end);
      const [, written = ""] = /^\s*#+\s*Include(?:Optional)?\s+(\S.*?)\s*$/i.exec(text) ?? [];
      const [word, ...more] = parseArguments(written);
      if (word === undefined || more.length > 0 || hasWildcard(word.value) || word.value.includes("${")) return [];
      const start = node.start + text.search(/\S/);
      const comment = { file: source, start, end: node.start + text.trimEnd().length };
      return [{ path: locatePath(word.value, state), comment }];
    }),
  );
}

/** Names of directories with files for reading or for `a2enconf` and the like, which is found in another way. */
const otherDirectories =
  /^(?:original|examples?|samples?|docs?|backups?|templates?|(?:conf|mods|sites)-available)$|^\./i;

/** Names of files with configuration, also if an ending turns them off. */
const fileNames = /^[^.#].*\.(?:conf|vhost)(?:[._-](?:disabled?|off|inactive))?$/i;

/** Names of directories below a ServerRoot that have files with configuration. */
const directoryNames = /^(?:conf|sites|vhosts?|etc$|extra$)/i;

/**
 * Returns the files with configuration in the ServerRoot and its directories for them, and in those of Include lines, with the
 * directories in these.
 */
export function listFilesBeside(
  includes: readonly Include[],
  { access, serverRoot }: ReadingState,
): readonly OmittedFile[] {
  const found: OmittedFile[] = [];
  const seen = new Set<string>();
  const visit = (directory: string, isEntered: (name: string) => boolean) => {
    if (seen.has(directory) || seen.size >= MAX_DIRECTORIES) return;
    seen.add(directory);
    const entries = access.list(directory);
    for (const { name, kind } of entries.ok ? entries.value : []) {
      const path = `${directory}/${name}`;
      if (kind !== "directory" && fileNames.test(name) && found.length < MAX_FILES) found.push({ path });
      if (kind === "directory" && isEntered(name)) visit(path, (inner) => !otherDirectories.test(inner));
    }
  };
  // Other files of `/etc` or `/usr` are not those of httpd.
  if (parentOf(serverRoot) !== "/")
    visit(serverRoot, (name) => directoryNames.test(name) && !otherDirectories.test(name));
  const included = includes
    .map(({ path }) => parentOf(path))
    .filter((each) => !hasWildcard(each) && parentOf(each) !== "/");
  for (const directory of included) visit(directory, (name) => !otherDirectories.test(name));
  return found;
}
