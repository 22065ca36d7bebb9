import type { Finding, SharedCause } from "../engine/finding.js";
import type { IgnoreComment } from "../engine/ignores.js";
import type { Examined } from "../engine/lint.js";
import type { Related } from "../project/problems.js";
import type { SourceFile, Span } from "../text/source.js";

/** A span without its file: that one's number, and the offsets. */
type KeptSpan = readonly [file: number, start: number, end: number];

interface KeptRelated {
  readonly message: string;
  readonly at: KeptSpan;
}

/** The words of a cause: for one other line, and for more of them around their number. */
interface KeptCause extends Omit<SharedCause, "message"> {
  readonly one: string;
  readonly many: readonly [before: string, behind: string];
}

interface KeptFinding extends Pick<Finding, "rule" | "severity" | "notes" | "supplies"> {
  /** The number of its message. */
  readonly message: number;
  readonly at: KeptSpan;
  readonly related: readonly KeptRelated[];
  readonly fix?: Pick<NonNullable<Finding["fix"]>, "title" | "safety"> & {
    readonly edits: readonly { readonly text: string; readonly at: KeptSpan }[];
  };
  /** The number of its cause. */
  readonly cause?: number;
  readonly witness?: Pick<NonNullable<Finding["witness"]>, "request"> & { readonly steps: readonly KeptRelated[] };
}

interface KeptIgnored {
  readonly finding: KeptFinding;
  readonly by: Pick<IgnoreComment, "rules" | "reason" | "covers"> & { readonly at: KeptSpan };
}

/** What rules found, as plain values. */
export interface KeptFindings {
  /** Paths by which the files were read that these speak of. */
  readonly sources: readonly string[];
  /** What many findings have in common stands here once. */
  readonly messages: readonly string[];
  readonly causes: readonly KeptCause[];
  readonly findings: readonly KeptFinding[];
  readonly ignored: readonly KeptIgnored[];
  readonly files: number;
  readonly lines: number;
}

/**
 * What rules found as plain values; undefined where it cannot be had again from files, such as a place in a text that a
 * macro has made.
 *
 * @param isRead whether a file is there as it was read
 */
export function keptFindings(examined: Examined, isRead: (file: SourceFile) => boolean): KeptFindings | undefined {
  const sources = new Numbered<string>();
  const messages = new Numbered<string>();
  const causes = new Numbered<KeptCause>();
  const checked = new Set<SourceFile>();
  let isWhole = true;
  const at = ({ file, start, end }: Span): KeptSpan => {
    isWhole &&= checked.has(file) || isRead(file);
    checked.add(file);
    return [sources.numberOf(file.path, () => file.path), start, end];
  };
  const related = (all: readonly Related[]) => all.map(({ message, span }) => ({ message, at: at(span) }));
  const causeOf = ({ message, ...cause }: SharedCause): number => {
    const one = message(1);
    return causes.numberOf(JSON.stringify([cause, one, message(NUMBER)]), () => {
      const many = wordsOf(message);
      isWhole &&= many !== undefined;
      return { ...cause, one, many: many ?? ["", ""] };
    });
  };
  const kept = ({
    rule,
    severity,
    message,
    span,
    notes,
    fix,
    cause,
    supplies,
    witness,
    ...rest
  }: Finding): KeptFinding => ({
    ...{ rule, severity, message: messages.numberOf(message, () => message) },
    ...{ at: at(span), related: related(rest.related) },
    ...(notes ? { notes } : {}),
    ...(fix ? { fix: { ...fix, edits: fix.edits.map((edit) => ({ text: edit.text, at: at(edit.span) })) } } : {}),
    ...(cause ? { cause: causeOf(cause) } : {}),
    ...(supplies ? { supplies } : {}),
    ...(witness ? { witness: { request: witness.request, steps: related(witness.steps) } } : {}),
  });
  const findings = examined.findings.map(kept);
  const ignored = examined.ignored.flatMap(({ by, ...finding }): readonly KeptIgnored[] => {
    // Others than comments keep nothing quiet before findings are sifted.
    if (by.kind !== "comment") return [];
    const { span, ...comment } = by.comment;
    return [{ finding: kept(finding), by: { ...comment, at: at(span) } }];
  });
  const { files, lines } = examined;
  const tables = { sources: sources.values, messages: messages.values, causes: causes.values };
  return isWhole ? { ...tables, findings, ignored, files, lines } : undefined;
}

/** Values by number, each once. */
class Numbered<Value> {
  readonly values: Value[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string, value: () => Value): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.values.length);
    return this.values.push(value()) - 1;
  }
}

/** A number that no message holds by itself. */
const NUMBER = 918_273_645;

/** The words around the number of other lines; undefined where the message is not made that way. */
function wordsOf(message: SharedCause["message"]): readonly [string, string] | undefined {
  const [before, behind, ...more] = message(NUMBER).split(String(NUMBER));
  if (before === undefined || behind === undefined || more.length > 0) return undefined;
  const isSame = [2, 3, 10, 1_234].every((others) => message(others) === `${before}${others}${behind}`);
  return isSame ? [before, behind] : undefined;
}

/**
 * What rules found, from plain values.
 *
 * @param sources the files that were read, by path
 * @returns undefined where a file is missing
 */
export function foundAgain(kept: KeptFindings, sources: ReadonlyMap<string, SourceFile>): Examined | undefined {
  const files = kept.sources.flatMap((path) => sources.get(path) ?? []);
  const [first] = files;
  if (files.length !== kept.sources.length) return undefined;
  if (first === undefined) return { ...kept, findings: [], ignored: [] };
  const span = ([number, start, end]: KeptSpan): Span => ({ file: files[number] ?? first, start, end });
  const related = (all: readonly KeptRelated[]) => all.map(({ message, at }) => ({ message, span: span(at) }));
  const causes = kept.causes.map(
    ({ one, many, ...cause }): SharedCause => ({
      ...cause,
      message: (others) => (others === 1 ? one : `${many[0]}${others}${many[1]}`),
    }),
  );
  const finding = ({ at, fix, cause: number, message, witness, ...plain }: KeptFinding): Finding => {
    const cause = number === undefined ? undefined : causes[number];
    return {
      ...plain,
      ...{ message: kept.messages[message] ?? "", span: span(at), related: related(plain.related) },
      ...(fix ? { fix: { ...fix, edits: fix.edits.map(({ text, at: place }) => ({ text, span: span(place) })) } } : {}),
      ...(cause ? { cause } : {}),
      ...(witness ? { witness: { request: witness.request, steps: related(witness.steps) } } : {}),
    };
  };
  return {
    findings: kept.findings.map(finding),
    ignored: kept.ignored.map(({ finding: quiet, by: { at, ...comment } }) => {
      return { ...finding(quiet), by: { kind: "comment", comment: { ...comment, span: span(at) } } };
    }),
    files: kept.files,
    lines: kept.lines,
  };
}
