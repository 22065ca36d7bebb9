import { nativePath } from "../../config/files/paths.js";
import type { Directive } from "../../config/model/directive.js";
import type { HtaccessFile } from "../../config/model/project.js";
import { toReadable } from "../../text/source.js";
import { proxyPassNames } from "../mapping/proxies.js";
import { readRedirect, redirectNames } from "../mapping/redirects.js";
import type { UrlMapping } from "../mapping/url-mapping.js";
import type { Miss } from "../model/answer.js";
import { argumentValuesOf, type ConfigLayer, findSetting, keywordArgumentOf } from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { type Pass, passesOf } from "../model/pass.js";
import { compileRegexPattern, stripAliasPrefix } from "../model/patterns.js";
import type { RequestOutcome } from "../model/request-outcome.js";
import type { SimulationSetup } from "../model/simulation-setup.js";
import type { ServerLookup } from "../request/vhost-lookup.js";
import type { RewriteMiss } from "../rewrite/engine.js";
import { missesOfHosts, missesOfSimilarHosts } from "./host-misses.js";
import { fileNameOf, overrideLinesOf, startOfFile } from "./htaccess-steps.js";
import type { OutcomeAt } from "./miss.js";
import { overrideWordsFor } from "./override-words.js";
import { missesOfConditions } from "./rule-causes.js";
import {
  type Correction,
  separateHost,
  separateQuery,
  withLeadingSlash,
  withOptionalSlash,
  withoutLeadingSlash,
  withRuleFlag,
} from "./rule-corrections.js";
import { missesOfSettings } from "./setting-misses.js";
import { formatLine, formatWholeLine, quoteLine, quoteWritten } from "./step.js";
import { escapeRegex, quoteWord } from "./written-lines.js";

/** A line that does not apply. */
type LineMiss = Pick<Miss, "reason" | "isClose" | "help" | "change"> & { readonly directive: Directive };

/**
 * Returns the virtual hosts with the name of the request that do not handle it. Then it returns the lines without effect, the rewrite rules and the mapping lines that a request does not fit, in the order in which the server tries them,
 * and why. Then it returns the `.htaccess` files that are not read.
 */
export function missesOf(outcome: RequestOutcome, setup: SimulationSetup, outcomeAt: OutcomeAt): readonly Miss[] {
  const { pass } = outcome;
  if (pass === undefined) return [];
  const applied = new Set(passesOf(pass).flatMap(({ rewriting }) => tracedRulesOf(rewriting)));
  const found = new Map<Directive, LineMiss>();
  const add = (miss: LineMiss | undefined) => {
    // A rule that applies to the URL may not fit the URL that it leads to.
    if (miss && !found.has(miss.directive) && !applied.has(miss.directive)) found.set(miss.directive, miss);
  };
  for (const each of passesOf(pass)) {
    const { url, sections } = each.rewriting;
    for (const miss of url?.misses ?? []) add(missOfRule(miss, each));
    for (const miss of mappingMisses(each)) add(miss);
    for (const miss of sections?.misses ?? []) add(missOfRule(miss, each));
  }
  const lines = [...found.values()].map(({ directive, ...miss }) => {
    return { section: formatLine(directive), span: directive.span, ...miss };
  });
  const ofSettings = missesOfSettings({ pass, outcome, setup, outcomeAt });
  const ofHosts = [...missesOfHosts(pass, setup.servers, setup.project), ...missesOfSimilarHosts(pass, setup.servers)];
  const ofOthers = missesOfOtherServers(pass, setup.servers);
  const ofConditions = passesOf(pass).flatMap(missesOfConditions);
  return [...ofHosts, ...ofSettings, ...ofOthers, ...ofConditions, ...lines, ...unreadFiles(pass)];
}

/** Returns the rules that have a step of their own: their patterns fit. */
function tracedRulesOf({ url, sections }: Pass["rewriting"]): readonly Directive[] {
  return [url, sections].flatMap((each) => each?.steps.map(({ rule }) => rule.directive) ?? []);
}

/** Returns the `.htaccess` files with directives that the server does not read, each once. */
function unreadFiles(pass: Pass): readonly Miss[] {
  const found = new Map<HtaccessFile, Miss>();
  for (const each of passesOf(pass)) {
    for (const { file, verdict, level } of each.walked?.htaccess ?? []) {
      if (verdict.kind !== "ignored" || found.has(file) || file.directives.length === 0) continue;
      const [by] = overrideLinesOf(each, level);
      const reason = by ? `httpd does not read this file: ${quoteLine(by)} applies` : "httpd does not read this file";
      const words = overrideWordsFor(file, by);
      const line = quoteWritten(`AllowOverride ${words.join(" ")}`);
      const place = by?.parent ? quoteLine(by.parent) : "a `<Directory>` section";
      const section = quoteWritten(`<Directory "${nativePath(toReadable(file.directory))}">`);
      found.set(file, {
        section: fileNameOf(file.tree.source),
        span: startOfFile(file.tree.source),
        reason,
        by,
        isClose: true,
        change: by,
        help: [
          `to use the file, write ${line} in ${place}${isOfDirectory(by, file) ? "" : `, or in ${section} for this directory only`}`,
        ],
      });
    }
  }
  return [...found.values()];
}

/** Reports whether a line is in the section of exactly the directory of a file. */
function isOfDirectory(by: Directive | undefined, { directory }: HtaccessFile): boolean {
  const [written] = by?.parent?.key === "<directory" ? argumentValuesOf(by.parent) : [];
  return written?.replace(/\/+$/, "") === directory.replace(/\/+$/, "");
}

function missOfRule(miss: RewriteMiss, { path, request }: Pass): LineMiss {
  const { rule, subject, directory } = miss;
  const { directive, pattern, isNegated, flags } = rule;
  const text = (value: string) => `\`${toReadable(value)}\``;
  if (isNegated)
    return {
      directive,
      reason: `its pattern \`!${pattern}\` excludes ${text(subject)}`,
      isClose: sharesWord(pattern, path),
    };
  const matches = (other: string, ignoreCase = flags.names.has("nocase")) =>
    compileRegexPattern(pattern, { ignoreCase }).matches(other, new Oracle(new Map()));
  const { host = "", query, scheme = "http" } = request.sent ?? request;
  const found = variantsOf(subject, { path, directory, host, query: query ?? "", scheme }).find(
    ({ other, ignoresCase }) => matches(other, ignoresCase),
  );
  const why = found ? `: ${found.why}` : "";
  const reason = `its pattern \`${toReadable(pattern)}\` does not match ${text(subject)}${why}`;
  const lines = found?.correct?.(directive, pattern);
  return {
    directive,
    reason,
    isClose: found !== undefined || sharesWord(pattern, path),
    ...(lines === undefined ? {} : { help: [`use ${quoteWritten(...lines)}`] }),
  };
}

/** Another text that a pattern may have been written for, and why the server does not match that one. */
interface Variant {
  readonly other: string;
  readonly why: string;
  readonly ignoresCase?: true;
  /** Returns the lines to write instead; undefined if the pattern does not show them. */
  readonly correct?: Correction;
}

interface Sent {
  readonly path: string;
  readonly directory: string | undefined;
  readonly host: string;
  readonly query: string;
  readonly scheme: string;
}

function variantsOf(subject: string, { path, directory, host, query, scheme }: Sent): readonly Variant[] {
  const slashed = subject.endsWith("/") ? subject.slice(0, -1) : `${subject}/`;
  const atEnd = subject.endsWith("/") ? "it does not allow the slash at the end" : "it needs a slash at the end";
  const isWithin = directory !== undefined;
  const removed = isWithin ? `the server removes \`${directory}\` from the path first` : "";
  const leading: Variant = isWithin
    ? {
        other: `/${subject}`,
        why: "in a `.htaccess` file or a directory, the path has no leading slash",
        correct: withoutLeadingSlash,
      }
    : {
        other: subject.replace(/^\//, ""),
        why: "in a server or virtual host, the path begins with a slash",
        correct: withLeadingSlash,
      };
  return [
    leading,
    { other: slashed, why: atEnd, correct: withOptionalSlash },
    {
      other: subject,
      why: "letters differ in case, and the rule has no `NC`",
      ignoresCase: true,
      correct: (rule) => [withRuleFlag(rule, "NC")],
    },
    ...(isWithin ? [path, path.replace(/^\//, "")].map((other) => ({ other, why: removed })) : []),
    ...(isWithin ? [{ other: directory + subject, why: removed }] : []),
    ...(query === ""
      ? []
      : [`${subject}?${query}`, `?${query}`, query].map((other) => ({
          other,
          why: "patterns do not see the query",
          correct: separateQuery,
        }))),
    ...(host === ""
      ? []
      : [`${scheme}://${host}${path}`, host + path, host].map((other) => ({
          other,
          why: "patterns do not see the host; test `%{HTTP_HOST}` in a RewriteCond",
          correct: separateHost,
        }))),
  ];
}

/** Reports whether a pattern has a word of a path, so that a reader may expect it to match. */
function sharesWord(pattern: string, path: string): boolean {
  const lower = path.toLowerCase();
  const words =
    pattern
      .toLowerCase()
      .replace(/\\[a-z]/g, " ")
      .match(/[a-z0-9_-]{3,}/g) ?? [];
  return words.some((word) => lower.includes(word));
}

const aliasNames: ReadonlySet<string> = new Set(["alias", "aliasmatch", "scriptalias", "scriptaliasmatch"]);

/** The kinds of lines that map URLs, in the order in which the server tries them (mod_proxy.c, mod_alias.c). */
const mappingKinds = [proxyPassNames, redirectNames, aliasNames];

/** Returns the lines of a server that do not map the path, although another line of their kind or an earlier kind does. */
function mappingMisses(pass: Pass): readonly LineMiss[] {
  const { server, mapping, path, rewriting } = pass;
  const { to } = rewriting.url ?? {};
  if (to?.kind === "mapped") return missesWithoutPassThrough(pass, to.mapping);
  // Rules have replaced the URL.
  if (to && to.kind !== "passed") return [];
  const rank = mappingKinds.findIndex((names) => mapping.by !== undefined && names.has(mapping.by.key));
  return mappingKinds.flatMap((names, kind) => {
    const own = server.layer.pick(names);
    const ofMain = server.main?.layer.pick(names) ?? [];
    const lines = names === proxyPassNames ? [...ofMain, ...own] : [...own, ...ofMain];
    return lines.flatMap((line): readonly LineMiss[] | LineMiss => {
      if (line === mapping.by) return [];
      const source = sourceOf(line);
      if (source === undefined) return [];
      if (!matchesPath(source, path)) return missOfPrefix(line, source, path) ?? [];
      if (mapping.by === undefined || rank < 0 || rank > kind) return [];
      const reason = `matches as well, but ${quoteLine(mapping.by)} is applied first`;
      const help = helpForLater(line, source, mapping.by);
      const isOfKind = names.has(mapping.by.key);
      return [
        {
          directive: line,
          reason,
          isClose: true,
          ...(help ? { help: [help] } : {}),
          ...(isOfKind ? {} : { change: mapping.by }),
        },
      ];
    });
  });
}

/**
 * Returns the lines that map the URL that a rule leads to, and that httpd does not try, because the rule has no flag PT
 * (mod_rewrite.c `hook_uri2file`).
 */
function missesWithoutPassThrough({ server, path }: Pass, { by, kind }: UrlMapping): readonly LineMiss[] {
  if (kind !== "file" || by?.key !== "rewriterule") return [];
  const [pattern = "", target = ""] = argumentValuesOf(by);
  const groups = compileRegexPattern(pattern).find(path, new Oracle(new Map()));
  const url = target.split("?")[0]?.replace(/\$(\d)/g, (_, index: string) => groups?.[Number(index)] ?? "") ?? "";
  if (!url.startsWith("/") || url.includes("%{")) return [];
  return [server, ...(server.main ? [server.main] : [])].flatMap(({ layer }) =>
    mappingKinds.flatMap((names) =>
      layer.pick(names).flatMap((line): readonly LineMiss[] => {
        const source = sourceOf(line);
        if (source === undefined || !matchesPath(source, url)) return [];
        const reason = `${quoteLine(by)} maps the URL to a file first; with the flag \`PT\`, this line maps \`${toReadable(url)}\``;
        const help = [`in the rule, use ${quoteWritten(withRuleFlag(by, "PT"))}`];
        return [{ directive: line, reason, change: by, isClose: true, help }];
      }),
    ),
  );
}

/**
 * Returns the rules and redirects for a path that a virtual host does not have: those of the main server, which it does not
 * inherit, and those of another host with the name of the request.
 */
function missesOfOtherServers(
  { server, path, request, state, rewriting }: Pass,
  servers: ServerLookup,
): readonly Miss[] {
  const { section } = server;
  if (section === undefined || rewriting.url?.to) return [];
  const inherits = findSetting(state?.layers ?? server.layers, "rewriteoptions") !== undefined;
  const own = quoteLine(section);
  const ofMain = inherits || !server.main ? [] : linesFor(path, server.main.layer.pick(ruleNames));
  const hosts = servers.hostsPassedOver(request, server, new Oracle(new Map())).map(({ host }) => host);
  // Each server needs its own RewriteEngine line.
  const engine = keywordArgumentOf(
    findSetting(
      server.layers.filter((layer) => layer !== server.main?.layer),
      "rewriteengine",
    ),
  );
  const withEngine = (...lines: readonly string[]) =>
    quoteWritten(...(engine === "on" ? [] : ["RewriteEngine On"]), ...lines);
  return [
    ...ofMain.map((line) => {
      const reason = "virtual hosts do not inherit the rules of the main server";
      const help = [`add ${withEngine("RewriteOptions Inherit")} to ${own}`];
      return { section: formatLine(line), span: line.span, reason, isClose: true, help, change: section };
    }),
    ...hosts.flatMap((host) =>
      linesFor(path, host.layer.pick(ownNames)).map((line): Miss => {
        const reason = `it is in ${quoteLine(host.section)}, and ${own} answers`;
        const conditions = line.key === "rewriterule" ? conditionsOf(line, host.layer) : [];
        const lines = [...conditions, line].map((each) => formatWholeLine(each));
        const written = line.key === "rewriterule" ? withEngine(...lines) : quoteWritten(...lines);
        const help = [`add ${written} to ${own}`];
        return {
          section: formatLine(line),
          span: line.span,
          reason,
          by: section,
          isClose: true,
          help,
          change: section,
        };
      }),
    ),
  ];
}

/** Returns the conditions right before a rule. */
function conditionsOf(rule: Directive, { directives }: ConfigLayer): readonly Directive[] {
  const before = directives.slice(0, directives.indexOf(rule));
  const last = before.findLastIndex(({ key }) => key !== "rewritecond");
  return before.slice(last + 1);
}

const ruleNames: ReadonlySet<string> = new Set(["rewriterule"]);
const ownNames: ReadonlySet<string> = new Set([...ruleNames, ...redirectNames, ...aliasNames, ...proxyPassNames]);

/** Returns the lines that match a path, without those that match any path. */
function linesFor(path: string, lines: readonly Directive[]): readonly Directive[] {
  return lines.filter((line) => {
    const source =
      line.key === "rewriterule" ? { from: argumentValuesOf(line)[0] ?? "", isPattern: true } : sourceOf(line);
    return (
      source !== undefined && matchesPath(source, path) && !matchesPath(source, "/-") && !source.from.startsWith("!")
    );
  });
}

/**
 * Returns what to write so that a line applies before another one that matches first; undefined if the other one is for a part of its
 * paths.
 */
function helpForLater(line: Directive, { from, isPattern }: Source, by: Directive): string | undefined {
  const first = sourceOf(by);
  if (first === undefined || isPattern || !matchesPath(first, from) || (!first.isPattern && first.from === from))
    return undefined;
  if (proxyPassNames.has(by.key) && !proxyPassNames.has(line.key))
    return `add ${quoteWritten(`ProxyPass ${from} !`)} before ${quoteLine(by)}`;
  if (redirectNames.has(by.key) && aliasNames.has(line.key)) return exceptFromRedirect(by, from);
  const isSameKind = mappingKinds.some((names) => names.has(line.key) && names.has(by.key));
  return isSameKind ? `move this line before ${quoteLine(by)}` : undefined;
}

/** Returns what to write instead of a Redirect for a path so that it leaves out a part of it (mod_alias.c `fixup_redir`). */
function exceptFromRedirect(line: Directive, path: string): string | undefined {
  const { from, to, status } = readRedirect(line, false) ?? {};
  if (from === undefined || to === undefined || line.key === "redirectmatch" || !path.startsWith(from))
    return undefined;
  const rest = path.slice(from.length);
  const isOpen = from.endsWith("/");
  const pattern = `^${escapeRegex(from)}(?!${escapeRegex(rest)})${isOpen ? "(.*)" : "(/.*)?$"}`;
  const written = `RedirectMatch ${status} ${quoteWord(toReadable(pattern))} ${quoteWord(`${toReadable(to)}$1`)}`;
  return `instead of ${quoteLine(line)}, use ${quoteWritten(written)}, which leaves out this path`;
}

interface Source {
  readonly from: string;
  readonly isPattern: boolean;
}

/** Returns the URL path or pattern of a line; undefined if it has none. */
function sourceOf(line: Directive): Source | undefined {
  const words = argumentValuesOf(line);
  const isPattern = line.key.endsWith("match") || words[0] === "~";
  const from = words[0] === "~" || /^(?:permanent|temp|seeother|gone|\d+)$/i.test(words[0] ?? "") ? words[1] : words[0];
  return from === undefined || words.length < 2 ? undefined : { from, isPattern };
}

function matchesPath({ from, isPattern }: Source, path: string): boolean {
  return isPattern
    ? compileRegexPattern(from).matches(path, new Oracle(new Map()))
    : stripAliasPrefix(from, path) !== undefined;
}

/** Returns a line for a path that ends in a slash so that it also matches the path without it: the rest of the path is kept. */
function withoutSlashes(line: Directive, from: string): string | undefined {
  const to = argumentValuesOf(line)[argumentValuesOf(line).indexOf(from) + 1];
  if (from === "/" || to === undefined || !to.endsWith("/")) return undefined;
  const { argumentText } = line;
  const at = argumentText.indexOf(from) + from.length;
  const rest = argumentText.slice(at).replace(to, () => to.slice(0, -1));
  return `use ${quoteWritten(formatWholeLine(line, argumentText.slice(0, at - 1) + rest))}`;
}

function missOfPrefix(directive: Directive, source: Source, path: string): LineMiss | undefined {
  const { from, isPattern } = source;
  const shown = `\`${toReadable(path)}\``;
  const reason = `${isPattern ? "its pattern" : "its path"} \`${toReadable(from)}\` does not match ${shown}`;
  const other = path.endsWith("/") ? path.slice(0, -1) : `${path}/`;
  if (matchesPath(source, other)) {
    if (path.endsWith("/"))
      return { directive, reason: `${reason}: it does not allow the slash at the end`, isClose: true };
    const why = "the URL has no slash at the end";
    const help = isPattern ? undefined : withoutSlashes(directive, from);
    return { directive, reason: `${reason}: ${why}`, isClose: true, ...(help === undefined ? {} : { help: [help] }) };
  }
  const lower = { from: from.toLowerCase(), isPattern };
  if (!isPattern && matchesPath(lower, path.toLowerCase()))
    return { directive, reason: `${reason}: letters differ in case`, isClose: true };
  return { directive, reason, isClose: from !== "/" && sharesWord(from, path) };
}
