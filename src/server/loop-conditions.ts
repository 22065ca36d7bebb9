import { parseRewriteWords } from "../../grammar/arguments.js";
import type { Directive } from "../config/model/directive.js";
import { toReadable } from "../text/source.js";
import { defaultPortOf, type Request } from "./model/request.js";
import type { RewriteCondition, RewriteRule } from "./rewrite/rule-parser.js";
import { findVariant } from "./trace/condition-variants.js";
import { findMatch } from "./trace/pattern-parts.js";
import { formatWholeLine } from "./trace/step.js";

/** A condition that is true for the target of its rule, and that is false for it as corrected. */
interface WrongCondition {
  readonly directive: Directive;
  /** A clause. */
  readonly text: string;
  readonly written: string;
  /** Whether the condition selects requests with TLS, so that only these are in the loop. */
  readonly isSchemeOnly: boolean;
}

type Correction = Omit<WrongCondition, "directive" | "text"> & { readonly why: string };

/**
 * Returns the condition because of which a rule redirects a request to its own URL, if it can be written so that the rule does not:
 * one on the host, or on the scheme.
 *
 * @param scheme of the target of the rule, in lower case
 */
export function findWrongCondition(
  { conditions }: RewriteRule,
  scheme: string | undefined,
  request: Request,
): WrongCondition | undefined {
  const groups = groupAlternatives(conditions);
  const { scheme: own = "http" } = request;
  const finders =
    scheme === undefined || scheme === own ? [correctHost, ...(scheme === "https" ? [correctScheme] : [])] : [];
  for (const correct of finders)
    for (const group of groups) {
      // Of alternatives, all but one are false for the target already.
      const [met, ...others] = group.filter((each) => holdsFor(each, request) !== false);
      const found = met && others.length === 0 ? correct(met, request) : undefined;
      if (met === undefined || found === undefined) continue;
      const { why, ...rest } = found;
      const { directive } = met;
      return { ...rest, directive, text: `\`${formatWholeLine(directive)}\` is true for the target as well: ${why}` };
    }
  return undefined;
}

/** Returns the conditions that must all be true: each with its alternatives, which OR joins. */
function groupAlternatives(conditions: readonly RewriteCondition[]): readonly (readonly RewriteCondition[])[] {
  const groups: RewriteCondition[][] = [];
  let isOpen = false;
  for (const condition of conditions) {
    if (isOpen) groups.at(-1)?.push(condition);
    else groups.push([condition]);
    isOpen = condition.orNext;
  }
  return groups;
}

/** The variables with the scheme of a request, the value of each, and that for https. */
const schemeVariables: ReadonlyMap<string, { readonly https: string; readonly valueOf: (request: Request) => string }> =
  new Map([
    ["%{HTTPS}", { https: "on", valueOf: ({ scheme }) => (scheme === "https" ? "on" : "off") }],
    ["%{REQUEST_SCHEME}", { https: "https", valueOf: ({ scheme = "http" }) => scheme }],
    ["%{SERVER_PORT}", { https: "443", valueOf: ({ scheme = "http", port }) => String(port ?? defaultPortOf(scheme)) }],
  ]);

function valueOfInput(input: string, request: Request): string | undefined {
  const name = input.toUpperCase();
  return name === HOST ? request.host : schemeVariables.get(name)?.valueOf(request);
}

const HOST = "%{HTTP_HOST}";

/** Reports whether a condition on the host or the scheme is true for a request; undefined for other conditions. */
function holdsFor({ input, test, ignoreCase, isNegated }: RewriteCondition, request: Request): boolean | undefined {
  const value = valueOfInput(input, request);
  if (value === undefined) return undefined;
  if (test.kind === "pattern") return (findMatch(test.pattern, value, ignoreCase) !== undefined) !== isNegated;
  if (test.kind !== "text" || test.operator !== "=") return undefined;
  const [one, other] = ignoreCase ? [value.toLowerCase(), test.operand.toLowerCase()] : [value, test.operand];
  return (one === other) !== isNegated;
}

/** A condition on the scheme that is true for https. */
function correctScheme({ directive, input, ...condition }: RewriteCondition, request: Request): Correction | undefined {
  const variable = schemeVariables.get(input.toUpperCase());
  const written = variable && withTest(directive, `!=${variable.https}`);
  if (variable === undefined || written === undefined) return undefined;
  const { port: _, ...rest } = request;
  return {
    why: `\`${toReadable(input)}\` is \`${variable.valueOf(request)}\` there`,
    written,
    isSchemeOnly: holdsFor({ directive, input, ...condition }, { ...rest, scheme: "http" }) === false,
  };
}

/** A condition for all hosts except the one of the target, whose name it does not fit. */
function correctHost(condition: RewriteCondition, request: Request): Correction | undefined {
  const { directive, input, test, ignoreCase, isNegated } = condition;
  const { host } = request;
  if (!isNegated || input.toUpperCase() !== HOST || host === undefined) return undefined;
  const variant = findVariant(condition, host, request);
  if (variant?.written !== undefined) return { why: variant.why, written: variant.written, isSchemeOnly: false };
  const [name = "", port] = host.toLowerCase().split(/:(?=\d+$)/);
  const other = name.startsWith("www.") ? name.slice("www.".length) : `www.${name}`;
  const fits = (text: string) =>
    test.kind === "pattern"
      ? findMatch(test.pattern, text, ignoreCase) !== undefined
      : test.kind === "text" && test.operator === "=" && test.operand.toLowerCase() === text;
  const why =
    port !== undefined && fits(name)
      ? `the host is \`${toReadable(host)}\`, with the port`
      : fits(other)
        ? `the host is \`${toReadable(host)}\``
        : undefined;
  const written = withTest(directive, `!=${host.toLowerCase()}`);
  return why === undefined || written === undefined ? undefined : { why, written, isSchemeOnly: false };
}

/** Returns a condition with another test; undefined if it cannot be read. */
function withTest(directive: Directive, test: string): string | undefined {
  const { argumentText } = directive;
  const [first, , flags] = parseRewriteWords(argumentText) ?? [];
  if (first === undefined) return undefined;
  const end = flags === undefined ? "" : ` ${argumentText.slice(flags.start)}`;
  return formatWholeLine(directive, `${argumentText.slice(0, first.end)} ${test}${end}`);
}
