import { parseArguments } from "../../../grammar/arguments.js";
import type { Directive } from "../../config/model/directive.js";
import { type Refusal, type RefusalText, wordingOf } from "../../config/refusals/refusal.js";
import type { ProviderRegistry } from "../../server/access/providers.js";
import { parseRequireLine, type RequireLine, requireArgumentsOf } from "../../server/access/require-rules.js";
import type { MethodRegistry } from "../../server/request/method-registry.js";
import { readSubnet, readWildcardNetwork } from "../../text/addresses.js";
import { toReadable } from "../../text/source.js";
import { adviseOnAddress, adviseOnSeparators } from "./access-compat.js";
import { checkAliasName } from "./authn-providers.js";

/** Checks a single Require line as the server does; its context is checked elsewhere. */
export function checkRequire(
  directive: Directive,
  providers: ProviderRegistry,
  methods: MethodRegistry,
): Refusal | undefined {
  const line = parseRequireLine(directive);
  return buildUnknownProviderFailure(line, providers) ?? checkProviderArguments(line, methods);
}

/** Checks the opening line of an AuthzProviderAlias as the server does: only the provider's first argument counts. */
export function checkAuthzProviderAlias(
  directive: Directive,
  providers: ProviderRegistry,
  methods: MethodRegistry,
): Refusal | undefined {
  const [provider, , rest] = directive.arguments;
  const remedy = "add the provider, the alias and, in quotes, the arguments of the provider";
  const nameless = checkAliasName(directive, remedy);
  if (nameless || provider === undefined) return nameless;
  const restStart = rest ? rest.start + (rest.quote === "none" ? 0 : 1) : directive.argumentText.length;
  const line: RequireLine = {
    kind: "require",
    directive,
    limits: [],
    negated: false,
    provider: provider.value,
    providerAt: provider,
    rest: rest?.value ?? "",
    restStart,
  };
  const unknown = buildUnknownProviderFailure(line, providers);
  if (unknown) return unknown;
  const fault = checkProviderArguments(line, methods);
  return fault && { ...fault, server: `Can't parse 'Require ${line.provider} ${line.rest}': ${fault.server}` };
}

function buildUnknownProviderFailure(line: RequireLine, providers: ProviderRegistry): Refusal | undefined {
  const unknown = providers.explainUnknown(toReadable(line.provider));
  if (unknown === undefined) return undefined;
  const span = line.provider === "" ? line.directive.span : line.directive.spanOf(line.providerAt);
  return { server: `Unknown Authz provider: ${line.provider}`, ...unknown, span };
}

/** Checks the arguments of a provider. */
function checkProviderArguments(line: RequireLine, methods: MethodRegistry): Refusal | undefined {
  switch (line.provider) {
    case "all":
      return checkRequireAllWord(line);
    case "ip":
      return checkRequireIp(line);
    case "method":
      return checkRequireMethod(line, methods);
    case "ssl":
    case "ssl-verify-client":
      return line.rest === "" ? undefined : checkNoArguments(line);
    case "expr":
      return line.rest === "" ? checkEmptyExpression(line) : undefined;
    default:
      return undefined;
  }
}

function argumentsSpan(line: RequireLine) {
  if (line.rest === "") return line.directive.span;
  return line.directive.spanOf({ start: line.restStart, end: line.restStart + line.rest.length });
}

function checkRequireAllWord(line: RequireLine): Refusal | undefined {
  if (/^(granted|denied)$/i.test(line.rest)) return undefined;
  const [argument, next] = parseArguments(line.rest);
  const first = argument?.value.toLowerCase() ?? "";
  const word = first === "granted" || first === "denied" ? first : undefined;
  // Of a comment after the word, only the comment is wrong.
  const isComment = word !== undefined && next?.quote === "none" && next.value.startsWith("#");
  const span = isComment
    ? line.directive.spanOf({ start: line.restStart + next.start, end: line.restStart + next.end })
    : argumentsSpan(line);
  return { ...wordingOf("invalid-require-all", line.rest, word), span };
}

function checkRequireIp(line: RequireLine): Refusal | undefined {
  const words = requireArgumentsOf(line);
  if (words.length === 0) {
    return { ...wordingOf("missing-require-address"), span: line.directive.span };
  }
  for (const word of words) {
    const verdict = readSubnet(word.value);
    if (verdict.ok) continue;
    const span = line.directive.spanOf(word);
    const server = `ip address '${word.value}' appears to be invalid`;
    if (verdict.error !== "not-an-address")
      return { server: `${server}: ${verdict.error}`, ...adviseOnAddress(word.value), span };
    return { server, ...adviseOnNonAddress(word.value), span };
  }
  return undefined;
}

/** Returns advice for a word in `Require ip` that does not look like an address. */
function adviseOnNonAddress(word: string): RefusalText {
  const several = adviseOnSeparators(word);
  if (several) return several;
  if (/^all$/i.test(word)) return wordingOf("require-ip-all");
  if (/^env=/i.test(word)) return wordingOf("require-ip-env", word);
  const network = readWildcardNetwork(word);
  if (network !== undefined) return wordingOf("require-ip-wildcard", word, network);
  if (/^[\d.]+-[\d.]+$/.test(word)) return wordingOf("require-ip-range", word);
  if (/^[a-z0-9.*-]+$/i.test(word)) {
    return wordingOf("require-ip-name", word);
  }
  return wordingOf("require-ip-other", word);
}

function checkRequireMethod(line: RequireLine, methods: MethodRegistry): Refusal | undefined {
  const word = requireArgumentsOf(line).find((each) => !methods.has(each.value));
  if (word === undefined) return undefined;
  const several = adviseOnSeparators(word.value);
  if (several) return { server: `Invalid Method '${word.value}'`, ...several, span: line.directive.spanOf(word) };
  const upper = word.value.toUpperCase();
  return {
    ...wordingOf("unknown-require-method", word.value, methods.has(upper), upper),
    span: line.directive.spanOf(word),
  };
}

function checkNoArguments(line: RequireLine): Refusal {
  return { ...wordingOf("surplus-require-argument", line.provider, line.rest), span: argumentsSpan(line) };
}

function checkEmptyExpression(line: RequireLine): Refusal {
  return { ...wordingOf("missing-require-expression"), span: line.directive.span };
}
