import type { Directive } from "../../config/model/directive.js";
import { matchGroupsOf, sampleNameFor, samplePattern } from "../../proof/requests/sample-text.js";
import { escapePattern, findPassingText, type PatternTest } from "../../regex/pcre/comparison.js";
import { readRedirect } from "../../server/mapping/redirects.js";
import type { Request } from "../../server/model/request.js";
import type { RewriteCondition, RewriteRule } from "../../server/rewrite/rule-parser.js";

/** The parts of a request that a line was written for. The path is relative to the directory of the line, if it has one. */
export interface LineRequest extends Partial<Pick<Request, "method" | "query" | "host" | "headers" | "scheme">> {
  readonly path: string;
  /** Whether the path is one of many that the line applies to, so that it may be that of a directory. */
  readonly isUsual: boolean;
  /** The index file that is assumed to be in the directory of the path. */
  readonly index?: string;
}

/** A path that httpd goes on with: an index file of a directory, a fallback or an error document. */
export interface Lead {
  /** A path that leads there, relative to a directory. */
  readonly from: string;
  /** Relative to the directory for an index file; otherwise a URL path. */
  readonly to: string;
  readonly isIndex: boolean;
}

/** Where a line is: what its pattern is compared with. */
export interface RequestPlace {
  /** The URL path of its directory with a slash at the end; undefined outside of directories. */
  readonly base: string | undefined;
  /** Names in its directory on the disk, those of directories with a slash at the end. */
  readonly names: readonly string[];
  /** The name and the other names of the server. */
  readonly hosts: readonly string[];
  /** What leads to other paths. */
  readonly leads: readonly Lead[];
}

/** Limit of the paths that are tried for a line. */
const MAX_PATHS = 8;

/** Paths that most sites have: of pages, of directories, of files. */
const usualPaths = ["page", "dir/", "", "page.html", "page.php", "dir/page", "dir/dir/"];

/** Returns requests that a RewriteRule was written for: its pattern matches their path, and its conditions the rest. */
export function requestsForRule(rule: RewriteRule, place: RequestPlace): readonly LineRequest[] {
  const { conditions } = rule;
  const inputs = readInputs(conditions);
  const candidates = [
    "page",
    ...(addsExtension(rule) ? ["page/", ...place.names.flatMap(toDirectory)] : []),
    ...(rule.isNegated ? [] : [sampleNameFor(rule.pattern)]),
    ...inputs.paths.map((path) => relativeTo(place.base, path)),
    ...place.names,
    ...usualPaths,
  ];
  const paths = unique(candidates.filter((each) => each !== undefined)).filter((path) => fits(rule, path, place));
  const hosts = hostsFor(rule, place);
  const direct = paths.slice(0, MAX_PATHS).map((path) => ({ path, isUsual: usualPaths.includes(path) }));
  return [...leadingTo(rule, place, paths), ...direct].flatMap((asked) =>
    hosts.flatMap((host) => inputs.schemes.map((scheme) => ({ ...inputs.sent, ...host, ...scheme, ...asked }))),
  );
}

/** Returns requests that do not fit a rule, but that httpd goes on with for another path that does. */
function leadingTo(
  rule: RewriteRule,
  place: RequestPlace,
  direct: readonly string[],
): readonly Pick<LineRequest, "path" | "isUsual" | "index">[] {
  const found = place.leads.filter(({ from, to, isIndex }) => {
    const path = isIndex ? to : relativeTo(place.base, to);
    return path !== undefined && !direct.includes(from) && fits(rule, path, place) && !fits(rule, from, place);
  });
  const byPath = new Map(found.map((each) => [each.from, each]));
  return [...byPath.values()].map(({ from, to, isIndex }) => ({
    path: from,
    isUsual: false,
    ...(isIndex ? { index: to } : {}),
  }));
}

/** Returns requests that may have the status of an ErrorDocument. @param base the URL path of the directory or section */
export function requestsForErrorDocument({ arguments: [code] }: Directive, base: string): readonly LineRequest[] {
  const paths = code?.value === "404" ? ["no-such-page"] : ["page", ""];
  return paths.map((path) => ({ path: base + path, isUsual: false }));
}

/**
 * Reports whether a rule adds an extension if such a file exists. httpd finds the file of `/page/` as well, because its name
 * does not end in a slash (server/core.c `core_map_to_storage`).
 */
function addsExtension({ conditions, output = "" }: RewriteRule): boolean {
  const tests = conditions.some(
    ({ input, test, isNegated }) =>
      test.kind === "file" && !isNegated && /^%\{REQUEST_FILENAME\}\\?\.\w+$/i.test(input),
  );
  return tests && /[$%]\d\.\w+$/.test(output);
}

function toDirectory(file: string): readonly string[] {
  return /^[\w-]+\.\w+$/.test(file) ? [file.replace(/\.\w+$/, "/")] : [];
}

/**
 * Returns requests that a Redirect was written for.
 *
 * @param base the URL path of its section; undefined for a server
 * @param names names in the document root, as for rules
 */
export function requestsForRedirect(
  line: Directive,
  base: string | undefined,
  names: readonly string[],
): readonly LineRequest[] {
  const redirect = readRedirect(line, base !== undefined);
  if (redirect === undefined) return [];
  const { from = base ?? "/" } = redirect;
  if (line.key !== "redirectmatch") {
    const paths = [from, `${from.replace(/\/*$/, "/")}page`].map((path) => ({ path, isUsual: false }));
    // A redirect of a file to its directory, which may be the index file.
    const [, directory = "", index = ""] = /^(\/(?:.*\/)?)([\w-]+\.\w+)$/.exec(from) ?? [];
    const isOwn = index !== "" && redirect.to?.endsWith(directory) === true;
    return isOwn ? [...paths, { path: directory, index, isUsual: false }] : paths;
  }
  const candidates = [samplePattern(from), ...[...names, ...usualPaths].map((path) => `/${path}`)].map((each) =>
    each === undefined || each.startsWith("/") ? each : `/${each}`,
  );
  const paths = unique(candidates.filter((each) => each !== undefined));
  return paths
    .filter((path) => matchGroupsOf(from, path, false) !== false)
    .slice(0, MAX_PATHS)
    .map((path) => ({ path, isUsual: usualPaths.includes(path.slice(1)) }));
}

/** Returns a path with a blank that a pattern names on purpose, in one of its groups; undefined if there is none. */
export function findPathWithBlank(pattern: string): string | undefined {
  const sample = /\\s|\\x20| /.test(pattern) ? samplePattern(pattern) : undefined;
  for (let end = sample?.length ?? 0; sample !== undefined && end > 0; end--) {
    const path = `${sample.slice(0, end)} b${sample.slice(end)}`;
    const groups = matchGroupsOf(pattern, path, false) || [];
    if (groups.slice(1).some((group) => group?.includes(" "))) return path;
  }
  return undefined;
}

/** Returns whether the pattern of a rule may match a path. */
function fits({ pattern, isNegated, flags }: RewriteRule, path: string, { base }: RequestPlace): boolean {
  const subject = base === undefined ? `/${path.replace(/^\//, "")}` : path;
  if (base !== undefined && path.startsWith("/")) return false;
  const groups = matchGroupsOf(pattern, subject, flags.names.has("nocase"));
  return groups === undefined || (groups !== false) !== isNegated;
}

/** Returns a URL path without that of a directory. */
function relativeTo(base: string | undefined, path: string): string | undefined {
  if (base === undefined) return path;
  return path.startsWith(base) ? path.slice(base.length) : undefined;
}

/** What the conditions of a rule ask of a request, besides its host. */
interface Inputs {
  /** URL paths. */
  readonly paths: readonly string[];
  readonly schemes: readonly Pick<LineRequest, "scheme">[];
  readonly sent: Pick<LineRequest, "method" | "query" | "headers">;
}

/** The headers that have variables of their own. */
const headerVariables: Readonly<Record<string, string>> = {
  HTTP_ACCEPT: "Accept",
  HTTP_COOKIE: "Cookie",
  HTTP_FORWARDED: "Forwarded",
  HTTP_REFERER: "Referer",
  HTTP_USER_AGENT: "User-Agent",
};

function readInputs(conditions: readonly RewriteCondition[]): Inputs {
  const paths: string[] = [];
  let sent: Inputs["sent"] = {};
  let isAboutScheme = false;
  const tests = testsByVariable(conditions);
  for (const [variable, asked] of tests) {
    if (/^(?:HTTPS|SERVER_PORT|REQUEST_SCHEME)$/.test(variable)) isAboutScheme = true;
    if (variable === "HTTP_HOST" || variable === "SERVER_NAME") continue;
    const text = findPassingText(asked);
    if (text === undefined) continue;
    const header = headerVariables[variable] ?? /^HTTP:(.+)$/.exec(variable)?.[1];
    if (variable === "REQUEST_URI") paths.push(text);
    else if (variable === "THE_REQUEST") {
      const [, target = "", query] = /(\/[^ ?]*)(?:\?([^ ]*))?/.exec(text) ?? [];
      if (target !== "") paths.push(target);
      if (query !== undefined) sent = { ...sent, query };
    } else if (variable === "QUERY_STRING") sent = text === "" ? sent : { ...sent, query: text };
    else if (variable === "REQUEST_METHOD") sent = { ...sent, method: /^[A-Z]+$/.test(text) ? text : "GET" };
    else if (header !== undefined && text !== "") sent = { ...sent, headers: { ...sent.headers, [header]: text } };
  }
  const schemes = isAboutScheme ? ([{}, { scheme: "http" }, { scheme: "https" }] as const) : [{}];
  return { paths, schemes, sent };
}

/** Returns the tests of each variable that must all pass. Of conditions that `OR` joins, the first one counts. */
function testsByVariable(conditions: readonly RewriteCondition[]): ReadonlyMap<string, readonly PatternTest[]> {
  const found = new Map<string, PatternTest[]>();
  let isAlternative = false;
  for (const { input, test, isNegated, ignoreCase, orNext } of conditions) {
    const variable = /^%\{([^}]+)\}$/.exec(input)?.[1];
    const pattern = test.kind === "pattern" ? test.pattern : undefined;
    const text = test.kind === "text" && test.operator === "=" ? `^${escapePattern(test.operand)}$` : pattern;
    if (!isAlternative && variable !== undefined && text !== undefined) {
      const name = variable.startsWith("HTTP:") ? variable : variable.toUpperCase();
      found.set(name, [...(found.get(name) ?? []), { pattern: text, ignoreCase, isNegated }]);
    }
    isAlternative = orNext;
  }
  return found;
}

/** Returns the hosts for which a rule may have been written: names of the server, and those in the rule. */
function hostsFor(
  { conditions, output = "" }: RewriteRule,
  { hosts }: RequestPlace,
): readonly Pick<LineRequest, "host">[] {
  const tests = conditions.filter(({ input }) => /^%\{(?:HTTP_HOST|SERVER_NAME)\}$/i.test(input));
  if (tests.length === 0) return [{}];
  const samples = tests.flatMap(({ test, isNegated }) =>
    test.kind === "pattern" && !isNegated ? (samplePattern(test.pattern) ?? []) : [],
  );
  const target = hostOfTarget(output);
  const named = [...hosts, ...samples, ...(target === undefined ? [] : [target])];
  const names = unique(named.map((host) => host.toLowerCase())).filter((host) =>
    /^[a-z0-9.-]+\.[a-z0-9-]+$/.test(host),
  );
  return names.length === 0 ? [{}] : names.slice(0, 4).map((host) => ({ host }));
}

/** Returns the host of a target, if it is written in full. */
export function hostOfTarget(target: string): string | undefined {
  return /^https?:\/\/([\w.-]+)(?=[:/]|$)/i.exec(target)?.[1]?.toLowerCase();
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)];
}
