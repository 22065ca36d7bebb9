import type { Related } from "../../config/refusals/refusal.js";
import { type Finding, partsOfText, type RootCause } from "../../lint/finding.js";
import type { RawLintResult } from "../../lint/run-rules.js";
import type { IgnoreComment } from "../../lint/suppressions.js";
import type { SourceFile, Span } from "../../text/source.js";

/** A span without its file: the file's number, and the offsets. */
type SerializedSpan = readonly [file: number, start: number, end: number];

interface SerializedRelated {
  readonly message: string;
  readonly at: SerializedSpan;
}

/**
 * The text of a cause: for one other line, and for several, as the parts around their number. Some texts count all
 * lines, so `counted` is what they add to the number of other lines.
 */
interface SerializedCause extends Omit<RootCause, "message"> {
  readonly words?: {
    readonly one: string;
    readonly many: readonly [before: string, after: string, counted: number];
  };
}

interface SerializedFinding
  extends Pick<
    Finding,
    "rule" | "severity" | "label" | "effect" | "notes" | "help" | "isAboutServer" | "supplies" | "hosts" | "references"
  > {
  /** Number of its message. */
  readonly message: number;
  readonly at: SerializedSpan;
  readonly related: readonly SerializedRelated[];
  readonly fix?: Pick<NonNullable<Finding["fix"]>, "title" | "safety"> & {
    readonly edits: readonly { readonly text: string; readonly at: SerializedSpan }[];
  };
  /** Number of its cause. */
  readonly cause?: number;
  readonly witness?: Pick<NonNullable<Finding["witness"]>, "request"> & {
    readonly steps: readonly SerializedRelated[];
  };
}

interface SerializedIgnored {
  readonly finding: SerializedFinding;
  readonly by: Pick<IgnoreComment, "rules" | "reason" | "covers"> & { readonly at: SerializedSpan };
}

/** Findings as plain values. */
export interface SerializedFindings {
  /** Paths of the files that the findings refer to, as read. */
  readonly sources: readonly string[];
  /** Shared values of the findings, each stored once. */
  readonly messages: readonly string[];
  readonly causes: readonly SerializedCause[];
  readonly findings: readonly SerializedFinding[];
  readonly ignored: readonly SerializedIgnored[];
  readonly files: number;
  readonly lines: number;
}

/**
 * Converts raw findings to plain values; returns undefined if they cannot be restored from files, such as a location in
 * a macro expansion.
 *
 * @param isRead whether a file exists as it was read
 */
export function serializeFindings(
  examined: RawLintResult,
  isRead: (file: SourceFile) => boolean,
): SerializedFindings | undefined {
  const sources = new ValueTable<string>();
  const messages = new ValueTable<string>();
  const causes = new ValueTable<SerializedCause>();
  const checked = new Set<SourceFile>();
  let isWhole = true;
  const at = ({ file, start, end }: Span): SerializedSpan => {
    isWhole &&= checked.has(file) || isRead(file);
    checked.add(file);
    return [sources.numberOf(file.path, () => file.path), start, end];
  };
  const related = (all: readonly Related[]) => all.map(({ message, span }) => ({ message, at: at(span) }));
  const causeOf = ({ message: textOf, ...cause }: RootCause): number => {
    if (textOf === undefined) return causes.numberOf(JSON.stringify([cause]), () => cause);
    const message = (others: number) => partsOfText(textOf(others)).message;
    const one = message(1);
    return causes.numberOf(JSON.stringify([cause, one, message(NUMBER)]), () => {
      const many = splitCauseMessage(message);
      isWhole &&= many !== undefined;
      return { ...cause, words: { one, many: many ?? ["", "", 0] } };
    });
  };
  const kept = ({
    rule,
    severity,
    message,
    span,
    label,
    effect,
    notes,
    help,
    isAboutServer,
    fix,
    cause,
    supplies,
    hosts,
    witness,
    references,
    ...rest
  }: Finding): SerializedFinding => ({
    ...{ rule, severity, message: messages.numberOf(message, () => message) },
    ...{ at: at(span), related: related(rest.related) },
    ...(label ? { label } : {}),
    ...(effect ? { effect } : {}),
    ...(notes ? { notes } : {}),
    ...(help ? { help } : {}),
    ...(isAboutServer ? { isAboutServer } : {}),
    ...(fix ? { fix: { ...fix, edits: fix.edits.map((edit) => ({ text: edit.text, at: at(edit.span) })) } } : {}),
    ...(cause ? { cause: causeOf(cause) } : {}),
    ...(supplies ? { supplies } : {}),
    ...(hosts ? { hosts } : {}),
    ...(witness ? { witness: { request: witness.request, steps: related(witness.steps) } } : {}),
    ...(references ? { references } : {}),
  });
  const findings = examined.findings.map(kept);
  const ignored = examined.ignored.flatMap(({ by, ...finding }): readonly SerializedIgnored[] => {
    // Before filters are applied, only comments suppress findings.
    if (by.kind !== "comment") return [];
    const { span, ...comment } = by.comment;
    return [{ finding: kept(finding), by: { ...comment, at: at(span) } }];
  });
  const { files, lines } = examined;
  const tables = { sources: sources.values, messages: messages.values, causes: causes.values };
  return isWhole ? { ...tables, findings, ignored, files, lines } : undefined;
}

/** Distinct values, numbered. */
class ValueTable<Value> {
  readonly values: Value[] = [];
  private readonly numbers = new Map<string, number>();

  numberOf(key: string, value: () => Value): number {
    const known = this.numbers.get(key);
    if (known !== undefined) return known;
    this.numbers.set(key, this.values.length);
    return this.values.push(value()) - 1;
  }
}

/** A number that messages themselves do not contain. */
const NUMBER = 918_273_645;

/**
 * Returns the text before and after the number of other lines, or of all lines; undefined if the message does not have
 * that form.
 */
function splitCauseMessage(message: (others: number) => string): readonly [string, string, number] | undefined {
  for (const counted of [0, 1]) {
    const [before, after, ...more] = message(NUMBER).split(String(NUMBER + counted));
    if (before === undefined || after === undefined || more.length > 0) continue;
    const isSame = [2, 3, 10, 1_234].every((others) => message(others) === `${before}${others + counted}${after}`);
    if (isSame) return [before, after, counted];
  }
  return undefined;
}

function joinCauseMessage({ one, many: [before, after, counted] }: NonNullable<SerializedCause["words"]>) {
  return (others: number) => (others === 1 ? one : `${before}${others + counted}${after}`);
}

/**
 * Restores raw findings from plain values.
 *
 * @param sources the files that were read, by path
 * @returns undefined if a file is missing
 */
export function deserializeFindings(
  kept: SerializedFindings,
  sources: ReadonlyMap<string, SourceFile>,
): RawLintResult | undefined {
  const files = kept.sources.flatMap((path) => sources.get(path) ?? []);
  const [first] = files;
  if (files.length !== kept.sources.length) return undefined;
  if (first === undefined) return { ...kept, findings: [], ignored: [] };
  const span = ([number, start, end]: SerializedSpan): Span => ({ file: files[number] ?? first, start, end });
  const related = (all: readonly SerializedRelated[]) => all.map(({ message, at }) => ({ message, span: span(at) }));
  const causes = kept.causes.map(
    ({ words, ...cause }): RootCause => ({ ...cause, ...(words ? { message: joinCauseMessage(words) } : {}) }),
  );
  const finding = ({ at, fix, cause: number, message, witness, ...plain }: SerializedFinding): Finding => {
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
