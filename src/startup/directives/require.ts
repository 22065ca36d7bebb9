import { parseArguments } from "../../../grammar/arguments.js";
import type { Directive } from "../../config/model/directive.js";
import type { ProviderRegistry } from "../../server/access/providers.js";
import { parseRequireLine, type RequireLine, requireArgumentsOf } from "../../server/access/require-rules.js";
import type { MethodRegistry } from "../../server/request/method-registry.js";
import { readSubnet, readWildcardNetwork } from "../../text/addresses.js";
import { toReadable } from "../../text/source.js";
import { quoteText } from "../../text/words.js";
import type { CheckFailure } from "../refusal.js";
import { adviseOnAddress, adviseOnSeparators } from "./access-compat.js";
import { checkAliasName } from "./authn-providers.js";

/** Checks a single Require line as the server does; its context is checked elsewhere. */
export function checkRequire(
  directive: Directive,
  providers: ProviderRegistry,
  methods: MethodRegistry,
): CheckFailure | undefined {
  const line = parseRequireLine(directive);
  return buildUnknownProviderFailure(line, providers) ?? checkProviderArguments(line, methods);
}

/** Checks the opening line of an AuthzProviderAlias as the server does: only the provider's first argument counts. */
export function checkAuthzProviderAlias(
  directive: Directive,
  providers: ProviderRegistry,
  methods: MethodRegistry,
): CheckFailure | undefined {
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

function buildUnknownProviderFailure(line: RequireLine, providers: ProviderRegistry): CheckFailure | undefined {
  const unknown = providers.explainUnknown(toReadable(line.provider));
  if (unknown === undefined) return undefined;
  const span = line.provider === "" ? line.directive.span : line.directive.spanOf(line.providerAt);
  return { server: `Unknown Authz provider: ${line.provider}`, ...unknown, span };
}

/** Checks the arguments of a provider. */
function checkProviderArguments(line: RequireLine, methods: MethodRegistry): CheckFailure | undefined {
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

function checkRequireAllWord(line: RequireLine): CheckFailure | undefined {
  if (/^(granted|denied)$/i.test(line.rest)) return undefined;
  const first = parseArguments(line.rest)[0]?.value.toLowerCase() ?? "";
  const word = first === "granted" || first === "denied" ? first : undefined;
  return {
    server: "Argument for 'Require all' must be 'granted' or 'denied'",
    wrong:
      line.rest === ""
        ? "`Require all` needs `granted` or `denied`"
        : `invalid value ${quoteText(line.rest)} for \`Require all\`: expected \`granted\` or \`denied\``,
    remedy: word
      ? `use \`Require all ${word}\`, without quotes, comments or further arguments`
      : "use `Require all granted` or `Require all denied`",
    span: argumentsSpan(line),
  };
}

function checkRequireIp(line: RequireLine): CheckFailure | undefined {
  const words = requireArgumentsOf(line);
  if (words.length === 0) {
    const remedy = "add the addresses";
    return {
      server: "'require ip' requires an argument",
      wrong: "`Require ip` needs an address",
      remedy,
      span: line.directive.span,
    };
  }
  for (const word of words) {
    const verdict = readSubnet(word.value);
    if ("subnet" in verdict) continue;
    const span = line.directive.spanOf(word);
    const server = `ip address '${word.value}' appears to be invalid`;
    if ("refused" in verdict) return { server: `${server}: ${verdict.refused}`, ...adviseOnAddress(word.value), span };
    return { server, ...adviseOnNonAddress(word.value), span };
  }
  return undefined;
}

/** Returns advice for a word in `Require ip` that does not look like an address. */
function adviseOnNonAddress(word: string): Pick<CheckFailure, "wrong" | "remedy"> {
  const several = adviseOnSeparators(word);
  if (several) return several;
  if (/^all$/i.test(word)) return { wrong: "`all` is not an IP address", remedy: "use `Require all granted`" };
  if (/^env=/i.test(word))
    return { wrong: `${quoteText(word)} is not an IP address`, remedy: "use `Require env` with the variable's name" };
  const network = readWildcardNetwork(word);
  if (network !== undefined)
    return {
      wrong: `\`Require ip\` does not accept the wildcard in ${quoteText(word)}`,
      remedy: `use \`Require ip ${network}\``,
    };
  if (/^[\d.]+-[\d.]+$/.test(word))
    return {
      wrong: `${quoteText(word)} is an address range, not a network`,
      remedy: "use networks such as `192.0.2.0/28`",
    };
  if (/^[a-z0-9.*-]+$/i.test(word)) {
    return { wrong: `${quoteText(word)} is a name, not an IP address`, remedy: "use `Require host` for names" };
  }
  return { wrong: `${quoteText(word)} is not an IP address`, remedy: "use an address or a network" };
}

function checkRequireMethod(line: RequireLine, methods: MethodRegistry): CheckFailure | undefined {
  const word = requireArgumentsOf(line).find((each) => !methods.has(each.value));
  if (word === undefined) return undefined;
  const several = adviseOnSeparators(word.value);
  if (several) return { server: `Invalid Method '${word.value}'`, ...several, span: line.directive.spanOf(word) };
  const upper = word.value.toUpperCase();
  return {
    server: `Invalid Method '${word.value}'`,
    wrong: `unknown method ${quoteText(word.value)}`,
    remedy: methods.has(upper)
      ? `use \`${upper}\`: methods are case-sensitive`
      : "delete it, or register it before this line with RegisterHttpMethod",
    span: line.directive.spanOf(word),
  };
}

function checkNoArguments(line: RequireLine): CheckFailure {
  return {
    server: `'Require ${line.provider}' does not take arguments`,
    wrong: `\`Require ${line.provider}\` takes no arguments, but ${quoteText(line.rest)} was given`,
    remedy: "delete it",
    span: argumentsSpan(line),
  };
}

function checkEmptyExpression(line: RequireLine): CheckFailure {
  return {
    server: "Cannot parse expression in require line: syntax error, unexpected $end",
    wrong: "`Require expr` needs an expression",
    remedy: "add the expression",
    span: line.directive.span,
  };
}
