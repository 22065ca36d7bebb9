import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, relative, resolve, sep } from "node:path";
import { readFileStart } from "../../../config/files/file-content.js";
import { statOf } from "../../../config/main-files.js";
import { getOrCreate } from "../../../text/collections.js";
import { findDecidingPattern, type PathPattern, parsePatternFile } from "../../../text/path-patterns.js";
import { fromReadable, toReadable } from "../../../text/source.js";
import { readGitPath } from "./git.js";

/** A longer file is not written by hand; the rest is left out. */
const MAX_BYTES = 1 << 20;

interface RuleFile {
  readonly path: string;
  /** The folder that its patterns are relative to. */
  readonly folder: string;
  readonly patterns: readonly PathPattern[];
}

/** The rules in a folder outside of a repository. */
const outside: readonly RuleFile[] = [];

/**
 * The files that Git ignores in its repositories, by gitignore(5): `.gitignore` in each folder, `info/exclude` of the repository,
 * and the file that `core.excludesFile` names. As for other tools, a rule applies even if Git tracks the file.
 */
export class GitIgnores {
  /** The files with rules that were looked for, existing or not. */
  readonly looked = new Set<string>();
  private readonly byFolder = new Map<string, readonly RuleFile[]>();

  /** @param confine the directory outside which nothing is read */
  constructor(private readonly confine: string | undefined) {}

  /** Returns the line that ignores a path; undefined if none does, or the path is not in a repository. */
  find(path: string, isFolder: boolean) {
    for (const file of this.rulesIn(dirname(path))) {
      // Git compares bytes: `?` matches one.
      const names = relative(file.folder, path).split(sep).map(fromReadable);
      const deciding = findDecidingPattern(file.patterns, names, isFolder);
      if (deciding === undefined) continue;
      return deciding.isNegated ? undefined : ({ kind: "git", path: file.path, line: deciding.number } as const);
    }
    return undefined;
  }

  /** Returns the rules for the paths in a folder, those of the nearest folder first. */
  private rulesIn(folder: string): readonly RuleFile[] {
    return getOrCreate(this.byFolder, folder, () => {
      const own = () => this.read(join(folder, ".gitignore"), folder);
      if (existsSync(join(folder, ".git"))) return [...own(), ...this.rulesOfRepository(folder)];
      const above = dirname(folder) === folder ? outside : this.rulesIn(dirname(folder));
      return above === outside ? outside : [...own(), ...above];
    });
  }

  private rulesOfRepository(root: string): readonly RuleFile[] {
    const ofUser = readGitPath(root, "core.excludesFile") ?? join(configHome(), "git", "ignore");
    return [join(this.gitFolderOf(root), "info", "exclude"), resolve(root, ofUser)].flatMap((path) =>
      this.read(path, root),
    );
  }

  /** Returns the folder with the files of a repository. In a work tree of another one and in a submodule, `.git` is a file. */
  private gitFolderOf(root: string): string {
    const path = join(root, ".git");
    if (statOf(path)?.isDirectory()) return path;
    const folder = resolve(root, this.firstLine(path)?.replace(/^gitdir: /, "") ?? ".git");
    return resolve(folder, this.firstLine(join(folder, "commondir")) ?? ".");
  }

  private firstLine(path: string): string | undefined {
    const text = readFileStart(path, MAX_BYTES, this.confine);
    return text === undefined ? undefined : toReadable(text).split("\n")[0];
  }

  private read(path: string, folder: string): readonly RuleFile[] {
    this.looked.add(path);
    const text = readFileStart(path, MAX_BYTES, this.confine);
    const patterns = text === undefined ? [] : parsePatternFile(text);
    return patterns.length === 0 ? [] : [{ path, folder, patterns }];
  }
}

function configHome(): string {
  const { XDG_CONFIG_HOME = "" } = process.env;
  return XDG_CONFIG_HOME === "" ? join(homedir(), ".config") : XDG_CONFIG_HOME;
}
