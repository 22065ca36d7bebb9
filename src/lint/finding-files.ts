import type { Related } from "../config/refusals/refusal.js";
import type { SourceFile, Span } from "../text/source.js";
import type { Finding } from "./finding.js";
import type { LintResult } from "./runner/run-rules.js";
import type { SuppressedFinding, SuppressionSource } from "./suppressions.js";

/** Findings that name files by number, without their contents: for threads and the cache. */
export interface NumberedFindings extends LintResult<number> {
  /** The paths of the files as read, by number. */
  readonly paths: readonly string[];
}

/**
 * Replaces the files of findings by numbers; undefined if one has no path to read it from, such as a macro expansion.
 *
 * @param isRead whether a file exists as it was read
 */
export function numberFiles(found: LintResult, isRead: (file: SourceFile) => boolean): NumberedFindings | undefined {
  const numbers = new Map<string, number>();
  const checked = new Set<SourceFile>();
  let isWhole = true;
  const result = mapFiles(found, (file): number => {
    if (!checked.has(file)) isWhole &&= isRead(file);
    checked.add(file);
    const number = numbers.get(file.path) ?? numbers.size;
    numbers.set(file.path, number);
    return number;
  });
  return isWhole ? { ...result, paths: [...numbers.keys()] } : undefined;
}

/** Replaces the numbers by files. @returns undefined if one of `sources` is missing; they are by path, as read */
export function restoreFiles(
  { paths, ...found }: NumberedFindings,
  sources: ReadonlyMap<string, SourceFile>,
): LintResult | undefined {
  const files = paths.flatMap((path) => sources.get(path) ?? []);
  const [first] = files;
  if (files.length !== paths.length) return undefined;
  return first === undefined
    ? { ...found, findings: [], ignored: [] }
    : mapFiles(found, (number) => files[number] ?? first);
}

function mapFiles<From, To>(found: LintResult<From>, map: (file: From) => To): LintResult<To> {
  const ignored = found.ignored.map(({ by, ...finding }): SuppressedFinding<To> => {
    return { ...mapFinding(finding, map), by: mapSource(by, map) };
  });
  return { ...found, findings: found.findings.map((finding) => mapFinding(finding, map)), ignored };
}

function mapFinding<From, To>(finding: Finding<From>, map: (file: From) => To): Finding<To> {
  const { span, related, additionalLocations, fix, covers, witness, ...plain } = finding;
  const mapSpan = ({ file, start, end }: Span<From>): Span<To> => ({ file: map(file), start, end });
  const mapRelated = (each: Related<From>): Related<To> => ({ ...each, span: mapSpan(each.span) });
  return {
    ...plain,
    span: mapSpan(span),
    related: related.map(mapRelated),
    ...(additionalLocations ? { additionalLocations: additionalLocations.map(mapRelated) } : {}),
    ...(fix ? { fix: { ...fix, edits: fix.edits.map((edit) => ({ ...edit, span: mapSpan(edit.span) })) } } : {}),
    ...(covers ? { covers: covers.map(mapSpan) } : {}),
    ...(witness ? { witness: { ...witness, steps: witness.steps.map(mapRelated) } } : {}),
  };
}

function mapSource<From, To>(by: SuppressionSource<From>, map: (file: From) => To): SuppressionSource<To> {
  if (by.kind !== "comment") return by;
  const { comment } = by;
  return { ...by, comment: { ...comment, span: { ...comment.span, file: map(comment.span.file) } } };
}
