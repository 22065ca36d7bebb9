import { pathKey, stripTrailingSlash } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { Project } from "../../config/model/project.js";
import type { FileTree } from "../../server/model/file-tree.js";
import { getOrCreate } from "../../text/collections.js";
import { memoize } from "../../text/memoize.js";

/** What the trials of a host read from the disk, with the numbers of its own names in the path. */
interface DiskRead {
  readonly operation: DiskOperation;
  readonly path: string;
  readonly answer: string;
}

type DiskOperation = "kindOf" | "linkAt" | "list" | "textOf";

/** Hosts that differ only in their own names, and whose trials read the same from the disk. */
export interface HostGroup {
  readonly first: Directive;
  readonly reads: Map<string, DiskRead>;
  /** Lines without their own names that were tried, and whose requests end. */
  readonly ended: Set<string>;
}

/** Number of groups with the same lines that a host is compared with. */
const MAX_GROUPS = 4;

/**
 * Finds virtual hosts that are alike, so that their lines are tried once. They have the same text without their names and
 * document roots, no line outside of them names these, and the files that were read for the first one are the same.
 */
export class TriedHosts {
  private readonly byText = new Map<string, HostGroup[]>();
  private readonly groups = new Map<Directive, { readonly group: HostGroup | undefined }>();
  private current: HostGroup | undefined;
  /** The files, which notes what is read for the first host of a group. */
  readonly disk: FileTree | undefined;

  constructor(
    private readonly project: Project,
    private readonly actual: FileTree | undefined,
  ) {
    this.disk = actual && this.recordReads(actual);
  }

  /** Returns the group of a host, and notes what is read from now on for it. Undefined if it may differ from all others. */
  enter(host: Directive | undefined): HostGroup | undefined {
    const group = host && getOrCreate(this.groups, host, () => ({ group: this.findGroup(host) })).group;
    this.current = group?.first === host ? group : undefined;
    return group;
  }

  private findGroup(host: Directive): HostGroup | undefined {
    const words = ownWordsOf(host);
    if (isNamedOutside(words, this.project)) return undefined;
    const text = withoutWords(words, textsIn(host).join("\n"));
    // What a map has for a name is not in the lines.
    if (text.includes("${")) return undefined;
    const groups = getOrCreate(this.byText, text, () => []);
    const same = groups.slice(0, MAX_GROUPS).find(({ reads }) => this.readsSame(reads.values(), words));
    if (same) return same;
    const group: HostGroup = { first: host, reads: new Map(), ended: new Set() };
    groups.push(group);
    return group;
  }

  /** Reports whether what was read for a host is the same for one with other names. */
  private readsSame(reads: Iterable<DiskRead>, words: readonly string[]): boolean {
    const { actual } = this;
    if (actual === undefined) return true;
    // Of a document root that is not on this machine, no file is known.
    let unknown: string | undefined;
    for (const { operation, path, answer } of reads) {
      if (unknown !== undefined && `${path}/`.startsWith(unknown)) continue;
      if (withoutWords(words, readFrom(actual, operation, withWords(words, path))) !== answer) return false;
      if (operation === "list" && answer === "") unknown = `${path}/`;
    }
    return true;
  }

  private recordReads(disk: FileTree): FileTree {
    const note = (operation: DiskOperation, path: string) => {
      const { current } = this;
      if (current === undefined) return;
      const words = ownWordsOf(current.first);
      const named = withoutWords(words, path);
      getOrCreate(current.reads, `${operation} ${named}`, () => ({
        ...{ operation, path: named, answer: withoutWords(words, readFrom(disk, operation, path)) },
      }));
    };
    const { kindOf, linkAt, list, textOf } = disk;
    const noting =
      <Result>(operation: DiskOperation, read: (path: string) => Result) =>
      (path: string): Result => {
        note(operation, path);
        return read(path);
      };
    return {
      ...disk,
      kindOf: noting("kindOf", kindOf),
      ...(linkAt && { linkAt: noting("linkAt", linkAt) }),
      ...(list && { list: noting("list", list) }),
      ...(textOf && { textOf: noting("textOf", textOf) }),
    };
  }
}

function readFrom(disk: FileTree, operation: DiskOperation, path: string): string {
  return JSON.stringify(disk[operation]?.(path)) ?? "";
}

/** Returns a line of a host, and the section that it is in, without the names of the host. */
export function lineWithoutOwnNames(host: Directive, line: Directive, section: Directive | undefined): string {
  const lines = [line, ...(section && section !== host ? [section] : [])];
  return withoutWords(ownWordsOf(host), lines.map(({ key, argumentText }) => `${key} ${argumentText}`).join("\n"));
}

/** Returns the names and the document root of a host. */
const ownWordsOf = memoize((host: Directive): readonly string[] => {
  const keys = new Set(["servername", "serveralias", "documentroot"]);
  const lines = (host.children ?? []).filter(({ key }) => keys.has(key));
  return lines.flatMap(({ arguments: words }) => words.map(({ value }) => stripTrailingSlash(value)));
});

/** Replaces the names of a host in a text by their numbers, the longest first. */
function withoutWords(words: readonly string[], text: string): string {
  const longest = words.map((word, number) => ({ word, number })).sort((a, b) => b.word.length - a.word.length);
  return longest.reduce(
    (rest, { word, number }) => (word === "" ? rest : rest.replaceAll(word, `\0${number}\0`)),
    text,
  );
}

function withWords(words: readonly string[], text: string): string {
  return text.replace(/\0(\d+)\0/g, (_, number: string) => words[Number(number)] ?? "");
}

function textsIn({ key, argumentText, children = [] }: Directive): readonly string[] {
  return [`${key} ${argumentText}`, ...children.flatMap(textsIn), `/${key}`];
}

/** Reports whether lines outside of virtual hosts, or `.htaccess` files, have a name of a host, or are about its files. */
function isNamedOutside(words: readonly string[], project: Project): boolean {
  const outside = outerWordsOf(project);
  return words.some((word) => outside.has(pathKey(word).toLowerCase()));
}

/** Returns the names in lines outside of virtual hosts, and their paths with all directories above them. */
const outerWordsOf = memoize((project: Project): ReadonlySet<string> => {
  const found = new Set<string>();
  const add = (text: string) => {
    for (let end = text.length; end > 0; end = text.lastIndexOf("/", end - 1)) found.add(text.slice(0, end));
  };
  const visit = ({ key, argumentText, children = [] }: Directive) => {
    if (key === "<virtualhost") return;
    for (const word of argumentText
      .replaceAll("\\", "")
      .toLowerCase()
      .match(/[\w./-]+/g) ?? [])
      add(pathKey(word));
    children.forEach(visit);
  };
  project.directives.forEach(visit);
  for (const { directory } of project.htaccess) add(pathKey(stripTrailingSlash(directory)).toLowerCase());
  return found;
});
