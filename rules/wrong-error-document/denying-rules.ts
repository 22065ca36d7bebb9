import { matchGroupsOf, withoutSpecialRules } from "../../src/lint/api/access.js";
import {
  type Directive,
  parseRewriteRules,
  type RewriteCondition,
  type RewriteRule,
  type RulePlace,
  type Scope,
} from "../../src/lint/api/configuration.js";

/** A rule that denies a request, and then the error document of the denial. */
export interface DeniedDocument {
  readonly document: Directive;
  readonly path: string;
  readonly rule: RewriteRule;
}

/**
 * Finds error documents that a rule denies: httpd requests the document like any other URL, and the rules of the
 * directory run again (modules/http/http_request.c `ap_die_r`).
 */
export function* findDeniedDocuments(
  { directives }: Scope,
  { base, isDirectory }: RulePlace,
): Generator<DeniedDocument> {
  const isOn = directives.some(({ key, argumentText }) => key === "rewriteengine" && /^"?on\b/i.test(argumentText));
  if (base === undefined || !isOn) return;
  const rules = parseRewriteRules(directives);
  for (const document of directives) {
    if (document.key !== "errordocument") continue;
    const [code, word] = document.arguments;
    const path = word?.value ?? "";
    if (!/^\/[^%?#\s]*$/.test(path) || (isDirectory && !path.startsWith(base))) continue;
    const compared = isDirectory ? path.slice(base.length) : path;
    const isFirst = (rule: RewriteRule) =>
      withoutSpecialRules(rules, rule).find((each) => mayApply(each, compared)) === rule;
    const rule = rules.find((each) => denies(each, path, compared) && isFirst(each));
    if (rule && String(rule.flags.status) === code?.value) yield { document, path, rule };
  }
}

function mayApply(rule: RewriteRule, path: string): boolean {
  const groups = matchOf(rule, path);
  return groups === undefined || (groups !== false) !== rule.isNegated;
}

function denies({ flags, conditions, pattern, isNegated }: RewriteRule, path: string, compared: string): boolean {
  if (!flags.answers || isNegated || flags.names.has("chain") || !matchOf({ pattern, flags }, compared)) return false;
  return conditions.every((each) => isLasting(each) || holdsFor(each, path));
}

function matchOf({ pattern, flags }: Pick<RewriteRule, "pattern" | "flags">, path: string) {
  return matchGroupsOf(pattern, path, flags.names.has("nocase"));
}

/** Facts about the client that also apply to the request for the document. Its method is GET, and its query is empty. */
const lasting =
  /^%\{(?:HTTP_[A-Z_]+|HTTP:[\w-]+|HTTPS|REMOTE_(?:ADDR|HOST|PORT)|SERVER_(?:ADDR|NAME|PORT)|THE_REQUEST)\}$/i;

function isLasting({ input, test }: RewriteCondition): boolean {
  return test.kind !== "file" && test.kind !== "expression" && lasting.test(input);
}

/** Returns whether a condition on the path holds for the document. */
function holdsFor({ input, test, isNegated, ignoreCase }: RewriteCondition, path: string): boolean {
  if (!/^%\{REQUEST_URI\}$/i.test(input) || test.kind !== "pattern") return false;
  const groups = matchGroupsOf(test.pattern, path, ignoreCase);
  return groups !== undefined && (groups !== false) !== isNegated;
}
