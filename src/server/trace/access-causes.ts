import { nativePath } from "../../config/files/paths.js";
import { type Directive, findSectionAround } from "../../config/model/directive.js";
import { isSince } from "../../facts/release.js";
import { toReadable } from "../../text/source.js";
import type { AccessState } from "../access/access-state.js";
import { decide22 } from "../access/decide-22.js";
import { decide24 } from "../access/decide-24.js";
import { checkProvider } from "../access/provider-checks.js";
import { parseRequireLine } from "../access/require-rules.js";
import type { Cause } from "../model/answer.js";
import {
  argumentValuesOf,
  type ConfigLayer,
  findSetting,
  keywordArgumentOf,
  layerOfSection,
} from "../model/config-layer.js";
import { Oracle } from "../model/oracle.js";
import { mainPassesOf, type Pass } from "../model/pass.js";
import { headerOf, portOf } from "../model/request.js";
import { backendOf } from "../phases/handler.js";
import { builtInMethods } from "../request/method-registry.js";
import { parseRewriteRules, type RewriteRule } from "../rewrite/rule-parser.js";
import type { ExplainedRun } from "./causes.js";
import { findMatch } from "./pattern-parts.js";
import { findSetters } from "./request-steps.js";
import { formatWholeLine, quoteLine, quoteWritten } from "./step.js";

/** A container that requires a line which the request does not meet, although it meets another one (mod_authz_core.c). */
export function explainContainer({ outcome: { pass, served = pass, by } }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const container = line?.key === "require" ? line.parent : undefined;
  const { state } = served ?? {};
  if (line === undefined || container?.key !== "<requireall" || state === undefined) return [];
  const others = (container.children ?? []).filter((each) => each.key === "require" && each !== line);
  const negated = [line, ...others].some((each) => parseRequireLine(each).negated);
  const granted = others.find((each) => !isForAll(each) && isGranted(each, state));
  if (negated || granted === undefined) return [];
  const text = `${quoteLine(container)} requires all of its lines: ${quoteLine(granted)} allows this request, ${quoteLine(line)} does not`;
  return [
    {
      text,
      line: container,
      help: [`if one of them is enough, use ${quoteWritten("<RequireAny>", "</RequireAny>")} instead`],
    },
  ];
}

function isForAll(line: Directive): boolean {
  return argumentValuesOf(line)[0]?.toLowerCase() === "all";
}

/** Reports whether a request is one that a Require line names, without a login, whatever is unknown and whether the line is negated. */
export function isGranted(line: Directive, state: AccessState): boolean {
  const oracle = new Oracle(new Map());
  const result = checkProvider(parseRequireLine(line), { ...state, oracle }, undefined);
  return result === "granted" && oracle.answered.size === 0;
}

/** A preflight request of a browser, which has no credentials (the fetch standard, CORS-preflight fetch). */
export function explainPreflight({
  outcome: { status, by },
  request,
  project: { release },
}: ExplainedRun): readonly Cause[] {
  const [line] = by;
  if (request.method !== "OPTIONS" || request.user !== undefined || status !== 401 || line?.key !== "require")
    return [];
  const text = "browsers send no login with a preflight request (`OPTIONS`)";
  const { parent } = line;
  if (!isSince(release, "2.4") || parent === undefined || parent.key.startsWith("<require")) return [{ text, line }];
  if (parent.key.startsWith("<limit")) return [{ text, line }];
  const written = quoteWritten("Require method OPTIONS");
  return [
    { text, line, help: [`to allow it without a login, add ${written} next to ${quoteLine(line)}`], stays: true },
  ];
}

/** AllowMethods without the method of the request (mod_allowmethods.c `am_check_access`). */
export function explainAllowMethods({ outcome: { status, by }, request: { method } }: ExplainedRun): readonly Cause[] {
  const line = by.at(-1);
  if (status !== 405 || line?.key !== "allowmethods") return [];
  const name = toReadable(method);
  const names = argumentValuesOf(line);
  if (names.some((each) => /^[-+]/.test(each)) || !builtInMethods.includes(name)) return [];
  const corrected = `${line.name} ${[...names.map(toReadable), name].join(" ")}`;
  return [{ text: `${quoteLine(line)} does not have \`${name}\``, line, help: [`use ${quoteWritten(corrected)}`] }];
}

/** SSLRequireSSL, which refuses a request without TLS and does not redirect it (ssl_engine_kernel.c `ssl_hook_Access`). */
export function explainTlsRequirement({
  outcome: { by, pass, served = pass },
  request,
  project: { release, isPart },
}: ExplainedRun): readonly Cause[] {
  const line = by.find(({ key }) => key === "sslrequiressl");
  const { server } = pass ?? {};
  if (line === undefined || request.scheme === "https") return [];
  if (headerOf(request, FORWARDED_SCHEME)?.toLowerCase() === "https") {
    const text = `the proxy ends TLS and connects without it, so ${quoteLine(line)} refuses all of its requests`;
    const change = isSince(release, "2.4")
      ? served?.state && replaceTlsRequirement(line, served.state.layers, isPart)
      : "delete it, and let the proxy require TLS";
    return [{ text, line, ...(change === undefined ? {} : { help: [`if only your proxy can connect, ${change}`] }) }];
  }
  const name = request.host?.replace(/:\d+$/, "");
  if (server?.section === undefined || name === undefined) return [];
  if (keywordArgumentOf(server.layer.setting("sslengine")) === "on") return [];
  const written = quoteWritten(`Redirect permanent / https://${toReadable(name)}/`);
  const text = `${quoteLine(line)} refuses the request, and does not redirect it`;
  return [{ text, line, help: [`to redirect instead, add ${written} to ${quoteLine(server.section)}`], stays: true }];
}

const FORWARDED_SCHEME = "X-Forwarded-Proto";

/**
 * Returns the change to a test of the header that allows no other request: one Require line of a section is enough, and they replace
 * those of the sections before (mod_authz_core.c `merge_authz_core_dir_config`). Undefined if several lines decide together, or if
 * the lines before may be in other files.
 */
function replaceTlsRequirement(line: Directive, layers: readonly ConfigLayer[], isPart: boolean): string | undefined {
  const own = layers.findIndex(({ directives }) => directives.includes(line));
  const isAlone = layers.flatMap((layer) => layer.pick(tlsRequirements)).length === 1;
  if (!isAlone || line.parent !== layers[own]?.section) return undefined;
  const lines = layers.map(({ directives }) => directives.filter(decidesAccess));
  const last = lines.findLastIndex((each) => each.length > 0);
  if (last > own || (isPart && last < own) || lines.flat().some(({ key }) => key !== "require")) return undefined;
  const [other, ...more] = lines[last] ?? [];
  if (more.length > 0 || (other && parseRequireLine(other).negated)) return undefined;
  const written = `Require expr "%{HTTP:${FORWARDED_SCHEME}} == 'https'"`;
  const replaced = other && last === own ? `it and ${quoteLine(other)}` : "it";
  if (other === undefined || isForAllWith(other, "granted")) return `replace ${replaced} with ${quoteWritten(written)}`;
  const all = quoteWritten("<RequireAll>", written, formatWholeLine(other), "</RequireAll>");
  return `replace ${replaced} with ${all}`;
}

const tlsRequirements: ReadonlySet<string> = new Set(["sslrequiressl"]);

/** Reports whether a line or a section of lines takes part in the decision on access. */
export function decidesAccess({ key }: Directive): boolean {
  return accessKeys.has(key) || /^<(?:require|limit)/.test(key);
}

function isForAllWith(line: Directive, word: string): boolean {
  return argumentValuesOf(line).join(" ").toLowerCase() === `all ${word}`;
}

/** Reports whether the lines of a section on access only deny every client, whatever its address or user. */
export function deniesEveryone({ directives }: ConfigLayer): boolean {
  const lines = directives.filter(decidesAccess);
  const isDenial = (line: Directive) =>
    line.key === "require"
      ? isForAllWith(line, "denied")
      : line.key === "deny" && argumentValuesOf(line).join(" ").toLowerCase() === "from all";
  const isNeutral = (line: Directive) =>
    line.key === "order" || (line.key === "satisfy" && keywordArgumentOf(line) === "all");
  const isOfBoth = lines.some(({ key }) => key === "require") && lines.some(({ key }) => key !== "require");
  return !isOfBoth && lines.some(isDenial) && lines.every((line) => isDenial(line) || isNeutral(line));
}

/**
 * A certificate that a virtual host requires of each client, before it knows the URL, although only some sections need one
 * (ssl_engine_init.c `ssl_init_ctx_verify`).
 */
export function explainCertificate({ outcome: { by, pass, layers } }: ExplainedRun): readonly Cause[] {
  const line = by.find(({ key }) => key === "sslverifyclient");
  const servers = pass?.server.layers ?? layers;
  // That of a section or a `.htaccess` file is for its paths only.
  if (line === undefined || !servers.some(({ content }) => content.includes(line))) return [];
  const written = quoteWritten(formatWholeLine(line, "optional"));
  const section = servers
    .flatMap(({ content }) => content)
    .find((each) => (each.children ?? []).some(requiresCertificate));
  const text = "httpd asks for the certificate in the handshake, before it knows the URL, so the line is for all paths";
  const help = section
    ? `to require it only in ${quoteLine(section)}, use ${written}`
    : `to require it only for some paths, use ${written}, and add ${quoteWritten("Require ssl-verify-client")} to their sections`;
  return [{ text, line, help: [help] }];
}

/** Reports whether a line allows only clients with a certificate that httpd accepts. */
function requiresCertificate({ key, argumentText }: Directive): boolean {
  if (key === "require") return /^\s*ssl-verify-client\b|SSL_CLIENT_/i.test(argumentText);
  return key === "sslrequire" && argumentText.includes("SSL_CLIENT_");
}

/** A Proxy section that denies each request which httpd proxies (mod_proxy.c `proxy_walk`). */
export function explainProxySection({ outcome: { by, pass, served = pass, status } }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const section = line && findSectionAround(line, ({ key }) => key === "<proxy");
  const backend = served && backendOf(served);
  if (!line || !section || !served || !backend || status !== 403 || !reverseProxyLines.has(backend.by.key)) return [];
  if (argumentValuesOf(section).join(" ") !== "*") return [];
  const text = `${quoteLine(section)} is for all requests that httpd proxies, also for those of ${quoteLine(backend.by)}`;
  const [, origin = ""] = /^proxy:([a-z]+:\/\/[^/]+)/i.exec(backend.target) ?? [];
  // Only a written name is that of one backend.
  const isWritten = origin !== "" && backend.by.argumentText.includes(origin);
  const isForward = keywordArgumentOf(findSetting(served.server.layers, "proxyrequests")) === "on";
  if (!isWritten || isForward) return [{ text, line: section }];
  const who = deniesEveryone(layerOfSection(section))
    ? "to allow only this backend"
    : "to allow all clients of this backend";
  const grant = line.key === "require" ? ["Require all granted"] : ["Order allow,deny", "Allow from all"];
  const lines = [`<Proxy "${toReadable(origin)}/*">`, ...grant, "</Proxy>"];
  return [{ text, line: section, help: [`${who}, add ${quoteWritten(...lines)} after it`], stays: true }];
}

const reverseProxyLines: ReadonlySet<string> = new Set(["proxypass", "proxypassmatch", "rewriterule"]);

/**
 * A Files section that denies a file in a directory to which a section grants access again: Files sections are merged after all
 * Directory sections, wherever they are (server/request.c `ap_file_walk`).
 */
export function explainFilesAfterDirectories({
  outcome: { by, pass, served = pass, status },
}: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const files = line && findSectionAround(line, ({ key }) => key === "<files" || key === "<filesmatch");
  const isOfServer = files?.parent === undefined || files.parent.key === "<virtualhost";
  if (status !== 403 || line?.key !== "require" || !files || !isOfServer || !served?.state) return [];
  // Files of httpd itself stay closed in all directories.
  if (/\.ht/i.test(files.argumentText.replaceAll("\\", ""))) return [];
  const grants = (section: Directive) =>
    section.key === "<directory" && (section.children ?? []).some((each) => isForAllWith(each, "granted"));
  const sections = served.state.layers.flatMap(({ section }) => (section && grants(section) ? [section] : []));
  const exception = sections.at(-1);
  // The section of the site grants access to all files; one below it that repeats this is meant as an exception.
  if (exception === undefined || sections.length < 2) return [];
  const text = `httpd merges ${quoteLine(files)} after all \`<Directory>\` sections, wherever they are, also after ${quoteLine(exception)}`;
  const opening = formatWholeLine(files);
  const inner = quoteWritten(opening, "Require all granted", opening.replace(/^<(\w+).*$/s, "</$1>"));
  return [{ text, line: exception, help: [`to grant access there, add ${inner} to ${quoteLine(exception)}`] }];
}

/** SSLEngine in a virtual host for several ports, of which one gets requests without TLS (ssl_engine_io.c `HTTP_ON_HTTPS_PORT`). */
export function explainTlsForAllPorts({ outcome: { by, status }, request }: ExplainedRun): readonly Cause[] {
  const line = status === 400 ? by.find(({ key }) => key === "sslengine") : undefined;
  const section = line && findSectionAround(line, ({ key }) => key === "<virtualhost");
  if (line === undefined || section === undefined) return [];
  const words = argumentValuesOf(section);
  const plain = words.filter((word) => word.endsWith(`:${portOf(request)}`));
  const others = words.filter((word) => !plain.includes(word));
  if (plain.length === 0 || others.length === 0) return [];
  const names = (section.children ?? []).filter(({ key }) => key === "servername" || key === "serveralias");
  const [own] = names.flatMap((each) => (each.key === "servername" ? argumentValuesOf(each) : []));
  const name = toReadable((own ?? request.host ?? "NAME").replace(/^\w+:\/\/|:\d+$/g, ""));
  const added = [
    `<VirtualHost ${toReadable(plain.join(" "))}>`,
    ...names.map((each) => formatWholeLine(each)),
    `Redirect permanent / https://${name}/`,
    "</VirtualHost>",
  ];
  const text = `${quoteLine(line)} applies to all addresses of ${quoteLine(section)}, also to port ${portOf(request)}`;
  const help = `use ${quoteWritten(`<VirtualHost ${toReadable(others.join(" "))}>`)} here, and add ${quoteWritten(...added)}`;
  return [{ text, line: section, help: [help] }];
}

/** The lines that deny the document of an error (modules/http/http_request.c `ap_die_r`). */
export function explainDocumentDenial(line: Directive, asked: Pass): Cause {
  const [last = asked] = mainPassesOf(asked);
  const { answer, mapping, walked } = last;
  const [denying] = answer?.by ?? [];
  const file = mapping.kind === "file" ? `\`${nativePath(toReadable(mapping.filename))}\`` : undefined;
  const text = `httpd denies the request for the document of ${quoteLine(line)}`;
  if (denying === undefined || file === undefined || mapping.kind !== "file") return { text, line };
  const own = sectionOf(denying);
  const place = own ? ` of ${quoteLine(own)}` : "";
  const why = `${quoteLine(denying)}${place} applies to ${file}`;
  const [, directory = "", name = ""] = /^(.*)\/([^/]*)$/s.exec(mapping.filename) ?? [];
  const folder = nativePath(toReadable(directory));
  const isByDirectory = own === undefined || own.key === "<directory" || own.key === "<directorymatch";
  const isKnown = denying.key === "require" && isByDirectory && walked?.kind === "file" && folder !== "";
  if (!isKnown) return { text: `${text}: ${why}`, line };
  // Only the document is opened, whatever else the folder has.
  const inner = [`<Files "${toReadable(name)}">`, "Require all granted", "</Files>"];
  const written = quoteWritten(`<Directory "${folder}">`, ...inner, "</Directory>");
  return { text: `${text}: ${why}`, line: denying, help: [`add ${written} after the other sections`], stays: true };
}

/** Returns the section around a line that is not a Require container or a Limit section. */
function sectionOf(line: Directive): Directive | undefined {
  return findSectionAround(line, ({ key }) => !/^<(?:require|limit|if)/.test(key));
}

/** A LimitExcept section that denies a method which it does not name (server/core.c `ap_limit_section`). */
export function explainLimitExcept({ outcome: { by, status }, request: { method } }: ExplainedRun): readonly Cause[] {
  const [line] = by;
  const section = line && findSectionAround(line, ({ key }) => key.startsWith("<limit"));
  if (section?.key !== "<limitexcept" || status !== 403) return [];
  const text = `${quoteLine(section)} applies to \`${toReadable(method)}\`, which it does not name`;
  const written = `${section.name} ${toReadable(section.argumentText.replace(/>\s*$/, ""))} ${toReadable(method)}>`;
  return [{ text, line: section, help: [`to allow it, use ${quoteWritten(written)}`] }];
}

/** A Require line of 2.4, which 2.2 takes for a list of users (server/core.c `require`). */
export function explainRequireOfLater({ outcome, project: { release } }: ExplainedRun): readonly Cause[] {
  const line = outcome.by.find(({ key }) => key === "require");
  if (line === undefined || isSince(release, "2.4")) return [];
  const words = argumentValuesOf(line);
  const name = words[0]?.toLowerCase() ?? "";
  if (!providersOf24.has(name)) return [];
  const text = `2.2 takes ${quoteLine(line)} for a requirement of a login: \`Require ${toReadable(name)}\` is new in 2.4`;
  const layer = outcome.layers.findLast(({ directives }) => directives.includes(line));
  const lines = layer?.pick(requireNames).filter(({ parent }) => parent === line.parent) ?? [line];
  const old = linesOf22(lines);
  if (old === undefined) return [{ text, line }];
  const replaced = lines.filter(isOf24);
  const which = replaced.length === 1 ? "it" : replaced.map(quoteLine).join(" and ");
  return [{ text, line, help: [`replace ${which} with ${quoteWritten(...old)}`] }];
}

const requireNames: ReadonlySet<string> = new Set(["require"]);

function isOf24(line: Directive): boolean {
  return providersOf24.has(argumentValuesOf(line)[0]?.toLowerCase() ?? "");
}

/**
 * Returns the lines of 2.2 for the Require lines of a section, of which one is enough in 2.4; undefined if there are none.
 * Those that ask for a login stay.
 */
function linesOf22(lines: readonly Directive[]): readonly string[] | undefined {
  const needed = lines.filter(isOf24).map((line) => {
    const [name = "", ...rest] = argumentValuesOf(line);
    return { name: name.toLowerCase(), rest: rest.map(toReadable).join(" ") };
  });
  if (needed.some(({ name }) => !/^(?:all|ip|host)$/.test(name))) return undefined;
  const satisfy = needed.length < lines.length ? ["Satisfy any"] : [];
  if (needed.some(({ name, rest }) => name === "all" && rest.toLowerCase() === "granted"))
    return ["Order allow,deny", "Allow from all", ...satisfy];
  const allowed = needed.flatMap(({ name, rest }) => (name === "all" ? [] : [`Allow from ${rest}`]));
  return ["Order deny,allow", "Deny from all", ...allowed, ...satisfy];
}

/** The names of Require that need no login, and that 2.2 does not have. */
const providersOf24: ReadonlySet<string> = new Set(["all", "ip", "host", "local", "env", "expr", "method", "not"]);

/**
 * A denial of an inner section, which the `Satisfy Any` of an outer one bypasses: 2.2 inherits it on its own, as 2.4 does not
 * (server/core.c `merge_core_dir_configs` of 2.2).
 */
export function explainInheritedSatisfy({
  outcome: { by, pass, served = pass, status },
  request: { user },
}: ExplainedRun): readonly Cause[] {
  const any = by.find(({ key }) => key === "satisfy");
  const { state } = served ?? {};
  if (any === undefined || !state || status >= 400 || user === undefined) return [];
  const layers = state.groups.filter(({ kind }) => kind !== "server").flatMap((group) => group.layers);
  const outer = layers.findIndex(({ directives }) => directives.includes(any));
  const inner = layers.slice(outer + 1).findLast((layer) => ["order", "allow", "deny"].some((key) => layer.has(key)));
  const denial = inner && findSetting([inner], "deny");
  // A section that allows some clients may have allowed this one, without the login.
  if (outer < 0 || inner === undefined || denial === undefined || !deniesEveryone(inner)) return [];
  const place = inner.section ? quoteLine(inner.section) : "its `.htaccess` file";
  const text = `the outer ${quoteLine(any)} applies to ${quoteLine(denial)}, too: a login is enough`;
  return [
    { text, line: any, help: [`to deny every client, add ${quoteWritten("Satisfy All")} to ${place}`], stays: true },
  ];
}

/** A login that a section sets up, and that no Require line asks for (mod_authz_core.c `authorize_userless`). */
export function explainMissingRequire({
  outcome: { pass, served = pass, status },
  request: { user },
}: ExplainedRun): readonly Cause[] {
  const { state, isAuthorized } = served ?? {};
  if (!state || !isAuthorized || status >= 500 || user !== undefined) return [];
  const layers: readonly ConfigLayer[] = state.groups
    .filter(({ kind }) => kind !== "server")
    .flatMap((group) => group.layers);
  const index = layers.findLastIndex((layer) => layer.has("authtype"));
  const layer = layers[index];
  const line = layer?.setting("authtype");
  if (!layer || !line || keywordArgumentOf(line) === "none") return [];
  if (layers.slice(index).some((each) => accessLines.some((key) => each.has(key)))) return [];
  const granting = findSetting(layers.slice(0, index), "require");
  const place = layer.section ? quoteLine(layer.section) : "its `.htaccess` file";
  const why = granting ? `; ${quoteLine(granting)} of an earlier section applies` : "";
  const text = `${quoteLine(line)} only sets up a login: no \`Require\` line of ${place} asks for it${why}`;
  return [{ text, line, help: [`add ${quoteWritten("Require valid-user")} next to it`], stays: true }];
}

const accessLines = ["require", "satisfy", "order", "allow", "deny", "authmerging"] as const;
const accessKeys: ReadonlySet<string> = new Set(accessLines);

/** A redirect of a POST request, which clients repeat as GET (RFC 9110, section 15.4). */
export function explainLostBody({
  outcome: { status, location, by },
  request,
  project: { release },
}: ExplainedRun): readonly Cause[] {
  const [line] = by;
  if (request.method !== "POST" || location === undefined || line === undefined) return [];
  if (status !== 301 && status !== 302) return [];
  const kept = status === 301 && isSince(release, "2.4") ? 308 : 307;
  const text = `after ${status}, clients send GET instead of POST, without the body`;
  const written = withStatus(line, status, kept);
  if (written === undefined) return [{ text, line }];
  return [{ text, line, help: [`to keep the method and the body, use ${quoteWritten(written)}`] }];
}

/** Returns a redirecting line with another status; undefined for a line of another kind. */
function withStatus(line: Directive, before: number, after: number): string | undefined {
  const words = toReadable(line.argumentText);
  if (line.key === "rewriterule") {
    const other = words.replace(/([[,]\s*)(?:R|redirect)(?:=\w+)?(?=\s*[\],])/i, `$1R=${after}`);
    return other === words ? undefined : `${line.name} ${other}`;
  }
  if (line.key === "redirectpermanent" || line.key === "redirecttemp") return `Redirect ${after} ${words}`;
  if (line.key !== "redirect" && line.key !== "redirectmatch") return undefined;
  const named = /^(?:permanent|temp|\d+)\s+/i;
  return `${line.name} ${after} ${words.replace(before === 302 && !named.test(words) ? "" : named, "")}`;
}

/** A variable that a Require line reads, and that lines set only after access is checked (server/request.c, mod_env.c). */
export function explainLateVariable({
  outcome: { by, pass, status },
  project: { release },
}: ExplainedRun): readonly Cause[] {
  const { state } = pass ?? {};
  const [line] = by;
  const words = line?.key === "require" ? argumentValuesOf(line) : [];
  if (!state || line === undefined || words[0]?.toLowerCase() !== "env" || status !== 403) return [];
  const [, ...names] = words;
  const layers = state.groups.filter(({ kind }) => kind !== "server").flatMap((group) => group.layers);
  const rules = layers.flatMap((layer) => parseRewriteRules(layer.directives));
  for (const name of names) {
    const key = name.toLowerCase();
    const rule = rules.find(({ flags }) => flags.variables.some((each) => each.split(":")[0]?.toLowerCase() === key));
    const setter =
      rule?.directive ??
      state.layers
        .flatMap((layer) => layer.pick(lateSetters))
        .find((each) => argumentValuesOf(each)[0]?.toLowerCase() === key);
    if (setter === undefined || state.env.has(key)) continue;
    const text = `${quoteLine(setter)} sets \`${toReadable(name)}\` only after access is checked`;
    const expression = rule && isSince(release, "2.4") && names.length === 1 ? expressionOf(rule) : undefined;
    const help =
      expression === undefined
        ? `set it with \`SetEnvIf\`, which httpd evaluates before, and which cannot test the query`
        : `use ${quoteWritten(`Require expr "${expression}"`)}`;
    return [{ text, line, help: [help] }];
  }
  return [];
}

/**
 * A variable that lines set before an internal redirect, which puts `REDIRECT_` before its name, so that a line that grants access by
 * it does not (modules/http/http_request.c `rename_original_env`).
 */
export function explainVariableBeforeRedirect({ outcome: { pass, status, by } }: ExplainedRun): readonly Cause[] {
  const chain = pass ? mainPassesOf(pass) : [];
  const index = chain.findIndex((each) => each.state !== undefined && !each.isAuthorized);
  return status === 401 || status === 403 ? explainRenamedGrant(chain, index, status, by) : [];
}

/** Returns the variable that a line grants access by, and that is renamed at the pass of an index, so that it does not. */
function explainRenamedGrant(
  chain: readonly Pass[],
  index: number,
  status: number,
  by: readonly Directive[],
): readonly Cause[] {
  const { state } = chain[index] ?? {};
  if (state === undefined) return [];
  for (const { line, names } of grantsByVariable(state))
    for (const name of names) {
      const renamed = renamedIn(state, name);
      const before = chain
        .slice(index + 1)
        .find(({ next, state: earlier }) => next && earlier?.env.has(name.toLowerCase()));
      if (renamed === undefined || before?.next === undefined) continue;
      const [setter] = findSetters(before, new Set([name.toLowerCase()]));
      const set = setter
        ? `${quoteLine(setter.directive)} sets \`${toReadable(name)}\` for`
        : `\`${toReadable(name)}\` is set for`;
      const to = toReadable(before.next.pass.path);
      const text = `${set} \`${toReadable(before.path)}\`, and the internal redirect to \`${to}\` renames it to \`${toReadable(renamed)}\``;
      return [{ text, line, help: helpForRenamed(line, name, renamed, by, state, status) }];
    }
  return [];
}

/** Files that a section of the main files usually makes programs, as in the manual of PHP: `<FilesMatch \\.php$>`. */
const programFiles = /\.(?:php|phtml)$/;

/**
 * A part that grants access before an internal redirect, and would not after it: httpd only checks access again if other sections apply
 * to the file (server/request.c `ap_process_request_internal`), and another file may have one for programs.
 */
export function explainUncheckedRedirect({
  outcome: { pass, status },
  project: { isPart, release },
}: ExplainedRun): readonly Cause[] {
  const chain = pass && isPart && status < 400 ? mainPassesOf(pass) : [];
  for (const [index, { state, answer, isAuthorized, path, walked }] of chain.entries()) {
    const before = chain[index + 1];
    const [extension] = programFiles.exec(walked?.kind === "file" ? walked.filename : "") ?? [];
    if (!state || answer || !isAuthorized || extension === undefined || !before?.next) continue;
    if (before.walked === undefined || before.walked.filename.endsWith(extension)) continue;
    const oracle = new Oracle(new Map());
    const again = (isSince(release, "2.4") ? decide24 : decide22)({ ...state, oracle });
    if (again.status === undefined || oracle.answered.size > 0 || oracle.undecidable !== undefined) continue;
    const section = quoteWritten(`<FilesMatch "\\${extension}$">`);
    const text = `if another file has a section such as ${section}, httpd checks access again for \`${toReadable(path)}\`, and returns ${again.status}`;
    const [renamed] = explainRenamedGrant(chain, index, again.status, again.by);
    if (renamed) return [{ ...renamed, text: `${text}: ${renamed.text}` }];
    const [line] = again.by;
    return [{ text: line ? `${text}: ${quoteLine(line)} applies to it` : text, ...(line ? { line } : {}) }];
  }
  return [];
}

/** The lines that grant access if a variable is set, in the last section that has any, with their variables as written. */
function grantsByVariable({
  layers,
}: AccessState): readonly { readonly line: Directive; readonly names: readonly string[] }[] {
  return (["require", "allow"] as const).flatMap((key) => {
    const found = layers.map((layer) => layer.directives.flatMap((each) => linesWithin(each, key))).findLast(isFilled);
    return (found ?? []).flatMap((line) => {
      const names = variablesOfGrant(line);
      return names.length > 0 ? [{ line, names }] : [];
    });
  });
}

function isFilled(lines: readonly Directive[]): boolean {
  return lines.length > 0;
}

/** Returns the lines with a name in a line: itself, or those in a container or a Limit section. */
function linesWithin(line: Directive, key: string): readonly Directive[] {
  if (line.key === key) return [line];
  return /^<(?:require(?:all|any)|limit)/.test(line.key)
    ? (line.children ?? []).flatMap((each) => linesWithin(each, key))
    : [];
}

function variablesOfGrant(line: Directive): readonly string[] {
  const words = argumentValuesOf(line);
  if (line.key === "allow") return words.flatMap((word) => /^env=([^!].*)$/i.exec(word)?.[1] ?? []);
  if (parseRequireLine(line).negated) return [];
  if (words[0]?.toLowerCase() === "env") return words.slice(1);
  const [, ofExpression] = /(?:%\{(?:req)?env:|\b(?:req)?env\(\s*['"])([\w-]+)/i.exec(line.argumentText) ?? [];
  return words[0]?.toLowerCase() === "expr" && ofExpression !== undefined ? [ofExpression] : [];
}

/** Returns the name that a variable has after one or more internal redirects; undefined if it is still set, or never was. */
function renamedIn({ env }: AccessState, name: string): string | undefined {
  if (env.has(name.toLowerCase())) return undefined;
  for (let renamed = `REDIRECT_${name}`, count = 0; count < MAX_RENAMED; renamed = `REDIRECT_${renamed}`, count++)
    if (env.has(renamed.toLowerCase())) return renamed;
  return undefined;
}

/** The internal redirects after which httpd gives up by default (server/core.c `ap_is_recursion_limit_exceeded`). */
const MAX_RENAMED = 10;

/** Returns the line to write; none if other lines decide as well. */
function helpForRenamed(
  line: Directive,
  name: string,
  renamed: string,
  by: readonly Directive[],
  { layers }: AccessState,
  status: number,
): readonly string[] {
  const words = argumentValuesOf(line);
  if (line.key === "require" && words[0]?.toLowerCase() === "expr") return [`test \`${toReadable(renamed)}\` as well`];
  const isInAll = findSectionAround(line, ({ key }) => key === "<requireall") !== undefined;
  const isOneOfAll = isInAll && !by.includes(line);
  const needsLogin =
    line.key === "allow" && status === 401 && keywordArgumentOf(findSetting(layers, "satisfy")) !== "any";
  if (isOneOfAll || needsLogin) return [];
  const written = line.key === "allow" ? `env=${renamed}` : renamed;
  const last = line.key === "allow" ? `env=${name}` : name;
  const corrected = line.argumentText.endsWith(last) ? `${line.argumentText} ${written}` : undefined;
  return corrected === undefined
    ? [`name \`${toReadable(written)}\` in it as well`]
    : [`use ${quoteWritten(formatWholeLine(line, corrected))}`];
}

const lateSetters: ReadonlySet<string> = new Set(["setenv", "passenv"]);

/** Returns an expression that holds if the conditions of a rule for any path do; undefined if they have no simple form. */
function expressionOf({ pattern, isNegated, conditions }: RewriteRule): string | undefined {
  if (isNegated || findMatch(pattern, "") === undefined || conditions.length === 0) return undefined;
  const tests = conditions.map(({ input, test, isNegated: isNot, ignoreCase, orNext }) => {
    const isVariable = /^%\{(?:QUERY_STRING|REQUEST_URI|REMOTE_ADDR|REQUEST_METHOD|HTTP_\w+)\}$/i.test(input);
    if (!isVariable || orNext || test.kind !== "pattern" || /[#"\\]/.test(test.pattern)) return undefined;
    return `${input} ${isNot ? "!~" : "=~"} m#${toReadable(test.pattern)}#${ignoreCase ? "i" : ""}`;
  });
  return tests.some((test) => test === undefined) ? undefined : tests.join(" && ");
}
