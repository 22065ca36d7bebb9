import type { Finding, Fix, Severity, Witness } from "../../engine/finding.js";
import type { RuleDefinition } from "../../engine/rule.js";
import type { SuppressedFinding } from "../../engine/suppressions.js";
import type { Request } from "../../httpd/model/request.js";
import type { Related } from "../../project/model/problems.js";
import { memoizeByText } from "../../text/memoize.js";
import type { Span } from "../../text/source.js";
import { containsSecret, listSecretWords, redact } from "../secrets/redaction.js";
import type { PlaceResolver, SourcePlace } from "../text/source-places.js";
import { toWellFormed } from "../text/visible-text.js";

/** What there is to report, and how it should look. */
export interface ReportInput {
  readonly findings: readonly Finding[];
  /** Findings that are kept quiet. */
  readonly ignored: readonly SuppressedFinding[];
  /** How many files were read. */
  readonly files: number;
  /** How many lines they have together. */
  readonly lines: number;
  /** The rules that ran, whether or not they found anything. */
  readonly rules: readonly RuleDefinition[];
  /** The version of httpd-lint. */
  readonly version: string;
  /** The directory that paths are shown relative to; files outside it keep their absolute paths. */
  readonly base?: string;
  /** Text: with colours. */
  readonly colour?: boolean;
  /** Text: columns of the terminal. */
  readonly width?: number;
  /** SARIF: sets this run apart from others of the same commit. */
  readonly category?: string;
  /** Ignored findings are reported too, with what keeps them quiet. GitHub shows those of SARIF like any other. */
  readonly reportIgnored?: boolean;
  /** Globs of settings that ignored nothing, reported with the ignored findings. */
  readonly unusedIgnores?: readonly { readonly settings: string; readonly paths: readonly string[] }[];
  /** SARIF: the address of a rule's page. */
  readonly helpUri?: (rule: string) => string;
  /** HTML: the text of a rule's page, as Markdown. */
  readonly rulePageOf?: (rule: string) => string | undefined;
  /** HTML: what filters findings in the browser; without it all are shown. */
  readonly script?: string;
}

/** A finding as every format writes it: its places known, nothing in its words that is not for others to read. */
export interface RenderedFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly place: SourcePlace;
  readonly related: readonly RenderedRelated[];
  readonly notes: readonly string[];
  /** Places of the same cause that are for programs alone; worked out where a format shows them. */
  readonly additionalLocations: readonly RenderedRelated[];
  /** Left out where the new text holds a secret: masked, it would be a wrong fix. */
  readonly fix?: Fix;
  readonly witness?: RenderedWitness;
}

/** A request that shows what the finding says, and the way to its answer. */
interface RenderedWitness {
  readonly request: Request;
  /** Worked out where a format shows them. */
  readonly steps: readonly RenderedRelated[];
}

export interface RenderedRelated {
  readonly message: string;
  readonly span: Span;
  readonly place: SourcePlace;
}

/** For words that quote no line with a secret; findings by the thousand have few. */
const redactPlainWords = memoizeByText((words) => toWellFormed(redact(words, [])));

/** Makes a finding ready to be written. */
export function renderFinding(finding: Finding, places: PlaceResolver): RenderedFinding {
  const { rule, severity, message, span, related, notes = [], additionalLocations = [], fix, witness } = finding;
  const place = places.place(span);
  const placed = (each: Related) => ({ message: each.message, span: each.span, place: places.place(each.span) });
  const others = related.map(placed);
  const secrets = others.reduce((words, other) => words.concat(listSecretWords(other.place)), listSecretWords(place));
  const say = secrets.length === 0 ? redactPlainWords : (words: string) => toWellFormed(redact(words, secrets));
  const isShown = fix && fix.edits.length > 0 && !fix.edits.some((edit) => containsSecret(edit.text, secrets));
  return {
    rule: toWellFormed(rule),
    severity,
    message: say(message),
    span,
    place,
    related: others.map((other) => ({ ...other, message: say(other.message) })),
    notes: notes.map(say),
    ...(witness ? { witness: renderWitness(witness, placed) } : {}),
    ...(isShown ? { fix: { ...fix, title: say(fix.title) } } : {}),
    get additionalLocations() {
      return additionalLocations.map(placed).map(redactRelated);
    },
  };
}

/** A place in words that tell nothing of the secrets in its own line. */
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

/** How many findings there are of each severity. */
export function countBySeverity(findings: readonly Finding[]): Record<Severity, number> {
  const count = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) count[severity]++;
  return count;
}
