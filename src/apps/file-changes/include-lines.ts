import { basename, dirname } from "node:path";
import { parseArguments } from "../../../grammar/arguments.js";
import type { DirectoryEntry, FileAccess } from "../../config/files/file-access.js";
import { resolvePath } from "../../config/files/paths.js";
import type { ReadConfig } from "../../config/model/project.js";
import { findIncludedFiles } from "../../config/reader/include.js";
import { fromReadable, lineAt } from "../../text/source.js";
import { quoteText } from "../../text/words.js";

/** An Include line of a configuration. */
interface IncludeLine {
  /** The included path: absolute, with wildcards as written. */
  readonly target: string;
  /** The line and its position, for messages. */
  readonly description: string;
}

/** Yields all Include lines, even those in inactive conditional sections: another `-D` may activate them. */
export function* listIncludeLines({ files, serverRoot }: ReadConfig): Generator<IncludeLine> {
  for (const { lines, source } of files.values()) {
    for (let index = 0; index < lines.length; index++) {
      const line = lines.at(index);
      if (line?.kind !== "directive") continue;
      const name = source.text.slice(line.nameStart, line.nameEnd);
      if (!/^Include(?:Optional)?$/i.test(name)) continue;
      const [word] = parseArguments(lines.restOf(source.text, index));
      if (word === undefined) continue;
      const target = resolvePath(fromReadable(serverRoot), word.value);
      yield {
        target,
        description: `${quoteText(`${name} ${word.value}`)} in \`${source.path}\` line ${lineAt(source, line.start)}`,
      };
    }
  }
}

/**
 * Returns the Include line that would load a file as configuration once it exists.
 *
 * @param path absolute, with links resolved
 */
export function findLineIncluding(path: string, config: ReadConfig, files: FileAccess): string | undefined {
  const real = fromReadable(path);
  const planted: DirectoryEntry = { name: fromReadable(basename(path)), kind: "file" };
  const isParent = (directory: string) => files.realPath(directory) === dirname(path);
  const access: FileAccess = {
    ...files,
    exists: (each) => each === real || files.exists(each),
    list(directory) {
      const entries = files.list(directory);
      if (!entries.ok || !isParent(directory) || entries.value.some(({ name }) => name === planted.name))
        return entries;
      return { ok: true, value: [...entries.value, planted] };
    },
  };
  for (const { target, description } of listIncludeLines(config)) {
    const included = findIncludedFiles(target, true, config.release, access);
    if (included.ok && included.value.some((file) => files.realPath(file) === path || isPlanted(file, path, files)))
      return description;
  }
  return undefined;
}

/** Returns whether a path means a file that does not exist yet, by another name of its directory. */
function isPlanted(file: string, path: string, files: FileAccess): boolean {
  const slash = file.lastIndexOf("/");
  return (
    file.slice(slash + 1) === fromReadable(basename(path)) &&
    files.realPath(file.slice(0, slash) || "/") === dirname(path)
  );
}
