import { dirname } from "node:path";
import { formatJson } from "../../text/escaping.js";
import { formatCount, formatWordList } from "../../text/words.js";
import type { fileListOutput } from "../schema/findings.js";
import type { JsonOf } from "../schema/parts.js";
import { PlaceResolver } from "../text/source-places.js";
import { makeVisible } from "../text/visible-text.js";

/** A file that was checked, and how it was placed. */
export interface ListedFile {
  readonly path: string;
  /** Whether it is the main file of a server, one that servers read, or checked on its own. */
  readonly placement: "main" | "part" | "separate";
  readonly form: "plain" | "htaccess" | "template" | "embedded";
  /** The main files of the servers that read it. */
  readonly servers: readonly string[];
  /** The main files of the servers near it that do not read it. */
  readonly missedBy: readonly string[];
  /** Of a configuration in a file of another format: the line that it begins on, and the name that it has there. */
  readonly line?: number | undefined;
  readonly target?: string | undefined;
}

/** A file or folder that the search left out. */
export interface ListedExclusion {
  readonly path: string;
  readonly isFolder: boolean;
  readonly by:
    | { readonly kind: "default" | "flag"; readonly pattern: string }
    | { readonly kind: "settings"; readonly path: string; readonly pattern: string }
    | { readonly kind: "git"; readonly path: string; readonly line: number };
}

/** The files of a run. */
export interface FileList {
  readonly version: string;
  /** The directory that paths are relative to. */
  readonly base: string | undefined;
  readonly files: readonly ListedFile[];
  readonly excluded: readonly ListedExclusion[];
}

/** The renderers of `check --list-files`, by format. */
export const fileListWriters = { text: renderFileListText, json: renderFileListJson } as const;

function renderFileListText({ files, excluded, base }: FileList): string {
  const places = new PlaceResolver(base);
  const name = (path: string) => places.displayPath(path);
  const quote = (path: string) => `\`${name(path)}\``;
  const lines = [
    ...files.map(
      (file) => `${name(file.path)}${file.line === undefined ? "" : `:${file.line}`}: ${describe(file, quote)}`,
    ),
    ...excluded.map(
      ({ path, isFolder, by }) => `${name(path)}${isFolder ? "/" : ""}: excluded ${describeExclusion(by, name)}`,
    ),
  ];
  return lines.map((line) => `${makeVisible(line)}\n`).join("");
}

/** Maximum number of servers that a line of the list names; JSON has all. */
const MAX_NAMES = 2;

function describe(file: ListedFile, quote: (path: string) => string): string {
  const { placement, servers, missedBy, target } = file;
  if (placement === "main") return "main file of a server";
  if (placement === "part") return `read by ${formatWordList(servers.map(quote))}`;
  const mains =
    missedBy.length > MAX_NAMES ? `any of ${missedBy.length} servers` : formatWordList(missedBy.map(quote), "or");
  const missed = missedBy.length === 0 ? "" : `; not read by ${mains}`;
  const form = { plain: "", htaccess: "", template: ", as a template", embedded: `, as \`${target}\`` }[file.form];
  return `on its own${form}${missed}`;
}

function describeExclusion(by: ListedExclusion["by"], name: (path: string) => string): string {
  if (by.kind === "git") return `by ${name(by.path)}:${by.line}`;
  if (by.kind === "settings") return `by \`${by.pattern}\` in ${name(by.path)}`;
  return by.kind === "flag" ? `by \`${by.pattern}\` of --exclude` : `by default (\`${by.pattern}\`)`;
}

function renderFileListJson({ version, files, excluded, base }: FileList): string {
  const places = new PlaceResolver(base);
  const name = (path: string) => places.displayPath(path);
  const output: JsonOf<typeof fileListOutput> = {
    version,
    files: files.map(({ path, servers, missedBy, ...rest }) => ({
      ...{ path: name(path), ...rest, servers: servers.map(name), missedBy: missedBy.map(name) },
    })),
    excluded: excluded.map(({ path, isFolder, by }) => ({
      path: `${name(path)}${isFolder ? "/" : ""}`,
      by: "path" in by ? { ...by, path: name(by.path) } : by,
    })),
  };
  return `${formatJson(output)}\n`;
}

/** The files of a run, and how they were placed, in short. */
export interface FileCounts {
  /** The number of servers, and of their files. */
  readonly servers: number;
  readonly serverFiles: number;
  /** The files that were checked on their own. */
  readonly loneFiles: readonly ListedFile[];
  readonly excluded: readonly ListedExclusion[];
}

/** Describes in one line what was found in folders, and how it was placed. */
export function describeFileCounts({ servers, serverFiles, loneFiles, excluded }: FileCounts): string {
  const inForm = (form: ListedFile["form"]) => loneFiles.filter((file) => file.form === form).map(({ path }) => path);
  const htaccess = inForm("htaccess");
  const trees = formatCount(countTrees(htaccess), "tree");
  const others = [
    ...listCount(inForm("plain").length, "part"),
    ...listCount(htaccess.length, "`.htaccess` file").map((words) => `${words} in ${trees}`),
    ...listCount(inForm("template").length, "template"),
    ...listCount(inForm("embedded").length, "embedded file"),
  ];
  // What the default patterns exclude is not reported.
  const left = excluded.filter(({ by }) => by.kind !== "default").length;
  return [
    ...listCount(serverFiles, "file").map((words) => `${words} of ${formatCount(servers, "server")}`),
    ...(others.length === 0 ? [] : [`${formatWordList(others)} on ${loneFiles.length === 1 ? "its" : "their"} own`]),
    ...listCount(left, "excluded path"),
  ].join("; ");
}

function listCount(count: number, noun: string): readonly string[] {
  return count === 0 ? [] : [formatCount(count, noun)];
}

/** Counts the files of which none is in a folder above. */
function countTrees(paths: readonly string[]): number {
  const folders = new Set(paths.map((path) => dirname(path)));
  return [...folders].filter((folder) => !isBelowOne(folder, folders)).length;
}

function isBelowOne(folder: string, folders: ReadonlySet<string>): boolean {
  const above = dirname(folder);
  return above !== folder && (folders.has(above) || isBelowOne(above, folders));
}
