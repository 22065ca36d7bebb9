import type { Related } from "../../config/refusals/refusal.js";
import type { Finding, Fix, Severity, Witness } from "../../lint/finding.js";
import type { RuleDefinition } from "../../lint/rule.js";
import type { UncheckedSection } from "../../lint/runner/run-rules.js";
import type { SuppressedFinding } from "../../lint/suppressions.js";
import type { Request } from "../../server/model/request.js";
import { memoizeByText } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import { containsSecret, listSecretWords, redact } from "../secrets/redaction.js";
import type { PlaceResolver, SourcePlace } from "../text/source-places.js";
import { formatNames } from "../text/text-printer.js";
import { toWellFormed } from "../text/visible-text.js";

/** A command that writes or changes httpd configuration in a way that cannot be read. */
export interface UnreadCommand {
  /** The file with the command, and the line. */
  readonly path: string;
  readonly line: number;
  readonly command: string;
  /** The path of the file that it writes, as written. */
  readonly target: string;
}

/** The content of a report, and its display options. */
export interface ReportInput {
  readonly findings: readonly Finding[];
  /** Suppressed findings. */
  readonly ignored: readonly SuppressedFinding[];
  /** Number of files read. */
  readonly files: number;
  /** Total number of their lines. */
  readonly lines: number;
  /** The rules that ran, whether or not they found anything. */
  readonly rules: readonly RuleDefinition[];
  /** The version of httpd-lint. */
  readonly version: string;
  /** The directory that paths are shown relative to; files outside it keep their absolute paths. */
  readonly base?: string;
  /** Text: whether colors are used. */
  readonly colour?: boolean;
  /** Text: whether all repetitions of a finding are shown in full. */
  readonly isVerbose?: boolean;
  /** Text: the width of the terminal in columns. */
  readonly width?: number;
  /** Text: whether locations are hyperlinks. */
  readonly hyperlinks?: boolean;
  /** Text: whether the last line, which counts the findings, is left out. */
  readonly omitsSummary?: boolean;
  /** SARIF, comment: distinguishes this run from others of the same commit. */
  readonly category?: string;
  /**
   * Whether suppressed findings are reported too, with their suppression. GitHub shows those of SARIF like any other.
   */
  readonly reportIgnored?: boolean;
  /** JSON: the conditional sections whose lines were not checked. */
  readonly unchecked?: readonly UncheckedSection[];
  /** JSON: the commands whose text was not read. */
  readonly unreadCommands?: readonly UnreadCommand[];
  /** JSON: the modules that are assumed to be loaded because a part needs them. */
  readonly assumedModules?: readonly string[];
  /** JSON: the number of lines that were not tried. */
  readonly untriedCount?: number;
  /** Globs of configuration files that suppressed nothing, reported with the suppressed findings. */
  readonly unusedIgnores?: readonly { readonly settings: string; readonly paths: readonly string[] }[];
  /** Returns the URL of a rule's page; undefined if it is unknown. */
  readonly helpUri?: (rule: string) => string | undefined;
  /** HTML: returns the text of a rule's page, as Markdown. */
  readonly rulePageOf?: (rule: string) => string | undefined;
  /** Comment: the web address of the base directory at the checked commit; without it, lines have no links. */
  readonly sourceUrl?: string;
  /** HTML: the script that filters findings in the browser; all are shown without it. */
  readonly script?: string;
}

/** A finding ready for every format: its locations are resolved, and its text contains no secrets. */
export interface RenderedFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly place: SourcePlace;
  /** The words on the span; empty if there are none. */
  readonly label: string;
  readonly related: readonly RenderedRelated[];
  readonly notes: readonly string[];
  readonly help: readonly string[];
  /** Whether only the file is shown, not the line. */
  readonly isAboutServer: boolean;
  /** The names of the virtual hosts that contain its lines; computed if a format shows all. */
  readonly hosts: readonly string[];
  /** Number of these virtual hosts. */
  readonly hostCount: number;
  /** Returns their names as text. @param isVerbose whether a long list is shown as a whole */
  readonly formatHosts: (isVerbose: boolean) => string;
  /** Locations with the same cause, for programs and verbose text; computed if a format shows them. */
  readonly additionalLocations: readonly RenderedRelated[];
  /** Omitted if the new text contains a secret: masked, it would be a wrong fix. */
  readonly fix?: Fix;
  readonly witness?: RenderedWitness;
}

/** A request that demonstrates a finding, and the steps to its response. */
interface RenderedWitness {
  readonly request: Request;
  /** Computed if a format shows them. */
  readonly steps: readonly RenderedRelated[];
}

export interface RenderedRelated {
  readonly message: string;
  readonly span: Span;
  readonly place: SourcePlace;
}

/** For messages that quote no line with a secret; thousands of findings have few distinct messages. */
const redactPlainWords = memoizeByText((words) => toWellFormed(redact(words, [])));

/** Prepares a finding for output. */
export function renderFinding(finding: Finding, places: PlaceResolver): RenderedFinding {
  const { rule, severity, message, span, label = "", related, notes = [], help = [] } = finding;
  const { additionalLocations = [], isAboutServer = false, hosts = [], fix, witness } = finding;
  const place = places.place(span);
  const placed = (each: Related) => ({ message: each.message, span: each.span, place: places.place(each.span) });
  const others = related.map(placed);
  const secrets = others.reduce((words, other) => words.concat(listSecretWords(other.place)), listSecretWords(place));
  const redactWords = secrets.length === 0 ? redactPlainWords : (words: string) => toWellFormed(redact(words, secrets));
  const isShown = fix && fix.edits.length > 0 && !fix.edits.some((edit) => containsSecret(edit.text, secrets, place));
  return {
    rule: toWellFormed(rule),
    severity,
    message: redactWords(message),
    span,
    place,
    label: redactWords(label),
    related: others.map((other) => ({ ...other, message: redactWords(other.message) })),
    notes: notes.map(redactWords),
    help: help.map(redactWords),
    isAboutServer,
    get hosts() {
      return hosts.map(redactWords);
    },
    hostCount: hosts.length,
    formatHosts: (isVerbose) => redactWords(formatNames(hosts, isVerbose)),
    ...(witness ? { witness: renderWitness(witness, placed) } : {}),
    ...(isShown ? { fix: { ...fix, title: redactWords(fix.title) } } : {}),
    get additionalLocations() {
      return additionalLocations.map(placed).map(redactRelated);
    },
  };
}

/** Redacts a related location's message by the secrets in its own line. */
function redactRelated(related: RenderedRelated): RenderedRelated {
  return { ...related, message: toWellFormed(redact(related.message, listSecretWords(related.place))) };
}

function renderWitness(witness: Witness, placed: (step: Related) => RenderedRelated): RenderedWitness {
  return {
    request: witness.request,
    get steps() {
      return witness.steps.map(placed).map(redactRelated);
    },
  };
}

/** A part of a finding below its header, as a line of text. */
export interface FindingPart {
  readonly kind: "note" | "help" | "fix" | "page";
  readonly text: string;
  /** The text after it, without highlighting. */
  readonly tail: string;
}

/** Returns the notes, the help and the title of the fix, in the order in which all formats show them. */
export function listFindingParts({ notes, help, fix }: RenderedFinding): readonly FindingPart[] {
  return [
    ...notes.map((text) => ({ kind: "note", text, tail: "" }) as const),
    ...help.map((text) => ({ kind: "help", text, tail: "" }) as const),
    ...(fix ? [{ kind: "fix", text: fix.title, tail: `(${fix.safety})` } as const] : []),
  ];
}

/** Renders parts as lines of text without layout. */
export function formatFindingParts(finding: RenderedFinding): string[] {
  return listFindingParts(finding).map(({ kind, text, tail }) => `${kind}: ${text}${tail === "" ? "" : ` ${tail}`}`);
}

/** Counts the findings that each kind of `--fix` would fix. */
export function countFixable(findings: readonly Finding[]): Record<Fix["safety"], number> {
  const count = { safe: 0, unsafe: 0 };
  for (const { fix } of findings) if (fix && fix.edits.length > 0) count[fix.safety]++;
  return count;
}

/** Counts findings by severity. */
export function countBySeverity(findings: readonly Finding[]): Record<Severity, number> {
  const count = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) count[severity]++;
  return count;
}
