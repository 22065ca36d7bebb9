import type { Finding, Fix, Severity, Witness } from "../engine/finding.js";
import type { Related } from "../project/problems.js";
import type { Request } from "../scope/request.js";
import { remembered } from "../text/remembered.js";
import type { Span } from "../text/source.js";
import type { Place, Places } from "./places.js";
import { holdsSecret, redact, secretWords } from "./secrets.js";
import { wellFormed } from "./visible.js";

/** A finding as every format writes it: its places known, nothing in its words that is not for others to read. */
export interface WrittenFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly span: Span;
  readonly place: Place;
  readonly related: readonly WrittenRelated[];
  readonly notes: readonly string[];
  /** Places of the same cause that are for programs alone; worked out where a format shows them. */
  readonly further: readonly WrittenRelated[];
  /** Left out where the new text holds a secret: masked, it would be a wrong fix. */
  readonly fix?: Fix;
  readonly witness?: WrittenWitness;
}

/** A request that shows what the finding says, and the way to its answer. */
interface WrittenWitness {
  readonly request: Request;
  /** Worked out where a format shows them. */
  readonly steps: readonly WrittenRelated[];
}

export interface WrittenRelated {
  readonly message: string;
  readonly span: Span;
  readonly place: Place;
}

/** For words that quote no line with a secret; findings by the thousand have few. */
const withoutSecrets = remembered((words) => wellFormed(redact(words, [])));

/** Makes a finding ready to be written. */
export function written(finding: Finding, places: Places): WrittenFinding {
  const { rule, severity, message, span, related, notes = [], further = [], fix, witness } = finding;
  const place = places.place(span);
  const placed = (each: Related) => ({ message: each.message, span: each.span, place: places.place(each.span) });
  const others = related.map(placed);
  const secrets = others.reduce((words, other) => words.concat(secretWords(other.place)), secretWords(place));
  const say = secrets.length === 0 ? withoutSecrets : (words: string) => wellFormed(redact(words, secrets));
  const isShown = fix && fix.edits.length > 0 && !fix.edits.some((edit) => holdsSecret(edit.text, secrets));
  return {
    rule: wellFormed(rule),
    severity,
    message: say(message),
    span,
    place,
    related: others.map((other) => ({ ...other, message: say(other.message) })),
    notes: notes.map(say),
    ...(witness ? { witness: writtenWitness(witness, placed) } : {}),
    ...(isShown ? { fix: { ...fix, title: say(fix.title) } } : {}),
    get further() {
      return further.map(placed).map(withOwnSecrets);
    },
  };
}

/** A place in words that tell nothing of the secrets in its own line. */
function withOwnSecrets(related: WrittenRelated): WrittenRelated {
  return { ...related, message: wellFormed(redact(related.message, secretWords(related.place))) };
}

function writtenWitness(witness: Witness, placed: (step: Related) => WrittenRelated): WrittenWitness {
  return {
    request: witness.request,
    get steps() {
      return witness.steps.map(placed).map(withOwnSecrets);
    },
  };
}

/** How many findings there are of each severity. */
export function countBySeverity(findings: readonly Finding[]): Record<Severity, number> {
  const count = { error: 0, warning: 0, info: 0 };
  for (const { severity } of findings) count[severity]++;
  return count;
}
