import { nativePath } from "../../config/files/paths.js";
import { type Directive, findSectionAround } from "../../config/model/directive.js";
import type { Guard } from "../../config/model/guards.js";
import { isKnownModule } from "../../config/model/modules.js";
import type { Project } from "../../config/model/project.js";
import { moduleBaseOf, skippedLinesOf } from "../../config/queries/skipped-lines.js";
import { findDirectiveFacts } from "../../facts/directives.js";
import { isSince, type Release } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import { limitsInclude, limitsOf } from "../access/clients-and-methods.js";
import type { Miss } from "../model/answer.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  firstArgumentOf,
  keywordArgumentOf,
} from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import type { Pass } from "../model/pass.js";
import { compileRegexPattern } from "../model/patterns.js";
import { headerOf } from "../model/request.js";
import { errorDocumentFor, ignoresDocument } from "../phases/error-documents.js";
import { findHeadersOfSuccess } from "../phases/response-headers.js";
import { findForwardedHeader, findTrustedProxy, listsProxy } from "../request/remote-ip.js";
import { listUsedRules } from "../rewrite/rule-merging.js";
import { fileTestOf } from "../sections/section-index.js";
import { isGranted } from "./access-causes.js";
import { responderOf } from "./destination.js";
import { findMissedHeaders } from "./header-misses.js";
import { fileNameOf } from "./htaccess-steps.js";
import { missOf, type SearchedPass } from "./miss.js";
import { findOverriddenDenials } from "./overridden-denials.js";
import { ownDirectoryOf } from "./own-directory.js";
import {
  findDirectoriesAround,
  findFilesBehindProxy,
  findOtherBackends,
  findPatternsAsPaths,
  findRedirectsBelow,
  findReplacedTypes,
} from "./path-misses.js";
import { findMatch } from "./pattern-parts.js";
import { findFalseIfs, findJoinedConditions, findOtherCase, findOtherHomes } from "./section-misses.js";
import { explainSkippedModule } from "./skipped-modules.js";
import { formatWholeLine, nameServer, quoteLine, quoteWritten } from "./step.js";
import { findMissedVariables } from "./variable-causes.js";
import { escapeRegex, quoteWord } from "./written-lines.js";

type Finder = (searched: SearchedPass) => readonly (Miss | undefined)[];

/**
 * Returns lines that are in a section or file that applies to a pass, but that have no effect because of another setting
 * or because one is missing.
 */
export function missesOfSettings(searched: SearchedPass): readonly Miss[] {
  const found = finders.flatMap((find) => find(searched)).filter((miss) => miss !== undefined);
  const isSame = (one: Miss, { span }: Miss) => one.span.file === span.file && one.span.start === span.start;
  // What a section does to the response is said with why it does not apply.
  return found.filter((miss) => !miss.ofResponse || found.find((each) => isSame(each, miss)) === miss);
}

const finders: readonly Finder[] = [
  misnamedGuards,
  skippedHeaders,
  skippedDenials,
  serverRulesWithoutEngine,
  sectionRules,
  limitedLines,
  filesOfProxy,
  urlFor401,
  unknownProxies,
  documentsOfBackend,
  pathsOfOtherKind,
  replacedRequirements,
  findOtherCase,
  findFalseIfs,
  findJoinedConditions,
  findOtherHomes,
  findOverriddenDenials,
  findRedirectsBelow,
  findOtherBackends,
  findDirectoriesAround,
  findFilesBehindProxy,
  findReplacedTypes,
  findPatternsAsPaths,
  headersOfSuccess,
  findMissedVariables,
  findMissedHeaders,
];

/**
 * IfModule sections that apply on no server, because the name is neither that of a module nor that of its file, and those of a
 * module for URLs that is not loaded.
 */
function misnamedGuards({ pass, outcome, setup: { project } }: SearchedPass): readonly Miss[] {
  return guardsReadBy(pass, project.guards).flatMap((guard) => {
    const { kind, argument, holds, negated, isUndecided, span } = guard;
    if (kind !== "<ifmodule" || holds || negated || isUndecided) return [];
    const base = moduleBaseOf(argument);
    const [module, file] = [`${base}_module`, `mod_${base}.c`];
    if (outcome.status === 404 && mappingModules.has(module) && lacks(module, project))
      return [missOfLackingModule(guard, project)];
    if (!isKnownModule(module)) return missOfUnknownModule(guard, project);
    if (argument === module || argument === file || !project.modules.has(module)) return [];
    const reason = `httpd skips this section: no module has the name \`${toReadable(argument)}\`; the names of this one are \`${module}\` and \`${file}\``;
    const help = [`use ${quoteWritten(`<IfModule ${module}>`)}`];
    return [{ section: `<IfModule ${toReadable(argument)}>`, span, reason, isClose: true, help }];
  });
}

/** Returns the conditional sections in the virtual host and the `.htaccess` files of a pass. */
function guardsReadBy({ walked, server: { section } }: Pass, guards: readonly Guard[]): readonly Guard[] {
  const files = new Set(
    walked?.htaccess.flatMap(({ file, verdict }) => (verdict.kind === "taken" ? [file.tree.source] : [])),
  );
  return guards.filter(
    ({ span, section: outer }) => files.has(span.file) || (section !== undefined && isWithin(outer, section)),
  );
}

/**
 * IfModule sections of a module that the server does not have, with lines that would deny a request to which access is granted: the other
 * kind of lines is missing.
 */
function skippedDenials({ pass, outcome, setup: { project } }: SearchedPass): readonly Miss[] {
  if (!pass.isAuthorized || outcome.status >= 400) return [];
  const { release, modules, guards } = project;
  const sections = new Set(pass.state?.layers.flatMap(({ section }) => section ?? []));
  const found = guardsReadBy(pass, guards).flatMap((guard): readonly Miss[] => {
    const { kind, argument, holds, isUndecided, negated, span } = guard;
    if (kind !== "<ifmodule" || holds || isUndecided || negated !== modules.has(`${moduleBaseOf(argument)}_module`))
      return [];
    // A section around it may be for other requests.
    if (guard.section !== undefined && !sections.has(guard.section)) return [];
    const hasOpposite = guards.some(
      (each) =>
        each.span.file === span.file &&
        each.section === guard.section &&
        each.kind === kind &&
        each.holds &&
        moduleBaseOf(each.argument) === moduleBaseOf(argument),
    );
    if (hasOpposite) return [];
    const other = counterpartOf(skippedLinesOf(guard), release);
    if (other === undefined) return [];
    const written = `<IfModule ${negated ? "!" : ""}${toReadable(argument)}>`;
    const opposite = `<IfModule ${negated ? "" : "!"}${toReadable(argument)}>`;
    const has = negated ? "has" : "does not have";
    const reason = `httpd skips this section, which would deny access: the server ${has} \`${toReadable(argument)}\``;
    const help = [`next to it, add ${quoteWritten(opposite, ...other, "</IfModule>")}`];
    return [{ section: written, span, reason, isClose: true, help, stays: true as const }];
  });
  return found.slice(0, 1);
}

/** Returns lines of a release that deny all clients, if those of another one do; undefined for other lines. */
function counterpartOf(lines: readonly string[], release: Release): readonly string[] | undefined {
  const isOf24 = lines.includes("require all denied");
  const isOf22 = lines.includes("deny from all") && !lines.some((line) => line.startsWith("allow from"));
  if (isSince(release, "2.4")) return isOf22 ? ["Require all denied"] : undefined;
  return isOf24 ? ["Order deny,allow", "Deny from all"] : undefined;
}

/** A section for a module with the name of its first line, which is one of another module: `mod_redirect` for Redirect. */
function missOfUnknownModule(guard: Guard, { release, modules }: Project): readonly Miss[] {
  const [name = ""] = skippedLinesOf(guard)[0]?.split(" ") ?? [];
  const [facts] = findDirectiveFacts(release, name);
  const owner = facts?.module.replace(/^mod_/, "");
  const base = moduleBaseOf(guard.argument);
  // Fewer letters begin the names of many directives; those of the core need no section.
  const isNamed = base.length >= 4 && name.startsWith(base) && owner !== "core";
  if (facts === undefined || owner === undefined || !isNamed || !modules.has(`${owner}_module`)) return [];
  const argument = toReadable(guard.argument);
  const reason = `httpd skips this section: it knows no module \`${argument}\`; \`${facts.name}\` is one of \`${facts.module}\``;
  const help = [`use ${quoteWritten(`<IfModule ${owner}_module>`)}`];
  return [{ section: `<IfModule ${argument}>`, span: guard.span, reason, isClose: true, help }];
}

/** Only these map a URL to something, so that their absence explains a missing file. */
const mappingModules: ReadonlySet<string> = new Set(["rewrite_module", "alias_module"]);

/** Modules that change a response which the answer does not show: a reader may miss their headers. */
const responseModules: ReadonlySet<string> = new Set(["headers_module", "expires_module", "deflate_module"]);

/** Returns the IfModule sections with lines for response headers or compression whose module is not loaded. */
function skippedHeaders({ pass, outcome, setup: { project } }: SearchedPass): readonly Miss[] {
  if (outcome.status >= 400) return [];
  const layers = new Set(pass.state?.layers.flatMap(({ section }) => section ?? []));
  const inFiles = new Set(project.htaccess.map(({ tree }) => tree.source));
  const near = new Set(guardsReadBy(pass, project.guards));
  return project.guards
    .filter((guard) => {
      const { kind, argument, holds, negated, isUndecided, section, span } = guard;
      const module = `${moduleBaseOf(argument)}_module`;
      if (kind !== "<ifmodule" || holds || negated || isUndecided || !responseModules.has(module)) return false;
      const applies = section === undefined ? near.has(guard) || !inFiles.has(span.file) : layers.has(section);
      return applies && lacks(module, project) && skippedLinesOf(guard).length > 0;
    })
    .slice(0, MAX_GUARDS)
    .map((guard) => missOfLackingModule(guard, project));
}

/** Limit of the skipped sections that one answer shows. */
const MAX_GUARDS = 2;

function lacks(module: string, { modules, modulesAreKnown }: Project): boolean {
  return modulesAreKnown && !modules.mayHave(module);
}

function missOfLackingModule(guard: Guard, project: Project): Miss {
  const { argument, span } = guard;
  const { reason, help } = explainSkippedModule(guard, project);
  const why = `httpd skips this section: ${reason}`;
  return { section: `<IfModule ${toReadable(argument)}>`, span, reason: why, isClose: true, help, stays: true };
}

function isWithin(inner: Directive | undefined, outer: Directive): boolean {
  for (let each = inner; each; each = each.parent) if (each === outer) return true;
  return false;
}

/** Rules of a server for which no RewriteEngine line applies (mod_rewrite.c `hook_uri2file`). */
function serverRulesWithoutEngine({ pass: { server, state } }: SearchedPass): readonly Miss[] {
  const rule = server.layer.directives.find(({ key }) => key === "rewriterule");
  if (rule === undefined || findSetting(state?.layers ?? server.layers, "rewriteengine")) return [];
  const why = "the rewrite rules of this server are off: no `RewriteEngine On` line applies";
  return [
    { ...missOf(rule, why, [`add ${quoteWritten("RewriteEngine On")} to ${nameServer(server.section)}`]), stays: true },
  ];
}

/** Rules of sections and `.htaccess` files that are off, or that those of a later section replace. */
function sectionRules({ pass, setup: { project } }: SearchedPass): readonly Miss[] {
  const { state, path } = pass;
  const groups = (state?.groups ?? []).filter(({ kind }) => kind !== "server");
  const layers = groups.flatMap((group) => group.layers);
  const withRules = layers.filter((layer) => layer.has("rewriterule"));
  if (withRules.length === 0) return [];
  const used = listUsedRules(state?.groups ?? []);
  return withRules.flatMap((layer) => {
    const [rule, ...others] = layer.directives.filter(({ key }) => key === "rewriterule");
    if (rule === undefined || used.has(rule)) return [];
    const meant = [rule, ...others].find((each) => mayMatchBelow(each, path));
    const remedy = meant && ((by: Directive) => inheritedRule(meant, by, pass, project.release));
    return [missOfSectionRule(rule, meant, layer, layers, remedy)];
  });
}

/** Reports whether a rule of some directory above a path matches what it gets of the path: a rest after a slash. */
function mayMatchBelow(rule: Directive, path: string): boolean {
  const pattern = compileRegexPattern((firstArgumentOf(rule) ?? "").replace(/^!/, ""), { ignoreCase: true });
  const rests = [...path.matchAll(/\//g)].map(({ index }) => path.slice(index + 1));
  return rests.some((rest) => pattern.matches(rest, new Oracle(new Map())));
}

/** @param meant a rule of the section that matches the request: without one, it is of no interest that others replace them */
function missOfSectionRule(
  rule: Directive,
  meant: Directive | undefined,
  layer: ConfigLayer,
  layers: readonly ConfigLayer[],
  remedyFor: ((by: Directive) => string) | undefined,
): Miss {
  const later = layers
    .slice(layers.indexOf(layer) + 1)
    .findLast(({ directives }) => directives.some(({ key }) => key.startsWith("rewrite")));
  const by = later?.directives.find(({ key }) => key.startsWith("rewrite"));
  const isClose = meant !== undefined;
  if (later && by && !later.has("rewriterule") && keywordArgumentOf(findSetting([later], "rewriteengine")) === "off")
    return { ...missOf(meant ?? rule, `${quoteLine(by)} of a later section or file applies`, [], by), isClose };
  if (by) {
    const reason =
      "the rewrite rules of a later section or file replace those of this one; `RewriteOptions` does not inherit them";
    const help = remedyFor ? [remedyFor(by)] : [];
    return { ...missOf(meant ?? rule, reason, help, by), isClose, stays: true };
  }
  const engine = findSetting(layers, "rewriteengine");
  if (engine && keywordArgumentOf(engine) !== "on")
    return missOf(rule, `${quoteLine(engine)} applies`, [`use ${quoteWritten(`${engine.name} On`)}`], engine);
  const why = "the rewrite rules of this section are off: no `RewriteEngine On` line applies";
  return { ...missOf(rule, why, [`add ${quoteWritten("RewriteEngine On")} before the first rule`]), stays: true };
}

/**
 * Returns what to do so that a rule applies although a later file has rules: inherited rules see only the path below the
 * directory of that file (mod_rewrite.c `hook_fixup`), so a rule for another path goes into the file.
 */
function inheritedRule(rule: Directive, by: Directive, pass: Pass, release: Release): string {
  const [own, outer] = [ownDirectoryOf(by, pass), ownDirectoryOf(rule, pass)];
  const [pattern = "", target = "", ...flags] = argumentValuesOf(rule);
  const place = own ? `the \`.htaccess\` file of \`${nativePath(toReadable(own.path))}\`` : quoteLine(by.parent ?? by);
  const rest = own && pass.path.startsWith(own.url) ? pass.path.slice(own.url.length) : undefined;
  const isFixed = /^(?:\/|[a-z]+:\/\/|-$)/i.test(target);
  if (isFixed && rest !== undefined && isSince(release, "2.4") && findMatch(pattern, rest) !== undefined)
    return `to ${place}, next to ${quoteLine(by)}, add ${quoteWritten("RewriteOptions InheritBefore")}`;
  const general = `add the rule to ${place}, before the rules there, for the path below that directory`;
  if (own === undefined || outer === undefined || rest === undefined) return general;
  const below = own.url.slice(outer.url.length);
  const shortened = withoutDirectory(pattern, below);
  if (shortened === undefined || findMatch(shortened, rest) === undefined) return general;
  const whole = isFixed ? target : outer.url + target;
  const written = formatWholeLine(
    rule,
    [shortened, whole, ...flags].map((word) => quoteWord(toReadable(word))).join(" "),
  );
  return `to ${place}, before the rules there, add ${quoteWritten(written)}`;
}

/** Returns a pattern for the path below a directory; undefined if the pattern does not begin with the directory. */
function withoutDirectory(pattern: string, directory: string): string | undefined {
  const [, literal = "", rest = ""] = /^\^((?:[\w/-]|\\[.-])*)(.*)$/s.exec(pattern) ?? [];
  const plain = literal.replaceAll("\\", "");
  if (plain === "") return undefined;
  if (plain.startsWith(directory)) return `^${escapeRegex(plain.slice(directory.length))}${rest}`;
  return directory.startsWith(plain) && rest === "" ? "^" : undefined;
}

/**
 * Require lines that a later section with restrictions of its own replaces, although access is granted (mod_authz_core.c
 * `merge_authz_core_dir_config`). A section that only grants or denies everything is an exception or a default.
 */
function replacedRequirements({ pass: { state, isAuthorized }, setup: { project } }: SearchedPass): readonly Miss[] {
  const layers = (state?.layers ?? []).filter((layer) => layer.has("require"));
  const later = layers.at(-1);
  const { section } = later ?? {};
  const restricts = (layer: ConfigLayer) => layer.pick(requireNames).some((line) => !isForAll(line));
  if (!isAuthorized || !later || !state || !isSince(project.release, "2.4") || !restricts(later)) return [];
  if (layers.some((layer) => layer.has("authmerging"))) return [];
  const [own] = section ? [section] : later.pick(requireNames);
  const earlier = layers
    .slice(0, -1)
    .findLast((layer) => !layer.directives.every((line) => later.directives.includes(line)));
  // The root is a default, which each part of a server replaces on purpose.
  const isRoot = earlier?.section?.key === "<directory" && argumentValuesOf(earlier.section)[0] === "/";
  const lines =
    earlier && !isRoot && restricts(earlier) ? earlier.pick(requireNames).filter((each) => !isForAll(each)) : [];
  const [line] = lines;
  if (line === undefined || own === undefined || limitsOf(line).length > 0) return [];
  if (section === undefined && state.layers.some((layer) => layer.has("allowoverridelist"))) return [];
  // A file is often an exception on purpose: it counts if the replaced lines would deny the request.
  if (section === undefined && lines.some((each) => !isClientLine(each) || isGranted(each, state))) return [];
  const place = section ? quoteLine(section) : `\`${toReadable(fileNameOf(own.span.file))}\``;
  const help = [`to require both, add ${quoteWritten("AuthMerging And")} to ${place}`];
  const reason = `${place} is merged later, and its \`Require\` lines replace this one`;
  return [{ ...missOf(line, reason, help), change: own }];
}

/** Reports whether a Require line is about the client and not about its user. */
function isClientLine(line: Directive): boolean {
  return /^(?:ip|host|forward-dns|local|env)$/i.test(argumentValuesOf(line)[0] ?? "");
}

const requireNames: ReadonlySet<string> = new Set(["require"]);

function isForAll(line: Directive): boolean {
  return argumentValuesOf(line)[0]?.toLowerCase() === "all";
}

const limitedNames: ReadonlySet<string> = new Set(["require", "order", "allow", "deny"]);

/** Access rules in a Limit section without the method of the request. */
function limitedLines({ pass: { state, request } }: SearchedPass): readonly Miss[] {
  return (state?.layers ?? []).flatMap((layer) =>
    layer.pick(limitedNames).flatMap((line) => {
      const limits = limitsOf(line);
      if (limits.length === 0 || limitsInclude(limits, request.method)) return [];
      const words = limits.map(
        ({ except, methods }) => `\`<${except ? "LimitExcept" : "Limit"} ${methods.join(" ")}>\``,
      );
      const reason = `${words.join(" and ")} around it does not cover \`${toReadable(request.method)}\``;
      const help = limits.map(({ except, methods }) => {
        const name = except ? "LimitExcept" : "Limit";
        const lines = quoteWritten(`<${name} ${methods.join(" ")}>`, `</${name}>`);
        return `to cover all methods, delete the lines ${lines}, and keep the lines between them`;
      });
      const change = findSectionAround(line, ({ key }) => key.startsWith("<limit"));
      return [{ ...missOf(line, reason, help), ...(change ? { change } : {}) }];
    }),
  );
}

/**
 * Files sections with the name at the end of a URL that goes to a backend before it is mapped to a file: httpd looks for no
 * file then (mod_proxy.c `proxy_map_location`).
 */
function filesOfProxy({ pass: { mapping, server, path }, setup: { project } }: SearchedPass): readonly Miss[] {
  if (mapping.kind !== "proxy") return [];
  const name = path.slice(path.lastIndexOf("/") + 1);
  const sections = server.layers.flatMap(({ content }) =>
    content.filter(({ key }) => key === "<files" || key === "<filesmatch"),
  );
  return sections
    .filter((section) => name !== "" && fileTestOf(section, project.pathRules)(name, new Oracle(new Map())))
    .map((section) =>
      missOf(
        section,
        `httpd does not consult it: ${quoteLine(mapping.by)} proxies the request before it is mapped to a file`,
        [`use ${quoteWritten(`<Location "${toReadable(path)}">`)}`],
        mapping.by,
      ),
    );
}

/** A URL as the document of 401: with a redirect, the browser would not ask for a login. */
function urlFor401({ outcome: { status, layers } }: SearchedPass): readonly Miss[] {
  const line = status === 401 ? errorDocumentFor(layers, status) : undefined;
  if (line === undefined || !ignoresDocument(line)) return [];
  const [, url = ""] = argumentValuesOf(line);
  const [, path = "/login.html"] = /^[a-z]+:\/\/[^/]+(\/[^?#]*)/i.exec(url) ?? [];
  return [
    missOf(line, "httpd ignores a URL for 401, because a redirect cannot ask for a login", [
      `use ${quoteWritten(`${line.name} 401 ${toReadable(path)}`)}, and grant access to it`,
    ]),
  ];
}

const proxyLists: ReadonlySet<string> = new Set(["remoteipinternalproxy", "remoteiptrustedproxy"]);

/** RemoteIP lines without the address that connects, so that the header with the client is not read. */
function unknownProxies({ pass, setup: { project } }: SearchedPass): readonly Miss[] {
  const { server } = pass;
  const request = pass.request.sent ?? pass.request;
  const { peerIp, clientIp } = request;
  if (peerIp === undefined || !project.modules.has("remoteip_module")) return [];
  const header = firstArgumentOf(findSetting(server.layers, "remoteipheader"));
  const lines = [server.layer, ...(server.main ? [server.main.layer] : [])].map((layer) => layer.pick(proxyLists));
  const [line] = lines.find((each) => each.length > 0) ?? [];
  if (header === undefined) return [];
  const value = headerOf(request, header);
  if (value === undefined) return peerIp === clientIp ? otherHeader(header, peerIp, pass) : [];
  if (line === undefined) return [];
  if (peerIp !== clientIp) return proxiesBeyond(header, value, clientIp, line, pass);
  const ignored = `httpd ignores \`${toReadable(header)}\` and the client is ${clientIp}`;
  const proxy = findTrustedProxy(peerIp, server);
  if (proxy !== undefined)
    return [
      missOf(
        proxy,
        `it does not accept the private address \`${toReadable(headerOf(request, header) ?? "")}\`, so ${ignored}`,
        [`use ${quoteWritten(`RemoteIPInternalProxy ${toReadable(proxy.argumentText)}`)}`],
      ),
    ];
  const listed = argumentValuesOf(line).length > 0 ? "it does not include" : "no line includes";
  const written = line.key.endsWith("list")
    ? `RemoteIPInternalProxy ${peerIp}`
    : formatWholeLine(line, `${line.argumentText} ${peerIp}`);
  return [
    missOf(line, `${listed} ${peerIp}, so ${ignored}`, [`if ${peerIp} is your proxy, use ${quoteWritten(written)}`]),
  ];
}

/** A RemoteIPHeader line for a header that the request lacks, while it has the usual one. */
function otherHeader(header: string, peerIp: string, { request: { sent, ...own }, server }: Pass): readonly Miss[] {
  const line = findSetting(server.layers, "remoteipheader");
  const usual = findForwardedHeader(sent ?? own);
  if (line === undefined || usual === undefined || listsProxy(peerIp, server) === false) return [];
  const reason = `the request has no \`${toReadable(header)}\`, and httpd ignores its \`${usual}\`, so the client is ${peerIp}`;
  return [missOf(line, reason, [`use ${quoteWritten(`${line.name} ${usual}`)}`])];
}

/** The addresses of a header before that of a proxy which no line lists, at which mod_remoteip stops. */
function proxiesBeyond(
  header: string,
  value: string,
  clientIp: string,
  line: Directive,
  { server }: Pass,
): readonly Miss[] {
  // mod_remoteip leaves the addresses that it has not read.
  const words = value.split(",").map((word) => word.trim());
  const rest = words.slice(0, words.includes(clientIp) ? words.lastIndexOf(clientIp) : words.length);
  if (rest.length === 0 || listsProxy(clientIp, server) !== false) return [];
  const reason = `no line includes ${clientIp}, so httpd takes this address of \`${toReadable(header)}\` for the client, and ignores those before it`;
  const written = formatWholeLine(line, `${line.argumentText} ${clientIp}`);
  return [missOf(line, reason, [`if ${clientIp} is your proxy, use ${quoteWritten(written)}`])];
}

/**
 * Lines for headers that a redirect or an error of httpd itself lacks: without `always`, mod_headers changes only the headers
 * that the response drops then (modules/http/http_request.c `ap_die_r`; mod_headers.c `ap_headers_error_filter`).
 */
function headersOfSuccess({ pass, outcome, setup }: SearchedPass): readonly Miss[] {
  const { status, documentLayers } = outcome;
  if (status < 300 || status === 304 || responderOf(outcome) !== undefined || documentLayers !== undefined) return [];
  if (!setup.project.modules.has("headers_module")) return [];
  const { state, server, request } = pass;
  const isForOrigin = headerOf(request.sent ?? request, "Origin") !== undefined;
  // Browsers read these of a redirect, and those of an error if they ask for another origin.
  const isRead = (name: string) => {
    if (name.startsWith("access-control-")) return isForOrigin;
    // RFC 6797, section 8.1: browsers ignore it over plain HTTP.
    if (name === "strict-transport-security") return status < 400 && request.scheme === "https";
    return status < 400 && name === "set-cookie";
  };
  const kind = status < 400 ? "redirect" : "error";
  const reason = `this response lacks the header: without \`always\`, the line is not for ${status < 400 ? "a" : "an"} ${kind} of httpd itself`;
  return findHeadersOfSuccess(state?.layers ?? server.layers, pass).map(({ directive, name }) => {
    const text = directive.argumentText.replace(/^onsuccess\s+/i, "");
    const miss = missOf(directive, reason, [`use ${quoteWritten(formatWholeLine(directive, `always ${text}`))}`]);
    return isRead(name) ? miss : { ...miss, isClose: false, ofResponse: true };
  });
}

const errorDocuments: ReadonlySet<string> = new Set(["errordocument"]);

/** The documents of a server for errors, which a backend answers itself (mod_proxy_http.c `ap_proxy_http_process_response`). */
function documentsOfBackend({ pass, outcome }: SearchedPass): readonly Miss[] {
  const { status, served = pass } = outcome;
  const layers = served.state?.layers ?? served.server.layers;
  const override = findSetting(layers, "proxyerroroverride");
  const isOff = override === undefined || keywordArgumentOf(override) === "off";
  if (status !== 200 || responderOf(outcome) !== "backend" || !isOff) return [];
  const [line] = layers.flatMap((layer) => layer.pick(errorDocuments));
  if (line === undefined) return [];
  const help = [`to replace its pages, add ${quoteWritten("ProxyErrorOverride On")} next to this line`];
  return [missOf(line, "the backend answers, also with its own pages for errors", help)];
}

const directorySections: ReadonlySet<string> = new Set(["<directory"]);
const locationSections: ReadonlySet<string> = new Set(["<location"]);

/** Directory sections with the path of the URL, and Location sections with that of the file. */
function pathsOfOtherKind({ pass: { server, path, walked, mapping } }: SearchedPass): readonly Miss[] {
  if (mapping.kind !== "file") return [];
  const file = walked?.kind === "missing" || walked === undefined ? mapping.filename : walked.filename;
  const sectionsOf = (keys: ReadonlySet<string>, of: string, not: string) =>
    server.layers
      .flatMap(({ content }) => content.filter(({ key }) => keys.has(key)))
      .filter((section) => {
        const [written = ""] = argumentValuesOf(section);
        return /^\/[^*?[]+$/.test(written) && isPathIn(of, written) && !isPathIn(not, written);
      });
  const named = (text: string) => `\`${nativePath(toReadable(text))}\``;
  return [
    ...sectionsOf(directorySections, path, file).map((section) => {
      const reason = `it compares the path of the file, ${named(file)}, and not that of the URL`;
      const [written = ""] = argumentValuesOf(section);
      const help = file.endsWith(path)
        ? [`use ${quoteWritten(`<Directory "${nativePath(toReadable(file.slice(0, -path.length) + written))}">`)}`]
        : [];
      return missOf(section, reason, help);
    }),
    ...sectionsOf(locationSections, file, path).map((section) => {
      const reason = `it compares the path of the URL, ${named(path)}, and not that of the file`;
      return missOf(section, reason, [
        `use ${quoteWritten(`<Directory ${toReadable(section.argumentText.replace(/>$/, ""))}>`)}`,
      ]);
    }),
    ...relativeDirectories(server, file),
    ...filesWithPath(server, file),
  ];
}

/** Directory sections with a path that does not begin with a slash, which httpd compares as it is (server/request.c). */
function relativeDirectories(server: Pass["server"], file: string): readonly Miss[] {
  return sectionsWith(server, directorySections).flatMap((section) => {
    const [written = ""] = argumentValuesOf(section);
    const at = /^[\w.][\w./-]*$/.test(written) ? file.lastIndexOf(`/${written.replace(/\/+$/, "")}/`) : -1;
    if (at < 0) return [];
    const whole = file.slice(0, at + 1) + written;
    return [
      missOf(section, "its path is relative, so that it never matches", [
        `use ${quoteWritten(`<Directory "${nativePath(toReadable(whole))}">`)}`,
      ]),
    ];
  });
}

const filesSections: ReadonlySet<string> = new Set(["<files"]);

/** Files sections with a path: httpd compares only the name of a file (server/request.c `ap_file_walk`). */
function filesWithPath(server: Pass["server"], file: string): readonly Miss[] {
  return sectionsWith(server, filesSections).flatMap((section) => {
    const [written = ""] = argumentValuesOf(section);
    const [, folder, name] = /^(\/?[^*?[]*)\/([^/]+)$/.exec(written) ?? [];
    if (folder === undefined || name === undefined || !file.endsWith(`${folder.replace(/^(?!\/)/, "/")}/${name}`))
      return [];
    const directory = file.slice(0, file.length - name.length - 1);
    const around = quoteWritten(`<Directory "${nativePath(toReadable(directory))}">`);
    return [
      missOf(section, "it compares only the name of the file, without its directories", [
        `use ${quoteWritten(`<Files "${toReadable(name)}">`)} in ${around}`,
      ]),
    ];
  });
}

function sectionsWith({ layers }: Pass["server"], keys: ReadonlySet<string>): readonly Directive[] {
  return layers.flatMap(({ content }) => content.filter(({ key }) => keys.has(key)));
}

function isPathIn(path: string, directory: string): boolean {
  const prefix = directory.replace(/\/+$/, "");
  return path === prefix || path.startsWith(`${prefix}/`);
}
