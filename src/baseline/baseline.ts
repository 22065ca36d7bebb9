import { isAbsolute, relative, resolve } from "node:path";
import type { Finding } from "../engine/finding.js";
import { Fingerprinter } from "../report/findings/fingerprint.js";
import { formatJson } from "../text/escaping.js";

/** The version of the file that is written, and the only one that is read. */
export const BASELINE_VERSION = 1;

/** Findings that are known, alike but for their place in the file. */
export interface KnownFinding {
  readonly rule: string;
  /** Relative to the baseline's folder; absolute outside of it. */
  readonly path: string;
  /** For people: the line as it was. */
  readonly line: string;
  /** Of rule, line and the sections around it. */
  readonly fingerprint: string;
  readonly count: number;
}

/**
 * Findings that are known and stay quiet. They are known by rule, file, the text of their line and of the sections around
 * it, and by how many of these there are: so they survive lines that are moved, and one more of a kind is new.
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

  /** Of the findings of one analysis those that are new, and those that are known. */
  takeNew(findings: readonly Finding[]): { readonly fresh: readonly Finding[]; readonly known: readonly Finding[] } {
    const seen = new Map<string, number>();
    const fresh: Finding[] = [];
    const known: Finding[] = [];
    for (const finding of findings) {
      const each = this.describe(finding);
      const key = knownFindingKeyOf(each);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      // A file that two servers read is analysed twice, and has its findings once.
      if (count > (this.found.get(key)?.count ?? 0)) this.found.set(key, { ...each, count });
      (count > (this.counts.get(key) ?? 0) ? fresh : known).push(finding);
    }
    return { fresh, known };
  }

  /**
   * What is known from now on: what was found, and of what was known before that which was not looked for.
   *
   * @param wasLookedFor whether the rule ran on a file
   */
  listUpdated(wasLookedFor: (rule: string, path: string) => boolean): readonly KnownFinding[] {
    const kept = this.known.filter(
      (each) =>
        !this.found.has(knownFindingKeyOf(each)) && !wasLookedFor(each.rule, resolve(this.directory, each.path)),
    );
    return [...kept, ...this.found.values()].sort(compareKnownFindings);
  }

  private describe(finding: Finding): KnownFinding {
    const { rule, span } = finding;
    const path = relative(this.directory, span.file.realPath);
    const { hash, line } = this.fingerprints.fingerprintOf(finding);
    const isOutside = path.startsWith("..") || isAbsolute(path);
    return { rule, path: isOutside ? span.file.realPath : path, line, fingerprint: hash, count: 1 };
  }
}

/** A baseline as its file has it: a finding a line, so that changes read well. */
export function renderBaseline(known: readonly KnownFinding[]): string {
  const lines = known.map((each) => `\n    ${formatJson(each)}`);
  return `{\n  "version": ${BASELINE_VERSION},\n  "findings": [${lines.join(",")}${lines.length > 0 ? "\n  " : ""}]\n}\n`;
}

function knownFindingKeyOf({ path, fingerprint }: KnownFinding): string {
  return `${fingerprint} ${path}`;
}

function compareKnownFindings(a: KnownFinding, b: KnownFinding): number {
  return (
    compareValues(a.path, b.path) ||
    compareValues(a.rule, b.rule) ||
    compareValues(a.line, b.line) ||
    compareValues(knownFindingKeyOf(a), knownFindingKeyOf(b))
  );
}

function compareValues(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
