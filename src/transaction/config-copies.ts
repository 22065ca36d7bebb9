import type { Project } from "../project/model/project.js";
import { isExpansion } from "../project/reader/macros.js";
import { applyEdits, type Edit } from "../text/edits.js";
import { fromReadable, type SourceFile, type Span } from "../text/source.js";

/** A configuration for a server to look at while what is on the disk stays as it is. */
export interface ConfigCopies {
  /** The main file: a copy, or the one on the disk where nothing that the server reads is other than there. */
  readonly entry: string;
  /** What is to be written, by path; binary strings. */
  readonly texts: ReadonlyMap<string, string>;
  /** What each copy stands for, by its path; a list of Include lines for none. */
  readonly originals: ReadonlyMap<string, string | undefined>;
}

/** An Include line that cannot name a copy: it stands in no file, or leads to other files another time. */
export interface UncopyableInclude {
  readonly unled: Span;
}

/**
 * Works out which files a server has to be given as copies so that it reads a project's texts: those that are other than on
 * the disk, and those by whose Include lines it comes to them. Each such line names a list in place of what it named, and
 * all else stays, as do the numbers of the lines: nothing in httpd starts from where a file of its configuration lies.
 *
 * @param isChanged whether the text of a file, by real path, is other than on the disk
 * @param silenced directives that are to be comments in the copies
 * @param folder where the copies are to lie
 */
export function planCopies(
  project: Project,
  isChanged: (realPath: string) => boolean,
  silenced: readonly Span[],
  folder: string,
): ConfigCopies | UncopyableInclude {
  const toCopy = new Set(silenced.map(({ file }) => file));
  for (const file of listServerFiles(project)) if (isChanged(file.realPath)) toCopy.add(file);
  const lines = listIncludes(project);
  const led = findIncludesLeadingTo(lines, toCopy);
  const unled = led.find((line) => isExpansion(line.span.file) || lines.some((other) => isInconsistent(line, other)));
  if (unled) return { unled: unled.span };
  const copies = new CopyFolder(folder);
  const edits: Edit[] = silenced.map(({ file, start }) => ({ span: { file, start, end: start }, text: "#" }));
  for (const { span, files } of led) {
    edits.push({ span, text: `Include "${fromReadable(copies.addList(span, files))}"${padToLineCount(span)}` });
    for (const file of files) toCopy.add(file);
  }
  for (const file of toCopy) copies.addCopy(file, edits);
  const main = project.files.get(fromReadable(project.entry))?.source;
  const entry = main && toCopy.has(main) ? copies.copyOf(main) : project.entry;
  return { entry, texts: copies.texts, originals: copies.originals };
}

/** Those that the server reads when it starts. */
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

/** The Include lines that lead to some files, straight or through others; the files that these stand in are added. */
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

/** Whether a line that is read twice leads to other files the second time. */
function isInconsistent({ span, files }: IncludeTargets, other: IncludeTargets): boolean {
  const isSame = other.span.file === span.file && other.span.start === span.start;
  return isSame && (other.files.length !== files.length || files.some((file, index) => other.files[index] !== file));
}

/** Goes on over as many lines as what it takes the place of, so that those behind keep their numbers. */
function padToLineCount({ file, start, end }: Span): string {
  return " \\\n".repeat(file.text.slice(start, end).split("\n").length - 1);
}

/** The files that are to lie in a folder. */
class CopyFolder {
  readonly texts = new Map<string, string>();
  readonly originals = new Map<string, string | undefined>();
  private readonly copies = new Map<SourceFile, string>();

  constructor(private readonly path: string) {}

  copyOf(file: SourceFile): string {
    const path = this.copies.get(file) ?? `${this.path}/${this.copies.size + 1}.conf`;
    this.copies.set(file, path);
    return path;
  }

  addCopy(file: SourceFile, edits: readonly Edit[]): void {
    // What is done to a file that is read twice is done to it once.
    const own = new Map(edits.filter(({ span }) => span.file === file).map((edit) => [edit.span.start, edit]));
    this.texts.set(this.copyOf(file), applyEdits(file.text, [...own.values()]));
    this.originals.set(this.copyOf(file), file.path);
  }

  /** A list of Include lines in place of one. */
  addList({ file, start }: Span, files: readonly SourceFile[]): string {
    const list = `${this.copyOf(file)}.${start}.list`;
    this.texts.set(list, files.map((each) => `Include "${fromReadable(this.copyOf(each))}"\n`).join(""));
    this.originals.set(list, undefined);
    return list;
  }
}
