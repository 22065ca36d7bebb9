import { relative, sep } from "node:path";
import { isWithin } from "../../../config/files/paths.js";
import { findDecidingPattern, type PathPattern, parsePatternList } from "../../../text/path-patterns.js";
import { defaultExcludes } from "../../settings/default-excludes.js";
import type { ExcludedPatterns, Settings } from "../../settings/settings.js";
import { GitIgnores } from "./git-ignores.js";

/** A file or folder that a search leaves out. */
export interface ExcludedPath {
  readonly path: string;
  readonly isFolder: boolean;
  readonly by: ExcludedBy;
}

/** What excludes it: a pattern of the defaults, of the configuration file or of `--exclude`, or a line of Git's. */
export type ExcludedBy =
  | { readonly kind: "default" | "flag"; readonly pattern: string }
  | { readonly kind: "settings"; readonly path: string; readonly pattern: string }
  | { readonly kind: "git"; readonly path: string; readonly line: number };

/** The flags that control which paths are left out. */
export interface ExclusionFlags {
  /** Patterns relative to the working directory. */
  readonly exclude?: readonly string[] | undefined;
  /** Whether Git's rules are ignored. */
  readonly noIgnore?: boolean | undefined;
  /** The directory outside which no file with rules is read. */
  readonly confine?: string | undefined;
}

interface PatternList {
  /** The folder that the patterns are relative to. */
  readonly folder: string;
  readonly patterns: readonly PathPattern[];
  readonly by: (pattern: PathPattern) => ExcludedBy;
}

/** Finds the paths that a search leaves out. Patterns have the syntax of `.gitignore`; the last one that matches decides. */
export class Exclusions {
  private readonly lists: readonly PatternList[];
  private readonly git: GitIgnores | undefined;

  /** @param git Git's rules, read so far */
  constructor(flags: ExclusionFlags, settings: Settings | undefined, git = new GitIgnores(flags.confine)) {
    this.git = flags.noIgnore ? undefined : git;
    const ofSettings = (lists: readonly ExcludedPatterns[] = []): PatternList[] =>
      lists.map(({ file, directory, patterns }) =>
        createList(directory, patterns, (pattern) => ({ kind: "settings", path: file, pattern })),
      );
    this.lists = [
      ...(settings?.exclude === undefined
        ? [createList(sep, defaultExcludes, (pattern) => ({ kind: "default", pattern }))]
        : []),
      ...ofSettings(settings?.exclude),
      ...ofSettings(settings?.extendExclude),
      createList(process.cwd(), flags.exclude ?? [], (pattern) => ({ kind: "flag", pattern })),
    ];
  }

  /**
   * Returns what excludes a path whose folder is searched. Git's rules do not apply to a repository below that folder: it has
   * its own.
   *
   * @param path absolute
   */
  find(path: string, isFolder: boolean): ExcludedBy | undefined {
    return this.findPattern(path, isFolder) ?? this.git?.find(path, isFolder);
  }

  /** Returns the pattern that excludes a file, or a folder that it is in; Git's rules do not count. */
  findForFile(path: string): ExcludedBy | undefined {
    return findOnTheWay(path, (each, isFolder) => this.findPattern(each, isFolder));
  }

  /** Returns what excludes a file, or a folder that it is in, from a search. */
  findForFound(path: string): ExcludedBy | undefined {
    return findOnTheWay(path, (each, isFolder) => this.find(each, isFolder));
  }

  private findPattern(path: string, isFolder: boolean): ExcludedBy | undefined {
    for (const { folder, patterns, by } of this.lists.toReversed()) {
      if (path === folder || !isWithin(path, folder)) continue;
      const deciding = findDecidingPattern(patterns, relative(folder, path).split(sep), isFolder);
      if (deciding !== undefined) return deciding.isNegated ? undefined : by(deciding);
    }
    return undefined;
  }
}

/** Returns the first result for the folders of a path, from the outermost one on, and for the path. */
function findOnTheWay<T>(path: string, find: (path: string, isFolder: boolean) => T | undefined): T | undefined {
  const names = path.split(sep);
  for (let length = 2; length <= names.length; length++) {
    const found = find(names.slice(0, length).join(sep), length < names.length);
    if (found !== undefined) return found;
  }
  return undefined;
}

function createList(folder: string, written: readonly string[], by: (pattern: string) => ExcludedBy): PatternList {
  return { folder, patterns: parsePatternList(written), by: ({ number }) => by(written[number - 1] ?? "") };
}
