import { parseArguments } from "../../grammar/arguments.js";
import { type RequireLine, readRequire, requireWords } from "../access/new-rules.js";
import type { Providers } from "../access/providers.js";
import type { Directive } from "../project/directive.js";
import { quoted } from "../project/problems.js";
import { networkBeforeStars, readSubnet } from "../text/addresses.js";
import { toReadable } from "../text/source.js";
import type { Methods } from "./methods.js";
import { addressAdvice, joinedAdvice } from "./old-rules.js";
import { namelessAlias } from "./provider-alias.js";
import type { Fault } from "./refusal.js";

/** What the server refuses about a Require line by itself; where it stands is looked at elsewhere. */
export function requireFault(directive: Directive, providers: Providers, methods: Methods): Fault | undefined {
  const line = readRequire(directive);
  return unknownFault(line, providers) ?? restFault(line, methods);
}

/** What the server refuses about the opening line of an AuthzProviderAlias: only its first word for the provider counts. */
export function aliasFault(directive: Directive, providers: Providers, methods: Methods): Fault | undefined {
  const [provider, , rest] = directive.arguments;
  const remedy = "write the provider, the alias and, in quotes, what Require would take behind the provider";
  const nameless = namelessAlias(directive, remedy);
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
  const unknown = unknownFault(line, providers);
  if (unknown) return unknown;
  const fault = restFault(line, methods);
  return fault && { ...fault, server: `Can't parse 'Require ${line.provider} ${line.rest}': ${fault.server}` };
}

function unknownFault(line: RequireLine, providers: Providers): Fault | undefined {
  const unknown = providers.unknown(toReadable(line.provider));
  if (unknown === undefined) return undefined;
  const span = line.provider === "" ? line.directive.span : line.directive.spanOf(line.providerAt);
  return { server: `Unknown Authz provider: ${line.provider}`, ...unknown, span };
}

/** What a provider refuses about the words for it. */
function restFault(line: RequireLine, methods: Methods): Fault | undefined {
  switch (line.provider) {
    case "all":
      return allFault(line);
    case "ip":
      return ipFault(line);
    case "method":
      return methodFault(line, methods);
    case "ssl":
    case "ssl-verify-client":
      return line.rest === "" ? undefined : noArguments(line);
    case "expr":
      return line.rest === "" ? emptyExpression(line) : undefined;
    default:
      return undefined;
  }
}

function restSpan(line: RequireLine) {
  if (line.rest === "") return line.directive.span;
  return line.directive.spanOf({ start: line.restStart, end: line.restStart + line.rest.length });
}

function allFault(line: RequireLine): Fault | undefined {
  if (/^(granted|denied)$/i.test(line.rest)) return undefined;
  const first = parseArguments(line.rest)[0]?.value.toLowerCase() ?? "";
  const meant = first === "granted" || first === "denied" ? first : undefined;
  return {
    server: "Argument for 'Require all' must be 'granted' or 'denied'",
    wrong:
      line.rest === ""
        ? "nothing stands behind `Require all`"
        : `\`Require all\` takes nothing but \`granted\` or \`denied\`, and here stands ${quoted(line.rest)}`,
    remedy: meant
      ? `write \`Require all ${meant}\`, without quotes, comment or further words`
      : "write `Require all granted` or `Require all denied`",
    span: restSpan(line),
  };
}

function ipFault(line: RequireLine): Fault | undefined {
  const words = requireWords(line);
  if (words.length === 0) {
    const remedy = "add the addresses that are meant";
    return {
      server: "'require ip' requires an argument",
      wrong: "`Require ip` names no address",
      remedy,
      span: line.directive.span,
    };
  }
  for (const word of words) {
    const verdict = readSubnet(word.value);
    if ("subnet" in verdict) continue;
    const span = line.directive.spanOf(word);
    const server = `ip address '${word.value}' appears to be invalid`;
    if ("refused" in verdict) return { server: `${server}: ${verdict.refused}`, ...addressAdvice(word.value), span };
    return { server, ...strangerAdvice(word.value), span };
  }
  return undefined;
}

/** A word in `Require ip` that does not look like an address. */
function strangerAdvice(word: string): Pick<Fault, "wrong" | "remedy"> {
  const several = joinedAdvice(word);
  if (several) return several;
  if (/^all$/i.test(word)) return { wrong: "`all` is no address", remedy: "write `Require all granted`" };
  if (/^env=/i.test(word))
    return { wrong: `${quoted(word)} is no address`, remedy: "write `Require env` and the variable's name" };
  const network = networkBeforeStars(word);
  if (network !== undefined)
    return { wrong: `\`*\` stands for no number in ${quoted(word)}`, remedy: `write \`Require ip ${network}\`` };
  if (/^[\d.]+-[\d.]+$/.test(word))
    return { wrong: `${quoted(word)} is a range and no network`, remedy: "write networks, such as `192.0.2.0/28`" };
  if (/^[a-z0-9.*-]+$/i.test(word)) {
    return { wrong: `${quoted(word)} is a name and no address`, remedy: "write names behind `Require host`" };
  }
  return { wrong: `${quoted(word)} is no address`, remedy: "write an address or a network" };
}

function methodFault(line: RequireLine, methods: Methods): Fault | undefined {
  const word = requireWords(line).find((each) => !methods.has(each.value));
  if (word === undefined) return undefined;
  const several = joinedAdvice(word.value);
  if (several) return { server: `Invalid Method '${word.value}'`, ...several, span: line.directive.spanOf(word) };
  const upper = word.value.toUpperCase();
  return {
    server: `Invalid Method '${word.value}'`,
    wrong: `the server knows no method ${quoted(word.value)}`,
    remedy: methods.has(upper)
      ? `write \`${upper}\`: case counts`
      : "take it out, or make it known with RegisterHttpMethod before",
    span: line.directive.spanOf(word),
  };
}

function noArguments(line: RequireLine): Fault {
  return {
    server: `'Require ${line.provider}' does not take arguments`,
    wrong: `\`Require ${line.provider}\` takes no words, and here follows ${quoted(line.rest)}`,
    remedy: "take it out",
    span: restSpan(line),
  };
}

function emptyExpression(line: RequireLine): Fault {
  return {
    server: "Cannot parse expression in require line: syntax error, unexpected $end",
    wrong: "`Require expr` has no expression",
    remedy: "add one",
    span: line.directive.span,
  };
}
