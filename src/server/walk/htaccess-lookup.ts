import { isWithin, pathKey } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile, Project } from "../../config/model/project.js";
import type { Refusal } from "../../config/refusals/refusal.js";
import { getOrCreate } from "../../text/collections.js";
import { fromReadable } from "../../text/source.js";
import { ConfigLayer, layerOf } from "../model/config-layer.js";
import type { FileTree } from "../model/file-tree.js";
import { canonicalizePath } from "../sections/section-index.js";
import { checkHtaccess, type HtaccessRefusal, type HtaccessVerdict } from "./htaccess-check.js";
import { type Overrides, overridesKeyOf } from "./overrides.js";

/** Finds the `.htaccess` files of a configuration by directory, and checks each once for the same overrides. */
export class HtaccessLookup {
  private readonly files = new Map<string, HtaccessFile[]>();
  private readonly unknown: ReadonlyMap<string, UnknownDirectory>;
  private readonly firstNames: FirstNames;
  /** Configurations of files by the further name of their directory, and by content. */
  private readonly layersOfNames = new Map<string, Map<readonly Directive[], ConfigLayer>>();
  private readonly verdicts = new Map<HtaccessFile, Map<string, HtaccessVerdict>>();

  /** @param faultsOf returns the errors of such files that do not depend on the overrides */
  constructor(
    private readonly project: Project,
    private readonly faultsOf: (file: HtaccessFile) => readonly HtaccessRefusal[],
  ) {
    for (const file of project.htaccess) {
      const path = pathKey(withoutSlash(file.directory));
      const there = this.files.get(path);
      if (there) there.push(file);
      else this.files.set(path, [file]);
    }
    this.unknown = findUnknownDirectories(project.problems);
    this.firstNames = findFirstNames(project.problems);
  }

  /**
   * Returns the name under which a directory was read. The path may go through several links: each step replaces a
   * longer part of it.
   */
  firstNameOf(path: string): string {
    const { byName, all } = this.firstNames;
    if (all.size === 0) return path;
    for (let end = path.length; end > 0; end = path.lastIndexOf("/", end - 1)) {
      const above = path.slice(0, end);
      const first = byName.get(above);
      if (first !== undefined) return this.firstNameOf(first + path.slice(end));
      if (all.has(above)) return path;
    }
    return path;
  }

  /** Returns a directory whose file could not be read. */
  unknownAt(path: string): UnknownDirectory | undefined {
    return this.unknown.get(path);
  }

  /** Returns the file in a directory that a server reads: the first existing name of its AccessFileName. */
  fileIn(path: string, names: readonly string[]): HtaccessFile | undefined {
    const files = this.files.get(pathKey(path));
    if (files === undefined) return undefined;
    for (const name of names) {
      const found = files.find(({ tree }) => tree.source.path.endsWith(`/${name}`));
      if (found) return found;
    }
    return undefined;
  }

  /**
   * Returns the file of a directory that AccessFileName names by a path such as `conf/access`. The server reads it, but
   * `.htaccess` files are searched by their names only. An empty name is that of the directory itself, which the server cannot
   * read either.
   *
   * @param read the file found by its name: only earlier names come before it
   */
  innerFileIn(
    path: string,
    names: readonly string[],
    read: HtaccessFile | undefined,
    files: FileTree,
  ): string | undefined {
    for (const name of names) {
      if (read?.tree.source.path.endsWith(`/${name}`)) return undefined;
      if (!namesPath(name)) continue;
      const inner = canonicalizePath(`${path}/${name}`);
      if (inner !== undefined && files.kindOf(inner, true) !== "missing") return inner;
    }
    return undefined;
  }

  /**
   * Returns the per-directory configuration of a file that applies in a directory. A file that applies under a further
   * name of its directory is merged separately from the same file under its first name.
   */
  layerAt(path: string, content: readonly Directive[]): ConfigLayer {
    if (this.firstNameOf(path) === path) return layerOf(content, undefined);
    const known = getOrCreate(this.layersOfNames, path, () => new Map());
    return getOrCreate(known, content, () => new ConfigLayer(content, undefined));
  }

  /** Checks a file against overrides. */
  verdictOf(file: HtaccessFile, overrides: Overrides): HtaccessVerdict {
    const verdicts = this.verdicts.get(file) ?? new Map<string, HtaccessVerdict>();
    this.verdicts.set(file, verdicts);
    const key = overridesKeyOf(overrides);
    const verdict = verdicts.get(key) ?? checkHtaccess(file, overrides, this.project, this.faultsOf);
    verdicts.set(key, verdict);
    return verdict;
  }
}

/** A directory whose `.htaccess` file is unknown. */
export interface UnknownDirectory {
  readonly why: string;
  /** If those further in are unknown as well, the directories that were searched; undefined if they are known. */
  readonly searched: ReadonlySet<string> | undefined;
}

/** Returns the unknown directories; of several problems of one directory, one that includes those further in counts. */
function findUnknownDirectories(problems: readonly Refusal[]): ReadonlyMap<string, UnknownDirectory> {
  const found = new Map<string, UnknownDirectory>();
  for (const { directory, searchedBelow, firstName, problem } of problems) {
    if (directory === undefined || firstName !== undefined) continue;
    const path = withoutSlash(directory);
    const searched = searchedBelow && new Set(searchedBelow.map(withoutSlash));
    if (!found.get(path)?.searched) found.set(path, { why: problem, searched });
  }
  return found;
}

/** The names under which directories with several names were read. */
interface FirstNames {
  /** By the other names. */
  readonly byName: ReadonlyMap<string, string>;
  readonly all: ReadonlySet<string>;
}

function findFirstNames(problems: readonly Refusal[]): FirstNames {
  const byName = new Map<string, string>();
  for (const { directory, firstName } of problems)
    if (directory !== undefined && firstName !== undefined)
      byName.set(withoutSlash(directory), withoutSlash(firstName));
  return { byName, all: new Set(byName.values()) };
}

/** Reports whether a directory was searched, or is on the way to one that was. */
export function isSearched(path: string, { searched }: UnknownDirectory): boolean {
  for (const each of searched ?? []) if (isWithin(each, path)) return true;
  return false;
}

/** Converts a readable path to the form that walks use. */
function withoutSlash(path: string): string {
  return fromReadable(path).replace(/\/$/, "");
}

/** Reports whether a name of AccessFileName is a path, or leads to a directory that always exists. */
function namesPath(name: string): boolean {
  return name.includes("/") || name === "" || name === "." || name === "..";
}
