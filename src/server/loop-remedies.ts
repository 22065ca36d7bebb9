import type { Directive } from "../config/model/directive.js";
import { isSince } from "../facts/release.js";
import { toReadable } from "../text/source.js";
import { formatWordList } from "../text/words.js";
import type { DefiniteAnswer } from "./definite-answer.js";
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
  return remedyOfRule(line, next, answered);
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

/** Returns conditions that exclude the URL that a rule leads to: its host and scheme, or the beginning of its path. */
function remedyOfRule(
  line: Directive,
  { host = "", scheme, path }: Request,
  answered: DefiniteAnswer,
): LoopRemedy | undefined {
  const [, target = ""] = line.arguments.map(({ value }) => value);
  const [, written, name = "", rest = ""] = /^(?:(https?):\/\/([^/]*))?(\/?[^?#]*)/i.exec(target) ?? [];
  const [fixed = ""] = /^[^$%]*/.exec(rest) ?? [];
  const prefix = fixed === rest ? fixed : fixed.replace(/\/+$/, "");
  const conditions = [
    ...(prefix.length > 1 ? [conditionOfPath(prefix, fixed === rest, path)] : []),
    ...(prefix.length > 1 || /[$%]/.test(name) || name.toLowerCase() !== host.toLowerCase()
      ? []
      : [conditionsOfHost(name, written?.toLowerCase() === "https" && scheme === "https")]),
  ];
  const [added] = conditions.flatMap((each) => each ?? []);
  if (added === undefined) return undefined;
  const above = conditionsOfRuleAbove(line, answered).map((condition) => quoteWritten(formatWholeLine(condition)));
  if (above.includes(added))
    return {
      text: "the `RewriteCond` lines above apply only to the rule right below them",
      line,
      help: [`write ${formatWordList(above)} again right before this rule`],
    };
  return { line, help: [`to exclude the target, add ${added} right before the rule`] };
}

/** Returns the conditions of the rule above one that has none of its own. */
function conditionsOfRuleAbove(line: Directive, { pass }: DefiniteAnswer): readonly Directive[] {
  const { url, sections } = pass?.rewriting ?? {};
  const rules = [url, sections]
    .flatMap((each) => [...(each?.steps ?? []), ...(each?.misses ?? [])])
    .map(({ rule }) => rule);
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
