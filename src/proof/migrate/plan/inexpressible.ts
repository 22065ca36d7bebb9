import { type Directive, lineKeyOf } from "../../../config/model/directive.js";
import { type CodedText, createCodedText } from "../../../text/coded-text.js";

/** The words of each reason, made of its values, as a clause. */
const reasonWords = {
  // What Require cannot express.
  "only-authtype": () => "AuthType applies without a Require line",
  "no-authoritative-module": () => "no authorization module is authoritative",
  "merged-with-several": () =>
    "this section is merged with several others, and no Require lines preserve the access of each",
  "no-place-for-lines": () => "the section has no line next to which new Require lines can go",
  "read-in-several-places": () =>
    "these lines are read in several places, and each place needs different Require lines",
  "macro-in-macro": () => "a macro inside a macro needs different Require lines for each use",
  "no-setenvif": () => "the Require lines for this section need a variable of SetEnvIf, but mod_setenvif is not loaded",
  // What is not analyzed.
  "costly-pattern": () => "its pattern multiplies the number of requests to analyze",
  "too-many-requests": () => "the configuration has too many different requests to analyze",
  "long-preview": () => "the requests that this choice changes take too many steps for a preview",
  "no-authz-core": () => "mod_authz_core is not loaded, but 2.4 needs it for Require",
  placeholder: (written: string) => `${written} is the placeholder of a template`,
  "variable-not-defined": (variable: string) => `${variable} is not defined here`,
  // What the user has to decide.
  "no-effect": (lines: string, isOne: boolean, where: string) => `${lines} ${isOne ? "has" : "have"} no effect${where}`,
  "asks-for-password": () => "they ask for a password today, as in 2.2",
  "denied-on-purpose": () => "another section denies these requests on purpose",
  "hidden-file": (name: string) => `files named \`${name}\` would be served`,
  "opens-requests": (id: string, why: string) => `${id} opens closed requests: ${why}`,
  "breaks-requests": (id: string, line: string) => `${id}: requests would return 500${line}`,
  "fault-not-accepted": (id: string, fault: string) => `${id}: ${fault}`,
  "unknown-fault-id": (id: string) => `no fault of this conversion has the ID \`${id}\``,
  "unknown-difference-id": (id: string) => `no difference of this conversion has the ID \`${id}\``,
  "differences-not-accepted": () =>
    "Require lines without variables change access, and not all differences are accepted",
};

/** The values of each reason. */
type ValuesByCode = { readonly [Code in keyof typeof reasonWords]: Parameters<(typeof reasonWords)[Code]> };
type ReasonCode = keyof ValuesByCode;

const renderByCode: { readonly [Code in ReasonCode]: (...values: ValuesByCode[Code]) => string } = reasonWords;

/** A reason why access cannot be expressed with Require, and the directive that causes it. */
export interface Inexpressible {
  /** The code of the reason with its values; equal for equal reasons. */
  readonly code: CodedText;
  /** The reason, as a clause. */
  readonly reason: string;
  /** Further facts, one clause each. */
  readonly notes?: readonly string[];
  /** Remedies, as imperative clauses. */
  readonly help?: readonly string[];
  /** The directive that causes it, if there is one. */
  readonly directive: Pick<Directive, "span"> | undefined;
}

/** Returns the code of a reason, and its words. @param values what the words show */
export function stateReason<C extends ReasonCode>(
  code: C,
  ...values: ValuesByCode[C]
): Pick<Inexpressible, "code" | "reason"> {
  return { code: createCodedText(code, values.map(String)), reason: renderByCode[code](...values) };
}

/** Keeps one entry per line and reason, however many sections are merged over the line. */
export function uniqueByDirective(refused: readonly Inexpressible[]): readonly Inexpressible[] {
  return [
    ...new Map(refused.map((each) => [`${each.directive && lineKeyOf(each.directive)} ${each.code}`, each])).values(),
  ];
}
