import type { Examined } from "../engine/lint.js";
import { foundAgain, type KeptFindings, keptFindings } from "../kept/findings.js";
import type { Project } from "../project/project.js";
import { countLines } from "../text/position.js";
import type { SourceFile } from "../text/source.js";

/** What was found in some files, as plain values: without the trees of those files, and fit to be handed on by a thread. */
export interface PlainResult {
  readonly found: KeptFindings;
  /** The files that findings speak of, but for those that whoever asks has himself. */
  readonly texts: readonly SourceFile[];
  /** The files that were read, by real path, with their number of lines. */
  readonly lines: readonly (readonly [path: string, lines: number])[];
}

/**
 * What was found, as plain values; undefined where it cannot be said in them.
 *
 * @param isKnown whether whoever asks has a file, by its path
 */
export function plainResult(
  examined: Examined,
  project: Project,
  isKnown: (path: string) => boolean,
): PlainResult | undefined {
  const sources = new Map([...project.files.values()].map(({ source }) => [source.path, source]));
  const found = keptFindings(examined, (file) => sources.get(file.path) === file);
  if (found === undefined) return undefined;
  const texts = found.sources.flatMap((path) => (isKnown(path) ? [] : (sources.get(path) ?? [])));
  return {
    found,
    texts: texts.map(({ path, realPath, text }) => ({ path, realPath, text })),
    lines: linesOf(project, isKnown),
  };
}

/** The files of a project but for some, by real path, with their number of lines. */
export function linesOf(
  { files }: Project,
  isLeftOut: (path: string) => boolean,
): readonly (readonly [path: string, lines: number])[] {
  const counted: (readonly [string, number])[] = [];
  for (const { source } of files.values())
    if (!isLeftOut(source.path)) counted.push([source.realPath, countLines(source)]);
  return counted;
}

/** The same as findings. @param known the files that whoever asked has himself, by path */
export function examinedAgain({ found, texts }: PlainResult, known: ReadonlyMap<string, SourceFile>): Examined {
  const own = new Map(texts.map((file) => [file.path, file]));
  const sources = new Map(
    found.sources.flatMap((path) => {
      const file = known.get(path) ?? own.get(path);
      return file ? [[path, file] as const] : [];
    }),
  );
  const again = foundAgain(found, sources);
  if (again === undefined) throw new Error("a finding speaks of a file that was not handed on");
  return again;
}
