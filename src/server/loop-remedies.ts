import type { Directive } from "../config/model/directive.js";
import { isSince } from "../facts/release.js";
import { toReadable } from "../text/source.js";
import { formatWordList } from "../text/words.js";
import type { DefiniteAnswer } from "./definite-answer.js";
import { findWrongCondition } from "./loop-conditions.js";
import { readRedirect } from "./mapping/redirects.js";
import { argumentValuesOf } from "./model/config-layer.js";
import { mainPassesOf } from "./model/pass.js";
import { stripAliasPrefix } from "./model/patterns.js";
import type { Request } from "./model/request.js";
import type { RewriteRule } from "./rewrite/rule-parser.js";
import { findMatch } from "./trace/pattern-parts.js";
import { withEndFlag } from "./trace/side-effects.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./trace/step.js";
import { escapeRegex } from "./trace/written-lines.js";

/** What ends a loop: a clause to add to its text, and what to change. */
interface LoopRemedy {
  readonly text?: string;
  readonly line: Directive;
  readonly help: readonly string[];
}

/**
 * Returns what ends a loop of redirects: an exclusion of the target, or the flag END of the rule that led to the one that redirects.
 * Undefined if the lines do not show it.
 *
 * @param request the request whose answer closes the loop, and which the line redirects
 * @param next the request of the client that follows
 */
export function findLoopRemedy(
  answered: DefiniteAnswer,
  line: Directive,
  request: Request,
  next: Request,
): LoopRemedy | undefined {
  if (line.key !== "rewriterule")
    return remedyOfRedirect(line, request, next) ?? remedyForHost(line, request, next, answered);
  const { release } = answered.setup.project;
  // The last pass has no next one; that before it may have a rule that led to the redirecting one.
  const led = answered.pass && mainPassesOf(answered.pass).find((each) => each.next?.by.key === "rewriterule")?.next;
  if (led && led.by !== line && isSince(release, "2.4")) {
    const text = `${quoteLine(led.by)} leads to \`${toReadable(led.pass.path)}\`, for which the rules run again`;
    return { text, line: led.by, help: [`use ${quoteWritten(withEndFlag(led.by))}`] };
  }
  return remedyOfRule(line, request, answered);
}

/** Excludes the target of a Redirect, which httpd also redirects since it is below the path (mod_alias.c `try_alias_list`). */
function remedyOfRedirect(line: Directive, request: Request, { path }: Request): LoopRemedy | undefined {
  const { from, to, status } = readRedirect(line, false) ?? {};
  if (from === undefined || to === undefined || line.key === "redirectmatch") return undefined;
  const rest = stripAliasPrefix(from, request.path);
  // A redirect to the same path on another host or scheme needs another remedy.
  if (rest === undefined || path === request.path || stripAliasPrefix(from, path) === undefined) return undefined;
  const inner = to.replace(/^[a-z]+:\/\/[^/]*/i, "");
  const slash = from.endsWith("/") || inner === `${from}/` ? "" : "/?";
  const own = `RedirectMatch ${status} "^${escapeRegex(from)}${slash}$" ${toReadable(to)}`;
  const below = inner.startsWith(from) && inner.length > from.length ? inner.slice(from.length) : undefined;
  const others =
    below === undefined || !from.endsWith("/")
      ? []
      : [
          `to redirect everything else, use ${quoteWritten(`RedirectMatch ${status} "^${escapeRegex(from)}(?!${escapeRegex(below)})(.*)" ${toReadable(to)}$1`)}`,
        ];
  const text = `\`${toReadable(below === undefined ? path : inner)}\` is below \`${toReadable(from)}\`, so httpd redirects it as well`;
  return { text, line, help: [`to redirect only \`${toReadable(from)}\`, use ${quoteWritten(own)}`, ...others] };
}

/**
 * Limits a Redirect to other hosts and schemes than those of its target, to which it leads for the same path: it has no
 * conditions, and redirects all requests of its server.
 */
function remedyForHost(
  line: Directive,
  request: Request,
  { path, scheme }: Request,
  { pass, setup }: DefiniteAnswer,
): LoopRemedy | undefined {
  const { to = "" } = readRedirect(line, line.key === "redirectmatch") ?? {};
  const [, written = "", name = ""] = /^(https?):\/\/([\w.:-]+)/i.exec(to) ?? [];
  if (name === "" || path !== request.path || !isSince(setup.project.release, "2.4")) return undefined;
  const { section, addresses = [] } = pass?.server ?? {};
  const names = section?.children?.filter(({ key }) => key === "servername" || key === "serveralias") ?? [];
  const others = names.filter((each) => each.arguments.some(({ value }) => !isSameName(value, name)));
  const isForHttps = written.toLowerCase() === "https" && scheme === "https";
  // Without TLS, `HTTPS` is off, also behind a proxy that has it.
  if (isForHttps && (!pass || setup.servers.tlsEngineOf(pass.server).state !== "on")) return undefined;
  const isTlsOnly = addresses.length > 0 && addresses.every(({ port }) => port === 443);
  const tests = [
    ...(isForHttps && !isTlsOnly ? ["%{HTTPS} != 'on'"] : []),
    ...(section === undefined || others.length > 0 ? [`%{HTTP_HOST} != '${name.toLowerCase()}'`] : []),
  ];
  if (tests.length === 0) return undefined;
  const own = names.find((each) => each.arguments.some(({ value }) => isSameName(value, name)));
  const text =
    section !== undefined && own !== undefined && others.length > 0
      ? `${quoteLine(section)} is also for \`${name}\` (${quoteLine(own)}), and a \`${line.name}\` has no conditions`
      : `a \`${line.name}\` has no conditions, so that it applies to its target as well`;
  return { text, line, help: [`put this line into ${quoteWritten(`<If "${tests.join(" || ")}">`, "</If>")}`] };
}

function isSameName(written: string, name: string): boolean {
  return written.toLowerCase().replace(/^https?:\/\/|:\d+$/g, "") === name.toLowerCase().replace(/:\d+$/, "");
}

/**
 * Returns how a rule leaves out a request that it leads to its own URL: the condition that is wrong for it, or one to add, for its
 * host and scheme or the beginning of its path.
 *
 * @param request a request in the loop, which the rule redirects
 */
function remedyOfRule(line: Directive, request: Request, answered: DefiniteAnswer): LoopRemedy | undefined {
  const [, target = ""] = line.arguments.map(({ value }) => value);
  const found = readTarget(target, answered.destination.location);
  const excluded = exclusionOf(found, request);
  const rule = listRules(answered).find(({ directive }) => directive === line);
  const wrong = rule && findWrongCondition(rule, found.scheme, request);
  if (wrong) {
    const { text, directive, written, isSchemeOnly } = wrong;
    // With a name of its own, the rule may also be for the requests with TLS.
    const or =
      isSchemeOnly && found.name !== undefined ? [`or ${addExclusion(conditionsOfHost(found.name, false))}`] : [];
    return { text, line: directive, help: [`use ${quoteWritten(written)}`, ...or] };
  }
  if (excluded === undefined) return undefined;
  const above = conditionsOfRuleAbove(line, answered).map((condition) => quoteWritten(formatWholeLine(condition)));
  if (above.includes(excluded))
    return {
      text: "the `RewriteCond` lines above apply only to the rule right below them",
      line,
      help: [`write ${formatWordList(above)} again right before this rule`],
    };
  return { line, help: [`to exclude the target, ${addExclusion(excluded)}`] };
}

function addExclusion(conditions: string): string {
  return `add ${conditions} right before the rule`;
}

/** The target of a rule, as far as it is the same for all requests. */
interface RuleTarget {
  /** In lower case; undefined if it is that of the request. */
  readonly scheme: string | undefined;
  /** The host, with a port that is not the default one; undefined if the rule takes that of the request. */
  readonly name: string | undefined;
  /** Whether no part of its URL before the path depends on anything else. */
  readonly isKnown: boolean;
  /** The path, as written. */
  readonly path: string;
}

/** Reads the target of a rule. @param location the redirect to it: what a variable in the target begins with is not known */
function readTarget(target: string, location = ""): RuleTarget {
  const [start, scheme] = /^(https?):\/\//i.exec(target) ?? [];
  const [path = ""] = /^[^?#]*/.exec(target) ?? [];
  if (start === undefined || scheme === undefined)
    return { scheme: undefined, name: undefined, isKnown: target.startsWith("/"), path };
  const own = /^%\{(?:HTTP_HOST|SERVER_NAME)\}(?=[/$%]|$)/i.exec(path.slice(start.length))?.[0];
  const [, name = ""] = /^https?:\/\/([^/?#]*)/i.exec(location) ?? [];
  const written = own ?? name;
  const rest = path.slice(start.length + written.length);
  const isKnown = path.slice(start.length).toLowerCase().startsWith(written.toLowerCase()) && /^(?:[/$%]|$)/.test(rest);
  const short = name.toLowerCase().replace(scheme.toLowerCase() === "https" ? /:443$/ : /:80$/, "");
  return { scheme: scheme.toLowerCase(), name: own === undefined ? short : undefined, isKnown, path: rest };
}

/** Returns conditions that are false for a request to the target of a rule; undefined if they may be true for it. */
function exclusionOf({ scheme: written, name, isKnown, path }: RuleTarget, request: Request): string | undefined {
  const { host = "", scheme = "http" } = request;
  const [fixed = ""] = /^[^$%]*/.exec(path) ?? [];
  const prefix = fixed === path ? fixed : fixed.replace(/\/+$/, "");
  if (prefix.length > 1) return conditionOfPath(prefix, fixed === path, request.path);
  // Another scheme is that of a loop of several rules.
  if (written !== scheme || !isKnown) return undefined;
  const isHttps = scheme === "https";
  if (name === undefined) return isHttps ? quoteWritten("RewriteCond %{HTTPS} !=on") : undefined;
  return name === host.toLowerCase() ? conditionsOfHost(name, isHttps) : undefined;
}

/** Returns the rules that an answer tried. */
function listRules({ pass }: DefiniteAnswer): readonly RewriteRule[] {
  const { url, sections } = pass?.rewriting ?? {};
  return [url, sections].flatMap((each) => [...(each?.steps ?? []), ...(each?.misses ?? [])]).map(({ rule }) => rule);
}

/** Returns the conditions of the rule above one that has none of its own. */
function conditionsOfRuleAbove(line: Directive, answered: DefiniteAnswer): readonly Directive[] {
  const rules = listRules(answered);
  const own = rules.find(({ directive }) => directive === line);
  if (own === undefined || own.conditions.length > 0) return [];
  const isAbove = ({ directive: { span } }: RewriteRule) =>
    span.file === line.span.file && span.start < line.span.start;
  const [above] = rules.filter(isAbove).sort((one, other) => other.directive.span.start - one.directive.span.start);
  // With OR, they need not exclude what one of them excludes.
  const lines = above?.conditions.map(({ directive }) => directive) ?? [];
  return lines.some((each) => /[[,]\s*(?:or|ornext)\s*[\],]/i.test(argumentValuesOf(each)[2] ?? "")) ? [] : lines;
}

function conditionOfPath(prefix: string, isWhole: boolean, path: string): string | undefined {
  const url = prefix.startsWith("/") ? prefix : undefined;
  const pattern = url && `^${escapeRegex(url)}${isWhole ? "$" : "(?:/|$)"}`;
  const isExcluded = pattern !== undefined && findMatch(pattern, path) !== undefined;
  return isExcluded ? quoteWritten(`RewriteCond %{REQUEST_URI} !${toReadable(pattern)}`) : undefined;
}

/** With TLS, a request without it is still redirected. */
function conditionsOfHost(name: string, isHttps: boolean): string {
  const ofHost = `RewriteCond %{HTTP_HOST} !=${name}`;
  return isHttps ? quoteWritten("RewriteCond %{HTTPS} !=on [OR]", ofHost) : quoteWritten(ofHost);
}
