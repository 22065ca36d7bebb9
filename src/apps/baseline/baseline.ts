import { isAbsolute, relative, resolve } from "node:path";
import { checkNameOf, type Finding } from "../../lint/finding.js";
import { Fingerprinter } from "../../report/findings/fingerprint.js";
import { compareTexts } from "../../text/collections.js";
import { formatJson } from "../../text/escaping.js";

/** The file format version: the one written, and the only one read. */
export const BASELINE_VERSION = 1;

/** Known findings that are identical except for their location in the file. */
export interface KnownFinding {
  /** The rule, or its variant. */
  readonly rule: string;
  /** Relative to the baseline's folder; absolute outside it. */
  readonly path: string;
  /** The original line, for human readers. */
  readonly line: string;
  /** Fingerprint of the rule, the line and the enclosing sections. */
  readonly fingerprint: string;
  readonly count: number;
}

/**
 * Known findings that are suppressed. They are identified by rule, file, the text of their line and of the enclosing
 * sections, and their count. They therefore survive moved lines, and one more of the same kind is new.
 */
export class Baseline {
  private readonly counts: ReadonlyMap<string, number>;
  private readonly fingerprints = new Fingerprinter();
  private readonly found = new Map<string, KnownFinding>();

  /** @param directory the folder of the baseline, with links resolved */
  constructor(
    readonly known: readonly KnownFinding[],
    private readonly directory: string,
  ) {
    this.counts = new Map(known.map((each) => [knownFindingKeyOf(each), each.count]));
  }

  /** Partitions the findings of one analysis into new and known ones. */
  takeNew(findings: readonly Finding[]): { readonly fresh: readonly Finding[]; readonly known: readonly Finding[] } {
    const seen = new Map<string, number>();
    const fresh: Finding[] = [];
    const known: Finding[] = [];
    for (const finding of findings) {
      const each = this.describe(finding);
      const key = knownFindingKeyOf(each);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      // A file that two servers read is analyzed twice, but its findings count once.
      if (count > (this.found.get(key)?.count ?? 0)) this.found.set(key, { ...each, count });
      (count > (this.counts.get(key) ?? 0) ? fresh : known).push(finding);
    }
    return { fresh, known };
  }

  /**
   * Returns the updated baseline: the findings of this run, and the known ones that were not searched for.
   *
   * @param wasChecked whether the rule ran on a file
   */
  listUpdated(wasChecked: (rule: string, path: string) => boolean): readonly KnownFinding[] {
    const kept = this.known.filter(
      (each) => !this.found.has(knownFindingKeyOf(each)) && !wasChecked(each.rule, resolve(this.directory, each.path)),
    );
    return [...kept, ...this.found.values()].sort(compareKnownFindings);
  }

  /**
   * Counts the known findings that no longer occur.
   *
   * @param wasChecked whether the rule ran on a file in this run
   */
  countGone(wasChecked: (rule: string, path: string) => boolean): number {
    return this.known
      .filter((each) => wasChecked(each.rule, resolve(this.directory, each.path)))
      .reduce((sum, each) => sum + Math.max(0, each.count - (this.found.get(knownFindingKeyOf(each))?.count ?? 0)), 0);
  }

  private describe(finding: Finding): KnownFinding {
    const { span } = finding;
    const path = relative(this.directory, span.file.realPath);
    const { hash, line } = this.fingerprints.fingerprintOf(finding);
    const isOutside = path.startsWith("..") || isAbsolute(path);
    const rule = checkNameOf(finding);
    return { rule, path: isOutside ? span.file.realPath : path, line, fingerprint: hash, count: 1 };
  }
}

/** Counts the findings that one list has, and another does not have. */
export function countMissing(from: readonly KnownFinding[], other: readonly KnownFinding[]): number {
  const counts = new Map(other.map((each) => [knownFindingKeyOf(each), each.count]));
  return from.reduce((sum, each) => sum + Math.max(0, each.count - (counts.get(knownFindingKeyOf(each)) ?? 0)), 0);
}

/** Prints a baseline with one finding per line, for readable diffs. */
export function renderBaseline(known: readonly KnownFinding[]): string {
  const lines = known.map((each) => `\n    ${formatJson(each)}`);
  return `{\n  "version": ${BASELINE_VERSION},\n  "findings": [${lines.join(",")}${lines.length > 0 ? "\n  " : ""}]\n}\n`;
}

function knownFindingKeyOf({ path, fingerprint }: KnownFinding): string {
  return `${fingerprint} ${path}`;
}

function compareKnownFindings(a: KnownFinding, b: KnownFinding): number {
  return (
    compareTexts(a.path, b.path) ||
    compareTexts(a.rule, b.rule) ||
    compareTexts(a.line, b.line) ||
    compareTexts(knownFindingKeyOf(a), knownFindingKeyOf(b))
  );
}
