import type { Project } from "../../config/model/project.js";
import { isExpansion } from "../../config/reader/macros.js";
import { getOrCreate } from "../../text/collections.js";
import { applyEdits, type Edit } from "../../text/edits.js";
import type { Result } from "../../text/result.js";
import { fromReadable, type SourceFile, type Span } from "../../text/source.js";

/** A copy of a configuration for testing, while the files on the disk stay unchanged. */
export interface ConfigCopies {
  /** The main file: a copy, or the original if everything the server reads is unchanged. */
  readonly entry: string;
  /** Contents to write, by path; binary strings. */
  readonly texts: ReadonlyMap<string, string>;
  /** The original of each copy, by its path; undefined for a list of Include lines. */
  readonly originals: ReadonlyMap<string, string | undefined>;
}

/**
 * Computes which files to copy so that a server reads a project's contents: the changed files, and those whose Include
 * lines lead to them. Each such line includes a list of copies instead of its original target. All else stays the same,
 * including line numbers: httpd resolves nothing relative to a configuration file.
 *
 * @param isChanged whether the text of a file, by real path, differs from the disk
 * @param omitted directives to comment out in the copies
 * @param folder target folder of the copies
 * @returns as the error, an Include line that cannot be redirected to a copy: it is not in a file, or includes different
 *   files at another time
 */
export function planCopies(
  project: Project,
  isChanged: (realPath: string) => boolean,
  omitted: readonly Span[],
  folder: string,
): Result<ConfigCopies, Span> {
  const toCopy = new Set(omitted.map(({ file }) => file));
  for (const file of listServerFiles(project)) if (isChanged(file.realPath)) toCopy.add(file);
  const lines = listIncludes(project);
  const includes = findIncludesLeadingTo(lines, toCopy);
  const uncopyable = includes.find(
    (line) => isExpansion(line.span.file) || lines.some((other) => isInconsistent(line, other)),
  );
  if (uncopyable) return { ok: false, error: uncopyable.span };
  const copies = new CopyFolder(folder);
  const edits: Edit[] = omitted.map(({ file, start }) => ({ span: { file, start, end: start }, text: "#" }));
  for (const { span, files } of includes) {
    edits.push({ span, text: `Include "${fromReadable(copies.addList(span, files))}"${padToLineCount(span)}` });
    for (const file of files) toCopy.add(file);
  }
  for (const file of toCopy) copies.addCopy(file, edits);
  const main = project.files.get(fromReadable(project.entry))?.source;
  const entry = main && toCopy.has(main) ? copies.copyOf(main) : project.entry;
  return { ok: true, value: { entry, texts: copies.texts, originals: copies.originals } };
}

/** Returns the files that the server reads when it starts. */
function listServerFiles({ files, htaccess }: Project): readonly SourceFile[] {
  const others = new Set(htaccess.map(({ tree }) => tree.source));
  return [...files.values()].map(({ source }) => source).filter((source) => !others.has(source));
}

interface IncludeTargets {
  readonly span: Span;
  readonly files: readonly SourceFile[];
}

function listIncludes({ files, includes }: Project): readonly IncludeTargets[] {
  return includes.map((line) => ({
    span: line.span,
    files: line.files.flatMap((path) => files.get(path)?.source ?? []),
  }));
}

/**
 * Returns the Include lines that lead to some files, directly or through others; adds the files that contain these
 * lines.
 */
function findIncludesLeadingTo(lines: readonly IncludeTargets[], wanted: Set<SourceFile>): readonly IncludeTargets[] {
  const found = new Set<IncludeTargets>();
  for (let before = -1; before < found.size; ) {
    before = found.size;
    for (const line of lines) {
      if (found.has(line) || !line.files.some((file) => wanted.has(file))) continue;
      found.add(line);
      wanted.add(line.span.file);
    }
  }
  return [...found];
}

/** Returns whether a line that is read twice includes different files the second time. */
function isInconsistent({ span, files }: IncludeTargets, other: IncludeTargets): boolean {
  const isSame = other.span.file === span.file && other.span.start === span.start;
  return isSame && (other.files.length !== files.length || files.some((file, index) => other.files[index] !== file));
}

/** Returns line continuations for as many lines as were replaced, so that later lines keep their numbers. */
function padToLineCount({ file, start, end }: Span): string {
  return " \\\n".repeat(file.text.slice(start, end).split("\n").length - 1);
}

/** The copies to write to a folder. */
class CopyFolder {
  readonly texts = new Map<string, string>();
  readonly originals = new Map<string, string | undefined>();
  private readonly copies = new Map<SourceFile, string>();

  constructor(private readonly path: string) {}

  copyOf(file: SourceFile): string {
    return getOrCreate(this.copies, file, () => `${this.path}/${this.copies.size + 1}.conf`);
  }

  addCopy(file: SourceFile, edits: readonly Edit[]): void {
    // A file may be read twice, but each edit is applied once.
    const own = new Map(edits.filter(({ span }) => span.file === file).map((edit) => [edit.span.start, edit]));
    this.texts.set(this.copyOf(file), applyEdits(file.text, [...own.values()]));
    this.originals.set(this.copyOf(file), file.path);
  }

  /** Replaces an Include line with a list of Include lines. */
  addList({ file, start }: Span, files: readonly SourceFile[]): string {
    const list = `${this.copyOf(file)}.${start}.list`;
    this.texts.set(list, files.map((each) => `Include "${fromReadable(this.copyOf(each))}"\n`).join(""));
    this.originals.set(list, undefined);
    return list;
  }
}
